//! The responder: packets are accepted in order, acknowledged and answered.

use super::{Rc, Settings};
use crate::bytes::Bytes;
use crate::mechanisms::frame::{Kind, ACK_REQUEST, CE, ECHO, FIRST, LAST, NAK, RNR};
use crate::mechanisms::transport::{Arrival, Message, Outcome, Reply, Segment};
use crate::time::{Picoseconds, NEVER};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(super) struct Responder {
    pub(super) settings: Arc<Settings>,
    /// When the current gap was reported; `NEVER` = not yet.
    pub(super) reported: Picoseconds,
    pub(super) expected: u32,
    pub(super) unacknowledged: u32,
    pub(super) marked: bool,
    /// An ACK is queued after the read responses to send.
    pub(super) acknowledge_after: bool,
    /// Instead of the ACK a NAK or an RNR NAK at `expected`: its flags.
    pub(super) report_after: u8,
    /// The queue pair has failed. Arriving packets are dropped (IBTA 10.3.1, error state).
    pub(super) failed: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Response {
    pub(super) message: Message,
    /// The first response to the request.
    pub(super) first: u32,
    pub(super) next: u32,
}

impl Rc {
    /// A packet of a write or send.
    #[inline]
    pub(super) fn data(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        let responder = &mut self.responder;
        responder.marked |= arrival.flags & CE != 0;
        if arrival.psn > responder.expected {
            return self.gap(now);
        }
        if arrival.psn < responder.expected {
            // A duplicate is acknowledged again (IBTA 9.7.5.1.4): the first acknowledgement may be what was lost.
            return self.acknowledge(Bytes(0));
        }
        if arrival.kind == Kind::Send && self.receives.is_some() && !self.take_receive(now, arrival)
        {
            return self.report(now, RNR);
        }
        let responder = &mut self.responder;
        responder.expected += 1;
        responder.reported = NEVER;
        responder.report_after = 0;
        responder.unacknowledged += 1;
        let due = responder.unacknowledged >= responder.settings.ack_every
            || arrival.flags & ACK_REQUEST != 0;
        if !due {
            return Outcome {
                delivered: arrival.payload,
                ..Outcome::default()
            };
        }
        self.acknowledge(arrival.payload)
    }

    /// A packet is missing: NAK once, and again after the interval (IBTA 9.7.5.1.2), after the read responses that
    /// precede it: before them it would report them as lost.
    pub(super) fn gap(&mut self, now: Picoseconds) -> Outcome {
        let responder = &mut self.responder;
        let interval = responder.settings.nak_interval;
        let reported = responder.reported;
        if reported != NEVER && (interval == NEVER || now < reported + interval) {
            return Outcome::default();
        }
        let receives = self.receives.as_ref();
        if receives.is_some_and(|receive| receive.refused == Some(responder.expected)) {
            return Outcome::default();
        }
        self.report(now, NAK)
    }

    /// Packet `expected` is missing or not wanted.
    fn report(&mut self, now: Picoseconds, flags: u8) -> Outcome {
        let responder = &mut self.responder;
        responder.reported = now;
        if self.requester.answering {
            responder.acknowledge_after = true;
            responder.report_after = flags;
            return Outcome::default();
        }
        Outcome {
            reply: Some(responder.negative(flags)),
            ..Outcome::default()
        }
    }

    /// Whether the packet of a send has a receive, which its message uses.
    fn take_receive(&mut self, now: Picoseconds, arrival: Arrival) -> bool {
        let Some(receives) = &mut self.receives else {
            return true;
        };
        if arrival.flags & FIRST != 0 {
            if !receives.is_posted(now) {
                receives.refused = Some(arrival.psn);
                return false;
            }
            receives.take();
        }
        if arrival.flags & LAST != 0 {
            receives.complete_message(now);
        }
        true
    }

    /// Answers a read, or the repeated request for the rest of one; other pending responses remain queued.
    pub(super) fn read(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        if arrival.psn > self.responder.expected {
            return self.gap(now);
        }
        let Some(message) = arrival.requested_read else {
            return Outcome::default();
        };
        self.responses
            .retain(|response| response.message.first < message.first);
        self.responses.push_back(Response {
            message,
            first: arrival.psn,
            next: arrival.psn,
        });
        self.requester.answering = true;
        if message.end() > self.responder.expected {
            self.responder.expected = message.end();
            self.responder.reported = NEVER;
            self.responder.report_after = 0;
        }
        Outcome {
            progress: true,
            ..Outcome::default()
        }
    }

    /// Acknowledges everything so far, after the read responses that precede it (IBTA 9.5).
    #[inline]
    pub(super) fn acknowledge(&mut self, delivered: Bytes<u32>) -> Outcome {
        let responder = &mut self.responder;
        if self.requester.answering {
            responder.acknowledge_after = true;
            return Outcome {
                delivered,
                ..Outcome::default()
            };
        }
        responder.unacknowledged = 0;
        Outcome {
            reply: Some(responder.positive()),
            delivered,
            ..Outcome::default()
        }
    }

    /// The next read response, or the acknowledgement queued after them.
    pub(super) fn answer(&mut self) -> Segment {
        let responder = &mut self.responder;
        let Some(response) = self.responses.front_mut() else {
            self.requester.answering = false;
            responder.acknowledge_after = false;
            responder.unacknowledged = 0;
            let reply = match std::mem::take(&mut responder.report_after) {
                0 => responder.positive(),
                flags => responder.negative(flags),
            };
            return Segment {
                kind: Kind::Ack,
                psn: reply.psn,
                payload: Bytes(0),
                flags: reply.flags,
                again: false,
                span: reply.span,
            };
        };
        let message = response.message;
        let psn = response.next;
        response.next += 1;
        let mut flags = if psn == response.first { FIRST } else { 0 };
        if response.next == message.end() {
            flags |= LAST;
            self.responses.pop_front();
            self.requester.answering = responder.acknowledge_after || !self.responses.is_empty();
        }
        Segment {
            kind: Kind::ReadResponse,
            psn,
            payload: message.payload(psn, responder.settings.mtu),
            flags,
            again: false,
            span: 0,
        }
    }
}

impl Responder {
    /// All before `expected` has arrived.
    #[inline]
    pub(super) fn positive(&mut self) -> Reply {
        Reply {
            psn: self.expected - 1,
            flags: self.echo(),
            span: 0,
        }
    }

    /// `expected` is missing, or not wanted: NAK, or RNR with the timer code.
    pub(super) fn negative(&mut self, flags: u8) -> Reply {
        let timer = match flags {
            RNR => self.settings.min_rnr_timer,
            _ => 0,
        };
        Reply {
            psn: self.expected,
            flags: flags | self.echo(),
            span: u16::from(timer),
        }
    }

    #[inline]
    pub(super) fn echo(&mut self) -> u8 {
        let marked = std::mem::take(&mut self.marked);
        if marked && self.settings.echo {
            ECHO
        } else {
            0
        }
    }
}
