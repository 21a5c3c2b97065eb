//! What people call nodes and ports. A run does without; its tables carry the names on.

/// Names by number; empty where a scenario has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Of every node, or of none.
    pub nodes: Vec<String>,
    /// Of ports. It may end early; a port without a name has an empty one.
    pub ports: Vec<String>,
}

impl Names {
    /// The name of a port; empty where it has none.
    pub fn port(&self, port: u32) -> &str {
        self.ports.get(port as usize).map_or("", String::as_str)
    }

    /// Two ports change their names.
    pub fn exchange(&mut self, one: u32, other: u32) {
        let more = (one.max(other) as usize + 1).saturating_sub(self.ports.len());
        self.ports.extend(std::iter::repeat_n(String::new(), more));
        self.ports.swap(one as usize, other as usize);
    }
}
