//! RCCC, the receiver's congestion control of Ultra Ethernet: Ultra Ethernet Specification 1.0, section 3.6.14 (receiver
//! credit congestion control), after EQDS (Olteanu et al., "An edge-queued datagram service for all datacenter traffic",
//! NSDI 2022). With `nscc` a sender is limited by both.
//!
//! A receiver grants credit to all senders in round-robin order that request it, no faster than its link rate; a sender sends only
//! while it has credit, and every packet states the wanted amount (`credit_target`, table 3-34). This file is the sender,
//! [`crate::devices::credits`] the receivers and the credit frames.
//!
//! The initial credit, requests and grants follow the consortium's model (uet-htsim, `htsim/sim/uec.cpp`:
//! `startConnection`, `computePullTarget`, `stopSpeculating`, `handlePull`), as do the constants. Differences: credit counts
//! bytes, not units of 256; a sender without data receives no credit in advance, and requests it when it has data.

use super::control::{
    Ack, CongestionControl, Feedback, Loss, LossDriven, Penalty, PenaltyDriven, Windowed,
};
use super::definition::{Definition, UltraEthernet};
use super::nscc::{self, Nscc};
use super::receiver_driven::{GrantParameters, Grants, ReceiverDriven};
use crate::bytes::Bytes;
use crate::time::{Nanoseconds, Picoseconds, SECOND};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of senders, and of the receivers that grant them credit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Rccc")]
pub struct Parameters {
    /// RTT of the longest path in an idle network. null: computed from the network.
    #[schemars(range(min = 1))]
    pub config_base_rtt_ns: Option<Nanoseconds<u32>>,
    /// Data that is sent before the first credit arrives, and maximum requested credit, in bandwidth-delay products
    /// (1.5: `_configured_maxwnd` in `uec.h` of uet-htsim).
    #[schemars(range(max = 1_000), extend("exclusiveMinimum" = 0))]
    pub max_wnd_bdp: f64,
    /// Credit granted to a sender in one round, in full packets (1: `_credit_per_pull` in `uec.cpp` of uet-htsim).
    #[schemars(range(min = 1, max = 1000))]
    pub credit_packets: u32,
    /// Fraction of its link rate that a receiver grants, above 0 and at most 1 (0.99: `pull_rate_modifier` in `uec.cpp`
    /// of uet-htsim).
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub credit_rate: f64,
    /// Time after which a sender without credit repeats its request (100 us: `DEFAULT_UEC_RTO_MIN` in `uec.h` of
    /// uet-htsim).
    #[schemars(range(min = 1))]
    pub credit_timeout_ns: Nanoseconds<u32>,
    /// Number of entropy values that the packets of a queue pair use in turn (64: `path_entropy_size` in `main_uec.cpp`
    /// of uet-htsim), also with `nscc`.
    #[schemars(range(min = 1, max = 16_384))]
    pub path_entropy_size: u16,
    /// Parameters of NSCC, whose window limits the sender in addition to the credit. null: credit only.
    pub nscc: Option<nscc::Parameters>,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            config_base_rtt_ns: None,
            max_wnd_bdp: 1.5,
            credit_packets: 1,
            credit_rate: 0.99,
            credit_timeout_ns: Nanoseconds(100_000),
            path_entropy_size: 64,
            nscc: None,
        }
    }
}

impl Parameters {
    /// From the receiver of a request to the sender and back, without queueing delay.
    pub(crate) fn base_rtt(&self) -> Picoseconds {
        self.config_base_rtt_ns
            .unwrap_or(nscc::REFERENCE_RTT)
            .into()
    }
}

/// The sender of one queue pair. Amounts are bytes on the link.
#[derive(Debug, Clone)]
pub struct Rccc {
    /// Maximum request, bytes.
    most: Bytes<i64>,
    credit: Bytes<i64>,
    /// Bytes granted since the beginning, as far as the sender has received grants.
    granted: Bytes,
    /// Nothing has arrived from the receiver yet: the credit is the initial credit of every sender.
    speculating: bool,
    packet: Bytes<i64>,
    window: Option<Nscc>,
}

impl Definition for Rccc {
    const DESCRIPTION: &'static str = "RCCC of Ultra Ethernet.";

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
        Box::new(Rccc::new(parameters, line_rate_bps, packet_bytes))
    }
}

