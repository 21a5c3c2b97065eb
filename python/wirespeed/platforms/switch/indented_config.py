"""Indented configuration text (EOS, NX-OS, Enterprise SONiC): lines with their inner lines, lists of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

_BANNER = re.compile(r"banner (?:login|motd|exec|incoming)\b(.*)")


@dataclass(slots=True)
class Line:
    """A configuration line with its position in the text and the lines indented under it."""

    number: int  # from 1
    text: str
    inner: list[Line] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        """The line's words."""
        return self.text.split()

    def text_after(self, prefix: str) -> str | None:
        """The text after this prefix, None when the line starts otherwise."""
        if not self.text.startswith(prefix):
            return None
        argument = self.text[len(prefix) :]
        return argument.strip() if not argument or argument[0] == " " else None


def parse_lines(text: str) -> list[Line]:
    """The outermost lines of a configuration. Comment lines (``!``) structure nothing and are left out, and so
    is the text of banners, which may look like anything.

    Empty if no line is indented: the structure was lost when the output was copied.
    """
    top: list[Line] = []
    open_lines: list[tuple[int, Line]] = []
    banner: str | None = None  # end of the present banner
    for number, raw in enumerate(text.split("\n"), start=1):
        line_text = raw.strip()
        if banner is not None:
            ends = line_text == banner if len(banner) > 1 else banner in line_text
            banner = None if ends else banner
            continue
        if not line_text or line_text.startswith("!"):
            continue
        if (match := _BANNER.match(raw.rstrip())) is not None:
            banner = _end_of_banner(match[1].strip())
            continue
        indent = len(raw) - len(raw.lstrip())
        while open_lines and open_lines[-1][0] >= indent:
            open_lines.pop()
        line = Line(number, line_text)
        (open_lines[-1][1].inner if open_lines else top).append(line)
        open_lines.append((indent, line))
    return top if any(line.inner for line in top) else []


def _end_of_banner(argument: str) -> str | None:
    """The end of a banner with this beginning: its first character, else ``EOF``. None if it ends in the same line."""
    return "EOF" if not argument else None if argument[0] in argument[1:] else argument[0]


def lines_after(lines: Iterable[Line], prefix: str) -> Iterator[tuple[Line, str]]:
    """The lines with this prefix, and the text after it."""
    for line in lines:
        argument = line.text_after(prefix)
        if argument is not None:
            yield line, argument


def ranges(numbers: Iterable[int]) -> str:
    """Numbers as a list of ranges, ``0-3,5``."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][-1] == number - 1:
            parts[-1] = [parts[-1][0], number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)


def numbers(text: str) -> list[int] | None:
    """The numbers of a list of ranges, separated by commas or spaces. None if it is malformed."""
    numbers: list[int] = []
    for part in re.split(r"[,\s]+", text.strip()):
        match = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", part)
        if match is None:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            return None
        numbers.extend(range(first, last + 1))
    return numbers


@lru_cache(maxsize=4096)
def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that puts ``Ethernet2/1`` before ``Ethernet10/1``."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"[0-9]+|[^0-9]+", name))
