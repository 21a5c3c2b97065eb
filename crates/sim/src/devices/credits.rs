//! Credit of receivers: who asked for how much, whose turn it is at each NIC port, and what goes over the wire for it.
//!
//! Senders are in [`crate::congestion::rccc`]. A packet says what its sender wants to have been granted since the beginning;
//! a frame with credit says what has been granted since then: so one that is lost is made up for by the next. A sender without
//! credit, which can say nothing in a packet, sends a request when there is more to send than it last said, and again when
//! nothing came. Both frames are as long as an acknowledgement, and go where those go.

use crate::congestion::{rccc, CongestionControl};
use crate::mechanisms::frame::{Frame, Kind};
use crate::mechanisms::telemetry::Carried;
use crate::mechanisms::transport::{Reply, Transport};
use crate::model::results::{Column, Table};
use crate::model::scenario::{Scenario, Service};
use crate::simulation::{class, Simulation};
use crate::time::{pacing_gap, Picoseconds, NANOSECOND, NEVER};
use std::collections::VecDeque;

/// Tells a sender's timer from a receiver's turn: the payload of [`class::CREDIT`].
pub(crate) const OF_SENDER: u32 = 1;

/// All senders and receivers of a run.
#[derive(Debug, Clone)]
pub(crate) struct Credits {
    /// By queue pair.
    senders: Vec<Option<Sender>>,
    receivers: Vec<Receiver>,
    /// By port.
    turns: Vec<Turns>,
}

/// What a sender has said, and when it says it again.
#[derive(Debug, Clone, Copy)]
struct Sender {
    /// The most it has said that it wants.
    asked: u64,
    /// No request before this.
    quiet_until: Picoseconds,
    /// It asks then if nothing came; and when an event comes for it. `NEVER` = not.
    ask_at: Picoseconds,
    timer_at: Picoseconds,
    /// What it begins with, was granted as far as it knows, and has spent.
    initial: u64,
    granted: u64,
    spent: u64,
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
    wanted: u64,
    granted: u64,
    /// It has a place among the turns of its port.
    waits: bool,
}

/// The receivers of a port that have credit to grant.
#[derive(Debug, Clone, Default)]
struct Turns {
    waiting: VecDeque<u32>,
    /// The link is granted away until then.
    free_at: Picoseconds,
}

impl Credits {
    /// None where no sender waits for credit.
    pub fn new(scenario: &Scenario) -> Option<Box<Self>> {
        let queue_pairs = 0..2 * scenario.connections.len() as u32;
        let senders: Vec<_> = queue_pairs
            .map(|id| parameters(scenario, id).map(Sender::new))
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
    pub fn begin(&mut self, id: u32, credit: i64) {
        if let Some(sender) = &mut self.senders[id as usize] {
            sender.initial = credit as u64;
        }
    }

    /// Adds what another part of the network knows: the queue pairs and ports that are its own.
    pub fn add(&mut self, mut other: Credits, ports: &dyn Fn(u32) -> bool, queue_pairs: &[bool]) {
        for id in (0..queue_pairs.len()).filter(|id| queue_pairs[*id]) {
            self.senders[id] = other.senders[id];
            self.receivers[id] = other.receivers[id];
        }
        for port in (0..self.turns.len()).filter(|port| ports(*port as u32)) {
            self.turns[port] = std::mem::take(&mut other.turns[port]);
        }
    }

    /// A row for each sender that sent anything.
    pub fn table(&self) -> Table {
        let all = (0_u32..).zip(&self.senders);
        let senders = all.filter_map(|(id, it)| Some((id, (*it)?)));
        let rows: Vec<_> = senders.filter(|(_, it)| it.spent > 0).collect();
        let of = |value: &dyn Fn(&Sender) -> u64| {
            Column::U64(rows.iter().map(|(_, it)| value(it)).collect())
        };
        let granted = rows
            .iter()
            .map(|(id, _)| self.receivers[*id as usize ^ 1].granted);
        Table {
            name: "credits",
            columns: vec![
                (
                    "queue_pair",
                    Column::U32(rows.iter().map(|(id, _)| *id).collect()),
                ),
                ("asked_bytes", of(&|it| it.asked)),
                ("granted_bytes", Column::U64(granted.collect())),
                ("initial_bytes", of(&|it| it.initial)),
                ("received_bytes", of(&|it| it.granted)),
                ("spent_bytes", of(&|it| it.spent)),
                ("requests", of(&|it| it.requests)),
            ],
        }
    }
}

impl Sender {
    fn new(parameters: &rccc::Parameters) -> Self {
        Sender {
            asked: 0,
            quiet_until: 0,
            ask_at: NEVER,
            timer_at: NEVER,
            initial: 0,
            granted: 0,
            spent: 0,
            requests: 0,
            unanswered: 0,
            base_rtt: parameters.base_rtt(),
            timeout: Picoseconds::from(parameters.credit_timeout_ns) * NANOSECOND,
        }
    }
}

/// How queue pair `id` is granted credit to send, if it has to be.
fn parameters(scenario: &Scenario, id: u32) -> Option<&rccc::Parameters> {
    let connection = &scenario.connections[id as usize / 2];
    let port = [connection.port_a, connection.port_b][id as usize % 2];
    let set = scenario.of_lane(port, usize::from(connection.priority));
    let parameters = set.congestion.credit();
    parameters.filter(|_| connection.service == Service::Rc)
}

impl Simulation {
    /// A packet of queue pair `id` with so many bytes on the link leaves: it takes its credit. What it says is wanted.
    pub(crate) fn spend_credit(&mut self, id: u32, kind: Kind, bytes: u32) -> u64 {
        let Some(credits) = &mut self.credits else {
            return 0;
        };
        let asks = matches!(kind, Kind::Write | Kind::Send | Kind::ReadRequest);
        let Some(sender) = credits.senders[id as usize].as_mut().filter(|_| asks) else {
            return 0;
        };
        sender.spent += u64::from(bytes);
        self.queue_pairs[id as usize].congestion.spend(bytes);
        self.queue_pairs[id as usize]
            .follow(self.now, self.settings.parameters.transport.mtu_bytes);
        let target = self.credit_target(id);
        self.says(id, target);
        target
    }

