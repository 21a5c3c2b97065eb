"""The judge: compare every bandwidth of a run with its physical limit and with what its algorithm reaches.

Two limits are kept separate. *Physical*: line rate times exact framing, PCIe, peak GPU links, the cut
bound of the collective. *Reachable*: the rate of the named algorithm or a catalogue figure. A measurement above the
physical limit is ``unknown`` with the likely reason, never ``pass``: the plan is then not what was measured.

Bandwidth is judged where a transfer is long against the latency floor and on the plateau at the end of the table;
elsewhere only dips and steps of the curve fail, and the floor itself is compared with the highest healthy
latency. Given the cluster as found too, each verdict states how much of a loss
the findings explain; it stays a verdict on the design.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from wirespeed.benchmarks.endpoints.nics import (
    find_ends,
    find_logged_ends,
    find_planned_host,
    has_rdma,
    list_other_addresses,
)
from wirespeed.benchmarks.judge.bottlenecks import drop_refuted_nics, find_bottlenecks
from wirespeed.benchmarks.judge.bridge import bridge_limits
from wirespeed.benchmarks.judge.collective_names import drop_refuted_inferences
from wirespeed.benchmarks.judge.collectives import (
    SLOW_BRIDGE,
    CollectiveLimits,
    collective_limits,
    find_slower_interface,
    find_socket_interfaces,
    is_known_over_bridge,
    list_rank_hosts,
    refute_assumed_network,
)
from wirespeed.benchmarks.judge.curves import SMALL, judge_curves, judge_latency_floor, list_shallow_dips, name_tcp
from wirespeed.benchmarks.judge.gates import Subject, apply_gate, build_subject, find_connection_type, find_gate
from wirespeed.benchmarks.judge.gpcnet import describe_congestion, describe_unjudged
from wirespeed.benchmarks.judge.gpu import GpuLimits, find_gpu_host, gpu_limits
from wirespeed.benchmarks.judge.limits import BANDWIDTHS, REFUTED, Limit, Limits, RunContext, UnknownLimits
from wirespeed.benchmarks.judge.mpi import LARGEST_LATENCY_BOUND, MpiLimits, mpi_limits
from wirespeed.benchmarks.judge.nccl_evidence import (
    Evidence,
    describe_sockets,
    list_failures,
    list_proven_failures,
)
from wirespeed.benchmarks.judge.point_to_point import UNKNOWN_TRANSPORT, pair_limits
from wirespeed.benchmarks.judge.profile import Profile, default
from wirespeed.benchmarks.judge.rdma import RdmaLimits, list_connection_notes, rdma_limits
from wirespeed.benchmarks.judge.stated_options import (
    APPLICATION_TIME,
    drop_contradicted_facts,
    has_many_ends,
    list_notes_on_options,
)
from wirespeed.benchmarks.judge.tcp import TcpLimits, tcp_limits
from wirespeed.benchmarks.judge.verdict import (
    POSSIBLE_CAUSES,
    Scale,
    add_causes,
    add_observed_limit,
    compare_bandwidth,
    compare_latency,
    compare_published_range,
    compute_from_times,
    compute_roundings,
    describe_dips,
    describe_passing_fingerprints,
    doubt_smaller_sizes,
    exceeds_plan,
    explain_dip,
    find_common_reason,
    keep_possible_losses,
    make_verdict,
    name_fingerprints,
)
from wirespeed.benchmarks.logs.failed_runs import list_notes
from wirespeed.benchmarks.logs.numbers import SECONDS
from wirespeed.errors import format_first
from wirespeed.limits.algorithms import Algorithm, is_measured
from wirespeed.limits.bound import number
from wirespeed.number_ranges import format_ranges
from wirespeed.plan import Plan
from wirespeed.plan.overlay import ObservedPlan
from wirespeed.plan.source_verification import find_unverified_term_source
from wirespeed.results.benchmarks import APPLICATIONS, LATENCIES, PAIR_ARROW, Measurement, Metric, Run, RunStatus
from wirespeed.results.verdicts import JudgedRun, Judgement, Verdict
from wirespeed.settings import Host, is_address
from wirespeed.units import BITS_PER_SECOND, Size, format_percent, format_unit


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
    observed: ObservedPlan | None = None,
    evidence: Evidence | None = None,
    ranks: int | None = None,
    nodes: int | None = None,
    nics_only: bool = False,
) -> JudgedRun:
    """Judge one run against a plan, and against the cluster as found where that is given too.

    ``source`` and ``target`` name the NICs of a point-to-point test as HOST:NIC; ``algorithm`` and ``collective``
    complete the log of a collective, ``ranks`` and ``nodes`` (hosts) that of a parallel job; ``profile`` holds the
    fractions to reach; ``evidence`` is what NCCL's debug lines prove of the run; ``nics_only``: ranks of a host were
    started so that they reach each other over its NICs.

    Raises:
        Refusal: ``source``, ``target`` or ``collective`` does not exist.
    """
    context = RunContext(
        source, target, algorithm, collective, evidence=evidence, ranks=ranks, nodes=nodes, nics_only=nics_only
    )
    return judge_with_subject(run, plan, context, file, profile or default(), observed)[0]


def judge_with_subject(
    run: Run, plan: Plan, context: RunContext, file: str, profile: Profile, observed: ObservedPlan | None
) -> tuple[JudgedRun, Subject]:
    """A judged run, and its properties by which gates select runs.

    Raises:
        Refusal: a name that the user gave does not exist.
    """
    notes_on_options = _list_contradicted_ends(run, plan, context)
    if has_stated_options(context):
        notes_on_options = (*list_notes_on_options(run, context, plan), *notes_on_options)
        context = drop_contradicted_facts(run, context, plan)
    run = _complete_run(run, context)
    if context.evidence is not None and not context.evidence.is_over_sockets:
        kept_evidence, notes_on_nics = drop_refuted_nics(run, plan, context, context.evidence)
        context = replace(context, evidence=kept_evidence)
        notes_on_options = (*notes_on_options, *notes_on_nics)
    foreign_hosts = _list_foreign_hosts(run, plan, context)
    unread: tuple[str, ...] = ()
    if observed is not None and foreign_hosts and not (context.source or context.target):
        observed = None
        unread = (f"not compared with the cluster as found: the bundle is not of {_format_hosts(foreign_hosts)}",)
    if observed is not None:
        context = replace(context, host=find_gpu_host(run, observed.plan), own_gpus=_list_own_gpus(observed))
    limits = _find_limits(run, plan, profile, context)
    verdicts = _compare_measurements(run, limits, profile, expects_rdma=_expects_rdma(run, plan, limits, context))
    verdicts = _doubt_other_hosts(verdicts, run, plan, context)
    causes = _list_causes(verdicts, limits)
    if observed is not None:
        context_found = replace(context, as_observed=True)
        limits_found = _find_limits(run, observed.plan, profile, context_found)
        if isinstance(limits_found, CollectiveLimits):
            slow_context = replace(context_found, prefers_slow_hosts=True)
            limits_found = _take_slow_hosts(limits_found, _find_limits(run, observed.plan, profile, slow_context))
            limits_found = _keep_algorithm(limits_found, limits)
        verdicts = {
            position: _add_observed_limit(verdict, limits_found, profile) for position, verdict in verdicts.items()
        }
        unread = tuple(
            f"as found: {text}"
            for text in (
                *_describe_slow_hosts(limits, limits_found),
                *_describe_refuted_algorithm(verdicts, limits_found),
                *_describe_higher_limit(verdicts.values(), limits_found),
                *observed.list_unread(limits_found.hosts, _list_interfaces(run, plan, limits_found, context)),
            )
        )
    if context.evidence is not None and context.evidence.is_over_sockets and len(limits.hosts) > 1:
        verdicts = _report_unjudged_sockets(verdicts, describe_sockets(context.evidence))
    slower = None
    if context.evidence is not None and len(limits.hosts) > 1:
        slower = find_slower_interface(run, plan, context, context.evidence)
        if slower is not None and slower.is_against_plan:
            verdicts = _warn_of_finding(verdicts, slower.text)
    verdicts = _soften_unverified(verdicts, plan, limits)
    verdicts = _explain_slow_bridge(verdicts, run, plan, limits, context)
    if isinstance(limits, TcpLimits) and limits.finding is not None:
        verdicts = _warn_of_finding(verdicts, limits.finding)
    smaller_mtu = _compare_path_mtu(run, plan, limits.hosts)
    verdicts = _warn_of_finding(verdicts, smaller_mtu) if smaller_mtu else verdicts
    verdicts, notes_on_cores = _judge_rank_cores(verdicts, run, plan)
    subject = build_subject(run, plan, limits.link, len(limits.hosts) or None)
    for position, measurement in enumerate(run.measurements):
        gate = find_gate(measurement, subject, profile)
        if gate is not None:
            verdicts[position] = apply_gate(verdicts.get(position), measurement, gate)
    fingerprints = describe_passing_fingerprints(verdicts.values(), limits.fingerprints)
    dips = list_shallow_dips(verdicts, profile.curve)
    of_run = (
        *([_describe_foreign_hosts(foreign_hosts, plan)] if foreign_hosts else ()),
        *((slower.text,) if slower is not None and not slower.is_against_plan else ()),
        *(list_connection_notes(run, plan) if _names_connection(run) else ()),
        *notes_on_cores,
        *_describe_ud_overhead(run, plan),
        *((*describe_unjudged(run, verdicts), *describe_congestion(run, plan)) if run.tool == "gpcnet" else ()),
        *_describe_clock(run),
        *_describe_slow_memory(verdicts.values(), run, plan, limits),
    )
    extra_notes = (*limits.notes, *causes, *fingerprints, *dips, *of_run, *unread, *notes_on_options)
    judged = _judge_run(run, verdicts, extra_notes, file, plan.name)
    if (context.source or context.target) and not has_many_ends(run):
        judged = replace(judged, source=context.source, target=context.target)
    if context.evidence is not None:
        judged = _add_evidence(judged, run, plan, context, context.evidence)
    return judged, subject


def _take_slow_hosts(limits: CollectiveLimits, of_slow_hosts: Limits) -> CollectiveLimits:
    """The limits of a collective, whose reachable ones are those of the slowest hosts where the log names none.

    The physical limit stays that of the first hosts: a run on fast hosts is not above what is possible.
    """
    if not isinstance(of_slow_hosts, CollectiveLimits):
        return limits
    return replace(limits, by_algorithm=of_slow_hosts.by_algorithm, hosts=of_slow_hosts.hosts)


def _keep_algorithm(limits_found: CollectiveLimits, limits: Limits) -> CollectiveLimits:
    """The limits of the cluster as found with the algorithm that the run is judged by: a run has one."""
    if not isinstance(limits, CollectiveLimits):
        return limits_found
    return replace(limits_found, usual=limits.usual) if limits.usual in limits_found.by_algorithm else limits_found


def _describe_slow_hosts(limits: Limits, limits_found: Limits) -> tuple[str, ...]:
    """A note on the limit of a collective whose log names no hosts, where others than assumed are the slowest."""
    if not isinstance(limits_found, CollectiveLimits) or set(limits_found.hosts) == set(limits.hosts):
        return ()
    hosts = format_first(limits_found.hosts, _NAMED_HOSTS)
    return (f"the limit is that of {hosts}, with the slowest NICs: the log names no hosts of the plan",)


def _describe_higher_limit(verdicts: Iterable[Verdict], limits_found: Limits) -> tuple[str, ...]:
    """A note on a cluster that is faster than planned, such as cards in wider slots."""
    judged = (verdict for verdict in verdicts if _is_bandwidth(verdict.measurement))
    for verdict in sorted(judged, key=lambda verdict: -(verdict.measurement.size_bytes or 0)):
        limit = limits_found.limit(verdict.measurement)
        bound = limit.reachable or limit.physical
        if bound is not None and bound.unit == verdict.measurement.unit and exceeds_plan(verdict, bound):
            return (
                f"the limit is {number(bound.value)} {format_unit(bound.unit)} ({bound.bottleneck}), higher than "
                "planned: `wirespeed check` lists what differs",
            )
    return ()


def _describe_refuted_algorithm(verdicts: _Verdicts, limits_found: Limits) -> tuple[str, ...]:
    """A note on a run that is faster than its algorithm is on the cluster as found."""
    if not isinstance(limits_found, CollectiveLimits):
        return ()
    highest = max(verdicts.values(), key=lambda verdict: verdict.fraction_of_found or 0, default=None)
    fraction = highest.fraction_of_found if highest is not None else None
    if highest is None or fraction is None or fraction <= REFUTED or highest.judgement is Judgement.UNKNOWN:
        return ()
    return (
        f"{format_percent(fraction, 0)} of what the {limits_found.usual.value} algorithm reaches: another algorithm, "
        "or the bundle was not collected at the time of this run",
    )


def _list_interfaces(run: Run, plan: Plan, limits: Limits, context: RunContext) -> frozenset[str] | None:
    """The interfaces that a run uses: none for copies inside a host; None where they are not known."""
    if isinstance(limits, GpuLimits):
        return frozenset()
    ends = find_ends(plan, context.source, context.target) or find_logged_ends(run, plan)
    if ends:
        return frozenset(end.interface for end in ends)
    if context.evidence is None or not context.evidence.is_over_sockets:
        return None
    return frozenset(name for names in context.evidence.nics.values() for name in names) or None


def _doubt_other_hosts(verdicts: _Verdicts, run: Run, plan: Plan, context: RunContext) -> _Verdicts:
    """Passing values far above the reachable limit, as unknown where the log names hosts that the plan does not have.

    The limit is that of hosts of the plan, and the values show that the measured hosts have another one.
    """
    exceeding = [
        position
        for position, verdict in verdicts.items()
        if verdict.judgement is Judgement.PASS and (verdict.fraction_of_reachable or 0) > REFUTED
    ]
    if not exceeding:
        return verdicts
    names = dict.fromkeys(list_rank_hosts(run, run.ranks or 0, context))
    foreign_hosts = [name for name in names if find_planned_host(plan, name) is None]
    if not foreign_hosts:
        return verdicts
    reason = (
        f"above the reachable limit of hosts of {plan.name}, and the log names other hosts "
        f"({format_first(foreign_hosts, _NAMED_HOSTS)}): give the cluster file of the measured hosts"
    )
    changed = {
        position: replace(verdicts[position], judgement=Judgement.UNKNOWN, reason=reason) for position in exceeding
    }
    return {**verdicts, **changed}


def _list_foreign_hosts(run: Run, plan: Plan, context: RunContext) -> list[str]:
    """The hosts of a log that the plan does not have, by their names or by the addresses of NICs.

    Addresses count if hosts of the plan have some, and the user does not name the ends. The time of an application is
    compared with no limit of a host.
    """
    if run.tool in APPLICATIONS:
        return []
    names = [place.host for place in run.parameters.rank_places.values()]
    names += (run.parameters.host_names or "").split(",")
    if context.evidence is not None:
        names += context.evidence.communicator.hosts or ()
    foreign = [name for name in dict.fromkeys(names) if name and find_planned_host(plan, name) is None]
    if not (context.source or context.target):
        foreign += list_other_addresses(run, plan)
    return foreign


def _describe_foreign_hosts(foreign: Sequence[str], plan: Plan) -> str:
    verb = "is" if len(foreign) == 1 else "are"
    return (
        f"the log is from other hosts: {_format_hosts(foreign)} {verb} not in {plan.name}; the limits are those of "
        f"{plan.name}; give the cluster file of the measured hosts"
    )


def _format_hosts(hosts: Sequence[str]) -> str:
    return format_first(hosts, _NAMED_HOSTS)


def _complete_run(run: Run, context: RunContext) -> Run:
    """The run with the ranks and hosts that the user states, and without inferences that they contradict."""
    if run.parameters.inferred:
        run = drop_refuted_inferences(run, context.collective, context.ranks)
    if context.ranks is None and context.nodes is None:
        return run
    parameters = replace(run.parameters, nodes=context.nodes or run.parameters.nodes)
    return replace(run, ranks=context.ranks or run.ranks, parameters=parameters)


def _list_own_gpus(observed: ObservedPlan) -> dict[str, dict[str, bool]]:
    """Whether GPUs and other PCIe functions of a host that borrows some are its own GPUs, by address."""
    owners: dict[str, dict[str, bool]] = {}
    for name, host in observed.plan.hosts.items():
        own_addresses = {gpu.pcie for gpu in host.gpus.values() if is_address(gpu.pcie)}
        device = observed.facts.devices.get(name)
        if len(own_addresses) < len(host.gpus) or not isinstance(device, Host):
            continue
        if host.borrowed_gpus:
            addresses = {*device.pcie, *(gpu.pcie for gpu in device.gpus.values() if gpu.pcie)}
            owners[name] = {address: address in own_addresses for address in addresses}
    return owners


def _compare_path_mtu(run: Run, plan: Plan, hosts: Sequence[str]) -> str | None:
    """The finding that a run used a smaller path MTU than all NICs of its hosts are planned to have."""
    used = run.parameters.path_mtu_bytes
    planned = [nic.rdma_mtu for host in hosts for nic in plan.hosts[host].nics.values() if nic.rdma_mtu is not None]
    if used is None or not planned or used >= min(planned):
        return None
    return f"path MTU {used} in use, planned is {min(planned)}: larger frames reach more of the line rate"


def _names_connection(run: Run) -> bool:
    names = run.parameters
    return any(value is not None for value in (names.gid_index, names.local_gid, names.remote_gid, names.queue_pairs))


def _judge_rank_cores(verdicts: _Verdicts, run: Run, plan: Plan) -> tuple[_Verdicts, tuple[str, ...]]:
    """Verdicts of ranks on other cores than planned, and the finding as a note where no verdict has a limit."""
    finding = _compare_rank_cores(run, plan)
    if finding is None:
        return verdicts, ()
    changed = _warn_of_finding(verdicts, finding)
    return changed, (finding,) if changed == verdicts else ()


def _compare_rank_cores(run: Run, plan: Plan) -> str | None:
    """The finding that ranks were bound to other cores than planned. Planned cores are those of the planned ranks.

    MVAPICH prints the ranks of the first host. Of fewer ranks than planned, each has its part of the planned mapping:
    MVAPICH2 2.3.7 user guide, MV2_CPU_MAPPING.
    """
    planned = next((host.launch.cores for host in plan.hosts.values() if host.launch.cores is not None), None)
    used = (run.parameters.rank_cores or "").split(":")
    if planned is None or not used[0] or (len(used) > len(planned) and len(used) % len(planned)):
        return None
    expected = [",".join(format_ranges(planned[rank % len(planned)])) for rank in range(len(used))]
    different = [rank for rank, cores in enumerate(used) if cores != expected[rank]]
    if not different:
        return None
    first = different[0]
    pair = f"rank {first} on {used[first]}, planned is {expected[first]}"
    return f"{len(different)} of {len(used)} ranks ran on other cores than planned: {pair} (`wirespeed explain MPI-06`)"


def _describe_ud_overhead(run: Run, plan: Plan) -> tuple[str, ...]:
    """A note on latencies of jobs over UD, where the library is known to add to them on the hosts' NICs."""
    host = next(iter(plan.hosts.values()))
    library = plan.hardware.libraries.get(host.launch.library or "")
    overhead = library.ud_overhead if library else None
    if overhead is None or run.tool != "osu-micro-benchmarks" or find_connection_type(run, plan) != "UD":
        return ()
    drivers = {nic.driver.name for nic in host.nics.values()}
    if drivers.isdisjoint(overhead.drivers) or not any(row.metric in LATENCIES for row in run.measurements):
        return ()
    added = f"{overhead.minimum} to {overhead.maximum}"
    return (f"over UD the library adds {added} to the latency of these NICs (`wirespeed explain MPI-05`)",)


