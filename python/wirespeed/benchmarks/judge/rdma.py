"""Limits of perftest: framing at the path MTU, PCIe slots of NICs and GPUs; the reachable limit includes ACKs.

Also the notes on the connection of a log: its GIDs and queue pairs against the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from wirespeed.benchmarks.endpoints.fabric import build_fabric
from wirespeed.benchmarks.endpoints.nics import (
    MAPPED_PREFIX,
    NicPlace,
    find_ends,
    find_ends_by_gid,
    find_nic_by_gid,
    gpu_slot,
    is_link_local,
    is_loopback,
    list_nics,
    list_other_addresses,
    nic_slot,
    nic_speed,
    nic_with_device,
    parse_gid,
)
from wirespeed.benchmarks.judge.curves import find_highest_latency
from wirespeed.benchmarks.judge.limits import Fingerprints, Limit, Limits, RunContext, UnknownLimits
from wirespeed.benchmarks.judge.profile import Profile, Thresholds, limit_message_rate
from wirespeed.limits import fabric, framing, host, latency, pcie
from wirespeed.limits.algorithms import ACKS_PER_PACKET, ASSUMED_ACKS, MESSAGE_RATE
from wirespeed.limits.bound import GBPS, convert, in_unit, number, tightest
from wirespeed.limits.framing import Path, Verb
from wirespeed.limits.impact import find_slot_address
from wirespeed.limits.nic import build_path
from wirespeed.limits.nic_losses import LogFacts, list_degraded_rates
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.verdicts import Bound, Term
from wirespeed.units import Bandwidth
from wirespeed.wire import PATH_MTUS

PIPELINED = 2
"""A stream of messages is bandwidth-bound from twice the size at which the message rate alone would fill the line:
there a measured curve (Broadcom 957608-AN210, section 2.8.2) is within 5 % of its plateau."""

RATE_ALONE = 0.5
"""Up to this part of the line, the message rate is the only limit; nearer to it a curve bends away from both, by 4 % at
a half of the line (fit to Broadcom 957608-AN210, section 2.8.2)."""

SMALL = 4096
"""Messages up to this size are limited by the message rate on any NIC from 200 Gb/s on (6 Mpps of one packet each):
a table without such sizes does not show that rate."""


@dataclass(frozen=True, slots=True)
class SlotInUse:
    """A PCIe link on the path, and how many ends of the connection use it: two where both are ports of one card."""

    name: str
    slot: pcie.Slot
    ends: int = 1

    def build_two_way_term(self) -> Term:
        """Both directions of the test added: two ends share each direction of the link."""
        term = pcie.two_way(self.slot, self.name)
        if self.ends == 1:
            return term
        return replace(term, value=term.value / self.ends, formula=f"{term.formula} / {self.ends} ends that share it")


@dataclass(frozen=True, slots=True)
class RdmaLimits:
    """The limits of one perftest run."""

    path: Path
    verb: Verb
    bidirectional: bool
    slots: tuple[SlotInUse, ...]
    shared_terms: tuple[Term, ...]  # physical limits of cables between leaves and of CPU sockets
    memory: tuple[host.MemoryOfHost, ...]  # of both ends, where buffers are in it
    in_use: tuple[Term, ...]  # memory and ordered writes: terms of the reachable limit
    rate_known: float | None  # messages per second by the catalogue
    message_rate: float  # messages per second, as the test counts them
    rate_from: str
    thresholds: Thresholds
    rate_thresholds: Thresholds
    assumptions: tuple[str, ...]
    reasons_above: tuple[str, ...]
    hosts: tuple[str, ...]
    cables: Term | None  # propagation delay of the cables at both ends, one direction
    highest_latency: Term  # of one message
    fingerprints: Fingerprints
    notes: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()

    @property
    def link(self) -> Bandwidth:
        """Speed of the slower NIC."""
        return self.path.speed

    def limit(self, measurement: Measurement) -> Limit:
        """Both limits for the message size of this measurement."""
        size = measurement.size_bytes
        if size == 0:
            return Limit(skip_reason="an empty message has no bandwidth")
        shared_terms = [*self._compute_slot_terms(size), *self.shared_terms, *self._compute_memory_terms(size)]
        physical = tightest([self._compute_framing_term(size, 0.0), *shared_terms], self.assumptions)
        assumed = list(self.assumptions)
        if self.bidirectional:
            assumed.append(ASSUMED_ACKS)
        terms = [self._compute_framing_term(size, ACKS_PER_PACKET), *shared_terms, *self.in_use]
        reachable = tightest(terms, assumed)
        skip_reason = None
        by_rate = self._compute_rate_term(size, reachable)
        if measurement.metric is Metric.BW_PEAK:
            skip_reason = "peak: perftest's best window counts data already in flight, so it is shown and not judged"
        if by_rate is not None:
            reachable = tightest([*terms, by_rate], assumed)
        unit = measurement.unit
        thresholds = self.rate_thresholds if by_rate is not None else None
        return Limit(in_unit(physical, unit), in_unit(reachable, unit), skip_reason, thresholds=thresholds)

    def _compute_rate_term(self, size: int | None, line: Bound) -> Term | None:
        """The catalogue's message rate as the limit of small messages; None near the line rate."""
        if size is None or self.rate_known is None:
            return None
        value = self.rate_known * size * 8 / 1e9
        if value > RATE_ALONE * line.value:
            return None
        formula = f"{number(self.rate_known / 1e6)} Mpps × {size} B"
        return Term(MESSAGE_RATE, value, GBPS, formula, "the NIC's file in the catalogue")

    def minimum_latency(self, measurement: Measurement) -> Bound | None:
        """The time of one message on the link; a read also waits for its request."""
        terms = [latency.message_term(self.path, measurement.size_bytes, self.verb)]
        if self.cables is not None and self.verb is Verb.READ:
            terms.append(replace(self.cables, value=2 * self.cables.value, formula=f"2 × {self.cables.formula}"))
        elif self.cables is not None:
            terms.append(self.cables)
        return latency.sum_terms(terms)

    def bandwidth_bound(self, measurement: Measurement, limit: Limit) -> str | None:
        """Small messages are limited by the message rate."""
        if measurement.size_bytes is None or limit.reachable is None or limit.thresholds is not None:
            return None
        needed = PIPELINED * convert(limit.reachable.value, measurement.unit, "b/s") / 8
        if measurement.size_bytes * self.message_rate >= needed:
            return None
        rate = f"{number(self.message_rate / 1e6)} million messages/s"
        return f"small messages are limited by the message rate ({self.rate_from}: {rate})"

    def _compute_framing_term(self, size: int | None, acks: float) -> Term:
        if self.bidirectional:
            return framing.two_way(self.path, size, self.verb, acks)
        return framing.one_way(self.path, size, self.verb)

    def _compute_memory_terms(self, size: int | None) -> list[Term]:
        """Memory terms: in a bidirectional test each host reads half of the counted data and writes half."""
        return [term for path in self.memory if (term := path.build_term(size)) is not None]

    def _compute_slot_terms(self, size: int | None) -> list[Term]:
        if self.bidirectional:
            return [link.build_two_way_term() for link in self.slots]
        return [pcie.one_way(link.slot, link.name, size) for link in self.slots]


