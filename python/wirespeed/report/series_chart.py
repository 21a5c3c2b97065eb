"""One chart of several curves over the message size: bandwidths or times, on linear or logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from jinja2 import Environment, PackageLoader, StrictUndefined

from wirespeed.report import wording
from wirespeed.report.chart import Tick, draw_line, round_values
from wirespeed.report.simulation.axes import shorten

COLORS = ("#1769c2", "#b0560f", "#0c8577", "#7a4fb8", "#b3261e", "#5c7a12", "#97206b", "#3f4a57")
"""Colours of the curves, in order; further curves repeat them with dashes."""

_WIDTH, _PLOT = 760, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 36, 52, 46
_LEGEND_LINE, _LEGEND_MARK, _LETTER = 20, 38, 7.2
_LETTERS_OF_NAME, _LETTERS_OF_TITLE = 80, 72
_MOST_TICKS = 9
_DECADE = (1, 2, 5)
_UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1))
_BAND = "shaded area: lowest to highest value of the repeated runs"
_FONTS = "DejaVu Sans, Liberation Sans, Noto Sans, Arial, sans-serif"


class Axis(StrEnum):
    """The scale of an axis."""

    LINEAR = "linear"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class SizeSeries:
    """Values over the message size in bytes; of repeated runs, the medians.

    ``ranges`` are message size, lowest and highest value of repeated runs; empty for a single run.
    """

    name: str
    points: tuple[tuple[int, float], ...]
    ranges: tuple[tuple[int, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A curve as it is drawn, with its place in the legend. ``band`` is the area of the values of repeated runs."""

    name: str
    color: str
    dash: str
    path: str
    band: str
    dots: tuple[tuple[float, float, str], ...]
    legend_x: float
    legend_y: float