def _describe_clock(run: Run) -> tuple[str, ...]:
    """A note that perftest could not rely on its clock: it divides cycles by a frequency (its src/get_clock.c)."""
    frequencies = run.parameters.cpu_frequency_conflict
    if frequencies is None:
        return ()
    first, _, second = frequencies.partition(" != ")
    return (
        f"perftest found two CPU frequencies, {float(first):.0f} and {float(second):.0f} MHz: its times are in cycles, "
        "so its values may be wrong; set the performance governor and repeat the test (`wirespeed explain PCI-12`)",
    )


_SLOW_MEMORY = (
    "memory interleaving disabled in the BIOS of a host can be the reason, if the same test between GPUs is faster "
    "(`wirespeed explain PCI-17`)"
)
_LARGE = 2**16  # bytes: smaller messages have other limits


def _describe_slow_memory(verdicts: Iterable[Verdict], run: Run, plan: Plan, limits: Limits) -> tuple[str, ...]:
    """A note on RDMA that is slow from or to the memory of hosts with GPUs, whose memory would show the reason.

    Broadcom 957608-AN210, section 5.1, question 8.
    """
    if not isinstance(limits, RdmaLimits) or run.parameters.on_gpu:
        return ()
    slow = any(
        verdict.judgement in _BELOW_LIMIT and (verdict.measurement.size_bytes or _LARGE) >= _LARGE
        for verdict in verdicts
        if _is_bandwidth(verdict.measurement)
    )
    return (_SLOW_MEMORY,) if slow and any(plan.hosts[name].gpus for name in limits.hosts) else ()


