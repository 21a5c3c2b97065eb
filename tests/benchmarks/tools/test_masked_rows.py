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
NCCL = (
    "# nThread 1 nGpus 8 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
    "{0}  1048576        262144     float     sum      -1    28.15   37.25   65.19      0\n"
    "{1}  2097152        524288     float     sum      -1    37.03   56.64   99.11      0\n"
)
NCCL_ROWS = ("1048576 262144 float sum -1 28.15 37.25 65.19 0", "2097152 524288 float sum -1 37.03 56.64 99.11 0")
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


@pytest.mark.parametrize(("arrow", "label"), [("<-", "GPU1 -> GPU0"), ("←", "GPU1 -> GPU0"), ("→", "GPU0 -> GPU1")])
def test_an_arrow_of_a_web_page_keeps_the_direction(arrow: str, label: str) -> None:
    text = (
        "nvbandwidth Version: v0.8\nRunning device_to_device_memcpy_read_ce.\n"
        f"memcpy CE GPU(row) {arrow} GPU(column) bandwidth (GB/s)\n           0         1\n"
        " 0       N/A    355.70\n 1    370.10       N/A\n\nSUM device_to_device_memcpy_read_ce 725.80\n"
    )
    (run,) = read(text, "nvbandwidth.log").runs
    assert label in [row.label for row in run.measurements if row.value == 355.7]


@pytest.mark.parametrize("blank", ["\x0c", "\x1c", "\u00a0"])
def test_a_line_of_other_blanks_is_no_row(blank: str) -> None:
    text = (
        "nvbandwidth Version: v0.8\nRunning device_to_device_memcpy_read_ce.\n"
        "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n           0         1\n"
        f'{blank}\n"{blank}"\n 0       N/A    355.70\n 1    370.10       N/A\n'
    )
    (run,) = read(text, "nvbandwidth.log").runs
    assert [measurement.value for measurement in run.measurements] == [355.7, 370.1]


def test_a_table_of_nccl_tests_without_a_row_is_not_complete() -> None:
    text = (
        "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)       \n"
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0\n"
    )
    (run,) = read(text, "nccl.log").runs
    assert run.status is RunStatus.TRUNCATED


@pytest.mark.parametrize("prefix", ["12:00", "x", "[12:00]", "node1:", "7", "foo bar"])
def test_a_row_after_an_unknown_prefix_is_noted(prefix: str) -> None:
    for position, row in enumerate(NCCL_ROWS):
        reading = read(NCCL.format(*(prefix if place == position else "" for place in range(2))), "log")
        assert {measurement.size_bytes for measurement in reading.runs[0].measurements} == {
            2097152 - 1048576 * position
        }
        note = (
            f"log:{3 + position}: found '{prefix}' before the row '{row}'; expected the row alone; the line is left out"
        )
        assert note in [str(notice) for notice in reading.notices]


def test_the_whole_prefix_of_a_row_is_noted() -> None:
    row = "[  5]   1.00-2.00   sec   305 MBytes  2.56 Gbits/sec    5   2.50 MBytes"
    text = f"Connecting to host 10.0.0.2, port 5201\n[ ID] Interval           Transfer     Bitrate\nrail 7: {row}\n"
    (notice,) = read(text, "log").notices
    assert str(notice) == (
        f"log:3: found 'rail 7:' before the row {' '.join(row.split())!r}; expected the row alone; the line is left out"
    )


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("# OSU MPI Bandwidth Test v7.4\n1    3.10\n2    6.20\n", ["2: found '1 3.10'", "3: found '2 6.20'"]),
        ("# OSU MPI Bandwidth Test v7.4\n1    3.10   Pass\n", ["2: found '1 3.10 Pass'"]),
        ("# OSU MPI Barrier Latency Test v7.4\n   6.04\n", ["2: found '6.04'"]),
    ],
)
def test_a_row_without_the_line_of_its_columns_is_noted(text: str, rows: list[str]) -> None:
    notices = [str(notice) for notice in read(text, "log").notices]
    assert notices == [f"log:{row}; expected a whole row below the line of its columns; left out" for row in rows]


def test_each_row_of_a_masked_table_is_noted() -> None:
    text = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n1                       x.xx\n2    x.xx\n"
    notices = [str(notice) for notice in read(text, "log").notices]
    assert notices == [
        f"log:{size + 2}: found '{size} x.xx'; expected numbers; the line is left out" for size in (1, 2)
    ]


UDP = (
    "Connecting to host 10.0.0.2, port 5201\n"
    "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
    "[  5]   0.00-1.00   sec   128 KBytes  1.05 Mbits/sec  0.000 ms  {0}\n"
)


@pytest.mark.parametrize(
    ("loss", "values", "notice"),
    [
        ("17179869184/0 (-2.5e-39%)", [], "found 17179869184/0 lost datagrams; expected at most as many as were sent"),
        ("163/91 (179%)", [128, 1.05], "found 163/91 lost datagrams; expected at most as many as were sent"),
        ("9/91 (9.9%)", [128, 1.05, 0, 9], ""),
    ],
)
def test_more_lost_datagrams_than_were_sent_are_no_loss(loss: str, values: list[float], notice: str) -> None:
    """esnet/iperf issues 1554 and 1489."""
    reading = read(UDP.format(loss), "log")
    assert [measurement.value for measurement in reading.runs[0].measurements] == values
    assert [str(note).partition("; left out")[0] for note in reading.notices] == [f"log:3: {notice}"] * bool(notice)
