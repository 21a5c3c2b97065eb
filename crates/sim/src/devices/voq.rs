//! Virtual output queues: frames wait at their ingress port and cross the switch when their egress port grants credit.
//!
//! Every slice of the buffer (a core of such a switch) has a queue for each egress port and priority. The egress port grants
//! credits of equal size to the non-empty queues in turn, never more than its small egress buffer can store. Frames are
//! therefore not lost inside the switch, and cores share a port equally, however many hosts are behind each. Unused credit
//! expires when a queue becomes empty; a queue that has sent more than its credit is in debt.
//!
//! Source: SAI, `SAI_SWITCH_TYPE_VOQ`; Extreme SLX-OS QoS egress scheduling (credits on request, eight queues for each egress
//! port in each ingress core, fair queueing between cores); Arista 7280R3 architecture ("A day in the life of a packet").

use crate::bytes::Bytes;
use crate::ids::{ports_of, NodeId, PortId, Priority};
use crate::mechanisms::buffer_settings::BufferSettings;
use crate::mechanisms::frame::{Frames, Line};
use crate::mechanisms::marking::Marker;
use crate::mechanisms::port_priority::PortPriorityTable;
use crate::model::parameters::{Architecture, MarkingPoint, Parameters};
use crate::model::results::{Column, Table};
use crate::model::scenario::Scenario;
use crate::problem::{Problem, Refusal};
use crate::time::{ByteTime, Picoseconds};

/// The virtual output queues of all switches of a scenario.
#[derive(Clone)]
pub(crate) struct Voqs {
    /// By egress port; `None` at hosts and at switches without virtual output queues.
    ports: Vec<Option<Egress>>,
    /// By egress port and priority; created with the first frame.
    egress_queues: PortPriorityTable<Option<Box<EgressQueue>>>,
}

/// Settings of an egress port.
#[derive(Clone, Copy)]
struct Egress {
    /// The first pool of its switch, and the number of pools: the cores.
    first_pool: u32,
    cores: u32,
    credit: Bytes<i64>,
    latency: Picoseconds,
    /// Maximum of a priority's bytes between virtual output queue and link: the bytes sent during the latency of a credit, and
    /// one frame. With less the port would become idle.
    window: Bytes,
}

/// All virtual output queues of one priority of an egress port.
#[derive(Clone)]
struct EgressQueue {
    /// By core.
    cores: Vec<Voq>,
    /// The next core in turn.
    turn: usize,
    /// Frames with credit in flight to the port, in order.
    crossing: Line,
    /// Bytes of these frames and of those queued at the port.
    granted: Bytes,
}

/// A virtual output queue.
#[derive(Clone)]
pub(crate) struct Voq {
    line: Line,
    bytes: Bytes,
    most_bytes: Bytes,
    frames: u64,
    /// Remaining credit; negative = debt.
    balance: Bytes<i64>,
    average: f64,
    empty_since: Picoseconds,
}

impl Voqs {
    /// The virtual output queues of a scenario, if it has any. Refuses marking modes that such switches do not support.
    pub fn from_scenario(
        scenario: &Scenario,
        resolved: &BufferSettings,
    ) -> Result<Option<Box<Self>>, Refusal> {
        let ports = ports_of(scenario.links.len());
        let first_pools = resolved.first_pools();
        let settled = |port| {
            let switch = scenario.node_of(port).switch(scenario.hosts)?;
            let cores = resolved.pools[switch].shared.len();
            Egress::from_scenario(scenario, port, first_pools[switch], cores)
        };
        let egress: Vec<Option<Egress>> = ports.clone().map(settled).collect();
        if egress.iter().all(Option::is_none) {
            return Ok(None);
        }
        check_marking(scenario, &egress)?;
        Ok(Some(Box::new(Voqs {
            egress_queues: PortPriorityTable::new(egress.len(), |_, _| None),
            ports: egress,
        })))
    }

    /// Whether frames for a port wait at their ingress port.
    pub fn has(&self, port: PortId) -> bool {
        self.ports[port].is_some()
    }

    /// Takes over the queues of a port; the indices of their frames move by `base`.
    pub fn take_over(&mut self, other: &mut Voqs, port: PortId, base: u32) {
        for priority in Priority::all() {
            let mut egress_queue = other.egress_queues[(port, priority)].take();
            if let Some(egress_queue) = &mut egress_queue {
                egress_queue.crossing.shift(base);
                egress_queue
                    .cores
                    .iter_mut()
                    .for_each(|voq| voq.line.shift(base));
            }
            self.egress_queues[(port, priority)] = egress_queue;
        }
    }

