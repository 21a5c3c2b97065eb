//! The receives that are posted on a queue pair, and the RNR NAK without one (IBTA volume 1, 9.7.5.2.8).

use crate::time::{Picoseconds, MICROSECOND};
use std::collections::VecDeque;

/// RNR NAK timer field, in units of 10 µs: how long a sender waits (IBTA volume 1, table 45; rdma-core, `ibv_modify_qp(3)`).
const TIMERS: [u64; 32] = [
    65_536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1_024,
    1_536, 2_048, 3_072, 4_096, 6_144, 8_192, 12_288, 16_384, 24_576, 32_768, 49_152,
];

/// Wait of a sender after an RNR NAK with timer code `code`, 0 to 31.
pub(super) fn timer(code: u8) -> Picoseconds {
    TIMERS[usize::from(code & 31)] * 10 * MICROSECOND
}

/// The receives of a queue pair. A message uses one when it begins; the application processes complete messages
/// one after the other, and posts the receive of each again.
#[derive(Debug, Clone)]
pub(super) struct ReceiveQueue {
    posted: u32,
    /// Times at which the used receives are posted again.
    repost_times: VecDeque<Picoseconds>,
    /// Processing time of the application per message, and the end of the current one.
    takes: Picoseconds,
    busy_until: Picoseconds,
    /// The message at this sequence number was refused: packets after it are not a gap.
    pub(super) refused: Option<u32>,
}

impl ReceiveQueue {
    pub(super) fn new(depth: u32, takes: Picoseconds) -> Self {
        ReceiveQueue {
            posted: depth,
            repost_times: VecDeque::new(),
            takes,
            busy_until: Picoseconds::ZERO,
            refused: None,
        }
    }

    /// Whether a message that begins now has a receive.
    pub(super) fn is_posted(&mut self, now: Picoseconds) -> bool {
        while self.repost_times.front().is_some_and(|time| *time <= now) {
            self.repost_times.pop_front();
            self.posted += 1;
        }
        self.posted > 0
    }

    /// A message uses a receive, which is posted.
    pub(super) fn take(&mut self) {
        self.posted -= 1;
        self.refused = None;
    }

    /// A message is complete.
    pub(super) fn complete_message(&mut self, now: Picoseconds) {
        self.busy_until = self.busy_until.max(now) + self.takes;
        self.repost_times.push_back(self.busy_until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::MILLISECOND;

    /// IBTA volume 1, table 45: 0.01 ms for code 1, two codes double it, and 0 is the longest.
    #[test]
    fn timers() {
        let hundredths = |code: u8| timer(code) / (MILLISECOND / 100);
        let rows = [
            (0, 65_536),
            (1, 1),
            (2, 2),
            (12, 64),
            (14, 128),
            (22, 2_048),
            (31, 49_152),
        ];
        for (code, expected) in rows {
            assert_eq!(hundredths(code), expected, "{code}");
        }
        for code in 4..=29 {
            assert_eq!(timer(code + 2), 2 * timer(code), "{code}");
        }
    }

    #[test]
    fn one_after_the_other() {
        let mut receives = ReceiveQueue::new(2, Picoseconds(10));
        for now in [0, 1] {
            assert!(receives.is_posted(Picoseconds(now)));
            receives.take();
            receives.complete_message(Picoseconds(now + 1));
        }
        // Complete at 1 and 2, processed at 11 and 21.
        for (now, is_posted) in [(2, false), (10, false), (11, true)] {
            assert_eq!(receives.is_posted(Picoseconds(now)), is_posted, "{now}");
        }
        receives.take();
        assert!(!receives.is_posted(Picoseconds(20)));
        assert!(receives.is_posted(Picoseconds(21)));
    }
}
