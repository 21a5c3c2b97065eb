"""Limits of nccl-tests and rccl-tests: cut bounds of the collective, and what its algorithm reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from wirespeed.benchmarks.endpoints.nics import (
    NicPlace,
    find_ends,
    find_planned_host,
    find_socket_limits,
    has_rdma,
    list_hosts_of_ranks,
    list_used_nics,
)
from wirespeed.benchmarks.judge.borrowed_gpus import NAMED_BY_COPIES, assume_borrowed
from wirespeed.benchmarks.judge.collective_names import (
    describe_unnamed_collective,
    find_collective,
    find_named_collective,
    foreign_gpus,
)
from wirespeed.benchmarks.judge.curves import LatencyFloor, find_highest_latency, find_latency_floor
from wirespeed.benchmarks.judge.limits import (
    REFUTED,
    Alternative,
    Fingerprints,
    Limit,
    Limits,
    RunContext,
    UnknownLimits,
)
from wirespeed.benchmarks.judge.nccl_evidence import (
    SOCKET_INTERFACE,
    Evidence,
    Proof,
    derive_proof,
    is_selected,
)
from wirespeed.benchmarks.judge.profile import Profile, PublishedRange, Thresholds
from wirespeed.benchmarks.judge.verdict import is_above
from wirespeed.errors import format_first
from wirespeed.limits import algorithms, cuts, fabric, framing, tcp
from wirespeed.limits.algorithms import Algorithm
from wirespeed.limits.bound import GBPS, GIGABYTES, convert, in_unit, number, scale_bound, tightest
from wirespeed.limits.collective_latency import estimate_latency
from wirespeed.limits.device_lending import BRIDGE_TERM, count_borrowed, group_by_bridge, list_lent_slots
from wirespeed.limits.gpus import find_gpu_links, find_pcie_links, list_slot_rates
from wirespeed.limits.group import Collective, Group, Links, Member, bus_factor, convert_printed_factor
from wirespeed.limits.host import share_links
from wirespeed.limits.impact import USUAL_MTU, is_bridge, nic_function
from wirespeed.limits.nic import build_path, build_slot, catalogue_speed, nic_goodput_two_way
from wirespeed.limits.nic_losses import LogFacts, list_degraded_rates
from wirespeed.limits.peer_access import PEER_TO_PEER, StagedPair, find_staged_pair
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.verdicts import Bound, Term
from wirespeed.settings import Host
from wirespeed.units import BITS_PER_SECOND, Bandwidth, Size, format_percent

_NAMED = 8  # hosts named one by one
_STAGED = 0.5
"""Share of the PCIe limit if data crosses system memory: a broadcast with a borrowed GPU reaches "around half" of
one within a server, and copies in both directions with P2P=Disabled 7.56 of 14.55 GB/s (Johansen, Fast Multi-GPU
communication over PCI Express, sections 4.3.4 and A.3.9)."""

_NO_PATH = "the log does not show the path between the GPUs; repeat the test with NCCL_DEBUG=INFO"


@dataclass(frozen=True, slots=True)
class Choice:
    """The algorithm of a run, with a note if the usual one is refuted, and the ``refuted`` one."""

    algorithm: Algorithm
    notes: tuple[str, ...] = ()
    refuted: Algorithm | None = None


@dataclass(frozen=True, slots=True)
class Borrower:
    """A host on which a borrowed GPU may take part in a run.

    ``shows_staging``: the debug lines show paths through host memory. ``is_certain``: and a GPU of the run is borrowed,
    by its address or because the host has fewer own ones, so the limit is that of copies through system memory.
    ``bridge_share`` is the share of the limit of local GPUs that the bridge allows, where no GPU is known as borrowed.
    ``unlisted`` are the PCIe addresses of the log that the given bundle lacks.
    """

    host: str
    shows_staging: bool
    is_certain: bool
    bridge_share: float = 1.0
    unlisted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CollectiveLimits:
    """The limits of one run of a collective."""

    collective: Collective
    ranks: int
    physical: Bound | None
    by_algorithm: Mapping[Algorithm, Bound | None]
    usual: Algorithm
    refuted: Algorithm | None
    proof: Proof
    floor: LatencyFloor
    highest_latency: Term | None
    fingerprints: Fingerprints | None
    thresholds: Thresholds
    reasons_above: tuple[str, ...]
    notes: tuple[str, ...]
    hosts: tuple[str, ...]
    link: Bandwidth | None
    borrower: Borrower | None = None
    staged_pair: StagedPair | None = None  # GPUs of a run on one host, unless the log shows peer access
    shows_staging: bool = False  # the debug lines show paths through host memory
    assumed_network: str | None = None  # between the hosts, where the log does not name it
    slower: tuple[Alternative, ...] = ()  # limits with slower GPUs or hosts, which the log does not exclude

    @property
    def printed_factor(self) -> float:
        """Bus bandwidth / algorithm bandwidth as the tool prints both."""
        return convert_printed_factor(self.collective, self.ranks)

    @property
    def causes(self) -> tuple[str, ...]:
        """Causes of a loss that the debug lines prove."""
        return self.proof.causes

    def minimum_latency(self, measurement: Measurement) -> Bound | None:
        """None: the time of a collective is limited through its bandwidth."""
        return None

    def limit(self, measurement: Measurement) -> Limit:
        """Both limits in bus bandwidth, or in algorithm bandwidth for that metric."""
        if measurement.metric is Metric.AVG_BUSBW:
            return Limit(skip_reason="average over all sizes, small ones included")
        if self.physical is None:
            return Limit(unknown="neither GPU links nor NICs of these hosts are known")
        physical = self.physical
        borrower = self.borrower
        proven = self.proof.algorithm(measurement.size_bytes)
        reachable = self.by_algorithm[proven or self.usual]
        if proven is not None and reachable is not None:  # the log states its algorithm: nothing is assumed
            assumption = algorithms.describe_algorithm(proven, self.collective)
            remaining = tuple(text for text in reachable.assumptions if text != assumption)
            reachable = replace(reachable, assumptions=remaining)
        if borrower is not None and borrower.is_certain and reachable is not None:
            reason = f"the log shows copies through system memory (SHM) to GPUs that {borrower.host} borrows"
            reachable = scale_bound(reachable, _STAGED, reason)
        elif self._is_staged and reachable is not None:
            reachable = scale_bound(reachable, _STAGED, f"copies through host memory (SHM): {self.staged_pair}")
        skip_reason = None
        slower = self.slower
        if measurement.metric is Metric.ALGBW:
            factor = self.printed_factor
            scale_reason = f"1/{number(factor)}, bus to algorithm bandwidth"
            physical = scale_bound(physical, 1 / factor, scale_reason)
            reachable = scale_bound(reachable, 1 / factor, scale_reason) if reachable else None
            slower = tuple(
                replace(alternative, reachable=scale_bound(alternative.reachable, 1 / factor, scale_reason))
                for alternative in slower
            )
            skip_reason = "same transfer as the bus bandwidth, judged there"
        unit = measurement.unit
        bound = in_unit(reachable, unit) if reachable else None
        refuted = self.by_algorithm[self.refuted] if self.refuted is not None else None
        staged = (self._limit_staged(bound), self._limit_staged_pair(bound))
        alternatives = [alternative for alternative in staged if alternative is not None]
        for alternative in slower:
            lower = in_unit(alternative.reachable, unit)
            if bound is not None and lower.value < bound.value and measurement.value <= REFUTED * lower.value:
                alternatives.append(replace(alternative, reachable=lower))
        return Limit(
            in_unit(physical, unit),
            bound,
            skip_reason,
            alternatives=tuple(alternatives),
            refuted=in_unit(refuted, unit) if refuted else None,
        )

    @property
    def _is_staged(self) -> bool:
        """Whether the log shows the path that NCCL takes by default between sockets.

        Within a socket the variables of NCCL can avoid it: there the limit stays that of peer access.
        """
        return self.staged_pair is not None and self.staged_pair.is_between_sockets and self.shows_staging

    def _limit_staged_pair(self, reachable: Bound | None) -> Alternative | None:
        """The limit if NCCL takes its default path between GPUs that are far from each other."""
        if self.staged_pair is None or self.shows_staging or reachable is None:
            return None
        return Alternative(
            scale_bound(reachable, _STAGED, "copies through host memory"), str(self.staged_pair), _NO_PATH
        )

    def _limit_staged(self, reachable: Bound | None) -> Alternative | None:
        """The limit if one of the GPUs is borrowed and reached through system memory."""
        if self.borrower is None or self.borrower.is_certain or self._is_staged or reachable is None:
            return None
        condition = f"{self.borrower.host} uses a borrowed GPU without peer access"
        action = _NO_PATH
        if self.borrower.shows_staging:
            action = (
                "the log shows a path through host memory (SHM), but not whether a GPU of the run is borrowed; give a "
                f"bundle of {self.borrower.host} with --bundle: it contains the PCIe addresses of its local GPUs"
            )
        if self.borrower.shows_staging and self.borrower.unlisted:
            action = (
                "the log shows a path through host memory (SHM), but the bundle has no GPU of "
                f"{self.borrower.host} at {format_first(self.borrower.unlisted, _NAMED_ADDRESSES)}: collect it again, "
                "while the GPUs are borrowed as in the run"
            )
        share = _STAGED * self.borrower.bridge_share
        return Alternative(scale_bound(reachable, share, "copies through system memory"), condition, action)

    def bandwidth_bound(self, measurement: Measurement, limit: Limit) -> str | None:
        """A transfer is judged if 1/(1 + f/t), with its ideal time t and the latency floor f, would pass."""
        bound = limit.reachable or limit.physical
        if measurement.size_bytes is None or bound is None:
            return None
        passes = self.thresholds.passes.value
        rate = convert(bound.value, measurement.unit, "b/s") / 8
        if measurement.metric is not Metric.ALGBW or self.collective is Collective.HYPERCUBE:
            rate /= bus_factor(self.collective, self.ranks)
        ideal = measurement.size_bytes / rate
        if ideal >= self.floor.seconds * passes / (1 - passes):
            return None
        return f"small sizes are limited by latency ({self.floor.description})"


def collective_limits(run: Run, plan: Plan, profile: Profile, context: RunContext) -> Limits:
    """The limits of a run of nccl-tests or rccl-tests on hosts of the plan.

    Raises:
        Refusal: the user names no collective.
    """
    assumptions: list[str] = []
    mismatch = foreign_gpus(run, plan)
    if mismatch is not None:
        return UnknownLimits(
            f"{mismatch}: give the cluster file of the measured hosts; docs/guides/cluster-file.md describes it",
            profile,
        )
    collective = find_named_collective(context.collective) if context.collective else find_collective(run, assumptions)
    if collective is None:
        return UnknownLimits(describe_unnamed_collective(run), profile)
    if not run.ranks:
        return UnknownLimits("the log does not contain the number of ranks: give it with --ranks", profile)
    if run.ranks == 1:
        return UnknownLimits("one rank moves nothing between GPUs", profile)
    if run.parameters.is_inferred("ranks") and not context.ranks:
        assumptions.append(f"{run.ranks} ranks: not in the log; the bus factor of {collective.value} fits no other")
    if not plan.hosts:
        return UnknownLimits(f"{plan.name} has no hosts", profile)
    if context.interface is None:
        interfaces = find_socket_interfaces(run, plan, context)
        if len(interfaces) > 1:
            return _select_interface(run, plan, profile, context, interfaces)
        context = replace(context, interface=next(iter(interfaces), None))
    group = build_group(run, run.ranks, plan, assumptions, context)
    group = _include_slots_of_lenders(run, plan, group, assumptions, context)
    if group.across_hosts and context.interface is not None:
        network = _describe_network_without_limits(context.evidence)
        if network is not None:
            return UnknownLimits(network, profile)
    proof = derive_proof(run, context.evidence, plan, context.algorithm)
    bridge = group_by_bridge(plan, group, _list_owners(run, group, context))
    above = (
        *_list_groups_by_switch_tier(plan, group),
        *([(BRIDGE_TERM, bridge)] if bridge is not None else []),
    )
    group, notes_on_settings = exclude_switch_reduction(collective, group, proof, above)
    switches_sum = proof.summing or context.algorithm is Algorithm.COLLNET
    terms = [
        term
        for term in (
            cuts.network_cut(collective, group, switches_sum=switches_sum),
            cuts.gpu_cut(collective, group),
            *(
                cuts.network_cut(
                    collective, merged, name=name, label="they" if group.across_hosts else "the slots of the bridge"
                )
                for name, merged in above
            ),
        )
        if term
    ]
    nics_only = _describe_nics_only(context)
    if nics_only is not None:
        assumptions.append(nics_only)
    elif group.across_hosts:
        links = "over PCIe" if group.uses_pcie else "over GPU links only (xGMI or NVLink), not over PCIe"
        assumptions.append(f"GPUs of one host communicate {links}")
    if collective in (Collective.ALL_REDUCE, Collective.REDUCE):
        assumptions.append(
            _describe_sums(group, context.algorithm if context.algorithm not in proof.excluded else None)
        )
    stated = context.algorithm if context.algorithm not in proof.excluded else None
    usual = algorithms.select_algorithm(collective, proof.forced or stated, group)
    reachable = {
        algorithm: algorithms.reachable(collective, group, algorithm, above)
        for algorithm in (usual, *algorithms.list_possible_algorithms(collective, group, switches_sum=switches_sum))
    }
    choice = choose_algorithm(run, usual, reachable) if not (proof.algorithms or proof.forced) else Choice(usual)
    staged_pair = _find_staged_pair(run, plan, group, context)
    shows_staging = _shows_path(context.evidence, "SHM")
    if staged_pair is not None and not shows_staging:
        assumptions.append(f"GPUs of {staged_pair.host} communicate {PEER_TO_PEER}: the log does not show their path")
    highest_latency = find_highest_latency(profile, estimate_latency(collective, group))
    fractions = profile.fractions
    return CollectiveLimits(
        collective=collective,
        ranks=run.ranks,
        physical=tightest(terms, assumptions) if terms else None,
        by_algorithm=reachable
        | {
            algorithm: algorithms.reachable(
                collective, group, algorithms.select_algorithm(collective, algorithm, group), above
            )
            for algorithm in (*proof.algorithms.values(), *([proof.forced] if proof.forced else []))
        },
        usual=choice.algorithm,
        refuted=choice.refuted,
        proof=proof,
        floor=find_latency_floor(run, highest_latency, profile),
        highest_latency=highest_latency if context.interface is None and nics_only is None else None,
        fingerprints=_list_fingerprints(
            run,
            plan,
            group,
            reachable[choice.algorithm],
            context,
            proof,
            _find_published_range(choice, group, profile),
        )
        if context.interface is None
        else None,
        thresholds=fractions.collective_hosts
        if group.across_hosts
        else (fractions.gpu_peers or fractions.collective_one_host)
        if group.uses_pcie
        else fractions.collective_one_host,
        reasons_above=tuple(
            _list_reasons_above(collective, group, bool(list_rank_hosts(run, run.ranks, context)), context.evidence)
        ),
        notes=(
            *proof.notes,
            *notes_on_settings,
            *choice.notes,
            *(_describe_interface(context) if group.across_hosts else ()),
            *([str(staged_pair)] if staged_pair is not None and shows_staging else ()),
        ),
        hosts=tuple(dict.fromkeys(member.name for member in group.members)),
        link=None,
        borrower=_limit_borrower(
            _find_borrower(run, plan, group, context), plan, collective, group, reachable[choice.algorithm]
        ),
        staged_pair=staged_pair,
        shows_staging=shows_staging,
        assumed_network=_describe_assumed_network(context) if group.across_hosts else None,
        slower=tuple(
            alternative
            for alternative in (
                _limit_slowest_slots(run, plan, collective, group, choice.algorithm, above, context),
                _limit_slowest_hosts(run, plan, profile, group, choice.algorithm, context),
            )
            if alternative is not None
        ),
    )


def refute_assumed_network(run: Run, limits: Limits, profile: Profile) -> Limits:
    """The limits of a run, unknown if the run is faster than the network that is assumed between its hosts.

    A plugin of NCCL may use another network, such as a PCIe bridge without its IP driver.
    """
    if not isinstance(limits, CollectiveLimits) or limits.assumed_network is None:
        return limits
    reachable, highest = limits.by_algorithm[limits.usual], _find_highest(run)
    if reachable is None or highest is None or _convert_to_gigabytes(highest) <= REFUTED * reachable.value:
        return limits
    return UnknownLimits(
        f"the log does not name the network between the hosts, and refutes {limits.assumed_network}: "
        f"{_describe_excess(highest, reachable)} that they reach; repeat the test with NCCL_DEBUG=INFO",
        profile,
    )


def _describe_assumed_network(context: RunContext) -> str | None:
    """TCP sockets over an interface, unless the log names them."""
    if context.interface is None or (context.evidence is not None and context.evidence.is_over_sockets):
        return None
    return f"TCP sockets over {context.interface}"


def _find_highest(run: Run) -> Measurement | None:
    """The highest bus bandwidth of a run."""
    return max(
        (row for row in run.measurements if row.metric is Metric.BUSBW and row.unit in BITS_PER_SECOND),
        key=_convert_to_gigabytes,
        default=None,
    )


def _describe_excess(highest: Measurement, limit: Bound) -> str:
    """A bus bandwidth, and its share of a limit that it exceeds."""
    measured = _convert_to_gigabytes(highest)
    return (
        f"{number(measured)} GB/s at {Size(highest.size_bytes or 0)} is {format_percent(measured / limit.value, 0)} of "
        f"the {number(limit.value)} GB/s"
    )


def exclude_switch_reduction(
    collective: Collective, group: Group, proof: Proof, beyond: Sequence[tuple[str, Group]] = ()
) -> tuple[Group, tuple[str, ...]]:
    """The group without the sums of switches between GPUs where a variable excludes them; a note if they are faster.

    The run then has the limits of GPUs that add data themselves: the setting is the reason, and no loss.
    ``beyond`` contains the same ranks by the switches above their hosts.
    """
    algorithm = Algorithm.NVLS_TREE if group.across_hosts else Algorithm.NVLS
    setting = proof.excluded.get(algorithm)
    if setting is None or not group.has_switch_reduction or algorithm in proof.algorithms.values():
        return group, ()
    members = tuple(
        replace(member, links=replace(member.links, reduction_share=None)) if member.links is not None else member
        for member in group.members
    )
    group_without_nvls = replace(group, members=members)
    usual = algorithms.select_algorithm(collective, None, group)
    limit = algorithms.reachable(collective, group, usual, beyond)
    used = algorithms.select_algorithm(collective, proof.forced, group_without_nvls)
    limit_of_used = algorithms.reachable(collective, group_without_nvls, used, beyond)
    if usual is not algorithm or limit is None or limit_of_used is None or limit.value <= limit_of_used.value:
        return group_without_nvls, ()
    note = (
        f"{setting} excludes the {algorithm.value} algorithm, which reaches {number(limit.value)} GB/s; judged as "
        f"{used.value}, {number(limit_of_used.value)} GB/s"
    )
    return group_without_nvls, (note,)


def _shows_path(evidence: Evidence | None, transport: str) -> bool:
    """Whether the debug lines show a path between GPUs of a host with this transport."""
    paths = (evidence.communicator.paths or ()) if evidence is not None else ()
    return any(path.transport.startswith(transport) for path in paths)


def _find_staged_pair(run: Run, plan: Plan, group: Group, context: RunContext) -> StagedPair | None:
    """The farthest GPUs of a one-host run, if NCCL stages data between them unless a variable of the log sets more."""
    member = group.members[0]
    evidence = context.evidence
    owners = _list_owners(run, group, context)
    if (
        group.across_hosts
        or not group.uses_pcie
        or _shows_path(evidence, "P2P")
        or owners.count(False) >= len(owners) > 0
    ):
        return None
    environment = {**run.parameters.environment, **(evidence.communicator.environment if evidence is not None else {})}
    level, version = environment.get("NCCL_P2P_LEVEL"), evidence.communicator.version if evidence is not None else None
    return find_staged_pair(plan, member.name, tuple(plan.hosts[member.name].gpus), level, version)


def _find_borrower(run: Run, plan: Plan, group: Group, context: RunContext) -> Borrower | None:
    """The host of a one-host run that borrows GPUs.

    None if the debug lines show peer access between its GPUs, or if those of all ranks are local.
    """
    if group.across_hosts or not group.uses_pcie or _shows_path(context.evidence, "P2P"):
        return None
    member = group.members[0]
    settings = plan.hosts[member.name]
    if not settings.borrowed_gpus:
        return None
    shows_staging = _shows_path(context.evidence, "SHM")
    owners = _list_owners(run, group, context)
    if len(owners) == member.ranks and all(owners):
        return None
    is_certain = shows_staging and (member.ranks > len(settings.gpus) or False in owners)
    addresses = _list_gpu_addresses(run, context.evidence) if context.own_gpus.get(member.name) else []
    unlisted = [address for address, is_own in zip(addresses, owners, strict=False) if is_own is None]
    return Borrower(member.name, shows_staging, is_certain, unlisted=tuple(dict.fromkeys(unlisted)))


_NAMED_ADDRESSES = 4


def _limit_borrower(
    borrower: Borrower | None, plan: Plan, collective: Collective, group: Group, limit: Bound | None
) -> Borrower | None:
    """A possible borrower, with the share that the bridge allows if the first rank alone uses an own GPU."""
    owners = [True, *[False] * (group.ranks - 1)]
    bridge = group_by_bridge(plan, group, owners) if borrower is not None and not borrower.is_certain else None
    if borrower is None or bridge is None or limit is None:
        return borrower
    algorithm = algorithms.select_algorithm(collective, None, group)
    over_bridge = algorithms.reachable(collective, group, algorithm, [(BRIDGE_TERM, bridge)])
    return borrower if over_bridge is None else replace(borrower, bridge_share=min(over_bridge.value / limit.value, 1))


def _include_slots_of_lenders(run: Run, plan: Plan, group: Group, assumptions: list[str], context: RunContext) -> Group:
    """The group of one host with the slots of the GPUs that it borrows: those of its ranks, by a bundle, else the
    fewest."""
    member = group.members[0]
    loans = count_borrowed(plan, member.name)
    if group.across_hosts or not group.uses_pcie or not loans:
        return group
    owners = _list_owners(run, group, context)
    is_known = (
        len(owners) == member.ranks and member.name in context.own_gpus and owners.count(True) >= (member.ranks - loans)
    )
    local_count = owners.count(True) if is_known else min(len(plan.hosts[member.name].gpus), member.ranks)
    if is_known and None in owners:
        assumptions.append(assume_borrowed(member.name))
    links = find_pcie_links(plan, member.name, borrowed=member.ranks - local_count, uses_own=local_count > 0)
    return replace(group, members=(replace(member, links=links),))


def _limit_slowest_slots(
    run: Run,
    plan: Plan,
    collective: Collective,
    group: Group,
    algorithm: Algorithm,
    above: Sequence[tuple[str, Group]],
    context: RunContext,
) -> Alternative | None:
    """The limit if a borrowed GPU of a run is the one in the slowest slot of the lenders.

    None if all GPUs of the run are the host's own.
    """
    member = group.members[0]
    lent_slots = list_lent_slots(plan, member.name)
    owners = _list_owners(run, group, context)
    if group.across_hosts or not group.uses_pcie or not lent_slots or (len(owners) == member.ranks and all(owners)):
        return None
    may_use_own = len(owners) < member.ranks or False not in owners or True in owners
    links = find_pcie_links(plan, member.name, borrowed=len(lent_slots), uses_own=may_use_own)
    slowest = replace(group, members=(replace(member, links=links),))
    bound = algorithms.reachable(collective, slowest, algorithm, above)
    if bound is None:
        return None
    condition = f"a GPU of the run is {lent_slots[-1].device}, which {member.name} borrows"
    action = (
        NAMED_BY_COPIES
        if member.name in context.own_gpus
        else "the log does not show whether a GPU of the run is borrowed; give a bundle of "
        f"{member.name} with --bundle: it contains the PCIe addresses of its local GPUs"
    )
    return Alternative(bound, condition, action)


def _limit_slowest_hosts(
    run: Run, plan: Plan, profile: Profile, group: Group, algorithm: Algorithm, context: RunContext
) -> Alternative | None:
    """The limit if hosts of the log that the plan does not have are like its slowest ones.

    None if the plan has all, or the user names the NICs.
    """
    names = dict.fromkeys((*list_rank_hosts(run, group.ranks, context), *_list_named_hosts(run)))
    foreign_hosts = [name for name in names if find_planned_host(plan, name) is None]
    if context.prefers_slow_hosts or context.source or context.target or not foreign_hosts:
        return None
    slowest = collective_limits(run, plan, profile, replace(context, prefers_slow_hosts=True))
    bound = slowest.by_algorithm.get(algorithm) if isinstance(slowest, CollectiveLimits) else None
    if bound is None:
        return None
    condition = f"{_join_names(foreign_hosts)} of the log {_be(foreign_hosts)} like {_join_names(slowest.hosts)}"
    return Alternative(bound, condition, "give the cluster file of the measured hosts")


def _be(subjects: Sequence[str]) -> str:
    return "is" if len(subjects) == 1 else "are"


def _list_owners(run: Run, group: Group, context: RunContext) -> list[bool | None]:
    """Whether the GPU of each rank is its host's own; None where the bundle does not contain its address."""
    own_gpus = context.own_gpus.get(group.members[0].name, {})
    return [_is_own(own_gpus, address) for address in _list_gpu_addresses(run, context.evidence)]


