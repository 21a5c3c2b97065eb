//! A reliable connection: segmentation, cumulative acknowledgements, go-back-N, local ACK timeout.
//!
//! IBTA architecture volume 1, chapter 9.7. Sequence numbers count packets from 0 and never wrap: a queue pair that
//! would need 2^32 is refused before the run.

use crate::frame::{Kind, ACK_REQUEST, CE, ECHO, FIRST, LAST, NAK};
use crate::parameters;
use crate::time::{Picoseconds, NANOSECOND, NEVER};
use crate::transport::{Arrival, Message, Outcome, Reply, Segment, Timeout, Transport};
use std::collections::VecDeque;
use std::sync::Arc;

/// What all reliable connections of a scenario share.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Payload of a full packet.
    pub mtu: u32,
    /// One ACK per so many packets.
    pub ack_every: u32,
    /// Whether a mark is echoed in the ACK.
    pub echo: bool,
    /// Local ACK timeout; `NEVER` = none.
    pub ack_timeout: Picoseconds,
    /// Timeouts in a row before the queue pair fails.
    pub retry_count: u8,
    /// The same gap is reported again after this; `NEVER` = not.
    pub nak_interval: Picoseconds,
    /// Reads outstanding at one time.
    pub max_outstanding_reads: u32,
}

impl Settings {
    /// From the parameters of a scenario.
    pub fn new(transport: &parameters::Transport, echo: bool) -> Self {
        // IBTA 9.7.6.1.3: 4.096 µs times 2^timeout, 0 = disabled.
        let ack_timeout = match transport.ack_timeout {
            0 => NEVER,
            exponent => (4_096 * NANOSECOND) << exponent.min(31),
        };
        Settings {
            mtu: transport.mtu_bytes,
            ack_every: transport.ack_every,
            echo,
            ack_timeout,
            retry_count: transport.retry_count,
            nak_interval: transport
                .nak_interval_ns
                .map_or(NEVER, |ns| ns * NANOSECOND),
            max_outstanding_reads: transport.max_outstanding_reads,
        }
    }
}

/// One end of a reliable connection: requester and responder.
///
/// What each packet and each acknowledgement needs fills half a cache line in the responder and one in the requester;
/// the messages behind are touched once per message.
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
    /// The last packet was a request, so an answer is due before the next one.
    requested: bool,
    /// Messages that completed.
    completed: u32,
}

#[derive(Debug, Clone)]
struct Responder {
    settings: Arc<Settings>,
    /// When the current gap was reported; `NEVER` = not yet.
    reported: Picoseconds,
    expected: u32,
    unacknowledged: u32,
    marked: bool,
    /// An ACK waits behind the read responses to send.
    acknowledge_after: bool,
    /// Instead of the ACK a NAK, for the gap at `expected`.
    report_after: bool,
    /// The queue pair has failed. What arrives is dropped (IBTA 10.3.1, error state).
    failed: bool,
}

#[derive(Debug, Clone)]
struct Requester {
    settings: Arc<Settings>,
    /// The next packet to send, the oldest unacknowledged, the first never sent, the end of what is posted.
    next: u32,
    oldest: u32,
    fresh: u32,
    end: u32,
    deadline: Picoseconds,
    /// The message that `next` is in, when there is something to send.
    message: Message,
    /// Where the oldest message that did not complete ends; `u32::MAX` = there is none.
    first_end: u32,
    /// Reads that were asked for and are not complete.
    reads: u8,
    timeouts: u8,
    /// A gap in read responses was answered by asking again; until the missing one comes.
    asked_again: bool,
    /// The responder has something to send: read responses, or the ACK behind them.
    answering: bool,
}

#[derive(Debug, Clone, Copy)]
struct Response {
    message: Message,
    /// Where the request began: the first response to it.
    first: u32,
    next: u32,
}

impl Rc {
    /// A connected queue pair on which nothing was posted.
    pub fn new(settings: Arc<Settings>) -> Self {
        let message = Message {
            operation: 0,
            kind: Kind::Write,
            bytes: 0,
            first: 0,
            packets: 0,
        };
        Rc {
            responder: Responder {
                settings: settings.clone(),
                reported: NEVER,
                expected: 0,
                unacknowledged: 0,
                marked: false,
                acknowledge_after: false,
                report_after: false,
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
                timeouts: 0,
                asked_again: false,
                answering: false,
            },
            messages: VecDeque::new(),
            current: 0,
            responses: VecDeque::new(),
            requested: true,
            completed: 0,
        }
    }

