"""Find where the level of a series changed: binary segmentation with a permutation test for each split.

The statistic is the largest standardised CUSUM of the values' scores. Without a change, every order of the values is
equally likely, so that p is exact for any distribution: Antoch and Hušková, Permutation tests in change point analysis,
Statistics & Probability Letters 53 (2001). Scores are bounded against outliers, as in Huber (Ann. Math. Statist. 35,
1964): one bad night is not a change of level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice
from operator import itemgetter, mul
from random import Random

from wirespeed.store.significance import MAD_TO_SIGMA, median

MIN_VALUES = 2
"""Minimum number of values on each side of a change: a single value may be an outlier."""

SIGNIFICANCE = 0.01
"""Significance of each split. A change shows after ten campaigns at least, or three after a long constant time."""

_PERMUTATIONS = 999
_PERMUTATIONS_OF_FEW = 9999  # more permutations if the smallest possible p is near the requested significance
_FEW_VALUES = 16
_BLUR = 5
_BOUND = 3.0  # robust standard deviations a score may reach
_MEAN_DEVIATION_TO_SIGMA = 1.2533  # sqrt(π/2), for a normal distribution


@dataclass(frozen=True, slots=True)
class Split:
    """The value at ``index`` is the first of the new level."""

    index: int
    p: float


def change_points(values: Sequence[float], significance: float = SIGNIFICANCE) -> list[Split]:
    """The changes of level in a series, in order."""
    splits = _find_splits(values, 0, len(values), significance)
    return splits if len(splits) < 2 else _confirm_splits(values, [split.index for split in splits], significance)


def _find_splits(values: Sequence[float], start: int, end: int, significance: float) -> list[Split]:
    split = _find_best_split(values[start:end], significance)
    if split is None:
        return []
    middle = start + split.index
    earlier_splits = _find_splits(values, start, middle, significance)
    return [*earlier_splits, Split(middle, split.p), *_find_splits(values, middle, end, significance)]


def _confirm_splits(values: Sequence[float], indices: list[int], significance: float) -> list[Split]:
    """Test every split again between its neighbours: later splits may explain an earlier one."""
    splits: list[Split] = []
    for number in range(len(indices)):
        start = splits[-1].index if splits else 0
        end = indices[number + 1] if number + 1 < len(indices) else len(values)
        split = _find_best_split(values[start:end], significance)
        if split is not None:
            splits.append(Split(start + split.index, split.p))
    return splits


def _find_best_split(values: Sequence[float], significance: float) -> Split | None:
    """The most significant split, if it is significant."""
    scores = _compute_scores(values)
    if scores is None:
        return None
    weights = _compute_weights(len(scores))
    heights = _compute_heights(scores, weights)
    highest = max(heights)
    permutations = _PERMUTATIONS_OF_FEW if len(scores) <= _FEW_VALUES else _PERMUTATIONS
    allowed = int(significance * (permutations + 1)) - 1
    reached = 0
    for order in _generate_orders(len(scores), permutations):
        # a sum in another order differs in its last bits
        reached += max(_compute_heights(order(scores), weights)) >= highest * (1 - 1e-9)
        if reached > allowed:
            return None
    # one is added to both, so that p is never 0: Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010)
    return Split(_refine_location(values, heights.index(highest) + MIN_VALUES), (reached + 1) / (permutations + 1))


def _refine_location(values: Sequence[float], split_index: int) -> int:
    """The split near this index with the smallest sum of absolute deviations: bounded scores blur a step's position."""
    near = range(max(MIN_VALUES, split_index - _BLUR), min(len(values) - MIN_VALUES, split_index + _BLUR) + 1)
    return min(
        near,
        key=lambda index: (_sum_deviations(values[:index]) + _sum_deviations(values[index:]), abs(index - split_index)),
    )


def _sum_deviations(values: Sequence[float]) -> float:
    middle = median(values)
    return sum(abs(value - middle) for value in values)


def _compute_scores(values: Sequence[float]) -> list[float] | None:
    """Bounded distances from the median, with mean 0; None if all values are equal or there are too few."""
    if len(values) < 2 * MIN_VALUES:
        return None
    middle = median(values)
    deviations = [abs(value - middle) for value in values]
    scale = MAD_TO_SIGMA * median(deviations) or _MEAN_DEVIATION_TO_SIGMA * sum(deviations) / len(deviations)
    if scale == 0:
        return None
    bounded = [max(-_BOUND, min(_BOUND, (value - middle) / scale)) for value in values]
    mean = sum(bounded) / len(bounded)
    return [score - mean for score in bounded]


@lru_cache(maxsize=256)
def _compute_weights(count: int) -> tuple[float, ...]:
    """Factors that standardise the sum of the first k scores, up to a factor that all orders share."""
    return tuple((count / (first * (count - first))) ** 0.5 for first in range(MIN_VALUES, count - MIN_VALUES + 1))


def _compute_heights(scores: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Absolute standardised sums of the first k scores, for every k with enough values on both sides."""
    return list(map(mul, map(abs, islice(accumulate(scores), MIN_VALUES - 1, None)), weights))


_Order = Callable[[Sequence[float]], tuple[float, ...]]


def _generate_orders(count: int, wanted: int) -> Iterator[_Order]:
    """Random orders of this many values, the same ones every time. Most series need only the first few."""
    known_orders = _cache_orders(count)
    for number in range(wanted):
        if number == len(known_orders):
            order = list(range(count))
            Random(number).shuffle(order)
            known_orders.append(itemgetter(*order))
        yield known_orders[number]


@lru_cache(maxsize=32)
def _cache_orders(count: int) -> list[_Order]:
    """A list that `_generate_orders` fills, shared by series of the same length."""
    return []
