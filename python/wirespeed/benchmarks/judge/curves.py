"""The shape of a table over its sizes: its latency floor, dips, steps and falls, and the end of its sweep.

Neighbouring sizes are compared with each other, so that a finding needs no limit. The fractions are those of the
profile, each with the published table it comes from.

Sizes that a latency hides are not judged as bandwidth. A slow network must not excuse itself so: the lowest time of a
table counts as its floor up to the highest healthy latency, and a floor above that is a finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from wirespeed.benchmarks.judge.limits import ComputedBandwidth, Limits
from wirespeed.benchmarks.judge.profile import Curve, Profile, Thresholds
from wirespeed.benchmarks.judge.verdict import make_verdict
from wirespeed.benchmarks.logs.numbers import SECONDS
from wirespeed.limits.bound import GBPS, GIGABYTES, convert, number
from wirespeed.limits.latency import MICROSECONDS
from wirespeed.results.benchmarks import Measurement, Metric, Run, count_shown_decimals
from wirespeed.results.verdicts import Judgement, Term, Verdict
from wirespeed.units import BITS_PER_SECOND, Size, format_percent, format_unit

_METRICS = (Metric.BUSBW, Metric.BW_AVG)
_FEWEST = 4  # points of a curve
_PRECISE = 0.05  # rounding counts if it can change a value by more
_NEIGHBOURS = 4  # part of the smallest size to examine from which sizes count as neighbours
_LAST = 3  # sizes that show whether a sweep is still rising
_SEVERITY = {Judgement.SKIP: 0, Judgement.PASS: 0, Judgement.WARN: 1, Judgement.FAIL: 2}


class _Point(NamedTuple):
    """A size of a curve: its position in the run, its measurement, and how much the value may differ from it.

    ``rounding`` is half of the last printed digit, 0 where that is too little to matter.
    """

    position: int
    measurement: Measurement
    rounding: float


_Curve = Sequence[_Point]
"""One point for each size, by size."""


def judge_curves(
    verdicts: Mapping[int, Verdict],
    thresholds: Thresholds,
    profile: Profile,
    computed: Mapping[int, ComputedBandwidth] = MappingProxyType({}),
) -> dict[int, Verdict]:
    """The verdicts of bandwidths, by their position, changed where the shape of their curve decides.

    ``verdicts`` contains no value that is shown only because another value of the same row is judged. ``computed``
    contains bandwidths by the times of their rows, which have more digits than the printed ones.
    """
    changed: dict[int, Verdict] = {}
    for curve in _build_curves(verdicts, profile.curve.from_bytes.value, computed):
        precise = [point for point in curve if not point.rounding]
        if len(precise) >= _FEWEST:
            changed.update(_mark_sweep_end(precise, verdicts, thresholds, profile))
        for position, (judgement, reason) in find_anomalies(curve, profile.curve).items():
            verdict = changed.get(position, verdicts[position])
            if _SEVERITY.get(verdict.judgement, 2) < _SEVERITY[judgement]:
                changed[position] = replace(verdict, judgement=judgement, reason=reason)
            elif verdict.judgement in (Judgement.WARN, Judgement.FAIL):
                changed[position] = replace(verdict, reason=f"{verdict.reason}; {reason}")
    for position, (judgement, reason) in _find_small_dips(verdicts, profile.curve, computed).items():
        if _SEVERITY.get(verdicts[position].judgement, 2) < _SEVERITY[judgement]:
            changed[position] = replace(verdicts[position], judgement=judgement, reason=reason)
    return changed


def _find_small_dips(
    verdicts: Mapping[int, Verdict], settings: Curve, computed: Mapping[int, ComputedBandwidth]
) -> dict[int, tuple[Judgement, str]]:
    """Sizes below those that are examined otherwise, if they are so far below both neighbours that no latency is."""
    small = settings.small_dip
    if small is None:
        return {}
    smallest, largest = small.from_bytes.value, settings.from_bytes.value
    findings: dict[int, tuple[Judgement, str]] = {}
    for curve in _build_curves(verdicts, smallest, computed):
        examined = [point for point in curve if (point.measurement.size_bytes or 0) <= largest]
        findings |= _describe_single_dips(examined, 1, len(examined), small)
    sizes = {position: verdicts[position].measurement.size_bytes or 0 for position in findings}
    return {position: finding for position, finding in findings.items() if smallest <= sizes[position] < largest}


def list_shallow_dips(verdicts: Mapping[int, Verdict], settings: Curve) -> tuple[str, ...]:
    """Notes on sizes that are below both neighbours, and not so far below that their curve decides their verdict."""
    highest = settings.shallow_dip
    if highest is None:
        return ()
    notes = []
    for curve in _build_curves(verdicts, settings.from_bytes.value):
        for before, point, after in zip(curve, curve[1:], curve[2:], strict=False):
            smaller, lower, larger = before.measurement, point.measurement, after.measurement
            neighbor = float(min(smaller.value, larger.value))
            expected = math.sqrt(float(smaller.value) * float(larger.value))
            is_dip = lower.value < neighbor and lower.value < highest.value * expected
            is_dip = is_dip and not any((before.rounding, point.rounding, after.rounding))
            if is_dip and lower.value >= settings.dip.passes.value * neighbor and _is_examined(lower, settings):
                label = f"{lower.label}: " if lower.label else ""
                fraction = format_percent(lower.value / expected, 0)
                notes.append(
                    f"{label}a shallow dip: {_format(point)} is {fraction} of the mean of {_format(before)} and "
                    f"{_format(after)}; repeat the test to see whether it stays"
                )
    return tuple(notes)


def _is_examined(measurement: Measurement, settings: Curve) -> bool:
    return (measurement.size_bytes or 0) >= settings.from_bytes.value


def _build_curves(
    verdicts: Mapping[int, Verdict],
    smallest: int,
    computed: Mapping[int, ComputedBandwidth] = MappingProxyType({}),
) -> list[_Curve]:
    """The curve of each column, from the neighbours of the smallest size to examine on."""
    series: dict[tuple[Metric, str, str | None], dict[int, tuple[int, Measurement]]] = {}
    repeated = set()
    for position, verdict in verdicts.items():
        measurement = verdict.measurement
        size = measurement.size_bytes or 0
        if measurement.metric not in _METRICS or size < smallest / _NEIGHBOURS:
            continue
        key = (measurement.metric, measurement.unit, measurement.label)
        points = series.setdefault(key, {})
        if size in points:
            repeated.add(key)  # repeated sizes are no sweep
        points[size] = (position, measurement)
    return [
        _round([points[size] for size in sorted(points)], computed)
        for key, points in series.items()
        if key not in repeated and len(points) >= _FEWEST
    ]


def _round(points: Sequence[tuple[int, Measurement]], computed: Mapping[int, ComputedBandwidth]) -> _Curve:
    """The curve of a column: small values have the most decimals of any, since zeros at the end are not kept."""
    decimals = max(count_shown_decimals(measurement.value) for _, measurement in points)
    curve = []
    for position, measurement in points:
        rounding = 0.5 * 10.0**-decimals
        if position in computed:
            measurement, rounding = measurement._replace(value=computed[position].value), computed[position].rounding
        curve.append(_Point(position, measurement, 0.0 if rounding < _PRECISE * measurement.value else rounding))
    return curve


def _divide(lower: _Point, *higher: _Point) -> float:
    """The largest fraction that a value may be of the smallest of others, if all are rounded."""
    smallest = min(float(point.measurement.value) - point.rounding for point in higher)
    return (lower.measurement.value + lower.rounding) / smallest if smallest > 0 else math.inf


def find_anomalies(curve: _Curve, settings: Curve) -> dict[int, tuple[Judgement, str]]:
    """Dips, steps and falls of a curve: by position, how bad it is and why."""
    values = [point.measurement.value for point in curve]
    findings: dict[int, tuple[Judgement, str]] = {}
    peak = 0
    index = 1
    while index < len(curve):
        if values[index] >= values[peak]:
            peak = index
            index += 1
            continue
        end = next((later for later in range(index, len(curve)) if values[later] >= values[peak]), len(curve))
        lowest = min(range(index, end), key=lambda point: values[point])
        if end < len(curve):
            findings.update(_describe_dips(curve, index, end, settings))
            findings = _describe_step(curve, peak, lowest, end, settings) | findings
        else:
            findings.update(_describe_dips(curve, index, len(curve) - 1, settings))
            findings = _describe_fall(curve, peak, settings) | findings
        index = end
    smallest = settings.from_bytes.value
    sizes = {point.position: point.measurement.size_bytes or 0 for point in curve}
    return {position: finding for position, finding in findings.items() if sizes[position] >= smallest}


def _describe_dips(curve: _Curve, start: int, end: int, settings: Curve) -> dict[int, tuple[Judgement, str]]:
    """Sizes far below the size before and the size after them."""
    findings = _describe_single_dips(curve, start, end, settings.dip)
    failing = {position: finding for position, finding in findings.items() if finding[0] is Judgement.FAIL}
    return findings | _describe_wide_dips(curve, start, end, settings) | failing


def _describe_single_dips(
    curve: _Curve, start: int, end: int, thresholds: Thresholds
) -> dict[int, tuple[Judgement, str]]:
    findings = {}
    for index in range(max(start, 1), min(end, len(curve) - 1)):
        smaller, point, larger = curve[index - 1], curve[index], curve[index + 1]
        judgement = _compare(_divide(point, smaller, larger), thresholds)
        if judgement is not None:
            findings[point.position] = (
                judgement,
                f"a dip in the curve: {_format(point)} between {_format(smaller)} and {_format(larger)}",
            )
    return findings


def _describe_wide_dips(curve: _Curve, start: int, end: int, settings: Curve) -> dict[int, tuple[Judgement, str]]:
    """Neighbouring sizes that all fail beside the size before and the size after them; what only warns is a step."""
    findings: dict[int, tuple[Judgement, str]] = {}
    for first in range(max(start, 1), end):
        highest = curve[first]
        for last in range(first + 1, min(end, len(curve) - 1)):
            highest = max(highest, curve[last], key=lambda point: point.measurement.value)
            smaller, larger = curve[first - 1], curve[last + 1]
            if _compare(_divide(highest, smaller, larger), settings.dip) is not Judgement.FAIL:
                continue
            reason = (
                f"a dip in the curve: at most {number(float(highest.measurement.value))} "
                f"{format_unit(smaller.measurement.unit)} from "
                f"{_format_size(curve[first])} to {_format_size(curve[last])} between {_format(smaller)} and "
                f"{_format(larger)}"
            )
            for point in curve[first : last + 1]:
                findings.setdefault(point.position, (Judgement.FAIL, reason))
    return findings


def _describe_step(
    curve: _Curve, peak: int, lowest: int, end: int, settings: Curve
) -> dict[int, tuple[Judgement, str]]:
    judgement = _compare(_divide(curve[lowest], curve[peak]), settings.step)
    if judgement is None:
        return {}
    reason = (
        f"a step in the curve: {_format(curve[lowest])} after {_format(curve[peak])}, reached again only from "
        f"{_format_size(curve[end])} on: probably the library changes its protocol or algorithm there"
    )
    return {curve[lowest].position: (judgement, reason)}


def _describe_fall(curve: _Curve, peak: int, settings: Curve) -> dict[int, tuple[Judgement, str]]:
    last, highest = curve[-1], curve[peak]
    judgement = _compare(_divide(last, highest), settings.fall)
    if judgement is None:
        return {}
    fraction = format_percent(last.measurement.value / highest.measurement.value, 0)
    return {last.position: (judgement, f"the curve falls: {_format(last)} is {fraction} of {_format(highest)}")}


def _compare(fraction: float, thresholds: Thresholds) -> Judgement | None:
    if fraction >= thresholds.passes.value:
        return None
    return Judgement.WARN if fraction >= thresholds.warns.value else Judgement.FAIL


def _mark_sweep_end(
    curve: _Curve, verdicts: Mapping[int, Verdict], thresholds: Thresholds, profile: Profile
) -> dict[int, Verdict]:
    """Verdicts below the limit at sizes before a plateau that the sweep does not reach.

    The time that a size adds to the size before contains no latency: where it corresponds to a bandwidth that passes,
    a larger size would pass.
    """
    last = verdicts[curve[-1].position]
    bound = last.reachable or last.physical
    judged = (Judgement.PASS, Judgement.WARN, Judgement.FAIL)
    if last.judgement not in judged or bound is None or last.physical is None:
        return {}
    values = [point.measurement.value for point in curve]
    growth = 1 + profile.curve.rising.value
    if values[-1] < growth * values[-2] or sorted(values[-_LAST:]) != values[-_LAST:]:
        return {}
    added = _compute_added_bandwidth(curve[-2].measurement, curve[-1].measurement)
    if added is None or not thresholds.passes.value * bound.value <= added <= last.physical.value:
        return {}
    reason = (
        f"the sweep ends before its plateau: bandwidth still grows by {format_percent(values[-1] / values[-2] - 1, 0)} "
        f"at the last size, and the time that this size adds corresponds to {number(added)} "
        f"{format_unit(last.measurement.unit)}; repeat the test with larger sizes"
    )
    return {
        position: replace(verdicts[position], judgement=Judgement.SKIP, reason=reason)
        for position, _, _ in curve
        if verdicts[position].judgement in (Judgement.WARN, Judgement.FAIL)
    }


def _compute_added_bandwidth(smaller: Measurement, last: Measurement) -> float | None:
    size, smaller_size = float(last.size_bytes or 0), float(smaller.size_bytes or 0)
    added_time = size / last.value - smaller_size / smaller.value
    return (size - smaller_size) / added_time if added_time > 0 else None


def _format(point: _Point) -> str:
    value, unit = number(float(point.measurement.value)), format_unit(point.measurement.unit)
    return f"{value} {unit} at {_format_size(point)}"


def _format_size(point: _Point) -> Size:
    return Size(point.measurement.size_bytes or 0)


TINY = 1e-6
"""Seconds: a call of 0 bytes never leaves the GPU."""

_AVERAGES = (Metric.TIME, Metric.LATENCY_AVG, Metric.LATENCY_TYPICAL, Metric.LATENCY_P50)
SMALL = 2**16
"""Bytes: 33 µs at 2 GB/s, far below the highest healthy latency."""
UNLOADED = "isolated"
"""How the labels of GPCNet's patterns begin that run without load."""
_GPCNET = "gpcnet"
_LATENCY_BOUND = 2**20  # bytes up to which latency still shows in a time; a table that begins above does not show it


