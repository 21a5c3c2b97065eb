//! Writes a capture file in the classic pcap format with nanoseconds
//! (draft-ietf-opsawg-pcap, sections 4 and 5; all fields little-endian).

use crate::credit::CreditPacket;
use crate::frame::{Frame, FCS};
use crate::packet::Packet;
use crate::pfc::Pfc;
use crate::socket::SocketPacket;

const MAGIC_NANOSECONDS: u32 = 0xa1b2_3c4d;
const VERSION: (u16, u16) = (2, 4);
const LINKTYPE_ETHERNET: u32 = 1;

const PICOSECONDS_PER_SECOND: u64 = 1_000_000_000_000;

/// A snap length that cuts no frame, the default of tcpdump.
pub const WHOLE_FRAMES: u32 = 262_144;

/// A capture file with at most `snap_length` bytes of each frame.
///
/// A port's capture is the bytes of [`Capture::append_header`] followed by one record per frame, ordered by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capture {
    /// Maximum number of bytes stored of a frame. A packet cut within its payload has no invariant CRC and takes a tenth of the
    /// time to encode.
    pub snap_length: u32,
}

impl Capture {
    /// Appends the file header.
    pub fn append_header(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&MAGIC_NANOSECONDS.to_le_bytes());
        into.extend_from_slice(&VERSION.0.to_le_bytes());
        into.extend_from_slice(&VERSION.1.to_le_bytes());
        into.extend_from_slice(&[0; 8]); // reserved
        into.extend_from_slice(&self.snap_length.to_le_bytes());
        into.extend_from_slice(&LINKTYPE_ETHERNET.to_le_bytes());
    }

    /// Appends the record of a packet seen `picoseconds` after the start, rounded down to nanoseconds.
    pub fn append_packet(&self, into: &mut Vec<u8>, picoseconds: u64, packet: &Packet) {
        let length = packet.frame().bytes() - FCS;
        self.append_record(into, picoseconds, length, |into| {
            packet.encode_up_to(self.snap_length, into);
        });
    }

    /// Appends the record of a socket's packet seen `picoseconds` after the start.
    pub fn append_socket(&self, into: &mut Vec<u8>, picoseconds: u64, packet: &SocketPacket) {
        let length = packet.frame().bytes() - FCS;
        self.append_record(into, picoseconds, length, |into| packet.encode(into));
    }

    /// Appends the record of a credit packet seen `picoseconds` after the start.
    pub fn append_credit(&self, into: &mut Vec<u8>, picoseconds: u64, packet: &CreditPacket) {
        let length = packet.frame().bytes() - FCS;
        self.append_record(into, picoseconds, length, |into| packet.encode(into));
    }

    /// Appends the record of a priority flow control frame seen `picoseconds` after the start.
    pub fn append_pfc(&self, into: &mut Vec<u8>, picoseconds: u64, pfc: &Pfc) {
        let length = Frame::pfc().bytes() - FCS;
        self.append_record(into, picoseconds, length, |into| pfc.encode(into));
    }

    /// Appends the record of a frame of `length` bytes. `encode` appends at least the part of the frame that is stored.
    fn append_record(
        &self,
        into: &mut Vec<u8>,
        picoseconds: u64,
        length: u32,
        encode: impl FnOnce(&mut Vec<u8>),
    ) {
        // 2^64 picoseconds are 18 million seconds.
        let seconds = (picoseconds / PICOSECONDS_PER_SECOND) as u32;
        let nanoseconds = (picoseconds % PICOSECONDS_PER_SECOND / 1000) as u32;
        let stored_length = length.min(self.snap_length);
        for field in [seconds, nanoseconds, stored_length, length] {
            into.extend_from_slice(&field.to_le_bytes());
        }
        let start = into.len();
        encode(into);
        into.truncate(start + stored_length as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_hex;
    #[test]
    fn file_header_has_nanosecond_magic() {
        let mut bytes = vec![];
        Capture { snap_length: 128 }.append_header(&mut bytes);
        assert_eq!(
            bytes,
            parse_hex("4d3c b2a1 0200 0400 0000 0000 0000 0000 8000 0000 0100 0000")
        );
    }

    #[test]
    fn records_have_times_and_lengths() {
        let capture = Capture {
            snap_length: WHOLE_FRAMES,
        };
        let rows = [
            (0, (0, 0)),
            (1_999, (0, 1)),
            (999_999_999_999, (0, 999_999_999)),
            (1_000_000_000_000, (1, 0)),
            (u64::MAX, (18_446_744, 73_709_551)),
        ];
        let pfc = Pfc {
            source_mac: [2, 0, 0, 0, 0, 9],
            enabled: 1,
            quanta: [7; 8],
        };
        for (picoseconds, (seconds, nanoseconds)) in rows {
            let mut bytes = vec![];
            capture.append_pfc(&mut bytes, picoseconds, &pfc);
            assert_eq!(read_fields(&bytes), [seconds, nanoseconds, 60, 60]);
            assert_eq!(Pfc::parse(&bytes[16..]), Ok(pfc));
        }
    }

    fn read_fields(record: &[u8]) -> [u32; 4] {
        std::array::from_fn(|field| {
            let at = 4 * field;
            u32::from_le_bytes(record[at..at + 4].try_into().unwrap())
        })
    }
}
