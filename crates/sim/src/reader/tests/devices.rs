//! Parameters of single devices.

use super::{pair_with, read_refusal};

#[test]
fn refusals_of_devices() {
    let device = |item: &str| pair_with(&format!(r#""devices": [{item}]"#));
    let on_2 = |parameters: &str| {
        device(&format!(
            r#"{{"nodes": [2], "parameters": {{{parameters}}}}}"#
        ))
    };
    let rows = [
        (device("3"), "devices[0]: found 3, expected an object with nodes, ports, priorities, parameters"),
        (
            device(r#"{"node": [2], "parameters": {}}"#),
            "devices[0]: found the key \"node\", expected nodes, ports, priorities, parameters\n  \
             hint: did you mean \"nodes\"?",
        ),
        (device(r#"{"parameters": {}}"#), "devices[0]: found neither nodes nor ports, expected one of the two"),
        (device(r#"{"nodes": [2]}"#), "devices[0].parameters: found nothing, expected what differs"),
        (
            device(r#"{"nodes": [3], "parameters": {}}"#),
            "devices[0].nodes[0]: found 3, expected a node, 0 to 2",
        ),
        (
            device(r#"{"ports": ["0:1"], "parameters": {}}"#),
            "devices[0].ports[0]: found \"0:1\", expected a node that a cable joins to node 0",
        ),
        (
            device(r#"{"ports": ["2"], "parameters": {}}"#),
            "devices[0].ports[0]: found \"2\", expected one of the 2 ports of node 2",
        ),
        (
            device(r#"{"ports": ["2:1.1"], "parameters": {}}"#),
            "devices[0].ports[0]: found \"2:1.1\", expected 2:1, the only cable there",
        ),
        (
            device(r#"{"ports": ["two-1"], "parameters": {}}"#),
            "devices[0].ports[0]: found \"two-1\", expected a port of a node, 0 to 2",
        ),
        (
            device(r#"{"ports": [4], "parameters": {}}"#),
            "devices[0].ports[0]: found 4, expected a port: its number, 0 to 3, or a name such as \"16:0\"",
        ),
        (
            device(r#"{"nodes": [2], "priorities": [8], "parameters": {}}"#),
            "devices[0].priorities[0]: found 8, expected a priority, 0 to 7",
        ),
        (
            on_2(r#""markin": {}"#),
            "devices[0].parameters: found the key \"markin\", expected framing, switch, ecmp, pfc, marking, \
             scheduler, nic, transport, sockets, notification, congestion\n  hint: did you mean \"marking\"?",
        ),
        (
            on_2(r#""marking": {"pmax": 2}"#),
            "devices[0].parameters.marking.pmax: found 2, expected 0 to 1",
        ),
        (
            on_2(r#""framing": {"ack_bytes": 60}"#),
            "devices[0].parameters.framing.ack_bytes: found nodes, expected parameters, where it is set for all devices",
        ),
        (
            device(r#"{"ports": ["2:1"], "parameters": {"switch": {"latency_ns": 1}}}"#),
            "devices[0].parameters.switch.latency_ns: found ports, expected nodes alone: it is one for a whole switch",
        ),
        (
            device(r#"{"ports": ["2:1"], "priorities": [3], "parameters": {"pfc": {"quanta": 1}}}"#),
            "devices[0].parameters.pfc.quanta: found priorities, expected no priorities: it is one for a whole port",
        ),
        (
            device(r#"{"nodes": [0, 1], "parameters": {"marking": {"pmax": 1}}}"#),
            "devices[0].parameters.marking: found settings of a switch, expected those of a host",
        ),
        (
            on_2(r#""nic": {"pipe": null}"#),
            "devices[0].parameters.nic: found settings of a host, expected those of a switch",
        ),
        (
            pair_with(
                r#""buffer_bytes": 9000000,
                   "devices": [{"nodes": [2], "parameters": {"switch": {"buffer_bytes": 1000000}}}]"#,
            ),
            "devices[0].parameters.switch.buffer_bytes: found a size, and buffer_bytes, expected one of the two",
        ),
        (
            on_2(r#""switch": {"buffer_bytes": 80000}"#),
            "switch 2: found a shared pool of -3,192 bytes = 80,000 buffer - 2 x 37,500 headroom - 2 x 4,096 reserve, \
             expected more than 0\n  hint: a larger buffer_bytes, shorter cables or fewer ports leave something to share",
        ),
        (
            device(r#"{"nodes": [0], "parameters": {"congestion": {"algorithm": "dcqcn", "g": 0}}}"#),
            "devices[0].parameters.congestion.g: found 0, expected above 0 and at most 1",
        ),
        (
            device(r#"{"nodes": [2], "parameters": {"marking": {"pmax": 1}}}, {"nodes": [2], "parameters": {"marking": {"pmax": 5}}}"#),
            "devices[1].parameters.marking.pmax: found 5, expected 0 to 1",
        ),
    ];
    for (text, message) in rows {
        assert_eq!(read_refusal(&text), message, "{text}");
    }
}
