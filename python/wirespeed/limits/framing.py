"""Line rate times exact RoCEv2 framing at the path MTU.

Frame sizes come from `crates/wire`. A link carries, beside the payload, every header, checksum, preamble and gap;
with traffic in both directions each direction also carries the acknowledgements of the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wirespeed import wire
from wirespeed.limits.bound import GBPS, number
from wirespeed.results.verdicts import Term
from wirespeed.units import Bandwidth

SOURCE = "IEEE 802.3 clauses 3 and 4, IBTA volume 1 chapter 9 and annex A17"


class Verb(StrEnum):
    """The RDMA operation that moves the payload."""

    WRITE = "write"
    SEND = "send"
    READ = "read"


@dataclass(frozen=True, slots=True)
class Path:
    """The path of a packet between two NICs: slowest link, path MTU and headers."""

    speed: Bandwidth
    path_mtu: int
    encapsulation: wire.Encapsulation = wire.PLAIN

    def describe(self) -> str:
        """The path as text."""
        ip = "IPv6" if self.encapsulation.ipv6 else "IPv4"
        tag = ", VLAN tag" if self.encapsulation.vlan else ""
        return f"{self.speed}, path MTU {self.path_mtu}, {ip}{tag}"


def message_wire_bytes(path: Path, size: int, verb: Verb = Verb.WRITE) -> int:
    """Bytes that one message occupies on the link in the direction of its payload.

    Raises:
        ValueError: the path MTU is none of the five.
    """
    wire_bytes_of = {
        Verb.WRITE: wire.write_wire_bytes,
        Verb.SEND: wire.send_wire_bytes,
        Verb.READ: wire.read_response_wire_bytes,
    }
    return wire_bytes_of[verb](size, path.path_mtu, path.encapsulation)


def one_way(path: Path, size: int | None = None, verb: Verb = Verb.WRITE) -> Term:
    """Payload of one direction, Gb/s; the other direction carries only acknowledgements.

    ``size`` is the message size in bytes; None is an endless stream.

    Raises:
        ValueError: the path MTU is none of the five, or the size is not positive.
    """
    payload, on_wire = _measure_message(path, size, verb)
    value = path.speed.gb_per_s * payload / on_wire
    formula = f"{number(path.speed.gb_per_s)} Gb/s × {payload} B payload / {on_wire} B on the wire"
    return Term("line rate × RoCEv2 framing", value, GBPS, f"{formula} ({path.describe()})", SOURCE)


def two_way(path: Path, size: int | None = None, verb: Verb = Verb.WRITE, acks_per_packet: float = 0.0) -> Term:
    """Payload of both directions added, Gb/s, when both are full.

    With ``acks_per_packet`` acknowledgements for each data packet, each direction carries
    payload / (data + acknowledgements) of its line rate. Without acknowledgements the result is the physical limit.

    Raises:
        ValueError: the path MTU is none of the five, or the size is not positive.
    """
    payload, on_wire = _measure_message(path, size, verb)
    packets = wire.packets(payload, path.path_mtu)
    ack = wire.ack(path.encapsulation).wire
    value = 2 * path.speed.gb_per_s * payload / (on_wire + acks_per_packet * packets * ack)
    share = f" + {number(acks_per_packet)} × {packets} × {ack} B acknowledgement" if acks_per_packet else ""
    formula = f"2 × {number(path.speed.gb_per_s)} Gb/s × {payload} B payload / ({on_wire} B on the wire{share})"
    return Term("line rate × RoCEv2 framing", value, GBPS, f"{formula} ({path.describe()})", SOURCE)


def _measure_message(path: Path, size: int | None, verb: Verb) -> tuple[int, int]:
    if size is not None and size <= 0:
        raise ValueError(f"message of {size} bytes: expected at least 1")
    if size is None:
        packet = wire.data(path.path_mtu, path.encapsulation).wire
        wire.packets(path.path_mtu, path.path_mtu)  # refuses an invalid path MTU
        return path.path_mtu, packet
    return size, message_wire_bytes(path, size, verb)
