//! DCQCN-P and DCQCN-D: hand-computed epochs. One RTT is 40 us; 64 bytes in it are 12.8 Mb/s.

use super::{GIGABIT, MTU};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::dcqcn_broadcom::Parameters as Broadcom;
use wirespeed_sim::congestion::{Algorithm, CongestionControl, Parameters};
use wirespeed_sim::time::{Microseconds, Picoseconds, MICROSECOND};

const RTT: Picoseconds = MICROSECOND.times(40);
const UNIT: f64 = 12.8e6;

fn start_broadcom(parameters: Parameters) -> Algorithm {
    assert_eq!(parameters.check("congestion", 40 * GIGABIT), Ok(()));
    parameters.prepare().start(40 * GIGABIT, Bytes(MTU))
}

fn p(parameters: Broadcom) -> Algorithm {
    start_broadcom(Parameters::DcqcnP(parameters))
}

fn d(parameters: Broadcom) -> Algorithm {
    start_broadcom(Parameters::DcqcnD(parameters))
}

fn send(algorithm: &mut Algorithm, now: Picoseconds, packets: u32) {
    for _ in 0..packets {
        algorithm.on_sent(now, Bytes(4096));
    }
}

#[test]
fn the_first_epoch_halves_and_five_more_recover() {
    for mut algorithm in [p(Broadcom::default()), d(Broadcom::default())] {
        assert_eq!(algorithm.rate(Picoseconds::ZERO), None);
        algorithm.on_cnp(Picoseconds(7));
        // Without a packet in the epoch all of it was congested.
        assert_eq!(
            (
                algorithm.rate(Picoseconds(7)),
                algorithm.alpha(Picoseconds(7))
            ),
            (Some(40e9), Some(1.0))
        );
        assert_eq!(algorithm.rate(Picoseconds(7 - 1) + RTT), Some(40e9));
        let rates = [20e9, 30e9, 35e9, 37.5e9, 38.75e9, 39.375e9, 39.6875e9];
        for (n, rate) in (1..).zip(rates) {
            assert_eq!(algorithm.peek(Picoseconds(7) + n * RTT), Some(rate));
            assert_eq!(algorithm.rate(Picoseconds(7) + n * RTT), Some(rate));
            assert_eq!(
                algorithm.rate(Picoseconds(7 - 1) + (n + 1) * RTT),
                Some(rate)
            );
        }
        // Six quiet epochs: 15/16 each.
        let alpha = algorithm.alpha(Picoseconds(7) + 7 * RTT).unwrap();
        assert!((alpha - 0.9375_f64.powi(6)).abs() < 1e-15);
    }
}

#[test]
fn p_counts_epochs_and_d_counts_packets() {
    // Epochs of 8 packets: 2 CNPs in the first, 4 in the second, none in the third.
    let run = |mut algorithm: Algorithm| {
        algorithm.on_cnp(Picoseconds::ZERO);
        algorithm.on_cnp(Picoseconds(1));
        send(&mut algorithm, Picoseconds(2), 8);
        let first = algorithm.rate(RTT).unwrap();
        for _ in 0..4 {
            algorithm.on_cnp(RTT + Picoseconds(1));
        }
        send(&mut algorithm, RTT + Picoseconds(2), 8);
        let second = algorithm.rate(2 * RTT).unwrap();
        send(&mut algorithm, 2 * RTT + Picoseconds(1), 8);
        let third = algorithm.rate(3 * RTT).unwrap();
        (first, second, third, algorithm.alpha(3 * RTT).unwrap())
    };
    let at_every_cut = Broadcom {
        tr_update_cyls: 255,
        ..Broadcom::default()
    };
    // P: cp stays 1, so each cut halves; then half of the distance back to the target, 20 Gb/s.
    let probabilistic = run(p(at_every_cut.clone()));
    assert_eq!(probabilistic, (20e9, 10e9, 15e9, 15.0 / 16.0));
    // The target is still what the rate was before the first of the two cuts, 40 Gb/s.
    let once = run(p(Broadcom::default()));
    assert_eq!(once, (20e9, 10e9, 25e9, 15.0 / 16.0));
    // D: cp = 15/16 + 1/16 * 1/4 = 61/64, then 61/64 * 15/16 + 1/16 * 1/2 = 947/1024.
    let first = 40e9 * (1.0 - 61.0 / 128.0);
    let second = first * (1.0 - 947.0 / 2048.0);
    let alpha = 947.0 / 1024.0 * 15.0 / 16.0;
    let third = (second + first) / 2.0;
    assert_eq!(run(d(at_every_cut)), (first, second, third, alpha));
}

