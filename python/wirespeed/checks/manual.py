"""The manual page of a check: its docstring in parts."""

from __future__ import annotations

import inspect
import re

from wirespeed.checks.model import Manual

_PARTS = {"Impact": "impact", "Fix": "fix", "Example": "example", "Source": "source"}
_HEADING = re.compile(r"^(Impact|Fix|Example|Source):\n", re.MULTILINE)


def read(identifier: str, docstring: str) -> Manual:
    """The parts of a check's docstring: title, what it checks, and the four headed sections.

    Raises:
        TypeError: a part is missing or occurs twice.
    """
    title, _, body = inspect.cleandoc(docstring).partition("\n\n")
    summary, *sections = _HEADING.split(body + "\n")
    headings, texts = sections[0::2], sections[1::2]
    missing_headings = [heading for heading in _PARTS if headings.count(heading) != 1]
    if missing_headings or not title or not summary.strip():
        lacks = missing_headings or ["a title and what it checks"]
        raise TypeError(f"check {identifier}: its docstring needs exactly one {', '.join(lacks)}")
    parts = {_PARTS[heading]: inspect.cleandoc(text).strip() for heading, text in zip(headings, texts, strict=True)}
    return Manual(
        title=" ".join(title.rstrip(".").split()),
        summary=summary.strip(),
        impact=parts["impact"],
        fix=parts["fix"],
        example=parts["example"],
        source=" ".join(parts["source"].split()),
    )
