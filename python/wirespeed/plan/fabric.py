"""The cables between NICs and leaf ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from wirespeed.catalogue.model import ChipModel, SwitchModel, SwitchSystem
from wirespeed.cluster import Cluster, Pattern, SwitchSpec
from wirespeed.cluster.ranges import fold_each
from wirespeed.plan.affinity import Chassis, HostPort
from wirespeed.plan.model import Cable, End
from wirespeed.plan.problems import Problems
from wirespeed.units import Bandwidth, Duration, Length

_Element = TypeVar("_Element")


@dataclass(frozen=True, slots=True)
class Box:
    """A switch with its catalogue data."""

    spec: SwitchSpec
    model: SwitchModel
    system: SwitchSystem
    system_name: str
    ports: tuple[str, ...]  # names in front-panel order
    chip: ChipModel | None = None  # None: not in the catalogue

    @property
    def latency(self) -> Duration | None:
        """Time from the last bit in to the first bit out of a frame in an idle switch. None: unknown."""
        override = self.spec.part.latency
        return override if override is not None else self.model.latency.value if self.model.latency else None

    @property
    def speed(self) -> Bandwidth:
        """Default speed of a port."""
        return Bandwidth(self.model.speed.value // (self.spec.part.breakout or 1))

    @property
    def fixed_lanes(self) -> int | None:
        """Lanes of every port at any speed, on a system whose ports are named after them. None: the port's speed or
        its configuration decides."""
        if self.model.lanes is None or "{lane}" not in self.system.port_name:
            return None
        return self.model.lanes.value // (self.spec.part.breakout or 1)


def port_names(model: SwitchModel, system: SwitchSystem, split: int | None = None) -> tuple[str, ...]:
    """The ports of a switch in front-panel order; split ports are adjacent.

    Empty if the system has no names for ports of line cards.
    """
    numbers = range(1, model.ports.value + 1)
    lanes = model.lanes.value if model.lanes else 1
    if split is not None and system.sub_port_name is not None:
        name = system.sub_port_name
        return tuple(
            name.format(
                port=port,
                index=port - 1,
                sub=sub,
                part=sub + 1,
                lane=(port - 1) * lanes + sub * (lanes // split),
                member_lane=1 + sub * (lanes // split),
            )
            for port in numbers
            for sub in range(split)
        )
    if model.cards is None:
        name = system.port_name
        return tuple(name.format(port=port, index=port - 1, lane=(port - 1) * lanes) for port in numbers)
    if system.card_port_name is None:
        return ()
    slots = model.cards.slots.value
    ports_of_slot = range(1, model.ports.value // len(slots) + 1)
    return tuple(system.card_port_name.format(slot=slot, port=port) for slot in slots for port in ports_of_slot)


@dataclass(frozen=True, slots=True)
class HostCable:
    """A cable between a NIC and a leaf port."""

    cable: Cable
    host_port: HostPort

    @property
    def host(self) -> str:
        """The host's name."""
        return self.cable.a.device

    @property
    def switch(self) -> str:
        """The leaf's name."""
        return self.cable.b.device

    @property
    def port(self) -> str:
        """The leaf port's name."""
        return self.cable.b.port


@dataclass(frozen=True, slots=True)
class Domain:
    """A pod of a plane: its hosts and leaves, and the plane of the NICs."""

    plane: int  # from 0
    planes: int
    hosts: tuple[str, ...]
    leaves: tuple[str, ...]

    def takes(self, host_port: HostPort) -> bool:
        """Whether a NIC is in this plane."""
        return (host_port.rail - 1) % self.planes == self.plane


def list_domains(cluster: Cluster, chassis: Mapping[str, Chassis], boxes: Mapping[str, Box]) -> list[Domain]:
    """The pods of all planes, in file order. Without a pattern, one domain with all hosts and leaves."""
    part = cluster.fabric
    planes, pods = (part.planes, part.pods) if part else (1, 1)
    leaves = [name for name, box in boxes.items() if box.spec.role == "leaf"]
    hosts = even(tuple(chassis), pods)
    return [
        Domain(plane, planes, tuple(pod_hosts), tuple(pod_leaves))
        for plane, of_plane in enumerate(even(leaves, planes))
        for pod_hosts, pod_leaves in zip(hosts, even(of_plane, pods), strict=True)
    ]


