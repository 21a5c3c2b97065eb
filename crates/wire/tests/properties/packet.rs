//! RoCEv2 packets: headers, IP, invariant CRC, and the parser.

use arbitrary::{Result, Unstructured};
use wirespeed_wire::{
    Aeth, Bth, Deth, NakCode, Packet, PacketKind, ParseError, Reth, Syndrome, FCS, MAX_PAYLOAD,
};

use super::input;

/// The first byte selects the test of the other bytes: a frame, a frame whose lengths and checksums are corrected, or random
/// draws for a packet, which is encoded and parsed.
pub fn check(bytes: &[u8]) {
    let Some((mode, input)) = bytes.split_first() else {
        return;
    };
    match mode % 3 {
        0 => check_frame(input),
        1 => check_frame(&repair_frame(input)),
        _ => {
            if let Ok(packet) = any_packet(&mut Unstructured::new(input)) {
                check_packet(&packet);
            }
        }
    }
}

/// A frame that is accepted is encoded again with the same bits, except those that a packet does not store.
fn check_frame(frame: &[u8]) {
    let Ok(packet) = Packet::parse(frame) else {
        return;
    };
    let mut encoded = vec![];
    packet.encode(&mut encoded);
    assert_eq!(Packet::parse(&encoded), Ok(packet));

    assert_eq!(
        mask_headers(&encoded, &packet),
        mask_headers(frame, &packet)
    );
    // Padding of a short frame follows the IP packet and has no meaning.
    assert!(frame.len() + 46 >= encoded.len());
}

/// The headers with zeros for every bit that a packet does not store: flags of IPv4 and the header checksum that follows from
/// them, the UDP checksum, reserved bits of the BTH and the DETH.
fn mask_headers(frame: &[u8], packet: &Packet) -> Vec<u8> {
    let ip = if packet.network.tag.is_some() { 18 } else { 14 };
    let mut headers = frame[..payload_start(packet)].to_vec();
    let udp = match headers[ip] >> 4 {
        4 => {
            headers[ip + 6] = 0;
            headers[ip + 10..ip + 12].fill(0);
            ip + 20
        }
        _ => ip + 40,
    };
    headers[udp + 6..udp + 8].fill(0);
    headers[udp + 12] &= 0xc0;
    headers[udp + 16] &= 0x80;
    if packet.kind.deth().is_some() {
        headers[udp + 24] = 0;
    }
    headers
}

fn payload_start(packet: &Packet) -> usize {
    let crc_and_payload = packet.kind.payload().div_ceil(4) * 4 + 4;
    let headers = packet.network.encapsulation().extra_header_bytes() + 14 + 20 + 8 + 12;
    let extension = match packet.kind {
        kind if kind.reth().is_some() => 16,
        kind if kind.aeth().is_some() => 4,
        kind if kind.deth().is_some() => 8,
        _ => 0,
    };
    let shortest = (packet.frame().bytes() - FCS).saturating_sub(crc_and_payload);
    assert!(headers + extension <= shortest.max(60));
    (headers + extension) as usize
}

/// The encoded frame has the computed size and parses to the same packet. A part of the frame is refused.
fn check_packet(packet: &Packet) {
    let mut frame = vec![];
    packet.encode(&mut frame);
    assert_eq!(frame.len() as u32, packet.frame().bytes() - FCS);
    assert_eq!(Packet::parse(&frame), Ok(*packet));

    let length = payload_start(packet) + packet.kind.payload().div_ceil(4) as usize * 4 + 4;
    for end in [0, 13, 17, 33, 41, 53, length - 5, length - 1] {
        if end < length {
            let error = Packet::parse(&frame[..end]).unwrap_err();
            assert!(matches!(error, ParseError::Truncated(_)), "{end}: {error}");
        }
    }
    assert_eq!(Packet::parse(&frame[..length]), Ok(*packet));
}

