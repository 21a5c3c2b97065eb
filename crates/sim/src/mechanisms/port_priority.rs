//! A value for each port and priority.

use crate::ids::{PortId, Priority, PRIORITIES};
use std::ops::{Index, IndexMut};

/// Start index of a priority without values: beyond all values, whatever the port.
const NOWHERE: usize = usize::MAX / 2;

/// Ordered by priority: one or two carry all traffic as a rule, and their values are adjacent in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortPriorityTable<T> {
    /// By priority.
    first: [usize; PRIORITIES],
    values: Vec<T>,
}

impl<T> PortPriorityTable<T> {
    /// The values of `make` for each port and priority.
    pub fn new(ports: usize, make: impl Fn(PortId, Priority) -> T) -> Self {
        PortPriorityTable::with_priorities(ports, u8::MAX, make)
    }

    /// The same for the priorities whose bit is set: the others have no values.
    pub fn with_priorities(
        ports: usize,
        priorities: u8,
        make: impl Fn(PortId, Priority) -> T,
    ) -> Self {
        let mut first = [NOWHERE; PRIORITIES];
        let mut values = Vec::with_capacity(ports * priorities.count_ones() as usize);
        for priority in Priority::all().filter(|priority| priorities & priority.bit() != 0) {
            first[priority] = values.len();
            values.extend((0..ports as u32).map(|port| make(PortId(port), priority)));
        }
        PortPriorityTable { first, values }
    }

    /// The values of one port, from priority 0 up.
    pub fn of_port(&self, port: PortId) -> impl Iterator<Item = &T> {
        Priority::all().filter_map(move |priority| self.get((port, priority)))
    }

    /// All values.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.values.iter()
    }

    /// The value of a port and priority, if it has one.
    pub fn get(&self, (port, priority): (PortId, Priority)) -> Option<&T> {
        self.values.get(self.first[priority] + port.index())
    }

    /// The same.
    pub fn get_mut(&mut self, (port, priority): (PortId, Priority)) -> Option<&mut T> {
        self.values.get_mut(self.first[priority] + port.index())
    }
}

impl<T> Index<(PortId, Priority)> for PortPriorityTable<T> {
    type Output = T;
    #[inline]
    fn index(&self, (port, priority): (PortId, Priority)) -> &T {
        &self.values[self.first[priority.index() % PRIORITIES] + port.index()]
    }
}

impl<T> IndexMut<(PortId, Priority)> for PortPriorityTable<T> {
    #[inline]
    fn index_mut(&mut self, (port, priority): (PortId, Priority)) -> &mut T {
        &mut self.values[self.first[priority.index() % PRIORITIES] + port.index()]
    }
}
