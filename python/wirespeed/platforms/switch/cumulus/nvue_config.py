"""``nv config show -o commands``: lines of ``nv set``, with lists and ranges of names expanded."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.platforms.switch.cumulus.commands import OFF_KEYWORDS, ON_KEYWORDS

_QUOTING = re.compile(r"[\"'\\]")
_WORD = re.compile(r"[^ \t\r\n]+")
"""A word as `shlex.split`, which is slow, splits text without quotes."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One ``nv set`` line: its words."""

    number: int  # line, from 1
    words: tuple[str, ...]

    def words_after(self, *path: str) -> tuple[str, ...] | None:
        """The words after these; None when the line starts otherwise. ``*`` matches any word."""
        words = self.words
        if len(words) < len(path):
            return None
        for pattern, word in zip(path, words, strict=False):
            if pattern not in (word, "*"):
                return None
        return words[len(path) :]


def parse_statements(text: str) -> list[Statement]:
    """The lines of a configuration. Empty if it is truncated: its last line does not end."""
    if not text.endswith("\n"):
        return []
    statements: list[Statement] = []
    start, whole = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        if not whole and not line.startswith("nv set "):
            continue
        start, whole = (start, f"{whole}\n{line}") if whole else (number, line)
        try:
            words = shlex.split(whole) if _QUOTING.search(whole) else _WORD.findall(whole)
        except ValueError:  # a quoted text, such as a banner, continues in the next line
            continue
        statements.append(Statement(start, tuple(words[2:])))
        whole = ""
    return [] if whole else statements


MOST_NAMES = 4096
"""Maximum number of names in one list: no switch has as many ports or VLANs."""


def expand_names(names: str) -> list[str]:
    """``swp1-3,5`` as ``swp1``, ``swp2``, ``swp3``, ``swp5``; ``swp9s0-1`` as ``swp9s0``, ``swp9s1``.

    Names after the first 4096 are left out.
    """
    statements: list[str] = []
    prefix = ""
    for part in names.split(","):
        match = re.fullmatch(r"(.*?)([0-9]+)(?:-([0-9]+))?", part)
        if match is None:
            statements.append(part)
            continue
        prefix = match[1] or prefix
        first, last = int(match[2]), int(match[3] or match[2])
        room = MOST_NAMES - len(statements)
        statements += [f"{prefix}{number}" for number in range(first, min(last + 1, first + room))]
    return statements[:MOST_NAMES]


def numbers(names: str) -> list[int] | None:
    """``0-3,5`` as numbers. None if one is malformed."""
    statements = expand_names(names)
    return [int(value) for value in statements] if all(value.isdecimal() for value in statements) else None


def of_interfaces(lines: list[Statement]) -> Iterator[tuple[str, Statement, tuple[str, ...]]]:
    """(interface, line, words after it), each interface of a list alone."""
    for line in lines:
        argument = line.words_after("interface", "*")
        if argument is not None:
            for name in expand_names(line.words[1]):
                yield name, line, argument


def parse_on_off(value: str) -> bool | None:
    """A state; None for a word that is neither."""
    return True if value in ON_KEYWORDS else False if value in OFF_KEYWORDS else None
