//! Congestion control of a queue pair: how fast the next frame may follow. An algorithm is a file here.
//!
//! [`Parameters`] is what a scenario says, [`Prepared`] what is computed from it once, [`Algorithm`] one queue pair.

pub mod dcqcn;
pub mod dcqcn_broadcom;
pub mod dcqcn_nvidia;
pub mod dctcp;
pub mod hpcc;
mod increase;
pub mod line_rate;
mod moving_average;
pub mod nscc;
pub mod swift;
pub mod timely;

use crate::problem::{Problem, Refused};
use crate::telemetry::Hop;
use crate::time::{Picoseconds, SECOND};
use dcqcn::Dcqcn;
use dcqcn_broadcom::{DcqcnEpochs, Mode};
use dcqcn_nvidia::DcqcnNvidia;
use dctcp::Dctcp;
use hpcc::Hpcc;
use line_rate::LineRate;
use nscc::Nscc;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::sync::Arc;
use swift::Swift;
use timely::Timely;

/// The algorithms there are, by the names that scenarios have for them.
pub const NAMES: [&str; 10] = [
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
];

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

/// Bits per second of `bytes` in `time`.
fn per_second(bytes: f64, time: Picoseconds) -> Option<f64> {
    (time > 0).then(|| bytes * 8.0 * SECOND as f64 / time as f64)
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

    /// What `rate` would say, changing nothing.
    fn peek(&self, now: Picoseconds) -> Option<f64>;

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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "algorithm", rename_all = "kebab-case", deny_unknown_fields)]
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
}

impl Parameters {
    /// Refuses what no queue pair can run with. `place` is where the parameters stand in the scenario, `line_rate_bps`
    /// the rate of the slowest sending port.
    pub fn check(&self, place: &str, line_rate_bps: u64) -> Result<(), Refused> {
        let mut checks = Checks {
            place,
            problems: Vec::new(),
        };
        match self {
            Parameters::LineRate {} => {}
            Parameters::Dcqcn(parameters) => parameters.check(&mut checks, line_rate_bps),
            Parameters::DcqcnNvidia(parameters) => parameters.check(&mut checks, line_rate_bps),
            Parameters::DcqcnP(parameters) | Parameters::DcqcnD(parameters) => {
                parameters.check(&mut checks, line_rate_bps);
            }
            Parameters::Dctcp(parameters) => parameters.check(&mut checks),
            Parameters::Timely(parameters) => parameters.check(&mut checks, line_rate_bps),
            Parameters::Swift(parameters) => parameters.check(&mut checks),
            Parameters::Hpcc(parameters) => parameters.check(&mut checks),
            Parameters::Nscc(parameters) => parameters.check(&mut checks),
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
            | Parameters::Nscc(_) => Feedback::Acks,
            Parameters::Hpcc(parameters) => Feedback::Telemetry {
                header_bytes: parameters.header_bytes,
            },
        }
    }

    /// How many entropy values a queue pair sprays its packets over; 0 = it sprays none.
    pub fn entropy_values(&self) -> u16 {
        match self {
            Parameters::Nscc(parameters) => parameters.path_entropy_size,
            _ => 0,
        }
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
        }
    }
}

/// Parameters as the queue pairs of a scenario share them.
#[derive(Debug, Clone)]
pub enum Prepared {
    /// No congestion control.
    LineRate,
    /// DCQCN as published.
    Dcqcn(Arc<dcqcn::Constants>),
    /// DCQCN as NVIDIA firmware has it.
    DcqcnNvidia(Arc<dcqcn_nvidia::Constants>),
    /// DCQCN-P or DCQCN-D.
    DcqcnEpochs(Arc<dcqcn_broadcom::Constants>),
    /// DCTCP.
    Dctcp(Arc<dctcp::Parameters>),
    /// TIMELY.
    Timely(Arc<timely::Parameters>),
    /// Swift-like delay control.
    Swift(Arc<swift::Constants>),
    /// HPCC.
    Hpcc(Arc<hpcc::Parameters>),
    /// NSCC.
    Nscc(Arc<nscc::Parameters>),
}

