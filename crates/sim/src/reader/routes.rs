//! The `routes` of a scenario: routes of single switches to single hosts that are not shortest paths.

use super::json::Json;
use super::ports::Ports;
use super::problems::{Object, ObjectPath, Problems};
use crate::ids::NodeId;
use crate::model::scenario::{Route, Scenario};
use crate::model::schema::form::forms;
use std::collections::HashSet;

/// Reads the valid routes. The links of the scenario are known.
pub fn read(top: &Object, scenario: &Scenario, problems: &mut Problems) -> Vec<Route> {
    let items = top.list("routes", problems);
    let links_are_right = match top.get("links") {
        Some(Json::List(links)) => links.len() == scenario.links.len(),
        _ => false,
    };
    if items.is_empty() || !links_are_right {
        return Vec::new(); // names of ports are undefined without valid links
    }
    let ports = Ports::from_scenario(scenario);
    let mut known = HashSet::new();
    let mut routes = Vec::with_capacity(items.len());
    for (n, json) in items.iter().enumerate() {
        let Some(route) = route(n, json, scenario, &ports, problems) else {
            continue;
        };
        if !known.insert((route.node, route.destination)) {
            let found = format!(
                "a route of node {} to host {} again",
                route.node, route.destination
            );
            problems.note(ObjectPath::Item("routes", n), found, "each once", "");
        }
        routes.push(route);
    }
    routes
}

fn route(
    n: usize,
    json: &Json,
    scenario: &Scenario,
    ports: &Ports,
    problems: &mut Problems,
) -> Option<Route> {
    let location = ObjectPath::Item("routes", n);
    let item = Object::new(location, json, &forms().route, problems)?;
    let (hosts, nodes) = (u64::from(scenario.hosts), u64::from(scenario.nodes()));
    if hosts == nodes {
        problems.note(location, "a route", "none where there is no switch", "");
        return None;
    }
    let node = item.whole_within("node", hosts..=nodes - 1, problems);
    let destination = item.whole_up_to("destination", hosts - 1, problems);
    let named = item.list("ports", problems);
    if named.is_empty() {
        problems.note(item.location("ports"), "none", "ports of the switch", "");
    }
    let mut listed = Vec::with_capacity(named.len());
    for (position, name) in named.iter().enumerate() {
        let at = || format!("{}[{position}]", item.location("ports"));
        match ports.find(name) {
            Err(expected) => problems.note(at(), name.format_value(), expected, ""),
            Ok(port) if node.is_some_and(|node| node != u64::from(scenario.node_of(port).0)) => {
                problems.note(at(), name.format_value(), "a port of the node", "");
            }
            Ok(port) if listed.contains(&port) => {
                problems.note(at(), name.format_value(), "each port once", "");
            }
            Ok(port) => listed.push(port),
        }
    }
    Some(Route {
        node: NodeId(node? as u32),
        destination: NodeId(destination? as u32),
        ports: listed,
    })
}
