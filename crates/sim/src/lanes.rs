//! A value for each port and priority.

use crate::parameters::PRIORITIES;
use std::ops::{Index, IndexMut};

/// Priority by priority: one or two carry all traffic as a rule, and their values lie side by side in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lanes<T> {
    ports: usize,
    values: Vec<T>,
}

impl<T> Lanes<T> {
    /// The value that `make` gives for each port and priority.
    pub fn new(ports: usize, make: impl Fn(u32, usize) -> T) -> Self {
        let lanes =
            (0..PRIORITIES).flat_map(|priority| (0..ports).map(move |port| (port, priority)));
        Lanes {
            ports,
            values: lanes
                .map(|(port, priority)| make(port as u32, priority))
                .collect(),
        }
    }

    /// The values of one port, from priority 0 up.
    pub fn of(&self, port: u32) -> impl Iterator<Item = &T> {
        (0..PRIORITIES).map(move |priority| &self[(port, priority)])
    }

    /// All values.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }
}

impl<T> Index<(u32, usize)> for Lanes<T> {
    type Output = T;
    #[inline]
    fn index(&self, (port, priority): (u32, usize)) -> &T {
        &self.values[priority * self.ports + port as usize]
    }
}

impl<T> IndexMut<(u32, usize)> for Lanes<T> {
    #[inline]
    fn index_mut(&mut self, (port, priority): (u32, usize)) -> &mut T {
        &mut self.values[priority * self.ports + port as usize]
    }
}
