"""Limits of point-to-point tests over MPI and UCX: OSU, ucx_perftest, NetPIPE, mpiGraph, and GPCNeT's bandwidths.

Their logs name no NIC, and libraries stripe messages over several. Nothing moves more than all NICs of a host; one NIC
per pair of ranks, in GPCNeT per rank of a host, is what is reached without striping. Two ranks on one host meet in
memory: then the figure is above what the NICs can, and unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wirespeed.benchmarks.endpoints.nics import find_ends, has_rdma, is_loopback
from wirespeed.benchmarks.judge.curves import (
    UNLOADED,
    LatencyFloor,
    assume_floor,
    find_highest_latency,
    limit_floor,
)
from wirespeed.benchmarks.judge.host_network import Network, network
from wirespeed.benchmarks.judge.limits import Alternative, Fingerprints, Limit, Limits, RunContext, UnknownLimits
from wirespeed.benchmarks.judge.profile import Profile, Thresholds, limit_message_rate
from wirespeed.benchmarks.judge.rdma import PIPELINED, SMALL
from wirespeed.benchmarks.logs.numbers import SECONDS
from wirespeed.limits import latency, pcie
from wirespeed.limits.bound import GIGABYTES, convert, in_unit, number, scale_bound, tightest
from wirespeed.limits.gpus import list_slot_rates
from wirespeed.limits.host import MemoryOfHost, find_memory
from wirespeed.limits.impact import nic_function
from wirespeed.limits.nic import build_path, build_slot
from wirespeed.limits.nic_losses import LogFacts, list_degraded_rates
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.verdicts import Bound, Term
from wirespeed.units import BITS_PER_SECOND, Bandwidth

_TINY = 1e-9  # seconds
_IN_GPU = ("device", "cuda", "rocm")
"""Memory of a buffer that is in a GPU; managed memory may be in the host's."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How a test moves its messages: in both directions at once or in turn, and between how many pairs."""

    bidirectional: bool = False
    added: bool = True  # of both directions
    ping_pong: bool = False
    pairs: int = 1
    one_sender: bool = False  # all pairs begin, or end, at one host
    sharing: int = 1  # ranks of a host that share its NICs, where the figure is that of a rank
    skip_reason: str | None = None  # why its bandwidth is not judged
    judged_label: str | None = None  # how the labels begin that are judged all the same


@dataclass(frozen=True, slots=True)
class PairLimits:
    """The limits of one run."""

    kind: Kind
    physical: Bound  # Gb/s
    reachable: Bound
    rate: float  # messages per second of all pairs
    rate_from: str
    floor: LatencyFloor  # of the shortest message
    thresholds: Thresholds
    hosts: tuple[str, ...]
    link: Bandwidth
    memory: tuple[MemoryOfHost, ...]  # of a sending host, where buffers are in it
    hosts_at_once: float  # factor of the limit of memory: hosts that send, divided by ranks that share each
    one_message: bool  # whether its latencies are those of one message
    highest_latency: Term | None  # of one message
    fingerprints: Fingerprints | None
    reasons_above: tuple[str, ...]
    of_two_hosts: PairLimits | None = None  # the limits if the ranks are on two hosts; None if their number is known
    notes: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()

    def minimum_latency(self, measurement: Measurement) -> Bound | None:
        """A message over all NICs of a host at once."""
        if not self.one_message:
            return None
        rate = convert(self.physical.value, self.physical.unit, "Gb/s")
        size = max(measurement.size_bytes or 0, 1)
        return latency.sum_terms([latency.bytes_term(size, rate, "over all NICs of a host")])

    def limit(self, measurement: Measurement) -> Limit:
        """Both limits, whatever the message size."""
        part = _is_part(measurement)
        is_judged = self.kind.judged_label is not None and (measurement.label or "").startswith(self.kind.judged_label)
        skip_reason = "part of the run; the total is judged" if part else None if is_judged else self.kind.skip_reason
        if measurement.metric is Metric.BW_MAX:
            skip_reason = "the best of many; the average is judged"
        physical, reachable = self._add_memory(measurement.size_bytes)
        unit = measurement.unit
        reachable = in_unit(reachable, unit)
        return Limit(
            in_unit(physical, unit),
            reachable,
            skip_reason,
            bounded=not part,
            alternatives=self._limit_two_hosts(measurement),
        )

    def _limit_two_hosts(self, measurement: Measurement) -> tuple[Alternative, ...]:
        """The limit if the ranks are on two hosts, where the log does not state how many there are."""
        bound = self.of_two_hosts.limit(measurement).reachable if self.of_two_hosts else None
        if bound is None:
            return ()
        action = "the log names no hosts; give their number with --nodes"
        return (Alternative(bound, "the ranks are on two hosts", action),)

    def _add_memory(self, size: int | None) -> tuple[Bound, Bound]:
        """Both limits, with host memory as a term where the buffer is larger than caches."""
        terms = [term for path in self.memory if (term := path.build_term(size)) is not None]
        if not terms:
            return self.physical, self.reachable
        maximum = max(terms, key=lambda term: term.value)  # whichever host it was: none has more
        value = maximum.value * self.hosts_at_once
        term = replace(maximum, value=value, formula=f"{number(self.hosts_at_once)} × ({maximum.formula})")
        return (
            tightest([*self.physical.terms, term], self.physical.assumptions),
            tightest([*self.reachable.terms, term], self.reachable.assumptions),
        )

    def bandwidth_bound(self, measurement: Measurement, limit: Limit) -> str | None:
        """Small messages are limited by the library's work per message, or by latency where each waits for a reply."""
        size = measurement.size_bytes
        if size is None or limit.reachable is None:
            return None
        bytes_per_second = convert(limit.reachable.value, measurement.unit, "b/s") / 8
        if self.kind.ping_pong:
            passes = self.thresholds.passes.value
            if size / bytes_per_second >= self.floor.seconds * passes / (1 - passes):
                return None
            return f"small messages are limited by latency ({self.floor.description})"
        if size * self.rate >= PIPELINED * bytes_per_second:
            return None
        rate = f"{number(self.rate / 1e6)} million messages/s"
        return f"small messages are limited by the message rate ({self.rate_from}: {rate})"


