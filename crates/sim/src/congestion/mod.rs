//! Congestion control of a queue pair: how fast the next frame may follow. An algorithm is a file here.
//!
//! [`Parameters`] is what a scenario says, [`Prepared`] what is computed from it once, [`Algorithm`] one queue pair.

mod algorithm;
pub mod dcqcn;
pub mod dcqcn_broadcom;
pub mod dcqcn_nvidia;
pub mod dctcp;
pub mod hpcc;
mod increase;
pub mod line_rate;
mod moving_average;
pub mod nscc;
pub mod rccc;
pub mod swift;
pub mod timely;

use crate::ids::PortId;
use crate::problem::{Problem, Refused};
use crate::schema::{self, ranges};
use crate::time::{Picoseconds, SECOND};
pub use algorithm::{Algorithm, Prepared};
use dcqcn_broadcom::Mode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Display;
use std::sync::{Arc, OnceLock};

/// The algorithms there are, by the names that scenarios have for them.
pub const NAMES: [&str; 11] = [
    "line-rate",
    "dcqcn",
    "dcqcn-nvidia",
    "dcqcn-p",
    "dcqcn-d",
    "dctcp",
    "timely",
    "swift",
    "hpcc",
    "nscc",
    "rccc",
];

/// What a switch writes into a packet as it leaves (SIGCOMM 2019, "HPCC", section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hop {
    /// The egress port.
    pub port: PortId,
    /// What waits in it after the packet, bytes.
    pub queue_bytes: u32,
    /// When the packet left.
    pub time: Picoseconds,
    /// What the port sent before it, bytes on the link.
    pub sent_bytes: u64,
    /// Bits per second of the port.
    pub rate: u64,
}

/// What an acknowledgement tells a sender. Packets are those of writes and sends; a packet counts as a full one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ack<'a> {
    /// When it arrived.
    pub now: Picoseconds,
    /// Bytes that were not acknowledged before.
    pub bytes: u32,
    /// Everything before this packet has arrived, and the packet to be sent next.
    pub until: u32,
    /// See `until`.
    pub next: u32,
    /// Packets still outstanding.
    pub outstanding: u32,
    /// From the start of the packet that it acknowledges to its own arrival, if that is known.
    pub rtt: Option<Picoseconds>,
    /// The packet that it acknowledges, or one before, was marked.
    pub marked: bool,
    /// What the switches wrote into that packet.
    pub hops: &'a [Hop],
    /// What the receiver asks of the sender's window.
    pub penalty: Penalty,
}

/// What a receiver that cannot keep up asks of the windows of its senders: the flow control of the destination, Ultra Ethernet
/// Specification 1.0, section 3.6.13.2. Nothing, unless it says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Penalty {
    /// 128ths of what this acknowledges, by which the window becomes smaller (`Rcv_Cwnd_Pend`); 0 = it does not.
    pub rcv_cwnd_pend: u8,
    /// Once there is no penalty any more, the window is again what it was before (`pds.ack_cc_state.rc`).
    pub restore_cwnd: bool,
}

/// A loss as a sender hears of it; `next` is the packet to be sent next when it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// A negative acknowledgement: packet `until` is missing.
    Gap {
        /// The packet that is missing.
        until: u32,
        /// The packet that would have been next.
        next: u32,
    },
    /// A switch trimmed a packet: its header alone arrived.
    Trimmed {
        /// The packet.
        psn: u32,
        /// The packet that would have been next.
        next: u32,
        /// Packets still outstanding.
        outstanding: u32,
        /// By the switch that the receiver is cabled to.
        last_hop: bool,
    },
    /// Nothing came in time.
    Timeout {
        /// The packet that would have been next.
        next: u32,
    },
}

/// What an algorithm hears of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feedback {
    /// CNPs, or marks echoed in ACKs if the notification point is set so.
    Notifications,
    /// Every ACK, with the mark it echoes and the time its packet took.
    Acks,
    /// The same, and what switches wrote into the packet, in a header of so many bytes.
    Telemetry {
        /// In every data packet and ACK.
        header_bytes: u32,
    },
}

/// Bits per second that a window of `bytes` comes to; the line, which has `line` of them, carries no more.
fn window_rate(bytes: f64, rtt: Picoseconds, line: f64) -> Option<f64> {
    (rtt > 0).then(|| (bytes * 8.0 * SECOND as f64 / rtt as f64).min(line))
}

