"""The control loop of congestion control: the round trip over the longest path of the fabric."""

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
    """Round-trip time of the longest path between two hosts on an idle fabric."""

    time: Duration
    cables: int  # of the path, one direction
    switches: int  # of the path, whose latency is known
    switch_time: Duration  # part of the time spent in switches
    unknown: int  # switches whose latency is unknown

    @property
    def formula(self) -> str:
        """The parts of the round-trip time."""
        switch_text = f", {self.switch_time} in {_format_count(self.switches)}" if self.switches else ""
        unknown = f", latency of {_format_count(self.unknown)} unknown" if self.unknown else ""
        return f"round trip over {self.cables} cables with a {_PATH_MTU} B packet and its CNP{switch_text}{unknown}"


class _Path(NamedTuple):
    """A path from a host to a device. Paths are ordered by time first."""

    time: int = 0  # picoseconds, both directions
    cables: int = 0
    switches: int = 0
    switch_time: int = 0  # picoseconds in switches
    unknown: int = 0

    def add_cable(self, cable: int) -> _Path:
        """The path with one more cable."""
        return self._replace(time=self.time + cable, cables=self.cables + 1)

    def add_switch(self, latency: Duration | None) -> _Path:
        """The path with one more switch, both directions. A switch of unknown latency adds no time."""
        if latency is None:
            return self._replace(unknown=self.unknown + 1)
        delay = 2 * int(latency)
        return self._replace(time=self.time + delay, switches=self.switches + 1, switch_time=self.switch_time + delay)


def loop(
    cables: Iterable[Cable],
    roles: Mapping[str, str],
    cable: CableModel | None,
    latencies: Mapping[str, Latency] = MappingProxyType({}),
) -> Loop | None:
    """The longest path of the fabric; None if the length of a cable is not known.

    Unknown latencies of switches and latencies of NICs are not included: the result is a lower bound. The path starts
    at the host farthest from the first one, which in a symmetric fabric is the longest.

    Args:
        cables: cables of the fabric.
        roles: roles of its devices; hosts do not forward.
        cable: model with the propagation delay; default: fibre.
        latencies: forwarding latencies of switches, by name.
    """
    delays: dict[str, dict[str, int]] = {}
    ns_per_m = cable.delay_ns_per_m.value if cable else NS_PER_M
    for link in cables:
        if link.length is None:
            return None
        time = _measure_cable(int(link.speed), round(ns_per_m * link.length))
        delays.setdefault(link.a.device, {})[link.b.device] = time
        delays.setdefault(link.b.device, {})[link.a.device] = time
    hosts = [name for name in delays if roles.get(name) == "host"]
    if len(hosts) < 2:
        return None
    whole = {name: latency.whole for name, latency in latencies.items()}
    far, _ = _find_farthest(delays, hosts[0], roles, whole)
    _, path = _find_farthest(delays, far, roles, whole)
    return Loop(Duration(path.time), path.cables, path.switches, Duration(path.switch_time), path.unknown)


def _measure_cable(speed: int, delay: int) -> int:
    """Picoseconds on one cable, both directions."""
    forward, backward = wire.data(_PATH_MTU).wire, wire.cnp().wire
    return 2 * delay + (forward + backward) * 8 * 10**12 // speed


def _find_farthest(
    delays: Mapping[str, Mapping[str, int]],
    start: str,
    roles: Mapping[str, str],
    latencies: Mapping[str, Duration | None],
) -> tuple[str, _Path]:
    """The host whose shortest path is longest, and that path."""
    paths: dict[str, _Path] = {}
    queue = [(_Path(), start)]
    while queue:
        path, name = heapq.heappop(queue)
        if name in paths:
            continue
        paths[name] = path
        if name != start:
            if roles.get(name) == "host":
                continue  # hosts do not forward
            path = path.add_switch(latencies.get(name))
        for neighbour, time in delays[name].items():
            if neighbour not in paths:
                heapq.heappush(queue, (path.add_cable(time), neighbour))
    host_paths = [(path, name) for name, path in paths.items() if roles.get(name) == "host" and name != start]
    path, name = max(host_paths, default=(_Path(), start))
    return name, path


def _format_count(switches: int) -> str:
    return f"{switches} switch{'es' if switches > 1 else ''}"
