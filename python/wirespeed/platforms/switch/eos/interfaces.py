"""Interface names: long ones in settings and JSON, short ones and merged lists in text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wirespeed.number_ranges import format_ranges
from wirespeed.platforms.switch.indented_config import natural

_PORT = re.compile(r"Et(?:hernet)?([0-9]+(?:/[0-9]+){0,2})")
_PART = re.compile(r"(?:Et(?:hernet)?)?([0-9]+(?:/[0-9]+){0,2})(?:-([0-9]+(?:/[0-9]+){0,2}))?")


def long_name(name: str) -> str | None:
    """``Ethernet3/1/1`` of ``Et3/1/1``. None for other interfaces."""
    match = _PORT.fullmatch(name)
    return f"Ethernet{match[1]}" if match else None


def short_name(name: str) -> str:
    """``Et3/1/1`` of ``Ethernet3/1/1``."""
    return name.replace("Ethernet", "Et", 1)


def format_interfaces(names: Iterable[str]) -> str:
    """A list as a running configuration prints it: ``Et1-3``, ``Et1/1,2/1``."""
    numbers = [name.removeprefix("Ethernet") for name in sorted(names, key=natural)]
    if all(number.isdecimal() for number in numbers):
        numbers = format_ranges(int(number) for number in numbers)
    return "Et" + ",".join(numbers)


def expand_interfaces(text: str, known_values: Iterable[str]) -> list[str] | None:
    """The interfaces of a list. A range contains the known interfaces in it. None if it is malformed."""
    if not re.match(r"Et(?:hernet)?[0-9]", text):
        return None
    sorted_values = sorted(known_values, key=natural)
    names: list[str] = []
    for part in text.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            return None
        first = f"Ethernet{match[1]}"
        last = f"Ethernet{_format_whole(match[1], match[2])}" if match[2] else first
        if natural(last) < natural(first):
            return None
        interval = [name for name in sorted_values if natural(first) <= natural(name) <= natural(last)]
        names += interval if match[2] else [first]
    return names


def _format_whole(first: str, last: str) -> str:
    """``1/4`` of the end of ``1/1-4``: what the end does not repeat is as at the start."""
    missing_values = first.count("/") - last.count("/")
    return "/".join([*first.split("/")[:missing_values], last]) if missing_values > 0 else last
