"""Campaigns in a terminal: two side by side, series over time, and what changed between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wirespeed.errors import format_first
from wirespeed.report import wording
from wirespeed.results.campaign_history import (
    Campaign,
    Changes,
    Comparison,
    Difference,
    History,
    JointChange,
    SeriesComparison,
    SeriesHistory,
    Step,
)
from wirespeed.results.series import Series

_STYLES = {
    Difference.WORSE: "bold red",
    Difference.BETTER: "green",
    Difference.CHANGED: "yellow",
    Difference.NONE: "dim",
    Difference.FEW: "magenta",
}
_PLACES = 3
_CHANGES = 20
_BARS = "▁▂▃▄▅▆▇█"
_BARS_SHOWN = 60


def campaigns(known: Sequence[Campaign], console: Console) -> None:
    """A row for each campaign, oldest first."""
    table = _table()
    for name in ("id", "logs", "runs", "failed"):
        table.add_column(name, justify="right")
    table.add_column("started")
    table.add_column("label", overflow="fold")
    table.add_column("cluster", overflow="fold")
    for campaign in known:
        numbers = (str(campaign.id), f"{campaign.logs:,}", f"{campaign.runs:,}", f"{campaign.failed:,}")
        label = campaign.label if campaign.finished else f"{campaign.label} (stored incompletely)"
        table.add_row(
            *numbers, campaign.started or "", Text(wording.line(label)), Text(wording.line(campaign.cluster or ""))
        )
    console.print(table)


def comparison(found: Comparison, console: Console, limit: int) -> None:
    """What got worse first, then better, then the rest as far as the limit goes; then what changed between."""
    for letter, campaign in (("A", found.a), ("B", found.b)):
        console.print(Text(f"{letter}  {_campaign(campaign)}"), soft_wrap=True)
    if found.series:
        console.print()
        _series_table(found.series[:limit], console)
    if len(found.series) > limit:
        console.print(f"{len(found.series) - limit:,} more series not shown (--limit, --format json)")
    console.print()
    counted = Counter(row.difference for row in found.series)
    console.print(Text("  ").join(_count(counted[name], name) for name in Difference))
    if found.noise is not None:
        console.print(f"run-to-run spread: {100 * found.noise:.2f} % (median over {len(found.series):,} series)")
    for count, letter in ((found.only_a, "A"), (found.only_b, "B")):
        if count:
            console.print(f"{count:,} series only in {letter}")
    for reason in sorted({row.reason for row in found.series if row.difference is Difference.FEW}):
        console.print(Text(f"too few values: {wording.line(reason)}"), soft_wrap=True)
    _joint_changes(found.together, console, limit)
    console.print()
    console.print(Text("changed between A and B", style="bold"))
    changes(found.changes, console)


def _joint_changes(families: Sequence[JointChange], console: Console, limit: int) -> None:
    """The measurements whose places moved together."""
    if not families:
        return
    moved = [joint for joint in families if joint.difference is not Difference.NONE]
    console.print()
    console.print(Text("all pairs of a measurement jointly", style="bold"))
    for joint in moved[:limit]:
        line = Text(f"  {series_title(joint.series)}: ")
        line.append(joint.difference.value, _STYLES[joint.difference])
        console.print(line.append(f" {moved_by(joint)}"), soft_wrap=True)
    if len(moved) > limit:
        console.print(f"  {len(moved) - limit:,} more not shown (--limit, --format json)")
    rest = len(families) - len(moved)
    if rest:
        console.print(f"  {wording.plural(rest, 'measurement')}{' more' if moved else ''}: no significant change")


def series_title(of: Series) -> str:
    """A series with its metric and size, in a line."""
    return wording.line(" ".join(filter(None, (wording.series(of), of.metric.value, wording.size(of.size_bytes)))))


def moved_by(joint: JointChange) -> str:
    """How much the places of a measurement changed together."""
    ends = f"{_format_change(joint.lowest)} to {_format_change(joint.highest)}"
    return f"by {_format_change(joint.change)}, median of {joint.places} pairs ({ends}; p = {joint.adjusted:.2g})"


def changes(found: Changes, console: Console, indent: str = "  ") -> None:
    """Each change once, with the places it was made at."""
    same = merge_changes(found)
    for name, before, after, at in same[:_CHANGES]:
        line = f"{indent}{wording.line(name)}: {wording.line(before or '')} → {wording.line(after or '')}  ({at})"
        console.print(Text(line), soft_wrap=True)
    if len(same) > _CHANGES:
        console.print(f"{indent}{len(same) - _CHANGES} more changes not shown (--format json)")
    if found.unread:
        unread = wording.plural(found.unread, "setting was", "settings were")
        console.print(f"{indent}{unread} read in only one of the two")
    for note in found.notes:
        console.print(Text(f"{indent}{wording.line(note)}"), soft_wrap=True)
    if not (found.changed or found.unread or found.notes):
        console.print(f"{indent}no change among the settings that were read")


def merge_changes(found: Changes) -> list[tuple[str, str | None, str | None, str]]:
    """Each change once: what, before, after, and a few of the places it was made at."""
    same: dict[tuple[str, str | None, str | None], list[str]] = {}
    for change in found.changed:
        same.setdefault((change.name, change.before, change.after), []).append(change.place)
    rows = []
    for (name, before, after), places in same.items():
        rows.append((name, before, after, format_first([wording.line(place) for place in places], _PLACES)))
    return rows


def history(found: History, console: Console, limit: int) -> None:
    """Each series as a line of bars with its change points below, and what changed at each."""
    known = {campaign.id: campaign for campaign in found.campaigns}
    turns = {(turn.last_before, turn.campaign): turn.changes for turn in found.turns}
    printed: set[tuple[int, int]] = set()
    for past in found.series[:limit]:
        _print_history(past, console)
        for step in past.steps:
            _step(past, step, known, console)
            stretch = (step.last_before, step.campaign)
            if stretch in printed:
                continue
            printed.add(stretch)
            console.print(Text(f"      changed since {known[step.last_before].label}:"), soft_wrap=True)
            changes(turns[stretch], console, indent=" " * 8)
    if len(found.series) > limit:
        console.print(f"{len(found.series) - limit:,} more series not shown (--limit, --format json)")
    steps = sum(bool(past.steps) for past in found.series)
    console.print(f"{wording.plural(len(found.series), 'series', 'series')}, {steps:,} with a change point")


def _campaign(campaign: Campaign) -> str:
    words_of = [
        None if campaign.id is None else f"campaign {campaign.id}",
        campaign.label,
        campaign.started,
        wording.plural(campaign.logs, "log"),
        f"{wording.plural(campaign.runs, 'run')}" + (f" ({campaign.failed} failed)" if campaign.failed else ""),
        None if campaign.finished else "stored incompletely",
    ]
    return "  ".join(wording.line(word) for word in words_of if word)


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


def _series_table(rows: Sequence[SeriesComparison], console: Console) -> None:
    """A block of lines for each series, in the order of their first ones: its name above, which has no room beside."""
    blocks: dict[str, list[SeriesComparison]] = {}
    for row in rows:
        blocks.setdefault(wording.series(row.series), []).append(row)
    cells = {name: [_cells(row) for row in block] for name, block in blocks.items()}
    widths = [
        max(map(len, column))
        for column in zip(_HEADS, *(row for block in cells.values() for row in block), strict=True)
    ]
    console.print(Text(_laid_out(_HEADS, widths), style="bold"), soft_wrap=True)
    for name, block in blocks.items():
        console.print(Text(name), soft_wrap=True)
        for row, shown in zip(block, cells[name], strict=True):
            line = Text(f"{_laid_out(shown, widths)}  ")
            console.print(line.append(row.difference.value, _STYLES[row.difference]), soft_wrap=True)


_HEADS = ("metric", "size", "median A", "runs", "median B", "runs", "change")


def _cells(row: SeriesComparison) -> tuple[str, ...]:
    a, b = row.a, row.b
    return (
        f"{row.series.metric.value} {wording.unit(row.series.unit)}",
        wording.size(row.series.size_bytes),
        *(wording.number(a.median), str(a.count), wording.number(b.median), str(b.count)),
        _format_change(row.change),
    )


def _laid_out(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return "  ".join([f"  {first[0]:<{first[1]}}", *(f"{cell:>{width}}" for cell, width in rest)])


def _count(count: int, difference: Difference) -> Text:
    return Text(f"{count:,} {difference.value}", style=_STYLES[difference] if count else "dim")


def _format_change(change: float | None) -> str:
    return "" if change is None else f"{change:+.1%}".replace("%", " %")


def _print_history(past: SeriesHistory, console: Console) -> None:
    console.print(
        Text(f"{wording.series(past.series)}  {wording.size(past.series.size_bytes)}", style="bold"), soft_wrap=True
    )
    levels = [point.median for point in past.points]
    low, high, last = (wording.number(value) for value in (min(levels), max(levels), levels[-1]))
    unit = wording.unit(past.series.unit)
    summary = f"{past.series.metric} {low} to {high} {unit}, last {last}, {wording.plural(len(levels), 'campaign')}"
    console.print(Text(f"  {_bars(levels)}  {summary}"), soft_wrap=True)


def _step(past: SeriesHistory, step: Step, known: dict[int | None, Campaign], console: Console) -> None:
    campaign = known[step.campaign]
    levels = f"{wording.number(step.before)} → {wording.number(step.after)} {wording.unit(past.series.unit)}"
    since = f"since {wording.line(campaign.label)} ({campaign.started}): {levels}, p = {step.p:.2g}"
    console.print(
        Text.assemble(
            "    ", (step.difference.value, _STYLES[step.difference]), f" {_format_change(step.change)} {since}"
        ),
        soft_wrap=True,
    )


def _bars(levels: Sequence[float]) -> str:
    """The latest levels as bars between the lowest and the highest of them."""
    shown = levels[-_BARS_SHOWN:]
    low, high = min(shown), max(shown)
    if low == high:
        return _BARS[3] * len(shown)
    return "".join(_BARS[round((level - low) / (high - low) * (len(_BARS) - 1))] for level in shown)
