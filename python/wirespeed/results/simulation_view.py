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
"""Steps of what an animation shows: each is one letter in a page."""


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable between two nodes."""

    a: int
    b: int
    rate_bps: int


@dataclass(frozen=True, slots=True)
class Network:
    """Who is cabled to whom."""

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
        """The node at the port's own end."""
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


@dataclass(frozen=True, slots=True)
class TimeSeriesLine:
    """A value for each stretch of a course; None where there is none."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class TimeSeries:
    """Something over time, in stretches that begin at ``starts``."""

    title: str
    meaning: str
    unit: str
    starts: tuple[int, ...]
    end: int
    lines: tuple[TimeSeriesLine, ...]
    left_out: int = 0
    """So many ports or flows have no line of their own: those with less of it."""


@dataclass(frozen=True, slots=True)
class PausedPort:
    """How long a port was stopped by its peer, in one priority or several."""

    port: int
    pauses: int
    total_ps: int
    """Time in which one priority or more was paused."""
    longest_ps: int
    passed_on_ps: int
    """Of ``total_ps``, while the peer was stopped itself."""


@dataclass(frozen=True, slots=True)
class PauseTimeline:
    """When a port was paused: the share of each of as many equal stretches of the run."""

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
    """Paused ports, and for how long."""

    ports: tuple[PausedPort, ...]
    """Longest first; every port that was paused."""
    timelines: tuple[PauseTimeline, ...]
    victims: tuple[Victim, ...] | None
    """Longest delay first. None where the paths of flows are not known, or there are too many flows."""


@dataclass(frozen=True, slots=True, order=True)
class Ideal:
    """The value of flows of one kind (verb and size) without congestion."""

    value: float
    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    """Flows that are compared, by a value of each."""

    name: str
    count: int
    quantiles: tuple[float, ...]
    """The value at evenly spaced ranks, lowest to highest."""
    ideals: tuple[Ideal, ...]
    """Of each kind of flow in the group, lowest first; empty where one is not known."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """How a value is spread over flows."""

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
    """None for one that did not complete."""
    least_ps: int | None
    status: str

    @property
    def slowdown(self) -> float | None:
        """How many times the least time it took."""
        return self.took_ps / self.least_ps if self.took_ps is not None and self.least_ps else None


@dataclass(frozen=True, slots=True)
class Animation:
    """The state of every port in stretches of the run, levels from 0 to `LEVELS` - 1. Ports not in it are at 0."""

    starts: tuple[int, ...]
    end: int
    most_queue_bytes: int
    """The highest level of ``queue``; of ``load`` and ``paused`` it is all of the time."""
    queue: Mapping[int, tuple[int, ...]]
    load: Mapping[int, tuple[int, ...]]
    paused: Mapping[int, tuple[int, ...]]
    left_out: int
    """So many ports in use are not in it, those with the least in their queues."""


@dataclass(frozen=True, slots=True)
class SimulationView:
    """One run."""

    folder: str
    summary: Summary
    network: Network
    time_series: tuple[TimeSeries, ...]
    """Empty where nothing was sampled."""
    pauses: PauseSummary
    congested: tuple[CongestedPort, ...]
    """The switch ports with the deepest queues, deepest first."""
    distributions: tuple[Distribution, ...]
    flows: tuple[FlowRow, ...]
    """Worst first, not all of very many."""
    animation: Animation | None
    """None where no port was sampled."""
