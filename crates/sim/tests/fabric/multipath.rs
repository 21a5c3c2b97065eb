//! Equal-cost multipath: connections spread over the paths, and each keeps its path.

use crate::bench::{lossy, plain, share};
use crate::support::{column, connect, flow, link, network, post, run};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use wirespeed_sim::ids::{NodeId, QueuePairId};
use wirespeed_sim::mechanisms::routing::Routes;
use wirespeed_sim::model::overrides::{Devices, Slot};
use wirespeed_sim::model::parameters::{Ecmp, EcmpHash, Parameters};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::Picoseconds;

/// Two leaves with a host each below `spines` spines. Leaf 0's port to spine n is `uplink(n)`.
pub fn leaves(spines: u32) -> Scenario {
    let mut links = vec![link(0, 2, 100, 0), link(1, 3, 100, 0)];
    for spine in 0..spines {
        links.push(link(2, 4 + spine, 100, 0));
        links.push(link(3, 4 + spine, 100, 0));
    }
    let mut scenario = network(2, 2 + spines, links, lossy());
    share(&mut scenario, 1 << 22);
    scenario
}

fn uplink(spine: u32) -> usize {
    2 * (2 + 2 * spine as usize)
}

pub fn frames(outcome: &Outcome, spines: u32) -> Vec<u64> {
    let all = column(outcome, "ports", "frames");
    (0..spines).map(|spine| all[uplink(spine)]).collect()
}

/// Connections of one packet each, UDP source ports one after the other.
pub fn parallel_flows(spines: u32, count: u32) -> Scenario {
    let mut scenario = leaves(spines);
    for _ in 0..count {
        flow(&mut scenario, 0, 1, 64);
    }
    scenario
}

/// Each of n connections falls on one of k paths with 1/k: n/k on each, with a deviation of sqrt(n/k (1 - 1/k)).
#[test]
fn connections_spread_evenly() {
    const COUNT: u32 = 4096;
    for spines in [1, 2, 3, 4, 7, 16] {
        for seed in [1, 2, 3] {
            let mut scenario = parallel_flows(spines, COUNT);
            scenario.seed = seed;
            let found = frames(&run(scenario), spines);
            assert_eq!(found.iter().sum::<u64>(), u64::from(COUNT));
            let part = 1.0 / f64::from(spines);
            let mean = f64::from(COUNT) * part;
            let deviation = (mean * (1.0 - part)).sqrt();
            for (spine, found) in found.iter().enumerate() {
                let off = (*found as f64 - mean).abs();
                assert!(
                    off <= 4.0 * deviation,
                    "spine {spine} of {spines}: {found} of {mean}"
                );
            }
        }
    }
}

/// Without entropy there is no spread: one UDP source port, one path.
#[test]
fn one_source_port_is_one_path() {
    let mut scenario = parallel_flows(4, 200);
    for connection in &mut scenario.connections {
        connection.udp_source_port = 49_152;
    }
    let mut found = frames(&run(scenario), 4);
    found.sort_unstable();
    assert_eq!(found, [0, 0, 0, 200]);
}

#[test]
fn a_connection_keeps_its_path() {
    for seed in 0..16 {
        let mut scenario = leaves(4);
        scenario.seed = seed;
        let id = connect(&mut scenario, 0, 1);
        post(
            &mut scenario,
            id,
            Verb::Send,
            1000 * 4096,
            Picoseconds::ZERO,
        );
        let mut found = frames(&run(scenario), 4);
        found.sort_unstable();
        assert_eq!(found, [0, 0, 0, 1000]);
    }
}

/// The first hop of connection n's data.
fn first_hops(scenario: &Scenario) -> Vec<u32> {
    let routes = Routes::compute(scenario).expect("joined");
    let starts = (0..scenario.connections.len() as u32).map(|n| routes.start(QueuePairId(2 * n)));
    starts
        .map(|start| routes.hops()[start as usize].0)
        .collect()
}

/// Another seed or another source port is another draw: of n connections (k - 1) / k change their path.
#[test]
fn seed_and_source_port_move_connections() {
    const COUNT: u32 = 4096;
    let scenario = parallel_flows(4, COUNT);
    let mut other_seed = scenario.clone();
    other_seed.seed += 1;
    let mut other_ports = scenario.clone();
    for connection in &mut other_ports.connections {
        connection.udp_source_port -= 20_000;
    }
    let expected = first_hops(&scenario);
    let mean = f64::from(COUNT) * 0.75;
    let deviation = (mean * 0.25).sqrt();
    for (name, other) in [("seed", other_seed), ("source port", other_ports)] {
        let found = first_hops(&other);
        let moved = expected
            .iter()
            .zip(&found)
            .filter(|(expected_hop, found_hop)| expected_hop != found_hop)
            .count() as f64;
        assert!(
            (moved - mean).abs() <= 4.0 * deviation,
            "{name}: {moved} of {mean}"
        );
    }
    assert_eq!(expected, first_hops(&scenario));
}

