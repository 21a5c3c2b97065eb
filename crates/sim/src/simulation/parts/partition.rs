//! Partitioning: the part of the network of each device.
//!
//! Parts exchange frames once per lookahead: the minimum time from a frame leaving a part to its effect in another. Links
//! between parts should therefore have a long delay, parts should have equal work, and few frames should cross. Devices that
//! must stay in one part, or are closer than the lookahead, become one vertex; [`super::graph`] partitions the vertices.

use super::graph::Graph;
use super::load::Load;
use crate::ids::{LinkId, PortId};
use crate::model::scenario::{Scenario, Verb};
use crate::simulation::state::Simulation;
use crate::time::{Picoseconds, NEVER};
use std::cmp::Reverse;
use std::sync::Arc;

/// Maximum excess work of the busiest part over its share, in percent: above it a shorter lookahead is tried.
const BALANCED: u64 = 120;
/// Parts per thread: an idle thread takes a part of another one, which reduces the effect of uneven windows and of
/// preemption. Each additional part has separate tables: on two threads S3 took 0.33 s in 2 parts, 0.32 s in 4 and 0.34 s in
/// 6, and RAIL 1.47 s in 2, 1.53 s in 4 and 2.02 s in 8 parts (medians, set-up and tables included; AMD EPYC, family 25,
/// model 17, 2026-11-22).
const PER_THREAD: usize = 2;
/// A partition within this percentage of the minimum time is accepted.
const GOOD: u64 = 110;

/// A partition of a network.
#[derive(Debug, Clone)]
pub(crate) struct Partition {
    /// By port: the part of its device.
    pub part_of: Arc<[u16]>,
    /// Minimum time from leaving a part to the effect in another.
    pub lookahead: Picoseconds,
    /// Work of each part.
    pub loads: Vec<u64>,
}

/// Two devices, and the minimum time after which one affects the other.
#[derive(Debug, Clone, Copy)]
struct Tie {
    ends: [u32; 2],
    after: Picoseconds,
    /// Traffic between them.
    weight: u64,
}

impl Partition {
    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.loads.len()
    }

    /// The work of all parts, and that of the busiest thread when each idle thread takes the next part, largest first
    /// (Graham, SIAM J. Appl. Math. 1969).
    pub fn work(&self, threads: usize) -> (u64, u64) {
        let mut loads = self.loads.clone();
        loads.sort_unstable_by_key(|load| Reverse(*load));
        let mut busy = vec![0; threads];
        for load in &loads {
            let idlest = busy.iter_mut().min_by_key(|load| **load);
            *idlest.expect("there is a thread") += load;
        }
        let busiest = busy.into_iter().max().unwrap_or(0);
        (loads.into_iter().sum(), busiest)
    }
}

/// The vertices: switches, each with the NIC ports cabled to it, and pairs of NIC ports cabled to each other.
pub(super) struct Devices {
    of_port: Vec<u32>,
    /// By device.
    work: Vec<u64>,
    ties: Vec<Tie>,
}

impl Devices {
    /// The vertices of a network before its run.
    pub fn from_simulation(simulation: &Simulation, load: &Load) -> Self {
        let (of_port, count) = devices(&simulation.scenario);
        let mut work = vec![0; count as usize];
        for (port, device) in of_port.iter().enumerate() {
            work[*device as usize] += load.work[port];
        }
        let ties = ties(simulation, &of_port, load);
        Devices {
            of_port,
            work,
            ties,
        }
    }

    /// The partition with the shortest time on up to `most` threads, and the smallest number of threads with this time. `None`:
    /// the network cannot be partitioned.
    pub fn for_threads(&self, threads: usize, most: usize) -> Option<(Partition, usize)> {
        let total: u64 = self.work.iter().sum();
        let mut best: Option<(u64, Partition)> = None;
        let mut parts = most.min(threads * PER_THREAD).min(self.work.len());
        while parts >= 2 {
            // Lower bound of the time.
            let least = total / threads.min(parts) as u64;
            if best
                .as_ref()
                .is_some_and(|best| best.0 <= least * GOOD / 100)
            {
                break;
            }
            if let Some(found) = self.cut(parts) {
                let time = found.work(threads).1;
                if best.as_ref().is_none_or(|best| time < best.0) {
                    best = Some((time, found));
                }
            }
            parts -= (parts / 8).max(1);
        }
        let (time, partition) = best?;
        let is_fast_enough = |threads: &usize| partition.work(*threads).1 <= time;
        let fewest = (1..=threads).find(is_fast_enough).unwrap_or(threads);
        Some((partition, fewest))
    }

