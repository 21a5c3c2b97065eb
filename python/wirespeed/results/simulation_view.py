"""The content of a simulation's folder: time series, pauses, completion times, flows. Plain data, ready to be drawn.

Times are picoseconds from the start unless a name contains another unit. Port 2n is the `a` end of cable n, port 2n + 1
its `b` end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wirespeed.results.congested_ports import CongestedPort
from wirespeed.results.simulation_types import Summary

LEVELS = 64
"""Number of levels of an animation: each level is one letter in a page."""


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable between two nodes."""

    a: int
    b: int
    rate_bps: int


@dataclass(frozen=True, slots=True)
class Network:
    """Nodes and cables of a network."""

    names: tuple[str, ...]
    switches: frozenset[int]
    cables: tuple[Cable, ...]
    port_names: tuple[str, ...]
    """By port: ``leaf1:Eth1/1``, or ``switch 16:0``, the port towards node 0, in a scenario without names."""

    @property
    def ports(self) -> range:
        """All ports."""
        return range(2 * len(self.cables))

    def node(self, port: int) -> int:
        """The node that has the port."""
        cable = self.cables[port // 2]
        return cable.b if port % 2 else cable.a

    def peer(self, port: int) -> int:
        """The node at the other end."""
        return self.node(self.peer_port(port))

    def peer_port(self, port: int) -> int:
        """The port at the other end of the cable."""
        return port ^ 1

    def link_name(self, port: int) -> str:
        """A port and the port at the other end of its cable."""
        return f"{self.port_names[port]} → {self.port_names[self.peer_port(port)]}"

    def rate(self, port: int) -> int:
        """Bits per second."""
        return self.cables[port // 2].rate_bps


def find_peer_pair(pair: int) -> int:
    """The queue pair at the other end of a connection: both have consecutive numbers, of which the first is even."""
    return pair ^ 1


@dataclass(frozen=True, slots=True)
class TimeSeriesLine:
    """A value for each interval of a time series; None for an interval without a value."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class TimeSeries:
    """Values over time, in intervals that begin at ``starts``."""

    title: str
    meaning: str
    unit: str
    starts: tuple[int, ...]
    end: int
    lines: tuple[TimeSeriesLine, ...]
    left_out: int = 0
    """Number of ports or flows without a line: those with the lowest values."""


@dataclass(frozen=True, slots=True)
class PausedPort:
    """How long a port was paused by its peer, in one priority or several."""

    port: int
    pauses: int
    total_ps: int
    """Time in which one priority or more was paused."""
    longest_ps: int
    passed_on_ps: int
    """The part of ``total_ps`` in which the peer was paused itself."""


@dataclass(frozen=True, slots=True)
class PauseTimeline:
    """When a port was paused: the share of each of many equal intervals of the run."""

    port: int
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Victim:
    """A flow that was delayed although no port on its path was oversubscribed."""

    flow: int
    source: int
    target: int
    waited_ps: int
    """Time in which a port on its path was paused."""
    took_ps: int


@dataclass(frozen=True, slots=True)
class PauseSummary:
    """Paused ports and their pause times."""

    ports: tuple[PausedPort, ...]
    """Longest first; every port that was paused."""
    timelines: tuple[PauseTimeline, ...]
    victims: tuple[Victim, ...] | None
    """Longest delay first. None if the paths of flows are not known, or there are too many flows."""


@dataclass(frozen=True, slots=True, order=True)
class Ideal:
    """The value of flows of one kind (verb and size) without congestion."""

    value: float
    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    """Flows that are compared, by one value of each."""

    name: str
    count: int
    quantiles: tuple[float, ...]
    """The value at evenly spaced ranks, lowest to highest."""
    ideals: tuple[Ideal, ...]
    """Ideal values by kind of flow, lowest first; empty if one is not known."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distribution of a value over flows."""

    title: str
    unit: str
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class FlowRow:
    """A flow."""

    flow: int
    source: int
    """Node that sends the data."""
    target: int
    source_port: int
    """NIC port that sends the data."""
    target_port: int
    verb: str
    bytes: int
    start_ps: int | None
    took_ps: int | None
    """None for a flow that did not complete."""
    least_ps: int | None
    status: str

    @property
    def slowdown(self) -> float | None:
        """Completion time divided by the minimum time."""
        return self.took_ps / self.least_ps if self.took_ps is not None and self.least_ps else None


@dataclass(frozen=True, slots=True)
class Animation:
    """The state of every port in intervals of the run, with levels from 0 to `LEVELS` - 1. Absent ports are at 0."""

    starts: tuple[int, ...]
    end: int
    most_queue_bytes: int
    """Bytes of the highest level of ``queue``; the highest level of ``load`` and ``paused`` is all of the time."""
    queue: Mapping[int, tuple[int, ...]]
    load: Mapping[int, tuple[int, ...]]
    paused: Mapping[int, tuple[int, ...]]
    left_out: int
    """Number of used ports that are omitted: those with the shortest queues."""


@dataclass(frozen=True, slots=True)
class SimulationView:
    """One run."""

    folder: str
    summary: Summary
    network: Network
    time_series: tuple[TimeSeries, ...]
    """Empty if nothing was sampled."""
    pauses: PauseSummary
    congested: tuple[CongestedPort, ...]
    """The switch ports with the deepest queues, deepest first."""
    ack_timeouts: int
    """ACK timeouts of all queue pairs."""
    distributions: tuple[Distribution, ...]
    flows: tuple[FlowRow, ...]
    """Worst first; only the worst of very many."""
    animation: Animation | None
    """None if no port was sampled."""
