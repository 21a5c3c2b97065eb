//! A stuck NIC: it sends XOFF repeatedly, whatever its receive buffer contains (a pause storm).

use crate::ids::PortId;

/// A NIC port that pauses its peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StuckNic {
    /// The NIC port.
    pub port: PortId,
    /// Bit n: it pauses priority n.
    pub priorities: u8,
}
