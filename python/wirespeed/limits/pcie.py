"""Bandwidth of a PCIe slot: the link after line coding, less the bytes around each packet's data."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed import wire
from wirespeed.limits.bound import GBPS
from wirespeed.plan.affinity import FLIT_RATE, pcie_rate
from wirespeed.results.verdicts import Term
from wirespeed.settings import PcieLink
from wirespeed.units import format_pcie_link

SOURCE = "PCI Express Base 5.0, sections 2.2 and 4.2"
FLIT_SOURCE = "PCI Express Base 6.0, sections 2.2 and 4.2.3"

_TLP_FRAMING = 8
"""Bytes around a TLP that flits replace: token or start and end symbol, sequence number, link CRC (`crates/wire`). Each
flit has one sequence number and one CRC, among the 20 of its 256 bytes that carry no TLP. The base headers of a
memory request with a 64-bit address and of a completion keep their sizes."""

USUAL_MAX_PAYLOAD = 256
"""Bytes of data per packet assumed if not known: what lspci shows on servers with such NICs (pciutils samples,
``DevCtl: MaxPayload 256 bytes, MaxReadReq 4096 bytes``)."""

LARGEST_READ_REQUEST = 4096
"""Largest possible MaxReadReq, bytes (PCI Express Base 5.0, section 7.5.3.4)."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A trained PCIe link: MT/s per lane, lanes, data bytes per packet, bytes per read request."""

    rate: int
    lanes: int
    max_payload: int = USUAL_MAX_PAYLOAD
    max_read_request: int = LARGEST_READ_REQUEST

    def describe(self) -> str:
        """The slot as text."""
        return f"{format_pcie_link(self.rate, self.lanes)}, MaxPayload {self.max_payload}"


def one_way(slot: Slot, name: str = "NIC slot", message_size: int | None = None) -> Term:
    """Data in one direction, Gb/s: the receiving NIC's posted writes, the tighter side of a transfer.

    The sending NIC reads: its completions have a header shorter by four bytes, so they pass faster.
    Acknowledgements and flow-control updates take no share, so no device is faster. ``message_size``: bytes of data
    that are written separately; a message of less than MaxPayload is one write of its size.

    Raises:
        ValueError: PCI Express has no such rate, width or payload.
    """
    link, packets = _measure_link(slot)
    if message_size is None or message_size % slot.max_payload == 0:
        data = link * slot.max_payload / packets.write
        formula = f"{link:.2f} Gb/s × {slot.max_payload} B / {packets.write} B per write ({slot.describe()})"
        return Term(name, data, GBPS, formula, _cite(slot))
    writes = -(-message_size // slot.max_payload)
    on_link = message_size + writes * (packets.write - slot.max_payload)
    per_message = "per write" if writes == 1 else f"in {writes:,} writes"
    formula = f"{link:.2f} Gb/s × {message_size} B / {on_link} B {per_message} ({slot.describe()})"
    return Term(name, link * message_size / on_link, GBPS, formula, _cite(slot))


def two_way(slot: Slot, name: str = "NIC slot") -> Term:
    """Data of both directions added, Gb/s, when the device sends and receives at the same rate G.

    Towards the host the link carries G as writes and the read requests for the G it sends:
    G × (write / payload + request / MaxReadReq) ≤ link. Away from it the completions of G, which need less.

    Raises:
        ValueError: PCI Express has no such rate, width or payload.
    """
    link, packets = _measure_link(slot)
    per_byte = packets.write / slot.max_payload + packets.request / slot.max_read_request
    formula = (
        f"2 × {link:.2f} Gb/s / ({packets.write}/{slot.max_payload} + {packets.request}/{slot.max_read_request})"
        f" ({slot.describe()}, MaxReadReq {slot.max_read_request})"
    )
    return Term(name, 2 * link / per_byte, GBPS, formula, _cite(slot))


def _measure_link(slot: Slot) -> tuple[float, wire.PciePackets]:
    """Gb/s of a link for packets, and the bytes of a packet on it.

    Raises:
        ValueError: PCI Express has no such rate, width or payload.
    """
    packets = wire.pcie_packets(slot.max_payload)
    if slot.rate != FLIT_RATE:
        wire.pcie_writes(slot.rate, slot.lanes, slot.max_payload)  # refuses an invalid payload
        return wire.pcie_link(slot.rate, slot.lanes) / 1e9, packets
    sizes = (packets.write, packets.completion, packets.request)
    without_framing = wire.PciePackets(*(size - _TLP_FRAMING for size in sizes))
    return pcie_rate(PcieLink(slot.rate, slot.lanes)).gb_per_s, without_framing


def _cite(slot: Slot) -> str:
    return FLIT_SOURCE if slot.rate == FLIT_RATE else SOURCE
