//! The same bytes on any number of threads.

mod support;

#[allow(dead_code)] // used only by the ledger
#[path = "invariants/scenario_generator.rs"]
mod scenario_generator;

use proptest::prelude::*;
use scenario_generator::{scenario, Draws};
use support::{connect, draws, flow, link, network, post, preset, read};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::{self, Parameters as Congestion};
use wirespeed_sim::ids::{LinkId, NodeId, PortId, Priority, QueuePairId};
use wirespeed_sim::model::faults::link_down::{LinkDown, Links};
use wirespeed_sim::model::faults::slow_receiver::SlowReceiver;
use wirespeed_sim::model::faults::stuck_nic::StuckNic;
use wirespeed_sim::model::faults::{cnp, Fault, Kind};
use wirespeed_sim::model::parameters::{Balance, Pipe, Watchdog, WatchdogAction};
use wirespeed_sim::model::pcie::{Pcie, Reads};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Service, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND, NANOSECOND};
use wirespeed_sim::{Run, SerialReason, Simulation, Threads};

/// Parts, threads, and events at a time.
const THREAD_LAYOUTS: [(usize, usize, u64); 5] = [
    (1, 1, 1 << 16),
    (2, 2, 1 << 16),
    (3, 2, 997),
    (7, 1, 61),
    (7, 2, 1 << 16),
];

proptest! {
    #![proptest_config(draws(100))]

    /// Whatever is drawn, sampled, and ended early or not.
    #[test]
    fn any_network_is_the_same_in_parts(
        numbers in prop::collection::vec(any::<u32>(), 400),
        sampled in any::<bool>(),
        share in prop_oneof![Just(100u64), 0..100u64],
        layout in 0..THREAD_LAYOUTS.len(),
    ) {
        let mut scenario = scenario(&mut Draws::new(numbers));
        if sampled {
            scenario.observe.interval = 1_700 * NANOSECOND;
            scenario.observe.ports = (0..2 * scenario.links.len() as u32).rev().map(PortId).collect();
            scenario.observe.queue_pairs = vec![QueuePairId(1), QueuePairId(0)];
            scenario.observe.samples = 100;
        }
        let mut whole = run_simulation(&scenario);
        if share < 100 {
            scenario.until = whole.summary.end / 100 * share;
            whole = run_simulation(&scenario);
        }
        assert_equal_in_layout(&scenario, &whole, THREAD_LAYOUTS[layout]);
    }
}

/// Runs on every number of threads, in steps of several sizes, and compares all results.
fn assert_equal_in_all_layouts(scenario: &Scenario, expected: &Outcome) {
    for layout in THREAD_LAYOUTS {
        assert_equal_in_layout(scenario, expected, layout);
    }
}

fn assert_equal_in_layout(
    scenario: &Scenario,
    expected: &Outcome,
    (parts, threads, step): (usize, usize, u64),
) {
    let found = run_in_parts(scenario, Threads::Parts { parts, threads }, step).0;
    if found == *expected {
        return;
    }
    assert_eq!(found.summary, expected.summary, "in {parts} parts");
    for (found, expected) in found.tables.iter().zip(&expected.tables) {
        assert_eq!(found, expected, "in {parts} parts");
    }
    panic!("in {parts} parts: other tables");
}

fn run_simulation(scenario: &Scenario) -> Outcome {
    let mut simulation = Simulation::new(scenario.clone()).unwrap();
    while simulation.advance(1 << 16) {}
    let outcome = simulation.finish();
    outcome.assert_declared();
    outcome
}

/// The results of a run, and its number of parts at the beginning and at the end.
fn run_in_parts(scenario: &Scenario, threads: Threads, step: u64) -> (Outcome, [usize; 2]) {
    let mut run = Run::new(scenario.clone(), threads).unwrap();
    let first = run.parts();
    let mut previous = run.progress();
    while run.advance(step) {
        let now = run.progress();
        assert!(now.now >= previous.now && now.events > previous.events);
        previous = now;
    }
    let last = run.parts();
    (run.finish(), [first, last])
}

