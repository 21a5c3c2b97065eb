"""Interface names: long ones in settings and JSON, short ones and merged lists in text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from wirespeed.platforms.switch.indented_config import natural

_PORT = re.compile(r"Et(?:hernet)?([0-9]+(?:/[0-9]+){0,2})")
_PART = re.compile(r"(?:Et(?:hernet)?)?([0-9]+(?:/[0-9]+){0,2})(?:-([0-9]+(?:/[0-9]+){0,2}))?")


def long_name(name: str) -> str | None:
    """``Ethernet3/1/1`` of ``Et3/1/1``; None for what is no Ethernet interface."""
    match = _PORT.fullmatch(name)
    return f"Ethernet{match[1]}" if match else None


def short_name(name: str) -> str:
    """``Et3/1/1`` of ``Ethernet3/1/1``."""
    return name.replace("Ethernet", "Et", 1)


def format_interfaces(names: Iterable[str]) -> str:
    """A list as a running configuration prints it: ``Et1-3``, ``Et1/1,2/1``."""
    numbers = [name.removeprefix("Ethernet") for name in sorted(names, key=natural)]
    if all(number.isdecimal() for number in numbers):
        numbers = _runs([int(number) for number in numbers])
    return "Et" + ",".join(numbers)


def _runs(numbers: Sequence[int]) -> list[str]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return ["-".join(map(str, run)) for run in runs]


def names_of(text: str, known: Iterable[str]) -> list[str] | None:
    """The interfaces of a list. A range holds those of the ``known`` that lie in it; None when it makes no sense."""
    if not re.match(r"Et(?:hernet)?[0-9]", text):
        return None
    ordered = sorted(known, key=natural)
    found: list[str] = []
    for part in text.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            return None
        first = f"Ethernet{match[1]}"
        last = f"Ethernet{_whole(match[1], match[2])}" if match[2] else first
        if natural(last) < natural(first):
            return None
        between = [name for name in ordered if natural(first) <= natural(name) <= natural(last)]
        found += between if match[2] else [first]
    return found


def _whole(first: str, last: str) -> str:
    """``1/4`` of the end of ``1/1-4``: what the end does not repeat is as at the start."""
    missing = first.count("/") - last.count("/")
    return "/".join([*first.split("/")[:missing], last]) if missing > 0 else last
