"""What a reader of verdicts should know of the run beside them."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.benchmarks.judge.verdict import PLATEAU
from wirespeed.results.benchmarks import Metric, Run, RunStatus
from wirespeed.results.verdicts import Judgement, Verdict
from wirespeed.units import Size


def notes(run: Run, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """How the run ended, what the tool validated, and which sizes were left out."""
    return (*_ended(run, verdicts), *_sizes(verdicts))


def _ended(run: Run, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    told = []
    if run.status is RunStatus.FAILED:
        told.append(f"the run failed: {run.error or 'the log does not say why'}")
    if run.status is RunStatus.TRUNCATED:
        told.append("the log is truncated: only its complete rows are judged")
    if not verdicts:
        told.append("the log holds no bandwidth to judge")
    wrong = [measurement for measurement in run.measurements if measurement.metric is Metric.WRONG]
    if wrong and all(measurement.value == 0 for measurement in wrong):
        told.append("the tool validated its data: none arrived wrong")
    return tuple(told)


def _sizes(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Which sizes were left out and why, each reason once, and the deepest dip below the plateau."""
    left: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        judged = verdict.measurement.metric in (Metric.BUSBW, Metric.BW_AVG) and verdict.measurement.size_bytes
        if verdict.judgement is Judgement.SKIP and judged and verdict.physical is not None:
            left.setdefault(verdict.reason, []).append(verdict)
    told = []
    for reason, of in left.items():
        sizes = [Size(verdict.measurement.size_bytes or 0) for verdict in of]
        between = f"{min(sizes)}" if len(set(sizes)) == 1 else f"{min(sizes)} to {max(sizes)}"
        told.append(f"{between} not judged: {reason}{_deepest(of) if reason == PLATEAU else ''}")
    return tuple(told)


def _deepest(of: Sequence[Verdict]) -> str:
    low = min(of, key=_fraction)
    return f"; least at {Size(low.measurement.size_bytes or 0)}, {_fraction(low):.0%} of the limit"


def _fraction(verdict: Verdict) -> float:
    of_reachable, of_physical = verdict.fraction_of_reachable, verdict.fraction_of_physical
    return (of_reachable if of_reachable is not None else of_physical) or 0.0
