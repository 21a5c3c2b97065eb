//! Congestion control of a queue pair: how fast the next frame may follow. An algorithm is a file here.
//!
//! [`Parameters`] is what a scenario says, [`Prepared`] what is computed from it once, [`Algorithm`] one queue pair.

pub mod dcqcn;
pub mod dcqcn_broadcom;
pub mod dcqcn_nvidia;
mod increase;
pub mod line_rate;
mod moving_average;

use crate::problem::{Problem, Refused};
use crate::time::Picoseconds;
use dcqcn::Dcqcn;
use dcqcn_broadcom::{DcqcnEpochs, Mode};
use dcqcn_nvidia::DcqcnNvidia;
use line_rate::LineRate;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::sync::Arc;

/// The reaction point of one queue pair.
///
/// Calls come in the order of simulated time, which stays below [`crate::time::NEVER`]. An algorithm keeps no timers
/// in the event queue: it brings itself up to date with what elapsed whenever it is called, so additional calls
/// change nothing. What is due at the time of a call happens before the call.
pub trait CongestionControl {
    /// The rate that paces the frame about to be sent, bits per second; `None` while no limiter stands (line rate).
    fn rate(&mut self, now: Picoseconds) -> Option<f64>;

    /// A data frame of `bytes` starts on the link.
    fn on_sent(&mut self, now: Picoseconds, bytes: u32);

    /// A congestion notification arrived.
    fn on_cnp(&mut self, now: Picoseconds);

    /// What `rate` would say, changing nothing: for time series.
    fn peek(&self, now: Picoseconds) -> Option<f64>;

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
        }
        if checks.problems.is_empty() {
            return Ok(());
        }
        Err(Refused(checks.problems))
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
}

impl Prepared {
    /// The reaction point of a new queue pair on a port of `line_rate_bps`.
    pub fn start(&self, line_rate_bps: u64) -> Algorithm {
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
        }
    }

    #[inline]
    fn on_sent(&mut self, now: Picoseconds, bytes: u32) {
        match self {
            Algorithm::LineRate(it) => it.on_sent(now, bytes),
            Algorithm::Dcqcn(it) => it.on_sent(now, bytes),
            Algorithm::DcqcnNvidia(it) => it.on_sent(now, bytes),
            Algorithm::DcqcnEpochs(it) => it.on_sent(now, bytes),
        }
    }

    #[inline]
    fn on_cnp(&mut self, now: Picoseconds) {
        match self {
            Algorithm::LineRate(it) => it.on_cnp(now),
            Algorithm::Dcqcn(it) => it.on_cnp(now),
            Algorithm::DcqcnNvidia(it) => it.on_cnp(now),
            Algorithm::DcqcnEpochs(it) => it.on_cnp(now),
        }
    }

    fn peek(&self, now: Picoseconds) -> Option<f64> {
        match self {
            Algorithm::LineRate(it) => it.peek(now),
            Algorithm::Dcqcn(it) => it.peek(now),
            Algorithm::DcqcnNvidia(it) => it.peek(now),
            Algorithm::DcqcnEpochs(it) => it.peek(now),
        }
    }

    fn alpha(&self, now: Picoseconds) -> Option<f64> {
        match self {
            Algorithm::LineRate(it) => it.alpha(now),
            Algorithm::Dcqcn(it) => it.alpha(now),
            Algorithm::DcqcnNvidia(it) => it.alpha(now),
            Algorithm::DcqcnEpochs(it) => it.alpha(now),
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
