"""Helpers for JSON that a switch prints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from wirespeed.facts import Source
from wirespeed.platforms.model import Output


def document(output: Output) -> Mapping[str, Any] | None:
    """The JSON object an output is, None when it was cut short or is no object."""
    try:
        data = json.loads(output.text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def mapping_of(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under a key; an empty one when there is none."""
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def source_of(output: Output, word: str) -> Source:
    """The first line with this quoted text."""
    line = _lines(output.text).get(word)
    return output.source if line is None else output.source_of_line(line)


@lru_cache(maxsize=8)
def _lines(text: str) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        for word in line.split('"')[1::2]:
            found.setdefault(word, number)
    return found
