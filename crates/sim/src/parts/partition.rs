//! Which part of the network each device is in.
//!
//! Parts exchange frames once per lookahead: the least time from a frame leaving a part to its effect in another. So ways
//! that are cut should be long; the parts should have equal work; and little should cross. Devices that must not be parted,
//! or are nearer to each other than the lookahead, become one; what is left is cut by [`super::graph`].

use super::graph::Graph;
use super::load::Load;
use crate::scenario::Verb;
use crate::simulation::Simulation;
use crate::time::{Picoseconds, NEVER};
use std::sync::Arc;

/// The busiest part may have so much more than its share, in percent: beyond that a shorter lookahead is tried.
const BALANCED: u64 = 120;

/// A network in parts.
#[derive(Debug, Clone)]
pub(crate) struct Partition {
    /// By port: the part that its device is in.
    pub part_of: Arc<[u16]>,
    /// What leaves a part acts in another after this or later.
    pub lookahead: Picoseconds,
    /// Work of the busiest part, in percent of its share.
    pub balance: u64,
}

/// Two devices, and after what time the one can have an effect on the other.
#[derive(Debug, Clone, Copy)]
struct Tie {
    ends: [u32; 2],
    after: Picoseconds,
    /// How much passes between them.
    weight: u64,
}

impl Partition {
    /// Cuts a network that has not run yet into `parts` parts. None: it is not to be cut.
    pub(super) fn of(simulation: &Simulation, load: &Load, parts: usize) -> Option<Partition> {
        let devices = Devices::of(simulation);
        let ties = ties(simulation, &devices, load);
        let mut work = vec![0; devices.count];
        for (port, device) in devices.of_port.iter().enumerate() {
            work[*device as usize] += load.work[port];
        }

        let mut lookaheads: Vec<_> = ties.iter().map(|tie| tie.after).collect();
        lookaheads.push(NEVER);
        lookaheads.sort_unstable();
        lookaheads.dedup();
        let mut best: Option<(u64, Vec<u16>)> = None;
        for lookahead in lookaheads.into_iter().rev().filter(|it| *it > 0) {
            let Some((balance, part_of)) = cut(&work, &ties, lookahead, parts) else {
                continue;
            };
            if best.as_ref().is_none_or(|(found, _)| balance < *found) {
                best = Some((balance, part_of));
            }
            if balance <= BALANCED {
                break;
            }
        }
        let (balance, part_of) = best?;
        let apart = |tie: &&Tie| part_of[tie.ends[0] as usize] != part_of[tie.ends[1] as usize];
        let lookahead = ties.iter().filter(apart).map(|tie| tie.after).min();
        let of_port = devices.of_port.iter();
        Some(Partition {
            part_of: of_port.map(|device| part_of[*device as usize]).collect(),
            lookahead: lookahead.unwrap_or(NEVER),
            balance,
        })
    }
}

/// Switches, each with the NIC ports cabled to it, and pairs of NIC ports cabled to each other.
struct Devices {
    count: usize,
    of_port: Vec<u32>,
}

impl Devices {
    fn of(simulation: &Simulation) -> Self {
        let scenario = &simulation.scenario;
        let switch = |port: u32| scenario.node_of(port).checked_sub(scenario.hosts);
        let mut count = scenario.switches;
        let mut of_port = Vec::with_capacity(2 * scenario.links.len());
        for link in 0..scenario.links.len() as u32 {
            let ends = [switch(2 * link), switch(2 * link + 1)];
            of_port.extend(match ends {
                [Some(a), Some(b)] => [a, b],
                [Some(one), None] | [None, Some(one)] => [one, one],
                [None, None] => {
                    count += 1;
                    [count - 1, count - 1]
                }
            });
        }
        Devices {
            count: count as usize,
            of_port,
        }
    }
}

