mod names;

use super::*;
use crate::congestion;
use crate::faults::bit_errors::BitErrors;
use crate::faults::slow_receiver::SlowReceiver;
use crate::faults::stuck_nic::StuckNic;
use crate::faults::{cnp, Fault, Kind};
use crate::parameters::Headroom;
use crate::scenario::{Connection, Operation, Service, Verb};
use wirespeed_wire::link_errors::Fec;

/// Two hosts at a switch.
const PAIR: &str = r#"{"name": "pair", "desc": "two", "hosts": 2, "switches": 1, "link_gbps": 100, "link_delay_ns": 1000,
    "links": [[0, 2], [1, 2]], "flows": [{"src": 0, "dst": 1, "bytes": 4096, "start_ns": 5}]}"#;

/// The pair with one text in it replaced.
fn pair(old: &str, new: &str) -> String {
    assert_eq!(PAIR.matches(old).count(), 1, "{old}");
    PAIR.replace(old, new)
}

/// The pair with more keys.
fn with(more: &str) -> String {
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
    with(&format!(r#""parameters": {{{parameters}}}"#))
}

fn refused(text: &str) -> String {
    match read(text, "hpcc", 1) {
        Ok(_) => panic!("accepted: {text}"),
        Err(refused) => refused.to_string(),
    }
}

#[test]
fn a_pair() {
    let scenario = read(PAIR, "hpcc", 7).unwrap();
    let link = Link {
        a: 0,
        b: 2,
        rate: 100_000_000_000,
        delay: 1_000_000,
        loss: 0.0,
        pfc_lost_from: NEVER,
    };
    let expected = Scenario {
        name: "pair".into(),
        hosts: 2,
        switches: 1,
        links: vec![link, Link { a: 1, ..link }],
        addresses: Vec::new(),
        names: Default::default(),
        buffer_bytes: vec![32 << 20],
        connections: vec![Connection {
            port_a: 0,
            port_b: 2,
            priority: 3,
            udp_source_port: 10_000,
            service: Default::default(),
        }],
        operations: vec![Operation {
            queue_pair: 0,
            verb: Verb::Write,
            bytes: 4096,
            at: 5_000,
            after: vec![],
            delay: 0,
        }],
        parameters: preset::by_name("hpcc").unwrap(),
        devices: Devices::default(),
        routes: Vec::new(),
        faults: Vec::new(),
        seed: 7,
        until: NEVER,
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
        let it = scenario.links[n];
        (it.a, it.b, it.rate, it.delay, it.loss, it.pfc_lost_from)
    };
    assert_eq!(link(0), (2, 0, 25_781_250_000, 500_000, 0.0, NEVER));
    assert_eq!(link(1), (0, 3, 400_000_000_000, 20_000, 0.001, 3_000));
    assert_eq!(scenario.buffer_bytes, [1_000_000, 2_000_000]);
    // Host 0 has ports 1 and 2, host 1 has port 4.
    let connection = |port_a, port_b, priority, udp_source_port| Connection {
        port_a,
        port_b,
        priority,
        udp_source_port,
        service: Default::default(),
    };
    let datagrams = |port_a, port_b, udp_source_port| Connection {
        service: Service::Ud { queue: 2 },
        ..connection(port_a, port_b, 3, udp_source_port)
    };
    assert_eq!(
        scenario.connections,
        [
            connection(2, 4, 5, 9),
            connection(4, 2, 4, 8),
            datagrams(4, 1, 49_154),
            datagrams(4, 1, 49_155),
        ]
    );
    let operation = |queue_pair, verb, bytes, at, after, delay| Operation {
        queue_pair,
        verb,
        bytes,
        at,
        after,
        delay,
    };
    let expected = [
        operation(1, Verb::Read, 0, 1_000, vec![], 0), // the data goes from src, so dst reads
        operation(2, Verb::Send, 7, 2_000, vec![], 0),
        operation(3, Verb::Write, 8, 0, vec![1], 3_000),
        operation(6, Verb::Send, 9, 0, vec![], 0), // to the second of queue pair 4's destinations
    ];
    assert_eq!(scenario.operations, expected);

    let preset = preset::by_name("roce").unwrap();
    let mut parameters = preset.clone();
    parameters.switch.headroom = Headroom::Fixed { bytes: 5000 };
    parameters.switch.latency_ns = 400;
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
        ("[1]", "scenario: found a list, expected an object with name, desc, hosts, switches, node_names, link_gbps, link_delay_ns, links, \
            buffer_bytes, flows, queue_pairs, operations, parameters, devices, faults, routes"),
        ("{}", "hosts: found nothing, expected a whole number, 1 to 1,048,576\n\
            switches: found nothing, expected a whole number, 0 to 1,048,576"),
    ];
    for (text, message) in rows {
        assert_eq!(refused(text), message);
    }
    assert_eq!(
        read(PAIR, "hpc", 1).unwrap_err().to_string(),
        "preset: found \"hpc\", expected hpcc or roce\n  hint: did you mean \"hpcc\"?"
    );
    let deep = "[".repeat(100_000);
    assert!(refused(&deep).contains("recursion limit exceeded"));
}

#[test]
fn refusals_of_nodes_and_links() {
    let common = pair(r#""link_gbps": 100, "link_delay_ns": 1000,"#, "");
    let rows = [
        (pair(r#""hosts": 2"#, r#""hosts": 0"#), "hosts: found 0, expected a whole number, 1 to 1,048,576"),
        (pair(r#""hosts": 2"#, r#""hosts": 2.5"#), "hosts: found 2.5, expected a whole number, 1 to 1,048,576"),
        (pair(r#""hosts": 2"#, r#""hosts": "2""#), "hosts: found \"2\", expected a whole number, 1 to 1,048,576"),
        (with(r#""name": 3"#), "name: found 3, expected a text"),
        (with(r#""name": "a", "hosts": 3"#), "hosts: found this key again, expected each key once"),
        (
            with(r#""link_gpbs": 3"#),
            "scenario: found the key \"link_gpbs\", expected name, desc, hosts, switches, node_names, link_gbps, link_delay_ns, links, \
             buffer_bytes, flows, queue_pairs, operations, parameters, devices, faults, routes\n  hint: did you mean \"link_gbps\"?",
        ),
        (links("3"), "links: found 3, expected a list"),
        (links("[[0, 2], [1, 2], 7]"), "links[2]: found 7, expected an object with a, b, gbps, delay_ns, loss, pfc_lost_from_ns, addresses, port_names"),
        (links("[[0, 2], [1, 2], [1]]"), "links[2]: found a list of 1, expected [a, b]"),
        (links("[[0, 2], [1, 3]]"), "links[1]: found [1, 3], expected two nodes, 0 to 2"),
        (links("[[0, 2], [1, -2]]"), "links[1]: found [1, -2], expected two nodes, 0 to 2"),
        (links("[[0, 2], [2, 2]]"), "links[1]: found both ends at node 2, expected two nodes"),
        (links(r#"[[0, 2], {"a": 1}]"#), "links[1].b: found nothing, expected a whole number, 0 to 2"),
        (links(r#"[[0, 2], {"a": 1, "b": 3}]"#), "links[1].b: found 3, expected a whole number, 0 to 2"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "gbps": 0}]"#), "links[1].gbps: found 0, expected a rate in Gb/s, 0.001 to 10,000"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "gbps": -5}]"#), "links[1].gbps: found -5, expected a rate in Gb/s, 0.001 to 10,000"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "gbps": 1e11}]"#), "links[1].gbps: found 100000000000, expected a rate in Gb/s, 0.001 to 10,000"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "delay_ns": 2000000000}]"#), "links[1].delay_ns: found 2000000000, expected a whole number, 0 to 1,000,000,000"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "loss": 1.5}]"#), "links[1].loss: found 1.5, expected a probability, 0 to 1"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "pfc_lost_from_ns": -1}]"#), "links[1].pfc_lost_from_ns: found -1, expected a whole number, 0 to 1,000,000,000,000,000"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "gpbs": 5}]"#), "links[1]: found the key \"gpbs\", expected a, b, gbps, delay_ns, loss, pfc_lost_from_ns, addresses, port_names"),
        (
            common,
            "links[0].delay_ns: found nothing, expected a delay in ns here or as link_delay_ns\n\
             links[0].gbps: found nothing, expected a rate in Gb/s here or as link_gbps\n\
             links[1].delay_ns: found nothing, expected a delay in ns here or as link_delay_ns\n\
             links[1].gbps: found nothing, expected a rate in Gb/s here or as link_gbps",
        ),
        (pair("100,", "0,"), "link_gbps: found 0, expected a rate in Gb/s, 0.001 to 10,000"),
        (with(r#""buffer_bytes": 0"#), "buffer_bytes: found 0, expected a whole number, 1 to 2,147,483,648"),
        (with(r#""buffer_bytes": [1, 2]"#), "buffer_bytes: found 2 numbers, expected one for each of 1 switches"),
        (with(r#""buffer_bytes": ["1"]"#), "buffer_bytes[0]: found \"1\", expected a whole number, 1 to 2,147,483,648"),
        (
            with(r#""buffer_bytes": 80000"#),
            "switch 2: found a shared pool of -3,192 bytes = 80,000 buffer - 2 x 37,500 headroom - 2 x 4,096 reserve, \
             expected more than 0\n  hint: a larger buffer_bytes, shorter cables or fewer ports leave something to share",
        ),
    ];
    for (text, message) in rows {
        assert_eq!(refused(&text), message, "{text}");
    }
}

/// The pair with these addresses of its first link, and its second.
fn addresses(first: &str, second: &str) -> String {
    links(&format!(
        r#"[{{"a": 0, "b": 2, "addresses": {first}}}, {{"a": 2, "b": 1, "addresses": {second}}}]"#
    ))
}

#[test]
fn addresses_belong_to_nic_ports() {
    let text = addresses(r#"["10.1.0.1", null]"#, r#"[null, "10.1.0.5"]"#);
    let scenario = read(&text, "roce", 1).unwrap();
    let given: Vec<_> = (0..4).map(|port| scenario.given_address(port)).collect();
    let v4 = |text: &str| Some(text.parse().unwrap());
    assert_eq!(given, [v4("10.1.0.1"), None, None, v4("10.1.0.5")]);
}

#[test]
fn refusals_of_addresses() {
    let none = "[null, null]";
    let rows = [
        (addresses("7", none), "links[0].addresses: found 7, expected a list of two: one for each end"),
        (addresses("[null]", none), "links[0].addresses: found a list of 1, expected two: one for each end\n  hint: null for none"),
        (addresses("[3, null]", none), "links[0].addresses: found 3, expected an IPv4 or IPv6 address, or null"),
        (addresses(r#"["10.1.0.256", null]"#, none), "links[0].addresses: found \"10.1.0.256\", expected an IPv4 or IPv6 address, or null"),
        (addresses(r#"[null, "fe80::1"]"#, none), "links[0].addresses: found \"fe80::1\" at switch 2, expected null: only NIC ports have addresses here"),
        (
            addresses(r#"["10.1.0.1", null]"#, r#"[null, "10.1.0.1"]"#),
            "links[1].addresses: found \"10.1.0.1\", which links[0] has, expected each address once",
        ),
        (
            addresses(r#"["10.1.0.1", null]"#, r#"[null, "2001:db8::1"]"#),
            "links[1].addresses: found \"2001:db8::1\", expected an IPv4 address\n  hint: parameters.framing.ip says what all packets are",
        ),
        (
            addresses(r#"["10.1.0.1", null]"#, none).replace(r#""flows""#, r#""parameters": {"framing": {"ip": "ipv6"}}, "flows""#),
            "links[0].addresses: found \"10.1.0.1\", expected an IPv6 address\n  hint: parameters.framing.ip says what all packets are",
        ),
        (set(r#""framing": {"ip": "v6"}"#), "parameters.framing.ip: found unknown variant \"v6\", expected \"ipv4\" or \"ipv6\""),
        (set(r#""framing": {"vlan": 4095}"#), "parameters.framing.vlan: found 4095, expected 0 to 4,094"),
        (set(r#""framing": {"vlan": -1}"#), "parameters.framing.vlan: found -1, expected a whole number, 0 to 65,535"),
        (set(r#""ecmp": {"offset_bits": 16}"#), "parameters.ecmp.offset_bits: found 16, expected 0 to 15"),
        (set(r#""ecmp": {"hash": "crc16"}"#), "parameters.ecmp.hash: found unknown variant \"crc16\", expected one of \"splitmix64\", \"murmur3\", \"crc32-lo\""),
    ];
    for (text, message) in rows {
        assert_eq!(refused(&text), message, "{text}");
    }
}

#[test]
fn a_route_is_read() {
    let text = with(r#""routes": [{"node": 2, "destination": 1, "ports": ["2-1"]}]"#);
    let routes = read(&text, "roce", 1).unwrap().routes;
    assert_eq!((routes[0].node, routes[0].destination), (2, 1));
    assert_eq!(routes[0].ports, [3]);
}

#[test]
fn refusals_of_routes() {
    let route = |routes: &str| with(&format!(r#""routes": [{routes}]"#));
    let one = r#"{"node": 2, "destination": 1, "ports": ["2-1"]}"#;
    let rows = [
        (
            route("3"),
            "routes[0]: found 3, expected an object with node, destination, ports",
        ),
        (
            route(r#"{"node": 1, "destination": 1, "ports": ["2-1"]}"#),
            "routes[0].node: found 1, expected a whole number, 2 to 2",
        ),
        (
            route(r#"{"node": 2, "destination": 2, "ports": ["2-1"]}"#),
            "routes[0].destination: found 2, expected a whole number, 0 to 1",
        ),
        (
            route(r#"{"node": 2, "destination": 1}"#),
            "routes[0].ports: found none, expected ports of the switch",
        ),
        (
            route(r#"{"node": 2, "destination": 1, "ports": ["1-2"]}"#),
            "routes[0].ports[0]: found \"1-2\", expected a port of the node",
        ),
        (
            route(r#"{"node": 2, "destination": 1, "ports": ["2-1", "2-1"]}"#),
            "routes[0].ports[1]: found \"2-1\", expected each port once",
        ),
        (
            route(&format!("{one}, {one}")),
            "routes[1]: found a route of node 2 to host 1 again, expected each once",
        ),
    ];
    for (text, message) in rows {
        assert_eq!(refused(&text), message, "{text}");
    }
}

#[test]
fn refusals_of_links_down_and_of_wrong_cables() {
    let fault = |fault: &str| with(&format!(r#""faults": [{{{fault}}}]"#));
    let times = r#""detection_ns": 1, "convergence_ns": 2"#;
    let down = |of: &str| fault(&format!(r#""kind": "link-down", {of}{times}"#));
    let rows = [
        (down(""), "faults[0]: found neither, expected a link or a node"),
        (down(r#""link": 0, "node": 2, "#), "faults[0]: found both, expected a link or a node"),
        (down(r#""link": 2, "#), "faults[0].link: found 2, expected a whole number, 0 to 1"),
        (down(r#""node": 3, "#), "faults[0].node: found 3, expected a whole number, 0 to 2"),
        (
            fault(r#""kind": "link-down", "link": 0"#),
            "faults[0].detection_ns: found nothing, expected a whole number, 0 to 1,000,000,000,000\n\
             faults[0].convergence_ns: found nothing, expected a whole number, 0 to 1,000,000,000,000",
        ),
        (fault(r#""kind": "miswired""#), "faults[0].links: found [], expected two different links, 0 to 1"),
        (fault(r#""kind": "miswired", "links": [1, 1]"#), "faults[0].links: found [1, 1], expected two different links, 0 to 1"),
        (fault(r#""kind": "miswired", "links": [0, 2]"#), "faults[0].links: found [0, 2], expected two different links, 0 to 1"),
        (
            with(r#""faults": [{"kind": "miswired", "links": [0, 1]}, {"kind": "miswired", "links": [1, 0]}]"#),
            "faults[1]: found links[1], which an earlier fault exchanges, expected each link once",
        ),
    ];
    for (text, message) in rows {
        assert_eq!(refused(&text), message, "{text}");
    }
}

#[test]
fn cables_in_wrong_ports_take_what_is_theirs_along() {
    let text = r#"{"hosts": 2, "switches": 2, "link_gbps": 100, "link_delay_ns": 1,
        "links": [{"a": 2, "b": 0, "addresses": [null, "10.0.0.1"]}, {"a": 3, "b": 1, "addresses": [null, "10.0.0.2"]}, [2, 3]],
        "flows": [{"src": 0, "dst": 1, "bytes": 1}], "faults": [{"kind": "miswired", "links": [0, 1]}]}"#;
    let scenario = read(text, "roce", 1).unwrap();
    assert_eq!((scenario.links[0].b, scenario.links[1].b), (1, 0));
    // Host 0 keeps its address; its port is that of the cable that it has now.
    let connection = scenario.connections[0];
    assert_eq!((connection.port_a, connection.port_b), (3, 1));
    assert_eq!(scenario.given_address(3).unwrap().to_string(), "10.0.0.1");
    let believed: Vec<u32> = (0..6).map(|port| scenario.believed_peer(port)).collect();
    assert_eq!(believed, [3, 2, 1, 0, 5, 4]);
    // So are the faults of its NIC, wherever they stand in the file.
    let stuck = r#"{"kind": "stuck-nic", "node": 0}, {"kind": "miswired", "links": [0, 1]}, {"kind": "cnp-delay", "node": 1, "delay_ns": 1}"#;
    let more = text.replace(r#"{"kind": "miswired", "links": [0, 1]}"#, stuck);
    let faults = read(&more, "roce", 1).unwrap().faults;
    assert!(matches!(faults[0].kind, Kind::StuckNic(it) if it.port == 3));
    assert!(matches!(faults[2].kind, Kind::CnpDelay(it) if it.port == 1));
    let both = text.replace(r#"{"a": 2, "b": 0"#, r#"{"a": 0, "b": 2"#);
    let both = both.replace(r#"[null, "10.0.0.1"]"#, r#"["10.0.0.1", null]"#);
    let both = both.replace(r#""links": [0, 1]}"#, r#""links": [0, 2]}"#);
    let turned = both.replace("[2, 3]]", "[2, 0]]");
    assert!(
        refused(&turned).contains("found both ends of links[0] at node 0 then, expected two nodes")
    );
}

/// A NIC in a PCIe slot.
fn slot(generation: u8, width: u32, max_payload: u32) -> String {
    behind(generation, width, max_payload, "")
}

/// The same with more said of the link.
fn behind(generation: u8, width: u32, max_payload: u32, more: &str) -> String {
    let pcie = format!(
        r#"{{"generation": {generation}, "width": {width}, "max_payload_bytes": {max_payload}{more}}}"#
    );
    set(&format!(
        r#""nic": {{"pipe": {{"gbps": 400, "pcie": {pcie}, "latency_ns": 0, "receive_buffer_bytes": 100000, "xoff_bytes": 50000, "xon_bytes": 20000}}}}"#
    ))
}

#[test]
fn refusals_of_traffic() {
    let far = r#"[{"src": 0, "dst": 1, "bytes": 1, "start_ns": 0}]"#;
    let more = |pairs: &str, operations: &str| {
        with(&format!(
            r#""queue_pairs": [{pairs}], "operations": [{operations}]"#
        ))
    };
    let ab = r#"{"a": 0, "b": 1}"#;
    let op = r#"{"queue_pair": 0, "bytes": 1}"#;
    let after = |after: &[&str]| {
        let each = |after: &&str| format!(r#"{{"queue_pair": 0, "bytes": 1, "after": [{after}]}}"#);
        more(ab, &after.iter().map(each).collect::<Vec<_>>().join(","))
    };
    let rows = [
        (flows("[]"), "flows: found nothing to do, expected flows or operations"),
        (flows("7"), "flows: found 7, expected a list\nflows: found nothing to do, expected flows or operations"),
        (flows("[7]"), "flows[0]: found 7, expected an object with src, dst, bytes, start_ns, verb, src_port, dst_port, priority, udp_source_port, service"),
        (
            flows(r#"[{"dst": 1030, "byte": 3}]"#),
            "flows[0]: found the key \"byte\", expected src, dst, bytes, start_ns, verb, src_port, dst_port, priority, udp_source_port, service\n  \
             hint: did you mean \"bytes\"?\n\
             flows[0].src: found nothing, expected a host, 0 to 1\n\
             flows[0].dst: found 1030, expected a host, 0 to 1\n\
             flows[0].bytes: found nothing, expected a whole number, 0 to 18,446,744,073,709,551,615",
        ),
        (flows(r#"[{"src": 2, "dst": 1, "bytes": 1}]"#), "flows[0].src: found 2, expected a host, 0 to 1"),
        (flows(r#"[{"src": 1, "dst": 1, "bytes": 1}]"#), "flows[0].dst: found 1, expected another host than src"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": -1}]"#), "flows[0].bytes: found -1, expected a whole number, 0 to 18,446,744,073,709,551,615"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "start_ns": 1000000000000001}]"#), "flows[0].start_ns: found 1000000000000001, expected a whole number, 0 to 1,000,000,000,000,000"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "start_ns": 1e16}]"#), "flows[0].start_ns: found 10000000000000000, expected a whole number, 0 to 1,000,000,000,000,000"),
        (more(ab, r#"{"queue_pair": 0, "bytes": 1, "at_ns": 1000000000000000, "delay_ns": 1}"#), "operations[0]: found a start after 1,000,000 s at the earliest, expected at most 1,000,000 s"),
        (more(ab, r#"{"queue_pair": 0, "bytes": 1, "delay_ns": 1000000000000001}"#), "operations[0].delay_ns: found 1000000000000001, expected a whole number, 0 to 1,000,000,000,000,000"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "verb": "writes"}]"#), "flows[0].verb: found \"writes\", expected write, read, send\n  hint: did you mean \"write\"?"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "priority": 8}]"#), "flows[0].priority: found 8, expected a whole number, 0 to 7"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "udp_source_port": 65536}]"#), "flows[0].udp_source_port: found 65536, expected a whole number, 0 to 65,535"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "src_port": 1}]"#), "flows[0].src: found NIC port 1 of host 0, expected NIC port 0 to 0"),
        (
            flows(r#"[{"src": 0, "dst": 1, "bytes": 17592186044416}]"#),
            "flows[0]: found 4,294,967,296 packets on its queue pair up to here, expected fewer than 4,294,967,296",
        ),
        (
            flows(far).replace("[1, 2]]", "[0, 2]]"),
            "flows[0].dst: found host 1 without a link, expected a host with one",
        ),
        (
            flows(far).replace(r#""switches": 1"#, r#""switches": 2"#).replace("[1, 2]]", "[1, 3]]"),
            "flows[0]: found no way from host 0 to host 1, expected ends joined by switches\n  hint: hosts do not forward",
        ),
        (
            // Host 1 stands between the others.
            flows(r#"[{"src": 0, "dst": 2, "bytes": 1}]"#).replace(r#""hosts": 2"#, r#""hosts": 3"#).replace("[[0, 2], [1, 2]]", "[[0, 1], [1, 2]]"),
            "flows[0]: found no way from host 0 to host 2, expected ends joined by switches\n  hint: hosts do not forward",
        ),
        (more(r#"{"a": 0, "b": 0}"#, ""), "queue_pairs[0].b: found 0, expected another host than a"),
        (more(r#"{"a": 0, "b": 1, "b_port": 2}"#, op), "queue_pairs[0].b: found NIC port 2 of host 1, expected NIC port 0 to 0"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "service": "tcp", "verb": "read"}]"#), "flows[0].verb: found \"read\" over a socket, expected send"),
        (slot(6, 8, 256), "parameters.nic.pipe.pcie.generation: found 6, expected 1 to 5"),
        (slot(5, 3, 256), "parameters.nic.pipe.pcie.width: found 3, expected 1, 2, 4, 8, 12, 16 or 32"),
        (slot(5, 8, 100), "parameters.nic.pipe.pcie.max_payload_bytes: found 100, expected 64, 128, 256, 512, 1024, 2048 or 4096"),
        (behind(5, 8, 256, r#", "dllp_bytes": 65"#), "parameters.nic.pipe.pcie.dllp_bytes: found 65, expected 0 to 64"),
        (
            behind(5, 8, 256, r#", "ordered_writes": {"rule": "outstanding", "writes": 0, "commit_ns": 0}"#),
            "parameters.nic.pipe.pcie.ordered_writes.writes: found 0, expected 1 to 65,535\n\
             parameters.nic.pipe.pcie.ordered_writes.commit_ns: found 0, expected 1 to 1,000,000,000",
        ),
        (
            behind(5, 8, 256, r#", "ordered_writes": {"rule": "outstanding", "writes": 1, "commit_ns": 2049}"#),
            "parameters.nic.pipe.pcie.ordered_writes: found 1 times 256 bytes in 2049 ns, 999511957 bit/s, expected 1 Gb/s or more",
        ),
        (
            behind(5, 8, 256, r#", "ordered_writes": {"rule": "measured", "bps": 5}"#),
            "parameters.nic.pipe.pcie.ordered_writes.bps: found 5, expected 1,000,000,000 to 10,000,000,000,000",
        ),
        (
            behind(5, 8, 256, r#", "ordered_writes": {"rule": "mesured", "bps": 5}"#),
            "parameters.nic.pipe: found unknown variant \"mesured\", expected \"outstanding\" or \"measured\"",
        ),
        (
            behind(5, 8, 256, r#", "reads": {"tags": 0, "max_read_request_bytes": 500, "round_trip_ns": 0, "read_completion_boundary_bytes": 32}"#),
            "parameters.nic.pipe.pcie.reads.tags: found 0, expected 1 to 16,384\n\
             parameters.nic.pipe.pcie.reads.round_trip_ns: found 0, expected 1 to 1,000,000,000\n\
             parameters.nic.pipe.pcie.reads.max_read_request_bytes: found 500, expected 128, 256, 512, 1024, 2048 or 4096\n\
             parameters.nic.pipe.pcie.reads.read_completion_boundary_bytes: found 32, expected 64 or 128",
        ),
        (
            behind(5, 8, 256, r#", "reads": {"tags": 1, "max_read_request_bytes": 128, "round_trip_ns": 547, "tag": 5}"#),
            "parameters.nic.pipe: found unknown field \"tag\", expected one of \"tags\", \"max_read_request_bytes\", \"round_trip_ns\", \"read_completion_boundary_bytes\"",
        ),
        (
            set(r#""nic": {"pipe": {"latency_ns": 0, "receive_buffer_bytes": 100000, "xoff_bytes": 50000, "xon_bytes": 20000}}"#),
            "parameters.nic.pipe: found neither, expected gbps, pcie or both",
        ),
        (set(r#""sockets": {"mtu_bytes": 576}"#), "parameters.sockets.mtu_bytes: found 576, expected 1,280 to 32,768"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "service": "uf"}]"#), "flows[0].service: found \"uf\", expected rc, uc, ud, tcp, udp"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "service": "uc", "verb": "read"}]"#), "flows[0].verb: found \"read\" on an unreliable connection, expected write, send"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 5000, "service": "ud"}]"#), "flows[0].bytes: found 5,000, expected at most 4,096, a datagram\n  hint: a longer message is several operations"),
        (flows(r#"[{"src": 0, "dst": 1, "bytes": 1, "service": "ud", "verb": "write"}]"#), "flows[0].verb: found \"write\" as a datagram, expected send"),
        (flows(r#"[{"src": 0, "dst": [1], "bytes": 1, "service": "ud"}]"#), "flows[0].dst: found a list, expected a host, 0 to 1"),
        (more(r#"{"a": 0, "b": [1], "service": "uc"}"#, op), "queue_pairs[0].b: found a list, expected a host, 0 to 1"),
        (more(r#"{"a": 0, "b": [1, 2], "service": "ud"}"#, op), "queue_pairs[0].b: found 2, expected hosts, 0 to 1"),
        (more(r#"{"a": 0, "b": [], "service": "ud"}"#, op), "queue_pairs[0].b: found an empty list, expected hosts, 0 to 1"),
        (more(r#"{"a": 0, "b": [1, 1], "service": "ud"}"#, op), "operations[0].to: found nothing, expected a whole number, 0 to 1"),
        (more(r#"{"a": 0, "b": [1], "service": "ud"}"#, r#"{"queue_pair": 0, "bytes": 1, "side": "b"}"#), "operations[0].side: found \"b\", expected a: b only receives datagrams"),
        (more("", op), "operations[0].queue_pair: found 0, expected an index of queue_pairs, of which there are none"),
        (more(ab, r#"{"queue_pair": 1, "bytes": 1}"#), "operations[0].queue_pair: found 1, expected an index of queue_pairs, 0 to 0"),
        (more(ab, r#"{"queue_pair": 0, "side": "c", "bytes": 1}"#), "operations[0].side: found \"c\", expected a, b"),
        (after(&["", "2"]), "operations[1].after: found 2, expected indices of operations, 0 to 1"),
        (after(&["0"]), "operations[0].after: found a circle: 0 after 0, expected operations that can begin"),
        (after(&["1", "3", "", "2, 1"]), "operations[1].after: found a circle: 1 after 3 after 1, expected operations that can begin"),
        (
            // 1000 s before each: 213 days would be 2^64 ps.
            after(&(0..1001).map(|n| if n == 0 { String::new() } else { (n - 1).to_string() }).collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>())
                .replace(r#""bytes": 1, "after""#, r#""bytes": 1, "delay_ns": 1000000000000, "after""#),
            "operations[1000]: found a start after 1,001,000 s at the earliest, expected at most 1,000,000 s",
        ),
        (
            more(ab, r#"{"queue_pair": 0, "bytes": 12000000000000}, {"queue_pair": 0, "bytes": 6000000000000}"#),
            "operations[1]: found 4,394,531,250 packets on its queue pair up to here, expected fewer than 4,294,967,296",
        ),
    ];
    for (text, message) in rows {
        assert_eq!(refused(&text), message, "{text}");
    }
    assert!(read(
        &flows(r#"[{"src": 0, "dst": 1, "bytes": 17592186040320}]"#),
        "hpcc",
        1
    )
    .is_ok());
}

#[test]
fn refusals_of_parameters() {
    let rows = [
        (set(r#""swich": {}"#), "parameters: found the key \"swich\", expected congestion, ecmp, framing, marking, nic, notification, pfc, scheduler, sockets, switch, transport\n  hint: did you mean \"switch\"?"),
        (set(r#""nic": 5"#), "parameters.nic: found 5, expected an object"),
        (set(r#""nic": {"pipes": 5}"#), "parameters.nic: found the key \"pipes\", expected control_ignores_pause, messages_per_second, pipe\n  hint: did you mean \"pipe\"?"),
        (set(r#""nic": {"pipe": {"gbps": 5}}"#), "parameters.nic.pipe: found an object, expected an object with \"latency_ns\""),
        (set(r#""transport": {"mtu_bytes": 1024, "mtu_bytes": 2048}"#), "parameters.transport.mtu_bytes: found this key again, expected each key once"),
        (set(r#""transport": {"mtu_bytes": "1k"}"#), "parameters.transport.mtu_bytes: found \"1k\", expected a whole number, 0 to 4,294,967,295"),
        (set(r#""transport": {"mtu_bytes": 0}"#), "parameters.transport.mtu_bytes: found 0, expected 1 to 32,768"),
        (set(r#""transport": {"priority": 300}"#), "parameters.transport.priority: found 300, expected a whole number, 0 to 255"),
        (set(r#""transport": {"priority": 8, "retry_count": 9}"#), "parameters.transport.priority: found 8, expected 0 to 7\nparameters.transport.retry_count: found 9, expected 0 to 7"),
        (set(r#""marking": {"enabled": 1}"#), "parameters.marking.enabled: found 1, expected true or false"),
        (set(r#""marking": {"at": "dequeues"}"#), "parameters.marking.at: found unknown variant \"dequeues\", expected \"enqueue\" or \"dequeue\""),
        (set(r#""marking": {"kmin_bytes": 1600001, "pmax": 2}"#), "parameters.marking.kmin_bytes: found 1600001, expected 0 to 1,600,000\nparameters.marking.pmax: found 2, expected 0 to 1"),
        (set(r#""switch": {"headroom": {"bytes": 5}}"#), "parameters.switch.headroom: found the key \"bytes\", expected rule, times"),
        (set(r#""switch": {"headroom": {"rule": "fixed"}}"#), "parameters.switch.headroom: found an object, expected an object with \"bytes\""),
        (set(r#""switch": {"headroom": {"times": -1}}"#), "parameters.switch.headroom.times: found -1, expected a whole number, 0 to 4,294,967,295"),
        (set(r#""switch": {"cell_bytes": 0, "slices": 65}"#), "parameters.switch.slices: found 65, expected 1 to 64\nparameters.switch.cell_bytes: found 0, expected 1 to 65,535"),
        (set(r#""pfc": {"quanta": 0}"#), "parameters.pfc.quanta: found 0, expected 1 to 65,535"),
        (set(r#""scheduler": {"weights": [0, 1, 1, 1, 1, 1, 1, 1]}"#), "parameters.scheduler.weights[0]: found 0, expected 1 to 10,000"),
        (set(r#""scheduler": {"weights": [1]}"#), "parameters.scheduler.weights: found a list of 1, expected an array of length 8"),
        (set(r#""transport": {"rx_depth": 0, "min_rnr_timer": 32, "rnr_retry": 8}"#), "parameters.transport.rx_depth: found 0, expected 1 to 4,294,967,295\nparameters.transport.min_rnr_timer: found 32, expected 0 to 31\nparameters.transport.rnr_retry: found 8, expected 0 to 7"),
        (set(r#""transport": {"rx_depth": 8, "recovery": "selective-repeat"}"#), "parameters.transport.rx_depth: found 8 and selective-repeat, expected none, or recovery \"go-back-n\""),
        (set(r#""transport": {"recovery": "selective"}"#), "parameters.transport.recovery: found unknown variant \"selective\", expected \"go-back-n\" or \"selective-repeat\""),
        (set(r#""transport": {"window_packets": 0}"#), "parameters.transport.window_packets: found 0, expected 1 to 65,535"),
        (set(r#""transport": {"recovery": "selective-repeat", "reordering": {"rule": "packets", "packets": 0}}"#), "parameters.transport.reordering.packets: found 0, expected 1 to 65,535"),
        (set(r#""transport": {"reordering": {"rule": "time", "ns": 1000}}"#), "parameters.transport.reordering: found a rule and go-back-n, expected recovery \"selective-repeat\": with go-back-N what comes out of order is not kept"),
        (set(r#""transport": {"max_outstanding_reads": 256}"#), "parameters.transport.max_outstanding_reads: found 256, expected 1 to 255"),
        (
            set(r#""nic": {"pipe": {"gbps": 50, "latency_ns": 0, "receive_buffer_bytes": 4095, "xoff_bytes": 4096, "xon_bytes": 4097}}"#),
            "parameters.nic.pipe.receive_buffer_bytes: found 4095, expected 4,096 to 2,147,483,648\n\
             parameters.nic.pipe.xoff_bytes: found 4096, expected 0 to 4,095\n\
             parameters.nic.pipe.xon_bytes: found 4097, expected 0 to 4,096",
        ),
        (set(r#""congestion": {"algorithm": "dcqnc"}"#), "parameters.congestion: found unknown variant \"dcqnc\", expected one of \"line-rate\", \"dcqcn\", \"dcqcn-nvidia\", \"dcqcn-p\", \"dcqcn-d\", \"dctcp\", \"timely\", \"swift\", \"hpcc\", \"nscc\", \"rccc\""),
        (set(r#""congestion": {"rpg_min_rate_mbps": 0}"#), "parameters.congestion.rpg_min_rate_mbps: found 0, expected 1 to 100000, the line rate"),
    ];
    for (text, message) in rows {
        assert_eq!(refused(&text), message, "{text}");
    }
}

/// The pair with faults.
fn faults(faults: &str) -> String {
    with(&format!(r#""faults": [{faults}]"#))
}

#[test]
fn faults_of_every_kind() {
    let text = r#"{"kind": "bit-errors", "link": 1, "ber": 1e-4, "fec": "rs-544", "floor_ber": 1e-13, "from_ns": 5, "until_ns": 6},
        {"kind": "bit-errors", "link": 0, "ber": 0},
        {"kind": "stuck-nic", "node": 1}, {"kind": "stuck-nic", "node": 0, "nic_port": 0, "priority": 5},
        {"kind": "slow-receiver", "node": 1, "gbps": 0.5},
        {"kind": "cnp-loss", "link": 1, "probability": 0.25}, {"kind": "cnp-delay", "node": 0, "delay_ns": 9}"#;
    let pipe = r#""parameters": {"nic": {"pipe": {"gbps": 50, "latency_ns": 0, "receive_buffer_bytes": 9000, "xoff_bytes": 2, "xon_bytes": 1}}},"#;
    let text = faults(text).replacen('{', &format!("{{{pipe}"), 1);
    let stuck = |port, priorities| Kind::StuckNic(StuckNic { port, priorities });
    let errors = |link, ber, fec, floor| {
        Kind::BitErrors(BitErrors {
            link,
            ber,
            fec,
            floor,
        })
    };
    let fault = |from, until, kind| Fault { from, until, kind };
    assert_eq!(
        read(&text, "roce", 1).unwrap().faults,
        [
            fault(5_000, 6_000, errors(1, 1e-4, Fec::Rs544, 1e-13)),
            fault(0, NEVER, errors(0, 0.0, Fec::None, 0.0)),
            fault(0, NEVER, stuck(2, 1 << 3)),
            fault(0, NEVER, stuck(0, 1 << 5)),
            fault(
                0,
                NEVER,
                Kind::SlowReceiver(SlowReceiver {
                    port: 2,
                    rate: 500_000_000
                })
            ),
            fault(
                0,
                NEVER,
                Kind::CnpLoss(cnp::Loss {
                    link: 1,
                    probability: 0.25
                })
            ),
            fault(
                0,
                NEVER,
                Kind::CnpDelay(cnp::Delay {
                    port: 0,
                    delay: 9_000
                })
            ),
        ]
    );
}

#[test]
fn refusals_of_faults() {
    let rows = [
        (with(r#""faults": {}"#), "faults: found an object, expected a list"),
        (faults("5"), "faults[0]: found 5, expected an object with a kind"),
        (faults("{}"), "faults[0].kind: found nothing, expected bit-errors, link-down, miswired, stuck-nic, slow-receiver, cnp-loss, cnp-delay"),
        (faults(r#"{"kind": "bit-error"}"#), "faults[0].kind: found \"bit-error\", expected bit-errors, link-down, miswired, stuck-nic, slow-receiver, cnp-loss, cnp-delay\n  hint: did you mean \"bit-errors\"?"),
        (faults(r#"{"kind": "bit-errors", "link": 2, "ber": 0.6, "fec": "rs"}"#),
            "faults[0].link: found 2, expected a whole number, 0 to 1\n\
             faults[0].ber: found 0.6, expected a number, 0 to 0.5\n\
             faults[0].fec: found \"rs\", expected none, rs-528, rs-544, rs-544-interleaved"),
        (faults(r#"{"kind": "bit-errors", "lnk": 0}"#),
            "faults[0]: found the key \"lnk\", expected kind, from_ns, until_ns, link, ber, fec, floor_ber\n  hint: did you mean \"link\"?\n\
             faults[0].link: found nothing, expected a whole number, 0 to 1\n\
             faults[0].ber: found nothing, expected a number, 0 to 0.5"),
        (faults(r#"{"kind": "bit-errors", "link": 0, "ber": 0, "from_ns": 7, "until_ns": 7}"#),
            "faults[0].until_ns: found 7, expected a time after from_ns"),
        (faults(r#"{"kind": "stuck-nic", "node": 2}"#), "faults[0].node: found 2, expected a whole number, 0 to 1"),
        (faults(r#"{"kind": "stuck-nic", "node": 1, "nic_port": 1, "priority": 8}"#),
            "faults[0].nic_port: found NIC port 1 of host 1, expected NIC port 0 to 0\n\
             faults[0].priority: found 8, expected a whole number, 0 to 7"),
        (faults(r#"{"kind": "slow-receiver", "node": 1, "gbps": 10}"#),
            "faults[0]: found a slow receiver, expected a host with a pipe\n  hint: set parameters.nic.pipe: its rate is what falls, its buffer what fills"),
        (faults(r#"{"kind": "cnp-loss", "link": 0, "probability": 1.5}"#), "faults[0].probability: found 1.5, expected a number, 0 to 1"),
        (faults(r#"{"kind": "cnp-delay", "node": 0}"#), "faults[0].delay_ns: found nothing, expected a whole number, 0 to 1,000,000,000,000"),
        (set(r#""pfc": {"watchdog": {"detection_ns": 1, "restoration_ns": 1, "poll_ns": 1, "action": "alert"}}"#),
            "parameters.pfc.watchdog: found unknown variant \"alert\", expected \"drop\" or \"forward\""),
        (set(r#""pfc": {"watchdog": {"detection_ns": 0, "restoration_ns": 1, "poll_ns": 1, "action": "drop"}}"#),
            "parameters.pfc.watchdog.detection_ns: found 0, expected 1 to 3,600,000,000,000"),
        (set(r#""switch": {"pools": {"lossless_percent": 0, "lossy_percent": 101}}"#),
            "parameters.switch.pools.lossy_percent: found 101, expected 0 to 100\n\
             parameters.switch.pools.lossless_percent: found 101 with switch.pools.lossy_percent, expected at most 100"),
        (set(r#""switch": {"pools": {"lossless_percent": 70, "lossy_percent": 20}, "shared_headroom": {"rule": "share", "percent": 11}}"#),
            "parameters.switch.pools.lossless_percent: found 101 with switch.pools.lossy_percent and switch.shared_headroom.percent, \
             expected at most 100"),
        (set(r#""switch": {"pools": {"lossless_percent": 70}}"#),
            "parameters.switch.pools: found an object, expected an object with \"lossy_percent\""),
        (set(r#""switch": {"shared_headroom": {"rule": "fixed", "bytes": 0}}"#),
            "parameters.switch.shared_headroom.bytes: found 0, expected 1 to 4,294,967,295"),
        (set(r#""switch": {"trimming": {"priority": 8, "trimmed_bytes": 0, "queue_ns": 1000000001}}, "transport": {"ack_priority": 9}"#),
            "parameters.switch.trimming.priority: found 8, expected 0 to 7\n\
             parameters.switch.trimming.trimmed_bytes: found 0, expected 1 to 10,000\n\
             parameters.switch.trimming.queue_ns: found 1000000001, expected 0 to 1,000,000,000\n\
             parameters.transport.ack_priority: found 9, expected 0 to 7"),
    ];
    for (text, message) in rows {
        assert_eq!(refused(&text), message, "{text}");
    }
}

/// What an event names has 28 bits: 2^24 links are 2^25 ports of eight priorities.
#[test]
fn refusals_of_size() {
    let message = |links: usize, connections: usize, operations: usize| {
        let mut findings = Findings::default();
        limits::check_size(links, connections, operations, &mut findings);
        findings.refuse().map_err(|refused| refused.to_string())
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
fn parameters_over_the_preset() {
    type Change = fn(&mut Parameters);
    let rows: [(&str, Change); 5] = [
        (r#""pfc": {"quanta": 9}"#, |it| it.pfc.quanta = Some(9)),
        (r#""transport": {"nak_interval_ns": null}"#, |it| {
            it.transport.nak_interval_ns = None
        }),
        (r#""switch": {"headroom": {"times": 2}}"#, |it| {
            it.switch.headroom = Headroom::RateDelay { times: 2 }
        }),
        (
            r#""switch": {"headroom": {"rule": "rate-delay", "times": 2}}"#,
            |it| it.switch.headroom = Headroom::RateDelay { times: 2 },
        ),
        (r#""marking": {"kmin_bytes": 7, "kmax_bytes": 8}"#, |it| {
            (it.marking.kmin_bytes, it.marking.kmax_bytes) = (7, 8)
        }),
    ];
    for (text, change) in rows {
        let mut expected = preset::by_name("hpcc").unwrap();
        change(&mut expected);
        let found = read(&set(text), "hpcc", 1).unwrap().parameters;
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn twenty_problems_are_listed_and_the_others_counted() {
    let many = vec![r#"{"src": 5, "dst": 1, "bytes": 1}"#; 1234].join(",");
    let message = refused(&flows(&format!("[{many}]")));
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(lines[19], "flows[19].src: found 5, expected a host, 0 to 1");
    assert_eq!(
        lines[20],
        "and beyond these: found 1,214 more, expected none"
    );
}

#[test]
fn refusals_of_devices() {
    let device = |it: &str| with(&format!(r#""devices": [{it}]"#));
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
            device(r#"{"ports": ["0-1"], "parameters": {}}"#),
            "devices[0].ports[0]: found \"0-1\", expected a node that a cable joins to node 0",
        ),
        (
            device(r#"{"ports": ["2"], "parameters": {}}"#),
            "devices[0].ports[0]: found \"2\", expected one of the 2 ports of node 2",
        ),
        (
            device(r#"{"ports": ["2-1.1"], "parameters": {}}"#),
            "devices[0].ports[0]: found \"2-1.1\", expected 2-1, the only cable there",
        ),
        (
            device(r#"{"ports": ["two-1"], "parameters": {}}"#),
            "devices[0].ports[0]: found \"two-1\", expected a port of a node, 0 to 2",
        ),
        (
            device(r#"{"ports": [4], "parameters": {}}"#),
            "devices[0].ports[0]: found 4, expected a port: its number, 0 to 3, or a name such as \"16-0\"",
        ),
        (
            device(r#"{"nodes": [2], "priorities": [8], "parameters": {}}"#),
            "devices[0].priorities[0]: found 8, expected a priority, 0 to 7",
        ),
        (
            on_2(r#""markin": {}"#),
            "devices[0].parameters: found the key \"markin\", expected congestion, ecmp, framing, marking, nic, \
             notification, pfc, scheduler, sockets, switch, transport\n  hint: did you mean \"marking\"?",
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
            device(r#"{"ports": ["2-1"], "parameters": {"switch": {"latency_ns": 1}}}"#),
            "devices[0].parameters.switch.latency_ns: found ports, expected nodes alone: it is one for a whole switch",
        ),
        (
            device(r#"{"ports": ["2-1"], "priorities": [3], "parameters": {"pfc": {"quanta": 1}}}"#),
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
            with(
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
        assert_eq!(refused(&text), message, "{text}");
    }
}
