"""Write to the terminal: data to standard output, everything else to standard error. Rich respects NO_COLOR."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from wirespeed.errors import Problem

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


_FILE_WIDTH = 400
"""Columns of tables that are written to a pipe or file."""

_SAME_LINES = 10
"""Maximum number of lines of a file that are listed with the same problem."""

_SKIPPED_FILES = 5
"""Maximum number of skipped files that are listed, besides compressed ones."""

_TEXT_WIDTH = 100
"""Columns of running text that is written to a pipe or file."""


@cache
def standard_output() -> Console:
    """Standard output, for data. In a pipe or file, tables are as wide as necessary: no cell is cut."""
    from wirespeed.cli.file_console import FileConsole

    return _widen_console(FileConsole(highlight=False, soft_wrap=False, emoji=False))


@cache
def err() -> Console:
    """Standard error, for progress, logs and problems."""
    from rich.console import Console

    return _widen_console(Console(stderr=True, highlight=False, emoji=False))


def _widen_console(console: Console) -> Console:
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _FILE_WIDTH
    return console


def escape(text: str) -> str:
    """Text of a log or a device for `print`: markup and control characters are shown, not obeyed."""
    from rich.markup import escape as escape_markup

    from wirespeed.report import wording

    return escape_markup(wording.clean(text))


def print_paragraphs(text: str, indent: int) -> None:
    """Print running text that is wrapped at the width of the terminal, in a pipe or file at 100 columns."""
    from rich.text import Text

    console = standard_output()
    width = console.width if console.is_terminal or "COLUMNS" in os.environ else _TEXT_WIDTH
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            console.print()
        for line in Text(" ".join(paragraph.split())).wrap(console, width - indent):
            line.rstrip()
            console.print(Text(" " * indent).append_text(line), soft_wrap=True)


def print_table(table: Table) -> None:
    """Print all columns of a table: in a pipe as wide as necessary, in a terminal at least as wide as their words."""
    from rich.measure import Measurement

    console = standard_output()
    limit = console.width if console.is_terminal or "COLUMNS" in os.environ else _UNLIMITED
    width = Measurement.get(console, console.options.update(max_width=_UNLIMITED), table)
    table.width = max(width.minimum, min(width.maximum, limit))
    console.print(table, crop=False)


_UNLIMITED = 10_000  # characters


def show_problems(problems: Iterable[Problem], label: str = "error") -> None:
    """Print problems to standard error, equal ones once: location, message, and the hint on its own line."""
    from rich.markup import escape

    from wirespeed.report import wording

    colour = "red" if label == "error" else "yellow"
    for problem in _shorten_problems(dict.fromkeys(problems)):
        text = escape(wording.line(f"{problem.location}: {problem.statement}"))
        err().print(f"[bold {colour}]{label}[/]: {text}", soft_wrap=True)
        if problem.hint:
            err().print(f"  [bold]hint[/]: {escape(wording.line(problem.hint))}", soft_wrap=True)


def show_skipped(files: Sequence[Problem]) -> None:
    """Print the files of a folder that are not read: the first ones, their number, and each hint once.

    Compressed files are all listed: each hint has the command that reads one.
    """
    from rich.markup import escape

    from wirespeed.report import wording

    first = [*files[:_SKIPPED_FILES], *(problem for problem in files[_SKIPPED_FILES:] if not problem.expected)]
    show_problems([replace(problem, hint=None) for problem in first], label="skipped")
    if further := len(files) - len(first):
        err().print(f"[bold yellow]skipped[/]: {further:,} more file{'' if further == 1 else 's'}", soft_wrap=True)
    for hint in dict.fromkeys(problem.hint for problem in files if problem.hint):
        err().print(f"  [bold]hint[/]: {escape(wording.line(hint))}", soft_wrap=True)


def show_hints(hints: Iterable[tuple[str, str]]) -> None:
    """Print to standard error which options would complete which logs."""
    for file, hint in hints:
        err().print(f"hint: {file}: {hint}", markup=False, soft_wrap=True, highlight=False)


def _shorten_problems(problems: Iterable[Problem]) -> list[Problem]:
    """The problems; if many lines of a file have the same one, only the first lines and the number of the others."""
    problems_to_show: list[Problem] = []
    lines: Counter[tuple[str, str]] = Counter()
    for problem in problems:
        file, _, line = problem.location.rpartition(":")
        if line.isdigit() and problem.expected:
            lines[file, problem.expected] += 1
            if lines[file, problem.expected] > _SAME_LINES:
                continue
        problems_to_show.append(problem)
    for (file, expected), count in lines.items():
        if count > _SAME_LINES:
            further_lines = "1 more line" if count == _SAME_LINES + 1 else f"{count - _SAME_LINES:,} more lines"
            problems_to_show.append(Problem(file, f"the same problem in {further_lines}", expected))
    return problems_to_show
