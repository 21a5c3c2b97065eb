//! A stuck NIC, and the PFC watchdog that keeps it from stopping all others.

use crate::support::{column, flow, link, network, run};
use crate::{permanent_fault, roce};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::PortId;
use wirespeed_sim::model::faults::stuck_nic::StuckNic;
use wirespeed_sim::model::faults::{Fault, Kind};
use wirespeed_sim::model::parameters::{Watchdog, WatchdogAction};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::Scenario;
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND, MILLISECOND, NEVER};

const UNFINISHED: u64 = 0;
const COMPLETED: u64 = 1;
const FAILED: u64 = 2;

/// SONiC's terms, with a thousandth of its usual 200 ms, and polls in intervals so short that the queue
/// next to the storm is found before those behind it.
fn watchdog(action: WatchdogAction) -> Option<Watchdog> {
    Some(Watchdog {
        detection_ns: Nanoseconds(200_000),
        restoration_ns: Nanoseconds(200_000),
        poll_ns: Nanoseconds(10_000),
        action,
    })
}

/// Host 0 writes to host 2, which is stuck from 50 us to `until`, and host 1 to host 3: they share the link from switch 4 to
/// switch 5 alone.
fn storm(until: Picoseconds, watchdog: Option<Watchdog>) -> Scenario {
    let mut parameters = roce();
    parameters.transport.ack_timeout = 0;
    parameters.switch.slices = 1;
    parameters.pfc.watchdog = watchdog;
    let ends = [
        (0, 4, 100),
        (1, 4, 100),
        (4, 5, 200),
        (2, 5, 100),
        (3, 5, 100),
    ];
    let links = ends.map(|(a, b, gbps)| link(a, b, gbps, 500));
    let mut scenario = network(4, 2, links.to_vec(), parameters);
    scenario.buffer_bytes = vec![Bytes(2 << 20); 2];
    flow(&mut scenario, 0, 2, 8 << 20);
    flow(&mut scenario, 1, 3, 8 << 20);
    scenario.faults = vec![Fault {
        from: 50 * MICROSECOND,
        until,
        kind: Kind::StuckNic(StuckNic {
            port: PortId(6),
            priorities: 1 << 3,
        }),
    }];
    scenario
}

fn status(outcome: &Outcome) -> Vec<u64> {
    column(outcome, "flows", "status")
}

/// The only row of the table `watchdog`, in the order of its columns.
fn row(outcome: &Outcome) -> [u64; 7] {
    let names = [
        "port",
        "priority",
        "times_stuck",
        "times_recovered",
        "stuck_ps",
        "dropped_frames",
        "dropped_bytes",
    ];
    names.map(|name| {
        let values = column(outcome, "watchdog", name);
        assert_eq!(values.len(), 1, "{name}: {values:?}");
        values[0]
    })
}

fn end(outcome: &Outcome, flow: usize) -> Picoseconds {
    Picoseconds(column(outcome, "flows", "end_ps")[flow])
}

/// The same without a fault.
fn without_fault() -> Scenario {
    Scenario {
        faults: Vec::new(),
        ..storm(NEVER, None)
    }
}

/// Without a watchdog the storm spreads back to the senders, and stops unrelated flows.
#[test]
fn a_storm_stops_the_others() {
    assert_eq!(status(&run(without_fault())), [COMPLETED; 2]);
    let stuck = run(storm(NEVER, None));
    assert_eq!(status(&stuck), [UNFINISHED; 2]);
    assert_eq!(stuck.summary.drops, 0);
    // Both hosts are paused to the end.
    let (port, last) = (
        column(&stuck, "pauses", "port"),
        column(&stuck, "pauses", "end_ps"),
    );
    let to_the_end = |host_port: u64| {
        let mut rows = port.iter().zip(&last);
        rows.any(|row| row == (&host_port, &stuck.summary.end.0))
    };
    assert!(to_the_end(0) && to_the_end(2));
    assert_eq!(stuck.summary.deadlocks, 0, "a tree, not a circle");
    assert!(stuck.tables.iter().all(|table| table.name != "watchdog"));
}

