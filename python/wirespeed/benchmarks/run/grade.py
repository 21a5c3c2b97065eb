"""Grade a step: read its log, judge it against the plan, and report the value that decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.benchmarks.endpoints.fabric import Fabric
from wirespeed.benchmarks.judge.lab_baseline import Figures, judge_direct
from wirespeed.benchmarks.judge.nccl_evidence import evidence
from wirespeed.benchmarks.judge.profile import Profile
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.benchmarks.run.mesh.result import grade_step
from wirespeed.benchmarks.tools.reader import read
from wirespeed.errors import Refusal
from wirespeed.limits.bound import number
from wirespeed.plan import Plan
from wirespeed.plan.overlay import ObservedPlan
from wirespeed.results.benchmarks import LATENCIES, Measurement, Metric, Run, RunStatus
from wirespeed.results.campaign import Grade, Outcome, Step
from wirespeed.results.verdicts import SEVERITY_ORDER, JudgedRun, Judgement, Verdict
from wirespeed.units import format_percent, format_unit

_GRADES = {
    Judgement.FAIL: Grade.BAD,
    Judgement.UNKNOWN: Grade.UNKNOWN,
    Judgement.WARN: Grade.WARN,
    Judgement.PASS: Grade.GOOD,
}
_MOST_CAUSES = 3
_INFORMATIVE_METRICS = (Metric.LATENCY_TYPICAL, Metric.LATENCY_P50, Metric.LATENCY_AVG, Metric.BITRATE, Metric.BW_AVG)
"""Metrics that are shown for a run that is not judged; the first that it has."""


@dataclass(frozen=True, slots=True)
class GradeOptions:
    """What values are judged by in addition to the plan: a profile, the cluster as found, the baseline of a lab."""

    profile: Profile | None = None
    observed: ObservedPlan | None = None
    direct: Figures | None = None  # baseline of a lab, instead of the limits of the plan


def grade(
    plan: Plan, fabric: Fabric, step: Step, outcome: Outcome, text: str, bar: GradeOptions | None = None
) -> tuple[Grade, str | None]:
    """The grade of an attempt by its log, and the value or message that decides."""
    bar = bar or GradeOptions()
    if outcome is Outcome.MISSING:
        return Grade.UNKNOWN, None  # the attempt names the program
    try:
        reading = read(text, step.id)
        runs = reading.runs
    except Refusal as refusal:
        return Grade.UNKNOWN, f"not read: {refusal.problems[0].found}" if outcome is Outcome.DONE else None
    if outcome is not Outcome.DONE:
        return Grade.UNKNOWN, next((_describe_failure(run) for run in runs if run.error), None)
    if not plan.hosts:
        return _grade_for_information(runs)
    if meshes := tuple(run for run in runs if run.tool == "mesh"):
        return grade_step(plan, fabric, meshes)
    if bar.direct is not None:
        return _grade_runs(runs, [judge_direct(run, bar.direct, step.id, plan.name) for run in runs])
    judged = [
        judge(
            run,
            plan,
            file=step.id,
            source=step.source,
            target=step.target,
            collective=_find_collective(step, run),
            profile=bar.profile,
            observed=bar.observed,
            evidence=evidence(run, reading.communicators),
            nics_only=step.nics_only,
        )
        for run in runs
    ]
    return _grade_runs(runs, judged)


def _find_collective(step: Step, run: Run) -> str | None:
    """The collective of a step, which its log may not contain."""
    return step.collective.removesuffix("_perf") if step.collective and run.test is None else None


def _grade_runs(runs: Sequence[Run], judged: Sequence[JudgedRun]) -> tuple[Grade, str | None]:
    failed = next((run for run in runs if run.status is RunStatus.FAILED), None)
    if failed is not None:
        return Grade.BAD, _describe_failure(failed)
    verdicts = [verdict for judged_run in judged for verdict in judged_run.verdicts if not _is_informative(verdict)]
    if any(run.status is RunStatus.TRUNCATED for run in runs):
        return Grade.UNKNOWN, "the log is truncated"
    if not verdicts:
        return _grade_for_information(runs)
    worst = min(
        verdicts, key=lambda verdict: (SEVERITY_ORDER.index(verdict.judgement), -(verdict.measurement.size_bytes or 0))
    )
    grade, text = _GRADES[worst.judgement], _format_verdict(worst)
    return grade, f"{text}: {worst.reason.partition('; ')[0]}" if grade is Grade.WARN else text


def _is_informative(verdict: Verdict) -> bool:
    """Whether a figure is for information: it is not judged, or it is a time without a known limit."""
    timed = verdict.measurement.metric in LATENCIES and verdict.physical is None and verdict.gate is None
    return verdict.judgement is Judgement.SKIP or (timed and verdict.judgement is Judgement.UNKNOWN)


def _describe_failure(run: Run) -> str:
    """The error message of the tool, and the likeliest entries of the failure catalogue that cause them."""
    causes = f" ({', '.join(run.failures[:_MOST_CAUSES])})" if run.failures else ""
    return f"{run.error or 'the run failed'}{causes}"


def _format_verdict(verdict: Verdict) -> str:
    value = _format_value(verdict.measurement)
    bound, share = verdict.reachable, verdict.fraction_of_reachable
    if bound is None:
        bound, share = verdict.physical, verdict.fraction_of_physical
    if bound is None or share is None or verdict.judgement is Judgement.UNKNOWN:
        return f"{value}: {verdict.reason}"
    limit = f"{number(bound.value / 10**9)} Gb/s" if bound.unit == "b/s" else number(bound.value)
    text = f"{value}, {format_percent(share, 0)} of {limit} ({bound.bottleneck})"
    if verdict.fraction_of_found is None or verdict.found is None:
        return text
    found_share = format_percent(verdict.fraction_of_found, 0)
    return f"{text}; {found_share} of what the cluster as found allows ({verdict.found.bottleneck})"


def _grade_for_information(runs: Sequence[Run]) -> tuple[Grade, str | None]:
    """The grade of figures for information; a run that is not complete is unknown."""
    bad = next((run for run in runs if not run.status.is_intact), None)
    if bad is not None:
        return Grade.UNKNOWN, bad.error or f"the log is {bad.status.value}"
    measurements_of_runs = [measurement for run in runs for measurement in run.measurements]
    for metric in _INFORMATIVE_METRICS:
        measurements = [measurement for measurement in measurements_of_runs if measurement.metric is metric]
        if measurements:
            return Grade.SKIP, f"{_format_value(measurements[-1])}{_format_size(measurements)}"
    return (
        (Grade.SKIP, f"{len(measurements_of_runs)} figures")
        if measurements_of_runs
        else (Grade.UNKNOWN, "no figure in it")
    )


def _format_size(measurements: Sequence[Measurement]) -> str:
    size = measurements[-1].size_bytes
    return f" at {size} bytes" if size is not None and len(measurements) > 1 else ""


def _format_value(measurement: Measurement) -> str:
    if measurement.unit == "b/s":
        return f"{measurement.value / 10**9:.4g} Gb/s"
    return f"{measurement.value:,g} {format_unit(measurement.unit)}"
