//! The requester: sent requests and packets, and their acknowledged part.

use super::{Rc, Settings};
use crate::bytes::Bytes;
use crate::mechanisms::frame::{Kind, ACK_REQUEST, FIRST, LAST, NAK, RNR};
use crate::mechanisms::transport::{receive_queue, Arrival, Message, Outcome, Segment};
use crate::time::{Picoseconds, NEVER};
use std::sync::Arc;

/// The `rnr_retry` that has no end (`ibv_modify_qp(3)`).
const FOR_EVER: u8 = 7;

#[derive(Debug, Clone)]
pub(super) struct Requester {
    pub(super) settings: Arc<Settings>,
    /// The next packet to send, the oldest unacknowledged, the first never sent, the end of the posted ones.
    pub(super) next: u32,
    pub(super) oldest: u32,
    pub(super) fresh: u32,
    pub(super) end: u32,
    pub(super) deadline: Picoseconds,
    /// The message of `next`, when there is something to send.
    pub(super) message: Message,
    /// The end of the oldest message that did not complete; `u32::MAX` = there is none.
    pub(super) first_end: u32,
    /// Reads that were requested and are not complete.
    pub(super) reads: u8,
    /// Retransmissions in a row without progress.
    pub(super) retries: u8,
    /// The receiver was not ready, so nothing is sent until the deadline.
    pub(super) is_waiting: bool,
    /// The responder has something to send: read responses, or the ACK after them.
    pub(super) answering: bool,
}

impl Requester {
    #[inline]
    pub(super) fn has_work(&self) -> bool {
        self.next < self.end
            && !self.is_waiting
            && (self.message.kind != Kind::ReadRequest
                || u32::from(self.reads) < self.settings.max_outstanding_reads)
    }

    /// The packet at `next`. A read requests all of its message at once.
    #[inline]
    pub(super) fn request(&mut self, now: Picoseconds) -> Segment {
        let message = self.message;
        let psn = self.next;
        let is_retransmission = psn < self.fresh;
        if self.deadline == NEVER && self.settings.ack_timeout != NEVER {
            self.deadline = now + self.settings.ack_timeout;
        }
        let mut flags = if psn == message.first { FIRST } else { 0 };
        let mut payload = Bytes(0);
        if message.kind == Kind::ReadRequest {
            self.next = message.end();
            self.reads += 1;
        } else {
            self.next = psn + 1;
            payload = message.payload(psn, self.settings.mtu);
        }
        if self.next == message.end() {
            flags |= LAST | ACK_REQUEST;
        }
        self.fresh = self.fresh.max(self.next);
        Segment {
            kind: message.kind,
            psn,
            payload,
            flags,
            again: is_retransmission,
            span: 0,
        }
    }
}

impl Rc {
    /// An ACK or a NAK: everything before it has arrived. Read responses that have not arrived by then are lost.
    #[inline]
    pub(super) fn take_acknowledgement(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        let negative = arrival.flags & NAK != 0;
        let mut until = arrival.psn + u32::from(!negative);
        let mut rewind = negative;
        // Past `next` only after going back: the packets to be sent again may contain reads.
        if self.requester.reads > 0 || until > self.requester.next {
            if let Some(read) = self.oldest_read() {
                let received_until = read.first.max(self.requester.oldest);
                rewind |= until > received_until && !self.requested_again;
                until = until.min(received_until);
            }
        }
        let moved = until > self.requester.oldest;
        if moved {
            self.advance(now, until);
        }
        let requester = &self.requester;
        if rewind && until >= requester.oldest && requester.oldest < requester.next {
            return self.go_back(now, arrival, moved);
        }
        Outcome {
            progress: moved || rewind,
            ..Outcome::default()
        }
    }

    /// Go-back-N from the oldest packet: at once, or when the receiver may be ready.
    fn go_back(&mut self, now: Picoseconds, arrival: Arrival, moved: bool) -> Outcome {
        let requester = &mut self.requester;
        let mut outcome = Outcome {
            progress: true,
            ..Outcome::default()
        };
        // Missing responses to a read have precedence.
        if arrival.flags & RNR == RNR && arrival.psn == requester.oldest {
            if requester.is_waiting {
                return outcome;
            }
            let (psn, times) = self.refusals;
            let times = if psn == arrival.psn { times } else { 0 };
            let limit = requester.settings.rnr_retry;
            outcome.failed = limit < FOR_EVER && times == limit;
            self.refusals = (arrival.psn, times.saturating_add(1));
            requester.is_waiting = true;
            requester.deadline = now + receive_queue::timer(arrival.span as u8);
            outcome.rearm = true;
        } else if arrival.flags & NAK != 0 && !moved {
            outcome.failed = requester.retries == requester.settings.retry_count;
            requester.retries = requester.retries.saturating_add(1);
        }
        self.requested_again = self.requester.reads > 0;
        self.resume_at(self.requester.oldest);
        outcome
    }

    /// A read response acknowledges all before it (IBTA 9.7.5.1.1); one that is not the next expected shows a loss.
    pub(super) fn response(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        let Some(read) = self.oldest_read() else {
            return Outcome::default();
        };
        let expected = read.first.max(self.requester.oldest);
        if arrival.psn < expected || arrival.psn > expected && self.requested_again {
            return Outcome::default();
        }
        if arrival.psn > expected {
            // A gap that stays is no progress: it must not reset the retries.
            if expected > self.requester.oldest {
                self.advance(now, expected);
            }
            self.requested_again = true;
            self.resume_at(expected);
            return Outcome {
                progress: true,
                ..Outcome::default()
            };
        }
        self.requested_again = false;
        if expected + 1 == read.end() {
            // 0 already if it was to be requested again.
            self.requester.reads = self.requester.reads.saturating_sub(1);
        }
        self.advance(now, expected + 1);
        Outcome {
            reply: None,
            delivered: arrival.payload,
            progress: true,
            ..Outcome::default()
        }
    }

    /// Whether the next packet is an answer: requests and read responses take turns, so that neither waits for all of the
    /// other and its acknowledgement times out.
    #[inline]
    pub(super) fn answers_next(&self) -> bool {
        self.requester.answering && (self.requested || !self.requester.has_work())
    }

    /// The oldest read that is not complete.
    pub(super) fn oldest_read(&self) -> Option<Message> {
        let oldest = self.requester.oldest;
        self.messages
            .iter()
            .find(|message| message.kind == Kind::ReadRequest && message.end() > oldest)
            .copied()
    }

    #[inline]
    pub(super) fn advance(&mut self, now: Picoseconds, until: u32) {
        let requester = &mut self.requester;
        requester.oldest = until;
        requester.retries = 0;
        // A receiver that was not ready is ready now: it accepted a copy of the message that came after its RNR NAK.
        requester.is_waiting = false;
        requester.deadline = if until >= requester.fresh || requester.settings.ack_timeout == NEVER
        {
            NEVER
        } else {
            now + requester.settings.ack_timeout
        };
        if until > requester.next {
            self.resume_at(until);
        }
    }

    /// Go-back-N: continues to send with packet `psn`.
    pub(super) fn resume_at(&mut self, psn: u32) {
        let oldest = self.requester.oldest;
        let messages = &self.messages;
        let within = messages.iter().position(|message| psn < message.end());
        self.current = within.unwrap_or(messages.len());
        let requests = messages.iter().take(self.current);
        let reads =
            requests.filter(|message| message.kind == Kind::ReadRequest && message.end() > oldest);
        self.requester.reads = reads.count() as u8;
        self.requester.next = psn;
        if let Some(message) = messages.get(self.current) {
            self.requester.message = *message;
        }
    }
}
