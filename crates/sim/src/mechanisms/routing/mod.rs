//! Equal-cost multipath: the path of every queue pair through the switches, chosen once before the run.
//!
//! A switch sends a frame out of one of the ports that lead one hop closer to the destination; a hash of the flow
//! decides which (RFC 2992, section 2: hash-based selection among equal-cost next hops): [`crate::mechanisms::ecmp`]. Hosts never
//! forward.

pub(crate) mod fabric;
pub(crate) mod link_changes;
pub(crate) mod next_hops;

use crate::ids::{queue_pairs_of, NodeId, PortId, QueuePairId, SwitchId};
use crate::mechanisms::ecmp::Flow;
use crate::model::scenario::Scenario;
use crate::problem::{Problem, Refusal};
use fabric::{Distance, Fabric, NONE};

/// The path of every queue pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    starts: Vec<u32>,
    hops: Vec<PortId>,
}

impl Routes {
    /// The paths of queue pairs `2n` (connection n, a to b) and `2n + 1` (b to a).
    ///
    /// Nodes, ports and links of the scenario must exist, as [`crate::reader::read`] checks. Refused: connections
    /// whose ends no switches join.
    pub fn compute(scenario: &Scenario) -> Result<Routes, Refusal> {
        let fabric = Fabric::from_scenario(scenario);
        let mut routes = Routes {
            starts: vec![0; scenario.connections.len() * 2],
            hops: Vec::new(),
        };
        let mut problems = Vec::new();
        let mut last_hop = vec![NONE; scenario.links.len() * 2];
        let mut distance = Distance::new(scenario.switches as usize);

        for trip in trips(&fabric, scenario) {
            if trip.direct {
                continue;
            }
            let (Some(from), Some(to)) = (trip.from_switch, trip.to_switch) else {
                problems.push(trip.queue_pair);
                continue;
            };
            if from == to {
                routes.starts[trip.queue_pair] =
                    routes.shared_last_hop(&mut last_hop, trip.to.peer());
                continue;
            }
            if !distance.reach(&fabric, from, to) {
                problems.push(trip.queue_pair);
                continue;
            }
            routes.starts[trip.queue_pair] = routes.hops.len() as u32;
            routes.add_path(&fabric, &distance, &trip, [from, to], scenario);
        }
        refuse_unreachable(scenario, problems)?;
        Ok(routes)
    }

    /// No paths: switches choose at run time.
    pub(crate) fn at_run_time(scenario: &Scenario) -> Routes {
        Routes {
            starts: vec![0; scenario.connections.len() * 2],
            hops: Vec::new(),
        }
    }

    /// Index of the first hop of a queue pair in [`Routes::hops`]. A directly cabled pair has an empty path, whose
    /// start is meaningless.
    #[inline]
    pub fn start(&self, queue_pair: QueuePairId) -> u32 {
        self.starts[queue_pair]
    }

    /// Egress port (global number) at each switch on the path, path after path. The last hop is the host's port.
    #[inline]
    pub fn hops(&self) -> &[PortId] {
        &self.hops
    }

    /// Between two ports of one switch the path depends on the destination alone, so it is stored once.
    fn shared_last_hop(&mut self, last_hop: &mut [u32], port: PortId) -> u32 {
        let known = &mut last_hop[port];
        if *known == NONE {
            *known = self.hops.len() as u32;
            self.hops.push(port);
        }
        *known
    }

    fn add_path(
        &mut self,
        fabric: &Fabric,
        distance: &Distance,
        trip: &Trip,
        [mut switch, to]: [SwitchId; 2],
        scenario: &Scenario,
    ) {
        while switch != to {
            let closer = distance.hops_from(switch) - 1;
            let candidates = || {
                fabric
                    .list_neighbors(switch)
                    .iter()
                    .filter(|neighbor| distance.hops_from(neighbor.to) == closer)
            };
            let node = NodeId::of_switch(fabric.hosts, switch);
            let ecmp = &scenario.of_node(node).ecmp;
            let among = candidates().count();
            let chosen = trip.flow.among(ecmp, scenario.seed, switch, node, among);
            let neighbor = candidates().nth(chosen).expect("a choice among these");
            self.hops.push(neighbor.port);
            switch = neighbor.to;
        }
        self.hops.push(trip.to.peer());
    }
}

/// One direction of a connection.
struct Trip {
    queue_pair: QueuePairId,
    /// NIC port it ends at.
    to: PortId,
    flow: Flow,
    /// The switch at the other end of `from`'s cable, if there is one.
    from_switch: Option<SwitchId>,
    /// The switch at the other end of `to`'s cable, if there is one.
    to_switch: Option<SwitchId>,
    /// One cable joins `from` and `to`.
    direct: bool,
}

/// Every direction of every connection, grouped by destination switch.
fn trips(fabric: &Fabric, scenario: &Scenario) -> Vec<Trip> {
    let queue_pairs = queue_pairs_of(scenario.connections.len());
    let trip = |queue_pair| {
        let flow = Flow::from_scenario(scenario, queue_pair);
        let [from, to] = flow.ports;
        Trip {
            queue_pair,
            to,
            flow,
            from_switch: fabric.switch_behind(scenario, from),
            to_switch: fabric.switch_behind(scenario, to),
            direct: from.peer() == to,
        }
    };
    let mut trips: Vec<Trip> = queue_pairs.map(trip).collect();
    trips.sort_by_key(|trip| trip.to_switch); // stable: in order of queue pairs
    trips
}

/// Refused: connections of queue pairs, if there are any, that have no route to their peer.
pub(crate) fn refuse_unreachable(
    scenario: &Scenario,
    mut queue_pairs: Vec<QueuePairId>,
) -> Result<(), Refusal> {
    if queue_pairs.is_empty() {
        return Ok(());
    }
    queue_pairs.sort_unstable();
    queue_pairs.dedup_by_key(|queue_pair| queue_pair.connection());
    let problems = queue_pairs.into_iter();
    Err(Refusal(
        problems
            .map(|queue_pair| unreachable(scenario, queue_pair))
            .collect(),
    ))
}

fn unreachable(scenario: &Scenario, queue_pair: QueuePairId) -> Problem {
    let connection = scenario.connections[queue_pair.connection()];
    let end = |port: PortId| format!("host {} (port {port})", scenario.node_of(port));
    Problem {
        location: format!("connection {}", queue_pair.connection()),
        found: format!(
            "no route from {} to {}",
            end(connection.port_a),
            end(connection.port_b)
        ),
        expected: "ends joined by switches".into(),
        hint: "hosts do not forward".into(),
    }
}

#[cfg(test)]
mod tests;
