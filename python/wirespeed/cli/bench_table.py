"""Runs as tables: one per run, a row per message size, place and line."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from wirespeed.cli.console import out
from wirespeed.results.benchmarks import Measurement, Run, RunStatus

_COLOURS = {RunStatus.COMPLETE: "green", RunStatus.TRUNCATED: "yellow", RunStatus.FAILED: "red"}


def show(run: Run) -> None:
    """Print one run."""
    words = [run.tool, run.version, run.test, f"{run.ranks} ranks" if run.ranks is not None else None]
    title = " ".join(escape(word) for word in words if word)
    out().print(f"[bold]{title}[/]  [{_COLOURS[run.status]}]{run.status.value}[/]", soft_wrap=True)
    if run.error:
        out().print(f"  {escape(run.error)}", soft_wrap=True)
    for line in _causes(run):
        out().print(f"  {line}", soft_wrap=True)
    if run.parameters:
        settings = "  ".join(f"{name}={value}" for name, value in run.parameters.items())
        out().print(f"  [dim]{escape(settings)}[/]", soft_wrap=True)
    if run.measurements:
        out().print(_table(run.measurements))
    out().print()


def _causes(run: Run) -> list[str]:
    """The failures that cause the run's error, likeliest first."""
    if not run.failures:
        return []
    from wirespeed.catalogue import load

    known = load().failures
    return [
        "likely causes, see wirespeed explain ID:",
        *(f"  [bold]{name:<8}[/] {escape(known[name].title)}" for name in run.failures),
    ]


def _table(measurements: tuple[Measurement, ...]) -> Table:
    columns = list(dict.fromkeys((one.metric, one.unit) for one in measurements))
    rows: dict[tuple[int, str | None, int | None], dict[tuple[str, str], str]] = {}
    for one in measurements:
        rows.setdefault((one.line, one.place, one.size_bytes), {})[(one.metric, one.unit)] = str(one.value)
    filled = sum(len(cells) for cells in rows.values())
    if len(columns) > _FEW and filled < _SPARSE * len(columns) * len(rows):
        return _list(measurements)
    table, has_sizes, has_places = _start(measurements)
    for metric, unit in columns:
        words = metric.replace("_", "\n")
        table.add_column(f"{words}\n{unit}", justify="right")
    for (line, place, size), cells in rows.items():
        lead = _lead(line, size, place, has_sizes, has_places)
        table.add_row(*lead, *(cells.get(column, "") for column in columns))
    return table


_FEW = 3  # columns that fit however empty they are
_SPARSE = 0.5  # of the cells: below, most of a table would be empty


def _list(measurements: tuple[Measurement, ...]) -> Table:
    """A row per number, for reports whose lines measure each something else."""
    table, has_sizes, has_places = _start(measurements)
    table.add_column("metric")
    table.add_column("value", justify="right")
    table.add_column("unit")
    for one in measurements:
        lead = _lead(one.line, one.size_bytes, one.place, has_sizes, has_places)
        table.add_row(*lead, one.metric, str(one.value), one.unit)
    return table


def _start(measurements: tuple[Measurement, ...]) -> tuple[Table, bool, bool]:
    """A table with the columns before the numbers, and whether sizes and places are among them."""
    has_sizes = any(one.size_bytes is not None for one in measurements)
    has_places = any(one.place is not None for one in measurements)
    table = Table(box=None, pad_edge=False)
    table.add_column("line", justify="right", style="dim")
    if has_sizes:
        table.add_column("bytes", justify="right")
    if has_places:
        table.add_column("place", overflow="fold")
    return table, has_sizes, has_places


def _lead(line: int, size: int | None, place: str | None, has_sizes: bool, has_places: bool) -> list[str]:
    lead = [str(line)]
    lead += [str(size) if size is not None else ""] if has_sizes else []
    return lead + ([escape(place or "")] if has_places else [])
