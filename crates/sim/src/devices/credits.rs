//! Credit of receivers: who asked for how much, whose turn it is at each NIC port, and what goes over the wire for it.
//!
//! Senders are in [`crate::congestion::rccc`]. A packet says what its sender wants to have been granted since the beginning;
//! a frame with credit says what has been granted since then: so one that is lost is made up for by the next. A sender without
//! credit, which can say nothing in a packet, sends a request when there is more to send than it last said, and again when
//! nothing came. Both frames are as long as an acknowledgement, and go where those go.

use crate::bytes::Bytes;
use crate::congestion::Granting;
use crate::ids::{queue_pairs_of, PortId, QueuePairId};
use crate::model::results::{Column, Table};
use crate::model::scenario::{Scenario, Service};
use crate::time::{pacing_gap, Picoseconds, NEVER};
use std::collections::VecDeque;

/// All senders and receivers of a run.
#[derive(Debug, Clone)]
pub(crate) struct Credits {
    /// By queue pair.
    senders: Vec<Option<Sender>>,
    receivers: Vec<Receiver>,
    /// By port.
    turns: Vec<Turns>,
}

/// What a sender has asked for, and when it asks again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sender {
    /// The most it has said that it wants.
    asked: Bytes,
    /// No request before this.
    quiet_until: Picoseconds,
    /// It asks then if nothing came; and when an event comes for it. `NEVER` = not.
    ask_at: Picoseconds,
    timer_at: Picoseconds,
    /// What it begins with, was granted as far as it knows, and has spent.
    initial: Bytes,
    granted: Bytes,
    spent: Bytes,
    requests: u64,
    /// Requests since it last heard of its receiver.
    unanswered: u32,
    /// Its RTT without a queue, and how long it waits.
    base_rtt: Picoseconds,
    timeout: Picoseconds,
}

/// What is wanted of a receiver and what it granted, since the beginning.
#[derive(Debug, Clone, Copy, Default)]
struct Receiver {
    wanted: Bytes,
    granted: Bytes,
    /// It has a place among the turns of its port.
    waits: bool,
}

/// The receivers of a port that have credit to grant.
#[derive(Debug, Clone, Default)]
struct Turns {
    waiting: VecDeque<QueuePairId>,
    /// The link is granted away until then.
    free_at: Picoseconds,
}

impl Credits {
    /// None where no sender waits for credit.
    pub fn new(scenario: &Scenario) -> Option<Box<Self>> {
        let queue_pairs = queue_pairs_of(scenario.connections.len());
        let senders: Vec<_> = queue_pairs
            .map(|id| granting(scenario, id).map(Sender::new))
            .collect();
        senders.iter().any(Option::is_some).then(|| {
            Box::new(Credits {
                receivers: vec![Receiver::default(); senders.len()],
                turns: vec![Turns::default(); 2 * scenario.links.len()],
                senders,
            })
        })
    }

    /// Queue pair `id` begins with so much credit.
    pub fn begin(&mut self, id: QueuePairId, credit: Bytes<i64>) {
        if let Some(sender) = &mut self.senders[id] {
            sender.initial = Bytes(credit.0 as u64);
        }
    }

    /// Adds what another part of the network knows: the queue pairs and ports that are its own.
    pub fn add(
        &mut self,
        mut other: Credits,
        ports: &dyn Fn(PortId) -> bool,
        queue_pairs: &[bool],
    ) {
        for id in (0..queue_pairs.len()).filter(|id| queue_pairs[*id]) {
            self.senders[id] = other.senders[id];
            self.receivers[id] = other.receivers[id];
        }
        for port in (0..self.turns.len() as u32)
            .map(PortId)
            .filter(|port| ports(*port))
        {
            self.turns[port] = std::mem::take(&mut other.turns[port]);
        }
    }

    /// The sender at queue pair `id`.
    pub fn sender(&mut self, id: QueuePairId) -> Option<&mut Sender> {
        self.senders[id].as_mut()
    }

    /// The receiver at queue pair `id` of `port` learns how much its peer wants to have been granted; `more` it adds by itself.
    /// When the port grants, unless that is scheduled already.
    pub fn want(
        &mut self,
        id: QueuePairId,
        port: PortId,
        target: Bytes,
        more: Bytes,
        now: Picoseconds,
    ) -> Option<Picoseconds> {
        self.senders[id.peer()]?;
        let receiver = &mut self.receivers[id];
        receiver.wanted = receiver.wanted.max(target) + more;
        if receiver.wanted <= receiver.granted || receiver.waits {
            return None;
        }
        receiver.waits = true;
        let turns = &mut self.turns[port];
        turns.waiting.push_back(id);
        (turns.waiting.len() == 1).then(|| now.max(turns.free_at))
    }

    /// What the receiver at queue pair `id` has granted.
    pub fn granted(&self, id: QueuePairId) -> Bytes {
        self.receivers[id].granted
    }

    /// The next receiver of a port grants what a turn is worth, and the link is taken for as long as that needs. `packet`: bytes of
    /// a full packet.
    pub fn grant(
        &mut self,
        scenario: &Scenario,
        port: PortId,
        packet: Bytes,
        now: Picoseconds,
    ) -> Option<Grant> {
        let turns = &mut self.turns[port];
        let id = turns.waiting.pop_front()?;
        let granting = granting(scenario, id.peer())?;
        let receiver = &mut self.receivers[id];
        let turn = packet * u64::from(granting.packets);
        let more = turn.min(receiver.wanted - receiver.granted);
        receiver.granted += more;
        receiver.waits = receiver.wanted > receiver.granted;
        if receiver.waits {
            turns.waiting.push_back(id);
        }
        let rate = scenario.links[port.link()].rate as f64 * granting.rate;
        turns.free_at = now + pacing_gap(Bytes(more.0 as u32), rate);
        Some(Grant {
            id,
            granted: receiver.granted,
            next: (!turns.waiting.is_empty()).then_some(turns.free_at),
        })
    }

