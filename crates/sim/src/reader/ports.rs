//! Names of ports: `16:0` is the port of node 16 towards node 0, `16:0.1` the second where several cables join the two, `0`
//! the only port of node 0. A JSON number is a port number, as in tables.

use super::json::Json;
use crate::ids::{ports_of, NodeId, PortId};
use crate::model::scenario::Scenario;
use std::collections::HashMap;

/// The ports of every node.
pub struct Ports {
    /// By node, in ascending order.
    own: Vec<Vec<PortId>>,
    /// By node and the node at the other end.
    facing: HashMap<(NodeId, NodeId), Vec<PortId>>,
}

impl Ports {
    /// The ports of a scenario.
    pub fn from_scenario(scenario: &Scenario) -> Self {
        let mut of_nodes = vec![Vec::new(); scenario.nodes() as usize];
        let mut facing: HashMap<_, Vec<PortId>> = HashMap::new();
        for port in ports_of(scenario.links.len()) {
            let (node, peer) = (scenario.node_of(port), scenario.node_of(port.peer()));
            of_nodes[node.index()].push(port);
            facing.entry((node, peer)).or_default().push(port);
        }
        Ports {
            own: of_nodes,
            facing,
        }
    }

    /// The ports of a node.
    pub fn of_node(&self, node: NodeId) -> &[PortId] {
        &self.own[node]
    }

    /// The port of a name, or the expected values.
    pub fn find(&self, name: &Json) -> Result<PortId, String> {
        let Json::Text(text) = name else {
            let last = self
                .own
                .iter()
                .map(Vec::len)
                .sum::<usize>()
                .saturating_sub(1);
            let number = name.whole().filter(|port| *port <= last as u64);
            return number.map(|port| PortId(port as u32)).ok_or_else(|| {
                format!("a port: its number, 0 to {last}, or a name such as \"16:0\"")
            });
        };
        let (node, facing) = match text.split_once(':') {
            Some((node, facing)) => (node, Some(facing)),
            None => (text.as_ref(), None),
        };
        let known = number(node)
            .map(NodeId)
            .filter(|node| node.index() < self.own.len());
        let node = known.ok_or_else(|| format!("a port of a node, 0 to {}", self.own.len() - 1))?;
        let Some(facing) = facing else {
            return match self.own[node].as_slice() {
                [only] => Ok(*only),
                all => Err(format!("one of the {} ports of node {node}", all.len())),
            };
        };
        let (peer, index) = match facing.split_once('.') {
            Some((peer, index)) => (peer, Some(index)),
            None => (facing, None),
        };
        let joined = number(peer).and_then(|peer| self.facing.get(&(node, NodeId(peer))));
        let ports = joined.ok_or_else(|| format!("a node that a cable joins to node {node}"))?;
        let index = match index {
            None if ports.len() == 1 => Some(0),
            None => None,
            Some(index) => number(index),
        };
        let port = index.and_then(|index| ports.get(index as usize)).copied();
        port.ok_or_else(|| match ports.len() {
            1 => format!("{node}:{peer}, the only cable there"),
            count => format!("{node}:{peer}.0 to {node}:{peer}.{}", count - 1),
        })
    }
}

fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}