impl Prepared {
    /// The reaction point of a new queue pair on a port of `line_rate_bps`; a full packet has `packet_bytes` of payload.
    pub fn start(&self, line_rate_bps: u64, packet_bytes: u32) -> Algorithm {
        match self {
            Prepared::LineRate => Algorithm::LineRate(LineRate),
            Prepared::Dcqcn(constants) => {
                Algorithm::Dcqcn(Dcqcn::new(Arc::clone(constants), line_rate_bps))
            }
            Prepared::DcqcnNvidia(constants) => {
                Algorithm::DcqcnNvidia(DcqcnNvidia::new(Arc::clone(constants), line_rate_bps))
            }
            Prepared::DcqcnEpochs(constants) => {
                Algorithm::DcqcnEpochs(DcqcnEpochs::new(Arc::clone(constants), line_rate_bps))
            }
            Prepared::Dctcp(shared) => {
                Algorithm::Dctcp(Dctcp::new(Arc::clone(shared), packet_bytes).into())
            }
            Prepared::Timely(shared) => {
                let it = Timely::new(Arc::clone(shared), line_rate_bps, packet_bytes);
                Algorithm::Timely(it.into())
            }
            Prepared::Swift(shared) => {
                let it = Swift::new(Arc::clone(shared), line_rate_bps, packet_bytes);
                Algorithm::Swift(it.into())
            }
            Prepared::Hpcc(shared) => {
                Algorithm::Hpcc(Hpcc::new(Arc::clone(shared), line_rate_bps).into())
            }
            Prepared::Nscc(shared) => {
                let it = Nscc::new(Arc::clone(shared), line_rate_bps, packet_bytes);
                Algorithm::Nscc(it.into())
            }
        }
    }
}

/// The reaction point of one queue pair, whatever its algorithm.
#[derive(Debug, Clone)]
pub enum Algorithm {
    /// No congestion control.
    LineRate(LineRate),
    /// DCQCN as published.
    Dcqcn(Dcqcn),
    /// DCQCN as NVIDIA firmware has it.
    DcqcnNvidia(DcqcnNvidia),
    /// DCQCN-P or DCQCN-D.
    DcqcnEpochs(DcqcnEpochs),
    /// DCTCP.
    Dctcp(Box<Dctcp>),
    /// TIMELY.
    Timely(Box<Timely>),
    /// Swift-like delay control.
    Swift(Box<Swift>),
    /// HPCC.
    Hpcc(Box<Hpcc>),
    /// NSCC.
    Nscc(Box<Nscc>),
}

// A queue pair's reaction point stays within two cache lines, with room for its neighbours.
const _: () = assert!(std::mem::size_of::<Algorithm>() <= 96);

impl CongestionControl for Algorithm {
    #[inline]
    fn rate(&mut self, now: Picoseconds) -> Option<f64> {
        match self {
            Algorithm::LineRate(it) => it.rate(now),
            Algorithm::Dcqcn(it) => it.rate(now),
            Algorithm::DcqcnNvidia(it) => it.rate(now),
            Algorithm::DcqcnEpochs(it) => it.rate(now),
            Algorithm::Dctcp(it) => it.rate(now),
            Algorithm::Timely(it) => it.rate(now),
            Algorithm::Swift(it) => it.rate(now),
            Algorithm::Hpcc(it) => it.rate(now),
            Algorithm::Nscc(it) => it.rate(now),
        }
    }

    #[inline]
    fn on_sent(&mut self, now: Picoseconds, bytes: u32) {
        match self {
            Algorithm::LineRate(it) => it.on_sent(now, bytes),
            Algorithm::Dcqcn(it) => it.on_sent(now, bytes),
            Algorithm::DcqcnNvidia(it) => it.on_sent(now, bytes),
            Algorithm::DcqcnEpochs(it) => it.on_sent(now, bytes),
            Algorithm::Dctcp(it) => it.on_sent(now, bytes),
            Algorithm::Timely(it) => it.on_sent(now, bytes),
            Algorithm::Swift(it) => it.on_sent(now, bytes),
            Algorithm::Hpcc(it) => it.on_sent(now, bytes),
            Algorithm::Nscc(it) => it.on_sent(now, bytes),
        }
    }

