"""CONFIG_DB as JSON: tables of rows of fields, each with its line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from json import JSONDecoder
from typing import Any

from wirespeed.platforms.switch.indented_config import numbers

_REFERENCE = re.compile(r"\[[A-Z_]+\|([^\]|]+)\]")  # how images up to about 202012 spelled a reference
_DECODER = JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its fields as text, its line, the line of each field, and all names, also of lists that are not empty."""

    fields: Mapping[str, str]
    line: int
    lines: Mapping[str, int]
    present: frozenset[str] = frozenset()

    def get(self, name: str) -> str | None:
        """A field. None if the row lacks it."""
        return self.fields.get(name)

    def find_line(self, name: str) -> int:
        """The line of a field, else that of the row."""
        return self.lines.get(name, self.line)

    def reference(self, name: str) -> str | None:
        """The name of a row that a field refers to, bare or as ``[TABLE|name]``."""
        value = self.get(name)
        match = None if value is None else _REFERENCE.fullmatch(value)
        return match[1] if match else value


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables by name; rows by key, whose parts ``|`` separates."""

    rows: Mapping[str, Mapping[str, Row]]
    lines: Mapping[str, int]

    def table(self, name: str) -> Iterator[tuple[tuple[str, ...], Row]]:
        """The rows of a table with the parts of their keys."""
        for key, row in self.rows.get(name, {}).items():
            yield tuple(key.split("|")), row

    def row(self, name: str, key: str) -> Row | None:
        """One row by its whole key."""
        return self.rows.get(name, {}).get(key)

    def by_port(self, name: str) -> Iterator[tuple[str, Row]]:
        """Rows whose key is a port, or ports with commas between them."""
        for key, row in self.table(name):
            if len(key) == 1:
                yield from ((port, row) for port in key[0].split(","))

    def by_port_and_number(self, name: str) -> Iterator[tuple[str, int, Row]]:
        """Rows whose key is ports and numbers: ``Ethernet0,Ethernet4|3-4``."""
        for key, row in self.table(name):
            members = numbers(key[1]) if len(key) == 2 else None
            for port in key[0].split(",") if members else ():
                yield from ((port, number, row) for number in members or ())


def parse_tables(text: str) -> Tables | None:
    """The tables of a whole document.

    None if it is none or was cut short: a missing table must not look like one with default values.
    """
    reader = _Reader(text)
    try:
        tables, end = reader.members(reader.skip(0))
        rows = {name: {key: reader.row(position, line) for key, (line, position) in reader.members(start)[0].items()}
                for name, (_, start) in tables.items()}  # fmt: skip
    except (ValueError, RecursionError, IndexError):
        return None
    if text[end:].strip():
        return None
    return Tables(rows, {name: line for name, (line, _) in tables.items()})


def parse_dump(text: str) -> Mapping[str, Row] | None:
    """The rows of `sonic-db-dump`, by key: each key's object contains the row as ``value`` (redis-dump-load, redisdl).

    None if the document is none or was cut short.
    """
    reader = _Reader(text)
    try:
        keys, end = reader.members(reader.skip(0))
        rows = {key: reader.row(reader.members(start)[0]["value"][1], line) for key, (line, start) in keys.items()}
    except (ValueError, RecursionError, IndexError, KeyError):
        return None
    return None if text[end:].strip() else rows


class _Reader:
    """Finds the position of every member of an object; the json module parses the values."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [match.end() for match in re.finditer("\n", text)]

    def skip(self, position: int) -> int:
        """The next position that is not blank."""
        match = _BLANK.match(self._text, position)
        return match.end() if match else position

    def members(self, position: int) -> tuple[dict[str, tuple[int, int]], int]:
        """Of the object here: each member's line and the position of its value; and the end of the object."""
        if self._text[position] != "{":
            raise ValueError("no object")
        members: dict[str, tuple[int, int]] = {}
        position = self.skip(position + 1)
        while self._text[position] != "}":
            line = bisect_right(self._starts, position) + 1
            name, position = _DECODER.raw_decode(self._text, position)
            position = self.skip(position)
            if not isinstance(name, str) or self._text[position] != ":":
                raise ValueError("no member")
            value = self.skip(position + 1)
            members[name] = (line, value)
            _, position = _DECODER.raw_decode(self._text, value)
            position = self.skip(position)
            if self._text[position] == ",":
                position = self.skip(position + 1)
        return members, position + 1

    def row(self, position: int, line: int) -> Row:
        """The row whose object begins here."""
        members, _ = self.members(position)
        values: dict[str, Any] = {
            name: _DECODER.raw_decode(self._text, start)[0] for name, (_, start) in members.items()
        }
        fields = {name: str(value) for name, value in values.items() if type(value) in (str, int)}
        present = frozenset(name for name, value in values.items() if value != [])
        return Row(fields, line, {name: members[name][0] for name in fields}, present)
