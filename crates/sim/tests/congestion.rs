//! Congestion control, seen from a queue pair.

mod support;

#[path = "congestion/ack_properties.rs"]
mod ack_properties;
#[path = "congestion/acks.rs"]
mod acks;
#[path = "congestion/arbitrary_order.rs"]
mod arbitrary_order;
#[path = "congestion/broadcom.rs"]
mod broadcom;
#[path = "congestion/naive.rs"]
mod naive;
#[path = "congestion/nscc.rs"]
mod nscc;
#[path = "congestion/rccc.rs"]
mod rccc;

use arbitrary_order::arbitrary_order;
use proptest::prelude::*;
use support::draws;
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::dcqcn::Parameters as Published;
use wirespeed_sim::congestion::dcqcn_nvidia::Parameters as Nvidia;
use wirespeed_sim::congestion::{names, Ack, Algorithm, CongestionControl, Parameters, Penalty};
use wirespeed_sim::model::preset;
use wirespeed_sim::time::{Microseconds, Nanoseconds, Picoseconds, MICROSECOND, SECOND};

const GIGABIT: u64 = 1_000_000_000;
const MTU: u32 = 4096;

/// An ACK without telemetry of switches and without a penalty.
fn acknowledge(algorithm: &mut Algorithm, ack: &Ack) {
    algorithm.on_ack(ack, &[], Penalty::default());
}

fn start_published(parameters: Published, gigabits: u64) -> Algorithm {
    let parameters = Parameters::Dcqcn(parameters);
    assert_eq!(parameters.check("congestion", gigabits * GIGABIT), Ok(()));
    parameters.prepare().start(gigabits * GIGABIT, Bytes(MTU))
}

fn nvidia(parameters: Nvidia, gigabits: u64) -> Algorithm {
    let parameters = Parameters::DcqcnNvidia(parameters);
    assert_eq!(parameters.check("congestion", gigabits * GIGABIT), Ok(()));
    parameters.prepare().start(gigabits * GIGABIT, Bytes(MTU))
}

