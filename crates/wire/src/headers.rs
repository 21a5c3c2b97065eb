//! Writes and reads the transport headers of a RoCEv2 packet.

use crate::parse::ParseError;

/// The base transport header without opcode and pad count (IBTA volume 1, section 9.2).
///
/// Queue pairs and sequence numbers have 24 bits; bits above them are not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bth {
    /// The connection is unreliable (UC) and carries only sends and writes. Their opcodes differ from those of RC in bit 5
    /// (section 9.2.1).
    pub unreliable: bool,
    /// SE: the responder shall raise an event (section 9.2.3).
    pub solicited_event: bool,
    /// MigReq: the path has migrated; also set on a connection with a single path (section 9.2.4).
    pub migrated: bool,
    /// P_Key: the partition (section 9.2.7).
    pub partition_key: u16,
    /// FECN: this packet met congestion. RoCEv2 marks in the IP header instead (annex A17.9).
    pub fecn: bool,
    /// BECN: a packet in the opposite direction met congestion (annex A17.9.3).
    pub becn: bool,
    /// The destination queue pair, 24 bits.
    pub destination_qp: u32,
    /// AckReq: the responder shall acknowledge this packet (section 9.2.9).
    pub acknowledge_request: bool,
    /// PSN: the packet sequence number, 24 bits (section 9.2.10).
    pub psn: u32,
}

/// The partition of which every port is a full member by default (IBTA volume 1, section 10.9.1).
pub const DEFAULT_PARTITION_KEY: u16 = 0xffff;

/// The bit that distinguishes opcodes of UC from those of RC (section 9.2.1).
const UNRELIABLE: u8 = 0x20;

impl Bth {
    /// Packet `psn` for `destination_qp` of a connection with a single path, without marks or an acknowledgement request.
    pub fn new(destination_qp: u32, psn: u32) -> Self {
        Bth {
            unreliable: false,
            solicited_event: false,
            migrated: true,
            partition_key: DEFAULT_PARTITION_KEY,
            fecn: false,
            becn: false,
            destination_qp,
            acknowledge_request: false,
            psn,
        }
    }

    /// A congestion notification for `destination_qp`: BECN set, all other bits zero (annex A17.9.3; captures of ConnectX).
    pub fn cnp(destination_qp: u32) -> Self {
        Bth {
            migrated: false,
            becn: true,
            ..Bth::new(destination_qp, 0)
        }
    }

    pub(crate) fn bytes(&self, opcode: u8, pad: u32) -> [u8; 12] {
        let mut bytes = [0; 12];
        bytes[0] = opcode | if self.unreliable { UNRELIABLE } else { 0 };
        // The pad count has two bits; the header version is 0.
        bytes[1] =
            u8::from(self.solicited_event) << 7 | u8::from(self.migrated) << 6 | (pad as u8) << 4;
        bytes[2..4].copy_from_slice(&self.partition_key.to_be_bytes());
        let marks = u32::from(self.fecn) << 31 | u32::from(self.becn) << 30;
        bytes[4..8].copy_from_slice(&(marks | self.destination_qp & 0xff_ffff).to_be_bytes());
        let request = u32::from(self.acknowledge_request) << 31;
        bytes[8..12].copy_from_slice(&(request | self.psn & 0xff_ffff).to_be_bytes());
        bytes
    }

    /// The opcode, the header, and the pad count.
    pub(crate) fn from_bytes(bytes: [u8; 12]) -> Result<(u8, Self, u32), ParseError> {
        let [opcode, flags, p0, p1, f, q0, q1, q2, a, s0, s1, s2] = bytes;
        if flags & 0x0f != 0 {
            return Err(ParseError::TransportVersion(flags & 0x0f));
        }
        // Sends and writes end below the read request, 0x0c.
        let unreliable = (UNRELIABLE..UNRELIABLE + 0x0c).contains(&opcode);
        let opcode = if unreliable {
            opcode - UNRELIABLE
        } else {
            opcode
        };
        let bth = Bth {
            unreliable,
            solicited_event: flags & 0x80 != 0,
            migrated: flags & 0x40 != 0,
            partition_key: u16::from_be_bytes([p0, p1]),
            fecn: f & 0x80 != 0,
            becn: f & 0x40 != 0,
            destination_qp: u32::from_be_bytes([0, q0, q1, q2]),
            acknowledge_request: a & 0x80 != 0,
            psn: u32::from_be_bytes([0, s0, s1, s2]),
        };
        Ok((opcode, bth, u32::from(flags >> 4 & 3)))
    }
}

