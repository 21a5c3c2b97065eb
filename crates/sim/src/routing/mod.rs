//! Equal-cost multipath: the way of every queue pair through the switches, chosen once before the run.
//!
//! A switch sends a frame out of one of the ports that lead one hop closer to the destination; a hash of the flow
//! decides which (RFC 2992, section 2: hash-based selection among equal-cost next hops): [`crate::ecmp`]. Hosts never
//! forward.

use crate::ecmp::Flow;
use crate::problem::{Problem, Refused};
use crate::scenario::Scenario;

/// Not in a list, not reached.
const NONE: u32 = u32::MAX;

/// The path of every queue pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    starts: Vec<u32>,
    hops: Vec<u32>,
}

impl Routes {
    /// The paths of queue pairs `2n` (connection n, a to b) and `2n + 1` (b to a).
    ///
    /// Nodes, ports and links of the scenario must exist, as [`crate::reader::read`] sees to. Refused: connections
    /// whose ends no switches join.
    pub fn compute(scenario: &Scenario) -> Result<Routes, Refused> {
        let fabric = Fabric::of(scenario);
        let mut routes = Routes {
            starts: vec![0; scenario.connections.len() * 2],
            hops: Vec::new(),
        };
        let mut problems = Vec::new();
        let mut last_hop = vec![NONE; scenario.links.len() * 2];
        let mut distance = Distance::new(fabric.first.len() - 1);

        for trip in fabric.trips(scenario) {
            if trip.direct {
                continue;
            }
            if trip.from_switch == trip.to_switch && trip.to_switch != NONE {
                routes.starts[trip.queue_pair as usize] =
                    routes.shared_last_hop(&mut last_hop, trip.to ^ 1);
                continue;
            }
            if !distance.reach(&fabric, &trip) {
                problems.push(unreachable(scenario, trip.queue_pair));
                continue;
            }
            routes.starts[trip.queue_pair as usize] = routes.hops.len() as u32;
            routes.walk(&fabric, &distance, &trip, scenario);
        }
        if problems.is_empty() {
            return Ok(routes);
        }
        problems.sort_by_key(|(queue_pair, _)| *queue_pair);
        problems.dedup_by_key(|(queue_pair, _)| *queue_pair / 2);
        Err(Refused(problems.into_iter().map(|(_, it)| it).collect()))
    }

    /// Where the path of a queue pair begins in [`Routes::hops`]. A directly cabled pair has an empty path, whose
    /// start means nothing.
    #[inline]
    pub fn start(&self, queue_pair: u32) -> u32 {
        self.starts[queue_pair as usize]
    }

    /// Egress port (global number) at each switch on the way, path after path. The last one leads to the host.
    #[inline]
    pub fn hops(&self) -> &[u32] {
        &self.hops
    }

    /// Between two ports of one switch the destination alone makes the path, so it is stored once.
    fn shared_last_hop(&mut self, last_hop: &mut [u32], port: u32) -> u32 {
        let known = &mut last_hop[port as usize];
        if *known == NONE {
            *known = self.hops.len() as u32;
            self.hops.push(port);
        }
        *known
    }

    fn walk(&mut self, fabric: &Fabric, distance: &Distance, trip: &Trip, scenario: &Scenario) {
        let mut switch = trip.from_switch;
        while switch != trip.to_switch {
            let closer = distance.of(switch) - 1;
            let candidates = || {
                fabric
                    .ports_of(switch)
                    .iter()
                    .filter(|way| distance.of(way.to) == closer)
            };
            let node = fabric.hosts + switch;
            let ecmp = &scenario.of_node(node).ecmp;
            let among = candidates().count();
            let chosen = trip.flow.among(ecmp, scenario.seed, switch, node, among);
            let way = candidates().nth(chosen).expect("a choice among these");
            self.hops.push(way.port);
            switch = way.to;
        }
        self.hops.push(trip.to ^ 1);
    }
}