#[test]
fn more_cnps_than_packets_are_all_of_them() {
    let mut algorithm = d(Broadcom {
        init_cp: 0,
        g: 0,
        ..Broadcom::default()
    });
    for _ in 0..5 {
        algorithm.on_cnp(Picoseconds::ZERO);
    }
    send(&mut algorithm, Picoseconds(1), 4);
    assert_eq!(algorithm.rate(RTT), Some(20e9));
    assert_eq!(algorithm.alpha(RTT), Some(1.0));
}

#[test]
fn the_rise_doubles_at_both_thresholds() {
    let mut algorithm = p(Broadcom {
        fr_num_rtts: 1,
        ai_rate_incr: 10,
        ai_rtt_th1: 2,
        ai_rtt_th2: 3,
        tr_update_cyls: 255,
        ..Broadcom::default()
    });
    algorithm.on_cnp(Picoseconds::ZERO);
    algorithm.on_cnp(RTT);
    let (mut target, mut rate) = (20e9, 10e9);
    assert_eq!(algorithm.rate(2 * RTT), Some(rate));
    for (n, rises) in (3..).zip([0.0, 1.0, 1.0, 2.0, 4.0, 4.0]) {
        target += rises * 10.0 * UNIT;
        rate = (rate + target) / 2.0;
        assert_eq!(algorithm.rate(n * RTT), Some(rate), "{n}");
    }
}

#[test]
fn so_many_cuts_in_a_row_move_the_target() {
    let cuts = |tr_update_cyls| Broadcom {
        tr_update_cyls,
        ..Broadcom::default()
    };
    // Three cuts leave 5 of 40 Gb/s; the target is the rate before the first, second or third cut.
    let rows = [
        (p(cuts(0)), 40e9),
        (d(cuts(0)), 20e9),
        (p(cuts(1)), 40e9),
        (p(cuts(2)), 20e9),
        (p(cuts(3)), 10e9),
        (p(cuts(255)), 10e9),
    ];
    for (n, (mut algorithm, target)) in rows.into_iter().enumerate() {
        for epoch in 0..3 {
            algorithm.on_cnp(epoch * RTT);
        }
        assert_eq!(algorithm.rate(3 * RTT), Some(5e9));
        assert_eq!(
            algorithm.rate(4 * RTT),
            Some((5e9 + target) / 2.0),
            "row {n}"
        );
    }
    // After an increase they are counted anew.
    let mut algorithm = p(cuts(1));
    for epoch in 0..3 {
        algorithm.on_cnp(epoch * RTT);
    }
    assert_eq!(algorithm.rate(4 * RTT), Some(22.5e9));
    algorithm.on_cnp(4 * RTT);
    // cp is 15/16 after one quiet epoch, 241/256 after this one.
    let cut = 22.5e9 * (1.0 - 241.0 / 512.0);
    assert_eq!(algorithm.rate(5 * RTT), Some(cut));
    assert_eq!(algorithm.rate(6 * RTT), Some((cut + 22.5e9) / 2.0));
}

#[test]
fn the_rise_goes_with_line_rate() {
    for gigabits in [40, 100, 400] {
        let line = gigabits as f64 * 1e9;
        let parameters = Parameters::DcqcnP(Broadcom {
            fr_num_rtts: 0,
            tr_update_cyls: 255,
            ..Broadcom::default()
        });
        let mut algorithm = parameters.prepare().start(gigabits * GIGABIT, Bytes(MTU));
        algorithm.on_cnp(Picoseconds::ZERO);
        algorithm.on_cnp(RTT);
        // Rate and target were a quarter and half of line rate.
        let target = line / 2.0 + line / 1000.0;
        assert_eq!(algorithm.rate(3 * RTT), Some((line / 4.0 + target) / 2.0));
    }
}

