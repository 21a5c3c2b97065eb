"""The judge: every bandwidth of a run against what nothing can beat and against what its algorithm reaches.

Two limits stand apart and are never mixed. *Physical*: line rate times exact framing, PCIe, peak GPU links, the cut
bound of the collective. *Reachable*: what the named algorithm or a catalogue figure reaches. A measurement above the
physical limit is ``unknown`` with the likely reason, never ``pass``: the plan is then not what was measured.

Bandwidth is judged where a transfer is long against the latency floor and on the plateau at the end of the table;
elsewhere a size may pass, but it cannot fail. Given the cluster as found too, each verdict says how much of a loss what
was found explains; it stays a verdict on the design.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wirespeed.benchmarks.judge.collectives import collective_limits
from wirespeed.benchmarks.judge.gates import Subject, gate_of, gated, subject_of
from wirespeed.benchmarks.judge.gpu import gpu_limits
from wirespeed.benchmarks.judge.limits import BANDWIDTHS, LATENCIES, Asked, Limit, Limits, Unlimited
from wirespeed.benchmarks.judge.mpi import mpi_limits
from wirespeed.benchmarks.judge.nccl_evidence import Evidence
from wirespeed.benchmarks.judge.notes import notes
from wirespeed.benchmarks.judge.point_to_point import pair_limits
from wirespeed.benchmarks.judge.profile import Profile, default
from wirespeed.benchmarks.judge.rdma import rdma_limits
from wirespeed.benchmarks.judge.tcp import tcp_limits
from wirespeed.benchmarks.judge.verdict import Scale, against_found, compared, explained, fast_enough, verdict
from wirespeed.benchmarks.logs.numbers import SECONDS
from wirespeed.limits.algorithms import Algorithm
from wirespeed.plan import Plan
from wirespeed.plan.as_found import AsFound
from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.verdicts import JudgedRun, Judgement, Verdict
from wirespeed.units import BITS_PER_SECOND


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
    found: AsFound | None = None,
    evidence: Evidence | None = None,
) -> JudgedRun:
    """Judge one run against a plan, and against the cluster as found where that is given too.

    ``source`` and ``target`` name the NICs of a point-to-point test as HOST/NIC; ``algorithm`` and ``collective`` say
    what a log of a collective does not; ``profile`` holds the fractions to reach; ``evidence`` is what NCCL's debug
    lines prove of the run.

    Raises:
        Refused: ``source``, ``target`` or ``collective`` names nothing there is.
    """
    asked = Asked(source, target, algorithm, collective, evidence)
    return examined(run, plan, asked, file, profile or default(), found)[0]


def examined(
    run: Run, plan: Plan, asked: Asked, file: str, profile: Profile, found: AsFound | None
) -> tuple[JudgedRun, Subject]:
    """A run judged, and what of it gates ask for.

    Raises:
        Refused: a name that the user gave names nothing there is.
    """
    limits = _limits(run, plan, profile, asked)
    verdicts = _against(run, limits, profile)
    said: tuple[str, ...] = ()
    if found is not None:
        limits_found = _limits(run, found.plan, profile, asked)
        verdicts = [_with_found(one, limits_found, profile) for one in verdicts]
        said = tuple(f"as found: {text}" for text in found.unread(limits_found.hosts))
    subject = subject_of(run, plan, limits.link, len(limits.hosts) or None)
    verdicts = _gated(run.measurements, verdicts, subject, profile)
    judged = _judged(run, verdicts, (*limits.notes, *said), file, plan.name)
    return replace(judged, source=asked.source, target=asked.target), subject


def judge_within(run: Run, limits: Limits, profile: Profile, file: str, cluster: str) -> JudgedRun:
    """Judge one run against limits that no plan gives: nothing of hardware is known, and no gate applies."""
    return _judged(run, _against(run, limits, profile), limits.notes, file, cluster)


def _against(run: Run, limits: Limits, profile: Profile) -> list[Verdict]:
    verdicts = [*_wrong(run), *_bandwidths(run, limits, profile), *_latencies(run, limits)]
    return [explained(one, limits.causes) for one in verdicts]


def _judged(run: Run, verdicts: Sequence[Verdict], said: Sequence[str], file: str, cluster: str) -> JudgedRun:
    order = {id(measurement): place for place, measurement in enumerate(run.measurements)}
    return JudgedRun(
        file=file,
        tool=run.tool,
        test=run.test,
        title=f"{run.test or run.tool} on {cluster}",
        ranks=run.ranks,
        verdicts=tuple(sorted(verdicts, key=lambda one: order[id(one.measurement)])),
        notes=(*notes(run, verdicts), *said),
        status=run.status,
        error=run.error,
    )


def _limits(run: Run, plan: Plan, profile: Profile, asked: Asked) -> Limits:
    match run.tool:
        case "perftest":
            return rdma_limits(run, plan, profile, asked)
        case "nccl-tests" | "rccl-tests":
            return collective_limits(run, plan, profile, asked)
        case "iperf3" | "iperf2":
            return tcp_limits(run, plan, profile, asked)
        case "qperf" if (run.test or "").startswith(("rc_", "uc_", "ud_")):
            return rdma_limits(run, plan, profile, asked)
        case "qperf" | "sockperf":
            return tcp_limits(run, plan, profile, asked)
        case "osu-micro-benchmarks":
            return mpi_limits(run, plan, profile, asked)
        case "ucx_perftest" | "netpipe" | "mpigraph" | "gpcnet":
            return pair_limits(run, plan, profile, asked)
        case "nvbandwidth" | "p2pBandwidthLatencyTest" | "rocm-bandwidth-test":
            return gpu_limits(run, plan, profile, asked)
        case other:
            return Unlimited(f"there are no limits for {other}", profile)


def _wrong(run: Run) -> list[Verdict]:
    """Data that arrived wrong fails, however fast it was."""
    return [
        verdict(measurement, Judgement.FAIL, "data arrived wrong: the tool's own validation failed")
        for measurement in run.measurements
        if measurement.metric is Metric.WRONG and measurement.value > 0
    ]


def _bandwidths(run: Run, limits: Limits, profile: Profile) -> list[Verdict]:
    rows = [(measurement, limits.limit(measurement)) for measurement in run.measurements if _is_bandwidth(measurement)]
    scale = Scale(limits, profile, _plateau(rows, limits, profile))
    return [compared(measurement, limit, scale) for measurement, limit in rows]


def _latencies(run: Run, limits: Limits) -> list[Verdict]:
    """No limit says what a latency should be; but nothing is below what bits and light take."""
    rows = [one for one in run.measurements if one.metric in LATENCIES and one.unit in SECONDS and one.value > 0]
    if isinstance(limits, Unlimited):
        return [verdict(one, Judgement.UNKNOWN, limits.why) for one in rows]
    return [fast_enough(one, least) for one in rows if (least := limits.least(one)) is not None]


def _is_bandwidth(measurement: Measurement) -> bool:
    return measurement.metric in BANDWIDTHS and measurement.unit in BITS_PER_SECOND


def _plateau(rows: Sequence[tuple[Measurement, Limit]], limits: Limits, profile: Profile) -> float:
    """The smallest size of the plateau: a fraction of the largest size that is bandwidth-bound."""
    sizes = [
        measurement.size_bytes
        for measurement, limit in rows
        if measurement.size_bytes and not limit.shown and limits.bandwidth_bound(measurement, limit) is None
    ]
    return max(sizes, default=0) * profile.plateau.value


def _with_found(one: Verdict, limits: Limits, profile: Profile) -> Verdict:
    if not _is_bandwidth(one.measurement):
        return one
    return against_found(one, limits.limit(one.measurement), profile)


def _gated(
    measurements: Sequence[Measurement], verdicts: Sequence[Verdict], subject: Subject, profile: Profile
) -> list[Verdict]:
    """Verdicts under the gates of the profile, and of what has no limit those alone."""
    gates = {id(one): gate for one in measurements if (gate := gate_of(one, subject, profile)) is not None}
    done = {id(one.measurement) for one in verdicts}
    return [
        *(
            gated(one, one.measurement, gates[id(one.measurement)]) if id(one.measurement) in gates else one
            for one in verdicts
        ),
        *(gated(None, one, gates[id(one)]) for one in measurements if id(one) in gates and id(one) not in done),
    ]
