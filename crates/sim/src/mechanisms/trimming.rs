//! Packet trimming: where a switch has no room for a packet of a lossy priority, it forwards the header in another priority,
//! and the receiver learns which packet is missing (Ultra Ethernet Specification 1.0, section 4.1).
//!
//! The receiver answers with a NAK of the packet, and the sender retransmits it; only selective repeat
//! ([`crate::mechanisms::transport::selective`]) supports such NAKs, for others the packet is lost. Only writes and
//! sends are trimmed, once each; a trimmed packet that finds no room is dropped.

use crate::bytes::Bytes;
use crate::ids::Priority;
use crate::mechanisms::frame::{Frame, Kind, ECT, TRIMMED};
use crate::model::parameters::{self, Switch};
use crate::time::Picoseconds;

/// How a switch port trims.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trimming {
    priority: Priority,
    bytes: Bytes<u16>,
    /// Maximum queueing delay of a packet before it is trimmed.
    longest_queue: Option<Picoseconds>,
}

impl Trimming {
    pub fn from_switch(switch: &Switch) -> Option<Self> {
        let trimming: &parameters::Trimming = switch.trimming.as_ref()?;
        Some(Trimming {
            priority: trimming.priority,
            bytes: Bytes(trimming.trimmed_bytes.0 as u16),
            longest_queue: trimming.queue_ns.map(Picoseconds::from),
        })
    }

    /// Whether a packet can be trimmed: data, not trimmed before, and longer than what is left.
    pub fn applies_to(&self, frame: &Frame) -> bool {
        let data = matches!(frame.kind, Kind::Write | Kind::Send);
        data && !frame.has(TRIMMED) && frame.bytes > self.bytes
    }

    /// Whether a packet with this queueing delay is trimmed.
    pub fn is_too_long(&self, wait: Picoseconds) -> bool {
        self.longest_queue.is_some_and(|longest| wait > longest)
    }

    /// Reduces a packet to its header, in another priority.
    pub fn trim(&self, frame: &mut Frame) {
        frame.bytes = self.bytes;
        frame.payload = Bytes(0);
        frame.priority = self.priority;
        frame.flags |= TRIMMED;
        frame.flags &= !ECT; // no switch marks it (section 4.1.1)
    }
}
