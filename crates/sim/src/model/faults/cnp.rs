//! Congestion notification packets that never reach the sender, or reach it late.

use super::Effect;
use crate::mechanisms::chance;
use crate::simulation::Simulation;
use crate::time::Picoseconds;

/// A link that loses CNPs, in both directions, as where they fall into a class that is dropped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// The link.
    pub link: u32,
    /// Of a CNP being lost.
    pub probability: f64,
}

/// A NIC port that sends its CNPs late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delay {
    /// The NIC port.
    pub port: u32,
    /// More than the notification point takes anyway.
    pub delay: Picoseconds,
}

impl Simulation {
    /// Whether the CNP that `port` has just begun to send is lost.
    pub(crate) fn cnp_lost(&self, port: u32) -> bool {
        let losses = self.effects(port).filter_map(|effect| match effect {
            Effect::CnpLoss(probability) => Some(probability),
            _ => None,
        });
        let survives = losses.fold(1.0, |survives, loss| survives * (1.0 - loss));
        // Another stream than those of other losses.
        let seed = chance::mix(chance::mix(!self.settings.seed));
        survives < 1.0 && chance::uniform(seed, port, self.ports[port as usize].sent) >= survives
    }

    /// How much later than usual the NIC port's CNPs stand in line.
    pub(crate) fn cnp_lateness(&self, port: u32) -> Picoseconds {
        let delays = self.effects(port).filter_map(|effect| match effect {
            Effect::CnpDelay(delay) => Some(delay),
            _ => None,
        });
        delays.sum()
    }
}