def rdma_limits(run: Run, plan: Plan, profile: Profile, context: RunContext) -> Limits:
    """The limits of a perftest run between two NICs of the plan.

    Raises:
        Refusal: the user names no NIC of the plan.
    """
    if run.parameters.link_type == "IB":
        return UnknownLimits("the link of the log is InfiniBand, not RoCE", profile)
    if run.parameters.second_port:
        return UnknownLimits("the test added two ports of a NIC; limits are for one", profile)
    assumptions: list[str] = []
    ends = _find_ends(run, plan, context, assumptions)
    if not ends:
        device = run.parameters.rdma_device
        reason = f"the log's NIC {device} is not in {plan.name}: name it with --from HOST:NIC"
        return UnknownLimits(reason, profile)
    if is_loopback(ends):
        return UnknownLimits(f"both ends are {ends[0]}: a loopback has no cable to judge", profile)
    ends = _place_buffers(run, plan, ends)
    path = _find_path(run, plan, ends, assumptions)
    if path is None:
        return UnknownLimits(f"the speed of {ends[0]} is in neither cluster file nor catalogue", profile)
    bidirectional = _is_bidirectional(run)
    slots = _find_slots(run, plan, ends, assumptions)
    rate, rate_from = _message_rate(run, plan, ends, profile, bidirectional)
    return RdmaLimits(
        path=path,
        verb=_find_verb(run),
        bidirectional=bidirectional,
        slots=slots,
        shared_terms=tuple(_list_further_terms(run, plan, ends, path, bidirectional)),
        memory=() if gpu_memory(run) else memories(plan, ends),
        in_use=tuple(list_memory_terms(run, plan, ends, assumptions, bidirectional)),
        rate_known=_find_catalogue_rate(plan, ends, bidirectional),
        message_rate=rate,
        rate_from=rate_from,
        thresholds=profile.fractions.rdma,
        rate_thresholds=profile.fractions.message_rate or profile.fractions.rdma,
        assumptions=tuple(assumptions),
        hosts=tuple(dict.fromkeys(nic.host for nic in ends)),
        cables=_compute_cable_delay(plan, ends),
        highest_latency=find_highest_latency(profile),
        fingerprints=replace(
            _list_fingerprints(run, path, slots, bidirectional),
            queue_pair_hint=_describe_queue_pair(run, plan, ends, path),
        ),
        reasons_above=(
            *(() if _is_between_hosts(run, plan) else (_ON_ONE_HOST,)),
            "a faster NIC than the cluster file names",
        ),
    )