    /// How many messages end before packet `psn`, of those posted here: the MSN of an acknowledgement of all before it.
    pub fn messages_before(&self, psn: u32) -> u32 {
        let messages = self.messages.iter();
        let ended = messages.take_while(|message| message.end() <= psn);
        self.completed + ended.count() as u32
    }

    /// What a read request for `psn` asks for: the rest of its message. The RETH of the request carries it.
    pub fn asked_for(&self, psn: u32) -> Option<Message> {
        self.messages
            .iter()
            .find(|message| message.first <= psn && psn < message.end())
            .copied()
    }
}

impl Transport for Rc {
    fn post(&mut self, operation: u32, kind: Kind, bytes: u64) {
        let requester = &mut self.requester;
        let packets = bytes.div_ceil(u64::from(requester.settings.mtu)).max(1) as u32;
        let message = Message {
            operation,
            kind,
            bytes,
            first: requester.end,
            packets,
        };
        if requester.next == requester.end {
            requester.message = message;
        }
        requester.end += packets;
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
            Kind::Ack => self.acknowledged(now, arrival),
            Kind::ReadResponse => self.response(now, arrival),
            Kind::ReadRequest => self.read(now, arrival),
            _ => self.data(now, arrival),
        }
    }

    fn accepts(&self, kind: Kind, psn: u32) -> bool {
        if kind != Kind::ReadResponse {
            return psn == self.responder.expected && !self.responder.failed;
        }
        let read = self.oldest_read();
        read.is_some_and(|read| psn == read.first.max(self.requester.oldest))
    }

    #[inline]
    fn completed(&mut self) -> Option<u32> {
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
        if requester.timeouts == requester.settings.retry_count {
            return Timeout::Failed;
        }
        requester.timeouts += 1;
        requester.asked_again = false;
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
}

impl Requester {
    #[inline]
    fn has_work(&self) -> bool {
        self.next < self.end
            && (self.message.kind != Kind::ReadRequest
                || u32::from(self.reads) < self.settings.max_outstanding_reads)
    }

    /// The packet `next` stands at. A read asks for all of its message at once.
    #[inline]
    fn request(&mut self, now: Picoseconds) -> Segment {
        let message = self.message;
        let psn = self.next;
        let again = psn < self.fresh;
        if self.deadline == NEVER && self.settings.ack_timeout != NEVER {
            self.deadline = now + self.settings.ack_timeout;
        }
        let mut flags = if psn == message.first { FIRST } else { 0 };
        let mut payload = 0;
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
            again,
        }
    }
}

impl Rc {
    /// An ACK or a NAK: everything before it has arrived. Read responses not seen by then are lost.
    #[inline]
    fn acknowledged(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        let negative = arrival.flags & NAK != 0;
        let mut until = arrival.psn + u32::from(!negative);
        let mut rewind = negative;
        // Past `next` only after going back: what is to be sent again may hold reads.
        if self.requester.reads > 0 || until > self.requester.next {
            if let Some(read) = self.oldest_read() {
                let seen = read.first.max(self.requester.oldest);
                rewind |= until > seen && !self.requester.asked_again;
                until = until.min(seen);
            }
        }
        let moved = until > self.requester.oldest;
        if moved {
            self.advance(now, until);
        }
        let requester = &mut self.requester;
        if rewind && until >= requester.oldest && requester.oldest < requester.next {
            requester.asked_again = requester.reads > 0;
            self.resume_at(self.requester.oldest);
        }
        Outcome {
            progress: moved || rewind,
            ..Outcome::default()
        }
    }

    /// A read response acknowledges all before it (IBTA 9.7.5.1.1); one that is not the next expected shows a loss.
    fn response(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        let Some(read) = self.oldest_read() else {
            return Outcome::default();
        };
        let expected = read.first.max(self.requester.oldest);
        if arrival.psn < expected || arrival.psn > expected && self.requester.asked_again {
            return Outcome::default();
        }
        if arrival.psn > expected {
            // A gap that stays is no progress: it must not reset the retries.
            if expected > self.requester.oldest {
                self.advance(now, expected);
            }
            self.requester.asked_again = true;
            self.resume_at(expected);
            return Outcome {
                progress: true,
                ..Outcome::default()
            };
        }
        self.requester.asked_again = false;
        if expected + 1 == read.end() {
            // 0 already if it was to be asked for again.
            self.requester.reads = self.requester.reads.saturating_sub(1);
        }
        self.advance(now, expected + 1);
        Outcome {
            reply: None,
            delivered: arrival.payload,
            progress: true,
        }
    }

