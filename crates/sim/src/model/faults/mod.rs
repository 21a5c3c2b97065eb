//! Faults: small rules put on a link, a port or a node for a time. A file for each kind.
//!
//! What a rule changes happens at the device or link it is put on; without faults nobody asks.

pub mod bit_errors;
pub mod cnp;
pub mod descriptions;
pub mod link_down;
pub mod miswired;
pub mod slow_receiver;
pub mod stuck_nic;

use crate::devices::port::Watched;
use crate::simulation::{class, Simulation};
use crate::time::{Picoseconds, NEVER};
use wirespeed_wire::link_errors::LinkErrors;

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
            Kind::Miswired(_) => "miswired",
            Kind::StuckNic(_) => "stuck-nic",
            Kind::SlowReceiver(_) => "slow-receiver",
            Kind::CnpLoss(_) => "cnp-loss",
            Kind::CnpDelay(_) => "cnp-delay",
        }
    }
}

/// A rule as a port meets it that asks for it: when it holds, and what it does then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    from: Picoseconds,
    until: Picoseconds,
    effect: Effect,
}

#[derive(Debug, Clone, Copy)]
enum Effect {
    BitErrors(LinkErrors),
    CnpLoss(f64),
    CnpDelay(Picoseconds),
}

impl Fault {
    fn holds(&self, now: Picoseconds) -> bool {
        (self.from..self.until).contains(&now)
    }
}

impl Simulation {
    /// Puts every fault where it acts, and schedules those that act by themselves.
    pub(crate) fn put_faults(&mut self) {
        let scenario = self.scenario.clone();
        for (number, fault) in (0..).zip(&scenario.faults) {
            match &fault.kind {
                Kind::LinkDown(it) => self.put_link_down(fault, it),
                Kind::Miswired(it) => self.put_miswired(it),
                Kind::BitErrors(it) => {
                    let errors = LinkErrors::new(it.ber, it.fec, it.floor);
                    self.rule_on_link(it.link, fault, Effect::BitErrors(errors));
                }
                Kind::CnpLoss(it) => {
                    self.rule_on_link(it.link, fault, Effect::CnpLoss(it.probability));
                }
                Kind::CnpDelay(it) => self.rule(it.port, fault, Effect::CnpDelay(it.delay)),
                Kind::StuckNic(_) | Kind::SlowReceiver(_) => self.schedule_fault(number, fault),
            }
        }
        self.put_route_changes();
    }

    /// The port at which a fault happens that begins and ends by an event.
    pub(crate) fn place_of_fault(&self, number: u32) -> Option<u32> {
        match self.scenario.faults[number as usize].kind {
            Kind::StuckNic(it) => Some(it.port),
            Kind::SlowReceiver(it) => Some(it.port),
            _ => None,
        }
    }

    /// A fault begins or ends.
    pub(crate) fn fault(&mut self, number: u32) {
        let scenario = self.scenario.clone();
        let now = self.now;
        let hold = scenario.faults.iter().filter(|it| it.holds(now));
        let hold = hold.map(|fault| &fault.kind);
        match &scenario.faults[number as usize].kind {
            Kind::StuckNic(it) => self.stuck_nic(it.port, stuck_nic::all(it.port, hold)),
            Kind::SlowReceiver(it) => {
                self.slow_receiver(it.port, slow_receiver::least(it.port, hold))
            }
            _ => {} // acts on what meets it, or by events of its own
        }
    }

    fn schedule_fault(&mut self, number: u32, fault: &Fault) {
        for time in [fault.from, fault.until] {
            if time != NEVER {
                self.schedule(time, class::FAULT, number, class::OF_FAULT);
            }
        }
    }

    /// Frames of both directions are looked at one by one.
    fn rule_on_link(&mut self, link: u32, fault: &Fault, effect: Effect) {
        for port in [2 * link, 2 * link + 1] {
            self.ports[port as usize].watched = Watched::Yes;
            self.rule(port, fault, effect);
        }
    }

    fn rule(&mut self, port: u32, fault: &Fault, effect: Effect) {
        self.sides[port as usize].rules.push(Rule {
            from: fault.from,
            until: fault.until,
            effect,
        });
    }

    /// What rules do on a port now.
    fn effects(&self, port: u32) -> impl Iterator<Item = Effect> + '_ {
        let rules = self.sides[port as usize].rules.iter();
        let hold = rules.filter(|rule| (rule.from..rule.until).contains(&self.now));
        hold.map(|rule| rule.effect)
    }
}