impl UltraEthernet for Rccc {
    fn entropy_values(parameters: &Parameters) -> u16 {
        parameters.path_entropy_size
    }

    fn penalty(parameters: &Parameters) -> Penalty {
        let nscc = parameters.nscc.as_ref();
        nscc.map_or(Penalty::default(), nscc::Parameters::penalty)
    }

    fn base_rtts(parameters: &mut Parameters) -> Vec<&mut Option<Nanoseconds<u32>>> {
        let nscc = parameters.nscc.as_mut();
        let nscc = nscc.map(|nscc| &mut nscc.config_base_rtt_ns);
        let rtts = nscc.into_iter().chain([&mut parameters.config_base_rtt_ns]);
        rtts.collect()
    }
}

impl Grants for Rccc {
    fn grant_parameters(parameters: &Parameters) -> GrantParameters {
        GrantParameters {
            packets: parameters.credit_packets,
            rate: parameters.credit_rate,
            timeout: parameters.credit_timeout_ns.into(),
            base_rtt: parameters.base_rtt(),
        }
    }
}

impl Rccc {
    pub(super) fn new(
        parameters: Arc<Parameters>,
        line_rate_bps: u64,
        packet_bytes: Bytes<u32>,
    ) -> Self {
        let line = line_rate_bps as f64 / 8.0 / SECOND.as_f64();
        let in_flight = line * parameters.base_rtt().as_f64();
        let packet = packet_bytes.widen::<i64>();
        let most = Bytes((parameters.max_wnd_bdp * in_flight) as i64).max(packet);
        let nscc = parameters.nscc.clone().map(Arc::new);
        Rccc {
            most,
            credit: most,
            granted: Bytes(0),
            speculating: true,
            packet,
            window: nscc.map(|nscc| Nscc::new(nscc, line_rate_bps, packet_bytes)),
        }
    }

    /// The receiver has answered: from now on its grants limit the sender.
    fn stop_speculating(&mut self) {
        if std::mem::take(&mut self.speculating) {
            self.credit = self.credit.min(Bytes(0));
        }
    }
}

impl CongestionControl for Rccc {
    fn peek(&self, _now: Picoseconds) -> Option<f64> {
        None
    }
}

impl PenaltyDriven for Rccc {
    fn on_penalty(&mut self, ack: &Ack, penalty: Penalty) {
        if let Some(window) = &mut self.window {
            window.on_penalty(ack, penalty);
        }
    }
}

impl LossDriven for Rccc {
    fn on_loss(&mut self, now: Picoseconds, loss: Loss) {
        if matches!(loss, Loss::Trimmed { .. }) {
            self.stop_speculating();
        }
        let Some(window) = &mut self.window else {
            return;
        };
        match loss {
            // Congestion of the receiver's link is controlled by the receiver (section 3.6.13.5, NSCC.OnNACK).
            Loss::Trimmed { last_hop: true, .. } => window.note_trim(now),
            _ => window.on_loss(now, loss),
        }
    }
}

impl Windowed for Rccc {
    fn window(&self) -> Option<f64> {
        self.window.as_ref()?.window()
    }

    fn throughput(&self, now: Picoseconds) -> Option<f64> {
        self.window.as_ref()?.throughput(now)
    }
}

impl ReceiverDriven for Rccc {
    fn credit(&self) -> Bytes<i64> {
        self.credit
    }

    fn on_credit(&mut self, granted: Bytes) {
        self.stop_speculating();
        // A grant that was overtaken has a lower total than the last one.
        let more = granted.saturating_sub(self.granted);
        self.credit += Bytes(more.0 as i64);
        self.granted += more;
    }

    fn spend(&mut self, bytes: Bytes<u32>) {
        self.credit -= bytes.widen();
    }

    fn credit_target(&self, backlog: Bytes) -> Bytes {
        let mut wanted = Bytes(backlog.0 as i64).min(self.most);
        if let Some(window) = self.window() {
            wanted = wanted.min(Bytes(window as i64) + self.packet);
        }
        // At least one packet, whatever speculative credit is left; otherwise a short trimmed message would need a request.
        let least = match self.speculating {
            true => wanted.min(self.packet),
            false => Bytes(0),
        };
        self.granted + Bytes((wanted - self.credit).max(least).0 as u64)
    }
}
