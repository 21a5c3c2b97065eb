"""Assemble facts from observations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
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
        reading = Reading(observation.value, observation.source, observation.state, observation.is_default)
        readings.setdefault((observation.place, observation.path), []).append(reading)
    ordered = {
        key: tuple(
            sorted(readings_of_setting, key=lambda reading: -reading.state)
            if readings_of_setting[1:]
            else readings_of_setting
        )
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
        while outer not in values:
            values[outer] = {}
            if outer.entities:
                outer = outer.outer
        if readings_of_setting[0].value != COMPLETE:
            values[place][path] = readings_of_setting[0].value
    members: dict[Place, list[Place]] = {}
    for place in values:
        if place.entities:
            members.setdefault(place.outer, []).append(place)
    all_switches = switches.union(place.device for place, path in readings if _is_of_switch(place, path))
    return {
        place.device: _build_entity(Switch if place.device in all_switches else Host, place, values, members)
        for place in values
        if not place.entities
    }


def _is_of_switch(place: Place, path: str) -> bool:
    """Whether only a switch has this setting or collection."""
    if not place.entities:
        return path.startswith("switch.")
    return place.entities[0][0] in ("port", "vlan")


def _build_entity(
    cls: type[Any], place: Place, values: Mapping[Place, Mapping[str, Any]], members: Mapping[Place, list[Place]]
) -> Any:
    settings = values[place]
    collection_groups = _list_collection_groups(cls)  # type: ignore[arg-type] # classes are hashable
    groups = collection_groups.union(*map(_list_groups, settings))
    places_by_kind: dict[str | None, list[Place]] = {}
    for inner_place in members.get(place, ()):
        places_by_kind.setdefault(inner_place.kind, []).append(inner_place)
    collections = {
        path: {
            inner_place.name: _build_entity(member, inner_place, values, members)
            for inner_place in places_by_kind.get(member.kind, ())
        }
        for path, member in list_collections(cls).items()
    }
    return _build_group(cls, cls.kind, settings, collections, groups)


@cache
def _list_groups(path: str) -> tuple[str, ...]:
    """The prefixes of a setting's or collection's path, which name its groups."""
    return tuple(path[:index] for index, letter in enumerate(path) if letter == ".")


@cache
def _list_collection_groups(cls: type[Any]) -> frozenset[str]:
    return frozenset(group for path in list_collections(cls) for group in _list_groups(path))


def _build_group(
    cls: type[Any],
    prefix: str,
    settings: Mapping[str, Any],
    collections: Mapping[str, Mapping[str, Any]],
    groups: AbstractSet[str],
) -> Any:
    """``groups``: the prefixes of all settings and collections that have values."""
    arguments: dict[str, Any] = {}
    for field in list_fields(cls):
        path = f"{prefix}.{field.name}"
        if field.setting is not None:
            arguments[field.name] = settings.get(path)
        elif field.group is not None and path not in groups:
            arguments[field.name] = _build_empty_group(field.group)  # type: ignore[arg-type] # classes are hashable
        elif field.group is not None:
            arguments[field.name] = _build_group(field.group, path, settings, collections, groups)
        elif field.members is not None:
            arguments[field.name] = collections[path]
    return cls(**arguments)


@cache
def _build_empty_group(cls: type[Any]) -> Any:
    """A group without values, which many entities share."""
    return _build_group(cls, "", {}, {}, frozenset())
