"""Notes on failed runs: whether the values can be used, and where the cause is."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.benchmarks import parse
from wirespeed.benchmarks.logs.failed_runs import list_notes

SAMPLES = Path(__file__).parents[2] / "samples"
OTHER_END = "read the log of the other end: its first error is the cause"
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
