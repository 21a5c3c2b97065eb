"""Robust statistics of comparable cells: their expected value and their spread."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist, median, median_high

TOLERANCE = 0.05
"""Smaller differences are no finding: SPEC MPI2007 allows 5 % between two runs on one system (SPEC HPG, MPI2007
FAQ, "How was the 5% tolerance decided?")."""
NOISE = TOLERANCE / (1.96 * math.sqrt(2))
"""Minimum standard deviation, for values that are very close: 1.8 %, with which 95 % of the differences between two
runs stay within the tolerance above."""
NORMAL = 1.4826
"""From the median deviation of a normal distribution to its standard deviation (Rousseeuw and Croux 1993, 1)."""
USUAL_Z = 3.5
"""Number of robust standard deviations from which a value is an outlier (Iglewicz and Hoaglin 1993, 3.3)."""
FALSE_ALARMS = 0.01
"""Accepted probability of a false alarm in a healthy matrix: Bonferroni's correction, for large matrices."""
OF_MEDIANS = math.sqrt(math.pi / 2)
"""Standard error of a median beside that of a mean, for normal values (Kendall and Stuart 1977, 10.10)."""


_MANY_VALUES = 6
"""From this number on, half of the values are enough; with fewer, two equal values by chance would hide the spread."""


def compute_expected_value(values_by_name: Mapping[str, Sequence[float]]) -> float:
    """The expected value of cells, from the values of each member: the high median of the members' high medians.

    A slow node spoils one cell of every other node's row and its whole row, so medians of medians hold while less than
    half of the members are slow and each has more good peers than bad ones; the median of all cells fails sooner, at
    two slow nodes of seven. High medians are used because a value that half of the peers reach is reachable.
    """
    return median_high([median_high(values) for values in values_by_name.values() if values])


def spread(fractions: Iterable[float]) -> float:
    """Robust standard deviation: half the length of the shortest interval that holds half of the values, scaled.

    Rousseeuw's least median of squares for a location, with the factor for few values of Rousseeuw and Leroy 1987,
    5.1. Unlike the median deviation it holds when half of the cells are slow, as when one of four nodes is.
    """
    ordered = sorted(fractions)
    count = len(ordered)
    half = (count + 1) // 2 if count >= _MANY_VALUES else count // 2 + 1
    if count < 2 or half > count:
        return 0.0
    shortest = min(ordered[index + half - 1] - ordered[index] for index in range(count - half + 1))
    return NORMAL * (1 + 5 / (count - 1)) * shortest / 2


def threshold_z(comparisons: int) -> float:
    """Number of standard deviations from which a value is low, among that many comparisons."""
    return max(USUAL_Z, NormalDist().inv_cdf(1 - FALSE_ALARMS / max(1, comparisons)))


def compute_median_error(deviation: float, count: int) -> float:
    """Standard error of the median of ``count`` cells; of one, its deviation."""
    return deviation if count < 2 else deviation * min(1.0, OF_MEDIANS / math.sqrt(count))


def middle(values: Iterable[float]) -> float:
    """The median."""
    return median(values)
