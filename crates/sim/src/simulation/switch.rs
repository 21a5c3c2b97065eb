//! A switch: admission of frames, queueing at the egress port or in virtual output queues ([`crate::devices::voq`]), and
//! transmission.

use crate::bytes::Bytes;
use crate::devices::port::{dequeue, enqueue};
use crate::ids::{priority_queue_number, PortId, Priority};
use crate::mechanisms::chance;
use crate::mechanisms::frame::{CE, ECT};
use crate::mechanisms::marking::{Law, Marker};
use crate::model::parameters::MarkingPoint;
use crate::simulation::state::Simulation;
use crate::time::Picoseconds;

impl Simulation {
    /// A frame has arrived at the switch behind `ingress`.
    #[inline]
    pub(crate) fn switch_receive(&mut self, ingress: PortId, index: u32) {
        let frame = &mut self.frames[index];
        let egress = self.routes.hops()[frame.hop as usize];
        frame.hop += 1;
        self.admit(ingress, index, egress);
    }

    /// Admits a frame from `ingress` to the buffer, if there is space, and queues it for `egress`.
    #[inline(always)] // called for every frame
    pub(crate) fn admit(&mut self, ingress: PortId, index: u32, egress: PortId) {
        if self.settings.trims && self.queue_is_full(egress, index) {
            return self.trim_or_drop(ingress, index, egress);
        }
        let frame = &mut self.frames[index];
        let priority = frame.priority;
        let pool = &self.pools[self.slices[ingress] as usize];
        let cells = frame.bytes.widen::<u32>().div_ceil(pool.cell);
        frame.ingress = ingress;
        frame.cells = cells as u16;

        if self.ports[egress].aside & priority.bit() != 0 {
            return self.admit_aside(ingress, index, egress);
        }
        if !self.is_admitted(ingress, index, egress) {
            return;
        }
        if self.settings.mark_enqueue {
            self.judge_arrival(egress, priority, index);
        }
        let port = &mut self.ports[egress];
        let queue = &mut self.queues[(egress, priority)];
        enqueue(port, queue, &mut self.frames, index);
        self.kick(egress);
    }

    /// Charges a frame to the buffer, and sends XOFF if a threshold is crossed. False: no space.
    #[inline(always)]
    fn is_admitted(&mut self, ingress: PortId, index: u32, egress: PortId) -> bool {
        let priority = self.frames[index].priority;
        let group = &mut self.groups[(ingress, priority)];
        let first = self.slices[ingress] as usize;
        let pool = &mut self.pools[first + usize::from(group.pool)];
        let cells = u32::from(self.frames[index].cells);
        if !group.admit(pool, cells) {
            if group.shares_headroom()
                && self.is_admitted_to_shared_headroom(ingress, priority, cells)
            {
                return true;
            }
            self.trim_or_drop(ingress, index, egress);
            return false;
        }
        if group.reaches_xoff(pool) {
            group.xoff = true;
            self.send_xoff(ingress, priority);
        }
        true
    }

    /// The same for a frame that only fits into headroom, which other frames may have filled.
    #[inline(never)]
    fn is_admitted_to_shared_headroom(
        &mut self,
        ingress: PortId,
        priority: Priority,
        cells: u32,
    ) -> bool {
        let group = &mut self.groups[(ingress, priority)];
        let first = self.slices[ingress] as usize;
        let pool = &mut self.pools[first + usize::from(group.headroom_at)];
        if !group.admit_to_shared_headroom(pool, cells) {
            return false;
        }
        if !group.xoff {
            group.xoff = true;
            self.send_xoff(ingress, priority);
        }
        true
    }

    #[inline]
    fn drop_without_room(&mut self, ingress: PortId, priority: Priority, index: u32) {
        self.totals.drops += 1;
        self.sides[ingress].drops[priority] += 1;
        self.frames.remove(index);
    }

    /// A frame whose egress port drops it, or that waits at its ingress port.
    #[inline(never)]
    fn admit_aside(&mut self, ingress: PortId, index: u32, egress: PortId) {
        let frame = &self.frames[index];
        let priority = frame.priority;
        if self.ports[egress].dropping & priority.bit() != 0 {
            return self.drop_stuck(egress, index);
        }
        // Queued bytes of a port are counted in 32 bits; the buffers of such switches may be larger.
        let waiting = self.queues[(egress, priority)].bytes;
        if waiting.checked_add(frame.bytes.widen()).is_none() {
            return self.drop_without_room(ingress, priority, index);
        }
        if self.is_admitted(ingress, index, egress) {
            self.wait_at_ingress(egress, priority, index);
        }
    }

