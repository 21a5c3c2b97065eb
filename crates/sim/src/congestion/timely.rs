//! TIMELY: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015, algorithm 1 and the
//! hyperactive increase of section 4.3.
//!
//! One RTT is measured per segment: from its last byte leaving the NIC to its acknowledgement. The rate follows the
//! gradient of the RTT between two thresholds.

use super::control::{Ack, AckDriven, CongestionControl, Feedback};
use super::definition::{Checks, Definition};
use crate::bytes::Bytes;
use crate::time::{Nanoseconds, Picoseconds, SECOND};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of the sender. The defaults are those that others compare with: the ns-3 model published with HPCC
/// (alibaba-edu's High-Precision-Congestion-Control, `rdma-hw.cc` and `run.py`), at 10 Gb/s the paper's. The code that
/// the paper's authors published (`timely-code-snippet.cc`) has the same but for `alpha`, 0.02, and `t_high_ns`, 1 ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Timely")]
pub struct Parameters {
    /// RTT below which the rate always increases (50 us: `TimelyTLow`).
    pub t_low_ns: Nanoseconds<u32>,
    /// RTT above which the rate always decreases (500 us: `TimelyTHigh`).
    pub t_high_ns: Nanoseconds<u32>,
    /// Minimum RTT, by which the gradient is normalised (20 us: `TimelyMinRtt`).
    #[schemars(range(min = 1))]
    pub min_rtt_ns: Nanoseconds<u32>,
    /// Weight of the latest RTT difference, above 0 and at most 1 (0.875: `TimelyAlpha`).
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub alpha: f64,
    /// Factor of the multiplicative decrease, above 0 and at most 1 (0.8: `TimelyBeta`).
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub beta: f64,
    /// Additive increase. null: 1/1000 of the line rate (`run.py`: 10 Mb/s per 10 Gb/s).
    pub delta_bps: Option<u64>,
    /// Number n of successive segments with a falling RTT after which the increase is n times as large (5: algorithm 1;
    /// `run.py`: 50 Mb/s per 10 Gb/s).
    #[schemars(range(min = 1))]
    pub hyperactive_after: u32,
    /// Bytes between two RTT samples (64 KB: section 3.1 states 16 to 64 KB; the authors' code uses this `t_low_ns` for
    /// 64 KB).
    #[schemars(range(min = 1))]
    pub segment_bytes: Bytes<u32>,
    /// Minimum rate. null: 1/100 of the line rate (`MinRate`: 100 Mb/s; `run.py`: 1 Gb/s for links of 50 and 100 Gb/s).
    #[schemars(range(min = 1))]
    pub min_rate_bps: Option<u64>,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            t_low_ns: Nanoseconds(50_000),
            t_high_ns: Nanoseconds(500_000),
            min_rtt_ns: Nanoseconds(20_000),
            alpha: 0.875,
            beta: 0.8,
            delta_bps: None,
            hyperactive_after: 5,
            segment_bytes: Bytes(64_000),
            min_rate_bps: None,
        }
    }
}

/// The sender of one queue pair.
#[derive(Debug, Clone)]
pub struct Timely {
    parameters: Arc<Parameters>,
    line: f64,
    /// Serialization time of a packet on the sender's link, which is not part of an RTT.
    packet_time: f64,
    rate: f64,
    /// RTT of the last segment, ps; and the average difference of successive RTTs.
    previous: Option<f64>,
    difference: f64,
    /// Bytes acknowledged since the last RTT sample.
    bytes: Bytes<u32>,
    /// Successive segments whose RTT did not rise.
    falling: u32,
}

impl Definition for Timely {
    const DESCRIPTION: &'static str = "TIMELY.";

    type Parameters = Parameters;
    type SharedValues = Parameters;
    type State = Box<Self>;

    fn check(parameters: &Parameters, checks: &mut Checks, line_rate_bps: u64) {
        let ordered = parameters.t_low_ns <= parameters.t_high_ns;
        let range = format!("at least t_low_ns, {}", parameters.t_low_ns);
        checks.demand(ordered, "t_high_ns", parameters.t_high_ns, range);
        if let Some(rate) = parameters.min_rate_bps {
            let range = format!("1 to {line_rate_bps}, the line rate");
            checks.demand(rate <= line_rate_bps, "min_rate_bps", rate, range);
        }
    }

    fn feedback(_: &Parameters) -> Feedback {
        Feedback::Acks
    }

    fn prepare(parameters: &Parameters) -> Parameters {
        parameters.clone()
    }

    fn start(
        parameters: Arc<Parameters>,
        line_rate_bps: u64,
        packet_bytes: Bytes<u32>,
    ) -> Box<Self> {
        let line = line_rate_bps as f64;
        Box::new(Timely {
            line,
            packet_time: packet_bytes.as_f64() * 8.0 * SECOND.as_f64() / line,
            rate: line,
            previous: None,
            difference: 0.0,
            bytes: Bytes(0),
            falling: 0,
            parameters,
        })
    }
}

impl Timely {
    /// Algorithm 1; times in ps.
    fn update(&mut self, rtt: f64) {
        let parameters = &*self.parameters;
        let ps = |time: Nanoseconds<u32>| Picoseconds::from(time).as_f64();
        let change = rtt - self.previous.unwrap_or(rtt);
        self.previous = Some(rtt);
        self.difference = (1.0 - parameters.alpha) * self.difference + parameters.alpha * change;
        let gradient = self.difference / ps(parameters.min_rtt_ns);
        let delta = parameters
            .delta_bps
            .map_or(self.line / 1e3, |bps| bps as f64);
        let least = parameters
            .min_rate_bps
            .map_or(self.line / 1e2, |bps| bps as f64);
        if rtt < ps(parameters.t_low_ns) {
            self.falling = 0;
            self.rate += delta;
        } else if rtt > ps(parameters.t_high_ns) {
            self.falling = 0;
            self.rate *= 1.0 - parameters.beta * (1.0 - ps(parameters.t_high_ns) / rtt);
        } else if gradient <= 0.0 {
            self.falling = self.falling.saturating_add(1);
            let times = match self.falling >= parameters.hyperactive_after {
                true => f64::from(parameters.hyperactive_after),
                false => 1.0,
            };
            self.rate += times * delta;
        } else {
            self.falling = 0;
            self.rate *= (1.0 - parameters.beta * gradient).max(0.0);
        }
        self.rate = self.rate.max(least).min(self.line);
    }
}

impl CongestionControl for Timely {
    fn peek(&self, _now: Picoseconds) -> Option<f64> {
        Some(self.rate)
    }
}

impl AckDriven for Timely {
    fn on_ack(&mut self, ack: &Ack) {
        self.bytes = self.bytes.saturating_add(ack.bytes);
        let Some(rtt) = ack.rtt else { return };
        if self.bytes < self.parameters.segment_bytes {
            return;
        }
        self.bytes = Bytes(0);
        self.update((rtt.as_f64() - self.packet_time).max(0.0));
    }
}
