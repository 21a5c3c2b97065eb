"""Intervals of a time axis with active faults. A fault that is active all the time has none."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.report.simulation.axes import Span
from wirespeed.results.simulation_types import Fault

_NEAR = 16
"""Numbers that would be nearer to each other than this share one label."""


def spans(faults: Sequence[Fault], end_ps: int, left_edge: int, right_edge: int) -> tuple[Span, ...]:
    """Intervals of faults that begin or end during the run, between both edges of the axis, in order."""
    end = end_ps / 1e6
    intervals: list[tuple[float, int, float]] = []
    for number, entry in enumerate(faults, 1):
        end_us = end if entry.until_us is None else min(entry.until_us, end)
        if entry.start_us < end_us and (entry.start_us > 0 or end_us < end):
            x, width = (value / end * (right_edge - left_edge) for value in (entry.start_us, end_us - entry.start_us))
            intervals.append((round(left_edge + x, 1), number, round(max(width, 1.0), 1)))
    labels: list[tuple[float, str]] = []
    for x, number, _ in sorted(intervals):
        if labels and x - labels[-1][0] < _NEAR:
            labels[-1] = (labels[-1][0], f"{labels[-1][1]}, {number}")
        else:
            labels.append((x, str(number)))
    label_at = dict(labels)
    return tuple(Span(x, width, label_at.pop(x, "")) for x, _, width in sorted(intervals))