    /// The frames for a port that wait at their ingress ports.
    pub fn waiting_frames<'a>(
        &'a self,
        port: PortId,
        priority: Priority,
        frames: &'a Frames,
    ) -> impl Iterator<Item = u32> + 'a {
        let egress_queue = self.egress_queues[(port, priority)].iter();
        egress_queue
            .flat_map(|egress_queue| egress_queue.cores.iter())
            .flat_map(|voq| voq.line.all(frames))
    }

    /// The queue of a core for an egress port and priority, created with its first frame; `slice`: the core's slice of the
    /// buffer.
    pub fn queue(
        &mut self,
        (egress, priority): (PortId, Priority),
        slice: u32,
    ) -> Option<&mut Voq> {
        let set = self.ports[egress]?;
        let egress_queue = &mut self.egress_queues[(egress, priority)];
        let egress_queue =
            egress_queue.get_or_insert_with(|| Box::new(EgressQueue::new(set.cores)));
        Some(&mut egress_queue.cores[(slice - set.first_pool) as usize])
    }

    /// Grants credit to the next frame if the egress buffer has space; returns the latency until it is at the port.
    pub fn grant(
        &mut self,
        at: (PortId, Priority),
        frames: &mut Frames,
        now: Picoseconds,
    ) -> Option<Picoseconds> {
        let set = self.ports[at.0]?;
        self.egress_queues[at].as_mut()?.grant(&set, frames, now)?;
        Some(set.latency)
    }

    /// The first frame with credit arrives at its port.
    pub fn cross(&mut self, at: (PortId, Priority), frames: &Frames) -> Option<u32> {
        self.egress_queues[at].as_mut()?.crossing.pop(frames)
    }

    /// A frame leaves its port. Returns whether it had crossed the switch.
    pub fn leave(&mut self, at: (PortId, Priority), bytes: Bytes<u16>) -> bool {
        let Some(egress_queue) = &mut self.egress_queues[at] else {
            return false;
        };
        egress_queue.granted -= bytes.widen();
        true
    }

    /// Removes the next frame without credit from its queue.
    pub fn take(
        &mut self,
        at: (PortId, Priority),
        frames: &Frames,
        now: Picoseconds,
    ) -> Option<u32> {
        let mut cores = self.egress_queues[at].as_mut()?.cores.iter_mut();
        cores.find_map(|voq| voq.pop(frames, now))
    }

    /// Latency from the credit grant for a frame to its arrival at the port; `None` where frames wait at the egress port.
    pub fn latency(&self, egress: PortId) -> Picoseconds {
        self.ports[egress].map_or(Picoseconds::ZERO, |set| set.latency)
    }

    /// The table `voqs`: every queue that held a frame.
    pub fn table(&self) -> Table {
        let ports = ports_of(self.ports.len() / 2);
        let egress_queues =
            ports.flat_map(|port| Priority::all().map(move |priority| (port, priority)));
        let used: Vec<((PortId, Priority), usize, &Voq)> = egress_queues
            .filter_map(|at| Some((at, self.egress_queues[at].as_ref()?)))
            .flat_map(|(at, egress_queue)| {
                let cores = egress_queue.cores.iter().enumerate();
                cores.map(move |(core, voq)| (at, core, voq))
            })
            .filter(|(_, _, voq)| voq.most_bytes > Bytes(0))
            .collect();
        let rows = || used.iter();
        Table::new(
            "voqs",
            vec![
                (
                    "port",
                    Column::U32(rows().map(|((port, _), ..)| port.0).collect()),
                ),
                (
                    "priority",
                    Column::U8(rows().map(|((_, priority), ..)| priority.0).collect()),
                ),
                (
                    "core",
                    Column::U32(rows().map(|(_, core, _)| *core as u32).collect()),
                ),
                (
                    "frames",
                    Column::U64(rows().map(|(.., voq)| voq.frames).collect()),
                ),
                (
                    "max_bytes",
                    Column::U64(rows().map(|(.., voq)| voq.most_bytes.0).collect()),
                ),
            ],
        )
    }
}