/// The values that the public HPCC ns-3 model runs with at 100 Gb/s.
fn ns3() -> Nvidia {
    match preset::by_name("hpcc").unwrap().congestion {
        Parameters::DcqcnNvidia(parameters) => parameters,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_name_is_an_algorithm() {
    for name in names() {
        let text = format!(r#"{{"algorithm": "{name}"}}"#);
        let parameters: Parameters = serde_json::from_str(&text).unwrap();
        let written = serde_json::to_value(&parameters).unwrap();
        assert_eq!(written["algorithm"], name);
        assert_eq!(parameters.check("congestion", 100 * GIGABIT), Ok(()));
    }
    // One that is not among them would be named here.
    let refused = serde_json::from_str::<Parameters>(r#"{"algorithm": ""}"#).unwrap_err();
    assert_eq!(
        refused.to_string().matches('`').count(),
        2 * (names().len() + 1)
    );
}

#[test]
fn no_limiter_stands_before_the_first_notification() {
    let rows = [
        Parameters::NONE,
        Parameters::Dcqcn(Published::default()),
        Parameters::DcqcnNvidia(Nvidia::default()),
    ];
    for parameters in rows {
        let mut algorithm = parameters.prepare().start(40 * GIGABIT, Bytes(MTU));
        algorithm.on_sent(Picoseconds::ZERO, Bytes(1_000_000_000));
        assert_eq!(algorithm.rate(SECOND), None);
        assert_eq!(algorithm.peek(SECOND), None);
        assert_eq!(algorithm.alpha(SECOND), None);
        algorithm.on_cnp(SECOND);
        let limited = parameters != Parameters::NONE;
        assert_eq!(algorithm.rate(SECOND).is_some(), limited);
    }
}

#[test]
fn published_fast_recovery_and_additive_increase() {
    // One notification: the target is line rate and stays it. Two at once: the target is 20 Gb/s, and the sixth
    // increase is the first that raises it.
    let rows = [
        (1, [20e9, 30e9, 35e9, 37.5e9, 38.75e9, 39.375e9, 39.6875e9]),
        (
            2,
            [
                10e9,
                15e9,
                17.5e9,
                18.75e9,
                19.375e9,
                19.6875e9,
                19.863_75e9,
            ],
        ),
    ];
    for (notifications, rates) in rows {
        let mut algorithm = start_published(Published::default(), 40);
        for _ in 0..notifications {
            algorithm.on_cnp(Picoseconds(7));
        }
        for (n, rate) in (0..).zip(rates) {
            let due = Picoseconds(7) + n * 55 * MICROSECOND;
            if n > 0 {
                assert_ne!(algorithm.rate(due - Picoseconds(1)), Some(rate));
            }
            assert_eq!(algorithm.peek(due), Some(rate));
            assert_eq!(algorithm.rate(due), Some(rate));
        }
    }
}

#[test]
fn published_alpha_decays_by_its_timer() {
    for (periods, alpha) in [
        (0, 1.0),
        (1, 255.0 / 256.0),
        (177, 0.500_193),
        (178, 0.498_239),
    ] {
        let mut algorithm = start_published(Published::default(), 40);
        algorithm.on_cnp(Picoseconds::ZERO);
        let due = periods * 55 * MICROSECOND;
        assert!(
            (algorithm.alpha(due).unwrap() - alpha).abs() < 1e-6,
            "{periods}: {:?}",
            algorithm.alpha(due)
        );
        assert_eq!(
            algorithm.alpha(due),
            algorithm.alpha(due + 55 * MICROSECOND - Picoseconds(1))
        );
    }
}

#[test]
fn published_cut_by_alpha_before_or_after_it_is_raised() {
    let kept = 255.0 / 256.0;
    for (alpha_before_cut, by) in [(false, kept), (true, kept * kept + 1.0 / 256.0)] {
        let mut algorithm = start_published(
            Published {
                alpha_before_cut,
                ..Published::default()
            },
            40,
        );
        algorithm.on_cnp(Picoseconds::ZERO);
        algorithm.on_cnp(55 * MICROSECOND);
        // The increase that was due came first, and its rate is the new target.
        assert_eq!(
            algorithm.rate(55 * MICROSECOND),
            Some(30e9 * (1.0 - by / 2.0))
        );
        assert_eq!(
            algorithm.rate(110 * MICROSECOND),
            Some((30e9 * (1.0 - by / 2.0) + 30e9) / 2.0)
        );
    }
}

#[test]
fn published_byte_counter_keeps_what_is_over() {
    let mut algorithm = start_published(Published::default(), 40);
    algorithm.on_cnp(Picoseconds::ZERO);
    let rows = [
        (9_999_999, 20e9),
        (1, 30e9),
        (15_000_000, 35e9),
        (4_999_999, 35e9),
        (1, 37.5e9),
        (20_000_000, 39.375e9),
    ];
    for (bytes, rate) in rows {
        algorithm.on_sent(Picoseconds(1), Bytes(bytes));
        assert_eq!(algorithm.rate(Picoseconds(1)), Some(rate), "{bytes}");
    }
    // A notification starts the counter anew.
    algorithm.on_sent(Picoseconds(1), Bytes(9_999_999));
    algorithm.on_cnp(Picoseconds(2));
    let cut = algorithm.rate(Picoseconds(2));
    algorithm.on_sent(Picoseconds(2), Bytes(9_999_999));
    assert_eq!(algorithm.rate(Picoseconds(2)), cut);

    let by_time_only = Published {
        byte_counter_bytes: None,
        ..Published::default()
    };
    let mut algorithm = start_published(by_time_only, 40);
    algorithm.on_cnp(Picoseconds::ZERO);
    algorithm.on_sent(Picoseconds(1), Bytes(u32::MAX));
    assert_eq!(algorithm.rate(Picoseconds(1)), Some(20e9));
}

#[test]
fn published_hyper_increase_needs_both_counters() {
    let parameters = Published {
        fast_recovery_times: 0,
        rai_bps: 1_000_000,
        rhai_bps: Some(64_000_000),
        byte_counter_bytes: Some(Bytes(1000)),
        ..Published::default()
    };
    // (bytes sent before the second expiry of the timer, rise of the target at that expiry)
    for (bytes, rise) in [(0, 1e6), (999, 1e6), (1000, 64e6)] {
        let mut algorithm = start_published(parameters.clone(), 40);
        algorithm.on_cnp(Picoseconds::ZERO);
        algorithm.on_cnp(Picoseconds::ZERO);
        let mut target = 20e9 + 1e6;
        let mut rate = (10e9 + target) / 2.0;
        assert_eq!(algorithm.rate(55 * MICROSECOND), Some(rate));
        algorithm.on_sent(56 * MICROSECOND, Bytes(bytes));
        if bytes >= 1000 {
            target += 1e6;
            rate = (rate + target) / 2.0;
        }
        target += rise;
        rate = (rate + target) / 2.0;
        assert_eq!(algorithm.rate(110 * MICROSECOND), Some(rate), "{bytes}");
    }
}

#[test]
fn no_cut_goes_below_the_minimum_rate() {
    let mut algorithm = start_published(Published::default(), 40);
    for _ in 0..20 {
        algorithm.on_cnp(Picoseconds::ZERO);
    }
    assert_eq!(algorithm.rate(Picoseconds::ZERO), Some(40e6));

    let mut algorithm = nvidia(ns3(), 100);
    for n in 0..20 {
        algorithm.on_cnp(n * 4 * MICROSECOND);
    }
    assert_eq!(algorithm.rate(80 * MICROSECOND), Some(1e9));
}

#[test]
fn a_rate_climbs_to_line_rate_and_stays_there() {
    let rows = [
        start_published(Published::default(), 40),
        nvidia(Nvidia::default(), 40),
    ];
    for mut algorithm in rows {
        algorithm.on_cnp(Picoseconds::ZERO);
        assert_eq!(algorithm.rate(SECOND), Some(40e9));
        algorithm.on_sent(SECOND, Bytes(u32::MAX));
        assert_eq!(algorithm.rate(10_000_000 * SECOND), Some(40e9));
        // Nothing is left of alpha, so the next notification cuts nothing.
        algorithm.on_cnp(10_000_000 * SECOND);
        assert_eq!(algorithm.rate(10_000_000 * SECOND), Some(40e9));
    }
}

#[test]
fn nvidia_alpha_comes_before_the_cut_and_the_first_notification_does_not_raise_it() {
    let kept = 255.0 / 256.0;
    let mut algorithm = nvidia(ns3(), 100);
    algorithm.on_cnp(Picoseconds::ZERO);
    assert_eq!(
        algorithm.rate(4 * MICROSECOND - Picoseconds(1)),
        Some(100e9)
    );
    let first = kept * kept * kept * kept;
    assert_eq!(algorithm.alpha(4 * MICROSECOND), Some(first));
    let cut = 100e9 * (1.0 - first / 2.0);
    assert_eq!(algorithm.rate(4 * MICROSECOND), Some(cut));

    // At 5 us, after the period of alpha that ended at 5 us: the period that ends at 6 us contains it. The cut is at 8 us.
    algorithm.on_cnp(5 * MICROSECOND);
    algorithm.on_cnp(5 * MICROSECOND + Picoseconds(1));
    let second = (kept * (first * kept) + 1.0 / 256.0) * kept * kept;
    assert_eq!(algorithm.rate(8 * MICROSECOND - Picoseconds(1)), Some(cut));
    assert_eq!(algorithm.alpha(8 * MICROSECOND), Some(second));
    let cut = cut * (1.0 - second / 2.0);
    assert_eq!(algorithm.rate(8 * MICROSECOND), Some(cut));

    // No increase since the first cut, so the target is still line rate.
    let increase = 308 * MICROSECOND;
    assert_eq!(algorithm.rate(increase - Picoseconds(1)), Some(cut));
    assert_eq!(algorithm.rate(increase), Some((cut + 100e9) / 2.0));
}

#[test]
fn nvidia_stages_of_the_increase() {
    // At 1 ms a cut of a rate that climbed meanwhile: it is the target from then on.
    let mut algorithm = nvidia(ns3(), 100);
    algorithm.on_cnp(Picoseconds::ZERO);
    algorithm.on_cnp(1000 * MICROSECOND);
    let mut target = algorithm.rate(1003 * MICROSECOND).unwrap();
    let mut rate = algorithm.rate(1004 * MICROSECOND).unwrap();
    assert!(rate < target && target < 99e9);
    for (stage, rise) in [(1, 0.0), (2, 20e6), (3, 200e6), (4, 200e6)] {
        let due = (1004 + stage * 300) * MICROSECOND;
        assert_eq!(algorithm.rate(due - Picoseconds(1)), Some(rate));
        target += rise;
        rate = (rate + target) / 2.0;
        assert_eq!(algorithm.rate(due), Some(rate), "{stage}");
    }
}

#[test]
fn nvidia_target_at_a_cut() {
    // (clamp always, clamp after the timer, bytes sent before the second cut, when that is due, target clamped)
    let rows = [
        (false, false, 0, 8, false),
        (false, true, 0, 8, false),
        (true, false, 0, 8, true),
        (false, false, 4096, 8, true),
        (false, false, 0, 308, false),
        (false, true, 0, 308, true),
        // The increase of the same instant comes before the cut.
        (false, true, 0, 304, true),
        (false, true, 0, 300, false),
    ];
    for (always, after_time, bytes, cut_at, clamped) in rows {
        let parameters = Nvidia {
            clamp_tgt_rate: always,
            clamp_tgt_rate_after_time_inc: after_time,
            rpg_byte_reset_bytes: Bytes(4096),
            ..ns3()
        };
        let mut algorithm = nvidia(parameters, 100);
        algorithm.on_cnp(Picoseconds::ZERO);
        algorithm.on_sent(5 * MICROSECOND, Bytes(bytes));
        algorithm.on_cnp((cut_at - 1) * MICROSECOND);
        let mut previous_rate = algorithm
            .rate(cut_at * MICROSECOND - Picoseconds(1))
            .unwrap();
        if cut_at == 304 {
            previous_rate = (previous_rate + 100e9) / 2.0;
        }
        let target = if clamped { previous_rate } else { 100e9 };
        let cut = algorithm.rate(cut_at * MICROSECOND).unwrap();
        assert!(cut < previous_rate);
        let next = algorithm.rate((cut_at + 300) * MICROSECOND).unwrap();
        assert_eq!(
            next,
            (cut + target) / 2.0,
            "{always} {after_time} {bytes} {cut_at}"
        );
    }
}

#[test]
fn nvidia_size_of_a_cut() {
    // Alpha stays 1: a CNP arrives in every period. (gd, minimum rate in percent, rate left)
    let rows = [
        (11, 50, 0.5),
        (11, 0, 0.5),
        (11, 75, 0.75),
        (11, 100, 1.0),
        (10, 50, 0.5),
        (10, 25, 0.25),
        (13, 50, 0.875),
        (8, 50, 0.5),
    ];
    for (rpg_gd, rpg_min_dec_fac_percent, left) in rows {
        let parameters = Nvidia {
            rpg_gd,
            rpg_min_dec_fac_percent,
            dce_tcp_rtt_us: Microseconds(5),
            ..ns3()
        };
        let mut algorithm = nvidia(parameters, 100);
        algorithm.on_cnp(Picoseconds::ZERO);
        assert_eq!(
            algorithm.rate(4 * MICROSECOND),
            Some(100e9 * left),
            "{rpg_gd} {rpg_min_dec_fac_percent}"
        );
    }
}

#[test]
fn nvidia_first_rate_and_initial_alpha() {
    let parameters = Nvidia {
        rate_to_set_on_first_cnp_mbps: 85_000,
        initial_alpha_value: 512,
        dce_tcp_rtt_us: Microseconds(5),
        ..ns3()
    };
    let mut algorithm = nvidia(parameters, 100);
    algorithm.on_cnp(Picoseconds::ZERO);
    assert_eq!(algorithm.rate(Picoseconds::ZERO), Some(85e9));
    assert_eq!(algorithm.alpha(Picoseconds::ZERO), Some(0.5));
    assert_eq!(algorithm.rate(4 * MICROSECOND), Some(85e9 * 0.75));
    assert_eq!(algorithm.rate(304 * MICROSECOND), Some(85e9 * 0.875));
}

#[test]
fn nvidia_byte_counter_starts_anew_at_the_cut() {
    let mut algorithm = nvidia(Nvidia::default(), 100);
    algorithm.on_cnp(Picoseconds::ZERO);
    algorithm.on_sent(3 * MICROSECOND, Bytes(32_766));
    let cut = algorithm.rate(4 * MICROSECOND).unwrap();
    algorithm.on_sent(5 * MICROSECOND, Bytes(32_766));
    assert_eq!(algorithm.rate(5 * MICROSECOND), Some(cut));
    algorithm.on_sent(5 * MICROSECOND, Bytes(1));
    assert_eq!(algorithm.rate(5 * MICROSECOND), Some((cut + 100e9) / 2.0));
}

#[test]
fn the_checks_are_anchored_at_the_first_notification() {
    // Notifications at 3, 9 and 10 us after it: cuts at 4 and 12 us, none at 8.
    let anchor: Picoseconds = Picoseconds(123_456_789);
    let mut algorithm = nvidia(ns3(), 100);
    algorithm.on_cnp(anchor);
    let at = |microseconds| anchor + microseconds * MICROSECOND;
    algorithm.on_cnp(at(3));
    let cut = algorithm.rate(at(4)).unwrap();
    assert_eq!(algorithm.rate(at(8)), Some(cut));
    algorithm.on_cnp(at(9));
    algorithm.on_cnp(at(10));
    assert_eq!(algorithm.rate(at(12) - Picoseconds(1)), Some(cut));
    assert!(algorithm.rate(at(12)).unwrap() < cut);
}

#[test]
fn parameters_read_from_json() {
    let rows = [
        (
            r#"{"algorithm": "line-rate"}"#,
            Ok(Parameters::NONE),
        ),
        (
            r#"{"algorithm": "dcqcn"}"#,
            Ok(Parameters::Dcqcn(Published::default())),
        ),
        (
            r#"{"algorithm": "dcqcn", "byte_counter_bytes": null, "g": 1, "alpha_timer_ns": 60000}"#,
            Ok(Parameters::Dcqcn(Published {
                byte_counter_bytes: None,
                g: 1.0,
                alpha_timer_ns: Nanoseconds(60_000),
                ..Published::default()
            })),
        ),
        (
            r#"{"algorithm": "dcqcn-nvidia", "rpg_ai_rate_mbps": 20, "clamp_tgt_rate": true}"#,
            Ok(Parameters::DcqcnNvidia(Nvidia {
                rpg_ai_rate_mbps: 20,
                clamp_tgt_rate: true,
                ..Nvidia::default()
            })),
        ),
        (r#"{}"#, Err("missing field `algorithm`")),
        (
            r#"{"algorithm": "swft"}"#,
            Err("unknown variant `swft`, expected one of `line-rate`, `dcqcn`, `dcqcn-nvidia`, "),
        ),
        (
            r#"{"algorithm": "line-rate", "g": 1}"#,
            Err("unknown field `g`, there are no fields"),
        ),
        (
            r#"{"algorithm": "dcqcn", "rpg_gd": 11}"#,
            Err("unknown field `rpg_gd`, expected one of `alpha_timer_ns`, `g`, `alpha_before_cut`, \
                 `increase_timer_ns`, `byte_counter_bytes`, `fast_recovery_times`, `rai_bps`, `rhai_bps`, \
                 `min_rate_bps`"),
        ),
        (
            r#"{"algorithm": "dcqcn", "alpha_timer_ns": -1}"#,
            Err("invalid value: integer `-1`, expected u32"),
        ),
    ];
    for (text, expected) in rows {
        let read = serde_json::from_str::<Parameters>(text).map_err(|error| error.to_string());
        match (read, expected) {
            (Err(found), Err(expected)) => assert!(found.starts_with(expected), "{found}"),
            (read, expected) => assert_eq!(read, expected.map_err(str::to_owned), "{text}"),
        }
        let Ok(parameters) = serde_json::from_str::<Parameters>(text) else {
            continue;
        };
        let written = serde_json::to_string(&parameters).unwrap();
        assert_eq!(
            serde_json::from_str::<Parameters>(&written).unwrap(),
            parameters
        );
    }
}

#[test]
fn parameters_that_do_not_fit() {
    let paper = Published::default;
    let firmware = Nvidia::default;
    let rows = [
        (Parameters::NONE, vec![]),
        (
            Parameters::Dcqcn(Published {
                alpha_timer_ns: Nanoseconds(0),
                increase_timer_ns: Nanoseconds(0),
                byte_counter_bytes: Some(Bytes(0)),
                ..paper()
            }),
            vec![
                "alpha_timer_ns: found 0, expected at least 1",
                "increase_timer_ns: found 0, expected at least 1",
                "byte_counter_bytes: found 0, expected at least 1",
            ],
        ),
        (
            Parameters::Dcqcn(Published {
                g: 0.0,
                min_rate_bps: 0,
                ..paper()
            }),
            vec![
                "g: found 0, expected above 0 and at most 1",
                "min_rate_bps: found 0, expected at least 1",
            ],
        ),
        (
            Parameters::Dcqcn(Published {
                g: 1.5,
                min_rate_bps: 25_000_000_001,
                ..paper()
            }),
            vec![
                "g: found 1.5, expected above 0 and at most 1",
                "min_rate_bps: found 25000000001, expected 1 to 25000000000, the line rate",
            ],
        ),
        (
            Parameters::Dcqcn(Published {
                g: f64::NAN,
                ..paper()
            }),
            vec!["g: found no number, expected above 0 and at most 1"],
        ),
        (
            Parameters::DcqcnNvidia(Nvidia {
                dce_tcp_rtt_us: Microseconds(0),
                rate_reduce_monitor_period_us: Microseconds(0),
                rpg_time_reset_us: Microseconds(0),
                dce_tcp_g: 1024,
                initial_alpha_value: 1025,
                rpg_gd: 32,
                rpg_min_dec_fac_percent: 101,
                ..firmware()
            }),
            vec![
                "dce_tcp_g: found 1024, expected 0 to 1,023",
                "dce_tcp_rtt_us: found 0, expected at least 1",
                "initial_alpha_value: found 1025, expected 0 to 1,024",
                "rate_reduce_monitor_period_us: found 0, expected at least 1",
                "rpg_gd: found 32, expected 0 to 31",
                "rpg_min_dec_fac_percent: found 101, expected 0 to 100",
                "rpg_time_reset_us: found 0, expected at least 1",
            ],
        ),
        (
            Parameters::DcqcnNvidia(Nvidia {
                rpg_min_rate_mbps: 0,
                rate_to_set_on_first_cnp_mbps: 25_001,
                ..firmware()
            }),
            vec![
                "rpg_min_rate_mbps: found 0, expected at least 1",
                "rate_to_set_on_first_cnp_mbps: found 25001, expected 0, or 0 to 25000, from the minimum to the line rate",
            ],
        ),
        (
            Parameters::DcqcnNvidia(Nvidia {
                rpg_min_rate_mbps: 1000,
                rate_to_set_on_first_cnp_mbps: 999,
                ..firmware()
            }),
            vec![
                "rate_to_set_on_first_cnp_mbps: found 999, expected 0, or 1000 to 25000, from the minimum to the line rate",
            ],
        ),
    ];
    for (parameters, expected) in rows {
        let refused = parameters.check("congestion", 25 * GIGABIT).err();
        let found = refused.map_or(String::new(), |refusal| refusal.to_string());
        let expected: Vec<String> = expected
            .iter()
            .map(|problem| format!("congestion.{problem}"))
            .collect();
        let expected = expected.join("\n");
        assert_eq!(found, expected);
    }
}

proptest! {
    #![proptest_config(draws(10_000))]

    #[test]
    fn calls_in_arbitrary_order(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        arbitrary_order(&bytes);
    }
}
