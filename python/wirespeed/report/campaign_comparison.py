"""Campaigns in a terminal: comparison of two, series over time, and the changes between campaigns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wirespeed.errors import format_first
from wirespeed.report import wording
from wirespeed.report.chart import BANDWIDTHS
from wirespeed.report.crossover import Crossover, find_rank_crossovers, find_size_crossovers
from wirespeed.results.benchmarks import Metric
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
from wirespeed.results.series import COLLECTIVES, Series
from wirespeed.units import format_percent

_STYLES = {
    Difference.WORSE: "bold red",
    Difference.BETTER: "green",
    Difference.CHANGED: "yellow",
    Difference.NOT_PROVEN: "magenta",
    Difference.NONE: "dim",
    Difference.TOO_FEW_VALUES: "magenta",
}
_COARSE = frozenset({Metric.ALGBW, Metric.BUSBW})  # two decimals, also below 1 GB/s
_PLACES = 3
_CHANGES = 20
_BARS = "▁▂▃▄▅▆▇█"
_BARS_SHOWN = 60


def campaigns(stored: Sequence[Campaign], console: Console) -> None:
    """Print a row for each campaign, oldest first."""
    table = _create_table()
    for name in ("id", "logs", "runs", "failed"):
        table.add_column(name, justify="right")
    table.add_column("started")
    table.add_column("label", overflow="fold")
    table.add_column("cluster", overflow="fold")
    for campaign in stored:
        numbers = (str(campaign.id), f"{campaign.logs:,}", f"{campaign.runs:,}", f"{campaign.failed:,}")
        label = campaign.label if campaign.finished else f"{campaign.label} (stored incompletely)"
        table.add_row(
            *numbers, campaign.started or "", Text(wording.line(label)), Text(wording.line(campaign.cluster or ""))
        )
    console.print(table)


def comparison(result: Comparison, console: Console, limit: int, *, show_all: bool = False) -> None:
    """Print series that got worse, then better ones, then other changes; then settings that changed in between.

    Series without a significant change are only counted, unless ``show_all`` is set.
    """
    for letter, campaign in (("A", result.a), ("B", result.b)):
        console.print(Text(f"{letter} = {_format_campaign(campaign)}"), soft_wrap=True)
    rows = [row for row in result.series if show_all or row.difference is not Difference.NONE]
    if rows:
        console.print()
        _series_table(rows[:limit], console)
    if len(rows) > limit:
        metrics = {row.series.metric for row in rows}
        bandwidth = next((metric for metric in BANDWIDTHS if metric in metrics), None)
        metric = f"--metric {bandwidth}" if bandwidth and len(metrics) > 1 else "--metric"
        selection = f"select with {metric} or --size, or show more with --limit"
        console.print(f"{_describe_cut(len(rows) - limit)}; {selection}", soft_wrap=True)
    if len(rows) < len(result.series):
        unchanged = wording.plural(len(result.series) - len(rows), "series", "series")
        console.print(f"{unchanged} without a significant change not shown (--all)")
    console.print()
    console.print(Text("series: ").append(count_differences(result)), soft_wrap=True)
    if result.parts:
        parts = wording.plural(result.parts, "series", "series")
        console.print(f"{parts} of single streams or intervals not compared: streams of two runs are not the same")
    if result.noise is not None:
        count = sum(row.resolution is None for row in result.series)
        console.print(f"run-to-run spread: {100 * result.noise:.2f} % (median over {count:,} series)")
    for count, letter in ((result.only_a, "A"), (result.only_b, "B")):
        if count:
            console.print(f"{count:,} series only in {letter}")
    if result.unpaired is not None:
        console.print(Text(f"no series is in both: they differ in {wording.line(result.unpaired)}"), soft_wrap=True)
    for undecided in (Difference.NOT_PROVEN, Difference.TOO_FEW_VALUES):
        for reason in sorted({row.reason for row in result.series if row.difference is undecided}):
            console.print(Text(f"{undecided.value}: {wording.line(reason)}"), soft_wrap=True)
    if result.from_times:
        counted = wording.plural(result.from_times, "series", "series")
        console.print(f"bandwidths of {counted} computed from size and time, which is printed with more digits")
    rounded = sum(row.last_digit is not None for row in result.series)
    if rounded:
        counted = wording.plural(rounded, "series", "series")
        console.print(f"rounding: the values of {counted} differ by their last printed digit alone")
    _resolutions(result, console)
    _crossovers(result, console, limit)
    _joint_changes(result.joint_changes, console, limit)
    console.print()
    console.print(Text("changed between A and B", style="bold"))
    changes(result.changes, console)


def _resolutions(result: Comparison, console: Console) -> None:
    """Print how large a change may be that the printed digits do not show."""
    rows = [row for row in result.series if row.resolution is not None]
    if not rows:
        return
    counted = wording.plural(len(rows), "series", "series")
    largest = format_percent(max(row.resolution or 0.0 for row in rows))
    console.print(
        f"resolution: too few digits to show a change of {format_percent(result.at_least)} in {counted}; "
        f"the last digit is up to {largest} of the value",
        soft_wrap=True,
    )
    metrics = {row.series.metric for row in rows if row.series.tool in COLLECTIVES}
    if metrics & _COARSE and not any(row.series.metric is Metric.TIME for row in result.series):
        console.print("  hint: compare --metric time, which is printed with more digits")


def _crossovers(result: Comparison, console: Console, limit: int) -> None:
    """Print the sizes and the numbers of ranks at which the better campaign changes."""
    for crossover in list(find_size_crossovers(result.series))[:limit]:
        bounds = wording.size(crossover.last_value), wording.size(crossover.first_value)
        _crossover(crossover, bounds, result.changes, console)
    by_ranks = list(find_rank_crossovers(result.series))
    for crossover in by_ranks[:limit]:
        bounds = f"{crossover.last_value:,} ranks", f"{crossover.first_value:,}"
        _crossover(crossover, bounds, result.changes, console)
    _hint_at_hybrid(by_ranks, result.changes, console)


def _crossover(crossover: Crossover, bounds: tuple[str, str], changed: Changes, console: Console) -> None:
    services = _find_services(crossover.series, changed)
    campaign = f"B ({services[1]})" if services else "B"
    line = Text(f"crossover: {series_title(crossover.series)}: {campaign} is ")
    line.append(crossover.below.value, _STYLES[crossover.below]).append(f" up to {bounds[0]} and ")
    line.append(crossover.above.value, _STYLES[crossover.above]).append(f" from {bounds[1]} on")
    console.print(line, soft_wrap=True)


def _find_services(series: Series, changed: Changes) -> tuple[str, str] | None:
    """The transport services of both campaigns, if those of a test differ: RC and UD."""
    test = f"{series.tool} {series.test or ''}".strip()
    for change in changed.changed:
        if (change.place, change.name) == (test, _SERVICE) and change.before and change.after:
            return change.before, change.after
    return None


def _hint_at_hybrid(by_ranks: Sequence[Crossover], changed: Changes, console: Console) -> None:
    """Print the setting that selects RC or UD by the number of ranks, where UD gets better with more of them."""
    first_values = []
    for crossover in by_ranks:
        services = _find_services(crossover.series, changed)
        if services is not None and set(services) == {"RC", "UD"}:
            better = services[1] if crossover.above is Difference.BETTER else services[0]
            first_values += [crossover.first_value] if better == "UD" else []
    if not first_values:
        return
    low, high = min(first_values), max(first_values)
    ranks = f"{low:,}" if low == high else f"{low:,} to {high:,}, by measurement"
    setting = "`launch.transport: hybrid` uses UD from `launch.hybrid_from` ranks on, and RC below"
    console.print(f"  hint: {setting}; here: {ranks}", soft_wrap=True)


_SERVICE = "connection_type"
"""The parameter with the transport service of a run."""


def count_differences(result: Comparison) -> Text:
    """``4 worse, 0 better, …``: the number of series of each difference."""
    counted = Counter(row.difference for row in result.series)
    return Text(", ").join(_format_count(counted[name], name) for name in Difference)


def _joint_changes(families: Sequence[JointChange], console: Console, limit: int) -> None:
    """Print the measurements whose series changed jointly."""
    if not families:
        return
    moved = [joint for joint in families if joint.difference is not Difference.NONE]
    console.print()
    console.print(Text("joint test of all pairs of hosts of a test, metric and size", style="bold"))
    for joint in moved[:limit]:
        line = Text(f"  {series_title(joint.series)}: ")
        line.append(joint.difference.value, _STYLES[joint.difference])
        console.print(line.append(f" {describe_joint_change(joint)}"), soft_wrap=True)
    if len(moved) > limit:
        console.print(f"  {len(moved) - limit:,} more not shown (--limit, --format json)")
    unchanged = len(families) - len(moved)
    if unchanged:
        tests = wording.plural(unchanged, "other joint test" if moved else "joint test")
        console.print(f"  {tests}: no significant change")


def _describe_cut(count: int) -> str:
    """How many series a table omits, and which it shows instead."""
    return f"{count:,} more series not shown; worse series come first, then the largest changes"


def series_title(named_series: Series) -> str:
    """The title of a series with its metric and size, in one line."""
    return wording.line(
        " ".join(
            filter(
                None, (wording.series(named_series), named_series.metric.value, wording.size(named_series.size_bytes))
            )
        )
    )


def describe_joint_change(joint: JointChange) -> str:
    """How much the series of a measurement changed jointly."""
    ends = f"{_format_change(joint.lowest)} to {_format_change(joint.highest)}"
    return f"by {_format_change(joint.change)}, median of {joint.series_count} pairs ({ends}; p = {joint.adjusted:.2g})"


def changes(differences: Changes, console: Console, indent: str = "  ") -> None:
    """Print each change once, with its places."""
    merged = merge_changes(differences)
    for name, before, after, places in merged[:_CHANGES]:
        line = f"{indent}{wording.line(name)}: {wording.line(before or '')} → {wording.line(after or '')}  ({places})"
        console.print(Text(line), soft_wrap=True)
    if len(merged) > _CHANGES:
        console.print(f"{indent}{len(merged) - _CHANGES} more changes not shown (--format json)")
    if differences.unread:
        unread = wording.plural(differences.unread, "setting was", "settings were")
        console.print(f"{indent}{unread} read in only one of the two")
    for note in differences.notes:
        console.print(Text(f"{indent}{wording.line(note)}"), soft_wrap=True)
    if not (differences.changed or differences.unread or differences.notes):
        console.print(f"{indent}no change among the settings that were read")


def merge_changes(differences: Changes) -> list[tuple[str, str | None, str | None, str]]:
    """Merge equal changes: name, value before, value after, and a few of the places."""
    places_by_change: dict[tuple[str, str | None, str | None], list[str]] = {}
    for change in differences.changed:
        places_by_change.setdefault((change.name, change.before, change.after), []).append(change.place)
    rows = []
    for (name, before, after), places in places_by_change.items():
        rows.append((name, before, after, format_first([wording.line(place) for place in places], _PLACES)))
    return rows


def history(result: History, console: Console, limit: int) -> None:
    """Print the series of each test by size as lines of bars, and change points with the changes at that time."""
    campaign_by_id = {campaign.id: campaign for campaign in result.campaigns}
    turns = {(turn.last_before, turn.campaign): turn.changes for turn in result.turns}
    printed: set[tuple[int, int]] = set()
    groups: dict[tuple[str, str], list[SeriesHistory]] = {}
    for entry in result.series[:limit]:
        groups.setdefault((wording.series(entry.series), entry.series.metric.value), []).append(entry)
    for (name, _), group in groups.items():
        group.sort(key=lambda entry: entry.series.size_bytes or 0)
        _print_group(name, group, console)
        for steps in _steps_by_campaign(group):
            _print_step(steps, campaign_by_id, console, with_size=len(group) > 1)
            stretch = (steps[0][1].last_before, steps[0][1].campaign)
            if stretch in printed:
                continue
            printed.add(stretch)
            console.print(Text(f"      changed since {campaign_by_id[stretch[0]].label}:"), soft_wrap=True)
            changes(turns[stretch], console, indent=" " * 8)
    if len(result.series) > limit:
        console.print(f"{_describe_cut(len(result.series) - limit)} (--limit, --format json)", soft_wrap=True)
    changed = sum(bool(entry.steps) for entry in result.series)
    text = f"{wording.plural(len(result.series), 'series', 'series')}, {changed:,} with a change point"
    short = sum(len(entry.points) < result.fewest for entry in result.series)
    if short:
        text += f"; {short:,} with fewer campaigns than a change point needs ({result.fewest})"
    console.print(text)


def _format_campaign(campaign: Campaign) -> str:
    name = campaign.label if campaign.id is None else f"campaign {campaign.id}, {campaign.label}"
    entries = [
        campaign.started,
        wording.plural(campaign.logs, "log"),
        f"{wording.plural(campaign.runs, 'run')}" + (f" ({campaign.failed} failed)" if campaign.failed else ""),
        None if campaign.finished else "stored incompletely",
    ]
    return f"{wording.line(name)}: {', '.join(wording.line(entry) for entry in entries if entry)}"


def _create_table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


def _series_table(rows: Sequence[SeriesComparison], console: Console) -> None:
    """Print a block of lines for each series, in order; its name stands above the block, for lack of width."""
    blocks: dict[str, list[SeriesComparison]] = {}
    for row in rows:
        blocks.setdefault(wording.series(row.series), []).append(row)
    for block in blocks.values():
        block.sort(key=lambda row: (row.series.metric.value, row.series.size_bytes or 0))
    cells = {name: [_format_cells(row) for row in block] for name, block in blocks.items()}
    widths = [
        max(map(len, column))
        for column in zip(_HEADS, *(row for block in cells.values() for row in block), strict=True)
    ]
    console.print(Text(_align_cells(_HEADS, widths), style="bold"), soft_wrap=True)
    for name, block in blocks.items():
        console.print(Text(name), soft_wrap=True)
        for row, cells_of_row in zip(block, cells[name], strict=True):
            line = Text(f"{_align_cells(cells_of_row, widths)}  ")
            console.print(line.append(row.difference.value, _STYLES[row.difference]), soft_wrap=True)


_HEADS = ("metric", "size", "median A", "runs", "median B", "runs", "change")


def _format_cells(row: SeriesComparison) -> tuple[str, ...]:
    a, b = row.a, row.b
    return (
        f"{row.series.metric.value} {wording.unit(row.series.unit)}",
        wording.size(row.series.size_bytes),
        *(wording.number(a.median), str(a.count), wording.number(b.median), str(b.count)),
        "rounding" if row.last_digit is not None else _format_change(row.change),
    )


def _align_cells(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *other_cells = zip(cells, widths, strict=True)
    return "  ".join([f"  {first[0]:<{first[1]}}", *(f"{cell:>{width}}" for cell, width in other_cells)])


def _format_count(count: int, difference: Difference) -> Text:
    return Text(
        f"{count:,} {_COUNTED.get(difference, difference.value)}", style=_STYLES[difference] if count else "dim"
    )


_COUNTED = {
    Difference.CHANGED: "changed in metrics where neither higher nor lower is better",
    Difference.NONE: "without a significant change",
    Difference.TOO_FEW_VALUES: "with too few values",
}


def _format_change(change: float | None) -> str:
    return "" if change is None else format_percent(change, sign="+")


def _print_group(name: str, group: Sequence[SeriesHistory], console: Console) -> None:
    sizes = [wording.size(entry.series.size_bytes) for entry in group]
    heading = f"{name}  {sizes[0]}" if len(group) == 1 else name
    console.print(Text(heading.rstrip(), style="bold"), soft_wrap=True)
    width = max(map(len, sizes))
    for entry, size in zip(group, sizes, strict=True):
        levels = [point.median for point in entry.points]
        low, high, last = (wording.number(value) for value in (min(levels), max(levels), levels[-1]))
        unit = wording.unit(entry.series.unit)
        summary = (
            f"{entry.series.metric} {low} to {high} {unit}, last {last}, {wording.plural(len(levels), 'campaign')}"
        )
        lead = "" if len(group) == 1 else f"{size:>{width}}  "
        console.print(Text(f"  {lead}{_format_bars(levels)}  {summary}"), soft_wrap=True)


SeriesStep = tuple[SeriesHistory, Step]


def _steps_by_campaign(group: Sequence[SeriesHistory]) -> list[list[SeriesStep]]:
    """Merge the change points of a test's sizes that have the same campaign and direction."""
    merged: dict[tuple[int, int, Difference], list[SeriesStep]] = {}
    for entry in group:
        for step in entry.steps:
            merged.setdefault((step.last_before, step.campaign, step.difference), []).append((entry, step))
    return list(merged.values())


