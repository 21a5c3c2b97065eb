"""Read JSON documents of results that another command wrote.

Unknown keys are ignored, so that an older program can read documents of a newer one; all required keys must exist.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from wirespeed.errors import refuse
from wirespeed.results.campaign_history import Comparison, History
from wirespeed.results.peers import Peers

_Result = TypeVar("_Result")

SCHEMAS: Mapping[str, int] = {"bench-peers": 2, "bench-comparison": 3, "bench-history": 3}
"""Schema numbers of the documents that are read again."""

_KINDS: Mapping[str, tuple[str, type]] = {
    "bench-peers": ("peers", Peers),
    "bench-comparison": ("comparison", Comparison),
    "bench-history": ("history", History),
}


def read(text: str, location: str) -> Peers | Comparison | History:
    """Read the result in a document.

    Raises:
        Refusal: the text is not a document, or it is of another kind, newer than this program, or incomplete.
    """
    expected = "the JSON output of `bench peers`, `bench compare` or `bench history`"
    hint = "`wirespeed bench peers`, `compare` or `history` with --format json writes one"
    body = _read_body(text, location, SCHEMAS, expected, hint)
    kind = body["kind"]
    name, result_type = _KINDS[kind]
    result: object = _read_content(body, location, kind, name, result_type, hint)
    assert isinstance(result, Peers | Comparison | History)
    return result


def read_kind(
    text: str, location: str, kind: str, schema: int, name: str, result_type: type[_Result], hint: str
) -> _Result:
    """Read the result under a name in a document of one kind and schema.

    Raises:
        Refusal: the text is not a document, or it is of another kind, newer than this program, or incomplete.
    """
    body = _read_body(text, location, {kind: schema}, f"a document of {kind}", hint)
    return _read_content(body, location, kind, name, result_type, hint)


def convert(result_type: type[_Result], data: Any, name: str, location: str, expected: str) -> _Result:
    """Convert JSON data to a result; messages call it ``name``.

    Raises:
        Refusal: the data has another form.
    """
    try:
        return build_object(result_type, data, name)
    except KeyError as error:
        raise refuse(location, f"no {error.args[0]}", expected) from None
    except (TypeError, ValueError) as error:
        raise refuse(location, str(error), expected) from None


def _read_body(text: str, location: str, schemas: Mapping[str, int], expected: str, hint: str) -> dict[str, Any]:
    """Read a document of one of the kinds, each with its schema number."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        if not text.lstrip().startswith(("{", "[")):
            raise refuse(location, "text that is not JSON", expected, hint) from None
        raise refuse(f"{location}:{line}", "broken JSON", expected, hint) from None
    kind = body.get("kind") if isinstance(body, dict) else None
    if not isinstance(kind, str) or kind not in schemas:
        raise refuse(location, f"the kind {kind!r}", expected, hint)
    assert isinstance(body, dict)
    if body.get("schema") != schemas[kind]:
        found = f"schema {body.get('schema')!r} of {kind}, of another version of wirespeed"
        raise refuse(location, found, f"schema {schemas[kind]}", hint)
    return body


def _read_content(
    body: dict[str, Any], location: str, kind: str, name: str, result_type: type[_Result], hint: str
) -> _Result:
    expected = f"a complete document of {kind}"
    if name not in body:
        raise refuse(location, f"no {name}", expected, hint)
    return convert(result_type, body[name], name, location, expected)


def _convert(hint: Any, data: Any, location: str) -> Any:
    """Convert JSON data to a type; ``location`` is its location in the document."""
    if is_dataclass(hint) and isinstance(hint, type):
        return build_object(hint, data, location)
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _convert_union(get_args(hint), data, location)
    if origin is Mapping and isinstance(data, dict):
        return {key: _convert(get_args(hint)[1], value, f"{location}.{key}") for key, value in data.items()}
    if origin is tuple:
        return _convert_tuple(get_args(hint), data, location)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(data)
    if hint is float and isinstance(data, int | float) and not isinstance(data, bool):
        return _convert_float(data, location)
    if hint is type(None) and data is None:
        return None
    if isinstance(hint, type) and type(data) is hint:
        if isinstance(data, int) and abs(data) >= _INTEGER_LIMIT:
            raise ValueError(f"an integer of more than 64 bits for {location}")
        return data
    raise ValueError(f"{data!r:.60} for {location}")


_INTEGER_LIMIT = 1 << 63


def _convert_float(number: float, location: str) -> float:
    if not abs(number) <= sys.float_info.max:  # infinite, not a number, or a larger integer
        raise ValueError(f"a number that is not finite for {location}")
    return float(number)


def build_object(result_type: type[_Result], data: Any, location: str) -> _Result:
    """Build a result from JSON data; ``location`` names the data in messages.

    Raises:
        KeyError, ValueError: the data does not have the form of the type.
    """
    if not isinstance(data, dict):
        raise ValueError(f"{data!r:.60} for {location}")
    hints = _get_type_hints(result_type)  # type: ignore[arg-type]
    values = {}
    for field in fields(result_type):  # type: ignore[arg-type]
        if field.name in data:
            values[field.name] = _convert(hints[field.name], data[field.name], f"{location}.{field.name}")
        elif field.default is MISSING and field.default_factory is MISSING:
            raise KeyError(f"{location}.{field.name}")
    return result_type(**values)


@cache
def _get_type_hints(result_type: type) -> dict[str, Any]:
    return get_type_hints(result_type)


def _convert_union(kinds: tuple[Any, ...], data: Any, location: str) -> Any:
    if data is None and type(None) in kinds:
        return None
    for kind in kinds:
        if kind is float and isinstance(data, int) and int in kinds:
            continue  # an int stays an int if the type allows it
        try:
            return _convert(kind, data, location)
        except ValueError:
            if is_dataclass(kind) or len(kinds) == 2:
                raise
    raise ValueError(f"{data!r:.60} for {location}")


def _convert_tuple(kinds: tuple[Any, ...], data: Any, location: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise ValueError(f"{data!r:.60} for {location}")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_convert(kinds[0], element, f"{location}[{number}]") for number, element in enumerate(data))
    if len(kinds) != len(data):
        raise ValueError(f"{len(data)} values for {location}")
    return tuple(
        _convert(kind, element, f"{location}[{number}]")
        for number, (kind, element) in enumerate(zip(kinds, data, strict=True))
    )
