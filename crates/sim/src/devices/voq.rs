//! Virtual output queues: a switch whose frames wait where they came in, and cross to their egress port when it grants them
//! credit.
//!
//! Every slice of the buffer, a core of such a switch, has a queue for each egress port and priority. The port gives credits
//! to those that hold something in turns, each worth the same bytes, and never more than its own small buffer takes; so
//! nothing is lost between the two, and cores share a port equally, however many hosts stand behind each. A queue that
//! got more than its frames needed keeps nothing of it, one that sent more is in debt.
//!
//! Ground: SAI, `SAI_SWITCH_TYPE_VOQ`; Extreme SLX-OS QoS egress scheduling (credits on request, eight queues for each egress
//! port in each ingress core, fair queueing between cores); Arista 7280R3 architecture ("A day in the life of a packet").

use crate::devices::port::{dequeue, is_down};
use crate::mechanisms::buffer_settings::Resolved;
use crate::mechanisms::frame::{Frames, Line};
use crate::mechanisms::port_priority::Lanes;
use crate::model::parameters::{Architecture, MarkAt, Parameters, PRIORITIES};
use crate::model::problem::{Problem, Refused};
use crate::model::results::{Column, Table};
use crate::model::scenario::Scenario;
use crate::simulation::{class, Simulation};
use crate::time::{ByteTime, Picoseconds, NANOSECOND};

/// What the switches of a scenario hold in virtual output queues.
#[derive(Clone)]
pub(crate) struct Voqs {
    /// By egress port; none where a switch has no such queues, or a host stands.
    ports: Vec<Option<Egress>>,
    /// By egress port and priority, from the first frame on.
    lanes: Lanes<Option<Box<Lane>>>,
}

/// What an egress port is set to.
#[derive(Clone, Copy)]
struct Egress {
    /// Its switch's first pool, and how many it has: the cores.
    first_pool: u32,
    cores: u32,
    credit: i64,
    latency: Picoseconds,
    /// Bytes of a priority that may have left their queues and not yet the port: what it sends while a credit is under
    /// way, and a frame. With less it would fall idle.
    window: u64,
}

/// All queues of one priority towards an egress port.
#[derive(Clone)]
struct Lane {
    /// By core.
    cores: Vec<Voq>,
    /// The core whose turn it is.
    turn: usize,
    /// Frames that were granted, the first first, and are on their way to the port.
    crossing: Line,
    /// Bytes of these, and of those that stand at the port.
    granted: u64,
}

/// A virtual output queue.
#[derive(Clone)]
struct Voq {
    line: Line,
    bytes: u64,
    most_bytes: u64,
    frames: u64,
    /// Credit that is left, or debt.
    balance: i64,
    average: f64,
    empty_since: Picoseconds,
}

impl Voqs {
    /// Of a scenario with such switches. Refused: marking that they do not do.
    pub fn of(scenario: &Scenario, resolved: &Resolved) -> Result<Option<Box<Self>>, Refused> {
        let ports = 0..2 * scenario.links.len() as u32;
        let first_pools = resolved.first_pools();
        let settled = |port| {
            let switch = scenario.node_of(port).checked_sub(scenario.hosts)? as usize;
            let cores = resolved.pools[switch].shared.len();
            Egress::of(scenario, port, first_pools[switch], cores)
        };
        let egress: Vec<Option<Egress>> = ports.clone().map(settled).collect();
        if egress.iter().all(Option::is_none) {
            return Ok(None);
        }
        check_marking(scenario, &egress)?;
        Ok(Some(Box::new(Voqs {
            lanes: Lanes::new(egress.len(), |_, _| None),
            ports: egress,
        })))
    }

    /// Whether what comes for a port waits where it came in.
    pub fn has(&self, port: u32) -> bool {
        self.ports[port as usize].is_some()
    }

    /// Takes over what belongs to a port, of whose frames the places move by `base`.
    pub fn take_over(&mut self, other: &mut Voqs, port: u32, base: u32) {
        for priority in 0..PRIORITIES {
            let mut lane = other.lanes[(port, priority)].take();
            if let Some(lane) = &mut lane {
                lane.crossing.shift(base);
                lane.cores.iter_mut().for_each(|voq| voq.line.shift(base));
            }
            self.lanes[(port, priority)] = lane;
        }
    }

