//! Faults: small rules put on a link, a port or a node for a time. A file for each kind.
//!
//! What a rule changes happens at the device or link it is put on; without faults nobody asks.

pub mod bit_errors;
pub mod cnp;
pub mod descriptions;
pub mod link_down;
pub mod miswiring;
pub mod slow_receiver;
pub mod stuck_nic;

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
    Miswiring(miswiring::Miswiring),
    /// A NIC pauses its switch.
    StuckNic(stuck_nic::StuckNic),
    /// A host takes less.
    SlowReceiver(slow_receiver::SlowReceiver),
    /// A link loses CNPs.
    CnpLoss(cnp::Loss),
    /// A NIC sends CNPs late.
    CnpDelay(cnp::Delay),
}

impl Kind {
    /// What scenarios and traffic files call it.
    pub fn word(&self) -> &'static str {
        match self {
            Kind::BitErrors(_) => "bit-errors",
            Kind::LinkDown(_) => "link-down",
            Kind::Miswiring(_) => "miswired",
            Kind::StuckNic(_) => "stuck-nic",
            Kind::SlowReceiver(_) => "slow-receiver",
            Kind::CnpLoss(_) => "cnp-loss",
            Kind::CnpDelay(_) => "cnp-delay",
        }
    }
}

impl Fault {
    pub(crate) fn holds(&self, now: Picoseconds) -> bool {
        (self.from..self.until).contains(&now)
    }
}