def has_stated_options(context: RunContext) -> bool:
    """Whether the user states facts of the run."""
    counts = (context.ranks, context.nodes)
    return any((context.source, context.target, *counts, context.algorithm, context.collective))


def _list_contradicted_ends(run: Run, plan: Plan, context: RunContext) -> tuple[str, ...]:
    """A note where the NIC of a log of perftest, or the host of its GPUs, is at neither end that the user names."""
    host_of_gpus = find_gpu_host(run, plan) if run.parameters.gpu_addresses else None
    named = [end.partition(":")[0] for end in (context.source, context.target) if end]
    if host_of_gpus is not None and named and host_of_gpus not in named:
        return (f"the log's GPUs are those of {host_of_gpus}, but --from or --to names {' and '.join(named)}",)
    device = run.parameters.rdma_device
    ends = find_ends(plan, context.source, context.target) if run.tool == "perftest" and device else []
    if not ends or any(end.nic.rdma_device in (None, device) for end in ends):
        return ()
    options = " and ".join(option for option, end in (("--from", context.source), ("--to", context.target)) if end)
    return (f"the log's NIC is {device}, but {options} name {' and '.join(str(end) for end in ends)}",)


def _add_evidence(judged: JudgedRun, run: Run, plan: Plan, context: RunContext, evidence: Evidence) -> JudgedRun:
    """A run with a value that does not pass, with the causes and bottlenecks that its debug lines prove."""
    judgements = {verdict.judgement for verdict in judged.verdicts}
    if not judgements & {*_BELOW_LIMIT, Judgement.UNKNOWN}:
        return judged
    proven = list_proven_failures(evidence, plan)
    failures = tuple(dict.fromkeys((*proven, *judged.failures, *list_failures(evidence, plan))))
    bottlenecks = find_bottlenecks(run, plan, context, evidence) if judgements & _BELOW_LIMIT else ()
    return replace(judged, failures=failures, proven_failures=proven, bottlenecks=bottlenecks)


