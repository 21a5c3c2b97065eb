//! Why a run uses one thread.

use std::fmt;

/// Why a run is not divided into parts, or was joined again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SerialReason {
    /// One thread was requested.
    OneThread,
    /// The work does not pay for a second thread.
    Small,
    /// A port is captured. The sender of a captured packet reads its contents (message number, address, length) from the
    /// state of the other end at that moment, which may be in another part.
    Captures,
    /// The network cannot be divided: it has one switch, or all devices affect each other without delay, through links
    /// without propagation delay or operations that wait for each other.
    Indivisible,
    /// One part would have nearly all of the work.
    Unequal,
    /// Threads met more often than there was work between two meetings.
    Idle,
    /// Nothing moved for as long as a pause may last. A deadlock is detected in the whole network only.
    Standstill,
}

impl SerialReason {
    /// Whether more threads would have made the run shorter.
    pub fn costs(self) -> bool {
        !matches!(
            self,
            SerialReason::OneThread | SerialReason::Small | SerialReason::Idle
        )
    }
}

impl fmt::Display for SerialReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SerialReason::OneThread => "one thread was requested",
            SerialReason::Small => "too little work for a second thread",
            SerialReason::Captures => "a capture needs both ends of each connection in one thread",
            SerialReason::Indivisible => "no division of the network has a delay between its parts",
            SerialReason::Unequal => "one part of the network would have nearly all of the work",
            SerialReason::Idle => "too little work between the meetings of the threads",
            SerialReason::Standstill => {
                "nothing moved; detecting a deadlock needs the whole network in one thread"
            }
        })
    }
}
