//! A priority flow control frame as bytes.

use crate::frame::{Frame, FCS};
use crate::parse::{take_bytes, ParseError};

const PAUSE_ADDRESS: [u8; 6] = [0x01, 0x80, 0xc2, 0x00, 0x00, 0x01]; // IEEE 802.3 annex 31B.1
const MAC_CONTROL_TYPE: u16 = 0x8808; // IEEE 802.3 clause 31.4.1.3
const PFC_OPCODE: u16 = 0x0101; // IEEE 802.3 annex 31A, table 31A-1

/// A priority flow control frame (IEEE 802.3 annex 31D, IEEE 802.1Qbb).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pfc {
    /// MAC address of the port that sends it.
    pub source_mac: [u8; 6],
    /// Class-enable vector: bit *n* is set where `quanta[n]` applies.
    pub enabled: u8,
    /// Pause time of each priority in quanta of 512 bit times; 0 resumes.
    pub quanta: [u16; 8],
}

impl Pfc {
    /// Appends the frame without its frame check sequence, padded with zeros to the shortest frame.
    pub fn encode(&self, into: &mut Vec<u8>) {
        let start = into.len();
        into.extend_from_slice(&PAUSE_ADDRESS);
        into.extend_from_slice(&self.source_mac);
        into.extend_from_slice(&MAC_CONTROL_TYPE.to_be_bytes());
        into.extend_from_slice(&PFC_OPCODE.to_be_bytes());
        into.extend_from_slice(&[0, self.enabled]);
        for quanta in self.quanta {
            into.extend_from_slice(&quanta.to_be_bytes());
        }
        into.resize(start + (Frame::pfc().bytes() - FCS) as usize, 0);
    }

    /// Reads a frame.
    pub fn parse(frame: &[u8]) -> Result<Pfc, ParseError> {
        let mut remaining = frame;
        let destination: [u8; 6] = take_bytes(&mut remaining, "Ethernet header")?;
        let source_mac = take_bytes(&mut remaining, "Ethernet header")?;
        let ether_type = u16::from_be_bytes(take_bytes(&mut remaining, "Ethernet header")?);
        if ether_type != MAC_CONTROL_TYPE {
            return Err(ParseError::NoMacControl(ether_type));
        }
        if destination != PAUSE_ADDRESS {
            return Err(ParseError::PauseAddress);
        }
        let opcode = u16::from_be_bytes(take_bytes(&mut remaining, "MAC control opcode")?);
        if opcode != PFC_OPCODE {
            return Err(ParseError::PauseOpcode(opcode));
        }
        let [_, enabled] = take_bytes(&mut remaining, "class-enable vector")?;
        let mut quanta = [0; 8];
        for quantum in &mut quanta {
            *quantum = u16::from_be_bytes(take_bytes(&mut remaining, "quanta")?);
        }
        Ok(Pfc {
            source_mac,
            enabled,
            quanta,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_hex;
    use proptest::prelude::*;

    /// Pausing priority 3 for the longest time and resuming priority 5.
    #[test]
    fn encoded_bytes_match_the_standard() {
        let pfc = Pfc {
            source_mac: [2, 0, 0, 0, 0, 9],
            enabled: 0b0010_1000,
            quanta: [0, 0, 0, 0xffff, 0, 0, 0, 0],
        };
        let mut bytes = vec![];
        pfc.encode(&mut bytes);
        let mut expected = parse_hex(
            "0180 c200 0001 0200 0000 0009 8808 0101 0028 \
                                0000 0000 0000 ffff 0000 0000 0000 0000",
        );
        expected.resize(60, 0);
        assert_eq!(bytes, expected);
    }

    #[test]
    fn other_frames_are_refused() {
        let rows = [
            ("0180 c200", "frame ends within its Ethernet header"),
            (
                "0180 c200 0001 0200 0000 0009 0800",
                "EtherType 0x0800: expected MAC control (0x8808)",
            ),
            (
                "0180 c200 0002 0200 0000 0009 8808 0101",
                "MAC control frame for another address than 01-80-C2-00-00-01",
            ),
            (
                "0180 c200 0001 0200 0000 0009 8808 0001 ffff",
                "MAC control opcode 0x0001: expected 0x0101, priority flow control",
            ),
            (
                "0180 c200 0001 0200 0000 0009 8808 0101 0008 0000 00",
                "frame ends within its quanta",
            ),
        ];
        for (frame, text) in rows {
            assert_eq!(Pfc::parse(&parse_hex(frame)).unwrap_err().to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn a_written_frame_is_read_back(source_mac: [u8; 6], enabled: u8, quanta: [u16; 8]) {
            let pfc = Pfc { source_mac, enabled, quanta };
            let mut bytes = vec![0xaa];
            pfc.encode(&mut bytes);
            prop_assert_eq!(bytes.len() - 1, 60);
            prop_assert_eq!(Pfc::parse(&bytes[1..]), Ok(pfc));
        }
    }
}
