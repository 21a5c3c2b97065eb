"""Planned values outside those that a vendor's models and documentation state (``ranges`` of ``platform.yaml``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirespeed.errors import Problem
from wirespeed.platforms.declaration import parse_value
from wirespeed.platforms.model import Platform, ValueRange
from wirespeed.platforms.releases import parse_release
from wirespeed.settings import Device, Place, Switch, walk


def find_refused_values(platform: Platform, name: str, device: Device) -> Iterator[Problem]:
    """One problem for each value that a release of the device refuses; without a release, that any refuses."""
    release = parse_release(device.os_version) if isinstance(device, Switch) and device.os_version else None
    ranges = [entry for entry in platform.ranges if release is None or _covers(entry, release)]
    for place, path, value in walk(device, Place(name)) if ranges else ():
        for entry in ranges:
            if value is not None and path in entry.settings and not _is_inside(entry, value):
                location = str(place).replace(" port ", " ")
                yield Problem(f"{location}: {path}", str(value), _format_range(entry), _format_hint(entry, release))
                break


def _covers(entry: ValueRange, release: tuple[int, ...]) -> bool:
    is_late_enough = entry.since is None or release >= parse_release(entry.since)
    is_early_enough = entry.until is None or release <= parse_release(entry.until)
    return is_late_enough and is_early_enough


def _is_inside(entry: ValueRange, value: Any) -> bool:
    if entry.values:
        return value in [parse_value(text) for text in entry.values]
    is_above = entry.first is None or value >= parse_value(entry.first)
    is_below = entry.last is None or value <= parse_value(entry.last)
    return is_above and is_below and (entry.step is None or value % parse_value(entry.step) == 0)


def _format_range(entry: ValueRange) -> str:
    if entry.values:
        return f"{', '.join(entry.values[:-1])} or {entry.values[-1]}"
    step = f" in steps of {entry.step}" if entry.step else ""
    return f"{entry.first} to {entry.last}{step}"


def _format_hint(entry: ValueRange, release: tuple[int, ...] | None) -> str:
    if release is not None or (entry.since is None and entry.until is None):
        return entry.source
    applies = f"releases up to {entry.until}" if entry.until else f"releases from {entry.since}"
    return f"this holds for {applies}; os_version of the switch names another release; {entry.source}"
