"""Frame sizes and the formulas shared with the simulator, from `crates/wire`.

A *frame* counts Ethernet header through FCS; *wire* bytes add preamble, start delimiter and minimum gap.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed import _core


@dataclass(frozen=True, slots=True)
class Frame:
    """One Ethernet frame: ``frame`` bytes as a port counter counts them, ``wire`` bytes of link time."""

    frame: int
    wire: int


@dataclass(frozen=True, slots=True)
class Encapsulation:
    """Headers around the UDP datagram of a RoCEv2 packet."""

    ipv6: bool = False
    vlan: bool = False


PLAIN = Encapsulation()
PATH_MTUS: tuple[int, ...] = tuple(_core.path_mtus())


def data(payload: int, encapsulation: Encapsulation = PLAIN) -> Frame:
    """A RoCEv2 data packet in the middle of a message, ``payload`` bytes."""
    return Frame(*_core.data_frame(payload, encapsulation.ipv6, encapsulation.vlan))


def write_first(payload: int, encapsulation: Encapsulation = PLAIN) -> Frame:
    """The first or only packet of an RDMA write, ``payload`` bytes."""
    return Frame(*_core.write_first_frame(payload, encapsulation.ipv6, encapsulation.vlan))


def ack(encapsulation: Encapsulation = PLAIN) -> Frame:
    """An acknowledgement."""
    return Frame(*_core.ack_frame(encapsulation.ipv6, encapsulation.vlan))


def cnp(encapsulation: Encapsulation = PLAIN) -> Frame:
    """A congestion notification packet."""
    return Frame(*_core.cnp_frame(encapsulation.ipv6, encapsulation.vlan))


def pfc() -> Frame:
    """A priority flow control frame."""
    return Frame(*_core.pfc_frame())


def path_mtu_fitting(interface_mtu: int, *, ipv6: bool = False) -> int | None:
    """The largest RDMA path MTU that fits an interface MTU, both in bytes. None if none fits."""
    return _core.path_mtu_fitting(interface_mtu, ipv6)


def write_wire_bytes(size: int, path_mtu: int, encapsulation: Encapsulation = PLAIN) -> int:
    """Bytes on the wire for one RDMA write of ``size`` bytes, without acknowledgements.

    Raises:
        ValueError: the path MTU is not one of `PATH_MTUS`.
    """
    return _core.write_wire_bytes(size, path_mtu, encapsulation.ipv6, encapsulation.vlan)


def send_wire_bytes(size: int, path_mtu: int, encapsulation: Encapsulation = PLAIN) -> int:
    """Bytes on the wire for one send of ``size`` bytes, without acknowledgements.

    Raises:
        ValueError: the path MTU is not one of `PATH_MTUS`.
    """
    return _core.send_wire_bytes(size, path_mtu, encapsulation.ipv6, encapsulation.vlan)


def read_response_wire_bytes(size: int, path_mtu: int, encapsulation: Encapsulation = PLAIN) -> int:
    """Bytes on the wire for the response to one RDMA read of ``size`` bytes; the request goes in the other direction.

    Raises:
        ValueError: the path MTU is not one of `PATH_MTUS`.
    """
    return _core.read_response_wire_bytes(size, path_mtu, encapsulation.ipv6, encapsulation.vlan)


def packets(size: int, path_mtu: int) -> int:
    """Number of packets of a message of ``size`` bytes.

    Raises:
        ValueError: the path MTU is not one of `PATH_MTUS`.
    """
    return _core.packets(size, path_mtu)


def pcie_link(megatransfers: int, lanes: int) -> int:
    """Bits per second of a PCIe link in one direction after line coding; 32000 MT/s is generation 5.

    Raises:
        ValueError: PCI Express up to generation 5 has no such rate or width.
    """
    return _core.pcie_link(megatransfers, lanes)


def pcie_writes(megatransfers: int, lanes: int, payload: int) -> int:
    """Bits per second of data in posted writes with ``payload`` bytes per packet over a PCIe link, one direction.

    Raises:
        ValueError: PCI Express up to generation 5 has no such rate, width or payload.
    """
    return _core.pcie_writes(megatransfers, lanes, payload)


def pcie_reads(megatransfers: int, lanes: int, payload: int) -> int:
    """Bits per second of data in read completions with ``payload`` bytes per packet over a PCIe link, one direction.

    Raises:
        ValueError: PCI Express up to generation 5 has no such rate, width or payload.
    """
    return _core.pcie_reads(megatransfers, lanes, payload)


def outstanding_rate(count: int, size: int, nanoseconds: int) -> int:
    """Bits per second with at most ``count`` packets of ``size`` bytes in flight, each for ``nanoseconds``.

    Raises:
        ValueError: the time is zero.
    """
    return _core.outstanding_rate(count, size, nanoseconds)


@dataclass(frozen=True, slots=True)
class PciePackets:
    """Bytes on a PCIe link of one memory write, one completion and one read request."""

    write: int
    completion: int
    request: int


def pcie_packets(payload: int) -> PciePackets:
    """Bytes that packets with ``payload`` bytes of data occupy on a PCIe link."""
    return PciePackets(*_core.pcie_packets(payload))


@dataclass(frozen=True, slots=True)
class Headroom:
    """Headroom of a priority group: the data that arrives after its port has sent a pause, as terms.

    Times in picoseconds; ``cells`` of ``cell`` bytes each.
    """

    frame_sent_back: int  # a frame of the largest size that has just been started towards the peer
    pfc_frames: int  # the PFC frame, after those of the port's other lossless priorities
    cable: int  # both directions
    response: int  # longest response time of the peer that IEEE 802.3 annex 31B.3.7 allows
    longest: int  # frame, bytes
    ends: int  # cells of the frame that crosses the threshold and of the last one
    middle: int  # cells of the frames that fill the time
    worst_frame: tuple[int, int]  # bytes and cells of the frame with the most buffer per time on the link
    cell: int

    @property
    def bytes(self) -> int:
        """Buffer in bytes that is sufficient in every case."""
        return (self.ends + self.middle) * self.cell


def headroom(rate: int, delay: int, mtu: int, lossless: int, cell: int, generation: int = 0) -> Headroom:
    """Headroom of a priority group (IEEE 802.1Q annex N).

    Args:
        rate: speed of the link, bits per second.
        delay: propagation delay of the cable in one direction, picoseconds.
        mtu: largest IP packet, bytes.
        lossless: number of lossless priorities of the port.
        cell: allocation unit of the buffer, bytes.
        generation: time from the last bit of a frame until the port decides on a pause, picoseconds.

    Raises:
        ValueError: rate, MTU, lossless priorities or cell are not above zero.
    """
    (sent_back, pfc_frames, cable, response), longest, ends, middle, worst_frame = _core.headroom(
        rate, delay, generation, mtu, lossless, cell
    )
    return Headroom(sent_back, pfc_frames, cable, response, longest, ends, middle, worst_frame, cell)


@dataclass(frozen=True, slots=True)
class Packet:
    """A RoCEv2 packet with a correct invariant CRC. A header that the packet lacks is None."""

    source_mac: str
    destination_mac: str
    source: str
    destination: str
    dscp: int
    ecn: int  # 0 to 3, as in the IP header
    ttl: int
    udp_source_port: int
    opcode: int  # of the base transport header (IBTA volume 1, section 9.2.1)
    solicited_event: bool
    migrated: bool
    partition_key: int
    fecn: bool
    becn: bool
    destination_qp: int
    acknowledge_request: bool
    psn: int
    payload: int  # bytes, without padding
    vlan: int | None = None
    priority: int | None = None
    remote_address: int | None = None
    remote_key: int | None = None
    length: int | None = None  # of the whole message, bytes
    syndrome: int | None = None
    msn: int | None = None
    queue_key: int | None = None
    source_qp: int | None = None


def packet(frame: bytes) -> Packet:
    """The RoCEv2 packet in an Ethernet frame, which may lack its frame check sequence.

    Raises:
        ValueError: it contains no RoCEv2 packet, one of an unknown kind, or a damaged one.
    """
    return Packet(**_core.packet(frame))
