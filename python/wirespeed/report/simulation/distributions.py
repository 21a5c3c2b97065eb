"""Distribution of a value over flows, as a cumulative distribution function (CDF)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from wirespeed.report import wording
from wirespeed.report.chart import Tick, draw_line, round_values
from wirespeed.report.simulation.axes import (
    WIDTH,
    Chart,
    Mark,
    across,
    level_ticks,
    place_lines,
    time_unit,
    up,
)
from wirespeed.results.simulation_view import Distribution, Group

_WIDE = 20
"""From this ratio of the highest to the lowest value on, the axis is logarithmic."""
_FACTORS = ((1, 2, 5), (1, 3), (1,))
"""Ticks of a decade of a logarithmic axis, as many as have room for their labels."""
_PERCENTS = (50, 90, 99)
_CHARACTER = 7.0
"""Width of a character of a label, in the units of the picture; few are wider."""
_MARKS = 2
"""Ideal values that are drawn at most; the table has their range."""
_SLOWDOWN = "actual / ideal"


def chart(distribution: Distribution) -> Chart | None:
    """Build the chart; None if there is nothing to draw."""
    groups = [group for group in distribution.groups if group.quantiles]
    if not groups:
        return None
    unit, size = _choose_unit(distribution, groups)
    values = [value / size for group in groups for value in _find_ends(group)]
    to_x, x_ticks = _build_axis(min(values), max(values))
    top, y_ticks = level_ticks(100.0)
    lines, height = place_lines([(_format_legend(group), _build_path(group, size, to_x, top)) for group in groups])
    marks = _build_marks(groups, size, unit, to_x)
    return Chart(
        title=distribution.title,
        meaning=f"Share of the flows with at most this {distribution.title.lower()} (cumulative distribution)."
        + (" Dashed line: ideal value, without congestion." if marks else ""),
        description=_describe_chart(distribution, groups, unit, size),
        axis="% of flows",
        along=f"{distribution.title.lower()} ({unit})"
        if unit == _SLOWDOWN
        else f"{distribution.title.lower()}, {unit}",
        lines=lines,
        marks=marks,
        x_ticks=x_ticks,
        y_ticks=y_ticks,
        columns=(
            "flows",
            "number",
            "ideal" if unit == _SLOWDOWN else f"ideal, {unit}",
            "min",
            *(f"p{percent}" for percent in _PERCENTS),
            "max",
        ),
        rows=tuple(_format_row(group, size) for group in groups),
        height=height,
    )


def quantile(group: Group, percent: int) -> float:
    """The value at a percentage, by the nearest stored rank."""
    return group.quantiles[-(-len(group.quantiles) * percent // 100) - 1]


def _choose_unit(distribution: Distribution, groups: Sequence[Group]) -> tuple[str, float]:
    if distribution.unit != "µs":
        return distribution.unit, 1.0
    unit, size = time_unit(int(max(group.quantiles[-1] for group in groups) * 1e6))
    return unit, size / 1e6


def _find_ends(group: Group) -> tuple[float, ...]:
    return (group.quantiles[0], group.quantiles[-1], *(ideal.value for ideal in group.ideals))


def _build_axis(low: float, high: float) -> tuple[Callable[[float], float], tuple[Tick, ...]]:
    """The function that positions a value, and the ticks: logarithmic for a wide range of values."""
    if low > 0 and high / low > _WIDE:
        first, last = math.log10(low), math.log10(high)

        def scale(value: float) -> float:
            return across(math.log10(value), first, last)

        powers = range(math.floor(first), math.ceil(last) + 1)
        for factors in _FACTORS:
            steps = [factor * 10.0**power for power in powers for factor in factors]
            values = [value for value in steps if low <= value <= high]
            ticks = _label_ticks(scale, values, wording.decade_labels(values))
            if _is_readable(ticks):
                break
        return scale, ticks

    def level(value: float) -> float:
        return across(value, 0.0, values[-1])

    values = round_values(high)
    return level, _label_ticks(level, values, wording.level_labels(values))


def _is_readable(ticks: Sequence[Tick]) -> bool:
    """Whether there is a gap between all labels."""
    return all(
        after.position - before.position >= _CHARACTER * ((len(before.label) + len(after.label)) / 2 + 1)
        for before, after in pairwise(ticks)
    )


def _label_ticks(scale: Callable[[float], float], values: Sequence[float], labels: Sequence[str]) -> tuple[Tick, ...]:
    return tuple(Tick(scale(value), label) for value, label in zip(values, labels, strict=True))


def _build_path(group: Group, size: float, to_x: Callable[[float], float], top: float) -> str:
    points: list[tuple[float, float]] = []
    count = len(group.quantiles)
    for rank, value in enumerate(group.quantiles):
        x = to_x(value / size)
        points += [(x, up(100 * rank / count, top)), (x, up(100 * (rank + 1) / count, top))]
    return draw_line(points)


def _build_marks(groups: Sequence[Group], size: float, unit: str, to_x: Callable[[float], float]) -> tuple[Mark, ...]:
    """A mark for each ideal value of the groups, with its kind of flow where there are several; none for too many."""
    ideals = sorted({ideal for group in groups for ideal in group.ideals})
    if len(ideals) > _MARKS:
        return ()
    marks = []
    for row, ideal in enumerate(ideals):
        x = to_x(ideal.value / size)
        label = f"ideal {wording.number(ideal.value / size)}" + (f" {unit}" if unit != _SLOWDOWN else "")
        kind = f" ({ideal.kind})" if len(ideals) > 1 else ""
        text = label + kind
        fits_right = x + len(text) * _CHARACTER < WIDTH
        marks.append(Mark(x, row, text, "start" if fits_right else "end"))
    return tuple(marks)


def _format_legend(group: Group) -> str:
    return f"{group.name} ({group.count:,})"


def _format_row(group: Group, size: float) -> tuple[str, ...]:
    numbers = (group.quantiles[0], *(quantile(group, percent) for percent in _PERCENTS), group.quantiles[-1])
    ideals = dict.fromkeys(wording.number(ideal.value / size) for ideal in group.ideals)
    lowest_to_highest = " to ".join([*ideals][:1] + [*ideals][1:][-1:])
    return (group.name, f"{group.count:,}", lowest_to_highest, *(wording.number(value / size) for value in numbers))


def _describe_chart(distribution: Distribution, groups: Sequence[Group], unit: str, size: float) -> str:
    descriptions = []
    for group in groups:
        extremes_and_median = (group.quantiles[0], quantile(group, 50), group.quantiles[-1])
        low, middle, high = (wording.number(value / size) for value in extremes_and_median)
        descriptions.append(f"{_format_legend(group)} from {low} to {high}, median {middle} {unit}")
    return f"{distribution.title}: {'; '.join(descriptions)}."
