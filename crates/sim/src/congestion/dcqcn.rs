//! DCQCN as published: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3.1,
//! figure 7 (state machine of the reaction point) and section 5 (its constants).
//!
//! Every notification cuts the rate at once and starts all timers anew.

use super::control::{CongestionControl, CongestionEstimate, NotificationDriven};
use super::definition::{Checks, Definition};
use super::increase::{Increase, Rules};
use super::moving_average::MovingAverage;
use crate::bytes::Bytes;
use crate::time::{Nanoseconds, Picoseconds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of the reaction point. The defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Dcqcn")]
pub struct Parameters {
    /// Period after which alpha decays if no CNP has arrived (the paper's K: 55 us, longer than the 50 us between
    /// CNPs).
    #[schemars(range(min = 1))]
    pub alpha_timer_ns: Nanoseconds<u32>,
    /// Weight of the latest period in alpha, above 0 and at most 1 (1/256).
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub g: f64,
    /// Increase alpha before the rate is reduced, as in the authors' ns-3 model. The paper uses the previous alpha.
    pub alpha_before_cut: bool,
    /// Interval of the increase timer (55 us).
    #[schemars(range(min = 1))]
    pub increase_timer_ns: Nanoseconds<u32>,
    /// Bytes sent between two increases by the byte counter (10 MB). null: increases by the timer only, and no hyper
    /// increase.
    #[schemars(range(min = 1))]
    pub byte_counter_bytes: Option<Bytes<u32>>,
    /// F: number of increases by timer or byte counter in fast recovery (5).
    pub fast_recovery_times: u32,
    /// R_AI: increase of the target rate in additive increase (40 Mb/s).
    pub rai_bps: u64,
    /// R_HAI: increase of the target rate in hyper increase, once timer and byte counter both exceed F. null: no hyper
    /// increase (the paper states no value for its evaluation).
    pub rhai_bps: Option<u64>,
    /// R_min: minimum rate (40 Mb/s).
    #[schemars(range(min = 1))]
    pub min_rate_bps: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            alpha_timer_ns: Nanoseconds(55_000),
            g: 1.0 / 256.0,
            alpha_before_cut: false,
            increase_timer_ns: Nanoseconds(55_000),
            byte_counter_bytes: Some(Bytes(10_000_000)),
            fast_recovery_times: 5,
            rai_bps: 40_000_000,
            rhai_bps: None,
            min_rate_bps: 40_000_000,
        }
    }
}

/// Values that the queue pairs of a scenario share.
#[derive(Debug)]
pub struct Constants {
    alpha_timer: Picoseconds,
    average: MovingAverage,
    alpha_before_cut: bool,
    increase_timer: Picoseconds,
    byte_counter: Option<Bytes<u32>>,
    fast_recovery_times: u32,
    additive: f64,
    hyper: f64,
    min_rate: f64,
}

impl Rules for Constants {
    #[inline]
    fn timer(&self) -> Picoseconds {
        self.increase_timer
    }

    #[inline]
    fn threshold(&self) -> u32 {
        self.fast_recovery_times
    }

    /// The first F expiries are fast recovery, so that without notifications the (F+1)th is the first additive one,
    /// as in the paper's fluid model.
    #[inline]
    fn rise(&self, time_stage: u32, byte_stage: u32) -> f64 {
        if time_stage.max(byte_stage) < self.fast_recovery_times {
            return 0.0;
        }
        if time_stage.min(byte_stage) > self.fast_recovery_times {
            return self.hyper;
        }
        self.additive
    }
}

/// The reaction point of one queue pair.
#[derive(Debug, Clone)]
pub struct Dcqcn {
    constants: Arc<Constants>,
    line: f64,
    limiter: Option<Limiter>,
}

/// Created by the first notification.
#[derive(Debug, Clone, Copy)]
struct Limiter {
    increase: Increase,
    /// State after the last notification; decay since then is computed when needed.
    alpha: f64,
    /// When the last notification arrived.
    cnp_at: Picoseconds,
}