def _list_gpu_addresses(run: Run, evidence: Evidence | None) -> list[str]:
    """The PCIe addresses of the ranks' GPUs, as the tool or NCCL prints them."""
    printed = [place.bus_id for place in run.parameters.rank_places.values() if place.bus_id]
    of_nccl = [place.bus_id for place in evidence.communicator.places or () if place.bus_id] if evidence else []
    return max(of_nccl, printed, key=len)


def _is_own(own_gpus: Mapping[str, bool], printed: str) -> bool | None:
    """Whether the GPU at ``0000:1b:00`` or, in old releases of nccl-tests, at bus ``0x1b`` is the host's own.

    None where the bundle does not contain the address.
    """
    if printed.startswith("0x"):
        owners = {is_own for address, is_own in own_gpus.items() if int(address.split(":")[-2], 16) == int(printed, 16)}
    else:
        owners = {
            is_own for address, is_own in own_gpus.items() if address.partition(".")[0] == printed.partition(".")[0]
        }
    return True in owners if owners else None


def find_socket_interfaces(run: Run, plan: Plan, context: RunContext) -> tuple[str, ...]:
    """The interfaces that TCP sockets between hosts may use; empty where RDMA is planned and no other NIC is named.

    What decides: --from and --to, NCCL's debug lines, NCCL_SOCKET_IFNAME. If nothing does, all interfaces that the
    hosts of the plan have in common.
    """
    stated = find_ends(plan, context.source, context.target)
    if stated:
        without_rdma = [nic.interface for nic in stated if not nic.nic.rdma_device]
        return tuple(dict.fromkeys(without_rdma))[:1]
    if any(has_rdma(plan, host) for host in plan.hosts):
        return ()
    common = [
        interface
        for interface in next(iter(plan.hosts.values())).nics
        if all(interface in host.nics for host in plan.hosts.values())
    ]
    evidence = context.evidence
    used = {name for names in evidence.nics.values() for name in names} if evidence is not None else set()
    if used & set(common):
        return tuple(interface for interface in common if interface in used)[:1]
    stated_names = run.parameters.environment.get(SOCKET_INTERFACE)
    if stated_names is None and evidence is not None:
        stated_names = evidence.communicator.environment.get(SOCKET_INTERFACE)
    selected = [interface for interface in common if is_selected(stated_names, interface)] if stated_names else common
    return tuple(selected or common)


