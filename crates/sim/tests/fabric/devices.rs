//! Settings of single devices apply to those devices only.

use crate::support::{column, run};
use wirespeed_sim::ids::{PortId, Priority};
use wirespeed_sim::mechanisms::buffer_settings;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::Scenario;
use wirespeed_sim::reader;

/// Hosts 0 to 3 write to host 4 over switches 5 and 6; two cables join the switches.
fn scenario(parameters: &str, devices: &str) -> Scenario {
    let text = format!(
        r#"{{"hosts": 5, "switches": 2, "link_gbps": 100, "link_delay_ns": 1000,
            "links": [[0, 5], [1, 5], [2, 5], [3, 5], [5, 6], [5, 6], [4, 6]],
            "flows": [{{"src": 0, "dst": 4, "bytes": 1000000}}, {{"src": 1, "dst": 4, "bytes": 1000000}},
                      {{"src": 2, "dst": 4, "bytes": 1000000}}, {{"src": 3, "dst": 4, "bytes": 1000000}}],
            "parameters": {{{parameters}}}, "devices": [{devices}]}}"#
    );
    reader::read(&text, "roce", 1).unwrap_or_else(|refused| panic!("{refused}"))
}

/// Nodes at whose ports a column of the table `queues` is not 0.
fn nodes(scenario: &Scenario, outcome: &Outcome, name: &str) -> Vec<u32> {
    let ports = column(outcome, "queues", "port");
    let counts = column(outcome, "queues", name);
    let counted = ports.iter().zip(counts).filter(|(_, count)| *count > 0);
    let mut nodes: Vec<u32> = counted
        .map(|(port, _)| scenario.node_of(PortId(*port as u32)).0)
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

const BUFFER: &str = r#""ecmp": {"seed": 7, "offset_bits": 3},
    "switch": {"cell_bytes": 208, "slices": 2, "latency_ns": 700, "pool_counts": "port"}"#;
const THRESHOLDS: &str = r#""switch": {"alpha_exponent": -4, "xon_offset_bytes": 5000, "reserve_bytes": 2000,
                                      "headroom": {"rule": "computed", "percent": 90}},
                           "marking": {"kmin_bytes": 20000, "kmax_bytes": 90000, "reference_gbps": null}"#;
const PORT: &str = r#""pfc": {"quanta": 1000, "refresh_quanta": 500, "generation_delay_ns": 80,
                             "reaction": {"rule": "fixed", "ns": 200}},
                     "scheduler": {"weights": [1, 1, 1, 5, 1, 1, 1, 1]}"#;
const HOST: &str = r#""nic": {"messages_per_second": 1000000, "control_ignores_pause": false,
                             "pipe": {"gbps": 60, "latency_ns": 50, "receive_buffer_bytes": 400000,
                                      "xoff_bytes": 90000, "xon_bytes": 60000}},
                     "notification": {"interval_ns": 9000, "delay_ns": 30, "priority": 5},
                     "transport": {"ack_every": 4, "tx_depth": 2},
                     "congestion": {"algorithm": "dcqcn", "rai_bps": 40000000}"#;

