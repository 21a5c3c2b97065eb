"""Decimal commas in some lines of a log: a comma before any but three digits, or after a leading zero, is a point."""

from __future__ import annotations

import pytest
from tests.benchmarks.tools.samples import SAMPLES

from wirespeed.benchmarks import read
from wirespeed.results.benchmarks import RunStatus

QPERF = "tcp_bw:\n    bw  =  1.2 GB/sec\n    msg_size  =  64 KiB (65,536)\ntcp_lat:\n    latency  =  {} us\n"
SOCKPERF = "sockperf: == version #3.7-no.git == \nsockperf: ====> avg-latency=4943.790 (std-dev={})\n"
IPERF = """\
Connecting to host 10.0.0.2, port 5201
[  5] local 10.0.0.1 port 40000 connected to 10.0.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  1.11 GBytes  9.54 Gbits/sec    3   1.52 MBytes
[  5]   {}   sec  1.12 GBytes  9.62 Gbits/sec    0   {} MBytes
"""
OSU = "[1,0]<stdout>:# OSU MPI Latency Test v7.4\n[1,0]<stdout>:# Size  Latency (us)\n[1,0]<stdout>:1  1.23\n"


def list_values(text: str) -> list[float]:
    """The values of a log that leaves out none."""
    reading = read(text, "log")
    assert not [notice for notice in reading.notices if "left out" in notice.expected]
    return [float(row.value) for run in reading.runs for row in run.measurements]


@pytest.mark.parametrize(
    ("text", "with_comma", "with_point"),
    [
        (QPERF, "3,45", "3.45"),
        (QPERF, "0,861", "0.861"),
        (QPERF, "4943,790", "4943.790"),
        (SOCKPERF, "12,3", "12.3"),
        (f"{OSU}[1,0]<stdout>:2  {{}}\n[1,0]<stdout>:4  1.31\n", "1,25", "1.25"),
    ],
)
def test_a_decimal_comma_is_a_point(text: str, with_comma: str, with_point: str) -> None:
    assert list_values(text.format(with_comma)) == list_values(text.format(with_point))


def test_the_columns_of_iperf_are_read() -> None:
    """Neither an interval nor the congestion window is dropped without a word."""
    assert list_values(IPERF.format("1.00-2,00", "1,52")) == list_values(IPERF.format("1.00-2.00", "1.52"))


def test_the_time_of_an_application_is_read() -> None:
    text = (SAMPLES / "cp2k" / "end-of-a-log.txt").read_text(encoding="utf-8")
    assert list_values(text.replace("10234.18", "10234,18")) == list_values(text)


def test_a_comma_before_three_digits_is_left_out() -> None:
    reading = read(QPERF.format("12,345"), "log")
    assert [run.status for run in reading.runs] == [RunStatus.COMPLETE, RunStatus.TRUNCATED]
    assert [str(notice) for notice in reading.notices if "12,345" in str(notice)]


def test_a_list_of_a_command_is_no_number() -> None:
    text = (SAMPLES / "rocm_bandwidth" / "one-copy.txt").read_text(encoding="utf-8")
    assert "-b 2,3" in text
    assert read(text + text, "log").notices == ()
