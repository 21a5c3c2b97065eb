//! The parameters that hold at a node, a port or a priority: the scenario's, or those of [`crate::model::overrides`].

use crate::ids::{NodeId, PortId, Priority};
use crate::model::overrides::Slot;
use crate::model::parameters::Parameters;
use crate::model::scenario::Scenario;

impl Scenario {
    /// The scenario's own parameters and all others.
    pub fn parameters_mut(&mut self) -> impl Iterator<Item = &mut Parameters> {
        std::iter::once(&mut self.parameters).chain(self.devices.all_mut())
    }

    /// How many different parameters there are.
    pub fn sets(&self) -> u32 {
        self.devices.count() + 1
    }

    /// Parameters by their number.
    pub fn set(&self, number: u32) -> &Parameters {
        match number.checked_sub(1) {
            None => &self.parameters,
            Some(_) => self.devices.kept(number),
        }
    }

    /// What a node is set to.
    pub fn of_node(&self, node: NodeId) -> &Parameters {
        self.set(self.devices.number(Slot::Node(node)))
    }

    /// What a port is set to.
    pub fn of_port(&self, port: PortId) -> &Parameters {
        self.set(self.devices.number(Slot::Port(port)))
    }

    /// What one priority of a port is set to.
    pub fn of_priority_queue(&self, port: PortId, priority: Priority) -> &Parameters {
        self.set(self.devices.number(Slot::PriorityQueue(port, priority)))
    }
}
