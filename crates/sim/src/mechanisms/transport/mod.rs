//! Interface of a transport to a NIC: messages go in, segments come out, and packets of the peer are answered.
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
    /// Kind of its packets; `ReadRequest` for a read.
    pub kind: Kind,
    /// Payload, bytes.
    pub bytes: Bytes,
    /// First packet sequence number.
    pub first: u32,
    /// Number of its packet sequence numbers.
    pub packets: u32,
}

impl Message {
    /// Its packets from `next` on, and their payload; a read has one packet without payload.
    pub(crate) fn count_remaining(&self, next: u32, mtu: Bytes<u32>) -> (u64, Bytes) {
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

    /// The message of an operation posted on a queue pair whose next sequence number is `first`.
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

    /// The part of the message before packet `end`.
    pub(crate) fn truncate(&self, end: u32, mtu: Bytes<u32>) -> Message {
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
    /// Content.
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
    /// Content.
    pub kind: Kind,
    /// Its sequence number.
    pub psn: u32,
    /// Payload, bytes.
    pub payload: Bytes<u32>,
    /// FIRST, LAST, NAK, ACK_REQUEST, CE.
    pub flags: u8,
    /// As in [`crate::mechanisms::frame::Frame`].
    pub span: u16,
    /// The part of the message that a read request asks for, from its RETH.
    pub requested_read: Option<Message>,
}

/// Result of an arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Acknowledgement to send.
    pub reply: Option<Reply>,
    /// Payload accepted, bytes.
    pub delivered: Bytes<u32>,
    /// There may be something new to send or to complete. Without it no field below applies.
    pub progress: bool,
    /// The deadline may be earlier than it was.
    pub rearm: bool,
    /// Retries are exhausted: the queue pair fails.
    pub failed: bool,
}

/// An acknowledgement to send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reply {
    /// Cumulative: everything up to this has arrived; of a NAK, the missing sequence number.
    pub psn: u32,
    /// NAK, ECHO, TRIMMED.
    pub flags: u8,
    /// As in [`crate::mechanisms::frame::Frame`].
    pub span: u16,
}

/// Progress of the requests of one end, for congestion control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SendProgress {
    /// Everything before this packet has arrived.
    pub oldest: u32,
    /// The first packet that was never sent.
    pub fresh: u32,
    /// How many packets are known to have arrived.
    pub arrived: u32,
    /// Packets in flight, as far as known.
    pub in_flight: u32,
}

/// Result of a timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeout {
    /// Nothing is outstanding.
    Idle,
    /// The deadline has moved.
    Later(Picoseconds),
    /// Packets will be sent again; the next deadline.
    Resend(Picoseconds),
    /// Packets can be sent that could not before; the next deadline.
    Ready(Picoseconds),
    /// An acknowledgement to send; the next deadline.
    Report(Reply, Picoseconds),
    /// Too many timeouts in a row.
    Failed,
}

impl Timeout {
    /// The new deadline, if there is one.
    fn later(deadline: Picoseconds) -> Self {
        match deadline {
            NEVER => Timeout::Idle,
            _ => Timeout::Later(deadline),
        }
    }
}

/// One end of a connection.
pub trait Transport {
    /// Posts a message: `kind` and `bytes` of an operation.
    fn post(&mut self, operation: u32, kind: Kind, bytes: Bytes);

    /// Messages that were posted and did not complete.
    fn messages(&self) -> u32;

    /// Whether `next` has a packet.
    fn has_work(&self) -> bool;

    /// Whether the packet of `next` begins a message.
    fn begins_message(&self) -> bool;

    /// The next packet.
    fn next(&mut self, now: Picoseconds) -> Option<Segment>;

    /// Processes a packet of the peer.
    fn receive(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome;

    /// Processes packet `psn`, of which only the header arrived; returns the answer.
    fn take_trimmed(&self, _psn: u32) -> Option<Reply> {
        None
    }

    /// Whether `receive` would accept the payload of packet `psn`, which is the first of its message or not.
    fn accepts(&self, kind: Kind, psn: u32, first: bool) -> bool;

    /// The next completed operation, oldest first.
    fn pop_completed(&mut self) -> Option<u32>;

    /// Time of the next call without an arrival; `NEVER` = none.
    fn deadline(&self) -> Picoseconds;

    /// The deadline has come.
    fn timeout(&mut self, now: Picoseconds) -> Timeout;

    /// Removes all messages that did not complete, after a failure.
    fn abandon(&mut self) -> Vec<u32>;

    /// Progress of its requests. Without acknowledgements nothing is in flight.
    fn progress(&self) -> SendProgress {
        SendProgress::default()
    }

    /// Sending is not possible now. If nothing is in flight either, a deadline in the past has no packet to wait for:
    /// it moves.
    fn postpone(&mut self, _now: Picoseconds) {}

    /// Packets that wait to be sent, for the first time or again, and about how much payload they have: lost packets count
    /// as full ones. Answers do not count.
    fn backlog(&self) -> (u64, Bytes) {
        (0, Bytes(0))
    }

    /// Whether there are answers to send, which no window delays.
    fn has_answers(&self) -> bool {
        false
    }

    /// Number of messages posted here that end before packet `psn`: the MSN of an acknowledgement of all before it.
    fn messages_before(&self, psn: u32) -> u32;

    /// The part of its message that a read request for `psn` requests: the rest. The RETH of the request carries it.
    fn find_requested_read(&self, psn: u32) -> Option<Message>;
}
