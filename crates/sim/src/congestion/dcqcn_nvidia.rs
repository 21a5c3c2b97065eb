//! DCQCN of NVIDIA (Mellanox) firmware, with NVIDIA's parameters: the page "DCQCN CC Parameters" of the DOCA
//! documentation (ConnectX-4 and later), and the behaviour of the public HPCC ns-3 model ("Mellanox's version of
//! DCQCN", `rdma-hw.cc`), which it reproduces when given that model's values.
//!
//! Two periodic checks start at the first notification: every `dce_tcp_rtt` alpha is updated with whether a notification
//! arrived, every `rate_reduce_monitor_period` the rate is cut if one arrived. At equal times the order is alpha, increase,
//! cut.

use super::control::{CongestionControl, CongestionEstimate, NotificationDriven};
use super::definition::{Checks, Definition};
use super::increase::{Increase, Rules};
use super::moving_average::MovingAverage;
use crate::bytes::Bytes;
use crate::time::{Microseconds, Picoseconds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Bits per second of one megabit per second, the unit of NVIDIA's rates.
const MEGABIT: u64 = 1_000_000;
/// Denominator of NVIDIA's fixed-point numbers: parts in 2^10.
const FIXED_POINT_ONE: f64 = 1024.0;

/// NVIDIA's parameters under NVIDIA's names, followed by the unit. Defaults are in brackets. They are the adapter's: those of
/// the DOCA page, and where the page has none, those that `mlxconfig query` shows on an unchanged adapter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "DcqcnNvidia")]
pub struct Parameters {
    /// Every decrease sets the target rate to the current rate (default: off).
    pub clamp_tgt_rate: bool,
    /// A decrease also sets the target rate after an increase by the timer, not only after an increase by the byte
    /// counter (default: on).
    pub clamp_tgt_rate_after_time_inc: bool,
    /// Weight of the previous alpha in each period, in 1024ths (1019). The published g is 1 - dce_tcp_g/1024.
    #[schemars(range(min = 0, max = 1023))]
    pub dce_tcp_g: u32,
    /// Update period of alpha (1 us).
    #[schemars(range(min = 1))]
    pub dce_tcp_rtt_us: Microseconds,
    /// Alpha at the first CNP, in 1024ths (1023: the maximum of NVIDIA; the ns-3 model uses 1024).
    #[schemars(range(min = 0, max = 1024))]
    pub initial_alpha_value: u32,
    /// Period in which the rate can be reduced once (4 us).
    #[schemars(range(min = 1))]
    pub rate_reduce_monitor_period_us: Microseconds,
    /// Current and target rate at the first CNP, before the first decrease. 0: line rate (0).
    pub rate_to_set_on_first_cnp_mbps: u32,
    /// Increase of the target rate in the stage after fast recovery: additive increase (5 Mb/s).
    pub rpg_ai_rate_mbps: u32,
    /// Bytes sent between two increases by the byte counter. 0: increases by the timer only (32767).
    pub rpg_byte_reset_bytes: Bytes<u32>,
    /// Exponent of the decrease: the rate is reduced by alpha/2^(rpg_gd - 10) (11: half of alpha).
    #[schemars(range(min = 0, max = 31))]
    pub rpg_gd: u32,
    /// Increase of the target rate in every later stage: hyper increase (50 Mb/s).
    pub rpg_hai_rate_mbps: u32,
    /// Minimum percentage of the rate that remains after a decrease (50 %).
    #[schemars(range(min = 0, max = 100))]
    pub rpg_min_dec_fac_percent: u32,
    /// Minimum rate (1 Mb/s).
    #[schemars(range(min = 1))]
    pub rpg_min_rate_mbps: u32,
    /// Number of stages of fast recovery (1).
    pub rpg_threshold: u32,
    /// Interval of the increase timer (300 us).
    #[schemars(range(min = 1))]
    pub rpg_time_reset_us: Microseconds,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            clamp_tgt_rate: false,
            clamp_tgt_rate_after_time_inc: true,
            dce_tcp_g: 1019,
            dce_tcp_rtt_us: Microseconds(1),
            initial_alpha_value: 1023,
            rate_reduce_monitor_period_us: Microseconds(4),
            rate_to_set_on_first_cnp_mbps: 0,
            rpg_ai_rate_mbps: 5,
            rpg_byte_reset_bytes: Bytes(32_767),
            rpg_gd: 11,
            rpg_hai_rate_mbps: 50,
            rpg_min_dec_fac_percent: 50,
            rpg_min_rate_mbps: 1,
            rpg_threshold: 1,
            rpg_time_reset_us: Microseconds(300),
        }
    }
}

