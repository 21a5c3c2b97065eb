"""Reads the YAML files of the package: a model validates them, and problems name file and key."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from wirespeed.errors import Problem, Refusal, did_you_mean, refuse

Model = TypeVar("Model")


def read_yaml(file: Traversable) -> Any:
    """The content of a YAML file.

    Raises:
        Refusal: the file is not YAML, or a mapping contains a key twice.
    """
    try:
        return yaml.load(file.read_text(encoding="utf-8"), Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        location = f"{file}:{error.problem_mark.line + 1 if error.problem_mark else 1}"
        if isinstance(error, _RepeatedKeyError):
            raise refuse(location, f"the key {error.problem!r} twice", "each key once") from error
        raise refuse(location, f"YAML syntax error: {error.problem}") from error


def validate(model: type[Model], content: Any, location: str) -> Model:
    """The content as a model: a pydantic model, or a dataclass whose ``__pydantic_config__`` forbids other keys.

    Raises:
        Refusal: the content does not fit the model. Every problem has ``location`` and its key.
    """
    try:
        return _build_adapter(model).validate_python(content)  # type: ignore[no-any-return, arg-type]
    except ValidationError as error:
        raise Refusal(describe_problem(location, model, details) for details in error.errors()) from error


@cache
def _build_adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


class _RepeatedKeyError(yaml.MarkedYAMLError):
    """A mapping has a key twice; ``problem`` is the key."""


class _Loader(yaml.CSafeLoader):
    """Refuses repeated keys; YAML readers silently use the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys: set[str] = set()
        for key, _ in node.value:
            if key.value in keys:
                raise _RepeatedKeyError(problem=key.value, problem_mark=key.start_mark)
            keys.add(key.value)
        return super().construct_mapping(node, deep)


def describe_problem(file: str, model: type[Any], details: ErrorDetails) -> Problem:
    """A validation error as a problem with its location. For an unknown key it lists the known keys and the most
    similar one."""
    *outer, key = details["loc"] or ("file",)
    path = ".".join(str(step) for step in details["loc"])
    location = f"{file}: {'.'.join(str(step) for step in outer)}" if outer else file
    match details["type"]:
        case "extra_forbidden" | "unexpected_keyword_argument":
            names = sorted(_list_fields(_find_model(model, outer)))
            return Problem(
                location, f"the key {str(key)!r}", f"one of {', '.join(names)}", did_you_mean(str(key), names)
            )
        case "missing":
            return Problem(location, f"missing key {str(key)!r}")
        case _:
            location = f"{file}: {path}" if path else file
            return Problem(location, *parse_found_and_expected(details, _describe_value(details["input"])))


def parse_found_and_expected(details: ErrorDetails, actual: str) -> tuple[str, str]:
    """The texts ``found`` and ``expected`` of a problem with a value. A message of the model may be the whole
    statement."""
    message = details["msg"].removeprefix("Value error, ")
    if details["type"] == "value_error" and not message.startswith("expected "):
        return message, ""
    for prefix in ("expected ", "Input should be ", "String should have "):
        message = message.removeprefix(prefix)
    return actual, message


def _describe_value(value: Any) -> str:
    return "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else repr(value)


def _find_model(model: Any, path: Iterable[str | int]) -> Any:
    """The type of the part at a path of fields and members."""
    for step in path:
        fields = _list_fields(model)
        model = fields[str(step)] if fields else _find_member_type(model)
    return _strip_annotations(model)


def _list_fields(model: Any) -> Mapping[str, Any]:
    """The fields of a model with their types, by their key in a file. Empty for other types."""
    model = _strip_annotations(model)
    if not isinstance(model, type):
        return {}
    if issubclass(model, BaseModel):
        return {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    if dataclasses.is_dataclass(model):
        hints = typing.get_type_hints(model)
        return {field.name: hints[field.name] for field in dataclasses.fields(model)}
    return {}


def _find_member_type(model: Any) -> Any:
    """The type of the members of a list, tuple or mapping."""
    arguments = [argument for argument in typing.get_args(_strip_annotations(model)) if argument is not Ellipsis]
    return arguments[-1] if arguments else None


def _strip_annotations(model: Any) -> Any:
    """A type without ``None`` and annotations."""
    if typing.get_origin(model) is typing.Annotated:
        return _strip_annotations(typing.get_args(model)[0])
    choices = list(_list_choices(model))
    return _strip_annotations(choices[0]) if len(choices) == 1 else model


def _list_choices(model: Any) -> Iterator[Any]:
    if typing.get_origin(model) not in (list, dict, tuple, Mapping):
        yield from (choice for choice in typing.get_args(model) if choice is not type(None))
