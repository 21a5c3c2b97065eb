//! PFC frames: sending, reception and effect.

use crate::bytes::Bytes;
use crate::devices::port::{is_down, Delivery};
use crate::ids::{port_and_priority, priority_queue_number, PortId, Priority, QueuePairId};
use crate::mechanisms::frame::{Frame, Kind};
use crate::mechanisms::pause;
use crate::simulation::class;
use crate::simulation::state::Simulation;
use crate::time::{Picoseconds, NEVER};

impl Simulation {
    /// Sends XOFF for `priority` at `port`, and refreshes it before the pause expires.
    pub(crate) fn send_xoff(&mut self, port: PortId, priority: Priority) {
        self.totals.pfc_pauses += 1;
        self.generate(port, priority, true);
        if let Some(quanta) = self.repeats_after(port, priority) {
            self.repeat_after(port, priority, quanta);
        }
    }

    /// Refreshes a requested pause that may be about to expire.
    pub(crate) fn refresh_pause_early(&mut self, port: PortId, priority: Priority) {
        if self.sides[port].pauses[priority].refresh_at != NEVER {
            return;
        }
        if let Some(quanta) = self.repeats_after(port, priority) {
            self.sides[port].pauses[priority].refreshed += 1;
            self.generate(port, priority, true);
            self.repeat_after(port, priority, quanta);
        }
    }

    /// Time at which XOFF is sent again, if it is. A stuck NIC always refreshes its pause.
    fn repeats_after(&self, port: PortId, priority: Priority) -> Option<u16> {
        let is_stuck = self.sides[port].storm & priority.bit() != 0;
        pause::refresh_quanta(&self.device(port).pfc, is_stuck)
    }

    fn repeat_after(&mut self, port: PortId, priority: Priority, quanta: u16) {
        let next = self.now + self.quanta(port, quanta);
        self.sides[port].pauses[priority].refresh_at = next;
        self.repeated += 1;
        self.schedule(
            next,
            class::REFRESH,
            priority_queue_number(port, priority),
            0,
        );
    }

    /// Sends XON for `priority` at `port`.
    pub(crate) fn send_xon(&mut self, port: PortId, priority: Priority) {
        self.totals.pfc_resumes += 1;
        self.sides[port].pauses[priority].refresh_at = NEVER;
        self.generate(port, priority, false);
    }

    /// The pause is still needed and about to expire at the peer.
    pub(crate) fn refresh(&mut self, entity: u32) {
        let (port, priority) = port_and_priority(entity);
        self.repeated -= 1;
        if self.sides[port].pauses[priority].refresh_at != self.now {
            return;
        }
        if self.is_deadlock() {
            self.until = self.now;
            return;
        }
        let Some(quanta) = self.repeats_after(port, priority) else {
            self.sides[port].pauses[priority].refresh_at = NEVER; // the pause storm is over
            return;
        };
        self.sides[port].pauses[priority].refreshed += 1;
        self.generate(port, priority, true);
        self.repeat_after(port, priority, quanta);
    }

    /// Whether pauses would be refreshed forever: no other event is pending, and no frame has started for the maximum duration
    /// of a pause.
    fn is_deadlock(&mut self) -> bool {
        // This holds for the whole network only; parts are joined before it can be true.
        if self.border.is_some() || self.now - self.still_since <= self.settings.longest_pause {
            return false;
        }
        self.still_since = self.now;
        let mut pending = std::mem::take(&mut self.queue);
        let mut of_pauses = true;
        while let Some(event) = pending.pop() {
            of_pauses &= class::OF_PAUSES >> (event.key >> 28) & 1 != 0;
            self.queue.push(event);
        }
        of_pauses
    }

    /// Schedules XOFF or XON.
    pub(crate) fn generate(&mut self, port: PortId, priority: Priority, xoff: bool) {
        let generation = Picoseconds::from(self.device(port).pfc.generation_delay_ns);
        if generation == Picoseconds::ZERO {
            return self.pfc_ready(priority_queue_number(port, priority), xoff);
        }
        // XOFF and XON may be decided at the same time, in either order: the number preserves it.
        let payload = self.sides[port].pauses[priority].decide(xoff);
        let ready = self.now + generation;
        self.schedule(
            ready,
            class::PFC_READY,
            priority_queue_number(port, priority),
            payload,
        );
    }

