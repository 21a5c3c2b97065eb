//! A slow receiver: received data is written to memory at a lower rate for a time.

use crate::ids::PortId;

/// A NIC port with a host pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlowReceiver {
    /// The NIC port.
    pub port: PortId,
    /// Bits of payload per second from NIC to memory.
    pub rate: u64,
}