    /// What queue pair `id` wants to have been granted.
    fn credit_target(&self, id: u32) -> u64 {
        let framing = &self.settings.parameters.framing;
        let (packets, payload) = self.queue_pairs[id as usize].transport.backlog();
        let each = u64::from(framing.data_bytes + framing.gap_bytes);
        let congestion = &self.queue_pairs[id as usize].congestion;
        congestion.credit_target(payload + packets * each)
    }

    /// A queue pair's sender has said what it wants; it waits for an answer if it cannot go on without.
    fn says(&mut self, id: u32, target: u64) {
        let queue_pair = &self.queue_pairs[id as usize];
        let waits = queue_pair.starves() && queue_pair.transport.has_work();
        let now = self.now;
        let Some(sender) = self.sender(id) else {
            return;
        };
        sender.asked = sender.asked.max(target);
        sender.ask_at = match waits {
            true => now + sender.timeout,
            false => NEVER,
        };
        if waits {
            self.set_credit_timer(id);
        }
    }

    fn sender(&mut self, id: u32) -> Option<&mut Sender> {
        self.credits.as_mut()?.senders[id as usize].as_mut()
    }

    /// An event comes for a sender that waits, unless one comes anyway; it may come too early.
    fn set_credit_timer(&mut self, id: u32) {
        let Some(sender) = self.sender(id) else {
            return;
        };
        if sender.ask_at < sender.timer_at {
            sender.timer_at = sender.ask_at;
            let at = sender.ask_at;
            self.schedule(at, class::CREDIT, id, OF_SENDER);
        }
    }

    /// A queue pair cannot send. Where that is for want of credit, and the receiver does not know how much there is to send,
    /// it is told.
    #[cold]
    pub(crate) fn ask_for_credit(&mut self, id: u32) {
        let queue_pair = &self.queue_pairs[id as usize];
        if !queue_pair.starves() || queue_pair.failed || !queue_pair.transport.has_work() {
            return;
        }
        let (target, now) = (self.credit_target(id), self.now);
        let Some(sender) = self.sender(id) else {
            return;
        };
        if target > sender.asked && now >= sender.quiet_until {
            return self.request_credit(id, target);
        }
        let due = match target > sender.asked {
            true => sender.quiet_until,
            false => now + sender.timeout,
        };
        sender.ask_at = sender.ask_at.min(due);
        self.set_credit_timer(id);
    }

    /// A request leaves; no other within an RTT, so that not all of them become an incast of their own.
    fn request_credit(&mut self, id: u32, target: u64) {
        let now = self.now;
        if let Some(sender) = self.sender(id) {
            sender.quiet_until = now + sender.base_rtt;
            sender.requests += 1;
            sender.unanswered += 1;
        }
        self.says(id, target);
        let carried = Carried::credit(target);
        self.send_control(id, Kind::CreditRequest, Reply::default(), Some(&carried));
    }

    /// A sender has waited for long enough, or a port may grant more.
    pub(crate) fn credit_event(&mut self, entity: u32, payload: u32) {
        match payload {
            OF_SENDER => self.credit_timer(entity),
            _ => self.grant_credit(entity),
        }
    }

