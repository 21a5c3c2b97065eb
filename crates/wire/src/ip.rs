//! The Ethernet header with its tag, and the IP header. All packets begin with them.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::frame::{Encapsulation, Ip};

pub(crate) const VLAN_TYPE: u16 = 0x8100; // IEEE 802.1Q clause 9.4
pub(crate) const IPV4_TYPE: u16 = 0x0800; // IEEE 802 EtherTypes
pub(crate) const IPV6_TYPE: u16 = 0x86dd;
pub(crate) const TCP_PROTOCOL: u8 = 6; // IANA protocol numbers
pub(crate) const UDP_PROTOCOL: u8 = 17;

/// The Ethernet header and the IP header of a packet, the latter without options or extensions. Fields that follow from the
/// packet, such as lengths, are computed when it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    /// Source MAC address.
    pub source_mac: [u8; 6],
    /// Destination MAC address.
    pub destination_mac: [u8; 6],
    /// The 802.1Q tag, where the frame carries one.
    pub tag: Option<Tag>,
    /// IP addresses, and the fields that only one IP version has.
    pub addresses: Addresses,
    /// Differentiated services code point, 6 bits (RFC 2474); bits above them are not sent.
    pub dscp: u8,
    /// Explicit congestion notification (RFC 3168, section 5).
    pub ecn: Ecn,
    /// Time to live (IPv4), hop limit (IPv6).
    pub ttl: u8,
}

/// A network header for tests: IPv4, no tag, no marks.
#[cfg(test)]
pub(crate) fn sample_network() -> Network {
    Network {
        source_mac: [2, 0, 0, 0, 0, 1],
        destination_mac: [2, 0, 0, 0, 0, 2],
        tag: None,
        addresses: Addresses::V4 {
            source: Ipv4Addr::new(10, 0, 0, 1),
            destination: Ipv4Addr::new(10, 0, 0, 2),
            identification: 0,
        },
        dscp: 0,
        ecn: Ecn::NotEct,
        ttl: 64,
    }
}

/// An 802.1Q tag (IEEE 802.1Q clause 9.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag {
    /// PCP: the priority, 3 bits; bits above them are not sent.
    pub priority: u8,
    /// DEI: the frame may be dropped before others.
    pub drop_eligible: bool,
    /// VID: the VLAN, 12 bits; bits above them are not sent.
    pub vlan: u16,
}

/// The addresses of an IP header, and the fields that only one version has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    /// IPv4 (RFC 791).
    V4 {
        /// Source address.
        source: Ipv4Addr,
        /// Destination address.
        destination: Ipv4Addr,
        /// Identification. Any value is valid, because no packet is fragmented (RFC 6864, section 4.1).
        identification: u16,
    },
    /// IPv6 (RFC 8200).
    V6 {
        /// Source address.
        source: Ipv6Addr,
        /// Destination address.
        destination: Ipv6Addr,
        /// Flow label, 20 bits; bits above them are not sent.
        flow_label: u32,
    },
}

/// Explicit congestion notification codepoint (RFC 3168, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable: dropped on congestion.
    NotEct = 0b00,
    /// ECN-capable, ECT(1).
    Ect1 = 0b01,
    /// ECN-capable, ECT(0): the codepoint of RoCEv2 senders.
    Ect0 = 0b10,
    /// Congestion experienced.
    Ce = 0b11,
}

impl Network {
    /// The headers around the TCP segment or UDP datagram.
    pub fn encapsulation(&self) -> Encapsulation {
        Encapsulation {
            ip: self.addresses.version(),
            vlan: self.tag.is_some(),
        }
    }

    /// Appends both headers of a packet with `length` bytes after the IP header, and returns the offset of the IP header in
    /// `into`.
    pub(crate) fn encode(&self, protocol: u8, length: u16, into: &mut Vec<u8>) -> usize {
        into.extend_from_slice(&self.destination_mac);
        into.extend_from_slice(&self.source_mac);
        if let Some(tag) = self.tag {
            into.extend_from_slice(&VLAN_TYPE.to_be_bytes());
            into.extend_from_slice(&tag.control_information().to_be_bytes());
        }
        let ether_type = match self.addresses.version() {
            Ip::V4 => IPV4_TYPE,
            Ip::V6 => IPV6_TYPE,
        };
        into.extend_from_slice(&ether_type.to_be_bytes());
        let start = into.len();
        self.encode_ip(protocol, length, into);
        start
    }

    fn encode_ip(&self, protocol: u8, length: u16, into: &mut Vec<u8>) {
        let traffic_class = self.dscp << 2 | self.ecn as u8;
        match self.addresses {
            Addresses::V4 {
                source,
                destination,
                identification,
            } => {
                let mut header = [0; 20];
                header[0] = 0x45; // version 4, header of five 32-bit words
                header[1] = traffic_class;
                header[2..4].copy_from_slice(&(20 + length).to_be_bytes());
                header[4..6].copy_from_slice(&identification.to_be_bytes());
                header[6] = 0x40; // do not fragment
                header[8] = self.ttl;
                header[9] = protocol;
                header[12..16].copy_from_slice(&source.octets());
                header[16..].copy_from_slice(&destination.octets());
                let checksum = internet_checksum(&header);
                header[10..12].copy_from_slice(&checksum.to_be_bytes());
                into.extend_from_slice(&header);
            }
            Addresses::V6 {
                source,
                destination,
                flow_label,
            } => {
                let first = 6 << 28 | u32::from(traffic_class) << 20 | flow_label & 0xf_ffff;
                into.extend_from_slice(&first.to_be_bytes());
                into.extend_from_slice(&length.to_be_bytes());
                into.extend_from_slice(&[protocol, self.ttl]);
                into.extend_from_slice(&source.octets());
                into.extend_from_slice(&destination.octets());
            }
        }
    }

    /// The checksum of a TCP segment or UDP datagram whose checksum field is zero (RFC 9293, 3.1; RFC 768; RFC 8200, 8.1).
    pub(crate) fn compute_checksum(&self, protocol: u8, segment: &[u8]) -> u16 {
        let mut pseudo = Vec::with_capacity(40 + segment.len() + 1);
        match self.addresses {
            Addresses::V4 {
                source,
                destination,
                ..
            } => {
                pseudo.extend_from_slice(&source.octets());
                pseudo.extend_from_slice(&destination.octets());
            }
            Addresses::V6 {
                source,
                destination,
                ..
            } => {
                pseudo.extend_from_slice(&source.octets());
                pseudo.extend_from_slice(&destination.octets());
            }
        }
        pseudo.extend_from_slice(&(segment.len() as u32).to_be_bytes());
        pseudo.extend_from_slice(&u32::from(protocol).to_be_bytes());
        pseudo.extend_from_slice(segment);
        if !pseudo.len().is_multiple_of(2) {
            pseudo.push(0);
        }
        internet_checksum(&pseudo)
    }
}

impl Addresses {
    pub(crate) fn version(&self) -> Ip {
        match self {
            Addresses::V4 { .. } => Ip::V4,
            Addresses::V6 { .. } => Ip::V6,
        }
    }
}

impl Tag {
    fn control_information(self) -> u16 {
        u16::from(self.priority) << 13 | u16::from(self.drop_eligible) << 12 | self.vlan & 0xfff
    }
}

/// The Internet checksum (RFC 1071) of an even number of bytes; zero over a header that contains its right checksum.
pub(crate) fn internet_checksum(header: &[u8]) -> u16 {
    let mut sum: u32 = header
        .chunks_exact(2)
        .map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])))
        .sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}
