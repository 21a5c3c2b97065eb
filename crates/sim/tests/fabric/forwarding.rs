//! Forwarding at run time: flowlets, spraying, adaptive choice, routes given by hand.

use crate::bench::{lossy, plain, post_sends, share};
use crate::multipath::{fat_tree, frames, leaves, parallel_flows};
use crate::support::{column, connect, draws, flow, link, network, port, post, run};
use proptest::prelude::*;
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::{NodeId, PortId};
use wirespeed_sim::model::parameters::{Balance, Parameters, Recovery, Reordering, Spray};
use wirespeed_sim::model::scenario::{Route, Scenario, Verb};
use wirespeed_sim::time::{Nanoseconds, MICROSECOND};

const COMPLETED: u64 = 1;

/// A route equal to the computed one: the last switch sends to the host.
fn redundant_route(scenario: &Scenario, host: u32) -> Route {
    let last_hop = PortId(port(scenario, host)).peer();
    Route {
        node: scenario.node_of(last_hop),
        destination: NodeId(host),
        ports: vec![last_hop],
    }
}

/// Two leaves below `spines` spines, and one connection of `packets` sends of one packet.
fn one_flow(spines: u32, packets: u64, balance: Balance) -> Scenario {
    let mut scenario = leaves(spines);
    scenario.parameters.ecmp.balance = balance;
    let queue_pair = connect(&mut scenario, 0, 1);
    post_sends(&mut scenario, queue_pair, 1, packets * 4096);
    scenario
}

/// Per-flow hashing during the run selects the same paths as hashing before the run.
#[test]
fn per_flow_paths_are_the_same_whenever_chosen() {
    for parameters in [plain(), crate::support::preset("hpcc")] {
        let mut scenario = fat_tree(parameters);
        for host in 0..16 {
            flow(&mut scenario, host, (host + 7) % 16, 50 * 4096);
        }
        let expected = run(scenario.clone());
        scenario.routes = vec![redundant_route(&scenario, 3)];
        let found = run(scenario);
        assert!(expected.tables == found.tables && expected.summary == found.summary);
    }
}

/// Round robin uses every equal path within one packet; by flow there is one path.
#[test]
fn spraying_takes_turns() {
    for (spines, packets) in [(2, 1_001), (4, 1_001), (7, 48), (16, 5)] {
        let by_flow = frames(&run(one_flow(spines, packets, Balance::Flow)), spines);
        assert_eq!(by_flow.iter().filter(|count| **count > 0).count(), 1);
        let sprayed = run(one_flow(spines, packets, Balance::Spray));
        assert_eq!(column(&sprayed, "flows", "status"), [COMPLETED]);
        let each = frames(&sprayed, spines);
        assert_eq!(each.iter().sum::<u64>(), packets);
        let (least, most) = (each.iter().min().unwrap(), each.iter().max().unwrap());
        assert!(most - least <= 1, "{each:?}");
    }
}

proptest! {
    #![proptest_config(draws(48))]

    /// Whatever flows cross: every equal port of a switch is used in turn, also for acknowledgements.
    #[test]
    fn every_equal_path_has_its_turn(
        spines in 1u32..9,
        flows in prop::collection::vec((any::<bool>(), 1u64..200_000), 1..8),
        seed: u64,
    ) {
        let mut scenario = leaves(spines);
        scenario.seed = seed;
        scenario.parameters.ecmp.balance = Balance::Spray;
        for (back, bytes) in flows {
            let (from, to) = if back { (1, 0) } else { (0, 1) };
            flow(&mut scenario, from, to, bytes);
        }
        let all = column(&run(scenario), "ports", "frames");
        for leaf in [0, 2] {
            let up: Vec<u64> = (0..spines as usize).map(|spine| all[4 + 4 * spine + leaf]).collect();
            let (least, most) = (up.iter().min().unwrap(), up.iter().max().unwrap());
            prop_assert!(most - least <= 1, "{:?}", up);
        }
    }
}

/// At random each of n packets falls on one of k ports with 1/k, by the seed.
#[test]
fn spraying_at_random_is_fair() {
    const PACKETS: u64 = 4_096;
    let mut found = Vec::new();
    for seed in [1, 2] {
        let mut scenario = one_flow(4, PACKETS, Balance::Spray);
        scenario.parameters.ecmp.spray = Spray::Random;
        scenario.seed = seed;
        let each = frames(&run(scenario), 4);
        assert_eq!(each.iter().sum::<u64>(), PACKETS);
        // Mean 1024, standard deviation sqrt(4096 x 1/4 x 3/4) = 27.7.
        assert!(
            each.iter().all(|count| count.abs_diff(1_024) < 111),
            "{each:?}"
        );
        found.push(each);
    }
    assert_ne!(found[0], found[1]);
}

