//! Any bytes as parameters and calls of a queue pair, with what must hold whatever they are. Run by the property tests
//! and by the fuzz target of the same name.

use super::naive::Naive;
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::{
    dcqcn, dcqcn_broadcom, dcqcn_nvidia, CongestionControl, Parameters,
};
use wirespeed_sim::time::{
    Microseconds, Nanoseconds, Picoseconds, MICROSECOND, MILLISECOND, NANOSECOND, SECOND,
};

/// Timers one expiry at a time are followed for this long at most.
const NAIVE_UNTIL: Picoseconds = MILLISECOND.times(20);

/// Reads parameters and calls out of `bytes`, makes the calls, and panics where something does not hold:
/// the rate stays between minimum and line rate and alpha between 0 and 1; calls that only look change nothing, to
/// the bit; and a timer per period, one expiry at a time, gives the same rates.
pub fn arbitrary_order(bytes: &[u8]) {
    let mut input = Input(bytes);
    let line = [40, 100, 400, 25, 200, 800][input.below(6)] * 1_000_000_000;
    let (parameters, least) = parameters(&mut input);
    if parameters.check("", line).is_err() {
        return;
    }
    let prepared = parameters.prepare();
    let mut seldom = prepared.start(line, Bytes(4096));
    let mut often = prepared.start(line, Bytes(4096));
    let mut naive = Some(Naive::start(&parameters, line));
    let mut now: Picoseconds = Picoseconds::ZERO;
    while !input.0.is_empty() {
        let call = input.byte();
        let previous = now;
        now += wait(&mut input);
        if now > NAIVE_UNTIL {
            naive = None;
        }
        for look in [previous + (now - previous) / 3, now] {
            let peeked = often.peek(look);
            assert_eq!(peeked.map(f64::to_bits), often.rate(look).map(f64::to_bits));
            assert_eq!(peeked, often.peek(look));
            often.on_sent(look, Bytes(0));
        }
        match call % 4 {
            0 | 1 => {
                let sent = [4096, 1024, 64, 65_535][input.below(4)];
                seldom.on_sent(now, Bytes(sent));
                often.on_sent(now, Bytes(sent));
                if let Some(naive) = &mut naive {
                    naive.on_sent(now, sent);
                }
            }
            2 => {
                seldom.on_cnp(now);
                often.on_cnp(now);
                if let Some(naive) = &mut naive {
                    naive.on_cnp(now);
                }
            }
            _ => {
                let rate = seldom.rate(now);
                assert_eq!(rate.map(f64::to_bits), often.rate(now).map(f64::to_bits));
            }
        }
        let rate = seldom.peek(now);
        let alpha = seldom.alpha(now);
        assert_eq!(rate.map(f64::to_bits), often.peek(now).map(f64::to_bits));
        assert_eq!(alpha.map(f64::to_bits), often.alpha(now).map(f64::to_bits));
        let limited = rate.zip(alpha);
        if let Some((rate, alpha)) = limited {
            assert!((least..=line as f64).contains(&rate), "rate {rate}");
            assert!((0.0..=1.0).contains(&alpha), "alpha {alpha}");
        }
        let Some(naive) = &mut naive else { continue };
        let expected = naive.sample(now);
        assert_eq!(limited.is_some(), expected.is_some());
        if let Some(((rate, alpha), (naive_rate, naive_alpha))) = limited.zip(expected) {
            // What is left of alpha before it is zero has ever fewer digits.
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-10 * b.abs() + 1e-300;
            assert!(
                close(rate, naive_rate),
                "rate {rate}, one by one {naive_rate}"
            );
            assert!(
                close(alpha, naive_alpha),
                "alpha {alpha}, one by one {naive_alpha}"
            );
        }
    }
}

/// The algorithm and its parameters, and the lowest rate they allow.
fn parameters(input: &mut Input) -> (Parameters, f64) {
    match input.below(12) {
        0 => (Parameters::NONE, 0.0),
        mode @ 8.. => {
            let parameters = broadcom(input);
            let units = f64::from(parameters.cr_min_th.max(1));
            let least = units * 64.0 * 8.0 * 1e6 / f64::from(parameters.rtt_us.0.max(1));
            match mode % 2 {
                0 => (Parameters::DcqcnP(parameters), least),
                _ => (Parameters::DcqcnD(parameters), least),
            }
        }
        1..=3 => {
            let parameters = draw_published(input);
            let least = parameters.min_rate_bps as f64;
            (Parameters::Dcqcn(parameters), least)
        }
        _ => {
            let parameters = nvidia(input);
            let least = f64::from(parameters.rpg_min_rate_mbps) * 1e6;
            (Parameters::DcqcnNvidia(parameters), least)
        }
    }
}

