"""YAML as text with positions: mappings, lists and scalars as text, each with its line.

Built from the parser's events, so nesting uses no stack, and no value is constructed, resolved or guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from wirespeed.errors import Problem, Refusal, refuse

Raw = dict[str, Any] | list[Any] | str
Path = tuple[str | int, ...]

_DEEPEST = 20  # a cluster file nests six levels deep; more is a mistake or an attack
_SECRET = re.compile("password|passwd|secret|token|private[-_]key|api[-_]key|credential", re.IGNORECASE)


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end was not read yet."""

    value: dict[str, Any] | list[Any]
    path: Path
    key: str | None = None
    keys: dict[str, int] = field(default_factory=dict)


def load(
    text: str,
    file: str,
    expected: str = "a cluster file",
    hint: str | None = "`wirespeed init` writes one to start from",
) -> tuple[Raw, dict[Path, int]]:
    """The document and the line of every part, by path.

    Raises:
        Refusal: the text is not one YAML document, repeats a key, or uses anchors, aliases or tags.
    """
    lines: dict[Path, int] = {}
    problems: list[Problem] = []
    root = _build_document(_parse_events(text, file), file, lines, problems)
    if problems:
        raise Refusal(problems)
    if root is None:
        raise refuse(file, "an empty file", expected, hint)
    return root, lines


