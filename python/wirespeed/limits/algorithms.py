"""Bus bandwidth that an algorithm reaches over the usable GPU links, and over NICs that also carry acknowledgements.

Another algorithm may be faster: these are expected values. `wirespeed.limits.cuts` has the physical limits.

* **ring** on one host of k GPUs in a full mesh: the mesh splits into k-1 directed Hamiltonian cycles without a common
  link (Tillson 1980; for k = 4 and 6 by weights), each carries its share at the usable rate L of one link:
  bus bandwidth (k-1)·L. Behind a switch every ring enters and leaves a GPU over all its links.
* **ring** across hosts: each ring enters a host by one NIC, passes its k GPUs over k-1 links and leaves by a NIC.
  k such paths use each of the k(k-1) links of a mesh once: bus bandwidth min(k·L, the host's NICs).
  All-reduce, reduce-scatter, all-gather, broadcast and reduce (NCCL counts bus bandwidth so).
* **tree** (all-reduce): two complementary trees over the hosts, half the data each; a host sends 2·S (up once, down
  twice, as inner node of one and leaf of the other), with two hosts S. Bus bandwidth (n-1)/n × NICs, with two hosts
  twice that; a chain over the GPUs of a host carries S up and S down.
* **nvls** (all-reduce): the switch between GPUs sums and copies. Each GPU sends S and its own n-th part of the sum once
  more: bus bandwidth 2(n-1)/(n+1) × the part of its usable links that such traffic reaches. **nvls-tree** is the same
  on every host of k GPUs, with a tree over the hosts.
* **collnet** (all-reduce): the switches of the network sum (SHARP); the GPUs of a host reduce their parts, and each
  host sends and receives S once: bus bandwidth 2(n-1)/n × NICs.
* **linear** (gather, scatter): every rank sends to the root, or the root to every rank; the root's links and NICs are
  the bottleneck.
* **doubling** (hypercube): in each of log2(n) steps a rank exchanges all it has with one other. Over a mesh a step uses
  one link; every rank sends what it has to another host.
* **pairwise** (all-to-all): every rank sends straight to every other; the NICs or the links are the limit.
* **sendrecv**: a rank sends over one link, or across hosts over one NIC.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from enum import StrEnum

from wirespeed.limits.bound import GIGABYTES, number, tightest
from wirespeed.limits.group import Collective, Group, Member
from wirespeed.results.verdicts import Bound, Term

ACKS_PER_PACKET = 0.5
"""Acknowledgements for each data packet in a bidirectional stream: document 000's 775.17 Gb/s of 784.30 lies between
one for every second packet (776.30) and one for each (768.45)."""
ASSUMED_ACKS = f"one acknowledgement for every {number(1 / ACKS_PER_PACKET)} data packets; both directions are loaded"

_RING_OF_MESH = "Tillson 1980 (rings of a full mesh); RCCL topology model of MI300X: one ring in and one out per NIC"
_RING_OF_NICS = (
    "nccl-tests doc/PERFORMANCE.md (bus bandwidth of a ring); NCCL src/graph/search.cc: a ring enters and "
    "leaves a host by a NIC"
)
_RING_OF_SWITCH = "nccl-tests doc/PERFORMANCE.md: bus bandwidth of a ring, which uses all links of each GPU"
_NVLS = "each GPU sends S once and its part of the sum once; efficiency: NCCL src/graph/tuning.cc"
_COLLNET = "each host sends S and receives the sum: NCCL src/graph/tuning.cc, CollNet"
_TREE = "double binary tree: Sanders, Speck and Träff 2009, as NCCL uses it"


NICS_OF_HOST = "NICs of a host"
NIC_SLOTS_OF_HOST = "NIC slots of a host"
MESSAGE_RATE = "message rate"
"""The name of the term of the messages per second that a NIC has been measured to send."""
ONE_NIC = " (one NIC)"
"""What the name of a term of a single NIC ends with."""


def is_nic_term(name: str) -> bool:
    """Whether a term is that of the NICs of a host, of their slots, or of one NIC."""
    return name in (NICS_OF_HOST, NIC_SLOTS_OF_HOST) or name.endswith(ONE_NIC)


def is_measured(name: str) -> bool:
    """Whether a term contains a measured figure: of links, messages, or the assumed acknowledgements."""
    is_published = name.startswith("reachable ") or name in (MESSAGE_RATE, "TCP cores")
    return is_published or is_nic_term(name) or "IP driver" in name


class Algorithm(StrEnum):
    """The algorithm by which a collective moves its data."""

    RING = "ring"
    TREE = "tree"
    PAIRWISE = "pairwise"
    DIRECT = "direct"
    NVLS = "nvls"
    NVLS_TREE = "nvls-tree"
    COLLNET = "collnet"
    LINEAR = "linear"
    DOUBLING = "doubling"


_RINGS = frozenset(
    {
        Collective.ALL_REDUCE,
        Collective.REDUCE_SCATTER,
        Collective.ALL_GATHER,
        Collective.BROADCAST,
        Collective.REDUCE,
    }
)


_USUAL = {
    **dict.fromkeys(_RINGS, Algorithm.RING),
    Collective.ALL_TO_ALL: Algorithm.PAIRWISE,
    Collective.ALL_TO_ALL_V: Algorithm.PAIRWISE,
    Collective.SENDRECV: Algorithm.DIRECT,
    Collective.GATHER: Algorithm.LINEAR,
    Collective.SCATTER: Algorithm.LINEAR,
    Collective.HYPERCUBE: Algorithm.DOUBLING,
}
_REDUCING = frozenset({Algorithm.NVLS, Algorithm.NVLS_TREE})
_OF_ALL_REDUCE = frozenset({Algorithm.RING, Algorithm.TREE, *_REDUCING, Algorithm.COLLNET})


def select_algorithm(
    collective: Collective, requested: Algorithm | None = None, group: Group | None = None
) -> Algorithm:
    """The algorithm that moves large messages: the requested one if the collective has it, else the usual one of the
    library.

    NCCL reduces in the switches between GPUs where it can and where that is faster than a ring; with two hosts it uses
    a tree over them, which passes the bandwidth of their NICs (NCCL src/graph/tuning.cc; its author in
    NVIDIA/nccl-tests issue 196).
    """
    if collective is not Collective.ALL_REDUCE:
        return _USUAL[collective]
    if requested in _OF_ALL_REDUCE:
        return requested
    if group is None or not group.has_switch_reduction:
        return Algorithm.RING
    if not group.across_hosts:
        return Algorithm.NVLS if _is_ring_slower(group) else Algorithm.RING
    if len(group.members) != 2 or any(member.ranks < 2 for member in group.members):
        return Algorithm.RING
    return Algorithm.NVLS_TREE if _can_use_nvls(group) else Algorithm.TREE


_NVLS_GPUS = 3
"""The fewest GPUs of a host for which NCCL 2.18 to 2.28.3 sets up NVLS (src/transport/nvls.cc, ncclNvlsInit).

