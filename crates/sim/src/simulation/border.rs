//! The border of a part: what happens in one part and has its effect in another leaves it here.
//!
//! Only two things do: a frame that starts on a link whose other end lies in another part, and an operation that completes
//! while one in another part waits for it. Both act later than they leave, by no less than the run's lookahead.

use crate::ids::PortId;
use crate::mechanisms::frame::Frame;
use crate::mechanisms::telemetry::TelemetryRecord;
use crate::time::{Picoseconds, NEVER};
use std::sync::Arc;

/// What goes to another part.
#[derive(Debug)]
pub(crate) enum BorderMessage {
    /// A frame arrives.
    Frame {
        /// When.
        arrival: Picoseconds,
        /// Class of the event, whose entity is the port that sent it.
        class: u32,
        /// The port that sent it.
        port: PortId,
        /// The frame, out of the slab of its part.
        frame: Frame,
        /// What it carries beside, where congestion control asks for that.
        carried: Option<Box<TelemetryRecord>>,
    },
    /// An operation waits for one less.
    Completed {
        /// The one that waits.
        dependent: u32,
        /// When the other completed.
        at: Picoseconds,
    },
}

/// What a part knows of the others.
#[derive(Debug)]
pub(crate) struct Border {
    /// The part's number.
    pub own: u16,
    /// By port: the part that its device is in.
    pub part_of: Arc<[u16]>,
    /// What leaves, by the part it goes to.
    pub leaving: Vec<Vec<BorderMessage>>,
    /// Nothing that leaves acts before this.
    pub earliest: Picoseconds,
    /// All up to here may be done by the others already: what acts sooner would come too late.
    pub horizon: Picoseconds,
    /// Frames among what leaves.
    pub frames: u64,
    /// Completions among it.
    pub completions: u64,
    /// Events of the part when it was last set to work.
    pub begun: u64,
}

impl Border {
    /// The border of part `own` of `parts`.
    pub(super) fn new(own: u16, parts: usize, part_of: Arc<[u16]>) -> Self {
        Border {
            own,
            part_of,
            leaving: (0..parts).map(|_| Vec::new()).collect(),
            earliest: NEVER,
            horizon: Picoseconds::ZERO,
            frames: 0,
            completions: 0,
            begun: 0,
        }
    }

    /// Whether a port is here.
    pub(crate) fn has(&self, port: PortId) -> bool {
        self.part_of[port] == self.own
    }

    pub(super) fn leave(&mut self, port: PortId, acts: Picoseconds, leaving: BorderMessage) {
        assert!(
            acts > self.horizon,
            "what acts at {acts} ps leaves a part while others may be at {} ps",
            self.horizon
        );
        self.earliest = self.earliest.min(acts);
        self.leaving[usize::from(self.part_of[port])].push(leaving);
    }
}
