"""The control loop of congestion control: the longest way through the fabric, there and back."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wirespeed import wire
from wirespeed.catalogue.model import CableModel
from wirespeed.plan.headroom import NS_PER_M
from wirespeed.plan.model import Cable
from wirespeed.units import Duration

_PATH_MTU = 4096  # bytes; the largest path MTU of RoCE (IBTA 9.4.2), so the longest frame that is marked


@dataclass(frozen=True, slots=True)
class Loop:
    """Round-trip time of the longest way between two hosts on an idle fabric."""

    time: Duration
    cables: int  # on the way, one direction

    @property
    def formula(self) -> str:
        """What it counts."""
        return f"{self.cables} cables there and back, a {_PATH_MTU} B packet and its CNP sent on each"


def loop(cables: Iterable[Cable], roles: Mapping[str, str], cable: CableModel | None) -> Loop | None:
    """The longest way of the fabric; None where a cable's length is not known.

    Latencies of switches and NICs are left out: it is the least that the loop can take. The way is found from the host
    farthest from the first one, which in a symmetric fabric is the longest.
    """
    ways: dict[str, dict[str, tuple[int, int]]] = {}
    ns_per_m = cable.delay_ns_per_m.value if cable else NS_PER_M
    for one in cables:
        if one.length is None:
            return None
        times = (_times(int(one.speed), round(ns_per_m * one.length)), 1)
        ways.setdefault(one.a.device, {})[one.b.device] = times
        ways.setdefault(one.b.device, {})[one.a.device] = times
    hosts = [name for name in ways if roles.get(name) == "host"]
    if len(hosts) < 2:
        return None
    far, _ = _farthest(ways, hosts[0], roles)
    _, (time, count) = _farthest(ways, far, roles)
    return Loop(Duration(time), count)


def _times(speed: int, delay: int) -> int:
    """Picoseconds on one cable, there and back."""
    there, back = wire.data(_PATH_MTU).wire, wire.cnp().wire
    return 2 * delay + (there + back) * 8 * 10**12 // speed


def _farthest(
    ways: Mapping[str, Mapping[str, tuple[int, int]]], start: str, roles: Mapping[str, str]
) -> tuple[str, tuple[int, int]]:
    """The host that is farthest by its shortest way, with time and cables of it."""
    done: dict[str, tuple[int, int]] = {}
    waiting = [(0, 0, start)]
    while waiting:
        time, count, name = heapq.heappop(waiting)
        if name in done:
            continue
        done[name] = (time, count)
        if roles.get(name) == "host" and name != start:
            continue  # hosts do not forward
        for other, (more, cables) in ways[name].items():
            if other not in done:
                heapq.heappush(waiting, (time + more, count + cables, other))
    reached = [(at, name) for name, at in done.items() if roles.get(name) == "host" and name != start]
    at, name = max(reached, key=lambda item: (item[0], item[1]), default=((0, 0), start))
    return name, at
