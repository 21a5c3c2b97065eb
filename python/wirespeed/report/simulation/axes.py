"""The geometry of a chart with lines: axes with round ticks in readable units, and a legend inside the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.report import wording
from wirespeed.report.chart import Tick, round_values

WIDTH, HEIGHT = 640, 262
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 34, 40
_LEGEND_LINE, _LEGEND_COLUMN = 19, 312
_LETTERS = 70
"""Maximum letters of a name in the legend: as many as fit in the picture."""
_LETTERS_OF_HALF = 28
"""Maximum letters of a name in the legend with two names per line."""


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of a chart, with the number of its colour and dash pattern."""

    name: str
    index: int
    path: str
    legend_x: int
    legend_y: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A vertical line at a value, its label in a row below those of lower values."""

    x: float
    row: int
    label: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Span:
    """A time interval with active faults, and their numbers."""

    x: float
    width: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """The data of the template, and the table below the chart."""

    title: str
    meaning: str
    description: str
    axis: str
    along: str
    lines: tuple[ChartLine, ...]
    marks: tuple[Mark, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    height: int
    spans: tuple[Span, ...] = ()
    width: int = WIDTH
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def across(value: float, low: float, high: float) -> float:
    """The horizontal position of a value."""
    share = (value - low) / (high - low) if high > low else 0.0
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def up(value: float, top: float) -> float:
    """The vertical position of a value."""
    return round(HEIGHT - BOTTOM - min(value / top, 1.0) * (HEIGHT - TOP - BOTTOM), 1)


def place_lines(paths: Sequence[tuple[str, str]]) -> tuple[tuple[ChartLine, ...], int]:
    """Lines (name, path) with their positions in the legend, and the height of the picture."""
    columns = 1 if any(len(name) > _LETTERS_OF_HALF for name, _ in paths) else 2
    lines = tuple(
        ChartLine(
            shorten(name, _LETTERS),
            index,
            path,
            LEFT + index % columns * _LEGEND_COLUMN,
            HEIGHT + index // columns * _LEGEND_LINE + 16,
        )
        for index, (name, path) in enumerate(paths)
    )
    return lines, HEIGHT + -(-len(lines) // columns) * _LEGEND_LINE + 10


def level_ticks(highest: float) -> tuple[float, tuple[Tick, ...]]:
    """The top of a vertical axis from 0, and its ticks."""
    values = round_values(highest)
    top = values[-1]
    return top, tuple(
        Tick(up(value, top), text) for value, text in zip(values, wording.level_labels(values), strict=True)
    )


def time_ticks(end_ps: int) -> tuple[str, float, tuple[Tick, ...]]:
    """The unit of a time axis from 0, the unit's picoseconds, and the ticks."""
    unit, size = time_unit(end_ps)
    values = [value for value in round_values(end_ps / size) if value * size <= end_ps]
    labels = wording.level_labels(values)
    ticks = (Tick(across(value * size, 0, end_ps), text) for value, text in zip(values, labels, strict=True))
    return unit, size, tuple(ticks)


def time_unit(end_ps: int) -> tuple[str, float]:
    """The unit in which a time has one to four digits, and its picoseconds."""
    units = (("ns", 1e3), ("µs", 1e6), ("ms", 1e9), ("s", 1e12))
    return next(((unit, size) for unit, size in units if end_ps < 1e4 * size), units[-1])


def bytes_unit(maximum: float) -> tuple[str, float]:
    """The unit in which a number of bytes has one to four digits, and its bytes."""
    units = (("bytes", 1.0), ("KiB", 1024.0), ("MiB", 1024.0**2), ("GiB", 1024.0**3))
    return next(((unit, size) for unit, size in units if maximum < 1e3 * size), units[-1])


def shorten(name: str, letters: int) -> str:
    """A name shortened to this number of letters, without its middle: its end names a port or a result folder."""
    if len(name) <= letters:
        return name
    head = letters // 2
    return f"{name[:head]}…{name[head + 1 - letters :]}"