/// After the end of a storm all traffic continues, delayed by its duration.
#[test]
fn a_storm_that_ends() {
    let passed = run(storm(550 * MICROSECOND, None));
    assert_eq!(status(&passed), [COMPLETED; 2]);
    let well = run(without_fault());
    let later = end(&passed, 0) - end(&well, 0);
    assert!((480..520).contains(&(later / MICROSECOND)), "{later}");
    assert_eq!(passed.summary.drops, 0);
}

/// The switch drops what is for the stuck host, and the other flow ends in time.
#[test]
fn drop_frees_the_others() {
    let outcome = run(storm(NEVER, watchdog(WatchdogAction::Drop)));
    assert_eq!(status(&outcome), [UNFINISHED, COMPLETED]);
    let [port, priority, stuck, recovered, for_ps, frames, bytes] = row(&outcome);
    assert_eq!((port, priority, stuck, recovered), (7, 3, 1, 0));
    // Paused from 52.5 us on; the first poll that finds it paused for 200 us is that at 260 us.
    assert_eq!(outcome.summary.end, 260 * MICROSECOND + Picoseconds(for_ps));
    assert!(frames > 100 && bytes > frames * 4_000, "{frames} {bytes}");
    assert_eq!(outcome.summary.watchdog_drops, frames);
    assert_eq!(outcome.summary.drops, 0);
    let well = run(without_fault());
    let later = end(&outcome, 1) - end(&well, 1);
    assert!(later < 300 * MICROSECOND, "{later}");
}

/// What was dropped is sent again once the storm is over and the queue has recovered.
#[test]
fn it_recovers() {
    let mut scenario = storm(MILLISECOND, watchdog(WatchdogAction::Drop));
    scenario.parameters.transport.ack_timeout = 6; // 0.26 ms
    let outcome = run(scenario);
    assert_eq!(status(&outcome), [COMPLETED; 2]);
    let [_, _, stuck, recovered, for_ps, ..] = row(&outcome);
    assert_eq!((stuck, recovered), (1, 1));
    // XON is obeyed after 1,002.5 us; the first poll that finds it free for 200 us is that at 1,210 us.
    assert_eq!(Picoseconds(for_ps), 950 * MICROSECOND);
    assert_eq!(outcome.summary.watchdog_recovered, 1);
    assert!(outcome.summary.retransmissions > 0);
}

/// PFC is not obeyed: a NIC that is stuck, but takes what it is sent, gets it.
#[test]
fn forward_ignores_the_storm() {
    let outcome = run(storm(NEVER, watchdog(WatchdogAction::Forward)));
    assert_eq!(status(&outcome), [COMPLETED; 2]);
    let [port, _, stuck, recovered, _, frames, bytes] = row(&outcome);
    assert_eq!((port, stuck, recovered, frames, bytes), (7, 1, 0, 0, 0));
    assert_eq!(outcome.summary.drops, 0);
}

/// Pauses that are shorter than the detection time are not its business.
#[test]
fn short_pauses_are_none_of_its() {
    let mut watched = storm(200 * MICROSECOND, watchdog(WatchdogAction::Drop));
    let unwatched = storm(200 * MICROSECOND, None);
    let (found, expected) = (run(watched.clone()), run(unwatched));
    assert!(column(&found, "watchdog", "port").is_empty());
    assert_eq!(found.tables[..5], expected.tables[..5]);
    // A storm that is longer than all retries fails the queue pair, not the run.
    watched.faults = vec![permanent_fault(watched.faults[0].kind.clone())];
    watched.parameters.transport.ack_timeout = 6;
    let outcome = run(watched);
    assert_eq!(status(&outcome), [FAILED, COMPLETED]);
}
