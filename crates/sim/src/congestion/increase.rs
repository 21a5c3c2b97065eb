//! Increase of a limited rate: the timer and the byte counter of QCN (IEEE 802.1Q-2018 clause 32, RP rate control),
//! which both forms of DCQCN use.

use crate::bytes::Bytes;
use crate::time::{Picoseconds, NEVER};
use std::cmp::Ordering;

/// When the timer expires, and how far the target rises at each expiry.
pub(super) trait Rules {
    /// Period of the timer.
    fn timer(&self) -> Picoseconds;

    /// Number of expiries of either counter in fast recovery.
    fn threshold(&self) -> u32;

    /// How far the target rises, by the time and byte stages counted before the expiry. It depends on nothing but
    /// whether either is below, at or above the threshold.
    fn rise(&self, time_stage: u32, byte_stage: u32) -> f64;
}

/// Current and target rate, and the time and bytes since the last cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Increase {
    /// Paces the frames, bits per second; never above `target`.
    pub current: f64,
    /// Target of the current rate, bits per second; never above line rate.
    pub target: f64,
    /// When the timer expires next.
    timer_at: Picoseconds,
    /// Bytes sent since the byte counter last expired; less than its period.
    sent: Bytes<u32>,
    /// Expiries of the timer since the last cut.
    pub time_stage: u32,
    /// Expiries of the byte counter since the last cut.
    pub byte_stage: u32,
}

impl Increase {
    /// A limiter at `rate` whose timer does not run before the first [`restart`](Self::restart).
    pub fn new(rate: f64) -> Self {
        Increase {
            current: rate,
            target: rate,
            timer_at: NEVER,
            sent: Bytes(0),
            time_stage: 0,
            byte_stage: 0,
        }
    }

    /// Restarts the timer and the byte counter, as every cut does.
    #[inline]
    pub fn restart(&mut self, now: Picoseconds, timer: Picoseconds) {
        self.timer_at = now.saturating_add(timer);
        self.sent = Bytes(0);
        self.time_stage = 0;
        self.byte_stage = 0;
    }

    /// Processes the expiries of the timer that are due at `now`.
    #[inline]
    pub fn elapse(&mut self, now: Picoseconds, line: f64, rules: &impl Rules) {
        debug_assert!(now < NEVER);
        while self.timer_at <= now {
            let mut times = 1;
            if !self.climb(line, rules) {
                let due = (now - self.timer_at) / rules.timer() + 1;
                times = due.min(count_equal_expiries(self.time_stage, rules.threshold()));
            }
            self.time_stage = add_expiries(self.time_stage, times);
            let ahead = rules.timer().saturating_mul(times);
            self.timer_at = self.timer_at.saturating_add(ahead);
        }
    }

    /// Counts `bytes` sent; the byte counter expires once per `period`, which is above zero.
    #[inline]
    pub fn send(&mut self, bytes: Bytes<u32>, period: Bytes<u32>, line: f64, rules: &impl Rules) {
        let mut sent = self.sent.widen::<u64>() + bytes.widen::<u64>();
        let period = period.widen::<u64>();
        while sent >= period {
            let mut times = 1;
            if !self.climb(line, rules) {
                times =
                    (sent / period).min(count_equal_expiries(self.byte_stage, rules.threshold()));
            }
            self.byte_stage = add_expiries(self.byte_stage, times);
            sent -= times * period;
        }
        self.sent = Bytes(sent.0 as u32);
    }

    /// One increase; false when it changed nothing.
    #[inline]
    fn climb(&mut self, line: f64, rules: &impl Rules) -> bool {
        let previous_rates = (self.current, self.target);
        let rise = rules.rise(self.time_stage, self.byte_stage);
        self.target = (self.target + rise).min(line);
        self.current = (self.current + self.target) / 2.0;
        previous_rates != (self.current, self.target)
    }
}

/// Number of expiries from `stage` on with the same rise: they change nothing if one of them changes nothing.
fn count_equal_expiries(stage: u32, threshold: u32) -> u64 {
    match stage.cmp(&threshold) {
        Ordering::Less => u64::from(threshold - stage),
        // Stage counters saturate at the largest number, and never exceed a threshold that large.
        Ordering::Equal if stage < u32::MAX => 1,
        Ordering::Equal | Ordering::Greater => u64::MAX,
    }
}

fn add_expiries(stage: u32, times: u64) -> u32 {
    stage.saturating_add(u32::try_from(times).unwrap_or(u32::MAX))
}