/// Whatever is set for all devices gives the same when it is set for each, for a whole node, by port or by priority.
#[test]
fn set_one_by_one_is_set_for_all() {
    let both =
        format!("{BUFFER}, {THRESHOLDS}").replacen(r#""port"}, "switch": {"#, r#""port", "#, 1);
    let whole = scenario(&format!("{both}, {PORT}, {HOST}"), "");
    let all = "[0, 1, 2, 3, 4, 5, 6, 7]";
    let facing_switches = r#"["0:5", "1", 4, 6, "4:6"]"#;
    let item =
        |target: &str, parameters: &str| format!(r#"{{{target}, "parameters": {{{parameters}}}}}"#);
    let single = [
        item(r#""nodes": [5, 6]"#, BUFFER),
        item(
            &format!(r#""nodes": [6, 5, 5], "priorities": {all}"#),
            THRESHOLDS,
        ),
        item(r#""nodes": [5, 6, 4]"#, PORT),
        item(r#""ports": ["0:5", "1:5", "2:5", "3:5"]"#, PORT),
        item(&format!(r#""ports": {facing_switches}"#), HOST),
    ];
    let single = scenario("", &single.join(", "));
    let (whole, single) = (run(whole), run(single));
    assert!(whole.summary.pfc_pauses > 0 && whole.summary.cnps > 0);
    assert_eq!(single, whole);
}

/// A setting of one priority does not apply to another.
#[test]
fn a_priority_has_its_own() {
    let item = r#"{"nodes": [5], "priorities": [0, 1, 2, 4, 5, 6, 7],
                   "parameters": {"marking": {"enabled": false}, "switch": {"alpha_exponent": -9}}}"#;
    assert_eq!(run(scenario("", item)), run(scenario("", "")));
    let item =
        r#"{"nodes": [5], "priorities": [3], "parameters": {"switch": {"alpha_exponent": -9}}}"#;
    assert_ne!(run(scenario("", item)), run(scenario("", "")));
}

#[test]
fn one_switch_marks() {
    let low = r#""marking": {"kmin_bytes": 5000, "kmax_bytes": 50000, "reference_gbps": null}"#;
    let off = r#"{"nodes": [5], "parameters": {"marking": {"enabled": false}}}"#;
    for (devices, marking) in [("", vec![5, 6]), (off, vec![6])] {
        let scenario = scenario(low, devices);
        let outcome = run(scenario.clone());
        assert_eq!(nodes(&scenario, &outcome, "ecn_marks"), marking);
    }
}

/// Each queue has its threshold and its marking point: one queue marks at enqueue, one at dequeue.
#[test]
fn thresholds_of_one_port() {
    let base = r#""marking": {"enabled": false}, "congestion": {"algorithm": "line-rate"}"#;
    let marks = |at: &str| {
        let item = format!(
            r#"{{"ports": ["6:4"], "priorities": [3], "parameters": {{"marking": {{"enabled": true, "at": "{at}",
               "kmin_bytes": 40000, "kmax_bytes": 40000, "reference_gbps": null}}}}}}"#
        );
        let scenario = scenario(base, &item);
        let outcome = run(scenario.clone());
        assert_eq!(nodes(&scenario, &outcome, "ecn_marks"), [6]);
        outcome.summary.ecn_marks
    };
    // The frame that leaves more than 40,000 bytes behind it was not the first to find as many before it.
    let (enqueue, dequeue) = (marks("enqueue"), marks("dequeue"));
    assert!(enqueue > 0 && dequeue > 0 && enqueue != dequeue);
}

/// A host on which the priority is not lossless does not obey: its switch, asking in vain, runs over.
#[test]
fn one_host_without_pfc() {
    let base = r#""congestion": {"algorithm": "line-rate"}, "switch": {"alpha_exponent": -6, "latency_ns": 500}"#;
    let deaf = r#"{"nodes": [2], "parameters": {"pfc": {"lossless_priorities": 0}}}"#;
    let found = |devices: &str| {
        let scenario = scenario(base, devices);
        let outcome = run(scenario.clone());
        let drops = column(&outcome, "ports", "drops");
        let port = drops.iter().position(|drops| *drops > 0);
        let paused = nodes(&scenario, &outcome, "paused_ps");
        (port, paused.contains(&2), paused.contains(&1))
    };
    assert_eq!(found(""), (None, true, true));
    assert_eq!(found(deaf), (Some(5), false, true)); // port 5 of the switch faces host 2
}

#[test]
fn one_host_without_congestion_control() {
    let greedy = r#"{"nodes": [1], "parameters": {"congestion": {"algorithm": "line-rate"}}}"#;
    let low = r#""marking": {"kmin_bytes": 5000, "kmax_bytes": 50000, "reference_gbps": null}"#;
    let ended = |devices: &str| column(&run(scenario(low, devices)), "flows", "end_ps");
    let (fair, unfair) = (ended(""), ended(greedy));
    assert!(unfair[1] < fair[1], "{unfair:?} {fair:?}");
    assert!([0, 2, 3].iter().all(|n| unfair[*n] > unfair[1]));
}

/// Headroom is computed with the reaction of the peer, the latency and cells of the own switch.
#[test]
fn headroom_by_both_ends() {
    let cells = |devices: &str| {
        let resolved = buffer_settings::resolve(&scenario("", devices)).unwrap();
        [1, 3, 11]
            .map(|port| resolved.priority_settings[(PortId(port), Priority(3))].headroom_cells)
    };
    let [usual, same, up] = cells("");
    assert_eq!(usual, same);
    let slow =
        r#"{"nodes": [0], "parameters": {"pfc": {"reaction": {"rule": "fixed", "ns": 9000}}}}"#;
    let [longer, other, _] = cells(slow);
    assert!(longer > usual && other == usual);
    let late = r#"{"nodes": [5], "parameters": {"switch": {"latency_ns": 5000}}}"#;
    let [later, _, of_other_switch] = cells(late);
    assert!(later > usual && of_other_switch == up);
}

/// Each switch has a separate buffer, cell size and number of slices.
#[test]
fn buffers_by_switch() {
    let item = r#"{"nodes": [6], "parameters": {"switch": {"buffer_bytes": 4000000, "slices": 4, "cell_bytes": 500,
                    "reserve_bytes": 0, "headroom": {"rule": "fixed", "bytes": 0}}}}"#;
    let scenario = scenario("", item);
    let resolved = buffer_settings::resolve(&scenario).unwrap();
    let slices = scenario.parameters.switch.slices as usize;
    assert_eq!(resolved.pools[0].shared.len(), slices);
    assert_eq!(resolved.pools[1].shared, [2000; 4]);
    assert_eq!(
        [9, 11, 13].map(|port| resolved.slices[port]),
        [0, 1, 2],
        "three ports in four slices"
    );
    run(scenario);
}