def _describe_network_without_limits(evidence: Evidence | None) -> str | None:
    """Why the limits of TCP sockets are not those of a run: its debug lines name another network.

    NCCL prints the name of the network in use as "Using network NAME": Socket, IB, or the name that a plugin has
    (src/plugin/net.cc). The interface of its bootstrap carries no data of a collective.
    """
    if evidence is None or evidence.network is None or evidence.is_over_sockets:
        return None
    return (
        f"the log names network {evidence.network} between the hosts, and no limit is known for it on hosts without "
        "planned RDMA"
    )


def _select_interface(run: Run, plan: Plan, profile: Profile, context: RunContext, interfaces: Sequence[str]) -> Limits:
    """The limits over the only interface that is fast enough for a run whose log names none; else unknown."""
    limits = {name: collective_limits(run, plan, profile, replace(context, interface=name)) for name in interfaces}
    largest = max((row for row in run.measurements if row.metric is Metric.BUSBW), key=_get_size, default=None)
    bounds = {
        name: bound.physical
        for name, bound in limits.items()
        if isinstance(bound, CollectiveLimits) and bound.physical is not None
    }
    groups = [bound for bound in limits.values() if isinstance(bound, CollectiveLimits) and len(bound.hosts) > 1]
    if largest is None or not bounds or not groups:
        return next(iter(limits.values()))
    possible = [name for name, bound in bounds.items() if not is_above(largest, in_unit(bound, largest.unit), profile)]
    if len(possible) < 2:
        name = possible[0] if possible else max(bounds, key=lambda name: bounds[name].value)
        return limits[name]
    measured = _convert_to_gigabytes(largest)
    fractions = " or ".join(f"{format_percent(measured / bounds[name].value, 0)} of {name}" for name in possible)
    hosts = groups[0].hosts[:2]
    ends = f"--from {hosts[0]}:{possible[-1]} --to {hosts[1]}:{possible[-1]}"
    return UnknownLimits(
        f"the log does not name the interface between the hosts: {number(measured)} GB/s is {fractions}; name it, such "
        f"as {ends}, or repeat the test with NCCL_DEBUG=INFO",
        profile,
    )


