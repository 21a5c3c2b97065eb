"""Bandwidths that a NIC has with one known loss: a smaller path MTU, a slower port or PCIe slot, fewer NICs.

A run that stays within a percent of one of them has its fingerprint; transfers over a slot stay further below it. Each
is a physical limit of the degraded NIC, as `wirespeed.limits.framing`, `wirespeed.limits.pcie` and
`wirespeed.limits.tcp` compute it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from wirespeed.limits import framing, pcie, tcp
from wirespeed.limits.framing import Path
from wirespeed.limits.pcie import Slot
from wirespeed.results.verdicts import Term
from wirespeed.units import PCIE_GENERATIONS, Bandwidth, format_pcie_link
from wirespeed.wire import PATH_MTUS

_WIDTHS = (4, 8, 16)
_ETHERNET_MTU = 1500
_RESOLUTION = 0.005  # relative difference of bandwidths that no run distinguishes
_PORT_SPEEDS = (200, 100, 50, 40, 25, 10)  # Gb/s: Ethernet, IEEE 802.3
_BOND = (
    "NVIDIA/nccl issue 1015; Mellanox community, HowTo Configure RoCE over LAG: a queue pair is assigned to one port"
)
_ONE_QUEUE_PAIR = 368 / 392
_QUEUE_PAIR_SPEED = 400  # Gb/s of the NICs of that result


REACHED = 0.99
"""Of a rate that framing limits: osu_bw over a NIC of 50 Gb/s with path MTU 1024 reaches 5785 of 5786 MB/s (StackHPC
hpc-tests, csd3); healthy results are 0.1 to 1.2 % below their limit (Broadcom 957608-AN210, section 2.8.2)."""

_REACHED_OF_PORT = 0.98
"""Of a slower port: 97 Gb/s where 98 pass (ConnectX-4 with ib_send_bw, Mellanox community)."""

_REACHED_OF_SLOT = 0.90
"""Of a rate that a PCIe slot limits: 26.2 GB/s of PCIe 4.0 x16 are 91 % of what packets of 256 bytes leave (Microway,
Performance Characteristics of Common Transports and Buses, typical bandwidth)."""


@dataclass(frozen=True, slots=True)
class DegradedRate:
    """A loss, and the bandwidth with it as a fraction of the planned goodput of the NICs.

    ``reached``: the fraction of that bandwidth that runs reach at least.
    """

    name: str
    fraction: float
    reached: float = REACHED


@dataclass(frozen=True, slots=True)
class LogFacts:
    """What a log states, so that it rules a loss out: its path MTU, its queue pairs, whether it used RDMA."""

    path_mtu: int | None = None
    queue_pairs: int | None = None
    uses_rdma: bool = False


def list_degraded_rates(
    path: Path,
    slot: Slot | None,
    facts: LogFacts,
    *,
    bidirectional: bool,
    nics: int = 1,
    slot_ports: int = 1,
    may_lack_nics: bool = True,
) -> tuple[DegradedRate, ...]:
    """The rates below the planned one; losses of the same rate are one entry.

    ``nics``: NICs that share the traffic; ``may_lack_nics``: whether fewer of them are a loss.
    ``slot_ports``: ports of one card among them, which share its slot; the fractions are those of a port that has the
    slot to itself.
    """
    planned = usable = _compute_framing(path, bidirectional)
    if slot is not None:
        in_slot = pcie.two_way(slot) if bidirectional else pcie.one_way(slot)
        planned, usable = min(planned, in_slot.value), min(planned, in_slot.value / slot_ports)
    framed = [
        *_list_mtu_rates(path, facts, bidirectional),
        *_list_other_rates(path, facts, bidirectional),
    ]
    ports = _list_port_rates(path, bidirectional) if nics == 1 else ()
    fractions = [DegradedRate(term.name, term.value / planned) for term in framed if term.value < usable]
    fractions += [
        DegradedRate(term.name, term.value / planned, reached)
        for terms, reached in (
            (ports, _REACHED_OF_PORT),
            (_list_slot_rates(slot, bidirectional, slot_ports), _REACHED_OF_SLOT),
        )
        for term in terms
        if term.value < usable
    ]
    if may_lack_nics:
        fractions += [
            DegradedRate(f"{count} of {nics} NICs", count / nics)
            for count in range(1, nics)
            if count * planned < nics * usable * (1 - _RESOLUTION)  # no loss where a slot limits all of them to as much
        ]
    return tuple(_merge_equal_rates(sorted(fractions, key=lambda rate: -rate.fraction)))


def _compute_framing(path: Path, bidirectional: bool) -> float:
    return (framing.two_way(path) if bidirectional else framing.one_way(path)).value


def _list_mtu_rates(path: Path, facts: LogFacts, bidirectional: bool) -> Iterable[Term]:
    if facts.path_mtu is not None:
        return
    for mtu in PATH_MTUS:
        if mtu < path.path_mtu:
            value = _compute_framing(replace(path, path_mtu=mtu), bidirectional)
            yield Term(f"path MTU {mtu}", value, "Gb/s", "", framing.SOURCE)


def _list_port_rates(path: Path, bidirectional: bool) -> Iterable[Term]:
    for speed in _PORT_SPEEDS:
        if speed < path.speed.gb_per_s:
            value = _compute_framing(replace(path, speed=Bandwidth.gbps(speed)), bidirectional)
            yield Term(f"a port at {speed} Gb/s", value, "Gb/s", "", framing.SOURCE)


def _list_slot_rates(slot: Slot | None, bidirectional: bool, ports: int) -> Iterable[Term]:
    if slot is None:
        return
    for rate in PCIE_GENERATIONS:
        for lanes in _WIDTHS:
            if rate > slot.rate or lanes > slot.lanes or (rate, lanes) == (slot.rate, slot.lanes):
                continue
            degraded = replace(slot, rate=rate, lanes=lanes)
            name = f"PCIe {format_pcie_link(rate, lanes)}"
            term = pcie.two_way(degraded, name) if bidirectional else pcie.one_way(degraded, name)
            yield replace(term, value=term.value / ports)


def _list_other_rates(path: Path, facts: LogFacts, bidirectional: bool) -> Iterable[Term]:
    if not facts.uses_rdma and not bidirectional:
        yield replace(tcp.tcp(path.speed, _ETHERNET_MTU, timestamps=True), name=f"TCP with MTU {_ETHERNET_MTU}")
    if facts.queue_pairs == 1:
        half = replace(path, speed=Bandwidth(path.speed // 2))
        value = _compute_framing(half, bidirectional)
        yield Term("one queue pair over a bond (it uses one port)", value, "Gb/s", "", _BOND)
    if facts.queue_pairs == 1 and path.speed.gb_per_s >= _QUEUE_PAIR_SPEED:
        value = _ONE_QUEUE_PAIR * _compute_framing(path, bidirectional)
        yield Term("one queue pair", value, "Gb/s", "", "NVIDIA/nccl issue 2171: 368 of 392 Gb/s")


def _merge_equal_rates(rates: Sequence[DegradedRate]) -> Iterable[DegradedRate]:
    """Losses with the same bandwidth in one entry: "PCIe Gen4 x16 or PCIe Gen5 x8"."""
    position = 0
    while position < len(rates):
        first = rates[position]
        equal = [rate for rate in rates[position:] if rate.fraction >= first.fraction * (1 - _RESOLUTION)]
        names = " or ".join(rate.name for rate in equal)
        yield DegradedRate(names, first.fraction, min(rate.reached for rate in equal))
        position += len(equal)
