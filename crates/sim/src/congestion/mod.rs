//! Congestion control of a queue pair: how fast the next frame may follow. An algorithm is a file here.

use crate::time::Picoseconds;
use serde::Deserialize;

/// The reaction point of one queue pair.
///
/// Calls come in the order of simulated time. An algorithm keeps no timers in the event queue: it brings itself up to
/// date with what elapsed whenever it is called.
pub trait CongestionControl {
    /// The rate that paces the frame about to be sent, bits per second; `None` while no limiter stands (line rate).
    fn rate(&mut self, now: Picoseconds) -> Option<f64>;

    /// A data frame of `bytes` starts on the link.
    fn on_sent(&mut self, now: Picoseconds, bytes: u32);

    /// A congestion notification arrived.
    fn on_cnp(&mut self, now: Picoseconds);

    /// What `rate` would say, changing nothing: for time series.
    fn peek(&self, now: Picoseconds) -> Option<f64>;
}

/// Which algorithm, with its parameters.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "algorithm", rename_all = "kebab-case")]
pub enum Parameters {
    /// No limiter.
    LineRate,
}
