//! Two ends of a connection over a wire with the losses of a test row. Numbers of clauses are those of IBTA volume 1.

use super::{Arrival, Reply, Segment, Service, Settings, Timeout, Transport};
use crate::bytes::Bytes;
use crate::mechanisms::frame::{Kind, CE, ECHO, NAK, RNR};
use crate::model::parameters::{Recovery, Reordering};
use crate::time::{Picoseconds, NEVER};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

/// Flight time in ticks; each end sends one packet per tick, and replies besides.
pub const FLIGHT: Picoseconds = Picoseconds(2);
pub const MTU: u32 = 10;
pub const READ: Kind = Kind::ReadRequest;
pub const WRITE: Kind = Kind::Write;
pub const SEND: Kind = Kind::Send;

/// One ACK per packet, one NAK per gap, no timeout, any number of reads.
pub fn plain() -> Settings {
    Settings {
        mtu: Bytes(MTU),
        ack_every: 1,
        echo: false,
        ack_timeout: NEVER,
        retry_count: 7,
        nak_interval: NEVER,
        max_outstanding_reads: 16,
        rx_depth: None,
        receive: Picoseconds::ZERO,
        min_rnr_timer: 1,
        rnr_retry: 7,
        window: 1_000,
        reordering: Reordering::None {},
    }
}

/// One end, the wire towards it and its history.
pub struct End {
    pub transport: Service,
    pub arrivals: VecDeque<(Picoseconds, Arrival)>,
    /// Packets that it sent, by their names.
    pub sent: Vec<String>,
    /// Operations that ended, with the tick.
    pub ended: Vec<(u32, Picoseconds)>,
    pub delivered: Bytes,
    pub failed: bool,
}

impl End {
    fn new(recovery: Recovery, settings: &Settings) -> Self {
        End {
            transport: Service::reliable(recovery, &Arc::new(settings.clone())),
            arrivals: VecDeque::new(),
            sent: Vec::new(),
            ended: Vec::new(),
            delivered: Bytes(0),
            failed: false,
        }
    }

    pub fn busy(&self) -> bool {
        !self.arrivals.is_empty() || self.transport.has_work() || self.transport.deadline() != NEVER
    }
}

/// A letter, the sequence number, and the span: `N4+2` is a NAK of 4 that names 6, `Q4:2` requests 4 and 5.
fn name(segment: &Segment) -> String {
    let letter = match segment.kind {
        Kind::Write => 'W',
        Kind::Send => 'S',
        Kind::ReadRequest => 'Q',
        Kind::ReadResponse => 'R',
        _ if segment.flags & RNR == RNR => 'D',
        _ if segment.flags & NAK != 0 => 'N',
        _ if segment.flags & ECHO != 0 => 'E',
        _ => 'A',
    };
    let Segment { psn, span, .. } = segment;
    match (span, segment.kind) {
        _ if letter == 'D' => format!("D{psn}"),
        (0, _) => format!("{letter}{psn}"),
        (_, Kind::ReadRequest) => format!("{letter}{psn}:{span}"),
        _ => format!("{letter}{psn}+{span}"),
    }
}

pub type Late<'a> = Box<dyn FnMut(usize, &str) -> Picoseconds + 'a>;
pub type Chance<'a> = Box<dyn FnMut(usize, &str) -> bool + 'a>;

/// Operations that one end posts at once.
pub type Posts = Vec<(Kind, u64)>;

pub fn posts() -> impl Strategy<Value = [Posts; 2]> {
    let kinds = prop_oneof![Just(WRITE), Just(SEND), Just(READ)];
    let posts = prop::collection::vec((kinds, 0u64..80), 0..12);
    [posts.clone(), posts]
}

/// Whether packets are lost, and the extra delay of others.
pub fn disturbances() -> impl Strategy<Value = (Vec<bool>, Vec<Picoseconds>)> {
    let losses = prop::collection::vec(any::<bool>(), 0..60);
    let delay = (0u64..12).prop_map(Picoseconds);
    (losses, prop::collection::vec(delay, 0..200))
}

/// Two ends and the wires between them.
pub struct Pair<'a> {
    pub ends: [End; 2],
    pub now: Picoseconds,
    /// Whether the packet with this name from end `0 or 1` is lost.
    pub loses: Chance<'a>,
    /// Extra flight time in ticks.
    pub late: Late<'a>,
    /// Whether it is marked.
    pub marks: Chance<'a>,
}

