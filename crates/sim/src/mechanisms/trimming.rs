//! Packet trimming: where a switch has no room for a packet of a lossy priority, its header goes on in another priority,
//! and tells the receiver what is missing (Ultra Ethernet Specification 1.0, section 4.1).
//!
//! The receiver answers with a NAK that names the packet, and the sender sends it again; only selective repeat
//! ([`crate::mechanisms::transport::selective`]) knows such NAKs, other transports take a trimmed packet for a lost one. Only writes and
//! sends are trimmed, once each; a trimmed packet that finds no room is dropped.

use crate::mechanisms::frame::{Frame, Kind, ECT, TRIMMED};
use crate::mechanisms::telemetry::Carried;
use crate::mechanisms::transport::Transport;
use crate::model::parameters::{self, Switch};
use crate::simulation::Simulation;
use crate::time::{Picoseconds, NANOSECOND};

/// How a switch port trims.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trimming {
    priority: u8,
    bytes: u16,
    /// Longer than this no packet waits in a queue.
    longest_queue: Option<Picoseconds>,
}

impl Trimming {
    pub fn of(switch: &Switch) -> Option<Self> {
        let it: &parameters::Trimming = switch.trimming.as_ref()?;
        Some(Trimming {
            priority: it.priority,
            bytes: it.trimmed_bytes as u16,
            longest_queue: it.queue_ns.map(|ns| ns * NANOSECOND),
        })
    }
}

impl Simulation {
    /// How a frame is trimmed, if it may be where it would leave by `egress`.
    fn trimming(&self, egress: u32, frame: &Frame) -> Option<Trimming> {
        let device = self.device(egress);
        let data = matches!(frame.kind, Kind::Write | Kind::Send) && !frame.has(TRIMMED);
        let lossy = device.pfc.lossless_priorities & 1 << frame.priority == 0;
        let trimming = device.trimming.filter(|_| data && lossy);
        trimming.filter(|it| frame.bytes > it.bytes)
    }

    /// Whether the queue of `egress` is as long as it may be for this frame.
    pub(crate) fn queue_is_full(&self, egress: u32, index: u32) -> bool {
        let frame = &self.frames[index];
        let Some(longest) = self.trimming(egress, frame).and_then(|it| it.longest_queue) else {
            return false;
        };
        let queue = &self.queues[(egress, usize::from(frame.priority))];
        self.ports[egress as usize].byte.times(queue.bytes) > longest
    }

    /// There is no room for a frame: its header goes on, or nothing does.
    #[cold]
    pub(crate) fn trim_or_drop(&mut self, ingress: u32, index: u32, egress: u32) {
        let frame = &self.frames[index];
        let priority = usize::from(frame.priority);
        let Some(trimming) = self.trimming(egress, frame) else {
            self.totals.drops += 1;
            self.sides[ingress as usize].drops[priority] += 1;
            return self.frames.remove(index);
        };
        self.totals.trims += 1;
        self.sides[egress as usize].trims += 1;
        let frame = &mut self.frames[index];
        frame.bytes = trimming.bytes;
        frame.payload = 0;
        frame.priority = trimming.priority;
        frame.flags |= TRIMMED;
        frame.flags &= !ECT; // no switch marks it (section 4.1.1)
        if !self.ports[egress as usize ^ 1].switch {
            if let Some(telemetry) = &mut self.telemetry {
                telemetry.trimmed_at_last_hop(index);
            }
        }
        self.admit(ingress, index, egress);
    }

    /// A header has arrived at a NIC instead of its packet.
    #[cold]
    pub(crate) fn header_arrives(&mut self, id: u32, frame: &Frame, carried: Option<&Carried>) {
        let queue_pair = &mut self.queue_pairs[id as usize];
        if let Some(reply) = queue_pair.transport.trimmed(frame.psn) {
            queue_pair.counts.reply(reply.flags);
            self.send_control(id, Kind::Ack, reply, carried);
            if let Some(carried) = carried.filter(|_| self.credits.is_some()) {
                // It will be sent again, which its sender did not know when it said how much it wants.
                let packet = self.full_packet();
                self.credit_wanted(id, carried.credit, packet);
            }
        }
    }
}