def _get_size(measurement: Measurement) -> int:
    return measurement.size_bytes or 0


def _describe_interface(context: RunContext) -> tuple[str, ...]:
    return (f"TCP sockets over {context.interface} between hosts",) if context.interface else ()


@dataclass(frozen=True, slots=True)
class SlowerInterface:
    """NCCL used a slower interface than the hosts have, where nothing selected it."""

    text: str
    is_against_plan: bool  # the launch settings of the plan select the faster one


def find_slower_interface(run: Run, plan: Plan, context: RunContext, evidence: Evidence) -> SlowerInterface | None:
    """Whether NCCL chose a slower interface for its sockets than the plan has, where nothing selects it."""
    if not evidence.is_over_sockets or context.source or context.target:
        return None
    if SOCKET_INTERFACE in {**run.parameters.environment, **(evidence.communicator.environment or {})}:
        return None
    for host, interfaces in evidence.nics.items():
        nics = plan.hosts[host].nics if host in plan.hosts else {}
        speeds = {name: _compute_socket_rate(plan, NicPlace(host, name, nic)) for name, nic in nics.items()}
        used = [speeds[name] for name in interfaces if name in speeds]
        faster = [name for name, speed in speeds.items() if used and speed > max(used) and name not in interfaces]
        if not faster:
            continue
        used_names = ", ".join(interfaces)
        planned = plan.hosts[host].launch.control_interface
        if planned in faster:
            text = f"NCCL used {used_names} of {host} and not {planned}, which the plan selects"
            return SlowerInterface(f"{text}: set {SOCKET_INTERFACE}={planned}", is_against_plan=True)
        text = f"NCCL used {used_names} of {host}, which nothing selects; the limit of TCP over {faster[0]} is higher"
        remark = f"; {SLOW_BRIDGE}" if is_bridge(plan, nics[faster[0]]) else ""
        return SlowerInterface(f"{text} ({SOCKET_INTERFACE}={faster[0]} selects it){remark}", is_against_plan=False)
    return None


