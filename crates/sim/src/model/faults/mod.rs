//! Faults: rules of a link, a port or a node for a time. A file for each kind.
//!
//! Each rule is applied at its device or link; a run without faults does not evaluate any rule.

pub mod bit_errors;
pub mod cnp;
pub mod descriptions;
pub mod link_down;
pub mod miswiring;
pub mod slow_receiver;
pub mod stuck_nic;

use crate::time::Picoseconds;

/// A fault and its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Start.
    pub from: Picoseconds,
    /// End; [`crate::time::NEVER`] = the end of the run.
    pub until: Picoseconds,
    /// Kind of the fault.
    pub kind: Kind,
}

/// Kind of a fault.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A link has bit errors.
    BitErrors(bit_errors::BitErrors),
    /// Links are down.
    LinkDown(link_down::LinkDown),
    /// Two cables are exchanged; routing uses the plan.
    Miswiring(miswiring::Miswiring),
    /// A NIC pauses its switch permanently.
    StuckNic(stuck_nic::StuckNic),
    /// A host receives at a lower rate.
    SlowReceiver(slow_receiver::SlowReceiver),
    /// A link loses CNPs.
    CnpLoss(cnp::Loss),
    /// A NIC sends CNPs late.
    CnpDelay(cnp::Delay),
}

impl Kind {
    /// Its name in scenarios and traffic files.
    pub fn name(&self) -> &'static str {
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
