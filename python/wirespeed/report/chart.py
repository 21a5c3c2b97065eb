"""The geometry of benchmark charts: positions of points, limits, ticks and labels. Templates draw it as SVG.

No plotting library is used: a static picture can be printed, needs no scripts, follows the page's colours and has
kilobytes instead of megabytes. A table next to it contains its data.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.report import device_matrix, wording
from wirespeed.results.benchmarks import Metric
from wirespeed.results.verdicts import Bound, JudgedRun, Judgement, Verdict

BANDWIDTHS = (Metric.BUSBW, Metric.ALGBW, Metric.BW_AVG, Metric.BITRATE, Metric.AVG_BUSBW)
"""Metrics that are drawn; others are only in the table."""

TIMES = (Metric.LATENCY_TYPICAL, Metric.LATENCY_P50, Metric.LATENCY_AVG)
"""Latencies of which the first is drawn over the message size."""

MARKED = (Judgement.FAIL, Judgement.WARN, Judgement.UNKNOWN)
"""Judgements whose points have a mark in a curve."""

_WIDTH, _HEIGHT = 640, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 16, 38, 46
_GAP, _LETTER = 12, 8.4  # between a label of the vertical axis and the frame; the width of a digit
_MOST_TICKS = 8
_FEWEST_SIZES = 3  # minimum number of sizes for a curve; with fewer, bars are drawn

_SMALLEST_TOP = 1e-300
"""An axis whose values are all below it is drawn as an axis of zeros: a fifth of it may have no logarithm."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A position on an axis and its label."""

    position: float
    label: str


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement."""

    x: float
    y: float
    title: str
    judgement: str


@dataclass(frozen=True, slots=True)
class Series:
    """Measurements with one label, smallest message first. ``index`` chooses colour and marker."""

    name: str
    index: int
    path: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit line: ``kind`` is physical, reachable or found. Only a horizontal line has its label next to it."""

    kind: str
    path: str
    label: str
    label_y: float | None


