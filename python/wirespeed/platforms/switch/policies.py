"""Policies that ports with equal settings share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from wirespeed.errors import Problem
from wirespeed.platforms.switch.indented_config import natural
from wirespeed.settings import Ecn, Port, Switch


def sort_ports(ports: Mapping[str, Port]) -> list[tuple[str, Port]]:
    """Ports in the order of their numbers."""
    return sorted(ports.items(), key=lambda entry: natural(entry[0]))


def has_thresholds(ecn: Ecn) -> bool:
    """Whether a queue marks and its thresholds are set: it needs a WRED profile."""
    return ecn.enabled is not False and ecn.minimum is not None and ecn.maximum is not None


def name_policies(switch: Switch, base: str, part: Callable[[Port], Any]) -> dict[Any, str]:
    """Every different ``part`` of the ports with a name: ``base`` for the commonest, then ``base-2``, ``base-3``.

    A part that is None needs no policy and gets no name.
    """
    counts: dict[Any, int] = {}
    for _, port in sort_ports(switch.ports):
        value = part(port)
        if value is not None:
            counts[value] = counts.get(value, 0) + 1
    sorted_values = sorted(counts, key=lambda value: -counts[value])  # stable: equal counts stay in port order
    return {value: base if index == 1 else f"{base}-{index}" for index, value in enumerate(sorted_values, start=1)}


def find_invalid_texts(name: str, switch: Switch, forbidden: str = "") -> Iterator[Problem]:
    """Descriptions that would end their line, or the quotes round them."""
    texts = [
        (f"{name} {port}: port.description", port_settings.description)
        for port, port_settings in sort_ports(switch.ports)
    ]
    texts += [(f"{name} Vlan{number}: vlan.description", vlan.description) for number, vlan in switch.vlans.items()]
    for location, text in texts:
        if text and (not text.isprintable() or text != text.strip() or set(text) & set(forbidden)):
            yield Problem(location, repr(text), "printable text" + (f" without {forbidden}" if forbidden else ""))


def frozen(mapping: Mapping[Any, Any] | None) -> tuple[tuple[Any, Any], ...] | None:
    """A mapping as a hashable value; None stays None."""
    return None if mapping is None else tuple(sorted(mapping.items()))


def group_by_target(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, list[int]]]:
    """``(0, 3), (1, 3)`` as ``3: [0, 1]``, in the order of the targets; plain integers, which print as such."""
    targets: dict[int, list[int]] = {}
    for key, target in sorted(pairs):
        targets.setdefault(int(target), []).append(int(key))
    return sorted(targets.items())
