//! Parameters of single devices that differ from those of the scenario: settled for every node, port and priority before
//! the first event.
//!
//! Every different set of parameters is stored once and has a number, 0 for that of the scenario. The scope of a setting
//! determines the lookup: by node (its buffer), by port (its scheduler) or by priority of a port (its thresholds).

use crate::ids::{priority_queue_number, NodeId, PortId, Priority, PRIORITIES};
use crate::model::parameters::Parameters;

/// Deviations from a scenario's parameters. Empty: there are none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Devices {
    /// The parameters with number n are `sets[n - 1]`.
    sets: Vec<Set>,
    nodes: Vec<u32>,
    ports: Vec<u32>,
    /// By port, and in it by priority.
    priority_queues: Vec<u32>,
}

/// Parameters that differ from the scenario's.
#[derive(Debug, Clone, PartialEq)]
struct Set {
    parameters: Parameters,
    /// The item of `devices` that set them.
    item: usize,
}

/// Scope of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A whole node.
    Node(NodeId),
    /// A port, its priorities included.
    Port(PortId),
    /// One priority of a port.
    PriorityQueue(PortId, Priority),
}

impl Devices {
    /// No deviations, for a number of nodes and ports.
    pub fn new(nodes: u32, ports: u32) -> Self {
        Devices {
            sets: Vec::new(),
            nodes: vec![0; nodes as usize],
            ports: vec![0; ports as usize],
            priority_queues: vec![0; ports as usize * PRIORITIES],
        }
    }

    /// Stores parameters from item `item` of `devices`; returns their number.
    pub fn keep(&mut self, parameters: Parameters, item: usize) -> u32 {
        self.sets.push(Set { parameters, item });
        self.sets.len() as u32
    }

    /// Stored parameters by their number.
    pub fn parameters(&self, number: u32) -> &Parameters {
        &self.sets[number as usize - 1].parameters
    }

    /// The number of the parameters of a slot.
    pub fn number(&self, slot: Slot) -> u32 {
        let (numbers, index) = match slot {
            Slot::Node(node) => (&self.nodes, node.index()),
            Slot::Port(port) => (&self.ports, port.index()),
            Slot::PriorityQueue(port, priority) => (
                &self.priority_queues,
                priority_queue_number(port, priority) as usize,
            ),
        };
        numbers.get(index).copied().unwrap_or(0)
    }

    /// Sets the number of the parameters of a slot.
    pub fn set(&mut self, slot: Slot, number: u32) {
        match slot {
            Slot::Node(node) => self.nodes[node] = number,
            Slot::Port(port) => self.ports[port] = number,
            Slot::PriorityQueue(port, priority) => {
                self.priority_queues[priority_queue_number(port, priority) as usize] = number;
            }
        }
    }

    /// Exchanges the parameters of two ports.
    pub fn exchange(&mut self, port: PortId, other: PortId) {
        let both = |slot: &dyn Fn(PortId) -> Slot| [slot(port), slot(other)];
        let priority_queues =
            Priority::all().map(|priority| both(&|port| Slot::PriorityQueue(port, priority)));
        for slots in priority_queues.chain([both(&|port| Slot::Port(port))]) {
            let numbers = slots.map(|slot| self.number(slot));
            self.set(slots[0], numbers[1]);
            self.set(slots[1], numbers[0]);
        }
    }

    /// The item of `devices` that set parameters; `None` for those of the scenario.
    pub fn item(&self, number: u32) -> Option<usize> {
        let index = (number as usize).checked_sub(1)?;
        Some(self.sets[index].item)
    }
}

impl Devices {
    /// All parameters that differ from the scenario's.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Parameters> {
        self.sets.iter_mut().map(|set| &mut set.parameters)
    }

    /// Number of different parameters.
    pub fn count(&self) -> u32 {
        self.sets.len() as u32
    }
}
