//! Forwarding at run time: a switch looks up where a frame's destination lies and chooses among the ports that lead there.
//!
//! Only where something asks for it: a balance other than by flow, links that go down, routes given by hand, cables in wrong
//! ports. Otherwise all choices are made before the run ([`crate::mechanisms::routing`]).

use crate::devices::port::is_down;
use crate::mechanisms::chance;
use crate::mechanisms::ecmp::Flow;
use crate::mechanisms::routing::next_hops::{NextHops, Set, HERE};
use crate::mechanisms::routing::refuse_unreachable;
use crate::model::faults::{link_down, miswired};
use crate::model::parameters::{Balance, Ecmp, Spray};
use crate::model::problem::Refused;
use crate::model::scenario::Scenario;
use crate::simulation::Simulation;
use crate::time::{Picoseconds, NANOSECOND};
use std::collections::HashMap;
use std::sync::Arc;

/// A frame has passed so many switches and is dropped by the next: a packet begins with a TTL of 64 (Linux,
/// `net.ipv4.ip_default_ttl`), each router takes one, and none sends it on with 0 (RFC 1812, section 5.3.1).
const MOST_HOPS: u32 = 63;

/// What switches know and remember.
#[derive(Clone)]
pub(crate) struct Forwarding {
    next_hops: Arc<NextHops>,
    /// Index of the table that holds now.
    table: usize,
    /// By queue pair that sends.
    flows: Vec<Flow>,
    /// By set: how often a port of it was chosen other than by a hash.
    chosen: Vec<u64>,
    /// By switch and queue pair that sends: the port of its flowlet, and when its last frame came.
    flowlets: Vec<HashMap<u32, (u32, Picoseconds)>>,
}

impl Forwarding {
    /// For a scenario that asks for it. Refused: connections whose ends no switches join.
    pub fn of(scenario: &Scenario) -> Result<Option<Self>, Refused> {
        let asked = scenario.is_balanced()
            || !scenario.routes.is_empty()
            || !link_down::changes(scenario).is_empty()
            || miswired::is_any(scenario);
        if !asked {
            return Ok(None);
        }
        let next_hops = NextHops::of(scenario);
        let queue_pairs = 0..2 * scenario.connections.len() as u32;
        let cut_off = queue_pairs.clone().filter(|it| !next_hops.reach(*it));
        refuse_unreachable(scenario, cut_off.collect())?;
        Ok(Some(Forwarding {
            table: 0,
            flows: queue_pairs.map(|it| Flow::of(scenario, it)).collect(),
            chosen: vec![0; next_hops.sets.count()],
            flowlets: vec![HashMap::new(); scenario.switches as usize],
            next_hops: Arc::new(next_hops),
        }))
    }

    /// From when on each table holds that follows the first.
    pub fn changes(&self) -> impl Iterator<Item = Picoseconds> + '_ {
        self.next_hops.tables[1..].iter().map(|(time, _)| *time)
    }

    /// The next table holds.
    pub fn change(&mut self) {
        self.table += 1;
    }

    /// Adds what the switches of another part of the network remember: those that `own` says.
    pub fn add(&mut self, other: Forwarding, own: &dyn Fn(u32) -> bool, switches: &[bool]) {
        let sets = &self.next_hops.sets;
        for set in 0..sets.count() {
            // All ports of a set are of one switch.
            if sets
                .ports(set as Set)
                .first()
                .is_some_and(|port| own(*port))
            {
                self.chosen[set] = other.chosen[set];
            }
        }
        for (switch, flowlets) in other.flowlets.into_iter().enumerate() {
            if switches[switch] {
                self.flowlets[switch] = flowlets;
            }
        }
    }
}

impl Simulation {
    /// A frame stands in the switch behind `ingress`, which forwards it or has no way for it.
    #[inline(never)]
    pub(crate) fn forward(&mut self, ingress: u32, index: u32) {
        match self.egress(ingress, index) {
            Some(egress) => self.admit(ingress, index, egress),
            None => self.drop_unroutable(ingress, index),
        }
    }

