//! Control packets that grant and request credit, as the bytes of their Ethernet frame: Ultra Ethernet
//! Specification 1.0, table 3-38 (PDS control packet), 3-64 (credit) and 3-65 (credit request).
//!
//! Widths and order of the fields are those of public implementations: the headers of `xdp2`
//! (`uet_pds_control_pkt`; `credit` and `credit_target` in `uet_pds_ack_cc` and `uet_pds_rud_rod_request_cc`) and the
//! fields of a traffic generator for these packets (`UetPdsRudRodCP` of `ixnetwork_restpy`: credit, reserved; CCC,
//! credit target). The PSN of both is 0: control packets take no PSN.

use crate::frame::{Frame, FCS, UDP_HEADER};
use crate::ip::{Network, UDP_PROTOCOL};

/// UDP destination port of Ultra Ethernet's transport (`UET_UDP_PORT_NUM` of `xdp2`).
pub const UET_PORT: u16 = 4793;
/// Bytes in a unit of credit (table 3-34).
pub const CREDIT_UNIT: u64 = 256;

/// Bytes of a control packet.
const CONTROL: u16 = 16;
/// Type of a control packet in the packet delivery sublayer.
const TYPE: u16 = 11;

/// A control packet that grants or requests credit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreditPacket {
    /// The headers of the link and of IP.
    pub network: Network,
    /// Entropy of the flow.
    pub udp_source_port: u16,
    /// Packet delivery contexts: source, destination.
    pub contexts: [u16; 2],
    /// The credit that the packet grants or requests.
    pub credit: Credit,
}

/// Credit granted or requested since the start of the flow, in units of [`CREDIT_UNIT`], modulo 2^24.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credit {
    /// Credit that the receiver has granted.
    Granted(u32),
    /// Credit that the sender requests.
    Requested {
        /// The congestion control context.
        context: u8,
        /// Units.
        target: u32,
    },
}

impl Credit {
    /// The type of the control packet, and the four bytes after its header.
    fn encode_control(self) -> (u16, u32) {
        const UNITS: u32 = 0xff_ffff;
        match self {
            Credit::Granted(units) => (7, (units & UNITS) << 8),
            Credit::Requested { context, target } => (8, u32::from(context) << 24 | target & UNITS),
        }
    }
}

impl CreditPacket {
    /// The size of its frame.
    pub fn frame(&self) -> Frame {
        self.network.encapsulation().udp(CONTROL.into())
    }

    /// Appends the frame, padded with zeros to the shortest frame. As in most captures, the frame check sequence is left out.
    pub fn encode(&self, into: &mut Vec<u8>) {
        let start = into.len();
        let length = UDP_HEADER as u16 + CONTROL;
        self.network.encode(UDP_PROTOCOL, length, into);

        let datagram = into.len();
        for field in [self.udp_source_port, UET_PORT, length, 0] {
            into.extend_from_slice(&field.to_be_bytes());
        }
        let (kind, payload) = self.credit.encode_control();
        into.extend_from_slice(&(TYPE << 11 | kind << 7).to_be_bytes());
        into.extend_from_slice(&[0; 6]); // fields of probes; the PSN
        for context in self.contexts {
            into.extend_from_slice(&context.to_be_bytes());
        }
        into.extend_from_slice(&payload.to_be_bytes());
        let checksum = match self
            .network
            .compute_checksum(UDP_PROTOCOL, &into[datagram..])
        {
            0 => 0xffff, // 0 = none (RFC 768)
            checksum => checksum,
        };
        into[datagram + 6..datagram + 8].copy_from_slice(&checksum.to_be_bytes());
        into.resize(start + (self.frame().bytes() - FCS) as usize, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both kinds of packet, with credit of more than 24 bits. Checksums are computed by hand over the pseudo header and the
    /// datagram.
    #[test]
    fn encoded_bytes_match_the_specification() {
        let granted = CreditPacket {
            network: crate::ip::sample_network(),
            udp_source_port: 0x1000,
            contexts: [0x0003, 0x0004],
            credit: Credit::Granted(0x01ab_cdef),
        };
        let requested = CreditPacket {
            credit: Credit::Requested {
                context: 0x12,
                target: 0xff34_5678,
            },
            ..granted
        };
        let rows = [
            // 0a00 + 0001 + 0a00 + 0002 + 0018 + 0011 + 1000 + 12b9 + 0018 + 5b80 + 0003 + 0004 + abcd + ef00 = 22d51
            (
                granted,
                "1000 12b9 0018 d2ac 5b80 0000 0000 0000 0003 0004 abcdef00",
            ),
            // ... + 5c00 + 0003 + 0004 + 1234 + 5678 = 0fbb0
            (
                requested,
                "1000 12b9 0018 044f 5c00 0000 0000 0000 0003 0004 12345678",
            ),
        ];
        for (packet, expected) in rows {
            let mut bytes = Vec::new();
            packet.encode(&mut bytes);
            assert_eq!(&bytes[34..58], crate::parse_hex(expected));
            assert_eq!((bytes.len(), packet.frame().bytes()), (60, 64));
        }
    }
}
