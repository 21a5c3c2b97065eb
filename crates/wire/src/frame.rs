//! Sizes of RoCEv2 and flow-control frames.

use thiserror::Error;

/// Destination, source, EtherType (IEEE 802.3 clause 3.1.1).
pub const ETHERNET_HEADER: u32 = 14;
/// 802.1Q tag (IEEE 802.1Q clause 9.3).
pub const VLAN_TAG: u32 = 4;
/// Frame check sequence (IEEE 802.3 clause 3.2.9).
pub const FCS: u32 = 4;
/// Shortest frame, header through FCS (IEEE 802.3 clause 4.2.3.3).
pub const MIN_FRAME: u32 = 64;
/// Preamble 7, start delimiter 1, minimum inter-packet gap 12 (IEEE 802.3 clauses 3.2.1, 3.2.2, 4.4.2).
pub const ETHERNET_OVERHEAD: u32 = 20;
/// UDP header (RFC 768).
pub const UDP_HEADER: u32 = 8;
/// TCP header (RFC 9293) with the timestamps option and its padding (RFC 7323, appendix A), which Linux always sends.
pub const TCP_HEADER: u32 = 20 + 12;
/// Base transport header (IBTA volume 1, section 9.2).
pub const BTH: u32 = 12;
/// RDMA extended transport header: address, key, length (IBTA volume 1, section 9.3.3).
pub const RETH: u32 = 16;
/// ACK extended transport header (IBTA volume 1, section 9.3.5).
pub const AETH: u32 = 4;
/// Datagram extended transport header: queue key, source queue pair (IBTA volume 1, section 9.3.2).
pub const DETH: u32 = 8;
/// Invariant CRC at the end of every RoCEv2 packet (IBTA annex A17.3.3).
pub const ICRC: u32 = 4;
/// Reserved bytes that a congestion notification packet carries after its BTH (IBTA annex A17.9.3).
pub const CNP_PAYLOAD: u32 = 16;

const IPV4_HEADER: u32 = 20; // RFC 791, without options
const IPV6_HEADER: u32 = 40; // RFC 8200

/// The IP version that carries the RoCEv2 packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ip {
    /// IP version 4, no options.
    V4,
    /// IP version 6, no extension headers.
    V6,
}

impl Ip {
    /// Payload of a full TCP segment in packets of `mtu` bytes.
    pub fn tcp_payload(self, mtu: u32) -> u32 {
        mtu.saturating_sub(self.header_bytes() + TCP_HEADER)
    }

    /// Payload of the largest UDP datagram in a packet of `mtu` bytes.
    pub fn udp_payload(self, mtu: u32) -> u32 {
        mtu.saturating_sub(self.header_bytes() + UDP_HEADER)
    }

    pub(crate) fn header_bytes(self) -> u32 {
        match self {
            Ip::V4 => IPV4_HEADER,
            Ip::V6 => IPV6_HEADER,
        }
    }
}

/// The headers around the UDP datagram of a RoCEv2 packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encapsulation {
    /// The IP version.
    pub ip: Ip,
    /// Whether the frame carries an 802.1Q tag.
    pub vlan: bool,
}

impl Encapsulation {
    /// IPv4, and no tag.
    pub const PLAIN: Encapsulation = Encapsulation {
        ip: Ip::V4,
        vlan: false,
    };

    /// Bytes by which the headers are longer than those of [`Encapsulation::PLAIN`].
    pub fn extra_header_bytes(self) -> u32 {
        self.tag_bytes() + self.ip.header_bytes() - Ip::V4.header_bytes()
    }

    fn tag_bytes(self) -> u32 {
        if self.vlan {
            VLAN_TAG
        } else {
            0
        }
    }

    /// A RoCEv2 frame whose transport extension headers and payload add up to `after_bth` bytes.
    pub(crate) fn rocev2(self, after_bth: u32) -> Frame {
        let headers =
            ETHERNET_HEADER + self.tag_bytes() + self.ip.header_bytes() + UDP_HEADER + BTH;
        Frame::with_bytes(headers + after_bth + ICRC + FCS)
    }

    /// A TCP segment.
    pub fn tcp(self, payload: u32) -> Frame {
        self.ip_packet(TCP_HEADER + payload)
    }

    /// A UDP datagram.
    pub fn udp(self, payload: u32) -> Frame {
        self.ip_packet(UDP_HEADER + payload)
    }

    /// A frame with `after_ip` bytes after the IP header.
    fn ip_packet(self, after_ip: u32) -> Frame {
        Frame::with_bytes(
            ETHERNET_HEADER + self.tag_bytes() + self.ip.header_bytes() + after_ip + FCS,
        )
    }

    /// A data packet in the middle of a message: BTH and payload only.
    pub fn data_middle(self, payload: u32) -> Frame {
        self.rocev2(padded_length(payload))
    }

    /// The first or only packet of an RDMA write: BTH, RETH and payload.
    pub fn data_write_first(self, payload: u32) -> Frame {
        self.rocev2(RETH + padded_length(payload))
    }

