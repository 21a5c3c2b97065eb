//! The connectivity of the cables: the ports of every host, and groups of connected switches.

use crate::ids::{ports_of, switches_of, NodeId, PortId, SwitchId};
use crate::model::scenario::Scenario;

/// Ports by host, and groups of switches.
pub struct Wiring {
    hosts: u32,
    /// Start of the ports of each host, and the end of the last.
    first: Vec<u32>,
    ports: Vec<PortId>,
    /// By switch: another one of its group, or itself (union-find: Galler and Fischer, CACM 1964).
    parent: Vec<SwitchId>,
}

impl Wiring {
    /// The cables of a scenario.
    pub fn from_scenario(scenario: &Scenario) -> Self {
        let hosts = scenario.hosts as usize;
        let all = ports_of(scenario.links.len());
        let mut owned: Vec<(NodeId, PortId)> = all
            .map(|port| (scenario.node_of(port), port))
            .filter(|(node, _)| !node.is_switch(scenario.hosts))
            .collect();
        owned.sort_unstable();
        let mut first = vec![0; hosts + 1];
        for (host, _) in &owned {
            first[host.index() + 1] += 1;
        }
        for host in 0..hosts {
            first[host + 1] += first[host];
        }
        let mut wiring = Wiring {
            hosts: scenario.hosts,
            first,
            ports: owned.into_iter().map(|(_, port)| port).collect(),
            parent: switches_of(scenario.switches).collect(),
        };
        for link in &scenario.links {
            let switches = [link.a, link.b].map(|node| node.switch(scenario.hosts));
            if let [Some(a), Some(b)] = switches {
                let (a, b) = (wiring.group(a), wiring.group(b));
                wiring.parent[a] = b;
            }
        }
        wiring
    }

    /// The port (global number) of NIC port `index` of a host; otherwise the number of its NIC ports.
    pub fn nic_port(&self, (host, index): (NodeId, u32)) -> Result<PortId, u32> {
        let (first, end) = (self.first[host], self.first[host.index() + 1]);
        if index < end - first {
            return Ok(self.ports[(first + index) as usize]);
        }
        Err(end - first)
    }

    /// Whether a cable or a path over switches connects two NIC ports.
    pub fn are_connected(&mut self, scenario: &Scenario, port_a: PortId, port_b: PortId) -> bool {
        if port_a.peer() == port_b {
            return true;
        }
        let switch = |port: PortId| scenario.node_of(port.peer()).switch(self.hosts);
        match (switch(port_a), switch(port_b)) {
            (Some(a), Some(b)) => self.group(a) == self.group(b),
            _ => false,
        }
    }

    /// The switch that represents the group of a switch.
    fn group(&mut self, mut switch: SwitchId) -> SwitchId {
        while self.parent[switch] != switch {
            let above = self.parent[switch];
            self.parent[switch] = self.parent[above];
            switch = above;
        }
        switch
    }
}
