//! The PFC watchdog: a switch that finds one of its queues paused for too long no longer obeys.
//!
//! As SONiC and Arista EOS describe theirs. Every poll looks at the queues: one that has been paused without a break for
//! the detection time is stuck, and recovers once it has not been paused for the restoration time. A poll that cannot find
//! anything is left out, so that a watchdog without work costs nothing.

use crate::model::parameters::{self, WatchdogAction};
use crate::simulation::{class, Simulation};
use crate::time::{Picoseconds, NANOSECOND, NEVER};

/// What the watchdog knows of a priority of a port.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// A poll is scheduled.
    armed: bool,
    /// The queue is stuck: pauses are not obeyed.
    pub stuck: bool,
    /// Since when it is stuck; and since when it has not been asked to pause since.
    since: Picoseconds,
    free_since: Picoseconds,
    /// How often it was found stuck, and recovered.
    pub times_stuck: u32,
    pub times_recovered: u32,
    /// For how long it was stuck.
    pub stuck_for: Picoseconds,
    /// Frames dropped while it was stuck, and their bytes.
    pub dropped_frames: u64,
    pub dropped_bytes: u64,
}

impl Guard {
    /// Never stuck.
    pub const NONE: Guard = Guard {
        armed: false,
        stuck: false,
        since: 0,
        free_since: 0,
        times_stuck: 0,
        times_recovered: 0,
        stuck_for: 0,
        dropped_frames: 0,
        dropped_bytes: 0,
    };

    /// For how long it was stuck by `now`.
    pub fn stuck_until(&self, now: Picoseconds) -> Picoseconds {
        self.stuck_for + if self.stuck { now - self.since } else { 0 }
    }
}

impl Simulation {
    /// A priority of a switch port begins to be paused.
    pub(crate) fn guard_pause(&mut self, port: u32, priority: usize) {
        let Some(watchdog) = self.watchdog(port) else {
            return;
        };
        let detected = self.now + watchdog.detection_ns * NANOSECOND;
        self.poll_at(port, priority, detected);
    }

    /// A priority of a switch port is no longer asked to pause.
    pub(crate) fn guard_resume(&mut self, port: u32, priority: usize) {
        let Some(watchdog) = self.watchdog(port) else {
            return;
        };
        let restored = self.now + watchdog.restoration_ns * NANOSECOND;
        let now = self.now;
        let guard = &mut self.sides[port as usize].pauses[priority].guard;
        if guard.stuck {
            guard.free_since = now;
            self.poll_at(port, priority, restored);
        }
    }

    /// A poll at which something may be found.
    pub(crate) fn poll(&mut self, port: u32, priority: usize) {
        let Some(watchdog) = self.watchdog(port) else {
            return;
        };
        let now = self.now;
        let pause = &mut self.sides[port as usize].pauses[priority];
        pause.guard.armed = false;
        let paused = pause.since != NEVER;
        if paused == pause.guard.stuck {
            return; // neither paused nor stuck; or still asked to pause, and looked at again when that is over
        }
        let (since, least) = match paused {
            true => (pause.since, watchdog.detection_ns * NANOSECOND),
            false => (pause.guard.free_since, watchdog.restoration_ns * NANOSECOND),
        };
        if now - since < least {
            return self.poll_at(port, priority, since + least);
        }
        if paused {
            self.stop_obeying(port, priority);
        } else {
            self.recover(port, priority);
        }
    }

    /// A frame for a stuck queue whose traffic is dropped.
    #[cold]
    pub(crate) fn drop_stuck(&mut self, egress: u32, index: u32) {
        let frame = self.frames[index];
        let guard = &mut self.sides[egress as usize].pauses[usize::from(frame.priority)].guard;
        guard.dropped_frames += 1;
        guard.dropped_bytes += u64::from(frame.bytes);
        self.totals.watchdog_drops += 1;
        self.frames.remove(index);
    }

    fn stop_obeying(&mut self, port: u32, priority: usize) {
        let guard = &mut self.sides[port as usize].pauses[priority].guard;
        guard.stuck = true;
        guard.since = self.now;
        guard.times_stuck += 1;
        self.totals.watchdog_stuck += 1;
        let state = &mut self.ports[port as usize];
        state.paused &= !(1 << priority);
        if self.watchdog(port).map(|it| it.action) == Some(WatchdogAction::Drop) {
            let state = &mut self.ports[port as usize];
            state.dropping |= 1 << priority;
            state.aside |= 1 << priority;
            return self.flush(port, priority);
        }
        self.kick(port);
    }

    fn recover(&mut self, port: u32, priority: usize) {
        let guard = &mut self.sides[port as usize].pauses[priority].guard;
        guard.stuck = false;
        guard.stuck_for += self.now - guard.since;
        guard.times_recovered += 1;
        self.totals.watchdog_recovered += 1;
        let voq = self.voqs.as_ref().is_some_and(|voqs| voqs.has(port));
        let state = &mut self.ports[port as usize];
        state.dropping &= !(1 << priority);
        state.aside &= !(u8::from(!voq) << priority);
    }

    /// Drops all that waits in a queue.
    fn flush(&mut self, port: u32, priority: usize) {
        while let Some(index) = self.take_waiting(port, priority) {
            let frame = &self.frames[index];
            let (ingress, cells) = (frame.ingress, u32::from(frame.cells));
            self.release(ingress, priority, cells);
            self.drop_stuck(port, index);
        }
    }

    /// The first poll from `time` on, unless one comes before it, which will look again.
    fn poll_at(&mut self, port: u32, priority: usize, time: Picoseconds) {
        let Some(watchdog) = self.watchdog(port) else {
            return;
        };
        let interval = watchdog.poll_ns * NANOSECOND;
        let guard = &mut self.sides[port as usize].pauses[priority].guard;
        if guard.armed {
            return;
        }
        guard.armed = true;
        let poll = time.next_multiple_of(interval);
        let entity = crate::mechanisms::pause::entity(port, priority);
        self.schedule(poll, class::WATCHDOG, entity, 0);
    }

    /// The watchdog of a port, which only switches have.
    fn watchdog(&self, port: u32) -> Option<parameters::Watchdog> {
        let of_switch = self.ports[port as usize].switch;
        let watchdog = self.device(port).pfc.watchdog;
        watchdog.filter(|_| of_switch)
    }
}