#[test]
fn the_common_scenarios() {
    for (name, cut) in [("S2", true), ("P1", true), ("S1", false)] {
        let scenario = read(name, 1);
        let whole = run_simulation(&scenario);
        assert_equal_in_all_layouts(&scenario, &whole);
        let parts = run_in_parts(&scenario, Threads::Exactly(2), 1 << 16).1;
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
        let mut predecessor = None;
        for round in 0..40 {
            let host = round % 8;
            let queue_pair = connect(&mut scenario, host, (host + 5) % 8);
            let operation = post(
                &mut scenario,
                queue_pair,
                Verb::Write,
                50_000,
                Picoseconds::ZERO,
            );
            let waiting = &mut scenario.operations[operation as usize];
            waiting.after = predecessor.into_iter().collect();
            waiting.delay = delay * NANOSECOND;
            predecessor = Some(operation);
        }
        let whole = run_simulation(&scenario);
        assert_eq!(whole.summary.completion.len(), 40);
        assert_equal_in_all_layouts(&scenario, &whole);
        let cut = run_in_parts(&scenario, Threads::Exactly(2), 1 << 16).1;
        assert_eq!(cut, [parts, parts], "{delay} ns");
    }
}

/// Six switches in a ring, where every switch waits for the next: the parts are joined before the end, and find it.
#[test]
fn a_deadlock_is_found_by_the_whole() {
    let mut parameters = preset("roce");
    parameters.congestion = Congestion::NONE;
    for ack_timeout in [0, 14] {
        parameters.transport.ack_timeout = ack_timeout;
        let hosts = (0..6).map(|n| link(n, 6 + n, 100, 1_000));
        let around = (0..6).map(|n| link(6 + n, 6 + (n + 1) % 6, 100, 1_000));
        let links = hosts.chain(around).collect();
        let mut scenario = network(6, 6, links, parameters.clone());
        scenario.buffer_bytes = vec![Bytes(900_000); 6];
        for n in 0..6 {
            for _ in 0..2 {
                flow(&mut scenario, n, (n + 2) % 6, 32 << 20);
            }
        }
        let whole = run_simulation(&scenario);
        assert_eq!(whole.summary.failed, 12);
        assert_equal_in_all_layouts(&scenario, &whole);
        let joined = run_in_parts(&scenario, Threads::Exactly(3), 1 << 16).1;
        assert_eq!(joined, [3, 1]);
    }
}

/// TCP that loses segments and UDP that takes the link over, beside RoCE, over two switches.
#[test]
fn sockets_cross_parts() {
    let mut parameters = preset("roce");
    parameters.sockets.least_rto_ns = Nanoseconds(1_000_000);
    parameters.switch.buffer_bytes = Bytes(2 << 20);
    let mut links = vec![link(4, 5, 100, 1_000)];
    links.extend((0..4).map(|host| link(host, 4 + host % 2, 100, 500)));
    let mut scenario = network(4, 2, links, parameters);
    for (source, target, service, bytes) in [
        (0, 1, Service::Rc, 1 << 20),
        (0, 3, Service::Tcp, 4 << 20),
        (2, 1, Service::Tcp, 4 << 20),
        (2, 3, Service::Udp, 1 << 20),
    ] {
        let id = connect(&mut scenario, source, target);
        let connection = &mut scenario.connections[id.connection()];
        connection.service = service;
        if service.of_sockets() {
            connection.priority = Priority(0);
        }
        post(&mut scenario, id, Verb::Send, bytes, Picoseconds::ZERO);
    }
    let whole = run_simulation(&scenario);
    assert!(whole.summary.retransmissions > 0 && whole.summary.completion.len() == 4);
    assert_equal_in_all_layouts(&scenario, &whole);
}

/// A run that ends before the network has drained has the tables of that moment.
#[test]
fn a_run_that_ends_early() {
    let mut scenario = read("P1", 1);
    for until in [1, 37_000_001, (200 * MICROSECOND).0] {
        scenario.until = Picoseconds(until);
        let whole = run_simulation(&scenario);
        assert_eq!(whole.summary.end, Picoseconds(until));
        assert_equal_in_all_layouts(&scenario, &whole);
    }
}

/// A capture contains both ends of a connection, so the run has one part.
#[test]
fn a_capture_is_not_cut() {
    let mut scenario = read("P1", 1);
    scenario.observe.captures = vec![PortId(1)];
    let captured = |threads| {
        let mut run = Run::new(scenario.clone(), Threads::Exactly(threads)).unwrap();
        while run.advance(100) {}
        (run.serial_reason(), run.take_captures())
    };
    let (alone, bytes) = captured(2);
    assert_eq!(alone, Some(SerialReason::Captures));
    assert!(bytes[0].len() > 1_000);
    assert_eq!(captured(1).1, bytes);
}