@dataclass(frozen=True, slots=True)
class Curve:
    """Bandwidth or time over message size. Sizes and times are on logarithmic axes."""

    title: str
    description: str
    axis: str
    series: tuple[Series, ...]
    limits: tuple[Limit, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[tuple[str, str], ...]
    """The judgements of marked points, with the number of points, for the legend."""
    width: int = _WIDTH
    height: int = _HEIGHT
    left: int = _LEFT
    right: int = _WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = _HEIGHT - _BOTTOM


@dataclass(frozen=True, slots=True)
class Bar:
    """One measurement against its limits, as lengths from the left edge."""

    y: int
    label: str
    value: str
    length: float
    judgement: str
    physical: float | None
    reachable: float | None
    title: str


@dataclass(frozen=True, slots=True)
class Bars:
    """Measurements of one or two sizes, one bar each. ``limits`` are the kinds of limits with their labels.

    ``marks`` are the judgements of the bars, with their number, for the legend.
    """

    title: str
    description: str
    bars: tuple[Bar, ...]
    limits: tuple[tuple[str, str], ...]
    marks: tuple[tuple[str, str], ...]
    height: int
    width: int = _WIDTH


def charts(run: JudgedRun) -> tuple[Curve | Bars, ...]:
    """One chart per bandwidth metric with a known limit, or per bandwidth metric if no limit is known; then the time.

    Bus bandwidth also represents algorithm bandwidth: both are the same transfer.
    """
    return (*_build_bandwidth_charts(run), *_build_time_chart(run))


def _build_time_chart(run: JudgedRun) -> Iterator[Curve]:
    """The time of a collective, or the latency of messages, over at least three sizes."""
    verdicts = [
        Verdict(measurement, Judgement.SKIP, "no limit applies", None, None, None, None) for measurement in run.times
    ]
    for metric in TIMES if not verdicts else ():
        verdicts = verdicts or [
            verdict
            for verdict in run.verdicts
            if verdict.measurement.metric is metric and verdict.measurement.size_bytes and verdict.measurement.value > 0
        ]
    if len({_get_size(verdict) for verdict in verdicts}) >= _FEWEST_SIZES:
        metric, unit = verdicts[0].measurement.metric, wording.unit(verdicts[0].measurement.unit)
        yield _build_curve(f"{run.title}: {metric.value} in {unit}", metric, unit, verdicts, _scale_logarithmically)


def _build_bandwidth_charts(run: JudgedRun) -> tuple[Curve | Bars, ...]:
    in_matrices = {
        verdict.measurement for matrix in device_matrix.find_matrices(run) for verdict in matrix.cells.values()
    }  # pairs of many devices are a table
    verdicts_to_draw = [
        verdict
        for verdict in run.verdicts
        if verdict.measurement.metric in BANDWIDTHS and verdict.measurement not in in_matrices
    ]
    if any(verdict.measurement.metric is Metric.BUSBW for verdict in verdicts_to_draw):
        verdicts_to_draw = [
            verdict
            for verdict in verdicts_to_draw
            if verdict.measurement.metric not in (Metric.ALGBW, Metric.AVG_BUSBW)
        ]
    bounded = {verdict.measurement.metric for verdict in verdicts_to_draw if verdict.physical or verdict.reachable}
    by_metric: dict[tuple[Metric, str], list[Verdict]] = {}
    for verdict in verdicts_to_draw:
        measurement = verdict.measurement
        if not bounded or measurement.metric in bounded:
            by_metric.setdefault((measurement.metric, wording.unit(measurement.unit)), []).append(verdict)
    return tuple(_build_chart(run, metric, unit, verdicts) for (metric, unit), verdicts in by_metric.items())


def _build_chart(run: JudgedRun, metric: Metric, unit: str, verdicts: Sequence[Verdict]) -> Curve | Bars:
    sizes = {verdict.measurement.size_bytes for verdict in verdicts if verdict.measurement.size_bytes}
    title = f"{run.title}: {metric.value} in {unit}"
    if len(sizes) < _FEWEST_SIZES:
        return _build_bars(title, unit, verdicts)
    return _build_curve(title, metric, unit, [verdict for verdict in verdicts if verdict.measurement.size_bytes])


_Scale = tuple[Callable[[float], float], list[Tick]]
"""The position of a value on the vertical axis, and its ticks."""


def _scale_linearly(values: Iterable[float]) -> _Scale:
    tick_values = round_values(max(values))

    def y(value: float) -> float:
        return round(_HEIGHT - _BOTTOM - value / tick_values[-1] * (_HEIGHT - _TOP - _BOTTOM), 1)

    return y, _label_ticks(y, tick_values, wording.level_labels(tick_values))


def _scale_logarithmically(values: Iterable[float]) -> _Scale:
    """Decades, from the one below the smallest positive value."""
    positive = [value for value in values if value > 0]
    low, high = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
    high = max(high, low + 1)

    def y(value: float) -> float:
        share = (math.log10(value) - low) / (high - low) if value > 0 else 0.0
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)

    decades = [10.0**exponent for exponent in range(low, high + 1)]
    return y, _label_ticks(y, decades, wording.decade_labels(decades))


def _label_ticks(y: Callable[[float], float], values: Sequence[float], labels: Sequence[str]) -> list[Tick]:
    return [Tick(y(value), label) for value, label in zip(values, labels, strict=True)]