Later releases set it up for two, too. Their model gives it less bandwidth there than a ring (src/graph/tuning.cc).
"""


def _can_use_nvls(group: Group) -> bool:
    """Whether NCCL considers NVLS: every host has switches that reduce, and enough GPUs of the job."""
    return group.has_switch_reduction and all(member.ranks >= _NVLS_GPUS for member in group.members)


def _is_ring_slower(group: Group) -> bool:
    """Whether NVLS reaches more than a ring on one host: NCCL takes what its model gives the shortest time.

    Its model has the same share of the links (src/graph/tuning.cc, nvlsEfficiency): each GPU sends its part of the sum
    beside its data, which is half of the data with two GPUs and an eighth with eight.
    """
    ring, nvls = (reachable(Collective.ALL_REDUCE, group, algorithm) for algorithm in (Algorithm.RING, Algorithm.NVLS))
    return _can_use_nvls(group) and (ring is None or nvls is None or nvls.value > ring.value)


def list_possible_algorithms(collective: Collective, group: Group, *, switches_sum: bool = False) -> list[Algorithm]:
    """The algorithms by which the hardware of a group can do a collective; ``switches_sum``: those of the network."""
    if collective is not Collective.ALL_REDUCE:
        return [_USUAL[collective]]
    possible = [Algorithm.RING, Algorithm.TREE]
    if _can_use_nvls(group):
        possible.append(Algorithm.NVLS_TREE if group.across_hosts else Algorithm.NVLS)
    if switches_sum and group.across_hosts:
        possible.append(Algorithm.COLLNET)
    return possible


def reachable(
    collective: Collective, group: Group, algorithm: Algorithm, beyond: Sequence[tuple[str, Group]] = ()
) -> Bound | None:
    """Bus bandwidth in GB/s that the algorithm reaches. None: no figure for the usable rate of the links.

    ``beyond`` contains the same ranks by the switches above their hosts, each with a name (`wirespeed.limits.fabric`).
    """
    terms = [term for term in (_find_link_term(algorithm, group), _find_nic_term(algorithm, group)) if term is not None]
    above = [(name, _find_nic_term(algorithm, uplink_group)) for name, uplink_group in beyond]
    terms += [dataclasses.replace(term, name=name) for name, term in above if term is not None]
    if algorithm in _REDUCING and any(m.ranks > 1 and not (m.links and m.links.reduction_share) for m in group.members):
        return None
    if not terms or (not group.across_hosts and any(member.links is None for member in group.members)):
        return None
    assumptions = [describe_algorithm(algorithm, collective)]
    if collective is Collective.ALL_TO_ALL_V:
        assumptions.append("even shares assumed: the log does not contain those of all-to-all-v")
    if group.across_hosts:
        assumptions.append(ASSUMED_ACKS)
        assumptions.append(
            "traffic between leaves is spread evenly over all uplinks"
            if beyond
            else "no oversubscription between leaves"
        )
    return tightest(terms, assumptions)


def describe_algorithm(algorithm: Algorithm, collective: Collective) -> str:
    """The assumption that an algorithm moves large messages."""
    return f"large messages of {collective.value} use the {algorithm.value} algorithm"


def _find_link_term(algorithm: Algorithm, group: Group) -> Term | None:
    """The term of the GPU links, from the slowest host; None where a host has several ranks and no usable figure."""
    members = (group.root_member,) if algorithm is Algorithm.LINEAR else group.members
    host_kinds = {
        (member.ranks, member.links): member for member in members if member.ranks > 1
    }  # one host of each kind
    terms = [_host_links(algorithm, member, group) for member in host_kinds.values()]
    known_terms = [term for term in terms if term is not None]
    if len(known_terms) < len(terms) or not known_terms:
        return None
    return min(known_terms, key=lambda term: term.value)


def _host_links(algorithm: Algorithm, member: Member, group: Group) -> Term | None:
    links = member.links
    if links is None or links.usable is None:
        return None
    k, n = member.ranks, group.ranks
    gpu = links.count_links(k) * links.usable  # all links of one GPU
    links_text = f"{links.count_links(k)} × {number(links.usable)} GB/s reachable {links.name} rate"
    name = f"reachable {links.name} rate"
    ring = f"{_RING_OF_MESH if links.full_mesh else _RING_OF_SWITCH}; {links.source}"
    match algorithm:
        case Algorithm.RING if group.across_hosts:
            return Term(name, gpu * k / (k - 1), GIGABYTES, f"{links_text} × {k}/{k - 1} rings", ring)
        case Algorithm.RING:
            return Term(name, gpu, GIGABYTES, links_text, ring)
        case Algorithm.COLLNET if links.reduction_share:
            return _switch_reduction(member, group)
        case Algorithm.TREE | Algorithm.COLLNET if group.across_hosts:
            value = gpu * k / (k - 1) * (n - 1) / n
            formula = f"{links_text} × {k}/{k - 1} chains × {n - 1}/{n}"
            return Term(name, value, GIGABYTES, formula, f"{_TREE}; {links.source}")
        case Algorithm.TREE | Algorithm.COLLNET:
            return Term(name, gpu * (n - 1) / n, GIGABYTES, f"{links_text} × {n - 1}/{n}", f"{_TREE}; {links.source}")
        case Algorithm.NVLS | Algorithm.NVLS_TREE:
            return _switch_reduction(member, group) if links.reduction_share else None
        case Algorithm.LINEAR:
            nic = min(member.nics_acknowledged, default=0.0) if group.across_hosts else 0.0
            nic_text = f" + {number(nic)} GB/s of its NIC" if nic else ""
            return Term(f"{name} of the root", gpu + nic, GIGABYTES, f"{links_text}{nic_text}", links.source)
        case Algorithm.DOUBLING:
            per_link = links.usable if links.full_mesh else gpu
            value = per_link * (n - 1) / (k - 1)
            formula = (
                f"{number(per_link)} GB/s to one GPU at a time × {n - 1}/{k - 1}, {k - 1} of {n - 1} parts on the host"
            )
            return Term(name, value, GIGABYTES, formula, links.source)
        case Algorithm.PAIRWISE:
            # S/n to each of k-1 peers here; bus bandwidth counts (n-1)/n of S.
            formula = f"{links_text} × {n - 1}/{k - 1}, {k - 1} of {n - 1} peers on the host"
            return Term(name, gpu * (n - 1) / (k - 1), GIGABYTES, formula, links.source)
        case Algorithm.DIRECT:
            per_link = links.usable if links.full_mesh else gpu
            return Term(name, per_link, GIGABYTES, f"{number(per_link)} GB/s to the next GPU", links.source)


def _switch_reduction(member: Member, group: Group) -> Term | None:
    """All-reduce where the switch between GPUs sums and copies."""
    links = member.links
    if links is None or links.usable is None or links.reduction_share is None:
        return None
    k, n = member.ranks, group.ranks
    rate = links.reduction_share * links.count_links(k) * links.usable
    per_gpu = f"{links.count_links(k)} × {number(links.usable)} GB/s reachable {links.name} rate"
    links_text = f"{number(links.reduction_share)} × {per_gpu}"
    formula = f"2·{n - 1}/{n} × {links_text} / (1 + 1/{k})"
    return Term(
        f"reachable {links.name} rate",
        2 * (n - 1) / n * rate / (1 + 1 / k),
        GIGABYTES,
        formula,
        f"{_NVLS}; {links.source}",
    )


def _describe_bottleneck(slowest: Member, group: Group) -> str:
    """What limits the NICs of the slowest host, with its name if others are faster, and their sum with equal traffic.

    A library that takes its NICs for equal sends as much over each.
    """
    rates = slowest.nics_acknowledged
    is_slower = any(member.network_acknowledged > slowest.network_acknowledged for member in group.members)
    host = f" of {slowest.name}" if is_slower else ""
    is_unequal = number(min(rates)) != number(max(rates))
    equal = f"; {number(len(rates) * min(rates))} GB/s with equal traffic on each" if is_unequal else ""
    return f"{slowest.nics_bottleneck}{host}, acknowledgements{equal}"


def _find_nic_term(algorithm: Algorithm, group: Group) -> Term | None:
    """The term of the NICs, from the slowest host; None on one host or where NICs are unknown."""
    if not group.across_hosts or any(not member.nics for member in group.members):
        return None
    slowest = min(group.members, key=lambda member: member.network_acknowledged)
    n = group.ranks
    network = slowest.network_acknowledged
    nic = min(slowest.nics_acknowledged)
    nics_text = f"{slowest.format_nics(slowest.nics_acknowledged)} ({_describe_bottleneck(slowest, group)})"
    name = NIC_SLOTS_OF_HOST if slowest.nics_bottleneck == "NIC slot" else NICS_OF_HOST
    ring = _RING_OF_MESH if any(m.links is not None and m.links.full_mesh for m in group.members) else _RING_OF_NICS
    match algorithm:
        case Algorithm.RING:
            return Term(name, network, GIGABYTES, nics_text, ring)
        case Algorithm.TREE | Algorithm.NVLS | Algorithm.NVLS_TREE:
            passes = 2 if len(group.members) == 2 else 1
            factor = f"{passes} × " if passes > 1 else ""
            return Term(name, passes * network * (n - 1) / n, GIGABYTES, f"{factor}{nics_text} × {n - 1}/{n}", _TREE)
        case Algorithm.COLLNET:
            value = 2 * network * (n - 1) / n
            return Term(name, value, GIGABYTES, f"2 × {nics_text} × {n - 1}/{n}", _COLLNET)
        case Algorithm.LINEAR:
            root = group.root_member
            value = root.network_acknowledged * (n - 1) / (n - root.ranks)
            elsewhere = n - root.ranks
            formula = (
                f"{number(root.network_acknowledged)} GB/s of NICs × {n - 1}/{elsewhere}, {elsewhere} peers elsewhere"
            )
            return Term("NICs of the root's host", value, GIGABYTES, formula, "S/n for each rank elsewhere")
        case Algorithm.PAIRWISE | Algorithm.DOUBLING:
            busiest = max(group.members, key=lambda member: member.ranks / member.network_acknowledged)
            k = busiest.ranks
            value = busiest.network_acknowledged / k * (n - 1) / (n - k)
            formula = f"{nics_text} / {k} ranks × {n - 1}/{n - k}, {n - k} of {n - 1} peers elsewhere"
            return Term(name, value, GIGABYTES, formula, "every rank sends 1/n of S to each other rank")
        case Algorithm.DIRECT:
            formula = f"{number(nic)} GB/s between neighbours on two hosts"
            return Term(f"{slowest.nics_bottleneck}{ONE_NIC}", nic, GIGABYTES, formula, ring)
