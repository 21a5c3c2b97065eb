"""Logs that fuzzing found: what is read of them, and nothing is raised."""

from __future__ import annotations

import pytest

from wirespeed.benchmarks import read

UNKNOWN_COLUMN = """\
#       size         count      type   open    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
        1024            16     float    none      -1    61.17    0.02    0.02    N/A    60.98    0.02    0.02    N/A
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


@pytest.mark.parametrize(
    ("text", "values", "notices"),
    [
        (UNKNOWN_COLUMN, [61.17, 0.02, 0.02, 60.98, 0.02, 0.02], []),
        (NO_ROW, [], ["text:2: found the column 'Banwidth (MB/s)'; expected a known column; it is left out"]),
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
