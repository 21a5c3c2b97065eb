//! Swift-like delay control: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
//! Datacenter", SIGCOMM 2020, algorithm 1 and section 3.5 (scaling of the target with the window).
//!
//! The window follows the delay of the network: additive increase below the target, multiplicative decrease above it, at most
//! once per RTT. A window below one packet is paced. Not modelled: the second window for the delay in the hosts, which have
//! none in this simulator, and scaling of the target with the number of hops: `base_target_ns` includes the length of the path.

use super::control::{
    window_rate, Ack, AckDriven, CongestionControl, Feedback, Loss, LossDriven, Windowed,
};
use super::definition::{Checks, Definition};
use crate::bytes::Bytes;
use crate::time::{Nanoseconds, Picoseconds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of the sender. The paper names no values; they are those of the htsim simulator (Broadcom's csg-htsim,
/// `sim/swift.cpp`, `SwiftSrc`), which calls most of them guesses, with its names for them. Windows are counted in packets
/// of the path MTU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Swift")]
pub struct Parameters {
    /// Target delay of a large window (20 us: `_base_delay`).
    #[schemars(range(min = 1))]
    pub base_target_ns: Nanoseconds<u32>,
    /// Maximum that is added to the target delay for a small window (100 us: `_fs_range`, five times the base).
    pub fs_range_ns: Nanoseconds<u32>,
    /// Window up to which the maximum is added (0.1: `_fs_min_cwnd`).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fs_min_window_packets: f64,
    /// Window from which nothing is added (100: `_fs_max_cwnd`).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fs_max_window_packets: f64,
    /// Additive increase per RTT (1: `_ai`).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub additive_packets: f64,
    /// Factor of a multiplicative decrease: fraction of the relative excess of the delay over the target, above 0 and
    /// at most 1 (0.8: `_beta`).
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub beta: f64,
    /// Maximum fraction of the window that one decrease removes, above 0 and below 1 (0.5: `_max_mdf`).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub max_mdf: f64,
    /// Initial window (15: `sim/datacenter/main_swift.cpp`).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub initial_window_packets: f64,
    /// Minimum window (0.0025: `_min_cwnd`, 10 bytes of a packet of 4000).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub min_window_packets: f64,
    /// Maximum window (1000: `_max_cwnd`).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_window_packets: f64,
    /// Number of successive timeouts after which the window is set to the minimum (5: `_rtx_reset_threshold`).
    pub retransmit_reset_times: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            base_target_ns: Nanoseconds(20_000),
            fs_range_ns: Nanoseconds(100_000),
            fs_min_window_packets: 0.1,
            fs_max_window_packets: 100.0,
            additive_packets: 1.0,
            beta: 0.8,
            max_mdf: 0.5,
            initial_window_packets: 15.0,
            min_window_packets: 0.0025,
            max_window_packets: 1000.0,
            retransmit_reset_times: 5,
        }
    }
}

/// Values that the queue pairs of a scenario share; times in ps.
#[derive(Debug)]
pub struct Constants {
    parameters: Parameters,
    base: f64,
    range: f64,
    alpha: f64,
    beta: f64,
}

impl Constants {
    /// Section 3.5: `base + max(0, min(alpha / sqrt(w) + beta, range))`. A square root is exact to the last bit (IEEE 754).
    fn target(&self, window: f64) -> f64 {
        let scaled = self.alpha / window.sqrt() + self.beta;
        self.base + scaled.min(self.range).max(0.0)
    }
}

/// The sender of one queue pair.
#[derive(Debug, Clone)]
pub struct Swift {
    constants: Arc<Constants>,
    line: f64,
    packet: f64,
    /// The window, packets.
    window: f64,
    rtt: Picoseconds,
    cut_at: Option<Picoseconds>,
    timeouts: u32,
}

impl Definition for Swift {
    const DESCRIPTION: &'static str = "Delay-based control similar to Swift.";

    type Parameters = Parameters;
    type SharedValues = Constants;
    type State = Box<Self>;