/// A fat tree of 4-port switches (Al-Fares, Loukissas, Vahdat, SIGCOMM 2008): 16 hosts, 8 edge, 8 aggregation, 4 core switches.
pub fn fat_tree(parameters: Parameters) -> Scenario {
    let (edge, aggregation, core) = (|n| 16 + n, |n| 24 + n, |n| 32 + n);
    let mut links = Vec::new();
    for host in 0..16 {
        links.push(link(host, edge(host / 2), 100, 300));
    }
    for pod in 0..4 {
        for (low, high) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            links.push(link(
                edge(2 * pod + low),
                aggregation(2 * pod + high),
                100,
                300,
            ));
            links.push(link(
                aggregation(2 * pod + high),
                core(2 * high + low),
                100,
                300,
            ));
        }
    }
    let mut scenario = network(16, 20, links, parameters);
    share(&mut scenario, 8000);
    scenario
}

/// Every permutation completes without loss, on shortest paths: 2 links below one edge switch, 4 within a pod, 6 else.
#[test]
fn permutations_cross_a_fat_tree() {
    const PACKETS: u64 = 50;
    for seed in 1..=3 {
        for shift in 1..16 {
            let mut scenario = fat_tree(plain());
            scenario.seed = seed;
            let mut links = 0;
            for host in 0..16 {
                let to = (host + shift) % 16;
                flow(&mut scenario, host, to, PACKETS * 4096);
                links += match () {
                    () if host / 2 == to / 2 => 2,
                    () if host / 4 == to / 4 => 4,
                    () => 6,
                };
            }
            let outcome = run(scenario);
            assert_eq!((outcome.summary.drops, outcome.summary.failed), (0, 0));
            // One acknowledgement at the end of each flow.
            assert_eq!(outcome.summary.hops, links * (PACKETS + 1), "shift {shift}");
            let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
            assert!(delivered
                .iter()
                .skip(1)
                .step_by(2)
                .all(|bytes| *bytes == PACKETS * 4096));
        }
    }
}

/// The choices at edge and aggregation are independent: between two pods all four paths are used equally.
#[test]
fn choices_at_successive_switches_are_independent() {
    const COUNT: u32 = 4000;
    let mut scenario = fat_tree(plain());
    for _ in 0..COUNT {
        connect(&mut scenario, 0, 15);
    }
    let routes = Routes::compute(&scenario).expect("joined");
    let mut paths = std::collections::BTreeMap::new();
    for connection in 0..COUNT {
        let start = routes.start(QueuePairId(2 * connection)) as usize;
        *paths
            .entry(routes.hops()[start..start + 2].to_vec())
            .or_insert(0u32) += 1;
    }
    assert_eq!(paths.len(), 4);
    for (path, found) in paths {
        assert!(found.abs_diff(1000) <= 110, "{path:?}: {found}"); // 4 deviations of sqrt(4000 x 1/4 x 3/4)
    }
}

/// The share of the paths from a pod to the core of a fat tree of 8-port switches that 4,000 connections take, which all begin
/// at one edge switch and end in another pod.
fn core_paths(set: impl Fn(&mut Ecmp)) -> f64 {
    core_paths_of_tiers(set, |_| {})
}

