//! The cables between switches, and how far switches are apart.

use crate::ids::{ports_of, PortId, SwitchId};
use crate::model::scenario::Scenario;

/// Not in a list, not reached.
pub(super) const NONE: u32 = u32::MAX;

/// The cables between switches, from the view of a switch.
pub struct Fabric {
    /// Nodes below are hosts.
    pub hosts: u32,
    /// Index of the first neighbor of each switch, and the end of the last.
    first: Vec<u32>,
    neighbors: Vec<Neighbor>,
}

/// An egress port and the switch it leads to.
#[derive(Clone, Copy)]
pub struct Neighbor {
    /// Its number.
    pub port: PortId,
    /// The switch.
    pub to: SwitchId,
}

impl Fabric {
    /// Built from a scenario, as the cabling that routing assumes.
    pub fn from_scenario(scenario: &Scenario) -> Self {
        let hosts = scenario.hosts;
        let between_switches = || {
            (ports_of(scenario.links.len())).filter_map(move |port| {
                let other = scenario.node_of(scenario.believed_peer(port));
                let node = scenario.node_of(port);
                let (from, to) = (node.switch(hosts)?, other.switch(hosts)?);
                (from != to).then_some((from, Neighbor { port, to }))
            })
        };
        let mut first = vec![0; scenario.switches as usize + 1];
        for (switch, _) in between_switches() {
            first[switch.index() + 1] += 1;
        }
        for switch in 1..first.len() {
            first[switch] += first[switch - 1];
        }
        let mut free = first.clone();
        let mut neighbors = vec![
            Neighbor {
                port: PortId(0),
                to: SwitchId(0)
            };
            *first.last().unwrap_or(&0) as usize
        ];
        for (switch, neighbor) in between_switches() {
            let index = &mut free[switch];
            neighbors[*index as usize] = neighbor;
            *index += 1;
        }
        Fabric {
            hosts,
            first,
            neighbors,
        }
    }

    /// The neighbors of a switch, in the order of its ports.
    #[inline]
    pub fn list_neighbors(&self, switch: SwitchId) -> &[Neighbor] {
        let range = self.first[switch]..self.first[switch.index() + 1];
        &self.neighbors[range.start as usize..range.end as usize]
    }

    /// The switch that a NIC port is cabled to, if it is.
    pub fn switch_behind(&self, scenario: &Scenario, nic_port: PortId) -> Option<SwitchId> {
        let node = scenario.node_of(scenario.believed_peer(nic_port));
        node.switch(self.hosts)
    }
}

/// Hops from every switch to one of them: breadth first, stored for the trips that end at that switch.
pub struct Distance {
    target: Option<SwitchId>,
    hops: Vec<u32>,
    queue: Vec<SwitchId>,
}

impl Distance {
    /// Distances of this many switches, without a target.
    pub fn new(switches: usize) -> Self {
        Distance {
            target: None,
            hops: vec![NONE; switches],
            queue: Vec::with_capacity(switches),
        }
    }

    /// The distance of a switch from the target; [`NONE`] = unreachable.
    #[inline]
    pub fn hops_from(&self, switch: SwitchId) -> u32 {
        self.hops[switch]
    }

    /// Whether switches join the two switches; if so, the distances are those to the second.
    pub fn reach(&mut self, fabric: &Fabric, from: SwitchId, to: SwitchId) -> bool {
        self.aim(fabric, to, |_| true);
        self.hops_from(from) != NONE
    }

    /// The distances to `target` over the ports that are `open`. `open` must be the same in every call: for an unchanged target
    /// nothing is computed.
    pub fn aim(&mut self, fabric: &Fabric, target: SwitchId, open: impl Fn(&Neighbor) -> bool) {
        if self.target == Some(target) {
            return;
        }
        self.target = Some(target);
        self.hops.fill(NONE);
        self.queue.clear();
        self.hops[target] = 0;
        self.queue.push(target);
        let mut next = 0;
        while let Some(&switch) = self.queue.get(next) {
            next += 1;
            let farther = self.hops_from(switch) + 1;
            for neighbor in fabric
                .list_neighbors(switch)
                .iter()
                .filter(|neighbor| open(neighbor))
            {
                let hops = &mut self.hops[neighbor.to];
                if *hops == NONE {
                    *hops = farther;
                    self.queue.push(neighbor.to);
                }
            }
        }
    }
}
