"""Notes on failed runs: whether the values can be used, and where the cause is."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.benchmarks import parse
from wirespeed.benchmarks.logs.failed_runs import list_notes

SAMPLES = Path(__file__).parents[2] / "samples"
OTHER_END = "read the log of the other end: its first error is the cause; without a log, start it first"
USABLE = "the values are usable: perftest prints a row after all its iterations, and the error came later"


@pytest.mark.parametrize(
    ("sample", "notes"),
    [
        ("perftest/ib_send_bw.client.txt", (OTHER_END, USABLE)),
        ("perftest/ib_write_bw_gbits_D5.server.txt", (OTHER_END,)),
        ("perftest/uml-ib_write_bw_R_tos.client.txt", (OTHER_END,)),
        ("perftest/err-nodev.txt", ()),
        ("perftest/ib_write_bw_a.client.txt", ()),  # complete
        ("nccl_tests/failure.txt", ()),
    ],
)
def test_notes(sample, notes):
    assert list_notes(parse((SAMPLES / sample).read_text(encoding="utf-8"))[0]) == notes


def test_an_error_without_a_known_cause_is_noted():
    """Local protection error of buffers in host memory: the known causes concern GPU memory."""
    text = (
        "gpu01:4711:4790 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0\n"
        "gpu01:4711:4790 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.5<33397> with "
        "status=4 opcode=32611 len=32611 vendor err 81 (Send)\n"
    )
    (run,) = parse(text)
    assert list_notes(run) == ("no cause of this error is known",)
