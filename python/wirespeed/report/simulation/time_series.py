"""Courses over time as charts."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.report import wording
from wirespeed.report.chart import line_of
from wirespeed.report.simulation.axes import (
    LEFT,
    RIGHT,
    WIDTH,
    Chart,
    across,
    bytes_unit,
    drawn,
    level_ticks,
    time_ticks,
    up,
)
from wirespeed.report.simulation.fault_intervals import spans
from wirespeed.results.simulation_types import Fault
from wirespeed.results.simulation_view import Course, Line


def chart(course: Course, faults: Sequence[Fault] = ()) -> Chart | None:
    """None where there is nothing to draw."""
    highest = max((value for line in course.lines for value in line.values if value is not None), default=0.0)
    if highest <= 0:
        return None
    unit, size = _unit(course.unit, highest)
    if course.unit == "share" and highest > 0.5:
        highest = 1.0  # the whole link is the measure
    top, y_ticks = level_ticks(highest / size, wording.plain)
    time, of_time, x_ticks = time_ticks(course.end)
    lines, height = drawn([(line.name, _path(course, line, top * size)) for line in course.lines])
    rows = tuple(
        (wording.number(start / of_time), *(wording.number((line.values[at] or 0.0) / size) for line in course.lines))
        for at, start in enumerate(course.starts)
    )
    return Chart(
        title=course.title,
        meaning=course.meaning + _left_out(course),
        description=_description(course, unit, size, time, of_time),
        axis=unit,
        along=f"time, {time}",
        lines=lines,
        marks=(),
        x_ticks=x_ticks,
        y_ticks=y_ticks,
        columns=(f"from, {time}", *(f"{line.name}, {unit}" for line in course.lines)),
        rows=rows,
        height=height,
        spans=spans(faults, course.end, LEFT, WIDTH - RIGHT),
    )


def _unit(unit: str, highest: float) -> tuple[str, float]:
    if unit == "bytes":
        return bytes_unit(highest)
    return ("%", 0.01) if unit == "share" else (unit, 1.0)


def _path(course: Course, line: Line, top: float) -> str:
    """Steps: a value stands for its whole stretch. Points within a level line are left out."""
    points: list[tuple[float, float]] = []
    ends = (*course.starts[1:], course.end)
    for start, end, value in zip(course.starts, ends, line.values, strict=True):
        height = up(value or 0.0, top)
        left, right = across(start, 0, course.end), across(end, 0, course.end)
        if points and points[-1][1] == height:
            points[-1] = (right, height)
        else:
            points += [(left, height), (right, height)]
    return line_of(points)


def _left_out(course: Course) -> str:
    return f" {wording.plural(course.left_out, 'more port')} with lower values not drawn." if course.left_out else ""


def _description(course: Course, unit: str, size: float, time: str, of_time: float) -> str:
    """What the picture shows, for those who do not see it; every number is in the table after it."""
    said = []
    for line in course.lines:
        known = [value or 0.0 for value in line.values]
        most = max(known)
        at = wording.number(course.starts[known.index(most)] / of_time)
        said.append(f"{line.name} up to {wording.number(most / size)} {unit} at {at} {time}")
    return f"{course.title} over {wording.number(course.end / of_time)} {time}: {'; '.join(said)}."
