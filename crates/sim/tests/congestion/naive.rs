//! The same algorithms with a timer per period, one expiry at a time: slow, and plain enough to be read against the
//! sources.

use wirespeed_sim::congestion::{dcqcn, dcqcn_broadcom, dcqcn_nvidia, Parameters};
use wirespeed_sim::time::{Picoseconds, MICROSECOND, NANOSECOND};

/// A queue pair whose timers all run.
#[derive(Clone)]
pub enum Naive {
    LineRate,
    Dcqcn(NaiveDcqcn),
    DcqcnNvidia(NaiveNvidia),
    DcqcnEpochs(NaiveEpochs),
}

impl Naive {
    pub fn start(parameters: &Parameters, line_rate_bps: u64) -> Self {
        let line = line_rate_bps as f64;
        match parameters {
            Parameters::LineRate(_) => Naive::LineRate,
            Parameters::Dcqcn(parameters) => Naive::Dcqcn(NaiveDcqcn {
                parameters: parameters.clone(),
                line,
                limited: None,
            }),
            Parameters::DcqcnNvidia(parameters) => Naive::DcqcnNvidia(NaiveNvidia {
                parameters: parameters.clone(),
                line,
                limited: None,
            }),
            Parameters::DcqcnP(broadcom) | Parameters::DcqcnD(broadcom) => {
                Naive::DcqcnEpochs(NaiveEpochs {
                    parameters: broadcom.clone(),
                    share: matches!(parameters, Parameters::DcqcnD(_)),
                    line,
                    limited: None,
                })
            }
            _ => panic!("algorithms with feedback of ACKs have no timers"),
        }
    }

    pub fn on_sent(&mut self, now: Picoseconds, bytes: u32) {
        self.run(now);
        match self {
            Naive::LineRate => {}
            Naive::Dcqcn(naive) => naive.on_sent(bytes),
            Naive::DcqcnNvidia(naive) => naive.on_sent(bytes),
            Naive::DcqcnEpochs(naive) => naive.on_sent(now, bytes),
        }
    }

    pub fn on_cnp(&mut self, now: Picoseconds) {
        self.run(now);
        match self {
            Naive::LineRate => {}
            Naive::Dcqcn(naive) => naive.on_cnp(now),
            Naive::DcqcnNvidia(naive) => naive.on_cnp(now),
            Naive::DcqcnEpochs(naive) => naive.on_cnp(now),
        }
    }

    /// Rate and alpha, where a limiter stands.
    pub fn sample(&mut self, now: Picoseconds) -> Option<(f64, f64)> {
        self.run(now);
        match self {
            Naive::LineRate => None,
            Naive::Dcqcn(naive) => naive
                .limited
                .as_ref()
                .map(|limited| (limited.rc, limited.alpha)),
            Naive::DcqcnNvidia(naive) => naive
                .limited
                .as_ref()
                .map(|limited| (limited.rc, limited.alpha)),
            Naive::DcqcnEpochs(naive) => naive
                .limited
                .as_ref()
                .map(|limited| (limited.cr, limited.cp)),
        }
    }

    fn run(&mut self, now: Picoseconds) {
        match self {
            Naive::LineRate => {}
            Naive::Dcqcn(naive) => naive.run(now),
            Naive::DcqcnNvidia(naive) => naive.run(now),
            Naive::DcqcnEpochs(naive) => naive.run(now),
        }
    }
}

#[derive(Clone)]
pub struct NaiveDcqcn {
    parameters: dcqcn::Parameters,
    line: f64,
    limited: Option<LimitedDcqcn>,
}

#[derive(Clone)]
struct LimitedDcqcn {
    rc: f64,
    rt: f64,
    alpha: f64,
    alpha_timer: Picoseconds,
    increase_timer: Picoseconds,
    bytes: u64,
    t: u32,
    bc: u32,
}

impl NaiveDcqcn {
    fn run(&mut self, now: Picoseconds) {
        let p = &self.parameters;
        let Some(limited) = &mut self.limited else {
            return;
        };
        loop {
            let next = limited.alpha_timer.min(limited.increase_timer);
            if next > now {
                return;
            }
            if next == limited.alpha_timer {
                limited.alpha *= 1.0 - p.g;
                limited.alpha_timer += u64::from(p.alpha_timer_ns.0) * NANOSECOND;
            } else {
                limited.increase(p, self.line);
                limited.t += 1;
                limited.increase_timer += u64::from(p.increase_timer_ns.0) * NANOSECOND;
            }
        }
    }

    fn on_sent(&mut self, bytes: u32) {
        let p = &self.parameters;
        let (Some(limited), Some(period)) = (&mut self.limited, p.byte_counter_bytes) else {
            return;
        };
        limited.bytes += u64::from(bytes);
        while limited.bytes >= u64::from(period.0) {
            limited.bytes -= u64::from(period.0);
            limited.increase(p, self.line);
            limited.bc += 1;
        }
    }

