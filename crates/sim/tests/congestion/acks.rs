//! ACK-driven algorithms: their arithmetic, computed by hand from the formulas of the papers.

use super::{acknowledge, GIGABIT};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::Hop;
use wirespeed_sim::congestion::{dctcp, hpcc, swift, timely};
use wirespeed_sim::congestion::{Ack, Algorithm, CongestionControl, Loss, Parameters, Penalty};
use wirespeed_sim::ids::PortId;
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND};

const PACKET: u32 = 1000;

fn start_algorithm(parameters: Parameters, gigabits: u64) -> Algorithm {
    assert_eq!(parameters.check("congestion", gigabits * GIGABIT), Ok(()));
    parameters
        .prepare()
        .start(gigabits * GIGABIT, Bytes(PACKET))
}

/// An ACK of everything before packet `until`; with `next` the window in flight.
fn ack(bytes: u32, until: u32, next: u32) -> Ack {
    Ack {
        now: Picoseconds::ZERO,
        bytes: Bytes(bytes),
        until,
        next,
        outstanding: next - until,
        rtt: Some(10 * MICROSECOND),
        marked: false,
    }
}

fn close(found: Option<f64>, expected: f64) {
    let found = found.expect("a number");
    assert!((found / expected - 1.0).abs() < 1e-9, "{found}, {expected}");
}

#[test]
fn dctcp_by_hand() {
    let mut algorithm = start_algorithm(Parameters::Dctcp(dctcp::Parameters::default()), 100);
    assert_eq!(
        (algorithm.window(), algorithm.rate(Picoseconds::ZERO)),
        (Some(10_000.0), None)
    );
    // Slow start: a window acknowledged is a window more. Nothing of it was marked: alpha keeps 15/16.
    acknowledge(&mut algorithm, &ack(10_000, 10, 20));
    assert_eq!(
        (algorithm.window(), algorithm.alpha(Picoseconds::ZERO)),
        (Some(20_000.0), Some(15.0 / 16.0))
    );
    assert_eq!(algorithm.throughput(Picoseconds::ZERO), Some(16e9));
    // All of the next window is marked: alpha = 15/16 * 15/16 + 1/16, and half of that is cut.
    let marked = Ack {
        marked: true,
        ..ack(10_000, 21, 41)
    };
    acknowledge(&mut algorithm, &marked);
    let alpha: f64 = 225.0 / 256.0 + 16.0 / 256.0;
    assert_eq!(algorithm.alpha(Picoseconds::ZERO), Some(alpha));
    let window = 20_000.0 * (1.0 - alpha / 2.0);
    assert_eq!(algorithm.window(), Some(window));
    // Once per window, and a marked ACK does not raise the window.
    acknowledge(
        &mut algorithm,
        &Ack {
            marked: true,
            ..ack(5_000, 41, 51)
        },
    );
    assert_eq!(algorithm.window(), Some(window));
    // Congestion avoidance: a packet more per window acknowledged. 5 of 11 packets of this one were marked.
    acknowledge(&mut algorithm, &ack(6_000, 47, 57));
    assert_eq!(algorithm.window(), Some(window + 1000.0 * 6000.0 / window));
    close(
        algorithm.alpha(Picoseconds::ZERO),
        15.0 / 16.0 * alpha + 1.0 / 16.0 * 5.0 / 11.0,
    );
}

#[test]
fn dctcp_grows_only_while_the_window_holds_it_back() {
    let mut algorithm = start_algorithm(Parameters::Dctcp(dctcp::Parameters::default()), 100);
    // 4 packets of 10 were in flight, then 5.
    acknowledge(&mut algorithm, &ack(1_000, 1, 4));
    assert_eq!(algorithm.window(), Some(10_000.0));
    acknowledge(&mut algorithm, &ack(1_000, 2, 6));
    assert_eq!(algorithm.window(), Some(11_000.0));
}

