"""A row: other content of a device's text, and what must be read of the text with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any

Edit = Callable[[str], str]

UNKNOWN = None
"""The result for a setting that is unknown with this in the text."""


@dataclass(frozen=True)
class Noise:
    """Lines that are in the text too, in a case of ``test_mutations.CASES``.

    Without ``becomes`` and ``additions`` everything is read as without them. ``becomes`` maps ``place path`` (a pattern
    of it) to what is read then; ``additions`` is a pattern of what is read that was not there before.
    """

    case: str
    label: str
    edit: Edit
    becomes: Mapping[str, Any] = field(default_factory=dict)
    additions: str = "nowhere"


def block(text: str) -> str:
    """Lines as they are written in a row: to the left margin where they begin on a separate line."""
    return dedent(text[1:]) if text.startswith("\n") else text


def insert_before(line: str, text: str) -> Edit:
    """These lines before the first that is this one."""
    return _change_line(line, lambda line_text: [*block(text).rstrip("\n").split("\n"), line_text])


def insert_after(line: str, text: str) -> Edit:
    """These lines after the first that is this one."""
    return _change_line(line, lambda line_text: [line_text, *block(text).strip("\n").split("\n")])


def replace_line(line: str, text: str) -> Edit:
    """These lines instead of the first that is this one."""
    return _change_line(line, lambda line_text: block(text).strip("\n").split("\n"))


def chain(*edits: Edit) -> Edit:
    """One after the other."""

    def edit(text: str) -> str:
        for edit in edits:
            text = edit(text)
        return text

    return edit


def start(text: str) -> Edit:
    """These lines before all others."""
    return lambda whole: block(text) + whole


def end(text: str) -> Edit:
    """These lines after all others."""
    return lambda whole: whole + block(text)


def every(change: Callable[[str], str]) -> Edit:
    """Each line that is not empty, changed."""
    return lambda whole: "\n".join(change(line) if line else line for line in whole.split("\n"))


def add_pager(pager: str, lines: int = 20) -> Edit:
    """The text as a terminal shows it page by page: the text of the pager is at the start of each next page."""

    def edit(whole: str) -> str:
        parts = whole.split("\n")
        return "\n".join(
            pager + line if index and index % lines == 0 and index < len(parts) - 1 else line
            for index, line in enumerate(parts)
        )

    return edit


def _change_line(line: str, change: Callable[[str], list[str]]) -> Edit:
    def edit(whole: str) -> str:
        lines = whole.split("\n")
        index = next((number for number, text in enumerate(lines) if text.strip() == line.strip()), None)
        assert index is not None, f"no line {line!r} in the text"
        return "\n".join([*lines[:index], *change(lines[index]), *lines[index + 1 :]])

    return edit
