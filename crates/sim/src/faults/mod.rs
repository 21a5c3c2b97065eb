//! Faults: small rules put on a link, a port or a node for a time. A file for each kind.
//!
//! What a rule changes happens at the device or link it is put on; without faults nobody asks.

pub mod bit_errors;
pub mod link_down;
pub mod miswired;

use crate::simulation::Simulation;
use crate::time::Picoseconds;

/// What goes wrong, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// From when on.
    pub from: Picoseconds,
    /// Until when; [`crate::time::NEVER`] = to the end.
    pub until: Picoseconds,
    /// What.
    pub kind: Kind,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Bits of a link are wrong.
    BitErrors(bit_errors::BitErrors),
    /// Links are down.
    LinkDown(link_down::LinkDown),
    /// Two cables are exchanged, and routing does not know.
    Miswired(miswired::Miswired),
}

impl Simulation {
    /// Puts every fault where it acts.
    pub(crate) fn put_faults(&mut self) {
        let scenario = self.scenario.clone();
        for fault in &scenario.faults {
            match &fault.kind {
                Kind::BitErrors(it) => self.put_bit_errors(fault, it),
                Kind::LinkDown(it) => self.put_link_down(fault, it),
                Kind::Miswired(it) => self.put_miswired(it),
            }
        }
        self.put_route_changes();
    }
}