#[test]
fn dctcp_floor_and_losses() {
    let mut algorithm = start_algorithm(Parameters::Dctcp(dctcp::Parameters::default()), 100);
    algorithm.on_loss(Picoseconds::ZERO, Loss::Gap { until: 3, next: 12 });
    assert_eq!(algorithm.window(), Some(5_000.0));
    // The same window of packets lost another.
    algorithm.on_loss(Picoseconds::ZERO, Loss::Gap { until: 7, next: 12 });
    assert_eq!(algorithm.window(), Some(5_000.0));
    for until in 0..5 {
        acknowledge(
            &mut algorithm,
            &Ack {
                marked: true,
                ..ack(1_000, 13 + until, 13 + until)
            },
        );
    }
    assert_eq!(algorithm.window(), Some(2_000.0));
    algorithm.on_loss(Picoseconds::ZERO, Loss::Timeout { next: 20 });
    assert_eq!(algorithm.window(), Some(1_000.0));
    // Slow start up to half of the earlier window, which is the floor.
    acknowledge(&mut algorithm, &ack(1_000, 21, 21));
    acknowledge(&mut algorithm, &ack(1_000, 22, 22));
    assert_eq!(algorithm.window(), Some(2_500.0));
}

/// 100 Gb/s are 12,500 bytes in a microsecond.
fn hop(microsecond: u64, sent_bytes: u64, queue_bytes: u32) -> Hop {
    Hop {
        port: PortId(7),
        queue_bytes: Bytes(queue_bytes),
        time: microsecond * MICROSECOND,
        sent_bytes: Bytes(sent_bytes),
        rate: 100 * GIGABIT,
    }
}

#[test]
fn hpcc_by_hand() {
    // T = 10 us: 125,000 bytes in flight at line rate.
    let parameters = hpcc::Parameters {
        base_rtt_ns: Nanoseconds(10_000),
        ..hpcc::Parameters::default()
    };
    let mut algorithm = start_algorithm(Parameters::Hpcc(parameters), 100);
    assert_eq!(
        (algorithm.window(), algorithm.rate(Picoseconds::ZERO)),
        (Some(125_000.0), Some(100e9))
    );
    let acknowledge = |algorithm: &mut Algorithm, hop: Hop, until, next| {
        algorithm.on_ack(&ack(1000, until, next), &[hop], Penalty::default());
        algorithm.window().unwrap()
    };
    // The first ACK changes nothing: a rate needs two.
    assert_eq!(
        acknowledge(&mut algorithm, hop(100, 1_000_000, 50_000), 1, 10),
        125_000.0
    );
    // A full link for one T, and a fifth of T's bytes at least in the queue: u = 1.2.
    let first = acknowledge(&mut algorithm, hop(110, 1_125_000, 25_000), 2, 20);
    close(Some(first), 125_000.0 / (1.2 / 0.95) + 80.0);
    close(algorithm.rate(Picoseconds::ZERO), first * 8.0 / 10e-6);
    // Half of T at half of the rate: U = 0.6 + 0.25, below 0.95. Not a new window yet: W_c stays.
    let second = acknowledge(&mut algorithm, hop(115, 1_156_250, 0), 20, 25);
    close(Some(second), first + 80.0);
    // 0.425 + 0.25 = 0.675: the next window; four more make five additive steps.
    let mut until = 21;
    for step in 1..=5 {
        let now = 115 + 5 * step;
        let window = acknowledge(
            &mut algorithm,
            hop(now, 1_156_250 + 31_250 * step, 0),
            until,
            until,
        );
        close(Some(window), first + 80.0 * step as f64);
        until += 1;
    }
    // After them the sixth is multiplicative. U halves its distance to 0.5 with each: 0.5 + 0.35 / 2^6.
    let sixth = acknowledge(
        &mut algorithm,
        hop(145, 1_156_250 + 31_250 * 6, 0),
        until,
        until,
    );
    let expected = (first + 400.0) / ((0.5 + 0.35 / 64.0) / 0.95) + 80.0;
    close(Some(sixth), expected.min(125_000.0));
}

