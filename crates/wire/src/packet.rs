//! A RoCEv2 packet as the bytes of its Ethernet frame.

use crate::frame::{padded_length, Frame, BTH, CNP_PAYLOAD, FCS, ICRC, UDP_HEADER};
use crate::headers::{Aeth, Bth, Deth, Reth};
use crate::icrc::compute_icrc;
use crate::ip::{Network, UDP_PROTOCOL};

/// The UDP port at which RoCEv2 is received (IANA service name `roce`).
pub const ROCEV2_PORT: u16 = 4791;

/// The largest payload of one packet, bytes: that of the largest path MTU (IBTA volume 1, section 9.7.1).
pub const MAX_PAYLOAD: u32 = 4096;

/// The byte that fills a payload. Wireshark guesses the protocol of a payload: it decodes zeros as RPC-over-RDMA, but not
/// bytes of this value.
///
/// Wireshark 4.0 decodes every SEND last or only of less than 16 bytes as RPC-over-RDMA and every empty datagram as Ethernet
/// over InfiniBand, whatever their content, and reports them as malformed, also in captures of real NICs. To prevent it,
/// disable `rpcrdma_infiniband` and `mellanox_eoib` (Analyze, Enabled Protocols).
pub const FILLER: u8 = 0xa5;

/// A RoCEv2 packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// The headers of the link and of IP.
    pub network: Network,
    /// UDP source port: entropy with which switches select one of several equal paths.
    pub udp_source_port: u16,
    /// The base transport header without the kind.
    pub bth: Bth,
    /// The kind of packet, with the headers that follow the base transport header.
    pub kind: PacketKind,
}

/// The kinds of packets (IBTA volume 1, section 9.2.1, table of opcodes). A `payload` is in bytes, without padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // every field is a documented header, or a payload
pub enum PacketKind {
    /// RC SEND first.
    SendFirst { payload: u32 },
    /// RC SEND middle.
    SendMiddle { payload: u32 },
    /// RC SEND last.
    SendLast { payload: u32 },
    /// RC SEND only.
    SendOnly { payload: u32 },
    /// RC RDMA WRITE first.
    WriteFirst { reth: Reth, payload: u32 },
    /// RC RDMA WRITE middle.
    WriteMiddle { payload: u32 },
    /// RC RDMA WRITE last.
    WriteLast { payload: u32 },
    /// RC RDMA WRITE only.
    WriteOnly { reth: Reth, payload: u32 },
    /// RC RDMA READ request.
    ReadRequest { reth: Reth },
    /// RC RDMA READ response first.
    ReadResponseFirst { aeth: Aeth, payload: u32 },
    /// RC RDMA READ response middle: the only one without an AETH.
    ReadResponseMiddle { payload: u32 },
    /// RC RDMA READ response last.
    ReadResponseLast { aeth: Aeth, payload: u32 },
    /// RC RDMA READ response only.
    ReadResponseOnly { aeth: Aeth, payload: u32 },
    /// RC acknowledge, positive or negative.
    Acknowledge { aeth: Aeth },
    /// UD SEND only.
    DatagramSend { deth: Deth, payload: u32 },
    /// Congestion notification packet (annex A17.9.3). [`Bth::cnp`] is its header.
    Cnp,
}

/// The extension header between the base transport header and the payload.
enum Extension {
    Nothing,
    Reth(Reth),
    Aeth(Aeth),
    Deth(Deth),
}

impl Packet {
    /// The size of its frame.
    pub fn frame(&self) -> Frame {
        let (_, extension, payload) = self.kind.encoding();
        self.network
            .encapsulation()
            .rocev2(extension.bytes() + padded_length(payload))
    }

    /// Appends the frame, Ethernet header through invariant CRC, padded with zeros to the shortest frame. As in most
    /// captures, the frame check sequence is left out. Every byte of the payload is [`FILLER`].
    ///
    /// # Panics
    ///
    /// If the payload exceeds [`MAX_PAYLOAD`], or a packet of an unreliable connection is neither a send nor a write.
    pub fn encode(&self, into: &mut Vec<u8>) {
        self.encode_up_to(u32::MAX, into);
    }

    /// As [`Packet::encode`], for the first `snap_length` bytes only: payload beyond them is not written, and the invariant CRC,
    /// which needs a pass over the payload, is not computed.
    pub(crate) fn encode_up_to(&self, snap_length: u32, into: &mut Vec<u8>) {
        let start = into.len();
        let ip_start = self.encode_headers(into);

        let (_, _, payload) = self.kind.encoding();
        let room = snap_length.saturating_sub((into.len() - start) as u32);
        let stored = padded_length(payload).min(room);
        let filler = match self.kind {
            PacketKind::Cnp => 0,
            _ => FILLER,
        };
        let payload_start = into.len();
        into.resize(payload_start + stored.min(payload) as usize, filler);
        into.resize(payload_start + stored as usize, 0); // the pad bytes
        if room <= padded_length(payload) {
            return;
        }

        let crc = compute_icrc(self.network.addresses.version(), &into[ip_start..]);
        into.extend_from_slice(&crc.to_le_bytes());
        into.resize(start + (self.frame().bytes() - FCS) as usize, 0);
    }

