//! Properties of control packets that grant and request credit.

use arbitrary::{Result, Unstructured};
use wirespeed_wire::{Credit, CreditPacket, FCS, UET_PORT};

use super::input;

/// The encoded frame has the computed size, right checksums, and the fields of the packet at their offsets.
pub fn check(bytes: &[u8]) {
    if let Ok(packet) = any_packet(&mut Unstructured::new(bytes)) {
        check_credit_packet(&packet);
    }
}

fn check_credit_packet(packet: &CreditPacket) {
    let mut frame = vec![];
    packet.encode(&mut frame);
    assert_eq!(frame.len() as u32, packet.frame().bytes() - FCS);
    let datagram = input::check_headers(&frame, &packet.network, 17);
    assert_eq!(datagram.len(), 8 + 16);
    assert!(input::has_right_checksum(&packet.network, 17, datagram));
    assert_ne!(datagram[6..8], [0, 0]);
    let ports = [packet.udp_source_port, UET_PORT].map(u16::to_be_bytes);
    assert_eq!(datagram[..4], ports.concat());

    let contexts = packet.contexts.map(u16::to_be_bytes).concat();
    assert_eq!(datagram[16..20], contexts);
    let kind = u16::from_be_bytes([datagram[8], datagram[9]]) >> 7 & 0xf;
    let field = u32::from_be_bytes([datagram[20], datagram[21], datagram[22], datagram[23]]);
    let read = match kind {
        7 => Credit::Granted(field >> 8),
        8 => Credit::Requested {
            context: (field >> 24) as u8,
            target: field & 0xff_ffff,
        },
        other => panic!("control packet of type {other}"),
    };
    assert_eq!(read, packet.credit);
}

/// Any credit packet, every field within its width.
pub fn any_packet(input: &mut Unstructured<'_>) -> Result<CreditPacket> {
    Ok(CreditPacket {
        network: input::any_network(input)?,
        udp_source_port: input.arbitrary()?,
        contexts: input.arbitrary()?,
        credit: match input.arbitrary()? {
            false => Credit::Granted(input.int_in_range(0..=0xff_ffff)?),
            true => Credit::Requested {
                context: input.arbitrary()?,
                target: input.int_in_range(0..=0xff_ffff)?,
            },
        },
    })
}
