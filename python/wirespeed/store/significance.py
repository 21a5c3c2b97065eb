"""Whether two samples differ significantly: the Mann-Whitney test, and its correction for many series.

The test uses only the order of the values: it assumes no distribution, and an outlier has no more weight than any other
value. In return, very few values can never show a difference: see `minimum_p`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

EXACT_UP_TO = 50
"""Total number of values up to which all orders are counted; above, the normal approximation is within 1 %."""

MAD_TO_SIGMA = 1.4826  # 1 / Φ⁻¹(3/4): Rousseeuw and Croux, JASA 88 (1993), section 1


@dataclass(frozen=True, slots=True)
class TestResult:
    """``p`` is two-sided; ``effect`` is the probability that a value of the second sample is the higher one.

    The effect counts ties half: Vargha and Delaney, J. Educ. Behav. Stat. 25 (2000), equation 12.
    """

    p: float
    effect: float


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> TestResult:
    """The test of Mann and Whitney, Ann. Math. Statist. 18 (1947), with mid-ranks for ties.

    p is the share of all assignments of the values to the two samples whose rank sum is at least as far from its
    mean as the observed one.
    """
    doubled = _compute_doubled_ranks([*first, *second])
    first_count, second_count = len(first), len(second)
    rank_sum = sum(doubled[:first_count])
    mean = first_count * (first_count + second_count + 1)
    above = rank_sum - first_count * (first_count + 1)  # twice U of the first sample
    effect = 1 - above / (2 * first_count * second_count)
    distance = abs(rank_sum - mean)
    if first_count + second_count <= EXACT_UP_TO:
        return TestResult(_compute_exact_p(min(first_count, second_count), tuple(sorted(doubled)), distance), effect)
    return TestResult(_approximate_p(first_count, second_count, doubled, distance), effect)


def compute_signed_ranks(changes: Sequence[float]) -> float:
    """The test of Wilcoxon, Biometrics Bulletin 1 (1945), whether changes are symmetric around 0.

    Mid-ranks for ties; changes of 0 keep their ranks and count on neither side: Pratt, JASA 54 (1959). Up to
    `EXACT_UP_TO` changes p is a share of all assignments of signs, above it a normal approximation.
    """
    doubled = _compute_doubled_ranks([abs(change) for change in changes])
    moved = [(rank, change > 0) for rank, change in zip(doubled, changes, strict=True) if change]
    ranks = sorted(rank for rank, _ in moved)
    above = sum(rank for rank, up in moved if up)
    distance = abs(2 * above - sum(ranks))
    if len(ranks) <= EXACT_UP_TO:
        return _compute_exact_signs_p(tuple(ranks), distance)
    deviation = math.sqrt(sum(rank * rank for rank in ranks))
    return math.erfc(distance / deviation / math.sqrt(2))


def unimodal(distance: float) -> float:
    """Upper bound of the probability of this distance from the mean, in standard deviations, if there is one peak.

    Vysochanskij and Petunin, Theory of Probability and Mathematical Statistics 21 (1980).
    """
    square = distance * distance
    if square > 8 / 3:
        return 4 / (9 * square)
    return min(1.0, 4 / (3 * square) - 1 / 3) if square else 1.0


def minimum_p(first: int, second: int) -> float:
    """The smallest possible p of samples of these sizes: that of one order and its mirror image."""
    return min(1.0, 2 / math.comb(first + second, first))


def benjamini_hochberg(probabilities: Sequence[float]) -> list[float]:
    """Adjusted p: the expected share of false alarms among the series that are called different up to this p.

    Benjamini and Hochberg, J. R. Statist. Soc. B 57 (1995), section 3.1. It is valid for series with a positive
    dependence, such as neighbouring sizes: Benjamini and Yekutieli, Ann. Statist. 29 (2001), theorem 1.2.
    """
    count = len(probabilities)
    adjusted = [1.0] * count
    minimum = 1.0
    for rank, index in zip(
        range(count, 0, -1), sorted(range(count), key=probabilities.__getitem__, reverse=True), strict=True
    ):
        minimum = min(minimum, probabilities[index] * (count / rank))
        adjusted[index] = minimum
    return adjusted


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the two middle values."""
    return middle(sorted(values))


def middle(ordered: Sequence[float]) -> float:
    """The median of sorted values."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def spread(values: Sequence[float], center: float) -> float | None:
    """The robust standard deviation: the scaled median absolute deviation from ``center``, the median.

    None for a single value.
    """
    if len(values) < 2:
        return None
    return MAD_TO_SIGMA * middle(sorted([abs(value - center) for value in values]))


def _compute_doubled_ranks(values: Sequence[float]) -> list[int]:
    """Twice the mid-rank of each value, which is a whole number."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0] * len(values)
    if len(set(values)) == len(values):  # no ties, as with most samples
        for rank, index in enumerate(order, 1):
            ranks[index] = 2 * rank
        return ranks
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for index in order[start : end + 1]:
            ranks[index] = start + end + 2
        start = end + 1
    return ranks


@lru_cache(maxsize=4096)
def _compute_exact_p(smaller_count: int, doubled: tuple[int, ...], distance: int) -> float:
    """p by counting subsets per sum: Streitberg and Röhmel, EDV in Medizin und Biologie 18 (1987), shift algorithm.

    A polynomial in x, whose exponent is the sum, is one long integer with ``width`` bits for each coefficient, so that
    multiplying by x to the rank is a shift.
    """
    total = math.comb(len(doubled), smaller_count)
    width = total.bit_length() + 1
    polynomials = [1] + [0] * smaller_count
    for rank in doubled:
        for size in range(smaller_count, 0, -1):
            polynomials[size] += polynomials[size - 1] << (rank * width)
    counts, mask = polynomials[smaller_count], (1 << width) - 1
    mean = smaller_count * (len(doubled) + 1)
    reached = 0
    for exponent in range(sum(doubled[-smaller_count:]) + 1):
        if abs(exponent - mean) >= distance:
            reached += counts >> (exponent * width) & mask
    return reached / total


@lru_cache(maxsize=4096)
def _compute_exact_signs_p(doubled: tuple[int, ...], distance: int) -> float:
    """p by counting choices of signs per sum, with the shift algorithm of `_compute_exact_p`."""
    width = len(doubled) + 1
    polynomial = 1
    for rank in doubled:
        polynomial += polynomial << (rank * width)
    total, mask, reached = sum(doubled), (1 << width) - 1, 0
    for exponent in range(total + 1):
        if abs(2 * exponent - total) >= distance:
            reached += polynomial >> (exponent * width) & mask
    return reached / (1 << len(doubled))


def _approximate_p(first_count: int, second_count: int, doubled: Sequence[int], distance: int) -> float:
    """Normal approximation, corrected for ties and continuity: Lehmann, Nonparametrics (1975), chapters 1.2 and 1.4."""
    count = first_count + second_count
    ties = sum(number**3 - number for number in _count_ties(doubled))
    variance = first_count * second_count / 12 * (count + 1 - ties / (count * (count - 1)))
    if variance == 0:
        return 1.0
    return min(1.0, math.erfc(max(0.0, distance / 2 - 0.5) / math.sqrt(2 * variance)))


def _count_ties(doubled: Sequence[int]) -> list[int]:
    counted: dict[int, int] = {}
    for rank in doubled:
        counted[rank] = counted.get(rank, 0) + 1
    return list(counted.values())
