//! A simplified TCP: other traffic of a network that carries RoCE.
//!
//! Reno with ACK clocking: slow start, congestion avoidance, fast retransmit and fast recovery (RFC 5681), which continues
//! after a partial acknowledgement (NewReno, RFC 6582); the initial window of RFC 6928; the timer of RFC 6298, for which one
//! segment at a time is timed, and none that was sent again (Karn). Windows count full segments; an unused window does not
//! grow, and after a pause longer than the timer it restarts (RFC 5681, 4.1). Every segment is acknowledged at once,
//! and stored when it arrives out of order. Connections are open from the beginning, and receivers always have room. There
//! are no selective or delayed acknowledgements, ECN, limited transmit, pacing or segmentation in the NIC.

use super::{Arrival, Message, Outcome, Reply, Segment, Timeout, Transport};
use crate::bytes::Bytes;
use crate::mechanisms::frame::Kind;
use crate::model::parameters::Sockets;
use crate::time::{Picoseconds, NEVER, SECOND};
use std::collections::{BTreeSet, VecDeque};

/// Initial timeout, without a round-trip sample, and maximum (RFC 6298, 2.1 and 2.5).
const FIRST_RTO: Picoseconds = SECOND;
const LONGEST_RTO: Picoseconds = SECOND.times(60);
/// Duplicate acknowledgements that indicate a loss (RFC 5681, 3.2).
const DUPLICATES: u32 = 3;

/// One end of a connection.
#[derive(Debug, Clone)]
pub struct Tcp {
    /// Payload of a full segment.
    payload: Bytes<u32>,
    initial: u32,
    least_rto: Picoseconds,
    retries: u8,
    messages: VecDeque<Message>,
    completed: u32,
    /// End of each message that was ever posted: the segment after its last, and the byte of the stream.
    ends: Vec<(u32, Bytes)>,
    /// All before it is acknowledged.
    oldest: u32,
    next: u32,
    /// The first segment that was never sent.
    fresh: u32,
    end: u32,
    window: u32,
    threshold: u32,
    /// Segments acknowledged since the window last grew by one.
    grown: u32,
    duplicates: u32,
    /// Recovery ends with the acknowledgement of all before it.
    recover: u32,
    recovering: bool,
    partial: bool,
    /// The oldest is sent again first.
    resend: bool,
    timed: Option<(u32, Picoseconds)>,
    /// Smoothed round trip, and its variation; none before the first sample.
    round_trip: Option<(Picoseconds, Picoseconds)>,
    backoffs: u8,
    deadline: Picoseconds,
    last_sent: Picoseconds,
    /// Next expected segment, and the later ones that have arrived.
    expected: u32,
    early: BTreeSet<u32>,
}

impl Tcp {
    /// A connection on which nothing was sent; `payload` is that of a full segment.
    pub fn new(settings: &Sockets, payload: Bytes<u32>) -> Self {
        Tcp {
            payload,
            initial: settings.initial_window,
            least_rto: Picoseconds::from(settings.least_rto_ns),
            retries: settings.retries,
            messages: VecDeque::new(),
            completed: 0,
            ends: Vec::new(),
            oldest: 0,
            next: 0,
            fresh: 0,
            end: 0,
            window: settings.initial_window,
            threshold: u32::MAX,
            grown: 0,
            duplicates: 0,
            recover: 0,
            recovering: false,
            partial: false,
            resend: false,
            timed: None,
            round_trip: None,
            backoffs: 0,
            deadline: NEVER,
            last_sent: Picoseconds::ZERO,
            expected: 0,
            early: BTreeSet::new(),
        }
    }

    /// Bytes of the stream before a segment.
    pub fn stream_offset(&self, psn: u32) -> Bytes {
        let whole = self.ends.partition_point(|(end, _)| *end <= psn);
        let (first, start) = whole
            .checked_sub(1)
            .map_or((0, Bytes(0)), |last| self.ends[last]);
        start + u64::from(psn - first) * self.payload.widen()
    }

    /// Whether a segment is the last of a message.
    pub fn ends_message(&self, psn: u32) -> bool {
        let found = self.ends.binary_search_by_key(&(psn + 1), |(end, _)| *end);
        found.is_ok()
    }

    fn in_flight(&self) -> u32 {
        self.next - self.oldest
    }

    fn rto(&self) -> Picoseconds {
        let once = match self.round_trip {
            None => FIRST_RTO,
            Some((smoothed, variation)) => (smoothed + 4 * variation).max(self.least_rto),
        };
        once.saturating_mul(1 << self.backoffs.min(16))
            .min(LONGEST_RTO)
    }

    fn sample(&mut self, rtt: Picoseconds) {
        self.round_trip = Some(match self.round_trip {
            None => (rtt, rtt / 2),
            Some((smoothed, variation)) => (
                (7 * smoothed + rtt) / 8,
                (3 * variation + smoothed.abs_diff(rtt)) / 4,
            ),
        });
    }

    fn take_data(&mut self, psn: u32, payload: Bytes<u32>) -> Outcome {
        let new = psn >= self.expected && self.early.insert(psn);
        while self.early.remove(&self.expected) {
            self.expected += 1;
        }
        Outcome {
            reply: Some(Reply {
                psn: self.expected,
                ..Reply::default()
            }),
            delivered: if new { payload } else { Bytes(0) },
            ..Outcome::default()
        }
    }

    fn take_acknowledgement(&mut self, now: Picoseconds, upto: u32) -> Outcome {
        if upto > self.oldest {
            self.advance(now, upto);
        } else if upto == self.oldest && self.in_flight() > 0 {
            self.count_duplicate();
        }
        Outcome {
            progress: true,
            rearm: true,
            ..Outcome::default()
        }
    }

