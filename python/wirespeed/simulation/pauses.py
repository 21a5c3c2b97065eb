"""Pauses between ports: totals and times of each port, and the flows that waited for congestion of other flows."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from wirespeed.results.simulation_types import FLOWS, PATHS, PAUSES
from wirespeed.results.simulation_view import FlowRow, Network, PausedPort, PauseSummary, PauseTimeline, Victim
from wirespeed.simulation.result_folder import ResultFolder

STRETCHES = 240
_TIMELINES = 24
"""Number of ports whose pauses are drawn over time: those paused longest."""
_MOST_FLOWS = 20_000
"""Maximum number of flows among which victims are searched."""

Interval = tuple[int, int]


def summarize_pauses(folder: ResultFolder, network: Network, flows: Sequence[FlowRow]) -> PauseSummary:
    """Summarize the table ``pauses``."""
    read = folder.columns(PAUSES, "port", "priority", "start_ps", "end_ps")
    rows = list(zip(read["port"], read["priority"], read["start_ps"], read["end_ps"], strict=True))
    of_ports: dict[int, list[Interval]] = defaultdict(list)
    of_nodes: dict[tuple[int, int], list[Interval]] = defaultdict(list)
    for port, priority, start, end in rows:
        of_ports[port].append((start, end))
        of_nodes[network.node(port), priority].append((start, end))
    merged = {key: merge_intervals(intervals) for key, intervals in of_nodes.items()}
    passed_on: dict[int, list[Interval]] = defaultdict(list)
    for port, priority, start, end in rows:
        passed_on[port] += intersect(merged.get((network.peer(port), priority), []), start, end)
    of_port = {port: merge_intervals(intervals) for port, intervals in of_ports.items()}
    ports = [
        PausedPort(
            port,
            len(intervals),
            _total(of_port[port]),
            max(end - start for start, end in intervals),
            _total(merge_intervals(passed_on[port])),
        )
        for port, intervals in of_ports.items()
    ]
    ports.sort(key=lambda entry: (-entry.total_ps, entry.port))
    bounds = [folder.end * number // STRETCHES for number in range(STRETCHES + 1)]
    timelines = tuple(PauseTimeline(entry.port, shares(of_port[entry.port], bounds)) for entry in ports[:_TIMELINES])
    return PauseSummary(tuple(ports), timelines, _victims(folder, network, flows, of_port))


def merge_intervals(intervals: Iterable[Interval]) -> list[Interval]:
    """Merge overlapping intervals, in order."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def intersect(intervals: Sequence[Interval], start: int, end: int) -> Iterator[Interval]:
    """The parts of a time span that lie in merged intervals."""
    at = max(bisect_right(intervals, start, key=lambda interval: interval[0]) - 1, 0)
    while at < len(intervals) and intervals[at][0] < end:
        low, high = max(start, intervals[at][0]), min(end, intervals[at][1])
        if low < high:
            yield low, high
        at += 1


def shares(intervals: Sequence[Interval], bounds: Sequence[int]) -> tuple[float, ...]:
    """The share of each interval between two bounds that lies in merged intervals."""
    stretches = len(bounds) - 1
    found = [0] * stretches
    for start, stop in intervals:
        at = max(min(bisect_right(bounds, start) - 1, stretches - 1), 0)
        while at < stretches and bounds[at] < stop:
            found[at] += max(min(stop, bounds[at + 1]) - max(start, bounds[at]), 0)
            at += 1
    widths = (after - before for before, after in pairwise(bounds))
    return tuple(part / width if width else 0.0 for part, width in zip(found, widths, strict=True))


def _victims(
    folder: ResultFolder, network: Network, flows: Sequence[FlowRow], paused: Mapping[int, Sequence[Interval]]
) -> tuple[Victim, ...] | None:
    """Flows that waited although no port on their path is oversubscribed.

    Each NIC port is counted with its full rate at every port on the paths of its flows, so that no flow is called a
    victim that may have contributed to the congestion.
    """
    if not folder.has(PATHS) or len(flows) > _MOST_FLOWS:
        return None
    paths = _paths(folder)
    if not paths:
        return None  # switches chose paths during the run
    sending_nics: dict[int, set[int]] = defaultdict(set)
    for ports in paths.values():
        for port in ports:
            sending_nics[port].add(ports[0])
    fits = {port: sum(network.rate(nic) for nic in nics) <= network.rate(port) for port, nics in sending_nics.items()}
    senders = _senders(folder)
    found = []
    for flow in flows:
        path = paths.get(senders[flow.flow], ())
        if flow.took_ps is None or flow.start_ps is None or not path or not all(fits[port] for port in path):
            continue
        waits = merge_intervals(interval for port in path for interval in paused.get(port, ()))
        waited = _total(intersect(waits, flow.start_ps, flow.start_ps + flow.took_ps))
        if waited:
            found.append(Victim(flow.flow, flow.source, flow.target, waited, flow.took_ps))
    return tuple(sorted(found, key=lambda entry: (-entry.waited_ps, entry.flow)))


def _total(intervals: Iterable[Interval]) -> int:
    return sum(end - start for start, end in intervals)


def _paths(folder: ResultFolder) -> Mapping[int, Sequence[int]]:
    """The ports that send the data of each queue pair, in order."""
    read = folder.columns(PATHS, "queue_pair", "hop", "port")
    paths: dict[int, list[int]] = defaultdict(list)
    for queue_pair, _, port in sorted(zip(read["queue_pair"], read["hop"], read["port"], strict=True)):
        paths[queue_pair].append(port)
    return paths


def _senders(folder: ResultFolder) -> Sequence[int]:
    """The queue pair that sends the data of each flow: with a read, the other end of the one it is posted on."""
    read = folder.columns(FLOWS, "queue_pair", "verb")
    return [pair ^ (verb == "read") for pair, verb in zip(read["queue_pair"], read["verb"], strict=True)]
