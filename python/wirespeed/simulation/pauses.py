"""Pauses between ports: totals and times of each port, and the flows that waited for congestion of other flows."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from wirespeed.results.simulation_types import FLOWS, PATHS, PAUSES
from wirespeed.results.simulation_view import (
    FlowRow,
    Network,
    PausedPort,
    PauseSummary,
    PauseTimeline,
    Victim,
    find_peer_pair,
)
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
            _sum_lengths(of_port[port]),
            max(end - start for start, end in intervals),
            _sum_lengths(merge_intervals(passed_on[port])),
        )
        for port, intervals in of_ports.items()
    ]
    ports.sort(key=lambda entry: (-entry.total_ps, entry.port))
    bounds = [folder.end * number // STRETCHES for number in range(STRETCHES + 1)]
    timelines = tuple(PauseTimeline(entry.port, shares(of_port[entry.port], bounds)) for entry in ports[:_TIMELINES])
    return PauseSummary(tuple(ports), timelines, _find_victims(folder, network, flows, of_port))


def merge_intervals(intervals: Iterable[Interval]) -> list[Interval]:
    """Merge overlapping intervals, in order."""
    merged_intervals: list[Interval] = []
    for start, end in sorted(intervals):
        if merged_intervals and start <= merged_intervals[-1][1]:
            merged_intervals[-1] = (merged_intervals[-1][0], max(merged_intervals[-1][1], end))
        else:
            merged_intervals.append((start, end))
    return merged_intervals


def intersect(intervals: Sequence[Interval], start: int, end: int) -> Iterator[Interval]:
    """The parts of a time span that lie in merged intervals."""
    index = max(bisect_right(intervals, start, key=lambda interval: interval[0]) - 1, 0)
    while index < len(intervals) and intervals[index][0] < end:
        low, high = max(start, intervals[index][0]), min(end, intervals[index][1])
        if low < high:
            yield low, high
        index += 1


def shares(intervals: Sequence[Interval], bounds: Sequence[int]) -> tuple[float, ...]:
    """The share of each interval between two bounds that lies in merged intervals."""
    stretches = len(bounds) - 1
    overlaps = [0] * stretches
    for start, stop in intervals:
        index = max(min(bisect_right(bounds, start) - 1, stretches - 1), 0)
        while index < stretches and bounds[index] < stop:
            overlaps[index] += max(min(stop, bounds[index + 1]) - max(start, bounds[index]), 0)
            index += 1
    widths = (after - before for before, after in pairwise(bounds))
    return tuple(part / width if width else 0.0 for part, width in zip(overlaps, widths, strict=True))


def _find_victims(
    folder: ResultFolder, network: Network, flows: Sequence[FlowRow], paused: Mapping[int, Sequence[Interval]]
) -> tuple[Victim, ...] | None:
    """Flows that waited although no port on their path is oversubscribed.

    Each NIC port is counted with its full rate at every port on the paths of its flows, so that no flow is called a
    victim that may have contributed to the congestion.
    """
    if not folder.has(PATHS) or len(flows) > _MOST_FLOWS:
        return None
    paths = _read_paths(folder)
    if not paths:
        return None  # switches chose paths during the run
    sending_nics: dict[int, set[int]] = defaultdict(set)
    for ports in paths.values():
        for port in ports:
            sending_nics[port].add(ports[0])
    fits = {port: sum(network.rate(nic) for nic in nics) <= network.rate(port) for port, nics in sending_nics.items()}
    senders = _find_senders(folder)
    victims = []
    for flow in flows:
        path = paths.get(senders[flow.flow], ())
        if flow.took_ps is None or flow.start_ps is None or not path or not all(fits[port] for port in path):
            continue
        waits = merge_intervals(interval for port in path for interval in paused.get(port, ()))
        waited = _sum_lengths(intersect(waits, flow.start_ps, flow.start_ps + flow.took_ps))
        if waited:
            victims.append(Victim(flow.flow, flow.source, flow.target, waited, flow.took_ps))
    return tuple(sorted(victims, key=lambda entry: (-entry.waited_ps, entry.flow)))


def _sum_lengths(intervals: Iterable[Interval]) -> int:
    return sum(end - start for start, end in intervals)


def _read_paths(folder: ResultFolder) -> Mapping[int, Sequence[int]]:
    """The ports that send the data of each queue pair, in order."""
    read = folder.columns(PATHS, "queue_pair", "hop", "port")
    paths: dict[int, list[int]] = defaultdict(list)
    for queue_pair, _, port in sorted(zip(read["queue_pair"], read["hop"], read["port"], strict=True)):
        paths[queue_pair].append(port)
    return paths


def _find_senders(folder: ResultFolder) -> Sequence[int]:
    """The queue pair that sends the data of each flow: with a read, the other end of the one it is posted on."""
    read = folder.columns(FLOWS, "queue_pair", "verb")
    flows = zip(read["queue_pair"], read["verb"], strict=True)
    return [find_peer_pair(pair) if verb == "read" else pair for pair, verb in flows]
