//! Congestion notification packets that are lost or delayed.

use crate::ids::{LinkId, PortId};
use crate::time::Picoseconds;

/// A link that loses CNPs, in both directions, for example because their traffic class is dropped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// The link.
    pub link: LinkId,
    /// Probability that a CNP is lost.
    pub probability: f64,
}

/// A NIC port that sends its CNPs late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delay {
    /// The NIC port.
    pub port: PortId,
    /// In addition to the delay of the notification point.
    pub delay: Picoseconds,
}