def _print_step(
    steps: Sequence[SeriesStep], campaign_by_id: dict[int | None, Campaign], console: Console, *, with_size: bool
) -> None:
    """Print ``worse -6.1 % since campaign 11 "2026-11-11": 773.3 → 726.3 Gb/s, p = 0.0076``, or a range of sizes."""
    series_history, step = steps[0]
    campaign = campaign_by_id[step.campaign]
    if len(steps) == 1:
        change = _format_change(step.change)
        size = wording.size(series_history.series.size_bytes)
        levels = (
            f"{wording.number(step.before)} → {wording.number(step.after)} {wording.unit(series_history.series.unit)}"
        )
        details = f"{f'{size}: ' if with_size and size else ''}{levels}, p = {step.p:.2g}"
    else:
        shares = sorted(step.change for _, step in steps if step.change is not None)
        change = f"{_format_change(shares[0])} to {_format_change(shares[-1])}" if shares else ""
        sizes = [wording.size(entry.series.size_bytes) for entry, _ in steps]
        details = f"{len(steps)} sizes, {sizes[0]} to {sizes[-1]}, p ≤ {max(step.p for _, step in steps):.2g}"
    line = Text.assemble(
        "    ",
        (step.difference.value, _STYLES[step.difference]),
        f" {change} since {_campaign_name(campaign)}: {details}",
    )
    console.print(line, soft_wrap=True)


def _campaign_name(campaign: Campaign) -> str:
    """``campaign 11 "night"``, with the time if the label does not contain the date."""
    started = campaign.started or ""
    time = f" ({started})" if started and campaign.label not in started else ""
    return wording.line(f'campaign {campaign.id} "{campaign.label}"{time}')


def _format_bars(levels: Sequence[float]) -> str:
    """The latest levels as bars, scaled from the lowest to the highest."""
    latest = levels[-_BARS_SHOWN:]
    low, high = min(latest), max(latest)
    if low == high:
        return _BARS[3] * len(latest)
    return "".join(_BARS[round((level - low) / (high - low) * (len(_BARS) - 1))] for level in latest)
