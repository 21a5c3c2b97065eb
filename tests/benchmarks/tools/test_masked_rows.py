"""Rows that a page masks or cuts: each is noted, or its run is not complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.benchmarks.tools.samples import LOGS

from wirespeed.benchmarks import read
from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import Metric, RunStatus

OSU = "# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n1 4.1\n{0}\n16 33.1\n"
IPERF3 = "[ ID] Interval Transfer Bandwidth Retr\n[  4]   0.00-1.00  sec  1.08 GBytes  9.30 Gbits/sec  12\n"
ROW = "[  4]   1.00-2.00  sec  1.08 GBytes  "


@pytest.mark.parametrize(
    ("row", "notice"),
    [
        ("2 nan", "nan in the row of 2 B; expected a number; the row is left out"),
        ("2 -inf", "-inf in the row of 2 B; expected a number; the row is left out"),
        ("4 XXX.XX", "XXX.XX in the row of 4 B; expected a number; the row is left out"),
        ("8", "a row of 1 cell; expected 2 cells; the row is left out"),
        ("X XX.X", "'X XX.X'; expected numbers; the line is left out"),
    ],
)
def test_each_row_of_osu_that_is_left_out_is_noted(row: str, notice: str) -> None:
    reading = read(OSU.format(row), "osu.log")
    assert [measurement.size_bytes for measurement in reading.runs[0].measurements] == [1, 16]
    assert f"osu.log:4: found {notice}" in [str(noted) for noted in reading.notices]
    assert reading.runs[0].status is RunStatus.END_UNKNOWN


@pytest.mark.parametrize(
    ("rows", "rates", "counts", "notices"),
    [
        (f"{ROW}X.XX Gbits/sec  XX\n", [9.3], [12], ["3: found '[ 4] 1.00-2.00 sec 1.08 GBytes X.XX Gbits/sec XX'"]),
        (f"{ROW}9.20 Gbits/sec  XX\n", [9.3, 9.2], [12], ["3: found XX retransmits"]),
        (f"{ROW}9.20 Gbits/sec  1", [9.3, 9.2], [12], ["3: found 1 at the end of the log"]),
        (f"{ROW}9.20 Gbits/sec", [9.3, 9.2], [12], []),
        (f"{ROW}9.20 Gbits/sec  15   1.10 MBytes", [9.3, 9.2], [12, 15], []),
        (f"{ROW}9.20 Gbits/sec  15   1.10", [9.3, 9.2], [12, 15], ["3: found 1.10 at the end of the log"]),
        (
            f"{ROW}9.20 Gbits/se",
            [9.3],
            [12],
            ["3: found '[ 4] 1.00-2.00 sec 1.08 GBytes 9.20 Gbits/se' without a newline at the end of the log"],
        ),
        (  # a summary, cut
            "[  4]   0.00-2.00  sec  2.16 GBytes  9.30 Gbits/sec  1",
            [9.3],
            [12],
            ["3: found '[ 4] 0.00-2.00 sec 2.16 GBytes 9.30 Gbits/sec 1' without a newline at the end of the log"],
        ),
    ],
)
def test_each_row_of_iperf3_that_is_left_out_is_noted(
    rows: str, rates: list[float], counts: list[int], notices: list[str]
) -> None:
    """A last line without newline keeps what ends with a unit: a number at its end may lack digits."""
    reading = read(IPERF3 + rows, "log")
    measurements = reading.runs[0].measurements
    assert [row.value for row in measurements if row.metric is Metric.BITRATE] == rates
    assert [row.value for row in measurements if row.metric is Metric.RETRANSMITS] == counts
    assert [str(notice).removeprefix("log:").split(";")[0] for notice in reading.notices] == notices


_NUMBER = re.compile(r"(\x1b\[[0-9;]*m|[A-Za-z]+[0-9]+\w*)|[0-9]")  # names and colours are kept
TEXTS = [log for log in LOGS if log.suffix == ".txt"]


@pytest.mark.parametrize("log", TEXTS, ids=lambda log: f"{log.parent.name}/{log.name}")
def test_a_masked_row_is_noted_or_its_run_is_not_complete(log: Path) -> None:
    """`bench parse --help`: "Skipped lines are reported on standard error"."""
    text = log.read_text()
    whole = read(text, "log")
    lines = text.split("\n")
    complete = [run for run in whole.runs if run.status is RunStatus.COMPLETE]
    measured = sorted({measurement.line for run in complete for measurement in run.measurements})
    for number in {*measured[:1], *measured[len(measured) // 2 :][:1], *measured[-1:]}:
        masked = [*lines]
        masked[number - 1] = _NUMBER.sub(lambda part: part[1] or re.sub("[0-9]", "X", part[0]), lines[number - 1])
        try:
            reading = read("\n".join(masked), "log")
        except Refusal:
            continue
        noted = any(notice.location == f"log:{number}" for notice in reading.notices)
        assert noted or sum(run.status is RunStatus.COMPLETE for run in reading.runs) < len(complete), lines[number - 1]
