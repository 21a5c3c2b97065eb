//! The shared buffer: who gets how many cells of it.

use crate::bench::{
    frame_time, lossy, plain, post_sends, queue, run_until, send_frame, share, DATA,
};
use crate::support::{connect, draws, link, network, post};
use proptest::prelude::*;
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::model::parameters::{Headroom, Parameters};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Picoseconds, MICROSECOND};

/// `senders` hosts at 100 Gb/s, and one at a link that takes one frame and then no other.
fn funnel(senders: u32, parameters: Parameters, cells: u64) -> Scenario {
    let links = (0..senders).map(|host| link(host, senders + 1, 100, 0));
    let mut blocked = link(senders, senders + 1, 1, 0);
    blocked.rate = 1_000_000;
    let mut scenario = network(senders + 1, 1, links.chain([blocked]).collect(), parameters);
    share(&mut scenario, cells);
    scenario
}

/// Every one of these hosts sends `count` frames of `payload`; they collide at the blocked egress.
fn collide(scenario: &mut Scenario, from: &[u32], count: u64, payload: u64) {
    let to = scenario.hosts - 1;
    for host in from {
        let id = connect(scenario, *host, to);
        post_sends(scenario, id, count, payload);
    }
}

/// Cells of a host's priority group, without headroom. Nothing leaves, so the maximum is the present count.
fn cells(outcome: &Outcome, host: u32) -> u64 {
    queue(outcome, 2 * host + 1, DATA, "max_ingress_bytes") / 254
}

fn drops(outcome: &Outcome, host: u32) -> u64 {
    queue(outcome, 2 * host + 1, DATA, "drops")
}

/// Long after all have come in, and before a second frame leaves.
const FILLED: Picoseconds = MICROSECOND.times(100);

/// Each of m congested groups gets `alpha S / (1 + alpha m)`, all of them `alpha m / (1 + alpha m)` of S: the fixed point of x = alpha (S - m x).
#[test]
fn dynamic_thresholds_settle() {
    const SHARED: u64 = 6000;
    for exponent in -6..=3 {
        for senders in [1, 2, 4, 8] {
            let mut parameters = lossy();
            parameters.switch.alpha_exponent = exponent;
            let mut scenario = funnel(senders, parameters, SHARED);
            let all: Vec<u32> = (0..senders).collect();
            collide(&mut scenario, &all, SHARED, 0);
            let outcome = run_until(scenario, FILLED);
            let alpha = f64::from(exponent).exp2();
            let each = alpha * SHARED as f64 / (1.0 + alpha * f64::from(senders));
            let mut sum = 0;
            for host in 0..senders {
                let found = cells(&outcome, host);
                let row = format!("2^{exponent}, {senders} groups, host {host}: {found} of {each}");
                // Whole cells, and a threshold that falls between the arrivals of one moment.
                assert!((found as f64 - each).abs() <= 1.0 + alpha, "{row}");
                sum += found;
            }
            assert!(sum <= SHARED);
            let taken: u64 = (0..senders)
                .map(|host| SHARED - drops(&outcome, host))
                .sum();
            assert_eq!(
                taken,
                sum + 1,
                "what was not dropped waits, but for the first"
            );
        }
    }
}

/// A frame takes whole cells.
#[test]
fn frames_fill_cells() {
    const SHARED: u64 = 1000;
    // payload, frame, cells of 254
    let rows = [
        (0, 64, 1),
        (192, 254, 1),
        (196, 258, 2),
        (444, 506, 2),
        (448, 510, 3),
        (4096, 4158, 17),
    ];
    for (payload, frame, each) in rows {
        assert_eq!(send_frame(payload), frame);
        let mut parameters = lossy();
        parameters.switch.alpha_exponent = 0;
        let mut scenario = funnel(1, parameters, SHARED);
        collide(&mut scenario, &[0], SHARED, u64::from(payload));
        let until = SHARED * frame_time(100_000_000_000, frame) + Picoseconds(1);
        let outcome = run_until(scenario, until);
        // Frame k + 1 fits while (k + 1) cells <= free = S - k cells.
        let frames = (SHARED / each).div_ceil(2);
        assert!(
            frames * each <= SHARED - (frames - 1) * each
                && (frames + 1) * each > SHARED - frames * each
        );
        assert_eq!(cells(&outcome, 0), frames * each, "{payload}");
        assert_eq!(drops(&outcome, 0), SHARED - 1 - frames, "{payload}");
    }
}

/// Cells of one byte are bytes.
#[test]
fn without_cells_bytes_count() {
    let mut parameters = lossy();
    parameters.switch.alpha_exponent = 0;
    parameters.switch.cell_bytes = Bytes(1);
    let mut scenario = funnel(1, parameters, 254_000);
    collide(&mut scenario, &[0], 1000, 196);
    let outcome = run_until(scenario, FILLED);
    // 258 bytes each instead of two cells: 492 frames, half of what fits, instead of 500 cells for 250.
    let frames = (254_000 / 258u64).div_ceil(2);
    let bytes = queue(&outcome, 1, DATA, "max_ingress_bytes");
    assert_eq!((frames, bytes), (492, 492 * 258));
}

