"""Members of a peer matrix: host, NIC, rail and leaf come from the cluster file, else from the member's name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from ipaddress import ip_address

from wirespeed.benchmarks.endpoints.nics import NicPlace, list_nics, nic_speed, nic_with_address
from wirespeed.plan import Plan
from wirespeed.results.peers import Member

_GPU = re.compile(r"(?:GPU|CPU)\d*")
_HARDWARE_UNKNOWN = "hardware not known"
_FAR = "distance not known"


class MemberDirectory:
    """Members of matrices by name; each name is resolved once."""

    def __init__(self, plan: Plan | None) -> None:
        self._plan = plan
        self._members_by_name: dict[str, tuple[Member, NicPlace | None]] = {}
        self._leaves = _map_nics_to_leaves(plan) if plan else {}
        self._switch_ports = _switch_ports(plan) if plan else {}
        self._hops = _count_hops(plan) if plan else {}

    @property
    def has_plan(self) -> bool:
        """Whether there is a cluster file."""
        return self._plan is not None

    def member(self, name: str, host: str | None = None) -> Member:
        """The member for a name from a log or campaign; ``host`` is the host of a device whose name contains none."""
        full = f"{host}:{name}" if host and _GPU.fullmatch(name) else name
        if full not in self._members_by_name:
            self._members_by_name[full] = self._find_member(full)
        return self._members_by_name[full][0]

    def is_planned(self, member: Member) -> bool:
        """Whether the cluster file has this member's host."""
        return self._plan is not None and member.host in self._plan.hosts

    def cable(self, member: Member) -> str | None:
        """``node5:eth0 – leaf1:Eth1/33``: the cable of the member's NIC, or of a host's only NIC; None if unknown."""
        if self._plan is None:
            return None
        place = self._members_by_name[member.name][1] if member.name in self._members_by_name else None
        interfaces = (
            [place.interface] if place else list(self._plan.hosts[member.host].nics) if self.is_planned(member) else []
        )
        if len(interfaces) != 1:
            return None
        port = self._switch_ports.get((member.host, interfaces[0]))
        return f"{member.host}:{interfaces[0]} – {port}" if port else None

    def peer_group(self, source: Member, target: Member | None) -> str:
        """The group of comparable cells of a pair: distance, then hardware of both ends."""
        if self._plan is None:
            return "all"
        ends = [source] if target is None else [source, target]
        strangers = sum(not self._is_known(end) for end in ends)
        if target is not None and strangers == 1:
            return "one host known, the other not in the cluster file"
        hardware = Counter(self._describe_hardware(end) for end in ends)
        hardware_text = " and ".join(sorted(hardware))
        return hardware_text if target is None else f"{self._describe_distance(source, target)}, {hardware_text}"

    def _find_member(self, name: str) -> tuple[Member, NicPlace | None]:
        place = self._find_nic(name)
        if place is not None:
            leaf = self._leaves.get((place.host, place.interface))
            return Member(str(place), place.host, place.nic.rdma_device or place.interface, place.nic.rail, leaf), place
        if _GPU.fullmatch(name):
            return Member(name, "one host", name), None
        host, device = _split_name(name)
        host = self._find_host(host)
        leaves = {leaf for (owner, _), leaf in self._leaves.items() if owner == host}
        leaf = next(iter(leaves)) if len(leaves) == 1 else None
        if device is None:
            return Member(host, host, None, None, leaf), None
        return Member(f"{host}:{device}", host, f"rank {device}" if device.isdecimal() else device, None, leaf), None

    def _find_host(self, name: str) -> str:
        """The name of a host in the cluster file: logs may append its domain."""
        if self._plan is None or name in self._plan.hosts:
            return name
        short = name.partition(".")[0]
        return short if short in self._plan.hosts else name

    def _find_nic(self, name: str) -> NicPlace | None:
        if self._plan is None:
            return None
        host, device = _split_name(name)
        if device is not None:
            host = self._find_host(host)
            nics = (nic for nic in list_nics(self._plan) if nic.host == host)
            return next((nic for nic in nics if device in (nic.interface, nic.nic.rdma_device)), None)
        return nic_with_address(self._plan, _normalize_address(name))

    def _is_known(self, member: Member) -> bool:
        """Whether the cluster file has the NIC or the host of a member."""
        is_nic = member.name in self._members_by_name and self._members_by_name[member.name][1] is not None
        return is_nic or self.is_planned(member)

    def _describe_hardware(self, member: Member) -> str:
        assert self._plan is not None  # called only with a plan
        place = self._members_by_name[member.name][1] if member.name in self._members_by_name else None
        if place is not None:
            rate = nic_speed(self._plan, place)
            return " at ".join(filter(None, (place.nic.model or "unknown NIC", str(rate) if rate else None)))
        host = self._plan.hosts.get(member.host)
        if host is None:
            return _HARDWARE_UNKNOWN
        models = Counter(nic.model or "unknown NIC" for nic in host.nics.values())
        models_text = ", ".join(f"{count} × {model}" for model, count in sorted(models.items()))
        return f"{host.model or 'unknown host'} with {models_text}"

    def _describe_distance(self, source: Member, target: Member) -> str:
        if source.host == target.host:
            return "inside a host"
        ends = [set(self._list_leaves(member)) for member in (source, target)]
        if not all(ends):
            return _FAR
        hops = {self._hops.get((a, b)) for a in ends[0] for b in ends[1]}
        hop_counts = [count for count in hops if count is not None]
        if not hop_counts:
            return _FAR
        return "same leaf" if min(hop_counts) == 0 else f"between leaves, {min(hop_counts)} cables apart"

    def _list_leaves(self, member: Member) -> Iterable[str]:
        if member.leaf is not None:
            return [member.leaf]
        if member.device is not None and member.device.startswith(("GPU", "CPU")):
            return []
        return [leaf for (host, _), leaf in self._leaves.items() if host == member.host]