/// The reaction point of one queue pair.
///
/// Calls come in the order of simulated time, which stays below [`crate::time::NEVER`]. An algorithm keeps no timers
/// in the event queue: it brings itself up to date with what elapsed whenever it is called, so additional calls
/// change nothing. What is due at the time of a call happens before the call.
pub trait CongestionControl {
    /// The rate that paces the frame about to be sent, bits per second; `None` while no limiter stands (line rate).
    #[inline]
    fn rate(&mut self, now: Picoseconds) -> Option<f64> {
        self.peek(now)
    }

    /// A data frame of `bytes` starts on the link.
    #[inline]
    fn on_sent(&mut self, _now: Picoseconds, _bytes: u32) {}

    /// A congestion notification arrived.
    #[inline]
    fn on_cnp(&mut self, _now: Picoseconds) {}

    /// An acknowledgement arrived; only algorithms with the [`Feedback`] of ACKs are called.
    fn on_ack(&mut self, _ack: &Ack) {}

    /// Something was lost; only algorithms with the [`Feedback`] of ACKs are called.
    fn on_loss(&mut self, _now: Picoseconds, _loss: Loss) {}

    /// No more bytes than this may be outstanding, but always one packet; `None` = any number.
    fn window(&self) -> Option<f64> {
        None
    }

    /// Bytes that may be sent, on the link; below zero by less than a packet. Nothing is sent while it is not above. `None` =
    /// nobody has to grant any.
    fn credit(&self) -> Option<i64> {
        None
    }

    /// A receiver has granted `granted` bytes since the beginning.
    fn on_credit(&mut self, _granted: u64) {}

    /// A packet of so many bytes on the link takes its credit.
    fn spend(&mut self, _bytes: u32) {}

    /// What a receiver is asked to have granted since the beginning, where so many bytes wait to be sent.
    fn credit_target(&self, _backlog: u64) -> u64 {
        0
    }

    /// What `rate` would say, changing nothing.
    fn peek(&self, _now: Picoseconds) -> Option<f64> {
        None
    }

    /// What it comes to, bits per second, where a window paces instead of a rate: for time series.
    fn throughput(&self, now: Picoseconds) -> Option<f64> {
        self.peek(now)
    }

    /// The congestion estimate, 0 to 1, where the algorithm has one and a limiter stands: for time series.
    fn alpha(&self, _now: Picoseconds) -> Option<f64> {
        None
    }
}

/// Which algorithm runs, and its parameters. What a scenario leaves out has its published value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "algorithm", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(rename = "Congestion")]
pub enum Parameters {
    /// No congestion control.
    // The braces make serde refuse unknown fields here as well.
    LineRate {},
    /// DCQCN as published.
    Dcqcn(dcqcn::Parameters),
    /// DCQCN as NVIDIA firmware has it.
    DcqcnNvidia(dcqcn_nvidia::Parameters),
    /// DCQCN-P of Broadcom's adapters, as a model of ours.
    DcqcnP(dcqcn_broadcom::Parameters),
    /// DCQCN-D of Broadcom's adapters, as a model of ours.
    DcqcnD(dcqcn_broadcom::Parameters),
    /// DCTCP.
    Dctcp(dctcp::Parameters),
    /// TIMELY.
    Timely(timely::Parameters),
    /// Swift-like delay control.
    Swift(swift::Parameters),
    /// HPCC.
    Hpcc(hpcc::Parameters),
    /// NSCC of Ultra Ethernet.
    Nscc(nscc::Parameters),
    /// RCCC of Ultra Ethernet.
    Rccc(rccc::Parameters),
}

impl Parameters {
    /// Refuses what no queue pair can run with. `place` is where the parameters stand in the scenario, `line_rate_bps`
    /// the rate of the slowest sending port.
    pub fn check(&self, place: &str, line_rate_bps: u64) -> Result<(), Refused> {
        let mut checks = Checks {
            place,
            problems: ranges::problems(form(), self, place),
        };
        match self {
            Parameters::Dcqcn(parameters) => parameters.check(&mut checks, line_rate_bps),
            Parameters::DcqcnNvidia(parameters) => parameters.check(&mut checks, line_rate_bps),
            Parameters::DcqcnP(parameters) | Parameters::DcqcnD(parameters) => {
                parameters.check(&mut checks, line_rate_bps);
            }
            Parameters::Timely(parameters) => parameters.check(&mut checks, line_rate_bps),
            Parameters::Swift(parameters) => parameters.check(&mut checks),
            Parameters::LineRate {}
            | Parameters::Dctcp(_)
            | Parameters::Hpcc(_)
            | Parameters::Nscc(_)
            | Parameters::Rccc(_) => {}
        }
        if checks.problems.is_empty() {
            return Ok(());
        }
        Err(Refused(checks.problems))
    }

