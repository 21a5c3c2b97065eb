//! NSCC, computed by hand from its rules.

use super::{acknowledge, GIGABIT};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::nscc::Parameters as Nscc;
use wirespeed_sim::congestion::{Ack, Algorithm, CongestionControl, Loss, Parameters, Penalty};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND};

const PACKET: u32 = 1000;
/// 100 Gb/s and 12 us: the network that the constants are for, with a target of 9 us.
const BASE: Picoseconds = MICROSECOND.times(12);
const MOST: f64 = 1.5 * 150_000.0;

fn start_nscc(parameters: Nscc, gigabits: u64) -> Algorithm {
    let parameters = Parameters::Nscc(parameters);
    assert_eq!(parameters.check("congestion", gigabits * GIGABIT), Ok(()));
    parameters
        .prepare()
        .start(gigabits * GIGABIT, Bytes(PACKET))
}

fn close(found: Option<f64>, expected: f64) {
    let found = found.expect("a number");
    assert!((found / expected - 1.0).abs() < 1e-9, "{found}, {expected}");
}

/// A number of packets arrived, with this delay by queues.
fn ack(now: Picoseconds, packets: u32, delay: Picoseconds, marked: bool) -> Ack {
    Ack {
        now,
        bytes: Bytes(packets * PACKET),
        until: 0,
        next: 0,
        outstanding: 10,
        rtt: Some(BASE + delay),
        marked,
    }
}

/// Brings the window down to `packets`, a loss each.
fn window_of(algorithm: &mut Algorithm, packets: f64) {
    while algorithm.window().unwrap() > (packets + 0.5) * f64::from(PACKET) {
        algorithm.on_loss(Picoseconds::ZERO, Loss::Gap { until: 0, next: 0 });
    }
}

#[test]
fn it_begins_with_the_largest_window() {
    for (gigabits, rtt_us, window) in [(100, 12, MOST), (400, 12, 4.0 * MOST), (100, 4, MOST / 3.0)]
    {
        let parameters = Nscc {
            config_base_rtt_ns: Some(Nanoseconds(rtt_us * 1000)),
            ..Nscc::default()
        };
        let algorithm = start_nscc(parameters, gigabits);
        close(algorithm.window(), window);
        assert_eq!(
            (
                algorithm.peek(Picoseconds::ZERO),
                algorithm.throughput(Picoseconds::ZERO)
            ),
            (None, None)
        );
    }
    // A shorter RTT makes the largest smaller.
    let mut algorithm = start_nscc(Nscc::default(), 100);
    acknowledge(
        &mut algorithm,
        &Ack {
            rtt: Some(BASE / 2),
            ..ack(MICROSECOND, 0, Picoseconds::ZERO, false)
        },
    );
    close(algorithm.window(), MOST / 2.0);
    assert_eq!(
        algorithm.throughput(Picoseconds::ZERO),
        Some(100e9),
        "never above line rate"
    );
}

/// Each packet acknowledged adds 4 packets per window, less what the delay takes of the target, 9 us of the reference's 12;
/// applied after more than 8 packets, or an RTT, with 0.15 packets for the RTT.
#[test]
fn below_the_target_it_grows_by_what_is_missing() {
    for (delay_us, missing) in [(6, 3.0), (3, 6.0), (8, 1.0)] {
        let mut algorithm = start_nscc(Nscc::default(), 100);
        window_of(&mut algorithm, 100.0);
        let now = 5 * MICROSECOND;
        acknowledge(&mut algorithm, &ack(now, 8, delay_us * MICROSECOND, false));
        close(algorithm.window(), 100_000.0);
        acknowledge(&mut algorithm, &ack(now, 1, delay_us * MICROSECOND, false));
        let window = 100_000.0 + 9_000.0 * 4.0 * 1_000.0 * (missing / 12.0) / 100_000.0;
        close(algorithm.window(), window);
        acknowledge(&mut algorithm, &ack(BASE, 0, delay_us * MICROSECOND, false));
        close(algorithm.window(), window + 150.0);
    }
}

#[test]
fn above_the_target_without_a_mark_all_grow_by_the_same() {
    for packets in [50.0, 100.0] {
        let mut algorithm = start_nscc(Nscc::default(), 100);
        window_of(&mut algorithm, packets);
        acknowledge(
            &mut algorithm,
            &ack(5 * MICROSECOND, 10, 20 * MICROSECOND, false),
        );
        let window = packets * 1_000.0;
        close(
            algorithm.window(),
            window + 10_000.0 * 5.0 * 1_000.0 / window,
        );
    }
}

