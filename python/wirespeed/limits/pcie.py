"""Bandwidth of a PCIe slot: the link after line coding, less the bytes around each packet's data."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed import wire
from wirespeed.limits.bound import GBPS
from wirespeed.results.verdicts import Term
from wirespeed.units import format_transfer_rate

SOURCE = "PCI Express Base 5.0, sections 2.2 and 4.2"

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
        return f"{format_transfer_rate(self.rate)} x{self.lanes}, MaxPayload {self.max_payload}"


def one_way(slot: Slot, name: str = "NIC slot") -> Term:
    """Data in one direction, Gb/s: the receiving NIC's posted writes, the tighter side of a transfer.

    The sending NIC reads: its completions have a header shorter by four bytes, so they pass faster.
    Acknowledgements and flow-control updates take no share, so no device is faster.

    Raises:
        ValueError: PCI Express has no such rate, width or payload.
    """
    data = wire.pcie_writes(slot.rate, slot.lanes, slot.max_payload) / 1e9
    packets = wire.pcie_packets(slot.max_payload)
    link = wire.pcie_link(slot.rate, slot.lanes) / 1e9
    formula = f"{link:.2f} Gb/s × {slot.max_payload} B / {packets.write} B per write ({slot.describe()})"
    return Term(name, data, GBPS, formula, SOURCE)


def two_way(slot: Slot, name: str = "NIC slot") -> Term:
    """Data of both directions added, Gb/s, when the device sends and receives at the same rate G.

    Towards the host the link carries G as writes and the read requests for the G it sends:
    G × (write / payload + request / MaxReadReq) ≤ link. Away from it the completions of G, which need less.

    Raises:
        ValueError: PCI Express has no such rate, width or payload.
    """
    packets = wire.pcie_packets(slot.max_payload)
    link = wire.pcie_link(slot.rate, slot.lanes) / 1e9
    wire.pcie_writes(slot.rate, slot.lanes, slot.max_payload)  # refuses an invalid payload
    per_byte = packets.write / slot.max_payload + packets.request / slot.max_read_request
    formula = (
        f"2 × {link:.2f} Gb/s / ({packets.write}/{slot.max_payload} + {packets.request}/{slot.max_read_request})"
        f" ({slot.describe()}, MaxReadReq {slot.max_read_request})"
    )
    return Term(name, 2 * link / per_byte, GBPS, formula, SOURCE)
