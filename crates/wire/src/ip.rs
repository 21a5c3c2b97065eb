//! What all packets begin with: the Ethernet header with its tag, and the IP header.

use crate::frame::Ip;
use crate::packet::{Addresses, Tag};

pub(crate) const VLAN_TYPE: u16 = 0x8100; // IEEE 802.1Q clause 9.4
pub(crate) const IPV4_TYPE: u16 = 0x0800; // IEEE 802 EtherTypes
pub(crate) const IPV6_TYPE: u16 = 0x86dd;
pub(crate) const TCP_PROTOCOL: u8 = 6; // IANA protocol numbers
pub(crate) const UDP_PROTOCOL: u8 = 17;

/// An Ethernet header.
pub(crate) struct Link {
    pub source_mac: [u8; 6],
    pub destination_mac: [u8; 6],
    pub tag: Option<Tag>,
}

impl Link {
    /// Appends it, before a packet of this version of IP.
    pub(crate) fn encode(&self, version: Ip, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.destination_mac);
        into.extend_from_slice(&self.source_mac);
        if let Some(tag) = self.tag {
            into.extend_from_slice(&VLAN_TYPE.to_be_bytes());
            into.extend_from_slice(&tag.control().to_be_bytes());
        }
        let ether_type = match version {
            Ip::V4 => IPV4_TYPE,
            Ip::V6 => IPV6_TYPE,
        };
        into.extend_from_slice(&ether_type.to_be_bytes());
    }
}

/// An IP header without options or extensions.
pub(crate) struct IpHeader {
    pub addresses: Addresses,
    /// DSCP and ECN.
    pub traffic_class: u8,
    pub ttl: u8,
    pub protocol: u8,
}

impl IpHeader {
    /// Appends it, before so many bytes.
    pub(crate) fn encode(&self, length: u16, into: &mut Vec<u8>) {
        match self.addresses {
            Addresses::V4 {
                source,
                destination,
                identification,
            } => {
                let mut header = [0; 20];
                header[0] = 0x45; // version 4, five words
                header[1] = self.traffic_class;
                header[2..4].copy_from_slice(&(20 + length).to_be_bytes());
                header[4..6].copy_from_slice(&identification.to_be_bytes());
                header[6] = 0x40; // do not fragment
                header[8] = self.ttl;
                header[9] = self.protocol;
                header[12..16].copy_from_slice(&source.octets());
                header[16..].copy_from_slice(&destination.octets());
                let sum = internet_checksum(&header);
                header[10..12].copy_from_slice(&sum.to_be_bytes());
                into.extend_from_slice(&header);
            }
            Addresses::V6 {
                source,
                destination,
                flow_label,
            } => {
                let first = 6 << 28 | u32::from(self.traffic_class) << 20 | flow_label & 0xf_ffff;
                into.extend_from_slice(&first.to_be_bytes());
                into.extend_from_slice(&length.to_be_bytes());
                into.extend_from_slice(&[self.protocol, self.ttl]);
                into.extend_from_slice(&source.octets());
                into.extend_from_slice(&destination.octets());
            }
        }
    }

    /// The checksum of a TCP segment or UDP datagram, whose own checksum is zero (RFC 9293, 3.1; RFC 768; RFC 8200, 8.1).
    pub(crate) fn checksum(&self, segment: &[u8]) -> u16 {
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
        pseudo.extend_from_slice(&u32::from(self.protocol).to_be_bytes());
        pseudo.extend_from_slice(segment);
        if !pseudo.len().is_multiple_of(2) {
            pseudo.push(0);
        }
        internet_checksum(&pseudo)
    }
}

impl Tag {
    fn control(self) -> u16 {
        u16::from(self.priority) << 13 | u16::from(self.drop_eligible) << 12 | self.vlan & 0xfff
    }
}

/// The Internet checksum (RFC 1071) of an even number of bytes; zero over a header that contains its own.
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
