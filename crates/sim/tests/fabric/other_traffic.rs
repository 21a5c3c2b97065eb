//! RoCE beside the other traffic of a network: enhanced transmission selection (IEEE 802.1Q clause 37) gives each class its share.

use crate::bench::{plain, post_sends, queue, run_until, share};
use crate::support::{column, connect, link, network, post};
use wirespeed_sim::ids::{Priority, QueuePairId};
use wirespeed_sim::model::parameters::Parameters;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Service, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND, MILLISECOND};

const ROCE: u8 = 3;
const OTHER: u8 = 0;
/// Header through FCS of full frames: RoCE with 4096 bytes, TCP and UDP in packets of 1500 bytes.
const FULL: [u64; 2] = [4158, 1518];
const RATE: u64 = 100;

fn parameters(strict: u8, roce: u32, other: u32) -> Parameters {
    let mut parameters = plain();
    parameters.pfc.lossless_priorities = 1 << ROCE;
    parameters.scheduler.strict_priorities = strict;
    parameters.scheduler.weights[usize::from(ROCE)] = roce;
    parameters.scheduler.weights[usize::from(OTHER)] = other;
    parameters
}

/// Host 0 sends RoCE to the last host as fast as it may; the others have a connection of `service` to it.
fn mixed_traffic(parameters: Parameters, service: Service, other_hosts: u32) -> Scenario {
    let hosts = other_hosts + 2;
    let links = (0..hosts).map(|host| link(host, hosts, RATE, 500));
    let mut scenario = network(hosts, 1, links.collect(), parameters);
    share(&mut scenario, 1 << 14);
    let roce = connect(&mut scenario, 0, hosts - 1);
    post_sends(&mut scenario, roce, 20_000, 4096);
    for host in 1..=other_hosts {
        connect(&mut scenario, host, hosts - 1);
        let connection = scenario.connections.last_mut().unwrap();
        (connection.service, connection.priority) = (service, Priority(OTHER));
    }
    scenario
}

/// As much as it can of each of the others.
fn greedy(mut scenario: Scenario) -> Scenario {
    for connection in 1..scenario.connections.len() as u32 {
        post(
            &mut scenario,
            QueuePairId(2 * connection),
            Verb::Send,
            1 << 30,
            Picoseconds::ZERO,
        );
    }
    scenario
}

/// Bytes of RoCE and of the others that the port to the last host has sent.
fn sent_bytes(scenario: &Scenario, outcome: &Outcome) -> [u64; 2] {
    let port = 2 * scenario.hosts - 1;
    [ROCE, OTHER].map(|priority| queue(outcome, port, priority, "bytes"))
}

fn run_for(scenario: &Scenario, until: Picoseconds) -> (Outcome, [u64; 2]) {
    let outcome = run_until(scenario.clone(), until);
    let bytes = sent_bytes(scenario, &outcome);
    (outcome, bytes)
}

/// Two classes are never empty. Their shares between two times match the weights, within one turn of each: as many bytes as
/// the longest frame for the smallest weight. The lossless class loses nothing, the other class does.
#[test]
fn datagrams_take_their_share_and_no_more() {
    for (roce, other) in [(50, 50), (70, 30), (1, 4)] {
        let scenario = greedy(mixed_traffic(parameters(0, roce, other), Service::Udp, 1));
        let (outcome, late) = run_for(&scenario, MILLISECOND);
        let (_, early) = run_for(&scenario, MILLISECOND / 10);
        let [rdma, sockets] = [0, 1].map(|class| late[class] - early[class]);
        let (weights, least) = (f64::from(roce + other), f64::from(roce.min(other)));
        let expected = (rdma + sockets) as f64 * f64::from(roce) / weights;
        let turn = f64::from(roce.max(other)) / least * FULL[0] as f64 + FULL[0] as f64;
        assert!(
            (rdma as f64 - expected).abs() <= turn,
            "{rdma} of {expected}"
        );
        let drops = column(&outcome, "queues", "drops");
        let priorities = column(&outcome, "queues", "priority");
        let of = |class: u8| -> u64 {
            let rows = drops.iter().zip(&priorities);
            rows.filter(|(_, priority)| **priority == u64::from(class))
                .map(|(row, _)| row)
                .sum()
        };
        assert!(of(ROCE) == 0 && of(OTHER) > 0);
    }
}