def list_connection_notes(run: Run, plan: Plan) -> tuple[str, ...]:
    """The notes on a run whose connection, its GIDs and queue pairs, differs from the plan."""
    return (*_compare_index(run, plan), *_compare_addresses(run, plan), *_compare_queue_pairs(run, plan))


def _find_ends(run: Run, plan: Plan, context: RunContext, assumptions: list[str]) -> list[NicPlace]:
    named = find_ends(plan, context.source, context.target)
    if named:
        if len(named) == 1:
            assumptions.append(f"the other end is a NIC like {named[0]}")
        return named
    device = run.parameters.rdma_device
    if device is not None and nic_with_device(plan, device) is None:
        return []  # even where its addresses match: many clusters use the same private addresses
    gids = (run.parameters.local_gid, run.parameters.remote_gid)
    addressed = [nic for gid in gids if (nic := find_nic_by_gid(gid, plan))]
    if addressed:
        names = " and ".join(str(nic) for nic in addressed)
        assumptions.append(
            f"the log contains the GID{'s' if len(addressed) > 1 else ''} of {names}"
            f"{'' if len(addressed) > 1 else '; the other end is assumed similar'}"
        )
        return addressed
    if device is not None:
        located = nic_with_device(plan, device)
        if located is not None:
            assumptions.append(
                f"the log names {device} but no host: {located} is used; the other end is assumed similar"
            )
        return [located] if located else []
    fastest = max(list_nics(plan), key=lambda nic: nic_speed(plan, nic) or 0, default=None)
    if fastest is not None:
        assumptions.append(f"the log names no NIC: {fastest}, the fastest of {plan.name}, is used for both ends")
    return [fastest] if fastest else []


_ON_ONE_HOST = "client and server on one host, so that nothing crossed the wire"


def _is_between_hosts(run: Run, plan: Plan) -> bool:
    """Whether the GIDs of the log are those of two hosts."""
    ends = find_ends_by_gid(run, plan)
    return ends is not None and ends[0].partition(":")[0] != ends[1].partition(":")[0]


def _uses_ipv6(run: Run) -> bool | None:
    """Whether the GIDs of the log are IPv6; None where it names none, or only link-local ones, as of RoCE v1."""
    for printed in (run.parameters.local_gid, run.parameters.remote_gid):
        gid = parse_gid(printed)
        if gid is not None and not is_link_local(gid):
            return not gid.startswith(MAPPED_PREFIX)
    return None


def _find_path(run: Run, plan: Plan, ends: Iterable[NicPlace], assumptions: list[str]) -> Path | None:
    paths: list[Path] = []
    logged = run.parameters.path_mtu_bytes
    mtu = logged if logged in PATH_MTUS else None
    for nic in ends:
        path = build_path(nic.nic, assumptions, speed=nic_speed(plan, nic), path_mtu=mtu, ipv6=_uses_ipv6(run))
        if path is None:
            return None
        paths.append(path)
    if logged is None:
        assumptions.append("path MTU as planned: not in the log")
    slowest = min(paths, key=lambda path: path.speed)
    return Path(slowest.speed, min(path.path_mtu for path in paths), slowest.encapsulation)


def _find_logged_gpu(run: Run, plan: Plan, nic: NicPlace) -> str | None:
    """The GPU of the buffers that the log names, of the end that printed it."""
    parameters = run.parameters
    number = parameters.cuda_device_index if parameters.rocm_device_index is None else parameters.rocm_device_index
    name = f"GPU{number}"
    is_local = nic.nic.rdma_device == parameters.rdma_device
    return name if number is not None and is_local and name in plan.hosts[nic.host].gpus else None


