//! Names of nodes and ports.

use super::{links, pair_with, read_refusal, PAIR};
use crate::ids::PortId;
use crate::reader::read;

/// The pair with names of its nodes, and links.
fn name_nodes(nodes: &str, wires: &str) -> String {
    let text = pair_with(&format!(r#""node_names": {nodes}"#));
    text.replace("[[0, 2], [1, 2]]", wires)
}

const NODES: &str = r#"["node1", "node2", "leaf1"]"#;
const WIRES: &str = r#"[{"a": 0, "b": 2, "port_names": ["eth0", "Ethernet1/1"]}, [1, 2]]"#;

#[test]
fn names_are_kept_and_change_nothing_else() {
    let scenario = read(&name_nodes(NODES, WIRES), "roce", 1).unwrap();
    assert_eq!(scenario.names.nodes, ["node1", "node2", "leaf1"]);
    let ports: Vec<&str> = (0..4)
        .map(|port| scenario.names.port(PortId(port)))
        .collect();
    assert_eq!(ports, ["eth0", "Ethernet1/1", "", ""]);
    let mut unnamed = scenario.clone();
    unnamed.names = Default::default();
    let mut bare = read(PAIR, "roce", 1).unwrap();
    bare.name = String::new();
    assert_eq!(unnamed, bare);
}

/// The second ends are exchanged with their names: ports are named by their cables.
#[test]
fn a_wrong_cable_takes_the_other_ones_name() {
    for (wires, expected) in [
        (
            r#"[{"a": 2, "b": 0, "port_names": ["Ethernet1/1", "eth0"]}, {"a": 2, "b": 1, "port_names": ["Ethernet1/2", "eth7"]}]"#,
            ["Ethernet1/1", "eth7", "Ethernet1/2", "eth0"],
        ),
        (
            r#"[{"a": 2, "b": 0, "port_names": ["Ethernet1/1", "eth0"]}, [2, 1]]"#,
            ["Ethernet1/1", "", "", "eth0"],
        ),
    ] {
        let text = name_nodes(NODES, wires);
        let faults = r#""faults": [{"kind": "miswired", "links": [0, 1]}], "desc""#;
        let scenario = read(&text.replace(r#""desc""#, faults), "roce", 1).unwrap();
        let ports: Vec<&str> = (0..4)
            .map(|port| scenario.names.port(PortId(port)))
            .collect();
        assert_eq!(ports, expected);
    }
}

#[test]
fn refusals() {
    let rows = [
        (
            name_nodes("7", WIRES),
            "node_names: found 7, expected a list",
        ),
        (
            name_nodes(r#"["a", "b"]"#, WIRES),
            "node_names: found 2 names, expected one for each of 3 nodes",
        ),
        (
            name_nodes(r#"["a", 1, "c"]"#, WIRES),
            "node_names[1]: found 1, expected a name of 1 to 63 characters",
        ),
        (
            name_nodes(r#"["a", "", "c"]"#, WIRES),
            r#"node_names[1]: found "", expected a name of 1 to 63 characters"#,
        ),
        (
            name_nodes(r#"["a", "b", "a"]"#, WIRES),
            r#"node_names[2]: found "a", which node 0 has, expected each name once"#,
        ),
        (
            links(WIRES),
            "node_names: found nothing, expected names of the nodes too, where ports have any",
        ),
        (
            name_nodes(NODES, r#"[{"a": 0, "b": 2, "port_names": "eth0"}, [1, 2]]"#),
            r#"links[0].port_names: found "eth0", expected a list of two: one for each end"#,
        ),
        (
            name_nodes(
                NODES,
                r#"[{"a": 0, "b": 2, "port_names": ["eth0", null]}, [1, 2]]"#,
            ),
            "links[0].port_names: found null, expected a name of 1 to 63 characters",
        ),
        (
            name_nodes(
                NODES,
                r#"[{"a": 0, "b": 2, "port_names": ["eth0", "swp1"]}, {"a": 1, "b": 2, "port_names": ["eth0", "swp1"]}]"#,
            ),
            r#"links[1].port_names: found "swp1", which links[0] has at node 2, expected each port of a node once"#,
        ),
    ];
    for (text, message) in rows {
        assert_eq!(read_refusal(&text), message, "{text}");
    }
}
