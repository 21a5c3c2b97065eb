"""Settings, and the reflection that lists them in the entities that carry them.

An *entity* (host, NIC, switch, port, queue, …) is a frozen dataclass. Each of its fields is one of

* a setting: ``Annotated[T | None, Setting(...)]``; its dotted path (``nic.link.mtu``) is its name everywhere,
* a group of settings: another frozen dataclass without a ``kind``, whose fields extend the path,
* a collection of entities: ``Mapping[str, Entity]``, keyed by the name the device gives them.

``None`` means *no intent* in a plan and *not read* in facts.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, ClassVar, Protocol, TypeVar

from wirespeed.settings.driver_version import find_release, is_of_version
from wirespeed.settings.os_release import is_of_release

_Reflection = TypeVar("_Reflection")


def _cache_reflection(reflect: Callable[[type[Any]], _Reflection]) -> Callable[[type[Any]], _Reflection]:
    """Reflect on each class once."""
    return lru_cache(maxsize=None)(reflect)  # type: ignore[return-value]


class Compare(StrEnum):
    """How an observed value must relate to the intended one."""

    EXACT = "exact"
    AT_LEAST = "at least"
    CONTAINS = "contains"  # every intended element is present; others may be too
    WITHIN = "within"  # every element found is intended; some intended ones may be absent
    WITHIN_3_PERCENT = "within 3 %"  # platforms disagree whether a KByte is 1000 or 1024 bytes
    VERSION = "same version"  # or one of its builds: 1.19.0 is of 1.19
    RELEASE = "same release"  # of a driver, with or without the prefix of its version
    OS_RELEASE = "same release of the system"  # or one of its builds: 4.4.2-Enterprise_Premium is of 4.4.2
    NONE = "not compared"  # identity and evidence, not intent

    def holds(self, intended: Any, found: Any) -> bool:
        """Whether ``found`` satisfies ``intended``."""
        match self:
            case Compare.EXACT:
                return bool(intended == found)
            case Compare.AT_LEAST:
                return bool(found >= intended)
            case Compare.CONTAINS:
                if isinstance(intended, Mapping):
                    return all(key in found and found[key] == value for key, value in intended.items())
                return set(intended) <= set(found)
            case Compare.WITHIN:
                return set(found) <= set(intended)
            case Compare.WITHIN_3_PERCENT:
                return bool(abs(found - intended) <= intended * 0.03)
            case Compare.RELEASE:
                return find_release(intended) == find_release(found)
            case Compare.VERSION:
                return is_of_version(found, intended)
            case Compare.OS_RELEASE:
                return is_of_release(found, intended)
            case Compare.NONE:
                return True


@dataclass(frozen=True, slots=True)
class Setting:
    """The annotation of a setting's field: its meaning, its unit, and how two values compare.

    ``observed`` is a state that follows from hardware and other settings; it is not configured. ``normal`` is the value
    of a counter on a healthy device.
    """

    meaning: str
    unit: str | None = None
    compare: Compare = Compare.EXACT
    observed: bool = False
    normal: str | None = None


class Entity(Protocol):
    """A frozen dataclass that carries settings and has a name on its device."""

    kind: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """The location of a setting: a device, and its nested entities from the outside in.

    ``Place("leaf1", (("port", "Ethernet1/1"), ("queue", "3")))`` prints as ``leaf1 port Ethernet1/1 queue 3``.
    """

    device: str
    entities: tuple[tuple[str, str], ...] = ()

    def child(self, kind: str, name: str) -> Place:
        """The place of an entity in this one."""
        return Place(self.device, (*self.entities, (kind, name)))

    @property
    def kind(self) -> str | None:
        """Kind of the innermost entity, None for the device itself."""
        return self.entities[-1][0] if self.entities else None

    @property
    def name(self) -> str:
        """Name of the innermost entity."""
        return self.entities[-1][1] if self.entities else self.device

    @property
    def outer(self) -> Place:
        """The enclosing place; that of a device is the device itself."""
        return Place(self.device, self.entities[:-1])

    def __str__(self) -> str:
        return " ".join([self.device, *(f"{kind} {name}" for kind, name in self.entities)])


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an entity or group, as reflection sees it."""

    name: str
    setting: Setting | None = None
    group: type[Any] | None = None
    members: type[Any] | None = None  # the entity class of a collection