    /// An idle egress port sends the frame that its scheduler selects.
    #[inline]
    pub(crate) fn switch_transmit(&mut self, egress: PortId) {
        let port = &mut self.ports[egress];
        let eligible = port.waiting & !port.paused;
        if eligible == 0 {
            return;
        }
        let scheduler = &self.settings.devices[port.settings as usize].scheduler;
        let priority = scheduler.choose(egress, port, &mut self.queues, eligible);
        let queue = &mut self.queues[(egress, priority)];
        let Some(index) = dequeue(port, queue, &self.frames, priority, self.now) else {
            return;
        };
        let frame = &self.frames[index];
        scheduler.charge(queue, eligible, frame.bytes.widen());
        let more = port.control || port.waiting & !port.paused != 0;
        let (ingress, cells, bytes) = (frame.ingress, u32::from(frame.cells), frame.bytes);

        if cells > 0 {
            self.release(ingress, priority, cells);
        }
        if self.settings.mark_dequeue {
            self.judge_departure(egress, priority, index);
        }
        self.start(egress, index);
        if cells == 0 {
            self.crossed_leaves(egress, priority, bytes);
        }
        if more {
            let busy_until = self.ports[egress].busy_until;
            self.wake(egress, busy_until);
        }
    }

    /// Releases the cells of a frame that was sent, and sends XON if a threshold is crossed.
    #[inline]
    pub(crate) fn release(&mut self, ingress: PortId, priority: Priority, cells: u32) {
        let group = &mut self.groups[(ingress, priority)];
        let first = self.slices[ingress] as usize;
        let pool = &mut self.pools[first + usize::from(group.pool)];
        let headroom = group.release(pool, cells);
        let goes_on = group.reaches_xon(pool);
        if headroom > 0 && group.shares_headroom() {
            self.pools[first + usize::from(group.headroom_at)].used -= u64::from(headroom);
        }
        if goes_on {
            group.xoff = false;
            self.send_xon(ingress, priority);
        }
    }

    /// Marking at enqueue: by the queued bytes before the frame.
    fn judge_arrival(&mut self, egress: PortId, priority: Priority, index: u32) {
        let queue = &self.queues[(egress, priority)];
        let marker = &self.markers[queue.marker as usize];
        if marker.at == Some(MarkingPoint::Enqueue) && marker.may_mark(queue.bytes) {
            let marker = *marker;
            let length = self.marking_depth(egress, priority, &marker);
            self.judge(egress, priority, index, &marker.law, length);
        }
    }

    /// Marking at dequeue: by the queued bytes behind the frame.
    #[inline]
    fn judge_departure(&mut self, egress: PortId, priority: Priority, index: u32) {
        let queue = &self.queues[(egress, priority)];
        let marker = &self.markers[queue.marker as usize];
        if marker.at == Some(MarkingPoint::Dequeue) && marker.may_mark(queue.bytes) {
            let marker = *marker;
            let length = self.marking_depth(egress, priority, &marker);
            self.judge(egress, priority, index, &marker.law, length);
        }
    }

    /// The queue depth for marking: a moving average over decisions, or the instantaneous depth.
    fn marking_depth(&mut self, egress: PortId, priority: Priority, marker: &Marker) -> f64 {
        let queue = &mut self.queues[(egress, priority)];
        let may_be_idle = marker.average.is_some() && marker.at == Some(MarkingPoint::Enqueue);
        let idle = (may_be_idle && queue.bytes == Bytes(0)).then(|| {
            let byte = self.ports[egress].byte;
            (self.now - queue.empty_since) / byte.times(self.settings.longest).max(Picoseconds(1))
        });
        marker.length(queue.bytes.as_f64(), &mut queue.average, idle)
    }

    #[inline]
    pub(crate) fn judge(
        &mut self,
        egress: PortId,
        priority: Priority,
        index: u32,
        law: &Law,
        length: f64,
    ) {
        if length <= law.kmin.as_f64() || !self.frames[index].has(ECT) {
            return;
        }
        let probability = law.probability(length);
        let queue = &mut self.queues[(egress, priority)];
        let entity = priority_queue_number(egress, priority);
        // Frames sent and queued bytes identify this decision: one of the two has changed since the last.
        let draw = queue.frames << 32 | u64::from(queue.bytes.0);
        if probability < 1.0 && chance::uniform(self.settings.seed, entity, draw) >= probability {
            return;
        }
        let frame = &mut self.frames[index];
        queue.marks += u32::from(!frame.has(CE));
        self.totals.ecn_marks += u64::from(!frame.has(CE));
        frame.flags |= CE;
    }
}
