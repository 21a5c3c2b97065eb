//! How far the segments of TCP and UDP are that a captured port has passed on.

use crate::ids::QueuePairId;
use crate::mechanisms::frame::{Frame, Kind};
use std::collections::HashMap;

/// What a port has seen so far of the segments to each queue pair: of data, and of what is acknowledged.
#[derive(Debug, Default)]
pub struct Streams(HashMap<QueuePairId, Seen>);

#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// All segments before it.
    sent: u32,
    acknowledged: u32,
}

impl Streams {
    /// The segments that a frame stands at: its own in its direction, and what it acknowledges of the other.
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
