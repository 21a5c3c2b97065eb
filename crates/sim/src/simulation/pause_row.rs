//! A row of the table `pauses`.

use crate::ids::{PortId, Priority};
use crate::time::Picoseconds;

/// One pause of a port's priority.
#[derive(Debug, Clone, Copy)]
pub struct PauseRow {
    /// The port that was paused.
    pub port: PortId,
    /// Its priority.
    pub priority: Priority,
    /// Start.
    pub start: Picoseconds,
    /// End; the end of the run if it was still paused.
    pub end: Picoseconds,
    /// The key of the event that ended it.
    pub key: u32,
}