    fn on_cnp(&mut self, now: Picoseconds) {
        let p = &self.parameters;
        let line = self.line;
        let limited = self.limited.get_or_insert(LimitedDcqcn {
            rc: line,
            rt: line,
            alpha: 1.0,
            alpha_timer: Picoseconds::ZERO,
            increase_timer: Picoseconds::ZERO,
            bytes: 0,
            t: 0,
            bc: 0,
        });
        let previous_alpha = limited.alpha;
        limited.alpha = (1.0 - p.g) * limited.alpha + p.g;
        let by = if p.alpha_before_cut {
            limited.alpha
        } else {
            previous_alpha
        };
        limited.rt = limited.rc;
        limited.rc = (limited.rc * (1.0 - by / 2.0)).max(p.min_rate_bps as f64);
        limited.t = 0;
        limited.bc = 0;
        limited.bytes = 0;
        limited.alpha_timer = now + u64::from(p.alpha_timer_ns.0) * NANOSECOND;
        limited.increase_timer = now + u64::from(p.increase_timer_ns.0) * NANOSECOND;
    }
}

impl LimitedDcqcn {
    fn increase(&mut self, p: &dcqcn::Parameters, line: f64) {
        let f = p.fast_recovery_times;
        if self.t < f && self.bc < f {
            // Fast recovery keeps the target.
        } else if self.t > f && self.bc > f && p.rhai_bps.is_some() {
            self.rt += p.rhai_bps.unwrap() as f64;
        } else {
            self.rt += p.rai_bps as f64;
        }
        self.rt = self.rt.min(line);
        self.rc = (self.rc + self.rt) / 2.0;
    }
}

#[derive(Clone)]
pub struct NaiveNvidia {
    parameters: dcqcn_nvidia::Parameters,
    line: f64,
    limited: Option<LimitedNvidia>,
}

#[derive(Clone)]
struct LimitedNvidia {
    rc: f64,
    rt: f64,
    alpha: f64,
    alpha_cnp: bool,
    decrease_cnp: bool,
    alpha_timer: Picoseconds,
    decrease_timer: Picoseconds,
    increase_timer: Option<Picoseconds>,
    bytes: u64,
    time_stage: u32,
    byte_stage: u32,
}

impl NaiveNvidia {
    fn run(&mut self, now: Picoseconds) {
        let p = &self.parameters;
        let Some(limited) = &mut self.limited else {
            return;
        };
        loop {
            let mut next = limited.alpha_timer.min(limited.decrease_timer);
            if let Some(increase) = limited.increase_timer {
                next = next.min(increase);
            }
            if next > now {
                return;
            }
            if next == limited.alpha_timer {
                let g = 1.0 - f64::from(p.dce_tcp_g) / 1024.0;
                limited.alpha *= 1.0 - g;
                if limited.alpha_cnp {
                    limited.alpha += g;
                }
                limited.alpha_cnp = false;
                limited.alpha_timer += u64::from(p.dce_tcp_rtt_us.0) * MICROSECOND;
            } else if Some(next) == limited.increase_timer {
                limited.increase(p, self.line);
                limited.time_stage += 1;
                limited.increase_timer =
                    Some(next + u64::from(p.rpg_time_reset_us.0) * MICROSECOND);
            } else {
                limited.decrease_timer +=
                    u64::from(p.rate_reduce_monitor_period_us.0) * MICROSECOND;
                if limited.decrease_cnp {
                    limited.decrease(p);
                    limited.increase_timer =
                        Some(next + u64::from(p.rpg_time_reset_us.0) * MICROSECOND);
                }
            }
        }
    }

    fn on_sent(&mut self, bytes: u32) {
        let p = &self.parameters;
        let Some(limited) = &mut self.limited else {
            return;
        };
        if p.rpg_byte_reset_bytes.0 == 0 {
            return;
        }
        limited.bytes += u64::from(bytes);
        while limited.bytes >= u64::from(p.rpg_byte_reset_bytes.0) {
            limited.bytes -= u64::from(p.rpg_byte_reset_bytes.0);
            limited.increase(p, self.line);
            limited.byte_stage += 1;
        }
    }

    fn on_cnp(&mut self, now: Picoseconds) {
        let p = &self.parameters;
        if let Some(limited) = &mut self.limited {
            limited.alpha_cnp = true;
            limited.decrease_cnp = true;
            return;
        }
        let rate = match p.rate_to_set_on_first_cnp_mbps {
            0 => self.line,
            mbps => f64::from(mbps) * 1e6,
        };
        self.limited = Some(LimitedNvidia {
            rc: rate,
            rt: rate,
            alpha: f64::from(p.initial_alpha_value) / 1024.0,
            alpha_cnp: false,
            decrease_cnp: true,
            alpha_timer: now + u64::from(p.dce_tcp_rtt_us.0) * MICROSECOND,
            decrease_timer: now + u64::from(p.rate_reduce_monitor_period_us.0) * MICROSECOND,
            increase_timer: None,
            bytes: 0,
            time_stage: 0,
            byte_stage: 0,
        });
    }
}

