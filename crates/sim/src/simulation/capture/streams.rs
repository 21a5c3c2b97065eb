//! Positions of the TCP and UDP streams at a captured port.

use crate::ids::QueuePairId;
use crate::mechanisms::frame::{Frame, Kind};
use std::collections::HashMap;

/// Segments to each queue pair that a port has captured: data, and acknowledged data.
#[derive(Debug, Default)]
pub struct Streams(HashMap<QueuePairId, Seen>);

#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Number of segments before it.
    sent: u32,
    acknowledged: u32,
}

impl Streams {
    /// The positions of a frame: its segment in its direction, and the segment that it acknowledges in the other direction.
    pub fn place(&mut self, frame: &Frame) -> [u32; 2] {
        let seen = self.0.entry(frame.queue_pair).or_default();
        if frame.kind == Kind::TcpAck {
            seen.acknowledged = seen.acknowledged.max(frame.psn);
            return [seen.sent, frame.psn];
        }
        seen.sent = seen.sent.max(frame.psn + 1);
        [frame.psn, seen.acknowledged]
    }
}