    /// Whether the next packet is an answer: requests and read responses take turns, so that neither waits for all of the
    /// other and its acknowledgement times out.
    #[inline]
    fn answers_next(&self) -> bool {
        self.requester.answering && (self.requested || !self.requester.has_work())
    }

    /// The oldest read that is not complete.
    fn oldest_read(&self) -> Option<Message> {
        let oldest = self.requester.oldest;
        self.messages
            .iter()
            .find(|message| message.kind == Kind::ReadRequest && message.end() > oldest)
            .copied()
    }

    #[inline]
    fn advance(&mut self, now: Picoseconds, until: u32) {
        let requester = &mut self.requester;
        requester.oldest = until;
        requester.timeouts = 0;
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

    /// Go-back-N: sending goes on with packet `psn`.
    fn resume_at(&mut self, psn: u32) {
        let oldest = self.requester.oldest;
        let messages = &self.messages;
        let within = messages.iter().position(|message| psn < message.end());
        self.current = within.unwrap_or(messages.len());
        let asked = messages.iter().take(self.current);
        let reads =
            asked.filter(|message| message.kind == Kind::ReadRequest && message.end() > oldest);
        self.requester.reads = reads.count() as u8;
        self.requester.next = psn;
        if let Some(message) = messages.get(self.current) {
            self.requester.message = *message;
        }
    }

    /// A packet of a write or send.
    #[inline]
    fn data(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        let responder = &mut self.responder;
        responder.marked |= arrival.flags & CE != 0;
        if arrival.psn > responder.expected {
            return self.gap(now);
        }
        if arrival.psn < responder.expected {
            // A duplicate is acknowledged again (IBTA 9.7.5.1.4): the first acknowledgement may be what was lost.
            return self.acknowledge(0);
        }
        responder.expected += 1;
        responder.reported = NEVER;
        responder.report_after = false;
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

    /// Something is missing: NAK once, and again after the interval (IBTA 9.7.5.1.2), behind the read responses that
    /// come before: ahead of them it would say that they are lost.
    fn gap(&mut self, now: Picoseconds) -> Outcome {
        let responder = &mut self.responder;
        let interval = responder.settings.nak_interval;
        let reported = responder.reported;
        if reported != NEVER && (interval == NEVER || now < reported + interval) {
            return Outcome::default();
        }
        responder.reported = now;
        if self.requester.answering {
            responder.acknowledge_after = true;
            responder.report_after = true;
            return Outcome::default();
        }
        Outcome {
            reply: Some(responder.negative()),
            ..Outcome::default()
        }
    }

    /// Answers a read, or the rest of one that is asked for again; what else was being answered will be, too.
    fn read(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        if arrival.psn > self.responder.expected {
            return self.gap(now);
        }
        let Some(message) = arrival.asked else {
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
            self.responder.report_after = false;
        }
        Outcome {
            progress: true,
            ..Outcome::default()
        }
    }

    /// Acknowledges everything so far, behind the read responses that come before (IBTA 9.5).
    #[inline]
    fn acknowledge(&mut self, delivered: u32) -> Outcome {
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
            progress: false,
        }
    }

    /// The next read response, or the acknowledgement that waited behind them.
    fn answer(&mut self) -> Segment {
        let responder = &mut self.responder;
        let Some(response) = self.responses.front_mut() else {
            self.requester.answering = false;
            responder.acknowledge_after = false;
            responder.unacknowledged = 0;
            let reply = match std::mem::take(&mut responder.report_after) {
                true => responder.negative(),
                false => responder.positive(),
            };
            return Segment {
                kind: Kind::Ack,
                psn: reply.psn,
                payload: 0,
                flags: reply.flags,
                again: false,
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
        }
    }
}

impl Responder {
    /// All before `expected` has arrived.
    #[inline]
    fn positive(&mut self) -> Reply {
        Reply {
            psn: self.expected - 1,
            flags: self.echo(),
        }
    }

    /// `expected` is missing.
    fn negative(&mut self) -> Reply {
        Reply {
            psn: self.expected,
            flags: NAK | self.echo(),
        }
    }

    #[inline]
    fn echo(&mut self) -> u8 {
        let marked = std::mem::take(&mut self.marked);
        if marked && self.settings.echo {
            ECHO
        } else {
            0
        }
    }
}

const _: () = assert!(size_of::<Responder>() <= 32 && size_of::<Requester>() <= 64);

#[cfg(test)]
mod tests;
