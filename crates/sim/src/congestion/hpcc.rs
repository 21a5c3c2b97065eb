//! HPCC: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1.
//!
//! Every switch writes time, bytes sent and queue of the egress port into each packet (in-band telemetry), the ACK returns
//! them, and the sender computes the utilisation of each link from two successive ACKs. Values are exact here; the paper's
//! header has them in 64 bits per hop. Its 42 bytes (section 4.1: five hops) are in every data packet and ACK.
//!
//! Files named are those of the authors' ns-3 model, alibaba-edu's High-Precision-Congestion-Control.

use super::control::{
    window_rate, Ack, CongestionControl, CongestionEstimate, Feedback, Hop, TelemetryDriven,
    Windowed,
};
use super::definition::Definition;
use crate::bytes::Bytes;
use crate::time::{Nanoseconds, Picoseconds, SECOND};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of the sender. The defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Hpcc")]
pub struct Parameters {
    /// Eta: target utilisation of a link (95: section 5.1; `TargetUtil` in `rdma-hw.cc`).
    #[schemars(range(min = 1, max = 100))]
    pub target_percent: u32,
    /// Number of additive steps before the next multiplicative step (5: section 5.1; `MiThresh` in `rdma-hw.cc`). The
    /// authors stated later that their simulations used 0 and that the 5 in the paper is an error
    /// (hpcc-group.github.io, results, settings).
    pub max_stage: u32,
    /// W_AI: additive step per RTT (80: section 5.1; the README of the model uses `--hpai 50`: 50 Mb/s, 81 bytes in T).
    #[schemars(range(min = 1))]
    pub additive_bytes: Bytes<u32>,
    /// T: longest RTT in an idle network (13 us: section 5.1, simulations; `run.py`).
    #[schemars(range(min = 1))]
    pub base_rtt_ns: Nanoseconds<u32>,
    /// Size of the telemetry header in every data packet and ACK (42: section 4.1; `int-header.h`: five hops of 8
    /// bytes, and 2).
    #[schemars(range(min = 0, max = 1000))]
    pub header_bytes: Bytes<u32>,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            target_percent: 95,
            max_stage: 5,
            additive_bytes: Bytes(80),
            base_rtt_ns: Nanoseconds(13_000),
            header_bytes: Bytes(42),
        }
    }
}

/// The sender of one queue pair.
#[derive(Debug, Clone)]
pub struct Hpcc {
    parameters: Arc<Parameters>,
    line: f64,
    /// T, ps.
    rtt: f64,
    /// W and W_c, bytes.
    window: f64,
    reference: f64,
    utilisation: f64,
    stage: u32,
    /// W_c changes with the acknowledgement of a packet after this one.
    updated_until: u32,
    /// Telemetry of the last ACK.
    links: Vec<Hop>,
}

impl Definition for Hpcc {
    const DESCRIPTION: &'static str = "HPCC.";

    type Parameters = Parameters;
    type SharedValues = Parameters;
    type State = Box<Self>;

    fn feedback(parameters: &Parameters) -> Feedback {
        Feedback::Telemetry {
            header_bytes: parameters.header_bytes,
        }
    }

    fn prepare(parameters: &Parameters) -> Parameters {
        parameters.clone()
    }

    fn start(
        parameters: Arc<Parameters>,
        line_rate_bps: u64,
        _packet_bytes: Bytes<u32>,
    ) -> Box<Self> {
        let line = line_rate_bps as f64;
        let rtt = Picoseconds::from(parameters.base_rtt_ns).as_f64();
        let window = line / 8.0 * rtt / SECOND.as_f64();
        Box::new(Hpcc {
            line,
            rtt,
            window,
            reference: window,
            utilisation: 0.0,
            stage: 0,
            updated_until: 0,
            links: Vec::new(),
            parameters,
        })
    }
}

impl Hpcc {
    /// Averages the highest utilisation of a link on the path over one T. False if nothing was measured: the path changed since
    /// the last ACK, or the ACK is older than the last, because ACKs on different paths overtake each other.
    fn measure(&mut self, now: &[Hop]) -> bool {
        let same = now.len() == self.links.len()
            && now.iter().zip(&self.links).all(|(a, b)| a.port == b.port);
        if !same {
            self.links.clear();
            self.links.extend_from_slice(now);
            return false;
        }
        let mut both = now.iter().zip(&self.links);
        if both.any(|(new, old)| new.time <= old.time) {
            return false;
        }
        let (mut fullest, mut elapsed) = (0.0, 0.0);
        for (new, old) in now.iter().zip(&self.links) {
            let time = (new.time - old.time).as_f64();
            let capacity = new.rate as f64 / 8.0 / SECOND.as_f64(); // bytes per ps
            let rate = (new.sent_bytes - old.sent_bytes).as_f64() / time;
            let queue = new.queue_bytes.min(old.queue_bytes).as_f64();
            let full = queue / (capacity * self.rtt) + rate / capacity;
            if full > fullest {
                (fullest, elapsed) = (full, time);
            }
        }
        let part = elapsed.min(self.rtt) / self.rtt;
        self.utilisation = (1.0 - part) * self.utilisation + part * fullest;
        self.links.copy_from_slice(now);
        true
    }

    /// W of algorithm 1; with `update` W_c is set to it.
    fn compute(&mut self, update: bool) {
        let parameters = &*self.parameters;
        let eta = f64::from(parameters.target_percent) / 100.0;
        let step = parameters.additive_bytes.as_f64();
        let multiplicative = self.utilisation >= eta || self.stage >= parameters.max_stage;
        let window = match multiplicative {
            true => self.reference / (self.utilisation / eta) + step,
            false => self.reference + step,
        };
        // The rate is at most line rate, and the window its bandwidth-delay product.
        let most = self.line / 8.0 * self.rtt / SECOND.as_f64();
        self.window = window.min(most).max(step);
        if update {
            self.stage = if multiplicative { 0 } else { self.stage + 1 };
            self.reference = self.window;
        }
    }
}

impl CongestionControl for Hpcc {
    /// R = W / T.
    fn peek(&self, _now: Picoseconds) -> Option<f64> {
        window_rate(self.window, Picoseconds::from_f64(self.rtt), self.line)
    }
}

impl TelemetryDriven for Hpcc {
    fn on_telemetry(&mut self, ack: &Ack, hops: &[Hop]) {
        if hops.is_empty() || !self.measure(hops) {
            return;
        }
        let update = ack.until > self.updated_until;
        self.compute(update);
        if update {
            self.updated_until = ack.next;
        }
    }
}

impl Windowed for Hpcc {
    #[inline]
    fn window(&self) -> Option<f64> {
        Some(self.window)
    }

    fn throughput(&self, now: Picoseconds) -> Option<f64> {
        self.peek(now)
    }
}

impl CongestionEstimate for Hpcc {
    fn alpha(&self, _now: Picoseconds) -> Option<f64> {
        Some(self.utilisation.min(1.0))
    }
}
