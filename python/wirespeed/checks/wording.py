"""Values and places as text, as findings print them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from wirespeed.number_ranges import format_ranges
from wirespeed.settings import Compare, Number, Place, Priority, Setting, is_address
from wirespeed.units import Quantity, format_transfer_rate

LONGEST_LIST = 8  # numbers of a set; longer ones are printed as ranges: "0-15, 17-31"


def format_value(value: Any, unit: str | None = None) -> str:
    """A value as text: ``9000 bytes``, ``x8``, ``32 GT/s``, ``26 -> 3, 48 -> 7``, ``on``, ``none``."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Quantity):
        return str(value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, int):
        return _format_number(int(value), unit)
    if isinstance(value, Mapping):
        return (
            ", ".join(f"{format_value(key)} -> {format_value(inner)}" for key, inner in sorted(value.items())) or "none"
        )
    if isinstance(value, frozenset | set):
        if len(value) > LONGEST_LIST and all(type(number) is int for number in value):
            return ", ".join(format_ranges(value))
        return format_list(sorted(value))
    if isinstance(value, tuple | list):
        return format_list(value)
    if isinstance(value, str) and value.isdigit() and unit is not None:
        return _format_number(int(value), unit)
    return str(value) if value not in (None, "") else "none"


def format_list(values: Iterable[Any]) -> str:
    """Values separated by commas, ``none`` without any."""
    return ", ".join(format_value(value) for value in values) or "none"


def format_numbers(value: Any, unit: str | None = None) -> str:
    """A value whose numbers have the name of their numbering space: ``priority 3 -> traffic class 1``, ``priority 3``.

    ``unit`` is that of the values of a map.
    """
    if isinstance(value, Mapping) and value:
        return ", ".join(f"{_name_number(key)} -> {_name_number(inner, unit)}" for key, inner in sorted(value.items()))
    if isinstance(value, frozenset) and all(isinstance(number, Priority) for number in value) and value:
        return format_priorities(value)
    return format_value(value, unit)


def _name_number(value: Any, unit: str | None = None) -> str:
    return f"{value.noun} {value}" if isinstance(value, Number) else format_value(value, unit)


def format_priorities(priorities: Iterable[int]) -> str:
    """``priority 3``, ``priorities 3, 4``, ``no priority``."""
    numbers = sorted(priorities)
    noun = "priority" if len(numbers) == 1 else "priorities"
    return f"{noun} {format_list(numbers)}" if numbers else "no priority"


def format_pfc(priorities: Iterable[int]) -> str:
    """The priorities with PFC: ``PFC enabled on priority 3``."""
    return f"PFC enabled on {format_priorities(priorities)}"


def format_expected(setting: Setting, value: Any) -> str:
    """The expected value of a setting: ``at least 9000 bytes``."""
    text = format_value(value, setting.unit)
    return f"at least {text}" if setting.compare is Compare.AT_LEAST else text


def differences(setting: Setting, intended: Any, found: Any) -> tuple[Any, Any]:
    """Both values; of maps only the entries that differ, because a list of 64 code points is unreadable."""
    if _is_by_rank(intended) and _is_by_rank(found):
        intended, found = (
            {rank: " ".join(format_ranges(cores)) for rank, cores in enumerate(value)} for value in (intended, found)
        )
    if not isinstance(intended, Mapping) or not isinstance(found, Mapping):
        return intended, found
    keys = set(intended) if setting.compare is Compare.CONTAINS else set(intended) | set(found)
    wrong = {key for key in keys if intended.get(key) != found.get(key)}
    if not wrong:
        return intended, {key: value for key, value in found.items() if key in keys}
    return (
        {key: value for key, value in intended.items() if key in wrong},
        {key: value for key, value in found.items() if key in wrong},
    )


def _is_by_rank(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(inner, tuple) for inner in value)


def format_place(place: Place, nic: Any) -> str:
    """A place on its device as text.

    ``nic`` is the NIC at or around the place, None elsewhere. A NIC is printed with all its names:
    ``bnxt_re0 / enp29s0np0 / 0000:1d:00.0``.
    """
    parts = [
        " / ".join(part for part in (nic.rdma_device, name, nic.pcie if is_address(nic.pcie) else None) if part)
        if kind == "nic" and nic is not None
        else f"{kind} {name}"
        for kind, name in place.entities
    ]
    return " ".join(parts)


def format_remote_place(place: Place) -> str:
    """A place with its device: ``leaf1:swp13s0 queue 3``."""
    if not place.entities:
        return place.device
    (kind, name), *inner = place.entities
    end = f"{place.device}:{name}" if kind in ("nic", "port") else f"{place.device} {kind} {name}"
    return " ".join((end, *(f"{inner_kind} {inner_name}" for inner_kind, inner_name in inner)))


def _format_number(value: int, unit: str | None) -> str:
    match unit:
        case "lanes":
            return f"x{value}"
        case "MT/s":
            return format_transfer_rate(value)
        case "percent":
            return f"{value} %"
        case None:
            return str(value)
        case _:
            return f"{value} {unit}"
