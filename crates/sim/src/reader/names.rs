//! The names of nodes and ports in a scenario: `node_names`, and `port_names` of a link.

use super::json::Json;
use super::problems::{Object, ObjectPath, Problems};
use crate::model::names::Names;
use crate::model::scenario_file::LONGEST_NAME;
use std::collections::HashMap;

/// Port names of the links read so far.
pub struct PortNames {
    by_port: Vec<String>,
    /// The link that has a node's port of this name.
    known: HashMap<(u64, String), usize>,
}

impl PortNames {
    /// No names.
    pub fn new() -> Self {
        PortNames {
            by_port: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Reads the names of both ports of a link between two nodes.
    pub fn read(&mut self, link: &Object, nodes: [u64; 2], problems: &mut Problems) {
        let (Some(json), ObjectPath::Item(_, number)) = (link.get("port_names"), link.location)
        else {
            return;
        };
        let ends = match json {
            Json::List(ends) => ends.as_slice(),
            _ => &[],
        };
        let [a, b] = ends else {
            let expected = "a list of two: one for each end";
            return problems.note(
                link.location("port_names"),
                json.format_value(),
                expected,
                "",
            );
        };
        for ((end, json), node) in [a, b].into_iter().enumerate().zip(nodes) {
            let Some(name) = name(link.location("port_names"), json, problems) else {
                continue;
            };
            if let Some(other) = self.known.insert((node, name.clone()), number) {
                let found = format!(
                    "{}, which links[{other}] has at node {node}",
                    json.format_value()
                );
                problems.note(
                    link.location("port_names"),
                    found,
                    "each port of a node once",
                    "",
                );
            }
            let port = 2 * number + end;
            if self.by_port.len() <= port {
                self.by_port.resize(port + 1, String::new());
            }
            self.by_port[port] = name;
        }
    }

    /// Reads the names of the nodes; returns all names.
    pub fn with_nodes(self, top: &Object, nodes: u32, problems: &mut Problems) -> Names {
        let items = top.list("node_names", problems);
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut names = Vec::with_capacity(items.len());
        for (n, json) in items.iter().enumerate() {
            let Some(name) = name(ObjectPath::Item("node_names", n), json, problems) else {
                continue;
            };
            if let Some(other) = known.insert(name.clone(), n) {
                let found = format!("{}, which node {other} has", json.format_value());
                problems.note(
                    ObjectPath::Item("node_names", n),
                    found,
                    "each name once",
                    "",
                );
            }
            names.push(name);
        }
        let given = top.get("node_names").is_some();
        if matches!(top.get("node_names"), Some(Json::List(_))) && items.len() != nodes as usize {
            let found = format!("{} names", items.len());
            problems.note(
                "node_names",
                found,
                format!("one for each of {nodes} nodes"),
                "",
            );
        }
        if !given && !self.by_port.is_empty() {
            let expected = "names of the nodes too, where ports have any";
            problems.note("node_names", "nothing", expected, "");
        }
        Names {
            nodes: names,
            ports: self.by_port,
        }
    }
}

/// Reads a name; it must fit into a line of a table.
fn name(location: impl std::fmt::Display, json: &Json, problems: &mut Problems) -> Option<String> {
    match json {
        Json::Text(text)
            if (1..=LONGEST_NAME).contains(&text.len()) && !text.chars().any(char::is_control) =>
        {
            Some(text.to_string())
        }
        other => {
            let expected = format!("a name of 1 to {LONGEST_NAME} characters");
            problems.note(location, other.format_value(), expected, "");
            None
        }
    }
}