_NAMED_HOSTS = 4
_BELOW_LIMIT = frozenset({Judgement.WARN, Judgement.FAIL})


def _list_causes(verdicts: _Verdicts, limits: Limits) -> tuple[str, ...]:
    """Notes on what the log proves, unless the reason of a verdict contains it."""
    if any(verdict.judgement in _BELOW_LIMIT and verdict.physical is not None for verdict in verdicts.values()):
        return ()
    return tuple(f"the log proves: {cause}" for cause in limits.causes)


def judge_with_limits(run: Run, limits: Limits, profile: Profile, file: str, cluster: str) -> JudgedRun:
    """Judge one run against limits that do not come from a plan: the hardware is unknown, and no gate applies."""
    return _judge_run(run, _compare_measurements(run, limits, profile), limits.notes, file, cluster)


_Verdicts = dict[int, Verdict]
"""Verdicts by the position of their measurement in the run."""


def _expects_rdma(run: Run, plan: Plan, limits: Limits, context: RunContext) -> bool:
    """Whether TCP would be a surprise: RDMA is planned between the hosts, and the log does not name sockets."""
    is_over_sockets = context.evidence is not None and context.evidence.is_over_sockets
    ends = find_ends(plan, context.source, context.target)
    names_tcp = run.parameters.sockets or run.parameters.tcp_evidence
    if is_over_sockets or names_tcp or any(not end.nic.rdma_device for end in ends):
        return False
    return sum(has_rdma(plan, host) for host in limits.hosts) > 1