/// TCP decreases or increases to the remaining rate: RoCE has the share of its weight at least, and
/// TCP most of its share.
#[test]
fn tcp_takes_its_share_and_no_more() {
    let shared = |roce, other| {
        let mut parameters = parameters(0, roce, other);
        parameters.sockets.least_rto_ns = Nanoseconds(1_000_000);
        let scenario = greedy(mixed_traffic(parameters, Service::Tcp, 8));
        let (outcome, late) = run_for(&scenario, 5 * MILLISECOND);
        let (_, early) = run_for(&scenario, MILLISECOND);
        assert!(outcome.summary.drops > 0 && outcome.summary.retransmissions > 0);
        let [rdma, sockets] = [0, 1].map(|class| (late[class] - early[class]) as f64);
        (
            rdma / (rdma + sockets),
            f64::from(roce) / f64::from(roce + other),
        )
    };
    for (roce, other) in [(50, 50), (70, 30), (20, 80)] {
        let (found, least) = shared(roce, other);
        let all = (4 * MILLISECOND).as_f64() * RATE as f64 / 8_000.0; // bytes of link in between
        let turn = 8.0 * FULL[0] as f64 / all;
        assert!(found >= least - turn, "{found} of {least}");
        assert!(found <= least + 0.1 * (1.0 - least), "{found} of {least}");
    }
}

/// In a strict priority the other class takes all, and RoCE starves; below one it takes what is left.
#[test]
fn strict_priority_starves_the_other() {
    for (strict, class) in [(1 << OTHER, 0), (1 << ROCE, 1)] {
        let scenario = greedy(mixed_traffic(parameters(strict, 50, 50), Service::Udp, 1));
        let (_, late) = run_for(&scenario, MILLISECOND);
        let (_, early) = run_for(&scenario, MILLISECOND / 10);
        assert!(
            late[class] - early[class] <= FULL[class],
            "{early:?} {late:?}"
        );
        assert!(late[1 - class] - early[1 - class] > 10_000_000);
    }
}

/// A source of constant rate, or one that is on and off, takes what it sends and RoCE the rest; without it, RoCE has all.
#[test]
fn a_background_takes_what_it_sends() {
    for (bytes, every) in [(1_472, MICROSECOND), (147_200, 100 * MICROSECOND)] {
        let mut scenario = mixed_traffic(parameters(0, 50, 50), Service::Udp, 1);
        for number in 0..MILLISECOND / every {
            post(
                &mut scenario,
                QueuePairId(2),
                Verb::Send,
                bytes,
                number * every,
            );
        }
        let (outcome, late) = run_for(&scenario, MILLISECOND);
        let (_, early) = run_for(&scenario, MILLISECOND / 10);
        let [rdma, sockets] = [0, 1].map(|class| late[class] - early[class]);
        assert_eq!(outcome.summary.drops, 0);
        assert!(sockets.abs_diff(900 * FULL[1]) <= FULL[1], "{sockets}"); // one frame each microsecond
        let wire = |bytes: u64, class: usize| bytes / FULL[class] * (FULL[class] + 20);
        let link = 900 * RATE * 1_000 / 8;
        let used = wire(rdma, 0) + wire(sockets, 1);
        assert!(used.abs_diff(link) <= 2 * FULL[0], "{used} of {link}");
    }
    let alone = mixed_traffic(parameters(0, 50, 50), Service::Udp, 1);
    let (_, [rdma, sockets]) = run_for(&alone, MILLISECOND);
    assert!(sockets == 0 && rdma > 12_000_000);
}
