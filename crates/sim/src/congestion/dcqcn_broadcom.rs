//! DCQCN-P and DCQCN-D, the two modes of Broadcom's Thor adapters (`cc_mode` 1 and 0), as a model written for this
//! simulator: the firmware's algorithm and its defaults are not published. Published is that both modes share one rate
//! engine and differ in how they compute the level of congestion; P expects marks of a linear probability and few CNPs, D
//! marks above one threshold, as DCTCP does, and a CNP for every marked packet (957608-AN210 and `bnxt_re`'s `configfs.c`,
//! whose names and descriptions the parameters have).
//!
//! The model divides time into epochs of one `rtt`, from the first CNP on. At the end of each, with c CNPs that arrived in it
//! and n packets that were sent,
//!
//! ```text
//! P:  x = 1 if c > 0, else 0          D:  x = min(1, c / n)
//! cp <- cp + 2^-g (x - cp)
//! c > 0:  TR <- CR, if this is one of the first tr_update_cyls such epochs in a row;  CR <- CR (1 - cp / red_div)
//! c = 0:  the n-th quiet epoch in a row is fast recovery up to fr_num_rtts; later TR rises; then CR <- (CR + TR) / 2
//! ```
//!
//! Two defaults differ from DCQCN's paper, whose constants are for 40 Gb/s and packets that wait for microseconds. At
//! 400 Gb/s an incast has put 1 to 8 MB into the queue before the first cut works; as it drains, marked packets keep
//! coming for several epochs, each cuts the rate and, in the paper, the target with it: three senders fall to 3 Gb/s
//! each, have nothing to recover to, and climb by 40 Mb/s at a time. Arista's guide with Broadcom's adapters ("Lossless
//! Network for AI/ML/Storage/HPC with RDMA", version 2) states that their algorithm was enhanced because of issues of the
//! paper's, without details, and that D requires further parameters to be tuned. Therefore
//!
//! * cuts in quick succession leave the target unchanged (`tr_update_cyls`). That the target need not follow
//!   is a choice that the driver has ("target rate update mode", "target rate update cycle"), as NVIDIA has
//!   (`clamp_tgt_rate` off, `clamp_tgt_rate_after_time_inc` on: "DCQCN CC Parameters", defaults), and HPCC's simulator
//!   (`CLAMP_TARGET_RATE 0`, run.py at 08d4ba0, for all of its forms of DCQCN). The numbers are chosen here: the least that keep
//!   a link of 400 Gb/s nine tenths busy under two to four senders, and settle under 64 on such a link;
//! * the rise goes with line rate (`ai_rate_incr`): the driver counts rates by the link ("link bytes per usec", "64B
//!   transmitted in one rtt"), and HPCC's simulator scales that of DCQCN so (`ai = 5 * bw / 25`, the same file).

use super::control::{CongestionControl, CongestionEstimate, NotificationDriven};
use super::definition::{Checks, Definition};
use super::moving_average::MovingAverage;
use crate::bytes::Bytes;
use crate::time::{Microseconds, Picoseconds, NEVER};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Rates are counted in 64 bytes per RTT, as `l64B_per_rtt` is.
const UNIT_BITS: f64 = 64.0 * 8.0;
/// DCQCN's line rate by its R_AI: 40 Gb/s by 40 Mb/s (SIGCOMM 2015, section 5).
const RISES_TO_CAP: f64 = 1000.0;
/// The unit of `init_cp`: parts in 2^10, as NVIDIA's alpha; its width is not published.
const ONE: f64 = 1024.0;

