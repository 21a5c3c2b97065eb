//! The requester: sent packets, their acknowledged part, and retransmissions.

use super::scoreboard::{Scoreboard, State};
use super::{Overtaken, Settings};
use crate::bytes::Bytes;
use crate::mechanisms::frame::{Kind, ACK_REQUEST, FIRST, LAST, NAK};
use crate::mechanisms::transport::{Arrival, Message, Outcome, Segment, SendProgress};
use crate::model::parameters::Reordering;
use crate::time::{Picoseconds, NEVER};
use std::collections::VecDeque;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(super) struct Requester {
    settings: Arc<Settings>,
    /// Posted and not complete.
    pub(super) messages: VecDeque<Message>,
    /// Index in `messages` of the next one with new packets.
    current: usize,
    /// Messages that completed.
    completed: u32,
    sent: Scoreboard,
    /// The end of the posted packets.
    end: u32,
    /// All before this is acknowledged, read responses aside.
    acknowledged: u32,
    /// Reads that were requested and are not complete.
    reads: u32,
    pub(super) deadline: Picoseconds,
    /// Number of retransmissions of the oldest packet.
    retries: u8,
    /// Read responses that others overtook.
    pub(super) overtaken: Overtaken,
    /// The last packet whose sending was shown by a response or an acknowledgement after it.
    answered: u32,
}

impl Requester {
    pub(super) fn new(settings: Arc<Settings>) -> Self {
        Requester {
            settings,
            messages: VecDeque::new(),
            current: 0,
            completed: 0,
            sent: Scoreboard::default(),
            end: 0,
            acknowledged: 0,
            reads: 0,
            deadline: NEVER,
            retries: 0,
            overtaken: Overtaken::NOBODY,
            answered: 0,
        }
    }

    pub(super) fn post(&mut self, operation: u32, kind: Kind, bytes: Bytes) {
        let message = Message::new(operation, kind, bytes, self.end, self.settings.mtu);
        self.end = message.end();
        self.messages.push_back(message);
    }

    pub(super) fn has_work(&self) -> bool {
        self.sent.any_lost() || self.fresh_message().is_some()
    }

    /// The message whose next new packet may be sent.
    fn fresh_message(&self) -> Option<Message> {
        let message = *self.messages.get(self.current)?;
        let read = message.kind == Kind::ReadRequest;
        let is_delayed = read && self.reads >= self.settings.max_outstanding_reads;
        (self.sent.len() < self.settings.window && !is_delayed).then_some(message)
    }

    pub(super) fn progress(&self) -> SendProgress {
        self.sent.progress()
    }

    /// See [`crate::mechanisms::transport::Transport::postpone`].
    pub(super) fn postpone(&mut self, now: Picoseconds) {
        if self.sent.progress().in_flight == 0 && self.deadline <= now {
            self.deadline = now + self.settings.ack_timeout;
        }
    }

    /// Lost packets, and packets that were never sent.
    pub(super) fn backlog(&self) -> (u64, Bytes) {
        let mtu = self.settings.mtu;
        let lost = u64::from(self.sent.lost_count());
        let messages = self.messages.iter().skip(self.current);
        let fresh = messages.map(|message| message.count_remaining(self.sent.fresh(), mtu));
        fresh.fold((lost, lost * mtu.widen()), |all, remainder| {
            (all.0 + remainder.0, all.1 + remainder.1)
        })
    }

    pub(super) fn begins_message(&self) -> bool {
        let next = match self.sent.any_lost() {
            true => self.sent.first_lost(),
            false => self.sent.fresh(),
        };
        self.messages.iter().any(|message| message.first == next)
    }

    /// The next packet. The caller knows that one is due.
    pub(super) fn request(&mut self, now: Picoseconds) -> Segment {
        if self.deadline == NEVER && self.settings.ack_timeout != NEVER {
            self.deadline = now + self.settings.ack_timeout;
        }
        if self.sent.any_lost() {
            return self.resend_first_lost();
        }
        let message = self.messages[self.current];
        let psn = self.sent.fresh();
        let read = message.kind == Kind::ReadRequest;
        let count = if read { message.packets } else { 1 };
        self.sent.push(read, count);
        self.reads += u32::from(read);
        self.current += usize::from(self.sent.fresh() == message.end());
        self.segment(&message, psn, count, false)
    }

