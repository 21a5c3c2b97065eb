"""The lowest time of a table: the latency floor of its sizes, as long as it is a healthy one.

Sizes that a latency hides are not judged as bandwidth. A slow network must not excuse itself so: the floor counts up to
the highest healthy latency, and a floor above that is a finding.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wirespeed.benchmarks.judge.limits import Limits
from wirespeed.benchmarks.judge.profile import Profile
from wirespeed.benchmarks.judge.verdict import make_verdict
from wirespeed.benchmarks.logs.numbers import SECONDS
from wirespeed.limits.bound import number
from wirespeed.limits.latency import MICROSECONDS
from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.verdicts import Judgement, Term, Verdict
from wirespeed.units import Size

TINY = 1e-6
"""Seconds: a call of 0 bytes never leaves the GPU."""

_AVERAGES = (Metric.TIME, Metric.LATENCY_AVG, Metric.LATENCY_TYPICAL, Metric.LATENCY_P50)
_SMALL = 2**16  # bytes: 33 µs at 2 GB/s, far below the highest healthy latency
_LATENCY_BOUND = 2**20  # bytes up to which latency still shows in a time; a table that begins above does not show it


@dataclass(frozen=True, slots=True)
class LatencyFloor:
    """The minimum time of any size in seconds, and the source of the number."""

    seconds: float
    source: str


def find_latency_floor(run: Run, highest: Term, profile: Profile) -> LatencyFloor:
    """The floor of a run's table, at most the highest healthy latency; without small sizes, that of the profile."""
    rows = [measurement for measurement in run.measurements if measurement.metric is Metric.TIME]
    times = [time for row in rows if row.size_bytes and (time := _convert_to_seconds(row)) > TINY]
    sizes = {row.size_bytes for row in rows if row.size_bytes}
    if not times or len(sizes) < 2 or min(sizes) > _LATENCY_BOUND:
        return LatencyFloor(profile.floors.collective_us.value / 1e6, "assumed by the profile")
    return limit_floor(min(times), highest)


def limit_floor(measured: float, highest: Term) -> LatencyFloor:
    """A measured floor in seconds, at most the highest healthy latency."""
    if measured * 1e6 <= highest.value:
        return LatencyFloor(measured, "lowest time in this table")
    return LatencyFloor(highest.value / 1e6, "highest healthy latency; this table shows a longer one")


def find_highest_latency(profile: Profile, estimate: Term | None = None) -> Term:
    """The highest healthy time of the smallest operation in µs: by the profile, or a multiple of an estimate."""
    floors = profile.floors
    usual = floors.collective_us
    if estimate is None or floors.latency_factor.value * estimate.value <= usual.value:
        return Term("latency", usual.value, MICROSECONDS, "of the profile", usual.source)
    factor = floors.latency_factor
    formula = f"{number(factor.value)} × ({estimate.formula})"
    return Term("latency", factor.value * estimate.value, MICROSECONDS, formula, f"{estimate.source}; {factor.source}")


def judge_latency_floor(run: Run, limits: Limits, profile: Profile) -> dict[int, Verdict]:
    """The verdict of the lowest time of a table, by its position, if it is above the highest healthy latency."""
    highest = limits.highest_latency
    times = dict(_list_small_times(run.measurements))
    if highest is None or not times:
        return {}
    position = min(times, key=lambda key: times[key])
    lowest = times[position] * 1e6
    if lowest <= highest.value:
        return {}
    measurement = run.measurements[position]
    fails = lowest >= profile.floors.latency_fails.value * highest.value
    size = f" at {Size(measurement.size_bytes)}" if measurement.size_bytes else ""
    reason = (
        f"the lowest time of this table is {number(lowest)} µs{size}: healthy are up to {number(highest.value)} µs "
        f"({highest.formula}); likely TCP instead of RDMA, an overloaded host, or debug output"
    )
    return {position: make_verdict(measurement, Judgement.FAIL if fails else Judgement.WARN, reason)}


def _list_small_times(measurements: Iterable[Measurement]) -> Iterable[tuple[int, float]]:
    for position, measurement in enumerate(measurements):
        if measurement.metric not in _AVERAGES or (measurement.size_bytes or 0) > _SMALL:
            continue
        seconds = _convert_to_seconds(measurement)
        if seconds > TINY and (measurement.size_bytes or measurement.metric is not Metric.TIME):
            yield position, seconds


def _convert_to_seconds(measurement: Measurement) -> float:
    return float(measurement.value) * SECONDS.get(measurement.unit, 0.0)
