//! Two cables in each other's ports, and routing as planned.

use crate::roce;
use crate::support::{column, run};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::reader;

const COMPLETED: u64 = 1;
const FAILED: u64 = 2;

/// Two leaves with two hosts each and two spines, all flows between the leaves; two cables exchanged.
fn leaves(miswired: &str) -> Outcome {
    let text = format!(
        r#"{{"hosts": 4, "switches": 4, "link_gbps": 100, "link_delay_ns": 500,
            "links": [[4, 0], [4, 1], [5, 2], [5, 3], [4, 6], [4, 7], [5, 6], [5, 7]],
            "flows": [{{"src": 0, "dst": 2, "bytes": 100000}}, {{"src": 1, "dst": 3, "bytes": 100000}},
                      {{"src": 2, "dst": 1, "bytes": 100000}}, {{"src": 3, "dst": 0, "bytes": 100000}}],
            "parameters": {{"transport": {{"ack_timeout": 4}}}}, "faults": [{miswired}]}}"#
    );
    let mut scenario = reader::read(&text, "roce", 1).unwrap();
    scenario.parameters.congestion = roce().congestion;
    run(scenario)
}

#[test]
fn as_planned_all_arrive() {
    let outcome = leaves("");
    assert_eq!(column(&outcome, "flows", "status"), [COMPLETED; 4]);
    assert_eq!(outcome.summary.unroutable, 0);
}

/// Hosts 0 and 1 in each other's port: each gets what goes to the other, and drops it.
#[test]
fn exchanged_hosts_hear_what_is_not_theirs() {
    let outcome = leaves(r#"{"kind": "miswired", "links": [0, 1]}"#);
    assert_eq!(column(&outcome, "flows", "status"), [FAILED; 4]);
    let (node, drops) = (
        column(&outcome, "ports", "node"),
        column(&outcome, "ports", "drops"),
    );
    for (node, drops) in node.into_iter().zip(drops) {
        assert_eq!(drops > 0, node < 2, "node {node}: {drops}");
    }
    assert_eq!(outcome.summary.unroutable, outcome.summary.drops);
}

/// Hosts 0 and 2 at each other's leaf: packets from them arrive, as switches route by destination; packets to them do not.
#[test]
fn hosts_at_each_others_leaf_send_but_do_not_receive() {
    let outcome = leaves(r#"{"kind": "miswired", "links": [0, 2]}"#);
    let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
    // Host 2 writes to 1 and host 1 to 3, whose acknowledgements come; 0 and 2 never see data.
    assert_eq!(delivered[1], 0, "to host 2");
    assert_eq!(delivered[7], 0, "to host 0");
    assert_eq!(delivered[3], 100_000, "to host 3");
    assert!(delivered[5] > 0, "to host 1, which host 2 sends to");
    assert_eq!(column(&outcome, "flows", "status")[1], COMPLETED);
    assert_eq!(
        column(&outcome, "flows", "status")[2],
        FAILED,
        "its acknowledgements go to host 0"
    );
}

/// Two leaves in each other's port of spine 4: what it sends to one goes back to the other, whose hash selects the same
/// uplink again, until its TTL ends. A write fails whose packets or acknowledgements go by spine 4; one that goes by spine 5
/// alone does not notice.
#[test]
fn a_wrong_cable_between_switches_makes_circles() {
    let [mut failed, mut completed] = [0, 0];
    for udp_source_port in 50_000..50_016 {
        let write = |faults: &str| {
            let text = format!(
                r#"{{"hosts": 2, "switches": 4, "link_gbps": 100, "link_delay_ns": 500,
                    "links": [[2, 0], [3, 1], [2, 4], [2, 5], [3, 4], [3, 5]],
                    "flows": [{{"src": 0, "dst": 1, "bytes": 10000, "udp_source_port": {udp_source_port}}}],
                    "parameters": {{"transport": {{"ack_timeout": 4}}}}, "faults": [{faults}]}}"#
            );
            run(reader::read(&text, "roce", 1).unwrap())
        };
        let planned = write("");
        assert_eq!(column(&planned, "flows", "status"), [COMPLETED]);
        let spine = sum_of_node(&planned, 4, "frames");
        let outcome = write(r#"{"kind": "miswired", "links": [2, 4]}"#);
        let status = column(&outcome, "flows", "status");
        let unroutable = outcome.summary.unroutable;
        if spine == 0 {
            assert_eq!((&status[..], unroutable), (&[COMPLETED][..], 0));
            completed += 1;
        } else {
            assert_eq!(status, [FAILED]);
            assert!(unroutable > 0 && outcome.summary.drops == unroutable);
            assert!(sum_of_node(&outcome, 4, "frames") > 10 * spine, "circles");
            failed += 1;
        }
    }
    assert!(failed > 0 && completed > 0, "{failed} {completed}");
}

/// Sum of a column of the table `ports` over all ports of a node.
fn sum_of_node(outcome: &Outcome, node: u64, name: &str) -> u64 {
    let of = column(outcome, "ports", "node");
    let rows = of.into_iter().zip(column(outcome, "ports", name));
    rows.filter(|(of, _)| *of == node)
        .map(|(_, value)| value)
        .sum()
}
