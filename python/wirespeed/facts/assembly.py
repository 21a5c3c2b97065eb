"""Assemble facts from observations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wirespeed.facts.model import COMPLETE, Facts, Gap, Observation, Reading
from wirespeed.settings import ENTITIES, Device, Host, Place, Switch, list_collections, list_settings
from wirespeed.settings.model import list_fields

_CLASSES: dict[str, type[Any]] = {entity.kind: entity for entity in ENTITIES}


def assemble_facts(
    observations: Iterable[Observation],
    gaps: Mapping[tuple[str, str], tuple[Gap, ...]] | None = None,
    devices: Iterable[str] = (),
    unverified: Iterable[tuple[str, str]] = (),
    switches: Iterable[str] = (),
) -> Facts:
    """Assemble facts from observations.

    Of several readings of one setting the first of the highest state counts. ``devices`` are devices with collected
    output, even without observations; such a device has no values and is a `Host` unless in ``switches``.
    ``unverified`` is stored as given.

    Raises:
        KeyError: an observation's path is not a setting or collection of its place.
    """
    readings: dict[tuple[Place, str], list[Reading]] = {}
    for observation in observations:
        _check_path(observation)
        reading = Reading(observation.value, observation.source, observation.state)
        readings.setdefault((observation.place, observation.path), []).append(reading)
    ordered = {
        key: tuple(sorted(readings_of_setting, key=lambda reading: -reading.state))
        for key, readings_of_setting in readings.items()
    }
    return Facts(
        _build_devices(ordered, devices, frozenset(switches)), ordered, dict(gaps or {}), frozenset(unverified)
    )


def _check_path(observation: Observation) -> None:
    kind = observation.path.partition(".")[0]
    cls = _CLASSES.get(kind)
    if cls is None or (observation.place.kind or kind) != kind:
        raise KeyError(f"{observation.path} is not a setting of {observation.place}")
    if observation.value is COMPLETE or observation.value == COMPLETE:
        allowed_paths: Mapping[str, Any] = list_collections(cls)
    else:
        allowed_paths = list_settings(cls)
    if observation.path not in allowed_paths:
        raise KeyError(f"{observation.path} is not a setting of {observation.place}")


def _build_devices(
    readings: Mapping[tuple[Place, str], tuple[Reading, ...]], devices: Iterable[str], switches: frozenset[str]
) -> dict[str, Device]:
    values: dict[Place, dict[str, Any]] = {Place(device): {} for device in devices}
    for (place, path), readings_of_setting in readings.items():
        outer = place
        while outer.entities:
            values.setdefault(outer, {})
            outer = outer.outer
        values.setdefault(outer, {})
        if readings_of_setting[0].value != COMPLETE:
            values[place][path] = readings_of_setting[0].value
    members: dict[Place, list[Place]] = {}
    for place in values:
        if place.entities:
            members.setdefault(place.outer, []).append(place)
    return {
        place.device: _build_entity(
            Switch if place.device in switches else _device_class(values[place], place, readings),
            place,
            values,
            members,
        )
        for place in values
        if not place.entities
    }


def _device_class(
    values: Mapping[str, Any], place: Place, readings: Mapping[tuple[Place, str], tuple[Reading, ...]]
) -> type[Device]:
    if any(path.startswith("switch.") for path in values):
        return Switch
    inner = {
        inner_place.entities[0][0]
        for inner_place, _ in readings
        if inner_place.device == place.device and inner_place.entities
    }
    return Switch if inner & {"port", "vlan"} or (place, "switch.ports") in readings else Host


def _build_entity(
    cls: type[Any], place: Place, values: Mapping[Place, Mapping[str, Any]], members: Mapping[Place, list[Place]]
) -> Any:
    return _build_group(cls, cls.kind, place, values, members)


def _build_group(
    cls: type[Any],
    prefix: str,
    place: Place,
    values: Mapping[Place, Mapping[str, Any]],
    members: Mapping[Place, list[Place]],
) -> Any:
    arguments: dict[str, Any] = {}
    for field in list_fields(cls):
        path = f"{prefix}.{field.name}"
        if field.setting is not None:
            arguments[field.name] = values[place].get(path)
        elif field.group is not None:
            arguments[field.name] = _build_group(field.group, path, place, values, members)
        elif field.members is not None:
            inner = [inner_place for inner_place in members.get(place, ()) if inner_place.kind == field.members.kind]
            arguments[field.name] = {
                inner_place.name: _build_entity(field.members, inner_place, values, members) for inner_place in inner
            }
    return cls(**arguments)