@dataclass(frozen=True, slots=True)
class LatencyFloor:
    """The minimum time of any size in seconds, and the number for people with its source."""

    seconds: float
    description: str


def find_latency_floor(run: Run, highest: Term, profile: Profile) -> LatencyFloor:
    """The floor of a run's table, at most the highest healthy latency; without small sizes, that of the profile."""
    rows = [measurement for measurement in run.measurements if measurement.metric is Metric.TIME]
    times = [time for row in rows if row.size_bytes and (time := _convert_to_seconds(row)) > TINY]
    sizes = {row.size_bytes for row in rows if row.size_bytes}
    if not times or len(sizes) < 2 or min(sizes) > _LATENCY_BOUND:
        return assume_floor(profile)
    return limit_floor(min(times), highest)


def limit_floor(measured: float, highest: Term) -> LatencyFloor:
    """A measured floor in seconds, at most the highest healthy latency."""
    lowest = f"lowest time in this table: {number(measured * 1e6)} µs"
    if measured * 1e6 <= highest.value:
        return LatencyFloor(measured, lowest)
    return LatencyFloor(highest.value / 1e6, f"healthy latency: at most {number(highest.value)} µs; {lowest}")


def assume_floor(profile: Profile) -> LatencyFloor:
    """The floor of the profile, for a table that does not show one."""
    floor = profile.floors.collective_us.value
    return LatencyFloor(floor / 1e6, f"assumed by the profile: {number(floor)} µs")


