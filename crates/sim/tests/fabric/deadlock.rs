//! PFC deadlock: every switch of a ring waits for the next one. It never ends, but the run does.

use crate::support::{column, flow, link, network, preset, run};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion;
use wirespeed_sim::ids::PortId;
use wirespeed_sim::model::parameters::{Parameters, Pipe, Watchdog, WatchdogAction};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::Scenario;
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND, MILLISECOND, NANOSECOND, NEVER};
use wirespeed_sim::Simulation;

const UNFINISHED: u64 = 0;
const COMPLETED: u64 = 1;
const FAILED: u64 = 2;

/// All pauses are repeated, nothing slows down, and nothing is given up.
fn parameters() -> Parameters {
    let mut parameters = preset("roce");
    parameters.congestion = congestion::Parameters::NONE;
    parameters.transport.ack_timeout = 0;
    parameters
}

/// Six switches in a ring, a host at each, and two flows from each to the next but one: what enters by a link of the ring
/// leaves by the next, which closes a cycle of buffers.
fn ring(parameters: Parameters, closed: bool) -> Scenario {
    const SWITCHES: u32 = 6;
    let hosts = (0..SWITCHES).map(|n| link(n, SWITCHES + n, 100, 1_000));
    let around =
        (0..SWITCHES).map(|n| link(SWITCHES + n, SWITCHES + (n + 1) % SWITCHES, 100, 1_000));
    let mut scenario = network(
        SWITCHES,
        SWITCHES,
        hosts.chain(around).collect(),
        parameters,
    );
    scenario.buffer_bytes = vec![Bytes(900_000); SWITCHES as usize];
    for n in 0..SWITCHES - 2 * u32::from(!closed) {
        for _ in 0..2 {
            flow(&mut scenario, n, (n + 2) % SWITCHES, 32 << 20);
        }
    }
    scenario
}

/// The run, which must come to its end within `events`.
fn ends_within(scenario: Scenario, events: u64) -> Outcome {
    let mut simulation = Simulation::new(scenario).unwrap_or_else(|refused| panic!("{refused}"));
    assert!(!simulation.advance(events), "still going on");
    let outcome = simulation.finish();
    outcome.assert_declared();
    outcome
}

#[test]
fn a_run_in_deadlock_ends() {
    let outcome = ends_within(ring(parameters(), true), 1_000_000);
    assert_eq!(column(&outcome, "flows", "status"), vec![UNFINISHED; 12]);
    assert_eq!(outcome.summary.drops, 0);
    // The ring stands still before each flow sent 1 MiB, and a pause takes at most 65,535 quanta of 5.12 ns: after two of
    // that the run is over.
    let longest: Picoseconds = Picoseconds(65_535 * 5_120);
    let sent: u64 = column(&outcome, "queue_pairs", "packets").iter().sum();
    assert!(sent < 12 * 256, "{sent}");
    assert!(outcome.summary.end > longest, "{}", outcome.summary.end);
    let within = Picoseconds(256 * 12 * 4194 * 80) + 2 * longest;
    assert!(outcome.summary.end < within, "{}", outcome.summary.end);
    // Each waits for the next: the links of the ring are those from 6 to 11, cabled in its order.
    assert_eq!(circle(&outcome), [12, 14, 16, 18, 20, 22]);
    assert_eq!(column(&outcome, "deadlocks", "priority"), [3; 6]);
    assert_eq!(column(&outcome, "deadlocks", "node"), [6, 7, 8, 9, 10, 11]);
    assert_eq!(column(&outcome, "deadlocks", "peer"), [7, 8, 9, 10, 11, 6]);
    assert!(column(&outcome, "deadlocks", "bytes")
        .iter()
        .all(|value| *value > 0));
    assert_eq!(outcome.summary.deadlocks, 1);
    // All six links of the ring are paused to the end.
    let last = column(&outcome, "pauses", "end_ps").into_iter();
    assert!(last.filter(|end| *end == outcome.summary.end.0).count() >= 6);
}

/// The ports of the only circle, in its order.
fn circle(outcome: &Outcome) -> Vec<u64> {
    let circles = column(outcome, "deadlocks", "circle");
    assert!(circles.iter().all(|circle| *circle == 0), "{circles:?}");
    let positions: Vec<u64> = (0..circles.len() as u64).collect();
    assert_eq!(column(outcome, "deadlocks", "position"), positions);
    column(outcome, "deadlocks", "port")
}

/// A run that is cut off names it once it has stood for as long as a pause can take, and not before.
#[test]
fn a_deadlock_has_stood_for_a_while() {
    let longest: Picoseconds = Picoseconds(65_535 * 5_120);
    let cut = |until| {
        let mut scenario = ring(parameters(), true);
        scenario.parameters.transport.ack_timeout = 14;
        scenario.until = until;
        run(scenario)
    };
    // It has come to a standstill when each flow has sent at most 1 MiB.
    let storm_time = Picoseconds(256 * 12 * 4194 * 80);
    assert_eq!(cut(longest).summary.deadlocks, 0);
    assert_eq!(circle(&cut(storm_time + longest)).len(), 6);
}

