"""The cables: which NIC is in which leaf port, and which switch in which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from wirespeed.catalogue.model import ChipModel, SwitchModel, SwitchSystem
from wirespeed.cluster import Cluster, Pattern, SwitchSpec
from wirespeed.plan.affinity import Chassis, Seat
from wirespeed.plan.model import Cable, End
from wirespeed.plan.problems import Problems
from wirespeed.units import Bandwidth, Length

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Box:
    """A switch with what the catalogue knows of it."""

    spec: SwitchSpec
    model: SwitchModel
    system: SwitchSystem
    system_name: str
    ports: tuple[str, ...]  # names in front-panel order
    chip: ChipModel | None = None  # None: the catalogue knows nothing of it

    @property
    def speed(self) -> Bandwidth:
        """Speed of a port that the file says nothing of."""
        return Bandwidth(self.model.speed.value // (self.spec.part.breakout or 1))


def port_names(model: SwitchModel, system: SwitchSystem, split: int | None = None) -> tuple[str, ...]:
    """The ports of a switch in front-panel order, the parts of a split one side by side.

    None where the system has no names for those of line cards.
    """
    numbers = range(1, model.ports.value + 1)
    if split is not None and system.sub_port_name is not None:
        name = system.sub_port_name
        return tuple(name.format(port=port, index=port - 1, sub=sub) for port in numbers for sub in range(split))
    if model.cards is None:
        return tuple(system.port_name.format(port=number, index=number - 1) for number in numbers)
    if system.card_port_name is None:
        return ()
    slots = model.cards.slots.value
    each = range(1, model.ports.value // len(slots) + 1)
    return tuple(system.card_port_name.format(slot=slot, port=port) for slot in slots for port in each)


@dataclass(frozen=True, slots=True)
class HostCable:
    """A cable between a NIC and a leaf port."""

    cable: Cable
    seat: Seat

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


def patterned_cables(
    cluster: Cluster, chassis: Mapping[str, Chassis], boxes: Mapping[str, Box], problems: Problems
) -> list[HostCable]:
    """Cables between hosts and leaves, in the order of hosts and rails.

    By host, the NICs of a host stand on neighbouring ports and a host is never split over leaves while it fits one;
    by rail, the NICs of a rail stand on neighbouring ports and rails are dealt out to the leaves in order.
    """
    leaves = [name for name, box in boxes.items() if box.spec.role == "leaf"]
    if not leaves:
        problems.refuse(("switches",), "no switch with the role leaf", "at least one")
        return []
    groups: list[list[tuple[str, Seat]]] = [[(host, seat) for seat in found.seats] for host, found in chassis.items()]
    if cluster.cabling.pattern is Pattern.BY_RAIL:
        rails: dict[int, list[tuple[str, Seat]]] = {}
        for host, seat in (entry for group in groups for entry in group):
            rails.setdefault(seat.rail, []).append((host, seat))
        groups = [rails[rail] for rail in sorted(rails)]
    placed = {}
    for leaf, entries in zip(leaves, _dealt(groups, len(leaves)), strict=True):
        taken = _uplinks(cluster, leaf)
        ports = boxes[leaf].ports[: len(boxes[leaf].ports) - taken]
        if len(entries) > len(ports):
            problems.refuse(
                boxes[leaf].spec.path,
                f"{len(entries)} NICs for {leaf}",
                f"at most {len(ports)}, its ports" + (f" less {taken} towards switches" if taken else ""),
                "add leaves",
            )
            continue
        for (host, seat), port in zip(entries, ports, strict=False):
            placed[host, seat.interface] = End(leaf, port)
    if problems.refused:
        return []
    return [
        host_cable(host, seat, placed[host, seat.interface], boxes, cluster.cabling.length)
        for host, found in chassis.items()
        for seat in found.seats
    ]


def _dealt(groups: list[list[tuple[str, Seat]]], leaves: int) -> list[list[tuple[str, Seat]]]:
    """Groups (hosts or rails) dealt out to leaves in order, evenly; one is split only if there are more leaves."""
    if len(groups) >= leaves:
        return [[entry for group in share for entry in group] for share in _even(groups, leaves)]
    dealt: list[list[tuple[str, Seat]]] = []
    for group, own in zip(groups, _even(range(leaves), len(groups)), strict=True):
        dealt += _even(group, len(own))
    return dealt


def _even(items: Sequence[_Item], parts: int) -> list[list[_Item]]:
    """Items in order in so many parts, the first ones one longer where it does not come out even."""
    share, longer = divmod(len(items), parts)
    starts = [part * share + min(part, longer) for part in range(parts + 1)]
    return [list(items[start:end]) for start, end in pairwise(starts)]


def host_cable(host: str, seat: Seat, at: End, boxes: Mapping[str, Box], length: Length | None) -> HostCable:
    """A cable from a NIC to a leaf port, at the speed of the slower end."""
    speed = Bandwidth(min(seat.speed, port_speed(boxes[at.device], at.port)))
    cable = Cable(End(host, seat.interface), at, speed, length, seat.rail)
    return HostCable(cable, seat)


def port_speed(box: Box, port: str) -> Bandwidth:
    """Speed of a switch port."""
    part = box.spec.part.ports.get(port)
    return (part.speed if part else None) or box.speed


def _uplinks(cluster: Cluster, switch: str) -> int:
    return sum(link.count * (len(b) * a.count(switch) + len(a) * b.count(switch)) for link, a, b in cluster.links)
