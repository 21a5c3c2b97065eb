"""Notes on a run of GPCNeT: how much congestion slows its patterns, and what is not judged."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Metric, Run
from wirespeed.settings import Congestion

_TAIL_RATIO = 2.0
"""Ratio of both factors that marks a tail: of latencies in table 7, 10.1 / 4.2 with DCQCN-P, 2.0 / 1.7 with DCQCN-D."""
_TAIL_SOURCE = "Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, table 7"


def describe_congestion(run: Run, plan: Plan) -> tuple[str, ...]:
    """A note on each pattern's congestion impact factors, which no limit states, and on the reason of a slow tail."""
    factors: dict[str, dict[Metric, float]] = {}
    for measurement in run.measurements:
        if measurement.metric in (Metric.IMPACT_AVG, Metric.IMPACT_P99) and measurement.label:
            factors.setdefault(measurement.label, {})[measurement.metric] = measurement.value
    pairs = {
        pattern: (values[Metric.IMPACT_AVG], values[Metric.IMPACT_P99])
        for pattern, values in factors.items()
        if len(values) > 1
    }
    notes = [
        f"congestion impact factors of {pattern}: average × {average:.1f}, 99th percentile × {tail:.1f} "
        "(1.0: no impact)"
        for pattern, (average, tail) in pairs.items()
    ]
    tails = [pattern for pattern, (average, tail) in pairs.items() if tail >= _TAIL_RATIO * max(average, 1.0)]
    if tails:
        notes.append(_explain_tail(tails, plan))
    return tuple(notes)


def _explain_tail(patterns: Sequence[str], plan: Plan) -> str:
    """Why congestion slows the slowest 1 % more than the average."""
    reason = (
        f"congestion slows the slowest 1 % of {', '.join(patterns)} at least twice as much as the average: some "
        "messages wait in queues that the congestors fill, or behind ports that PFC pauses, and the others do not "
        "(`wirespeed explain NIC-12 QOS-08`)"
    )
    if all(traffic_class.congestion is not Congestion.DCQCN_P for traffic_class in plan.classes.values()):
        return reason
    measured = "the shorter queues of dcqcn-d gave a latency × 2.0 instead of × 10.1"
    return f"{reason}; planned is dcqcn-p: {measured} ({_TAIL_SOURCE})"