/// Parameters under the names of the driver's configfs, which counts rates in 64 bytes per RTT. No default is
/// published: those here are of published algorithms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "DcqcnBroadcom")]
pub struct Parameters {
    /// "Running average weight": the latest epoch has the weight 2^-g in the congestion probability (4: 1/16 as in
    /// DCTCP).
    // Smaller weights would not move in any run.
    #[schemars(range(max = 16))]
    pub g: u32,
    /// "Round trip time": length of an epoch (40 us: one unit of rate is then 12.8 Mb/s).
    #[schemars(range(min = 1))]
    pub rtt_us: Microseconds,
    /// "64B transmitted in one RTT": maximum rate. 0: line rate.
    #[serde(rename = "l64B_per_rtt")]
    pub l64b_per_rtt: u32,
    /// "Initial congestion probability": value before the first epoch, in 1024ths (1024: corresponds to alpha = 1 of
    /// DCQCN).
    #[schemars(range(min = 0, max = 1024))]
    pub init_cp: u32,
    /// "Initial current rate": current rate at the first CNP. 0: line rate.
    pub init_cr: u32,
    /// "Initial target rate": target rate at the first CNP. 0: line rate.
    pub init_tr: u32,
    /// "Fast recovery RTT": number of epochs without CNP in which the target rate does not increase (5: F of DCQCN).
    pub fr_num_rtts: u32,
    /// "Active increase quanta": increase of the target rate in each later epoch without CNP. 0: 1/1000 of the maximum
    /// rate (0: the ratio of R_AI = 40 Mb/s to 40 Gb/s in DCQCN).
    pub ai_rate_incr: u32,
    /// "First threshold to rise AI": number of epochs without CNP after fast recovery from which the increase is
    /// doubled. 0: never (0: DCQCN has no such phase).
    pub ai_rtt_th1: u32,
    /// "Second threshold to rise AI": number of epochs from which the increase is four times as large. 0: never.
    pub ai_rtt_th2: u32,
    /// "Minimum current rate": minimum rate (3: R_min of DCQCN is 40 Mb/s).
    #[schemars(range(min = 1))]
    pub cr_min_th: u32,
    /// "Reduction divider": the rate is reduced by cp / red_div (2: half of the congestion probability, as in DCQCN and
    /// DCTCP).
    #[schemars(range(min = 1))]
    pub red_div: u32,
    /// "Target rate update cycle": number of successive decreases that set the target rate to the current rate; later
    /// ones do not. 0: the default of the mode, 1 in DCQCN-P and 2 in DCQCN-D. 255: every decrease does, as in DCQCN.
    #[schemars(range(min = 0, max = 255))]
    pub tr_update_cyls: u32,
    /// "Inactivity threshold": a queue pair that has sent nothing for this time restarts with its initial state. 0:
    /// never.
    pub inact_th_us: Microseconds,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            g: 4,
            rtt_us: Microseconds(40),
            l64b_per_rtt: 0,
            init_cp: 1024,
            init_cr: 0,
            init_tr: 0,
            fr_num_rtts: 5,
            ai_rate_incr: 0,
            ai_rtt_th1: 0,
            ai_rtt_th2: 0,
            cr_min_th: 3,
            red_div: 2,
            tr_update_cyls: 0,
            inact_th_us: Microseconds(0),
        }
    }
}

/// How the level of congestion of an epoch is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// DCQCN-P: whether a CNP arrived.
    Probabilistic,
    /// DCQCN-D: the share of the packets that caused a CNP.
    Deterministic,
}

impl Parameters {
    fn check(&self, checks: &mut Checks, line_rate_bps: u64) {
        if self.rtt_us.0 == 0 {
            return; // an empty epoch has no rate
        }
        let line = self.units(line_rate_bps);
        let cap = match self.l64b_per_rtt {
            0 => line,
            units => line.min(u64::from(units)),
        };
        let range = format!("1 to {cap}, line rate in 64 bytes per RTT");
        let fits = u64::from(self.cr_min_th) <= cap;
        checks.demand(fits, "cr_min_th", self.cr_min_th, range);
        for (field, units) in [("init_cr", self.init_cr), ("init_tr", self.init_tr)] {
            let range = format!(
                "0, or {} to {cap}, from the minimum to line rate",
                self.cr_min_th
            );
            let fits = units == 0 || (self.cr_min_th..).contains(&units) && u64::from(units) <= cap;
            checks.demand(fits, field, units, range);
        }
        let target_first = self.init_tr != 0 && self.init_tr < self.init_cr;
        let range = format!("0, or at least init_cr, {}", self.init_cr);
        checks.demand(!target_first, "init_tr", self.init_tr, range);
        let ordered = self.ai_rtt_th2 == 0 || self.ai_rtt_th1 <= self.ai_rtt_th2;
        let range = format!("0, or at least ai_rtt_th1, {}", self.ai_rtt_th1);
        checks.demand(ordered, "ai_rtt_th2", self.ai_rtt_th2, range);
    }

    /// Whole units of 64 bytes per RTT in a rate.
    fn units(&self, rate_bps: u64) -> u64 {
        (rate_bps as f64 * f64::from(self.rtt_us.0) / 1e6 / UNIT_BITS) as u64
    }

