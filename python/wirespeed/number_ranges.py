"""Numbers as ranges: ``0-3`` of 0, 1, 2 and 3."""

from __future__ import annotations

import re
from collections.abc import Iterable

_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
_MAX_NUMBER = 65535


def format_ranges(numbers: Iterable[int]) -> list[str]:
    """Consecutive numbers as ranges, ascending: ``0-3`` and ``8`` of 8, 0, 1, 2 and 3."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return [str(first) if first == last else f"{first}-{last}" for first, last in ranges]


def parse_ranges(text: str) -> frozenset[int] | None:
    """The numbers of a list such as ``0-3,8``, as the kernel prints CPUs. None: it is no such list."""
    numbers: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None or int(match[2] or match[1]) > _MAX_NUMBER:
            return None
        numbers.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return frozenset(numbers)
