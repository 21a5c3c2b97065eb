"""Limits between the hosts of a job: the uplinks of their leaves and of their pods.

Hosts under one group of leaves are one node of the same problem as a host is of its GPUs: what must leave a host in
`wirespeed.limits.cuts` must leave the group, over its uplinks. It is the bottleneck of an oversubscribed leaf.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from wirespeed.errors import format_first
from wirespeed.limits.bisection import Uplinks, uplinks
from wirespeed.limits.group import Group, Member
from wirespeed.plan import Plan
from wirespeed.units import Bandwidth

_MAX_NAMES = 3  # switches


def group_by_uplinks(
    plan: Plan, group: Group, payload: float, acknowledged_payload: float
) -> tuple[tuple[str, Group], ...]:
    """Group the members of a job by the uplinks above them, tier by tier, each with a name.

    ``payload`` and ``acknowledged_payload`` are the payload of one bit on a cable, without and with acknowledgements. A
    tier in which one group is above the whole job does not limit it.
    """
    groups = []
    for tier in uplinks(plan):
        uplink_group = _merge_members(group, tier, payload, acknowledged_payload)
        if uplink_group is not None:
            smallest = min(uplink_group.members, key=lambda member: member.network)
            groups.append((f"uplinks of {smallest.name}", uplink_group))
    return tuple(groups)


def _merge_members(group: Group, tier: Sequence[Uplinks], payload: float, acknowledged_payload: float) -> Group | None:
    """The job with one member for each group of switches; None if one group contains all hosts, or a host is in no
    group."""
    uplinks_of = {host: uplink for uplink in tier for host in uplink.hosts}
    if any(member.name not in uplinks_of for member in group.members):
        return None
    ranks: dict[tuple[str, ...], int] = {}
    for member in group.members:
        ranks[uplinks_of[member.name].switches] = ranks.get(uplinks_of[member.name].switches, 0) + member.ranks
    if len(ranks) < 2:
        return None
    up: Mapping[tuple[str, ...], Bandwidth] = {uplink.switches: uplink.up for uplink in tier}
    members = tuple(
        Member(
            format_first(switches, _MAX_NAMES),
            count,
            (up[switches] / 8e9 * payload,),
            (up[switches] / 8e9 * acknowledged_payload,),
            f"{up[switches]} of uplinks",
            None,
        )
        for switches, count in ranks.items()
    )
    root = uplinks_of[group.root_member.name].switches
    first = 0
    for switches, count in ranks.items():
        if switches == root:
            break
        first += count
    return Group(members, first)


def find_flow_bandwidth(plan: Plan, source: tuple[str, str], target: tuple[str, str]) -> Bandwidth | None:
    """The fastest path of one flow between two ports, (device, port): the slowest cable of the best path.

    None where the plan has no cable at one of them, or no path between them.
    """
    ends = {(end.device, end.port): cable for cable in plan.cables for end in (cable.a, cable.b)}
    if source not in ends or target not in ends:
        return None
    near: dict[str, dict[str, int]] = {}
    for cable in plan.cables:
        for device, far in ((cable.a.device, cable.b.device), (cable.b.device, cable.a.device)):
            neighbours = near.setdefault(device, {})
            neighbours[far] = max(neighbours.get(far, 0), cable.speed)
    first, last = ends[source], ends[target]
    if first is last:
        return first.speed
    start, goal = first.other_end(source[0]).device, last.other_end(target[0]).device
    widest = _find_widest_path(near, start, goal, frozenset(plan.hosts))
    return Bandwidth(min(first.speed, last.speed, widest)) if widest is not None else None


def _find_widest_path(
    near: Mapping[str, Mapping[str, int]], start: str, goal: str, hosts: frozenset[str]
) -> int | None:
    """The path of most bandwidth between two switches; hosts do not forward."""
    best = {start: 1 << 62}
    queue = deque([start])
    while queue:
        device = queue.popleft()
        for neighbour, speed in near.get(device, {}).items():
            rate = min(best[device], speed)
            if neighbour not in hosts and rate > best.get(neighbour, 0):
                best[neighbour] = rate
                queue.append(neighbour)
    return best.get(goal)