def find_highest_latency(profile: Profile, estimate: Term | None = None) -> Term:
    """The highest healthy time of the smallest operation in µs: by the profile, or a multiple of an estimate."""
    floors = profile.floors
    usual = floors.collective_us
    if estimate is None or floors.latency_factor.value * estimate.value <= usual.value:
        return Term("latency", usual.value, MICROSECONDS, "of the profile", usual.source)
    factor = floors.latency_factor
    formula = f"{number(factor.value)} × ({estimate.formula})"
    return Term("latency", factor.value * estimate.value, MICROSECONDS, formula, f"{estimate.source}; {factor.source}")


def judge_latency_floor(
    run: Run, limits: Limits, profile: Profile, *, expects_rdma: bool = True, largest: int = SMALL
) -> dict[int, Verdict]:
    """The verdict of the lowest time of a table, by its position, if it is above the highest healthy latency.

    TCP is a likely reason only where RDMA is expected; ``largest``: the largest size in bytes whose time is a latency.
    """
    highest = limits.highest_latency
    times = dict(_list_small_times(run.measurements, largest)) or _list_times_of_first_size(run, limits)
    if highest is None or not times:
        return {}
    verdicts: dict[int, Verdict] = {}
    for pattern, positions in _group_by_pattern(run, times).items():
        position = min(positions, key=lambda key: times[key])
        if times[position] * 1e6 > highest.value:
            verdicts[position] = _judge_floor(run.measurements[position], pattern, highest, profile, expects_rdma)
    return verdicts


