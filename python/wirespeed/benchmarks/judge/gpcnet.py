"""Notes on a run of GPCNeT: how much congestion slows its patterns, and what is not judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Metric, Run
from wirespeed.results.verdicts import Judgement, Verdict
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


_PATTERNS = ("isolated: ", "congested: ")
_NOT_LISTED = (Metric.BW_AVG, Metric.IMPACT_AVG, Metric.IMPACT_P99)
"""Metrics that other notes list where they are not judged."""


def describe_unjudged(run: Run, verdicts: Mapping[int, Verdict]) -> tuple[str, ...]:
    """A note on the latencies and percentiles of GPCNet's patterns that are not judged; ``verdicts``: by position.

    Verbose builds also list the congestors during each pattern, and the worst rank: those are left out.
    """
    labels: dict[str, list[str]] = {}
    for position, measurement in enumerate(run.measurements):
        verdict = verdicts.get(position)
        is_judged = verdict is not None and verdict.judgement is not Judgement.SKIP
        label = measurement.label or ""
        is_pattern = label.startswith(_PATTERNS) and "," not in label
        if is_pattern and not is_judged and measurement.metric not in _NOT_LISTED:
            labels.setdefault(label, []).append(measurement.metric.value)
    by_metrics: dict[str, list[str]] = {}
    for label, metrics in labels.items():
        by_metrics.setdefault(", ".join(metrics), []).append(label)
    if not by_metrics:
        return ()
    rows = "; ".join(f"{metrics} of {', '.join(names)}" for metrics, names in by_metrics.items())
    return (f"not judged: {rows}: {_NO_LIMIT}",)


_NO_LIMIT = "no limit is known; `wirespeed bench compare` compares them over time"
