"""Write results as JSON documents. Every document has ``kind`` and ``schema``; equal results give equal bytes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from typing import Any

from wirespeed.results.parameters import Parameters


def document(kind: str, schema: int, **content: Any) -> str:
    """A JSON document of results: dataclasses become objects, ``None`` becomes null, fields keep their order."""
    body = {"kind": kind, "schema": schema, **{key: plain(value) for key, value in content.items()}}
    return json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Plain JSON data of a result; parameters that the log does not state are omitted."""
    if isinstance(value, Parameters):
        return plain(value.to_dict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # a named tuple
        return {name: plain(inner) for name, inner in zip(value._fields, value, strict=True)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(plain(inner) for inner in value)
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value
