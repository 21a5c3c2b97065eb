//! Link down: its frames are lost, then its ports detect the outage, then routing converges. When the link is up again, the
//! ports send at once and routing uses it later.
//!
//! The fault states the times of detection and convergence: they depend on optics, debounce timers and the routing protocol.
//! All switches change their routes at the same time.

use crate::ids::{LinkId, NodeId};
use crate::time::Picoseconds;

/// Links that are down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkDown {
    /// The links.
    pub of: Links,
    /// Time from the outage to its detection by the ports, which then drop their queued and new frames.
    pub detection: Picoseconds,
    /// Time from the ports going down or up until all switches have the new routes.
    pub convergence: Picoseconds,
}

/// Links that are down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// One, by its index.
    One(LinkId),
    /// All links of a node, as if the node had failed.
    OfNode(NodeId),
}

impl LinkDown {
    /// The indices of the links in a list of links, each given by the nodes at its ends.
    pub(crate) fn links(&self, ends: impl Iterator<Item = [NodeId; 2]>) -> Vec<LinkId> {
        match self.of {
            Links::One(link) => vec![link],
            Links::OfNode(node) => {
                let of_node = (0..)
                    .map(LinkId)
                    .zip(ends)
                    .filter(|(_, ends)| ends.contains(&node));
                of_node.map(|(number, _)| number).collect()
            }
        }
    }

    /// Whether its ports detect an outage from `from` until `until`: the link may be up again before the detection.
    pub(crate) fn is_detected(&self, from: Picoseconds, until: Picoseconds) -> bool {
        until > from.saturating_add(self.detection)
    }
}