/// Without quanta nothing is repeated: the run ends when nothing is left to happen, and the circle stands.
#[test]
fn pauses_without_end_are_named_too() {
    let mut parameters = parameters();
    (parameters.pfc.quanta, parameters.pfc.refresh_quanta) = (None, None);
    let outcome = ends_within(ring(parameters, true), 1_000_000);
    assert_eq!(circle(&outcome).len(), 6);
}

/// The ring with a watchdog in every switch, and 1 ms before a queue pair sends again.
fn run_with_watchdog(action: WatchdogAction) -> Outcome {
    let mut parameters = parameters();
    parameters.transport.ack_timeout = 8;
    parameters.pfc.watchdog = Some(Watchdog {
        detection_ns: Nanoseconds(400_000),
        restoration_ns: Nanoseconds(400_000),
        poll_ns: Nanoseconds(100_000),
        action,
    });
    let outcome = run(ring(parameters, true));
    assert_eq!(outcome.summary.deadlocks, 0);
    assert_eq!(
        column(&outcome, "watchdog", "port"),
        [12, 14, 16, 18, 20, 22],
        "the queues of the ring, and no other"
    );
    outcome
}

/// A switch that sends although the next one has no free buffer breaks the circle; sometimes no packet is lost.
#[test]
fn a_watchdog_that_forwards_breaks_it() {
    let outcome = run_with_watchdog(WatchdogAction::Forward);
    assert_eq!(column(&outcome, "flows", "status"), vec![COMPLETED; 12]);
    assert_eq!(column(&outcome, "watchdog", "times_stuck"), [1; 6]);
    assert_eq!(outcome.summary.watchdog_drops, 0);
}

/// Dropping frees all switches at once, and all hosts send again at once: it forms anew each time, until they give up.
#[test]
fn a_watchdog_that_drops_in_step_only_delays_the_end() {
    let outcome = run_with_watchdog(WatchdogAction::Drop);
    assert_eq!(column(&outcome, "flows", "status"), vec![FAILED; 12]);
    let stuck = column(&outcome, "watchdog", "times_stuck");
    assert!(stuck.iter().all(|times| *times >= 8), "{stuck:?}");
    assert_eq!(column(&outcome, "watchdog", "times_recovered"), stuck);
    let dropped = column(&outcome, "watchdog", "dropped_frames");
    assert_eq!(outcome.summary.watchdog_drops, dropped.iter().sum::<u64>());
}

#[test]
fn sampling_does_not_keep_it_going() {
    let mut scenario = ring(parameters(), true);
    scenario.observe.interval = 10 * MICROSECOND;
    scenario.observe.ports = vec![PortId(12)];
    let outcome = ends_within(scenario, 1_000_000);
    assert_eq!(column(&outcome, "flows", "status"), vec![UNFINISHED; 12]);
}

/// 67 ms eight times over, then the queue pairs fail; the frames between the switches stay where they are.
#[test]
fn timeouts_come_first() {
    let mut parameters = parameters();
    parameters.transport.ack_timeout = 14;
    let outcome = ends_within(ring(parameters, true), 1_000_000);
    assert_eq!(column(&outcome, "flows", "status"), vec![FAILED; 12]);
    assert!(outcome.summary.end.0 > (8 * 4_096 * NANOSECOND).0 << 14);
}

/// Without the flows that close the cycle.
#[test]
fn an_open_ring_completes() {
    let outcome = run(ring(parameters(), false));
    assert_eq!(column(&outcome, "flows", "status"), vec![COMPLETED; 8]);
    assert_eq!(outcome.summary.deadlocks, 0);
}

/// A receive buffer that takes 64 ms to drain is no deadlock, though nothing starts and pauses are repeated all the time.
#[test]
fn a_long_pause_is_none() {
    let mut parameters = parameters();
    parameters.nic.pipe = Some(Pipe {
        pcie: None,
        gbps: Some(1),
        latency_ns: Nanoseconds(0),
        receive_buffer_bytes: Bytes(16 << 20),
        xoff_bytes: Bytes(8_000_000),
        xon_bytes: Bytes(0),
    });
    // Fetching is as slow; the other host has none of it.
    let mut scenario = network(
        3,
        1,
        (0..3).map(|n| link(n, 3, 100, 1_000)).collect(),
        parameters,
    );
    scenario.until = NEVER;
    for _ in 0..2 {
        flow(&mut scenario, 0, 2, 16 << 20);
        flow(&mut scenario, 1, 2, 16 << 20);
    }
    let outcome = run(scenario);
    assert_eq!(column(&outcome, "flows", "status"), vec![COMPLETED; 4]);
    let starts = column(&outcome, "pauses", "start_ps");
    let ends = column(&outcome, "pauses", "end_ps");
    assert_eq!(outcome.summary.deadlocks, 0);
    let longest = starts
        .iter()
        .zip(&ends)
        .map(|(start, end)| end - start)
        .max();
    assert!(longest > Some((60 * MILLISECOND).0), "{longest:?}");
}
