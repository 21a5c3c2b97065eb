//! The `routes` of a scenario: ways of single switches to single hosts that are not the shortest.

use super::json::Json;
use super::ports::Ports;
use super::problems::{Findings, Object, Place};
use crate::model::scenario::{Route, Scenario};
use std::collections::HashSet;

const KEYS: [&str; 3] = ["node", "destination", "ports"];

/// Each route that is as it should be. The scenario's links are known.
pub fn read(top: &Object, scenario: &Scenario, findings: &mut Findings) -> Vec<Route> {
    let items = top.list("routes", findings);
    let links_are_right = match top.get("links") {
        Some(Json::List(links)) => links.len() == scenario.links.len(),
        _ => false,
    };
    if items.is_empty() || !links_are_right {
        return Vec::new(); // names of ports mean nothing while links are wrong
    }
    let ports = Ports::of(scenario);
    let mut known = HashSet::new();
    let mut routes = Vec::with_capacity(items.len());
    for (n, json) in items.iter().enumerate() {
        let Some(route) = route(n, json, scenario, &ports, findings) else {
            continue;
        };
        if !known.insert((route.node, route.destination)) {
            let found = format!(
                "a route of node {} to host {} again",
                route.node, route.destination
            );
            findings.note(Place::Item("routes", n), found, "each once", "");
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
    findings: &mut Findings,
) -> Option<Route> {
    let place = Place::Item("routes", n);
    let item = Object::new(place, json, &KEYS, findings)?;
    let (hosts, nodes) = (u64::from(scenario.hosts), u64::from(scenario.nodes()));
    if hosts == nodes {
        findings.note(place, "a route", "none where there is no switch", "");
        return None;
    }
    let node = item.whole("node", hosts..=nodes - 1, None, findings);
    let destination = item.whole("destination", 0..=hosts - 1, None, findings);
    let named = item.list("ports", findings);
    if named.is_empty() {
        findings.note(item.at("ports"), "none", "ports of the switch", "");
    }
    let mut own = Vec::with_capacity(named.len());
    for (place, name) in named.iter().enumerate() {
        let at = || format!("{}[{place}]", item.at("ports"));
        match ports.find(name) {
            Err(expected) => findings.note(at(), name.shown(), expected, ""),
            Ok(port) if node.is_some_and(|it| it != u64::from(scenario.node_of(port))) => {
                findings.note(at(), name.shown(), "a port of the node", "");
            }
            Ok(port) if own.contains(&port) => {
                findings.note(at(), name.shown(), "each port once", "");
            }
            Ok(port) => own.push(port),
        }
    }
    Some(Route {
        node: node? as u32,
        destination: destination? as u32,
        ports: own,
    })
}
