//! Bit errors: frames on a link, PFC frames included, are lost with a probability that rises with their length.

use crate::ids::LinkId;
use wirespeed_wire::link_errors::Fec;

/// A link with independent bit errors in both directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BitErrors {
    /// The link.
    pub link: LinkId,
    /// Bit error ratio of its lanes, before correction.
    pub ber: f64,
    /// Forward error correction.
    pub fec: Fec,
    /// Minimum bit error ratio after correction.
    pub floor: f64,
}