/// Everything by which one device acts on another.
fn ties(simulation: &Simulation, devices: &Devices, load: &Load) -> Vec<Tie> {
    let mut ties = Vec::new();
    let mut tie = |ports: [u32; 2], after, weight| {
        let ends = ports.map(|port| devices.of_port[port as usize]);
        if ends[0] != ends[1] {
            ties.push(Tie {
                ends,
                after,
                weight,
            });
        }
    };
    for port in (0..simulation.ports.len() as u32).step_by(2) {
        let after = flight(simulation, port).min(flight(simulation, port + 1));
        let frames = load.frames[port as usize] + load.frames[port as usize + 1];
        tie([port, port + 1], after, frames + 1);
    }
    let scenario = &simulation.scenario;
    for (number, operation) in scenario.operations.iter().enumerate() {
        let connection = scenario.connections[operation.queue_pair as usize / 2];
        if operation.verb == Verb::Read {
            // A responder looks up what a request asks for at the requester.
            tie([connection.port_a, connection.port_b], 0, 0);
        }
        let port = simulation.poster(number as u32);
        for earlier in &operation.after {
            let after = simulation.post_delay(number as u32);
            tie([port, simulation.poster(*earlier)], after, 0);
        }
    }
    ties
}

/// The least time from a frame starting at `port` to its arrival: that of the shortest.
fn flight(simulation: &Simulation, port: u32) -> Picoseconds {
    let state = &simulation.ports[port as usize];
    let framing = &simulation.settings.parameters.framing;
    let data = state.byte.times(framing.shortest() + framing.gap_bytes) + state.flight;
    let pfc = state.byte.times(framing.pfc_bytes + framing.gap_bytes);
    data.min(pfc + simulation.sides[port as usize].delay)
}

/// Parts between which nothing acts sooner than `lookahead`, and the work of the busiest in percent of its share.
fn cut(
    work: &[u64],
    ties: &[Tie],
    lookahead: Picoseconds,
    parts: usize,
) -> Option<(u64, Vec<u16>)> {
    let mut groups = Groups::new(work.len());
    for tie in ties.iter().filter(|tie| tie.after < lookahead) {
        groups.join(tie.ends[0], tie.ends[1]);
    }
    let (number, count) = groups.numbers();
    if count < parts {
        return None;
    }
    let mut grouped = vec![0; count];
    for (device, work) in work.iter().enumerate() {
        grouped[number[device] as usize] += work;
    }
    let edges = ties.iter().map(|tie| {
        let ends = tie.ends.map(|end| number[end as usize]);
        (ends[0], ends[1], tie.weight)
    });
    let graph = Graph::new(grouped, edges);
    let parts_of = graph.cut(parts);
    let loads = graph.loads(&parts_of, parts);
    let share = (loads.iter().sum::<u64>() / parts as u64).max(1);
    let busiest = loads.iter().max().copied().unwrap_or(0);
    let part_of = number.iter().map(|group| parts_of[*group as usize]);
    Some((busiest * 100 / share, part_of.collect()))
}

/// Sets that are joined (union-find: Galler and Fischer, CACM 1964).
struct Groups(Vec<u32>);

impl Groups {
    fn new(count: usize) -> Self {
        Groups((0..count as u32).collect())
    }

    fn find(&mut self, one: u32) -> u32 {
        let mut one = one as usize;
        while self.0[one] as usize != one {
            self.0[one] = self.0[self.0[one] as usize];
            one = self.0[one] as usize;
        }
        one as u32
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// The set of each as a number without gaps, in order of their smallest members, and how many there are.
    fn numbers(mut self) -> (Vec<u32>, usize) {
        let mut numbers = vec![0; self.0.len()];
        let mut count = 0;
        for one in 0..self.0.len() as u32 {
            let first = self.find(one);
            if first == one {
                numbers[one as usize] = count;
                count += 1;
            } else {
                numbers[one as usize] = numbers[first as usize];
            }
        }
        (numbers, count as usize)
    }
}
