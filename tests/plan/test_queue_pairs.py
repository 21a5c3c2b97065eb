"""Queue pairs of jobs over RC against those of the NIC.

Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, appendix A, prints Max QP 65537 of bnxt_re0;
MVAPICH over RoCE runs 64 hosts of 128 ranks each.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.cluster import read_text
from wirespeed.plan import build

FILE = Path(__file__).parents[2] / "examples" / "bluebonnet-64node" / "cluster-rc.yaml"


@pytest.mark.parametrize(
    ("old", "new", "queue_pairs"),
    [
        ("ranks: 128", "ranks: 128", "1,032,192"),  # 128 * (8192 - 128)
        ("ranks: 128", "ranks: 33", "68,607"),
        ("ranks: 128", "ranks: 32", None),  # 64,512
        ("transport: rc", "transport: ud", None),
        ("transport: rc", "transport: hybrid", None),
        ("transport: rc", "transport: hybrid\n  hybrid_from: 8192", None),
        ("transport: rc", "transport: hybrid\n  hybrid_from: 8193", "1,032,192"),  # RC alone, with 8,192 ranks
    ],
)
def test_more_queue_pairs_than_the_nic_has_warn(old: str, new: str, queue_pairs: str | None) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    warnings = [str(problem) for problem in build(read_text(text.replace(old, new), "cluster.yaml")).warnings]
    expected = queue_pairs and f"{queue_pairs} queue pairs on a host if every rank sends to every other; "
    limit = "expected at most 65,537, those of its Broadcom BCM957508-P2100G, 2 x 100G PCIe card (Thor)"
    matching = [warning for warning in warnings if "queue pairs" in warning]
    assert len(matching) == (1 if expected else 0)
    assert all(f"{expected}{limit}" in warning for warning in matching)
