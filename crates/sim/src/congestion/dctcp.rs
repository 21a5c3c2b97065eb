//! DCTCP as a NIC can run it: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1, and RFC 8257.
//!
//! The receiver echoes each mark in the ACK of the marked packet. The sender keeps a window and cuts it by half of the
//! share of bytes that was marked, at most once per window; slow start and congestion avoidance are TCP's (RFC 5681).
//! The ns-3 model published with HPCC (`rdma-hw.cc`, `HandleAckDctcp`) has a rate instead of the window.

use super::control::{
    window_rate, Ack, AckDriven, CongestionControl, CongestionEstimate, Feedback, Loss, LossDriven,
    Windowed,
};
use super::definition::Definition;
use crate::bytes::Bytes;
use crate::time::Picoseconds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of the sender; windows are counted in packets of the path MTU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Dctcp")]
pub struct Parameters {
    /// Weight of the latest window in alpha, above 0 and at most 1 (1/16: SIGCOMM 2010, section 4; Linux:
    /// `dctcp_shift_g` 4; `run.py` of HPCC: 0.0625).
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub g: f64,
    /// Alpha before the first window (1: RFC 8257, 3.3; Linux's `dctcp_alpha_on_init`, 1024 of 1024).
    #[schemars(range(min = 0, max = 1))]
    pub initial_alpha: f64,
    /// Initial window (10: RFC 6928).
    #[schemars(range(min = 1))]
    pub initial_window_packets: u32,
    /// Minimum window after a mark (2: RFC 5681, equation 4; `dctcp_ssthresh` in `tcp_dctcp.c` of Linux).
    #[schemars(range(min = 1))]
    pub min_window_packets: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            g: 1.0 / 16.0,
            initial_alpha: 1.0,
            initial_window_packets: 10,
            min_window_packets: 2,
        }
    }
}

/// The sender of one queue pair.
#[derive(Debug, Clone)]
pub struct Dctcp {
    parameters: Arc<Parameters>,
    /// Bits per second.
    line: f64,
    packet: f64,
    /// The window, and where slow start ends, bytes.
    window: f64,
    threshold: f64,
    alpha: f64,
    /// The window in which bytes are counted ends with the acknowledgement of this packet.
    counted_until: u32,
    /// No cut before this packet is acknowledged.
    cut_until: u32,
    acknowledged: f64,
    marked: f64,
    rtt: Picoseconds,
}

impl Definition for Dctcp {
    const DESCRIPTION: &'static str = "DCTCP.";

    type Parameters = Parameters;
    type SharedValues = Parameters;
    type State = Box<Self>;

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
        let packet = packet_bytes.as_f64();
        Box::new(Dctcp {
            line: line_rate_bps as f64,
            window: packet * f64::from(parameters.initial_window_packets),
            threshold: f64::INFINITY,
            alpha: parameters.initial_alpha,
            packet,
            counted_until: 0,
            cut_until: 0,
            acknowledged: 0.0,
            marked: 0.0,
            rtt: Picoseconds::ZERO,
            parameters,
        })
    }
}

impl Dctcp {
    /// One packet more per acknowledged packet in slow start, per window in congestion avoidance (RFC 5681, 3.1); only
    /// while the window is what holds the sender back (RFC 7661).
    fn grow(&mut self, ack: &Ack) {
        let full = f64::from(ack.outstanding) * self.packet + ack.bytes.as_f64();
        if 2.0 * full < self.window {
            return;
        }
        let bytes = ack.bytes.as_f64();
        self.window += match self.window < self.threshold {
            true => bytes,
            false => self.packet * bytes / self.window,
        };
    }

    fn cut(&mut self, by: f64, next: u32) {
        let least = self.packet * f64::from(self.parameters.min_window_packets);
        self.window = (self.window * (1.0 - by)).max(least);
        self.threshold = self.window;
        self.cut_until = next;
    }
}

impl CongestionControl for Dctcp {
    fn peek(&self, _now: Picoseconds) -> Option<f64> {
        None
    }
}

impl AckDriven for Dctcp {
    fn on_ack(&mut self, ack: &Ack) {
        let bytes = ack.bytes.as_f64();
        self.acknowledged += bytes;
        if ack.marked {
            self.marked += bytes;
        }
        if let Some(rtt) = ack.rtt {
            self.rtt = rtt;
        }
        if ack.until > self.counted_until && self.acknowledged > 0.0 {
            let share = self.marked / self.acknowledged;
            let g = self.parameters.g;
            self.alpha = (1.0 - g) * self.alpha + g * share;
            self.acknowledged = 0.0;
            self.marked = 0.0;
            self.counted_until = ack.next;
        }
        if !ack.marked {
            return self.grow(ack);
        }
        if ack.until > self.cut_until {
            self.cut(self.alpha / 2.0, ack.next);
        }
    }
}

impl LossDriven for Dctcp {
    /// RFC 5681, 3.1 and 3.2: half of the window at a gap, a packet at a timeout.
    fn on_loss(&mut self, _now: Picoseconds, loss: Loss) {
        match loss {
            Loss::Gap { until, next }
            | Loss::Trimmed {
                psn: until, next, ..
            } => {
                if until >= self.cut_until {
                    self.cut(0.5, next);
                }
            }
            Loss::Timeout { next } => {
                self.cut(0.5, next);
                self.window = self.packet;
            }
        }
    }
}

impl Windowed for Dctcp {
    #[inline]
    fn window(&self) -> Option<f64> {
        Some(self.window)
    }

    fn throughput(&self, _now: Picoseconds) -> Option<f64> {
        window_rate(self.window, self.rtt, self.line)
    }
}

impl CongestionEstimate for Dctcp {
    fn alpha(&self, _now: Picoseconds) -> Option<f64> {
        Some(self.alpha)
    }
}