/// One CNP halves the rate of a lone flow, and quiet epochs bring it to 3/4, 7/8 and 15/16 of what it was.
#[test]
fn a_lone_flow_is_back_at_nine_tenths_four_rtts_after_one_cnp() {
    for gigabits in [25, 100, 400, 800] {
        let line = gigabits as f64 * 1e9;
        for parameters in [Parameters::DcqcnP, Parameters::DcqcnD] {
            let parameters = parameters(Broadcom::default());
            let mut algorithm = parameters.prepare().start(gigabits * GIGABIT, Bytes(MTU));
            algorithm.on_cnp(Picoseconds::ZERO);
            let regained = (1..).find(|&n| n > 1 && algorithm.rate(n * RTT).unwrap() >= 0.9 * line);
            assert_eq!(regained, Some(4), "{gigabits}");
        }
    }
}

#[test]
fn first_rates_floor_cap_and_divider() {
    // 3000 units are 38.4 Gb/s, 2000 are 25.6, 1000 are 12.8.
    let mut algorithm = p(Broadcom {
        l64b_per_rtt: 3000,
        init_cr: 1000,
        init_tr: 2000,
        init_cp: 512,
        g: 0,
        red_div: 4,
        cr_min_th: 700,
        ai_rate_incr: 3000,
        fr_num_rtts: 0,
        tr_update_cyls: 255,
        ..Broadcom::default()
    });
    algorithm.on_cnp(Picoseconds::ZERO);
    assert_eq!(
        (
            algorithm.rate(Picoseconds::ZERO),
            algorithm.alpha(Picoseconds::ZERO)
        ),
        (Some(12.8e9), Some(0.5))
    );
    // The newest epoch is all that counts: cp = 1, a quarter off.
    assert_eq!(algorithm.rate(RTT), Some(9.6e9));
    algorithm.on_cnp(RTT);
    assert_eq!(algorithm.rate(2 * RTT), Some(700.0 * UNIT));
    // The target rises by more than there is; the rate comes to what 3000 units are.
    assert_eq!(algorithm.rate(3 * RTT), Some((700.0 * UNIT + 38.4e9) / 2.0));
    assert_eq!(algorithm.rate(300 * RTT), Some(38.4e9));
}

#[test]
fn a_queue_pair_that_sent_nothing_starts_anew() {
    let mut algorithm = p(Broadcom {
        inact_th_us: Microseconds(100),
        ..Broadcom::default()
    });
    algorithm.on_cnp(Picoseconds::ZERO);
    send(&mut algorithm, 50 * MICROSECOND, 1);
    assert_eq!(
        algorithm.peek(150 * MICROSECOND - Picoseconds(1)),
        Some(35e9)
    );
    assert_eq!(algorithm.peek(150 * MICROSECOND), None);
    assert_eq!(algorithm.rate(150 * MICROSECOND), None);
    algorithm.on_cnp(150 * MICROSECOND);
    assert_eq!(algorithm.rate(150 * MICROSECOND), Some(40e9));
}

#[test]
fn parameters_that_do_not_fit() {
    let rows = [
        (
            Broadcom {
                g: 17,
                rtt_us: Microseconds(0),
                init_cp: 1025,
                red_div: 0,
                tr_update_cyls: 256,
                ..Broadcom::default()
            },
            "congestion.g: found 17, expected 0 to 16\n\
             congestion.rtt_us: found 0, expected at least 1\n\
             congestion.init_cp: found 1025, expected 0 to 1,024\n\
             congestion.red_div: found 0, expected at least 1\n\
             congestion.tr_update_cyls: found 256, expected 0 to 255",
        ),
        (
            Broadcom {
                init_cr: 2,
                init_tr: 3126,
                ai_rtt_th1: 5,
                ai_rtt_th2: 4,
                ..Broadcom::default()
            },
            "congestion.init_cr: found 2, expected 0, or 3 to 3125, from the minimum to line rate\n\
             congestion.init_tr: found 3126, expected 0, or 3 to 3125, from the minimum to line rate\n\
             congestion.ai_rtt_th2: found 4, expected 0, or at least ai_rtt_th1, 5",
        ),
        (
            Broadcom {
                init_cr: 500,
                init_tr: 400,
                l64b_per_rtt: 499,
                ..Broadcom::default()
            },
            "congestion.init_cr: found 500, expected 0, or 3 to 499, from the minimum to line rate\n\
             congestion.init_tr: found 400, expected 0, or at least init_cr, 500",
        ),
    ];
    for (parameters, expected) in rows {
        let parameters = Parameters::DcqcnD(parameters);
        let refused = parameters.check("congestion", 40 * GIGABIT).unwrap_err();
        assert_eq!(refused.to_string(), expected);
    }
}