    /// A partition into exactly `count` parts. `None`: the network cannot be partitioned.
    pub fn cut(&self, parts: usize) -> Option<Partition> {
        let mut lookaheads: Vec<_> = self.ties.iter().map(|tie| tie.after).collect();
        lookaheads.push(NEVER);
        lookaheads.sort_unstable();
        lookaheads.dedup();
        let share = (self.work.iter().sum::<u64>() / parts as u64).max(1);
        let mut best: Option<(u64, Vec<u16>, Vec<u64>)> = None;
        for lookahead in lookaheads
            .into_iter()
            .rev()
            .filter(|lookahead| *lookahead > Picoseconds::ZERO)
        {
            let Some((part_of, loads)) = self.cut_beyond(lookahead, parts) else {
                continue;
            };
            let busiest = loads.iter().max().copied().unwrap_or(0);
            if best.as_ref().is_none_or(|found| busiest < found.0) {
                best = Some((busiest, part_of, loads));
            }
            if busiest * 100 / share <= BALANCED {
                break;
            }
        }
        let (_, part_of, loads) = best?;
        let apart = |tie: &&Tie| part_of[tie.ends[0] as usize] != part_of[tie.ends[1] as usize];
        let lookahead = self.ties.iter().filter(apart).map(|tie| tie.after).min();
        let of_port = self.of_port.iter();
        Some(Partition {
            part_of: of_port.map(|device| part_of[*device as usize]).collect(),
            lookahead: lookahead.unwrap_or(NEVER),
            loads,
        })
    }

    /// The part of each device, with at least `lookahead` between parts; and the work of each part.
    fn cut_beyond(&self, lookahead: Picoseconds, parts: usize) -> Option<(Vec<u16>, Vec<u64>)> {
        let mut groups = Groups::new(self.work.len());
        for tie in self.ties.iter().filter(|tie| tie.after < lookahead) {
            groups.join(tie.ends[0], tie.ends[1]);
        }
        let (number, count) = groups.numbers();
        if count < parts {
            return None;
        }
        let mut grouped = vec![0; count];
        for (device, work) in self.work.iter().enumerate() {
            grouped[number[device] as usize] += work;
        }
        let edges = self.ties.iter().map(|tie| {
            let ends = tie.ends.map(|end| number[end as usize]);
            (ends[0], ends[1], tie.weight)
        });
        let graph = Graph::new(grouped, edges);
        let parts_of = graph.cut(parts);
        let loads = graph.loads(&parts_of, parts);
        let part_of = number.iter().map(|group| parts_of[*group as usize]);
        Some((part_of.collect(), loads))
    }
}

/// The device of each port, and the number of devices.
fn devices(scenario: &Scenario) -> (Vec<u32>, u32) {
    let switch = |port: PortId| scenario.node_of(port).switch(scenario.hosts);
    let mut count = scenario.switches;
    let mut of_port = Vec::with_capacity(2 * scenario.links.len());
    for link in (0..scenario.links.len() as u32).map(LinkId) {
        let ends = link.ports().map(switch);
        of_port.extend(match ends {
            [Some(a), Some(b)] => [a.0, b.0],
            [Some(load), None] | [None, Some(load)] => [load.0; 2],
            [None, None] => {
                count += 1;
                [count - 1, count - 1]
            }
        });
    }
    (of_port, count)
}

/// All effects of one device on another.
fn ties(simulation: &Simulation, device_of: &[u32], load: &Load) -> Vec<Tie> {
    let mut ties = Vec::new();
    let mut tie = |ports: [PortId; 2], lookahead, weight| {
        let ends = ports.map(|port| device_of[port]);
        if ends[0] != ends[1] {
            ties.push(Tie {
                ends,
                after: lookahead,
                weight,
            });
        }
    };
    for link in (0..simulation.scenario.links.len() as u32).map(LinkId) {
        let [forward, back] = link.ports();
        let lookahead = flight(simulation, forward).min(flight(simulation, back));
        let frames = load.frames[forward] + load.frames[back];
        tie([forward, back], lookahead, frames + 1);
    }
    let scenario = &simulation.scenario;
    for (number, operation) in scenario.operations.iter().enumerate() {
        let connection = scenario.connections[operation.queue_pair.connection()];
        if operation.verb == Verb::Read {
            // A responder reads the requested data range from the state of the requester.
            tie(connection.ports(), Picoseconds::ZERO, 0);
        }
        let port = simulation.poster(number as u32);
        for earlier in &operation.after {
            let lookahead = simulation.post_delay(number as u32);
            tie([port, simulation.poster(*earlier)], lookahead, 0);
        }
    }
    ties
}

/// Minimum time from the start of a frame at `port` to its arrival: that of the shortest frame.
fn flight(simulation: &Simulation, port: PortId) -> Picoseconds {
    let state = &simulation.ports[port];
    let framing = &simulation.settings.parameters.framing;
    let data = state.byte.times(framing.shortest() + framing.gap_bytes) + state.flight;
    let pfc = state.byte.times(framing.pfc_bytes + framing.gap_bytes);
    data.min(pfc + simulation.sides[port].delay)
}

/// Disjoint sets (union-find: Galler and Fischer, CACM 1964).
struct Groups(Vec<u32>);

impl Groups {
    fn new(count: usize) -> Self {
        Groups((0..count as u32).collect())
    }

    fn find(&mut self, device: u32) -> u32 {
        let mut device = device as usize;
        while self.0[device] as usize != device {
            self.0[device] = self.0[self.0[device] as usize];
            device = self.0[device] as usize;
        }
        device as u32
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// The set of each member, numbered without gaps in order of the smallest members, and the number of sets.
    fn numbers(mut self) -> (Vec<u32>, usize) {
        let mut numbers = vec![0; self.0.len()];
        let mut count = 0;
        for device in 0..self.0.len() as u32 {
            let first = self.find(device);
            if first == device {
                numbers[device as usize] = count;
                count += 1;
            } else {
                numbers[device as usize] = numbers[first as usize];
            }
        }
        (numbers, count as usize)
    }
}