@_cache_reflection
def list_fields(cls: type[Any]) -> tuple[Field, ...]:
    """The fields of an entity or group class, in order.

    Raises:
        TypeError: a field is neither a setting, a group nor a collection of entities.
    """
    hints = typing.get_type_hints(cls, include_extras=True)
    return tuple(build_field(cls, field.name, hints[field.name]) for field in dataclasses.fields(cls))


def build_field(cls: type[Any], name: str, hint: Any) -> Field:
    if typing.get_origin(hint) is typing.Annotated:
        setting = next((extra for extra in hint.__metadata__ if isinstance(extra, Setting)), None)
        if setting is not None:
            return Field(name, setting=setting)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return Field(name, group=hint)
    arguments = typing.get_args(hint)
    if len(arguments) == 2 and dataclasses.is_dataclass(arguments[1]) and isinstance(arguments[1], type):
        return Field(name, members=arguments[1])
    raise TypeError(f"{cls.__name__}.{name}: {hint!r} is no setting, group or collection of entities")


@_cache_reflection
def list_settings(cls: type[Any]) -> Mapping[str, Setting]:
    """Every setting path of an entity class (without those of the entities in its collections) with its annotation."""
    return dict(_iterate_settings(cls, cls.kind))


def _iterate_settings(cls: type[Any], prefix: str) -> Iterator[tuple[str, Setting]]:
    for field in list_fields(cls):
        path = f"{prefix}.{field.name}"
        if field.setting is not None:
            yield path, field.setting
        elif field.group is not None:
            yield from _iterate_settings(field.group, path)


@_cache_reflection
def list_setting_types(cls: type[Any]) -> Mapping[str, Any]:
    """Every setting path of an entity class with the type of its values, without None."""
    return dict(_iterate_types(cls, cls.kind))


def _iterate_types(cls: type[Any], prefix: str) -> Iterator[tuple[str, Any]]:
    hints = typing.get_type_hints(cls)
    for field in list_fields(cls):
        path = f"{prefix}.{field.name}"
        if field.setting is not None:
            kinds = [kind for kind in typing.get_args(hints[field.name]) if kind is not type(None)]
            yield path, kinds[0] if len(kinds) == 1 else hints[field.name]
        elif field.group is not None:
            yield from _iterate_types(field.group, path)


def list_group_settings(cls: type[Any], path: str) -> tuple[str, ...]:
    """The setting paths of a group of an entity class, for example ``list_group_settings(Queue, "queue.ecn")``.

    Raises:
        KeyError: the class has no such group.
    """
    paths = tuple(setting_path for setting_path in list_settings(cls) if setting_path.startswith(f"{path}."))
    if not paths:
        raise KeyError(path)
    return paths


@_cache_reflection
def list_collections(cls: type[Any]) -> Mapping[str, type[Any]]:
    """Paths of an entity class's collections (``host.nics``) with the class of their members."""
    return dict(_iterate_collections(cls, cls.kind))


def _iterate_collections(cls: type[Any], prefix: str) -> Iterator[tuple[str, type[Any]]]:
    for field in list_fields(cls):
        path = f"{prefix}.{field.name}"
        if field.members is not None:
            yield path, field.members
        elif field.group is not None:
            yield from _iterate_collections(field.group, path)


def get(entity: Any, path: str) -> Any:
    """The value at a path of this entity, for example ``get(nic, "nic.link.mtu")``.

    Raises:
        KeyError: the entity's class has no such setting or collection.
    """
    if path not in list_settings(type(entity)) and path not in list_collections(type(entity)):
        raise KeyError(path)
    return _find_getter(path)(entity)


@cache
def _find_getter(path: str) -> attrgetter[Any]:
    return attrgetter(path.partition(".")[2])


def iterate_entities(device: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    """The device and every entity in it, from the outside in, with their places."""
    yield place, device
    for path, members in list_collections(type(device)).items():
        for name, entity in get(device, path).items():
            yield from iterate_entities(entity, place.child(members.kind, name))


def walk(device: Any, place: Place) -> Iterator[tuple[Place, str, Any]]:
    """Every setting of a device and its entities: (place, path, value). The value is None if nothing is planned or
    read."""
    for inner_place, entity in iterate_entities(device, place):
        for path in list_settings(type(entity)):
            yield inner_place, path, get(entity, path)