/// Packets overtake each other on paths of unequal length, and go-back-N treats that as loss.
#[test]
fn go_back_n_does_not_bear_spraying() {
    for (balance, overtaken) in [(Balance::Flow, false), (Balance::Spray, true)] {
        let mut scenario = one_flow(2, 400, balance);
        scenario.links[2].delay = 3 * MICROSECOND;
        let outcome = run(scenario);
        assert_eq!(column(&outcome, "flows", "status"), [COMPLETED]);
        let naks: u64 = column(&outcome, "queue_pairs", "naks_sent").iter().sum();
        let retransmissions = outcome.summary.retransmissions;
        assert_eq!(
            (naks > 0, retransmissions > 0),
            (overtaken, overtaken),
            "{balance:?}"
        );
        assert_eq!(outcome.summary.drops + outcome.summary.losses, 0);
        let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
        assert_eq!(delivered, [0, 400 * 4096]);
    }
}

/// One packet every 10 us: with a gap below that, each is a separate flowlet; with a gap above, all are one.
#[test]
fn a_flowlet_ends_with_a_pause() {
    let uplinks = |balance, gap_ns| {
        let mut scenario = leaves(4);
        scenario.parameters.ecmp.balance = balance;
        scenario.parameters.ecmp.flowlet_gap_ns = gap_ns;
        scenario.parameters.ecmp.adaptive_gap_ns = gap_ns;
        let queue_pair = connect(&mut scenario, 0, 1);
        for n in 0..400 {
            post(
                &mut scenario,
                queue_pair,
                Verb::Send,
                64,
                n * 10 * MICROSECOND,
            );
        }
        frames(&run(scenario), 4)
    };
    for balance in [Balance::Flowlet, Balance::Adaptive] {
        let apart = uplinks(balance, Nanoseconds(9_000));
        // Mean 100, standard deviation sqrt(400 x 1/4 x 3/4) = 8.7.
        assert!(
            apart.iter().all(|count| count.abs_diff(100) < 36),
            "{apart:?}"
        );
        let mut counts = uplinks(balance, Nanoseconds(11_000));
        counts.sort_unstable();
        assert_eq!(counts, [0, 0, 0, 400], "{balance:?}");
    }
}

/// An uplink of a tenth of the rate: turns give it half of the packets, the choice by queues what it can carry.
#[test]
fn adaptive_choice_spares_a_slow_link() {
    const COUNT: u32 = 2_000;
    let carried = |balance| {
        let mut scenario = leaves(2);
        scenario.links[2].rate /= 10;
        scenario.parameters.ecmp.balance = balance;
        for _ in 0..COUNT {
            flow(&mut scenario, 0, 1, 4_096); // a connection for each packet: none has an order
        }
        let outcome = run(scenario);
        assert_eq!(outcome.summary.drops, 0);
        (frames(&outcome, 2)[0], outcome.summary.end)
    };
    let (sprayed, late) = carried(Balance::Spray);
    let (adaptive, early) = carried(Balance::Adaptive);
    assert_eq!(sprayed, u64::from(COUNT) / 2);
    // One in eleven is the share of the slow path; packets that wait on it at the end are added.
    let share = u64::from(COUNT) / 11;
    assert!(
        (share / 2..share + 40).contains(&adaptive),
        "{adaptive} of {share}"
    );
    assert!(early * 4 < late, "{early} {late}");
}

/// A ring of five switches with a host at each; hosts send to the next but one, over `around` further switches.
fn ring(parameters: Parameters, long_path: bool) -> Scenario {
    const COUNT: u32 = 5;
    let hosts = (0..COUNT).map(|n| link(n, COUNT + n, 100, 1_000));
    let around = (0..COUNT).map(|n| link(COUNT + n, COUNT + (n + 1) % COUNT, 100, 1_000));
    let mut scenario = network(COUNT, COUNT, hosts.chain(around).collect(), parameters);
    scenario.buffer_bytes = vec![Bytes(900_000); COUNT as usize];
    for n in 0..COUNT {
        // Backwards it is two links, forwards three.
        let to = (n + 3) % COUNT;
        for _ in 0..2 {
            flow(&mut scenario, n, to, 32 << 20);
        }
        for step in (0..3).filter(|_| long_path) {
            let node = COUNT + (n + step) % COUNT;
            scenario.routes.push(Route {
                node: NodeId(node),
                destination: NodeId(to),
                ports: vec![PortId(2 * (COUNT + (n + step) % COUNT))],
            });
        }
    }
    scenario
}