def _compare_measurements(run: Run, limits: Limits, profile: Profile, *, expects_rdma: bool = True) -> _Verdicts:
    largest = LARGEST_LATENCY_BOUND if isinstance(limits, MpiLimits) else SMALL
    verdicts = {
        **_judge_corrupted_data(run),
        **_skip_applications(run),
        **_judge_bandwidths(run, limits, profile),
        **_judge_latencies(run, limits),
        **judge_latency_floor(run, limits, profile, expects_rdma=expects_rdma, largest=largest),
    }
    losses = keep_possible_losses(verdicts.values(), limits.fingerprints)
    named = {position: name_fingerprints(verdict, losses) for position, verdict in verdicts.items()}
    named = {
        position: compare_published_range(verdict, limits.fingerprints, verdicts.values())
        for position, verdict in named.items()
    }
    if expects_rdma and len(limits.hosts) > 1 and not limits.causes:
        named = name_tcp(run, named, profile)
    return {position: add_causes(verdict, limits.causes) for position, verdict in named.items()}


def _report_unjudged_sockets(verdicts: _Verdicts, transport: str) -> _Verdicts:
    """A run over TCP sockets of which nothing is judged does not pass: its largest size is unknown."""
    if any(verdict.judgement is not Judgement.SKIP for verdict in verdicts.values()):
        return verdicts
    bus = [verdict for verdict in verdicts.values() if verdict.measurement.metric is Metric.BUSBW]
    largest = max((verdict.measurement.size_bytes or 0 for verdict in bus), default=0)
    return {
        position: replace(verdict, judgement=Judgement.UNKNOWN, reason=f"{transport}; not judged: {verdict.reason}")
        if verdict in bus and verdict.measurement.size_bytes == largest
        else verdict
        for position, verdict in verdicts.items()
    }


