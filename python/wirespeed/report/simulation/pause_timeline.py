"""Timelines of pauses, one per port."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.report import wording
from wirespeed.report.chart import Tick
from wirespeed.report.simulation.axes import Span, shorten, time_ticks
from wirespeed.report.simulation.color_scale import shade
from wirespeed.report.simulation.fault_intervals import spans
from wirespeed.results.simulation_types import Fault
from wirespeed.results.simulation_view import Network, PauseSummary

_WIDTH, _LEFT, _RIGHT = 1160, 210, 14
_ROW, _TOP = 20, 6
_NUMBERS = 14
"""Height of the numbers of faults."""
_LETTERS = 28


@dataclass(frozen=True, slots=True)
class Cell:
    """An interval with one shade."""

    x: float
    width: float
    shade: str


@dataclass(frozen=True, slots=True)
class Row:
    """A port."""

    y: int
    name: str
    title: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class PauseTimelines:
    """The data of the template."""

    rows: tuple[Row, ...]
    x_ticks: tuple[Tick, ...]
    along: str
    description: str
    height: int
    left_out: int
    spans: tuple[Span, ...]
    top: int
    left: int = _LEFT
    right: int = _WIDTH - _RIGHT
    width: int = _WIDTH
    thick: int = _ROW - 5


def draw_timelines(
    pauses: PauseSummary, network: Network, end: int, faults: Sequence[Fault] = ()
) -> PauseTimelines | None:
    """Draw the timelines; None if no port was paused."""
    if not pauses.timelines:
        return None
    totals = {port.port: port.total_ps for port in pauses.ports}
    fault_spans = spans(faults, end, _LEFT, _WIDTH - _RIGHT)
    top = _TOP + (_NUMBERS if fault_spans else 0)
    rows = []
    for number, stripe in enumerate(pauses.timelines):
        name = network.port_names[stripe.port]
        title = f"{name}: paused {wording.percent(totals[stripe.port] / end) if end else '0 %'} of the run"
        rows.append(Row(top + number * _ROW, shorten(name, _LETTERS), title, _merge_cells(stripe.shares)))
    unit, _, ticks = time_ticks(end)
    scale = (_WIDTH - _LEFT - _RIGHT) / (640 - 62 - 14)
    ticks = tuple(Tick(round(_LEFT + (tick.position - 62) * scale, 1), tick.label) for tick in ticks)
    longest = "; ".join(row.title for row in rows[:5])
    return PauseTimelines(
        tuple(rows),
        ticks,
        f"time, {unit}",
        f"{longest}.",
        top + len(rows) * _ROW + 40,
        len(pauses.ports) - len(rows),
        fault_spans,
        top,
    )


def _merge_cells(shares: tuple[float, ...]) -> tuple[Cell, ...]:
    """Merge neighbouring intervals with the same shade."""
    step = (_WIDTH - _LEFT - _RIGHT) / len(shares)
    cells: list[Cell] = []
    start = 0
    for position in range(1, len(shares) + 1):
        if position == len(shares) or shade(shares[position]) != shade(shares[start]):
            if shares[start] > 0:
                cells.append(
                    Cell(round(_LEFT + start * step, 1), round((position - start) * step, 1), shade(shares[start]))
                )
            start = position
    return tuple(cells)