/// The frame with corrected lengths and checksums, so that it reaches every part of the parser.
fn repair_frame(frame: &[u8]) -> Vec<u8> {
    let mut frame = frame.to_vec();
    let is_tagged = frame.get(12..14) == Some(&[0x81, 0x00]);
    let ip = if is_tagged { 18 } else { 14 };
    if frame.len() < ip + 48 {
        return frame;
    }
    let length = frame.len().min(ip + 5000) - ip;
    let udp = if frame[ip] % 2 == 1 {
        frame[ip - 2..ip].copy_from_slice(&[0x86, 0xdd]);
        frame[ip] = 0x60 | frame[ip] & 0x0f;
        frame[ip + 4..ip + 6].copy_from_slice(&(length as u16 - 40).to_be_bytes());
        frame[ip + 6] = 17;
        ip + 40
    } else {
        frame[ip - 2..ip].copy_from_slice(&[0x08, 0x00]);
        frame[ip] = 0x45;
        frame[ip + 2..ip + 4].copy_from_slice(&(length as u16).to_be_bytes());
        frame[ip + 6..ip + 8].copy_from_slice(&[0x40, 0]);
        frame[ip + 9] = 17;
        frame[ip + 10..ip + 12].fill(0);
        let sum = frame[ip..ip + 20].chunks(2).fold(0u32, |sum, pair| {
            sum + u32::from(u16::from_be_bytes([pair[0], pair[1]]))
        });
        let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
        frame[ip + 10..ip + 12].copy_from_slice(&sum.to_be_bytes());
        ip + 20
    };
    frame[udp + 2..udp + 4].copy_from_slice(&4791u16.to_be_bytes());
    frame[udp + 4..udp + 6].copy_from_slice(&((ip + length - udp) as u16).to_be_bytes());
    if let Err(ParseError::Icrc { expected, .. }) = Packet::parse(&frame) {
        frame[ip + length - 4..ip + length].copy_from_slice(&expected.to_le_bytes());
    }
    frame
}

/// A packet of any kind, every field within its width.
pub fn any_packet(input: &mut Unstructured<'_>) -> Result<Packet> {
    let kind = any_kind(input)?;
    Ok(Packet {
        network: input::any_network(input)?,
        udp_source_port: input.arbitrary()?,
        bth: Bth {
            unreliable: kind.opcode() < 0x0c && input.arbitrary()?,
            solicited_event: input.arbitrary()?,
            migrated: input.arbitrary()?,
            partition_key: input.arbitrary()?,
            fecn: input.arbitrary()?,
            becn: input.arbitrary()?,
            destination_qp: input.int_in_range(0..=0xff_ffff)?,
            acknowledge_request: input.arbitrary()?,
            psn: input.int_in_range(0..=0xff_ffff)?,
        },
        kind,
    })
}

fn any_kind(input: &mut Unstructured<'_>) -> Result<PacketKind> {
    use PacketKind::*;
    let payload = match input.ratio(1, 64)? {
        true => input.int_in_range(0..=MAX_PAYLOAD)?,
        false => input.int_in_range(0..=100)?, // long packets take long to check
    };
    let reth = Reth {
        address: input.arbitrary()?,
        key: input.arbitrary()?,
        length: input.arbitrary()?,
    };
    let aeth = Aeth {
        syndrome: any_syndrome(input)?,
        msn: input.int_in_range(0..=0xff_ffff)?,
    };
    let deth = Deth {
        queue_key: reth.key,
        source_qp: aeth.msn,
    };
    Ok(*input.choose(&[
        SendFirst { payload },
        SendMiddle { payload },
        SendLast { payload },
        SendOnly { payload },
        WriteFirst { reth, payload },
        WriteMiddle { payload },
        WriteLast { payload },
        WriteOnly { reth, payload },
        ReadRequest { reth },
        ReadResponseFirst { aeth, payload },
        ReadResponseMiddle { payload },
        ReadResponseLast { aeth, payload },
        ReadResponseOnly { aeth, payload },
        Acknowledge { aeth },
        DatagramSend { deth, payload },
        Cnp,
    ])?)
}

fn any_syndrome(input: &mut Unstructured<'_>) -> Result<Syndrome> {
    let value = input.int_in_range(0..=31)?;
    Ok(*input.choose(&[
        Syndrome::Ack { credits: value },
        Syndrome::ReceiverNotReady { timer: value },
        Syndrome::Nak(NakCode::PsnSequenceError),
        Syndrome::Nak(NakCode::InvalidRequest),
        Syndrome::Nak(NakCode::RemoteAccessError),
        Syndrome::Nak(NakCode::RemoteOperationalError),
    ])?)
}
