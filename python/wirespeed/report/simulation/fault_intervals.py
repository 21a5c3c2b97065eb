"""When faults were there, as stretches of a time axis. One that is there all the time needs none."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.report.simulation.axes import Span
from wirespeed.results.simulation_types import Fault

_NEAR = 16
"""Numbers that would begin nearer to each other than this stand in one label."""


def spans(faults: Sequence[Fault], end_ps: int, left: int, right: int) -> tuple[Span, ...]:
    """Those that begin or end while the run goes on, between the left and the right of the axis, first to last."""
    end = end_ps / 1e6
    found: list[tuple[float, int, float]] = []
    for number, one in enumerate(faults, 1):
        until = end if one.until_us is None else min(one.until_us, end)
        if one.start_us < until and (one.start_us > 0 or until < end):
            x, width = (value / end * (right - left) for value in (one.start_us, until - one.start_us))
            found.append((round(left + x, 1), number, round(max(width, 1.0), 1)))
    labels: list[tuple[float, str]] = []
    for x, number, _ in sorted(found):
        if labels and x - labels[-1][0] < _NEAR:
            labels[-1] = (labels[-1][0], f"{labels[-1][1]}, {number}")
        else:
            labels.append((x, str(number)))
    said = dict(labels)
    return tuple(Span(x, width, said.pop(x, "")) for x, _, width in sorted(found))