    /// A row for each sender that sent anything.
    pub fn table(&self) -> Table {
        let all = (0..).map(QueuePairId).zip(&self.senders);
        let senders = all.filter_map(|(id, it)| Some((id, (*it)?)));
        let rows: Vec<_> = senders.filter(|(_, it)| it.spent > Bytes(0)).collect();
        let of = |value: &dyn Fn(&Sender) -> u64| {
            Column::U64(rows.iter().map(|(_, it)| value(it)).collect())
        };
        let granted = rows
            .iter()
            .map(|(id, _)| self.receivers[id.peer()].granted.0);
        Table::new(
            "credits",
            vec![
                (
                    "queue_pair",
                    Column::U32(rows.iter().map(|(id, _)| id.0).collect()),
                ),
                ("asked_bytes", of(&|it| it.asked.0)),
                ("granted_bytes", Column::U64(granted.collect())),
                ("initial_bytes", of(&|it| it.initial.0)),
                ("received_bytes", of(&|it| it.granted.0)),
                ("spent_bytes", of(&|it| it.spent.0)),
                ("requests", of(&|it| it.requests)),
            ],
        )
    }
}

/// Credit that a port grants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grant {
    /// The queue pair that receives.
    pub id: QueuePairId,
    /// What it has granted since the beginning.
    pub granted: Bytes,
    /// When the port grants again.
    pub next: Option<Picoseconds>,
}

/// What a sender without credit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// It sends a request.
    Now,
    /// It waits; an event has to come for it.
    Later(Picoseconds),
    /// It waits; an event comes anyway.
    Wait,
}

impl Sender {
    fn new(granting: Granting) -> Self {
        Sender {
            asked: Bytes(0),
            quiet_until: Picoseconds::ZERO,
            ask_at: NEVER,
            timer_at: NEVER,
            initial: Bytes(0),
            granted: Bytes(0),
            spent: Bytes(0),
            requests: 0,
            unanswered: 0,
            base_rtt: granting.base_rtt,
            timeout: granting.timeout,
        }
    }

    /// A packet with so many bytes on the link leaves.
    pub fn spend(&mut self, bytes: Bytes<u32>) {
        self.spent += bytes.widen();
    }

    /// It has sent what it wants; `waits`: it cannot send until an answer comes. When an event has to come for it.
    pub fn asked(&mut self, target: Bytes, waits: bool, now: Picoseconds) -> Option<Picoseconds> {
        self.asked = self.asked.max(target);
        self.ask_at = match waits {
            true => now + self.timeout,
            false => NEVER,
        };
        waits.then(|| self.arm()).flatten()
    }

    /// It cannot send for want of credit, and wants so much.
    pub fn starve(&mut self, target: Bytes, now: Picoseconds) -> Ask {
        let wants_more = target > self.asked;
        if wants_more && now >= self.quiet_until {
            return Ask::Now;
        }
        let due = match wants_more {
            true => self.quiet_until,
            false => now + self.timeout,
        };
        self.ask_at = self.ask_at.min(due);
        self.arm().map_or(Ask::Wait, Ask::Later)
    }

    /// A request leaves; no other within an RTT, so that not all of them become an incast.
    pub fn request(&mut self, now: Picoseconds) {
        self.quiet_until = now + self.base_rtt;
        self.requests += 1;
        self.unanswered += 1;
    }

    /// Its event has come: whether it asks now, unless `retries` requests were not answered.
    pub fn timer(&mut self, now: Picoseconds, retries: u32) -> Ask {
        if self.timer_at != now {
            return Ask::Wait;
        }
        self.timer_at = NEVER;
        if self.ask_at > now {
            let again = if self.ask_at < NEVER {
                self.arm()
            } else {
                None
            };
            return again.map_or(Ask::Wait, Ask::Later);
        }
        self.ask_at = NEVER;
        match self.unanswered > retries {
            true => Ask::Wait, // no receiver is there
            false => Ask::Now,
        }
    }

    /// It was granted so much since the beginning; `starves`: it still cannot send.
    pub fn credit(&mut self, granted: Bytes, starves: bool, now: Picoseconds) {
        self.granted = self.granted.max(granted);
        self.unanswered = 0;
        if self.ask_at < NEVER {
            self.ask_at = match starves {
                true => now + self.timeout,
                false => NEVER,
            };
        }
    }

    /// Whether its receiver answers, as far as it knows. One request may be in flight.
    pub fn is_answered(&self) -> bool {
        self.unanswered < 2
    }

    /// When an event has to come for it, unless one comes anyway; it may come too early.
    fn arm(&mut self) -> Option<Picoseconds> {
        if self.ask_at >= self.timer_at {
            return None;
        }
        self.timer_at = self.ask_at;
        Some(self.ask_at)
    }
}

/// How queue pair `id` is granted credit to send, if it has to be.
fn granting(scenario: &Scenario, id: QueuePairId) -> Option<Granting> {
    let connection = &scenario.connections[id.connection()];
    let port = connection.ports()[id.side()];
    let set = scenario.of_priority_queue(port, connection.priority);
    let granting = set.congestion.granting();
    granting.filter(|_| connection.service == Service::Rc)
}
