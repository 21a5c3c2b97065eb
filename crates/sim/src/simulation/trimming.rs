//! Frames without buffer: trimmed or dropped.

use crate::ids::{PortId, QueuePairId};
use crate::mechanisms::frame::{Frame, Kind};
use crate::mechanisms::telemetry::TelemetryRecord;
use crate::mechanisms::transport::Transport;
use crate::mechanisms::trimming::Trimming;
use crate::simulation::state::Simulation;

impl Simulation {
    /// The trimming settings for a frame to `egress`, if it may be trimmed.
    fn trimming_settings(&self, egress: PortId, frame: &Frame) -> Option<Trimming> {
        let device = self.device(egress);
        let lossy = device.pfc.lossless_priorities & frame.priority.bit() == 0;
        let trimming = device.trimming.filter(|_| lossy);
        trimming.filter(|trimming| trimming.applies_to(frame))
    }

    /// Whether the queue of `egress` has reached its limit for this frame.
    pub(crate) fn queue_is_full(&self, egress: PortId, index: u32) -> bool {
        let frame = &self.frames[index];
        let Some(trimming) = self.trimming_settings(egress, frame) else {
            return false;
        };
        let queue = &self.queues[(egress, frame.priority)];
        trimming.is_too_long(self.ports[egress].byte.times(queue.bytes))
    }

    /// Trims a frame without buffer to its header, or drops it.
    #[cold]
    pub(crate) fn trim_or_drop(&mut self, ingress: PortId, index: u32, egress: PortId) {
        let frame = &self.frames[index];
        let priority = frame.priority;
        let Some(trimming) = self.trimming_settings(egress, frame) else {
            self.totals.drops += 1;
            self.sides[ingress].drops[priority] += 1;
            return self.frames.remove(index);
        };
        self.totals.trims += 1;
        self.sides[egress].trims += 1;
        trimming.trim(&mut self.frames[index]);
        if !self.ports[egress.peer()].switch {
            if let Some(telemetry) = &mut self.telemetry {
                telemetry.trimmed_at_last_hop(index);
            }
        }
        self.admit(ingress, index, egress);
    }

    /// A trimmed packet has arrived at a NIC.
    #[cold]
    pub(crate) fn header_arrives(
        &mut self,
        id: QueuePairId,
        frame: &Frame,
        carried: Option<&TelemetryRecord>,
    ) {
        let queue_pair = &mut self.queue_pairs[id];
        if let Some(reply) = queue_pair.transport.take_trimmed(frame.psn) {
            queue_pair.counts.reply(reply.flags);
            self.send_control(id, Kind::Ack, reply, carried);
            if let Some(carried) = carried.filter(|_| self.credits.is_some()) {
                // It will be retransmitted, which the sender's last request did not include.
                let packet = self.full_packet();
                self.record_credit_demand(id, carried.credit, packet);
            }
        }
    }
}
