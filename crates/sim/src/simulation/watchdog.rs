//! The PFC watchdog of switch ports.

use crate::ids::{priority_queue_number, PortId, Priority};
use crate::mechanisms::watchdog::Poll;
use crate::model::parameters::{self, WatchdogAction};
use crate::simulation::class;
use crate::simulation::state::Simulation;
use crate::time::Picoseconds;

impl Simulation {
    /// The pause of a priority of a switch port starts.
    pub(crate) fn guard_pause(&mut self, port: PortId, priority: Priority) {
        let Some(watchdog) = self.watchdog(port) else {
            return;
        };
        let guard = &mut self.sides[port].pauses[priority].guard;
        let poll = guard.pause(&watchdog, self.now);
        self.poll_at(port, priority, poll);
    }

    /// The pause of a priority of a switch port ends.
    pub(crate) fn guard_resume(&mut self, port: PortId, priority: Priority) {
        let Some(watchdog) = self.watchdog(port) else {
            return;
        };
        let guard = &mut self.sides[port].pauses[priority].guard;
        let poll = guard.resume(&watchdog, self.now);
        self.poll_at(port, priority, poll);
    }

    /// A poll at which the state may change.
    pub(crate) fn poll(&mut self, port: PortId, priority: Priority) {
        let Some(watchdog) = self.watchdog(port) else {
            return;
        };
        let pause = &mut self.sides[port].pauses[priority];
        match pause.guard.poll(&watchdog, pause.since, self.now) {
            Poll::Nothing => {}
            Poll::Again(time) => self.poll_at(port, priority, Some(time)),
            Poll::Stuck => self.stop_obeying(port, priority, watchdog.action),
            Poll::Recovered => self.recover(port, priority),
        }
    }

    /// A frame for a stuck queue whose traffic is dropped.
    #[cold]
    pub(crate) fn drop_stuck(&mut self, egress: PortId, index: u32) {
        let frame = self.frames[index];
        let guard = &mut self.sides[egress].pauses[frame.priority].guard;
        guard.count_drop(frame.bytes);
        self.totals.watchdog_drops += 1;
        self.frames.remove(index);
    }

    fn stop_obeying(&mut self, port: PortId, priority: Priority, action: WatchdogAction) {
        self.totals.watchdog_stuck += 1;
        let state = &mut self.ports[port];
        state.paused &= !priority.bit();
        if action == WatchdogAction::Drop {
            state.dropping |= priority.bit();
            state.aside |= priority.bit();
            return self.flush(port, priority);
        }
        self.kick(port);
    }

    fn recover(&mut self, port: PortId, priority: Priority) {
        self.totals.watchdog_recovered += 1;
        let voq = self.voqs.as_ref().is_some_and(|voqs| voqs.has(port));
        let state = &mut self.ports[port];
        state.dropping &= !priority.bit();
        state.aside &= !(if voq { 0 } else { priority.bit() });
    }

    /// Drops all frames of a queue.
    fn flush(&mut self, port: PortId, priority: Priority) {
        while let Some(index) = self.take_waiting(port, priority) {
            let frame = &self.frames[index];
            let (ingress, cells) = (frame.ingress, u32::from(frame.cells));
            self.release(ingress, priority, cells);
            self.drop_stuck(port, index);
        }
    }

    fn poll_at(&mut self, port: PortId, priority: Priority, time: Option<Picoseconds>) {
        if let Some(time) = time {
            self.schedule(
                time,
                class::WATCHDOG,
                priority_queue_number(port, priority),
                0,
            );
        }
    }

    /// The watchdog of a port; only switches have one.
    fn watchdog(&self, port: PortId) -> Option<parameters::Watchdog> {
        let of_switch = self.ports[port].switch;
        let watchdog = self.device(port).pfc.watchdog;
        watchdog.filter(|_| of_switch)
    }
}