/// RDMA extended transport header: the remote memory region (IBTA volume 1, section 9.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reth {
    /// Virtual address at the responder.
    pub address: u64,
    /// R_Key: the key of the responder's memory region.
    pub key: u32,
    /// Bytes of the whole message.
    pub length: u32,
}

impl Reth {
    pub(crate) fn bytes(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.address.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.key.to_be_bytes());
        bytes[12..].copy_from_slice(&self.length.to_be_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        let value = u128::from_be_bytes(bytes);
        Reth {
            address: (value >> 64) as u64,
            key: (value >> 32) as u32,
            length: value as u32,
        }
    }
}

/// ACK extended transport header (IBTA volume 1, section 9.3.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aeth {
    /// Whether the packet was accepted, and the reason if not.
    pub syndrome: Syndrome,
    /// MSN: messages that the responder has completed, 24 bits; bits above them are not sent.
    pub msn: u32,
}

impl Aeth {
    pub(crate) fn bytes(&self) -> [u8; 4] {
        (u32::from(self.syndrome.byte()) << 24 | self.msn & 0xff_ffff).to_be_bytes()
    }

    pub(crate) fn from_bytes([syndrome, m0, m1, m2]: [u8; 4]) -> Result<Self, ParseError> {
        Ok(Aeth {
            syndrome: Syndrome::from_byte(syndrome).ok_or(ParseError::Syndrome(syndrome))?,
            msn: u32::from_be_bytes([0, m0, m1, m2]),
        })
    }
}

/// The syndrome of an AETH (IBTA volume 1, section 9.7.5.1.1, table AETH syndrome field).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syndrome {
    /// ACK.
    Ack {
        /// The encoded end-to-end flow control credits, 5 bits; 31 = no limit (section 9.7.7.2).
        credits: u8,
    },
    /// RNR NAK: the receiver was not ready.
    ReceiverNotReady {
        /// The encoded time after which to retry, 5 bits (section 9.7.5.2.8).
        timer: u8,
    },
    /// NAK.
    Nak(NakCode),
}

impl Syndrome {
    /// An acknowledgement from a receiver that sets no limit.
    pub const UNLIMITED: Syndrome = Syndrome::Ack { credits: 31 };

    /// The byte in the packet.
    pub fn byte(self) -> u8 {
        match self {
            Syndrome::Ack { credits } => credits & 0x1f,
            Syndrome::ReceiverNotReady { timer } => 0b001 << 5 | timer & 0x1f,
            Syndrome::Nak(code) => 0b011 << 5 | code as u8,
        }
    }

    fn from_byte(byte: u8) -> Option<Self> {
        let value = byte & 0x1f;
        match byte >> 5 {
            0b000 => Some(Syndrome::Ack { credits: value }),
            0b001 => Some(Syndrome::ReceiverNotReady { timer: value }),
            0b011 => NakCode::ALL
                .into_iter()
                .find(|code| *code as u8 == value)
                .map(Syndrome::Nak),
            _ => None,
        }
    }
}

/// Why a packet was refused (IBTA volume 1, section 9.7.5.2, table NAK codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum NakCode {
    /// A packet is missing.
    PsnSequenceError = 0,
    /// The request is malformed or not permitted on this connection.
    InvalidRequest = 1,
    /// Key, range or rights of the remote memory are wrong.
    RemoteAccessError = 2,
    /// The responder cannot complete the request.
    RemoteOperationalError = 3,
}

impl NakCode {
    const ALL: [NakCode; 4] = [
        NakCode::PsnSequenceError,
        NakCode::InvalidRequest,
        NakCode::RemoteAccessError,
        NakCode::RemoteOperationalError,
    ];
}

/// Datagram extended transport header (IBTA volume 1, section 9.3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deth {
    /// Q_Key: the key that the receiving queue pair requires of senders.
    pub queue_key: u32,
    /// The sending queue pair, 24 bits; bits above them are not sent.
    pub source_qp: u32,
}

impl Deth {
    pub(crate) fn bytes(&self) -> [u8; 8] {
        (u64::from(self.queue_key) << 32 | u64::from(self.source_qp & 0xff_ffff)).to_be_bytes()
    }

    pub(crate) fn from_bytes(bytes: [u8; 8]) -> Self {
        let value = u64::from_be_bytes(bytes);
        Deth {
            queue_key: (value >> 32) as u32,
            source_qp: value as u32 & 0xff_ffff,
        }
    }
}
