"""Environment variables that set options of the command line, in messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from wirespeed.errors import Problem


def name_variables(problem: Problem, context: Any) -> Problem:
    """The problem, with the variable behind each option that the user did not type."""
    return replace(
        problem, location=_add_variables(problem.location, context), found=_add_variables(problem.found, context)
    )


def find_variable(parameter: Any, context: Any) -> str | None:
    """The environment variable that set an option. None: the user typed it, or it has its default."""
    source = context.get_parameter_source(parameter.name)
    if source is None or source.name != "ENVIRONMENT":
        return None
    return str(parameter.envvar or f"{context.auto_envvar_prefix}_{parameter.name.upper()}")


def _add_variables(text: str, context: Any) -> str:
    for option, variable in _list_variables(context):
        text = re.sub(rf"(?<![\w-]){option}(?![\w-])", f"{option} (from {variable})", text)
    return text


def _list_variables(context: Any) -> Iterator[tuple[str, str]]:
    for parameter in context.command.params:
        if variable := find_variable(parameter, context):
            yield from ((option, variable) for option in parameter.opts if option.startswith("--"))
