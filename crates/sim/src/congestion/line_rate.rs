//! No congestion control: every queue pair sends at line rate and ignores notifications. The smallest example.

use super::CongestionControl;
use crate::time::Picoseconds;

/// A queue pair without a rate limiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRate;

impl CongestionControl for LineRate {
    #[inline]
    fn rate(&mut self, _now: Picoseconds) -> Option<f64> {
        None
    }

    #[inline]
    fn on_sent(&mut self, _now: Picoseconds, _bytes: u32) {}

    #[inline]
    fn on_cnp(&mut self, _now: Picoseconds) {}
}