    /// A frame that came in by a port has no way on, and is no business of the node.
    #[cold]
    pub(crate) fn drop_unroutable(&mut self, port: u32, index: u32) {
        let priority = usize::from(self.frames[index].priority);
        self.totals.unroutable += 1;
        self.totals.drops += 1;
        self.sides[port as usize].drops[priority] += 1;
        self.frames.remove(index);
    }

    fn egress(&mut self, ingress: u32, index: u32) -> Option<u32> {
        let frame = &mut self.frames[index];
        if frame.hop == MOST_HOPS {
            return None;
        }
        frame.hop += 1;
        let (sender, priority) = (frame.queue_pair ^ 1, usize::from(frame.priority));
        let switch = self.ports[ingress as usize].device;
        let it = self.forwarding.as_ref()?;
        let to = it.next_hops.destinations.of(sender);
        let set = it.next_hops.tables[it.table].1.set(to.number, switch);
        let egress = if set == HERE {
            to.last_hop
        } else {
            match it.next_hops.sets.ports(set) {
                [] => return None,
                [only] => *only,
                _ => self.choose(switch, set, sender, priority, index)?,
            }
        };
        (!is_down(&self.ports[egress as usize])).then_some(egress)
    }

    /// One of several ports.
    fn choose(
        &mut self,
        switch: u32,
        set: Set,
        sender: u32,
        priority: usize,
        index: u32,
    ) -> Option<u32> {
        let node = self.scenario.hosts + switch;
        let ecmp = self.scenario.ecmp(node);
        let entropy = self.telemetry.as_ref().map_or(0, |it| it.entropy(index));
        let it = self.forwarding.as_mut()?;
        let ports = it.next_hops.sets.ports(set);
        let seed = chance::mix(self.settings.seed);
        let gap = match ecmp.balance {
            Balance::Flow | Balance::Entropy => {
                let mut flow = it.flows[sender as usize];
                if ecmp.balance == Balance::Entropy && entropy > 0 {
                    flow.udp_ports[0] = entropy;
                }
                let place = flow.among(ecmp, self.settings.seed, switch, node, ports.len());
                return Some(ports[place]);
            }
            Balance::Spray => 0,
            Balance::Flowlet => ecmp.flowlet_gap_ns * NANOSECOND,
            Balance::Adaptive => ecmp.adaptive_gap_ns * NANOSECOND,
        };
        let chosen = &mut it.chosen[set as usize];
        let mut any = |among: usize| {
            *chosen += 1;
            (chance::uniform(seed, set, *chosen) * among as f64) as usize
        };
        if gap > 0 {
            if let Some((port, last)) = it.flowlets[switch as usize].get_mut(&sender) {
                let stays = self.now - *last <= gap && ports.contains(port);
                *last = self.now;
                if stays {
                    return Some(*port);
                }
            }
        }
        let port = match ecmp.balance {
            Balance::Spray if ecmp.spray == Spray::RoundRobin => {
                let begin = chance::mix(seed ^ u64::from(set));
                *chosen += 1;
                ports[(begin.wrapping_add(*chosen) % ports.len() as u64) as usize]
            }
            Balance::Adaptive => {
                // As Spectrum-4 does: the port of the set with the least in its egress queue.
                let load = |port: u32| match is_down(&self.ports[port as usize]) {
                    true => u32::MAX,
                    false => self.queues[(port, priority)].bytes,
                };
                let least = ports.iter().map(|port| load(*port)).min()?;
                let equal = || ports.iter().filter(|port| load(**port) == least);
                *equal().nth(any(equal().count()))?
            }
            _ => ports[any(ports.len())],
        };
        if gap > 0 {
            it.flowlets[switch as usize].insert(sender, (port, self.now));
        }
        Some(port)
    }
}

impl Scenario {
    /// How a switch chooses among equal-cost ports.
    fn ecmp(&self, node: u32) -> &Ecmp {
        &self.of_node(node).ecmp
    }

    /// Whether some switch chooses by more than the flow.
    fn is_balanced(&self) -> bool {
        let mut sets = (0..self.sets()).map(|number| self.set(number));
        sets.any(|set| set.ecmp.balance != Balance::Flow)
    }
}
