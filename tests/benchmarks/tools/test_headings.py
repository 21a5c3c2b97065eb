"""Headings that people and scripts write between the outputs of runs: each output stays a separate run."""

from __future__ import annotations

import pytest
from tests.benchmarks.tools.samples import SAMPLES

from wirespeed.benchmarks import parse, read
from wirespeed.results.benchmarks import RunStatus

HEADLESS = """\
       32768          8192      half     sum      -1    19.11    1.71    3.00       0    18.02    1.82    3.18       0
   134217728      67108864      half     sum      -1   712.44  188.39  329.68       0   711.90  188.53  329.93       0
"""
FAILED_CLIENT = "Couldn't connect to node{number}:18515\nUnable to open file descriptor for socket connection\n"
OPTIONS = "# nThread 1 nGpus 8 minBytes {number} maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20 validation: 1\n"
HEADINGS = [
    "## node1 and node{number}\n\n",
    "=== node1 -> node{number} ===\n",
    "==== 2026-11-20 1{number}:00:00 ====\n",
]


@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize(
    ("text", "status"),
    [(HEADLESS, RunStatus.TRUNCATED), (FAILED_CLIENT, RunStatus.FAILED), (OPTIONS, RunStatus.TRUNCATED)],
)
def test_outputs_below_headings_are_runs(heading, text, status):
    """Without a heading, neither a table without its column line nor an error shows that another run starts."""
    first, second = parse("".join(f"{heading}{text}".format(number=number) for number in (2, 4)))
    (expected,) = parse(text.format(number=4))
    assert [first.status, second.status] == [status, status]
    assert (second.error, second.parameters.min_message_bytes) == (
        expected.error,
        expected.parameters.min_message_bytes,
    )
    assert [row.value for row in second.measurements] == [row.value for row in expected.measurements]


@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize(
    "sample", ["perftest/ib_write_bw_a.client.txt", "osu/osu74_bw.txt", "sockperf/pp.txt", "qperf/verbose.txt"]
)
def test_the_values_of_a_tool_stay(heading, sample):
    text = (SAMPLES / sample).read_text(encoding="utf-8")
    expected = [(row.metric, row.value, row.size_bytes) for run in parse(text) for row in run.measurements]
    reading = read("".join(f"{heading.format(number=number)}{text}" for number in (2, 4)))
    rows = [(row.metric, row.value, row.size_bytes) for run in reading.runs for row in run.measurements]
    measured = {f"text:{row.line}" for run in reading.runs for row in run.measurements}
    assert rows == expected * 2
    assert not [notice for notice in reading.notices if notice.location in measured and "left out" in notice.expected]


def test_a_backtrace_is_no_heading():
    (run,) = parse(
        "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n1           1.23\n"
        "==== backtrace (tid:   4100) ====\n[node1:04100] *** Process received signal ***\n"
        "[node1:04100] Signal: Aborted (6)\n"
    )
    assert run.status is RunStatus.FAILED
