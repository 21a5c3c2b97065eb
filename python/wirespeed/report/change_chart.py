"""The geometry of a comparison: each series before and after, as fractions of its median before."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.report import wording
from wirespeed.report.chart import Tick, round_values
from wirespeed.results.campaign_history import Comparison, Difference, SeriesComparison, Summary

MAX_ROWS = 24
"""Maximum number of series that are drawn, the most notable first; the table contains all."""

_WIDTH, _ROW, _TOP, _BOTTOM = 640, 46, 24, 26  # above and below are the labels of the axis
_EDGE = 6
_LEAST_SPAN = 0.02  # minimum range of the axis; with a smaller one, noise would look large

STATUS = {
    Difference.WORSE: "fail",
    Difference.BETTER: "pass",
    Difference.CHANGED: "warn",
    Difference.NOT_PROVEN: "unknown",
    Difference.NONE: "skip",
    Difference.TOO_FEW_VALUES: "unknown",
}


@dataclass(frozen=True, slots=True)
class Side:
    """A campaign's values: from lowest to highest, and their median."""

    low: float
    high: float
    median: float


@dataclass(frozen=True, slots=True)
class Row:
    """A series."""

    y: int
    label: str
    title: str
    status: str
    before: Side
    after: Side


@dataclass(frozen=True, slots=True)
class ComparisonChart:
    """The chart."""

    description: str
    rows: tuple[Row, ...]
    ticks: tuple[Tick, ...]
    baseline_x: float  # position of the median of A
    height: int
    width: int = _WIDTH


def draw(comparison: Comparison) -> ComparisonChart | None:
    """Draw the first series; None if no median of A is above 0."""
    drawn_series = [row for row in comparison.series if row.a.median > 0][:MAX_ROWS]
    if not drawn_series:
        return None
    every = [
        value / row.a.median for row in drawn_series for side in (row.a, row.b) for value in (side.lowest, side.highest)
    ]
    low, high = min([*every, 1.0]), max([*every, 1.0])
    low, high = min(low, 1 - _LEAST_SPAN), max(high, 1 + _LEAST_SPAN)

    def x(fraction: float) -> float:
        return round(_EDGE + (fraction - low) / (high - low) * (_WIDTH - 2 * _EDGE), 1)

    def side(summary: Summary, base: float) -> Side:
        return Side(x(summary.lowest / base), x(summary.highest / base), x(summary.median / base))

    rows = tuple(
        Row(
            _TOP + number * _ROW,
            f"{wording.series(row.series)} {row.series.metric.value} {wording.size(row.series.size_bytes)}".strip(),
            _format_tooltip(row),
            STATUS[row.difference],
            side(row.a, row.a.median),
            side(row.b, row.a.median),
        )
        for number, row in enumerate(drawn_series)
    )
    changes = _list_changes(low - 1, high - 1)
    texts = wording.level_labels([100 * change for change in changes])
    ticks = tuple(
        Tick(x(1 + change), f"{'+' if change > 0 else ''}{text} %") for change, text in zip(changes, texts, strict=True)
    )
    worst = sum(row.difference is Difference.WORSE for row in comparison.series)
    better = sum(row.difference is Difference.BETTER for row in comparison.series)
    description = f"{wording.plural(len(comparison.series), 'series', 'series')}: {worst} worse, {better} better."
    return ComparisonChart(description, rows, ticks, x(1.0), _TOP + len(rows) * _ROW + _BOTTOM)


def _list_changes(low: float, high: float) -> list[float]:
    """Ticks at round changes on both sides of zero."""
    return sorted(
        {sign * step for step in round_values(max(-low, high)) for sign in (-1, 1) if low <= sign * step <= high}
    )


def _format_tooltip(row: SeriesComparison) -> str:
    unit = wording.unit(row.series.unit)
    change = "" if row.change is None else f", {100 * row.change:+.1f} %"
    p = "" if row.adjusted is None else f", p = {row.adjusted:.2g}"
    return (
        f"{wording.number(row.a.median)} → {wording.number(row.b.median)} {unit}{change}, {row.difference.value}"
        f" ({row.a.count} and {row.b.count} values{p})"
    )