    /// The PFC frame is ready to be sent.
    pub(crate) fn pfc_ready(&mut self, entity: u32, xoff: bool) {
        let (port, priority) = port_and_priority(entity);
        if is_down(&self.ports[port]) {
            return;
        }
        let quanta = pause::quanta_in(&self.device(port).pfc, xoff);
        let index = self.frames.insert(Frame {
            next: 0,
            queue_pair: QueuePairId(u32::from(quanta)),
            psn: 0,
            hop: 0,
            ingress: port,
            bytes: Bytes(self.settings.parameters.framing.pfc_bytes.0 as u16),
            payload: Bytes(0),
            span: 0,
            cells: 0,
            kind: Kind::Pfc,
            priority,
            flags: 0,
        });
        let side = &mut self.sides[port];
        side.control.push(&mut self.frames, index);
        side.pauses[priority].count_sent(xoff);
        self.ports[port].control = true;
        self.kick(port);
    }

    /// Sends a queued PFC frame.
    pub(crate) fn transmit_pfc(&mut self, port: PortId) {
        let side = &mut self.sides[port];
        let Some(index) = side.control.pop(&self.frames) else {
            return;
        };
        side.pfc_frames += 1;
        self.totals.pfc_frames += 1;
        let delay = side.delay;
        let state = &mut self.ports[port];
        state.control = !side.control.is_empty();
        state.sent += 1;
        let framing = &self.settings.parameters.framing;
        let on_link = framing.pfc_bytes + framing.gap_bytes;
        state.busy_until = self.now + state.byte.times(on_link);
        let busy_until = state.busy_until;
        let (switch, more) = (
            state.switch,
            state.control || state.waiting & !state.paused != 0,
        );
        let arrival = busy_until + delay;
        self.put_on_link(port, index, arrival, class::PFC_ARRIVES);
        if !switch {
            self.wake_for_next(port);
        } else if more {
            self.wake(port, busy_until);
        }
    }

    /// Processes a PFC frame from the port at the other end.
    pub(crate) fn pfc_arrives(&mut self, sender: PortId, index: u32) {
        let port = sender.peer();
        let frame = self.frames[index];
        if self.ports[port].delivery == Delivery::Checked {
            self.capture_frame(port, index);
        }
        let pause = &mut self.sides[port].pauses[frame.priority];
        pause.count_received(frame.quanta() != 0);
        let reaction = self.sides[port].reaction;
        if reaction == Picoseconds::ZERO {
            return self.pfc_applies(port, index);
        }
        self.schedule(self.now + reaction, class::PFC_APPLIES, port.0, index);
    }

    /// A PFC frame takes effect: no further frame of the priority starts, or frames start again. A port on which the priority
    /// is not lossless ignores PFC for it.
    pub(crate) fn pfc_applies(&mut self, port: PortId, index: u32) {
        let frame = self.frames[index];
        self.frames.remove(index);
        let priority = frame.priority;
        if self.device(port).pfc.lossless_priorities & priority.bit() == 0 {
            return;
        }
        if frame.quanta() == 0 {
            return self.go_on(port, priority);
        }
        let quanta = self.device(port.peer()).pfc.quanta; // `None`: the pause lasts until XON
        let until = quanta.map_or(NEVER, |_| self.now + self.quanta(port, frame.quanta()));
        let pause = &mut self.sides[port].pauses[priority];
        let begins = pause.begin(self.now, until);
        if !pause.guard.stuck {
            self.ports[port].paused |= priority.bit();
        }
        if begins {
            self.guard_pause(port, priority);
        }
        if until != NEVER {
            self.schedule(
                until,
                class::PAUSE_ENDS,
                priority_queue_number(port, priority),
                0,
            );
        }
    }

    /// The pause has expired.
    pub(crate) fn pause_ends(&mut self, entity: u32) {
        let (port, priority) = port_and_priority(entity);
        if self.sides[port].pauses[priority].until == self.now {
            self.go_on(port, priority);
        }
    }

    /// Ends the pause of a priority, if it is paused.
    pub(crate) fn go_on(&mut self, port: PortId, priority: Priority) {
        let pause = &mut self.sides[port].pauses[priority];
        let Some(since) = pause.end(self.now) else {
            return;
        };
        self.record_pause(port, priority, since);
        self.ports[port].paused &= !priority.bit();
        self.guard_resume(port, priority);
        self.kick(port);
    }

    /// Polls the watchdog.
    pub(crate) fn watchdog_polls(&mut self, entity: u32) {
        let (port, priority) = port_and_priority(entity);
        self.poll(port, priority);
    }

    /// A frame has crossed the switch to its egress port.
    pub(crate) fn crossing_ends(&mut self, entity: u32) {
        let (port, priority) = port_and_priority(entity);
        self.crosses(port, priority);
    }

    pub(crate) fn quanta(&self, port: PortId, quanta: u16) -> Picoseconds {
        pause::quanta_time(self.ports[port].byte, quanta)
    }
}
