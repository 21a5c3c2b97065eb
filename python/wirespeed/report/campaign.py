"""A campaign in a terminal: its steps with their hosts and outcome, and the suspects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from wirespeed.report import wording
from wirespeed.results.campaign import BASELINE, Attempt, Grade, Kind, Outcome, Step, Suspect

_STYLES = {
    Grade.GOOD: "green",
    Grade.WARN: "yellow",
    Grade.BAD: "bold red",
    Grade.UNKNOWN: "magenta",
    Grade.SKIP: "dim",
}
_MOST_ROWS = 200
"""Maximum rows of a table; with more steps, good ones are only counted."""


def table(steps: Sequence[Step], latest: Mapping[str, Attempt], suspects: Iterable[Suspect], console: Console) -> None:
    """Print the outcome of each step in order, its worst figure, and the suspects."""
    listed_steps = steps
    if len(steps) > _MOST_ROWS:
        listed_steps = [step for step in steps if step.id not in latest or not _is_fine(latest[step.id])]
    if listed_steps:
        console.print(_build_table(listed_steps, latest))
    counts = count_outcomes(steps, latest)
    console.print(Text(counts, style="bold"))
    if _MEASURED in counts:
        console.print(Text(f"{_MEASURED}: for information, without a limit to compare with", style="dim"))
    for suspect in suspects:
        console.print(Text.assemble(("suspect: ", "bold red"), wording.line(describe_suspect(suspect))), soft_wrap=True)


def count_outcomes(steps: Sequence[Step], latest: Mapping[str, Attempt]) -> str:
    """Format outcomes as ``30 good, 1 bad, 1 not run``."""
    counts = Counter(outcome(latest.get(step.id)) for step in steps)
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items(), key=lambda entry: -entry[1]))


def outcome(attempt: Attempt | None) -> str:
    """The outcome of a step in one or two words."""
    if attempt is None:
        return "not run"
    if attempt.status is not Outcome.DONE:
        return _OUTCOMES.get(attempt.status, attempt.status.value)
    if attempt.grade is not Grade.SKIP:
        return attempt.grade.value
    return "baseline" if attempt.step.startswith(BASELINE) else _MEASURED


_MEASURED = "measured"
_OUTCOMES = {Outcome.MISSING: "program not found"}


def describe_suspect(suspect: Suspect) -> str:
    """Describe a suspect and the results that point to it."""
    subject = suspect.name if suspect.kind in (Kind.UNTOLD, Kind.RAIL) else f"{suspect.kind.value} {suspect.name}"
    return f"{subject}: {suspect.because}"


def _is_fine(attempt: Attempt) -> bool:
    return attempt.status is Outcome.DONE and attempt.grade in (Grade.GOOD, Grade.SKIP)


def _build_table(steps: Sequence[Step], latest: Mapping[str, Attempt]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("test", "endpoints", "result", "details"):
        table.add_column(column, overflow="fold")
    for step in steps:
        last = latest.get(step.id)
        good = last is not None and last.status is Outcome.DONE
        style = _STYLES[last.grade] if good and last else "magenta"
        tried = f" (attempt {last.attempt})" if last is not None and last.attempt > 1 else ""
        table.add_row(
            Text(wording.line(step.test)),
            Text(wording.line(step.ends)),
            Text(outcome(last), style=style),
            Text(wording.line((last.detail if last else None) or "") + tried),
        )
    return table
