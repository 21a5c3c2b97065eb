"""Cut bounds of collectives: the least data that crosses the NICs of a host, and the links of a GPU, with any
algorithm.

S is the size as nccl-tests counts it, T the time, n the ranks, m the hosts, k the ranks of a host, N what the NICs of
a host move in one direction, P what the links of a GPU move in one direction. Data are taken as
incompressible, and reduction happens at GPUs only, where no switch is known to sum: a partial sum travels as a whole
operand.

What must cross, in bytes:

* **all-reduce.** Per element every rank must learn every other's contribution. One message carries one partial sum;
  spreading n items to n nodes by messages in one direction takes at least 2(n-1) of them (gossip: Harary and Schwenk
  1974; for all-reduce: Patarasuk and Yuan 2009, section 3). So all ranks together send at least 2(n-1)·S. A host whose
  ranks talk among themselves for free is one node of that problem: all hosts together send at least 2(m-1)·S, and none
  less than S. With two hosts that is S in each direction: a tree reaches it, a ring of 16 ranks sends 15/8 S.
* **all-gather.** A host must receive what its ranks do not hold: S·(n-k)/n. Sending may be less (multicast).
* **reduce-scatter.** A host's data enter the sums of all blocks that live elsewhere: it sends S·(n-k)/n, even where the
  network reduces.
* **all-to-all.** Each of k ranks sends S/n to each of n-k ranks elsewhere: k·S·(n-k)/n leave the host.
* **broadcast.** S must leave the host of the root and enter every other host. **reduce** is its mirror.
* **sendrecv.** Rank i sends S to rank i+1: with ranks in host order, S leaves and enters every host.
* **gather.** S·(n-k)/n enter the host of the root. **scatter** is its mirror.
* **hypercube** is an all-gather. **all-to-all-v** is taken for all-to-all: its log does not contain the shares.

Where the switch between GPUs sums and copies (NVLS), each GPU of an all-reduce must still send S and receive S, so the
bus bandwidth is at most 2(n-1)/n·P; elsewhere what a GPU must send or receive stays, and P with it. Where the switches
of the network sum (SHARP), each host sends and receives S.

Hosts under one group of leaves are one node of the same problem, and the cables upward its NICs: `network_cut` holds
for them too.

The cut at the GPUs counts the same with every rank as a separate node: n ranks share n·P of links and what all NICs
move. On one host there is no NIC and the bus bandwidth is at most P, whatever the collective.

The bound on bus bandwidth is (bus factor)·S/T with the least T these bytes need.
"""

from __future__ import annotations

from wirespeed.limits.bound import GIGABYTES, every, number
from wirespeed.limits.group import Collective, Group, Member, bus_factor
from wirespeed.results.verdicts import Term

SOURCE = "cut bound, see docs/concepts/limits.md (Patarasuk and Yuan 2009; Harary and Schwenk 1974)"


HOST = "cut at the NICs of a host"


def network_cut(
    collective: Collective, group: Group, *, name: str = HOST, label: str = "a host's NICs", switches_sum: bool = False
) -> Term | None:
    """Bus bandwidth in GB/s that the NICs of the hosts allow. None on one host, or where a host's NICs are unknown.

    ``name`` and ``label`` are for members that are no hosts; ``switches_sum``: the switches reduce.
    """
    if not group.across_hosts or any(not member.nics for member in group.members):
        return None
    seconds = _seconds_per_gigabyte(collective, group, switches_sum)
    factor = bus_factor(collective, group.ranks)
    tightest = min(group.members, key=lambda member: member.network)
    traffic = (
        "1 GB out of and into every host, the switches sum" if switches_sum else _describe_traffic(collective, group)
    )
    formula = (
        f"each GB of data is {traffic}; {label} move {number(tightest.network)} GB/s in one direction "
        f"({tightest.format_nics(tightest.nics)}, {tightest.nics_bottleneck}): {number(1 / seconds)} GB/s of data × "
        f"{factor:.4g}, the bus bandwidth factor of {group.ranks} ranks"
    )
    return Term(name, factor / seconds, GIGABYTES, formula, SOURCE)


_SUMMED = "1 GB out of and into every host, the switches sum"


