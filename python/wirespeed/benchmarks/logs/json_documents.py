"""JSON inside a log, with the line number of every value; a document that is cut is read up to the cut.

The parser of the standard library reports neither the line of a value nor the content before a cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from wirespeed.benchmarks.logs.numbers import number

_MAX_DEPTH = 64
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,}\]])")
_NO_NUMBER = re.compile(r"-?(?:nan|NaN|inf(?:inity)?|Infinity)(?=[\s,}\]])")  # what printf writes for 0/0
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SPACE = re.compile(r"\s*")
_OPENING = re.compile(r'\s*\{\s*(?:$|["}])')


@dataclass(slots=True)
class Node:
    """A JSON value and its line; ``value`` is a dict or list of nodes, or a plain value."""

    value: dict[str, Node] | list[Node] | str | int | float | bool | None
    line: int

    def get(self, *path: str) -> Node | None:
        """The node at the end of a path of keys, or None."""
        node: Node | None = self
        for key in path:
            node = node.value.get(key) if node is not None and isinstance(node.value, dict) else None
        return node

    def items(self) -> list[Node]:
        """The members of a list; none of anything else."""
        return self.value if isinstance(self.value, list) else []

    def number(self, *path: str) -> Node | None:
        """The node at a path when it holds a number."""
        node = self.get(*path)
        is_number = node is not None and isinstance(node.value, int | float) and not isinstance(node.value, bool)
        return node if is_number else None

    def text(self, *path: str) -> str | None:
        """The text at a path, or None."""
        node = self.get(*path)
        return node.value if node is not None and isinstance(node.value, str) else None


@dataclass(slots=True)
class Document:
    """A JSON document from line ``first`` to ``last``. ``problem``: where and why reading stopped, if it did."""

    root: Node
    first: int
    last: int
    problem: str | None = None


class _StopError(Exception):
    """Reading cannot continue; values that were read stay."""


def documents(lines: Sequence[tuple[int, str]]) -> Iterator[Document]:
    """Every JSON object that starts a line, from its brace to its end or to where it is cut.

    ``lines`` are consecutive lines of a file with their numbers.
    """
    whole = "\n".join(text for _, text in lines)
    starts = list(accumulate((len(text) + 1 for _, text in lines), initial=0))
    index = 0
    while index < len(lines):
        number, text = lines[index]
        opens = _OPENING.match(text)
        if not opens or (text.strip() == "{" and not _is_object_start(lines, index + 1)):
            index += 1
            continue
        document = _Reader(whole, starts[index], number).read()
        if document.problem and not document.root.value:
            index += 1
            continue
        yield document
        index += document.last - number + 1


def _is_object_start(lines: Sequence[tuple[int, str]], index: int) -> bool:
    """Whether a lone brace is followed by a key or its closing brace: braces are also in C and in configurations."""
    following = next((text for position in range(index, len(lines)) if (text := lines[position][1].strip())), "")
    return following.startswith(('"', "}"))


class _Reader:
    def __init__(self, text: str, start: int, line: int) -> None:
        self._text = text
        self._position = start
        self._line = line

    def read(self) -> Document:
        first = self._line
        root = Node({}, first)
        problem = None
        try:
            self._skip_space()
            self._read_object(root, 0)
        except _StopError as stop:
            problem = str(stop)
        return Document(root, first, self._line, problem)

    def _skip_space(self) -> None:
        match = _SPACE.match(self._text, self._position)
        if match:
            self._line += match.group().count("\n")
            self._position = match.end()

    def _describe_stop(self, expected: str) -> _StopError:
        excerpt = (
            repr(self._text[self._position : self._position + 20])
            if self._position < len(self._text)
            else "the end of the text"
        )
        return _StopError(f"line {self._line}: found {excerpt}; expected {expected}")

    def _peek_character(self) -> str:
        self._skip_space()
        return self._text[self._position : self._position + 1]

    def _read_value(self) -> Node:
        """Read a whole value. Objects and lists are filled while they are read: a cut leaves the values before it."""
        head = self._peek_character()
        node = Node(None, self._line)
        if head == '"':
            node.value = self._read_string()
            return node
        for word, value in (("true", True), ("false", False), ("null", None)):
            if self._text.startswith(word, self._position):
                self._position += len(word)
                node.value = value
                return node
        absent = _NO_NUMBER.match(self._text, self._position)
        if absent:
            self._position = absent.end()
            return node
        match = _NUMBER.match(self._text, self._position)
        if match is None:  # no value, or a number at the very end, which may be cut
            raise self._describe_stop("a value")
        self._position = match.end()
        node.value = number(match.group())
        return node

    def _read_string(self) -> str:
        match = _STRING.match(self._text, self._position)
        if match is None:
            raise self._describe_stop("a text in quotes")
        self._position = match.end()
        try:
            text = str(json.loads(match.group()))
        except ValueError:
            text = match.group()[1:-1]
        return text.encode("utf-8", "replace").decode()  # half of a surrogate pair cannot be printed

    def _read_child(self, parent: dict[str, Node] | list[Node], key: str | None, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise self._describe_stop(f"at most {_MAX_DEPTH} levels")
        head = self._peek_character()
        if head not in ("{", "["):
            node = self._read_value()
        else:
            node = Node({} if head == "{" else [], self._line)
        if isinstance(parent, dict) and key is not None:
            parent[key] = node
        elif isinstance(parent, list):
            parent.append(node)
        if head == "{":
            self._read_object(node, depth + 1)
        elif head == "[":
            self._read_list(node, depth + 1)

    def _read_object(self, node: Node, depth: int) -> None:
        assert isinstance(node.value, dict)
        self._position += 1
        if self._peek_character() == "}":
            self._position += 1
            return
        while True:
            if self._peek_character() != '"':
                raise self._describe_stop("a key in quotes")
            key = self._read_string()
            if self._peek_character() != ":":
                raise self._describe_stop("':'")
            self._position += 1
            self._read_child(node.value, key, depth)
            if self._is_closed("}"):
                return

    def _read_list(self, node: Node, depth: int) -> None:
        assert isinstance(node.value, list)
        self._position += 1
        if self._peek_character() == "]":
            self._position += 1
            return
        while True:
            self._read_child(node.value, None, depth)
            if self._is_closed("]"):
                return

    def _is_closed(self, bracket: str) -> bool:
        head = self._peek_character()
        if head not in (bracket, ","):
            raise self._describe_stop(f"',' or '{bracket}'")
        self._position += 1
        return head == bracket
