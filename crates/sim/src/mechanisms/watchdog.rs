//! The PFC watchdog: a switch that detects that one of its queues is paused for too long no longer obeys PFC.
//!
//! As described by SONiC and Arista EOS. Every poll checks the queues: one that has been paused without a break for
//! the detection time is stuck, and recovers once it has not been paused for the restoration time. Polls without a possible
//! result are skipped, so that an idle watchdog needs no events.

use crate::bytes::Bytes;
use crate::model::parameters::Watchdog;
use crate::time::{Picoseconds, NEVER};

/// Watchdog state of a priority of a port.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// A poll is scheduled.
    armed: bool,
    /// The queue is stuck: pauses are not obeyed.
    pub stuck: bool,
    /// Since when it is stuck; and since when no XOFF has been received.
    since: Picoseconds,
    free_since: Picoseconds,
    /// How often it was detected as stuck, and recovered.
    pub times_stuck: u32,
    pub times_recovered: u32,
    /// Total time stuck.
    pub stuck_for: Picoseconds,
    /// Frames dropped while it was stuck, and their bytes.
    pub dropped_frames: u64,
    pub dropped_bytes: Bytes,
}

impl Guard {
    /// Never stuck.
    pub const NONE: Guard = Guard {
        armed: false,
        stuck: false,
        since: Picoseconds::ZERO,
        free_since: Picoseconds::ZERO,
        times_stuck: 0,
        times_recovered: 0,
        stuck_for: Picoseconds::ZERO,
        dropped_frames: 0,
        dropped_bytes: Bytes(0),
    };

    /// Total time stuck by `now`.
    pub fn stuck_until(&self, now: Picoseconds) -> Picoseconds {
        self.stuck_for
            + if self.stuck {
                now - self.since
            } else {
                Picoseconds::ZERO
            }
    }

    /// A pause begins: when to poll, if no poll is pending.
    pub fn pause(&mut self, watchdog: &Watchdog, now: Picoseconds) -> Option<Picoseconds> {
        self.arm(watchdog, now + Picoseconds::from(watchdog.detection_ns))
    }

    /// A pause ends: when to poll, if the queue is stuck and no poll is pending.
    pub fn resume(&mut self, watchdog: &Watchdog, now: Picoseconds) -> Option<Picoseconds> {
        if !self.stuck {
            return None;
        }
        self.free_since = now;
        self.arm(watchdog, now + Picoseconds::from(watchdog.restoration_ns))
    }

    /// A poll of a queue that has been paused since then; `NEVER` = not paused.
    pub fn poll(
        &mut self,
        watchdog: &Watchdog,
        paused_since: Picoseconds,
        now: Picoseconds,
    ) -> Poll {
        self.armed = false;
        let paused = paused_since != NEVER;
        if paused == self.stuck {
            return Poll::Nothing; // neither paused nor stuck; or still paused, and polled again when that is over
        }
        let (since, least) = match paused {
            true => (paused_since, Picoseconds::from(watchdog.detection_ns)),
            false => (self.free_since, Picoseconds::from(watchdog.restoration_ns)),
        };
        if now - since < least {
            let poll_time = self.arm(watchdog, since + least);
            return poll_time.map_or(Poll::Nothing, Poll::Again);
        }
        self.stuck = paused;
        if paused {
            self.since = now;
            self.times_stuck += 1;
            return Poll::Stuck;
        }
        self.stuck_for += now - self.since;
        self.times_recovered += 1;
        Poll::Recovered
    }

    /// A frame was dropped because the queue is stuck.
    pub fn count_drop(&mut self, bytes: Bytes<u16>) {
        self.dropped_frames += 1;
        self.dropped_bytes += bytes.widen();
    }

    /// Schedules the first poll from `time` on, unless an earlier one is pending, which schedules the next.
    fn arm(&mut self, watchdog: &Watchdog, time: Picoseconds) -> Option<Picoseconds> {
        if self.armed {
            return None;
        }
        self.armed = true;
        Some(time.next_multiple_of(Picoseconds::from(watchdog.poll_ns)))
    }
}

/// Result of a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Poll {
    /// No change.
    Nothing,
    /// No change yet: poll again at this time.
    Again(Picoseconds),
    /// The queue is stuck from now on.
    Stuck,
    /// The queue has recovered.
    Recovered,
}