/// Two leaves of four hosts each and two spines, with marks and pauses.
fn leaves_and_spines() -> Scenario {
    let mut parameters = preset("roce");
    parameters.switch.buffer_bytes = Bytes(4 << 20);
    parameters.marking.reference_gbps = None;
    parameters.marking.kmin_bytes = Bytes(20_000);
    parameters.marking.kmax_bytes = Bytes(80_000);
    let hosts = (0..8).map(|host| link(host, 8 + host / 4, 100, 300));
    let up = [(8, 10), (8, 11), (9, 10), (9, 11)].map(|(a, b)| link(a, b, 100, 1_500));
    let mut scenario = network(8, 4, hosts.chain(up).collect(), parameters);
    for host in 0..7 {
        flow(&mut scenario, host, if host < 4 { 7 } else { 0 }, 300_000);
    }
    scenario
}

fn fault(kind: Kind) -> Fault {
    Fault {
        from: 20 * MICROSECOND,
        until: 90 * MICROSECOND,
        kind,
    }
}

/// What happens at fixed times, at one device, or goes along with frames does not keep a network in one.
#[test]
fn mechanisms_in_parts() {
    let algorithm = |name: &str| {
        let text = format!(r#"{{"algorithm": "{name}"}}"#);
        serde_json::from_str::<Congestion>(&text).unwrap()
    };
    let mut rows: Vec<(&str, Scenario)> = Vec::new();
    let mut row = |name, change: &dyn Fn(&mut Scenario)| {
        let mut scenario = leaves_and_spines();
        change(&mut scenario);
        rows.push((name, scenario));
    };
    for balance in [Balance::Spray, Balance::Flowlet, Balance::Adaptive] {
        row("paths", &|scenario| {
            scenario.parameters.ecmp.balance = balance;
            scenario.parameters.ecmp.flowlet_gap_ns = Nanoseconds(500);
        });
    }
    for name in congestion::names() {
        row(name, &|scenario| {
            scenario.parameters.congestion = algorithm(name)
        });
    }
    row("packets sprayed and trimmed", &|scenario| {
        scenario.parameters = support::ultra_ethernet();
        let trimming = scenario.parameters.switch.trimming.as_mut().unwrap();
        trimming.queue_ns = Some(Nanoseconds(1_000));
    });
    row("credit of receivers", &|scenario| {
        scenario.parameters = support::ultra_ethernet();
        scenario.parameters.congestion = algorithm("rccc");
        let trimming = scenario.parameters.switch.trimming.as_mut().unwrap();
        trimming.queue_ns = Some(Nanoseconds(1_000));
    });
    let link_down = |of| {
        fault(Kind::LinkDown(LinkDown {
            of,
            detection: 2 * MICROSECOND,
            convergence: 15 * MICROSECOND,
        }))
    };
    row("a link down", &|scenario| {
        scenario.faults = vec![link_down(Links::One(LinkId(8)))];
        scenario.parameters.transport.ack_timeout = 6;
    });
    row("a spine down", &|scenario| {
        scenario.faults = vec![link_down(Links::OfNode(NodeId(10)))];
        scenario.parameters.transport.ack_timeout = 6;
    });
    row("a stuck NIC and watchdogs", &|scenario| {
        let (port, priorities) = (
            support::port(scenario, 7),
            scenario.parameters.transport.priority.bit(),
        );
        scenario.faults = vec![fault(Kind::StuckNic(StuckNic {
            port: PortId(port),
            priorities,
        }))];
        scenario.parameters.pfc.watchdog = Some(Watchdog {
            detection_ns: Nanoseconds(5_000),
            restoration_ns: Nanoseconds(9_000),
            poll_ns: Nanoseconds(1_000),
            action: WatchdogAction::Drop,
        });
        scenario.parameters.transport.ack_timeout = 6;
    });
    row("a slow receiver", &|scenario| {
        scenario.parameters.nic.pipe = Some(Pipe {
            pcie: None,
            gbps: Some(100),
            latency_ns: Nanoseconds(300),
            receive_buffer_bytes: Bytes(1 << 20),
            xoff_bytes: Bytes(100_000),
            xon_bytes: Bytes(50_000),
        });
        let (port, rate) = (support::port(scenario, 0), 5_000_000_000);
        scenario.faults = vec![fault(Kind::SlowReceiver(SlowReceiver {
            port: PortId(port),
            rate,
        }))];
    });
    row("a narrow slot", &|scenario| {
        scenario.parameters.nic.pipe = Some(Pipe {
            pcie: Some(Pcie {
                generation: 3,
                width: 8,
                max_payload_bytes: Bytes(256),
                dllp_bytes: Some(Bytes(8)),
                ordered_writes: None,
                reads: Some(Reads {
                    tags: 16,
                    max_read_request_bytes: Bytes(512),
                    round_trip_ns: Nanoseconds(600),
                    read_completion_boundary_bytes: None,
                }),
            }),
            gbps: None,
            latency_ns: Nanoseconds(300),
            receive_buffer_bytes: Bytes(1 << 20),
            xoff_bytes: Bytes(100_000),
            xon_bytes: Bytes(50_000),
        });
    });
    row("CNPs lost and late", &|scenario| {
        let (port, delay) = (support::port(scenario, 7), 4 * MICROSECOND);
        let loss = cnp::Loss {
            link: LinkId(9),
            probability: 0.5,
        };
        scenario.faults = vec![
            fault(Kind::CnpLoss(loss)),
            fault(Kind::CnpDelay(cnp::Delay {
                port: PortId(port),
                delay,
            })),
        ];
    });
    for (name, scenario) in &rows {
        let whole = run_simulation(scenario);
        assert_eq!(whole.summary.failed, 0, "{name}");
        let (outcome, parts) = run_in_parts(scenario, Threads::Exactly(2), 1 << 16);
        assert_eq!(parts, [2, 2], "{name}");
        assert_eq!(outcome.summary, whole.summary, "{name}");
        assert_equal_in_all_layouts(scenario, &whole);
    }
    // What is switched on did happen.
    let summary = |name| {
        let (_, scenario) = rows.iter().find(|(found, _)| *found == name).unwrap();
        run_simulation(scenario).summary
    };
    assert!(summary("a spine down").losses > 0);
    assert!(summary("packets sprayed and trimmed").trims > 0);
    assert!(summary("a stuck NIC and watchdogs").watchdog_stuck > 0);
    assert!(summary("CNPs lost and late").cnp_frames > 10);
}

/// With `threads` as an upper limit, a small run uses one thread and a large run all; a serial run reports why.
#[test]
fn threads_are_taken_where_they_pay() {
    let threads = |name: &str, offered| {
        let run = Run::new(read(name, 1), Threads::AtMost(offered)).unwrap();
        (run.threads(), run.serial_reason())
    };
    assert_eq!(threads("P1", 2), (1, Some(SerialReason::Small)));
    assert_eq!(threads("S1L", 2), (1, Some(SerialReason::Indivisible)));
    assert_eq!(threads("S3", 1), (1, Some(SerialReason::OneThread)));
    assert_eq!(threads("S3", 2), (2, None));
    assert_eq!(threads("S3", 4), (4, None));
}

/// More processors than parts are possible: as many are taken as have something to do.
#[test]
fn more_threads_than_parts() {
    let mut scenario = leaves_and_spines();
    for operation in &mut scenario.operations {
        operation.bytes = Bytes(40 << 20);
    }
    for (offered, threads, parts) in [(2, 2, 4), (3, 3, 4), (4, 3, 4), (64, 3, 4), (5_000, 3, 4)] {
        let run = Run::new(scenario.clone(), Threads::AtMost(offered)).unwrap();
        assert_eq!((run.threads(), run.parts()), (threads, parts), "{offered}");
    }
}

/// One link that nearly all of the work is at; and traffic so thin that parts only meet.
#[test]
fn parts_that_do_not_pay_are_one_again() {
    let mut scenario = leaves_and_spines();
    scenario.operations.clear();
    for round in 0..4_000 {
        let bytes = if round == 3_999 { 2 << 30 } else { 100 };
        let queue_pair = 2 * (round % 7) as u32;
        post(
            &mut scenario,
            QueuePairId(queue_pair),
            Verb::Write,
            bytes,
            round * 20 * MICROSECOND,
        );
    }
    scenario.until = 75_000 * MICROSECOND;
    let mut run = Run::new(scenario.clone(), Threads::AtMost(2)).unwrap();
    assert_eq!(run.serial_reason(), None);
    while run.advance(1 << 16) {}
    assert_eq!(run.serial_reason(), Some(SerialReason::Idle));
    let whole = run_simulation(&scenario);
    assert_eq!(run.finish(), whole);
    // Half of the threads may have enough to do where all have not.
    for (offered, expected) in [(2, [2, 1].as_slice()), (3, &[3, 1])] {
        let mut run = Run::new(scenario.clone(), Threads::AtMost(offered)).unwrap();
        let mut threads = vec![run.threads()];
        while run.advance(1 << 12) {
            threads.push(run.threads());
        }
        threads.dedup();
        assert_eq!(threads, expected);
        assert_eq!(run.finish(), whole);
    }
}
