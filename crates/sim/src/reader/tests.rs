mod addresses;
mod devices;
mod faults;
mod host_pipe;
mod links;
mod names;
mod parameters;
mod routes;
mod traffic;
mod wiring;

use super::*;
use crate::bytes::Bytes;
use crate::congestion;
use crate::ids::{NodeId, PortId, Priority, QueuePairId};
use crate::model::parameters::Headroom;
use crate::model::scenario::{Connection, Operation, Service, Verb};
use crate::time::{Nanoseconds, NANOSECOND};

/// Two hosts at a switch.
const PAIR: &str = r#"{"name": "pair", "desc": "two", "hosts": 2, "switches": 1, "link_gbps": 100, "link_delay_ns": 1000,
    "links": [[0, 2], [1, 2]], "flows": [{"src": 0, "dst": 1, "bytes": 4096, "start_ns": 5}]}"#;

/// The pair with one text in it replaced.
fn pair(old: &str, new: &str) -> String {
    assert_eq!(PAIR.matches(old).count(), 1, "{old}");
    PAIR.replace(old, new)
}

/// The pair with more keys.
fn pair_with(more: &str) -> String {
    pair(r#""name": "pair""#, more)
}

/// The pair with other links.
fn links(links: &str) -> String {
    pair("[[0, 2], [1, 2]]", links)
}

/// The pair with other flows.
fn flows(flows: &str) -> String {
    let start = PAIR.find("[{").unwrap();
    format!("{}{flows}}}", &PAIR[..start])
}

/// The pair with parameters.
fn set(parameters: &str) -> String {
    pair_with(&format!(r#""parameters": {{{parameters}}}"#))
}

fn read_refusal(text: &str) -> String {
    match read(text, "hpcc", 1) {
        Ok(_) => panic!("accepted: {text}"),
        Err(refused) => refused.to_string(),
    }
}

#[test]
fn a_pair() {
    let scenario = read(PAIR, "hpcc", 7).unwrap();
    let link = Link {
        a: NodeId(0),
        b: NodeId(2),
        rate: 100_000_000_000,
        delay: Picoseconds(1_000_000),
        loss: 0.0,
        pfc_lost_from: NEVER,
    };
    let expected = Scenario {
        name: "pair".into(),
        hosts: 2,
        switches: 1,
        links: vec![
            link,
            Link {
                a: NodeId(1),
                ..link
            },
        ],
        addresses: Vec::new(),
        names: Default::default(),
        buffer_bytes: vec![Bytes(32 << 20)],
        connections: vec![Connection {
            port_a: PortId(0),
            port_b: PortId(2),
            priority: Priority(3),
            udp_source_port: 10_000,
            service: Default::default(),
        }],
        operations: vec![Operation {
            queue_pair: QueuePairId(0),
            verb: Verb::Write,
            bytes: Bytes(4096),
            at: Picoseconds(5_000),
            after: vec![],
            delay: Picoseconds::ZERO,
        }],
        parameters: preset::by_name("hpcc").unwrap(),
        devices: Devices::default(),
        routes: Vec::new(),
        faults: Vec::new(),
        seed: 7,
        until: NEVER,
        assumed: Vec::new(),
        observe: Observe::default(),
    };
    assert_eq!(scenario, expected);
}

#[test]
fn everything_a_file_can_say() {
    let text = r#"{
        "hosts": 2, "switches": 2, "buffer_bytes": [1000000, 2000000], "link_delay_ns": 500,
        "links": [
            {"a": 2, "b": 0, "gbps": 25.78125},
            {"a": 0, "b": 3, "gbps": 400, "delay_ns": 20, "loss": 0.001, "pfc_lost_from_ns": 3},
            {"a": 1, "b": 3, "gbps": 4e2}, {"a": 2, "b": 3, "gbps": 100}
        ],
        "flows": [{"src": 0, "dst": 1, "bytes": 0, "start_ns": 1, "verb": "read", "src_port": 1, "dst_port": 0,
                   "priority": 5, "udp_source_port": 9}],
        "queue_pairs": [{"a": 1, "b": 0, "a_port": 0, "b_port": 1, "priority": 4, "udp_source_port": 8},
                        {"a": 1, "b": [0, 0], "service": "ud"}],
        "operations": [
            {"queue_pair": 0, "verb": "send", "bytes": 7.0, "at_ns": 2},
            {"queue_pair": 0, "side": "b", "bytes": 8, "after": [0], "delay_ns": 3},
            {"queue_pair": 1, "to": 1, "bytes": 9}
        ],
        "parameters": {
            "switch": {"headroom": {"rule": "fixed", "bytes": 5000}, "latency_ns": 400},
            "congestion": {"algorithm": "dcqcn", "rai_bps": 1000000},
            "nic": {"messages_per_second": 1000000}
        }
    }"#;
    let scenario = read(text, "roce", 1).unwrap();
    let link = |n: usize| {
        let link = scenario.links[n];
        (
            link.a,
            link.b,
            link.rate,
            link.delay,
            link.loss,
            link.pfc_lost_from,
        )
    };
    assert_eq!(
        link(0),
        (
            NodeId(2),
            NodeId(0),
            25_781_250_000,
            500 * NANOSECOND,
            0.0,
            NEVER
        )
    );
    assert_eq!(
        link(1),
        (
            NodeId(0),
            NodeId(3),
            400_000_000_000,
            20 * NANOSECOND,
            0.001,
            3 * NANOSECOND
        )
    );
    assert_eq!(scenario.buffer_bytes, [1_000_000, 2_000_000].map(Bytes));
    // Host 0 has ports 1 and 2, host 1 has port 4.
    let connection = |port_a, port_b, priority, udp_source_port| Connection {
        port_a: PortId(port_a),
        port_b: PortId(port_b),
        priority,
        udp_source_port,
        service: Default::default(),
    };
    let datagrams = |port_a, port_b, udp_source_port| Connection {
        service: Service::Ud { queue: 2 },
        ..connection(port_a, port_b, Priority(3), udp_source_port)
    };
    assert_eq!(
        scenario.connections,
        [
            connection(2, 4, Priority(5), 9),
            connection(4, 2, Priority(4), 8),
            datagrams(4, 1, 49_154),
            datagrams(4, 1, 49_155),
        ]
    );
    let operation = |queue_pair, verb, bytes, at_ns, predecessors, delay_ns| Operation {
        queue_pair: QueuePairId(queue_pair),
        verb,
        bytes,
        at: at_ns * NANOSECOND,
        after: predecessors,
        delay: delay_ns * NANOSECOND,
    };
    let expected = [
        operation(1, Verb::Read, Bytes(0), 1, vec![], 0), // the data goes from src, so dst reads
        operation(2, Verb::Send, Bytes(7), 2, vec![], 0),
        operation(3, Verb::Write, Bytes(8), 0, vec![1], 3),
        operation(6, Verb::Send, Bytes(9), 0, vec![], 0), // to the second of queue pair 4's destinations
    ];
    assert_eq!(scenario.operations, expected);

    let preset = preset::by_name("roce").unwrap();
    let mut parameters = preset.clone();
    parameters.switch.headroom = Headroom::Fixed { bytes: Bytes(5000) };
    parameters.switch.latency_ns = Nanoseconds(400);
    parameters.nic.messages_per_second = Some(1_000_000);
    parameters.congestion = congestion::Parameters::Dcqcn(congestion::dcqcn::Parameters {
        rai_bps: 1_000_000,
        ..Default::default()
    });
    assert_eq!(scenario.parameters, parameters);
    assert_ne!(parameters, preset);
}

#[test]
fn the_files_and_presets_that_are_no_scenario() {
    let rows = [
        ("", "line 1, column 0: found no JSON (EOF while parsing a value), expected a scenario in JSON"),
        ("{\"hosts\": 2,\n \"links\": [[0, 1],]}", "line 2, column 19: found no JSON (trailing comma), expected a scenario in JSON"),
        ("[1]", "scenario: found a list, expected an object with name, desc, assumed, hosts, switches, node_names, link_gbps, link_delay_ns, links, \
            buffer_bytes, flows, queue_pairs, operations, parameters, devices, faults, routes"),
        ("{}", "hosts: found nothing, expected a whole number, 1 to 1,048,576\n\
            switches: found nothing, expected a whole number, 0 to 1,048,576"),
    ];
    for (text, message) in rows {
        assert_eq!(read_refusal(text), message);
    }
    assert_eq!(
        read(PAIR, "hpc", 1).unwrap_err().to_string(),
        "preset: found \"hpc\", expected hpcc or roce\n  hint: did you mean \"hpcc\"?"
    );
    let deep = "[".repeat(100_000);
    assert!(read_refusal(&deep).contains("recursion limit exceeded"));
}

/// The entity of an event has 28 bits: 2^24 links are 2^25 ports of eight priorities.
#[test]
fn refusals_of_size() {
    let message = |links: usize, connections: usize, operations: usize| {
        let mut problems = Problems::default();
        limits::check_size(links, connections, operations, &mut problems);
        problems.refuse().map_err(|refused| refused.to_string())
    };
    assert_eq!(message(1 << 24, 1 << 27, 1 << 28), Ok(()));
    assert_eq!(
        message((1 << 24) + 1, (1 << 27) + 1, (1 << 28) + 1).unwrap_err(),
        "links: found 16,777,217, expected at most 16,777,216\n\
         flows and queue_pairs: found 134,217,729, expected at most 134,217,728\n\
         flows and operations: found 268,435,457, expected at most 268,435,456"
    );
}

#[test]
fn twenty_problems_are_listed_and_the_others_counted() {
    let many = vec![r#"{"src": 5, "dst": 1, "bytes": 1}"#; 1234].join(",");
    let message = read_refusal(&flows(&format!("[{many}]")));
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(lines[19], "flows[19].src: found 5, expected a host, 0 to 1");
    assert_eq!(
        lines[20],
        "and beyond these: found 1,214 more, expected none"
    );
}