SLOW_BRIDGE = (
    "with NCCL, IP over a PCIe bridge was as slow as gigabit Ethernet in a published measurement too (Johansen, Fast"
    " Multi-GPU communication over PCI Express, section 4.3.3)"
)


def is_known_over_bridge(measurement: Measurement, plan: Plan, interface: str | None, hosts: Sequence[str]) -> bool:
    """Whether a bus bandwidth over the IP interface of a PCIe bridge is at the level of gigabit Ethernet or above.

    A published measurement with NCCL reached no more, although a stream of iperf3 did.
    """
    nics = [plan.hosts[host].nics.get(interface or "") for host in hosts if host in plan.hosts]
    if measurement.metric is not Metric.BUSBW or not nics or not all(nic and is_bridge(plan, nic) for nic in nics):
        return False
    gigabit = tcp.tcp(Bandwidth.gbps(1), USUAL_MTU, timestamps=True).value / 8
    return measurement.unit in BITS_PER_SECOND and _convert_to_gigabytes(measurement) >= _LEVEL * gigabit


_LEVEL = 0.65
"""Of gigabit Ethernet: "even going slower at intervals" (Johansen, section 4.3.3) has no number; what fails is further
below, as with other limits (`fail_below` of the default profile)."""


def _compute_socket_rate(plan: Plan, place: NicPlace) -> float:
    """What sockets reach over an interface in Gb/s: of one over a PCIe bridge far less than its link; 0 if unknown."""
    limits = find_socket_limits(plan, place, [])
    return 0.0 if limits is None else limits.reachable.value


