"""The cables: which NIC is in which leaf port, and which switch in which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.catalogue.model import SwitchModel, SwitchSystem
from wirespeed.cluster import Cluster, Pattern, SwitchSpec
from wirespeed.errors import Problem
from wirespeed.plan.affinity import Chassis, Seat
from wirespeed.plan.model import Cable, End
from wirespeed.plan.problems import Problems
from wirespeed.units import Bandwidth


@dataclass(frozen=True, slots=True)
class Box:
    """A switch with what the catalogue knows of it."""

    spec: SwitchSpec
    model: SwitchModel
    system: SwitchSystem
    system_name: str
    ports: tuple[str, ...]  # names in front-panel order


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


def host_cables(
    cluster: Cluster, chassis: Mapping[str, Chassis], boxes: Mapping[str, Box], problems: Problems
) -> list[HostCable]:
    """Cables between hosts and leaves, in the order of hosts and rails.

    By host, the NICs of a host stand on neighbouring ports and a host is never split over leaves while it fits one;
    by rail, the NICs of a rail stand on neighbouring ports and rails are dealt out to the leaves in order.
    """
    if cluster.rows:
        return _from_rows(cluster, chassis, boxes, problems)
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
        _host_cable(cluster, host, seat, placed[host, seat.interface], boxes)
        for host, found in chassis.items()
        for seat in found.seats
    ]


def _dealt(groups: list[list[tuple[str, Seat]]], leaves: int) -> list[list[tuple[str, Seat]]]:
    """Groups (hosts or rails) dealt out to leaves in order, evenly; one split over leaves only if there are fewer."""
    if len(groups) >= leaves:
        share = -(-len(groups) // leaves)
        chunks = [groups[start : start + share] for start in range(0, len(groups), share)]
        chunks += [[]] * (leaves - len(chunks))
        return [[entry for group in chunk for entry in group] for chunk in chunks]
    per_group = leaves // len(groups)
    dealt: list[list[tuple[str, Seat]]] = []
    for group in groups:
        share = -(-len(group) // per_group)
        dealt += [group[start * share : (start + 1) * share] for start in range(per_group)]
    return dealt + [[]] * (leaves - len(dealt))


def _host_cable(cluster: Cluster, host: str, seat: Seat, at: End, boxes: Mapping[str, Box]) -> HostCable:
    speed = Bandwidth(min(seat.speed, _port_speed(boxes[at.device], at.port)))
    cable = Cable(End(host, seat.interface), at, speed, cluster.cabling.length, seat.rail)
    return HostCable(cable, seat)


def _port_speed(box: Box, port: str) -> Bandwidth:
    part = box.spec.part.ports.get(port)
    return (part.speed if part else None) or box.model.speed.value


def _uplinks(cluster: Cluster, switch: str) -> int:
    return sum(link.count * (len(b) * a.count(switch) + len(a) * b.count(switch)) for link, a, b in cluster.links)


def switch_cables(cluster: Cluster, boxes: Mapping[str, Box], used: set[End], problems: Problems) -> list[Cable]:
    """Cables between switches. Each takes the last free port of a leaf, and the first free port of any other."""
    free = {name: _free_ports(box, {end.port for end in used if end.device == name}) for name, box in boxes.items()}
    cables: list[Cable] = []
    for index, (link, a_names, b_names) in enumerate(cluster.links):
        for a, b in ((a, b) for a in a_names for b in b_names):
            if a == b:
                problems.refuse(("links", index), f"{a} on both sides", "two different switches")
                continue
            for _ in range(link.count):
                ends = [_next_port(name, free) for name in (a, b)]
                if ends[0] is None or ends[1] is None:
                    full = a if ends[0] is None else b
                    problems.refuse(("links", index), f"no free port on {full}", f"{link.count} between {a} and {b}")
                    break
                speed = link.speed or Bandwidth(min(_port_speed(boxes[end.device], end.port) for end in ends if end))
                cables.append(Cable(ends[0], ends[1], speed, link.length))
    return cables


def _free_ports(box: Box, used: set[str]) -> list[str]:
    """Free ports, the next to take at the end."""
    free = [port for port in box.ports if port not in used]
    return free if box.spec.role == "leaf" else free[::-1]


def _next_port(name: str, free: Mapping[str, list[str]]) -> End | None:
    return End(name, free[name].pop()) if free[name] else None


def _from_rows(
    cluster: Cluster, chassis: Mapping[str, Chassis], boxes: Mapping[str, Box], problems: Problems
) -> list[HostCable]:
    """Host cables of a cabling file, in the order of hosts and rails."""
    seats = {(host, seat.interface): seat for host, found in chassis.items() for seat in found.seats}
    taken: dict[End, str] = {}
    found: dict[tuple[str, str], HostCable] = {}
    for row in cluster.rows:
        ends = sorted((row.a, row.b), key=lambda end: end in seats, reverse=True)
        host_end, leaf_end = ends[0], End(*ends[1])
        if host_end not in seats:
            known = sorted({host for host, _ in seats})
            expected = (
                "an interface that takes part" if host_end[0] in known else "a host and a switch of the cluster file"
            )
            problems.refused.setdefault(Problem(row.place, f"a cable of {' '.join(host_end)}", expected))
            continue
        box = boxes.get(leaf_end.device)
        if box is None or leaf_end.port not in box.ports:
            what = f"{leaf_end.device} {leaf_end.port}"
            expected = (
                "a switch of the cluster file" if box is None else f"a port from {box.ports[0]} to {box.ports[-1]}"
            )
            problems.refused.setdefault(Problem(row.place, f"a cable to {what}", expected))
            continue
        for end in (End(*host_end), leaf_end):
            first = taken.setdefault(end, row.place)
            if first != row.place:
                problems.refused.setdefault(
                    Problem(
                        row.place,
                        f"a second cable in {end.device} {end.port}",
                        "one cable in a port",
                        f"the first is at {first}",
                    )
                )
        found[host_end] = _host_cable(cluster, host_end[0], seats[host_end], leaf_end, boxes)
    missing = [key for key in seats if key not in found]
    if missing and not problems.refused:
        problems.refuse(
            ("cabling",),
            f"no cable for {' '.join(missing[0])}" + (f" and {len(missing) - 1} more" if len(missing) > 1 else ""),
            "a cable for every NIC",
        )
    return [found[key] for key in seats if key in found]


def doubled_ends(cables: Sequence[Cable]) -> Iterator[End]:
    """Ports with more than one cable."""
    seen: set[End] = set()
    for cable in cables:
        for end in (cable.a, cable.b):
            if end in seen:
                yield end
            seen.add(end)