/// An ACK that others overtook carries old telemetry: it changes nothing, and the next is not measured against it.
#[test]
fn hpcc_does_not_go_back_in_time() {
    let parameters = hpcc::Parameters {
        base_rtt_ns: Nanoseconds(10_000),
        ..hpcc::Parameters::default()
    };
    let windows = |microseconds: &[u64]| {
        let mut algorithm = start_algorithm(Parameters::Hpcc(parameters.clone()), 100);
        let windows = (1..).zip(microseconds).map(|(until, microsecond)| {
            algorithm.on_ack(
                &ack(1000, until, until),
                &[hop(*microsecond, microsecond * 6_000, 0)],
                Penalty::default(),
            );
            algorithm.window().unwrap()
        });
        windows.collect::<Vec<_>>()
    };
    let expected = windows(&[100, 110, 120]);
    let found = windows(&[100, 110, 105, 99, 120]);
    assert_eq!(found[..2], expected[..2]);
    assert_eq!(found[2..4], [expected[1]; 2]);
    // The stage is that of the packets acknowledged, of which there were more; what is measured is the same.
    assert_eq!(found[4], expected[2]);
}

#[test]
fn hpcc_takes_the_fullest_link_and_restarts_on_another_path() {
    let parameters = hpcc::Parameters {
        base_rtt_ns: Nanoseconds(10_000),
        ..hpcc::Parameters::default()
    };
    let mut algorithm = start_algorithm(Parameters::Hpcc(parameters), 100);
    let other = |microsecond, sent_bytes| Hop {
        port: PortId(9),
        rate: 400 * GIGABIT,
        ..hop(microsecond, sent_bytes, 0)
    };
    algorithm.on_ack(
        &ack(1000, 1, 5),
        &[hop(0, 0, 0), other(0, 0)],
        Penalty::default(),
    );
    // 100 of 100 Gb/s; 200 of 400 Gb/s.
    let hops = [hop(10, 125_000, 0), other(10, 250_000)];
    algorithm.on_ack(&ack(1000, 2, 6), &hops, Penalty::default());
    close(algorithm.window(), 125_000.0 * 0.95 + 80.0);
    let window = algorithm.window();
    algorithm.on_ack(
        &ack(1000, 9, 9),
        &[hop(20, 900_000, 90_000)],
        Penalty::default(),
    );
    acknowledge(&mut algorithm, &ack(1000, 10, 10));
    assert_eq!(algorithm.window(), window);
}

#[test]
fn swift_by_hand() {
    let parameters = swift::Parameters {
        initial_window_packets: 12.0,
        ..swift::Parameters::default()
    };
    let mut algorithm = start_algorithm(Parameters::Swift(parameters), 100);
    let window_after = |algorithm: &mut Algorithm, now: Picoseconds, rtt: Picoseconds| {
        let acknowledgement = Ack {
            now,
            rtt: Some(rtt),
            ..ack(3 * PACKET, 10, 30)
        };
        acknowledge(algorithm, &acknowledgement);
        algorithm.window().unwrap() / f64::from(PACKET)
    };
    // Below the target: 3 packets acknowledged of a window of 12.
    close(
        Some(window_after(
            &mut algorithm,
            Picoseconds::ZERO,
            20 * MICROSECOND,
        )),
        12.25,
    );
    // The target of 12.25 packets: alpha = 100 us / (1/sqrt(0.1) - 1/sqrt(100)), and
    // 20 us + alpha / sqrt(12.25) - alpha / sqrt(100), sqrt(12.25) = 3.5.
    let alpha = 100.0 / (10.0_f64.sqrt() - 0.1);
    let target = 20.0 + alpha / 3.5 - alpha / 10.0;
    let left = 1.0 - 0.8 * (40.0 - target) / 40.0;
    let cut = 12.25 * left;
    close(
        Some(window_after(&mut algorithm, MICROSECOND, 40 * MICROSECOND)),
        cut,
    );
    // Once per RTT ...
    close(
        Some(window_after(
            &mut algorithm,
            40 * MICROSECOND,
            40 * MICROSECOND,
        )),
        cut,
    );
    // ... and never by more than half.
    close(
        Some(window_after(
            &mut algorithm,
            901 * MICROSECOND,
            900 * MICROSECOND,
        )),
        cut / 2.0,
    );
    assert_eq!(algorithm.rate(Picoseconds::ZERO), None);
}

