"""What a lab is made of: which devices of the plan, which cables, under which names. Pure; nothing is built here."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import combinations

from wirespeed.errors import refuse
from wirespeed.lab import configured, networkd
from wirespeed.lab.names import interfaces, mac, namespace
from wirespeed.plan import Plan
from wirespeed.results.lab import LabDevice, LabEnd, LabLink, Role


def hosts_of(plan: Plan, count: int | None) -> tuple[str, ...]:
    """The first hosts of the cluster file; all of them for None.

    Raises:
        Refused: it has fewer.
    """
    hosts = tuple(plan.hosts)
    if count is not None and count > len(hosts):
        raise refuse("--hosts", f"{count} hosts", f"at most {len(hosts)}, the hosts of {plan.name}")
    return hosts[:count]


def switches_of(plan: Plan, hosts: Sequence[str]) -> tuple[str, ...]:
    """The switches that these hosts need: their leaves, and all on a shortest way between two of those."""
    leaves: dict[str, None] = {}
    neighbours: dict[str, dict[str, None]] = {}
    for cable in plan.cables:
        for end, other in ((cable.a, cable.b), (cable.b, cable.a)):
            if end.device in plan.switches and other.device in plan.switches:
                neighbours.setdefault(end.device, {})[other.device] = None
    wanted = set(hosts)
    for cable in plan.cables:
        for end, other in ((cable.a, cable.b), (cable.b, cable.a)):
            if end.device in wanted and other.device in plan.switches:
                leaves[other.device] = None
    far = {leaf: _distances(neighbours, leaf) for leaf in leaves}
    needed = set(leaves)
    for one, another in combinations(leaves, 2):
        whole = far[one].get(another)
        if whole is None:
            continue
        needed |= {switch for switch, steps in far[one].items() if steps + far[another].get(switch, whole + 1) == whole}
    return tuple(switch for switch in plan.switches if switch in needed)


def devices_of(
    plan: Plan, lab: str, hosts: Sequence[str], switches: Sequence[str], links: Sequence[LabLink]
) -> tuple[LabDevice, ...]:
    """The devices with their namespaces, hosts first."""
    cabled: dict[str, list[str]] = {}
    for link in links:
        for end in (link.a, link.b):
            cabled.setdefault(end.device, []).append(end.interface)
    return (
        *(
            LabDevice(
                name,
                Role.HOST,
                namespace(lab, name),
                (networkd.DAEMON,),
                configured.of_host(plan.hosts[name], cabled.get(name, ())),
            )
            for name in hosts
        ),
        *(LabDevice(name, Role.SWITCH, namespace(lab, name)) for name in switches),
    )


def links_of(plan: Plan, devices: Sequence[str]) -> tuple[LabLink, ...]:
    """The cables that have both ends on these devices."""
    inside = set(devices)
    cables = [cable for cable in plan.cables if {cable.a.device, cable.b.device} <= inside]
    ports: dict[str, dict[str, None]] = {}
    for cable in cables:
        for end in (cable.a, cable.b):
            ports.setdefault(end.device, {})[end.port] = None
    names = {device: interfaces(own) for device, own in ports.items()}

    def end_of(device: str, port: str) -> LabEnd:
        return LabEnd(device, port, names[device][port], _mac(plan, device, port))

    return tuple(
        LabLink(end_of(cable.a.device, cable.a.port), end_of(cable.b.device, cable.b.port), cable.rail)
        for cable in cables
    )


def _mac(plan: Plan, device: str, port: str) -> str:
    host = plan.hosts.get(device)
    planned = host.nics[port].mac if host is not None and port in host.nics else None
    return planned or mac(plan.name, device, port)


def _distances(neighbours: Mapping[str, Mapping[str, None]], start: str) -> dict[str, int]:
    """Steps to every switch that can be reached."""
    steps = {start: 0}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for other in neighbours.get(here, ()):
            if other not in steps:
                steps[other] = steps[here] + 1
                waiting.append(other)
    return steps
