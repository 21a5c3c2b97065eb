"""Who paused whom: totals of each port, when it was, and which flows had to wait for congestion that was not theirs."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from wirespeed.results.simulation_types import FLOWS, PATHS, PAUSES
from wirespeed.results.simulation_view import FlowRow, Network, PausedPort, Pausing, Stripe, Victim
from wirespeed.simulation.result_folder import ResultFolder

STRETCHES = 240
_STRIPES = 24
"""Ports whose pauses are drawn over time, the longest ones."""
_MOST_FLOWS = 20_000
"""Victims are looked for among so many flows."""

Interval = tuple[int, int]


def summarize_pauses(folder: ResultFolder, network: Network, flows: Sequence[FlowRow]) -> Pausing:
    """What the table ``pauses`` amounts to."""
    read = folder.columns(PAUSES, "port", "priority", "start_ps", "end_ps")
    rows = list(zip(read["port"], read["priority"], read["start_ps"], read["end_ps"], strict=True))
    of_ports: dict[int, list[Interval]] = defaultdict(list)
    of_nodes: dict[tuple[int, int], list[Interval]] = defaultdict(list)
    for port, priority, start, end in rows:
        of_ports[port].append((start, end))
        of_nodes[network.node(port), priority].append((start, end))
    merged = {key: united(intervals) for key, intervals in of_nodes.items()}
    passed_on: dict[int, list[Interval]] = defaultdict(list)
    for port, priority, start, end in rows:
        passed_on[port] += common(merged.get((network.peer(port), priority), []), start, end)
    of_port = {port: united(intervals) for port, intervals in of_ports.items()}
    ports = [
        PausedPort(
            port,
            len(intervals),
            _total(of_port[port]),
            max(end - start for start, end in intervals),
            _total(united(passed_on[port])),
        )
        for port, intervals in of_ports.items()
    ]
    ports.sort(key=lambda one: (-one.total_ps, one.port))
    bounds = [folder.end * number // STRETCHES for number in range(STRETCHES + 1)]
    stripes = tuple(Stripe(one.port, shares(of_port[one.port], bounds)) for one in ports[:_STRIPES])
    return Pausing(tuple(ports), stripes, _victims(folder, network, flows, of_port))


def united(intervals: Iterable[Interval]) -> list[Interval]:
    """The same time without overlaps, in order."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def common(intervals: Sequence[Interval], start: int, end: int) -> Iterator[Interval]:
    """What of a stretch lies in united intervals."""
    at = max(bisect_right(intervals, start, key=lambda one: one[0]) - 1, 0)
    while at < len(intervals) and intervals[at][0] < end:
        low, high = max(start, intervals[at][0]), min(end, intervals[at][1])
        if low < high:
            yield low, high
        at += 1


def shares(intervals: Sequence[Interval], bounds: Sequence[int]) -> tuple[float, ...]:
    """The share of each stretch between two bounds that lies in united intervals."""
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
    """Flows that waited though nobody asked a port on their way for more than it carries.

    Each NIC port is counted with its full rate at every port on the ways of its flows: so nobody is called a victim who
    could have had a part in it.
    """
    if not folder.has(PATHS) or len(flows) > _MOST_FLOWS:
        return None
    ways = _ways(folder)
    if not ways:
        return None  # switches chose while the run went on
    asked: dict[int, set[int]] = defaultdict(set)
    for ports in ways.values():
        for port in ports:
            asked[port].add(ports[0])
    fits = {port: sum(network.rate(nic) for nic in nics) <= network.rate(port) for port, nics in asked.items()}
    senders = _senders(folder)
    found = []
    for flow in flows:
        way = ways.get(senders[flow.flow], ())
        if flow.took_ps is None or flow.start_ps is None or not way or not all(fits[port] for port in way):
            continue
        waits = united(interval for port in way for interval in paused.get(port, ()))
        waited = _total(common(waits, flow.start_ps, flow.start_ps + flow.took_ps))
        if waited:
            found.append(Victim(flow.flow, flow.source, flow.target, waited, flow.took_ps))
    return tuple(sorted(found, key=lambda one: (-one.waited_ps, one.flow)))


def _total(intervals: Iterable[Interval]) -> int:
    return sum(end - start for start, end in intervals)


def _ways(folder: ResultFolder) -> Mapping[int, Sequence[int]]:
    """The ports that send the data of each queue pair, in order."""
    read = folder.columns(PATHS, "queue_pair", "hop", "port")
    ways: dict[int, list[int]] = defaultdict(list)
    for queue_pair, _, port in sorted(zip(read["queue_pair"], read["hop"], read["port"], strict=True)):
        ways[queue_pair].append(port)
    return ways


def _senders(folder: ResultFolder) -> Sequence[int]:
    """The queue pair that sends the data of each flow: with a read, the other end of the one it is posted on."""
    read = folder.columns(FLOWS, "queue_pair", "verb")
    return [pair ^ (verb == "read") for pair, verb in zip(read["queue_pair"], read["verb"], strict=True)]