    /// An RDMA read request: BTH and RETH.
    pub fn read_request(self) -> Frame {
        self.rocev2(RETH)
    }

    /// The first, last or only packet of an RDMA read response: BTH, AETH and payload.
    pub fn data_read_response_first(self, payload: u32) -> Frame {
        self.rocev2(AETH + padded_length(payload))
    }

    /// An unreliable datagram: BTH, DETH and payload.
    pub fn datagram(self, payload: u32) -> Frame {
        self.rocev2(DETH + padded_length(payload))
    }

    /// An acknowledgement: BTH and AETH.
    pub fn ack(self) -> Frame {
        self.rocev2(AETH)
    }

    /// A congestion notification packet: BTH and 16 reserved bytes.
    pub fn cnp(self) -> Frame {
        self.rocev2(CNP_PAYLOAD)
    }
}

/// Bytes of a payload with its padding to a multiple of four bytes (IBTA volume 1, section 9.2.5, pad count).
pub(crate) fn padded_length(payload: u32) -> u32 {
    payload.div_ceil(4) * 4
}

/// The size of one Ethernet frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    bytes: u32,
}

impl Frame {
    fn with_bytes(bytes: u32) -> Self {
        Frame {
            bytes: bytes.max(MIN_FRAME),
        }
    }

    /// A priority flow control (or global pause) frame: MAC control, always the shortest frame
    /// (IEEE 802.3 annex 31D). It is never tagged.
    pub fn pfc() -> Self {
        Frame { bytes: MIN_FRAME }
    }

    /// Ethernet header through FCS, bytes.
    pub fn bytes(self) -> u32 {
        self.bytes
    }

    /// Bytes that the frame occupies on the link: preamble, start delimiter, frame, minimum gap.
    pub fn wire_bytes(self) -> u32 {
        self.bytes + ETHERNET_OVERHEAD
    }
}

/// The path MTU of a reliable connection: the payload of a full packet (IBTA volume 1, section 9.7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathMtu(u32);

/// A path MTU that InfiniBand does not define.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("path MTU {0}: expected 256, 512, 1024, 2048 or 4096 bytes")]
pub struct UnknownPathMtu(pub u32);

impl PathMtu {
    /// The five path MTUs, ascending.
    pub const ALL: [PathMtu; 5] = [
        PathMtu(256),
        PathMtu(512),
        PathMtu(1024),
        PathMtu(2048),
        PathMtu(4096),
    ];

    /// Payload of a full packet, bytes.
    pub fn bytes(self) -> u32 {
        self.0
    }

    /// The largest path MTU whose RDMA write packet fits an interface MTU (size of the IP packet), bytes.
    ///
    /// `None` when the interface MTU is too small for 256 bytes of payload.
    pub fn largest_within(interface_mtu: u32, ip: Ip) -> Option<Self> {
        let headers = ip.header_bytes() + UDP_HEADER + BTH + RETH + ICRC;
        Self::ALL
            .into_iter()
            .rev()
            .find(|mtu| mtu.0 + headers <= interface_mtu)
    }

    /// Bytes on the link for one RDMA write of `size` bytes: every packet, no acknowledgements.
    ///
    /// A write of zero bytes is one packet without payload.
    pub fn write_wire_bytes(self, size: u64, encapsulation: Encapsulation) -> u64 {
        self.message_wire_bytes(size, encapsulation, RETH, 0)
    }

    /// Bytes on the link for one send of `size` bytes without immediate data: every packet, no acknowledgements.
    pub fn send_wire_bytes(self, size: u64, encapsulation: Encapsulation) -> u64 {
        self.message_wire_bytes(size, encapsulation, 0, 0)
    }

    /// Bytes on the link for the response to one RDMA read of `size` bytes: its first and its last packet carry
    /// an AETH (IBTA volume 1, section 9.4.4). The request travels in the other direction.
    pub fn read_response_wire_bytes(self, size: u64, encapsulation: Encapsulation) -> u64 {
        self.message_wire_bytes(size, encapsulation, AETH, AETH)
    }

    /// Packets of a message of `size` bytes.
    pub fn packets(self, size: u64) -> u64 {
        size.div_ceil(u64::from(self.0)).max(1)
    }

    /// Bytes on the link of a message. The first or only packet carries `first` bytes of extension header; the last packet of
    /// several carries `last`.
    fn message_wire_bytes(
        self,
        size: u64,
        encapsulation: Encapsulation,
        first: u32,
        last: u32,
    ) -> u64 {
        let mtu = u64::from(self.0);
        let packets = self.packets(size);
        // Every payload is at most one path MTU, 4096.
        let wire = |extension: u32, payload: u64| {
            u64::from(
                encapsulation
                    .rocev2(extension + padded_length(payload as u32))
                    .wire_bytes(),
            )
        };
        if packets == 1 {
            return wire(first, size);
        }
        wire(first, mtu) + (packets - 2) * wire(0, mtu) + wire(last, size - (packets - 1) * mtu)
    }
}

