"""Sizes at which the better of two campaigns changes."""

from __future__ import annotations

import pytest

from wirespeed.report.crossover import find_rank_crossovers, find_size_crossovers
from wirespeed.results.benchmarks import Metric
from wirespeed.results.campaign_history import Difference, SeriesComparison, Summary
from wirespeed.results.series import Series

VALUE = Summary(8, 1.0, 1.0, 1.0, 0.0)
BETTER, WORSE, UNCHANGED = Difference.BETTER, Difference.WORSE, Difference.NONE


def row(size: int | None, difference: Difference, test: str = "osu_latency", ranks: int = 2) -> SeriesComparison:
    series = Series("osu", test, None, ranks, (), Metric.LATENCY_AVG, "us", size, None)
    return SeriesComparison(series, VALUE, VALUE, difference, "")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([row(1, BETTER), row(512, BETTER), row(1024, WORSE), row(4096, WORSE)], [(BETTER, 512, 1024)]),
        ([row(4096, BETTER), row(1, WORSE), row(512, UNCHANGED)], [(WORSE, 1, 4096)]),  # in any order, with a gap
        ([row(1, BETTER), row(512, WORSE), row(1024, BETTER)], []),  # twice
        ([row(1, BETTER), row(512, BETTER)], []),
        ([row(1, BETTER), row(512, WORSE, "osu_bw")], []),  # two measurements
        ([row(None, BETTER), row(512, WORSE)], []),
        ([], []),
    ],
)
def test_a_crossover_is_one_change_of_direction(
    rows: list[SeriesComparison], expected: list[tuple[Difference, int, int]]
) -> None:
    found = [(crossover.below, crossover.last_value, crossover.first_value) for crossover in find_size_crossovers(rows)]
    assert found == expected


def test_a_crossover_by_ranks_is_one_of_each_size() -> None:
    rows = [
        *(row(8, WORSE, ranks=64), row(8, WORSE, ranks=512), row(8, BETTER, ranks=2048)),
        *(row(1024, WORSE, ranks=64), row(1024, WORSE, ranks=2048)),
    ]
    (crossover,) = find_rank_crossovers(rows)
    assert (crossover.series.size_bytes, crossover.series.ranks) == (8, None)
    assert (crossover.below, crossover.last_value, crossover.first_value) == (WORSE, 512, 2048)
