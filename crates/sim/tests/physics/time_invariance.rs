//! Time does not matter to what happens: after hours without traffic all is as after a minute, to the last picosecond.

use crate::support::{column, run};
use wirespeed_sim::ids::PortId;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::time::{Picoseconds, NANOSECOND, SECOND};
use wirespeed_sim::{congestion, reader, Run, Threads};

/// A day.
const DAY_NS: u64 = 86_400 * 1_000_000_000;
/// The latest time that a scenario may name.
const LATEST_NS: u64 = 1_000_000 * 1_000_000_000;

/// Four hosts behind one switch write to one behind another, now and again at `later_ns`: more than its
/// link carries.
fn repeated_incast(algorithm: &str, later_ns: u64) -> String {
    let flows = (0..4).flat_map(|host| {
        [0, later_ns]
            .map(|at| format!(r#"{{"queue_pair": {host}, "bytes": 1000000, "at_ns": {at}}}"#))
    });
    let flows: Vec<String> = flows.collect();
    format!(
        r#"{{"hosts": 5, "switches": 2, "buffer_bytes": 4000000, "link_gbps": 100, "link_delay_ns": 1000,
            "links": [[0, 5], [1, 5], [2, 5], [3, 5], {{"a": 5, "b": 6, "gbps": 400}}, [4, 6]],
            "queue_pairs": [{{"a": 0, "b": 4}}, {{"a": 1, "b": 4}}, {{"a": 2, "b": 4}}, {{"a": 3, "b": 4}}],
            "operations": [{}],
            "parameters": {{"congestion": {{"algorithm": "{algorithm}"}}, "transport": {{"ack_timeout": 14}}}}}}"#,
        flows.join(", ")
    )
}

fn outcome(algorithm: &str, later_ns: u64) -> Outcome {
    run(reader::read(&repeated_incast(algorithm, later_ns), "roce", 1).unwrap())
}

/// How long each operation took.
fn times(outcome: &Outcome) -> Vec<Picoseconds> {
    let ends = column(outcome, "flows", "end_ps").into_iter();
    let starts = column(outcome, "flows", "start_ps");
    ends.zip(starts)
        .map(|(end, start)| Picoseconds(end - start))
        .collect()
}

#[test]
fn what_comes_days_later_takes_as_long() {
    for algorithm in congestion::names() {
        let soon = outcome(algorithm, DAY_NS / 1_440);
        let deepest = column(&soon, "queues", "max_bytes").into_iter().max();
        assert!(deepest > Some(30_000), "{algorithm}: nothing was held up");
        for later_ns in [DAY_NS / 24, DAY_NS, LATEST_NS] {
            let late = outcome(algorithm, later_ns);
            let pairs = times(&late).into_iter().zip(times(&soon));
            for (late, soon) in pairs {
                // HPCC's first ACK after the pause carries the rate since the last one, which is never exactly zero.
                let most = if algorithm == "hpcc" {
                    soon / 1_000_000
                } else {
                    Picoseconds::ZERO
                };
                assert!(
                    late.abs_diff(soon) <= most,
                    "{algorithm}, {later_ns} ns: {late} ps, not {soon}"
                );
            }
            for (table, name) in [
                ("ports", "frames"),
                ("queues", "ecn_marks"),
                ("queue_pairs", "cnps_received"),
            ] {
                let [soon, late] = [&soon, &late].map(|outcome| column(outcome, table, name));
                assert_eq!(late, soon, "{algorithm}, {later_ns} ns: {name}");
            }
            assert!(late.summary.end > later_ns * NANOSECOND);
        }
    }
}

#[test]
fn a_day_in_two_parts() {
    let scenario = reader::read(&repeated_incast("dcqcn", DAY_NS), "roce", 1).unwrap();
    let mut parts = Run::new(scenario.clone(), Threads::Exactly(2)).unwrap();
    assert_eq!(parts.parts(), 2);
    while parts.advance(1 << 16) {}
    assert_eq!(parts.finish(), run(scenario));
}

/// A series over a day keeps its number of samples, and the last one is of the last hours.
#[test]
fn a_day_sampled() {
    let mut scenario = reader::read(&repeated_incast("dcqcn", DAY_NS), "roce", 1).unwrap();
    scenario.observe.interval = SECOND;
    scenario.observe.samples = 1_000;
    scenario.observe.ports = vec![PortId(0)];
    let outcome = run(scenario);
    let mut times = column(&outcome, "series", "time_ps");
    times.dedup();
    assert!((500..=1_000).contains(&times.len()), "{}", times.len());
    let step = times[1];
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == step));
    assert!(times[times.len() - 1] > ((DAY_NS * NANOSECOND) - Picoseconds(step)).0);
}
