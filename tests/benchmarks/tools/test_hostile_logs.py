"""Logs that fuzzing found: what is read of them, and nothing is raised."""

from __future__ import annotations

import pytest

from wirespeed.benchmarks import read
from wirespeed.errors import Refusal

SEPARATOR_IN_MATRIX = """\
src/dst (Gb/s),a,b
\x1c
a,0,94.1
b,93.9,0
"""
UNKNOWN_COLUMN = """\
#       size         count      type   open    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
        1024            16     float    none      -1    61.17    0.02    0.02    N/A    60.98    0.02    0.02    N/A
"""
ENDLESS_COUNT = f"""\
sockperf: ====> avg-latency=12.345 (std-dev=1.234)
sockperf: Total of {"9" * 400} observations; each percentile contains 0.41 observations
sockperf: ---> percentile 50.000 =   12.000
"""
ENDLESS_LATENCY = f"""\
Segment Size:   Average Send Latency:   Throughput:
4               0.07 us                 58.94 MBytes/s
8               {"9" * 400}.07 us                 117.84 MBytes/s
"""
NO_ROW = """\
# OSU MPI Bandwidth Test v7.4
# Size      Banwidth (MB/s)
1                       0.01
"""
NEGATIVE = """\
# OSU MPI Latency Test v7.4
# Size          Latency (us)
1                       0.21
2                         -1
4                       0.22
"""
REPEATED_TIME = """\
mesh ping from node1: 1 pairs
mesh pair node1:eth0 -> node2:eth0
8 packets transmitted, 8 received, 0% packet loss, time 7ms
rtt min/avg/max/mdev = 0.0090.009/0.012/0.020/0.003 ms
mesh end 0
mesh done
"""
REPEATED_RANK = """\
sockperf: ====> avg-latency=12.345 (std-dev=1.234)
sockperf: ---> percentile 25.00025.000 =   11.111
sockperf: ---> percentile 50.000 =   12.000
"""
BRACKET_IN_SIZE = """\
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024           256     float     sum      -1    61.17    0.02    0.02      0    60.98    0.02    0.02      0
    1342(177           512     float     sum      -1    61.17    0.02    0.02      0    60.98    0.02    0.02      0
"""
ENDLESS_WINDOW = f"""\
Connecting to host 10.0.0.1, port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   536 MBytes  4.50 Gbits/sec    1   {"9" * 38} MBytes
[  5]   1.00-2.00   sec   536 MBytes  4.50 Gbits/sec    1   {"9" * 400} MBytes
[  5]   2.00-3.00   sec   536 MBytes  4.50 Gbits/sec    1   1.2.3 MBytes
"""


@pytest.mark.parametrize(
    ("text", "values", "notices"),
    [
        (
            ENDLESS_WINDOW,
            [536, 4.5, 1, 1e38, 536, 4.5, 1],
            [],
        ),
        (ENDLESS_COUNT, [12.345, 1.234, 12.0], []),
        (ENDLESS_LATENCY, [0.07, 58.94], []),
        (REPEATED_TIME, [0], []),
        (REPEATED_RANK, [12.345, 1.234, 12.0], []),
        (SEPARATOR_IN_MATRIX, [94.1, 93.9], []),
        (BRACKET_IN_SIZE, [61.17, 0.02, 0.02, 0, 60.98, 0.02, 0.02, 0], []),
        (UNKNOWN_COLUMN, [61.17, 0.02, 0.02, 60.98, 0.02, 0.02], []),
        (
            NO_ROW,
            [],
            [
                "text:2: found the column 'Banwidth (MB/s)'; expected a known column; it is left out",
                "text:3: found '1 0.01'; expected a whole row below the line of its columns; left out",
            ],
        ),
        (
            NEGATIVE,
            [0.21, 0.22],
            [
                "text:5: the log ends at 4 B and does not state where the sweep ends: osu_latency ends at 4194304 B "
                "unless -m is given",
                "text:4: found latency_avg -1 us; expected a number that is not negative",
            ],
        ),
    ],
)
def test_hostile_log(text: str, values: list[float], notices: list[str]) -> None:
    reading = read(text)
    assert [measurement.value for run in reading.runs for measurement in run.measurements] == values
    assert [str(notice) for notice in reading.notices] == notices


def test_a_line_without_cells_is_no_row_of_a_matrix() -> None:
    with pytest.raises(Refusal, match="found 2 lines of other text, first 'a b'"):
        read("a b\n\x0b\n")