    /// The frames that wait for a port where they came in.
    pub fn waiting<'a>(
        &'a self,
        port: u32,
        priority: usize,
        frames: &'a Frames,
    ) -> impl Iterator<Item = u32> + 'a {
        let lane = self.lanes[(port, priority)].iter();
        lane.flat_map(|lane| lane.cores.iter())
            .flat_map(|voq| voq.line.all(frames))
    }

    /// The table `voqs`: every queue that ever held something.
    pub fn table(&self) -> Table {
        let ports = self.ports.len() as u32;
        let lanes =
            (0..ports).flat_map(|port| (0..PRIORITIES).map(move |priority| (port, priority)));
        let used: Vec<((u32, usize), usize, &Voq)> = lanes
            .filter_map(|at| Some((at, self.lanes[at].as_ref()?)))
            .flat_map(|(at, lane)| {
                let cores = lane.cores.iter().enumerate();
                cores.map(move |(core, voq)| (at, core, voq))
            })
            .filter(|(_, _, voq)| voq.most_bytes > 0)
            .collect();
        let rows = || used.iter();
        Table {
            name: "voqs",
            columns: vec![
                (
                    "port",
                    Column::U32(rows().map(|((port, _), ..)| *port).collect()),
                ),
                (
                    "priority",
                    Column::U8(rows().map(|((_, priority), ..)| *priority as u8).collect()),
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
                    Column::U64(rows().map(|(.., voq)| voq.most_bytes).collect()),
                ),
            ],
        }
    }
}

impl Egress {
    fn of(scenario: &Scenario, port: u32, first_pool: u32, cores: usize) -> Option<Self> {
        let node = scenario.of_node(scenario.node_of(port));
        let Architecture::Voq {
            credit_bytes,
            credit_latency_ns,
        } = node.switch.architecture
        else {
            return None;
        };
        let latency = credit_latency_ns * NANOSECOND;
        let byte = ByteTime::of(scenario.links[port as usize / 2].rate).times(1);
        Some(Egress {
            first_pool,
            cores: cores as u32,
            credit: i64::from(credit_bytes),
            latency,
            window: latency.div_ceil(byte.max(1)) + u64::from(scenario.longest_frame()),
        })
    }
}

/// It is the virtual output queue that marks, when a frame joins it.
fn check_marking(scenario: &Scenario, egress: &[Option<Egress>]) -> Result<(), Refused> {
    let late = |parameters: &Parameters| {
        parameters.marking.enabled && parameters.marking.at == MarkAt::Dequeue
    };
    let ports = (0..).zip(egress).filter(|(_, egress)| egress.is_some());
    let wrong = ports.filter(|(port, _)| {
        (0..PRIORITIES).any(|priority| late(scenario.of_lane(*port, priority)))
    });
    let mut nodes: Vec<u32> = wrong.map(|(port, _)| scenario.node_of(port)).collect();
    nodes.dedup();
    nodes.sort_unstable();
    nodes.dedup();
    let problem = |node: &u32| Problem {
        place: format!("switch {node}"),
        found: "marking at \"dequeue\" and architecture \"voq\"".into(),
        expected: "marking at \"enqueue\": frames are marked where they begin to wait".into(),
        hint: String::new(),
    };
    match nodes.is_empty() {
        true => Ok(()),
        false => Err(Refused(nodes.iter().map(problem).collect())),
    }
}

impl Voq {
    const EMPTY: Voq = Voq {
        line: Line::EMPTY,
        bytes: 0,
        most_bytes: 0,
        frames: 0,
        balance: 0,
        average: 0.0,
        empty_since: 0,
    };

    fn pop(&mut self, frames: &Frames, now: Picoseconds) -> Option<u32> {
        let index = self.line.pop(frames)?;
        self.bytes -= u64::from(frames[index].bytes);
        if self.line.is_empty() {
            self.balance = self.balance.min(0);
            self.empty_since = now;
        }
        Some(index)
    }
}

impl Lane {
    fn new(cores: u32) -> Self {
        Lane {
            cores: vec![Voq::EMPTY; cores as usize],
            turn: 0,
            crossing: Line::EMPTY,
            granted: 0,
        }
    }

    /// The next frame that gets credit, if the window has room: cores take turns, a credit each.
    fn grant(&mut self, it: &Egress, frames: &mut Frames, now: Picoseconds) -> Option<u32> {
        if self.granted >= it.window || self.cores.iter().all(|voq| voq.line.is_empty()) {
            return None;
        }
        while self.cores[self.turn].line.is_empty() || self.cores[self.turn].balance <= 0 {
            self.turn = (self.turn + 1) % self.cores.len();
            let next = &mut self.cores[self.turn];
            if !next.line.is_empty() {
                next.balance += it.credit;
            }
        }
        let voq = &mut self.cores[self.turn];
        let bytes = i64::from(frames[voq.line.first()?].bytes);
        voq.balance -= bytes;
        let index = voq.pop(frames, now)?;
        voq.frames += 1;
        self.granted += bytes as u64;
        self.crossing.push(frames, index);
        Some(index)
    }
}