#[test]
fn swift_paces_a_window_below_one_packet() {
    let parameters = swift::Parameters {
        initial_window_packets: 0.5,
        ..swift::Parameters::default()
    };
    let mut algorithm = start_algorithm(Parameters::Swift(parameters), 100);
    assert_eq!(algorithm.rate(Picoseconds::ZERO), None);
    // The target of 0.5 packets is 20 us + 32.66 us * (1.414 - 0.1) = 62.9 us.
    acknowledge(
        &mut algorithm,
        &Ack {
            rtt: Some(60 * MICROSECOND),
            ..ack(PACKET, 1, 1)
        },
    );
    // A packet acknowledged is one packet more: 1.5 are not paced.
    assert_eq!(
        (algorithm.window(), algorithm.rate(Picoseconds::ZERO)),
        (Some(1_500.0), None)
    );
    algorithm.on_loss(Picoseconds::ZERO, Loss::Gap { until: 1, next: 1 });
    assert_eq!(algorithm.window(), Some(750.0));
    close(algorithm.rate(Picoseconds::ZERO), 750.0 * 8.0 / 60e-6);
    for _ in 0..5 {
        algorithm.on_loss(MICROSECOND, Loss::Timeout { next: 1 });
    }
    assert_eq!(algorithm.window(), Some(2.5));
}

#[test]
fn timely_by_hand() {
    let parameters = timely::Parameters {
        alpha: 1.0, // the newest difference alone
        hyperactive_after: 3,
        ..timely::Parameters::default()
    };
    let mut algorithm = start_algorithm(Parameters::Timely(parameters), 10);
    assert_eq!(
        (algorithm.rate(Picoseconds::ZERO), algorithm.window()),
        (Some(10e9), None)
    );
    // A packet takes 0.8 us of the sender's link.
    let mut rate_after = |rtt_ns: u64| {
        let rtt = Some(Picoseconds::from_nanoseconds(rtt_ns + 800));
        acknowledge(
            &mut algorithm,
            &Ack {
                rtt,
                ..ack(64_000, 1, 1)
            },
        );
        algorithm.rate(Picoseconds::ZERO).unwrap()
    };
    // Above T_high: 1 - 0.8 (1 - 500/1000) = 0.6.
    close(Some(rate_after(1_000_000)), 6e9);
    // Falling: 10 Mb/s, 10 Mb/s, and from the third time on three times as much.
    close(Some(rate_after(300_000)), 6.01e9);
    close(Some(rate_after(200_000)), 6.02e9);
    close(Some(rate_after(200_000)), 6.05e9);
    // Rising by 5 us, a quarter of the 20 us: 1 - 0.8 * 0.25.
    close(Some(rate_after(205_000)), 6.05e9 * 0.8);
    close(Some(rate_after(204_000)), 6.05e9 * 0.8 + 10e6);
    // Below T_low, although it rises later on.
    close(Some(rate_after(20_000)), 6.05e9 * 0.8 + 20e6);
    close(Some(rate_after(49_000)), 6.05e9 * 0.8 + 30e6);
    // More than all of it: the floor, a hundredth of line rate.
    close(Some(rate_after(499_000)), 100e6);
}