impl LimitedNvidia {
    fn increase(&mut self, p: &dcqcn_nvidia::Parameters, line: f64) {
        let stage = self.time_stage.max(self.byte_stage);
        if stage == p.rpg_threshold {
            self.rt += f64::from(p.rpg_ai_rate_mbps) * 1e6;
        } else if stage > p.rpg_threshold {
            self.rt += f64::from(p.rpg_hai_rate_mbps) * 1e6;
        }
        self.rt = self.rt.min(line);
        self.rc = self.rc / 2.0 + self.rt / 2.0;
    }

    fn decrease(&mut self, p: &dcqcn_nvidia::Parameters) {
        let after_time = p.clamp_tgt_rate_after_time_inc && self.time_stage > 0;
        if p.clamp_tgt_rate || self.byte_stage > 0 || after_time {
            self.rt = self.rc;
        }
        let mut divisor = 1.0;
        for _ in 10..p.rpg_gd {
            divisor *= 2.0;
        }
        for _ in p.rpg_gd..10 {
            divisor /= 2.0;
        }
        let least = self.rc * f64::from(p.rpg_min_dec_fac_percent) / 100.0;
        self.rc = (self.rc * (1.0 - self.alpha / divisor)).max(least);
        self.rc = self.rc.max(f64::from(p.rpg_min_rate_mbps) * 1e6);
        self.time_stage = 0;
        self.byte_stage = 0;
        self.bytes = 0;
        self.decrease_cnp = false;
    }
}

#[derive(Clone)]
pub struct NaiveEpochs {
    parameters: dcqcn_broadcom::Parameters,
    share: bool,
    line: f64,
    limited: Option<LimitedEpochs>,
}

#[derive(Clone)]
struct LimitedEpochs {
    cr: f64,
    tr: f64,
    cp: f64,
    quiet: u32,
    row: u32,
    end: Picoseconds,
    sent_at: Picoseconds,
    n: u32,
    c: u32,
}

impl NaiveEpochs {
    fn rate(&self, units: u32) -> f64 {
        f64::from(units) * 64.0 * 8.0 / (f64::from(self.parameters.rtt_us.0) * 1e-6)
    }

    fn cap(&self) -> f64 {
        match self.parameters.l64b_per_rtt {
            0 => self.line,
            units => self.line.min(self.rate(units)),
        }
    }

    fn run(&mut self, now: Picoseconds) {
        let Some(mut limited) = self.limited.clone() else {
            return;
        };
        let p = &self.parameters;
        let idle = u64::from(p.inact_th_us.0) * MICROSECOND;
        if idle > Picoseconds::ZERO && now - limited.sent_at >= idle {
            self.limited = None;
            return;
        }
        while limited.end <= now {
            let mut level = f64::from(u8::from(limited.c > 0));
            if self.share && limited.c > 0 && limited.c < limited.n {
                level = f64::from(limited.c) / f64::from(limited.n);
            }
            let g = 0.5_f64.powi(p.g as i32);
            limited.cp = (1.0 - g) * limited.cp + g * level;
            if limited.c > 0 {
                let moving = match p.tr_update_cyls {
                    0 => 1 + u32::from(self.share),
                    cuts => cuts,
                };
                limited.row = if limited.quiet > 0 {
                    1
                } else {
                    limited.row + 1
                };
                if limited.row <= moving {
                    limited.tr = limited.cr;
                }
                let least = self.rate(p.cr_min_th).min(limited.cr);
                limited.cr = (limited.cr * (1.0 - limited.cp / f64::from(p.red_div))).max(least);
                limited.quiet = 0;
            } else {
                let beyond = limited.quiet as i64 - i64::from(p.fr_num_rtts);
                let mut rise = match p.ai_rate_incr {
                    _ if beyond < 0 => 0.0,
                    0 => self.cap() / 1000.0,
                    units => self.rate(units),
                };
                if p.ai_rtt_th2 > 0 && beyond >= i64::from(p.ai_rtt_th2) {
                    rise *= 4.0;
                } else if p.ai_rtt_th1 > 0 && beyond >= i64::from(p.ai_rtt_th1) {
                    rise *= 2.0;
                }
                limited.tr = (limited.tr + rise).min(self.cap());
                limited.cr = (limited.cr + limited.tr) / 2.0;
                limited.quiet += 1;
            }
            (limited.n, limited.c) = (0, 0);
            limited.end += u64::from(p.rtt_us.0) * MICROSECOND;
        }
        self.limited = Some(limited);
    }

    fn on_sent(&mut self, now: Picoseconds, bytes: u32) {
        if let (Some(limited), true) = (&mut self.limited, bytes > 0) {
            limited.n += 1;
            limited.sent_at = now;
        }
    }

    fn on_cnp(&mut self, now: Picoseconds) {
        let cap = self.cap();
        let given = |units: u32| match units {
            0 => cap,
            units => self.rate(units),
        };
        let p = &self.parameters;
        let first = LimitedEpochs {
            cr: given(p.init_cr),
            tr: given(p.init_tr),
            cp: f64::from(p.init_cp) / 1024.0,
            quiet: 0,
            row: 0,
            end: now + u64::from(p.rtt_us.0) * MICROSECOND,
            sent_at: now,
            n: 0,
            c: 0,
        };
        self.limited.get_or_insert(first).c += 1;
    }
}
