//! Links that go down, and cables in the wrong ports.

use super::{pair_with, read_refusal};
use crate::ids::{NodeId, PortId};
use crate::model::faults::Kind;
use crate::reader::read;

#[test]
fn refusals_of_links_down_and_of_wrong_cables() {
    let fault = |fault: &str| pair_with(&format!(r#""faults": [{{{fault}}}]"#));
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
            pair_with(r#""faults": [{"kind": "miswired", "links": [0, 1]}, {"kind": "miswired", "links": [1, 0]}]"#),
            "faults[1]: found links[1], which an earlier fault exchanges, expected each link once",
        ),
    ];
    for (text, message) in rows {
        assert_eq!(read_refusal(&text), message, "{text}");
    }
}

#[test]
fn cables_in_wrong_ports_take_what_is_theirs_along() {
    let text = r#"{"hosts": 2, "switches": 2, "link_gbps": 100, "link_delay_ns": 1,
        "links": [{"a": 2, "b": 0, "addresses": [null, "10.0.0.1"]}, {"a": 3, "b": 1, "addresses": [null, "10.0.0.2"]}, [2, 3]],
        "flows": [{"src": 0, "dst": 1, "bytes": 1}], "faults": [{"kind": "miswired", "links": [0, 1]}]}"#;
    let scenario = read(text, "roce", 1).unwrap();
    assert_eq!(
        (scenario.links[0].b, scenario.links[1].b),
        (NodeId(1), NodeId(0))
    );
    // Host 0 keeps its address; its port is that of its new cable.
    let connection = scenario.connections[0];
    assert_eq!(
        (connection.port_a, connection.port_b),
        (PortId(3), PortId(1))
    );
    assert_eq!(
        scenario.given_address(PortId(3)).unwrap().to_string(),
        "10.0.0.1"
    );
    let believed: Vec<u32> = (0..6)
        .map(|port| scenario.believed_peer(PortId(port)).0)
        .collect();
    assert_eq!(believed, [3, 2, 1, 0, 5, 4]);
    // The faults of its NIC are exchanged, too, whatever their order in the file.
    let stuck = r#"{"kind": "stuck-nic", "node": 0}, {"kind": "miswired", "links": [0, 1]}, {"kind": "cnp-delay", "node": 1, "delay_ns": 1}"#;
    let more = text.replace(r#"{"kind": "miswired", "links": [0, 1]}"#, stuck);
    let faults = read(&more, "roce", 1).unwrap().faults;
    assert!(matches!(faults[0].kind, Kind::StuckNic(fault) if fault.port == PortId(3)));
    assert!(matches!(faults[2].kind, Kind::CnpDelay(fault) if fault.port == PortId(1)));
    let both = text.replace(r#"{"a": 2, "b": 0"#, r#"{"a": 0, "b": 2"#);
    let both = both.replace(r#"[null, "10.0.0.1"]"#, r#"["10.0.0.1", null]"#);
    let both = both.replace(r#""links": [0, 1]}"#, r#""links": [0, 2]}"#);
    let turned = both.replace("[2, 3]]", "[2, 0]]");
    assert!(read_refusal(&turned)
        .contains("found both ends of links[0] at node 0 then, expected two nodes"));
}