    fn credit_timer(&mut self, id: u32) {
        let now = self.now;
        let retries = u32::from(self.settings.parameters.transport.retry_count);
        let Some(sender) = self.sender(id).filter(|it| it.timer_at == now) else {
            return;
        };
        sender.timer_at = NEVER;
        if sender.ask_at > now {
            if sender.ask_at < NEVER {
                self.set_credit_timer(id);
            }
            return;
        }
        sender.ask_at = NEVER;
        if sender.unanswered > retries {
            return; // nobody is there
        }
        let queue_pair = &self.queue_pairs[id as usize];
        if queue_pair.starves() && !queue_pair.failed && queue_pair.transport.has_work() {
            let target = self.credit_target(id);
            self.request_credit(id, target);
        }
    }

    /// The receiver of queue pair `id` hears what its peer wants; `more` of that it adds by itself.
    pub(crate) fn credit_wanted(&mut self, id: u32, target: u64, more: u64) {
        let (now, port) = (self.now, self.queue_pairs[id as usize].port);
        let Some(credits) = &mut self.credits else {
            return;
        };
        if credits.senders[id as usize ^ 1].is_none() {
            return;
        }
        let receiver = &mut credits.receivers[id as usize];
        receiver.wanted = receiver.wanted.max(target) + more;
        if receiver.wanted <= receiver.granted || receiver.waits {
            return;
        }
        receiver.waits = true;
        let turns = &mut credits.turns[port as usize];
        turns.waiting.push_back(id);
        if turns.waiting.len() == 1 {
            let at = now.max(turns.free_at);
            self.schedule(at, class::CREDIT, port, 0);
        }
    }

    /// A request, which a sender repeats where credit was lost: it is told what it was granted so far, and that somebody is
    /// there.
    pub(crate) fn credit_requested(&mut self, id: u32, target: u64) {
        self.credit_wanted(id, target, 0);
        if let Some(credits) = &self.credits {
            let carried = Carried::credit(credits.receivers[id as usize].granted);
            self.send_control(id, Kind::Credit, Reply::default(), Some(&carried));
        }
    }

    /// Whether a queue pair waits for credit of a receiver that is there: what it waits for is not its peer's silence.
    pub(crate) fn waits_for_credit(&self, id: u32) -> bool {
        let sender = self.credits.as_ref().and_then(|it| it.senders[id as usize]);
        // One request may be on its way.
        sender.is_some_and(|it| it.unanswered < 2) && self.queue_pairs[id as usize].starves()
    }

    /// What a full packet costs.
    pub(crate) fn full_packet(&self) -> u64 {
        let framing = &self.settings.parameters.framing;
        let mtu = self.settings.parameters.transport.mtu_bytes;
        u64::from(framing.data_bytes + mtu + framing.gap_bytes)
    }

    /// The next receiver of a port grants what a turn is worth, and the link is taken for as long as that needs.
    fn grant_credit(&mut self, port: u32) {
        let packet = self.full_packet();
        let Some(credits) = &mut self.credits else {
            return;
        };
        let turns = &mut credits.turns[port as usize];
        let Some(id) = turns.waiting.pop_front() else {
            return;
        };
        let Some(parameters) = parameters(&self.scenario, id ^ 1) else {
            return;
        };
        let receiver = &mut credits.receivers[id as usize];
        let turn = packet * u64::from(parameters.credit_packets);
        let more = turn.min(receiver.wanted - receiver.granted);
        receiver.granted += more;
        receiver.waits = receiver.wanted > receiver.granted;
        if receiver.waits {
            turns.waiting.push_back(id);
        }
        let rate = self.scenario.links[port as usize / 2].rate as f64 * parameters.credit_rate;
        turns.free_at = self.now + pacing_gap(more as u32, rate);
        let (granted, free_at) = (receiver.granted, turns.free_at);
        if !turns.waiting.is_empty() {
            self.schedule(free_at, class::CREDIT, port, 0);
        }
        let carried = Carried::credit(granted);
        self.send_control(id, Kind::Credit, Reply::default(), Some(&carried));
    }

    /// Credit has arrived at the sender, queue pair `id`.
    pub(crate) fn credit_arrives(&mut self, id: u32, granted: u64) {
        let mtu = self.settings.parameters.transport.mtu_bytes;
        let queue_pair = &mut self.queue_pairs[id as usize];
        queue_pair.congestion.on_credit(granted);
        queue_pair.follow(self.now, mtu);
        let starves = queue_pair.starves();
        let now = self.now;
        if let Some(sender) = self.sender(id) {
            sender.granted = sender.granted.max(granted);
            sender.unanswered = 0;
            if sender.ask_at < NEVER {
                sender.ask_at = match starves {
                    true => now + sender.timeout,
                    false => NEVER,
                };
            }
        }
        self.activate(id);
    }

    /// A frame that is about credit and nothing else.
    #[cold]
    pub(crate) fn credit_frame(&mut self, frame: &Frame, carried: Option<&Carried>) {
        let credit = carried.map_or(0, |it| it.credit);
        match frame.kind {
            Kind::Credit => self.credit_arrives(frame.queue_pair, credit),
            _ => self.credit_requested(frame.queue_pair, credit),
        }
    }
}
