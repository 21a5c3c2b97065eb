//! A reliable connection: segmentation, cumulative acknowledgements, go-back-N, local ACK timeout.
//!
//! IBTA architecture volume 1, chapter 9.7. Sequence numbers count packets from 0 and never wrap: a queue pair that
//! would need 2^32 is refused before the run.

mod requester;
mod responder;

use super::receive_queue::ReceiveQueue;
use super::{Arrival, Message, Outcome, Segment, SendProgress, Settings, Timeout, Transport};
use crate::bytes::Bytes;
use crate::mechanisms::frame::{Kind, LAST};
use crate::time::{Picoseconds, NEVER};
use requester::Requester;
use responder::{Responder, Response};
use std::collections::VecDeque;
use std::sync::Arc;

/// One end of a reliable connection: requester and responder.
///
/// The fields for each packet and each acknowledgement fill half a cache line in the responder and one in the requester;
/// the messages after them are accessed once per message.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct Rc {
    responder: Responder,
    requester: Requester,
    messages: VecDeque<Message>,
    /// Index in `messages` of the requester's.
    current: usize,
    /// Read responses to send.
    responses: VecDeque<Response>,
    /// The last packet was a request, so an answer is sent before the next one.
    requested: bool,
    /// Messages that completed.
    completed: u32,
    /// A gap in read responses was answered with a new request; set until the missing one arrives.
    requested_again: bool,
    /// Posted receives; none = always enough.
    receives: Option<Box<ReceiveQueue>>,
    /// RNR NAKs in a row, all of this packet.
    refusals: (u32, u8),
}

impl Rc {
    /// A connected queue pair on which nothing was posted.
    pub fn new(settings: Arc<Settings>) -> Self {
        let message = Message {
            operation: 0,
            kind: Kind::Write,
            bytes: Bytes(0),
            first: 0,
            packets: 0,
        };
        let receives = settings
            .rx_depth
            .map(|depth| Box::new(ReceiveQueue::new(depth, settings.receive)));
        Rc {
            responder: Responder {
                settings: settings.clone(),
                reported: NEVER,
                expected: 0,
                unacknowledged: 0,
                marked: false,
                acknowledge_after: false,
                report_after: 0,
                failed: false,
            },
            requester: Requester {
                settings,
                next: 0,
                oldest: 0,
                fresh: 0,
                end: 0,
                deadline: NEVER,
                message,
                first_end: u32::MAX,
                reads: 0,
                retries: 0,
                is_waiting: false,
                answering: false,
            },
            messages: VecDeque::new(),
            current: 0,
            responses: VecDeque::new(),
            requested: true,
            completed: 0,
            requested_again: false,
            receives,
            refusals: (0, 0),
        }
    }
}

impl Transport for Rc {
    fn post(&mut self, operation: u32, kind: Kind, bytes: Bytes) {
        let requester = &mut self.requester;
        let mtu = requester.settings.mtu;
        let message = Message::new(operation, kind, bytes, requester.end, mtu);
        if requester.next == requester.end {
            requester.message = message;
        }
        requester.end = message.end();
        requester.first_end = requester.first_end.min(requester.end);
        self.messages.push_back(message);
    }

    fn messages(&self) -> u32 {
        self.messages.len() as u32
    }

    #[inline]
    fn has_work(&self) -> bool {
        self.requester.answering || self.requester.has_work()
    }

    #[inline]
    fn begins_message(&self) -> bool {
        let requester = &self.requester;
        if self.answers_next() {
            let response = self.responses.front();
            return response.is_some_and(|response| response.next == response.first);
        }
        requester.has_work() && requester.message.first == requester.next
    }

    #[inline]
    fn next(&mut self, now: Picoseconds) -> Option<Segment> {
        if self.answers_next() {
            self.requested = false;
            return Some(self.answer());
        }
        if !self.requester.has_work() {
            return None;
        }
        if self.requester.answering {
            self.requested = true;
        }
        let segment = self.requester.request(now);
        if segment.flags & LAST != 0 {
            self.current += 1;
            if let Some(following) = self.messages.get(self.current) {
                self.requester.message = *following;
            }
        }
        Some(segment)
    }

