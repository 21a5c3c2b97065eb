"""The control loop of congestion control: the longest way through the fabric, there and back."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from wirespeed import wire
from wirespeed.catalogue.model import CableModel
from wirespeed.plan.headroom import NS_PER_M
from wirespeed.plan.model import Cable, Latency
from wirespeed.units import Duration

_PATH_MTU = 4096  # bytes; the largest path MTU of RoCE (IBTA 9.4.2), so the longest frame that is marked


@dataclass(frozen=True, slots=True)
class Loop:
    """Round-trip time of the longest way between two hosts on an idle fabric."""

    time: Duration
    cables: int  # on the way, one direction
    switches: int  # whose latency is known, on the way
    inside: Duration  # what of the time they take
    unknown: int  # switches whose latency is not

    @property
    def formula(self) -> str:
        """What it counts."""
        known = f", {self.inside} in {_count(self.switches)}" if self.switches else ""
        unknown = f", latency of {_count(self.unknown)} not known" if self.unknown else ""
        return f"{self.cables} cables there and back, a {_PATH_MTU} B packet and its CNP sent on each{known}{unknown}"


class _Way(NamedTuple):
    """From a host to a device. The shorter one is less, whatever it leads over."""

    time: int = 0  # picoseconds, there and back
    cables: int = 0
    switches: int = 0
    inside: int = 0  # picoseconds in them
    unknown: int = 0

    def on(self, cable: int) -> _Way:
        """Over one cable more."""
        return self._replace(time=self.time + cable, cables=self.cables + 1)

    def through(self, latency: Duration | None) -> _Way:
        """Over one switch more, there and back; one of unknown latency takes no time."""
        if latency is None:
            return self._replace(unknown=self.unknown + 1)
        more = 2 * int(latency)
        return self._replace(time=self.time + more, switches=self.switches + 1, inside=self.inside + more)


def loop(
    cables: Iterable[Cable],
    roles: Mapping[str, str],
    cable: CableModel | None,
    latencies: Mapping[str, Latency] = MappingProxyType({}),
) -> Loop | None:
    """The longest way of the fabric; None where a cable's length is not known.

    Latencies of NICs are left out, and those of switches that neither cluster file nor catalogue knows: it is the least
    that the loop can take. The way is found from the host farthest from the first one, which in a symmetric fabric is
    the longest.

    Args:
        cables: of the fabric.
        roles: of its devices; hosts do not forward.
        cable: whose delay counts; without any, that of fibre.
        latencies: of switches, by name.
    """
    ways: dict[str, dict[str, int]] = {}
    ns_per_m = cable.delay_ns_per_m.value if cable else NS_PER_M
    for one in cables:
        if one.length is None:
            return None
        time = _time(int(one.speed), round(ns_per_m * one.length))
        ways.setdefault(one.a.device, {})[one.b.device] = time
        ways.setdefault(one.b.device, {})[one.a.device] = time
    hosts = [name for name in ways if roles.get(name) == "host"]
    if len(hosts) < 2:
        return None
    whole = {name: latency.whole for name, latency in latencies.items()}
    far, _ = _farthest(ways, hosts[0], roles, whole)
    _, found = _farthest(ways, far, roles, whole)
    return Loop(Duration(found.time), found.cables, found.switches, Duration(found.inside), found.unknown)


def _time(speed: int, delay: int) -> int:
    """Picoseconds on one cable, there and back."""
    there, back = wire.data(_PATH_MTU).wire, wire.cnp().wire
    return 2 * delay + (there + back) * 8 * 10**12 // speed


def _farthest(
    ways: Mapping[str, Mapping[str, int]],
    start: str,
    roles: Mapping[str, str],
    latencies: Mapping[str, Duration | None],
) -> tuple[str, _Way]:
    """The host that is farthest by its shortest way, and that way."""
    done: dict[str, _Way] = {}
    waiting = [(_Way(), start)]
    while waiting:
        way, name = heapq.heappop(waiting)
        if name in done:
            continue
        done[name] = way
        if name != start:
            if roles.get(name) == "host":
                continue  # hosts do not forward
            way = way.through(latencies.get(name))
        for other, time in ways[name].items():
            if other not in done:
                heapq.heappush(waiting, (way.on(time), other))
    reached = [(way, name) for name, way in done.items() if roles.get(name) == "host" and name != start]
    way, name = max(reached, default=(_Way(), start))
    return name, way


def _count(switches: int) -> str:
    return f"{switches} switch{'es' if switches > 1 else ''}"
