"""The observed plan: the plan with the settings read from devices instead of the planned ones.

Every setting that was read, running or in a configuration file, takes the place of the planned one; what was not read
stays as planned, and `ObservedPlan.unread` lists it. Names (models, rails, RDMA devices, addresses, which NIC serves
which GPU) stay those of the plan: limits are computed for the same NIC in both. A NIC or GPU that the
whole list of its host does not have is left out, and so is a cable that one of its ends sees down.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from wirespeed.errors import format_first
from wirespeed.facts import COMPLETE, Facts, State
from wirespeed.plan.model import Cable, End, Plan
from wirespeed.settings import Host, Nic, Place, Switch
from wirespeed.settings.link import Link
from wirespeed.settings.model import list_fields
from wirespeed.units import Bandwidth

T = TypeVar("T")

_NAMES = frozenset(
    {"host.model", "nic.model", "nic.rail", "nic.gpu", "nic.rdma_device", "nic.addresses", "gpu.model"}
    | {"host.launch.hosts", "host.launch.rdma_devices"}
)
_JOINED = frozenset({"host.pcie"})
"""Collections that take in what the plan does not name: bridges lie between the functions that it does."""

LIMITING = {
    "nic.link.speed": "link speed",
    "nic.rdma_mtu": "RDMA path MTU",
    "pcie.link.speed": "PCIe speed",
    "pcie.link.width": "PCIe width",
    "pcie.max_payload": "PCIe MaxPayload",
}
"""Settings of a NIC and of its PCIe function that limits rest on."""


@dataclass(frozen=True, slots=True)
class ObservedPlan:
    """The plan of what is there, and what of it was only taken as planned."""

    plan: Plan
    facts: Facts

    def unread(self, hosts: Iterable[str]) -> tuple[str, ...]:
        """Settings that limits of these hosts' NICs depend on and that were not read, as text."""
        named = [host for host in hosts if host in self.plan.hosts]
        absent = [host for host in named if host not in self.facts.devices]
        assumptions = [f"not collected: {format_first(absent, _NAMED)}: taken as planned"] if absent else []
        for path, name in LIMITING.items():
            lacking = [host for host in named if host not in absent and self._lacks(host, path)]
            if lacking:
                assumptions.append(
                    f"the {name} of NICs was not read on {format_first(lacking, _NAMED)}: taken as planned"
                )
        return tuple(assumptions)

    def _lacks(self, host: str, path: str) -> bool:
        """Whether any NIC of a host has no reading of a setting."""
        for interface, nic in self.plan.hosts[host].nics.items():
            at = Place(host).child(Nic.kind, interface)
            if path.startswith("pcie."):
                if nic.pcie is None:
                    return True
                at = Place(host).child("pcie", nic.pcie)
            if self.facts.value(at, path) is None:
                return True
        return False


_NAMED = 8  # hosts


def overlay_facts(plan: Plan, facts: Facts) -> ObservedPlan:
    """The cluster as found, from facts of any age; the caller ensures that they are of the time of a benchmark."""
    found = _Overlay(facts)
    hosts = {name: found.overlay(host, Place(name), Host.kind) for name, host in plan.hosts.items()}
    switches = {name: found.overlay(switch, Place(name), Switch.kind) for name, switch in plan.switches.items()}
    cables = tuple(_cables(plan.cables, hosts, switches))
    present = dataclasses.replace(
        plan, hosts=hosts, switches=switches, cables=cables, computed=(), requested={}, warnings=()
    )
    return ObservedPlan(present, facts)


class _Overlay:
    """Puts readings over the entities of a plan."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def overlay(self, settings: T, place: Place, prefix: str) -> T:
        """The entity with every setting that was read."""
        changes: dict[str, Any] = {}
        for field in list_fields(type(settings)):
            path = f"{prefix}.{field.name}"
            value = getattr(settings, field.name)
            if field.setting is not None:
                read = self._read(place, path)
                if read is not None:
                    changes[field.name] = read
            elif field.group is not None:
                changes[field.name] = self.overlay(value, place, path)
            elif field.members is not None:
                changes[field.name] = self._members(value, place, path, field.members)
        return dataclasses.replace(settings, **changes)  # type: ignore[type-var]

    def _read(self, place: Place, path: str) -> Any:
        if path in _NAMES:
            return None
        reading = self._facts.reading(place, path)
        if reading is None or reading.state < State.CONFIGURED or reading.value == COMPLETE:
            return None
        return reading.value

    def _members(self, planned: Mapping[str, Any], place: Place, path: str, kind: type[Any]) -> dict[str, Any]:
        observed = self._observed_members(place, path)
        members = {
            name: self.overlay(member, place.child(kind.kind, name), kind.kind)
            for name, member in planned.items()
            if name in observed or not self._facts.complete(place, path)
        }
        for name in observed if path in _JOINED else ():
            if name not in members:
                members[name] = self.overlay(kind(), place.child(kind.kind, name), kind.kind)
        return members

    def _observed_members(self, place: Place, path: str) -> Mapping[str, Any]:
        """The members that were seen. Only those of devices themselves matter here: NICs, GPUs, ports, functions."""
        device = self._facts.devices.get(place.device)
        name = path.rpartition(".")[2]
        found = getattr(device, name, None) if device is not None and not place.entities else None
        return found if isinstance(found, Mapping) else {}


def _cables(cables: Iterable[Cable], hosts: Mapping[str, Host], switches: Mapping[str, Switch]) -> Iterable[Cable]:
    """Cables whose ends are there and not seen down, at the speed of their slower end."""
    for cable in cables:
        ends = [_link(end, hosts, switches) for end in (cable.a, cable.b)]
        if any(link is None or link.up is False for link in ends):
            continue
        speeds = [link.speed for link in ends if link is not None and link.speed is not None]
        yield dataclasses.replace(cable, speed=Bandwidth(min([cable.speed, *speeds])))


def _link(end: End, hosts: Mapping[str, Host], switches: Mapping[str, Switch]) -> Link | None:
    """How this end sees the cable; nothing known where the plan has no such port; None where it is gone."""
    if end.device in hosts:
        nic = hosts[end.device].nics.get(end.port)
        return nic.link if nic else None
    switch = switches.get(end.device)
    port = switch.ports.get(end.port) if switch else None
    return port.link if port else Link()