    fn prepare(&self, mode: Mode) -> Constants {
        let rate = |units: u32| f64::from(units) * UNIT_BITS * 1e6 / f64::from(self.rtt_us.0);
        let rate_limit = |units: u32| {
            if units == 0 {
                f64::INFINITY
            } else {
                rate(units)
            }
        };
        let beyond = |epochs: u32| match epochs {
            0 => u64::MAX,
            epochs => u64::from(self.fr_num_rtts) + u64::from(epochs),
        };
        Constants {
            mode,
            average: MovingAverage::new(1.0 / f64::from(1_u32 << self.g)),
            epoch: self.rtt_us.into(),
            cap: rate_limit(self.l64b_per_rtt),
            first: rate_limit(self.init_cr),
            first_target: rate_limit(self.init_tr),
            initial: f64::from(self.init_cp) / ONE,
            recovery: u64::from(self.fr_num_rtts),
            rise: (self.ai_rate_incr > 0).then(|| rate(self.ai_rate_incr)),
            twice_after: beyond(self.ai_rtt_th1),
            four_times_after: beyond(self.ai_rtt_th2),
            least: rate(self.cr_min_th),
            divider: f64::from(self.red_div),
            moving: match (self.tr_update_cyls, mode) {
                (0, Mode::Probabilistic) => 1,
                (0, Mode::Deterministic) => 2,
                (cuts, _) => cuts,
            },
            inactive: match self.inact_th_us {
                Microseconds(0) => NEVER,
                time => time.into(),
            },
        }
    }
}

/// Values that the queue pairs of a scenario share.
#[derive(Debug)]
pub struct Constants {
    mode: Mode,
    average: MovingAverage,
    epoch: Picoseconds,
    cap: f64,
    first: f64,
    first_target: f64,
    initial: f64,
    recovery: u64,
    /// `None` = by the highest rate.
    rise: Option<f64>,
    twice_after: u64,
    four_times_after: u64,
    least: f64,
    divider: f64,
    /// Cuts in a row that move the target.
    moving: u32,
    inactive: Picoseconds,
}

impl Constants {
    /// The target's rise in the quiet epoch after `quiet` others.
    fn rise(&self, quiet: u64, cap: f64) -> f64 {
        let once = self.rise.unwrap_or(cap / RISES_TO_CAP);
        match quiet {
            _ if quiet < self.recovery => 0.0,
            _ if quiet >= self.four_times_after => 4.0 * once,
            _ if quiet >= self.twice_after => 2.0 * once,
            _ => once,
        }
    }

    /// The next number of quiet epochs from which on the rise may be another.
    fn same_until(&self, quiet: u64) -> u64 {
        let steps = [self.recovery, self.twice_after, self.four_times_after];
        let later = steps.into_iter().filter(|step| *step > quiet);
        later.min().unwrap_or(u64::MAX)
    }
}

/// DCQCN-P.
#[derive(Debug, Clone, Copy)]
pub struct DcqcnP;

impl Definition for DcqcnP {
    const DESCRIPTION: &'static str =
        "DCQCN-P of Broadcom adapters; the model is this simulator's.";

    type Parameters = Parameters;
    type SharedValues = Constants;
    type State = DcqcnEpochs;

    fn check(parameters: &Parameters, checks: &mut Checks, line_rate_bps: u64) {
        parameters.check(checks, line_rate_bps);
    }

    fn prepare(parameters: &Parameters) -> Constants {
        parameters.prepare(Mode::Probabilistic)
    }

    fn start(shared: Arc<Constants>, line_rate_bps: u64, _packet_bytes: Bytes<u32>) -> DcqcnEpochs {
        DcqcnEpochs::new(shared, line_rate_bps)
    }
}

/// DCQCN-D.
#[derive(Debug, Clone, Copy)]
pub struct DcqcnD;

impl Definition for DcqcnD {
    const DESCRIPTION: &'static str =
        "DCQCN-D of Broadcom adapters; the model is this simulator's.";

    type Parameters = Parameters;
    type SharedValues = Constants;
    type State = DcqcnEpochs;

    fn check(parameters: &Parameters, checks: &mut Checks, line_rate_bps: u64) {
        parameters.check(checks, line_rate_bps);
    }

    fn prepare(parameters: &Parameters) -> Constants {
        parameters.prepare(Mode::Deterministic)
    }

    fn start(shared: Arc<Constants>, line_rate_bps: u64, _packet_bytes: Bytes<u32>) -> DcqcnEpochs {
        DcqcnEpochs::new(shared, line_rate_bps)
    }
}

/// The reaction point of one queue pair.
#[derive(Debug, Clone)]
pub struct DcqcnEpochs {
    constants: Arc<Constants>,
    cap: f64,
    limiter: Option<Limiter>,
}

/// Created by the first notification.
#[derive(Debug, Clone, Copy)]
struct Limiter {
    current: f64,
    target: f64,
    /// The congestion probability after the last epoch with a CNP; decay since then is computed when needed.
    probability: f64,
    /// Successive cuts, with no quiet epoch between them.
    cuts: u32,
    /// Quiet epochs since.
    quiet: u64,
    /// When the current epoch ends.
    ends: Picoseconds,
    /// When the last packet left, or the first CNP arrived.
    active: Picoseconds,
    /// In the current epoch.
    packets: u32,
    notified: u32,
}

