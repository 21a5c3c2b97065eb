"""Tiers of switches, and the groups of a tier with the same neighbours below."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.cluster import Cluster
from wirespeed.cluster.ranges import format_names
from wirespeed.plan.disjoint_sets import DisjointSets
from wirespeed.plan.model import Cable
from wirespeed.plan.problems import Problems
from wirespeed.units import Bandwidth


@dataclass(frozen=True, slots=True)
class Tiers:
    """The switches that have cables to others, in the order of the cluster file.

    ``height`` counts cables down to the nearest leaf. A ``group`` is the top tier of one connected fabric, or
    switches of a lower tier with common switches below them, such as the spines of a pod; each leaf is a group. Groups
    are named after their first member.
    """

    height: Mapping[str, int]
    group: Mapping[str, str]


def find_tiers(roles: Mapping[str, str], fabric_cables: Sequence[Cable]) -> Tiers:
    """Tiers of all switches with a cable to another switch. If no switch is a leaf, all are at height 0."""
    near: dict[str, set[str]] = {}
    for cable in fabric_cables:
        near.setdefault(cable.a.device, set()).add(cable.b.device)
        near.setdefault(cable.b.device, set()).add(cable.a.device)
    names = [name for name in roles if name in near]
    height = _compute_heights(names, near, roles)
    fabric = _join_sets(names, ((name, neighbour) for name in names for neighbour in near[name]))
    pod = _join_sets(
        [
            *names,
            *(f"below {name}" for name in names),
        ],  # switches are joined by the switches below them
        (
            (name, f"below {neighbour}")
            for name in names
            for neighbour in near[name]
            if height[neighbour] == height[name] - 1
        ),
    )
    top: dict[str, int] = {}
    for name in names:
        top[fabric[name]] = max(height[name], top.get(fabric[name], 0))
    first: dict[tuple[str, str, int], str] = {}
    group = {}
    for name in names:
        if height[name] == 0:
            group[name] = name
        elif height[name] == top[fabric[name]]:
            group[name] = first.setdefault(("top", fabric[name], 0), name)
        else:
            group[name] = first.setdefault(("pod", pod[name], height[name]), name)
    return Tiers(height, group)


def host_networks(hosts: Sequence[str], switches: Sequence[str], cables: Iterable[Cable]) -> list[list[str]]:
    """The hosts of each network. No path of cables connects two networks."""
    sets = _join_sets([*hosts, *switches], ((cable.a.device, cable.b.device) for cable in cables))
    networks: dict[str, list[str]] = {}
    for host in hosts:
        networks.setdefault(sets[host], []).append(host)
    return list(networks.values())


def check_connections(cluster: Cluster, cables: Sequence[Cable], problems: Problems) -> None:
    """Warn of switches without a cable, and of hosts in several networks."""
    cabled_devices = {end.device for cable in cables for end in (cable.a, cable.b)}
    idle = [name for name in cluster.switches if name not in cabled_devices]
    remedy = "cable them with `fabric`, `links` or a cabling file, or remove them"
    if idle:
        path = cluster.switches[idle[0]].path
        problems.warn(path, f"no cable at {format_names(idle)}", "cables to hosts or switches", remedy)
    networks = host_networks(list(cluster.hosts), list(cluster.switches), cables)
    if len(networks) > 1:
        names = " and ".join(format_names(hosts) for hosts in networks[:2])
        problems.warn(
            ("switches",),
            f"no path between hosts: {len(networks)} separate networks"
            + (f", {names}" if len(networks) == 2 else f", such as {names}"),
            "one network",
            "add `fabric` or `links`, the cables between switches",
        )


def check_uplinks(cluster: Cluster, fabric_cables: Sequence[Cable], problems: Problems) -> None:
    """Warn of switches of one tier with uplinks of different bandwidth."""
    roles = {name: spec.role for name, spec in cluster.switches.items()}
    height = find_tiers(roles, fabric_cables).height
    tiers: dict[tuple[int, str], dict[str, list[Bandwidth]]] = {}
    for cable in fabric_cables:
        low, high = sorted((cable.a.device, cable.b.device), key=height.__getitem__)
        if height[low] < height[high]:
            tiers.setdefault((height[low], roles[low]), {}).setdefault(low, []).append(cable.speed)
    for (_, role), speeds in tiers.items():
        names: dict[tuple[int, int], list[str]] = {}  # by bandwidth and number of the uplinks
        for name, of_switch in speeds.items():
            names.setdefault((sum(of_switch), len(of_switch)), []).append(name)
        if len(names) > 1:
            counts = ", ".join(
                f"{count} of {Bandwidth(total // count)} at {format_names(switches)}"
                for (total, count), switches in sorted(names.items())
            )
            problems.warn(
                cluster.switches[names[min(names)][0]].path,
                f"unequal uplinks: {counts}",
                f"the same uplink bandwidth at each {role}",
                "compare the cables between these switches and the tier above",
            )


def _compute_heights(
    names: Sequence[str], near: Mapping[str, Iterable[str]], roles: Mapping[str, str]
) -> dict[str, int]:
    """Cables down to the nearest leaf, by breadth-first search."""
    heights = {name: 0 for name in names if roles[name] == "leaf"}
    queue = deque(heights)
    while queue:
        name = queue.popleft()
        for neighbour in sorted(near[name]):
            if neighbour not in heights:
                heights[neighbour] = heights[name] + 1
                queue.append(neighbour)
    return {name: heights.get(name, 0) for name in names}


def _join_sets(names: Sequence[str], pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Join the two names of every pair. The set of each name, named after one of its members."""
    sets = DisjointSets(names)
    for pair in pairs:
        sets.join(*pair)
    return sets.sets()