impl TryFrom<u32> for PathMtu {
    type Error = UnknownPathMtu;

    fn try_from(bytes: u32) -> Result<Self, UnknownPathMtu> {
        Self::ALL
            .into_iter()
            .find(|mtu| mtu.0 == bytes)
            .ok_or(UnknownPathMtu(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLAIN: Encapsulation = Encapsulation::PLAIN;

    /// Port counters of a real run (document 001, appendix A), which count bytes without FCS.
    #[test]
    fn sizes_agree_with_port_counters_of_a_real_run() {
        assert_eq!(PLAIN.data_write_first(1024).bytes() - FCS, 1098);
        assert_eq!(PLAIN.ack().bytes() - FCS, 62);
        assert_eq!(PLAIN.cnp().bytes() - FCS, 74);
    }

    #[test]
    fn frame_sizes_match_the_standards() {
        let v6 = Encapsulation {
            ip: Ip::V6,
            vlan: false,
        };
        let tagged = Encapsulation {
            ip: Ip::V4,
            vlan: true,
        };
        let rows = [
            (PLAIN.data_middle(4096), 4158, 4178),
            (PLAIN.data_write_first(4096), 4174, 4194),
            (PLAIN.ack(), 66, 86),
            (PLAIN.cnp(), 78, 98),
            (PLAIN.read_request(), 78, 98),
            (PLAIN.data_read_response_first(4096), 4162, 4182),
            (PLAIN.datagram(256), 326, 346),
            (v6.data_middle(4096), 4178, 4198),
            (v6.ack(), 86, 106),
            (v6.cnp(), 98, 118),
            (tagged.data_middle(4096), 4162, 4182),
            (tagged.ack(), 70, 90),
            (PLAIN.tcp(Ip::V4.tcp_payload(1500)), 1518, 1538),
            (v6.tcp(Ip::V6.tcp_payload(9000)), 9018, 9038),
            (tagged.udp(Ip::V4.udp_payload(1500)), 1522, 1542),
            (PLAIN.tcp(0), 70, 90),
            (PLAIN.udp(1), 64, 84),
            (PLAIN.data_middle(0), 64, 84),
            (PLAIN.data_middle(3), 66, 86),
            (Frame::pfc(), 64, 84),
        ];
        for (frame, bytes, wire) in rows {
            assert_eq!((frame.bytes(), frame.wire_bytes()), (bytes, wire));
        }
    }

    #[test]
    fn messages_are_the_sum_of_their_packets() {
        let mtu = PathMtu(4096);
        let rows = [
            (mtu.write_wire_bytes(8192, PLAIN), 4194 + 4178),
            (mtu.send_wire_bytes(8192, PLAIN), 2 * 4178),
            (mtu.read_response_wire_bytes(4096, PLAIN), 4182),
            (
                mtu.read_response_wire_bytes(12288, PLAIN),
                4182 + 4178 + 4182,
            ),
            (mtu.send_wire_bytes(4097, PLAIN), 4178 + 86),
            (mtu.send_wire_bytes(0, PLAIN), 84),
        ];
        for (bytes, expected) in rows {
            assert_eq!(bytes, expected);
        }
        assert_eq!(
            [0, 1, 4096, 4097].map(|size| mtu.packets(size)),
            [1, 1, 1, 2]
        );
    }

    #[test]
    fn path_mtu_follows_from_interface_mtu() {
        let rows = [
            (9000, Some(4096)),
            (4156, Some(4096)),
            (4155, Some(2048)),
            (1500, Some(1024)),
            (315, None),
        ];
        for (interface, path) in rows {
            assert_eq!(
                PathMtu::largest_within(interface, Ip::V4).map(PathMtu::bytes),
                path,
                "{interface}"
            );
        }
    }

    #[test]
    fn an_unknown_path_mtu_is_refused() {
        let error = PathMtu::try_from(9000).unwrap_err();
        assert_eq!(
            error.to_string(),
            "path MTU 9000: expected 256, 512, 1024, 2048 or 4096 bytes"
        );
    }

    proptest! {
        #[test]
        fn a_write_is_the_sum_of_its_packets(size in 0u64..1_000_000, mtu in 0usize..5, vlan: bool, v6: bool) {
            let encapsulation = Encapsulation { ip: if v6 { Ip::V6 } else { Ip::V4 }, vlan };
            let plain = PLAIN.data_middle(64).bytes();
            prop_assert_eq!(encapsulation.data_middle(64).bytes() - plain, encapsulation.extra_header_bytes());
            let mtu = PathMtu::ALL[mtu];
            let mut remaining = size;
            let mut wire = 0u64;
            let mut first = true;
            while first || remaining > 0 {
                let payload = remaining.min(u64::from(mtu.bytes())) as u32;
                let frame = if first { encapsulation.data_write_first(payload) } else { encapsulation.data_middle(payload) };
                wire += u64::from(frame.wire_bytes());
                remaining -= u64::from(payload);
                first = false;
            }
            prop_assert_eq!(mtu.write_wire_bytes(size, encapsulation), wire);
        }
    }
}