    #[inline]
    fn receive(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        if self.responder.failed {
            return Outcome::default();
        }
        match arrival.kind {
            Kind::Ack => self.take_acknowledgement(now, arrival),
            Kind::ReadResponse => self.response(now, arrival),
            Kind::ReadRequest => self.read(now, arrival),
            _ => self.data(now, arrival),
        }
    }

    fn accepts(&self, kind: Kind, psn: u32, _first: bool) -> bool {
        if kind != Kind::ReadResponse {
            return psn == self.responder.expected && !self.responder.failed;
        }
        let read = self.oldest_read();
        read.is_some_and(|read| psn == read.first.max(self.requester.oldest))
    }

    #[inline]
    fn pop_completed(&mut self) -> Option<u32> {
        if self.requester.first_end > self.requester.oldest {
            return None;
        }
        let done = self.messages.pop_front()?;
        self.completed = self.completed.wrapping_add(1);
        let front = self.messages.front();
        self.requester.first_end = front.map_or(u32::MAX, Message::end);
        self.current = self.current.saturating_sub(1);
        Some(done.operation)
    }

    #[inline]
    fn deadline(&self) -> Picoseconds {
        self.requester.deadline
    }

    fn timeout(&mut self, now: Picoseconds) -> Timeout {
        let requester = &mut self.requester;
        if requester.deadline == NEVER {
            return Timeout::Idle;
        }
        if requester.deadline > now {
            return Timeout::Later(requester.deadline);
        }
        if std::mem::take(&mut requester.is_waiting) {
            requester.deadline = NEVER;
            return Timeout::Ready(NEVER);
        }
        if requester.retries == requester.settings.retry_count {
            return Timeout::Failed;
        }
        requester.retries += 1;
        self.requested_again = false;
        let deadline = now + requester.settings.ack_timeout;
        requester.deadline = deadline;
        self.resume_at(self.requester.oldest);
        Timeout::Resend(deadline)
    }

    fn abandon(&mut self) -> Vec<u32> {
        let requester = &mut self.requester;
        requester.next = requester.end;
        requester.first_end = u32::MAX;
        requester.deadline = NEVER;
        requester.answering = false;
        self.responder.failed = true;
        self.responses.clear();
        let operations = self.messages.drain(..);
        operations.map(|message| message.operation).collect()
    }

    #[inline]
    fn progress(&self) -> SendProgress {
        let requester = &self.requester;
        SendProgress {
            oldest: requester.oldest,
            fresh: requester.fresh,
            arrived: requester.oldest,
            in_flight: requester.next.saturating_sub(requester.oldest),
        }
    }

    fn postpone(&mut self, now: Picoseconds) {
        let requester = &mut self.requester;
        if requester.next == requester.oldest && !requester.is_waiting && requester.deadline <= now
        {
            requester.deadline = now + requester.settings.ack_timeout;
        }
    }

    fn backlog(&self) -> (u64, Bytes) {
        let requester = &self.requester;
        let messages = self.messages.iter().skip(self.current);
        let remainders =
            messages.map(|message| message.count_remaining(requester.next, requester.settings.mtu));
        remainders.fold((0, Bytes(0)), |all, remainder| {
            (all.0 + remainder.0, all.1 + remainder.1)
        })
    }

    #[inline]
    fn has_answers(&self) -> bool {
        self.requester.answering
    }

    fn messages_before(&self, psn: u32) -> u32 {
        let messages = self.messages.iter();
        let ended = messages.take_while(|message| message.end() <= psn);
        self.completed + ended.count() as u32
    }

    fn find_requested_read(&self, psn: u32) -> Option<Message> {
        self.messages
            .iter()
            .find(|message| message.first <= psn && psn < message.end())
            .copied()
    }
}

const _: () = assert!(size_of::<Responder>() <= 32 && size_of::<Requester>() <= 64);

#[cfg(test)]
mod tests;