def add_rails(members: Sequence[Member]) -> list[Member]:
    """Give members a rail by position where no cluster file defines rails: the k-th of each host is on rail k.

    The rails are set only where every host has the same number of members.
    """
    names_by_host: dict[str, list[str]] = {}
    for member in members:
        if member.device is not None:
            names_by_host.setdefault(member.host, []).append(member.name)
    counts = {len(names) for names in names_by_host.values()}
    if (
        len(names_by_host) < 2
        or counts in (set(), {1})
        or len(counts) > 1
        or any(member.rail is not None for member in members)
    ):
        return list(members)
    position = {
        name: number
        for names in names_by_host.values()
        for number, name in enumerate(sorted(names, key=natural), start=1)
    }
    return [replace(member, rail=position.get(member.name)) for member in members]


@cache
def natural(name: str) -> tuple[tuple[bool, int, str], ...]:
    """A sort key that puts node10 after node9."""
    return tuple((part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", name))


def _split_name(name: str) -> tuple[str, str | None]:
    """Host, and device or rank, of ``HOST:DEVICE``; a host or an IPv6 address alone has none."""
    host, _, device = name.rpartition(":")
    return (host, device) if host and device and not _is_address(name) else (name, None)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _normalize_address(name: str) -> str:
    """The address without its zone; an IPv4-mapped GID becomes the IPv4 address."""
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        return name
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def _map_nics_to_leaves(plan: Plan) -> dict[tuple[str, str], str]:
    """The switch that each NIC is cabled to."""
    return {near: port.partition(":")[0] for near, port in _switch_ports(plan).items()}


def _switch_ports(plan: Plan) -> dict[tuple[str, str], str]:
    """The switch port that each NIC is cabled to, as ``leaf1:Eth1/33``."""
    ports = {}
    for cable in plan.cables:
        for near, far in ((cable.a, cable.b), (cable.b, cable.a)):
            if near.device in plan.hosts and far.device in plan.switches:
                ports[near.device, near.port] = f"{far.device}:{far.port}"
    return ports


def _count_hops(plan: Plan) -> dict[tuple[str, str], int]:
    """The number of cables on the shortest path between any two leaves."""
    neighbors: dict[str, set[str]] = {name: set() for name in plan.switches}
    for cable in plan.cables:
        if cable.a.device in neighbors and cable.b.device in neighbors:
            neighbors[cable.a.device].add(cable.b.device)
            neighbors[cable.b.device].add(cable.a.device)
    leaves = set(_map_nics_to_leaves(plan).values())
    hop_counts = {}
    for start in leaves:
        reached, front, steps = {start: 0}, [start], 0
        while front:
            steps += 1
            front = [
                next_
                for switch in front
                for next_ in sorted(neighbors[switch])
                if reached.setdefault(next_, steps) == steps
            ]
            front = list(dict.fromkeys(front))
        hop_counts.update({(start, leaf): reached[leaf] for leaf in leaves if leaf in reached})
    return hop_counts
