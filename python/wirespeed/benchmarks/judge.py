"""The judge: every bandwidth of a run against what nothing can beat and against what its algorithm reaches.

Two limits stand apart and are never mixed. *Physical*: line rate times exact framing, PCIe, peak GPU links, the cut
bound of the collective. *Reachable*: what the named algorithm or a catalogue figure reaches. A measurement above the
physical limit is ``unknown`` with the likely reason, never ``pass``: the plan is then not what was measured.

Bandwidth is judged where a transfer is long against the latency floor and on the plateau at the end of the table;
elsewhere a size may pass, but it cannot fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from wirespeed.benchmarks.judge_collectives import collective_limits
from wirespeed.benchmarks.judge_limits import BANDWIDTHS, Limit, Limits, Unlimited
from wirespeed.benchmarks.judge_profile import Profile, default
from wirespeed.benchmarks.judge_rdma import rdma_limits
from wirespeed.benchmarks.judge_tcp import tcp_limits
from wirespeed.limits.algorithms import Algorithm
from wirespeed.limits.bound import BITS_PER_SECOND, number
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.verdicts import Bound, JudgedRun, Judgement, Verdict
from wirespeed.units import Size

PLATEAU = "below the plateau, which is judged at the largest sizes"


def judge(
    run: Run,
    plan: Plan,
    *,
    file: str = "-",
    source: str | None = None,
    target: str | None = None,
    algorithm: Algorithm | None = None,
    collective: str | None = None,
    profile: Profile | None = None,
) -> JudgedRun:
    """Judge one run against a plan, as designed or as found.

    ``source`` and ``target`` name the NICs of a point-to-point test as HOST/NIC; ``algorithm`` and ``collective`` say
    what a log of a collective does not; ``profile`` holds the fractions to reach.

    Raises:
        Refused: ``source``, ``target`` or ``collective`` names nothing there is.
    """
    profile = profile or default()
    limits = _limits(run, plan, profile, source, target, algorithm, collective)
    verdicts = [*_wrong(run), *_bandwidths(run, limits, profile)]
    order = {id(measurement): place for place, measurement in enumerate(run.measurements)}
    verdicts.sort(key=lambda verdict: order[id(verdict.measurement)])
    return JudgedRun(
        file=file,
        tool=run.tool,
        test=run.test,
        title=_title(run, plan),
        ranks=run.ranks,
        verdicts=tuple(verdicts),
        notes=(*_notes(run, verdicts), *_sizes(verdicts), *limits.notes),
        status=run.status,
        error=run.error,
    )


def _limits(
    run: Run,
    plan: Plan,
    profile: Profile,
    source: str | None,
    target: str | None,
    algorithm: Algorithm | None,
    collective: str | None,
) -> Limits:
    match run.tool:
        case "perftest":
            return rdma_limits(run, plan, profile, source, target)
        case "nccl-tests" | "rccl-tests":
            return collective_limits(run, plan, profile, algorithm, collective)
        case "iperf3" | "iperf2":
            return tcp_limits(run, plan, profile, source, target)
        case other:
            return Unlimited(f"there are no limits for {other}", profile)


def _wrong(run: Run) -> list[Verdict]:
    """Data that arrived wrong fails, however fast it was."""
    return [
        _verdict(measurement, Judgement.FAIL, "data arrived wrong: the tool's own validation failed")
        for measurement in run.measurements
        if measurement.metric is Metric.WRONG and measurement.value > 0
    ]


def _bandwidths(run: Run, limits: Limits, profile: Profile) -> list[Verdict]:
    rows = [
        (measurement, limits.limit(measurement))
        for measurement in run.measurements
        if measurement.metric in BANDWIDTHS and measurement.unit in BITS_PER_SECOND
    ]
    start = _plateau(rows, limits, profile)
    return [_judged(measurement, limit, limits, profile, start) for measurement, limit in rows]


def _plateau(rows: Sequence[tuple[Measurement, Limit]], limits: Limits, profile: Profile) -> float:
    """The smallest size of the plateau: a fraction of the largest size that is bandwidth-bound."""
    sizes = [
        measurement.size_bytes
        for measurement, limit in rows
        if measurement.size_bytes and not limit.shown and limits.bandwidth_bound(measurement, limit) is None
    ]
    return max(sizes, default=0) * profile.plateau.value


def _judged(measurement: Measurement, limit: Limit, limits: Limits, profile: Profile, plateau: float) -> Verdict:
    if limit.unknown is not None:
        return _verdict(measurement, Judgement.UNKNOWN, limit.unknown)
    if limit.shown is not None:
        return _verdict(measurement, Judgement.SKIP, limit.shown, limit)
    if limit.physical is not None and _above(measurement, limit.physical, profile):
        return _verdict(measurement, Judgement.UNKNOWN, _beyond(measurement, limit.physical, limits), limit)
    small = limits.bandwidth_bound(measurement, limit)
    if small is not None:
        return _verdict(measurement, Judgement.SKIP, small, limit)
    bound = limit.reachable or limit.physical
    if bound is None:
        return _verdict(measurement, Judgement.UNKNOWN, "no limit is known", limit)
    return _compared(measurement, limit, bound, limits, plateau)


def _compared(measurement: Measurement, limit: Limit, bound: Bound, limits: Limits, plateau: float) -> Verdict:
    """Against the thresholds; below the plateau a size that does not pass is left to the plateau."""
    what = "the reachable limit" if bound is limit.reachable else "the physical limit"
    passes, warns = limits.thresholds.passes.value, limits.thresholds.warns.value
    fraction = measurement.value / bound.value
    if fraction >= passes:
        return _verdict(measurement, Judgement.PASS, f"at least {passes:.0%} of {what}", limit)
    if measurement.size_bytes is not None and measurement.size_bytes < plateau:
        return _verdict(measurement, Judgement.SKIP, PLATEAU, limit)
    below = f"below {passes:.0%} of {what}, bound by {bound.binding}"
    if fraction >= warns:
        return _verdict(measurement, Judgement.WARN, below, limit)
    return _verdict(measurement, Judgement.FAIL, below.replace(f"{passes:.0%}", f"{warns:.0%}"), limit)


def _above(measurement: Measurement, physical: Bound, profile: Profile) -> bool:
    """Whether a value is above a limit by more than its printed digits and the clocks may be off."""
    exponent = Decimal(str(measurement.value)).as_tuple().exponent
    rounding = 0.5 * 10.0**exponent if isinstance(exponent, int) else 0.0
    return measurement.value - rounding > physical.value * (1 + profile.clock_tolerance.value)


def _beyond(measurement: Measurement, physical: Bound, limits: Limits) -> str:
    """What a measurement above the physical limit is likely to mean, likeliest first."""
    ratio = measurement.value / physical.value
    reasons = list(limits.above)
    if ratio > _BITS_FOR_BYTES:
        reasons.insert(0, f"bits read as bytes: it is {number(ratio)} times the limit")
    reasons.append("another cluster file than that of this cluster")
    return f"above what nothing can beat ({physical.binding}); likely {', or '.join(dict.fromkeys(reasons))}"


_BITS_FOR_BYTES = 4.0  # between 1 and 8, on a scale of factors nearer to 8


def _verdict(measurement: Measurement, judgement: Judgement, reason: str, limit: Limit | None = None) -> Verdict:
    physical = limit.physical if limit else None
    reachable = limit.reachable if limit else None
    return Verdict(
        measurement=measurement,
        judgement=judgement,
        reason=reason,
        physical=physical,
        reachable=reachable,
        fraction_of_physical=measurement.value / physical.value if physical and physical.value else None,
        fraction_of_reachable=measurement.value / reachable.value if reachable and reachable.value else None,
    )


def _title(run: Run, plan: Plan) -> str:
    return f"{run.test or run.tool} on {plan.name}"


def _notes(run: Run, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    notes = []
    if run.status is RunStatus.FAILED:
        notes.append(f"the run failed: {run.error or 'the log does not say why'}")
    if run.status is RunStatus.TRUNCATED:
        notes.append("the log is truncated: only its complete rows are judged")
    if not verdicts:
        notes.append("the log holds no bandwidth to judge")
    wrong = [measurement for measurement in run.measurements if measurement.metric is Metric.WRONG]
    if wrong and all(measurement.value == 0 for measurement in wrong):
        notes.append("the tool validated its data: none arrived wrong")
    return tuple(notes)


def _sizes(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Which sizes were left out and why, each reason once, and the deepest dip below the plateau."""
    left: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        judged = verdict.measurement.metric in (Metric.BUSBW, Metric.BW_AVG) and verdict.measurement.size_bytes
        if verdict.judgement is Judgement.SKIP and judged and verdict.physical is not None:
            left.setdefault(verdict.reason, []).append(verdict)
    notes = []
    for reason, of in left.items():
        sizes = [Size(verdict.measurement.size_bytes or 0) for verdict in of]
        between = f"{min(sizes)}" if len(set(sizes)) == 1 else f"{min(sizes)} to {max(sizes)}"
        notes.append(f"{between} not judged: {reason}{_deepest(of) if reason == PLATEAU else ''}")
    return tuple(notes)


def _deepest(of: Sequence[Verdict]) -> str:
    low = min(of, key=_fraction)
    return f"; least at {Size(low.measurement.size_bytes or 0)}, {_fraction(low):.0%} of the limit"


def _fraction(verdict: Verdict) -> float:
    of_reachable, of_physical = verdict.fraction_of_reachable, verdict.fraction_of_physical
    return (of_reachable if of_reachable is not None else of_physical) or 0.0
