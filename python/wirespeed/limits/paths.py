"""Physical limits of the paths inside each host, in one direction, Gb/s: what a design can give before anything runs.

NICs to the wire, GPUs to memory, and GPUs to each other: over their links, peer to peer over PCIe, staged through the
memory of the host, and over the bridge of a host that borrows them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from wirespeed.limits import host as host_limits
from wirespeed.limits import pcie
from wirespeed.limits.bound import GBPS, GIGABYTES, convert, number, tightest
from wirespeed.limits.device_lending import BRIDGE_TERM, count_borrowed, list_bridge_slots, list_lent_slots
from wirespeed.limits.gpus import find_gpu_links
from wirespeed.limits.impact import gpu_function, limit_nic, nic_function
from wirespeed.limits.nic import build_slot
from wirespeed.limits.peer_access import PEER_TO_PEER, STAGED, find_staged_pair
from wirespeed.plan import Plan
from wirespeed.plan.source_verification import find_unverified_term_source
from wirespeed.results.verdicts import Bound, Term
from wirespeed.settings import Nic


@dataclass(frozen=True, slots=True)
class PathLimit:
    """The limit of one path in one direction."""

    host: str
    source: str
    target: str
    method: str  # RDMA, TCP, peer to peer, …
    bound: Bound


def list_path_limits(plan: Plan) -> tuple[PathLimit, ...]:
    """The limits of all paths inside hosts; paths without known rates are left out."""
    return tuple(mark_unverified(plan, limit, (host,)) for host in plan.hosts for limit in _list_limits(plan, host))


def mark_unverified(plan: Plan, limit: PathLimit, hosts: tuple[str, ...]) -> PathLimit:
    """The limit, with an assumption for each term whose value has a source that was not read."""
    sources = (find_unverified_term_source(plan, hosts, term.name) for term in limit.bound.terms)
    texts = (f"source not read: {source}" for source in sources if source is not None)
    assumptions = dict.fromkeys((*limit.bound.assumptions, *texts))
    return dataclasses.replace(limit, bound=dataclasses.replace(limit.bound, assumptions=tuple(assumptions)))


@dataclass(frozen=True, slots=True)
class SlotLimit:
    """What the PCIe slots of half of the hosts carry in one direction, Gb/s, where ports of a card share one."""

    value: float
    slot: str  # of the first host with a shared slot


def limit_by_slots(plan: Plan) -> SlotLimit | None:
    """The least that the slots of half of the hosts carry. None if no slot that ports share limits a host."""
    sums: list[float] = []
    slots: list[str] = []
    for host, settings in plan.hosts.items():
        limits = {interface: _limit_nic(plan, host, nic) for interface, nic in settings.nics.items()}
        rates = {
            settings.nics[interface].pcie or interface: limit[1].value
            for interface, limit in limits.items()
            if limit is not None and settings.nics[interface].rail is not None
        }
        total, bottleneck = host_limits.compute_shared_rate(plan, host, rates, to_memory=False)
        sums.append(total)
        slots += [f"{bottleneck} of {host}"] if bottleneck is not None else []
    return SlotLimit(sum(sorted(sums)[: len(sums) // 2]), slots[0]) if slots else None


def _list_limits(plan: Plan, host: str) -> Iterator[PathLimit]:
    rates: dict[str, float] = {}
    for interface, nic in plan.hosts[host].nics.items():
        limit = _limit_nic(plan, host, nic)
        if limit is not None:
            method, bound = limit
            if nic.rail is not None:
                rates[nic.pcie or interface] = bound.value
            yield PathLimit(host, interface, "its link", method, bound)
    if len(rates) > 1:
        yield PathLimit(host, "all NICs", "their links", "from host memory", _limit_all_nics(plan, host, rates))
    yield from _list_gpu_limits(plan, host)


def _limit_nic(plan: Plan, host: str, nic: Nic) -> tuple[str, Bound] | None:
    return limit_nic(plan, nic, nic_function(plan, host, nic))


def _limit_all_nics(plan: Plan, host: str, rates: dict[str, float]) -> Bound:
    total, shared_link = host_limits.compute_shared_rate(plan, host, rates)
    formula = " + ".join(number(rate) for rate in rates.values()) + " Gb/s"
    terms = [Term("NICs", sum(rates.values()), GBPS, formula, "the limits of the single NICs")]
    if shared_link is not None:
        formula = host_limits.format_shared_rate(plan, host, rates)
        terms.append(Term(shared_link, total, GBPS, formula, pcie.SOURCE))
    memory = host_limits.memory_term(plan, host, bidirectional=False)
    return tightest([*terms, *([memory] if memory else [])])


def _list_gpu_limits(plan: Plan, host: str) -> Iterator[PathLimit]:
    gpus = plan.hosts[host].gpus
    for gpu in gpus:
        yield from limit_gpu_to_memory(plan, host, gpu)
    for first, second in combinations(gpus, 2):
        yield from limit_gpu_pair(plan, host, first, second)
    yield from _list_borrowed_limits(plan, host)


def limit_gpu_to_memory(plan: Plan, host: str, gpu: str) -> Iterator[PathLimit]:
    """The slot of a GPU, the PCIe switches above it, and the memory of the host."""
    slot = _build_slot_term(plan, host, gpu)
    if slot is not None:
        links = host_limits.uplinks_to_memory(plan, host, plan.hosts[host].gpus[gpu].pcie)
        terms = [slot, *(pcie.one_way(link.slot, link.name) for link in links)]
        memory = host_limits.memory_term(plan, host, bidirectional=False)
        yield PathLimit(host, gpu, "host memory", "PCIe", tightest([*terms, *([memory] if memory else [])]))


def limit_gpu_pair(plan: Plan, host: str, first: str, second: str) -> Iterator[PathLimit]:
    """Two GPUs: over their links; without links peer to peer over PCIe, and staged in the memory of the host."""
    links = find_gpu_links(plan, host)
    if links is not None:
        count = 1 if links.full_mesh else links.per_gpu
        formula = f"{count} × {number(links.peak)} GB/s peak {links.name}"
        value = convert(count * links.peak, GIGABYTES, GBPS)
        term = Term(f"{links.name} links", value, GBPS, formula, links.source)
        yield PathLimit(host, first, second, links.name, tightest([term]))
        return
    slots = [_build_slot_term(plan, host, gpu) for gpu in (first, second)]
    ends = [slot for slot in slots if slot is not None]
    if len(ends) < len(slots):
        return
    peer_terms = _list_pcie_terms(plan, host, first, second)
    addresses = [plan.hosts[host].gpus[gpu].pcie for gpu in (first, second)]
    unknown = host_limits.describe_unknown_socket_link(plan, host, *addresses)
    staged_pair = find_staged_pair(plan, host, (first, second))
    assumptions = [] if staged_pair is None else [f"NCCL_P2P_LEVEL={staged_pair.level}: without it, {staged_pair}"]
    bound = tightest([*ends, *peer_terms], [*([unknown] if unknown is not None else []), *assumptions])
    yield PathLimit(host, first, second, PEER_TO_PEER, bound)
    memory = host_limits.memory_term(plan, host, bidirectional=False)
    staged = [_halve(memory)] if memory is not None else []
    links_to_memory = {
        link
        for gpu in (first, second)
        for link in host_limits.uplinks_to_memory(plan, host, plan.hosts[host].gpus[gpu].pcie)
    }
    uplinks = [pcie.one_way(link.slot, link.name) for link in sorted(links_to_memory, key=lambda link: link.address)]
    socket = host_limits.socket_term(plan, host, *addresses, bidirectional=False)
    crossing = [socket] if socket is not None else []
    yield PathLimit(host, first, second, STAGED, tightest([*ends, *uplinks, *crossing, *staged]))


def _build_slot_term(plan: Plan, host: str, gpu: str) -> Term | None:
    slot = build_slot(gpu_function(plan, host, gpu), [])
    return pcie.one_way(slot, f"PCIe slot of {gpu}") if slot is not None else None


def _list_pcie_terms(plan: Plan, host: str, first: str, second: str) -> Iterator[Term]:
    """The uplinks of PCIe switches and the link between sockets on the path of two GPUs."""
    addresses = [plan.hosts[host].gpus[gpu].pcie for gpu in (first, second)]
    for uplink in host_limits.uplinks_to_gpu(plan, host, *addresses):
        yield pcie.one_way(uplink.slot, uplink.name)
    socket = host_limits.socket_term(plan, host, *addresses, bidirectional=False)
    if socket is not None:
        yield socket


def _halve(term: Term) -> Term:
    return dataclasses.replace(term, value=term.value / 2, formula=f"({term.formula}) / 2, written and read again")


def _list_borrowed_limits(plan: Plan, host: str) -> Iterator[PathLimit]:
    """Borrowed GPUs share the slots of the bridges at both ends, and each has its own slot in its lender.

    One limit for all if their slots are equal, else one for each. With all GPUs at once it is the rate that each has.
    """
    bridges, lent_slots, count = list_bridge_slots(plan, host), list_lent_slots(plan, host), count_borrowed(plan, host)
    if not bridges:
        return
    terms = [pcie.one_way(end.slot, f"{BRIDGE_TERM}, slot of {end.host}:{end.interface}") for end in bridges]
    slot_terms = [(f"borrowed {end.device}", pcie.one_way(end.slot, end.name)) for end in lent_slots]
    slowest = slot_terms[-1:]
    if len({term.value for _, term in slot_terms}) < 2:
        slot_terms = [("a borrowed GPU", term) for _, term in slowest]
    for source, term in slot_terms:
        yield PathLimit(host, source, "host memory", "PCIe bridge", tightest([*terms, term]))
    if not slot_terms:
        yield PathLimit(host, "a borrowed GPU", "host memory", "PCIe bridge", tightest(terms))
    if count > 1:
        shared = [
            dataclasses.replace(term, value=term.value / count, formula=f"({term.formula}) / {count} GPUs at once")
            for term in terms
        ]
        bound = tightest([*shared, *(term for _, term in slowest)])
        yield PathLimit(host, f"each of {count} borrowed GPUs", "host memory", "PCIe bridge", bound)