impl Simulation {
    /// A frame that has room in the buffer waits for credit.
    pub(crate) fn wait_at_ingress(&mut self, egress: u32, priority: usize, index: u32) {
        let Some(voqs) = &mut self.voqs else { return };
        let Some(it) = voqs.ports[egress as usize] else {
            return;
        };
        let ingress = self.frames[index].ingress;
        let core = (self.slices[ingress as usize] - it.first_pool) as usize;
        let lane =
            voqs.lanes[(egress, priority)].get_or_insert_with(|| Box::new(Lane::new(it.cores)));
        let marked_by = self.queues[(egress, priority)].marker;
        let marker = self.markers[marked_by as usize];
        let voq = &mut lane.cores[core];
        let length = match marker.average {
            _ if marker.at.is_none() => 0.0,
            None => voq.bytes as f64,
            Some(average) => {
                if voq.bytes == 0 {
                    let port = &self.ports[egress as usize];
                    let packet = port.byte.times(self.settings.longest).max(1);
                    let packets = (self.now - voq.empty_since) / packet;
                    voq.average = average.idle(voq.average, packets);
                }
                voq.average = average.arrival(voq.average, voq.bytes as f64);
                voq.average
            }
        };
        let bytes = self.frames[index].bytes;
        voq.bytes += u64::from(bytes);
        voq.most_bytes = voq.most_bytes.max(voq.bytes);
        voq.line.push(&mut self.frames, index);
        if marker.at.is_some() {
            self.judge(egress, priority, index, &marker.law, length);
        }
        let queue = &mut self.queues[(egress, priority)];
        queue.bytes += u32::from(bytes);
        queue.most_bytes = queue.most_bytes.max(queue.bytes);
        self.grant(egress, priority);
    }

    /// A frame that crossed has begun to leave its port: there is room for another.
    pub(crate) fn crossed_leaves(&mut self, egress: u32, priority: usize, bytes: u16) {
        if self
            .lane(egress, priority)
            .map(|lane| lane.granted -= u64::from(bytes))
            .is_some()
        {
            self.grant(egress, priority);
        }
    }

    /// Gives credit as long as the port has room.
    fn grant(&mut self, egress: u32, priority: usize) {
        loop {
            let Some(voqs) = &mut self.voqs else { return };
            let (Some(it), Some(lane)) = (
                voqs.ports[egress as usize],
                &mut voqs.lanes[(egress, priority)],
            ) else {
                return;
            };
            if lane.grant(&it, &mut self.frames, self.now).is_none() {
                return;
            }
            if it.latency == 0 {
                self.crosses(egress, priority);
            } else {
                let entity = crate::mechanisms::pause::entity(egress, priority);
                self.schedule(self.now + it.latency, class::CROSSES, entity, 0);
            }
        }
    }

    /// The first frame under way stands at its port. It no longer takes buffer where it came in.
    pub(crate) fn crosses(&mut self, egress: u32, priority: usize) {
        let frames = &self.frames;
        let Some(voqs) = &mut self.voqs else { return };
        let Some(lane) = &mut voqs.lanes[(egress, priority)] else {
            return;
        };
        let Some(index) = lane.crossing.pop(frames) else {
            return;
        };
        let frame = self.frames[index];
        self.release(frame.ingress, priority, u32::from(frame.cells));
        self.frames[index].cells = 0;
        let port = &mut self.ports[egress as usize];
        let queue = &mut self.queues[(egress, priority)];
        if !is_down(port) && port.dropping & 1 << priority == 0 {
            port.waiting |= 1 << priority;
            queue.line.push(&mut self.frames, index);
            return self.kick(egress);
        }
        queue.bytes -= u32::from(frame.bytes);
        if is_down(port) {
            self.totals.drops += 1;
            self.sides[frame.ingress as usize].drops[priority] += 1;
            self.frames.remove(index);
        } else {
            self.drop_stuck(egress, index);
        }
        self.crossed_leaves(egress, priority, frame.bytes);
    }

    /// The next frame that waits for a port, at the port or where it came in, leaves without being sent.
    pub(crate) fn take_waiting(&mut self, port: u32, priority: usize) -> Option<u32> {
        let state = &mut self.ports[port as usize];
        let queue = self.queues.get_mut((port, priority))?;
        if let Some(index) = dequeue(state, queue, &self.frames, priority as u8, self.now) {
            let bytes = u64::from(self.frames[index].bytes);
            if let Some(lane) = self.lane(port, priority) {
                lane.granted -= bytes;
            }
            return Some(index);
        }
        let now = self.now;
        let lane = self.voqs.as_mut()?.lanes[(port, priority)].as_mut()?;
        let voqs = lane.cores.iter_mut();
        let index = voqs.filter_map(|voq| voq.pop(&self.frames, now)).next()?;
        self.queues[(port, priority)].bytes -= u32::from(self.frames[index].bytes);
        Some(index)
    }

    /// From a frame being granted credit to its standing at the port; none where frames wait at their port.
    pub(crate) fn credit_latency(&self, egress: u32) -> Picoseconds {
        let ports = self.voqs.as_ref().map(|voqs| &voqs.ports);
        ports
            .and_then(|ports| ports[egress as usize])
            .map_or(0, |it| it.latency)
    }

    fn lane(&mut self, egress: u32, priority: usize) -> Option<&mut Lane> {
        let voqs = self.voqs.as_mut()?;
        voqs.lanes[(egress, priority)].as_deref_mut()
    }
}
