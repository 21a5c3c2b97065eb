"""Limits between a NIC and memory: shared slots, uplinks of PCIe switches, the link between the sockets, ordered
writes.

Traffic to memory of the host passes every bridge up to the root port; traffic to a GPU turns round at the first bridge
above both. Without a common bridge it passes the root ports of both, and between sockets their link.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wirespeed.catalogue.model import Memory
from wirespeed.limits import pcie
from wirespeed.limits.bound import GBPS, number
from wirespeed.limits.impact import find_slot_address, nic_function
from wirespeed.limits.nic import build_slot
from wirespeed.plan import Plan
from wirespeed.results.verdicts import Term
from wirespeed.settings import Nic, PcieFunction, list_bridges

_UPLINK = "switch-upstream"  # the role whose link leads from a PCIe switch up


@dataclass(frozen=True, slots=True)
class Uplink:
    """A PCIe link towards the host that several devices can share: of a switch, or of the slot of a card."""

    address: str
    slot: pcie.Slot
    kind: str = "PCIe uplink"

    @property
    def name(self) -> str:
        """The link as text."""
        return f"{self.kind} {self.address}"


def uplinks_to_memory(plan: Plan, host: str, address: str | None) -> tuple[Uplink, ...]:
    """The uplinks of PCIe switches that a NIC's traffic with host memory passes, where their links are known."""
    functions = plan.hosts[host].pcie
    return tuple(_find_uplinks(functions, list_bridges(functions, address)))


def uplinks_to_gpu(plan: Plan, host: str, address: str | None, gpu: str | None) -> tuple[Uplink, ...]:
    """The uplinks of PCIe switches that a NIC's traffic with a GPU passes. Empty if one PCIe switch is above both."""
    functions = plan.hosts[host].pcie
    above, gpu_bridges = list_bridges(functions, address), list_bridges(functions, gpu)
    shared_bridges = set(above) & set(gpu_bridges)
    passed_bridges = [bridge for bridge in (*above, *gpu_bridges) if bridge not in shared_bridges]
    return tuple(_find_uplinks(functions, passed_bridges))


def _find_uplinks(functions: Mapping[str, PcieFunction], addresses: Iterable[str]) -> Iterable[Uplink]:
    for address in addresses:
        function = functions.get(address)
        if function is not None and function.role == _UPLINK:
            slot = build_slot(function, [])
            if slot is not None:
                yield Uplink(address, slot)


def compute_shared_rate(
    plan: Plan, host: str, rates: Mapping[str, float], *, bidirectional: bool = False, to_memory: bool = True
) -> tuple[float, str | None]:
    """What all NICs move in one direction, Gb/s, and the shared PCIe link that is the bottleneck.

    Arguments as for `share_links`.
    """
    limited_rates, bottleneck = share_links(plan, host, rates, bidirectional=bidirectional, to_memory=to_memory)
    return sum(limited_rates.values()), bottleneck


def share_links(
    plan: Plan, host: str, rates: Mapping[str, float], *, bidirectional: bool = False, to_memory: bool = True
) -> tuple[Mapping[str, float], str | None]:
    """The rate of each NIC while all are in use, Gb/s in one direction, and the shared PCIe link of the slowest.

    Ports of one card share the link of its slot; traffic with host memory also shares the uplinks of PCIe switches.

    Args:
        plan: the plan.
        host: the host of the NICs.
        rates: the rate of each NIC with no other traffic, by its PCIe address.
        bidirectional: the other direction has the same load.
        to_memory: the buffers are in host memory, not in GPUs beside the NICs.
    """
    limited_rates = dict(rates)
    bottlenecks: dict[str, str] = {}
    for link, members in _group_by_link(plan, host, rates, to_memory=to_memory).items():
        capacity = _compute_capacity(link, bidirectional=bidirectional)
        demand = sum(limited_rates[address] for address in members)
        if demand > capacity:
            for address in members:
                limited_rates[address] *= capacity / demand
                bottlenecks[address] = link.name
    slowest = min(reversed(bottlenecks), key=lambda address: limited_rates[address], default=None)
    return limited_rates, bottlenecks[slowest] if slowest is not None else None


def list_contended_links(
    plan: Plan, host: str, rates: Mapping[str, float], *, bidirectional: bool = False, to_memory: bool = True
) -> dict[str, dict[str, float]]:
    """The shared PCIe links that carry less than all their NICs send: capacity in Gb/s by NIC's PCIe address, by name.

    Arguments as for `share_links`.
    """
    contended = {}
    for link, members in _group_by_link(plan, host, rates, to_memory=to_memory).items():
        capacity = _compute_capacity(link, bidirectional=bidirectional)
        if len(members) > 1 and sum(rates[address] for address in members) > capacity:
            contended[link.name] = dict.fromkeys(members, capacity)
    return contended


