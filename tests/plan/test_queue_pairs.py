"""Queue pairs of jobs over RC against those of the NIC.

Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, appendix A, prints Max QP 65537 of bnxt_re0;
MVAPICH over RoCE runs 64 hosts of 128 ranks each.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate

FILE = Path(__file__).parents[2] / "examples" / "bluebonnet-64node" / "cluster-rc.yaml"


@pytest.mark.parametrize(
    ("old", "new", "queue_pairs"),
    [
        ("ranks: 128", "ranks: 128", "1,032,192"),  # 128 * (8192 - 128)
        ("ranks: 128", "ranks: 33", "68,607"),
        ("ranks: 128", "ranks: 32", None),  # 64,512
        ("transport: rc", "transport: ud", None),
        ("transport: rc", "transport: hybrid", None),
        ("transport: rc", "transport: hybrid\n  hybrid_from: 8193", "1,032,192"),  # RC alone, with 8,192 ranks
        ("transport: rc", "transport: hybrid\n  rc_connections: 511", None),  # 128 * (511 + 1) = 65,536
        ("transport: rc", "transport: hybrid\n  rc_connections: 512", "65,664"),
        ("transport: rc", "transport: hybrid\n  rc_connections: 300\n  queue_pairs: 2", "76,928"),
        ("ranks: 128", "queue_pairs: 2\n  ranks: 32", "129,024"),  # two for each of 64,512 connections
    ],
)
def test_more_queue_pairs_than_the_nic_has_warn(old: str, new: str, queue_pairs: str | None) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    warnings = [str(problem) for problem in build(read_text(text.replace(old, new), "cluster.yaml")).warnings]
    reason = "with their UD queue pairs" if "rc_connections" in new else "if every rank sends to every other"
    expected = queue_pairs and f"{queue_pairs} queue pairs on a host {reason}; "
    limit = "expected at most 65,537, the limit of its NICs: Broadcom BCM957508-P2100G, 2 x 100G PCIe card (Thor)"
    matching = [warning for warning in warnings if "queue pairs" in warning]
    assert len(matching) == (1 if expected else 0)
    assert all(f"{expected}{limit}" in warning for warning in matching)


@pytest.mark.parametrize(
    ("hybrid_from", "settings", "warning"),
    [
        (2048, "", "up to 229,376 queue pairs on a host if every rank sends to every other: jobs on 6 to 15 hosts"),
        (2049, "", "up to 245,760 queue pairs on a host if every rank sends to every other: jobs on 6 to 16 hosts"),
        (8192, "", "up to 1,015,808 queue pairs on a host if every rank sends to every other: jobs on 6 to 63 hosts"),
        (769, "", "up to 81,920 queue pairs on a host if every rank sends to every other: jobs on 6 hosts"),
        (768, "", None),  # a job on 6 hosts has 768 ranks
        (641, "", None),  # 128 * 128 * 4 = 65,536 on 5 hosts
        (
            641,
            "queue_pairs: 2",
            "up to 131,072 queue pairs on a host if every rank sends to every other: jobs on 4 to 5 hosts",
        ),
        (
            2048,
            "rc_connections: 64",
            "up to 229,376 queue pairs on a host if every rank sends to every other: jobs on 6 to 15 hosts",
        ),
    ],
)
def test_hybrid_jobs_on_a_part_of_the_hosts_are_over_rc(hybrid_from: int, settings: str, warning: str | None) -> None:
    """Below its number of ranks; the two limits of rc_connections and hybrid_from are separate."""
    text = FILE.with_name("cluster.yaml").read_text(encoding="utf-8")
    text = text.replace("hybrid_from: 2048 ", f"hybrid_from: {hybrid_from}" + (f"\n  {settings}" if settings else ""))
    warnings = [str(problem) for problem in build(read_text(text, "cluster.yaml")).warnings]
    assert len(warnings) == (1 if warning else 0)
    for line in warnings:
        reason = f"use RC alone (fewer than {hybrid_from:,} ranks)"
        assert f"{warning} with 128 ranks per host {reason}; expected at most " in line
        proposed = 385 if "queue_pairs" in settings else 641
        assert f"hint: set hybrid_from: {proposed}, so that jobs on {proposed // 128 + 1} or more hosts" in line


@pytest.mark.parametrize(
    ("ranks", "threads", "warning"),
    [
        (128, None, "128 ranks on each host, each with its progress thread: 256 threads"),
        (65, None, "65 ranks on each host, each with its progress thread: 130 threads"),
        (64, None, None),
        (32, 4, "32 ranks on each host, each with 4 threads and a progress thread: 160 threads"),
        (32, 3, None),
    ],
)
def test_progress_threads_need_cores(ranks: int, threads: int | None, warning: str | None) -> None:
    """MPI over Broadcom RoCE has two sockets of 64 cores a host, 128 ranks on each, and a progress thread."""
    text = FILE.with_name("cluster.yaml").read_text(encoding="utf-8")
    settings = {"ranks": ranks, "async_progress": "true"} | ({"threads": threads} if threads else {})
    text = text.replace("ranks: 128", "\n  ".join(f"{key}: {value}" for key, value in settings.items()))
    warnings = [str(problem) for problem in build(read_text(text, "cluster.yaml")).warnings]
    matching = [text for text in warnings if "progress thread" in text]
    assert len(matching) == (1 if warning else 0)
    assert all(f"{warning}; expected at most 128, the cores of Dell PowerEdge R6525" in text for text in matching)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ranks", "status", "reading"),
    [(128, "warn", "65,537 of 1 RDMA device"), (32, "pass", "65,537 of 1 RDMA device")],
)
def test_generated_output_has_the_queue_pairs_of_the_nic(ranks: int, status: str, reading: str, tmp_path: Path) -> None:
    plan = build(read_text(FILE.read_text(encoding="utf-8").replace("ranks: 128", f"ranks: {ranks}"), "cluster.yaml"))
    write_planned_bundle(plan, tmp_path / "bundle")
    assert "max_qp:\t\t\t\t65537\n" in (tmp_path / "bundle/node01/ibv-devinfo.out").read_text()
    facts = read_facts(tmp_path / "bundle")
    findings = [
        (finding.status.value, finding.found)
        for finding in run(locate(plan, facts), facts)
        if (finding.device, finding.check) == ("node01", "launch.queue-pairs")
    ]
    assert findings == [(status, reading)]