#[test]
fn a_mark_without_delay_changes_nothing() {
    let mut algorithm = start_nscc(Nscc::default(), 100);
    window_of(&mut algorithm, 100.0);
    acknowledge(
        &mut algorithm,
        &ack(5 * MICROSECOND, 20, 8 * MICROSECOND, true),
    );
    close(algorithm.window(), 100_000.0);
}

/// The window less 0.8 of the share by which the average is above the target, at least half, once per RTT.
#[test]
fn a_mark_and_delay_cut() {
    for (delay_us, left) in [(18, 1.0 - 0.8 * 0.5), (12, 1.0 - 0.8 * 0.25), (30, 0.5)] {
        let parameters = Nscc {
            qa_threshold: None,
            eta_packets: 1e-9,
            ..Nscc::default()
        };
        let mut algorithm = start_nscc(parameters, 100);
        window_of(&mut algorithm, 100.0);
        // After an RTT a sample is all of the average.
        let delay = delay_us * MICROSECOND;
        acknowledge(&mut algorithm, &ack(2 * BASE, 1, delay, true));
        close(algorithm.window(), 100_000.0 * left);
        acknowledge(&mut algorithm, &ack(3 * BASE, 1, delay, true));
        close(algorithm.window(), 100_000.0 * left);
        acknowledge(
            &mut algorithm,
            &ack(3 * BASE + Picoseconds(1), 1, delay, true),
        );
        close(algorithm.window(), 100_000.0 * left * left);
    }
}

/// A window without any delay: from then on a quarter of what is acknowledged, at once.
#[test]
fn without_delay_it_grows_fast() {
    let mut algorithm = start_nscc(Nscc::default(), 100);
    window_of(&mut algorithm, 100.0);
    acknowledge(
        &mut algorithm,
        &ack(MICROSECOND, 100, Picoseconds::ZERO, false),
    );
    let previous_window = algorithm.window().unwrap();
    // The growth of a packet's delay below 1 us is that of the rule below the target.
    close(
        Some(previous_window),
        100_000.0 + 100_000.0 * 4.0 * 1_000.0 * 0.75 / 100_000.0,
    );
    acknowledge(&mut algorithm, &ack(MICROSECOND, 8, MICROSECOND / 2, false));
    close(algorithm.window(), previous_window + 2_000.0);
    // A delay ends it: 8 us are missing to the target.
    acknowledge(&mut algorithm, &ack(MICROSECOND, 8, MICROSECOND, false));
    let fast = previous_window + 2_000.0;
    close(
        algorithm.window(),
        fast + 8_000.0 * 4.0 * 1_000.0 * (8.0 / 12.0) / fast,
    );
}

/// Few bytes were acknowledged in a period: they become the window, and marks are ignored until the ACKs of the bytes in
/// flight.
#[test]
fn quick_adapt() {
    let trimmed = Loss::Trimmed {
        psn: 0,
        next: 0,
        outstanding: 6,
        last_hop: false,
    };
    let mut algorithm = start_nscc(Nscc::default(), 100);
    // The first trim only begins a period of RTT and target, and takes its packet off.
    algorithm.on_loss(MICROSECOND, trimmed);
    close(algorithm.window(), MOST - 1_000.0);
    acknowledge(
        &mut algorithm,
        &ack(2 * MICROSECOND, 7, 9 * MICROSECOND, true),
    );
    let end = MICROSECOND + 21 * MICROSECOND;
    algorithm.on_loss(end - Picoseconds(1), trimmed);
    close(algorithm.window(), MOST - 2_000.0);
    algorithm.on_loss(end, trimmed);
    close(algorithm.window(), 7_000.0);
    // Six packets were in flight, and one is this; marked ones until then change nothing.
    acknowledge(&mut algorithm, &ack(end + BASE, 4, 30 * MICROSECOND, true));
    close(algorithm.window(), 7_000.0);

    // Where more than an eighth of the largest window got through, it stays.
    let mut algorithm = start_nscc(Nscc::default(), 100);
    algorithm.on_loss(MICROSECOND, trimmed);
    acknowledge(
        &mut algorithm,
        &ack(2 * MICROSECOND, 29, 9 * MICROSECOND, true),
    );
    algorithm.on_loss(end, trimmed);
    close(algorithm.window(), MOST - 2_000.0);
}

