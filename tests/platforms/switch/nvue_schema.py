"""Tries lines of ``nv set`` on a release's models: the package nvueschema, made of NVIDIA's OpenAPI files."""

from __future__ import annotations

import importlib
import shlex
import types
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError


def find_objection(line: str, release: str) -> str | None:
    """Why a release does not take a line; None if it does."""
    module = importlib.import_module(f"nvueschema.models.v{release.replace('.', '_')}")
    return _find_objection(module.NvueConfig, tuple(shlex.split(line)[2:]))


def _find_objection(kind: Any, words: tuple[str, ...]) -> str | None:
    objections = [_find_objection_to_kind(alternative, words) for alternative in _list_alternatives(kind)]
    return None if None in objections else "; ".join(filter(None, objections))


def _list_alternatives(kind: Any) -> Iterator[Any]:
    if get_origin(kind) in (Union, types.UnionType):
        for alternative in get_args(kind):
            if alternative is not type(None):
                yield from _list_alternatives(alternative)
    else:
        yield kind


def _find_objection_to_kind(kind: Any, words: tuple[str, ...]) -> str | None:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if not words:
            return None
        fields = {field.alias or name: field for name, field in kind.model_fields.items()}
        if words[0] not in fields:
            return f"{kind.__name__} has no {words[0]!r}"
        field = fields[words[0]]
        annotation = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation  # type: ignore[valid-type]
        return _find_objection(annotation, words[1:])
    if kind is Any or (get_origin(kind) is dict and not words):
        return None
    if get_origin(kind) is dict:
        key, value = get_args(kind)
        return _find_refused_value(key, words[0]) or _find_objection(value, words[1:])
    if len(words) != 1:
        return f"one value expected, found {words}"
    return _find_refused_value(kind, words[0])


def _find_refused_value(kind: Any, text: str) -> str | None:
    """JSON has a number or a text where the line has a word."""
    adapter, message = _build_adapter(kind), ""
    for value in (text, int(text)) if text.isdecimal() else (text,):
        try:
            adapter.validate_python(value)
        except ValidationError as error:
            message = f"{text!r}: {error.errors()[0]['msg']}"
        else:
            return None
    return message


@cache
def _build_adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
