"""Helpers for JSON that a switch prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from wirespeed.facts import Observation, Source
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import parse_json_object
from wirespeed.settings import Place


def observe_documents(
    switch: Place,
    outputs: Outputs,
    readers: Mapping[str, Callable[[Place, Output, Mapping[str, Any]], Iterable[Observation]]],
) -> Iterator[Observation]:
    """Settings from commands with JSON output, each with a reader function. An incomplete output shows nothing."""
    for command, read in readers.items():
        if (output := outputs.get(command)) is not None and (data := parse_json_object(output)) is not None:
            yield from read(switch, output, data)


def find_mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under a key, else an empty one."""
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def find_source(output: Output, word: str) -> Source:
    """The first line with this quoted text."""
    line = _parse_lines(output.text).get(word)
    return output.source if line is None else output.source_of_line(line)


@lru_cache(maxsize=8)
def _parse_lines(text: str) -> Mapping[str, int]:
    read_values: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        for word in line.split('"')[1::2]:
            read_values.setdefault(word, number)
    return read_values
