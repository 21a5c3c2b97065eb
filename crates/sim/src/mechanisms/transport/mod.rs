//! What a transport is to a NIC: messages go in, segments come out, and what the peer sends is answered.
//!
//! A transport is a state machine. It sees no network and no event queue. [`Service`] is one end of any of them.

#[cfg(test)]
mod pair;
pub mod rc;
mod receive_queue;
pub mod selective;
mod service;
mod settings;
pub mod tcp;
pub mod unreliable;

use crate::bytes::Bytes;
use crate::mechanisms::frame::Kind;
use crate::time::{Picoseconds, NEVER};
pub use service::Service;
pub use settings::Settings;

/// A message handed to the NIC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// The operation it belongs to.
    pub operation: u32,
    /// What its packets are; `ReadRequest` for a read.
    pub kind: Kind,
    /// Payload, bytes.
    pub bytes: Bytes,
    /// First packet sequence number.
    pub first: u32,
    /// How many packet sequence numbers it takes.
    pub packets: u32,
}

impl Message {
    /// Its packets from `next` on, and their payload; a read has one without any.
    pub(crate) fn rest(&self, next: u32, mtu: Bytes<u32>) -> (u64, Bytes) {
        if self.kind == Kind::ReadRequest {
            return (u64::from(next <= self.first), Bytes(0));
        }
        let gone = next.saturating_sub(self.first).min(self.packets);
        let payload = self.bytes.saturating_sub(u64::from(gone) * mtu.widen());
        (u64::from(self.packets - gone), payload)
    }

    /// The sequence number after its last.
    #[inline]
    pub fn end(&self) -> u32 {
        self.first + self.packets
    }

    /// What is posted on a queue pair whose next sequence number is `first`.
    pub(crate) fn new(
        operation: u32,
        kind: Kind,
        bytes: Bytes,
        first: u32,
        mtu: Bytes<u32>,
    ) -> Self {
        Message {
            operation,
            kind,
            bytes,
            first,
            packets: bytes.div_ceil(mtu.widen()).max(1) as u32,
        }
    }

    /// What is left of it when it ends before packet `end`.
    pub(crate) fn until(&self, end: u32, mtu: Bytes<u32>) -> Message {
        if end >= self.end() {
            return *self;
        }
        let packets = end - self.first;
        Message {
            bytes: u64::from(packets) * mtu.widen(),
            packets,
            ..*self
        }
    }

    /// Payload of its packet `psn`.
    #[inline]
    pub fn payload(&self, psn: u32, mtu: Bytes<u32>) -> Bytes<u32> {
        if psn + 1 < self.end() {
            return mtu;
        }
        Bytes((self.bytes - u64::from(self.packets - 1) * mtu.widen()).0 as u32)
    }
}

/// A packet about to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// What it carries.
    pub kind: Kind,
    /// Its sequence number.
    pub psn: u32,
    /// Payload, bytes.
    pub payload: Bytes<u32>,
    /// FIRST, LAST, ACK_REQUEST.
    pub flags: u8,
    /// It was sent before.
    pub again: bool,
    /// As in [`crate::mechanisms::frame::Frame`].
    pub span: u16,
}

/// A packet that arrived, as the transport sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// What it carries.
    pub kind: Kind,
    /// Its sequence number.
    pub psn: u32,
    /// Payload, bytes.
    pub payload: Bytes<u32>,
    /// FIRST, LAST, NAK, ACK_REQUEST, CE.
    pub flags: u8,
    /// As in [`crate::mechanisms::frame::Frame`].
    pub span: u16,
    /// Of a read request: what it asks for, as its RETH says.
    pub asked: Option<Message>,
}

/// What an arrival causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// To send back.
    pub reply: Option<Reply>,
    /// Payload accepted, bytes.
    pub delivered: Bytes<u32>,
    /// There may be something to send or to complete that there was not before. Without it nothing below holds.
    pub progress: bool,
    /// The deadline may be earlier than it was.
    pub rearm: bool,
    /// It was tried too often: the queue pair fails.
    pub failed: bool,
}

/// An acknowledgement to send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reply {
    /// Cumulative: everything up to this has arrived; of a NAK, the number that is missing.
    pub psn: u32,
    /// NAK, ECHO, TRIMMED.
    pub flags: u8,
    /// As in [`crate::mechanisms::frame::Frame`].
    pub span: u16,
}

/// How far the requests of one end are, for congestion control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outstanding {
    /// Everything before this packet has arrived.
    pub oldest: u32,
    /// The first packet that was never sent.
    pub fresh: u32,
    /// How many packets are known to have arrived.
    pub arrived: u32,
    /// How many are in flight, as far as is known.
    pub in_flight: u32,
}

/// What a timer that went off found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeout {
    /// Nothing is outstanding.
    Idle,
    /// The deadline has moved.
    Later(Picoseconds),
    /// Something will be sent again; the next deadline.
    Resend(Picoseconds),
    /// Something can be sent that could not before; the next deadline.
    Ready(Picoseconds),
    /// To be sent back; the next deadline.
    Report(Reply, Picoseconds),
    /// Too many in a row.
    Failed,
}

impl Timeout {
    /// The deadline that there is now, if there is one.
    fn later(deadline: Picoseconds) -> Self {
        match deadline {
            NEVER => Timeout::Idle,
            _ => Timeout::Later(deadline),
        }
    }
}

/// One end of a connection.
pub trait Transport {
    /// A message enters: `kind` and `bytes` of an operation.
    fn post(&mut self, operation: u32, kind: Kind, bytes: Bytes);

    /// Messages that entered and did not complete.
    fn messages(&self) -> u32;

    /// Whether `next` has something.
    fn has_work(&self) -> bool;

    /// Whether what `next` gives begins a message.
    fn begins_message(&self) -> bool;

    /// The next packet.
    fn next(&mut self, now: Picoseconds) -> Option<Segment>;

    /// A packet of the peer.
    fn receive(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome;

    /// Only the header of packet `psn` arrived; what to answer.
    fn trimmed(&self, _psn: u32) -> Option<Reply> {
        None
    }

    /// Whether `receive` would accept the payload of packet `psn`, which is the first of its message or not.
    fn accepts(&self, kind: Kind, psn: u32, first: bool) -> bool;

    /// The next completed operation, oldest first.
    fn completed(&mut self) -> Option<u32>;

    /// When the transport wants to be asked again if nothing arrives; `NEVER` = not.
    fn deadline(&self) -> Picoseconds;

    /// The deadline has come.
    fn timeout(&mut self, now: Picoseconds) -> Timeout;

    /// All that did not complete, after a failure.
    fn abandon(&mut self) -> Vec<u32>;

    /// How far its requests are. Nothing is in flight where nothing is acknowledged.
    fn outstanding(&self) -> Outstanding {
        Outstanding::default()
    }

    /// Nothing may be sent now. If nothing is in flight either, there is nothing that a deadline of the past could be about:
    /// it moves.
    fn postpone(&mut self, _now: Picoseconds) {}

    /// Packets that wait to be sent, for the first time or again, and about how much payload they have: what is lost counts
    /// as full packets. Answers do not count.
    fn backlog(&self) -> (u64, Bytes) {
        (0, Bytes(0))
    }

    /// Whether there are answers to send, which no window holds back.
    fn answering(&self) -> bool {
        false
    }

    /// How many messages end before packet `psn`, of those posted here: the MSN of an acknowledgement of all before it.
    fn messages_before(&self, psn: u32) -> u32;

    /// What a read request for `psn` asks for: the rest of its message. The RETH of the request carries it.
    fn asked_for(&self, psn: u32) -> Option<Message>;
}
