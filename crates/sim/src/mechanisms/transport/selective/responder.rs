//! The responder: packets are accepted in any order, and acknowledged; reads are answered in order.

use super::{Overtaken, Settings};
use crate::bytes::Bytes;
use crate::mechanisms::frame::{Kind, ACK_REQUEST, CE, ECHO, FIRST, LAST, NAK};
use crate::mechanisms::transport::{Arrival, Message, Outcome, Reply, Segment};
use crate::model::parameters::Reordering;
use crate::time::Picoseconds;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(super) struct Responder {
    settings: Arc<Settings>,
    expected: u32,
    /// Whether packet `expected` + n has arrived. The last has, if there is any.
    ahead: VecDeque<bool>,
    /// Read requests that arrived before earlier packets.
    waiting: BTreeMap<u32, Message>,
    unacknowledged: u32,
    marked: bool,
    responses: VecDeque<Response>,
    /// An ACK is queued after the read responses to send.
    acknowledge_after: bool,
    /// Missing packets before others that have arrived.
    pub(super) overtaken: Overtaken,
}

/// Responses to send: packets `next` to the end of `message`.
#[derive(Debug, Clone, Copy)]
struct Response {
    message: Message,
    first: u32,
    next: u32,
}

impl Responder {
    pub(super) fn new(settings: Arc<Settings>) -> Self {
        Responder {
            settings,
            expected: 0,
            ahead: VecDeque::new(),
            waiting: BTreeMap::new(),
            unacknowledged: 0,
            marked: false,
            responses: VecDeque::new(),
            acknowledge_after: false,
            overtaken: Overtaken::NOBODY,
        }
    }

    /// Whether there is an answer to send.
    pub(super) fn has_answers(&self) -> bool {
        self.acknowledge_after || !self.responses.is_empty()
    }

    /// Whether packet `psn` has arrived.
    pub(super) fn has(&self, psn: u32) -> bool {
        let position = psn.checked_sub(self.expected);
        position.is_none_or(|position| self.ahead.get(position as usize) == Some(&true))
    }

    /// A packet of a write or send.
    pub(super) fn data(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        self.marked |= arrival.flags & CE != 0;
        let mut outcome = Outcome::default();
        if !self.has(arrival.psn) {
            self.record_arrival(arrival.psn);
            outcome.delivered = arrival.payload;
        }
        self.accept(now, arrival, outcome)
    }

    /// A read request: of a read, or again of those responses to it that were lost.
    pub(super) fn read(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        let Some(mut message) = arrival.requested_read else {
            return Outcome::default();
        };
        if arrival.span > 0 {
            message = message.truncate(arrival.psn + u32::from(arrival.span), self.settings.mtu);
        }
        if arrival.psn < self.expected {
            self.respond(message, arrival.psn);
        } else {
            self.waiting.insert(arrival.psn, message);
        }
        let outcome = self.accept(now, arrival, Outcome::default());
        Outcome {
            progress: true,
            ..outcome
        }
    }

    /// Answers a read, or a part of it. Pending responses of that part are restarted, so that they are not sent twice.
    fn respond(&mut self, message: Message, first: u32) {
        let is_same_request =
            |response: &Response| response.message.first == message.first && response.next >= first;
        let is_superseded = |response: &Response| {
            is_same_request(response) && response.message.end() <= message.end()
        };
        self.responses.retain(|response| !is_superseded(response));
        self.responses.push_back(Response {
            message,
            first,
            next: first,
        });
    }

    fn record_arrival(&mut self, psn: u32) {
        let position = (psn - self.expected) as usize;
        if self.ahead.len() <= position {
            self.ahead.resize(position + 1, false);
        }
        self.ahead[position] = true;
    }

    /// The packet is accepted: advances over packets in order, and acknowledges it.
    fn accept(&mut self, now: Picoseconds, arrival: Arrival, outcome: Outcome) -> Outcome {
        let duplicate = arrival.psn < self.expected;
        let previous_expected = self.expected;
        self.move_on();
        if self.overtaken.by < self.expected {
            self.overtaken = Overtaken::NOBODY;
        }
        if let Some(by) = self.highest() {
            let reordering = &self.settings.reordering;
            self.overtaken.notice(now, by, reordering);
        }
        if arrival.psn >= self.expected {
            let reply = self.selective(arrival.psn);
            return Outcome {
                reply: Some(reply),
                ..outcome
            };
        }
        if arrival.kind == Kind::ReadRequest {
            return outcome; // its responses acknowledge it
        }
        let passed = self.expected - previous_expected;
        self.unacknowledged = self.unacknowledged.saturating_add(passed);
        let due = duplicate
            || passed > 1
            || self.unacknowledged >= self.settings.ack_every
            || arrival.flags & ACK_REQUEST != 0;
        if !due {
            return outcome;
        }
        self.acknowledge(outcome)
    }

