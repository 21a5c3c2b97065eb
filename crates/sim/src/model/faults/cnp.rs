//! Congestion notification packets that never reach the sender, or reach it late.

use crate::ids::{LinkId, PortId};
use crate::time::Picoseconds;

/// A link that loses CNPs, in both directions, as where they fall into a class that is dropped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// The link.
    pub link: LinkId,
    /// Of a CNP being lost.
    pub probability: f64,
}

/// A NIC port that sends its CNPs late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delay {
    /// The NIC port.
    pub port: PortId,
    /// More than the notification point takes anyway.
    pub delay: Picoseconds,
}
