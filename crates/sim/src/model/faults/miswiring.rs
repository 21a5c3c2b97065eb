//! Miswiring: two cables have their second ends exchanged. Routing uses the routes of the plan.
//!
//! Switches forward packets by destination address, whatever their ingress port, so a miswired cable between switches makes
//! paths longer, or loops in which packets are dropped when their TTL expires. A NIC drops packets to another address.

use crate::ids::{LinkId, PortId};

/// Two links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Miswiring {
    /// Their indices.
    pub links: [LinkId; 2],
}

impl Miswiring {
    /// The planned port at the other end of a port of the two links, as routing uses it.
    pub fn believed_peer(&self, port: PortId) -> Option<PortId> {
        let [first, second] = self.links;
        let across = |link: LinkId| link.ports()[usize::from(!port.is_second())];
        match port.link() {
            link if link == first => Some(across(second)),
            link if link == second => Some(across(first)),
            _ => None,
        }
    }

    /// The port at the second end of one of the two links after the exchange: ports are named by their cables.
    pub(crate) fn rename_port(&self, port: PortId) -> PortId {
        match self.believed_peer(port) {
            Some(peer) if port.is_second() => peer.peer(),
            _ => port,
        }
    }
}