    /// Advances over packets that have arrived; reads are answered at their turn.
    fn move_on(&mut self) {
        loop {
            let read = self.waiting.first_key_value();
            if let Some((psn, message)) = read.map(|(psn, message)| (*psn, *message)) {
                if psn <= self.expected {
                    self.waiting.remove(&psn);
                    self.respond(message, psn);
                    self.advance(message.end().saturating_sub(self.expected));
                    continue;
                }
            }
            if self.ahead.front() != Some(&true) {
                return;
            }
            self.advance(1);
        }
    }

    fn advance(&mut self, packets: u32) {
        self.expected += packets;
        let recorded = self.ahead.len().min(packets as usize);
        self.ahead.drain(..recorded);
    }

    /// The last packet that has arrived, of those out of order.
    fn highest(&self) -> Option<u32> {
        let data = match self.ahead.len() {
            0 => None,
            ahead => Some(self.expected + ahead as u32 - 1),
        };
        data.max(self.waiting.last_key_value().map(|(psn, _)| *psn))
    }

    /// Acknowledges everything so far, after the read responses that precede it (IBTA volume 1, 9.5).
    fn acknowledge(&mut self, outcome: Outcome) -> Outcome {
        if self.has_answers() {
            self.acknowledge_after = true;
            return outcome;
        }
        Outcome {
            reply: Some(self.positive()),
            ..outcome
        }
    }

    fn positive(&mut self) -> Reply {
        self.unacknowledged = 0;
        Reply {
            psn: self.expected - 1,
            flags: self.echo(),
            span: 0,
        }
    }

    /// Packet `psn` has arrived, and packet `expected` has not. The reordering rule decides whether it is lost.
    fn selective(&mut self, psn: u32) -> Reply {
        let span = psn - self.expected;
        let lost = match self.settings.reordering {
            Reordering::None {} => true,
            Reordering::Packets { packets } => span >= packets,
            Reordering::Time { .. } => false,
        };
        let flags = if lost { NAK } else { 0 } | self.echo();
        Reply {
            psn: self.expected,
            flags,
            span: span as u16,
        }
    }

    /// Packets have been missing for long enough.
    pub(super) fn report(&mut self, now: Picoseconds) -> Reply {
        let by = std::mem::replace(&mut self.overtaken, Overtaken::NOBODY).by;
        // Once per arrival: there is no further report before more arrives, so that a failed peer receives none.
        if let Some(highest) = self.highest().filter(|highest| *highest > by) {
            let reordering = &self.settings.reordering;
            self.overtaken.notice(now, highest, reordering);
        }
        Reply {
            psn: self.expected,
            flags: NAK | self.echo(),
            span: (by - self.expected) as u16,
        }
    }

    fn echo(&mut self) -> u8 {
        let marked = std::mem::take(&mut self.marked);
        match marked && self.settings.echo {
            true => ECHO,
            false => 0,
        }
    }

    pub(super) fn begins_message(&self) -> bool {
        let response = self.responses.front();
        response.is_some_and(|response| response.next == response.first)
    }

    /// The next read response, or the acknowledgement queued after them. The caller knows that an answer is due.
    pub(super) fn answer(&mut self) -> Segment {
        let Some(response) = self.responses.front_mut() else {
            self.acknowledge_after = false;
            let reply = self.positive();
            return Segment {
                kind: Kind::Ack,
                psn: reply.psn,
                payload: Bytes(0),
                flags: reply.flags,
                again: false,
                span: 0,
            };
        };
        let (message, psn) = (response.message, response.next);
        response.next += 1;
        let mut flags = if psn == response.first { FIRST } else { 0 };
        if response.next == message.end() {
            flags |= LAST;
            self.responses.pop_front();
        }
        Segment {
            kind: Kind::ReadResponse,
            psn,
            payload: message.payload(psn, self.settings.mtu),
            flags,
            again: false,
            span: 0,
        }
    }

    pub(super) fn abandon(&mut self) {
        self.responses.clear();
        self.acknowledge_after = false;
        self.overtaken = Overtaken::NOBODY;
    }
}
