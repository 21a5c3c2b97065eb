"""Cables between switches."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.cluster import Cluster
from wirespeed.plan.fabric import Box, port_speed
from wirespeed.plan.model import Cable, End
from wirespeed.plan.problems import Problems
from wirespeed.units import Bandwidth


def switch_cables(cluster: Cluster, boxes: Mapping[str, Box], used: set[End], problems: Problems) -> list[Cable]:
    """Cables between switches, in the order of the cluster file or of the cabling file.

    Each takes the last free port of a leaf, and the first free port of any other switch.
    """
    between = [row for row in cluster.rows if row.a[0] in boxes and row.b[0] in boxes]
    if between and cluster.links:
        problems.refuse(("links",), "links, and a cabling file with cables between switches", "one of them")
        return []
    if between:
        ends = [(End(*row.a), End(*row.b), row.length) for row in between]
        return [Cable(a, b, _slower(a, b, boxes), length) for a, b, length in ends]
    free = {name: _free_ports(box, {end.port for end in used if end.device == name}) for name, box in boxes.items()}
    cables: list[Cable] = []
    for index, (link, a_names, b_names) in enumerate(cluster.links):
        for a, b in ((a, b) for a in a_names for b in b_names):
            if a == b:
                problems.refuse(("links", index), f"{a} on both sides", "two different switches")
                continue
            if min(len(free[a]), len(free[b])) < link.count:
                full = a if len(free[a]) < link.count else b
                problems.refuse(
                    ("links", index),
                    f"{len(free[full])} free ports on {full}",
                    f"{link.count} for the cables of {a} and {b}",
                )
                continue
            for _ in range(link.count):
                ends_here = End(a, free[a].pop()), End(b, free[b].pop())
                cables.append(Cable(*ends_here, link.speed or _slower(*ends_here, boxes), link.length))
    return cables


def _slower(a: End, b: End, boxes: Mapping[str, Box]) -> Bandwidth:
    return Bandwidth(min(port_speed(boxes[end.device], end.port) for end in (a, b)))


def _free_ports(box: Box, used: set[str]) -> list[str]:
    """Free ports, the next to take at the end."""
    free = [port for port in box.ports if port not in used]
    return free if box.spec.role == "leaf" else free[::-1]
