"""The summary of a simulation run: the format of ``wirespeed sim run --format json`` and of ``summary.json``."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import Any

from wirespeed.errors import refuse
from wirespeed.results.documents import convert
from wirespeed.results.json import document, plain
from wirespeed.results.simulation_types import Summary

KIND = "simulation-summary"
SCHEMA = 1


def to_json(summary: Summary, **further_fields: Any) -> str:
    """The summary as a document; ``further_fields`` follow its fields."""
    return document(KIND, SCHEMA, **plain(summary), **further_fields)


def from_json(text: str, location: str) -> Summary:
    """Read a summary that `to_json` wrote. Counters that an earlier version did not write are zero.

    Raises:
        Refusal: the text is not a summary.
    """
    expected = f"a document of kind {KIND}"
    try:
        read = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise refuse(location, f"no JSON: {error}", expected) from None
    if not isinstance(read, dict) or read.get("kind") != KIND:
        actual_kind = read.get("kind") if isinstance(read, dict) else type(read).__name__
        raise refuse(location, repr(actual_kind), expected)
    counters = {field.name: 0 for field in fields(Summary) if field.type == "int"}
    values = {**counters, **read}
    missing = [field.name for field in fields(Summary) if field.name not in values and field.default is MISSING]
    if missing:
        raise refuse(location, f"no {', '.join(missing)}", expected)
    return convert(Summary, values, "summary", location, expected)