#[test]
fn timely_takes_one_rtt_per_segment() {
    let mut algorithm = start_algorithm(Parameters::Timely(timely::Parameters::default()), 10);
    let slow = Ack {
        rtt: Some(1000 * MICROSECOND),
        ..ack(1000, 1, 1)
    };
    for _ in 0..63 {
        acknowledge(&mut algorithm, &slow);
        assert_eq!(algorithm.rate(Picoseconds::ZERO), Some(10e9));
    }
    // Without an RTT the segment continues.
    acknowledge(&mut algorithm, &Ack { rtt: None, ..slow });
    assert_eq!(algorithm.rate(Picoseconds::ZERO), Some(10e9));
    acknowledge(&mut algorithm, &slow);
    assert!(algorithm.rate(Picoseconds::ZERO) < Some(10e9));
}

#[test]
fn parameters_that_do_not_fit() {
    let rows = [
        (
            Parameters::Dctcp(dctcp::Parameters {
                g: 0.0,
                initial_alpha: 1.5,
                initial_window_packets: 0,
                min_window_packets: 0,
            }),
            "congestion.g: found 0, expected above 0 and at most 1\n\
             congestion.initial_alpha: found 1.5, expected 0 to 1\n\
             congestion.initial_window_packets: found 0, expected at least 1\n\
             congestion.min_window_packets: found 0, expected at least 1",
        ),
        (
            Parameters::Timely(timely::Parameters {
                t_low_ns: Nanoseconds(500_001),
                min_rtt_ns: Nanoseconds(0),
                alpha: 0.0,
                beta: 1.1,
                hyperactive_after: 0,
                segment_bytes: Bytes(0),
                min_rate_bps: Some(25 * GIGABIT + 1),
                ..timely::Parameters::default()
            }),
            "congestion.min_rtt_ns: found 0, expected at least 1\n\
             congestion.alpha: found 0, expected above 0 and at most 1\n\
             congestion.beta: found 1.1, expected above 0 and at most 1\n\
             congestion.hyperactive_after: found 0, expected at least 1\n\
             congestion.segment_bytes: found 0, expected at least 1\n\
             congestion.t_high_ns: found 500000, expected at least t_low_ns, 500001\n\
             congestion.min_rate_bps: found 25000000001, expected 1 to 25000000000, the line rate",
        ),
        (
            Parameters::Swift(swift::Parameters {
                base_target_ns: Nanoseconds(0),
                fs_min_window_packets: 0.0,
                fs_max_window_packets: 0.0,
                additive_packets: f64::INFINITY,
                beta: 0.0,
                max_mdf: 1.0,
                initial_window_packets: 0.5,
                min_window_packets: 1.0,
                max_window_packets: 0.5,
                ..swift::Parameters::default()
            }),
            "congestion.base_target_ns: found 0, expected at least 1\n\
             congestion.fs_min_window_packets: found 0, expected above 0\n\
             congestion.fs_max_window_packets: found 0, expected above fs_min_window_packets, 0\n\
             congestion.additive_packets: found no number, expected above 0\n\
             congestion.beta: found 0, expected above 0 and at most 1\n\
             congestion.max_mdf: found 1, expected above 0 and below 1\n\
             congestion.max_window_packets: found 0.5, expected at least min_window_packets, 1\n\
             congestion.initial_window_packets: found 0.5, expected at least min_window_packets, 1",
        ),
        (
            Parameters::Hpcc(hpcc::Parameters {
                target_percent: 101,
                additive_bytes: Bytes(0),
                base_rtt_ns: Nanoseconds(0),
                header_bytes: Bytes(1001),
                ..hpcc::Parameters::default()
            }),
            "congestion.target_percent: found 101, expected 1 to 100\n\
             congestion.additive_bytes: found 0, expected at least 1\n\
             congestion.base_rtt_ns: found 0, expected at least 1\n\
             congestion.header_bytes: found 1001, expected 0 to 1,000",
        ),
    ];
    for (parameters, expected) in rows {
        let refused = parameters.check("congestion", 25 * GIGABIT).unwrap_err();
        assert_eq!(refused.to_string(), expected);
    }
}
