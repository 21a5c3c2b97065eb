//! Limits of one priority of a port, in cells and bytes.

use crate::bytes::Bytes;

/// Settings of one priority of a switch port. Those of a NIC port have zeros.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PrioritySettings {
    /// Headroom of the priority group, used if it is lossless.
    pub headroom_cells: u32,
    /// Guaranteed to the priority group.
    pub reserve_cells: u32,
    /// Dynamic threshold: free shared cells times 2^this.
    pub alpha_exponent: i8,
    /// XON when shared use is this much below the threshold.
    pub xon_offset_cells: u32,
    /// Marking begins above, bytes of an egress queue.
    pub kmin_bytes: Bytes<u32>,
    /// All packets are marked above.
    pub kmax_bytes: Bytes<u32>,
}
