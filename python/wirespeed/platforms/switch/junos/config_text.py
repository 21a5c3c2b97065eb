"""Junos configuration text: statements that end in a semicolon, blocks in braces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wirespeed.platforms.switch.indented_config import Line

PORT_NAME = re.compile(r"et-[0-9]+/[0-9]+/[0-9]+(:[0-9]+)?")
ADDRESS = re.compile(r"address ([0-9a-fA-F.:]+/[0-9]{1,3})")
"""A statement with the address of an interface."""

_PREFIX = re.compile(r"(inactive|replace|protect): ")
_FROM_GROUP, _FROM_RANGE = "inherited from group", "expanded from interface-range"
"""Juniper documentation, show | display inheritance; the syntax of a range is from memory."""
_PROMPT = re.compile(r"\{[a-z]+:[0-9]+\}")


def statements(text: str) -> list[Line]:
    """The outermost statements. Empty if braces do not match: the text is truncated.

    An inactive statement is none. Comments structure nothing.
    """
    top: list[Line] = []
    open_blocks: list[list[Line]] = [top]
    comment = False
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.partition(" ## ")[0].strip()
        if comment or line.startswith("/*"):
            comment = "*/" not in line
            continue
        if not line or line.startswith("#") or _PROMPT.fullmatch(line):
            continue
        if line == "}":
            if len(open_blocks) == 1:
                return []
            open_blocks.pop()
            continue
        if line[-1] not in "{;":
            return []
        inactive = False
        while (prefix := _PREFIX.match(line)) is not None:
            inactive = inactive or prefix[1] == "inactive"
            line = line[prefix.end() :]
        statement = Line(number, line[:-1].strip())
        if not statement.text:
            return []
        if not inactive:
            open_blocks[-1].append(statement)
        if line[-1] == "{":
            open_blocks.append(statement.inner)
    return top if len(open_blocks) == 1 else []


def has_inheritance(top: list[Line], text: str) -> bool:
    """Whether settings of groups and interface ranges are expanded at their targets, as by ``display inheritance``.

    Such an output has a comment at each expanded setting. Others show which group a stanza inherits, not its settings.
    """
    groups = any(line.words[0] == "apply-groups" for line in _walk(top))
    ranges = any(line.words[0] == "interface-range" for line in lines_inside(top, "interfaces"))
    return not (groups and _FROM_GROUP not in text) and not (ranges and _FROM_RANGE not in text)


def _walk(lines: Iterable[Line]) -> Iterator[Line]:
    for line in lines:
        yield line
        if line.text != "groups":
            yield from _walk(line.inner)


def block(lines: Iterable[Line], *path: str) -> Line | None:
    """The block or statement at a path of texts, ``interfaces``, ``irb``. None if it does not exist."""
    matching_line: Line | None = None
    for step in path:
        matching_line = next((line for line in lines if line.text == step), None)
        if matching_line is None:
            return None
        lines = matching_line.inner
    return matching_line


def lines_inside(lines: Iterable[Line], *path: str) -> list[Line]:
    """The content of the block at a path. Empty if it does not exist."""
    read_values = block(lines, *path)
    return [] if read_values is None else read_values.inner


def values(argument: str) -> list[str]:
    """``a`` or ``[ a b ]`` as a list."""
    return argument.removeprefix("[").removesuffix("]").split()