impl Egress {
    fn from_scenario(
        scenario: &Scenario,
        port: PortId,
        first_pool: u32,
        cores: usize,
    ) -> Option<Self> {
        let node = scenario.of_node(scenario.node_of(port));
        let Architecture::Voq {
            credit_bytes,
            credit_latency_ns,
        } = node.switch.architecture
        else {
            return None;
        };
        let latency = Picoseconds::from(credit_latency_ns);
        let byte = ByteTime::from_rate(scenario.links[port.link()].rate).times(Bytes(1));
        Some(Egress {
            first_pool,
            cores: cores as u32,
            credit: Bytes(credit_bytes.0.into()),
            latency,
            window: Bytes(latency.div_ceil(byte.max(Picoseconds(1))))
                + scenario.longest_frame().widen(),
        })
    }
}

/// Refuses marking other than at enqueue: the virtual output queue marks arriving frames.
fn check_marking(scenario: &Scenario, egress: &[Option<Egress>]) -> Result<(), Refusal> {
    let late = |parameters: &Parameters| {
        parameters.marking.enabled && parameters.marking.at == MarkingPoint::Dequeue
    };
    let ports = (0..)
        .map(PortId)
        .zip(egress)
        .filter(|(_, egress)| egress.is_some());
    let wrong = ports.filter(|(port, _)| {
        Priority::all().any(|priority| late(scenario.of_priority_queue(*port, priority)))
    });
    let mut nodes: Vec<NodeId> = wrong.map(|(port, _)| scenario.node_of(port)).collect();
    nodes.dedup();
    nodes.sort_unstable();
    nodes.dedup();
    let problem = |node: &NodeId| Problem {
        location: format!("switch {node}"),
        found: "marking at \"dequeue\" and architecture \"voq\"".into(),
        expected: "marking at \"enqueue\": frames are marked where they begin to wait".into(),
        hint: String::new(),
    };
    match nodes.is_empty() {
        true => Ok(()),
        false => Err(Refusal(nodes.iter().map(problem).collect())),
    }
}

impl Voq {
    const EMPTY: Voq = Voq {
        line: Line::EMPTY,
        bytes: Bytes(0),
        most_bytes: Bytes(0),
        frames: 0,
        balance: Bytes(0),
        average: 0.0,
        empty_since: Picoseconds::ZERO,
    };

    /// The queue depth for marking on arrival; `packet`: time of the longest packet at the port.
    pub fn length(&mut self, marker: &Marker, now: Picoseconds, packet: Picoseconds) -> f64 {
        if marker.at.is_none() {
            return 0.0;
        }
        let idle =
            (self.bytes == Bytes(0)).then(|| (now - self.empty_since) / packet.max(Picoseconds(1)));
        marker.length(self.bytes.as_f64(), &mut self.average, idle)
    }

    /// Adds a frame.
    pub fn push(&mut self, frames: &mut Frames, index: u32) {
        self.bytes += frames[index].bytes.widen();
        self.most_bytes = self.most_bytes.max(self.bytes);
        self.line.push(frames, index);
    }

    fn pop(&mut self, frames: &Frames, now: Picoseconds) -> Option<u32> {
        let index = self.line.pop(frames)?;
        self.bytes -= frames[index].bytes.widen();
        if self.line.is_empty() {
            self.balance = self.balance.min(Bytes(0));
            self.empty_since = now;
        }
        Some(index)
    }
}

impl EgressQueue {
    fn new(cores: u32) -> Self {
        EgressQueue {
            cores: vec![Voq::EMPTY; cores as usize],
            turn: 0,
            crossing: Line::EMPTY,
            granted: Bytes(0),
        }
    }

    /// The next frame to receive credit, if the window has space: cores receive one credit each in turn.
    fn grant(&mut self, egress: &Egress, frames: &mut Frames, now: Picoseconds) -> Option<u32> {
        if self.granted >= egress.window || self.cores.iter().all(|voq| voq.line.is_empty()) {
            return None;
        }
        while self.cores[self.turn].line.is_empty() || self.cores[self.turn].balance <= Bytes(0) {
            self.turn = (self.turn + 1) % self.cores.len();
            let next = &mut self.cores[self.turn];
            if !next.line.is_empty() {
                next.balance += egress.credit;
            }
        }
        let voq = &mut self.cores[self.turn];
        let bytes = frames[voq.line.first()?].bytes;
        voq.balance -= bytes.widen();
        let index = voq.pop(frames, now)?;
        voq.frames += 1;
        self.granted += bytes.widen();
        self.crossing.push(frames, index);
        Some(index)
    }
}