    /// What the algorithm hears of the network.
    pub fn feedback(&self) -> Feedback {
        match self {
            Parameters::LineRate {}
            | Parameters::Dcqcn(_)
            | Parameters::DcqcnNvidia(_)
            | Parameters::DcqcnP(_)
            | Parameters::DcqcnD(_) => Feedback::Notifications,
            Parameters::Dctcp(_)
            | Parameters::Timely(_)
            | Parameters::Swift(_)
            | Parameters::Nscc(_)
            | Parameters::Rccc(_) => Feedback::Acks,
            Parameters::Hpcc(parameters) => Feedback::Telemetry {
                header_bytes: parameters.header_bytes,
            },
        }
    }

    /// How many entropy values a queue pair sprays its packets over; 0 = it sprays none.
    pub fn entropy_values(&self) -> u16 {
        match self {
            Parameters::Nscc(parameters) => parameters.path_entropy_size,
            Parameters::Rccc(parameters) => parameters.path_entropy_size,
            _ => 0,
        }
    }

    /// How receivers grant credit to those who send with it; none = nobody waits for any.
    pub fn credit(&self) -> Option<&rccc::Parameters> {
        match self {
            Parameters::Rccc(parameters) => Some(parameters),
            _ => None,
        }
    }

    /// What a receiver that cannot keep up asks of the windows of those that send with it.
    pub(crate) fn penalty(&self) -> Penalty {
        let nscc = match self {
            Parameters::Nscc(it) => Some(it),
            Parameters::Rccc(it) => it.nscc.as_ref(),
            _ => None,
        };
        nscc.map_or(Penalty::default(), nscc::Parameters::penalty)
    }

    /// The RTTs of the longest way that were left to the network to say.
    pub(crate) fn base_rtts(&mut self) -> Vec<&mut Option<u32>> {
        let all = match self {
            Parameters::Nscc(it) => vec![&mut it.config_base_rtt_ns],
            Parameters::Rccc(it) => {
                let nscc = it.nscc.as_mut().map(|it| &mut it.config_base_rtt_ns);
                nscc.into_iter()
                    .chain([&mut it.config_base_rtt_ns])
                    .collect()
            }
            _ => Vec::new(),
        };
        all.into_iter().filter(|it| it.is_none()).collect()
    }

    /// What all queue pairs share, once per scenario; parameters that [`check`](Self::check) refuses may panic here.
    pub fn prepare(&self) -> Prepared {
        match self {
            Parameters::LineRate {} => Prepared::LineRate,
            Parameters::Dcqcn(parameters) => Prepared::Dcqcn(Arc::new(parameters.prepare())),
            Parameters::DcqcnNvidia(parameters) => {
                Prepared::DcqcnNvidia(Arc::new(parameters.prepare()))
            }
            Parameters::DcqcnP(parameters) => {
                Prepared::DcqcnEpochs(Arc::new(parameters.prepare(Mode::Probabilistic)))
            }
            Parameters::DcqcnD(parameters) => {
                Prepared::DcqcnEpochs(Arc::new(parameters.prepare(Mode::Deterministic)))
            }
            Parameters::Dctcp(parameters) => Prepared::Dctcp(Arc::new(parameters.clone())),
            Parameters::Timely(parameters) => Prepared::Timely(Arc::new(parameters.clone())),
            Parameters::Swift(parameters) => Prepared::Swift(Arc::new(parameters.prepare())),
            Parameters::Hpcc(parameters) => Prepared::Hpcc(Arc::new(parameters.clone())),
            Parameters::Nscc(parameters) => Prepared::Nscc(Arc::new(parameters.clone())),
            Parameters::Rccc(parameters) => Prepared::Rccc(Arc::new(parameters.clone())),
        }
    }
}

/// The schema of the parameters.
fn form() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(schema::of::<Parameters>)
}

/// Collects what does not fit, for the algorithms' own checks.
struct Checks<'a> {
    place: &'a str,
    problems: Vec<Problem>,
}

impl Checks<'_> {
    /// Demands `fits` of a parameter.
    fn demand(&mut self, fits: bool, field: &str, found: impl Display, expected: impl Display) {
        if fits {
            return;
        }
        let problem = Problem {
            place: format!("{}.{field}", self.place),
            found: found.to_string(),
            expected: expected.to_string(),
            hint: String::new(),
        };
        let mut noted = self.problems.iter_mut();
        match noted.find(|it| it.place == problem.place) {
            Some(noted) => *noted = problem,
            None => self.problems.push(problem),
        }
    }
}