def _place_buffers(run: Run, plan: Plan, ends: Sequence[NicPlace]) -> list[NicPlace]:
    """The ends, each with the GPU of its buffers: at the local end as logged, else the GPU that the NIC serves."""
    named = {nic.nic.rdma_device for nic in ends}
    return [
        replace(nic, nic=replace(nic.nic, gpu=gpu))
        if len(named) == len(ends) and (gpu := _find_logged_gpu(run, plan, nic)) is not None
        else nic
        for nic in ends
    ]


def _find_slots(run: Run, plan: Plan, ends: Iterable[NicPlace], assumptions: list[str]) -> tuple[SlotInUse, ...]:
    """The links of both ends, a link that both use once."""
    on_gpu = gpu_memory(run)
    links: dict[tuple[str, str], SlotInUse] = {}

    def add(host_name: str, address: str | None, name: str, slot: pcie.Slot) -> None:
        key = (host_name, address or name)
        links[key] = replace(links[key], ends=links[key].ends + 1) if key in links else SlotInUse(name, slot)

    for nic in ends:
        slot = nic_slot(plan, nic, assumptions)
        if slot is not None:
            add(nic.host, find_slot_address(plan, nic.host, nic.nic), f"NIC slot of {nic}", slot)
        for uplink in _find_uplinks(plan, nic, on_gpu):
            add(nic.host, uplink.name, f"{uplink.name} of {nic.host}", uplink.slot)
        gpu = gpu_slot(plan, nic.host, nic.nic.gpu, assumptions) if on_gpu else None
        if gpu is not None:
            is_logged = _find_logged_gpu(run, plan, nic) == nic.nic.gpu
            stated = "stated in the log" if is_logged else "the GPU that it serves"
            assumptions.append(f"the buffer of {nic} is on {nic.nic.gpu}, {stated}")
            add(nic.host, nic.nic.gpu, f"PCIe slot of {nic.nic.gpu} (near {nic})", gpu)
    return tuple(links.values())


def _find_uplinks(plan: Plan, place: NicPlace, on_gpu: bool) -> tuple[host.Uplink, ...]:
    """The PCIe switches' uplinks on the path from a NIC to the buffer."""
    if not on_gpu:
        return host.uplinks_to_memory(plan, place.host, place.nic.pcie)
    gpu = plan.hosts[place.host].gpus.get(place.nic.gpu or "")
    return host.uplinks_to_gpu(plan, place.host, place.nic.pcie, gpu.pcie) if gpu else ()


def _list_further_terms(run: Run, plan: Plan, ends: list[NicPlace], path: Path, bidirectional: bool) -> Iterable[Term]:
    """Further physical limits: the cables between two NICs for one flow, and the CPU sockets between NIC and GPU."""
    flow = _compute_flow_rate(run, plan, ends)
    if flow is not None and flow < path.speed:
        slow = Path(flow, path.path_mtu, path.encapsulation)
        term = framing.two_way(slow) if bidirectional else framing.one_way(slow)
        yield replace(term, name="slowest cable between the NICs")
    for nic in ends if gpu_memory(run) else ():
        gpu = plan.hosts[nic.host].gpus.get(nic.nic.gpu or "")
        term_between = host.socket_term(
            plan, nic.host, nic.nic.pcie, gpu.pcie if gpu else None, bidirectional=bidirectional
        )
        if term_between is not None:
            yield term_between


def _compute_cable_delay(plan: Plan, ends: list[NicPlace]) -> Term | None:
    if len(ends) < 2:
        return None
    return latency.cables_term(plan, (ends[0].host, ends[0].interface), (ends[1].host, ends[1].interface))


def _compute_flow_rate(run: Run, plan: Plan, ends: list[NicPlace]) -> Bandwidth | None:
    """The rate of one queue pair on the fastest path between two NICs; several queue pairs may use several paths."""
    if len(ends) < 2 or (run.parameters.queue_pairs or 1) > 1:
        return None
    return fabric.find_flow_bandwidth(plan, (ends[0].host, ends[0].interface), (ends[1].host, ends[1].interface))


def _find_catalogue_rate(plan: Plan, ends: list[NicPlace], bidirectional: bool) -> float | None:
    """The message rate of the slower NIC by the catalogue; None where the catalogue does not contain it."""
    models = [plan.hardware.nics.get(nic.nic.model or "") for nic in ends]
    rates = [model.message_rate.value for model in models if model is not None and model.message_rate is not None]
    return min(rates) * (2.0 if bidirectional else 1.0) if rates and len(rates) == len(ends) else None