@dataclass(frozen=True, slots=True)
class NicShare:
    """The rate of a NIC while other NICs of its host are in use, Gb/s in one direction.

    ``link`` is the shared PCIe link that limits it, and ``nics`` the number of NICs in use on that link.
    """

    value: float
    link: str | None = None
    nics: int = 1


def find_slowest_share(
    plan: Plan,
    host: str,
    rates: Mapping[str, float],
    count: int,
    *,
    bidirectional: bool = False,
    to_memory: bool = True,
) -> NicShare:
    """The rate of the slowest NIC while a number of NICs of a host are in use, its neighbours on shared links last.

    Arguments as for `share_links`.
    """
    groups = [set(members) for members in _group_by_link(plan, host, rates, to_memory=to_memory).values()]
    shares = []
    for address in rates:
        neighbours = sorted(
            (neighbour for neighbour in rates if neighbour != address),
            key=lambda neighbour: sum({address, neighbour} <= group for group in groups),
        )
        in_use = {name: rates[name] for name in (address, *neighbours[: count - 1])}
        limited_rates, _ = share_links(plan, host, in_use, bidirectional=bidirectional, to_memory=to_memory)
        links = {
            name: members
            for name, members in list_contended_links(
                plan, host, in_use, bidirectional=bidirectional, to_memory=to_memory
            ).items()
            if address in members
        }
        link = min(links, key=lambda name: links[name][address] / len(links[name]), default=None)
        shares.append(NicShare(limited_rates[address], link, len(links[link]) if link is not None else 1))
    return min(shares, key=lambda share: share.value)


def format_shared_rate(
    plan: Plan, host: str, rates: Mapping[str, float], *, bidirectional: bool = False, to_memory: bool = True
) -> str:
    """The formula of `compute_shared_rate`: ``4 × 460.91 Gb/s (PCIe uplink, 2 NICs share each)``.

    Arguments as for `share_links`.
    """
    contended = list_contended_links(plan, host, rates, bidirectional=bidirectional, to_memory=to_memory)
    sharing = [address for members in contended.values() for address in members]
    groups = Counter(
        (name.rpartition(" ")[0], next(iter(members.values())), len(members)) for name, members in contended.items()
    )
    parts = [
        f"{count} × {number(capacity)} Gb/s ({kind}, {members} NICs share {'each' if count > 1 else 'it'})"
        for (kind, capacity, members), count in groups.items()
    ]
    parts += [f"{number(rate)} Gb/s" for address, rate in rates.items() if address not in sharing]
    if len(sharing) > len(set(sharing)):  # a card behind an uplink: both are shared
        total, link = compute_shared_rate(plan, host, rates, bidirectional=bidirectional, to_memory=to_memory)
        return f"{number(total)} Gb/s of all NICs behind shared links, the last of them {link}"
    return " + ".join(parts)


def _group_by_link(plan: Plan, host: str, addresses: Iterable[str], *, to_memory: bool) -> dict[Uplink, list[str]]:
    """The PCIe addresses of the NICs that use each link."""
    nics_of_link: dict[Uplink, list[str]] = {}
    for address in addresses:
        for link in (
            *_find_slot_link(plan, host, address),
            *(uplinks_to_memory(plan, host, address) if to_memory else ()),
        ):
            nics_of_link.setdefault(link, []).append(address)
    return nics_of_link


def _compute_capacity(link: Uplink, *, bidirectional: bool) -> float:
    """What a link carries in one direction in Gb/s."""
    return pcie.two_way(link.slot).value / 2 if bidirectional else pcie.one_way(link.slot).value


def _find_slot_link(plan: Plan, host: str, address: str) -> Iterable[Uplink]:
    """The link of the slot with this function's card, named by the bridge above, else by the device."""
    nic = next((nic for nic in plan.hosts[host].nics.values() if nic.pcie == address), None)
    slot = build_slot(nic_function(plan, host, nic), []) if nic is not None else None
    if nic is not None and slot is not None:
        yield Uplink(find_slot_address(plan, host, nic) or address, slot, "PCIe slot")


def socket_term(plan: Plan, host: str, address: str | None, gpu: str | None, *, bidirectional: bool) -> Term | None:
    """The link between the sockets, where a NIC and a GPU are known to be at different ones and the link is known."""
    server = plan.hardware.servers.get(plan.hosts[host].model or "")
    if server is None or server.socket_link is None or not is_between_sockets(plan, host, address, gpu):
        return None
    one_way = server.socket_link.value.gb_per_s
    directions = 2 if bidirectional else 1
    formula = f"{'2 × ' if bidirectional else ''}{number(one_way)} Gb/s between the sockets of {host}, one direction"
    return Term(f"link between the sockets of {host}", directions * one_way, GBPS, formula, server.socket_link.source)