/// The same where aggregation switches differ from edge switches.
fn core_paths_of_tiers(set: impl Fn(&mut Ecmp), above: impl Fn(&mut Ecmp)) -> f64 {
    const K: u32 = 8;
    const HALF: u32 = K / 2;
    let hosts = 2 * HALF * HALF;
    let (edge, aggregation, core) = (
        |pod, n| hosts + pod * HALF + n,
        |pod, n| hosts + 2 * HALF + pod * HALF + n,
        |n| hosts + 4 * HALF + n,
    );
    let mut links: Vec<_> = (0..hosts)
        .map(|host| link(host, edge(host / (HALF * HALF), host / HALF % HALF), 100, 0))
        .collect();
    let first = 2 * links.len() as u32;
    for (pod, n, up) in
        (0..2 * HALF * HALF).map(|index| (index / (HALF * HALF), index / HALF % HALF, index % HALF))
    {
        links.push(link(aggregation(pod, n), core(n * HALF + up), 100, 0));
    }
    let core_ports = first..first + HALF * HALF * 2;
    for (pod, low, high) in
        (0..2 * HALF * HALF).map(|index| (index / (HALF * HALF), index / HALF % HALF, index % HALF))
    {
        links.push(link(edge(pod, low), aggregation(pod, high), 100, 0));
    }
    let mut scenario = network(hosts, 4 * HALF + HALF * HALF, links, lossy());
    set(&mut scenario.parameters.ecmp);
    let mut parameters = scenario.parameters.clone();
    above(&mut parameters.ecmp);
    scenario.devices = Devices::new(scenario.nodes(), 2 * scenario.links.len() as u32);
    let number = scenario.devices.keep(parameters, 0);
    for (pod, n) in (0..2 * HALF).map(|index| (index / HALF, index % HALF)) {
        scenario
            .devices
            .set(Slot::Node(NodeId(aggregation(pod, n))), number);
    }
    for n in 0..4_000 {
        connect(&mut scenario, n % HALF, HALF * HALF + n / 7 % (HALF * HALF));
    }
    let routes = Routes::compute(&scenario).expect("joined");
    let taken = routes
        .hops()
        .iter()
        .map(|hop| hop.0)
        .filter(|hop| core_ports.contains(hop) && hop % 2 == 0);
    let taken: std::collections::BTreeSet<u32> = taken.collect();
    taken.len() as f64 / f64::from(HALF * HALF)
}

/// With equal seeds the flows that reach an aggregation switch agree in their hash already, and all of them take the same
/// uplink: one of its four uplinks is used.
#[test]
fn equal_seeds_on_two_tiers_polarise() {
    for hash in [EcmpHash::Splitmix64, EcmpHash::Murmur3] {
        let paths = |seed| {
            core_paths(|ecmp| {
                ecmp.hash = hash;
                ecmp.seed = seed;
            })
        };
        assert_eq!(paths(Some(7)), 0.25, "{hash:?}");
        assert_eq!(paths(None), 1.0, "{hash:?}");
    }
}

/// A CRC is linear: with another seed it differs by the same bits for all flows, which still agree after that. Here even the
/// switches' own numbers as seeds leave three of four uplinks without a frame.
#[test]
fn other_seeds_do_not_help_a_linear_hash() {
    let paths = |seed| {
        core_paths(|ecmp| {
            ecmp.hash = EcmpHash::Crc32Lo;
            ecmp.seed = seed;
        })
    };
    assert_eq!((paths(Some(7)), paths(None)), (0.25, 0.25));
    // A seed for each tier changes nothing either; taking other bits of the hash does.
    let tiers = |hash, seed, offset_bits| {
        core_paths_of_tiers(
            |ecmp| (ecmp.hash, ecmp.seed) = (hash, Some(1)),
            |ecmp| (ecmp.seed, ecmp.offset_bits) = (Some(seed), offset_bits),
        )
    };
    assert_eq!(tiers(EcmpHash::Crc32Lo, 2, 0), 0.25);
    assert_eq!(tiers(EcmpHash::Crc32Lo, 1, 4), 1.0);
    assert_eq!(tiers(EcmpHash::Splitmix64, 1, 0), 0.25);
    assert_eq!(tiers(EcmpHash::Splitmix64, 2, 0), 1.0);
}

/// Addresses are what is hashed: with those of other ports, connections go the paths of those.
#[test]
fn addresses_replace_numbers() {
    let address = |n: u32| Some(IpAddr::V4(Ipv4Addr::from(0x0A01_0000 + n)));
    for hash in [EcmpHash::Splitmix64, EcmpHash::Murmur3, EcmpHash::Crc32Lo] {
        let mut scenario = parallel_flows(5, 1_000); // not a power of two: there a CRC may agree by chance for all flows
        scenario.parameters.ecmp.hash = hash;
        let numbers = first_hops(&scenario);
        let given = |from, to| {
            let mut scenario = scenario.clone();
            scenario.addresses = vec![None; 8];
            scenario.addresses[0] = from;
            scenario.addresses[2] = to;
            first_hops(&scenario)
        };
        let usual = given(address(1), address(2));
        let moved = |other: &[u32]| usual.iter().zip(other).filter(|(a, b)| a != b).count();
        assert_eq!(moved(&given(address(1), address(2))), 0, "{hash:?}");
        let v6 = |n: u128| Some(IpAddr::V6(Ipv6Addr::from((0x2001_0DB8 << 96) + n)));
        let changed_addresses = [
            numbers,
            given(address(3), address(2)),
            given(address(1), address(4)),
            given(v6(1), v6(2)),
        ];
        for other in changed_addresses {
            assert!(moved(&other) > 0, "{hash:?}");
        }
    }
}
