//! Two ends of a connection over a wire that loses what a row says. Numbers of clauses are those of IBTA volume 1.

use super::rc::Rc;
use super::{Arrival, Service, Settings, Timeout, Transport};
use crate::frame::{Kind, CE, ECHO, NAK};
use crate::time::{Picoseconds, NEVER};
use std::collections::VecDeque;
use std::sync::Arc;

/// From one end to the other, in ticks; each end sends one packet per tick, and replies besides.
pub const FLIGHT: Picoseconds = 2;
pub const MTU: u32 = 10;
pub const READ: Kind = Kind::ReadRequest;
pub const WRITE: Kind = Kind::Write;
pub const SEND: Kind = Kind::Send;

/// One ACK per packet, one NAK per gap, no timeout, any number of reads.
pub fn plain() -> Settings {
    Settings {
        mtu: MTU,
        ack_every: 1,
        echo: false,
        ack_timeout: NEVER,
        retry_count: 7,
        nak_interval: NEVER,
        max_outstanding_reads: 16,
    }
}

/// One end, the wire towards it and what happened there.
pub struct End {
    pub transport: Service,
    pub coming: VecDeque<(Picoseconds, Arrival)>,
    /// What it sent, in the letters of `letter`.
    pub sent: Vec<String>,
    /// Operations that ended, with the tick.
    pub ended: Vec<(u32, Picoseconds)>,
    pub delivered: u64,
    pub failed: bool,
}

impl End {
    pub fn new(settings: &Settings) -> Self {
        End {
            transport: Service::Rc(Rc::new(Arc::new(settings.clone()))),
            coming: VecDeque::new(),
            sent: Vec::new(),
            ended: Vec::new(),
            delivered: 0,
            failed: false,
        }
    }

    pub fn busy(&self) -> bool {
        !self.coming.is_empty() || self.transport.has_work() || self.transport.deadline() != NEVER
    }
}

pub fn letter(kind: Kind, flags: u8) -> char {
    match kind {
        Kind::Write => 'W',
        Kind::Send => 'S',
        Kind::ReadRequest => 'Q',
        Kind::ReadResponse => 'R',
        _ if flags & NAK != 0 => 'N',
        _ if flags & ECHO != 0 => 'E',
        _ => 'A',
    }
}

pub type Chance<'a> = Box<dyn FnMut(usize, &str) -> bool + 'a>;

/// Two ends and the wires between them.
pub struct Pair<'a> {
    pub ends: [End; 2],
    pub now: Picoseconds,
    /// Whether a packet that end `0 or 1` sends as this name is lost.
    pub loses: Chance<'a>,
    /// Whether it is marked.
    pub marks: Chance<'a>,
}

impl<'a> Pair<'a> {
    pub fn new(settings: &Settings) -> Self {
        Pair {
            ends: [End::new(settings), End::new(settings)],
            now: 0,
            loses: Box::new(|_, _| false),
            marks: Box::new(|_, _| false),
        }
    }

    /// Each packet named is lost once per time it is named.
    pub fn losing(settings: &Settings, lost: &'a str) -> Self {
        let mut lost: Vec<&str> = lost.split_whitespace().collect();
        let mut pair = Pair::new(settings);
        pair.loses = Box::new(move |_, name| {
            let found = lost.iter().position(|lost| *lost == name);
            found.map(|place| lost.remove(place)).is_some()
        });
        pair
    }

    pub fn post(&mut self, messages: &[(Kind, u64)]) {
        for (number, (kind, bytes)) in (0..).zip(messages) {
            self.ends[0].transport.post(number, *kind, *bytes);
        }
    }

    /// Until nothing moves and nobody waits; the tick limit is there so that a loop ends as a failure.
    pub fn run(&mut self) {
        while self.ends.iter().any(End::busy) {
            self.tick();
            assert!(self.now < 200_000, "still busy after 200,000 ticks");
        }
    }

    pub fn tick(&mut self) {
        for side in [1, 0] {
            while let Some((due, arrival)) = self.ends[side].coming.front().copied() {
                if due > self.now {
                    break;
                }
                self.ends[side].coming.pop_front();
                self.arrive(side, arrival);
            }
        }
        for side in [1, 0] {
            self.time_out(side);
            if let Some(segment) = self.ends[side].transport.next(self.now) {
                self.put(
                    side,
                    segment.kind,
                    segment.psn,
                    segment.payload,
                    segment.flags,
                );
            }
        }
        self.now += 1;
    }

    pub fn time_out(&mut self, side: usize) {
        let end = &mut self.ends[side];
        if end.transport.deadline() > self.now {
            return;
        }
        match end.transport.timeout(self.now) {
            Timeout::Failed => {
                end.failed = true;
                let lost = end.transport.abandon();
                end.ended
                    .extend(lost.iter().map(|operation| (*operation, self.now)));
            }
            Timeout::Resend(deadline) => assert!(deadline > self.now),
            other => panic!("{other:?} although the deadline has come"),
        }
    }

    pub fn arrive(&mut self, side: usize, mut arrival: Arrival) {
        if arrival.kind == READ {
            arrival.asked = self.ends[1 - side].transport.asked_for(arrival.psn);
        }
        let outcome = self.ends[side].transport.receive(self.now, arrival);
        let end = &mut self.ends[side];
        end.delivered += u64::from(outcome.delivered);
        while let Some(operation) = end.transport.completed() {
            end.ended.push((operation, self.now));
        }
        if let Some(reply) = outcome.reply {
            self.put(side, Kind::Ack, reply.psn, 0, reply.flags);
        }
    }

    pub fn put(&mut self, side: usize, kind: Kind, psn: u32, payload: u32, mut flags: u8) {
        let name = format!("{}{psn}", letter(kind, flags));
        let lost = (self.loses)(side, &name);
        if (self.marks)(side, &name) {
            flags |= CE;
        }
        let sent = &mut self.ends[side].sent;
        sent.push(if lost { format!("{name}x") } else { name });
        if lost {
            return;
        }
        let arrival = Arrival {
            kind,
            psn,
            payload,
            flags,
            asked: None,
        };
        self.ends[1 - side]
            .coming
            .push_back((self.now + FLIGHT, arrival));
    }
}

/// What is posted at once, what is lost, and what then passes in each direction.
pub struct Row {
    pub what: &'static str,
    pub settings: Settings,
    pub post: &'static [(Kind, u64)],
    pub lost: &'static str,
    pub forward: &'static str,
    pub back: &'static str,
    /// When each operation completes.
    pub ended: &'static [Picoseconds],
}

pub fn check(rows: Vec<Row>) {
    for row in rows {
        let mut pair = Pair::losing(&row.settings, row.lost);
        pair.post(row.post);
        pair.run();
        let [requester, responder] = &pair.ends;
        assert_eq!(
            requester.sent.join(" "),
            row.forward,
            "{}: forward",
            row.what
        );
        assert_eq!(responder.sent.join(" "), row.back, "{}: back", row.what);
        let ended: Vec<_> = (0..).zip(row.ended.iter().copied()).collect();
        assert_eq!(requester.ended, ended, "{}: ended", row.what);
        let bytes = |read| {
            let of_kind = row.post.iter().filter(|(kind, _)| (*kind == READ) == read);
            of_kind.map(|(_, bytes)| bytes).sum::<u64>()
        };
        assert_eq!(responder.delivered, bytes(false), "{}: written", row.what);
        assert_eq!(requester.delivered, bytes(true), "{}: read", row.what);
        assert!(!requester.failed);
    }
}
