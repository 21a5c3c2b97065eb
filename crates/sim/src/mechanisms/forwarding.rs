//! Forwarding at run time: a switch looks up a frame's destination and chooses among the ports that lead to it.
//!
//! Used only in scenarios that need it: a balance other than by flow, links that go down, configured routes, miswired
//! cables. Otherwise all choices are made before the run ([`crate::mechanisms::routing`]).

use crate::bytes::Bytes;
use crate::ids::{queue_pairs_of, NodeId, PortId, QueuePairId, SwitchId};
use crate::mechanisms::chance;
use crate::mechanisms::ecmp::Flow;
use crate::mechanisms::routing::link_changes::link_changes;
use crate::mechanisms::routing::next_hops::{NextHops, Set, HERE};
use crate::mechanisms::routing::refuse_unreachable;
use crate::model::faults::Kind;
use crate::model::parameters::{Balance, Ecmp, Spray};
use crate::model::scenario::Scenario;
use crate::problem::Refusal;
use crate::time::Picoseconds;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of switches on a path; the next one drops the frame: a packet begins with a TTL of 64 (Linux,
/// `net.ipv4.ip_default_ttl`), each router decrements it, and none forwards it with 0 (RFC 1812, section 5.3.1).
pub(crate) const MOST_HOPS: u32 = 63;

/// Tables and state of the switches.
#[derive(Clone)]
pub(crate) struct Forwarding {
    next_hops: Arc<NextHops>,
    /// Index of the current table.
    table: usize,
    /// By sending queue pair.
    flows: Vec<Flow>,
    /// By set: number of choices of its ports other than by a hash.
    choice_counts: Vec<u64>,
    /// By switch and sending queue pair: the port of its flowlet, and the time of its last frame.
    flowlets: Vec<HashMap<QueuePairId, (PortId, Picoseconds)>>,
}

/// A packet that a switch forwards.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packet {
    /// Seed of the run.
    pub seed: u64,
    pub now: Picoseconds,
    /// The switch, as switch number and as node number.
    pub switch: SwitchId,
    pub node: NodeId,
    /// The queue pair that sent it.
    pub sender: QueuePairId,
    /// Its entropy value; 0 = none.
    pub entropy: u16,
}

impl Forwarding {
    /// Builds it for a scenario that requires it, else `None`. Refused: connections whose ends no switches join.
    pub fn from_scenario(scenario: &Scenario) -> Result<Option<Self>, Refusal> {
        let is_required = scenario.is_balanced()
            || !scenario.routes.is_empty()
            || !link_changes(scenario).is_empty()
            || scenario.is_miswired();
        if !is_required {
            return Ok(None);
        }
        let next_hops = NextHops::from_scenario(scenario);
        let queue_pairs = queue_pairs_of(scenario.connections.len());
        let cut_off = queue_pairs
            .clone()
            .filter(|queue_pair| !next_hops.reach(*queue_pair));
        refuse_unreachable(scenario, cut_off.collect())?;
        Ok(Some(Forwarding {
            table: 0,
            flows: queue_pairs
                .map(|queue_pair| Flow::from_scenario(scenario, queue_pair))
                .collect(),
            choice_counts: vec![0; next_hops.sets.count()],
            flowlets: vec![HashMap::new(); scenario.switches as usize],
            next_hops: Arc::new(next_hops),
        }))
    }

