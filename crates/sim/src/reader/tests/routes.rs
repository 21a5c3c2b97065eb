//! Configured routes.

use super::{pair_with, read_refusal};
use crate::ids::{NodeId, PortId};
use crate::reader::read;

#[test]
fn a_route_is_read() {
    let text = pair_with(r#""routes": [{"node": 2, "destination": 1, "ports": ["2:1"]}]"#);
    let routes = read(&text, "roce", 1).unwrap().routes;
    assert_eq!(
        (routes[0].node, routes[0].destination),
        (NodeId(2), NodeId(1))
    );
    assert_eq!(routes[0].ports, [PortId(3)]);
}

#[test]
fn refusals_of_routes() {
    let route = |routes: &str| pair_with(&format!(r#""routes": [{routes}]"#));
    let item = r#"{"node": 2, "destination": 1, "ports": ["2:1"]}"#;
    let rows = [
        (
            route("3"),
            "routes[0]: found 3, expected an object with node, destination, ports",
        ),
        (
            route(r#"{"node": 1, "destination": 1, "ports": ["2:1"]}"#),
            "routes[0].node: found 1, expected a whole number, 2 to 2",
        ),
        (
            route(r#"{"node": 2, "destination": 2, "ports": ["2:1"]}"#),
            "routes[0].destination: found 2, expected a whole number, 0 to 1",
        ),
        (
            route(r#"{"node": 2, "destination": 1}"#),
            "routes[0].ports: found none, expected ports of the switch",
        ),
        (
            route(r#"{"node": 2, "destination": 1, "ports": ["1:2"]}"#),
            "routes[0].ports[0]: found \"1:2\", expected a port of the node",
        ),
        (
            route(r#"{"node": 2, "destination": 1, "ports": ["2:1", "2:1"]}"#),
            "routes[0].ports[1]: found \"2:1\", expected each port once",
        ),
        (
            route(&format!("{item}, {item}")),
            "routes[1]: found a route of node 2 to host 1 again, expected each once",
        ),
    ];
    for (text, message) in rows {
        assert_eq!(read_refusal(&text), message, "{text}");
    }
}