/// Values that the queue pairs of a scenario share.
#[derive(Debug)]
pub struct Constants {
    clamp: bool,
    clamp_after_time: bool,
    average: MovingAverage,
    alpha_period: Picoseconds,
    initial_alpha: f64,
    cut_period: Picoseconds,
    first_rate: Option<f64>,
    additive: f64,
    hyper: f64,
    byte_reset: Option<Bytes<u32>>,
    cut_scale: f64,
    min_remainder: f64,
    min_rate: f64,
    threshold: u32,
    time_reset: Picoseconds,
}

impl Rules for Constants {
    #[inline]
    fn timer(&self) -> Picoseconds {
        self.time_reset
    }

    #[inline]
    fn threshold(&self) -> u32 {
        self.threshold
    }

    /// With the timer alone this is the ns-3 model's rule.
    /// `rpg_threshold` is "the number of times rpByteStage or rpTimeStage can count before the state machine advances"
    /// (mlx5 driver), so the larger counter decides; how the firmware enters hyper increase is not published.
    #[inline]
    fn rise(&self, time_stage: u32, byte_stage: u32) -> f64 {
        let stage = time_stage.max(byte_stage);
        if stage < self.threshold {
            return 0.0;
        }
        if stage == self.threshold {
            return self.additive;
        }
        self.hyper
    }
}

/// The reaction point of one queue pair.
#[derive(Debug, Clone)]
pub struct DcqcnNvidia {
    constants: Arc<Constants>,
    line: f64,
    limiter: Option<Limiter>,
}

/// Created by the first notification.
#[derive(Debug, Clone, Copy)]
struct Limiter {
    increase: Increase,
    /// Alpha after its period that ended at `alpha_at`; later changes are computed when needed.
    alpha: f64,
    /// End of the last period of alpha before the newest notification.
    alpha_at: Picoseconds,
    /// A notification arrived in the period that follows `alpha_at`.
    has_notification: bool,
    /// A notification arrived since the last check, so the check at `check_at` cuts.
    cut_due: bool,
    /// Time of a check that cuts; the next one while `cut_due`.
    check_at: Picoseconds,
}

impl Definition for DcqcnNvidia {
    const DESCRIPTION: &'static str = "DCQCN with the parameters of NVIDIA firmware.";

    type Parameters = Parameters;
    type SharedValues = Constants;
    type State = Self;

    fn check(parameters: &Parameters, checks: &mut Checks, line_rate_bps: u64) {
        let line = line_rate_bps / MEGABIT;
        let least = parameters.rpg_min_rate_mbps;
        let range = format!("1 to {line}, the line rate");
        let fits = u64::from(least) <= line;
        checks.demand(fits, "rpg_min_rate_mbps", least, range);
        let first = parameters.rate_to_set_on_first_cnp_mbps;
        let range = format!("0, or {least} to {line}, from the minimum to the line rate");
        let fits = first == 0 || (u64::from(least)..=line).contains(&u64::from(first));
        checks.demand(fits, "rate_to_set_on_first_cnp_mbps", first, range);
    }

    fn prepare(parameters: &Parameters) -> Constants {
        let rate = |mbps: u32| (u64::from(mbps) * MEGABIT) as f64;
        Constants {
            clamp: parameters.clamp_tgt_rate,
            clamp_after_time: parameters.clamp_tgt_rate_after_time_inc,
            average: MovingAverage::new(1.0 - f64::from(parameters.dce_tcp_g) / FIXED_POINT_ONE),
            alpha_period: parameters.dce_tcp_rtt_us.into(),
            initial_alpha: f64::from(parameters.initial_alpha_value) / FIXED_POINT_ONE,
            cut_period: parameters.rate_reduce_monitor_period_us.into(),
            first_rate: (parameters.rate_to_set_on_first_cnp_mbps > 0)
                .then(|| rate(parameters.rate_to_set_on_first_cnp_mbps)),
            additive: rate(parameters.rpg_ai_rate_mbps),
            hyper: rate(parameters.rpg_hai_rate_mbps),
            byte_reset: (parameters.rpg_byte_reset_bytes > Bytes(0))
                .then_some(parameters.rpg_byte_reset_bytes),
            cut_scale: FIXED_POINT_ONE / (1_u64 << parameters.rpg_gd) as f64,
            min_remainder: f64::from(parameters.rpg_min_dec_fac_percent) / 100.0,
            min_rate: rate(parameters.rpg_min_rate_mbps),
            threshold: parameters.rpg_threshold,
            time_reset: parameters.rpg_time_reset_us.into(),
        }
    }