impl DcqcnEpochs {
    fn new(constants: Arc<Constants>, line_rate_bps: u64) -> Self {
        let cap = constants.cap.min(line_rate_bps as f64);
        DcqcnEpochs {
            constants,
            cap,
            limiter: None,
        }
    }

    /// The limiter at `now`, if one is active.
    #[inline]
    fn limiter_at(&self, now: Picoseconds) -> Option<Limiter> {
        let mut limiter = self.limiter?;
        if now - limiter.active >= self.constants.inactive {
            return None;
        }
        limiter.elapse(now, self.cap, &self.constants);
        Some(limiter)
    }

    fn first(&self, now: Picoseconds) -> Limiter {
        let constants = &*self.constants;
        Limiter {
            current: constants.first.min(self.cap),
            target: constants.first_target.min(self.cap),
            probability: constants.initial,
            cuts: 0,
            quiet: 0,
            ends: now.saturating_add(constants.epoch),
            active: now,
            packets: 0,
            notified: 0,
        }
    }
}

impl CongestionControl for DcqcnEpochs {
    #[inline]
    fn rate(&mut self, now: Picoseconds) -> Option<f64> {
        self.limiter = self.limiter_at(now);
        Some(self.limiter?.current)
    }

    fn peek(&self, now: Picoseconds) -> Option<f64> {
        Some(self.limiter_at(now)?.current)
    }
}

impl NotificationDriven for DcqcnEpochs {
    #[inline]
    fn on_sent(&mut self, now: Picoseconds, bytes: Bytes<u32>) {
        self.limiter = self.limiter_at(now);
        let Some(limiter) = &mut self.limiter else {
            return;
        };
        if bytes > Bytes(0) {
            limiter.packets = limiter.packets.saturating_add(1);
            limiter.active = now;
        }
    }

    #[inline]
    fn on_cnp(&mut self, now: Picoseconds) {
        let mut limiter = self.limiter_at(now).unwrap_or_else(|| self.first(now));
        limiter.notified = limiter.notified.saturating_add(1);
        self.limiter = Some(limiter);
    }
}

impl CongestionEstimate for DcqcnEpochs {
    fn alpha(&self, now: Picoseconds) -> Option<f64> {
        let limiter = self.limiter_at(now)?;
        let average = &self.constants.average;
        Some(average.after_quiet_periods(limiter.probability, limiter.quiet))
    }
}

impl Limiter {
    /// Ends the epochs that are over at `now`.
    #[inline]
    fn elapse(&mut self, now: Picoseconds, cap: f64, constants: &Constants) {
        while self.ends <= now {
            let mut epochs = 1;
            if self.notified > 0 {
                self.cut(constants);
            } else if !self.climb(cap, constants) {
                // Nothing changes before the increase changes.
                let due = (now - self.ends) / constants.epoch + 1;
                epochs = due.min(constants.same_until(self.quiet) - self.quiet);
                self.quiet += epochs;
            } else {
                self.quiet += 1;
            }
            self.packets = 0;
            self.notified = 0;
            self.ends = self
                .ends
                .saturating_add(constants.epoch.saturating_mul(epochs));
        }
    }

    fn cut(&mut self, constants: &Constants) {
        let previous = constants
            .average
            .after_quiet_periods(self.probability, self.quiet);
        let level = match constants.mode {
            Mode::Probabilistic => 1.0,
            Mode::Deterministic => {
                let share = f64::from(self.notified) / f64::from(self.packets.max(1));
                share.min(1.0)
            }
        };
        self.probability = constants.average.after_period(previous, level);
        if self.quiet > 0 {
            self.cuts = 0;
        }
        if self.cuts < constants.moving {
            self.target = self.current;
        }
        self.cuts = self.cuts.saturating_add(1);
        self.quiet = 0;
        // A port slower than the minimum stays at line rate.
        let floor = constants.least.min(self.current);
        let left = 1.0 - self.probability / constants.divider;
        self.current = (self.current * left).max(floor);
    }

    /// The increase of a quiet epoch; false when it changed nothing.
    fn climb(&mut self, cap: f64, constants: &Constants) -> bool {
        let previous_rates = (self.current, self.target);
        self.target = (self.target + constants.rise(self.quiet, cap)).min(cap);
        self.current = (self.current + self.target) / 2.0;
        previous_rates != (self.current, self.target)
    }
}
