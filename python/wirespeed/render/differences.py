"""Differences between rendered files and those in a folder, and between planned and collected settings."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.facts import NOT_IN_EFFECT, Facts, Reading, State, drop_other_launchers
from wirespeed.plan import Plan
from wirespeed.plan.cable_length import exceeds_cable, find_longest_cable
from wirespeed.render.files import RenderedFile
from wirespeed.settings import Compare, Place, Switch, get, list_collections, list_settings
from wirespeed.units import Length


@dataclass(frozen=True, slots=True)
class FileDifference:
    """A file that differs from the rendered one. ``kind`` is missing, extra, different or mode."""

    device: str
    path: str
    kind: str
    lines: tuple[str, ...] = ()  # unified diff, from the present file to the rendered one


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting that differs from the plan. ``kind`` is different, absent or unread.

    Absent is an entity that does not exist, and a setting of a configuration file that does not exist.
    """

    place: Place
    path: str
    kind: str
    intended: Any = None
    found: Any = None
    source: str | None = None  # source of the reading, or the reason why it was not read
    state: State | None = None  # which of the device's values differs


Difference = FileDifference | SettingDifference


def compare_files(rendered: Iterable[RenderedFile], folder: Path, cluster: str) -> Iterator[FileDifference]:
    """Differences of the files in a folder written by `wirespeed.render.output_folder` from the present rendering.

    Only the folders of the rendered devices are read.

    Raises:
        OSError: a file cannot be read.
    """
    expected: dict[str, dict[str, RenderedFile]] = {}
    for file in rendered:
        expected.setdefault(file.device, {})[file.relative] = file
    for device, files in expected.items():
        present_files = _list_files(folder / device)
        for relative, file in files.items():
            if relative not in present_files:
                yield FileDifference(device, file.path, "missing")
                continue
            yield from _compare_file(file, present_files[relative], cluster)
        for relative in sorted(present_files.keys() - files.keys()):
            yield FileDifference(device, f"/{_escape(relative)}", "extra")


def _list_files(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        return {}
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if not path.is_dir()}


def _compare_file(file: RenderedFile, path: Path, cluster: str) -> Iterator[FileDifference]:
    content = path.read_bytes()
    if content != file.text.encode():
        lines = difflib.unified_diff(
            [_escape(line) for line in content.decode("utf-8", "backslashreplace").split("\n")],
            file.text.split("\n"),
            str(path),
            f"{file.device}:{file.path} (plan of {cluster})",
            lineterm="",
        )
        yield FileDifference(file.device, file.path, "different", tuple(lines))
    mode = path.stat().st_mode & 0o777
    if mode != file.mode:
        yield FileDifference(file.device, file.path, "mode", (f"{mode:o} in the folder, {file.mode:o} rendered",))


def _escape(line: str) -> str:
    """A line of an untrusted file with control characters escaped."""
    return "".join(sign if sign.isprintable() or sign == "\t" else f"\\x{ord(sign):02x}" for sign in line)


def compare_settings(plan: Plan, facts: Facts, devices: Sequence[str]) -> Iterator[SettingDifference]:
    """Planned settings that differ, are absent or were not read, and missing entities.

    Omitted are settings without a reading that the device sets without configuration.
    """
    facts = drop_other_launchers(facts, plan.devices)
    for name in devices:
        place = Place(name)
        if name not in facts.devices:
            yield SettingDifference(place, "", "unread", source="not in the bundle")
            continue
        yield from _entity_differences(facts, place, plan.devices[name], facts.devices[name])


def _add_device(port: Any, neighbour_port: str) -> str:
    """The neighbour's port as ``leaf1:Eth1/1``, if the device is known."""
    device = port.neighbour.device
    return neighbour_port if device is None else f"{device}:{neighbour_port}"


def _list_values(facts: Facts, place: Place, path: str) -> list[Reading]:
    """The value in effect, then the configured and the persistent one, where they differ from those before."""
    values: list[Reading] = []
    for reading in facts.readings.get((place, path), ()):
        is_repeated = any(reading.value == earlier.value or reading.state is earlier.state for earlier in values)
        if not values or (reading.state is not State.ASSUMED and not is_repeated):
            values.append(reading)
    return values


_OF_NEIGHBOURS = ("port.neighbour.device", "port.neighbour.port")
"""Settings with a value for each LLDP neighbour of a port, of which one is the planned one."""


def _has_reading(facts: Facts, place: Place, path: str, value: Any) -> bool:
    return any(reading.value == value for reading in facts.readings.get((place, path), ()))


def _entity_differences(
    facts: Facts, place: Place, intended: Any, found: Any, longest: Length = Length(0)
) -> Iterator[SettingDifference]:
    """The differences of an entity and of those in it; ``longest``: the longest planned cable of its switch."""
    longest = find_longest_cable(intended) if isinstance(intended, Switch) else longest
    for path, setting in list_settings(type(intended)).items():
        value = get(intended, path)
        if value is None or setting.compare is Compare.NONE:
            continue
        readings = _list_values(facts, place, path)
        if path in _OF_NEIGHBOURS and _has_reading(facts, place, path, value):
            continue
        if readings:
            different = [
                reading
                for reading in readings
                if not setting.compare.holds(value, reading.value)
                or (path == "port.cable_length" and exceeds_cable(reading.value, longest))
            ]
            for reading in different:
                values = value, reading.value
                if path == "port.neighbour.port":
                    values = _add_device(intended, value), _add_device(found, reading.value)
                yield SettingDifference(place, path, "different", *values, str(reading.source), reading.state)
            if not different and facts.lacks_running_value(place, path):
                yield SettingDifference(place, path, "unread", value, source=NOT_IN_EFFECT)
        elif files := facts.list_absent_files(place, path, intended):
            yield SettingDifference(place, path, "absent", value, "absent", f"no {' or '.join(files)}")
        elif (place.device, path) not in facts.automatic:
            yield SettingDifference(place, path, "unread", value, source=facts.find_missing_reason(place, path))
    for path in list_collections(type(intended)):
        present = get(found, path)
        for name, inner in get(intended, path).items():
            inner_place = place.child(inner.kind, name)
            if name in present and not facts.is_unlisted_nic(inner_place):
                yield from _entity_differences(facts, inner_place, inner, present[name], longest)
            elif facts.complete(place, path):
                yield SettingDifference(
                    inner_place, path, "absent", "present", "absent", str(facts.readings[place, path][0].source)
                )
            elif (place.device, path) in facts.gaps or _is_compared(inner):
                yield SettingDifference(
                    inner_place, path, "unread", "present", source=facts.find_missing_reason(place, path)
                )


def _is_compared(entity: Any) -> bool:
    """Whether the plan has a value of the entity that a device can show. An installation step has none."""
    settings = list_settings(type(entity)).items()
    return any(setting.compare is not Compare.NONE and get(entity, path) is not None for path, setting in settings)
