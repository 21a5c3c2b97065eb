"""Completion times of flows, compared with their minimum, and their distribution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from wirespeed.results.simulation_types import FLOWS, LIMITS
from wirespeed.results.simulation_view import Distribution, FlowRow, Group, Ideal, find_peer_pair
from wirespeed.simulation.result_folder import ResultFolder
from wirespeed.units import Size

_POINTS = 200
"""Maximum ranks of a distribution: more points are not visible in a chart."""
_KIBIBYTE = 1024
_GROUPS = 4
"""Maximum number of kinds of flows that are drawn separately, the most frequent ones, in addition to all flows."""


def flow_rows(folder: ResultFolder, nic_ports: Mapping[int, int]) -> tuple[FlowRow, ...]:
    """All flows, in their order. The data of a read goes from the responder to the requester.

    ``nic_ports``: the NIC port of each queue pair.
    """
    read = folder.columns(FLOWS, "flow", "queue_pair", "src", "dst", "verb", "bytes", "start_ps", "end_ps", "status")
    minimum = folder.columns(LIMITS, "least_ps")["least_ps"] if folder.has(LIMITS) else None
    return tuple(
        FlowRow(
            flow=flow,
            source=target if verb == "read" else source,
            target=source if verb == "read" else target,
            source_port=nic_ports[find_peer_pair(pair) if verb == "read" else pair],
            target_port=nic_ports[pair if verb == "read" else find_peer_pair(pair)],
            verb=verb,
            bytes=size,
            start_ps=start,
            took_ps=end - start if status == "completed" else None,
            least_ps=None if minimum is None else minimum[flow],
            status=status,
        )
        for flow, pair, source, target, verb, size, start, end, status in zip(
            read["flow"],
            read["queue_pair"],
            read["src"],
            read["dst"],
            read["verb"],
            read["bytes"],
            read["start_ps"],
            read["end_ps"],
            read["status"],
            strict=True,
        )
    )


def distributions(flows: Sequence[FlowRow]) -> Iterator[Distribution]:
    """Completion times, and slowdowns relative to the ideal time."""
    completed = [flow for flow in flows if flow.took_ps is not None]
    if not completed:
        return
    kinds = Counter((flow.verb, flow.bytes) for flow in completed)
    common = sorted(kinds.most_common(), key=lambda entry: (-entry[1], entry[0]))[:_GROUPS]
    chosen = [kind for kind, _ in common] if len(kinds) > 1 else []
    groups = [
        (None, completed),
        *((kind, [entry for entry in completed if (entry.verb, entry.bytes) == kind]) for kind in chosen),
    ]
    yield Distribution(
        "Completion time", "µs", tuple(_group_times(kind, flows_of_kind) for kind, flows_of_kind in groups)
    )
    if any(flow.slowdown is not None for flow in completed):
        yield Distribution(
            "Slowdown", "actual / ideal", tuple(_group_slowdowns(kind, flows_of_kind) for kind, flows_of_kind in groups)
        )


def _group_times(kind: tuple[str, int] | None, flows: Sequence[FlowRow]) -> Group:
    times_us = [flow.took_ps / 1e6 for flow in flows if flow.took_ps is not None]
    return Group(_name_kind(kind), len(flows), quantiles(times_us), _find_ideals(flows))


def _find_ideals(flows: Sequence[FlowRow]) -> tuple[Ideal, ...]:
    """Ideal times by kind, in µs. Paths of different lengths differ in propagation: the shortest counts for all."""
    shortest: dict[tuple[str, int], int] = {}
    for flow in flows:
        if flow.least_ps is None:
            return ()
        kind = flow.verb, flow.bytes
        shortest[kind] = min(flow.least_ps, shortest.get(kind, flow.least_ps))
    return tuple(sorted(Ideal(least_ps / 1e6, _name_kind(kind)) for kind, least_ps in shortest.items()))


def _group_slowdowns(kind: tuple[str, int] | None, flows: Sequence[FlowRow]) -> Group:
    slowdowns = [slowdown for flow in flows if (slowdown := flow.slowdown) is not None]
    return Group(_name_kind(kind), len(flows), quantiles(slowdowns), (Ideal(1.0, "all flows"),))


def _name_kind(kind: tuple[str, int] | None) -> str:
    if kind is None:
        return "all flows"
    verb, size = kind
    return f"{verb} of {Size(size)}" if size % _KIBIBYTE == 0 else f"{verb} of {size:,} bytes"


def quantiles(values: Sequence[float]) -> tuple[float, ...]:
    """The values at evenly spaced ranks, including the first and the last; few values are all included."""
    ordered = sorted(values)
    if len(ordered) <= _POINTS:
        return tuple(ordered)
    return tuple(ordered[round(rank * (len(ordered) - 1) / (_POINTS - 1))] for rank in range(_POINTS))