def _group_by_pattern(run: Run, positions: Iterable[int]) -> dict[str | None, list[int]]:
    """The times of a table, which are of one operation; of GPCNet, of each pattern without load on purpose."""
    if run.tool != _GPCNET:
        return {None: list(positions)}
    patterns: dict[str | None, list[int]] = {}
    for position in positions:
        label = run.measurements[position].label or ""
        if label.startswith(UNLOADED):
            patterns.setdefault(label.partition(",")[0], []).append(position)
    return patterns


def _judge_floor(
    measurement: Measurement, pattern: str | None, highest: Term, profile: Profile, expects_rdma: bool
) -> Verdict:
    """The verdict of a lowest time above the highest healthy latency."""
    lowest = _convert_to_seconds(measurement) * 1e6
    fails = lowest >= profile.floors.latency_fails.value * highest.value
    size = f" at {Size(measurement.size_bytes)}" if measurement.size_bytes else ""
    likely = (
        "TCP instead of RDMA, an overloaded host, or debug output"
        if expects_rdma
        else "an overloaded host or debug output"
    )
    reason = (
        f"the lowest time of {pattern or 'the small sizes'} is {number(lowest)} µs{size}: healthy are up to "
        f"{number(highest.value)} µs ({highest.formula}); likely {likely}"
    )
    return make_verdict(measurement, Judgement.FAIL if fails else Judgement.WARN, reason)