#[test]
fn a_timeout_leaves_one_packet() {
    let mut algorithm = start_nscc(Nscc::default(), 100);
    algorithm.on_loss(Picoseconds::ZERO, Loss::Timeout { next: 9 });
    assert_eq!(algorithm.window(), Some(1_000.0));
    algorithm.on_loss(Picoseconds::ZERO, Loss::Gap { until: 0, next: 9 });
    assert_eq!(algorithm.window(), Some(1_000.0));
}

#[test]
fn parameters_that_do_not_fit() {
    let wrong = Parameters::Nscc(Nscc {
        config_base_rtt_ns: Some(Nanoseconds(0)),
        target_qdelay_ns: Some(Nanoseconds(0)),
        max_wnd_bdp: 0.0,
        gamma: 1.1,
        max_md_jump: 0.0,
        fi_packets: f64::NAN,
        qa_gate: 33,
        qa_threshold: Some(-1.0),
        rcv_cwnd_pend: 128,
        path_entropy_size: 0,
        ..Nscc::default()
    });
    let refused = wrong.check("congestion", GIGABIT).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "congestion.config_base_rtt_ns: found 0, expected at least 1\n\
         congestion.target_qdelay_ns: found 0, expected at least 1\n\
         congestion.max_wnd_bdp: found 0, expected above 0 and at most 1,000\n\
         congestion.gamma: found 1.1, expected above 0 and at most 1\n\
         congestion.max_md_jump: found 0, expected above 0 and at most 1\n\
         congestion.fi_packets: found no number, expected above 0 and at most 1,000\n\
         congestion.qa_gate: found 33, expected 0 to 32\n\
         congestion.qa_threshold: found -1, expected above 0 and at most 1,000\n\
         congestion.rcv_cwnd_pend: found 128, expected 0 to 127\n\
         congestion.path_entropy_size: found 0, expected 1 to 16,384"
    );
}

/// By this number of 128ths of the acknowledged bytes, from at most the bytes in flight; and no growth meanwhile.
#[test]
fn a_receiver_that_cannot_keep_up() {
    let acknowledge = |algorithm: &mut Algorithm, rcv_cwnd_pend, packets| {
        let ack = Ack {
            outstanding: 100,
            ..ack(5 * MICROSECOND, packets, 3 * MICROSECOND, false)
        };
        let penalty = Penalty {
            rcv_cwnd_pend,
            restore_cwnd: true,
        };
        algorithm.on_ack(&ack, &[], penalty);
    };
    let mut algorithm = start_nscc(Nscc::default(), 100);
    window_of(&mut algorithm, 120.0);
    acknowledge(&mut algorithm, 64, 8);
    close(algorithm.window(), 100_000.0 - 4_000.0);
    acknowledge(&mut algorithm, 32, 4);
    close(algorithm.window(), 96_000.0 - 1_000.0);
    acknowledge(&mut algorithm, 127, 4);
    close(algorithm.window(), 95_000.0 - 4_000.0 * 127.0 / 128.0);
    // 64 in every ACK of a round trip halves the window (UE specification); the minimum is one packet.
    let mut halved = start_nscc(Nscc::default(), 100);
    window_of(&mut halved, 100.0);
    for _ in 0..100 {
        acknowledge(&mut halved, 64, 1);
    }
    close(halved.window(), 50_000.0);
    acknowledge(&mut algorithm, 127, 200);
    assert_eq!(algorithm.window(), Some(1_000.0));
    // It can again: what the window was before, and then what this acknowledgement adds.
    acknowledge(&mut algorithm, 0, 0);
    close(algorithm.window(), 120_000.0);
    acknowledge(&mut algorithm, 0, 0);
    close(algorithm.window(), 120_000.0);
}

/// Without the receiver's leave to restore it, the window grows back by the rules for all.
#[test]
fn a_window_that_is_not_restored() {
    let acknowledge = |algorithm: &mut Algorithm, rcv_cwnd_pend| {
        let ack = Ack {
            outstanding: 100,
            ..ack(5 * MICROSECOND, 8, 6 * MICROSECOND, false)
        };
        let penalty = Penalty {
            rcv_cwnd_pend,
            restore_cwnd: false,
        };
        algorithm.on_ack(&ack, &[], penalty);
    };
    let mut algorithm = start_nscc(Nscc::default(), 100);
    window_of(&mut algorithm, 100.0);
    acknowledge(&mut algorithm, 64);
    close(algorithm.window(), 96_000.0);
    acknowledge(&mut algorithm, 0);
    // 3 us are missing to the target; what came with the penalty counts for the adjustment alone.
    let grown = 8_000.0 * 4.0 * 1_000.0 * (3.0 / 12.0) / 96_000.0;
    close(algorithm.window(), 96_000.0 + grown);
}
