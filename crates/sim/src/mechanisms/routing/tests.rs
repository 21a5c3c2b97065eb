use super::*;
use crate::bytes::Bytes;
use crate::ids::QueuePairId;
use crate::ids::{ports_of, Priority};
use crate::model::overrides::Devices;
use crate::model::scenario::{Connection, Link, Observe};
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
                a: NodeId(a),
                b: NodeId(b),
                rate: 100_000_000_000,
                delay: MICROSECOND,
                loss: 0.0,
                pfc_lost_from: NEVER,
            })
            .collect(),
        addresses: Vec::new(),
        names: Default::default(),
        buffer_bytes: vec![Bytes(32 << 20); switches as usize],
        connections: Vec::new(),
        operations: Vec::new(),
        parameters: crate::model::preset::by_name("roce").unwrap(),
        routes: Vec::new(),
        devices: Devices::default(),
        faults: Vec::new(),
        seed,
        until: crate::time::NEVER,
        assumed: Vec::new(),
        observe: Observe::default(),
    }
}

/// Connections between ports, each with its own UDP source port.
fn connect(mut scenario: Scenario, ends: &[(u32, u32)]) -> Scenario {
    let connection = |(n, &(port_a, port_b)): (usize, &(u32, u32))| Connection {
        port_a: PortId(port_a),
        port_b: PortId(port_b),
        priority: Priority(3),
        udp_source_port: 0xC000 + (n % 0x4000) as u16,
        service: Default::default(),
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
fn path(scenario: &Scenario, routes: &Routes, queue_pair: QueuePairId) -> Vec<PortId> {
    let connection = scenario.connections[queue_pair.connection()];
    let (from, to) = match queue_pair.side() {
        0 => (connection.port_a, connection.port_b),
        _ => (connection.port_b, connection.port_a),
    };
    let mut port = from;
    let mut hops_on_path = Vec::new();
    let mut next = routes.start(queue_pair) as usize;
    while port.peer() != to {
        let hop = routes.hops()[next];
        next += 1;
        assert_eq!(scenario.node_of(hop), scenario.node_of(port.peer()));
        assert!(
            scenario.node_of(hop) >= NodeId(scenario.hosts),
            "hosts never forward"
        );
        hops_on_path.push(hop);
        port = hop;
    }
    hops_on_path
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
        for queue_pair in [0, 1].map(|side| QueuePairId::of_connection(n, side)) {
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
                let path = path(&tree, &routes, QueuePairId(2 * n + direction));
                *first.entry(path[0]).or_insert(0u32) += 1;
                *paths.entry(path).or_insert(0u32) += 1;
            }
            assert_eq!((first.len(), paths.len()), (4, 16));
            assert!(paths.values().all(|n| n.abs_diff(256) < 78), "{paths:?}");
            assert!(first.values().all(|n| n.abs_diff(1024) < 139), "{first:?}");
        }
    }
}

/// Host addresses alone distinguish flows as well: a permutation with one UDP source port for all.
#[test]
fn addresses_are_entropy() {
    let ends: Vec<_> = (0..64).map(|host| (2 * host, 2 * (host + 64))).collect();
    let mut tree = connect(fat_tree(8), &ends);
    tree.connections
        .iter_mut()
        .for_each(|connection| connection.udp_source_port = 0xC000);
    let routes = Routes::compute(&tree).unwrap();
    let cores: std::collections::BTreeSet<NodeId> = (0..64)
        .map(|n| tree.node_of(PortId(path(&tree, &routes, QueuePairId(2 * n))[2].0)))
        .collect();
    // 64 random choices of 16 cores leave one core out in a quarter of all cases, three cores in 0.1 %.
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
        let forward_path = path(&bundle, &routes, QueuePairId(2 * n));
        assert_eq!(forward_path.len(), 2);
        *used.entry(forward_path[0]).or_insert(0u32) += 1;
    }
    assert_eq!(
        used.keys().copied().collect::<Vec<_>>(),
        [4, 7, 8].map(PortId)
    );
    // binomial(300, 1/3): 100, standard deviation 8.2
    assert!(used.values().all(|n| n.abs_diff(100) < 41), "{used:?}");
}

#[test]
fn a_port_of_a_host_is_a_destination_of_its_own() {
    // Host 0 has a port at each of the switches 2 and 3, host 1 at switch 3 only.
    let rails = scenario(2, 2, &[(0, 2), (0, 3), (1, 3), (2, 3)], 7);
    let rails = connect(rails, &[(0, 4), (2, 4)]);
    let routes = Routes::compute(&rails).unwrap();
    let paths: Vec<_> = (0..4)
        .map(|qp| path(&rails, &routes, QueuePairId(qp)))
        .collect();
    assert_eq!(
        paths,
        [
            vec![PortId(6), PortId(5)],
            vec![PortId(7), PortId(1)],
            vec![PortId(5)],
            vec![PortId(3)]
        ]
    );
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
            "connection 0: found no route from host 0 (port 0) to host 2 (port 3), expected ends joined by switches\n  \
             hint: hosts do not forward",
        ),
        (
            connect(scenario(3, 2, &islands, 1), &[(2, 4), (0, 4)]),
            "connection 1: found no route from host 0 (port 0) to host 2 (port 4), expected ends joined by switches\n  \
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
        let of_host = |port: &u32| !graph.node_of(PortId(*port)).is_switch(6);
        let ports: Vec<u32> = (0..2 * links.len() as u32).filter(of_host).collect();
        prop_assume!(!ports.is_empty());
        let ends: Vec<_> = pairs.iter().map(|(a, b)| (*a.get(&ports), *b.get(&ports))).filter(|(a, b)| a != b).collect();
        for end in ends {
            let graph = connect(graph.clone(), &[end]);
            let expected = shortest(&graph, end.0, end.1);
            match Routes::compute(&graph) {
                Ok(routes) => prop_assert_eq!(Some(path(&graph, &routes, QueuePairId(0)).len()), expected),
                Err(_) => prop_assert_eq!(expected, None),
            }
        }
    }
}

/// Switches on the shortest path, by relaxing every cable as often as there are nodes.
fn shortest(scenario: &Scenario, from: u32, to: u32) -> Option<usize> {
    if PortId(from).peer() == PortId(to) {
        return Some(0);
    }
    let mut hops = vec![None; scenario.nodes() as usize];
    let entry = scenario.node_of(PortId(from).peer()).index();
    if entry < scenario.hosts as usize {
        return None;
    }
    hops[entry] = Some(1);
    for _ in 0..scenario.nodes() {
        for port in ports_of(scenario.links.len()) {
            let (a, b) = (scenario.node_of(port), scenario.node_of(port.peer()));
            if let (true, Some(so_far)) = (b >= NodeId(scenario.hosts), hops[a.index()]) {
                let known = hops[b.index()].unwrap_or(usize::MAX);
                hops[b.index()] = Some(known.min(so_far + 1));
            }
        }
    }
    hops[scenario.node_of(PortId(to).peer()).index()]
}
