"""Write results as JSON documents. Every document has ``kind`` and ``schema``; equal results give equal bytes."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any

from wirespeed.results.parameters import Parameters


def document(kind: str, schema: int, **content: Any) -> str:
    """A JSON document of results: dataclasses become objects, ``None`` becomes null, fields keep their order."""
    body = {"kind": kind, "schema": schema, **{key: plain(value) for key, value in content.items()}}
    text = json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False)
    return _INVISIBLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text) + "\n"


_INVISIBLE = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Characters in strings that control a terminal or the direction of text; JSON itself escapes those below U+0020."""


def plain(value: Any) -> Any:
    """Plain JSON data of a result; parameters that the log does not state are omitted."""
    kind = type(value)
    if kind in _PLAIN_TYPES:
        return value
    if kind is tuple or kind is list:
        return [plain(inner) for inner in value]
    if kind is dict:
        return {str(key): plain(inner) for key, inner in value.items()}
    if kind is Parameters:
        return plain(value.to_dict())
    if (names := _list_fields(kind)) is not None:  # type: ignore[arg-type] # classes are hashable
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(plain(inner) for inner in value)
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


_PLAIN_TYPES = frozenset({str, int, float, bool, type(None)})


@cache
def _list_fields(kind: type) -> tuple[str, ...] | None:
    """Names of the fields of a dataclass or named tuple; None for other types."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return getattr(kind, "_fields", None) if issubclass(kind, tuple) else None
