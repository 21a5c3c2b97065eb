//! Frame sizes by content.

use crate::bytes::Bytes;
use crate::mechanisms::frame::{Kind, ECT, FIRST, LAST};
use crate::model::parameters::Framing;

impl Framing {
    /// The longest frame of a message, header through FCS, bytes.
    pub fn longest(&self, mtu: Bytes<u32>) -> Bytes<u32> {
        let payload = mtu.next_multiple_of(self.pad_bytes);
        let extension = self.write_first_bytes.max(self.read_response_ends_bytes);
        let extension = extension.max(self.datagram_bytes);
        (self.data_bytes + extension + payload).max(self.minimum_bytes)
    }

    /// The smallest frame, PFC excluded.
    pub fn shortest(&self) -> Bytes<u32> {
        let bare = self.data_bytes.min(self.read_request_bytes);
        let answer = self.ack_bytes.min(self.cnp_bytes);
        bare.min(answer).max(self.minimum_bytes)
    }

    /// Bytes of a data packet or read request, header through FCS, and ECT if switches may mark it.
    #[inline]
    pub(crate) fn packet(&self, kind: Kind, flags: u8, payload: Bytes<u32>) -> (Bytes<u32>, u8) {
        let padded = payload.next_multiple_of(self.pad_bytes);
        let (bytes, ecn) = match kind {
            Kind::Write if flags & FIRST != 0 => {
                (self.data_bytes + self.write_first_bytes + padded, ECT)
            }
            Kind::Write | Kind::Send => (self.data_bytes + padded, ECT),
            // Congestion control ignores marks of datagrams.
            Kind::Datagram => (self.data_bytes + self.datagram_bytes + padded, 0),
            // The first and the last contain an AETH.
            Kind::ReadResponse if flags & (FIRST | LAST) != 0 => (
                self.data_bytes + self.read_response_ends_bytes + padded,
                ECT,
            ),
            Kind::ReadResponse => (self.data_bytes + padded, ECT),
            Kind::ReadRequest => (self.read_request_bytes, 0),
            Kind::Tcp => (Bytes(self.encapsulation().tcp(payload.0).bytes()), 0),
            Kind::Udp => (Bytes(self.encapsulation().udp(payload.0).bytes()), 0),
            _ => (self.ack_bytes, 0),
        };
        (bytes.max(self.minimum_bytes), ecn)
    }

    /// Bytes of an acknowledgement, a CNP or a credit frame.
    pub(crate) fn control(&self, kind: Kind) -> Bytes<u32> {
        let bytes = match kind {
            Kind::Cnp => self.cnp_bytes,
            Kind::TcpAck => Bytes(self.encapsulation().tcp(0).bytes()),
            _ => self.ack_bytes,
        };
        bytes.max(self.minimum_bytes)
    }

    /// Bytes of a full packet on the link.
    pub(crate) fn full_packet(&self, mtu: Bytes<u32>) -> Bytes<u32> {
        self.data_bytes + self.gap_bytes + mtu
    }
}
