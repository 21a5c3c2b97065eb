"""Bandwidths of collectives computed from their times, where times are printed with more digits.

nccl-tests divides the size by the time and multiplies it by the bus factor (src/common.cu, BenchTime; src/*.cu, GetBw;
doc/PERFORMANCE.md), then prints all three with two decimals: 0.04 GB/s has one digit, its 46.55 µs have four.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeVar

from wirespeed.results.benchmarks import Metric
from wirespeed.results.printed_digits import find_bandwidth_digit, find_time_digits, is_rounded
from wirespeed.results.series import COLLECTIVES, Series
from wirespeed.store.significance import median

_Key = TypeVar("_Key", bound=Hashable)
Values = Mapping[_Key, Sequence[float]]
BusFactor = Callable[[Series], float | None]
"""Bus bandwidth × time / size of a collective; None where it is unknown."""

_MICROSECONDS: Final = {"us": 1.0, "ms": 1e3, "s": 1e6}


@dataclass(frozen=True, slots=True)
class ComputedBandwidths(Generic[_Key]):
    """The values of both sides with computed bandwidths, and the last digit of these, by key."""

    values: tuple[Values[_Key], Values[_Key]]
    digits: Mapping[_Key, float] = field(default_factory=dict)


def compute_bandwidths(
    named: Mapping[_Key, Series],
    values: tuple[Values[_Key], Values[_Key]],
    times: tuple[Values[_Key], Values[_Key]],
    names_of_times: Mapping[_Key, Series],
    bus_factor: BusFactor,
) -> ComputedBandwidths[_Key]:
    """Compute algorithm and bus bandwidths from times of the same runs, where that adds digits.

    A series keeps its printed values unless each of them is the computed one, rounded: columns with CPU times, uneven
    shares and incomplete tables are not.
    """
    keys = {series: key for key, series in names_of_times.items() if series.metric is Metric.TIME}
    computed: tuple[dict[_Key, Sequence[float]], dict[_Key, Sequence[float]]] = ({}, {})
    digits: dict[_Key, float] = {}
    for key, series in named.items():
        factor = bus_factor(series) if series.metric is Metric.BUSBW else 1.0
        if series.tool not in COLLECTIVES or series.metric not in (Metric.ALGBW, Metric.BUSBW) or not factor:
            continue
        of_time = next(
            (
                timed_series
                for unit in _MICROSECONDS
                if (timed_series := replace(series, metric=Metric.TIME, unit=unit)) in keys
            ),
            None,
        )
        if of_time is None or series.size_bytes is None or series.unit != "GB/s":
            continue
        time_key, scale = keys[of_time], _MICROSECONDS[of_time.unit] * 1e3
        sides = []
        for printed, timed in zip(values, times, strict=True):
            row = [factor * series.size_bytes / (time * scale) for time in timed.get(time_key, ()) if time > 0]
            if not is_rounded(printed.get(key, ()), row, timed.get(time_key, ())):
                break
            sides.append(row)
        if len(sides) < len(values):
            continue
        time, level = median(times[0][time_key]), median(sides[0])
        digit = level * max(find_time_digits(times[0][time_key])) / time
        if digit >= find_bandwidth_digit(level):
            continue
        digits[key] = digit
        for side, row in zip(computed, sides, strict=True):
            side[key] = row
    before, after = ({**printed, **side} for printed, side in zip(values, computed, strict=True))
    return ComputedBandwidths((before, after), digits)