def _is_bidirectional(run: Run) -> bool:
    return bool(run.parameters.bidirectional) or "bidirectional" in (run.test or "").lower()


def _find_verb(run: Run) -> Verb:
    name = (run.test or "").lower()
    if "read" in name:
        return Verb.READ
    return Verb.SEND if "send" in name else Verb.WRITE


def _message_rate(
    run: Run, plan: Plan, ends: list[NicPlace], profile: Profile, bidirectional: bool
) -> tuple[float, str]:
    """Messages per second, both directions added where the test adds them, and the source of the number."""
    sizes = {measurement.size_bytes for measurement in run.measurements}
    rates = [measurement.value * 1e6 for measurement in run.measurements if measurement.metric is Metric.MSG_RATE]
    if rates and any(size is not None and size <= SMALL for size in sizes):
        return limit_message_rate(max(rates), profile)
    directions = 2 if bidirectional else 1
    model = plan.hardware.nics.get(ends[0].nic.model or "")
    if model is not None and model.message_rate is not None:
        return directions * float(model.message_rate.value), "by the catalogue"
    return directions * profile.floors.message_rate.value, "assumed by the profile"


def _list_fingerprints(run: Run, path: Path, links: Sequence[SlotInUse], bidirectional: bool) -> Fingerprints:
    facts = LogFacts(run.parameters.path_mtu_bytes, run.parameters.queue_pairs, uses_rdma=True)
    planned = framing.two_way(path) if bidirectional else framing.one_way(path)
    terms = {link: link.build_two_way_term() if bidirectional else pcie.one_way(link.slot) for link in links}
    narrowest = min(links, key=lambda link: terms[link].value, default=None)
    if narrowest is None:
        rates = list_degraded_rates(path, None, facts, bidirectional=bidirectional)
        return Fingerprints(planned, rates)
    ends = narrowest.ends if bidirectional else 1
    rates = list_degraded_rates(path, narrowest.slot, facts, bidirectional=bidirectional, slot_ports=ends)
    slot_term = replace(terms[narrowest], value=terms[narrowest].value * ends)  # the fractions are those of it
    planned = min(planned, slot_term, key=lambda term: term.value)
    return Fingerprints(planned, rates)


_FAST_FOR_ONE_QUEUE_PAIR = Bandwidth.gbps(200)
"""NICs from this speed on need several queue pairs in public results: linux-rdma/perftest issue 252 (200 Gb/s, by its
maintainer), NVIDIA/nccl issue 2409 (400 Gb/s: 284 Gb/s with one, 391 with eight)."""


def _describe_queue_pair(run: Run, plan: Plan, ends: Sequence[NicPlace], path: Path) -> str | None:
    """Why the single queue pair of a log may be the cause of a loss, and how to repeat the run; None if it is none."""
    if run.parameters.queue_pairs != 1:
        return None
    shared = _describe_shared_path(plan, ends)
    if shared is None and path.speed < _FAST_FOR_ONE_QUEUE_PAIR:
        return None
    reason = f", which uses {shared}" if shared else ", which may be the cause"
    return f"the test had one queue pair{reason}: if it fails again, repeat it with `-q 4`"


def _describe_shared_path(plan: Plan, ends: Sequence[NicPlace]) -> str | None:
    """The port of a bond, or the uplink of a leaf, that one queue pair uses of several; None if the path is single.

    NVIDIA/nccl issue 1015; linux-rdma/perftest issue 252, by its maintainer; perftest manual, ``--qp``.
    """
    if any(end.nic.bond.mode or end.nic.controller for end in ends):
        return "one port of the bond"
    fabric_of_plan = build_fabric(plan)
    leaf_of = {(endpoint.host, endpoint.interface): endpoint.leaf for endpoint in fabric_of_plan.endpoints}
    leaves = dict.fromkeys(leaf_of.get((end.host, end.interface)) for end in ends)
    if len(ends) > 1 and len(leaves) < 2:
        return None  # below one leaf, or not cabled in the plan
    counts = {leaf: fabric_of_plan.uplinks.get(leaf, 0) for leaf in leaves if leaf is not None}
    leaf, count = max(counts.items(), key=lambda entry: entry[1], default=("", 0))
    return f"one of {count} uplinks of {leaf}" if count > 1 else None