def pair_limits(run: Run, plan: Plan, profile: Profile, context: RunContext) -> Limits:
    """The limits of a point-to-point run between hosts of the plan.

    Raises:
        Refusal: the user names no NIC of the plan.
    """
    kind = _find_kind(run)
    if kind is None:
        return UnknownLimits(f"no limits are known for {run.test or 'a test that the log does not name'}", profile)
    if len(plan.hosts) < 2:
        return UnknownLimits(f"{plan.name} has no two hosts to send between", profile)
    on_host = not uses_gpu_memory(run)
    nics = find_ends(plan, context.source, context.target)
    if is_loopback(nics):
        return UnknownLimits(f"both ends are {nics[0]}: a loopback has no cable to judge", profile)
    if run.parameters.nodes == 1:
        return UnknownLimits("all ranks are on one host: no data cross its NICs", profile)
    if run.parameters.nodes is None and len({nic.host for nic in nics}) == len(nics) == 2:
        run = replace(run, parameters=replace(run.parameters, nodes=2))  # the user names both hosts
    nodes = run.parameters.nodes
    if nodes is not None and not _count_pairs_by_sender(kind, nodes, is_cyclic=_is_cyclic(run)):
        return UnknownLimits(
            f"by its command, ranks i and i + {kind.pairs} of a pair are on the same of {nodes} hosts: no data cross "
            "its NICs; fill one host after the other",
            profile,
        )
    ends = [nic.host for nic in nics] or _list_logged_hosts(run, plan)
    among = dict.fromkeys(ends) or plan.hosts
    networks = [network(plan, name, bidirectional=kind.bidirectional, on_host=on_host) for name in among]
    networks_with_speed = [network for network in networks if network is not None]
    if len(networks_with_speed) < len(networks):
        return UnknownLimits("the speed of a host's NICs is in neither cluster file nor catalogue", profile)
    memory = [find_memory(plan, name) for name in among] if on_host else []
    counted = tuple(path for path in memory if path is not None) if None not in memory else ()
    return _build_limits(run, plan, profile, kind, networks_with_speed, bool(ends), counted)


UNKNOWN_TRANSPORT = "the log does not name the transport"


def _list_logged_hosts(run: Run, plan: Plan) -> list[str]:
    """The hosts that the command line of a log names, where all of them are hosts of the plan."""
    names = [name.partition(".")[0] for name in (run.parameters.host_names or "").split(",") if name]
    return names if all(name in plan.hosts for name in names) else []