/// Routes given by hand close a cycle of buffers where the shortest paths have enough room in two directions.
#[test]
fn routes_by_hand_can_lock_a_ring() {
    let mut parameters = crate::support::preset("roce");
    parameters.congestion = wirespeed_sim::congestion::Parameters::NONE;
    parameters.transport.ack_timeout = 0;
    let locked = run(ring(parameters.clone(), true));
    assert_eq!(column(&locked, "flows", "status"), [0; 10]);
    assert_eq!(locked.summary.drops, 0);
    let mut short = ring(parameters, true);
    short.connections.truncate(4);
    short.operations.truncate(4);
    assert_eq!(column(&run(short), "flows", "status"), [COMPLETED; 4]);
}

/// Packets take the long path: every data packet passes four switches instead of three.
#[test]
fn routes_by_hand_are_taken() {
    for (long_path, switches) in [(false, 3), (true, 4)] {
        let mut scenario = ring(plain(), long_path);
        scenario.buffer_bytes.fill(Bytes(16 << 20));
        scenario.operations.truncate(1);
        scenario.operations[0].bytes = Bytes(10 * 4_096);
        let outcome = run(scenario);
        assert_eq!(outcome.summary.failed, 0);
        // The acknowledgement goes to a host for which some switches have long routes too.
        let data: Vec<u64> = column(&outcome, "ports", "frames");
        let on_ring: u64 = (5..10).map(|cable| data[2 * cable]).sum();
        let back: u64 = (5..10).map(|cable| data[2 * cable + 1]).sum();
        match long_path {
            true => assert_eq!(on_ring, 10 * (switches - 1) + on_ring % 10),
            false => assert_eq!((on_ring, back), (2, 20)),
        }
    }
}

/// Two switches that send a host's packets to each other: each packet ends after 63 switches, as one with a TTL of 64 does.
#[test]
fn a_loop_ends_packets_by_their_ttl() {
    let links = vec![link(0, 2, 100, 0), link(1, 3, 100, 0), link(2, 3, 100, 0)];
    let mut scenario = network(2, 2, links, lossy());
    share(&mut scenario, 1 << 20);
    scenario.routes = vec![Route {
        node: NodeId(3),
        destination: NodeId(1),
        ports: vec![PortId(5)],
    }];
    let queue_pair = connect(&mut scenario, 0, 1);
    post_sends(&mut scenario, queue_pair, 7, 64);
    let outcome = run(scenario);
    let summary = &outcome.summary;
    assert_eq!((summary.unroutable, summary.drops), (7, 7));
    assert_eq!(summary.hops, 7 * 64);
    assert_eq!(column(&outcome, "flows", "status"), [0; 7]);
}

/// All pairs of a fat tree reach each other, whatever port each packet is sprayed to.
#[test]
fn spraying_reaches_everyone_in_a_fat_tree() {
    let mut scenario = fat_tree(lossy());
    share(&mut scenario, 1 << 20);
    scenario.parameters.ecmp.balance = Balance::Spray;
    for from in 0..16 {
        for to in (0..16).filter(|to| *to != from) {
            flow(&mut scenario, from, to, 64);
        }
    }
    let outcome = run(scenario);
    assert_eq!((outcome.summary.failed, outcome.summary.unroutable), (0, 0));
}

/// Turns are taken by all flows together: a hundred flows of a packet each are as even as one of a hundred.
#[test]
fn spraying_is_even_over_flows() {
    let mut scenario = parallel_flows(4, 100);
    scenario.parameters.ecmp.balance = Balance::Spray;
    assert_eq!(frames(&run(scenario), 4), [25; 4]);
}

/// Go-back-N takes reordering for loss. Selective repeat that waits for late packets sends nothing again.
#[test]
fn tolerance_of_reordering_bears_spraying() {
    for (reordering, retransmits) in [
        (Reordering::None {}, true),
        (
            Reordering::Time {
                ns: Nanoseconds(20_000),
            },
            false,
        ),
    ] {
        let mut scenario = one_flow(2, 400, Balance::Spray);
        scenario.links[2].delay = 3 * MICROSECOND;
        scenario.parameters.transport.recovery = Recovery::SelectiveRepeat;
        scenario.parameters.transport.reordering = reordering.clone();
        let outcome = run(scenario);
        assert_eq!(column(&outcome, "flows", "status"), [COMPLETED]);
        assert_eq!(
            outcome.summary.retransmissions > 0,
            retransmits,
            "{reordering:?}"
        );
        let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
        assert_eq!(delivered, [0, 400 * 4096]);
    }
}