/// The cables between switches, as a switch sees them. Switches are numbered from 0 here.
struct Fabric {
    hosts: u32,
    /// Where the ways of each switch begin, and the end of the last.
    first: Vec<u32>,
    ways: Vec<Way>,
}

/// An egress port and the switch it leads to.
#[derive(Clone, Copy)]
struct Way {
    port: u32,
    to: u32,
}

/// One direction of a connection.
struct Trip {
    queue_pair: u32,
    /// NIC port it ends at.
    to: u32,
    flow: Flow,
    /// The switch at the other end of `from`'s cable.
    from_switch: u32,
    /// The switch at the other end of `to`'s cable.
    to_switch: u32,
    /// One cable joins `from` and `to`.
    direct: bool,
}

impl Fabric {
    fn of(scenario: &Scenario) -> Self {
        let hosts = scenario.hosts;
        let between_switches = || {
            (0..scenario.links.len() as u32 * 2).filter_map(move |port| {
                let (own, other) = (scenario.node_of(port), scenario.node_of(port ^ 1));
                (own >= hosts && other >= hosts && own != other).then_some((
                    own - hosts,
                    Way {
                        port,
                        to: other - hosts,
                    },
                ))
            })
        };
        let mut first = vec![0; scenario.switches as usize + 1];
        for (switch, _) in between_switches() {
            first[switch as usize + 1] += 1;
        }
        for switch in 1..first.len() {
            first[switch] += first[switch - 1];
        }
        let mut free = first.clone();
        let mut ways = vec![Way { port: 0, to: 0 }; *first.last().unwrap_or(&0) as usize];
        for (switch, way) in between_switches() {
            let place = &mut free[switch as usize];
            ways[*place as usize] = way;
            *place += 1;
        }
        Fabric { hosts, first, ways }
    }

    fn ports_of(&self, switch: u32) -> &[Way] {
        let range = self.first[switch as usize] as usize..self.first[switch as usize + 1] as usize;
        &self.ways[range]
    }

    /// Every direction of every connection, those to one switch one after the other.
    fn trips(&self, scenario: &Scenario) -> Vec<Trip> {
        let queue_pairs = 0..2 * scenario.connections.len() as u32;
        let trip = |queue_pair| {
            let flow = Flow::of(scenario, queue_pair);
            let [from, to] = flow.ports;
            Trip {
                queue_pair,
                to,
                flow,
                from_switch: self.switch_behind(scenario, from),
                to_switch: self.switch_behind(scenario, to),
                direct: from ^ 1 == to,
            }
        };
        let mut trips: Vec<Trip> = queue_pairs.map(trip).collect();
        trips.sort_by_key(|trip| trip.to_switch); // stable: in order of queue pairs
        trips
    }

    fn switch_behind(&self, scenario: &Scenario, nic_port: u32) -> u32 {
        let node = scenario.node_of(nic_port ^ 1);
        node.checked_sub(self.hosts).unwrap_or(NONE)
    }
}

/// Hops from every switch to one of them: breadth first, kept for the trips that end there.
struct Distance {
    target: u32,
    hops: Vec<u32>,
    queue: Vec<u32>,
}

impl Distance {
    fn new(switches: usize) -> Self {
        Distance {
            target: NONE,
            hops: vec![NONE; switches],
            queue: Vec::with_capacity(switches),
        }
    }

    fn of(&self, switch: u32) -> u32 {
        self.hops[switch as usize]
    }

    /// Whether switches join the two ends of the trip; if so, the distances are those to its end.
    fn reach(&mut self, fabric: &Fabric, trip: &Trip) -> bool {
        if trip.from_switch == NONE || trip.to_switch == NONE {
            return false;
        }
        self.aim(fabric, trip.to_switch);
        self.of(trip.from_switch) != NONE
    }