    #[inline]
    fn on_cnp(&mut self, now: Picoseconds) {
        match self {
            Algorithm::LineRate(it) => it.on_cnp(now),
            Algorithm::Dcqcn(it) => it.on_cnp(now),
            Algorithm::DcqcnNvidia(it) => it.on_cnp(now),
            Algorithm::DcqcnEpochs(it) => it.on_cnp(now),
            Algorithm::Dctcp(it) => it.on_cnp(now),
            Algorithm::Timely(it) => it.on_cnp(now),
            Algorithm::Swift(it) => it.on_cnp(now),
            Algorithm::Hpcc(it) => it.on_cnp(now),
            Algorithm::Nscc(it) => it.on_cnp(now),
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        match self {
            Algorithm::LineRate(_)
            | Algorithm::Dcqcn(_)
            | Algorithm::DcqcnNvidia(_)
            | Algorithm::DcqcnEpochs(_) => {}
            Algorithm::Dctcp(it) => it.on_ack(ack),
            Algorithm::Timely(it) => it.on_ack(ack),
            Algorithm::Swift(it) => it.on_ack(ack),
            Algorithm::Hpcc(it) => it.on_ack(ack),
            Algorithm::Nscc(it) => it.on_ack(ack),
        }
    }

    fn on_loss(&mut self, now: Picoseconds, loss: Loss) {
        match self {
            Algorithm::LineRate(_)
            | Algorithm::Dcqcn(_)
            | Algorithm::DcqcnNvidia(_)
            | Algorithm::DcqcnEpochs(_) => {}
            Algorithm::Dctcp(it) => it.on_loss(now, loss),
            Algorithm::Timely(it) => it.on_loss(now, loss),
            Algorithm::Swift(it) => it.on_loss(now, loss),
            Algorithm::Hpcc(it) => it.on_loss(now, loss),
            Algorithm::Nscc(it) => it.on_loss(now, loss),
        }
    }

    fn window(&self) -> Option<f64> {
        match self {
            Algorithm::LineRate(_)
            | Algorithm::Dcqcn(_)
            | Algorithm::DcqcnNvidia(_)
            | Algorithm::DcqcnEpochs(_) => None,
            Algorithm::Dctcp(it) => it.window(),
            Algorithm::Timely(it) => it.window(),
            Algorithm::Swift(it) => it.window(),
            Algorithm::Hpcc(it) => it.window(),
            Algorithm::Nscc(it) => it.window(),
        }
    }

    fn throughput(&self, now: Picoseconds) -> Option<f64> {
        match self {
            Algorithm::LineRate(_)
            | Algorithm::Dcqcn(_)
            | Algorithm::DcqcnNvidia(_)
            | Algorithm::DcqcnEpochs(_) => self.peek(now),
            Algorithm::Dctcp(it) => it.throughput(now),
            Algorithm::Timely(it) => it.throughput(now),
            Algorithm::Swift(it) => it.throughput(now),
            Algorithm::Hpcc(it) => it.throughput(now),
            Algorithm::Nscc(it) => it.throughput(now),
        }
    }

    fn peek(&self, now: Picoseconds) -> Option<f64> {
        match self {
            Algorithm::LineRate(it) => it.peek(now),
            Algorithm::Dcqcn(it) => it.peek(now),
            Algorithm::DcqcnNvidia(it) => it.peek(now),
            Algorithm::DcqcnEpochs(it) => it.peek(now),
            Algorithm::Dctcp(it) => it.peek(now),
            Algorithm::Timely(it) => it.peek(now),
            Algorithm::Swift(it) => it.peek(now),
            Algorithm::Hpcc(it) => it.peek(now),
            Algorithm::Nscc(it) => it.peek(now),
        }
    }

    fn alpha(&self, now: Picoseconds) -> Option<f64> {
        match self {
            Algorithm::LineRate(it) => it.alpha(now),
            Algorithm::Dcqcn(it) => it.alpha(now),
            Algorithm::DcqcnNvidia(it) => it.alpha(now),
            Algorithm::DcqcnEpochs(it) => it.alpha(now),
            Algorithm::Dctcp(it) => it.alpha(now),
            Algorithm::Timely(it) => it.alpha(now),
            Algorithm::Swift(it) => it.alpha(now),
            Algorithm::Hpcc(it) => it.alpha(now),
            Algorithm::Nscc(it) => it.alpha(now),
        }
    }
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
        self.problems.push(Problem {
            place: format!("{}.{field}", self.place),
            found: found.to_string(),
            expected: expected.to_string(),
            hint: String::new(),
        });
    }
}
