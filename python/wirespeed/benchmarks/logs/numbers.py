"""Numbers as tools print them."""

from __future__ import annotations

import math
import re

from wirespeed._core import numbers, plain_number

__all__ = ["SECONDS", "number", "numbers"]

SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
"""Seconds per unit of time that a benchmark prints."""

_LONGEST = 300  # digits; a longer text is not a number of a tool, and slow to read
_INT = re.compile(rf"[+-]?[0-9]{{1,{_LONGEST}}}")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.?[0-9]+)(?:[eE][+-]?[0-9]+)?")


def number(text: str) -> int | float | None:
    """The number in a cell, as an int if it is one; None for N/A, inf, nan and masked digits."""
    plain = plain_number(text)
    if plain is not None:
        return plain
    if _INT.fullmatch(text):
        return int(text)
    if not _FLOAT.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None