def choose_algorithm(run: Run, usual: Algorithm, reachable: Mapping[Algorithm, Bound | None]) -> Choice:
    """The usual algorithm, or the slowest one of the others that explains the highest bus bandwidth of a run."""
    limit = reachable[usual]
    highest = _find_highest(run)
    if limit is None or highest is None or _convert_to_gigabytes(highest) <= REFUTED * limit.value:
        return Choice(usual)
    measured = _convert_to_gigabytes(highest)
    refuted = f"the log refutes the {usual.value} algorithm: {_describe_excess(highest, limit)} that it reaches"
    faster = {
        algorithm: bound.value
        for algorithm, bound in reachable.items()
        if bound is not None and bound.value > limit.value and measured <= REFUTED * bound.value
    }
    if not faster:  # the note on values above a reachable limit names the algorithm
        return Choice(usual)
    algorithm = min(faster, key=lambda name: faster[name])
    return Choice(algorithm, (f"{refuted}; judged as {algorithm.value}, {number(faster[algorithm])} GB/s",), usual)


def _convert_to_gigabytes(measurement: Measurement) -> float:
    return convert(float(measurement.value), measurement.unit, GIGABYTES)


def _find_published_range(choice: Choice, group: Group, profile: Profile) -> PublishedRange | None:
    """What healthy runs of an algorithm reach of its limit, where runs of such hosts are published."""
    of_two_hosts = choice.algorithm is Algorithm.NVLS_TREE and choice.refuted is None and len(group.members) == 2
    return profile.two_hosts_nvls_tree if of_two_hosts else None


def _list_fingerprints(
    run: Run,
    plan: Plan,
    group: Group,
    reachable: Bound | None,
    context: RunContext,
    proof: Proof,
    published: PublishedRange | None,
) -> Fingerprints | None:
    """Losses of the NICs of a host, as fractions of their term; the debug lines of a log name the NICs in use.

    Where they prove that a host used fewer NICs, the losses are those of the remaining ones. Where they prove another
    bottleneck, no loss of the NICs is assumed beside it.
    """
    terms = reachable.terms if reachable else ()
    term = next((term for term in terms if algorithms.is_nic_term(term.name)), None)
    host = plan.hosts[group.members[0].name]
    nics = list_used_nics(host, [])[: len(group.members[0].nics_acknowledged)]
    path = build_path(nics[0], [], speed=catalogue_speed(plan, nics[0])) if nics else None
    if term is None or path is None:
        return None
    slot = build_slot(nic_function(plan, group.members[0].name, nics[0]), [])
    stated = context.evidence is not None
    is_single = term.name.endswith(algorithms.ONE_NIC)
    count = 1 if is_single or stated else len(nics)
    facts = LogFacts(run.parameters.path_mtu_bytes, uses_rdma=stated)
    # Published runs, which do not reach their limit, give the number of NICs that leaves a rate: in proportion to them.
    rates = list_degraded_rates(path, slot, facts, bidirectional=True, nics=count, may_lack_nics=published is None)
    if proof.has_bottleneck or (proof.has_fewer_nics and is_single):
        rates = ()
    elif proof.has_fewer_nics and context.evidence is not None:
        remaining = min(len(names) for names in context.evidence.nics.values())
        term = replace(term, value=term.value * min(remaining / len(nics), 1))
    return Fingerprints(term, rates, published, count)


