//! Bit errors: every frame on a link, PFC frames too, may be lost, the longer the likelier.

use super::Fault;
use crate::chance;
use crate::simulation::Simulation;
use crate::time::Picoseconds;
use wirespeed_wire::link_errors::{Fec, LinkErrors};

/// A link whose bits are wrong, in both directions, independently of each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BitErrors {
    /// The link.
    pub link: u32,
    /// Bit error ratio of its lanes, before correction.
    pub ber: f64,
    /// How errors are corrected.
    pub fec: Fec,
    /// Bit error ratio that stays after correction, however clean the lanes are.
    pub floor: f64,
}

/// The same as a port meets it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    from: Picoseconds,
    until: Picoseconds,
    errors: LinkErrors,
}

impl Simulation {
    pub(super) fn put_bit_errors(&mut self, fault: &Fault, it: &BitErrors) {
        let rule = Rule {
            from: fault.from,
            until: fault.until,
            errors: LinkErrors::new(it.ber, it.fec, it.floor),
        };
        for port in [2 * it.link, 2 * it.link + 1] {
            self.ports[port as usize].watched = true;
            self.sides[port as usize].errors.push(rule);
        }
    }

    /// Whether bit errors lose a frame of `bytes` that `port` has just begun to send.
    pub(crate) fn corrupted(&self, port: u32, bytes: u32) -> bool {
        let rules = self.sides[port as usize].errors.iter();
        let survives = rules
            .filter(|rule| (rule.from..rule.until).contains(&self.now))
            .fold(1.0, |survives, rule| {
                survives * (1.0 - rule.errors.frame_loss(bytes))
            });
        if survives == 1.0 {
            return false;
        }
        // Each frame of a port has its number; losses by a given probability draw from another stream.
        let seed = chance::mix(!self.settings.seed);
        chance::uniform(seed, port, self.ports[port as usize].sent) >= survives
    }
}
