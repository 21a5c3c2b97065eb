"""Helpers for parsers: lines with their numbers, JSON with its lines, and observations from them."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output, Outputs
from wirespeed.settings import Place


def number_lines(output: Output) -> Iterator[tuple[int, str]]:
    """The lines of an output, numbered from 1, without their ends."""
    for number, line in enumerate(output.text.split("\n"), 1):
        yield number, line.rstrip("\r")


def complete_lines(output: Output) -> Iterator[tuple[int, str]]:
    """The lines that end in a line feed, numbered from 1: a last line without one may be cut short."""
    yield from enumerate(output.text.split("\n")[:-1], start=1)


def nic_place(outputs: Outputs, interface: str) -> Place:
    """The place of a NIC port of the device."""
    return Place(outputs.device).child("nic", interface)


def observe(
    place: Place, path: str, value: Any, output: Output, line: int | None = None, state: State = State.RUNNING
) -> Observation:
    """One value, read from a line of an output. Without a line its source is the whole output."""
    source = output.source if line is None else output.source_of_line(line)
    return Observation(place, path, value, source, state)


def parse_json_object(output: Output) -> Mapping[str, Any] | None:
    """The JSON object an output consists of; None when it was cut short or is no object."""
    try:
        data = json.loads(output.text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def parse_json_objects(output: Output) -> list[tuple[int, dict[str, Any]]] | None:
    """The objects of a JSON list with the line each begins on; None when the output is no whole list of objects.

    A list, not a generator: a list that was cut short shows nothing.
    """
    text = output.text
    objects: list[tuple[int, dict[str, Any]]] = []
    decoder = json.JSONDecoder()
    position = _skip(text, 0)
    if not text.startswith("[", position):
        return None
    position = _skip(text, position + 1)
    counted_position, line = 0, 1
    if text.startswith("]", position):
        return objects if not text[position + 1 :].strip() else None
    while True:
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict):
            return None
        if value:  # iproute2 prints {} for objects that it filters out
            line += text.count("\n", counted_position, position)
            counted_position = position
            objects.append((line, value))
        position = _skip(text, end)
        if text.startswith("]", position):
            return objects if not text[position + 1 :].strip() else None
        if not text.startswith(",", position):
            return None
        position = _skip(text, position + 1)


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def parse_whole(text: object) -> int | None:
    """A whole decimal number that is not negative and fits 64 bits; None for other texts."""
    if isinstance(text, bool):
        return None
    if isinstance(text, int):
        return text if 0 <= text < 2**64 else None
    return int(text) if isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 20 else None


def is_mac_address(text: str) -> bool:
    """Whether a text is a MAC address, with colons or hyphens, or as Cisco and Arista print it: ``0800.274f.332d``."""
    return re.fullmatch(r"[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}|[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2}", text) is not None


def parse_network(address: object, length: int | None = None) -> str | None:
    """A network with its host bits cleared, ``10.1.0.0/16``. None for other texts."""
    if not isinstance(address, str):
        return None
    try:
        return str(ipaddress.ip_network(address if length is None else f"{address}/{length}", strict=False))
    except ValueError:
        return None
