//! A TCP segment or a UDP datagram of a host's sockets as the bytes of its Ethernet frame.

use crate::frame::{Frame, FCS, TCP_HEADER, UDP_HEADER};
use crate::ip::{Network, TCP_PROTOCOL, UDP_PROTOCOL};

const ACK: u8 = 1 << 4; // RFC 9293, 3.1
const PSH: u8 = 1 << 3;

/// Longest payload of a packet, bytes: headers and payload of an IPv4 packet add up to at most 65535 (RFC 791).
pub const MAX_SOCKET_PAYLOAD: u16 = u16::MAX - 20 - TCP_HEADER as u16;

/// A packet of a socket. Its payload is zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketPacket {
    /// The headers of the link and of IP.
    pub network: Network,
    /// Ports: source, destination.
    pub ports: [u16; 2],
    /// The transport protocol.
    pub protocol: SocketProtocol,
    /// Bytes of payload, at most [`MAX_SOCKET_PAYLOAD`].
    pub payload: u16,
}

/// The transport protocol of a socket, with the fields of its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketProtocol {
    /// A segment of an open connection (RFC 9293), with the timestamps option (RFC 7323).
    Tcp {
        /// Sequence number of the first byte of payload.
        sequence: u32,
        /// Sequence number of the next byte expected.
        acknowledgement: u32,
        /// PSH: the sender has no more data for now.
        push: bool,
        /// The receive window as the header carries it, not scaled.
        window: u16,
        /// The sender's clock, and the last received value of the receiver's clock.
        timestamps: [u32; 2],
    },
    /// A datagram (RFC 768).
    Udp,
}

impl SocketPacket {
    /// The size of its frame.
    pub fn frame(&self) -> Frame {
        let encapsulation = self.network.encapsulation();
        match self.protocol {
            SocketProtocol::Tcp { .. } => encapsulation.tcp(self.payload.into()),
            SocketProtocol::Udp => encapsulation.udp(self.payload.into()),
        }
    }

    /// Appends the frame, padded with zeros to the shortest frame. As in most captures, the frame check sequence is left out.
    ///
    /// # Panics
    ///
    /// If the payload exceeds [`MAX_SOCKET_PAYLOAD`].
    pub fn encode(&self, into: &mut Vec<u8>) {
        let payload = self.payload;
        assert!(payload <= MAX_SOCKET_PAYLOAD, "payload of {payload} bytes");
        let start = into.len();
        let (protocol, header) = match self.protocol {
            SocketProtocol::Tcp { .. } => (TCP_PROTOCOL, TCP_HEADER as u16),
            SocketProtocol::Udp => (UDP_PROTOCOL, UDP_HEADER as u16),
        };
        self.network.encode(protocol, header + self.payload, into);

        let segment = into.len();
        let checksum_offset = segment + self.encode_header(into);
        into.resize(into.len() + usize::from(self.payload), 0);
        let checksum = self.network.compute_checksum(protocol, &into[segment..]);
        let checksum = match (checksum, self.protocol) {
            (0, SocketProtocol::Udp) => 0xffff, // 0 = none
            (checksum, _) => checksum,
        };
        into[checksum_offset..checksum_offset + 2].copy_from_slice(&checksum.to_be_bytes());
        into.resize(start + (self.frame().bytes() - FCS) as usize, 0);
    }

    /// Appends the TCP or UDP header with a checksum of zero. Returns the offset of the checksum in the header.
    fn encode_header(&self, into: &mut Vec<u8>) -> usize {
        for port in self.ports {
            into.extend_from_slice(&port.to_be_bytes());
        }
        let SocketProtocol::Tcp {
            sequence,
            acknowledgement,
            push,
            window,
            timestamps,
        } = self.protocol
        else {
            into.extend_from_slice(&(UDP_HEADER as u16 + self.payload).to_be_bytes());
            into.extend_from_slice(&[0, 0]);
            return 6;
        };
        into.extend_from_slice(&sequence.to_be_bytes());
        into.extend_from_slice(&acknowledgement.to_be_bytes());
        let data_offset = (TCP_HEADER / 4) as u8; // in 32-bit words
        into.extend_from_slice(&[data_offset << 4, if push { ACK | PSH } else { ACK }]);
        into.extend_from_slice(&window.to_be_bytes());
        into.extend_from_slice(&[0; 4]); // checksum, urgent pointer
        into.extend_from_slice(&[1, 1, 8, 10]); // two NOPs; timestamps, ten bytes (RFC 7323, appendix A)
        for stamp in timestamps {
            into.extend_from_slice(&stamp.to_be_bytes());
        }
        16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A datagram and a segment. Checksums are computed by hand over the pseudo header and the segment.
    #[test]
    fn encoded_bytes_match_the_standards() {
        let packet = SocketPacket {
            network: crate::ip::sample_network(),
            ports: [0x1000, 0x2000],
            protocol: SocketProtocol::Udp,
            payload: 3,
        };
        let mut udp = Vec::new();
        packet.encode(&mut udp);
        // 0a00 + 0001 + 0a00 + 0002 + 000b + 0011 + 1000 + 2000 + 000b = 442a
        let header = crate::parse_hex("1000 2000 000b bbd5 000000");
        assert_eq!(&udp[34..45], header);
        assert_eq!((udp.len(), packet.frame().bytes()), (60, 64));

        let tcp = SocketPacket {
            protocol: SocketProtocol::Tcp {
                sequence: 0x0001_0002,
                acknowledgement: 0x0003_0004,
                push: true,
                window: 0xffff,
                timestamps: [5, 6],
            },
            ..packet
        };
        let mut bytes = Vec::new();
        tcp.encode(&mut bytes);
        // 1403 + 0023 + 0006 + 3000 + 0001 + 0002 + 0003 + 0004 + 8018 + ffff + 0101 + 080a + 0005 + 0006 = 1cd63
        let header = crate::parse_hex(
            "1000 2000 0001 0002 0003 0004 8018 ffff 329b 0000 0101 080a 0000 0005 0000 0006 000000",
        );
        assert_eq!(&bytes[34..], header);
        assert_eq!((bytes.len(), tcp.frame().bytes()), (69, 73));
    }
}