    fn advance(&mut self, now: Picoseconds, upto: u32) {
        let used = self.next < self.end || self.in_flight() >= self.window;
        let count = upto - self.oldest;
        self.oldest = upto;
        self.next = self.next.max(upto);
        self.duplicates = 0;
        self.backoffs = 0;
        if let Some((_, since)) = self.timed.filter(|(psn, _)| *psn < upto) {
            self.timed = None;
            self.sample(now - since);
        }
        let mut restart = true;
        if self.recovering && upto < self.recover {
            // The next segment is missing too. Acknowledged segments make room, minus the one that is sent again.
            self.resend = true;
            self.window = self.window.saturating_sub(count - 1).max(1);
            restart = !std::mem::replace(&mut self.partial, true);
        } else if self.recovering {
            self.recovering = false;
            self.window = self.threshold.min(self.in_flight().max(1) + 1);
        } else if used {
            self.grow(count);
        }
        if self.in_flight() == 0 && !self.resend {
            self.deadline = NEVER;
        } else if restart {
            self.deadline = now + self.rto();
        }
    }

    fn grow(&mut self, count: u32) {
        if self.window < self.threshold {
            self.window += 1;
            return;
        }
        self.grown += count;
        if self.grown >= self.window {
            self.grown -= self.window;
            self.window += 1;
        }
    }

    fn count_duplicate(&mut self) {
        self.duplicates += 1;
        if self.recovering {
            self.window += 1; // another segment has left the network
        } else if self.duplicates == DUPLICATES && self.oldest >= self.recover {
            self.threshold = (self.in_flight() / 2).max(2);
            self.window = self.threshold + DUPLICATES;
            self.recover = self.fresh;
            (self.recovering, self.partial, self.resend) = (true, false, true);
            self.timed = None;
        }
    }

    fn message(&self, psn: u32) -> Option<&Message> {
        let position = self
            .messages
            .partition_point(|message| message.end() <= psn);
        self.messages
            .get(position)
            .filter(|message| message.first <= psn)
    }
}

impl Transport for Tcp {
    fn post(&mut self, operation: u32, kind: Kind, bytes: Bytes) {
        let message = Message::new(operation, kind, bytes, self.end, self.payload);
        self.end = message.end();
        self.messages.push_back(message);
        let start = self.ends.last().map_or(Bytes(0), |(_, end)| *end);
        self.ends.push((self.end, start + bytes));
    }

    fn messages(&self) -> u32 {
        self.messages.len() as u32
    }

    fn has_work(&self) -> bool {
        self.resend || self.next < self.end && self.in_flight() < self.window
    }

    /// The limit of the message rate is that of RDMA.
    fn begins_message(&self) -> bool {
        false
    }

    fn next(&mut self, now: Picoseconds) -> Option<Segment> {
        if !self.has_work() {
            return None;
        }
        if self.in_flight() == 0 && now - self.last_sent > self.rto() {
            self.window = self.window.min(self.initial);
        }
        let psn = if std::mem::take(&mut self.resend) {
            self.oldest
        } else {
            self.next += 1;
            self.next - 1
        };
        let is_retransmission = psn < self.fresh;
        self.fresh = self.fresh.max(psn + 1);
        if is_retransmission {
            self.timed = None;
        } else {
            self.timed = self.timed.or(Some((psn, now)));
        }
        if self.deadline == NEVER {
            self.deadline = now + self.rto();
        }
        self.last_sent = now;
        Some(Segment {
            kind: Kind::Tcp,
            psn,
            payload: self.message(psn)?.payload(psn, self.payload),
            flags: 0,
            again: is_retransmission,
            span: 0,
        })
    }

    fn receive(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        match arrival.kind {
            Kind::TcpAck => self.take_acknowledgement(now, arrival.psn),
            _ => self.take_data(arrival.psn, arrival.payload),
        }
    }

    fn accepts(&self, _kind: Kind, psn: u32, _first: bool) -> bool {
        psn >= self.expected && !self.early.contains(&psn)
    }

    fn pop_completed(&mut self) -> Option<u32> {
        let first = self.messages.front()?;
        if first.end() > self.oldest {
            return None;
        }
        self.completed = self.completed.wrapping_add(1);
        self.messages.pop_front().map(|message| message.operation)
    }

    fn deadline(&self) -> Picoseconds {
        self.deadline
    }

    fn timeout(&mut self, now: Picoseconds) -> Timeout {
        if self.deadline == NEVER {
            return Timeout::Idle;
        }
        if now < self.deadline {
            return Timeout::Later(self.deadline);
        }
        if self.backoffs >= self.retries {
            return Timeout::Failed;
        }
        if self.backoffs == 0 {
            self.threshold = (self.in_flight() / 2).max(2);
        }
        self.backoffs += 1;
        (self.window, self.grown, self.duplicates) = (1, 0, 0);
        (self.recovering, self.resend, self.timed) = (false, false, None);
        (self.next, self.recover) = (self.oldest, self.fresh);
        self.deadline = now + self.rto();
        Timeout::Resend(self.deadline)
    }

    fn abandon(&mut self) -> Vec<u32> {
        self.end = self.next;
        self.resend = false;
        self.deadline = NEVER;
        let messages = self.messages.drain(..);
        messages.map(|message| message.operation).collect()
    }

    fn messages_before(&self, psn: u32) -> u32 {
        let ended = self
            .messages
            .iter()
            .take_while(|message| message.end() <= psn);
        self.completed + ended.count() as u32
    }

    fn find_requested_read(&self, psn: u32) -> Option<Message> {
        self.message(psn).copied()
    }
}

#[cfg(test)]
mod tests;