    fn start(constants: Arc<Constants>, line_rate_bps: u64, _packet_bytes: Bytes<u32>) -> Self {
        DcqcnNvidia {
            constants,
            line: line_rate_bps as f64,
            limiter: None,
        }
    }
}

impl CongestionControl for DcqcnNvidia {
    #[inline]
    fn rate(&mut self, now: Picoseconds) -> Option<f64> {
        let limiter = self.limiter.as_mut()?;
        limiter.elapse(now, &self.constants, self.line);
        Some(limiter.increase.current)
    }

    fn peek(&self, now: Picoseconds) -> Option<f64> {
        let mut limiter = self.limiter?;
        limiter.elapse(now, &self.constants, self.line);
        Some(limiter.increase.current)
    }
}

impl NotificationDriven for DcqcnNvidia {
    #[inline]
    fn on_sent(&mut self, now: Picoseconds, bytes: Bytes<u32>) {
        let (Some(limiter), Some(period)) = (&mut self.limiter, self.constants.byte_reset) else {
            return;
        };
        limiter.elapse(now, &self.constants, self.line);
        let increase = &mut limiter.increase;
        increase.send(bytes, period, self.line, &*self.constants);
    }

    #[inline]
    fn on_cnp(&mut self, now: Picoseconds) {
        match &mut self.limiter {
            None => self.limiter = Some(Limiter::new(now, &self.constants, self.line)),
            Some(limiter) => {
                limiter.elapse(now, &self.constants, self.line);
                limiter.notice(now, &self.constants);
            }
        }
    }
}

impl CongestionEstimate for DcqcnNvidia {
    fn alpha(&self, now: Picoseconds) -> Option<f64> {
        Some(self.limiter?.alpha(now, &self.constants))
    }
}

impl Limiter {
    /// The first notification counts for the first cut, not for alpha, which it sets.
    fn new(now: Picoseconds, constants: &Constants, line: f64) -> Self {
        Limiter {
            increase: Increase::new(constants.first_rate.map_or(line, |rate| rate.min(line))),
            alpha: constants.initial_alpha,
            alpha_at: now,
            has_notification: false,
            cut_due: true,
            check_at: now.saturating_add(constants.cut_period),
        }
    }

    #[inline]
    fn elapse(&mut self, now: Picoseconds, constants: &Constants, line: f64) {
        if self.cut_due && self.check_at <= now {
            self.increase.elapse(self.check_at, line, constants);
            self.cut(constants);
        }
        self.increase.elapse(now, line, constants);
    }

    fn alpha(&self, now: Picoseconds, constants: &Constants) -> f64 {
        let periods = (now - self.alpha_at) / constants.alpha_period;
        self.alpha_after(periods, constants)
    }

    #[inline]
    fn alpha_after(&self, periods: u64, constants: &Constants) -> f64 {
        if periods == 0 || !self.has_notification {
            return constants.average.after_quiet_periods(self.alpha, periods);
        }
        let alpha = constants.average.after_notification(self.alpha);
        constants.average.after_quiet_periods(alpha, periods - 1)
    }

    #[inline]
    fn notice(&mut self, now: Picoseconds, constants: &Constants) {
        let since = now - self.alpha_at;
        if since >= constants.alpha_period {
            let periods = since / constants.alpha_period;
            self.alpha = self.alpha_after(periods, constants);
            self.alpha_at += periods * constants.alpha_period;
        }
        self.has_notification = true;
        if self.cut_due {
            return;
        }
        self.cut_due = true;
        let checks = (now - self.check_at) / constants.cut_period + 1;
        let ahead = constants.cut_period.saturating_mul(checks);
        self.check_at = self.check_at.saturating_add(ahead);
    }

    fn cut(&mut self, constants: &Constants) {
        let alpha = self.alpha(self.check_at, constants);
        let left = (1.0 - alpha * constants.cut_scale).max(constants.min_remainder);
        let rates = &mut self.increase;
        let clamp = constants.clamp
            || rates.byte_stage > 0
            || (constants.clamp_after_time && rates.time_stage > 0);
        if clamp {
            rates.target = rates.current;
        }
        // A port slower than the minimum rate stays at line rate.
        let floor = constants.min_rate.min(rates.current);
        rates.current = (rates.current * left).max(floor);
        rates.restart(self.check_at, constants.time_reset);
        self.cut_due = false;
    }
}
