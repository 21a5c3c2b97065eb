"""Cables between switches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wirespeed.cluster import Cluster
from wirespeed.plan.fabric import Box, port_speed
from wirespeed.plan.model import Cable, End
from wirespeed.plan.pattern import Bundle
from wirespeed.plan.problems import Problems
from wirespeed.units import Bandwidth


def count_uplinks(bundles: Sequence[Bundle]) -> dict[str, int]:
    """The number of ports of each switch for cables upward."""
    counts: dict[str, int] = {}
    for bundle in bundles:
        for name in (bundle.a, bundle.b):
            counts[name] = counts.get(name, 0) + (bundle.count if name in bundle.up else 0)
    return counts


def switch_cables(
    cluster: Cluster,
    bundles: Sequence[Bundle],
    boxes: Mapping[str, Box],
    used: Iterable[End],
    problems: Problems,
) -> list[Cable]:
    """Cables between switches, in the order of the cluster file or of the cabling file.

    Cables upward take the last ports of a switch, all others the first free ones; each in order of the cables.
    """
    switch_rows = [row for row in cluster.rows if row.a[0] in boxes and row.b[0] in boxes]
    if switch_rows and bundles:
        key = "fabric" if cluster.fabric else "links"
        problems.refuse(
            (key,),
            f"{key}, and a cabling file with cables between switches",
            "one of them",
            f"remove `{key}`, or the cables between switches from {cluster.cabling.file}",
        )
        return []
    if switch_rows:
        ends = [(End(*row.a), End(*row.b), row) for row in switch_rows]
        return [Cable(a, b, _find_lower_speed(a, b, boxes), row.length, cable=row.cable) for a, b, row in ends]
    ports = _Ports(count_uplinks(bundles), boxes, used)
    cables: list[Cable] = []
    full_tiers: set[tuple[str | int, ...]] = set()  # one switch without free ports represents its tier
    for bundle in bundles:
        if bundle.path in full_tiers:
            continue
        speed = bundle.part.speed
        full = next((name for name in (bundle.a, bundle.b) if ports.count_free(name, bundle) < bundle.count), None)
        if full is not None:
            full_tiers.add(bundle.path)
            problems.refuse(
                bundle.path,
                f"{ports.count_free(full, bundle)} free ports on {full}",
                f"{bundle.count} for the cables of {bundle.a} and {bundle.b}",
            )
            continue
        for _ in range(bundle.count):
            a, b = ports.take_port(bundle.a, bundle), ports.take_port(bundle.b, bundle)
            slower = _find_lower_speed(a, b, boxes)
            if speed is not None and speed > slower:
                problems.refuse(
                    (*bundle.path, "speed"),
                    f"{speed} between {a.device} and {b.device}",
                    f"at most {slower}, the slower port",
                )
            elif speed is None and port_speed(boxes[a.device], a.port) != port_speed(boxes[b.device], b.port):
                problems.warn(
                    bundle.path,
                    f"ports of {port_speed(boxes[a.device], a.port)} on {bundle.a} and of "
                    f"{port_speed(boxes[b.device], b.port)} on {bundle.b}",
                    f"the same speed at both ends, or `speed: {slower}`",
                )
            cables.append(Cable(a, b, speed or slower, bundle.part.length, cable=bundle.part.cable))
    return cables


class _Ports:
    """Free ports of every switch: the last ones for cables upward, the first ones for others."""

    def __init__(self, up: Mapping[str, int], boxes: Mapping[str, Box], used: Iterable[End]) -> None:
        used_ports: dict[str, set[str]] = {}
        for end in used:
            used_ports.setdefault(end.device, set()).add(end.port)
        self.up: dict[str, list[str]] = {}
        self.free_ports: dict[str, list[str]] = {}
        for name, count in up.items():
            free = [port for port in boxes[name].ports if port not in used_ports.get(name, ())]
            split = max(0, len(free) - count)
            self.up[name] = free[split:][::-1]
            self.free_ports[name] = free[:split][::-1]

    def _select_side(self, name: str, bundle: Bundle) -> list[str]:
        """The free ports for a bundle, the next one last."""
        return self.up[name] if name in bundle.up else self.free_ports[name]

    def count_free(self, name: str, bundle: Bundle) -> int:
        """The number of free ports for a bundle."""
        return len(self._select_side(name, bundle))

    def take_port(self, name: str, bundle: Bundle) -> End:
        """Take the next free port for a bundle."""
        return End(name, self._select_side(name, bundle).pop())


def _find_lower_speed(a: End, b: End, boxes: Mapping[str, Box]) -> Bandwidth:
    return Bandwidth(min(port_speed(boxes[end.device], end.port) for end in (a, b)))
