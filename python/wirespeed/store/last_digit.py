"""Rounding of printed values: two values that differ by their last digit at most may be of the same measurement.

A printed value with two decimals is any value of an interval of 0.01. Those of 0.01 and 0.00 meet at 0.005: such a pair
shows no change, although it differs by 100 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from wirespeed.results.benchmarks import Metric, count_shown_decimals
from wirespeed.results.series import COLLECTIVES, Series

_COLUMNS: Final = frozenset({Metric.TIME, Metric.ALGBW, Metric.BUSBW})
_DECIMALS: Final = 2
"""Decimals in the columns of nccl-tests for small values: up to v2.17.2 of times below 100 and of any bandwidth
(src/common.cu, BenchTime: %7.2f and %6.2f), since then of times below 10,000 and bandwidths below 1,000 (src/util.cu,
getFloatStr). A larger time differs by its last digit, 0.1 of 100, by 0.1 % at most. The same for all values of the OSU
benchmarks 7.4 (c/util/osu_util.h: FLOAT_PRECISION 2)."""

_OSU: Final = "osu-micro-benchmarks"
_COUNTS: Final = frozenset({Metric.WRONG, Metric.ITERATIONS, Metric.RETRANSMITS, Metric.LOST, Metric.MESSAGES})
_MIN_VALUES: Final = 10
"""Different values from which the decimals of a tool are read: all end in 0 with a probability of 1e-10."""

_EXAMINED: Final = 256  # values of a measurement

Measured = tuple[str, Metric, str]


def name_measured(series: Series) -> Measured:
    """What is printed with the same number of decimals: tool, metric and unit."""
    return series.tool, series.metric, series.unit


def find_last_digits(values: Iterable[tuple[Series, Sequence[float]]]) -> dict[Measured, float]:
    """The value of the last digit of what a tool prints, such as 0.01; nothing for counts and where it is unknown."""
    samples: dict[Measured, set[float]] = {}
    for series, members in values:
        sample = samples.setdefault(name_measured(series), set())
        if len(sample) < _EXAMINED:
            sample.update(members[:_EXAMINED])
    digits: dict[Measured, float] = {}
    for measured, sample in samples.items():
        decimals = _count_decimals(measured, sample)
        if decimals:
            digits[measured] = 10.0**-decimals
    return digits


def differ_by_last_digit(before: float, after: float, last_digit: float | None) -> bool:
    """Whether two values are so close that their intervals meet."""
    return last_digit is not None and 0 < abs(after - before) <= last_digit * (1 + 1e-9)


def _count_decimals(measured: Measured, sample: set[float]) -> int:
    tool, metric, _ = measured
    if metric in _COUNTS:
        return 0
    is_known = tool == _OSU or (tool in COLLECTIVES and metric in _COLUMNS)
    if not is_known and len(sample) < _MIN_VALUES:
        return 0
    decimals = max((count_shown_decimals(value) for value in sample), default=0)
    return max(decimals, _DECIMALS) if is_known else decimals
