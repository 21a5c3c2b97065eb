"""Comparison of congestion-control algorithms in a terminal and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from wirespeed.report import wording
from wirespeed.results.algorithm_comparison import Comparison, Run

_TIMES = ("mean", "p50", "p99", "max")
_COUNTS = ("PFC pauses", "ECN marks", "CNPs", "lost", "retransmissions")
_HEADER = ("algorithm", "flows", *(f"{time} µs" for time in _TIMES), *_COUNTS, "max queue MiB", "goodput Gb/s", "Jain")


def table(comparison: Comparison, console: Console) -> None:
    """A table for each scenario; lines are never wrapped."""
    for name, runs in groupby(comparison.runs, key=lambda run: run.scenario):
        conditions = f"  preset {comparison.preset}, seed {comparison.seed}"
        console.print(Text.assemble((wording.line(name), "bold"), conditions), soft_wrap=True)
        rows = list(runs)
        for line in _lines(rows):
            console.print(line, soft_wrap=True)
        for note in _notes(rows):
            console.print(Text(f"  {note}", style="dim"), soft_wrap=True)


def _lines(runs: list[Run]) -> Iterator[Text]:
    """The header and a line for each run, with the algorithm at the left and numbers at the right of their columns."""
    cells = [_HEADER, *(tuple(_cells(run)) for run in runs)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        line = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        bad = number > 0 and (runs[number - 1].failed > 0 or not runs[number - 1].complete)
        yield Text("  " + "  ".join(line), style="dim" if number == 0 else "red" if bad else "")


def _cells(run: Run) -> Iterator[str]:
    yield run.algorithm
    yield f"{run.completed:,}/{run.flows:,}"
    for name in _TIMES:
        yield f"{getattr(run.fct_us, name):,.1f}" if run.fct_us else "-"
    for count in (run.pfc_pauses, run.ecn_marks, run.cnps, run.drops + run.losses, run.retransmissions):
        yield f"{count:,}"
    yield f"{run.max_queue_bytes / 2**20:,.3f}"
    yield "-" if run.goodput_gbps is None else f"{run.goodput_gbps:,.2f}"
    yield "-" if run.jain is None else f"{run.jain:.3f}"


def _notes(runs: Iterable[Run]) -> Iterator[str]:
    """Adapted parameters and interruptions."""
    for run in runs:
        changes = (f"{key} = {_format_value(value)}" for key, value in _set(run))
        if text := ", ".join(changes):
            yield f"changed for {run.algorithm}: {text}"
        if not run.complete:
            yield f"{run.algorithm} was interrupted"


def _set(run: Run) -> Iterator[tuple[str, Any]]:
    """Each parameter that was set for the algorithm, and its value."""
    for group, keys in run.set_for_it.items():
        for key, value in keys.items():
            parts = value.items() if isinstance(value, dict) else ()
            yield from ((f"{group}.{key}.{part}", of_it) for part, of_it in parts)
            if not parts:
                yield f"{group}.{key}", value


def _format_value(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else _compact(value)


def _compact(value: Any) -> str:
    """As in a scenario, without the quotes of a word."""
    return value if isinstance(value, str) else json.dumps(value)


def to_csv(comparison: Comparison) -> str:
    """A line for each run; a field is empty where there is no value."""
    names = [name for name in Run.__slots__ if name not in ("fct_us", "set_for_it")]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["preset", "seed", *names, *(f"fct_{time}_us" for time in (*_TIMES, "min")), "set_for_it"])
    for run in comparison.runs:
        times: list[Any] = [getattr(run.fct_us, time, None) for time in (*_TIMES, "min")]
        changed = [f"{key}={_compact(value)}" for key, value in _set(run)]
        values = (getattr(run, name) for name in names)
        writer.writerow([comparison.preset, comparison.seed, *map(_plain, values), *times, " ".join(changed)])
    return file.getvalue()


def _plain(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value