def _parse_events(text: str, file: str) -> Iterator[Any]:
    try:
        yield from yaml.parse(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        raise Refusal([_syntax_error(error, text, file)]) from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise refuse(file, f"YAML syntax error: {str(error).splitlines()[0]}", "YAML text in UTF-8") from None


def _syntax_error(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    """The error at the line where the bracket or quote opens, otherwise where the parser stopped."""
    last = text.count("\n") + 1  # the parser is a line behind where a text ends without a newline
    stop_line, open_line = (
        None if mark is None else min(mark.line + 1, last)
        for mark in (error.problem_mark or error.context_mark, error.context_mark)
    )
    sign = next((sign for part, sign in _BRACKETS.items() if part in str(error.context)), None)
    if sign is None or open_line is None or stop_line is None or open_line == stop_line:
        cause, hint = _explain_error(str(error.problem or error))
        return Problem(file if stop_line is None else f"{file}:{stop_line}", f"YAML syntax error: {cause}", hint=hint)
    cause = f"the {sign} of line {open_line} is not closed before line {stop_line}"
    if sign in _CLOSERS:
        hint = f'add {_CLOSERS[sign]} to line {open_line}, or the missing "," before line {stop_line}'
    else:
        hint = "close the quote"
    return Problem(f"{file}:{open_line}", f"YAML syntax error: {cause}", hint=hint)


_BRACKETS = {"flow mapping": "{", "flow sequence": "[", "quoted scalar": "quote"}
"""Contexts of libyaml's errors, and the opening character of each."""
_CLOSERS = {"{": "}", "[": "]"}


def _explain_error(problem: str) -> tuple[str, str | None]:
    """The cause of a message of the parser, and a hint."""
    return next(((cause, hint) for part, cause, hint in _SYNTAX_ERRORS if part in problem), (problem, None))


_INDENT = "indent the keys of one mapping by the same number of spaces, and write a space after each colon"
_SYNTAX_ERRORS = (
    (
        "cannot start any token",
        "a tab as indentation, or text that starts with a special character",
        "indent with spaces, and quote text that starts with @, `, % or a tab",
    ),
    (
        "expected ',' or '}'",
        'a value inside { } is not followed by "," or "}"',
        'close every { and [, and quote a node range inside them: {a: "leaf[1-2]"}',
    ),
    (
        "expected ',' or ']'",
        'a value inside [ ] is not followed by "," or "]"',
        'close every { and [, and quote a node range inside them: {a: "leaf[1-2]"}',
    ),
    (
        "expected node content",
        "a value is missing, or a bracket is not closed",
        "close every { and [ in the lines above",
    ),
    ("mapping values", 'a second ": " in one line', "quote text that contains ': ', and check the indentation"),
    ("could not find expected ':'", 'a key without ":"', _INDENT),
    ("did not find expected key", "wrong indentation", _INDENT),
    ("'-' indicator", "wrong indentation of a list", "start every entry of a list with '- ' in the same column"),
    ("block sequence entries", 'a "- " where no list can begin', "start a list in a separate line"),
    ("unexpected end of stream", "a quote that is not closed", "close every ' and \""),
    ("document start", "text outside the mapping", "begin every top-level key in the first column"),
)
"""Part of a message of libyaml, its meaning, and a hint."""


def _build_document(events: Iterator[Any], file: str, lines: dict[Path, int], problems: list[Problem]) -> Raw | None:
    stack: list[_Open] = []
    root: Raw | None = None
    documents = 0
    for event in events:
        kind = type(event)
        if kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            stack.pop()
        elif kind is yaml.DocumentStartEvent:
            documents += 1
            if documents == 2:
                raise refuse(
                    _format_location(file, event), "a second document", "one YAML document", "remove the line ---"
                )
        elif kind is yaml.AliasEvent:
            raise refuse(
                _format_location(file, event),
                f"the alias *{event.anchor}",
                "the value itself",
                "node ranges and `except` save repeating",
            )
        elif issubclass(kind, yaml.NodeEvent):
            _refuse_decoration(event, file)
            if kind is yaml.ScalarEvent and _takes_key(stack):
                _open_key(stack[-1], event, file, lines, problems)
                continue
            value = _read_value(event)
            path = _add_value(stack, value, event, file)
            lines.setdefault(path, _get_line(event))
            if not stack and root is None:
                root = value
            if not isinstance(value, str):
                stack.append(_Open(value, path))
                if len(stack) > _DEEPEST:
                    raise refuse(
                        _format_location(file, event), f"more than {_DEEPEST} levels of nesting", f"at most {_DEEPEST}"
                    )
    return None if root == "" else root


def _format_location(file: str, event: Any) -> str:
    return f"{file}:{_get_line(event)}"


def _get_line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _refuse_decoration(event: Any, file: str) -> None:
    if event.anchor is not None:
        raise refuse(
            _format_location(file, event),
            f"the anchor &{event.anchor}",
            "no anchors",
            "node ranges and `except` save repeating",
        )
    if event.tag is not None and event.tag != "!":
        raise refuse(_format_location(file, event), f"the tag {event.tag}", "no tags; the field decides the type")


def _takes_key(stack: list[_Open]) -> bool:
    return bool(stack) and isinstance(stack[-1].value, dict) and stack[-1].key is None


def _open_key(parent: _Open, event: Any, file: str, lines: dict[Path, int], problems: list[Problem]) -> None:
    line, key = _get_line(event), event.value
    first = parent.keys.get(key)
    if first is not None:
        problems.append(
            Problem(f"{file}:{line}", f"the key {key!r} used twice", "each key once", f"first used on line {first}")
        )
    elif _SECRET.search(key) is not None:
        problems.append(
            Problem(
                f"{file}:{line}",
                f"the key {key!r}",
                "no secrets in a cluster file",
                "wirespeed needs none; ssh keys and agents hold them",
            )
        )
    parent.keys.setdefault(key, line)
    parent.key = key
    lines.setdefault((*parent.path, key), line)


def _read_value(event: Any) -> Raw:
    if isinstance(event, yaml.ScalarEvent):
        return str(event.value)
    return {} if isinstance(event, yaml.MappingStartEvent) else []


def _add_value(stack: list[_Open], value: Raw, event: Any, file: str) -> Path:
    """Add a value to the mapping or list that contains it; return its path."""
    if not stack:
        return ()
    parent = stack[-1]
    if isinstance(parent.value, list):
        parent.value.append(value)
        return (*parent.path, len(parent.value) - 1)
    if parent.key is None:
        raise refuse(
            _format_location(file, event),
            "a mapping or a list as a key",
            "text as a key",
            "quote text that starts with [ or {",
        )
    key, parent.key = parent.key, None
    parent.value.setdefault(key, value)
    return (*parent.path, key)