    /// The first lost packet; of a read, a request for all responses that are lost from there on.
    fn resend_first_lost(&mut self) -> Segment {
        let psn = self.sent.first_lost();
        let message = self
            .find_message(psn)
            .expect("what is lost is not complete");
        let mut count = 0;
        loop {
            self.sent.resend(psn + count);
            count += 1;
            let next = self.sent.get(psn + count);
            let lost = next.is_some_and(|packet| packet.state == State::Lost);
            let more = psn + count < message.end() && count < u32::from(u16::MAX);
            if message.kind != Kind::ReadRequest || !lost || !more {
                break;
            }
        }
        self.segment(&message, psn, count, true)
    }

    fn segment(&self, message: &Message, psn: u32, count: u32, is_retransmission: bool) -> Segment {
        let mut flags = if psn == message.first { FIRST } else { 0 };
        let read = message.kind == Kind::ReadRequest;
        let last = psn + count == message.end();
        if last || read {
            flags |= LAST | ACK_REQUEST;
        }
        if self.sent.len() >= self.settings.window {
            flags |= ACK_REQUEST; // no later packet would complete an ACK of several packets
        }
        Segment {
            kind: message.kind,
            psn,
            payload: match read {
                true => Bytes(0),
                false => message.payload(psn, self.settings.mtu),
            },
            flags,
            again: is_retransmission,
            span: if read && !last { count as u16 } else { 0 },
        }
    }

    /// An acknowledgement: of everything up to `psn`, or of everything before it and the packet `span` after it.
    pub(super) fn take_acknowledgement(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        let selective = arrival.span > 0;
        let until = arrival.psn + u32::from(!selective);
        for psn in self.acknowledged..until {
            match self.sent.get(psn) {
                Some(packet) if packet.response => self.sent.request_arrived(psn),
                Some(_) => drop(self.sent.mark_arrived(psn)),
                None => {}
            }
        }
        self.acknowledged = self.acknowledged.max(until);
        let mut losses = Vec::new();
        if selective {
            let by = arrival.psn + u32::from(arrival.span);
            match self.sent.get(by) {
                Some(packet) if packet.response => self.sent.request_arrived(by),
                _ => drop(self.sent.mark_arrived(by)),
            }
            if arrival.flags & NAK != 0 {
                self.sent.lose(self.overtaken_by(by), false, &mut losses);
            }
        } else if self.reads > 0 {
            // It was queued after the responses to earlier requests.
            self.judge_responses(arrival.psn, &mut losses);
        }
        self.settle(now, &losses)
    }

    /// A switch trimmed packet `psn`. The peer replied, so this does not count as a retry.
    pub(super) fn take_trimmed(&mut self, now: Picoseconds, psn: u32) -> Outcome {
        self.sent.mark_lost(psn);
        if self.deadline != NEVER {
            self.deadline = now + self.settings.ack_timeout;
        }
        self.retries = 0;
        Outcome {
            progress: true,
            ..Outcome::default()
        }
    }

    /// A read response acknowledges its packet; those before it are judged by it.
    pub(super) fn response(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        if !self.awaits(arrival.psn) {
            return Outcome::default();
        }
        self.sent.mark_arrived(arrival.psn);
        if let Some(message) = self.find_message(arrival.psn) {
            self.sent.request_arrived(message.first);
        }
        let mut losses = Vec::new();
        self.judge_responses(arrival.psn, &mut losses);
        let outcome = self.settle(now, &losses);
        Outcome {
            delivered: arrival.payload,
            progress: true,
            ..outcome
        }
    }

    /// Whether packet `psn` is a read response that has not arrived.
    pub(super) fn awaits(&self, psn: u32) -> bool {
        let packet = self.sent.get(psn);
        packet.is_some_and(|packet| packet.response && packet.state != State::Arrived)
    }

