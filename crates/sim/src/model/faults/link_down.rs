//! Link down: its frames are lost; then its ports know it, then routing does. When it comes back, the ports send at once and
//! routing uses it later.
//!
//! How long ports and routing take is stated with the fault: it depends on optics, debounce timers and the routing protocol.
//! All switches change their routes at the same time.

use crate::ids::{LinkId, NodeId};
use crate::time::Picoseconds;

/// Links that are down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkDown {
    /// Which.
    pub of: Links,
    /// From the link being down to its ports being down: what waits for them is dropped, and what is sent there.
    pub detection: Picoseconds,
    /// From the ports being down or up again to all switches having the routes that follow.
    pub convergence: Picoseconds,
}

/// Which links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// One, by its index.
    One(LinkId),
    /// All of a node, which is as if it had failed.
    OfNode(NodeId),
}

impl LinkDown {
    /// The numbers of its links among all, each given by the nodes at its ends.
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

    /// Whether its ports detect an outage from `from` until `until`: a link may be back before.
    pub(crate) fn is_detected(&self, from: Picoseconds, until: Picoseconds) -> bool {
        until > from.saturating_add(self.detection)
    }
}
