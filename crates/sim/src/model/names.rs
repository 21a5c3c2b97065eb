//! Names of nodes and ports. A run does not need them; its tables contain them.

use crate::ids::PortId;

/// Names by number; empty where a scenario has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Names of all nodes; empty = nodes have no names.
    pub nodes: Vec<String>,
    /// Names of ports. The list may be shorter than the number of ports; a port without a name has an empty one.
    pub ports: Vec<String>,
}

impl Names {
    /// The name of a port; empty where it has none.
    pub fn port(&self, port: PortId) -> &str {
        self.ports.get(port.index()).map_or("", String::as_str)
    }

    /// Exchanges the names of two ports.
    pub fn exchange(&mut self, port: PortId, other: PortId) {
        let missing = (port.max(other).index() + 1).saturating_sub(self.ports.len());
        self.ports
            .extend(std::iter::repeat_n(String::new(), missing));
        self.ports.swap(port.index(), other.index());
    }
}