def _warn_of_finding(verdicts: _Verdicts, finding: str) -> _Verdicts:
    """What passes with a slower interface, a smaller path MTU or other cores than planned warns: more may be possible.

    What does not pass has the finding as a further reason, before the causes that are only possible.
    """
    changed = {}
    for position, verdict in verdicts.items():
        if verdict.physical is not None and verdict.judgement is Judgement.PASS:
            changed[position] = replace(verdict, judgement=Judgement.WARN, reason=finding)
        elif verdict.physical is not None and verdict.judgement in _BELOW_LIMIT:
            reason, separator, guesses = verdict.reason.partition(f"; {POSSIBLE_CAUSES}")
            changed[position] = replace(verdict, reason=f"{reason}; the log shows: {finding}{separator}{guesses}")
    return verdicts | changed


def _soften_unverified(verdicts: _Verdicts, plan: Plan, limits: Limits) -> _Verdicts:
    """A failure against a limit whose term has a value with a source that was not read only warns."""
    softened = {}
    for position, verdict in verdicts.items():
        bound = verdict.reachable or verdict.physical
        source = find_unverified_term_source(plan, limits.hosts, bound.bottleneck) if bound is not None else None
        if (
            source is not None
            and verdict.judgement is Judgement.FAIL
            and verdict.measurement.metric is not Metric.WRONG
        ):
            reason = f"{verdict.reason}; a source of the limit was not read: {source}"
            verdict = replace(verdict, judgement=Judgement.WARN, reason=reason)
        softened[position] = verdict
    return softened


def _explain_slow_bridge(verdicts: _Verdicts, run: Run, plan: Plan, limits: Limits, context: RunContext) -> _Verdicts:
    """A failure of NCCL over the IP interface of a PCIe bridge, with the publication that reports the same."""
    failed = [verdict.measurement.metric for verdict in verdicts.values() if verdict.judgement is Judgement.FAIL]
    if len(limits.hosts) < 2 or Metric.BUSBW not in failed:
        return verdicts
    interface = next(iter(find_socket_interfaces(run, plan, context)), None)
    return {
        position: replace(verdict, reason=f"{verdict.reason}; {SLOW_BRIDGE}")
        if verdict.judgement is Judgement.FAIL
        and verdict.reason.startswith("below ")
        and is_known_over_bridge(verdict.measurement, plan, interface, limits.hosts)
        else verdict
        for position, verdict in verdicts.items()
    }


def _judge_run(run: Run, by_position: _Verdicts, extra_notes: Sequence[str], file: str, cluster: str) -> JudgedRun:
    verdicts = tuple(by_position[position] for position in sorted(by_position))
    return JudgedRun(
        file=file,
        tool=run.tool,
        test=run.test,
        title=f"{run.test or run.tool} on {cluster}",
        ranks=run.ranks,
        verdicts=verdicts,
        notes=(*notes(run, verdicts), *extra_notes),
        status=run.status,
        error=run.error,
        failures=run.failures,
        times=tuple(
            measurement
            for measurement in run.measurements
            if measurement.metric is Metric.TIME and measurement.size_bytes and measurement.value > 0
        ),
    )


