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


def problems_of(error: ValidationError, origin: Origin, file: type[BaseModel] = ClusterFile) -> Iterator[Problem]:
    """One problem per complaint, in the order of the file, whose model is ``file``."""
    found = [_problem(complaint, origin, file) for complaint in error.errors(include_url=False)]
    yield from sorted(found, key=_line)


def missing_key(place: str, name: str, model: type[BaseModel] | None) -> Problem:
    """A key without a default that is not in the file; ``model`` describes it."""
    fields = {field.alias or key: field for key, field in (model.model_fields if model else {}).items()}
    field = fields.get(name)
    if field is None:
        return Problem(place, f"missing key {name!r}")
    meaning = (field.description or "").rstrip(".")
    meaning = f" ({meaning[:1].lower()}{meaning[1:]})" if meaning else ""
    kind = _bare(field.annotation)
    examples = [*(field.examples or ()), *([kind.example] if _is_quantity(kind) else [])]
    hint = f"add a value such as `{name}: {examples[0]}`" if examples else None
    return Problem(place, f"missing key {name!r}{meaning}", hint=hint)


def _is_quantity(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Quantity)


def _line(problem: Problem) -> int:
    return int(problem.place.rpartition(":")[2])


def _problem(complaint: Mapping[str, Any], origin: Origin, file: type[BaseModel]) -> Problem:
    steps = tuple(part for part in complaint["loc"] if part != "[key]")
    location = _without_kinds(file, steps)
    place, found, kind = origin.locate(*location), complaint["input"], complaint["type"]
    name = _name(location)
    if kind == "union_tag_not_found":
        return missing_key(place, "kind", None)
    if kind == "union_tag_invalid":
        kinds, kind = _words(complaint["ctx"]["expected_tags"]), complaint["ctx"]["tag"]
        hint = did_you_mean(kind, kinds)
        return Problem(origin.locate(*location, "kind"), f"kind: {_word(kind)}", " or ".join(kinds), hint)
    if kind == "extra_forbidden":
        known = sorted(_names(_model_at(file, steps[:-1])))
        return Problem(place, f"the unknown key {name!r}", format_choices(known), did_you_mean(name, known))
    if kind == "missing":
        model = _model_at(file, steps[:-1])
        return missing_key(origin.locate(*location[:-1]), name, model)
    cause = complaint.get("ctx", {}).get("error")
    if isinstance(found, str) and found.lower() in _EMPTY_VALUES and _is_optional(file, steps):
        expected = cause.expected if isinstance(cause, Unfit) else "a value"
        if kind in ("enum", "literal_error"):
            expected = " or ".join(_words(complaint["ctx"]["expected"]))
        return Problem(place, f"{name}: {_word(found)}", expected, f"leave out {name!r} for none")
    if isinstance(cause, Unfit):
        return Problem(place, f"{name}: {_word(found)}", cause.expected, cause.hint)
    if kind in ("enum", "literal_error"):
        allowed = _words(complaint["ctx"]["expected"])
        hint = did_you_mean(found, allowed) if isinstance(found, str) else None
        return Problem(place, f"{name}: {_word(found)}", " or ".join(allowed), hint)
    return Problem(place, f"{name}: {_word(found)}", _SHAPES.get(kind, "a single value"))


def _is_optional(file: type[BaseModel], path: tuple[str | int, ...]) -> bool:
    """Whether the key at a path may be left out, and has no value then."""
    model = _model_at(file, path[:-1])
    fields = {field.alias or key: field for key, field in (model.model_fields if model else {}).items()}
    return path[-1] in fields and not fields[str(path[-1])].is_required() and fields[str(path[-1])].default is None


def _name(location: tuple[str | int, ...]) -> str:
    """What the file calls a part: its key, or which entry of a list it is, counted from 1."""
    if len(location) > 1 and isinstance(location[-1], int):
        return f"entry {location[-1] + 1} of {location[-2]}"
    return str(location[-1]) if location else "the file"


def _word(found: object) -> str:
    if isinstance(found, dict):
        return "a mapping"
    if isinstance(found, list):
        return "a list"
    text = str(found)
    return "nothing" if text == "" else repr(text if len(text) <= 60 else text[:57] + "…")


def _words(listed: str) -> list[str]:
    return [value.strip("' ") for value in listed.replace(" or ", ", ").split(",")]


def _names(model: type[BaseModel] | None) -> Iterator[str]:
    for name, field in (model.model_fields if model else {}).items():
        yield field.alias or name


def _model_at(file: type[BaseModel], path: tuple[str | int, ...]) -> type[BaseModel] | None:
    """The model of the part at a path, found by walking the field types."""
    kind: Any = file
    for step in path:
        kind = _part(kind, step)
    return kind if _is_model(kind) else None


def _without_kinds(file: type[BaseModel], path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """A path of the model as one of the file, which has no step from a part to the kind of it."""
    kind: Any = file
    found = []
    for step in path:
        if not _kinds(kind):
            found.append(step)
        kind = _part(kind, step)
    return tuple(found)


def _part(kind: Any, step: str | int) -> Any:
    """The type of a part of something of this type: of a field, of the members, or of one of several kinds."""
    if _is_model(kind):
        fields = {field.alias or name: field for name, field in kind.model_fields.items()}
        return _bare(fields[step].annotation) if step in fields else None
    if kinds := _kinds(kind):
        return next(member for member in kinds if step in typing.get_args(member.model_fields["kind"].annotation))
    return _bare(typing.get_args(kind)[-1]) if typing.get_args(kind) else None


def _kinds(hint: Any) -> list[type[BaseModel]]:
    """The models of a part with several kinds, distinguished by ``kind``."""
    choices = list(typing.get_args(hint))
    return choices if len(choices) > 1 and all(map(_is_model, choices)) else []


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and not isinstance(kind, EnumMeta) and issubclass(kind, BaseModel)


def _bare(hint: Any) -> Any:
    """A field's type without ``| None`` and annotations."""
    if typing.get_origin(hint) is typing.Annotated:
        return _bare(typing.get_args(hint)[0])
    choices = [choice for choice in typing.get_args(hint) if choice is not type(None)]
    if len(choices) == 1 and typing.get_origin(hint) not in (dict, list):
        return _bare(choices[0])
    return hint
