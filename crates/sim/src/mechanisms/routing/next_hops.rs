//! Next hops of every switch: for each destination the ports that lead closer to it, for forwarding at run time.
//!
//! A destination is the switch that a NIC port is cabled to, or the NIC port itself if a route to its host is configured.
//! Equal sets of ports are stored once, so a network of s switches, d of them with hosts, takes 4 s d bytes and little more.

use super::fabric::NONE;
use super::fabric::{Distance, Fabric};
use crate::ids::{switches_of, NodeId, PortId, QueuePairId, SwitchId};
use crate::mechanisms::routing::link_changes::link_changes;
use crate::model::scenario::Scenario;
use crate::time::Picoseconds;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Index of a set of ports in a table.
pub type Set = u32;

/// The set of the switch that the destination is cabled to.
pub const HERE: Set = u32::MAX;
/// The empty set: the switch has no route.
pub const NOWHERE: Set = 0;

/// Sets of egress ports. A set belongs to one switch, as its ports do.
#[derive(Debug, Clone)]
pub struct Sets {
    /// Start of each, and the end of the last.
    first: Vec<u32>,
    ports: Vec<PortId>,
    known: HashMap<Box<[PortId]>, Set>,
}

impl Sets {
    fn new() -> Self {
        let mut sets = Sets {
            first: vec![0],
            ports: Vec::new(),
            known: HashMap::new(),
        };
        sets.add_set(&[]);
        sets
    }

    /// Number of sets.
    pub fn count(&self) -> usize {
        self.first.len() - 1
    }

    /// The ports of a set, in the order of their numbers.
    #[inline]
    pub fn ports(&self, set: Set) -> &[PortId] {
        let set = set as usize;
        &self.ports[self.first[set] as usize..self.first[set + 1] as usize]
    }

    fn add_set(&mut self, ports: &[PortId]) -> Set {
        if let Some(set) = self.known.get(ports) {
            return *set;
        }
        let set = self.count() as Set;
        self.ports.extend_from_slice(ports);
        self.first.push(self.ports.len() as u32);
        self.known.insert(ports.into(), set);
        set
    }
}

/// Destinations of the traffic of a scenario.
#[derive(Debug, Clone)]
pub struct Destinations {
    /// The switch, and the NIC port if it is a separate destination.
    each: Vec<(SwitchId, Option<PortId>)>,
    /// By sending queue pair.
    of: Vec<Destination>,
}

/// Destination of a queue pair.
#[derive(Debug, Clone, Copy)]
pub struct Destination {
    /// Its number; [`NONE`] where the other end is not behind a switch.
    pub number: u32,
    /// The last switch's port to it.
    pub last_hop: PortId,
    /// The switch that the sender is cabled to, if there is one.
    first_switch: Option<SwitchId>,
    /// One cable joins the two ends.
    pub direct: bool,
}

impl Destinations {
    fn all(scenario: &Scenario, fabric: &Fabric) -> Self {
        let mut known = HashMap::new();
        let mut each = Vec::new();
        let ends = scenario.connections.iter();
        let ends = ends.flat_map(|link| [(link.port_a, link.port_b), (link.port_b, link.port_a)]);
        let routed: HashSet<NodeId> = scenario
            .routes
            .iter()
            .map(|route| route.destination)
            .collect();
        let destination = |(from, to): (PortId, PortId)| {
            let switch = fabric.switch_behind(scenario, to);
            let host = scenario.node_of(to);
            let has_route = routed.contains(&host);
            let number = switch.map_or(NONE, |switch| {
                *known
                    .entry((switch, has_route.then_some(to)))
                    .or_insert_with_key(|ports| {
                        each.push(*ports);
                        each.len() as u32 - 1
                    })
            });
            Destination {
                number,
                last_hop: scenario.believed_peer(to),
                first_switch: fabric.switch_behind(scenario, from),
                direct: from.peer() == to,
            }
        };
        let of = ends.map(destination).collect();
        Destinations { each, of }
    }

    /// Destination of a sending queue pair.
    #[inline]
    pub fn destination(&self, queue_pair: QueuePairId) -> Destination {
        self.of[queue_pair]
    }
}

/// The sets of all switches at one time.
#[derive(Debug, Clone)]
pub struct Table {
    switches: usize,
    sets: Vec<Set>,
}

