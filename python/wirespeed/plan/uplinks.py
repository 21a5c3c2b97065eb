"""Cables between switches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wirespeed.cluster import Cluster
from wirespeed.plan.fabric import Box, port_speed
from wirespeed.plan.model import Cable, End
from wirespeed.plan.pattern import Bundle
from wirespeed.plan.problems import Problems
from wirespeed.units import Bandwidth


def upward(bundles: Sequence[Bundle]) -> dict[str, int]:
    """Ports that each switch keeps at its end for cables upward."""
    found: dict[str, int] = {}
    for bundle in bundles:
        for name in (bundle.a, bundle.b):
            found[name] = found.get(name, 0) + (bundle.count if name in bundle.up else 0)
    return found


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
    between = [row for row in cluster.rows if row.a[0] in boxes and row.b[0] in boxes]
    if between and bundles:
        key = "fabric" if cluster.fabric else "links"
        problems.refuse(
            (key,),
            f"{key}, and a cabling file with cables between switches",
            "one of them",
            f"remove `{key}`, or the cables between switches from {cluster.cabling.file}",
        )
        return []
    if between:
        ends = [(End(*row.a), End(*row.b), row.length) for row in between]
        return [Cable(a, b, _slower(a, b, boxes), length) for a, b, length in ends]
    ports = _Ports(upward(bundles), boxes, used)
    cables: list[Cable] = []
    full_tiers: set[tuple[str | int, ...]] = set()  # one switch without free ports represents its tier
    for bundle in bundles:
        if bundle.path in full_tiers:
            continue
        speed = bundle.part.speed
        full = next((name for name in (bundle.a, bundle.b) if ports.free(name, bundle) < bundle.count), None)
        if full is not None:
            full_tiers.add(bundle.path)
            problems.refuse(
                bundle.path,
                f"{ports.free(full, bundle)} free ports on {full}",
                f"{bundle.count} for the cables of {bundle.a} and {bundle.b}",
            )
            continue
        for _ in range(bundle.count):
            a, b = ports.take(bundle.a, bundle), ports.take(bundle.b, bundle)
            slower = _slower(a, b, boxes)
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
        taken: dict[str, set[str]] = {}
        for end in used:
            taken.setdefault(end.device, set()).add(end.port)
        self.up: dict[str, list[str]] = {}
        self.others: dict[str, list[str]] = {}
        for name, count in up.items():
            free = [port for port in boxes[name].ports if port not in taken.get(name, ())]
            split = max(0, len(free) - count)
            self.up[name] = free[split:][::-1]
            self.others[name] = free[:split][::-1]

    def _side(self, name: str, bundle: Bundle) -> list[str]:
        """The ports a bundle takes from, the next one at the end."""
        return self.up[name] if name in bundle.up else self.others[name]

    def free(self, name: str, bundle: Bundle) -> int:
        """How many ports are left for it."""
        return len(self._side(name, bundle))

    def take(self, name: str, bundle: Bundle) -> End:
        """The next port for it."""
        return End(name, self._side(name, bundle).pop())


def _slower(a: End, b: End, boxes: Mapping[str, Box]) -> Bandwidth:
    return Bandwidth(min(port_speed(boxes[end.device], end.port) for end in (a, b)))
