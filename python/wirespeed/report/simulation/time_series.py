"""Charts of time series."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.report import wording
from wirespeed.report.chart import draw_line
from wirespeed.report.simulation.axes import (
    LEFT,
    RIGHT,
    WIDTH,
    Chart,
    across,
    bytes_unit,
    level_ticks,
    place_lines,
    time_ticks,
    up,
)
from wirespeed.report.simulation.fault_intervals import spans
from wirespeed.results.simulation_types import Fault
from wirespeed.results.simulation_view import TimeSeries, TimeSeriesLine


def chart(series: TimeSeries, faults: Sequence[Fault] = ()) -> Chart | None:
    """Build the chart; None if there is nothing to draw."""
    highest = max((value for line in series.lines for value in line.values if value is not None), default=0.0)
    if highest <= 0:
        return None
    unit, size = _choose_unit(series.unit, highest)
    if series.unit == "share" and highest > 0.5:
        highest = 1.0  # 1.0 is the full link rate
    top, y_ticks = level_ticks(highest / size)
    time, of_time, x_ticks = time_ticks(series.end)
    lines, height = place_lines([(line.name, _build_path(series, line, top * size)) for line in series.lines])
    rows = tuple(
        (
            wording.number(start / of_time),
            *(wording.number((line.values[position] or 0.0) / size) for line in series.lines),
        )
        for position, start in enumerate(series.starts)
    )
    return Chart(
        title=series.title,
        meaning=series.meaning + _describe_omission(series),
        description=_describe_chart(series, unit, size, time, of_time),
        axis=unit,
        along=f"time, {time}",
        lines=lines,
        marks=(),
        x_ticks=x_ticks,
        y_ticks=y_ticks,
        columns=(f"from, {time}", *(f"{line.name}, {unit}" for line in series.lines)),
        rows=rows,
        height=height,
        spans=spans(faults, series.end, LEFT, WIDTH - RIGHT),
    )


def _choose_unit(unit: str, highest: float) -> tuple[str, float]:
    if unit == "bytes":
        return bytes_unit(highest)
    return ("%", 0.01) if unit == "share" else (unit, 1.0)


def _build_path(series: TimeSeries, line: TimeSeriesLine, top: float) -> str:
    """A step line: a value applies to its whole interval. Points within a horizontal line are omitted."""
    points: list[tuple[float, float]] = []
    ends = (*series.starts[1:], series.end)
    for start, end, value in zip(series.starts, ends, line.values, strict=True):
        height = up(value or 0.0, top)
        start_x, end_x = across(start, 0, series.end), across(end, 0, series.end)
        if points and points[-1][1] == height:
            points[-1] = (end_x, height)
        else:
            points += [(start_x, height), (end_x, height)]
    return draw_line(points)


def _describe_omission(series: TimeSeries) -> str:
    return f" {wording.plural(series.left_out, 'more port')} with lower values not drawn." if series.left_out else ""


def _describe_chart(series: TimeSeries, unit: str, size: float, time: str, of_time: float) -> str:
    """A text alternative of the chart; every number is in the table after it."""
    descriptions = []
    for line in series.lines:
        values = [value or 0.0 for value in line.values]
        maximum = max(values)
        time_of_maximum = wording.number(series.starts[values.index(maximum)] / of_time)
        descriptions.append(f"{line.name} up to {wording.number(maximum / size)} {unit} at {time_of_maximum} {time}")
    return f"{series.title} over {wording.number(series.end / of_time)} {time}: {'; '.join(descriptions)}."
