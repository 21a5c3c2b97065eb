//! One wrong setting on one of two equal switches, and the counter that identifies it.

use crate::support::{column, run};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::reader;

/// Hosts 0 to 3 at switch 6 write to host 4 at switch 7; the queue at switch 6 shows the setting.
fn run_with(devices: &str, algorithm: &str) -> Outcome {
    let text = format!(
        r#"{{"hosts": 6, "switches": 2, "link_gbps": 100, "link_delay_ns": 5000, "buffer_bytes": 4000000,
            "links": [[0, 6], [1, 6], [2, 6], [3, 6], {{"a": 6, "b": 7, "gbps": 100}}, [4, 7], [5, 7]],
            "flows": [{{"src": 0, "dst": 4, "bytes": 4194304}}, {{"src": 1, "dst": 4, "bytes": 4194304}},
                      {{"src": 2, "dst": 4, "bytes": 4194304}}, {{"src": 3, "dst": 4, "bytes": 4194304}}],
            "parameters": {{"switch": {{"slices": 1}}, "transport": {{"ack_timeout": 8}},
                            "marking": {{"kmin_bytes": 100000, "kmax_bytes": 400000, "reference_gbps": null}},
                            "congestion": {{"algorithm": "{algorithm}"}}}},
            "devices": [{devices}]}}"#
    );
    run(reader::read(&text, "roce", 1).unwrap_or_else(|refused| panic!("{refused}")))
}

fn switch_6_parameters(parameters: &str) -> String {
    format!(r#"{{"nodes": [6], "parameters": {{{parameters}}}}}"#)
}

/// The sum of a column of `ports` or `queues` over the ports of the links from hosts 0 to 3 to switch 6.
fn sum_of_host_ports(outcome: &Outcome, table: &str, name: &str) -> u64 {
    let rows = column(outcome, table, "port")
        .into_iter()
        .zip(column(outcome, table, name));
    rows.filter(|row| [1, 3, 5, 7].contains(&row.0))
        .map(|row| row.1)
        .sum()
}

#[test]
fn pfc_off_on_the_priority() {
    let well = run_with("", "line-rate");
    assert!(sum_of_host_ports(&well, "queues", "xoff_sent") > 0);
    assert_eq!(well.summary.drops, 0);
    let off = run_with(
        &switch_6_parameters(r#""pfc": {"lossless_priorities": 0}"#),
        "line-rate",
    );
    assert_eq!(sum_of_host_ports(&off, "queues", "xoff_sent"), 0);
    assert!(sum_of_host_ports(&off, "ports", "drops") > 0);
    assert_eq!(off.summary.drops, sum_of_host_ports(&off, "ports", "drops"));
}

/// XOFF is sent as before, and too late: what arrives after it finds no room.
#[test]
fn headroom_missing() {
    let no_headroom = r#""switch": {"headroom": {"rule": "fixed", "bytes": 0}}"#;
    let outcome = run_with(&switch_6_parameters(no_headroom), "line-rate");
    assert!(sum_of_host_ports(&outcome, "queues", "xoff_sent") > 0);
    assert_eq!(
        sum_of_host_ports(&outcome, "queues", "max_headroom_bytes"),
        0
    );
    let drops = sum_of_host_ports(&outcome, "ports", "drops");
    assert!(drops > 0);
    assert_eq!(outcome.summary.drops, drops);
}

/// Where marking begins ten times later, PFC has to do what ECN was for.
#[test]
fn kmin_ten_times_too_high() {
    let well = run_with("", "dcqcn");
    let high = r#""marking": {"kmin_bytes": 1000000, "kmax_bytes": 4000000}"#;
    let outcome = run_with(&switch_6_parameters(high), "dcqcn");
    let marks = |outcome: &Outcome| {
        let rows = column(outcome, "queues", "port").into_iter().zip(column(
            outcome,
            "queues",
            "ecn_marks",
        ));
        rows.filter(|row| row.0 == 8).map(|row| row.1).sum::<u64>()
    };
    assert!(
        marks(&outcome) < marks(&well),
        "{} {}",
        marks(&outcome),
        marks(&well)
    );
    let pauses = |outcome: &Outcome| sum_of_host_ports(outcome, "queues", "xoff_sent");
    assert!(
        pauses(&outcome) > pauses(&well),
        "{} {}",
        pauses(&outcome),
        pauses(&well)
    );
    assert_eq!((well.summary.drops, outcome.summary.drops), (0, 0));
}