def find_lowest_time(run: Run) -> float | None:
    """The lowest time of the small sizes of a table in µs; None where it has none."""
    return min((seconds * 1e6 for _, seconds in _list_small_times(run.measurements, SMALL)), default=None)


def _list_small_times(measurements: Sequence[Measurement], largest: int) -> Iterable[tuple[int, float]]:
    """The averages of the small sizes; of a non-blocking collective its communication, without its computation."""
    splits_communication = any(measurement.metric is Metric.COMM_AVG for measurement in measurements)
    averages = (Metric.COMM_AVG,) if splits_communication else _AVERAGES
    for position, measurement in enumerate(measurements):
        if measurement.metric not in averages or (measurement.size_bytes or 0) > largest:
            continue
        seconds = _convert_to_seconds(measurement)
        if seconds > TINY and (measurement.size_bytes or measurement.metric is not Metric.TIME):
            yield position, seconds


_SLOW_TRANSFER = 4  # times as long as at the reachable limit: a ring in small chunks


def _list_times_of_first_size(run: Run, limits: Limits) -> dict[int, float]:
    """The times of a table's smallest size, less the time that a slow transfer takes; of a table that begins with at
    most `_LATENCY_BOUND` bytes."""
    sizes = [measurement.size_bytes for measurement in run.measurements if measurement.size_bytes]
    first = min(sizes, default=None)
    if first is None or first > _LATENCY_BOUND:
        return {}
    rates: dict[str | None, float] = {}  # of the reachable limit, by label
    for measurement in run.measurements:
        if measurement.metric is Metric.BUSBW and measurement.size_bytes == first and measurement.unit == GIGABYTES:
            reachable = limits.limit(measurement).reachable
            if reachable is not None:
                rates[measurement.label] = measurement.value / reachable.value
    times: dict[int, float] = {}
    for position, measurement in enumerate(run.measurements):
        if measurement.metric is Metric.TIME and measurement.size_bytes == first and measurement.label in rates:
            remaining = 1 - _SLOW_TRANSFER * rates[measurement.label]
            times[position] = _convert_to_seconds(measurement) * max(remaining, 0.0)
    return times


