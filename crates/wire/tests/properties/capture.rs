//! Properties of capture files, which are read back record by record.

use arbitrary::{Result, Unstructured};
use wirespeed_wire::pcap::Capture;
use wirespeed_wire::{CreditPacket, Packet, Pfc, SocketPacket, FCS};

use super::{credit, packet, socket};

const PICOSECONDS_PER_SECOND: u64 = 1_000_000_000_000;

enum AnyFrame {
    Packet(Packet),
    Socket(SocketPacket),
    Credit(CreditPacket),
    Pfc(Pfc),
}

/// A file of drawn frames has a header, and a record of each frame with its time, its length and its first bytes.
pub fn check(bytes: &[u8]) {
    let mut input = Unstructured::new(bytes);
    let Ok(snap_length) = input.int_in_range(0..=10_000) else {
        return;
    };
    let capture = Capture { snap_length };
    let mut file = vec![];
    capture.append_header(&mut file);
    let mut frames = vec![];
    while !input.is_empty() && frames.len() < 8 {
        let Ok((picoseconds, content)) = any_record(&mut input) else {
            break;
        };
        frames.push((
            picoseconds,
            append_record(&capture, &mut file, picoseconds, &content),
        ));
    }

    let mut remaining = &file[..];
    assert_eq!(take_field(&mut remaining), 0xa1b2_3c4d);
    assert_eq!(take_field(&mut remaining), 4 << 16 | 2);
    assert_eq!(
        [(); 4].map(|()| take_field(&mut remaining)),
        [0, 0, snap_length, 1]
    );
    for (picoseconds, frame) in frames {
        let time = u64::from(take_field(&mut remaining)) * PICOSECONDS_PER_SECOND;
        let nanoseconds = u64::from(take_field(&mut remaining));
        assert!(nanoseconds < 1_000_000_000);
        assert_eq!(time + nanoseconds * 1000, picoseconds / 1000 * 1000);
        let stored_length = frame.len().min(snap_length as usize);
        assert_eq!(take_field(&mut remaining) as usize, stored_length);
        assert_eq!(take_field(&mut remaining) as usize, frame.len());
        assert_eq!(remaining[..stored_length], frame[..stored_length]);
        remaining = &remaining[stored_length..];
    }
    assert!(remaining.is_empty());
}

/// Appends the record of a frame, and returns the whole frame.
fn append_record(
    capture: &Capture,
    file: &mut Vec<u8>,
    picoseconds: u64,
    content: &AnyFrame,
) -> Vec<u8> {
    let mut frame = vec![];
    let length = match content {
        AnyFrame::Packet(packet) => {
            packet.encode(&mut frame);
            capture.append_packet(file, picoseconds, packet);
            packet.frame().bytes()
        }
        AnyFrame::Socket(packet) => {
            packet.encode(&mut frame);
            capture.append_socket(file, picoseconds, packet);
            packet.frame().bytes()
        }
        AnyFrame::Credit(packet) => {
            packet.encode(&mut frame);
            capture.append_credit(file, picoseconds, packet);
            packet.frame().bytes()
        }
        AnyFrame::Pfc(pfc) => {
            pfc.encode(&mut frame);
            capture.append_pfc(file, picoseconds, pfc);
            64
        }
    };
    assert_eq!(frame.len() as u32, length - FCS);
    frame
}

fn any_record(input: &mut Unstructured<'_>) -> Result<(u64, AnyFrame)> {
    let picoseconds = input.arbitrary()?;
    let content = match input.int_in_range(0..=3)? {
        0 => AnyFrame::Packet(packet::any_packet(input)?),
        1 => AnyFrame::Socket(socket::any_packet(input)?),
        2 => AnyFrame::Credit(credit::any_packet(input)?),
        _ => AnyFrame::Pfc(Pfc {
            source_mac: input.arbitrary()?,
            enabled: input.arbitrary()?,
            quanta: input.arbitrary()?,
        }),
    };
    Ok((picoseconds, content))
}

fn take_field(remaining: &mut &[u8]) -> u32 {
    let (field, tail) = remaining.split_first_chunk().expect("four bytes");
    *remaining = tail;
    u32::from_le_bytes(*field)
}