fn draw_published(input: &mut Input) -> dcqcn::Parameters {
    let paper = dcqcn::Parameters::default();
    if input.below(2) == 0 {
        return paper;
    }
    dcqcn::Parameters {
        alpha_timer_ns: Nanoseconds([55_000, 1_000, 50_001, 1 << 20][input.below(4)]),
        g: [1.0 / 256.0, 1.0 / 16.0, 1.0, 0.3, 0.0][input.below(5)],
        alpha_before_cut: input.below(2) == 1,
        increase_timer_ns: Nanoseconds([55_000, 1_000, 27_501, 1 << 20][input.below(4)]),
        byte_counter_bytes: [Some(10_000_000), Some(4096), Some(150_000), Some(64), None]
            [input.below(5)]
        .map(Bytes),
        fast_recovery_times: [5, 0, 1, u32::MAX][input.below(4)],
        rai_bps: [40_000_000, 5_000_000, 1 << 40, 1_000_000_000][input.below(4)],
        rhai_bps: [None, Some(200_000_000), Some(1 << 33)][input.below(3)],
        min_rate_bps: [40_000_000, 1, 25_000_000_000, 0][input.below(4)],
    }
}

fn nvidia(input: &mut Input) -> dcqcn_nvidia::Parameters {
    let firmware = dcqcn_nvidia::Parameters::default();
    if input.below(2) == 0 {
        return firmware;
    }
    dcqcn_nvidia::Parameters {
        clamp_tgt_rate: input.below(2) == 1,
        clamp_tgt_rate_after_time_inc: input.below(2) == 1,
        dce_tcp_g: [1019, 1020, 0, 1023][input.below(4)],
        dce_tcp_rtt_us: Microseconds([1, 3, 55, 7][input.below(4)]),
        initial_alpha_value: [1023, 1024, 0, 512][input.below(4)],
        rate_reduce_monitor_period_us: Microseconds([4, 1, 50, 9][input.below(4)]),
        rate_to_set_on_first_cnp_mbps: [0, 21_250, 1000][input.below(3)],
        rpg_ai_rate_mbps: [5, 20, 40_000, 0][input.below(4)],
        rpg_byte_reset_bytes: Bytes([32_767, 0, 4096, 150_000][input.below(4)]),
        rpg_gd: [11, 10, 8, 31, 32][input.below(5)],
        rpg_hai_rate_mbps: [50, 200, 100_000, 0][input.below(4)],
        rpg_min_dec_fac_percent: [50, 0, 100, 1][input.below(4)],
        rpg_min_rate_mbps: [1, 1000, 25_000][input.below(3)],
        rpg_threshold: [1, 5, 0, u32::MAX][input.below(4)],
        rpg_time_reset_us: Microseconds([300, 4, 20, 55][input.below(4)]),
    }
}

fn broadcom(input: &mut Input) -> dcqcn_broadcom::Parameters {
    let usual = dcqcn_broadcom::Parameters::default();
    if input.below(2) == 0 {
        return usual;
    }
    dcqcn_broadcom::Parameters {
        g: [4, 0, 8, 1, 17][input.below(5)],
        rtt_us: Microseconds([40, 4, 55, 1000, 0][input.below(5)]),
        l64b_per_rtt: [0, 100_000, 1000][input.below(3)],
        init_cp: [1024, 0, 512][input.below(3)],
        init_cr: [0, 900, 200][input.below(3)],
        init_tr: [0, 1000, 100][input.below(3)],
        fr_num_rtts: [5, 0, 1, u32::MAX][input.below(4)],
        ai_rate_incr: [3, 0, 1000, 50_000][input.below(4)],
        ai_rtt_th1: [0, 1, 7][input.below(3)],
        ai_rtt_th2: [0, 9, 3, u32::MAX][input.below(4)],
        cr_min_th: [3, 1, 100, 0][input.below(4)],
        red_div: [2, 1, 7][input.below(3)],
        inact_th_us: Microseconds([0, 50, 400][input.below(3)]),
        tr_update_cyls: [0, 1, 3, 255, 256][input.below(5)],
    }
}

/// How long until the next call: nothing, any while, periods exactly and just missed, and very long.
fn wait(input: &mut Input) -> Picoseconds {
    let many = u64::from(input.byte());
    match input.below(8) {
        0 => Picoseconds::ZERO,
        1 => many * 80 * NANOSECOND + Picoseconds(1),
        2 => many % 16 * MICROSECOND,
        3 => many % 8 * 4 * MICROSECOND - Picoseconds((many % 8).min(1)),
        4 => many % 8 * 55 * MICROSECOND,
        5 => many % 8 * 300 * MICROSECOND + Picoseconds(many / 128),
        6 => Picoseconds(many * 7_654_321),
        _ if many < 250 => many % 4 * 100 * MICROSECOND,
        _ => (many - 249) * 1000 * SECOND,
    }
}

/// Bytes from the front; zero when there are no more.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, following)) = self.0.split_first() else {
            return 0;
        };
        self.0 = following;
        *first
    }

    fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }
}