impl<'a> Pair<'a> {
    pub fn new(settings: &Settings) -> Self {
        Pair::with_recovery(Recovery::GoBackN, settings)
    }

    pub fn with_recovery(recovery: Recovery, settings: &Settings) -> Self {
        Pair {
            ends: [0, 1].map(|_| End::new(recovery, settings)),
            late: Box::new(|_, _| Picoseconds::ZERO),
            now: Picoseconds::ZERO,
            loses: Box::new(|_, _| false),
            marks: Box::new(|_, _| false),
        }
    }

    pub fn with_losses(settings: &Settings, lost: &'a str) -> Self {
        let mut pair = Pair::new(settings);
        pair.lose(lost);
        pair
    }

    /// Each named packet is lost once per occurrence of its name.
    pub fn lose(&mut self, lost: &'a str) {
        let mut lost: Vec<&str> = lost.split_whitespace().collect();
        self.loses = Box::new(move |_, name| {
            let found = lost.iter().position(|lost| *lost == name);
            found.map(|position| lost.remove(position)).is_some()
        });
    }

    pub fn post(&mut self, messages: &[(Kind, u64)]) {
        for (number, (kind, bytes)) in (0..).zip(messages) {
            self.ends[0].transport.post(number, *kind, Bytes(*bytes));
        }
    }

    /// Runs until no packet is in flight and no timer is set. Idle time is skipped; the limit turns an endless loop into
    /// a failure.
    pub fn run(&mut self) {
        let mut ticks = 0;
        while self.ends.iter().any(End::busy) {
            let moves = |end: &End| !end.arrivals.is_empty() || end.transport.has_work();
            if !self.ends.iter().any(moves) {
                let due = self.ends.iter().map(|end| end.transport.deadline());
                self.now = due.min().map_or(self.now, |due| due.max(self.now));
            }
            self.tick();
            ticks += 1;
            assert!(ticks < 200_000, "still busy after 200,000 ticks");
        }
    }

    /// Packets are lost and late as drawn, in the order in which they are sent.
    pub fn disturb(&mut self, (losses, delays): (Vec<bool>, Vec<Picoseconds>)) {
        let mut losses = losses.into_iter();
        let mut delays = delays.into_iter();
        self.loses = Box::new(move |_, _| losses.next().unwrap_or(false));
        self.late = Box::new(move |_, _| delays.next().unwrap_or(Picoseconds::ZERO));
    }

    /// Both ends post and answer: each operation completes once, in order, and its bytes arrive once.
    pub fn everything_arrives_once(&mut self, posts: &[Posts; 2]) -> Result<(), TestCaseError> {
        for (end, posts) in self.ends.iter_mut().zip(posts) {
            for (number, (kind, bytes)) in (0..).zip(posts) {
                end.transport.post(number, *kind, Bytes(*bytes));
            }
        }
        self.run();
        for side in [0, 1] {
            let bytes = |posts: &Posts, read: bool| -> Bytes {
                let of_kind = posts.iter().filter(|(kind, _)| (*kind == READ) == read);
                of_kind.map(|(_, bytes)| Bytes(*bytes)).sum()
            };
            let end = &self.ends[side];
            let ended: Vec<u32> = end.ended.iter().map(|(operation, _)| *operation).collect();
            prop_assert_eq!(ended, (0..posts[side].len() as u32).collect::<Vec<_>>());
            let expected = bytes(&posts[side], true) + bytes(&posts[1 - side], false);
            prop_assert_eq!(end.delivered, expected);
            prop_assert_eq!(end.transport.messages(), 0);
        }
        Ok(())
    }

    pub fn tick(&mut self) {
        for side in [1, 0] {
            while let Some((due, arrival)) = self.ends[side].arrivals.front().copied() {
                if due > self.now {
                    break;
                }
                self.ends[side].arrivals.pop_front();
                self.arrive(side, arrival);
            }
        }
        for side in [1, 0] {
            self.time_out(side);
            if let Some(segment) = self.ends[side].transport.next(self.now) {
                self.put(side, segment);
            }
        }
        self.now += Picoseconds(1);
    }

