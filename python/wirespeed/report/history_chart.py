"""The geometry of a history: a series over campaigns, with the levels between its change points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wirespeed.report import wording
from wirespeed.report.chart import Tick, line_of, vertical
from wirespeed.results.campaign_history import Campaign, Difference, History, SeriesHistory, Step

_Campaigns = Mapping[int | None, Campaign]

MAX_SERIES = 12
"""Series that are drawn, the most notable first; the JSON has all."""

_WIDTH, _HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 16, 26, 34
_LABELS = 6


@dataclass(frozen=True, slots=True)
class Dot:
    """A campaign's median, and from where to where its values go."""

    x: float
    y: float
    low: float
    high: float
    title: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A change point: where it stands, its number, and the level on each side of it."""

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


def draw(found: History) -> tuple[Line, ...]:
    """The first series, each as a line."""
    names = {campaign.id: campaign for campaign in found.campaigns}
    numbers = turn_numbers(found)
    return tuple(_line(past, names, numbers) for past in found.series[:MAX_SERIES])


def turn_numbers(found: History) -> dict[tuple[int, int], int]:
    """A number for each pair of campaigns that a level changed between, by which picture and text are joined."""
    places = sorted({(step.last_before, step.campaign) for past in found.series[:MAX_SERIES] for step in past.steps})
    order = {campaign.id: number for number, campaign in enumerate(found.campaigns)}
    places.sort(key=lambda place: (order.get(place[1], 0), order.get(place[0], 0)))
    return {place: number for number, place in enumerate(places, start=1)}


def _line(past: SeriesHistory, names: _Campaigns, numbers: Mapping[tuple[int, int], int]) -> Line:
    points = past.points
    low, high = min(point.lowest for point in points), max(point.highest for point in points)
    bottom, top, ticks = _axis(low, high)

    def x(number: int) -> float:
        return round(_LEFT + (number + 0.5) / len(points) * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(value: float) -> float:
        return round(_HEIGHT - _BOTTOM - (value - bottom) / (top - bottom) * (_HEIGHT - _TOP - _BOTTOM), 1)

    place = {point.campaign: number for number, point in enumerate(points)}
    unit = wording.unit(past.series.unit)
    dots = tuple(
        Dot(
            x(number),
            y(point.median),
            y(point.lowest),
            y(point.highest),
            f"{_label(names, point.campaign)}: {wording.number(point.median)} {unit}"
            + (f", {wording.number(point.lowest)} to {wording.number(point.highest)}" if point.count > 1 else ""),
        )
        for number, point in enumerate(points)
    )
    every = -(-len(points) // _LABELS)
    title = f"{wording.series(past.series)} {wording.size(past.series.size_bytes)}".strip()
    return Line(
        title,
        f"{past.series.metric.value} in {unit}",
        _description(past, title),
        line_of((dot.x, dot.y) for dot in dots),
        dots,
        _turns(past, place, numbers, x, y),
        tuple(Tick(x(n), _label(names, point.campaign)[:16]) for n, point in enumerate(points) if n % every == 0),
        tuple(Tick(y(value), wording.plain(value)) for value in ticks),
    )


def _turns(
    past: SeriesHistory,
    place: Mapping[int, int],
    numbers: Mapping[tuple[int, int], int],
    x: Callable[[int], float],
    y: Callable[[float], float],
) -> tuple[Turn, ...]:
    found = []
    edges = [0, *(place[step.campaign] for step in past.steps), len(past.points)]
    for number, step in enumerate(past.steps):
        start, at, end = edges[number : number + 3]
        found.append(
            Turn(
                round((x(at - 1) + x(at)) / 2, 1),
                numbers[step.last_before, step.campaign],
                step.difference is Difference.WORSE,
                (x(start), x(at - 1), y(step.before)),
                (x(at), x(end - 1), y(step.after)),
            )
        )
    return tuple(found)


def label(found: History, campaign: int) -> str:
    """What a campaign is called."""
    return _label({stored.id: stored for stored in found.campaigns}, campaign)


def _label(names: _Campaigns, campaign: int) -> str:
    stored = names.get(campaign)
    return wording.line(stored.label) if stored else str(campaign)


def _axis(low: float, high: float) -> tuple[float, float, list[float]]:
    """An axis around the values, with round ticks: a drift of a few percent is to be seen."""
    span = high - low or abs(high) * 0.02 or 1.0
    bottom, top = low - 0.15 * span, high + 0.15 * span
    _, steps = vertical(top - bottom)
    step = steps[1]
    first = -(-bottom // step)
    ticks = []
    while first * step <= top:
        ticks.append(round(first * step, 12))
        first += 1
    return bottom, top, ticks


def _description(past: SeriesHistory, title: str) -> str:
    campaigns, changes = wording.plural(len(past.points), "campaign"), wording.plural(len(past.steps), "change")
    return f"{title}: {campaigns}, {changes} of level."


def describe_step(step: Step, past: SeriesHistory) -> str:
    """A change point in words."""
    change = "" if step.change is None else f" {100 * step.change:+.1f} %,"
    unit = wording.unit(past.series.unit)
    levels = f"{wording.number(step.before)} → {wording.number(step.after)} {unit}"
    return f"{step.difference.value}{change} {levels}, p = {step.p:.2g}"
