"""The message size or number of ranks at which the better of two campaigns changes, such as RC against UD."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from wirespeed.results.campaign_history import Difference, SeriesComparison
from wirespeed.results.series import Series

_SIDES = (Difference.BETTER, Difference.WORSE)


@dataclass(frozen=True, slots=True)
class Crossover:
    """One measurement: up to ``last_value`` B differs from A in one direction, from ``first_value`` on in the other.

    The values are sizes in bytes or numbers of ranks; ``series`` is the measurement without them.
    """

    series: Series
    below: Difference
    last_value: int
    first_value: int

    @property
    def above(self) -> Difference:
        """How B differs from A from ``first_value`` on."""
        return Difference.WORSE if self.below is Difference.BETTER else Difference.BETTER


def find_size_crossovers(rows: Iterable[SeriesComparison]) -> Iterator[Crossover]:
    """Measurements whose significant changes have one direction up to a size and the other one above it.

    Sizes without a significant change may be between them. A curve that changes its direction twice has no crossover.
    """
    return _find(rows, lambda series: series.size_bytes, lambda series: replace(series, size_bytes=None))


def find_rank_crossovers(rows: Iterable[SeriesComparison]) -> Iterator[Crossover]:
    """Measurements of a size whose changes have one direction up to a number of ranks and the other one above it."""
    return _find(rows, lambda series: series.ranks, lambda series: replace(series, ranks=None))


def _find(
    rows: Iterable[SeriesComparison], get_value: Callable[[Series], int | None], drop_value: Callable[[Series], Series]
) -> Iterator[Crossover]:
    by_measurement: dict[Series, list[tuple[int, Difference]]] = {}
    for row in rows:
        value = get_value(row.series)
        if value is not None and row.difference in _SIDES:
            by_measurement.setdefault(drop_value(row.series), []).append((value, row.difference))
    for series, curve in by_measurement.items():
        crossover = _find_crossover(series, sorted(curve))
        if crossover is not None:
            yield crossover


def _find_crossover(series: Series, curve: Sequence[tuple[int, Difference]]) -> Crossover | None:
    turns = [(below, above) for below, above in pairwise(curve) if below[1] is not above[1]]
    if len(turns) != 1:
        return None
    (last_value, below), (first_value, _) = turns[0]
    return Crossover(series, below, last_value, first_value)
