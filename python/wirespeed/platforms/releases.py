"""Releases of switch operating systems, for comparison."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[0-9]+")


def parse_release(text: str) -> tuple[int, ...]:
    """The first two numbers: 4.28.1FX is a maintenance release of 4.28, 202405.10 one of 202405."""
    return tuple(map(int, _NUMBER.findall(text)[:2]))
