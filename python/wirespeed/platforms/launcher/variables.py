"""Environment variables of a library: the setting of each, and its conversion in both directions."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wirespeed.errors import Problem
from wirespeed.facts import Observation, Source, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import number_lines
from wirespeed.settings import Dscp, Launch, Place, Priority

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)")
_EXPORT = re.compile(r'\[ "\$\{([A-Za-z_][A-Za-z0-9_]*)\+set\}" \] \|\| export \1=(.*)')
"""A line of `library_variables.export_lines`."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of one launch setting. The reader returns None for an invalid text."""

    name: str
    setting: str
    format: Callable[[Any], str]
    read: Callable[[str], Any]


Read = Mapping[str, tuple[str, Source]]
"""Variables as read: value and source."""


# Formats of values.


def flag(name: str, setting: str) -> Variable:
    """1 for true, 0 for false."""
    return Variable(name, setting, lambda value: "1" if value else "0", {"1": True, "0": False}.get)


def inverse_flag(name: str, setting: str) -> Variable:
    """0 for true, 1 for false: the variable disables what the setting enables."""
    return Variable(name, setting, lambda value: "0" if value else "1", {"0": True, "1": False}.get)


def number(name: str, setting: str) -> Variable:
    """A whole number; a negative number is the default of the library."""
    return Variable(name, setting, str, lambda text: int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None)


def traffic_class(name: str) -> Variable:
    """The ToS byte: four times the DSCP; its two low bits are ECN's."""

    def read(text: str) -> Dscp | None:
        return Dscp(int(text) >> 2) if re.fullmatch(r"[0-9]{1,3}", text) and int(text) <= 255 else None

    return Variable(name, "dscp", lambda dscp: str(dscp.tos), read)


def service_level(name: str) -> Variable:
    """The InfiniBand service level, which RoCE maps to the 802.1p priority."""
    return Variable(
        name,
        "priority",
        lambda value: str(int(value)),
        lambda text: Priority(int(text)) if text in _PRIORITIES else None,
    )


_PRIORITIES = frozenset("01234567")

KEYS = {
    "rdma_devices": "'jobs' of the host's NICs ('nic: {INTERFACE: {jobs: false}}' leaves one out)",
    "control_interface": "'control_interface' of the host",
    "dscp": "'dscp' of the class roce",
    "cores": "'binding' of launch",
}
"""Keys of the cluster file for settings without a key of the same name in its `launch`."""


# What a launch needs of them.


def format_variables(table: Sequence[Variable], launch: Launch) -> dict[str, str]:
    """The variables of a launch's settings, in the order of the table."""
    return {
        variable.name: variable.format(value)
        for variable in table
        if (value := getattr(launch, variable.setting)) is not None
    }


def observe_variables(table: Sequence[Variable], read: Read, place: Place, state: State) -> Iterator[Observation]:
    """The settings of the variables that were read."""
    for variable in table:
        if variable.name in read:
            text, source = read[variable.name]
            value = variable.read(text)
            if value is not None:
                yield observation(place, variable.setting, value, source, state)


def observe_unmapped(read: Read, settings: Collection[str], output: Output, place: Place, state: State) -> Observation:
    """The variables without a setting, as the environment; ``settings``: the variables that have one."""
    unmapped = {name: pair for name, pair in read.items() if name not in settings}
    values = {name: value for name, (value, _) in unmapped.items()}
    members = tuple((name, source) for name, (_, source) in unmapped.items())
    return observation(place, "environment", values, replace(output.source, members=members), state)


def observation(place: Place, setting: str, value: object, source: Source, state: State) -> Observation:
    """One launch setting as read."""
    return Observation(place, f"host.launch.{setting}", value, source, state)


def problems(name: str, launch: Launch, settings: Mapping[str, str]) -> list[Problem]:
    """Problems of the variables in the cluster file: an invalid text, or a variable that a setting already sets.

    ``settings`` are the variables of the library with the setting of each.
    """
    location = f"{name}: launch environment"
    problems: list[Problem] = []
    for variable, value in (launch.environment or {}).items():
        if not _NAME.fullmatch(variable):
            problems.append(Problem(location, repr(variable), "letters, digits and underscores, no digit first"))
        elif not value.isprintable():
            problems.append(
                Problem(location, f"{variable} with {value!r}", "a value of one line, without control characters")
            )
        elif variable in settings:
            setting = settings[variable]
            expected = f"{KEYS.get(setting, f'{setting!r} of launch')}, which sets it"
            problems.append(Problem(location, f"{variable}={value}", expected, "one value in two places can differ"))
    return problems


def settings_of_table(*tables: Sequence[Variable]) -> dict[str, str]:
    """The setting of each variable."""
    return {variable.name: variable.setting for table in tables for variable in table}


# Reading.


def lines(output: Output) -> dict[str, tuple[str, Source]]:
    """``NAME=VALUE`` lines; spaces around the sign are no part of either. The first line of a name counts."""
    problems: dict[str, tuple[str, Source]] = {}
    for number_, line in number_lines(output):
        match = _LINE.fullmatch(line.strip())
        if match is not None:
            problems.setdefault(match[1], (match[2].strip(), output.source_of_line(number_)))
    return problems


_PROCESS = re.compile(r"/proc/([0-9]+)/environ:([A-Za-z_][A-Za-z0-9_]*)=(.*)")


def processes(output: Output, configured: Read | None = None) -> dict[str, tuple[str, Source]]:
    """Variables of running processes, one per line as grep found it.

    Where processes differ, at least one contradicts the library's file, ``configured``: its value counts. A variable
    that differs and is not in the file is left out.
    """
    values: dict[str, dict[str, Source]] = {}
    for number_, line in number_lines(output):
        if (match := _PROCESS.fullmatch(line)) is not None:
            _, name, value = match.groups()
            values.setdefault(name, {}).setdefault(value, output.source_of_line(number_))
    exported: dict[str, tuple[str, Source]] = {}
    for name, sources in values.items():
        file_value = (configured or {}).get(name, (None,))[0]
        contradicting = [value for value in sources if value != file_value]
        if len(sources) == 1 or file_value is not None:
            value = next(iter(contradicting or sources))
            exported[name] = value, sources[value]
    return exported


def exports(output: Output) -> dict[str, tuple[str, Source]]:
    """Variables that a rendered script exports unless its caller has set them."""
    problems: dict[str, tuple[str, Source]] = {}
    for number_, line in number_lines(output):
        match = _EXPORT.fullmatch(line)
        if match is not None:
            try:
                words = shlex.split(match[2])
            except ValueError:
                continue
            if len(words) <= 1:
                problems.setdefault(match[1], (words[0] if words else "", output.source_of_line(number_)))
    return problems
