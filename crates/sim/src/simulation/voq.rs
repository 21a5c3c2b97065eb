//! Frames in virtual output queues: they wait for credit and cross the switch.

use crate::bytes::Bytes;
use crate::devices::port::{dequeue, is_down};
use crate::ids::{priority_queue_number, PortId, Priority};
use crate::simulation::class;
use crate::simulation::state::Simulation;
use crate::time::Picoseconds;

impl Simulation {
    /// Adds an admitted frame to its virtual output queue.
    pub(crate) fn wait_at_ingress(&mut self, egress: PortId, priority: Priority, index: u32) {
        let at = (egress, priority);
        let slice = self.slices[self.frames[index].ingress.index()];
        let Some(voq) = self.voqs.as_mut().and_then(|voqs| voqs.queue(at, slice)) else {
            return;
        };
        let marker = self.markers[self.queues[at].marker as usize];
        let byte = self.ports[egress].byte;
        let length = voq.length(&marker, self.now, byte.times(self.settings.longest));
        voq.push(&mut self.frames, index);
        if marker.at.is_some() {
            self.judge(egress, priority, index, &marker.law, length);
        }
        let queue = &mut self.queues[at];
        queue.bytes += self.frames[index].bytes.widen();
        queue.most_bytes = queue.most_bytes.max(queue.bytes);
        self.grant(egress, priority);
    }

    /// A frame that crossed the switch has started at its port, which frees egress buffer for another one.
    pub(crate) fn crossed_leaves(&mut self, egress: PortId, priority: Priority, bytes: Bytes<u16>) {
        let Some(voqs) = &mut self.voqs else { return };
        if voqs.leave((egress, priority), bytes) {
            self.grant(egress, priority);
        }
    }

    /// Grants credit while the egress buffer has space.
    fn grant(&mut self, egress: PortId, priority: Priority) {
        loop {
            let Some(voqs) = &mut self.voqs else { return };
            let at = (egress, priority);
            let Some(latency) = voqs.grant(at, &mut self.frames, self.now) else {
                return;
            };
            if latency == Picoseconds::ZERO {
                self.crosses(egress, priority);
            } else {
                let entity = priority_queue_number(egress, priority);
                self.schedule(self.now + latency, class::CROSSES, entity, 0);
            }
        }
    }

    /// The first frame in flight arrives at its port and releases its buffer at the ingress port.
    pub(crate) fn crosses(&mut self, egress: PortId, priority: Priority) {
        let Some(voqs) = &mut self.voqs else { return };
        let Some(index) = voqs.cross((egress, priority), &self.frames) else {
            return;
        };
        let frame = self.frames[index];
        self.release(frame.ingress, priority, u32::from(frame.cells));
        self.frames[index].cells = 0;
        let port = &mut self.ports[egress];
        let queue = &mut self.queues[(egress, priority)];
        if !is_down(port) && port.dropping & priority.bit() == 0 {
            port.waiting |= priority.bit();
            queue.line.push(&mut self.frames, index);
            return self.kick(egress);
        }
        queue.bytes -= frame.bytes.widen();
        if is_down(port) {
            self.totals.drops += 1;
            self.totals.port_down_drops += 1;
            self.sides[frame.ingress].drops[priority] += 1;
            self.frames.remove(index);
        } else {
            self.drop_stuck(egress, index);
        }
        self.crossed_leaves(egress, priority, frame.bytes);
    }

    /// Removes the next frame for a port, at the port or at an ingress port, without sending it.
    pub(crate) fn take_waiting(&mut self, port: PortId, priority: Priority) -> Option<u32> {
        let at = (port, priority);
        let state = &mut self.ports[port];
        let queue = self.queues.get_mut(at)?;
        if let Some(index) = dequeue(state, queue, &self.frames, priority, self.now) {
            if let Some(voqs) = &mut self.voqs {
                voqs.leave(at, self.frames[index].bytes);
            }
            return Some(index);
        }
        let index = self.voqs.as_mut()?.take(at, &self.frames, self.now)?;
        self.queues[at].bytes -= self.frames[index].bytes.widen();
        Some(index)
    }

    /// Latency from the credit grant for a frame to its arrival at the port; `None` where frames wait at the egress port.
    pub(crate) fn credit_latency(&self, egress: PortId) -> Picoseconds {
        let voqs = self.voqs.as_ref();
        voqs.map_or(Picoseconds::ZERO, |voqs| voqs.latency(egress))
    }
}
