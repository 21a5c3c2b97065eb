"""The model's complaints as problems in the words of the file."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from enum import EnumMeta
from typing import Any

from pydantic import BaseModel, ValidationError

from wirespeed.cluster.fields import Unfit
from wirespeed.cluster.model import ClusterFile, Origin
from wirespeed.errors import Problem, did_you_mean

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


def _line(problem: Problem) -> int:
    return int(problem.place.rpartition(":")[2])


def _problem(complaint: Mapping[str, Any], origin: Origin, file: type[BaseModel]) -> Problem:
    where = tuple(part for part in complaint["loc"] if part != "[key]")
    place, found, kind = origin.at(*where), complaint["input"], complaint["type"]
    name = _name(where)
    if kind == "extra_forbidden":
        known = sorted(_names(_model_at(file, where[:-1])))
        return Problem(place, f"the unknown key {name!r}", f"one of {', '.join(known)}", did_you_mean(name, known))
    if kind == "missing":
        return Problem(origin.at(*where[:-1]), f"no {name!r}", f"{name!r}, which has no default")
    cause = complaint.get("ctx", {}).get("error")
    if isinstance(cause, Unfit):
        return Problem(place, f"{name}: {_word(found)}", cause.expected, cause.hint)
    if kind == "enum":
        allowed = _values(complaint)
        hint = did_you_mean(found, allowed) if isinstance(found, str) else None
        return Problem(place, f"{name}: {_word(found)}", " or ".join(allowed), hint)
    return Problem(place, f"{name}: {_word(found)}", _SHAPES.get(kind, "a single value"))


def _name(where: tuple[str | int, ...]) -> str:
    """What the file calls a part: its key, or which entry of a list it is, counted from 1."""
    if len(where) > 1 and isinstance(where[-1], int):
        return f"entry {where[-1] + 1} of {where[-2]}"
    return str(where[-1]) if where else "the file"


def _word(found: object) -> str:
    if isinstance(found, dict):
        return "a mapping"
    if isinstance(found, list):
        return "a list"
    text = str(found)
    return "nothing" if text == "" else repr(text if len(text) <= 60 else text[:57] + "…")


def _values(complaint: Mapping[str, Any]) -> list[str]:
    return [value.strip("' ") for value in complaint["ctx"]["expected"].replace(" or ", ", ").split(",")]


def _names(model: type[BaseModel] | None) -> Iterator[str]:
    for name, field in (model.model_fields if model else {}).items():
        yield field.alias or name


def _model_at(file: type[BaseModel], path: tuple[str | int, ...]) -> type[BaseModel] | None:
    """The model of the part at a path, found by walking the field types."""
    kind: Any = file
    for step in path:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            fields = {field.alias or name: field for name, field in kind.model_fields.items()}
            kind = _bare(fields[step].annotation) if step in fields else None
        else:
            kind = _bare(typing.get_args(kind)[-1]) if typing.get_args(kind) else None
    return kind if isinstance(kind, type) and not isinstance(kind, EnumMeta) and issubclass(kind, BaseModel) else None


def _bare(hint: Any) -> Any:
    """A field's type without ``| None`` and annotations."""
    if typing.get_origin(hint) is typing.Annotated:
        return _bare(typing.get_args(hint)[0])
    choices = [choice for choice in typing.get_args(hint) if choice is not type(None)]
    if len(choices) == 1 and typing.get_origin(hint) not in (dict, list):
        return _bare(choices[0])
    return hint