@dataclass(frozen=True, slots=True)
class SeriesChart:
    """Positions of everything that the template draws."""

    title: str
    axis: str
    note: str
    note_y: float
    lines: tuple[Line, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    height: float
    width: int = _WIDTH
    left: int = _LEFT
    right: int = _WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = _TOP + _PLOT
    fonts: str = _FONTS


def draw(
    title: str, quantity: str, series: Sequence[SizeSeries], *, sizes: Axis = Axis.LOG, values: Axis = Axis.LINEAR
) -> SeriesChart:
    """Lay curves over each other. ``quantity`` names the vertical axis, such as ``busbw in GB/s``.

    A value that a logarithmic axis cannot show is left out.
    """
    visible = [
        SizeSeries(
            shorten(curve.name, _LETTERS_OF_NAME),
            tuple((size, value) for size, value in sorted(curve.points) if _has_place(size, value, sizes, values)),
            tuple(
                (size, low, high) for size, low, high in sorted(curve.ranges) if _has_place(size, low, sizes, values)
            ),
        )
        for curve in series
    ]
    x, x_ticks = _build_size_axis([size for curve in visible for size, _ in curve.points], sizes)
    ends = [value for curve in visible for _, low, high in curve.ranges for value in (low, high)]
    y, y_ticks = _build_value_axis([*ends, *(value for curve in visible for _, value in curve.points)], values)
    places = list(_place_legend([curve.name for curve in visible]))
    lines = tuple(
        Line(
            name=curve.name,
            color=COLORS[number % len(COLORS)],
            dash="" if number < len(COLORS) else "7 4",
            path=draw_line((x(size), y(value)) for size, value in curve.points) if curve.points else "",
            band=_draw_band([(x(size), y(low), y(high)) for size, low, high in curve.ranges]),
            dots=tuple(
                (x(size), y(value), f"{curve.name}, {wording.size(size)}: {wording.number(value)}")
                for size, value in curve.points
            ),
            legend_x=legend_x,
            legend_y=legend_y,
        )
        for number, (curve, (legend_x, legend_y)) in enumerate(zip(visible, places, strict=True))
    )
    note = _BAND if any(line.band for line in lines) else ""
    note_y = max(legend_y for _, legend_y in places) + (_LEGEND_LINE if note else 0)
    return SeriesChart(
        title=shorten(title, _LETTERS_OF_TITLE),
        axis=quantity,
        note=note,
        note_y=note_y,
        lines=lines,
        x_ticks=tuple(x_ticks),
        y_ticks=tuple(y_ticks),
        height=note_y + 16,
    )


def svg(chart: SeriesChart) -> str:
    """The chart as a stand-alone SVG document; the same chart gives the same bytes."""
    environment = Environment(
        loader=PackageLoader("wirespeed.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("series_chart.svg.j2").render(chart=chart)


def _draw_band(ranges: Sequence[tuple[float, float, float]]) -> str:
    """The SVG path of the area between the lowest and the highest values; empty without at least two sizes."""
    if len(ranges) < 2:
        return ""
    return draw_line([*((x, high) for x, _, high in ranges), *((x, low) for x, low, _ in reversed(ranges))]) + " Z"


def _has_place(size: int, value: float, sizes: Axis, values: Axis) -> bool:
    return math.isfinite(value) and (size > 0 or sizes is Axis.LINEAR) and (value > 0 or values is Axis.LINEAR)


def _build_size_axis(sizes: Sequence[int], axis: Axis) -> tuple[Callable[[float], float], list[Tick]]:
    if axis is Axis.LINEAR:
        name, unit = next((entry for entry in _UNITS if max(sizes, default=0) >= 2 * entry[1]), _UNITS[-1])
        ticks = round_values(max(sizes, default=1) / unit)
        x = _scale_linearly(0, ticks[-1] * unit, _LEFT, _WIDTH - _RIGHT)
        labels = [f"{text} {name}" for text in wording.level_labels(ticks)]
        return x, _label_ticks(x, [value * unit for value in ticks], labels)
    low, high = math.log2(min(sizes, default=1)), math.log2(max(sizes, default=2))
    high = high if high > low else low + 1
    x = _scale_logarithmically(2.0**low, 2.0**high, _LEFT, _WIDTH - _RIGHT)
    powers = range(math.ceil(low), math.floor(high) + 1)
    step = next(step for step in (1, 2, 3, 4, 5, 10, 20) if len(powers) / step < _MOST_TICKS or step == 20)
    return x, [Tick(x(2.0**power), wording.size(2**power)) for power in powers[::step]]


def _build_value_axis(values: Sequence[float], axis: Axis) -> tuple[Callable[[float], float], list[Tick]]:
    if axis is Axis.LINEAR:
        ticks = round_values(max(values, default=1.0))
        y = _scale_linearly(0, ticks[-1], _TOP + _PLOT, _TOP)
        return y, _label_ticks(y, ticks, wording.level_labels(ticks))
    lowest, highest = min(values, default=1.0), max(values, default=10.0)
    powers = range(math.floor(math.log10(lowest)), math.floor(math.log10(highest)) + 2)
    steps = [factor * 10.0**power for power in powers for factor in _DECADE]
    steps = _enclose(steps, lowest, highest)
    if len(steps) > _MOST_TICKS:
        steps = _enclose([10.0**power for power in powers], lowest, highest)
        every = math.ceil((len(steps) - 1) / (_MOST_TICKS - 1))
        steps += [steps[-1] * 10.0**power for power in range(1, (1 - len(steps)) % every + 1)]
        steps = steps[::every]
    first, last = steps[0], steps[-1]
    y = _scale_logarithmically(first, last, _TOP + _PLOT, _TOP)
    return y, _label_ticks(y, steps, wording.decade_labels(steps))


def _label_ticks(scale: Callable[[float], float], values: Sequence[float], labels: Sequence[str]) -> list[Tick]:
    return [Tick(scale(value), label) for value, label in zip(values, labels, strict=True)]


def _enclose(steps: Sequence[float], lowest: float, highest: float) -> list[float]:
    """The steps from the last one at or below the lowest value to the first one at or above the highest."""
    first = max(step for step in steps if step <= lowest)
    last = min(step for step in steps if step >= highest and step > first)
    return [step for step in steps if first <= step <= last]


def _scale_linearly(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: round(start + (value - low) / (high - low) * (end - start), 1)


def _scale_logarithmically(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: round(start + math.log(value / low) / math.log(high / low) * (end - start), 1)


def _place_legend(names: Iterable[str]) -> Iterable[tuple[float, float]]:
    """The positions of names below the plot, as many on a line as fit."""
    x, y = float(_LEFT), float(_TOP + _PLOT + _BOTTOM + 24)
    for name in names:
        width = _LEGEND_MARK + _LETTER * len(name) + 16
        if x > _LEFT and x + width > _WIDTH - _RIGHT:
            x, y = float(_LEFT), y + _LEGEND_LINE
        yield round(x, 1), y
        x += width
