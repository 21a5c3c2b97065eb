"""Limits of iperf, and of qperf and sockperf over TCP and UDP: the link times framing, and what cores receive."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.benchmarks.endpoints.nics import (
    DEFAULT_MTU,
    NicPlace,
    find_ends,
    find_socket_limits,
    is_loopback,
    list_nics_of_subnet,
    nic_speed,
    nic_with_address,
)
from wirespeed.benchmarks.judge.limits import REFUTED, Fingerprints, Limit, Limits, RunContext, UnknownLimits
from wirespeed.benchmarks.judge.profile import Profile, Thresholds
from wirespeed.benchmarks.judge.tcp_evidence import (
    find_idle_cores,
    find_round_trip,
    list_busy_cores,
    list_stream_notes,
    list_tcp_causes,
)
from wirespeed.benchmarks.tools.run_totals import find_total_labels
from wirespeed.catalogue.model import SourcedValue
from wirespeed.limits import latency, tcp
from wirespeed.limits.bound import GBPS, convert, in_unit, number, tightest
from wirespeed.limits.end_to_end import Conditions, PathEnd, list_limits_between
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.verdicts import Bound, Term
from wirespeed.units import BITS_PER_SECOND, Bandwidth, Duration


@dataclass(frozen=True, slots=True)
class TcpLimits:
    """The limits of one run."""

    physical: Bound
    reachable: Bound
    judged: frozenset[str | None]  # labels with the bitrate of the whole run
    thresholds: Thresholds
    reasons_above: tuple[str, ...]
    notes: tuple[str, ...]
    hosts: tuple[str, ...]
    link: Bandwidth
    causes: tuple[str, ...] = ()
    highest_latency: Term | None = None
    fingerprints: Fingerprints | None = None
    skip_reason: str | None = None  # why its bandwidth is not judged
    finding: str | None = None  # why a value that passes only warns

    def minimum_latency(self, measurement: Measurement) -> Bound | None:
        """A message at line rate."""
        size = max(measurement.size_bytes or 0, 1)
        return latency.sum_terms([latency.bytes_term(size, self.link.gb_per_s, f"at {self.link}")])

    def limit(self, measurement: Measurement) -> Limit:
        """Both limits; only the bitrate of the whole run is judged, not its streams and intervals."""
        whole = measurement.label in self.judged
        skip_reason = self.skip_reason if whole else "part of the run; the total is judged"
        unit = measurement.unit
        return Limit(in_unit(self.physical, unit), in_unit(self.reachable, unit), skip_reason, bounded=whole)

    def bandwidth_bound(self, measurement: Measurement, limit: Limit) -> str | None:
        """A run of seconds is long."""
        return None


def tcp_limits(run: Run, plan: Plan, profile: Profile, context: RunContext) -> Limits:
    """The limits of a run between two interfaces of the plan.

    Raises:
        Refusal: the user names no NIC of the plan.
    """
    assumptions: list[str] = []
    ends = _find_ends(run, plan, context, assumptions)
    if not ends:
        return UnknownLimits(
            f"the log's addresses are on no NIC of {plan.name}: name both NICs with --from HOST:NIC --to HOST:NIC",
            profile,
        )
    if is_loopback(ends):
        return UnknownLimits(f"both ends are {ends[0]}: a loopback has no cable to judge", profile)
    unknown = [end for end in ends if nic_speed(plan, end) is None]
    if unknown:
        return UnknownLimits(f"the speed of {unknown[0]} is in neither cluster file nor catalogue", profile)
    ipv6 = ":" in (run.parameters.local_address or "")
    limits = [bound for end in ends if (bound := find_socket_limits(plan, end, assumptions, ipv6=ipv6)) is not None]
    slowest = min(limits, key=lambda bound: bound.physical.value)
    speed = min(bound.speed for bound in limits)
    mtus = [end.nic.link.mtu for end in ends if end.nic.link.mtu is not None]
    if mtus:
        assumptions.append(f"MTU {min(mtus)} as planned")
    notes: list[str] = []
    physical_terms, reachable_terms = list(slowest.physical.terms), list(slowest.reachable.terms)
    if "UDP" in (run.test or run.parameters.protocol or "").upper():
        if any("framing" in term.name for term in physical_terms):  # a PCIe bridge sends no frames
            framing = tcp.udp(speed, min(mtus, default=DEFAULT_MTU), run.parameters.message_bytes, ipv6=ipv6)
            slots = [term for term in physical_terms if "slot" in term.name]
            physical_terms = reachable_terms = [framing, *slots]
    else:
        rate = _find_core_rate(plan, ends)
        if rate is None:
            assumptions.append("no CPU limit is included: a single stream is usually limited by one core")
        else:
            line = min(term.value for term in reachable_terms)
            reachable_terms += _check_core_term(run, rate, line, notes, assumptions)
        reachable_terms += _list_host_terms(run, plan, ends, find_round_trip(run) if context.as_observed else None)
        notes += list_stream_notes(run, min(mtus, default=DEFAULT_MTU))
    reachable = tightest(reachable_terms, assumptions)
    is_core = reachable.bottleneck == _CORES
    return TcpLimits(
        physical=tightest(physical_terms, assumptions),
        reachable=reachable,
        causes=list_tcp_causes(run, _count_threads(run), reachable.value),
        judged=find_total_labels(run),
        thresholds=profile.fractions.tcp,
        reasons_above=("client and server on one host", "another interface than the one assumed"),
        notes=tuple(notes),
        hosts=tuple(dict.fromkeys(end.host for end in ends)),
        link=speed,
        skip_reason="sockperf measures messages, by default of 14 bytes" if run.tool == "sockperf" else None,
        finding=find_idle_cores(run, _count_threads(run)) if is_core else None,
    )


_CORES = "TCP cores"


def _list_host_terms(run: Run, plan: Plan, ends: list[NicPlace], round_trip: Duration | None) -> list[Term]:
    """Memory of both hosts, which each byte passes several times, and the window of the streams in one round trip.

    The round trip of a log contains the time in queues that the run itself filled, so it excuses nothing: it is used
    for the cluster as found, which explains a loss, and not for the design.
    """
    if len({end.host for end in ends}) < 2:
        return []
    source, target = (PathEnd(end.host, end.interface) for end in ends[:2])
    limits = list_limits_between(
        plan, source, target, Conditions(streams=run.parameters.streams or 1, round_trip=round_trip)
    )
    terms = [term for limit in limits if limit.method.startswith("TCP") for term in limit.bound.terms]
    return [term for term in terms if "memory" in term.name or "window" in term.name]


def _check_core_term(
    run: Run, rate: SourcedValue[Bandwidth], line: float, notes: list[str], assumptions: list[str]
) -> list[Term]:
    """What the streams' cores receive, unless the run was faster: one core may receive more than published runs show.

    The rate of a faster run is no limit of its cores, also where its log shows them busy: the line is its limit.
    """
    threads = _count_threads(run)
    formula = f"{threads} × {rate.value} a core"
    cores = Term(_CORES, threads * rate.value.gb_per_s, GBPS, formula, rate.source)
    totals = find_total_labels(run)
    rates = [
        convert(float(row.value), row.unit, GBPS)
        for row in run.measurements
        if row.metric is Metric.BITRATE and row.unit in BITS_PER_SECOND and row.label in totals
    ]
    is_busy = bool(list_busy_cores(run, threads))
    if max(rates, default=0.0) > REFUTED * cores.value:
        notes.append(
            f"the cores received {number(max(rates))} Gb/s, more than the {formula} of published runs: "
            "that limit is left out"
        )
        if is_busy:
            notes.append("busy cores limit this run: it shows no more of the network than this rate")
            notes += _advise_more_cores(run, threads)
        return []
    if _may_share_core(run) and 0 < max(rates, default=0.0) <= REFUTED * rate.value.gb_per_s < line:
        notes.append(
            "the log does not contain the release of iperf3, which its option -V prints: before 3.16 all streams share "
            f"one core, which receives about {rate.value} here"
        )
    if cores.value < line:
        assumptions.append(tcp.describe_core_rate(rate.value))
        if not is_busy:
            notes.append(
                f"the log does not prove that cores are the limit: the line carries {number(line)} Gb/s; "
                "use more streams or processes until the rate stays the same"
            )
        notes += _advise_more_cores(run, threads)
    return [cores]


def _advise_more_cores(run: Run, threads: int) -> list[str]:
    """How more cores take part, where a release without a thread for each stream was used."""
    if _has_thread_per_stream(run) or (run.parameters.streams or 1) <= threads:
        return []
    return [
        "iperf3 before 3.16 works all streams on one core: use a later release, or several processes "
        "(`wirespeed bench run tcp --processes 8`)"
    ]


def _find_ends(run: Run, plan: Plan, context: RunContext, assumptions: list[str]) -> list[NicPlace]:
    named = find_ends(plan, context.source, context.target)
    if named:
        return named
    stated = (run.parameters.local_address, run.parameters.remote_address, run.parameters.server_address)
    located = [nic for address in stated if address and (nic := nic_with_address(plan, address)) is not None]
    if located:
        names = " and ".join(dict.fromkeys(str(nic) for nic in located))
        assumptions.append(f"the log contains the addresses of {names}")
        return located
    in_subnet = [list_nics_of_subnet(plan, address) for address in stated if address]
    ends = next((nics[:2] for nics in in_subnet if len({nic.host for nic in nics}) > 1), [])
    if ends:
        names = " and ".join(str(nic) for nic in ends)
        assumptions.append(
            f"no NIC of {plan.name} has the addresses of the log; {names} are used, because they are in the same subnet"
        )
    return ends


def _find_core_rate(plan: Plan, ends: list[NicPlace]) -> SourcedValue[Bandwidth] | None:
    """The rate that a core of the slowest host receives; None if the catalogue does not contain that of all hosts."""
    servers = [plan.hardware.servers.get(plan.hosts[end.host].model or "") for end in ends]
    rates = [server.tcp_core for server in servers if server is not None and server.tcp_core is not None]
    return min(rates, key=lambda rate: rate.value) if rates and len(rates) == len(ends) else None


def _count_threads(run: Run) -> int:
    """Cores that the streams of a run use: before release 3.16 a process of iperf3 has one (its release notes)."""
    return (run.parameters.streams or 1) if _has_thread_per_stream(run) else run.parameters.processes or 1


def _may_share_core(run: Run) -> bool:
    """Whether the streams of iperf3 may have one thread, since its release is unknown."""
    return run.tool == "iperf3" and run.version is None and (run.parameters.streams or 1) > 1


def _has_thread_per_stream(run: Run) -> bool:
    """Whether each stream has a thread; where the version is unknown, it may have."""
    version = re.match(r"(\d+)\.(\d+)(.*)", run.version or "")
    if run.tool != "iperf3" or version is None:
        return True
    return (int(version[1]), int(version[2])) >= (3, 16) or "mt" in version[3]
