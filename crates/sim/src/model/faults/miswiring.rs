//! Miswiring: two cables have their second ends exchanged. Routing does not know: it uses the routes of the plan.
//!
//! Switches forward what reaches them by the address it goes to, whichever port it came from, so a wrong cable between switches
//! makes paths longer, or loops in which packets end when their TTL does. A NIC drops what goes to another address.

use crate::ids::{LinkId, PortId};

/// Two links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Miswiring {
    /// Their indices.
    pub links: [LinkId; 2],
}

impl Miswiring {
    /// The port that routing takes to be at the other end of a port of the two.
    pub fn believed_peer(&self, port: PortId) -> Option<PortId> {
        let [one, other] = self.links;
        let across = |link: LinkId| link.ports()[usize::from(!port.is_second())];
        match port.link() {
            link if link == one => Some(across(other)),
            link if link == other => Some(across(one)),
            _ => None,
        }
    }

    /// What the port at the second end of one of the two is called once the cables are exchanged: ports are named by their
    /// cables.
    pub(crate) fn renamed(&self, port: PortId) -> PortId {
        match self.believed_peer(port) {
            Some(peer) if port.is_second() => peer.peer(),
            _ => port,
        }
    }
}