def _find_limits(run: Run, plan: Plan, profile: Profile, context: RunContext) -> Limits:
    match run.tool:
        case "perftest":
            return rdma_limits(run, plan, profile, context)
        case "nccl-tests" | "rccl-tests":
            return refute_assumed_network(run, collective_limits(run, plan, profile, context), profile)
        case "iperf3" | "iperf2":
            return tcp_limits(run, plan, profile, context)
        case "qperf" if (run.test or "").startswith(("rc_", "uc_", "ud_")):
            return rdma_limits(run, plan, profile, context)
        case "qperf" | "sockperf":
            return tcp_limits(run, plan, profile, context)
        case "scibench2" | "dma_bench":
            return bridge_limits(run, plan, profile, context)
        case "osu-micro-benchmarks":
            return mpi_limits(run, plan, profile, context)
        case "ucx_perftest" | "netpipe" | "mpigraph" | "gpcnet":
            return pair_limits(run, plan, profile, context)
        case "nvbandwidth" | "p2pBandwidthLatencyTest" | "rocm-bandwidth-test" | "bandwidthTest" | "TransferBench":
            return gpu_limits(run, plan, profile, context)
        case tool if tool in APPLICATIONS:
            return UnknownLimits(APPLICATION_TIME, profile)
        case tool:
            has_pairs = any(PAIR_ARROW in (measurement.label or "") for measurement in run.measurements)
            hint = "; `wirespeed bench peers` compares its pairs with each other" if has_pairs else ""
            return UnknownLimits(f"no limits are known for {tool}{hint}", profile)


def _judge_corrupted_data(run: Run) -> _Verdicts:
    """Corrupted data fails at any speed."""
    return {
        position: make_verdict(measurement, Judgement.FAIL, "data corrupted: the tool's validation failed")
        for position, measurement in enumerate(run.measurements)
        if measurement.metric is Metric.WRONG and measurement.value > 0
    }


def _skip_applications(run: Run) -> _Verdicts:
    """The times and rates of an application, for information only."""
    if run.tool not in APPLICATIONS:
        return {}
    return {
        position: make_verdict(measurement, Judgement.SKIP, APPLICATION_TIME)
        for position, measurement in enumerate(run.measurements)
    }


def _judge_bandwidths(run: Run, limits: Limits, profile: Profile) -> _Verdicts:
    rows = {
        position: (measurement, limits.limit(measurement))
        for position, measurement in enumerate(run.measurements)
        if _is_bandwidth(measurement)
    }
    scale = Scale(limits, profile, _find_plateau(rows.values(), limits, profile))
    roundings = compute_roundings({position: measurement for position, (measurement, _) in rows.items()})
    computed = compute_from_times(run, limits.printed_factor) if isinstance(limits, CollectiveLimits) else {}
    verdicts = {
        position: compare_bandwidth(measurement, limit, scale, roundings[position], computed.get(position))
        for position, (measurement, limit) in rows.items()
    }
    verdicts = {position: explain_dip(verdict, verdicts.values(), scale) for position, verdict in verdicts.items()}
    on_curves = {position: verdict for position, verdict in verdicts.items() if rows[position][1].skip_reason is None}
    return doubt_smaller_sizes(verdicts | judge_curves(on_curves, limits.thresholds, profile, computed))


def _judge_latencies(run: Run, limits: Limits) -> _Verdicts:
    """A latency has no upper limit, but it cannot be below the serialization and propagation time."""
    rows = {
        position: measurement
        for position, measurement in enumerate(run.measurements)
        if measurement.metric in LATENCIES and measurement.unit in SECONDS and measurement.value > 0
    }
    if isinstance(limits, UnknownLimits):
        return {
            position: make_verdict(measurement, Judgement.UNKNOWN, limits.reason)
            for position, measurement in rows.items()
        }
    return {
        position: compare_latency(measurement, minimum)
        for position, measurement in rows.items()
        if (minimum := limits.minimum_latency(measurement)) is not None
    }


def _is_bandwidth(measurement: Measurement) -> bool:
    return measurement.metric in BANDWIDTHS and measurement.unit in BITS_PER_SECOND


def _find_plateau(rows: Iterable[tuple[Measurement, Limit]], limits: Limits, profile: Profile) -> float:
    """The smallest size of the plateau: a fraction of the largest size that is bandwidth-bound."""
    sizes = [
        measurement.size_bytes
        for measurement, limit in rows
        if measurement.size_bytes and not limit.skip_reason and limits.bandwidth_bound(measurement, limit) is None
    ]
    return max(sizes, default=0) * profile.plateau.value


def _add_observed_limit(verdict: Verdict, limits: Limits, profile: Profile) -> Verdict:
    if not _is_bandwidth(verdict.measurement):
        return verdict
    return add_observed_limit(verdict, limits.limit(verdict.measurement), profile)


