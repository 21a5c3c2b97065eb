//! Capture files, read back record by record.

use arbitrary::{Result, Unstructured};
use wirespeed_wire::pcap::Capture;
use wirespeed_wire::{CreditPacket, Packet, Pfc, SocketPacket, FCS};

use super::{credit, packet, socket};

const PICOSECONDS_PER_SECOND: u64 = 1_000_000_000_000;

enum Recorded {
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
    capture.header(&mut file);
    let mut frames = vec![];
    while !input.is_empty() && frames.len() < 8 {
        let Ok((picoseconds, recorded)) = any_record(&mut input) else {
            break;
        };
        frames.push((
            picoseconds,
            append(&capture, &mut file, picoseconds, &recorded),
        ));
    }

    let mut rest = &file[..];
    assert_eq!(field(&mut rest), 0xa1b2_3c4d);
    assert_eq!(field(&mut rest), 4 << 16 | 2);
    assert_eq!([(); 4].map(|()| field(&mut rest)), [0, 0, snap_length, 1]);
    for (picoseconds, frame) in frames {
        let time = u64::from(field(&mut rest)) * PICOSECONDS_PER_SECOND;
        let nanoseconds = u64::from(field(&mut rest));
        assert!(nanoseconds < 1_000_000_000);
        assert_eq!(time + nanoseconds * 1000, picoseconds / 1000 * 1000);
        let kept = frame.len().min(snap_length as usize);
        assert_eq!(field(&mut rest) as usize, kept);
        assert_eq!(field(&mut rest) as usize, frame.len());
        assert_eq!(rest[..kept], frame[..kept]);
        rest = &rest[kept..];
    }
    assert!(rest.is_empty());
}

/// Appends the record of a frame, and returns the whole frame.
fn append(capture: &Capture, file: &mut Vec<u8>, picoseconds: u64, recorded: &Recorded) -> Vec<u8> {
    let mut frame = vec![];
    let length = match recorded {
        Recorded::Packet(packet) => {
            packet.encode(&mut frame);
            capture.packet(file, picoseconds, packet);
            packet.frame().bytes()
        }
        Recorded::Socket(packet) => {
            packet.encode(&mut frame);
            capture.socket(file, picoseconds, packet);
            packet.frame().bytes()
        }
        Recorded::Credit(packet) => {
            packet.encode(&mut frame);
            capture.credit(file, picoseconds, packet);
            packet.frame().bytes()
        }
        Recorded::Pfc(pfc) => {
            pfc.encode(&mut frame);
            capture.pfc(file, picoseconds, pfc);
            64
        }
    };
    assert_eq!(frame.len() as u32, length - FCS);
    frame
}

fn any_record(input: &mut Unstructured<'_>) -> Result<(u64, Recorded)> {
    let picoseconds = input.arbitrary()?;
    let recorded = match input.int_in_range(0..=3)? {
        0 => Recorded::Packet(packet::any_packet(input)?),
        1 => Recorded::Socket(socket::any_packet(input)?),
        2 => Recorded::Credit(credit::any_packet(input)?),
        _ => Recorded::Pfc(Pfc {
            source_mac: input.arbitrary()?,
            enabled: input.arbitrary()?,
            quanta: input.arbitrary()?,
        }),
    };
    Ok((picoseconds, recorded))
}

fn field(rest: &mut &[u8]) -> u32 {
    let (field, left) = rest.split_first_chunk().expect("four bytes");
    *rest = left;
    u32::from_le_bytes(*field)
}