def _seconds_per_gigabyte(collective: Collective, group: Group, switches_sum: bool) -> float:
    """Least time per byte of S: data that must cross the cut, over the bandwidth of the cut."""
    n = group.ranks
    members = group.members
    slowest = min(member.network for member in members)
    match collective:
        case Collective.ALL_REDUCE if switches_sum:
            return 1 / slowest
        case Collective.ALL_REDUCE:
            return max(2 * (len(members) - 1) / sum(member.network for member in members), 1 / slowest)
        case Collective.ALL_GATHER | Collective.REDUCE_SCATTER | Collective.HYPERCUBE:
            return max((n - member.ranks) / n / member.network for member in members)
        case Collective.ALL_TO_ALL | Collective.ALL_TO_ALL_V:
            return max(member.ranks * (n - member.ranks) / n / member.network for member in members)
        case Collective.BROADCAST | Collective.REDUCE | Collective.SENDRECV:
            return 1 / slowest
        case Collective.GATHER | Collective.SCATTER:
            root = group.root_member
            return (n - root.ranks) / n / root.network


def _describe_traffic(collective: Collective, group: Group) -> str:
    n, m = group.ranks, len(group.members)
    k = group.root_member.ranks
    match collective:
        case Collective.ALL_REDUCE:
            return f"at least {2 * (m - 1)} GB sent by {every(m, 'hosts')} together"
        case Collective.ALL_GATHER | Collective.HYPERCUBE:
            return f"at least {(n - k) / n:.4g} GB into a host"
        case Collective.REDUCE_SCATTER:
            return f"at least {(n - k) / n:.4g} GB out of a host"
        case Collective.ALL_TO_ALL | Collective.ALL_TO_ALL_V:
            return f"{k * (n - k) / n:.4g} GB out of a host"
        case Collective.BROADCAST | Collective.REDUCE:
            return "1 GB into or out of every host"
        case Collective.SENDRECV:
            return "1 GB out of every host"
        case Collective.GATHER:
            return f"{(n - k) / n:.4g} GB into the root's host"
        case Collective.SCATTER:
            return f"{(n - k) / n:.4g} GB out of the root's host"


def gpu_cut(collective: Collective, group: Group) -> Term | None:
    """Bus bandwidth in GB/s that the peak rate of GPU links allows, and across hosts also the NICs.

    None where the links of a host with several ranks are unknown, or nothing leaves a GPU.
    """
    if any(member.ranks > 1 and member.links is None for member in group.members) or group.ranks < 2:
        return None
    n = group.ranks
    sums = collective is Collective.ALL_REDUCE and group.has_switch_reduction
    if not group.across_hosts:
        member = group.members[0]
        value, formula = _compute_peak(member), _describe_links(member)
        if sums:
            value, formula = 2 * (n - 1) / n * value, f"2·{n - 1}/{n} × {formula}, the switch sums (NVLS)"
        return Term("links of a GPU", value, GIGABYTES, formula, _format_source(member))
    if any(not member.nics for member in group.members):
        return None
    total = sum(member.ranks * _compute_peak(member) + member.network for member in group.members)
    first = group.root_member
    of_nics = f"{number(first.network)} GB/s of the NICs of a host"
    of_gpu = f"{_describe_links(first)} + {of_nics}" + (f" / {first.ranks} GPUs" if first.ranks > 1 else "")
    name, source = "links and NICs of the GPUs", _format_source(first)
    if sums:
        rate_per_rank = min(_compute_peak(member) + member.network / member.ranks for member in group.members)
        formula = f"2·{n - 1}/{n} × ({of_gpu}), the switches sum (NVLS)"
        return Term(name, 2 * (n - 1) / n * rate_per_rank, GIGABYTES, formula, source)
    match collective:
        case Collective.BROADCAST | Collective.REDUCE:
            formula = f"({of_gpu}) × {n} GPUs / {n - 1}, all but the root"
            return Term(name, total / (n - 1), GIGABYTES, formula, source)
        case Collective.GATHER | Collective.SCATTER:
            formula = f"the root's GPU: {_describe_links(first)} + {of_nics}"
            return Term(name, _compute_peak(first) + first.network, GIGABYTES, formula, source)
        case _:
            return Term(name, total / n, GIGABYTES, of_gpu, source)


def _compute_peak(member: Member) -> float:
    links = member.links
    return links.count_links(member.ranks) * links.peak if links else 0.0


def _describe_links(member: Member) -> str:
    links = member.links
    if links is None:
        return "no GPU link"
    return f"{links.count_links(member.ranks)} {links.name} links × {number(links.peak)} GB/s peak"


def _format_source(member: Member) -> str:
    return f"{SOURCE}; {member.links.source}" if member.links else SOURCE