    /// Start times of the tables after the first.
    pub fn changes(&self) -> impl Iterator<Item = Picoseconds> + '_ {
        self.next_hops.tables[1..].iter().map(|(time, _)| *time)
    }

    /// Activates the next table.
    pub fn change(&mut self) {
        self.table += 1;
    }

    /// The port by which a packet leaves a switch, if there is one. `load` is the queue length of a port; [`Bytes::MAX`] if it is
    /// down.
    pub fn egress(
        &mut self,
        packet: &Packet,
        ecmp: &Ecmp,
        load: impl Fn(PortId) -> Bytes<u32>,
    ) -> Option<PortId> {
        let to = self.next_hops.destinations.destination(packet.sender);
        let set = self.next_hops.tables[self.table]
            .1
            .set(to.number, packet.switch);
        if set == HERE {
            return Some(to.last_hop);
        }
        match self.next_hops.sets.ports(set) {
            [] => None,
            [only] => Some(*only),
            _ => self.choose(packet, set, ecmp, load),
        }
    }

    /// One of several ports.
    fn choose(
        &mut self,
        packet: &Packet,
        set: Set,
        ecmp: &Ecmp,
        load: impl Fn(PortId) -> Bytes<u32>,
    ) -> Option<PortId> {
        let ports = self.next_hops.sets.ports(set);
        let seed = chance::mix(packet.seed);
        let gap = match ecmp.balance {
            Balance::Flow | Balance::Entropy => {
                let mut flow = self.flows[packet.sender];
                if ecmp.balance == Balance::Entropy && packet.entropy > 0 {
                    flow.udp_ports[0] = packet.entropy;
                }
                let index = flow.among(ecmp, packet.seed, packet.switch, packet.node, ports.len());
                return Some(ports[index]);
            }
            Balance::Spray => Picoseconds::ZERO,
            Balance::Flowlet => Picoseconds::from(ecmp.flowlet_gap_ns),
            Balance::Adaptive => Picoseconds::from(ecmp.adaptive_gap_ns),
        };
        let choice_count = &mut self.choice_counts[set as usize];
        let mut draw = |among: usize| {
            *choice_count += 1;
            (chance::uniform(seed, set, *choice_count) * among as f64) as usize
        };
        if gap > Picoseconds::ZERO {
            if let Some((port, last)) = self.flowlets[packet.switch].get_mut(&packet.sender) {
                let stays = packet.now - *last <= gap && ports.contains(port);
                *last = packet.now;
                if stays {
                    return Some(*port);
                }
            }
        }
        let port = match ecmp.balance {
            Balance::Spray if ecmp.spray == Spray::RoundRobin => {
                let begin = chance::mix(seed ^ u64::from(set));
                *choice_count += 1;
                ports[(begin.wrapping_add(*choice_count) % ports.len() as u64) as usize]
            }
            Balance::Adaptive => {
                // As in Spectrum-4: the port of the set with the shortest egress queue.
                let least = ports.iter().map(|port| load(*port)).min()?;
                let equal = || ports.iter().filter(|port| load(**port) == least);
                *equal().nth(draw(equal().count()))?
            }
            _ => ports[draw(ports.len())],
        };
        if gap > Picoseconds::ZERO {
            self.flowlets[packet.switch].insert(packet.sender, (port, packet.now));
        }
        Some(port)
    }

    /// Adds the state of the switches of another part of the network: those for which `is_own_port` is true.
    pub fn add(
        &mut self,
        other: Forwarding,
        is_own_port: &dyn Fn(PortId) -> bool,
        switches: &[bool],
    ) {
        let sets = &self.next_hops.sets;
        for set in 0..sets.count() {
            // All ports of a set belong to one switch.
            if sets
                .ports(set as Set)
                .first()
                .is_some_and(|port| is_own_port(*port))
            {
                self.choice_counts[set] = other.choice_counts[set];
            }
        }
        for (switch, flowlets) in other.flowlets.into_iter().enumerate() {
            if switches[switch] {
                self.flowlets[switch] = flowlets;
            }
        }
    }
}

impl Scenario {
    /// How a switch chooses among equal-cost ports.
    pub(crate) fn ecmp(&self, node: NodeId) -> &Ecmp {
        &self.of_node(node).ecmp
    }

    /// Whether cables are connected to other ports than routing assumes.
    fn is_miswired(&self) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|fault| matches!(fault.kind, Kind::Miswiring(_)))
    }

    /// Whether a switch chooses by more than the flow.
    fn is_balanced(&self) -> bool {
        let mut sets = (0..self.sets()).map(|number| self.set(number));
        sets.any(|set| set.ecmp.balance != Balance::Flow)
    }
}