def describe_unknown_socket_link(plan: Plan, host: str, address: str | None, gpu: str | None) -> str | None:
    """The assumption of a path between sockets whose link is unknown; None of another path."""
    server = plan.hardware.servers.get(plan.hosts[host].model or "")
    if server is None or server.socket_link is not None or not is_between_sockets(plan, host, address, gpu):
        return None
    return (
        "the link between the sockets is no bottleneck: its bandwidth is unknown "
        "(`socket_link` of the server under `hardware.servers`)"
    )


def is_between_sockets(plan: Plan, host: str, *addresses: str | None) -> bool:
    """Whether two functions are known to be at different sockets."""
    server = plan.hardware.servers.get(plan.hosts[host].model or "")
    per_socket = server.cpus.numa_nodes.value if server is not None and server.cpus else 1
    first, second = (find_numa_node(plan, host, address) for address in addresses)
    return first is not None and second is not None and first // per_socket != second // per_socket


def has_shared_uplink(plan: Plan, host: str, *addresses: str | None) -> bool:
    """Whether one PCIe switch is above all functions."""
    functions = plan.hosts[host].pcie
    shared_bridges = set.intersection(*(set(list_bridges(functions, address)) for address in addresses))
    return any(functions[bridge].role == _UPLINK for bridge in shared_bridges if bridge in functions)


def find_numa_node(plan: Plan, host: str, address: str | None) -> int | None:
    """The NUMA node of a function, or of the first bridge above it that has one."""
    functions = plan.hosts[host].pcie
    for function_address in (address, *list_bridges(functions, address)):
        function = functions.get(function_address) if function_address else None
        if function is not None and function.numa_node is not None and function.numa_node >= 0:
            return function.numa_node
    return None


def memory_term(plan: Plan, host: str, *, bidirectional: bool) -> Term | None:
    """Host memory of one socket, if the catalogue has it: each byte is written, or read, at least once.

    DMA into caches does not reach memory, so this is no physical limit. `MemoryOfHost` is one.
    """
    server = plan.hardware.servers.get(plan.hosts[host].model or "")
    if server is None or server.memory is None:
        return None
    value = server.memory.bandwidth.gb_per_s
    formula = (
        f"{_format_channels(server.memory)}, {'reads and writes together' if bidirectional else 'read or written once'}"
    )
    return Term(f"memory of a socket of {host}", value, GBPS, formula, server.memory.source)


@dataclass(frozen=True, slots=True)
class MemoryOfHost:
    """The memory of all sockets of a host, and the size of their caches."""

    host: str
    gb_per_s: float
    cache: int  # bytes
    formula: str
    source: str

    def build_term(self, size: int | None) -> Term | None:
        """The limit of DMA reads and writes of a buffer of this size. None if the caches may hold the whole buffer.

        The buffer is transferred repeatedly, and the caches hold at most their size of it: each time, at least the
        buffer's size less that of all caches is read from or written to memory.
        """
        if size is None or size <= self.cache:
            return None
        cache_factor = f" × {size} B / ({size} - {self.cache}) B, caches hold the rest" if self.cache else ""
        value = self.gb_per_s * size / (size - self.cache)
        return Term(f"memory of {self.host}", value, GBPS, f"{self.formula}{cache_factor}", self.source)


def find_memory(plan: Plan, host: str) -> MemoryOfHost | None:
    """The memory of a host, if the catalogue contains memory, caches and sockets."""
    server = plan.hardware.servers.get(plan.hosts[host].model or "")
    if server is None or server.memory is None or server.memory.cache is None:
        return None
    memory, cache = server.memory, server.memory.cache
    sockets = server.cpus.sockets if server.cpus else memory.sockets
    if sockets is None:
        return None
    source = "; ".join(dict.fromkeys((memory.source, cache.source, sockets.source)))
    formula = f"{sockets.value} sockets × {_format_channels(memory)}"
    return MemoryOfHost(
        host, sockets.value * memory.bandwidth.gb_per_s, sockets.value * int(cache.value), formula, source
    )


def _format_channels(memory: Memory) -> str:
    return f"{memory.channels.value} channels × {memory.speed.value} MT/s × 8 B"


def writes_in_order(nic: Nic, function: PcieFunction | None) -> bool:
    """Whether PCIe relaxed ordering is off, planned or observed: in the NIC's NVRAM, or in its control register."""
    return nic.nvm.relaxed_ordering is False or (function is not None and function.relaxed_ordering is False)


def find_ordered_writes_term(plan: Plan, host: str) -> Term | None:
    """The rate of strictly ordered writes of a NIC on the host's CPU, if the catalogue contains it."""
    server = plan.hardware.servers.get(plan.hosts[host].model or "")
    if server is None or server.ordered_writes is None:
        return None
    value = server.ordered_writes.value.gb_per_s
    formula = f"{number(value)} Gb/s of writes without relaxed ordering"
    return Term(f"ordered PCIe writes on {host}", value, GBPS, formula, server.ordered_writes.source)
