//! The border of a part: effects of events in one part on another part.
//!
//! Two kinds of effects exist: a frame that starts on a link whose other end is in another part, and an operation that
//! completes while a dependent operation is in another part. Both take effect no earlier than one lookahead after they were
//! sent.

use crate::ids::PortId;
use crate::mechanisms::frame::Frame;
use crate::mechanisms::telemetry::TelemetryRecord;
use crate::time::{Picoseconds, NEVER};
use std::sync::Arc;

/// An effect on another part.
#[derive(Debug)]
pub(crate) enum BorderMessage {
    /// A frame arrives.
    Frame {
        /// Time of arrival.
        arrival: Picoseconds,
        /// Class of the event, whose entity is the port that sent it.
        class: u32,
        /// The port that sent it.
        port: PortId,
        /// The frame, removed from the slab of its part.
        frame: Frame,
        /// Its telemetry, if congestion control uses it.
        carried: Option<Box<TelemetryRecord>>,
    },
    /// A dependency of an operation has completed.
    Completed {
        /// The dependent operation.
        dependent: u32,
        /// Completion time of the dependency.
        at: Picoseconds,
    },
}

/// State of a part that concerns other parts.
#[derive(Debug)]
pub(crate) struct Border {
    /// The part's number.
    pub part: u16,
    /// By port: the part of its device.
    pub part_of: Arc<[u16]>,
    /// Effects on other parts, by part.
    pub leaving: Vec<Vec<BorderMessage>>,
    /// Earliest effect on another part.
    pub earliest: Picoseconds,
    /// Other parts may have processed all events up to this time: an earlier effect would be too late.
    pub horizon: Picoseconds,
    /// Number of frames among the effects.
    pub frames: u64,
    /// Number of completions among the effects.
    pub completions: u64,
    /// Events of the part at the start of the current work.
    pub events_at_start: u64,
}

impl Border {
    /// The border of part number `part` of `parts`.
    pub(super) fn new(part: u16, parts: usize, part_of: Arc<[u16]>) -> Self {
        Border {
            part,
            part_of,
            leaving: (0..parts).map(|_| Vec::new()).collect(),
            earliest: NEVER,
            horizon: Picoseconds::ZERO,
            frames: 0,
            completions: 0,
            events_at_start: 0,
        }
    }

    /// Whether a port is in this part.
    pub(crate) fn has(&self, port: PortId) -> bool {
        self.part_of[port] == self.part
    }

    /// Sends an effect to the part of `port`, where it occurs at `time`.
    pub(super) fn send(&mut self, port: PortId, time: Picoseconds, message: BorderMessage) {
        assert!(
            time > self.horizon,
            "effect at {time} ps sent to a part that may have processed events up to {} ps",
            self.horizon
        );
        self.earliest = self.earliest.min(time);
        self.leaving[usize::from(self.part_of[port])].push(message);
    }
}