def build_pattern_cables(
    cluster: Cluster,
    chassis: Mapping[str, Chassis],
    boxes: Mapping[str, Box],
    domains: Sequence[Domain],
    uplinks: Mapping[str, int],
    problems: Problems,
) -> list[HostCable]:
    """Cables between hosts and leaves, in the order of hosts and rails.

    By host, the NICs of a host use neighbouring ports and a host is never split over leaves while it fits one;
    by rail, the NICs of a rail use neighbouring ports and rails are assigned to the leaves in order.
    """
    if not any(box.spec.role == "leaf" for box in boxes.values()):
        problems.refuse(("switches",), "no switch with the role leaf", "at least one")
        return []
    leaf_ports: dict[tuple[str, str], End] = {}
    full: dict[
        tuple[str | int, ...], list[tuple[str, int]]
    ] = {}  # by range of the cluster file: leaves with too many NICs, and their number
    for domain in domains:
        groups = _group_ports(cluster, chassis, domain)
        if domain.hosts and not groups:
            problems.refuse(("fabric", "planes"), f"{domain.planes} planes", "a NIC of every host in each plane")
            return []
        for leaf, entries in zip(domain.leaves, _deal_groups(groups, len(domain.leaves)), strict=True):
            ports = boxes[leaf].ports[: max(0, len(boxes[leaf].ports) - uplinks.get(leaf, 0))]
            if len(entries) > len(ports):
                full.setdefault(boxes[leaf].spec.path, []).append((leaf, len(entries)))
            for (host, host_port), port in zip(entries, ports, strict=False):
                leaf_ports[host, host_port.interface] = End(leaf, port)
    for path, leaves in full.items():
        leaf, count = max(leaves, key=lambda entry: entry[1])
        whole, uplink_ports = len(boxes[leaf].ports), uplinks.get(leaf, 0)
        if cluster.fabric is not None and count <= whole < uplink_ports:
            problems.refuse(
                ("fabric", "leaf_spine", "uplinks"),
                f"{uplink_ports} uplinks",
                f"at most {whole - count}: a leaf has {whole} ports and {count} NICs",
            )
            continue
        free = f"at most {max(0, whole - uplink_ports)}"
        fits_with_fewer_uplinks = cluster.fabric is not None and 0 < whole - count < uplink_ports
        problems.refuse(
            ("fabric", "leaf_spine", "uplinks") if fits_with_fewer_uplinks else path,
            f"{count} NICs for {fold_each([name for name, _ in leaves])}",
            f"{free}: {whole} ports, of which {uplink_ports} are uplinks"
            if uplink_ports
            else f"{free}, one for each port",
            f"add leaves, or reduce uplinks (fabric.leaf_spine.uplinks: {whole - count} at most)"
            if fits_with_fewer_uplinks
            else f"add leaves, or use fewer {'uplinks or NICs' if uplink_ports and count <= whole else 'NICs'}",
        )
    if problems.refusals:
        return []
    return [
        host_cable(
            host, host_port, leaf_ports[host, host_port.interface], boxes, cluster.cabling.length, cluster.cabling.cable
        )
        for host, host_chassis in chassis.items()
        for host_port in host_chassis.host_ports
    ]


def _group_ports(cluster: Cluster, chassis: Mapping[str, Chassis], domain: Domain) -> list[list[tuple[str, HostPort]]]:
    """Group the NIC ports of a domain by host, or by rail if the cabling is by rail."""
    hosts = [
        [(host, host_port) for host_port in chassis[host].host_ports if domain.takes(host_port)]
        for host in domain.hosts
    ]
    if cluster.cabling.pattern is not Pattern.BY_RAIL:
        return [group for group in hosts if group]
    rails: dict[int, list[tuple[str, HostPort]]] = {}
    for host, host_port in (entry for group in hosts for entry in group):
        rails.setdefault(host_port.rail, []).append((host, host_port))
    return [rails[rail] for rail in sorted(rails)]


def _deal_groups(groups: list[list[tuple[str, HostPort]]], leaves: int) -> list[list[tuple[str, HostPort]]]:
    """Distribute groups (hosts or rails) evenly to leaves, in order. A group is split only if there are more leaves."""
    if len(groups) >= leaves or not groups:
        return [[entry for group in share for entry in group] for share in even(groups, leaves)]
    dealt: list[list[tuple[str, HostPort]]] = []
    for group, group_leaves in zip(groups, even(range(leaves), len(groups)), strict=True):
        dealt += even(group, len(group_leaves))
    return dealt


def even(items: Sequence[_Element], parts: int) -> list[list[_Element]]:
    """Divide items into parts, in order. The first parts are one longer if the division is not even."""
    share, longer = divmod(len(items), parts)
    starts = [part * share + min(part, longer) for part in range(parts + 1)]
    return [list(items[start:end]) for start, end in pairwise(starts)]


def host_cable(
    host: str, host_port: HostPort, leaf_port: End, boxes: Mapping[str, Box], length: Length | None, model: str | None
) -> HostCable:
    """A cable from a NIC to a leaf port, at the speed of the slower end."""
    speed = Bandwidth(min(host_port.speed, port_speed(boxes[leaf_port.device], leaf_port.port)))
    cable = Cable(End(host, host_port.interface), leaf_port, speed, length, host_port.rail, model)
    return HostCable(cable, host_port)


def port_speed(box: Box, port: str) -> Bandwidth:
    """Speed of a switch port."""
    part = box.spec.part.ports.get(port)
    return (part.speed if part else None) or box.speed
