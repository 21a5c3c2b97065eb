//! Receiver credit: the requests of senders, the order of grants at each NIC port, and the requests and grants on the wire.
//!
//! Senders are in [`crate::congestion::rccc`]. A packet carries the total credit that its sender has requested since the
//! start; a credit frame carries the total that has been granted since the start, so the next frame replaces a lost one. A
//! sender without credit cannot send packets: it sends a request frame when its demand exceeds the last request, and again
//! when no grant arrives. Both frames have the size of an acknowledgement and take the same path.

use crate::bytes::Bytes;
use crate::congestion::GrantParameters;
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

/// The requests of a sender, and the time of the next one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sender {
    /// Largest total requested.
    requested: Bytes,
    /// Earliest time of the next request.
    earliest_request: Picoseconds,
    /// Time of the next request without a grant, and of the pending timer event. `NEVER` = none.
    request_at: Picoseconds,
    timer_at: Picoseconds,
    /// Initial credit, grants received, and credit spent.
    initial: Bytes,
    granted: Bytes,
    spent: Bytes,
    requests: u64,
    /// Requests since the last frame from the receiver.
    unanswered: u32,
    /// RTT without queueing, and the time until a request is repeated.
    base_rtt: Picoseconds,
    timeout: Picoseconds,
}

/// Total requested from a receiver and total granted by it, since the start.
#[derive(Debug, Clone, Copy, Default)]
struct Receiver {
    requested: Bytes,
    granted: Bytes,
    /// It is in the round-robin queue of its port.
    waits: bool,
}

/// The receivers of a port that have credit to grant.
#[derive(Debug, Clone, Default)]
struct Turns {
    waiting: VecDeque<QueuePairId>,
    /// The link is reserved by grants until this time.
    free_at: Picoseconds,
}

impl Credits {
    /// `None` if no sender needs credit.
    pub fn new(scenario: &Scenario) -> Option<Box<Self>> {
        let queue_pairs = queue_pairs_of(scenario.connections.len());
        let senders: Vec<_> = queue_pairs
            .map(|id| grant_parameters(scenario, id).map(Sender::new))
            .collect();
        senders.iter().any(Option::is_some).then(|| {
            Box::new(Credits {
                receivers: vec![Receiver::default(); senders.len()],
                turns: vec![Turns::default(); 2 * scenario.links.len()],
                senders,
            })
        })
    }

    /// Sets the initial credit of queue pair `id`.
    pub fn begin(&mut self, id: QueuePairId, credit: Bytes<i64>) {
        if let Some(sender) = &mut self.senders[id] {
            sender.initial = Bytes(credit.0 as u64);
        }
    }

    /// Takes over the state of the queue pairs and ports that another part of the network owns.
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

    /// Records the total that the peer of queue pair `id` of `port` requests; `more` is added to it. Returns the time of the
    /// next grant, unless one is scheduled already.
    pub fn request_credit(
        &mut self,
        id: QueuePairId,
        port: PortId,
        target: Bytes,
        more: Bytes,
        now: Picoseconds,
    ) -> Option<Picoseconds> {
        self.senders[id.peer()]?;
        let receiver = &mut self.receivers[id];
        receiver.requested = receiver.requested.max(target) + more;
        if receiver.requested <= receiver.granted || receiver.waits {
            return None;
        }
        receiver.waits = true;
        let turns = &mut self.turns[port];
        turns.waiting.push_back(id);
        (turns.waiting.len() == 1).then(|| now.max(turns.free_at))
    }

    /// Total granted by the receiver at queue pair `id`.
    pub fn granted_bytes(&self, id: QueuePairId) -> Bytes {
        self.receivers[id].granted
    }

    /// The next receiver of a port in round-robin order grants one quantum, and the link is reserved for its transmission time.
    /// `packet`: size of a full packet.
    pub fn grant(
        &mut self,
        scenario: &Scenario,
        port: PortId,
        packet: Bytes,
        now: Picoseconds,
    ) -> Option<Grant> {
        let turns = &mut self.turns[port];
        let id = turns.waiting.pop_front()?;
        let granting = grant_parameters(scenario, id.peer())?;
        let receiver = &mut self.receivers[id];
        let turn = packet * u64::from(granting.packets);
        let more = turn.min(receiver.requested - receiver.granted);
        receiver.granted += more;
        receiver.waits = receiver.requested > receiver.granted;
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

    /// A row for each sender that sent a packet.
    pub fn table(&self) -> Table {
        let all = (0..).map(QueuePairId).zip(&self.senders);
        let senders = all.filter_map(|(id, sender)| Some((id, (*sender)?)));
        let rows: Vec<_> = senders
            .filter(|(_, sender)| sender.spent > Bytes(0))
            .collect();
        let of = |value: &dyn Fn(&Sender) -> u64| {
            Column::U64(rows.iter().map(|(_, sender)| value(sender)).collect())
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
                ("asked_bytes", of(&|sender| sender.requested.0)),
                ("granted_bytes", Column::U64(granted.collect())),
                ("initial_bytes", of(&|sender| sender.initial.0)),
                ("received_bytes", of(&|sender| sender.granted.0)),
                ("spent_bytes", of(&|sender| sender.spent.0)),
                ("requests", of(&|sender| sender.requests)),
            ],
        )
    }
}

