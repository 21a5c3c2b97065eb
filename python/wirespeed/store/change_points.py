"""Where the level of a series changed: binary segmentation, each split judged by a permutation test.

The statistic is the largest standardised CUSUM of the values' scores; were there no change, every order of the values
would be as likely as the one found, so that p is exact for any distribution: Antoch and Hušková, Permutation tests in
change point analysis, Statistics & Probability Letters 53 (2001). Scores are bounded, which is Huber's answer to
outliers (Ann. Math. Statist. 35, 1964): one bad night is no change of level.
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
"""Values on each side of a change: a single one may be an outlier."""

SIGNIFICANCE = 0.01
"""Of each split. With it ten campaigns, or three after a longer quiet time, are the fewest that show a change."""

_PERMUTATIONS = 999
_PERMUTATIONS_OF_FEW = 9999  # where p of the clearest change is near the requested significance, chance must not decide
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
    """The changes of level in a series, in its order."""
    found = _segment(values, 0, len(values), significance)
    return found if len(found) < 2 else _is_significant(values, [split.index for split in found], significance)


def _segment(values: Sequence[float], start: int, end: int, significance: float) -> list[Split]:
    split = _best(values[start:end], significance)
    if split is None:
        return []
    middle = start + split.index
    left = _segment(values, start, middle, significance)
    return [*left, Split(middle, split.p), *_segment(values, middle, end, significance)]


def _is_significant(values: Sequence[float], found: list[int], significance: float) -> list[Split]:
    """Every change again between its neighbours: what a split found first may be explained by later ones."""
    kept: list[Split] = []
    for number in range(len(found)):
        start = kept[-1].index if kept else 0
        end = found[number + 1] if number + 1 < len(found) else len(values)
        again = _best(values[start:end], significance)
        if again is not None:
            kept.append(Split(start + again.index, again.p))
    return kept


def _best(values: Sequence[float], significance: float) -> Split | None:
    """The most significant split, if it is significant."""
    scores = _scores(values)
    if scores is None:
        return None
    weights = _weights(len(scores))
    heights = _heights(scores, weights)
    found = max(heights)
    permutations = _PERMUTATIONS_OF_FEW if len(scores) <= _FEW_VALUES else _PERMUTATIONS
    allowed = int(significance * (permutations + 1)) - 1
    reached = 0
    for order in _orders(len(scores), permutations):
        # a sum in another order differs in its last bits
        reached += max(_heights(order(scores), weights)) >= found * (1 - 1e-9)
        if reached > allowed:
            return None
    # one is added to both, so that p is never 0: Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010)
    return Split(_locate(values, heights.index(found) + MIN_VALUES), (reached + 1) / (permutations + 1))


def _locate(values: Sequence[float], found: int) -> int:
    """The split near the found one that leaves the least absolute deviations: bounded scores blur where a step is."""
    near = range(max(MIN_VALUES, found - _BLUR), min(len(values) - MIN_VALUES, found + _BLUR) + 1)
    return min(near, key=lambda index: (_deviation(values[:index]) + _deviation(values[index:]), abs(index - found)))


def _deviation(values: Sequence[float]) -> float:
    middle = median(values)
    return sum(abs(value - middle) for value in values)


def _scores(values: Sequence[float]) -> list[float] | None:
    """Bounded distances from the median, with mean 0; None when all values are equal or too few."""
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
def _weights(count: int) -> tuple[float, ...]:
    """What standardises the sum of the first k of so many scores, up to a factor that all orders share."""
    return tuple((count / (first * (count - first))) ** 0.5 for first in range(MIN_VALUES, count - MIN_VALUES + 1))


def _heights(scores: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The standardised sums of the first k scores, without their sign, for every k that leaves enough on both sides."""
    return list(map(mul, map(abs, islice(accumulate(scores), MIN_VALUES - 1, None)), weights))


_Order = Callable[[Sequence[float]], tuple[float, ...]]


def _orders(count: int, wanted: int) -> Iterator[_Order]:
    """Orders to put so many values in: by chance, and the same ones every time. Most series need the first few."""
    known = _known_orders(count)
    for number in range(wanted):
        if number == len(known):
            order = list(range(count))
            Random(number).shuffle(order)
            known.append(itemgetter(*order))
        yield known[number]


@lru_cache(maxsize=32)
def _known_orders(count: int) -> list[_Order]:
    """A list that `_orders` fills, kept between series of one length."""
    return []