def gpu_memory(run: Run) -> bool:
    """Whether buffers are in memory of GPUs."""
    return run.parameters.on_gpu


def memories(plan: Plan, ends: Iterable[NicPlace]) -> tuple[host.MemoryOfHost, ...]:
    """The memory of the hosts at both ends, where the catalogue knows it."""
    paths = (host.find_memory(plan, name) for name in dict.fromkeys(nic.host for nic in ends))
    return tuple(path for path in paths if path is not None)


def list_memory_terms(
    run: Run, plan: Plan, ends: list[NicPlace], assumptions: list[str], bidirectional: bool
) -> Iterable[Term]:
    """Terms of host memory: its bandwidth, and writes that must keep their order."""
    if gpu_memory(run):
        return
    for name in dict.fromkeys(nic.host for nic in ends):
        memory = host.memory_term(plan, name, bidirectional=bidirectional)
        if memory is not None:
            yield memory
    for nic in ends:
        if not _has_strict_ordering(run, plan, nic):
            continue
        term = host.find_ordered_writes_term(plan, nic.host)
        if term is None:
            assumptions.append(f"PCIe relaxed ordering is off at {nic}: what its CPU then reaches is not known")
        else:
            yield term if not bidirectional else replace(term, value=2 * term.value, formula=f"2 × {term.formula}")


def _has_strict_ordering(run: Run, plan: Plan, place: NicPlace) -> bool:
    """Whether PCIe relaxed ordering is off, by the log, the plan or the facts."""
    function = plan.hosts[place.host].pcie.get(place.nic.pcie or "")
    return host.writes_in_order(place.nic, function) or run.parameters.pcie_relaxed_ordering is False


def _compare_index(run: Run, plan: Plan) -> Iterator[str]:
    """A note on a run with another GID than planned: another index, or a link-local address.

    Linux lists for each address of a port its RoCE v1 GID and then its RoCE v2 GID, the link-local address first
    (drivers/infiniband/core/roce_gid_mgmt.c); only index and address are in the log.
    """
    planned = next((host.launch.gid_index for host in plan.hosts.values() if host.launch.gid_index is not None), None)
    used = run.parameters.gid_index
    address = parse_gid(run.parameters.local_gid)
    is_local = address is not None and is_link_local(address)
    if not is_local and (used is None or planned is None or used == planned):
        return
    index = f"GID index {used} in use" if used is not None else "a GID in use"
    kind = ", a link-local IPv6 address" if is_local else ""
    expected = f", planned is {planned}" if planned is not None else ""
    yield f"{index}{kind}{expected} (`wirespeed explain NIC-05`)"


def _compare_addresses(run: Run, plan: Plan) -> Iterator[str]:
    """Notes on GIDs that are no address of the plan, or that of another NIC than the log names."""
    device = run.parameters.rdma_device
    if device is not None and nic_with_device(plan, device) is None:
        return  # a log of other hosts
    is_elsewhere = bool(list_other_addresses(run, plan))  # a log of other hosts: no GID index is wrong
    for end, printed in (("local", run.parameters.local_gid), ("remote", run.parameters.remote_gid)):
        nic, address = find_nic_by_gid(printed, plan), _read_address(printed)
        if nic is not None and end == "local" and device not in (None, nic.nic.rdma_device, nic.interface):
            yield f"the log's NIC is {device}, but its local GID {address} is that of {nic}"
        elif nic is None and address is not None and any(place.nic.addresses for place in list_nics(plan)):
            advice = "" if is_elsewhere else " (`wirespeed explain NIC-05`)"
            yield f"{end} GID {address} is not an address of the cluster {plan.name}{advice}"


def _read_address(printed: str | None) -> str | None:
    """The IPv4 address that a GID contains."""
    gid = parse_gid(printed)
    return ".".join(map(str, gid[-4:])) if gid is not None and gid.startswith(MAPPED_PREFIX) else None


def _compare_queue_pairs(run: Run, plan: Plan) -> Iterator[str]:
    """A note on more queue pairs than the NIC has."""
    count, device = run.parameters.queue_pairs, run.parameters.rdma_device
    place = nic_with_device(plan, device) if device else next(list_nics(plan), None)
    model = plan.hardware.nics.get(place.nic.model or "") if place is not None else None
    if count is None or model is None or model.queue_pairs is None or count <= model.queue_pairs.value:
        return
    yield f"{count:,} queue pairs in the log, but {model.title} has at most {model.queue_pairs.value:,}"
