//! The invariant CRC of a RoCEv2 packet.

use crate::frame::{Ip, BTH, UDP_HEADER};

const MAX_HEADERS: usize = 40 + UDP_HEADER as usize + BTH as usize; // IPv6, UDP, BTH

/// The invariant CRC over an IP packet without its last four bytes (IBTA annex A17.3.3); the wire carries it with the
/// low byte first.
///
/// It is the CRC of Ethernet over eight bytes of ones, which replace the local route header, and the packet, in which a one
/// replaces every bit that a router or switch may change. `packet` starts at the IP header, which has neither
/// options nor extension headers, and reaches at least to the end of the BTH.
pub(crate) fn compute_icrc(ip: Ip, packet: &[u8]) -> u32 {
    let udp = ip.header_bytes() as usize;
    let bth = udp + UDP_HEADER as usize;
    let end = bth + BTH as usize;

    let mut headers = [0; MAX_HEADERS];
    headers[..end].copy_from_slice(&packet[..end]);
    match ip {
        Ip::V4 => {
            headers[1] = 0xff; // DSCP and ECN
            headers[8] = 0xff; // time to live
            headers[10..12].fill(0xff); // header checksum
        }
        Ip::V6 => {
            headers[0] |= 0x0f; // traffic class and flow label
            headers[1..4].fill(0xff);
            headers[7] = 0xff; // hop limit
        }
    }
    headers[udp + 6..bth].fill(0xff); // UDP checksum
    headers[bth + 4] = 0xff; // FECN, BECN and six reserved bits (resv8a)

    let mut crc = crc32fast::Hasher::new();
    crc.update(&[0xff; 8]);
    crc.update(&headers[..end]);
    crc.update(&packet[end..]);
    crc.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_hex;

    /// A send of an unreliable connection from a ConnectX with UDP checksum and pad bytes (scapy, test/contrib/roce.uts).
    /// `Packet::parse` does not support its opcode.
    #[test]
    fn icrc_of_a_captured_packet_matches() {
        let packet = parse_hex(
            "4501 0040 0478 4000 4011 b4d5 c0a8 0007 c0a8 0007 c000 12b7 002c aca2 \
             2460 ffff 0000 00d3 00cf 1710 4630 818b e289 35d9 0e9a 9550 5401 be88 5e50 0000",
        );
        assert_eq!(
            compute_icrc(Ip::V4, &packet).to_le_bytes(),
            *parse_hex("78f3 53f3")
        );
    }
}
