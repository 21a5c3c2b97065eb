//! Bit errors: every frame on a link, PFC frames too, may be lost, the longer the likelier.

use super::Effect;
use crate::mechanisms::chance;
use crate::simulation::Simulation;
use wirespeed_wire::link_errors::Fec;

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

impl Simulation {
    /// Whether bit errors lose a frame of `bytes` that `port` has just begun to send.
    pub(crate) fn corrupted(&self, port: u32, bytes: u32) -> bool {
        let losses = self.effects(port).filter_map(|effect| match effect {
            Effect::BitErrors(errors) => Some(errors.frame_loss(bytes)),
            _ => None,
        });
        let survives = losses.fold(1.0, |survives, loss| survives * (1.0 - loss));
        if survives == 1.0 {
            return false;
        }
        // Each frame of a port has its number; losses by a given probability draw from another stream.
        let seed = chance::mix(!self.settings.seed);
        chance::uniform(seed, port, self.ports[port as usize].sent) >= survives
    }
}
