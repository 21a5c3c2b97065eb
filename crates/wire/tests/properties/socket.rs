//! Properties of TCP segments and UDP datagrams.

use arbitrary::{Result, Unstructured};
use wirespeed_wire::{SocketPacket, SocketProtocol, FCS, MAX_SOCKET_PAYLOAD};

use super::input;

/// The encoded frame has the computed size, right checksums, and the fields of the packet at their offsets.
pub fn check(bytes: &[u8]) {
    if let Ok(packet) = any_packet(&mut Unstructured::new(bytes)) {
        check_socket_packet(&packet);
    }
}

fn check_socket_packet(packet: &SocketPacket) {
    let mut frame = vec![];
    packet.encode(&mut frame);
    assert_eq!(frame.len() as u32, packet.frame().bytes() - FCS);
    let protocol = match packet.protocol {
        SocketProtocol::Tcp { .. } => 6,
        SocketProtocol::Udp => 17,
    };
    let segment = input::check_headers(&frame, &packet.network, protocol);
    assert!(input::has_right_checksum(
        &packet.network,
        protocol,
        segment
    ));
    assert_eq!(segment[..4], packet.ports.map(u16::to_be_bytes).concat());

    let word_at = |offset: usize| {
        u32::from_be_bytes(segment[offset..offset + 4].try_into().expect("four bytes"))
    };
    let header = match packet.protocol {
        SocketProtocol::Udp => {
            assert_eq!(word_at(4) >> 16, segment.len() as u32);
            assert_ne!(segment[6..8], [0, 0]);
            8
        }
        SocketProtocol::Tcp {
            sequence,
            acknowledgement,
            push,
            window,
            timestamps,
        } => {
            assert_eq!((word_at(4), word_at(8)), (sequence, acknowledgement));
            assert_eq!(segment[13], if push { 0x18 } else { 0x10 });
            assert_eq!(word_at(12) & 0xffff, u32::from(window));
            assert_eq!([word_at(24), word_at(28)], timestamps);
            usize::from(segment[12] >> 4) * 4
        }
    };
    assert_eq!(segment.len() - header, usize::from(packet.payload));
    assert!(segment[header..].iter().all(|byte| *byte == 0));
}

/// Any packet of a socket, every field within its width.
pub fn any_packet(input: &mut Unstructured<'_>) -> Result<SocketPacket> {
    Ok(SocketPacket {
        network: input::any_network(input)?,
        ports: input.arbitrary()?,
        protocol: match input.arbitrary()? {
            false => SocketProtocol::Udp,
            true => SocketProtocol::Tcp {
                sequence: input.arbitrary()?,
                acknowledgement: input.arbitrary()?,
                push: input.arbitrary()?,
                window: input.arbitrary()?,
                timestamps: input.arbitrary()?,
            },
        },
        payload: match input.ratio(1, 64)? {
            true => input.int_in_range(0..=MAX_SOCKET_PAYLOAD)?,
            false => input.int_in_range(0..=100)?, // long packets take long to check
        },
    })
}
