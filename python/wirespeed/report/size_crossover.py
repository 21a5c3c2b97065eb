"""The message size at which the better of two campaigns changes: RC against UD, coalescing on against off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from wirespeed.results.campaign_history import Difference, SeriesComparison
from wirespeed.results.series import Series

_SIDES = (Difference.BETTER, Difference.WORSE)


@dataclass(frozen=True, slots=True)
class Crossover:
    """Sizes of one measurement: up to ``last_size`` B differs from A in one direction, from ``first_size`` on in the
    other; ``series`` is the measurement without its size."""

    series: Series
    below: Difference
    last_size: int
    first_size: int


def find_crossovers(rows: Iterable[SeriesComparison]) -> Iterator[Crossover]:
    """Measurements whose significant changes have one direction up to a size and the other one above it.

    Sizes without a significant change may be between them. A curve that changes its direction twice has no crossover.
    """
    by_measurement: dict[Series, list[tuple[int, Difference]]] = {}
    for row in rows:
        if row.series.size_bytes is not None and row.difference in _SIDES:
            curve = by_measurement.setdefault(replace(row.series, size_bytes=None), [])
            curve.append((row.series.size_bytes, row.difference))
    for series, curve in by_measurement.items():
        crossover = _find_crossover(series, sorted(curve))
        if crossover is not None:
            yield crossover


def _find_crossover(series: Series, curve: Sequence[tuple[int, Difference]]) -> Crossover | None:
    turns = [(below, above) for below, above in pairwise(curve) if below[1] is not above[1]]
    if len(turns) != 1:
        return None
    (last_size, below), (first_size, _) = turns[0]
    return Crossover(series, below, last_size, first_size)
