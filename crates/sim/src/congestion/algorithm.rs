//! The reaction point of one queue pair, whatever its algorithm.

use super::dcqcn::{self, Dcqcn};
use super::dcqcn_broadcom::{self, DcqcnEpochs};
use super::dcqcn_nvidia::{self, DcqcnNvidia};
use super::dctcp::{self, Dctcp};
use super::hpcc::{self, Hpcc};
use super::line_rate::LineRate;
use super::nscc::{self, Nscc};
use super::rccc::{self, Rccc};
use super::swift::{self, Swift};
use super::timely::{self, Timely};
use super::{Ack, CongestionControl, Loss};
use crate::time::Picoseconds;
use std::sync::Arc;

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
    /// RCCC.
    Rccc(Arc<rccc::Parameters>),
}

impl Prepared {
    /// The reaction point of a new queue pair on a port of `line` bits per second; a full packet has `packet` bytes of
    /// payload.
    pub fn start(&self, line: u64, packet: u32) -> Algorithm {
        match self {
            Prepared::LineRate => Algorithm::LineRate(LineRate),
            Prepared::Dcqcn(shared) => Algorithm::Dcqcn(Dcqcn::new(shared.clone(), line)),
            Prepared::DcqcnNvidia(shared) => {
                Algorithm::DcqcnNvidia(DcqcnNvidia::new(shared.clone(), line))
            }
            Prepared::DcqcnEpochs(shared) => {
                Algorithm::DcqcnEpochs(DcqcnEpochs::new(shared.clone(), line))
            }
            Prepared::Dctcp(shared) => {
                Algorithm::Dctcp(Dctcp::new(shared.clone(), line, packet).into())
            }
            Prepared::Timely(shared) => {
                Algorithm::Timely(Timely::new(shared.clone(), line, packet).into())
            }
            Prepared::Swift(shared) => {
                Algorithm::Swift(Swift::new(shared.clone(), line, packet).into())
            }
            Prepared::Hpcc(shared) => Algorithm::Hpcc(Hpcc::new(shared.clone(), line).into()),
            Prepared::Nscc(shared) => {
                Algorithm::Nscc(Nscc::new(shared.clone(), line, packet).into())
            }
            Prepared::Rccc(shared) => {
                Algorithm::Rccc(Rccc::new(shared.clone(), line, packet).into())
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
    /// RCCC.
    Rccc(Box<Rccc>),
}

// A queue pair's reaction point stays within two cache lines, with room for its neighbours.
const _: () = assert!(std::mem::size_of::<Algorithm>() <= 96);

/// The same call to whichever algorithm it is.
macro_rules! of {
    ($algorithm:expr, $it:ident => $call:expr) => {
        match $algorithm {
            Algorithm::LineRate($it) => $call,
            Algorithm::Dcqcn($it) => $call,
            Algorithm::DcqcnNvidia($it) => $call,
            Algorithm::DcqcnEpochs($it) => $call,
            Algorithm::Dctcp($it) => $call,
            Algorithm::Timely($it) => $call,
            Algorithm::Swift($it) => $call,
            Algorithm::Hpcc($it) => $call,
            Algorithm::Nscc($it) => $call,
            Algorithm::Rccc($it) => $call,
        }
    };
}

impl CongestionControl for Algorithm {
    #[inline]
    fn rate(&mut self, now: Picoseconds) -> Option<f64> {
        of!(self, it => it.rate(now))
    }

    #[inline]
    fn on_sent(&mut self, now: Picoseconds, bytes: u32) {
        of!(self, it => it.on_sent(now, bytes));
    }

    #[inline]
    fn on_cnp(&mut self, now: Picoseconds) {
        of!(self, it => it.on_cnp(now));
    }

    fn on_ack(&mut self, ack: &Ack) {
        of!(self, it => it.on_ack(ack));
    }

    fn on_loss(&mut self, now: Picoseconds, loss: Loss) {
        of!(self, it => it.on_loss(now, loss));
    }

    fn window(&self) -> Option<f64> {
        of!(self, it => it.window())
    }

    fn credit(&self) -> Option<i64> {
        of!(self, it => it.credit())
    }

    fn on_credit(&mut self, granted: u64) {
        of!(self, it => it.on_credit(granted));
    }

    fn spend(&mut self, bytes: u32) {
        of!(self, it => it.spend(bytes));
    }

    fn credit_target(&self, backlog: u64) -> u64 {
        of!(self, it => it.credit_target(backlog))
    }

    fn throughput(&self, now: Picoseconds) -> Option<f64> {
        of!(self, it => it.throughput(now))
    }

    fn peek(&self, now: Picoseconds) -> Option<f64> {
        of!(self, it => it.peek(now))
    }

    fn alpha(&self, now: Picoseconds) -> Option<f64> {
        of!(self, it => it.alpha(now))
    }
}
