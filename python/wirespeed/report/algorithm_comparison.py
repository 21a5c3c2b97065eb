"""Comparison of congestion-control algorithms in a terminal and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from wirespeed.report import wording
from wirespeed.report.parameter_changes import describe_changes
from wirespeed.results.algorithm_comparison import Change, Comparison, Run

_TIMES = ("mean", "p50", "p99", "max")
_COLUMNS = (
    ("algorithm", ""),
    ("flows", ""),
    ("mean", "µs"),
    ("p50", "µs"),
    ("p99", "µs"),
    ("max", "µs"),
    ("PFC", "pauses"),
    ("ECN", "marks"),
    ("CNPs", ""),
    ("lost", ""),
    ("retrans-", "missions"),
    ("max queue", "MiB"),
    ("goodput", "Gb/s"),
    ("fairness", "(Jain)"),
)
"""Column headings, each in two lines."""
_COMMON = {1: "{} flows completed", 6: "{} PFC pauses", 7: "{} ECN marks", 8: "{} CNPs", 9: "{} packets lost"} | {
    10: "{} retransmissions"
}
"""Columns that are omitted if all runs have the same value, and their content."""
_UNCONTROLLED = "line-rate"


def table(comparison: Comparison, console: Console) -> None:
    """A table for each scenario; lines are never wrapped."""
    for name, runs in groupby(comparison.runs, key=lambda run: run.scenario):
        conditions = f"  preset {comparison.preset}, seed {comparison.seed}"
        console.print(Text.assemble((wording.line(name), "bold"), conditions), soft_wrap=True)
        rows = list(runs)
        for line in _format_lines(rows):
            console.print(line, soft_wrap=True)
        for note in _list_notes(rows):
            console.print(note, soft_wrap=True)


def _format_lines(runs: list[Run]) -> Iterator[Text]:
    """Format the header and a line for each run; the algorithm is left-aligned, numbers are right-aligned."""
    rows = [tuple(_format_cells(run)) for run in runs]
    common = _find_common_columns(rows)
    columns = [column for column in range(len(_COLUMNS)) if column not in common]
    cells = [[row[column] for column in columns] for row in (*zip(*_COLUMNS, strict=True), *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells, -2):
        line = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        bad = number >= 0 and (runs[number].failed > 0 or not runs[number].complete)
        yield Text("  " + "  ".join(line).rstrip(), style="dim" if number < 0 else "red" if bad else "")
    if common:
        yield Text("  all runs: " + ", ".join(_COMMON[column].format(rows[0][column]) for column in sorted(common)))


def _find_common_columns(rows: list[tuple[str, ...]]) -> set[int]:
    """Columns of `_COMMON` with the same value in several rows; except flows if some are not completed."""
    constant = {column for column in _COMMON if len(rows) > 1 and len({row[column] for row in rows}) == 1}
    completed, _, flows = rows[0][1].partition("/")
    return constant if completed == flows else constant - {1}


def _format_cells(run: Run) -> Iterator[str]:
    yield run.algorithm
    yield f"{run.completed:,}/{run.flows:,}"
    for name in _TIMES:
        yield f"{getattr(run.fct_us, name):,.1f}" if run.fct_us else "-"
    for count in (run.pfc_pauses, run.ecn_marks, run.cnps, run.drops + run.losses, run.retransmissions):
        yield f"{count:,}"
    yield f"{run.max_queue_bytes / 2**20:,.3f}"
    yield "-" if run.goodput_gbps is None else f"{run.goodput_gbps:,.2f}"
    yield "-" if run.jain is None else f"{run.jain:.3f}"


def _list_notes(runs: Sequence[Run]) -> Iterator[Text]:
    """Changed parameters, warnings and flows that did not complete; equal notes of several algorithms appear once."""
    changed: dict[tuple[str, ...], list[str]] = {}
    warned: dict[str, list[str]] = {}
    unfinished: dict[str, list[str]] = {}
    for run in runs:
        changed.setdefault(tuple(describe_changes(run.changes)), []).append(run.algorithm)
        for warning in run.warnings:
            warned.setdefault(warning, []).append(run.algorithm)
        if not run.complete:
            yield Text(f"  {run.algorithm} was interrupted", style="dim")
        for reason in _list_unfinished(run):
            unfinished.setdefault(reason, []).append(run.algorithm)
    if any(run.algorithm == _UNCONTROLLED for run in runs):
        yield Text(f"  {_UNCONTROLLED}: no congestion control, senders keep the line rate", style="dim")
    for reason, algorithms in unfinished.items():
        yield Text(f"  {', '.join(algorithms)}: {reason}", style="yellow")
    for changes, algorithms in changed.items():
        if changes:
            yield Text(f"  changed for {', '.join(algorithms)}:", style="dim")
        for change in changes:
            yield Text(f"    {change}", style="dim")
    for warning, algorithms in warned.items():
        yield Text(f"  warning for {', '.join(algorithms)}: {warning}", style="yellow")


def _list_unfinished(run: Run) -> Iterator[str]:
    """How many flows failed, and how many were in progress at the end."""
    if run.failed:
        yield f"{run.failed:,} of {wording.plural(run.flows, 'flow')} failed"
    if run.unfinished:
        end = "--until stopped the run; give a later time" if run.complete else "the run was interrupted"
        yield f"{run.unfinished:,} of {wording.plural(run.flows, 'flow')} in progress when {end}"


def _format_compact(value: Any) -> str:
    """Format a value as in a scenario, but text without quotes."""
    return value if isinstance(value, str) else json.dumps(value)


def to_csv(comparison: Comparison) -> str:
    """Format a line for each run; a field without a value is empty."""
    names = [name for name in Run.__slots__ if name not in ("fct_us", "changes", "warnings")]
    times = [f"fct_{time}_us" for time in (*_TIMES, "min")]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["preset", "seed", *names, *times, "changes", "warnings"])
    for run in comparison.runs:
        measured: list[Any] = [getattr(run.fct_us, time, None) for time in (*_TIMES, "min")]
        changes, values = map(_format_change, run.changes), (getattr(run, name) for name in names)
        notes = (" ".join(changes), "; ".join(run.warnings))
        writer.writerow([comparison.preset, comparison.seed, *map(_simplify_value, values), *measured, *notes])
    return file.getvalue()


def _format_change(change: Change) -> str:
    """Such as ``marking.kmax_bytes=1600000->400000``."""
    before, after = ("|".join(map(_format_compact, values)) for values in (change.before, change.after))
    return f"{'devices.' if change.single_devices else ''}{change.parameter}={before}->{after}"


def _simplify_value(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value