def _build_curve(
    title: str,
    metric: Metric,
    unit: str,
    verdicts: Sequence[Verdict],
    scale: Callable[[Iterable[float]], _Scale] = _scale_linearly,
) -> Curve:
    sizes = sorted({_get_size(verdict) for verdict in verdicts})
    low, high = math.log2(sizes[0]), math.log2(sizes[-1])
    y, y_ticks = scale(_list_values(verdicts))
    left = max(_LEFT, round(_GAP + _LETTER * max(len(tick.label) for tick in y_ticks)))

    def x(size: int) -> float:
        return round(left + (math.log2(size) - low) / (high - low) * (_WIDTH - left - _RIGHT), 1)

    limits = _build_limits(verdicts, unit, x, y, left)
    return Curve(
        title=title,
        description=_describe_chart(title, unit, verdicts),
        axis=f"{metric.value} in {unit}",
        series=tuple(
            _build_series(name, index, rows, x, y)
            for index, (name, rows) in enumerate(_group_by_label(verdicts).items())
        ),
        limits=limits,
        x_ticks=tuple(Tick(x(2**power), wording.size(2**power)) for power in _list_powers(low, high)),
        y_ticks=tuple(y_ticks),
        marks=_count_judgements(verdicts, MARKED),
        left=left,
    )


def _build_series(
    name: str, index: int, rows: Sequence[Verdict], x: Callable[[int], float], y: Callable[[float], float]
) -> Series:
    ordered = sorted(rows, key=_get_size)
    points = tuple(
        Point(x(_get_size(row)), y(row.measurement.value), describe_verdict(row), row.judgement.value)
        for row in ordered
    )
    return Series(name, index, draw_line((point.x, point.y) for point in points), points)


def _build_limits(
    verdicts: Sequence[Verdict], unit: str, x: Callable[[int], float], y: Callable[[float], float], left: int
) -> tuple[Limit, ...]:
    lines: list[Limit] = []
    for kind in ("physical", "reachable", "found"):
        bounds = {_get_size(verdict): bound for verdict in verdicts if (bound := getattr(verdict, kind)) is not None}
        if not bounds:
            continue
        line = [(x(size), y(bounds[size].value)) for size in sorted(bounds)]
        bound = bounds[max(bounds)]
        name = "limit as found" if kind == "found" else f"{kind} limit"
        value = f"{wording.number(bound.value)} {unit}"
        label = f"{name} {value} ({wording.line(bound.bottleneck)})"
        if len({bound.value for bound in bounds.values()}) == 1:
            height = line[0][1]
            line = [(float(left), height), (float(_WIDTH - _RIGHT), height)]
            label_y = {"physical": height - 8, "reachable": height + 18}.get(kind)  # a third label would overlap these
            lines.append(Limit(kind, draw_line(line), label, label_y))
        else:
            label = f"{name} ({value} at {wording.size(max(bounds))}; {wording.line(bound.bottleneck)})"
            lines.append(Limit(kind, draw_line(line), label, None))
    return tuple(lines)


def _build_bars(title: str, unit: str, verdicts: Sequence[Verdict]) -> Bars:
    top = max(_list_values(verdicts)) or 1.0

    def length(value: float) -> float:
        return round(value / top * (_WIDTH - 2), 1)

    def end(bound: Bound | None) -> float | None:
        return None if bound is None else length(bound.value)

    bars = tuple(
        Bar(
            y=index * 46,
            label=" ".join(filter(None, (wording.size(row.measurement.size_bytes), row.measurement.label)))
            or row.measurement.metric.value,
            value=f"{wording.number(row.measurement.value)} {unit}",
            length=length(row.measurement.value),
            judgement=row.judgement.value,
            physical=end(row.physical),
            reachable=end(row.reachable),
            title=describe_verdict(row),
        )
        for index, row in enumerate(verdicts)
    )
    limits = tuple(_list_limits(unit, verdicts))
    marks = _count_judgements(verdicts, Judgement)
    return Bars(title, _describe_chart(title, unit, verdicts), bars, limits, marks, height=46 * len(bars) + 4)


def _count_judgements(verdicts: Sequence[Verdict], judgements: Iterable[Judgement]) -> tuple[tuple[str, str], ...]:
    """Each of these judgements that a measurement has, with the number of measurements."""
    counts = Counter(verdict.judgement for verdict in verdicts)
    return tuple(
        (
            judgement.value,
            f"{'not judged' if judgement is Judgement.SKIP else judgement.value}: "
            f"{wording.plural(counts[judgement], 'measurement')}",
        )
        for judgement in judgements
        if counts[judgement]
    )


