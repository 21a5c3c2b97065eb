"""Numbers as ranges: ``0-3`` of 0, 1, 2 and 3."""

from __future__ import annotations

from collections.abc import Iterable


def format_ranges(numbers: Iterable[int]) -> list[str]:
    """Consecutive numbers as ranges, ascending: ``0-3`` and ``8`` of 8, 0, 1, 2 and 3."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return [str(first) if first == last else f"{first}-{last}" for first, last in ranges]
