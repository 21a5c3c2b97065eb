"""Differences between a scenario and the same scenario with the settings that an algorithm expects."""

from __future__ import annotations

import json
from collections.abc import Iterator

from wirespeed import _core
from wirespeed.results.algorithm_comparison import Change
from wirespeed.simulation.algorithm_settings import iterate_devices
from wirespeed.simulation.parameters import Sections, view_sections
from wirespeed.simulation.scenario_types import Scenario

_OF_THE_ALGORITHM = "congestion"
_CREDIT_TIMEOUT = "credit_timeout_ns"
"""The only parameter of congestion control that follows from the network."""


def find_changes(before: Scenario, after: Scenario, preset: str) -> tuple[Change, ...]:
    """Changed parameters of all devices, then of single devices. Both scenarios are accepted by the core."""
    usual: Sections = json.loads(_core.preset(preset))
    return (*_find_common_changes(before, after, usual), *_find_device_changes(before, after, usual))


def _find_common_changes(before: Scenario, after: Scenario, usual: Sections) -> Iterator[Change]:
    for group, key in _list_names(view_sections(after["parameters"]), view_sections(before["parameters"])):
        old, new = _common_value(before, usual, group, key), _common_value(after, usual, group, key)
        if old != new:
            yield Change(f"{group}.{key}", False, (old,), (new,))


def _find_device_changes(before: Scenario, after: Scenario, usual: Sections) -> Iterator[Change]:
    """Compare the sets of values, because a plan groups its devices by their values."""
    of_devices = [
        view_sections(device["parameters"]) for scenario in (after, before) for device in iterate_devices(scenario)
    ]
    for group, key in _list_names(*of_devices):
        old, new = _device_values(before, usual, group, key), _device_values(after, usual, group, key)
        if old != new:
            yield Change(f"{group}.{key}", True, old, new)


def _list_names(*sections: Sections) -> Iterator[tuple[str, str]]:
    """Groups and keys of the sections, each once, without those that belong to the algorithm."""
    names = ((group, key) for section in sections for group, keys in section.items() for key in keys)
    for group, key in dict.fromkeys(names):
        if group != _OF_THE_ALGORITHM or key == _CREDIT_TIMEOUT:
            yield group, key


def _common_value(scenario: Scenario, usual: Sections, group: str, key: str) -> object:
    stated = view_sections(scenario["parameters"]).get(group, {})
    return stated[key] if key in stated else usual[group].get(key)


def _device_values(scenario: Scenario, usual: Sections, group: str, key: str) -> tuple[object, ...]:
    """The different values of single devices; the common value where no device has one."""
    sections = [view_sections(device["parameters"]).get(group, {}) for device in iterate_devices(scenario)]
    values = [section[key] for section in sections if key in section]
    distinct = [value for number, value in enumerate(values) if value not in values[:number]]
    return tuple(distinct) or (_common_value(scenario, usual, group, key),)
