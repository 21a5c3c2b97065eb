//! The parameters of a node, a port or a priority: those of the scenario, or those of [`crate::model::overrides`].

use crate::ids::{NodeId, PortId, Priority};
use crate::model::overrides::Slot;
use crate::model::parameters::Parameters;
use crate::model::scenario::Scenario;

impl Scenario {
    /// The parameters of the scenario and all overrides.
    pub fn parameters_mut(&mut self) -> impl Iterator<Item = &mut Parameters> {
        std::iter::once(&mut self.parameters).chain(self.devices.all_mut())
    }

    /// Number of different parameters.
    pub fn sets(&self) -> u32 {
        self.devices.count() + 1
    }

    /// Parameters by their number.
    pub fn set(&self, number: u32) -> &Parameters {
        match number.checked_sub(1) {
            None => &self.parameters,
            Some(_) => self.devices.parameters(number),
        }
    }

    /// The parameters of a node.
    pub fn of_node(&self, node: NodeId) -> &Parameters {
        self.set(self.devices.number(Slot::Node(node)))
    }

    /// The parameters of a port.
    pub fn of_port(&self, port: PortId) -> &Parameters {
        self.set(self.devices.number(Slot::Port(port)))
    }

    /// The parameters of a priority of a port.
    pub fn of_priority_queue(&self, port: PortId, priority: Priority) -> &Parameters {
        self.set(self.devices.number(Slot::PriorityQueue(port, priority)))
    }
}
