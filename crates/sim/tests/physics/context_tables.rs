//! What stands beside a run's results: the least times of its flows, and samples that stay few.

use crate::scenarios::completion;
use crate::support::{column, connect, fractions, link, network, post, preset, read, run};
use wirespeed_sim::ids::{PortId, QueuePairId};
use wirespeed_sim::model::parameters::Balance;
use wirespeed_sim::model::results::{Column, Outcome};
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Picoseconds, MICROSECOND, MILLISECOND, NEVER};

/// A column of a table that follows from the scenario alone.
fn context(outcome: &Outcome, table: &str, name: &str) -> Vec<u64> {
    let moved = Outcome {
        tables: outcome.context.clone(),
        ..outcome.clone()
    };
    column(&moved, table, name)
}

/// Two hosts behind a switch each: 100, then 400, then 200 Gb/s.
fn pair() -> Scenario {
    let links = vec![
        link(0, 2, 100, 300),
        link(2, 3, 400, 5_000),
        link(1, 3, 200, 100),
    ];
    let mut parameters = preset("roce");
    parameters.nic.pipe = None;
    parameters.transport.ack_every = 1000; // only the last packet is acknowledged
    network(2, 2, links, parameters)
}

/// In an idle network without hosts of another speed, the limit is reached to the picosecond.
#[test]
fn a_lone_flow_takes_the_least_time() {
    for verb in [Verb::Write, Verb::Send, Verb::Read] {
        for bytes in [1, 4_096, 4_097, 10_000, 1 << 20] {
            for source in [0, 1] {
                let mut scenario = pair();
                let queue_pair = connect(&mut scenario, source, 1 - source);
                post(&mut scenario, queue_pair, verb, bytes, Picoseconds(700));
                let outcome = run(scenario);
                let taken = column(&outcome, "flows", "end_ps")[0]
                    - column(&outcome, "flows", "start_ps")[0];
                let least = context(&outcome, "limits", "least_ps")[0];
                assert_eq!(taken, least, "{verb:?} of {bytes} from {source}");
            }
        }
    }
}

#[test]
fn no_flow_is_faster() {
    for name in ["S1", "S2", "P1"] {
        let outcome = run(read(name, 1));
        let least = context(&outcome, "limits", "least_ps");
        let (starts, ends) = (
            column(&outcome, "flows", "start_ps"),
            column(&outcome, "flows", "end_ps"),
        );
        assert_eq!(least.len(), completion(&outcome).len());
        for ((least, start), end) in least.iter().zip(starts).zip(ends) {
            assert!(end - start >= *least, "{name}: {} of {least}", end - start);
        }
    }
}

#[test]
fn paths_go_from_cable_to_cable() {
    let scenario = read("S2", 1);
    let links = scenario.links.clone();
    let outcome = run(scenario);
    let (ids, hops, ports) = (
        context(&outcome, "paths", "queue_pair"),
        context(&outcome, "paths", "hop"),
        context(&outcome, "paths", "port"),
    );
    let ends = |port: u64| {
        let link = &links[port as usize / 2];
        if port.is_multiple_of(2) {
            (link.a, link.b)
        } else {
            (link.b, link.a)
        }
    };
    let (sources, targets) = (
        column(&outcome, "flows", "src"),
        column(&outcome, "flows", "dst"),
    );
    let mut paths = 0;
    for row in 0..ids.len() {
        let (from, to) = ends(ports[row]);
        let flow = ids[row] as usize / 2;
        if hops[row] == 0 {
            paths += 1;
            assert_eq!(u64::from(from.0), sources[flow]);
        } else {
            assert_eq!(from, ends(ports[row - 1]).1);
        }
        if ids.get(row + 1) != Some(&ids[row]) {
            assert_eq!(u64::from(to.0), targets[flow]);
        }
    }
    assert_eq!(paths, sources.len());
}

/// Where switches select paths during the run, no limit is stated.
#[test]
fn no_path_is_known_before_it_is_chosen() {
    let mut scenario = read("S2", 1);
    scenario.until = MICROSECOND;
    scenario.parameters.ecmp.balance = Balance::Spray;
    let outcome = run(scenario);
    assert!(context(&outcome, "paths", "port").is_empty());
    assert_eq!(context(&outcome, "limits", "least_ps"), [NEVER.0; 128]);
}

fn run_sampled(samples: u32) -> Outcome {
    let mut scenario = read("S1", 1);
    scenario.until = MILLISECOND;
    scenario.observe.interval = MICROSECOND;
    scenario.observe.samples = samples;
    scenario.observe.ports = vec![PortId(32), PortId(33)];
    scenario.observe.queue_pairs = vec![QueuePairId(0)];
    run(scenario)
}

/// Every second sample goes when they become too many: what is left is what a longer interval would have seen.
#[test]
fn samples_stay_few() {
    let times = |outcome: &Outcome| {
        let mut times = column(outcome, "series", "time_ps");
        times.dedup();
        times
    };
    let all = times(&run_sampled(0));
    assert_eq!(all.len(), 1001);
    for most in [1, 2, 7, 100, 1000, 1001, 2000] {
        let outcome = run_sampled(most);
        let kept = times(&outcome);
        assert!(kept.len() <= most as usize, "{} of {most}", kept.len());
        assert!(
            2 * kept.len() + 1 >= 1001.min(most as usize),
            "{} of {most}",
            kept.len()
        );
        let interval = kept.get(1).copied().unwrap_or((2 * MILLISECOND).0);
        let expected: Vec<u64> = (0..=MILLISECOND.0).step_by(interval as usize).collect();
        assert_eq!(kept, expected);
    }
}

/// Bytes and marks are counted from the beginning: the last sample equals the tables.
#[test]
fn counters_end_at_the_totals() {
    let mut scenario = read("S1", 1);
    scenario.observe.interval = 10 * MICROSECOND;
    scenario.observe.ports = vec![PortId(33)];
    let outcome = run(scenario);
    let quantities = column(&outcome, "series", "what");
    let names = series_quantities(&outcome);
    let values = fractions(&outcome, "series", "value");
    let largest = |name: &str| {
        let rows = quantities.iter().zip(&values);
        let of = rows.filter(|(row, _)| names[**row as usize] == name);
        of.map(|(_, value)| *value as u64).max()
    };
    let row = column(&outcome, "queues", "port")
        .iter()
        .zip(column(&outcome, "queues", "priority"))
        .position(|(port, priority)| *port == 33 && priority == 3)
        .expect("the queue towards the receiver");
    let last_bytes = largest("sent_bytes").expect("samples");
    let total = column(&outcome, "queues", "bytes")[row];
    assert!(last_bytes <= total && last_bytes > total * 9 / 10);
    let last_marks = largest("ecn_marks").expect("samples");
    let marks = column(&outcome, "queues", "ecn_marks")[row];
    assert!(last_marks <= marks && last_marks > marks * 9 / 10);
}

fn series_quantities(outcome: &Outcome) -> &'static [&'static str] {
    let series = outcome.tables.iter().find(|table| table.name == "series");
    match &series.expect("series").columns[1].1 {
        Column::Name { names, .. } => names,
        other => panic!("{other:?}"),
    }
}
