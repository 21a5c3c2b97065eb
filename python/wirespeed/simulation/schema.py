"""The schema of scenarios and results, as exported by the core."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypedDict

from wirespeed import _core
from wirespeed.results.simulation import KIND, SCHEMA

Schema = Mapping[str, Any]
"""A JSON Schema."""


def scenario_schema() -> Schema:
    """The JSON Schema of scenario files (draft 2020-12).

    In addition to the standard keywords: ``x-unit``, the unit of a number; ``x-presets``, its value in each preset;
    ``x-source``, the source of this value; ``x-default``, a default that other keys determine; ``x-title``, the heading
    of a variant.
    """
    return _load_document()["scenario"]


def summary_schema() -> Schema:
    """The JSON Schema of the summary of a run (draft 2020-12), with ``x-unit`` as in scenarios."""
    schema = _load_document()["results"]["summary"]
    of_document = {
        "kind": {"const": KIND, "description": "Kind of the document."},
        "schema": {"const": SCHEMA, "description": "Version of the document."},
    }
    files = {
        "type": "array",
        "items": {"type": "string"},
        "description": "Other files of the folder. Only in `summary.json`.",
    }
    return {
        **schema,
        "properties": {**of_document, **schema["properties"], "files": files},
        "required": [*of_document, *schema["required"]],
    }


def table_columns(table: str) -> list[str]:
    """The names of a table's columns."""
    results = _load_document()["results"]
    return list({**results["tables"], **results["context"]}[table]["columns"])


class _Table(TypedDict):
    columns: Mapping[str, Schema]


class _Results(TypedDict):
    tables: Mapping[str, _Table]
    context: Mapping[str, _Table]
    summary: Schema


class _Document(TypedDict):
    scenario: Schema
    results: _Results


def _load_document() -> _Document:
    document: _Document = json.loads(_core.schema())
    return document