    /// Appends the headers, and returns the offset of the IP header in `into`.
    fn encode_headers(&self, into: &mut Vec<u8>) -> usize {
        let (opcode, extension, payload) = self.kind.encoding();
        assert!(payload <= MAX_PAYLOAD, "payload of {payload} bytes");
        let has_valid_opcode = !self.bth.unreliable || opcode < 0x0c;
        assert!(
            has_valid_opcode,
            "opcode {opcode:#04x} of an unreliable connection"
        );
        let udp_length = UDP_HEADER + BTH + extension.bytes() + padded_length(payload) + ICRC;

        // At most 40 + 8 + 12 + 16 + 4096 + 4 bytes: both lengths fit 16 bits.
        let ip = self.network.encode(UDP_PROTOCOL, udp_length as u16, into);

        into.extend_from_slice(&self.udp_source_port.to_be_bytes());
        into.extend_from_slice(&ROCEV2_PORT.to_be_bytes());
        into.extend_from_slice(&(udp_length as u16).to_be_bytes());
        // No checksum, also over IPv6: the invariant CRC covers the packet. Linux (rxe) does the same, see the captures.
        into.extend_from_slice(&[0, 0]);

        into.extend_from_slice(&self.bth.bytes(opcode, padded_length(payload) - payload));
        match extension {
            Extension::Nothing => {}
            Extension::Reth(reth) => into.extend_from_slice(&reth.bytes()),
            Extension::Aeth(aeth) => into.extend_from_slice(&aeth.bytes()),
            Extension::Deth(deth) => into.extend_from_slice(&deth.bytes()),
        }
        ip
    }
}

impl PacketKind {
    /// The opcode (IBTA volume 1, section 9.2.1; of a CNP, annex A17.9.3). A send or a write has that of RC, see
    /// [`Bth::unreliable`].
    pub fn opcode(&self) -> u8 {
        self.encoding().0
    }

    /// Bytes of payload without padding; of a CNP, its reserved bytes.
    pub fn payload(&self) -> u32 {
        self.encoding().2
    }

    /// The remote memory region of a write or a read request.
    pub fn reth(&self) -> Option<Reth> {
        match self.encoding().1 {
            Extension::Reth(reth) => Some(reth),
            _ => None,
        }
    }

    /// The acknowledgement in the packet.
    pub fn aeth(&self) -> Option<Aeth> {
        match self.encoding().1 {
            Extension::Aeth(aeth) => Some(aeth),
            _ => None,
        }
    }

    /// The datagram header.
    pub fn deth(&self) -> Option<Deth> {
        match self.encoding().1 {
            Extension::Deth(deth) => Some(deth),
            _ => None,
        }
    }

    /// Opcode, extension header, and bytes of payload (of a CNP: its reserved bytes).
    fn encoding(&self) -> (u8, Extension, u32) {
        use PacketKind::*;
        match *self {
            SendFirst { payload } => (0x00, Extension::Nothing, payload),
            SendMiddle { payload } => (0x01, Extension::Nothing, payload),
            SendLast { payload } => (0x02, Extension::Nothing, payload),
            SendOnly { payload } => (0x04, Extension::Nothing, payload),
            WriteFirst { reth, payload } => (0x06, Extension::Reth(reth), payload),
            WriteMiddle { payload } => (0x07, Extension::Nothing, payload),
            WriteLast { payload } => (0x08, Extension::Nothing, payload),
            WriteOnly { reth, payload } => (0x0a, Extension::Reth(reth), payload),
            ReadRequest { reth } => (0x0c, Extension::Reth(reth), 0),
            ReadResponseFirst { aeth, payload } => (0x0d, Extension::Aeth(aeth), payload),
            ReadResponseMiddle { payload } => (0x0e, Extension::Nothing, payload),
            ReadResponseLast { aeth, payload } => (0x0f, Extension::Aeth(aeth), payload),
            ReadResponseOnly { aeth, payload } => (0x10, Extension::Aeth(aeth), payload),
            Acknowledge { aeth } => (0x11, Extension::Aeth(aeth), 0),
            DatagramSend { deth, payload } => (0x64, Extension::Deth(deth), payload),
            Cnp => (0x81, Extension::Nothing, CNP_PAYLOAD),
        }
    }
}

impl Extension {
    fn bytes(&self) -> u32 {
        match self {
            Extension::Nothing => 0,
            Extension::Reth(_) => crate::RETH,
            Extension::Aeth(_) => crate::AETH,
            Extension::Deth(_) => crate::DETH,
        }
    }
}