def _list_limits(unit: str, verdicts: Sequence[Verdict]) -> Iterator[tuple[str, str]]:
    """The limits of bars with their labels; a limit that is equal for all bars has its number in it."""
    for kind in ("physical", "reachable"):
        bounds: list[Bound | None] = [getattr(verdict, kind) for verdict in verdicts]
        values = {wording.number(bound.value) for bound in bounds if bound is not None}
        if values:
            yield kind, f"{kind} limit {values.pop()} {unit}" if len(values) == 1 else f"{kind} limit"


def describe_verdict(verdict: Verdict) -> str:
    """One measurement in a sentence, for the tooltip of a point."""
    measurement = verdict.measurement
    parts = [
        " ".join(
            filter(None, (wording.size(measurement.size_bytes), measurement.label, wording.number(measurement.value)))
        )
        + f" {wording.unit(measurement.unit)}"
    ]
    for name, fraction in (
        ("physical", verdict.fraction_of_physical),
        ("reachable", verdict.fraction_of_reachable),
        ("found", verdict.fraction_of_found),
    ):
        if fraction is not None:
            parts.append(
                f"{wording.percent(fraction)} of {'what was found' if name == 'found' else f'the {name} limit'}"
            )
    return ", ".join(parts)


def _describe_chart(title: str, unit: str, verdicts: Sequence[Verdict]) -> str:
    """A text alternative of the chart; every number is in the table after it."""
    choose = min if verdicts[0].measurement.metric in (Metric.TIME, *TIMES) else max
    best = choose(verdicts, key=lambda verdict: verdict.measurement.value)
    description = f"{title}. Best: {describe_verdict(best)}."
    for name, bound in (("Physical", best.physical), ("Reachable", best.reachable)):
        if bound is not None:
            description += f" {name} limit there: {wording.number(bound.value)} {unit}, limited by {bound.bottleneck}."
    return description


def _list_values(verdicts: Iterable[Verdict]) -> Iterable[float]:
    for verdict in verdicts:
        yield float(verdict.measurement.value)
        yield from (bound.value for bound in (verdict.physical, verdict.reachable, verdict.found) if bound is not None)


def _group_by_label(verdicts: Iterable[Verdict]) -> Mapping[str, list[Verdict]]:
    verdicts_by_label: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        verdicts_by_label.setdefault(verdict.measurement.label or verdict.measurement.metric.value, []).append(verdict)
    return verdicts_by_label


def _get_size(verdict: Verdict) -> int:
    return verdict.measurement.size_bytes or 0


def draw_line(points: Iterable[tuple[float, float]]) -> str:
    """The SVG path of a line through points."""
    return "M" + " L".join(f"{x:g} {y:g}" for x, y in points)


def _list_powers(low: float, high: float) -> list[int]:
    """Exponents of two between two logarithms that get a label: as many as fit, evenly spaced."""
    first, last = math.ceil(low), math.floor(high)
    step = next(step for step in (1, 2, 5, 10, 20) if (last - first) / step < _MOST_TICKS or step == 20)
    return [power for power in range(first, last + 1) if power % step == 0] or [first]


def round_values(highest: float) -> list[float]:
    """Ticks of a linear axis at round values, from zero to the first one that is not below the highest value."""
    if highest < _SMALLEST_TOP:
        return [0.0, 1.0]
    rough = highest / 5
    exponent = math.floor(math.log10(rough))
    magnitude = 10.0**exponent
    step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= rough)
    ticks = [round(step * index, 1 - exponent) for index in range(math.floor(highest / step) + 1)]
    return ticks if ticks[-1] >= highest else [*ticks, round(step * len(ticks), 1 - exponent)]
