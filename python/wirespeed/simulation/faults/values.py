"""Convert YAML scalars, which are text, to the type of a setting."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from wirespeed.cluster.fields import Unfit
from wirespeed.settings.qos import Number
from wirespeed.units import Quantity


def convert_value(kind: type[Any], path: str, raw: Any) -> Any:
    """Convert a YAML value to the type of the setting.

    Raises:
        Unfit: the value has the wrong type.
    """
    hint: Any = kind
    for name in path.split(".")[1:]:
        hint = _strip_optional(typing.get_type_hints(hint)[name])
    return _convert_value(hint, raw)


def _convert_value(hint: Any, raw: Any) -> Any:
    kind, inner = typing.get_origin(hint), typing.get_args(hint)
    if kind is frozenset:
        items = raw if isinstance(raw, list) else [raw]
        return frozenset(_convert_value(inner[0], element) for element in items)
    if isinstance(kind, type) and issubclass(kind, Mapping):
        if not isinstance(raw, dict):
            raise Unfit("a mapping")
        return {_convert_value(inner[0], key): _convert_value(inner[1], entry) for key, entry in raw.items()}
    if not isinstance(raw, str):
        raise Unfit("a single value")
    return _convert_scalar(hint, raw)


def _convert_scalar(hint: type[Any], text: str) -> Any:
    if hint is bool:
        if text not in ("true", "false"):
            raise Unfit("true or false")
        return text == "true"
    if issubclass(hint, StrEnum):
        names = [str(entry) for entry in hint]
        if text not in names:
            raise Unfit(" or ".join(names))
        return hint(text)
    if issubclass(hint, Quantity):
        try:
            return hint.parse(text)
        except ValueError as error:
            raise Unfit(f"a {hint.kind} such as {hint.example}", str(error)) from None
    if issubclass(hint, int):
        last = hint.last if issubclass(hint, Number) else None
        if not (text.isascii() and text.isdigit()) or (last is not None and int(text) > last):
            raise Unfit("a whole number" if last is None else f"a whole number, 0 to {last}")
        return hint(int(text))
    return text


def _strip_optional(hint: Any) -> Any:
    """A type without ``| None``."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(arg for arg in typing.get_args(hint) if arg is not type(None))
    return hint