    fn aim(&mut self, fabric: &Fabric, target: u32) {
        if self.target == target {
            return;
        }
        self.target = target;
        self.hops.fill(NONE);
        self.queue.clear();
        self.hops[target as usize] = 0;
        self.queue.push(target);
        let mut next = 0;
        while let Some(&switch) = self.queue.get(next) {
            next += 1;
            let farther = self.of(switch) + 1;
            for way in fabric.ports_of(switch) {
                let hops = &mut self.hops[way.to as usize];
                if *hops == NONE {
                    *hops = farther;
                    self.queue.push(way.to);
                }
            }
        }
    }
}

fn unreachable(scenario: &Scenario, queue_pair: u32) -> (u32, Problem) {
    let connection = scenario.connections[queue_pair as usize / 2];
    let end = |port: u32| format!("host {} (port {port})", scenario.node_of(port));
    let problem = Problem {
        place: format!("connection {}", queue_pair / 2),
        found: format!(
            "no way from {} to {}",
            end(connection.port_a),
            end(connection.port_b)
        ),
        expected: "ends joined by switches".into(),
        hint: "hosts do not forward".into(),
    };
    (queue_pair, problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::Devices;
    use crate::scenario::{Connection, Link, Observe};
    use crate::time::{MICROSECOND, NEVER};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn scenario(hosts: u32, switches: u32, links: &[(u32, u32)], seed: u64) -> Scenario {
        Scenario {
            name: String::new(),
            hosts,
            switches,
            links: links
                .iter()
                .map(|&(a, b)| Link {
                    a,
                    b,
                    rate: 100_000_000_000,
                    delay: MICROSECOND,
                    loss: 0.0,
                    pfc_lost_from: NEVER,
                })
                .collect(),
            addresses: Vec::new(),
            buffer_bytes: vec![32 << 20; switches as usize],
            connections: Vec::new(),
            operations: Vec::new(),
            parameters: crate::preset::by_name("roce").unwrap(),
            devices: Devices::default(),
            faults: Vec::new(),
            seed,
            until: crate::time::NEVER,
            observe: Observe::default(),
        }
    }

    /// Connections between ports, each with its own UDP source port.
    fn connect(mut scenario: Scenario, ends: &[(u32, u32)]) -> Scenario {
        let connection = |(n, &(port_a, port_b)): (usize, &(u32, u32))| Connection {
            port_a,
            port_b,
            priority: 3,
            udp_source_port: 0xC000 + (n % 0x4000) as u16,
        };
        scenario.connections = ends.iter().enumerate().map(connection).collect();
        scenario
    }

    /// A k-ary fat tree (Al-Fares et al., SIGCOMM 2008): edge, aggregation, core. Host h has port 2h.
    fn fat_tree(k: u32) -> Scenario {
        let half = k / 2;
        let hosts = k * half * half;
        let (edge, core) = (|pod, n| hosts + pod * k + n, |n| hosts + k * k + n);
        let mut links: Vec<(u32, u32)> = (0..hosts)
            .map(|host| (host, edge(host / (half * half), host / half % half)))
            .collect();
        for pod in 0..k {
            for (lower, upper) in (0..half).flat_map(|a| (0..half).map(move |b| (a, b))) {
                links.push((edge(pod, lower), edge(pod, half + upper)));
                links.push((edge(pod, half + upper), core(upper * half + lower)));
            }
        }
        scenario(hosts, k * k + half * half, &links, 1)
    }

    /// The path of a queue pair, checked hop by hop.
    fn path(scenario: &Scenario, routes: &Routes, queue_pair: u32) -> Vec<u32> {
        let connection = scenario.connections[queue_pair as usize / 2];
        let (from, to) = match queue_pair % 2 {
            0 => (connection.port_a, connection.port_b),
            _ => (connection.port_b, connection.port_a),
        };
        let mut port = from;
        let mut taken = Vec::new();
        let mut next = routes.start(queue_pair) as usize;
        while port ^ 1 != to {
            let hop = routes.hops()[next];
            next += 1;
            assert_eq!(scenario.node_of(hop), scenario.node_of(port ^ 1));
            assert!(
                scenario.node_of(hop) >= scenario.hosts,
                "hosts never forward"
            );
            taken.push(hop);
            port = hop;
        }
        taken
    }

    #[test]
    fn a_fat_tree_has_shortest_paths() {
        let tree = fat_tree(8);
        let hosts = tree.hosts;
        let rows = [(0, 1, 1), (0, 4, 3), (0, 16, 5), (127, 0, 5), (5, 6, 1)];
        let ends: Vec<_> = rows.iter().map(|&(a, b, _)| (2 * a, 2 * b)).collect();
        assert_eq!(hosts, 128);
        let tree = connect(tree, &ends);
        let routes = Routes::compute(&tree).unwrap();
        for (n, (a, b, hops)) in rows.into_iter().enumerate() {
            for queue_pair in [2 * n as u32, 2 * n as u32 + 1] {
                assert_eq!(path(&tree, &routes, queue_pair).len(), hops, "{a} to {b}");
            }
        }
    }

    /// 4096 flows over the 16 paths of a k = 8 fat tree: each path is a binomial(4096, 1/16) count, mean 256 and
    /// standard deviation 15.5; all lie within five of them, and so do the two halves of the choice.
    #[test]
    fn flows_spread_over_all_paths() {
        for seed in [1, 2, 3] {
            let mut tree = connect(fat_tree(8), &vec![(0, 2 * 127); 4096]);
            tree.seed = seed;
            let routes = Routes::compute(&tree).unwrap();
            for direction in [0, 1] {
                let mut paths = BTreeMap::new();
                let mut first = BTreeMap::new();
                for n in 0..4096 {
                    let path = path(&tree, &routes, 2 * n + direction);
                    *first.entry(path[0]).or_insert(0u32) += 1;
                    *paths.entry(path).or_insert(0u32) += 1;
                }
                assert_eq!((first.len(), paths.len()), (4, 16));
                assert!(paths.values().all(|n| n.abs_diff(256) < 78), "{paths:?}");
                assert!(first.values().all(|n| n.abs_diff(1024) < 139), "{first:?}");
            }
        }
    }

    /// Hosts alone tell flows apart as well: a permutation with one UDP source port for all.
    #[test]
    fn addresses_are_entropy() {
        let ends: Vec<_> = (0..64).map(|host| (2 * host, 2 * (host + 64))).collect();
        let mut tree = connect(fat_tree(8), &ends);
        tree.connections
            .iter_mut()
            .for_each(|it| it.udp_source_port = 0xC000);
        let routes = Routes::compute(&tree).unwrap();
        let cores: std::collections::BTreeSet<u32> = (0..64)
            .map(|n| tree.node_of(path(&tree, &routes, 2 * n)[2]))
            .collect();
        // Of 16 cores 64 random choices leave one out in a quarter of all cases, three in 0.1 %.
        assert!(cores.len() >= 14, "{cores:?}");
    }

    #[test]
    fn seeds_choose_differently_and_repeatably() {
        let tree = connect(fat_tree(4), &[(0, 2 * 15); 32]);
        let other = Scenario {
            seed: 2,
            ..tree.clone()
        };
        let routes = Routes::compute(&tree).unwrap();
        assert_eq!(routes, Routes::compute(&tree).unwrap());
        assert_ne!(routes, Routes::compute(&other).unwrap());
    }

    #[test]
    fn every_cable_of_a_bundle_is_used() {
        // Hosts 0 and 1, switches 2 and 3 with three cables: links 2, 3, 4.
        let bundle = scenario(2, 2, &[(0, 2), (1, 3), (2, 3), (3, 2), (2, 3)], 7);
        let bundle = connect(bundle, &[(0, 2); 300]);
        let routes = Routes::compute(&bundle).unwrap();
        let mut used = BTreeMap::new();
        for n in 0..300 {
            let there = path(&bundle, &routes, 2 * n);
            assert_eq!(there.len(), 2);
            *used.entry(there[0]).or_insert(0u32) += 1;
        }
        assert_eq!(used.keys().copied().collect::<Vec<_>>(), [4, 7, 8]);
        // binomial(300, 1/3): 100, standard deviation 8.2
        assert!(used.values().all(|n| n.abs_diff(100) < 41), "{used:?}");
    }

    #[test]
    fn a_port_of_a_host_is_a_destination_of_its_own() {
        // Host 0 has a port at each of the switches 2 and 3, host 1 at switch 3 only.
        let rails = scenario(2, 2, &[(0, 2), (0, 3), (1, 3), (2, 3)], 7);
        let rails = connect(rails, &[(0, 4), (2, 4)]);
        let routes = Routes::compute(&rails).unwrap();
        let paths: Vec<_> = (0..4).map(|qp| path(&rails, &routes, qp)).collect();
        assert_eq!(paths, [vec![6, 5], vec![7, 1], vec![5], vec![3]]);
    }

    #[test]
    fn a_direct_cable_has_no_hops() {
        let pair = connect(scenario(2, 0, &[(0, 1), (1, 0)], 7), &[(0, 1), (2, 3)]);
        assert!(Routes::compute(&pair).unwrap().hops().is_empty());
    }

    #[test]
    fn refusals() {
        let no_switch = [(0, 1), (1, 2)];
        let islands = [(0, 3), (1, 4), (2, 4)];
        let rows = [
            (
                connect(scenario(3, 0, &no_switch, 1), &[(0, 3)]),
                "connection 0: found no way from host 0 (port 0) to host 2 (port 3), expected ends joined by switches\n  \
                 hint: hosts do not forward",
            ),
            (
                connect(scenario(3, 2, &islands, 1), &[(2, 4), (0, 4)]),
                "connection 1: found no way from host 0 (port 0) to host 2 (port 4), expected ends joined by switches\n  \
                 hint: hosts do not forward",
            ),
        ];
        for (scenario, message) in rows {
            assert_eq!(Routes::compute(&scenario).unwrap_err().to_string(), message);
        }
    }

    proptest! {
        /// On any graph: every path is valid, and no path of switches is shorter.
        #[test]
        fn paths_are_shortest(
            links in proptest::collection::vec((0u32..14, 0u32..14), 1..40),
            pairs in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..20),
            seed: u64,
        ) {
            let links: Vec<_> = links.into_iter().filter(|(a, b)| a != b).collect();
            let graph = scenario(6, 8, &links, seed);
            let ports: Vec<u32> = (0..2 * links.len() as u32).filter(|&port| graph.node_of(port) < 6).collect();
            prop_assume!(!ports.is_empty());
            let ends: Vec<_> = pairs.iter().map(|(a, b)| (*a.get(&ports), *b.get(&ports))).filter(|(a, b)| a != b).collect();
            for end in ends {
                let graph = connect(graph.clone(), &[end]);
                let expected = shortest(&graph, end.0, end.1);
                match Routes::compute(&graph) {
                    Ok(routes) => prop_assert_eq!(Some(path(&graph, &routes, 0).len()), expected),
                    Err(_) => prop_assert_eq!(expected, None),
                }
            }
        }
    }

    /// Switches on the shortest way, by relaxing every cable as often as there are nodes.
    fn shortest(scenario: &Scenario, from: u32, to: u32) -> Option<usize> {
        if from ^ 1 == to {
            return Some(0);
        }
        let mut hops = vec![None; scenario.nodes() as usize];
        let entry = scenario.node_of(from ^ 1) as usize;
        if entry < scenario.hosts as usize {
            return None;
        }
        hops[entry] = Some(1);
        for _ in 0..scenario.nodes() {
            for port in 0..2 * scenario.links.len() as u32 {
                let (a, b) = (scenario.node_of(port), scenario.node_of(port ^ 1));
                if let (true, Some(so_far)) = (b >= scenario.hosts, hops[a as usize]) {
                    let known = hops[b as usize].unwrap_or(usize::MAX);
                    hops[b as usize] = Some(known.min(so_far + 1));
                }
            }
        }
        hops[scenario.node_of(to ^ 1) as usize]
    }
}
