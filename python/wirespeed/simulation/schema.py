"""The form of scenarios and results, as the core exports it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from wirespeed import _core


def scenario_schema() -> Mapping[str, Any]:
    """The JSON Schema of scenario files (draft 2020-12).

    Beside the standard keywords: ``x-unit``, the unit of a number; ``x-presets``, its value in each preset;
    ``x-default``, a default that other keys determine; ``x-title``, the heading of a variant.
    """
    schema: Mapping[str, Any] = _document()["scenario"]
    return schema


def table_columns(table: str) -> list[str]:
    """The names of a table's columns."""
    results = _document()["results"]
    return list({**results["tables"], **results["context"]}[table]["columns"])


def _document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(_core.schema())
    return document
