"""A spine that is off: all its links are down, and the leaves send over the other spines.

As when it loses power. With another spine every pair still reaches every other, at part of the bandwidth: pings do not
show it, links and sessions of the leaves do. --device names the spine.
"""

from __future__ import annotations

import json

from wirespeed.errors import refuse
from wirespeed.lab.faults.place import FaultPlace, ip, keep_ipv6
from wirespeed.lab.lab import Lab
from wirespeed.reach import Status
from wirespeed.results.lab import LabAct, LabFault

TITLE = "a spine switch that is powered off (all its links down)"


def make(place: FaultPlace) -> LabFault:
    """Set all links of the spine down, at its ends."""
    lab, plan = place.lab, place.plan
    spines = [name for name in lab.switches if plan.roles.get(name) not in ("leaf", None)]
    if place.device is not None and lab.device(place.device).name not in spines:
        raise refuse("--device", place.device, "a switch above the leaves", f"there is {', '.join(spines) or 'none'}")
    if not spines:
        raise refuse(
            f"lab {lab.name}", "no switch above the leaves", "one", "hosts under several leaves: lab up --hosts N"
        )
    spine = place.device or spines[0]
    acts: list[LabAct] = []
    for link in lab.list_links(spine):
        interface = link.end(spine).interface
        acts += [
            keep_ipv6(spine, interface),
            ip(spine, f"link set dev {interface} down", f"link set dev {interface} up"),
        ]
    leaves = ", ".join(dict.fromkeys(link.opposite_end(spine).device for link in lab.list_links(spine)))
    return LabFault("dead-spine", spine, f"{spine} is off: no link to {leaves}", tuple(acts), dead=(spine,))


def has_settled(lab: Lab, fault: LabFault) -> bool:
    """Whether its neighbours have reacted: the BGP sessions on their links to it are down."""
    for neighbour in dict.fromkeys(link.opposite_end(fault.place).device for link in lab.list_links(fault.place)):
        ran = lab.run(neighbour, "vtysh", "-c", "show bgp summary json")
        if ran.status is not Status.OK:
            continue  # it has no sessions
        families = json.loads(ran.stdout or "{}")
        states = {
            name: peer.get("state") for family in families.values() for name, peer in family.get("peers", {}).items()
        }
        links = sum(neighbour in (link.a.device, link.b.device) for link in lab.list_links(fault.place))
        if sum(state != "Established" for state in states.values()) < min(links, len(states)):
            return False
    return True
