//! What holds in every run, over small networks, settings and traffic drawn at random.

mod support;

#[path = "invariants/ledger.rs"]
mod ledger;
#[path = "invariants/scenario_generator.rs"]
mod scenario_generator;

use ledger::Ledger;
use proptest::prelude::*;
use scenario_generator::{scenario, Draws};
use support::{column, draws};
use wirespeed_sim::ids::PortId;
use wirespeed_sim::mechanisms::chance;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::Scenario;
use wirespeed_sim::Simulation;

/// This number of events without a byte delivered or an operation ended means that a run does not end.
const MOST_EVENTS: u64 = 5_000_000;

proptest! {
    #![proptest_config(draws(400))]

    #[test]
    fn every_run_adds_up(scenario in any_scenario()) {
        let outcome = run_with_progress_checks(&scenario);
        let ledger = Ledger { scenario: &scenario, outcome: &outcome };
        ledger.totals_are_the_sums_of_tables();
        ledger.operations_end_in_time_and_in_order();
        ledger.payload_arrives_once();
        ledger.switches_keep_nothing();
        ledger.every_pause_is_received();
        ledger.nothing_is_dropped_where_nothing_may_be();
        ledger.packets_are_those_posted();
        ledger.nothing_is_sent_without_credit();
    }
}

/// What the draws are to bring about, they do, each in ten runs of 1000 or more.
#[test]
fn the_draws_reach_everything() {
    let mut reached = [0; 22];
    for run in 0..1000 {
        let numbers = (0..400).map(|n| chance::mix(1_000 * run + n) as u32);
        let scenario = scenario(&mut Draws::new(numbers.collect()));
        let outcome = run_with_progress_checks(&scenario);
        let sum = |table: &str, name: &str| column(&outcome, table, name).iter().sum::<u64>();
        let (summary, switches) = (&outcome.summary, scenario.hosts..scenario.nodes());
        let paused = column(&outcome, "pauses", "port");
        let switch = &scenario.parameters.switch;
        let (divided, shared) = (switch.pools, switch.shared_headroom);
        let counts = [
            summary.pfc_pauses,
            sum("queues", "xoff_refreshed"),
            sum("queues", "max_headroom_bytes"),
            // A NIC whose host is too slow pauses its switch.
            u64::from(
                paused
                    .iter()
                    .any(|port| switches.contains(&scenario.node_of(PortId(*port as u32)).0)),
            ),
            sum("queues", "drops"),
            summary.losses,
            summary.retransmissions,
            sum("queue_pairs", "naks_sent"),
            sum("queue_pairs", "timeouts"),
            summary.failed,
            summary.ecn_marks,
            summary.cnp_frames,
            // By noise alone.
            summary.losses * u64::from(scenario.links.iter().all(|link| link.loss == 0.0)),
            summary.watchdog_stuck,
            summary.watchdog_recovered,
            summary.watchdog_drops,
            summary.unroutable,
            summary.port_down_drops,
            // Frames waited where they came in, more than one at a time.
            outcome
                .tables
                .iter()
                .filter(|table| table.name == "voqs")
                .count() as u64
                * summary.pfc_pauses,
            summary.trims,
            // In headroom that is shared; in a buffer of two pools.
            shared.map_or(0, |_| sum("queues", "max_headroom_bytes")),
            divided.map_or(0, |_| sum("queues", "drops")),
            divided.map_or(0, |_| summary.pfc_pauses),
        ];
        for (reached, count) in reached.iter_mut().zip(counts) {
            *reached += u32::from(count > 0);
        }
    }
    assert!(reached.iter().all(|runs| *runs >= 10), "{reached:?}");
}

fn any_scenario() -> impl Strategy<Value = Scenario> {
    let numbers = prop::collection::vec(any::<u32>(), 400);
    numbers.prop_map(|numbers| scenario(&mut Draws::new(numbers)))
}

/// Runs to the end, looking at the network now and then.
fn run_with_progress_checks(scenario: &Scenario) -> Outcome {
    let mut simulation = Simulation::new(scenario.clone()).unwrap();
    let mut previous = simulation.progress();
    let mut last = previous;
    loop {
        let more = simulation.advance(997);
        let progress = simulation.progress();
        assert!(progress.now >= previous.now, "time goes back");
        assert!(progress.completed >= previous.completed && progress.hops >= previous.hops);
        if (progress.delivered_bytes, progress.completed) != (last.delivered_bytes, last.completed)
        {
            last = progress;
        }
        let idle = progress.events - last.events;
        assert!(idle < MOST_EVENTS, "it does not end: {progress:?}");
        previous = progress;

        let standing = simulation.occupancy();
        assert!(standing.shared_cells <= standing.pool_cells, "{standing:?}");
        assert!(standing.shared_cells <= standing.cells, "{standing:?}");
        let shares = scenario.parameters.switch.shared_headroom.is_some();
        let filled = if shares { standing.headroom_cells } else { 0 };
        assert_eq!(standing.shared_headroom_cells, filled, "{standing:?}");
        if !more {
            let left = [standing.frames, standing.queued_bytes.0, standing.cells];
            assert_eq!(left, [0, 0, 0], "{standing:?}");
            assert_eq!((standing.headroom_cells, standing.shared_cells), (0, 0));
            let outcome = simulation.finish();
            outcome.assert_declared();
            return outcome;
        }
    }
}
