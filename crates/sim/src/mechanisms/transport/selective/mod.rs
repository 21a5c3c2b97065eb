//! A reliable connection with selective repeat: the receiver stores packets that arrive out of order, and only missing ones are
//! sent again.
//!
//! After IRN (Mittal et al., Revisiting Network Support for RDMA, SIGCOMM 2018, section 3): an arrival out of order is
//! answered with the cumulative acknowledgement and the packet that arrived; a packet that was sent before one that has
//! arrived is lost; the number of packets in flight is bounded. ConnectX-6 and later have it as "RoCE selective
//! repeat" (NVIDIA MLNX_EN, changes and new features), whose packets are not public. Three rules are chosen here: a retransmitted
//! packet is judged as any other, by packets sent after it; a timeout retransmits all packets that are not known to have
//! arrived; [`Reordering`] limits how far out of order packets come where nothing is lost. A NAK for a packet that a switch
//! trimmed ([`crate::mechanisms::trimming`]) concerns that packet alone.

mod requester;
mod responder;
mod scoreboard;

use super::{
    Arrival, Message, Outcome, Reply, Segment, SendProgress, Settings, Timeout, Transport,
};
use crate::bytes::Bytes;
use crate::mechanisms::frame::{Kind, NAK, TRIMMED};
use crate::model::parameters::Reordering;
use crate::time::Picoseconds;
use requester::Requester;
use responder::Responder;
use std::sync::Arc;

/// One end of a reliable connection: requester and responder.
#[derive(Debug, Clone)]
pub struct SelectiveRepeat {
    settings: Arc<Settings>,
    requester: Requester,
    responder: Responder,
    /// The last packet was a request, so an answer is sent before the next one.
    requested: bool,
    /// The queue pair has failed. Arriving packets are dropped (IBTA volume 1, 10.3.1, error state).
    failed: bool,
}

impl SelectiveRepeat {
    /// A connected queue pair on which nothing was posted.
    pub fn new(settings: Arc<Settings>) -> Self {
        SelectiveRepeat {
            requester: Requester::new(settings.clone()),
            responder: Responder::new(settings.clone()),
            settings,
            requested: true,
            failed: false,
        }
    }

    /// Requests and answers take turns, so that neither waits for all of the other.
    fn answers_next(&self) -> bool {
        self.responder.has_answers() && (self.requested || !self.requester.has_work())
    }

    /// Result of an arrival, and whether a timer may be due earlier than before.
    fn outcome(&self, outcome: Outcome) -> Outcome {
        let timed = matches!(self.settings.reordering, Reordering::Time { .. });
        Outcome {
            progress: outcome.progress || timed,
            rearm: timed,
            ..outcome
        }
    }
}

impl Transport for SelectiveRepeat {
    fn post(&mut self, operation: u32, kind: Kind, bytes: Bytes) {
        self.requester.post(operation, kind, bytes);
    }

    fn messages(&self) -> u32 {
        self.requester.messages.len() as u32
    }

    fn has_work(&self) -> bool {
        self.responder.has_answers() || self.requester.has_work()
    }

    fn begins_message(&self) -> bool {
        match self.answers_next() {
            true => self.responder.begins_message(),
            false => self.requester.begins_message(),
        }
    }

    fn next(&mut self, now: Picoseconds) -> Option<Segment> {
        if self.answers_next() {
            self.requested = false;
            return Some(self.responder.answer());
        }
        if !self.requester.has_work() {
            return None;
        }
        self.requested = true;
        Some(self.requester.request(now))
    }

    fn receive(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        if self.failed {
            return Outcome::default();
        }
        let outcome = match arrival.kind {
            Kind::Ack if arrival.flags & TRIMMED != 0 => {
                self.requester.take_trimmed(now, arrival.psn)
            }
            Kind::Ack => self.requester.take_acknowledgement(now, arrival),
            Kind::ReadResponse => self.requester.response(now, arrival),
            Kind::ReadRequest => self.responder.read(now, arrival),
            _ => self.responder.data(now, arrival),
        };
        self.outcome(outcome)
    }

    fn take_trimmed(&self, psn: u32) -> Option<Reply> {
        let missing = !self.failed && !self.responder.has(psn);
        missing.then_some(Reply {
            psn,
            flags: NAK | TRIMMED,
            span: 0,
        })
    }

    fn accepts(&self, kind: Kind, psn: u32, _first: bool) -> bool {
        match kind {
            Kind::ReadResponse => self.requester.awaits(psn),
            _ => !self.failed && !self.responder.has(psn),
        }
    }

    fn pop_completed(&mut self) -> Option<u32> {
        self.requester.pop_completed()
    }

    fn deadline(&self) -> Picoseconds {
        let requester_due = self.requester.deadline.min(self.requester.overtaken.due);
        requester_due.min(self.responder.overtaken.due)
    }

    fn timeout(&mut self, now: Picoseconds) -> Timeout {
        if self.responder.overtaken.due <= now {
            let reply = self.responder.report(now);
            return Timeout::Report(reply, self.deadline());
        }
        if self.requester.overtaken.due <= now {
            self.requester.judge_overtaken(now);
            return Timeout::Ready(self.deadline());
        }
        if self.requester.deadline > now {
            return Timeout::later(self.deadline());
        }
        match self.requester.time_out(now) {
            true => Timeout::Resend(self.deadline()),
            false => Timeout::Failed,
        }
    }

    fn abandon(&mut self) -> Vec<u32> {
        self.failed = true;
        self.responder.abandon();
        self.requester.abandon()
    }

    fn progress(&self) -> SendProgress {
        self.requester.progress()
    }

    fn postpone(&mut self, now: Picoseconds) {
        self.requester.postpone(now);
    }

    fn backlog(&self) -> (u64, Bytes) {
        self.requester.backlog()
    }

    fn has_answers(&self) -> bool {
        self.responder.has_answers()
    }

    fn messages_before(&self, psn: u32) -> u32 {
        self.requester.messages_before(psn)
    }

    fn find_requested_read(&self, psn: u32) -> Option<Message> {
        self.requester.find_message(psn)
    }
}

/// The oldest of the overtaken packets, where time decides that they are lost: see [`Reordering::Time`].
#[derive(Debug, Clone, Copy)]
struct Overtaken {
    /// When the missing packets before `by` are lost; `NEVER` = none is missing.
    due: Picoseconds,
    by: u32,
}

impl Overtaken {
    const NOBODY: Overtaken = Overtaken {
        due: crate::time::NEVER,
        by: 0,
    };

    /// Packet `by` has arrived, and a packet before it has not.
    fn notice(&mut self, now: Picoseconds, by: u32, reordering: &Reordering) {
        if let Reordering::Time { ns } = reordering {
            if self.due == crate::time::NEVER {
                self.due = now + Picoseconds::from(*ns);
                self.by = by;
            }
        }
    }
}

#[cfg(test)]
mod tests;
