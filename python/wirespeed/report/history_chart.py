"""The geometry of a history: a series over campaigns, with the levels between its change points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wirespeed.report import wording
from wirespeed.report.chart import Tick, draw_line, round_values
from wirespeed.results.campaign_history import Campaign, Difference, History, SeriesHistory, Step

_Campaigns = Mapping[int | None, Campaign]

MAX_SERIES = 12
"""Maximum number of series that are drawn, the most notable first; the JSON contains all."""

_WIDTH, _HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 16, 26, 34
_LABELS = 6


@dataclass(frozen=True, slots=True)
class Dot:
    """The median of a campaign, and the range of its values."""

    x: float
    y: float
    low: float
    high: float
    title: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A change point: its position, its number, and the level on each side."""

    x: float
    number: int
    worse: bool
    before: tuple[float, float, float]  # from, to, height
    after: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """One series."""

    title: str
    axis: str
    description: str
    path: str
    dots: tuple[Dot, ...]
    turns: tuple[Turn, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    width: int = _WIDTH
    height: int = _HEIGHT
    left: int = _LEFT
    right: int = _WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = _HEIGHT - _BOTTOM


def draw(history: History) -> tuple[Line, ...]:
    """Draw the first series, each as a line."""
    names = {campaign.id: campaign for campaign in history.campaigns}
    numbers = turn_numbers(history)
    return tuple(_build_line(entry, names, numbers) for entry in history.series[:MAX_SERIES])


def turn_numbers(history: History) -> dict[tuple[int, int], int]:
    """A number for each pair of campaigns with a change between them, which connects picture and text."""
    turns = sorted({(step.last_before, step.campaign) for entry in history.series[:MAX_SERIES] for step in entry.steps})
    order = {campaign.id: number for number, campaign in enumerate(history.campaigns)}
    turns.sort(key=lambda turn: (order.get(turn[1], 0), order.get(turn[0], 0)))
    return {turn: number for number, turn in enumerate(turns, start=1)}


def _build_line(history: SeriesHistory, names: _Campaigns, numbers: Mapping[tuple[int, int], int]) -> Line:
    points = history.points
    low, high = min(point.lowest for point in points), max(point.highest for point in points)
    bottom, top, ticks = _choose_axis(low, high)

    def x(number: int) -> float:
        return round(_LEFT + (number + 0.5) / len(points) * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(value: float) -> float:
        return round(_HEIGHT - _BOTTOM - (value - bottom) / (top - bottom) * (_HEIGHT - _TOP - _BOTTOM), 1)

    positions = {point.campaign: number for number, point in enumerate(points)}
    unit = wording.unit(history.series.unit)
    dots = tuple(
        Dot(
            x(number),
            y(point.median),
            y(point.lowest),
            y(point.highest),
            f"{_format_label(names, point.campaign)}: {wording.number(point.median)} {unit}"
            + (f", {wording.number(point.lowest)} to {wording.number(point.highest)}" if point.count > 1 else ""),
        )
        for number, point in enumerate(points)
    )
    every = -(-len(points) // _LABELS)
    title = f"{wording.series(history.series)} {wording.size(history.series.size_bytes)}".strip()
    return Line(
        title,
        f"{history.series.metric.value} in {unit}",
        _describe_series(history, title),
        draw_line((dot.x, dot.y) for dot in dots),
        dots,
        _build_turns(history, positions, numbers, x, y),
        tuple(
            Tick(x(n), _format_label(names, point.campaign)[:16]) for n, point in enumerate(points) if n % every == 0
        ),
        tuple(Tick(y(value), text) for value, text in zip(ticks, wording.level_labels(ticks), strict=True)),
    )


def _build_turns(
    history: SeriesHistory,
    positions: Mapping[int, int],
    numbers: Mapping[tuple[int, int], int],
    x: Callable[[int], float],
    y: Callable[[float], float],
) -> tuple[Turn, ...]:
    turns = []
    edges = [0, *(positions[step.campaign] for step in history.steps), len(history.points)]
    for number, step in enumerate(history.steps):
        start, change, end = edges[number : number + 3]
        turns.append(
            Turn(
                round((x(change - 1) + x(change)) / 2, 1),
                numbers[step.last_before, step.campaign],
                step.difference is Difference.WORSE,
                (x(start), x(change - 1), y(step.before)),
                (x(change), x(end - 1), y(step.after)),
            )
        )
    return tuple(turns)


def label(history: History, campaign: int) -> str:
    """The label of a campaign."""
    return _format_label({stored.id: stored for stored in history.campaigns}, campaign)


def _format_label(names: _Campaigns, campaign: int) -> str:
    stored = names.get(campaign)
    return wording.line(stored.label) if stored else str(campaign)


def _choose_axis(low: float, high: float) -> tuple[float, float, list[float]]:
    """An axis around the values with round ticks, on which a drift of a few percent is visible."""
    span = high - low or abs(high) * 0.02 or 1.0
    bottom, top = low - 0.15 * span, high + 0.15 * span
    step = round_values(top - bottom)[1]
    first = -(-bottom // step)
    ticks = []
    while first * step <= top:
        ticks.append(round(first * step, 12))
        first += 1
    return bottom, top, ticks


def _describe_series(history: SeriesHistory, title: str) -> str:
    campaigns, changes = wording.plural(len(history.points), "campaign"), wording.plural(len(history.steps), "change")
    return f"{title}: {campaigns}, {changes} of level."


def describe_step(step: Step, history: SeriesHistory) -> str:
    """Describe a change point."""
    change = "" if step.change is None else f" {100 * step.change:+.1f} %,"
    unit = wording.unit(history.series.unit)
    levels = f"{wording.number(step.before)} → {wording.number(step.after)} {unit}"
    return f"{step.difference.value}{change} {levels}, p = {step.p:.2g}"