/// Cells of the guaranteed space are used first, and take nothing from the shared space.
#[test]
fn guaranteed_space_is_used_first() {
    const SHARED: u64 = 900;
    for reserve in [0, 1, 40, 300] {
        let mut parameters = lossy();
        parameters.switch.alpha_exponent = -1;
        parameters.switch.reserve_bytes = Bytes(reserve as u32 * 254);
        // Within the guarantee: no one else's share shrinks.
        let mut scenario = funnel(2, parameters, SHARED);
        let greedy = connect(&mut scenario, 0, 2);
        post_sends(&mut scenario, greedy, 1 + reserve + SHARED, 0);
        let modest = connect(&mut scenario, 1, 2);
        post_sends(&mut scenario, modest, reserve, 0);
        let outcome = run_until(scenario, FILLED);
        // One group: S / 2 / (1 + 1/2) = 300.
        assert_eq!(cells(&outcome, 0), reserve + 300);
        assert_eq!((cells(&outcome, 1), drops(&outcome, 1)), (reserve, 0));
    }
}

#[test]
fn a_group_sees_only_its_slice() {
    const SHARED: u64 = 3000;
    let run = |slices: u32, from: [u32; 2]| {
        let mut parameters = lossy();
        parameters.switch.alpha_exponent = 0;
        parameters.switch.slices = slices;
        let mut scenario = funnel(3, parameters, SHARED / u64::from(slices));
        collide(&mut scenario, &from, SHARED, 0);
        let outcome = run_until(scenario, FILLED);
        from.map(|host| cells(&outcome, host))
    };
    // S / (1 + m): two in a whole buffer, two in one half, one in each half.
    for (slices, from, each) in [(1, [0, 1], 1000), (2, [0, 1], 500), (2, [0, 2], 750)] {
        for found in run(slices, from) {
            assert!(
                found.abs_diff(each) <= 2,
                "{slices} {from:?}: {found} of {each}"
            );
        }
    }
}

/// The same flood as lossy and, deaf to PFC, as lossless traffic: the difference is the headroom, exactly.
#[test]
fn headroom_is_for_the_lossless() {
    const HEADROOM: u64 = 123;
    let run = |lossless: u8| {
        let mut parameters = plain();
        parameters.pfc.lossless_priorities = lossless;
        parameters.switch.alpha_exponent = 0;
        parameters.switch.headroom = Headroom::Fixed {
            bytes: Bytes(254 * HEADROOM as u32),
        };
        let mut scenario = funnel(1, parameters, 200);
        scenario.links[0].pfc_lost_from = Picoseconds::ZERO;
        collide(&mut scenario, &[0], 1000, 0);
        let outcome = run_until(scenario, FILLED);
        let headroom = queue(&outcome, 1, DATA, "max_headroom_bytes") / 254;
        (cells(&outcome, 0), headroom, drops(&outcome, 0))
    };
    assert_eq!(run(0), (100, 0, 1000 - 1 - 100));
    assert_eq!(run(1 << DATA), (100, HEADROOM, 1000 - 1 - 100 - HEADROOM));
    // Lossless is a property of a priority.
    assert_eq!(run(1 << (DATA + 1)), (100, 0, 1000 - 1 - 100));
}

/// A frame that fits the threshold and not the buffer: with alpha above 1 the threshold is more than what is free.
#[test]
fn no_more_is_given_than_there_is() {
    let mut parameters = lossy();
    parameters.switch.alpha_exponent = 5;
    let mut scenario = funnel(1, parameters, 40);
    collide(&mut scenario, &[0], 10, 4096);
    let outcome = run_until(scenario, FILLED);
    assert_eq!((cells(&outcome, 0), drops(&outcome, 0)), (34, 10 - 1 - 2)); // two frames of 17 cells
}

proptest! {
    #![proptest_config(draws(64))]
    /// Never more than the shared cells, whatever arrives; and a frame is dropped only if it finds no room.
    #[test]
    fn the_buffer_holds(exponent in -7i8..=7, shared in 1u64..400, payloads in prop::collection::vec(0u64..4097, 3), lossless: bool) {
        let mut parameters = if lossless { plain() } else { lossy() };
        parameters.switch.alpha_exponent = exponent;
        let mut scenario = funnel(4, parameters, shared);
        collide(&mut scenario, &[3], 1, 0); // takes the egress
        for (host, bytes) in (0..).zip(&payloads) {
            let id = connect(&mut scenario, host, 4);
            for _ in 0..40 {
                post(&mut scenario, id, Verb::Send, *bytes, MICROSECOND);
            }
        }
        let outcome = run_until(scenario, FILLED);
        let sum: u64 = (0..3).map(|host| cells(&outcome, host)).sum();
        prop_assert!(sum <= shared, "{sum} of {shared}");
        if lossless {
            prop_assert_eq!(outcome.summary.drops, 0);
        }
    }
}
