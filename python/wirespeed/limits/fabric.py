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

_NAMED = 3  # switches


def beyond(plan: Plan, group: Group, payload: float, acknowledged: float) -> tuple[tuple[str, Group], ...]:
    """The members of a job by what is above them, tier by tier, each with a name.

    ``payload`` and ``acknowledged`` are the payload of one bit on a cable, without and with acknowledgements. A tier
    that all of the job hangs under in one group is no limit to it.
    """
    found = []
    for tier in uplinks(plan):
        merged = _merge_members(group, tier, payload, acknowledged)
        if merged is not None:
            smallest = min(merged.members, key=lambda member: member.network)
            found.append((f"uplinks of {smallest.name}", merged))
    return tuple(found)


def _merge_members(group: Group, tier: Sequence[Uplinks], payload: float, acknowledged: float) -> Group | None:
    """The job with one member for each group of switches; None where one group holds all, or some hosts are in none."""
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
            format_first(switches, _NAMED),
            count,
            (up[switches] / 8e9 * payload,),
            (up[switches] / 8e9 * acknowledged,),
            f"{up[switches]} of cables upward",
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


def one_flow(plan: Plan, source: tuple[str, str], target: tuple[str, str]) -> Bandwidth | None:
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
    widest = _widest(near, start, goal, frozenset(plan.hosts))
    return Bandwidth(min(first.speed, last.speed, widest)) if widest is not None else None


def _widest(near: Mapping[str, Mapping[str, int]], start: str, goal: str, hosts: frozenset[str]) -> int | None:
    """The path of most bandwidth between two switches; hosts do not forward."""
    best = {start: 1 << 62}
    waiting = deque([start])
    while waiting:
        device = waiting.popleft()
        for neighbour, speed in near.get(device, {}).items():
            reached = min(best[device], speed)
            if neighbour not in hosts and reached > best.get(neighbour, 0):
                best[neighbour] = reached
                waiting.append(neighbour)
    return best.get(goal)