impl Definition for Dcqcn {
    const DESCRIPTION: &'static str = "DCQCN as published.";

    type Parameters = Parameters;
    type SharedValues = Constants;
    type State = Self;

    fn check(parameters: &Parameters, checks: &mut Checks, line_rate_bps: u64) {
        let fits = parameters.min_rate_bps <= line_rate_bps;
        let range = format!("1 to {line_rate_bps}, the line rate");
        checks.demand(fits, "min_rate_bps", parameters.min_rate_bps, range);
    }

    fn prepare(parameters: &Parameters) -> Constants {
        Constants {
            alpha_timer: parameters.alpha_timer_ns.into(),
            average: MovingAverage::new(parameters.g),
            alpha_before_cut: parameters.alpha_before_cut,
            increase_timer: parameters.increase_timer_ns.into(),
            byte_counter: parameters.byte_counter_bytes,
            fast_recovery_times: parameters.fast_recovery_times,
            additive: parameters.rai_bps as f64,
            hyper: parameters.rhai_bps.unwrap_or(parameters.rai_bps) as f64,
            min_rate: parameters.min_rate_bps as f64,
        }
    }

    fn start(constants: Arc<Constants>, line_rate_bps: u64, _packet_bytes: Bytes<u32>) -> Self {
        Dcqcn {
            constants,
            line: line_rate_bps as f64,
            limiter: None,
        }
    }
}

impl CongestionControl for Dcqcn {
    #[inline]
    fn rate(&mut self, now: Picoseconds) -> Option<f64> {
        let limiter = self.limiter.as_mut()?;
        limiter.increase.elapse(now, self.line, &*self.constants);
        Some(limiter.increase.current)
    }

    fn peek(&self, now: Picoseconds) -> Option<f64> {
        let mut limiter = self.limiter?;
        limiter.increase.elapse(now, self.line, &*self.constants);
        Some(limiter.increase.current)
    }
}

impl NotificationDriven for Dcqcn {
    #[inline]
    fn on_sent(&mut self, now: Picoseconds, bytes: Bytes<u32>) {
        let (Some(limiter), Some(period)) = (&mut self.limiter, self.constants.byte_counter) else {
            return;
        };
        let increase = &mut limiter.increase;
        increase.elapse(now, self.line, &*self.constants);
        increase.send(bytes, period, self.line, &*self.constants);
    }

    #[inline]
    fn on_cnp(&mut self, now: Picoseconds) {
        let limiter = self.limiter.get_or_insert_with(|| Limiter {
            increase: Increase::new(self.line),
            alpha: 1.0,
            cnp_at: now,
        });
        limiter.increase.elapse(now, self.line, &*self.constants);
        limiter.cut(now, &self.constants);
    }
}

impl CongestionEstimate for Dcqcn {
    fn alpha(&self, now: Picoseconds) -> Option<f64> {
        Some(self.limiter?.alpha(now, &self.constants))
    }
}

impl Limiter {
    fn alpha(&self, now: Picoseconds, constants: &Constants) -> f64 {
        let periods = (now - self.cnp_at) / constants.alpha_timer;
        constants.average.after_quiet_periods(self.alpha, periods)
    }

    fn cut(&mut self, now: Picoseconds, constants: &Constants) {
        let alpha = self.alpha(now, constants);
        self.alpha = constants.average.after_notification(alpha);
        self.cnp_at = now;
        let by = if constants.alpha_before_cut {
            self.alpha
        } else {
            alpha
        };
        let rates = &mut self.increase;
        rates.target = rates.current;
        // A port slower than the minimum rate stays at line rate.
        let floor = constants.min_rate.min(rates.current);
        rates.current = (rates.current * (1.0 - by / 2.0)).max(floor);
        rates.restart(now, constants.increase_timer);
    }
}
