//! The same bytes on any number of threads.
//!
//! The draws are the same each time; WIRESPEED_EXPLORE=1 makes new and many more.

mod support;

#[allow(dead_code)] // what only the ledger asks
#[path = "invariants/drawn.rs"]
mod drawn;

use drawn::{scenario, Draws};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use support::{connect, flow, link, network, post, preset};
use wirespeed_sim::congestion::Parameters as Congestion;
use wirespeed_sim::reader;
use wirespeed_sim::results::Outcome;
use wirespeed_sim::scenario::{Scenario, Verb};
use wirespeed_sim::time::{MICROSECOND, NANOSECOND};
use wirespeed_sim::{Run, Simulation, Threads};

/// Parts, threads, and events at a time.
const WAYS: [(usize, usize, u64); 5] = [
    (1, 1, 1 << 16),
    (2, 2, 1 << 16),
    (3, 1, 997),
    (7, 1, 61),
    (7, 2, 1 << 16),
];

fn config() -> ProptestConfig {
    let explore = std::env::var_os("WIRESPEED_EXPLORE").is_some();
    ProptestConfig {
        cases: if explore { 5_000 } else { 100 },
        rng_seed: match explore {
            true => RngSeed::Random,
            false => RngSeed::Fixed(1),
        },
        failure_persistence: None,
        max_shrink_iters: 400,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    /// Whatever is drawn, sampled, and ended early or not.
    #[test]
    fn any_network_is_the_same_in_parts(
        numbers in prop::collection::vec(any::<u32>(), 400),
        sampled in any::<bool>(),
        share in prop_oneof![Just(100u64), 0..100u64],
        way in 0..WAYS.len(),
    ) {
        let mut scenario = scenario(&mut Draws::new(numbers));
        if sampled {
            scenario.observe.interval = 1_700 * NANOSECOND;
            scenario.observe.ports = (0..2 * scenario.links.len() as u32).rev().collect();
            scenario.observe.queue_pairs = vec![1, 0];
            scenario.observe.samples = 100;
        }
        let mut whole = in_one(&scenario);
        if share < 100 {
            scenario.until = whole.summary.end / 100 * share;
            whole = in_one(&scenario);
        }
        same_in(&scenario, &whole, WAYS[way]);
    }
}

/// Runs on every number of threads, in steps of several sizes, and compares all there is to compare.
fn same(scenario: &Scenario, expected: &Outcome) {
    for way in WAYS {
        same_in(scenario, expected, way);
    }
}

fn same_in(scenario: &Scenario, expected: &Outcome, (parts, threads, step): (usize, usize, u64)) {
    let found = in_parts(scenario, Threads::Parts { parts, threads }, step).0;
    if found == *expected {
        return;
    }
    assert_eq!(found.summary, expected.summary, "in {parts} parts");
    for (found, expected) in found.tables.iter().zip(&expected.tables) {
        assert_eq!(found, expected, "in {parts} parts");
    }
    panic!("in {parts} parts: other tables");
}

fn in_one(scenario: &Scenario) -> Outcome {
    let mut simulation = Simulation::new(scenario.clone()).unwrap();
    while simulation.advance(1 << 16) {}
    simulation.finish()
}

/// What came of it, and in how many parts it was at the beginning and at the end.
fn in_parts(scenario: &Scenario, threads: Threads, step: u64) -> (Outcome, [usize; 2]) {
    let mut run = Run::new(scenario.clone(), threads).unwrap();
    let first = run.parts();
    let mut before = run.progress();
    while run.advance(step) {
        let now = run.progress();
        assert!(now.now >= before.now && now.events > before.events);
        before = now;
    }
    let last = run.parts();
    (run.finish(), [first, last])
}

fn read(name: &str) -> Scenario {
    let root = env!("CARGO_MANIFEST_DIR");
    let text = std::fs::read_to_string(format!("{root}/../../examples/simulator/{name}.json"));
    reader::read(&text.unwrap(), "hpcc", 1).unwrap()
}

#[test]
fn the_common_scenarios() {
    for (name, cut) in [("S2", true), ("P1", true), ("S1", false)] {
        let scenario = read(name);
        let whole = in_one(&scenario);
        same(&scenario, &whole);
        let parts = in_parts(&scenario, Threads::Exactly(2), 1 << 16).1;
        assert_eq!(parts, if cut { [2, 2] } else { [1, 1] }, "{name}");
    }
}

/// An operation at one host waits for one at another: within the same instant they must be in one part, with a delay not.
#[test]
fn operations_wait_across_hosts() {
    for (delay, parts) in [(0, 1), (500, 2), (3_000, 2)] {
        let mut links: Vec<_> = (0..8)
            .map(|host| link(host, 8 + host / 4, 100, 500))
            .collect();
        links.push(link(8, 9, 400, 2_000));
        let mut scenario = network(8, 2, links, preset("roce"));
        let mut before = None;
        for round in 0..40 {
            let host = round % 8;
            let queue_pair = connect(&mut scenario, host, (host + 5) % 8);
            let operation = post(&mut scenario, queue_pair, Verb::Write, 50_000, 0);
            let waiting = &mut scenario.operations[operation as usize];
            waiting.after = before.into_iter().collect();
            waiting.delay = delay * NANOSECOND;
            before = Some(operation);
        }
        let whole = in_one(&scenario);
        assert_eq!(whole.summary.completion.len(), 40);
        same(&scenario, &whole);
        let cut = in_parts(&scenario, Threads::Exactly(2), 1 << 16).1;
        assert_eq!(cut, [parts, parts], "{delay} ns");
    }
}

/// Six switches in a ring, where every switch waits for the next: the parts are joined before the end, and find it.
#[test]
fn a_deadlock_is_found_by_the_whole() {
    let mut parameters = preset("roce");
    parameters.congestion = Congestion::LineRate {};
    for ack_timeout in [0, 14] {
        parameters.transport.ack_timeout = ack_timeout;
        let hosts = (0..6).map(|n| link(n, 6 + n, 100, 1_000));
        let around = (0..6).map(|n| link(6 + n, 6 + (n + 1) % 6, 100, 1_000));
        let links = hosts.chain(around).collect();
        let mut scenario = network(6, 6, links, parameters.clone());
        scenario.buffer_bytes = vec![900_000; 6];
        for n in 0..6 {
            for _ in 0..2 {
                flow(&mut scenario, n, (n + 2) % 6, 32 << 20);
            }
        }
        let whole = in_one(&scenario);
        assert_eq!(whole.summary.failed, 12);
        same(&scenario, &whole);
        let joined = in_parts(&scenario, Threads::Exactly(3), 1 << 16).1;
        assert_eq!(joined, [3, 1]);
    }
}

/// A run that ends before the network has drained has the tables of that moment.
#[test]
fn a_run_that_ends_early() {
    let mut scenario = read("P1");
    for until in [1, 37_000_001, 200 * MICROSECOND] {
        scenario.until = until;
        let whole = in_one(&scenario);
        assert_eq!(whole.summary.end, until);
        same(&scenario, &whole);
    }
}

/// What is captured tells of both ends of a connection, and runs in one.
#[test]
fn a_capture_is_not_cut() {
    let mut scenario = read("P1");
    scenario.observe.captures = vec![1];
    let captured = |threads| {
        let mut run = Run::new(scenario.clone(), Threads::Exactly(threads)).unwrap();
        while run.advance(100) {}
        (run.threads(), run.captured())
    };
    let (threads, bytes) = captured(2);
    assert_eq!(threads, 1);
    assert!(bytes[0].len() > 1_000);
    assert_eq!(captured(1).1, bytes);
}

/// Where threads are only offered, a small run takes one, and a large one keeps them.
#[test]
fn threads_are_taken_where_they_pay() {
    let threads = |name: &str, offered| {
        let run = Run::new(read(name), Threads::AtMost(offered)).unwrap();
        run.threads()
    };
    assert_eq!(threads("P1", 2), 1, "few events");
    assert_eq!(threads("S1L", 2), 1, "one switch");
    assert_eq!(threads("S3", 1), 1, "one was offered");
    assert_eq!(threads("S3", 2), 2);
    assert_eq!(threads("S3", 4), 4);
}