    fn check(parameters: &Parameters, checks: &mut Checks, _line_rate_bps: u64) {
        let (least, most) = (
            parameters.fs_min_window_packets,
            parameters.fs_max_window_packets,
        );
        let range = format!("above fs_min_window_packets, {least}");
        checks.demand(most > least, "fs_max_window_packets", most, range);
        let least = parameters.min_window_packets;
        for (field, packets) in [
            ("max_window_packets", parameters.max_window_packets),
            ("initial_window_packets", parameters.initial_window_packets),
        ] {
            let range = format!("at least min_window_packets, {least}");
            checks.demand(packets >= least, field, packets, range);
        }
    }

    fn feedback(_: &Parameters) -> Feedback {
        Feedback::Acks
    }

    fn prepare(parameters: &Parameters) -> Constants {
        let root = |packets: f64| 1.0 / packets.sqrt();
        let range = Picoseconds::from(parameters.fs_range_ns).as_f64();
        let [small, large] = [
            parameters.fs_min_window_packets,
            parameters.fs_max_window_packets,
        ]
        .map(root);
        let alpha = range / (small - large);
        Constants {
            base: Picoseconds::from(parameters.base_target_ns).as_f64(),
            range,
            alpha,
            beta: -alpha * large,
            parameters: parameters.clone(),
        }
    }

    fn start(constants: Arc<Constants>, line_rate_bps: u64, packet_bytes: Bytes<u32>) -> Box<Self> {
        Box::new(Swift {
            line: line_rate_bps as f64,
            packet: packet_bytes.as_f64(),
            window: constants.parameters.initial_window_packets,
            rtt: Picoseconds::ZERO,
            cut_at: None,
            timeouts: 0,
            constants,
        })
    }
}

impl Swift {
    /// Reduces the window to the fraction `left`, at most once per RTT.
    fn cut(&mut self, now: Picoseconds, left: f64) {
        if self.cut_at.is_some_and(|last| now - last < self.rtt) {
            return;
        }
        self.cut_at = Some(now);
        self.set(self.window * left);
    }

    fn set(&mut self, window: f64) {
        let parameters = &self.constants.parameters;
        let most = parameters.max_window_packets;
        self.window = window.min(most).max(parameters.min_window_packets);
    }
}

impl CongestionControl for Swift {
    /// Below one packet the next packet waits for RTT / window.
    fn peek(&self, _now: Picoseconds) -> Option<f64> {
        if self.window >= 1.0 {
            return None;
        }
        window_rate(self.window * self.packet, self.rtt, self.line)
    }
}

impl AckDriven for Swift {
    fn on_ack(&mut self, ack: &Ack) {
        self.timeouts = 0;
        let Some(rtt) = ack.rtt else { return };
        self.rtt = rtt;
        let constants = Arc::clone(&self.constants);
        let parameters = &constants.parameters;
        let (delay, target) = (rtt.as_f64(), constants.target(self.window));
        if delay < target {
            // An unused window is no evidence of the network (RFC 7661).
            if 2.0 * f64::from(ack.outstanding) + 2.0 < self.window {
                return;
            }
            let acked = ack.bytes.as_f64() / self.packet;
            return self
                .set(self.window + parameters.additive_packets * acked / self.window.max(1.0));
        }
        let left = 1.0 - parameters.beta * (delay - target) / delay;
        self.cut(ack.now, left.max(1.0 - parameters.max_mdf));
    }
}

impl LossDriven for Swift {
    fn on_loss(&mut self, now: Picoseconds, loss: Loss) {
        let parameters = &self.constants.parameters;
        let (left, reset) = (1.0 - parameters.max_mdf, parameters.retransmit_reset_times);
        match loss {
            Loss::Gap { .. } | Loss::Trimmed { .. } => self.timeouts = 0,
            Loss::Timeout { .. } => self.timeouts += 1,
        }
        if reset > 0 && self.timeouts >= reset {
            return self.set(0.0);
        }
        self.cut(now, left);
    }
}

impl Windowed for Swift {
    #[inline]
    fn window(&self) -> Option<f64> {
        Some(self.window * self.packet)
    }

    fn throughput(&self, _now: Picoseconds) -> Option<f64> {
        window_rate(self.window * self.packet, self.rtt, self.line)
    }
}