    /// Responses before `by` are lost, or will be.
    fn judge_responses(&mut self, by: u32, losses: &mut Vec<u32>) {
        self.answered = self.answered.max(by);
        if !matches!(self.settings.reordering, Reordering::Time { .. }) {
            self.sent.lose(self.overtaken_by(by), true, losses);
        }
    }

    /// Packets sent before this are lost when packet `by` has arrived.
    fn overtaken_by(&self, by: u32) -> u32 {
        match self.settings.reordering {
            Reordering::Packets { packets } => (by + 1).saturating_sub(packets),
            _ => by,
        }
    }

    /// Read responses have been missing for long enough.
    pub(super) fn judge_overtaken(&mut self, now: Picoseconds) {
        let by = std::mem::replace(&mut self.overtaken, Overtaken::NOBODY).by;
        let mut losses = Vec::new();
        self.sent.lose(by, true, &mut losses);
        self.settle(now, &losses);
        if self.answered <= by {
            self.overtaken = Overtaken::NOBODY; // until more arrives
        }
    }

    /// Lost packets will be sent again, packets that arrived in order are removed.
    fn settle(&mut self, now: Picoseconds, losses: &[u32]) -> Outcome {
        let moved = self.sent.advance();
        if moved {
            self.retries = 0;
            let timed = !self.sent.is_empty() && self.settings.ack_timeout != NEVER;
            self.deadline = match timed {
                true => now + self.settings.ack_timeout,
                false => NEVER,
            };
        }
        for &psn in losses {
            self.lose(psn);
        }
        if self.overtaken.by <= self.sent.oldest() {
            self.overtaken = Overtaken::NOBODY;
        }
        if self.reads > 0 && self.sent.oldest() < self.answered {
            let reordering = &self.settings.reordering;
            self.overtaken.notice(now, self.answered, reordering);
        }
        let mut failed = false;
        if losses.contains(&self.sent.oldest()) {
            failed = self.retries == self.settings.retry_count;
            self.retries = self.retries.saturating_add(1);
        }
        Outcome {
            progress: moved || !losses.is_empty(),
            failed,
            ..Outcome::default()
        }
    }

    /// A packet is lost; with a read request all responses that it requested.
    fn lose(&mut self, psn: u32) {
        let request = self.sent.get(psn).is_some_and(|packet| packet.request);
        let message = self.find_message(psn);
        match message.filter(|_| request) {
            Some(message) => {
                (message.first..message.end()).for_each(|psn| self.sent.mark_lost(psn))
            }
            None => self.sent.mark_lost(psn),
        }
    }

    /// Nothing was received for the ACK timeout. False when retries are exhausted.
    pub(super) fn time_out(&mut self, now: Picoseconds) -> bool {
        if self.retries == self.settings.retry_count {
            return false;
        }
        self.retries += 1;
        self.sent.lose_all();
        self.deadline = now + self.settings.ack_timeout;
        true
    }

    pub(super) fn pop_completed(&mut self) -> Option<u32> {
        let oldest = self.sent.oldest();
        let done = self
            .messages
            .pop_front_if(|message| message.end() <= oldest)?;
        self.completed = self.completed.wrapping_add(1);
        self.current -= 1;
        self.reads -= u32::from(done.kind == Kind::ReadRequest);
        Some(done.operation)
    }

    pub(super) fn abandon(&mut self) -> Vec<u32> {
        let operations = self
            .messages
            .drain(..)
            .map(|message| message.operation)
            .collect();
        *self = Requester::new(self.settings.clone());
        operations
    }

    pub(super) fn messages_before(&self, psn: u32) -> u32 {
        let ended = self
            .messages
            .iter()
            .take_while(|message| message.end() <= psn);
        self.completed + ended.count() as u32
    }

    /// The message of packet `psn`.
    pub(super) fn find_message(&self, psn: u32) -> Option<Message> {
        let position = self
            .messages
            .partition_point(|message| message.end() <= psn);
        let message = self.messages.get(position).copied();
        message.filter(|message| message.first <= psn)
    }
}