def _convert_to_seconds(measurement: Measurement) -> float:
    return float(measurement.value) * SECONDS.get(measurement.unit, 0.0)


_TCP_PLATEAU = 42
"""Gb/s that one core moves by TCP with all offloads (Cai et al., SIGCOMM 2021). Over sockets, NCCL reaches 2.31 GB/s
(eunomia-bpf/nccl-eBPF, two ranks) and osu_bw 1.28 GB/s (CSCS documentation, container without the network hook)."""

_TCP_SHARE = 0.25  # of the reachable limit: a larger one is no sign
_TCP_FLOOR_US = 15  # half a round trip of TCP between hosts; RDMA takes 2 to 5 µs
_TINY_MESSAGE = 64  # bytes
_MPI = "osu-micro-benchmarks"
_OVER_RDMA = frozenset({_MPI, "nccl-tests", "rccl-tests", "ucx_perftest", "netpipe", "mpigraph"})


def name_tcp(run: Run, verdicts: dict[int, Verdict], profile: Profile) -> dict[int, Verdict]:
    """The failures of a run, with TCP as the likely reason if the table has its signs.

    A plateau that a few cores copy, and a long smallest operation: a slow network alone has the first, and a collective
    of many ranks the second.
    """
    if run.tool not in _OVER_RDMA:
        return verdicts
    sign = _describe_small_operation(run, profile)
    if sign is None:
        return verdicts
    slow = {position: verdict for position, verdict in verdicts.items() if _is_plateau_of_tcp(verdict)}
    highest = max((_convert_to_gigabits(verdict) for verdict in slow.values()), default=0.0)
    is_possible = run.tool == _MPI  # of NCCL, the log of a run over sockets usually names them
    certainty = "possible cause: TCP" if is_possible else "likely TCP"
    text = f"{certainty} instead of RDMA: at most {number(highest)} Gb/s, which one or a few cores copy, and {sign}"
    named = {position: replace(verdict, reason=f"{verdict.reason}; {text}") for position, verdict in slow.items()}
    return verdicts | named


def _convert_to_gigabits(verdict: Verdict) -> float:
    return convert(float(verdict.measurement.value), verdict.measurement.unit, GBPS)


def _is_plateau_of_tcp(verdict: Verdict) -> bool:
    measurement, share = verdict.measurement, verdict.fraction_of_reachable
    if verdict.judgement is not Judgement.FAIL or measurement.metric not in _METRICS or share is None:
        return False
    return share <= _TCP_SHARE and measurement.unit in BITS_PER_SECOND and _convert_to_gigabits(verdict) <= _TCP_PLATEAU


def _describe_small_operation(run: Run, profile: Profile) -> str | None:
    """What shows that the smallest operation of a table takes as long as over TCP; None if nothing does."""
    lowest = find_lowest_time(run)
    if lowest is not None:
        return f"{number(lowest)} µs for the smallest operation" if lowest >= _TCP_FLOOR_US else None
    rates = [
        float(row.value) * BITS_PER_SECOND[row.unit] / 8 / row.size_bytes
        for row in run.measurements
        if row.metric is Metric.BW_AVG
        and row.size_bytes
        and row.size_bytes <= _TINY_MESSAGE
        and row.unit in BITS_PER_SECOND
    ]
    if not rates or max(rates) >= profile.floors.lowest_message_rate.value:
        return None
    return f"{number(max(rates) / 1e6)} million small messages a second"
