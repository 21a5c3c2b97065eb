//! Positions of the TCP and UDP streams at a captured port.

use crate::ids::QueuePairId;
use crate::mechanisms::frame::{Frame, Kind};
use std::collections::HashMap;

/// Segments to each queue pair that a port has captured: data, and acknowledged data.
#[derive(Debug, Default)]
pub struct Streams(HashMap<QueuePairId, StreamPosition>);

#[derive(Debug, Clone, Copy, Default)]
struct StreamPosition {
    /// Number of segments before it.
    sent: u32,
    acknowledged: u32,
}

impl Streams {
    /// The positions of a frame: its segment in its direction, and the segment that it acknowledges in the other direction.
    pub fn position(&mut self, frame: &Frame) -> [u32; 2] {
        let stream = self.0.entry(frame.queue_pair).or_default();
        if frame.kind == Kind::TcpAck {
            stream.acknowledged = stream.acknowledged.max(frame.psn);
            return [stream.sent, frame.psn];
        }
        stream.sent = stream.sent.max(frame.psn + 1);
        [frame.psn, stream.acknowledged]
    }
}
