"""The observed plan: the plan with the settings read from devices instead of the planned ones.

PCIe functions are matched by topology first (`wirespeed.plan.locate`). Every setting that was read, running or in a
configuration file, replaces the planned one. A setting that was not read stays as planned, and
`ObservedPlan.list_unread` lists it. Names (models, rails, RDMA devices, addresses, which NIC serves which GPU) stay
those of the plan: limits are computed for the same NIC in both. A NIC or GPU that the complete list of its host lacks
is omitted, and so is a cable that is down at one end.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from wirespeed.errors import format_first
from wirespeed.facts import COMPLETE, Facts, State
from wirespeed.plan.locate import locate
from wirespeed.plan.model import Cable, End, Plan
from wirespeed.settings import Host, Nic, Place, Switch, is_address
from wirespeed.settings.link import Link
from wirespeed.settings.model import list_fields
from wirespeed.units import Bandwidth

T = TypeVar("T")

_NAMES = frozenset(
    {"host.model", "nic.model", "nic.rail", "nic.gpu", "nic.rdma_device", "nic.addresses", "gpu.model"}
    | {"nic.pcie", "gpu.pcie"}
    | {"host.launch.hosts", "host.launch.rdma_devices"}
)
_EXTENSIBLE = frozenset({"host.pcie"})
"""Collections that also take entities without a plan: PCIe bridges above the planned functions."""

LIMIT_SETTINGS = {
    "nic.link.speed": "link speed",
    "nic.rdma_mtu": "RDMA path MTU",
    "pcie.link.speed": "PCIe speed",
    "pcie.link.width": "PCIe width",
    "pcie.max_payload": "PCIe MaxPayload",
}
"""Settings of a NIC and of its PCIe function that limits are computed from."""


@dataclass(frozen=True, slots=True)
class ObservedPlan:
    """The observed plan, with the facts that name the values that were read."""

    plan: Plan
    facts: Facts

    def list_unread(self, hosts: Iterable[str], interfaces: Collection[str] | None = None) -> tuple[str, ...]:
        """Settings that limits of these hosts' NICs depend on and that were not read, as text.

        ``interfaces``: the NICs that take part; None: all. Where none of a host has one of these names, all do.
        """
        planned_hosts = [host for host in hosts if host in self.plan.hosts]
        absent = [host for host in planned_hosts if host not in self.facts.devices]
        assumptions = [f"not collected: {format_first(absent, _MAX_NAMES)}: taken as planned"] if absent else []
        for path, name in LIMIT_SETTINGS.items():
            unread_hosts = [
                host for host in planned_hosts if host not in absent and self._lacks_reading(host, path, interfaces)
            ]
            if unread_hosts:
                assumptions.append(
                    f"the {name} of NICs was not read on {format_first(unread_hosts, _MAX_NAMES)}: taken as planned"
                )
        return tuple(assumptions)

    def _lacks_reading(self, host: str, path: str, interfaces: Collection[str] | None) -> bool:
        """Whether a NIC of a host has no reading of a setting that it has."""
        nics = self.plan.hosts[host].nics
        if interfaces is not None and (not interfaces or not nics.keys().isdisjoint(interfaces)):
            nics = {interface: nic for interface, nic in nics.items() if interface in interfaces}
        for interface, nic in nics.items():
            place = Place(host).child(Nic.kind, interface)
            if path == "nic.rdma_mtu" and nic.rdma_mtu is None:
                continue  # neither planned nor read: no RDMA
            if path.startswith("pcie."):
                if nic.model is None and nic.pcie is None:
                    continue  # an interface of the mainboard, whose slot is not planned
                if not is_address(nic.pcie):
                    return True
                place = Place(host).child("pcie", nic.pcie)
            if self.facts.value(place, path) is None:
                return True
        return False


_MAX_NAMES = 8  # hosts


def overlay_facts(plan: Plan, facts: Facts) -> ObservedPlan:
    """The plan with observed settings. The caller ensures that the facts are of the time of the benchmark."""
    plan = locate(plan, facts)
    overlay = _Overlay(facts)
    hosts = {name: overlay.overlay_entity(host, Place(name), Host.kind) for name, host in plan.hosts.items()}
    switches = {
        name: overlay.overlay_entity(switch, Place(name), Switch.kind) for name, switch in plan.switches.items()
    }
    cables = tuple(_select_cables(plan.cables, hosts, switches))
    present = dataclasses.replace(
        plan, hosts=hosts, switches=switches, cables=cables, computed=(), requested={}, warnings=()
    )
    return ObservedPlan(present, facts)


class _Overlay:
    """Replaces settings of planned entities by readings."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def overlay_entity(self, settings: T, place: Place, prefix: str) -> T:
        """The entity with every setting that was read."""
        changes: dict[str, Any] = {}
        for field in list_fields(type(settings)):
            path = f"{prefix}.{field.name}"
            value = getattr(settings, field.name)
            if field.setting is not None:
                read = self._find_value(place, path)
                if read is not None:
                    changes[field.name] = read
            elif field.group is not None:
                changes[field.name] = self.overlay_entity(value, place, path)
            elif field.members is not None:
                changes[field.name] = self._overlay_members(value, place, path, field.members)
        return dataclasses.replace(settings, **changes)  # type: ignore[type-var]

    def _find_value(self, place: Place, path: str) -> Any:
        if path in _NAMES:
            return None
        reading = self._facts.reading(place, path)
        if reading is None or reading.state < State.CONFIGURED or reading.value == COMPLETE:
            return None
        return reading.value

    def _overlay_members(self, planned: Mapping[str, Any], place: Place, path: str, kind: type[Any]) -> dict[str, Any]:
        observed_members = self._list_observed_members(place, path)
        if path == "host.gpus":  # the tool that lists GPUs gives the next index to those behind a missing one
            observed_members = {name: gpu for name, gpu in planned.items() if is_address(gpu.pcie)}
        members = {
            name: self.overlay_entity(member, place.child(kind.kind, name), kind.kind)
            for name, member in planned.items()
            if name in observed_members or not self._facts.complete(place, path)
        }
        for name in observed_members if path in _EXTENSIBLE else ():
            if name not in members:
                members[name] = self.overlay_entity(kind(), place.child(kind.kind, name), kind.kind)
        return members

    def _list_observed_members(self, place: Place, path: str) -> Mapping[str, Any]:
        """The observed members of a collection of a device: NICs, GPUs, ports, functions."""
        device = self._facts.devices.get(place.device)
        name = path.rpartition(".")[2]
        members = getattr(device, name, None) if device is not None and not place.entities else None
        return members if isinstance(members, Mapping) else {}


def _select_cables(
    cables: Iterable[Cable], hosts: Mapping[str, Host], switches: Mapping[str, Switch]
) -> Iterable[Cable]:
    """Cables whose ends exist and were not observed down, at the speed of the slower end."""
    for cable in cables:
        ends = [_find_link(end, hosts, switches) for end in (cable.a, cable.b)]
        if any(link is None or link.up is False for link in ends):
            continue
        speeds = [link.speed for link in ends if link is not None and link.speed is not None]
        yield dataclasses.replace(cable, speed=Bandwidth(min([cable.speed, *speeds])))


def _find_link(end: End, hosts: Mapping[str, Host], switches: Mapping[str, Switch]) -> Link | None:
    """The link of a cable end. Empty if the plan has no such port, None if the port is absent."""
    if end.device in hosts:
        nic = hosts[end.device].nics.get(end.port)
        return nic.link if nic else None
    switch = switches.get(end.device)
    port = switch.ports.get(end.port) if switch else None
    return port.link if port else Link()
