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
    table = Table(box=None, pad_edge=False)
    table.add_column("line", justify="right", style="dim")
    has_sizes = any(size is not None for _, _, size in rows)
    has_places = any(place is not None for _, place, _ in rows)
    if has_sizes:
        table.add_column("bytes", justify="right")
    if has_places:
        table.add_column("place")
    for metric, unit in columns:
        table.add_column(f"{metric}\n{unit}", justify="right")
    for (line, place, size), cells in rows.items():
        lead = [str(line)]
        lead += [str(size) if size is not None else ""] if has_sizes else []
        lead += [escape(place or "")] if has_places else []
        table.add_row(*lead, *(cells.get(column, "") for column in columns))
    return table