    fn time_out(&mut self, side: usize) {
        let end = &mut self.ends[side];
        if end.transport.deadline() > self.now {
            return;
        }
        match end.transport.timeout(self.now) {
            Timeout::Failed => self.fail(side),
            Timeout::Resend(deadline) | Timeout::Ready(deadline) => assert!(deadline > self.now),
            Timeout::Report(reply, deadline) => {
                assert!(deadline > self.now);
                self.reply(side, reply);
            }
            other => panic!("{other:?} although the deadline has come"),
        }
    }

    fn fail(&mut self, side: usize) {
        let end = &mut self.ends[side];
        end.failed = true;
        let lost = end.transport.abandon();
        let ended = lost.iter().map(|operation| (*operation, self.now));
        end.ended.extend(ended);
    }

    fn arrive(&mut self, side: usize, mut arrival: Arrival) {
        if arrival.kind == READ {
            arrival.requested_read = self.ends[1 - side]
                .transport
                .find_requested_read(arrival.psn);
        }
        let outcome = self.ends[side].transport.receive(self.now, arrival);
        assert!(outcome.progress || !(outcome.failed || outcome.rearm));
        let end = &mut self.ends[side];
        end.delivered += outcome.delivered.widen();
        while let Some(operation) = end.transport.pop_completed() {
            end.ended.push((operation, self.now));
        }
        if let Some(reply) = outcome.reply {
            self.reply(side, reply);
        }
        if outcome.failed {
            self.fail(side);
        }
    }

    fn reply(&mut self, side: usize, reply: Reply) {
        let segment = Segment {
            kind: Kind::Ack,
            psn: reply.psn,
            payload: Bytes(0),
            flags: reply.flags,
            again: false,
            span: reply.span,
        };
        self.put(side, segment);
    }

    fn put(&mut self, side: usize, segment: Segment) {
        let name = name(&segment);
        let lost = (self.loses)(side, &name);
        let marked = (self.marks)(side, &name);
        let due = self.now + FLIGHT + (self.late)(side, &name);
        let sent = &mut self.ends[side].sent;
        sent.push(if lost { format!("{name}x") } else { name });
        if lost {
            return;
        }
        let arrival = Arrival {
            kind: segment.kind,
            psn: segment.psn,
            payload: segment.payload,
            flags: segment.flags | if marked { CE } else { 0 },
            span: segment.span,
            requested_read: None,
        };
        let arrivals = &mut self.ends[1 - side].arrivals;
        let position = arrivals.partition_point(|(other, _)| *other <= due);
        arrivals.insert(position, (due, arrival));
    }
}

/// Operations posted at once, losses, and the resulting packets in each direction.
pub struct Row {
    pub case: &'static str,
    pub settings: Settings,
    pub post: &'static [(Kind, u64)],
    pub lost: &'static str,
    pub forward: &'static str,
    pub back: &'static str,
    /// Tick at which each operation completes.
    pub ended: &'static [u64],
}

pub fn check(rows: Vec<Row>) {
    check_recovery(Recovery::GoBackN, rows);
}

pub fn check_recovery(recovery: Recovery, rows: Vec<Row>) {
    for row in rows {
        let mut pair = Pair::with_recovery(recovery, &row.settings);
        pair.lose(row.lost);
        pair.post(row.post);
        pair.run();
        let [requester, responder] = &pair.ends;
        assert_eq!(
            requester.sent.join(" "),
            row.forward,
            "{}: forward",
            row.case
        );
        assert_eq!(responder.sent.join(" "), row.back, "{}: back", row.case);
        let ended = row.ended.iter().map(|tick| Picoseconds(*tick));
        let ended: Vec<_> = (0..).zip(ended).collect();
        assert_eq!(requester.ended, ended, "{}: ended", row.case);
        let bytes = |read| {
            let of_kind = row.post.iter().filter(|(kind, _)| (*kind == READ) == read);
            of_kind.map(|(_, bytes)| Bytes(*bytes)).sum::<Bytes>()
        };
        assert_eq!(responder.delivered, bytes(false), "{}: written", row.case);
        assert_eq!(requester.delivered, bytes(true), "{}: read", row.case);
        assert!(!requester.failed);
    }
}