def _list_groups_by_switch_tier(plan: Plan, group: Group) -> tuple[tuple[str, Group], ...]:
    """The job grouped by switch tier, where each of its hosts is a host of the plan."""
    names = [member.name for member in group.members]
    if not group.across_hosts or len(set(names)) < len(names):
        return ()
    host = plan.hosts[names[0]]
    nic = next(iter(host.nics.values()), None)
    path = build_path(nic, [], speed=catalogue_speed(plan, nic)) if nic else None
    if path is None:
        return ()
    one_way = 2 * path.speed.gb_per_s
    at_most = framing.two_way(path).value / one_way
    in_use = framing.two_way(path, acks_per_packet=algorithms.ACKS_PER_PACKET).value / one_way
    return fabric.group_by_uplinks(plan, group, at_most, in_use)


def _describe_sums(group: Group, stated: Algorithm | None) -> str:
    """Where data are added: by the ``stated`` algorithm if it is one of switches, else by what the hosts can use."""
    if stated in (Algorithm.NVLS, Algorithm.NVLS_TREE):
        return f"switches between the GPUs of a host sum data ({stated.value}, as stated); network switches do not"
    if stated is Algorithm.COLLNET:
        return f"network switches sum data ({stated.value}, as stated)"
    if group.has_switch_reduction:
        return "switches between the GPUs of a host can sum data (NVLS); network switches do not (no SHARP)"
    return "reduction in GPUs, not in switches (no NVLS, no SHARP)"


def build_group(run: Run, ranks: int, plan: Plan, assumptions: list[str], context: RunContext) -> Group:
    """The hosts of the plan on which the ranks of a run are, in the order of their first rank.

    The log decides where it names the host of each rank. What it leaves open is an assumption: hosts of --from and --to
    come before the others of the plan, and ranks are spread evenly.
    """
    hosts_of_ranks = list_rank_hosts(run, ranks, context)
    ends = [nic.host for nic in find_ends(plan, context.source, context.target)]
    root = _find_root_rank(run)
    if hosts_of_ranks:
        by_host = Counter(hosts_of_ranks)
        names, counts = list(by_host), list(by_host.values())
        if root < ranks:
            root = sum(counts[: names.index(hosts_of_ranks[root])])
    else:
        names = _list_named_hosts(run)
        room = next((len(plan.hosts[host].gpus) for name in names if (host := find_planned_host(plan, name))), None)
        room = len(plan.hosts[next(iter((*ends, *plan.hosts)))].gpus) if room is None else room
        counts = _ranks_by_host(run, ranks, max(room, 1), assumptions)
    candidates = tuple(dict.fromkeys((*ends, *plan.hosts)))
    if context.prefers_slow_hosts and not ends and (names or len(counts) > 1):
        is_local = len(counts) == 1
        candidates = tuple(
            sorted(plan.hosts, key=lambda name: _estimate_rate(plan, name, counts[0], context, is_local=is_local))
        )
    used = _match_hosts(plan, names, len(counts), ends, candidates, assumptions)
    nics_only = _describe_nics_only(context) is not None
    if len(counts) == 1 and not nics_only:
        links = _find_links(plan, used[0])
        return Group((Member(used[0], counts[0], (), (), "", links),), root)
    members = [_build_member(plan, host, count, assumptions, context) for host, count in zip(used, counts, strict=True)]
    return Group(tuple(_split_by_rank(members) if nics_only else members), root)


def list_rank_hosts(run: Run, ranks: int, context: RunContext) -> list[str]:
    """The host of each rank, in their order; empty where neither the tool nor NCCL prints it for all."""
    return list_hosts_of_ranks(run, ranks, None if context.evidence is None else context.evidence.communicator)


def _describe_nics_only(context: RunContext) -> str | None:
    """That the GPUs of a host reach each other over its NICs only, by the variables of the log or by the suite."""
    settings = None if context.evidence is None else context.evidence.nics_only
    if settings is None and not context.nics_only:
        return None
    return f"GPUs of one host communicate over its NICs only ({settings or 'as the suite starts them'})"


def _split_by_rank(members: Sequence[Member]) -> Iterator[Member]:
    """Each rank as a member with its part of the NICs of its host: data to every other rank cross the network."""
    for member in members:
        nics, acknowledged = member.network / member.ranks, member.network_acknowledged / member.ranks
        has_nics = bool(member.nics)
        part = Member(
            member.name,
            1,
            (nics,) if has_nics else (),
            (acknowledged,) if has_nics else (),
            member.nics_bottleneck,
            None,
        )
        yield from [part] * member.ranks


def _estimate_rate(plan: Plan, host: str, ranks: int, context: RunContext, *, is_local: bool) -> float:
    """The rate of a host's NICs in GB/s, by which hosts are compared; infinite if it is unknown.

    ``is_local``: that of the links of one of its GPUs, for a run on a single host.
    """
    if is_local:
        links = _find_links(plan, host)
        return inf if links is None else links.count_links(ranks) * (links.usable or links.peak)
    return _build_member(plan, host, ranks, [], context).network_acknowledged or inf


def _match_hosts(
    plan: Plan, names: list[str], count: int, ends: list[str], candidates: Sequence[str], assumptions: list[str]
) -> list[str]:
    """The hosts of the plan for those of a log: of the same name, or the next candidate where no host has the name."""
    hosts_by_name = {name: host for name in names if (host := find_planned_host(plan, name)) is not None}
    other_hosts = [host for host in candidates if host not in hosts_by_name.values()]
    first_host = next(iter((*ends, *hosts_by_name.values(), *candidates)))
    of_log = [*names[:count], *[""] * (count - len(names))]
    used = [
        hosts_by_name[name] if name in hosts_by_name else other_hosts.pop(0) if other_hosts else first_host
        for name in of_log
    ]
    foreign = {name: host for name, host in zip(names, used, strict=False) if name not in hosts_by_name}
    if count > len(plan.hosts):
        assumptions.append(f"{count} hosts like {first_host}: {plan.name} has {len(plan.hosts)}")
    elif foreign:
        assumptions.append(
            f"{_join_names(list(foreign))} of the log {_be(list(foreign))} not in {plan.name}: judged as "
            f"{_join_names(list(foreign.values()))}"
        )
    elif len(names) < count:
        assumptions.append(f"the ranks are on {_join_names(used)} of {plan.name}")
    return used