def _build_limits(
    run: Run,
    plan: Plan,
    profile: Profile,
    kind: Kind,
    networks: Sequence[Network],
    named: bool,
    memory: tuple[MemoryOfHost, ...],
) -> PairLimits:
    is_known = run.parameters.nodes is not None or len(plan.hosts) == 2
    hosts = run.parameters.nodes or len(plan.hosts)
    is_cyclic = _is_cyclic(run)
    by_sender = _count_pairs_by_sender(kind, hosts, is_cyclic=is_cyclic)
    senders = len(by_sender)
    most_senders = max(senders, len(_count_pairs_by_sender(kind, hosts, is_cyclic=True)))  # however ranks are placed
    fastest = (
        max(networks, key=lambda network: network.total.value)
        if not named
        else min(networks, key=lambda network: network.total.value)
    )
    used = sum(min(max(pairs, kind.sharing), min(len(network.nics) for network in networks)) for pairs in by_sender)
    rails = -(-used // senders)
    slowest = min(networks, key=lambda network: network.shares[rails - 1].value)
    is_bounded_by_tcp = "TCP" in fastest.total.formula
    computed = (
        "the physical limit is that of TCP, the reachable limit" if is_bounded_by_tcp else "both limits are those"
    )
    assumptions = [*fastest.assumptions, f"{UNKNOWN_TRANSPORT}: {computed} of RoCEv2"]
    if not named:
        assumptions.append(f"the ranks are on different hosts of {plan.name}: the log names none")
    if senders > 1:
        stated = "" if is_known else f", all hosts of {plan.name}: give their number with --nodes"
        order = "" if is_cyclic else "; ranks fill one host after the other"
        assumptions.append(f"{kind.pairs} pairs, from {senders} of {hosts} hosts{stated}{order}")
    directions = 2 if kind.bidirectional and kind.added else 1
    at_most = tightest([fastest.total], assumptions)
    term = _build_share_term(slowest, rails, None if named else networks)
    term = replace(term, name=_name_nics_in_use(slowest.message_term.name, used, senders))
    in_use = tightest([term], [*assumptions, _describe_nics_in_use(kind, rails, fastest)])
    rate, rate_from = _message_rate(run, profile)
    peak_factor, usual_factor = directions * most_senders / kind.sharing, directions * used / kind.sharing
    peak_reason = _format_factor(directions, most_senders, "sending hosts", kind.sharing)
    physical = scale_bound(at_most, peak_factor, peak_reason) if peak_factor != 1 else at_most
    slots = _build_slot_term(run, plan, kind, networks)
    if slots is not None:
        physical = tightest([*physical.terms, slots], physical.assumptions)
    usual_reason = _format_factor(directions, used, "NICs in use", kind.sharing)
    by_nic = scale_bound(in_use, usual_factor, usual_reason) if usual_factor != 1 else in_use
    two_hosts = replace(run, parameters=replace(run.parameters, nodes=2))
    is_assumed = not is_known and senders > 1
    is_gpcnet_over_rdma = run.tool == "gpcnet" and any(has_rdma(plan, network.host) for network in networks)
    return PairLimits(
        kind=kind,
        physical=physical,
        reachable=tightest([*by_nic.terms, *physical.terms], by_nic.assumptions),
        rate=rate,
        rate_from=rate_from,
        floor=_find_latency_floor(run, profile),
        thresholds=(profile.fractions.random_ring if run.tool == "gpcnet" else None) or profile.fractions.rdma,
        hosts=tuple(network.host for network in networks),
        link=slowest.link,
        memory=memory,
        hosts_at_once=_count_memories(kind, hosts)
        / kind.sharing
        / (1 if directions == 2 or not kind.bidirectional else 2),
        one_message=kind.ping_pong or run.tool == "gpcnet",
        highest_latency=find_highest_latency(profile) if kind.ping_pong or is_gpcnet_over_rdma else None,
        fingerprints=_list_fingerprints(
            plan, slowest, replace(term, value=slowest.message_term.value * usual_factor), kind, rails
        ),
        reasons_above=_list_reasons_above(plan, fastest),
        of_two_hosts=_build_limits(two_hosts, plan, profile, kind, networks, named, memory) if is_assumed else None,
    )


def _build_share_term(slowest: Network, rails: int, networks: Sequence[Network] | None) -> Term:
    """The rate of the slowest NIC of the slowest host while a number of its NICs are in use.

    ``networks``: the hosts of which any may be in use; None if the hosts in use are known.
    """
    share, term = slowest.shares[rails - 1], slowest.message_term
    formula = term.formula
    if share.link is not None:
        formula = f"{number(share.value)} Gb/s, the share of each of {share.nics} NICs in {share.link}"
    if networks is not None and any(network.shares[rails - 1].value > share.value for network in networks):
        formula += f", on {slowest.host}, the slowest of {len(networks)} hosts"
    elif share.link is not None:
        formula += f" of {slowest.host}"
    source = term.source if share.link is None else pcie.SOURCE
    return replace(term, value=share.value, formula=formula, source=source)


def _build_slot_term(run: Run, plan: Plan, kind: Kind, networks: Sequence[Network]) -> Term | None:
    """What the slots of the GPUs of all pairs carry; None if no buffer is surely in a GPU, or a slot is unknown."""
    buffers = (run.parameters.send_memory, run.parameters.receive_memory)
    if not any(memory is not None and memory.lower() in _IN_GPU for memory in buffers):
        return None
    rates = [list_slot_rates(plan, network.host, bidirectional=kind.bidirectional) for network in networks]
    if kind.sharing > 1 or not all(rates):
        return None
    fastest = convert(max(rate[0] for rate in rates), GIGABYTES, "Gb/s")
    directions = 2 if kind.bidirectional and kind.added else 1
    formula = f"{number(kind.pairs * directions)} × {number(fastest)} Gb/s of a GPU's slot in one direction"
    return Term("PCIe slots of the GPUs", kind.pairs * directions * fastest, "Gb/s", formula, pcie.SOURCE)


def _name_nics_in_use(single: str, used: int, senders: int) -> str:
    """The name of a term of several NICs: ``8 NICs of one host``, ``16 NICs of 2 hosts``."""
    if used == 1:
        return single
    return f"{used} NICs of {'one host' if senders == 1 else f'{senders} hosts'}"


def _list_reasons_above(plan: Plan, network: Network) -> tuple[str, ...]:
    """Why a run is faster than its hosts' NICs: it did not leave a host, or the cards have ports without a plan."""
    reasons = ["both ranks on one host, so that nothing crossed the wire"]
    host = plan.hosts[network.host]
    for place in network.nics:
        model = plan.hardware.nics.get(place.nic.model or "")
        planned = sum(nic.model == place.nic.model for nic in host.nics.values())
        if model is not None and model.ports is not None and planned % model.ports.value:
            return (*reasons, f"the second port of the NICs in use, which {plan.name} does not plan")
    return tuple(reasons)


def _list_fingerprints(plan: Plan, network: Network, by_nic: Term, kind: Kind, rails: int) -> Fingerprints | None:
    """Losses of the slowest NIC, as fractions of its term; ``rails``: NICs of a host in use."""
    place = network.nics[0]
    function = nic_function(plan, place.host, place.nic)
    path = build_path(place.nic, [], speed=network.link)
    if path is None:
        return None
    slot = build_slot(function, [])
    cards = [(used.nic.pcie or f"{used.interface}.").rpartition(".")[0] for used in network.nics[:rails]]
    rates = list_degraded_rates(
        path, slot, LogFacts(), bidirectional=kind.bidirectional, nics=rails, slot_ports=cards.count(cards[0])
    )
    return Fingerprints(by_nic, rates)


def _format_factor(directions: int, count: int, counted: str, ranks_of_host: int) -> str:
    """``2 directions × 8 NICs in use / 4 ranks of a host``."""
    factors = [f"{directions} directions"] if directions > 1 else []
    factors += [f"{count} {counted}"] if count > 1 else []
    divisor = f" / {ranks_of_host} ranks of a host" if ranks_of_host > 1 else ""
    return f"{' × '.join(factors) or '1'}{divisor}"


def _describe_nics_in_use(kind: Kind, rails: int, network: Network) -> str:
    if len(network.nics) == 1:
        return "each host has one NIC in use"
    if kind.sharing > 1:
        return f"the {kind.sharing} ranks of a host use {rails} of its {len(network.nics)} NICs"
    return f"each pair of ranks uses one of {len(network.nics)} NICs; a library that uses several NICs reaches more"


def _count_pairs_by_sender(kind: Kind, hosts: int, *, is_cyclic: bool) -> list[int]:
    """The number of pairs that each sending host has, without pairs within a host.

    Of 2p ranks, rank i below p sends to rank i + p (osu_mbw_mr.c of OSU 4.4 to 7.4, calc_bw). Where ranks fill one host
    after the other, the first half of the hosts sends. Where each host gets one rank in turn (``is_cyclic``), all hosts
    send, or every pair is within a host: there p is a multiple of the hosts.
    """
    if kind.one_sender:
        return [kind.pairs]
    ranks = 2 * kind.pairs
    hosts = min(hosts, ranks)

    def find_host(rank: int) -> int:
        return rank % hosts if is_cyclic else rank * hosts // ranks

    senders = (find_host(rank) for rank in range(kind.pairs) if find_host(rank) != find_host(rank + kind.pairs))
    return list(Counter(senders).values())


def _count_memories(kind: Kind, hosts: int) -> float:
    """The hosts whose memory is read from: what a host receives, its memory does not send at the same time."""
    return 1 if kind.one_sender else max(1, min(kind.pairs, hosts / 2))


_CYCLIC = re.compile(r"--?(?:map-by node|bynode|rank-by node|distribution[= ]cyclic|m cyclic)(?!\w)")


def _is_cyclic(run: Run) -> bool:
    """Whether the command of a run places one rank on each host in turn (mpirun(1), srun(1) --distribution)."""
    return run.parameters.command is not None and _CYCLIC.search(run.parameters.command) is not None


def _find_kind(run: Run) -> Kind | None:
    match run.tool:
        case "osu-micro-benchmarks":
            return _find_osu_kind(run)
        case "ucx_perftest":
            return _find_ucx_kind(run)
        case "netpipe":
            if run.parameters.bidirectional:
                return Kind(bidirectional=True)
            return Kind(ping_pong=not run.parameters.one_way_stream)
        case "mpigraph":
            return Kind(bidirectional=True, added=False)
        case "gpcnet":
            return _find_gpcnet_kind(run)
        case _:
            return None


_LATENCY = frozenset(
    {
        *("latency", "latency_mt", "latency_mp", "multi_lat", "partitioned_latency", "put_latency", "get_latency"),
        *("acc_latency", "get_acc_latency", "fop_latency", "cas_latency"),
    }
)


def _find_osu_kind(run: Run) -> Kind | None:
    name = (run.test or "").removeprefix("osu_").removeprefix("nccl_").removeprefix("xccl_")
    if name in ("bw", "put_bw", "get_bw"):
        return Kind()
    if name in ("bibw", "put_bibw"):
        return Kind(bidirectional=True)
    if name == "mbw_mr":
        return Kind(pairs=run.parameters.pairs or (run.ranks or 2) // 2)
    if name in ("bw_fan_in", "bw_fan_out"):
        # Every rank of one host with one of each other host, added (osu_bw_fan_in.c, osu_bw_fan_out.c)
        nodes = run.parameters.nodes
        return Kind(pairs=run.ranks // nodes if run.ranks and nodes else 1, one_sender=True)
    if name in _LATENCY:
        return Kind(ping_pong=True)
    return None


def _find_ucx_kind(run: Run) -> Kind:
    if run.test is None:
        return Kind(skip_reason="the log does not name its test; the bandwidth of a ping-pong is not judged")
    return Kind(ping_pong=run.test.endswith("_lat"))


def _find_gpcnet_kind(run: Run) -> Kind:
    ranks, nodes = run.ranks, run.parameters.nodes
    skip_reason = "traffic of other tests slows it on purpose: compared over time, not with a limit"
    if not ranks or not nodes:
        return Kind(
            bidirectional=True,
            added=False,
            skip_reason="the number of ranks of a node is not known, give --ranks and --nodes",
        )
    return Kind(
        bidirectional=True,
        added=False,
        sharing=max(1, ranks // nodes),
        skip_reason=skip_reason,
        judged_label=UNLOADED,
    )


def uses_gpu_memory(run: Run) -> bool:
    """Whether a buffer is in GPU memory, as far as the log states it."""
    sides = (run.parameters.send_memory, run.parameters.receive_memory)
    return any((side or "host").lower() not in ("host", "h") for side in sides)


def _message_rate(run: Run, profile: Profile) -> tuple[float, str]:
    """Messages per second of all pairs, and the source of the number: a table without small sizes does not show it."""
    rates = {
        measurement.size_bytes: float(measurement.value)
        * BITS_PER_SECOND[measurement.unit]
        / 8
        / measurement.size_bytes
        for measurement in run.measurements
        if measurement.metric is Metric.BW_AVG
        and measurement.size_bytes
        and measurement.unit in BITS_PER_SECOND
        and not _is_part(measurement)
    }
    if min(rates, default=SMALL + 1) <= SMALL:
        return limit_message_rate(max(rates.values()), profile)
    return profile.floors.message_rate.value, "assumed by the profile"


def _is_part(measurement: Measurement) -> bool:
    return any(word in (measurement.label or "") for word in ("interval", "thread"))


def _find_latency_floor(run: Run, profile: Profile) -> LatencyFloor:
    times = [
        float(measurement.value) * SECONDS[measurement.unit]
        for measurement in run.measurements
        if measurement.metric in (Metric.LATENCY_AVG, Metric.LATENCY_P50) and measurement.unit in SECONDS
    ]
    lowest = min((time for time in times if time > _TINY), default=None)
    if lowest is None:
        return assume_floor(profile)
    return limit_floor(lowest, find_highest_latency(profile))