impl Table {
    /// The shortest paths over the links that are `open`, and configured routes, of which the ports with
    /// open links are used, if any is left.
    pub fn compute(
        scenario: &Scenario,
        fabric: &Fabric,
        destinations: &Destinations,
        open: &[bool],
        sets: &mut Sets,
    ) -> Self {
        let switches = scenario.switches as usize;
        let open = |port: PortId| open[port.link()];
        let mut table = Table {
            switches,
            sets: Vec::with_capacity(switches * destinations.each.len()),
        };
        let mut distance = Distance::new(switches);
        let mut ports = Vec::new();
        for (target, port) in &destinations.each {
            distance.aim(fabric, *target, |neighbor| open(neighbor.port));
            for switch in switches_of(scenario.switches) {
                let hops = distance.hops_from(switch);
                table.sets.push(match hops {
                    NONE => NOWHERE,
                    0 => HERE,
                    _ => {
                        let neighbors = fabric.list_neighbors(switch).iter();
                        let closer = neighbors.filter(|neighbor| {
                            distance.hops_from(neighbor.to) == hops - 1 && open(neighbor.port)
                        });
                        ports.clear();
                        ports.extend(closer.map(|neighbor| neighbor.port));
                        sets.add_set(&ports)
                    }
                });
            }
            if let Some(port) = port {
                table.add_configured_routes(scenario, *port, &open, sets);
            }
        }
        table
    }

    /// Configured routes to the host of the destination that was added last.
    fn add_configured_routes(
        &mut self,
        scenario: &Scenario,
        port: PortId,
        open: &impl Fn(PortId) -> bool,
        sets: &mut Sets,
    ) {
        let first = self.sets.len() - self.switches;
        let host = scenario.node_of(port);
        let routes = scenario.routes.iter();
        for route in routes.filter(|route| route.destination == host) {
            let mut ports: Vec<PortId> = route
                .ports
                .iter()
                .copied()
                .filter(|port| open(*port))
                .collect();
            ports.sort_unstable();
            if !ports.is_empty() {
                let switch = route.node.switch(scenario.hosts).expect("a switch");
                self.sets[first + switch.index()] = sets.add_set(&ports);
            }
        }
    }

    /// The set of a switch for a destination.
    #[inline]
    pub fn set(&self, destination: u32, switch: SwitchId) -> Set {
        self.sets[destination as usize * self.switches + switch.index()]
    }
}

/// Tables and their destinations.
#[derive(Debug, Clone)]
pub struct NextHops {
    /// The sets of all tables.
    pub sets: Sets,
    /// Destinations of the traffic.
    pub destinations: Destinations,
    /// Start time of each; the first starts with the run.
    pub tables: Vec<(Picoseconds, Arc<Table>)>,
}

impl NextHops {
    /// The tables of a scenario for each time at which links are withdrawn or restored.
    pub fn from_scenario(scenario: &Scenario) -> Self {
        let fabric = Fabric::from_scenario(scenario);
        let destinations = Destinations::all(scenario, &fabric);
        let mut sets = Sets::new();
        let mut withdrawn = vec![0_u32; scenario.links.len()];
        let mut known = BTreeMap::new();
        let mut table = |withdrawn: &[u32]| {
            let open: Vec<bool> = withdrawn.iter().map(|times| *times == 0).collect();
            let known = known.entry(open.clone());
            let table = known.or_insert_with(|| {
                Table::compute(scenario, &fabric, &destinations, &open, &mut sets).into()
            });
            Arc::clone(table)
        };
        let mut tables = vec![(Picoseconds::ZERO, table(&withdrawn))];
        let mut changes = link_changes(scenario).into_iter().peekable();
        while let Some((time, link, away)) = changes.next() {
            let times = &mut withdrawn[link];
            *times = if away { *times + 1 } else { *times - 1 };
            if changes.peek().is_none_or(|(next, ..)| *next != time) {
                tables.push((time, table(&withdrawn)));
            }
        }
        NextHops {
            sets,
            destinations,
            tables,
        }
    }
    /// Whether the packets of a queue pair have a route at the start.
    pub fn reach(&self, queue_pair: QueuePairId) -> bool {
        let to = self.destinations.destination(queue_pair);
        if to.direct {
            return true;
        }
        let (_, table) = &self.tables[0];
        let routed = |switch| table.set(to.number, switch) != NOWHERE;
        to.number != NONE && to.first_switch.is_some_and(routed)
    }
}