def _join_names(hosts: Sequence[str]) -> str:
    return ", ".join(hosts) if len(hosts) <= _NAMED else f"{len(hosts)} hosts, {hosts[0]} to {hosts[-1]},"


def _list_named_hosts(run: Run) -> list[str]:
    names = run.parameters.host_names
    return names.split(",") if names else []


def _find_root_rank(run: Run) -> int:
    root = run.parameters.root_rank
    return max(0, root) if isinstance(root, int) else 0


def _ranks_by_host(run: Run, ranks: int, room: int, assumptions: list[str]) -> list[int]:
    """Ranks on each host: spread over the hosts that the log counts, else hosts are filled one after the other."""
    nodes = run.parameters.nodes
    if nodes and nodes <= ranks:
        if 1 < nodes < ranks:
            assumptions.append(f"{ranks} ranks spread evenly over {nodes} hosts")
        return [ranks // nodes + (position < ranks % nodes) for position in range(nodes)]
    hosts = -(-ranks // room)
    per_host = f"{room} on a host" if hosts > 1 else "all on one host"
    assumptions.append(
        f"{ranks} ranks, one for each GPU, {per_host}: the log lists no hosts, give their number with --nodes"
    )
    return [min(room, ranks - position * room) for position in range(hosts)]


def _find_links(plan: Plan, host: str) -> Links | None:
    """The links between the GPUs of a host, or without any their PCIe slots."""
    models = [plan.hardware.gpus.get(gpu.model or "") for gpu in plan.hosts[host].gpus.values()]
    if any(model is None or model.links is not None for model in models):
        return find_gpu_links(plan, host)
    return find_pcie_links(plan, host)


def _build_member(plan: Plan, name: str, ranks: int, assumptions: list[str], context: RunContext) -> Member:
    host = plan.hosts[name]
    links = _find_links(plan, name)
    if context.interface is not None:
        return _build_socket_member(plan, name, ranks, context.interface, links, assumptions)
    maximum: dict[str, float] = {}  # Gb/s, by PCIe address
    usual: dict[str, float] = {}
    binds: Counter[str] = Counter()
    for nic in list_used_nics(host, assumptions):
        function = nic_function(plan, name, nic)
        speed = catalogue_speed(plan, nic)
        at_most = nic_goodput_two_way(nic, function, speed=speed)
        in_use = nic_goodput_two_way(nic, function, speed=speed, acks_per_packet=algorithms.ACKS_PER_PACKET)
        if at_most is None or in_use is None:
            return Member(name, ranks, (), (), "", links)
        address = nic.pcie or f"NIC {len(maximum)}"
        maximum[address], usual[address] = at_most.value, in_use.value
        binds[at_most.bottleneck] += 1
        assumptions.extend(at_most.assumptions)
    shared_maximum, shared_link = share_links(plan, name, maximum, bidirectional=True, to_memory=False)
    shared_usual, _ = share_links(plan, name, usual, bidirectional=True, to_memory=False)
    bind = shared_link or (binds.most_common(1)[0][0] if binds else "")
    nics, acknowledged = _list_gigabytes(shared_maximum), _list_gigabytes(shared_usual)
    near = _list_nics_of_ranks(host, ranks, tuple(shared_usual))
    if near:
        acknowledged = _list_gigabytes({address: shared_usual[address] for address in near})
        assumptions.append(
            f"the ranks of a host use only the NICs that are assigned to their GPUs: {len(near)} of {len(nics)}"
        )
    slots = list_slot_rates(plan, name, bidirectional=True)[:ranks]
    if len(slots) == ranks and sum(slots) < sum(nics):
        nics, bind = slots, "PCIe slot of each rank's GPU"
    return Member(name, ranks, nics, acknowledged, bind, links)


def _list_nics_of_ranks(host: Host, ranks: int, addresses: Sequence[str]) -> list[str]:
    """The NICs that a part of a host's GPUs uses: those assigned to them. Empty for all GPUs, or without assignment.

    NCCL gives a GPU the NICs that are nearest to it; others would be reached through the processor. With one H100 on
    each of two hosts and four NICs of 400 Gb/s, all-reduce reaches 50 GB/s (NVIDIA/nccl-tests issue 232).
    """
    gpus = {nic.pcie: nic.gpu for nic in host.nics.values()}
    assigned = list(dict.fromkeys(gpu for address in addresses if (gpu := gpus.get(address)) is not None))
    if ranks >= len(host.gpus) or any(gpus.get(address) is None for address in addresses):
        return []
    return [address for address in addresses if gpus[address] in assigned[:ranks]]


def _list_gigabytes(rates: Mapping[str, float]) -> tuple[float, ...]:
    return tuple(convert(rate, GBPS, GIGABYTES) for rate in rates.values())


def _build_socket_member(
    plan: Plan, name: str, ranks: int, interface: str, links: Links | None, assumptions: list[str]
) -> Member:
    """A host whose ranks reach others by TCP over one interface."""
    nic = plan.hosts[name].nics.get(interface)
    limits = find_socket_limits(plan, NicPlace(name, interface, nic), assumptions) if nic else None
    if limits is None:
        return Member(name, ranks, (), (), "", links)
    at_most, in_use = in_unit(limits.physical, GIGABYTES), in_unit(limits.reachable, GIGABYTES)
    bottleneck = f"{interface}, {limits.physical.bottleneck}"
    return Member(name, ranks, (at_most.value,), (in_use.value,), bottleneck, links)


def _list_reasons_above(collective: Collective, group: Group, is_placed: bool, evidence: Evidence | None) -> list[str]:
    """Likely reasons for a value above the physical limit, which contains the sums of switches between GPUs (NVLS)."""
    reasons = []
    if collective is Collective.ALL_TO_ALL_V:
        reasons.append("uneven shares, most of them within a host")
    lists_sharp = evidence is not None and any(nic.sharp for nic in evidence.communicator.nics or ())
    if collective is Collective.ALL_REDUCE and group.across_hosts and lists_sharp:
        reasons.append("the network switches sum data (SHARP, which the log lists): state it with --algorithm collnet")
    if not group.across_hosts:
        reasons.append("faster GPU links")
    elif not is_placed:
        reasons.append("ranks placed on other hosts than assumed")
    return reasons
