"""Members of a peer matrix: host, NIC, rail and leaf by the cluster file, else by what their names contain."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from ipaddress import ip_address

from wirespeed.benchmarks.endpoints.nics import NicLocation, nic_speed, nic_with_address, nics_of
from wirespeed.plan import Plan
from wirespeed.results.peers import Member

_RANK = re.compile(r"(.+):(\d+)")
_GPU = re.compile(r"(?:GPU|CPU)\d*")
_HARDWARE_UNKNOWN = "hardware not known"
_FAR = "distance not known"


class MemberDirectory:
    """Members of matrices, each known by its name once."""

    def __init__(self, plan: Plan | None) -> None:
        self._plan = plan
        self._known: dict[str, tuple[Member, NicLocation | None]] = {}
        self._leaves = _leaves(plan) if plan else {}
        self._switch_ports = _switch_ports(plan) if plan else {}
        self._hops = _hops(plan) if plan else {}

    @property
    def has_plan(self) -> bool:
        """Whether there is a cluster file."""
        return self._plan is not None

    def member(self, name: str, host: str | None = None) -> Member:
        """The member of a name as logs and campaigns write it; ``host`` is where a device without one is."""
        full = f"{host}/{name}" if host and _GPU.fullmatch(name) else name
        if full not in self._known:
            self._known[full] = self._find(full)
        return self._known[full][0]

    def is_planned(self, member: Member) -> bool:
        """Whether the cluster file has this member's host."""
        return self._plan is not None and member.host in self._plan.hosts

    def cable(self, member: Member) -> str | None:
        """``node5:eth0 – leaf1:Eth1/33``: the cable of the member's NIC, or of a host's only NIC; None if unknown."""
        if self._plan is None:
            return None
        at = self._known[member.name][1] if member.name in self._known else None
        interfaces = (
            [at.interface] if at else list(self._plan.hosts[member.host].nics) if self.is_planned(member) else []
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
        hardware = Counter(self._hardware(end) for end in ends)
        words = " and ".join(sorted(hardware))
        return words if target is None else f"{self._distance(source, target)}, {words}"

    def _find(self, name: str) -> tuple[Member, NicLocation | None]:
        at = self._nic(name)
        if at is not None:
            leaf = self._leaves.get((at.host, at.interface))
            return Member(str(at), at.host, at.nic.rdma_device or at.interface, at.nic.rail, leaf), at
        if _GPU.fullmatch(name):
            return Member(name, "one host", name), None
        host, slash, device = name.partition("/")
        rank = None if slash else _RANK.fullmatch(name)
        if rank:
            host, device = rank.group(1), f"rank {rank.group(2)}"
        host = self._host(host)
        leaves = {leaf for (owner, _), leaf in self._leaves.items() if owner == host}
        leaf = next(iter(leaves)) if len(leaves) == 1 else None
        full = f"{host}/{device}" if slash else f"{host}:{rank.group(2)}" if rank else host
        return Member(full, host, device or None, None, leaf), None

    def _host(self, name: str) -> str:
        """A host as the cluster file calls it: logs may carry its domain."""
        if self._plan is None or name in self._plan.hosts:
            return name
        short = name.partition(".")[0]
        return short if short in self._plan.hosts else name

    def _nic(self, name: str) -> NicLocation | None:
        if self._plan is None:
            return None
        host, slash, device = name.partition("/")
        if slash:
            host = self._host(host)
            nics = (at for at in nics_of(self._plan) if at.host == host)
            return next((at for at in nics if device in (at.interface, at.nic.rdma_device)), None)
        return nic_with_address(self._plan, _address(name))

    def _is_known(self, member: Member) -> bool:
        """Whether the cluster file has the NIC or the host of a member."""
        is_nic = member.name in self._known and self._known[member.name][1] is not None
        return is_nic or self.is_planned(member)

    def _hardware(self, member: Member) -> str:
        assert self._plan is not None  # called only with a plan
        at = self._known[member.name][1] if member.name in self._known else None
        if at is not None:
            rate = nic_speed(self._plan, at)
            return " at ".join(filter(None, (at.nic.model or "unknown NIC", str(rate) if rate else None)))
        host = self._plan.hosts.get(member.host)
        if host is None:
            return _HARDWARE_UNKNOWN
        models = Counter(nic.model or "unknown NIC" for nic in host.nics.values())
        models_text = ", ".join(f"{count} × {model}" for model, count in sorted(models.items()))
        return f"{host.model or 'unknown host'} with {models_text}"

    def _distance(self, source: Member, target: Member) -> str:
        if source.host == target.host:
            return "inside a host"
        ends = [set(self._leaves_of(member)) for member in (source, target)]
        if not all(ends):
            return _FAR
        hops = {self._hops.get((a, b)) for a in ends[0] for b in ends[1]}
        known = [count for count in hops if count is not None]
        if not known:
            return _FAR
        return "same leaf" if min(known) == 0 else f"between leaves, {min(known)} cables apart"

    def _leaves_of(self, member: Member) -> Iterable[str]:
        if member.leaf is not None:
            return [member.leaf]
        if member.device is not None and member.device.startswith(("GPU", "CPU")):
            return []
        return [leaf for (host, _), leaf in self._leaves.items() if host == member.host]


def with_rails(members: Sequence[Member]) -> list[Member]:
    """The same with rails by position where no cluster file defines them: the k-th of each host is on rail k.

    Only where every host has as many.
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
    place = {
        name: number
        for names in names_by_host.values()
        for number, name in enumerate(sorted(names, key=natural), start=1)
    }
    return [replace(member, rail=place.get(member.name)) for member in members]


@cache
def natural(name: str) -> tuple[tuple[bool, int, str], ...]:
    """An order in which node10 comes after node9."""
    return tuple((part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", name))


def _address(name: str) -> str:
    """An address without the zone, a GID of IPv4 as that."""
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        return name
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def _leaves(plan: Plan) -> dict[tuple[str, str], str]:
    """The switch each NIC is cabled to."""
    return {near: port.partition(":")[0] for near, port in _switch_ports(plan).items()}


def _switch_ports(plan: Plan) -> dict[tuple[str, str], str]:
    """The switch port each NIC is cabled to, as ``leaf1:Eth1/33``."""
    found = {}
    for cable in plan.cables:
        for near, far in ((cable.a, cable.b), (cable.b, cable.a)):
            if near.device in plan.hosts and far.device in plan.switches:
                found[near.device, near.port] = f"{far.device}:{far.port}"
    return found


def _hops(plan: Plan) -> dict[tuple[str, str], int]:
    """Cables between any two switches that hosts hang on."""
    beside: dict[str, set[str]] = {name: set() for name in plan.switches}
    for cable in plan.cables:
        if cable.a.device in beside and cable.b.device in beside:
            beside[cable.a.device].add(cable.b.device)
            beside[cable.b.device].add(cable.a.device)
    leaves = set(_leaves(plan).values())
    found = {}
    for start in leaves:
        reached, front, steps = {start: 0}, [start], 0
        while front:
            steps += 1
            front = [
                next_
                for switch in front
                for next_ in sorted(beside[switch])
                if reached.setdefault(next_, steps) == steps
            ]
            front = list(dict.fromkeys(front))
        found.update({(start, leaf): reached[leaf] for leaf in leaves if leaf in reached})
    return found
