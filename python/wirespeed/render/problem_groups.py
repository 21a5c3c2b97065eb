"""Joins equal problems of ports and devices into one, with the devices and the number of ports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from wirespeed.cluster.ranges import format_names
from wirespeed.errors import Problem
from wirespeed.settings import ENTITIES

_PORT_KINDS = ("nic", "port")
_OTHER_KINDS = frozenset(entity.kind for entity in ENTITIES) - {*_PORT_KINDS}
"""Kinds of a device's parts. Platforms name a port without its kind: ``leaf1 Ethernet1/1 queue 3``."""


@dataclass(frozen=True, slots=True)
class DeviceProblem:
    """A problem of a device, whose location is ``device[ port[ part]]: setting``; ``origin`` is the line to change."""

    origin: str
    device: str
    problem: Problem


@dataclass(slots=True)
class _Group:
    first: DeviceProblem
    devices: dict[str, None] = field(default_factory=dict)
    origins: dict[str, None] = field(default_factory=dict)
    parts: dict[tuple[str, str], None] = field(default_factory=dict)


def group_problems(problems: Iterable[DeviceProblem]) -> list[Problem]:
    """One problem for each mistake, in the order found: equal except for device and port."""
    groups: dict[tuple[str, ...], _Group] = {}
    for entry in problems:
        part, inner, setting = _split_location(entry)
        problem = entry.problem
        key = (inner, setting, problem.found, problem.expected, problem.hint or "", str(bool(part)))
        group = groups.setdefault(key, _Group(entry))
        group.devices.setdefault(entry.device)
        group.origins.setdefault(entry.origin)
        if part:
            group.parts.setdefault((entry.device, part))
    return [_join_group(entry, *key[:2]) for key, entry in groups.items()]


def _split_location(entry: DeviceProblem) -> tuple[str, str, str]:
    """The port, the part of it, and the setting: ``Ethernet1/1``, ``queue 3``, ``queue.shape``."""
    subject, _, setting = entry.problem.location.removeprefix(entry.device).partition(": ")
    words = subject.split()
    if words and words[0] in _PORT_KINDS:
        words = words[1:]
    if not words or words[0] in _OTHER_KINDS:
        return "", " ".join(words), setting
    return words[0], " ".join(words[1:]), setting


def _join_group(group: _Group, inner: str, setting: str) -> Problem:
    parts = list(group.parts)
    if len(parts) == 1:
        names = ":".join(parts[0]) + (f" {inner}" if inner else "")
    else:
        names = format_names(list(group.devices))
        names += f", {len(parts)} ports" if parts else ""
        names += (", " if parts else " ") + inner if inner else ""
    location = ": ".join(text for text in (_join_origins(list(group.origins)), names, setting) if text)
    return replace(group.first.problem, location=location)


def _join_origins(origins: list[str]) -> str:
    """``a.yaml:6, 7``."""
    file = origins[0].rpartition(":")[0]
    if not file or any(origin.rpartition(":")[0] != file for origin in origins):
        return ", ".join(origins)
    return f"{file}:{', '.join(origin.rpartition(':')[2] for origin in origins)}"
