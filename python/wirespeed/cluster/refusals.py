"""Validation errors of the model as problems with line and key of the file."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from enum import EnumMeta
from typing import Any

from pydantic import BaseModel, ValidationError

from wirespeed.cluster.fields import Unfit
from wirespeed.cluster.model import ClusterFile, Origin
from wirespeed.errors import Problem, did_you_mean, format_choices
from wirespeed.units import Quantity

_EMPTY_VALUES = ("none", "null", "off", "~")
_SHAPES = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "list_type": "a list",
}


def list_problems(error: ValidationError, origin: Origin, file: type[BaseModel] = ClusterFile) -> Iterator[Problem]:
    """One problem per validation error, in the order of the file, whose model is ``file``."""
    problems = [_describe_problem(complaint, origin, file) for complaint in error.errors(include_url=False)]
    yield from sorted(problems, key=_get_line)


def describe_missing_key(location: str, name: str, model: type[BaseModel] | None) -> Problem:
    """The problem of a required key that the file lacks; ``model`` describes the key."""
    fields = {field.alias or key: field for key, field in (model.model_fields if model else {}).items()}
    field = fields.get(name)
    if field is None:
        return Problem(location, f"missing key {name!r}")
    description = (field.description or "").rstrip(".")
    if not description[1:2].isupper():
        description = f"{description[:1].lower()}{description[1:]}"
    description = f" ({description})" if description else ""
    kind = _strip_annotations(field.annotation)
    examples = [*(field.examples or ()), *([kind.example] if _is_quantity(kind) else [])]
    hint = f"add a value such as `{name}: {examples[0]}`" if examples else None
    return Problem(location, f"missing key {name!r}{description}", hint=hint)


def _is_quantity(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Quantity)


def _get_line(problem: Problem) -> int:
    return int(problem.location.rpartition(":")[2])


def _describe_problem(complaint: Mapping[str, Any], origin: Origin, file: type[BaseModel]) -> Problem:
    steps = tuple(part for part in complaint["loc"] if part != "[key]")
    key_path = _strip_kinds(file, steps)
    location, value, kind = origin.locate(*key_path), complaint["input"], complaint["type"]
    name = _format_name(key_path)
    if kind == "union_tag_not_found":
        return describe_missing_key(location, "kind", None)
    if kind == "union_tag_invalid":
        kinds, kind = _split_choices(complaint["ctx"]["expected_tags"]), complaint["ctx"]["tag"]
        hint = did_you_mean(kind, kinds)
        return Problem(origin.locate(*key_path, "kind"), f"kind: {_format_value(kind)}", " or ".join(kinds), hint)
    if kind == "extra_forbidden":
        model = _find_model(file, steps[:-1])
        keys = sorted(_list_names(model))
        hint = did_you_mean(name, keys) or getattr(model, "unknown_key_hint", None)
        return Problem(location, f"the unknown key {name!r}", format_choices(keys), hint)
    if kind == "missing":
        model = _find_model(file, steps[:-1])
        return describe_missing_key(origin.locate(*key_path[:-1]), name, model)
    cause = complaint.get("ctx", {}).get("error")
    if isinstance(value, str) and value.lower() in _EMPTY_VALUES and _is_optional(file, steps):
        expected_text = cause.expected if isinstance(cause, Unfit) else "a value"
        if kind in ("enum", "literal_error"):
            expected_text = " or ".join(_split_choices(complaint["ctx"]["expected"]))
        return Problem(location, f"{name}: {_format_value(value)}", expected_text, f"leave out {name!r} for none")
    if isinstance(cause, Unfit):
        return Problem(location, f"{name}: {_format_value(value)}", cause.expected, cause.hint)
    if kind in ("enum", "literal_error"):
        choices = _split_choices(complaint["ctx"]["expected"])
        hint = did_you_mean(value, choices) if isinstance(value, str) else None
        return Problem(location, f"{name}: {_format_value(value)}", " or ".join(choices), hint)
    return Problem(location, f"{name}: {_format_value(value)}", _SHAPES.get(kind, "a single value"))


def _is_optional(file: type[BaseModel], path: tuple[str | int, ...]) -> bool:
    """Whether the key at a path is optional, with None as default."""
    model = _find_model(file, path[:-1])
    fields = {field.alias or key: field for key, field in (model.model_fields if model else {}).items()}
    return path[-1] in fields and not fields[str(path[-1])].is_required() and fields[str(path[-1])].default is None


def _format_name(location: tuple[str | int, ...]) -> str:
    """The name of a part in the file: its key, or its number in a list, from 1."""
    if len(location) > 1 and isinstance(location[-1], int):
        return f"entry {location[-1] + 1} of {location[-2]}"
    return str(location[-1]) if location else "the file"


def _format_value(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    return "nothing" if text == "" else repr(text if len(text) <= 60 else text[:57] + "…")


def _split_choices(choices: str) -> list[str]:
    return [value.strip("' ") for value in choices.replace(" or ", ", ").split(",")]


def _list_names(model: type[BaseModel] | None) -> Iterator[str]:
    for name, field in (model.model_fields if model else {}).items():
        yield field.alias or name


def _find_model(file: type[BaseModel], path: tuple[str | int, ...]) -> type[BaseModel] | None:
    """The model of the part at a path of the field types."""
    kind: Any = file
    for step in path:
        kind = _find_part(kind, step)
    return kind if _is_model(kind) else None


def _strip_kinds(file: type[BaseModel], path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """A path of the file for a path of the model: without the steps to the kind of a part."""
    kind: Any = file
    steps = []
    for step in path:
        if not _list_kinds(kind):
            steps.append(step)
        kind = _find_part(kind, step)
    return tuple(steps)


def _find_part(kind: Any, step: str | int) -> Any:
    """The type of a field, of the members, or of one of several kinds of this type."""
    if _is_model(kind):
        fields = {field.alias or name: field for name, field in kind.model_fields.items()}
        return _strip_annotations(fields[step].annotation) if step in fields else None
    if kinds := _list_kinds(kind):
        return next(member for member in kinds if step in typing.get_args(member.model_fields["kind"].annotation))
    return _strip_annotations(typing.get_args(kind)[-1]) if typing.get_args(kind) else None


def _list_kinds(hint: Any) -> list[type[BaseModel]]:
    """The models of a part with several kinds, distinguished by ``kind``."""
    choices = list(typing.get_args(hint))
    return choices if len(choices) > 1 and all(map(_is_model, choices)) else []


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and not isinstance(kind, EnumMeta) and issubclass(kind, BaseModel)


def _strip_annotations(hint: Any) -> Any:
    """A field's type without ``| None`` and annotations."""
    if typing.get_origin(hint) is typing.Annotated:
        return _strip_annotations(typing.get_args(hint)[0])
    choices = [choice for choice in typing.get_args(hint) if choice is not type(None)]
    if len(choices) == 1 and typing.get_origin(hint) not in (dict, list):
        return _strip_annotations(choices[0])
    return hint
