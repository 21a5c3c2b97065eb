//! Draws values of the crate's types from bytes, and reads IP headers independently of the crate.

use arbitrary::{Result, Unstructured};
use wirespeed_wire::{Addresses, Ecn, Encapsulation, Ip, Network, Tag};

/// Ethernet and IP headers of any kind, every field within its width.
pub fn any_network(input: &mut Unstructured<'_>) -> Result<Network> {
    Ok(Network {
        source_mac: input.arbitrary()?,
        destination_mac: input.arbitrary()?,
        tag: match input.arbitrary()? {
            false => None,
            true => Some(Tag {
                priority: input.int_in_range(0..=7)?,
                drop_eligible: input.arbitrary()?,
                vlan: input.int_in_range(0..=0xfff)?,
            }),
        },
        addresses: match input.arbitrary()? {
            false => Addresses::V4 {
                source: input.arbitrary()?,
                destination: input.arbitrary()?,
                identification: input.arbitrary()?,
            },
            true => Addresses::V6 {
                source: input.arbitrary()?,
                destination: input.arbitrary()?,
                flow_label: input.int_in_range(0..=0xf_ffff)?,
            },
        },
        dscp: input.int_in_range(0..=63)?,
        ecn: *input.choose(&[Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce])?,
        ttl: input.arbitrary()?,
    })
}

/// Any IP version, with or without a tag.
pub fn any_encapsulation(input: &mut Unstructured<'_>) -> Result<Encapsulation> {
    Ok(Encapsulation {
        ip: *input.choose(&[Ip::V4, Ip::V6])?,
        vlan: input.arbitrary()?,
    })
}

/// Compares the headers of a frame without frame check sequence with `network`. Returns the IP payload.
pub fn check_headers<'a>(frame: &'a [u8], network: &Network, protocol: u8) -> &'a [u8] {
    assert_eq!(frame[..6], network.destination_mac);
    assert_eq!(frame[6..12], network.source_mac);
    let mut remaining = &frame[12..];
    if let Some(tag) = network.tag {
        let control = u16::from_be_bytes([remaining[2], remaining[3]]);
        assert_eq!(remaining[..2], [0x81, 0x00]);
        assert_eq!(control >> 13, u16::from(tag.priority));
        assert_eq!(control >> 12 & 1 == 1, tag.drop_eligible);
        assert_eq!(control & 0xfff, tag.vlan);
        remaining = &remaining[4..];
    }
    let traffic_class = network.dscp << 2 | network.ecn as u8;
    let ether_type = [remaining[0], remaining[1]];
    remaining = &remaining[2..];
    match network.addresses {
        Addresses::V4 {
            source,
            destination,
            identification,
        } => {
            assert_eq!(ether_type, [0x08, 0x00]);
            assert_eq!(
                (remaining[0], remaining[1], remaining[8]),
                (0x45, traffic_class, network.ttl)
            );
            assert_eq!(remaining[4..6], identification.to_be_bytes());
            assert_eq!(
                (remaining[9], &remaining[12..16]),
                (protocol, &source.octets()[..])
            );
            assert_eq!(remaining[16..20], destination.octets());
            assert_eq!(ones_complement_sum(&remaining[..20]), 0xffff);
            &remaining[20..usize::from(u16::from_be_bytes([remaining[2], remaining[3]]))]
        }
        Addresses::V6 {
            source,
            destination,
            flow_label,
        } => {
            assert_eq!(ether_type, [0x86, 0xdd]);
            let first =
                u32::from_be_bytes([remaining[0], remaining[1], remaining[2], remaining[3]]);
            assert_eq!(first, 6 << 28 | u32::from(traffic_class) << 20 | flow_label);
            assert_eq!((remaining[6], remaining[7]), (protocol, network.ttl));
            assert_eq!(remaining[8..24], source.octets());
            assert_eq!(remaining[24..40], destination.octets());
            &remaining[40..40 + usize::from(u16::from_be_bytes([remaining[4], remaining[5]]))]
        }
    }
}

/// Whether the checksum of a TCP segment or UDP datagram is right.
pub fn has_right_checksum(network: &Network, protocol: u8, segment: &[u8]) -> bool {
    let mut bytes = match network.addresses {
        Addresses::V4 {
            source,
            destination,
            ..
        } => [source.octets(), destination.octets()].concat(),
        Addresses::V6 {
            source,
            destination,
            ..
        } => [source.octets(), destination.octets()].concat(),
    };
    bytes.extend_from_slice(&[0, protocol]);
    bytes.extend_from_slice(&(segment.len() as u16).to_be_bytes());
    bytes.extend_from_slice(segment);
    ones_complement_sum(&bytes) == 0xffff
}

fn ones_complement_sum(bytes: &[u8]) -> u16 {
    let mut sum = 0u16;
    for pair in bytes.chunks(2) {
        let word = u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
        let (added, carry) = sum.overflowing_add(word);
        sum = added + u16::from(carry);
    }
    sum
}
