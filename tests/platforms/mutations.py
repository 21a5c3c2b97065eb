"""Changing one value of a device: what must then be read is the other value."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from wirespeed.settings import Dscp, Place
from wirespeed.settings.model import list_fields
from wirespeed.settings.qos import Number
from wirespeed.units import Size

ALLOWED_VALUES: Mapping[str, tuple[str, ...]] = {
    "bios.value": ("disabled", "enabled"),
    "host.cpu_vendor": ("amd", "intel"),
    "host.firewall": ("", ""),
    "host.kernel.iommu": ("passthrough", "translated"),
    "host.launch.gpu_direct": ("PXB", "SYS"),
    "host.launch.gpu_memory": ("cuda", "rocm"),
    "host.launch.gpu_peers": ("PXB", "SYS"),
    "host.launch.memlock": ("unlimited", "65536"),
    "host.launch.transport": ("rc", "hybrid"),
    "host.memlock": ("unlimited", "65536"),
    "gid.type": ("RoCE v2", "RoCE v1"),
    "nic.link.fec": ("rs", "none"),
    "nic.nvm.link_type": ("ethernet", "infiniband"),
    "nic.nvm.performance_profile": ("roce", "default"),
    "nic.qos.trust": ("dscp", "dot1p"),
    "nic.roce_version": ("RoCE v2", "IB/RoCE v1"),
    "pcie.role": ("endpoint", "root-port"),
}
"""Settings with few allowed values: two of them."""


def change_value(path: str, value: Any) -> Any:
    """Another value of the same kind."""
    if path in ALLOWED_VALUES:
        first, second = ALLOWED_VALUES[path]
        return second if value == first else first
    match value:
        case bool():
            return not value
        case StrEnum():
            members = list(type(value))
            return members[(members.index(value) + 1) % len(members)]
        case Number():
            return type(value)((value + 1) % (type(value).last + 1))
        case Size():
            return Size(2 * value)
        case int():
            return type(value)(value + (1024 if value > 1024 else 1))
        case str():
            return _text(value)
        case frozenset():
            return _set(path, value)
        case tuple():
            return value[:-1] if len(value) > 1 else ()
        case Mapping():
            key = next(iter(value))
            return {**value, key: change_value(path, value[key])}
    raise TypeError(f"{path}: {value!r}")


def _text(value: str) -> str:
    """A digit more, where there is one; a letter otherwise."""
    position = max((index for index, letter in enumerate(value) if letter.isdigit()), default=None)
    if position is None:
        return value + "x"
    return value[:position] + str((int(value[position]) + 1) % 10) + value[position + 1 :]


def _set(path: str, value: frozenset[Any]) -> frozenset[Any]:
    if value:
        return value - {min(value)}
    return frozenset({"SrcValid"}) if path == "pcie.acs" else frozenset({Dscp(1)})


def put(device: Any, place: Place, path: str, value: Any) -> Any:
    """The device with another value at a place and path."""
    return _put(device, place.entities, path.split(".")[1:], value)


def _put(entity: Any, place: tuple[tuple[str, str], ...], names: list[str], value: Any) -> Any:
    if place:
        (kind, name), *inner = place
        for field in list_fields(type(entity)):
            if field.members is not None and field.members.kind == kind:
                members = dict(getattr(entity, field.name))
                members[name] = _put(members[name], tuple(inner), names, value)
                return dataclasses.replace(entity, **{field.name: members})
        raise KeyError(kind)
    if len(names) == 1:
        return dataclasses.replace(entity, **{names[0]: value})
    return dataclasses.replace(entity, **{names[0]: _put(getattr(entity, names[0]), (), names[1:], value)})
