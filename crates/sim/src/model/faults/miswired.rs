//! Miswired: two cables have their second ends exchanged. Routing does not know: it has the routes of the plan.
//!
//! Switches forward what reaches them by the address it goes to, whichever port it came from, so a wrong cable between switches
//! makes ways longer, or circles in which packets end when their TTL does. A NIC drops what goes to another address.

use super::Kind;
use crate::mechanisms::frame::Frame;
use crate::model::scenario::Scenario;
use crate::simulation::Simulation;

/// Two links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Miswired {
    /// Their indices.
    pub links: [u32; 2],
}

impl Miswired {
    /// The port that routing takes to be at the other end of a port of the two.
    pub fn believed_peer(&self, port: u32) -> Option<u32> {
        let [one, other] = self.links;
        match port / 2 {
            link if link == one => Some(2 * other + 1 - port % 2),
            link if link == other => Some(2 * one + 1 - port % 2),
            _ => None,
        }
    }

    /// What the port at the second end of one of the two is called once the cables are exchanged: ports are named by their
    /// cables.
    pub(crate) fn renamed(&self, port: u32) -> u32 {
        match self.believed_peer(port) {
            Some(peer) if port % 2 == 1 => peer ^ 1,
            _ => port,
        }
    }

    /// Exchanges the second ends of the two links in a scenario that is as planned so far.
    pub fn exchange(&self, scenario: &mut Scenario) {
        let [one, other] = self.links.map(|link| link as usize);
        let kept = scenario.links[one].b;
        scenario.links[one].b = std::mem::replace(&mut scenario.links[other].b, kept);
        if !scenario.addresses.is_empty() {
            scenario.addresses.resize(2 * scenario.links.len(), None);
            scenario.addresses.swap(2 * one + 1, 2 * other + 1);
        }
        if !scenario.names.ports.is_empty() {
            scenario
                .names
                .exchange(2 * one as u32 + 1, 2 * other as u32 + 1);
        }
        if scenario.sets() > 1 {
            let [one, other] = [2 * one as u32 + 1, 2 * other as u32 + 1];
            scenario.devices.exchange(one, other);
        }
        for connection in &mut scenario.connections {
            connection.port_a = self.renamed(connection.port_a);
            connection.port_b = self.renamed(connection.port_b);
        }
        let routes = scenario.routes.iter_mut();
        for port in routes.flat_map(|route| &mut route.ports) {
            *port = self.renamed(*port);
        }
    }
}

impl Simulation {
    pub(super) fn put_miswired(&mut self, it: &Miswired) {
        for port in it.links.iter().flat_map(|link| [2 * link, 2 * link + 1]) {
            self.watch_arrivals(port);
        }
    }

    /// Whether a frame has come to a NIC port that it does not go to.
    pub(crate) fn is_stray(&self, port: u32, frame: &Frame) -> bool {
        self.queue_pairs[frame.queue_pair as usize].port != port
    }
}

/// Whether cables are not where routing takes them to be.
pub(crate) fn is_any(scenario: &Scenario) -> bool {
    let mut faults = scenario.faults.iter();
    faults.any(|fault| matches!(fault.kind, Kind::Miswired(_)))
}