def notes(run: Run, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """How the run ended, what the tool validated, and which sizes are not judged."""
    return (*_notes_on_end(run, verdicts), *_notes_on_sizes(verdicts), *_notes_on_excess(verdicts))


def _notes_on_end(run: Run, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    lines = []
    if run.status is RunStatus.END_UNKNOWN:
        lines.append("the log does not state whether the run had ended: results may be missing")
    if run.status is RunStatus.TRUNCATED:
        lines.append(_describe_truncation(run, verdicts))
    if run.status is RunStatus.FAILED:
        lines += list_notes(run)
    if not verdicts and any(row.metric in LATENCIES for row in run.measurements):
        lines.append(f"nothing of this run is judged: {_NO_LATENCY_LIMIT}; `wirespeed bench parse` shows its values")
    elif not verdicts and run.tool in APPLICATIONS:
        lines.append(f"not judged: {APPLICATION_TIME}")
    elif not verdicts:
        if run.measurements or run.status is not RunStatus.TRUNCATED:
            lines.append("the log contains no bandwidth to judge")
    elif all(verdict.judgement is Judgement.SKIP for verdict in verdicts):
        lines.append("nothing of this run is judged; `wirespeed bench parse` shows its values")
        reasons = Counter(verdict.reason for verdict in verdicts if verdict.physical is None)
        lines += [f"not judged: {reason}" for reason, _ in reasons.most_common(_REASONS)]
        if all(verdict.measurement.metric in LATENCIES for verdict in verdicts):
            lines.append(f"not judged: {_NO_LATENCY_LIMIT}")
    wrong = [measurement for measurement in run.measurements if measurement.metric is Metric.WRONG]
    if wrong and all(measurement.value == 0 for measurement in wrong):
        lines.append("the tool validated its data: no errors")
    return tuple(lines)


def _describe_truncation(run: Run, verdicts: Sequence[Verdict]) -> str:
    """What is judged of a log that ends before its run."""
    if not run.measurements:
        return "the log is truncated: it contains no result to judge"
    if any(verdict.judgement is not Judgement.SKIP for verdict in verdicts):
        return "the log is truncated: only the results that it contains are judged"
    return "the log is truncated: results may be missing"


_NO_LATENCY_LIMIT = "no maximum latency is known for this test; a gate of a profile can set one (`at_most`)"
_REASONS = 2  # why nothing of a run is judged


def _notes_on_sizes(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Sizes that are not judged, by series and reason."""
    by_reason: dict[tuple[str | None, tuple[str, bool]], list[Verdict]] = {}
    for verdict in verdicts:
        judged = verdict.measurement.metric in (Metric.BUSBW, Metric.BW_AVG) and verdict.measurement.size_bytes
        if verdict.judgement is Judgement.SKIP and judged and verdict.physical is not None:
            by_reason.setdefault((verdict.measurement.label, find_common_reason(verdict)), []).append(verdict)
    labels: dict[str, list[str]] = {}
    for (label, (common_reason, is_dip)), skipped in by_reason.items():
        reason = describe_dips(skipped) if is_dip else common_reason
        sizes = [Size(verdict.measurement.size_bytes or 0) for verdict in skipped]
        interval = f"{min(sizes)}" if len(set(sizes)) == 1 else f"{min(sizes)} to {max(sizes)}"
        labels.setdefault(f"{interval} not judged: {reason}", []).append(label or "")
    return tuple(f"{' and '.join(names)}: {text}" if all(names) else text for text, names in labels.items())


def _notes_on_excess(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """A note that a reachable limit may be exceeded, if a judged value exceeds it."""
    judged = (verdict.fraction_of_reachable or 0.0 for verdict in verdicts if verdict.judgement is Judgement.PASS)
    maximum = max(judged, default=0.0)
    if maximum < _EXCEEDED:
        return ()
    highest = max(
        (verdict for verdict in verdicts if verdict.judgement is Judgement.PASS and verdict.reachable is not None),
        key=lambda verdict: verdict.fraction_of_reachable or 0.0,
    )
    return (
        f"the highest value is {format_percent(maximum)} of the reachable limit: {_explain_excess(highest, maximum)}; "
        "the value is below the physical limit and so possible",
    )


def _explain_excess(verdict: Verdict, share: float) -> str:
    """Why a value can exceed its reachable limit."""
    bound = verdict.reachable
    assumptions = bound.assumptions if bound is not None else ()
    transport = next((text for text in assumptions if UNKNOWN_TRANSPORT in text), None)
    if share > REFUTED:
        algorithm = next((f" ({text})" for text in assumptions if "algorithm" in text), "")
        return f"this limit{algorithm} is too low for this log, and values above it pass"
    if transport is not None:
        return f"the traffic may use another transport ({transport})"
    if bound is not None and is_measured(bound.bottleneck):
        return "this limit contains measured figures, so a small excess is normal"
    return "an assumption of this limit does not apply"


_EXCEEDED = 1.0005  # printed as 100.1 %
