"""Defaults of settings in ``platform.yaml``: a value of the setting's type, or a short rule."""

from __future__ import annotations

import re
from enum import Enum
from typing import Any

from wirespeed.units import Quantity


def describe_default(kind: Any, text: str) -> str | None:
    """What a default has to be if it does not fit a setting of this type; None if it fits.

    A value may be followed by its condition (``1500 routed, 9214 switched``). A time or size may be a rule of several
    words without a number (``two polling intervals``). Names, lists and mappings are any text.
    """
    words = text.replace(",", " ").split()
    if not words:
        return "a value"
    if not isinstance(kind, type):
        return None
    if issubclass(kind, bool):
        return None if words[0] in ("on", "off") else "on or off"
    if issubclass(kind, Enum):
        members = [str(member.value) for member in kind]
        return None if set(members) & set(words) else f"one of {', '.join(members)}"
    if issubclass(kind, Quantity):
        return None if _is_quantity(kind, words) else f"a {kind.kind} with its unit, such as {kind.example}"
    if issubclass(kind, int):
        return None if words[0] == "auto" or re.fullmatch(r"-?[0-9]+", words[0]) else "a whole number, or auto"
    return None


def _is_quantity(kind: type[Quantity], words: list[str]) -> bool:
    if not any(character.isdecimal() for word in words for character in word):
        return len(words) > 1
    try:
        kind.parse(" ".join(words[:2]))
    except ValueError:
        return False
    return True