/// A grant of credit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grant {
    /// Queue pair of the receiver.
    pub id: QueuePairId,
    /// Total granted by the receiver since the start.
    pub granted: Bytes,
    /// Time of the next grant of the port.
    pub next: Option<Picoseconds>,
}

/// Action of a sender without credit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestTiming {
    /// Send a request.
    Now,
    /// Wait; a timer event must be scheduled for this time.
    Later(Picoseconds),
    /// Wait; an event is pending already.
    Wait,
}

impl Sender {
    fn new(granting: GrantParameters) -> Self {
        Sender {
            requested: Bytes(0),
            earliest_request: Picoseconds::ZERO,
            request_at: NEVER,
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

    /// Charges a packet of `bytes` on the link to the credit.
    pub fn spend(&mut self, bytes: Bytes<u32>) {
        self.spent += bytes.widen();
    }

    /// Records that a frame with the request `target` was sent; `waits`: nothing can be sent until a grant arrives. Returns the
    /// time at which a timer event must be scheduled.
    pub fn record_request(
        &mut self,
        target: Bytes,
        waits: bool,
        now: Picoseconds,
    ) -> Option<Picoseconds> {
        self.requested = self.requested.max(target);
        self.request_at = match waits {
            true => now + self.timeout,
            false => NEVER,
        };
        waits.then(|| self.arm()).flatten()
    }

    /// Sending is blocked for lack of credit; `target` is the total needed.
    pub fn starve(&mut self, target: Bytes, now: Picoseconds) -> RequestTiming {
        let needs_more = target > self.requested;
        if needs_more && now >= self.earliest_request {
            return RequestTiming::Now;
        }
        let due = match needs_more {
            true => self.earliest_request,
            false => now + self.timeout,
        };
        self.request_at = self.request_at.min(due);
        self.arm().map_or(RequestTiming::Wait, RequestTiming::Later)
    }

    /// Counts a request that is sent. The next one follows after an RTT at the earliest, so that requests do not cause an incast.
    pub fn request(&mut self, now: Picoseconds) {
        self.earliest_request = now + self.base_rtt;
        self.requests += 1;
        self.unanswered += 1;
    }

    /// Processes the timer event. After more than `retries` unanswered requests no further request is sent.
    pub fn timer(&mut self, now: Picoseconds, retries: u32) -> RequestTiming {
        if self.timer_at != now {
            return RequestTiming::Wait;
        }
        self.timer_at = NEVER;
        if self.request_at > now {
            let retry_time = if self.request_at < NEVER {
                self.arm()
            } else {
                None
            };
            return retry_time.map_or(RequestTiming::Wait, RequestTiming::Later);
        }
        self.request_at = NEVER;
        match self.unanswered > retries {
            true => RequestTiming::Wait, // the receiver is unreachable
            false => RequestTiming::Now,
        }
    }

    /// Records the total granted; `starves`: sending is still blocked.
    pub fn credit(&mut self, granted: Bytes, starves: bool, now: Picoseconds) {
        self.granted = self.granted.max(granted);
        self.unanswered = 0;
        if self.request_at < NEVER {
            self.request_at = match starves {
                true => now + self.timeout,
                false => NEVER,
            };
        }
    }

    /// Whether the receiver replies to requests. One request may be in flight.
    pub fn is_answered(&self) -> bool {
        self.unanswered < 2
    }

    /// The time at which a timer event must be scheduled, unless an earlier one is pending.
    fn arm(&mut self) -> Option<Picoseconds> {
        if self.request_at >= self.timer_at {
            return None;
        }
        self.timer_at = self.request_at;
        Some(self.request_at)
    }
}

/// The parameters of credit for queue pair `id`, if it needs credit to send.
fn grant_parameters(scenario: &Scenario, id: QueuePairId) -> Option<GrantParameters> {
    let connection = &scenario.connections[id.connection()];
    let port = connection.ports()[id.side()];
    let set = scenario.of_priority_queue(port, connection.priority);
    let granting = set.congestion.grant_parameters();
    granting.filter(|_| connection.service == Service::Rc)
}
