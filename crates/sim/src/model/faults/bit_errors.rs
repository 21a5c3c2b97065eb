//! Bit errors: every frame on a link, PFC frames too, may be lost, the longer the likelier.

use crate::ids::LinkId;
use wirespeed_wire::link_errors::Fec;

/// A link whose bits are wrong, in both directions, independently of each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BitErrors {
    /// The link.
    pub link: LinkId,
    /// Bit error ratio of its lanes, before correction.
    pub ber: f64,
    /// How errors are corrected.
    pub fec: Fec,
    /// Bit error ratio that stays after correction, however clean the lanes are.
    pub floor: f64,
}
