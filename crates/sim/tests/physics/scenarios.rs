//! The common scenarios with the `hpcc` preset, against the ns-3 simulator whose devices it reproduces (HPCC, commit
//! 9f4be2a, DCQCN, the same scenarios) and against arithmetic.

use crate::support::{column, read, run};
use wirespeed_sim::model::results::Outcome;

/// Completion times, microseconds.
pub fn completion(outcome: &Outcome) -> Vec<f64> {
    let times = outcome.summary.completion.iter();
    times.map(|time| time.as_f64() / 1e6).collect()
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// No drops and no retransmissions, every flow completed, and each link carried the PFC frames that its ends count.
fn assert_lossless(name: &str, outcome: &Outcome) {
    let summary = &outcome.summary;
    let lost = (
        summary.drops,
        summary.losses,
        summary.retransmissions,
        summary.failed,
    );
    assert_eq!(
        lost,
        (0, 0, 0, 0),
        "{name}: drops, losses, retransmissions, failed"
    );
    assert_eq!(summary.pfc_frames, summary.pfc_pauses + summary.pfc_resumes);
    assert_eq!(summary.pfc_pauses, summary.pfc_resumes);
    let sum = |of: &str| column(outcome, "queues", of).iter().sum::<u64>();
    assert_eq!(sum("xoff_received"), summary.pfc_pauses);
    assert_eq!(sum("xon_received"), summary.pfc_resumes);
}

/// Frames on links: every packet and its ACK once on each link of the path.
#[test]
fn frames_on_links_are_exact() {
    let one_switch = |flows: u64, bytes: u64| flows * (bytes / 4096) * 2 * 2;
    let rows = [
        ("S1", one_switch(16, 4 << 20), 65_536),
        ("S1L", one_switch(16, 64 << 20), 1_048_576),
        ("S2", 733_184, 733_184), // ns-3's count: all ECMP paths have the same length
        ("S3", 3_069_952, 3_069_952),
        ("S4", one_switch(64 * 63, 256 << 10), 1_032_192),
        ("S4R", one_switch(64 * 63, 256 << 10), 1_032_192),
        // Twelve flows over host, leaf, spine, leaf, host.
        ("P1", 12 * ((4 << 20) / 4096) * 4 * 2, 98_304),
    ];
    for (name, computed, stated) in rows {
        let outcome = run(read(name, 1));
        assert_lossless(name, &outcome);
        assert_eq!(outcome.summary.hops, computed, "{name}");
        assert_eq!(computed, stated, "{name}");
        let frames: u64 = column(&outcome, "ports", "frames").iter().sum();
        assert_eq!(frames, stated, "{name}"); // no stand-alone CNP
    }
}

/// Sixteen hosts send 4 MiB to one: no sooner than its link carries 16 x 1024 frames of 4144 bytes, 5431.6 us.
#[test]
fn incast() {
    for seed in 1..=5 {
        let outcome = run(read("S1", seed));
        assert_lossless("S1", &outcome);
        let times = completion(&outcome);
        let (mean, largest) = (mean(&times), largest(&times));
        println!("S1 seed {seed}: mean {mean:.1} us, largest {largest:.1} us");
        assert!(largest >= 5432.0, "{largest}");
        assert_near(mean, 5785.085, 0.10);
        assert!(outcome.summary.ecn_marks > 0);
    }
}

/// A permutation over a fat tree: ECMP lays several flows on one link.
#[test]
fn permutation() {
    for seed in 1..=5 {
        let outcome = run(read("S2", seed));
        assert_lossless("S2", &outcome);
        let mean = mean(&completion(&outcome));
        println!("S2 seed {seed}: mean {mean:.1} us");
        assert_near(mean, 589.952, 0.10);
        assert_eq!(outcome.summary.pfc_pauses, 0);
    }
}

/// Two leaves, each with 2 MiB of buffer: PFC pauses before any queue reaches Kmin, so no result depends on chance.
#[test]
fn pauses() {
    for seed in 1..=5 {
        let outcome = run(read("P1", seed));
        assert_lossless("P1", &outcome);
        let mean = mean(&completion(&outcome));
        let pauses = outcome.summary.pfc_pauses;
        println!("P1 seed {seed}: mean {mean:.1} us, {pauses} pauses");
        assert_near(mean, 582.7, 0.10);
        assert_near(pauses as f64, 379.0, 0.25);
        assert_eq!(outcome.summary.ecn_marks, 0);
    }
}

/// All to all over one switch: every port sends and receives 63 x 64 frames of 4144 bytes, 1336.6 us of its link, and
/// most of as many ACKs of 60.
#[test]
fn all_to_all() {
    let data = (63 * 64) as f64 * 4144.0 * 80e-6;
    for name in ["S4", "S4R"] {
        let outcome = run(read(name, 1));
        assert_lossless(name, &outcome);
        let largest = largest(&completion(&outcome));
        println!("{name}: largest {largest:.1} us");
        assert!(largest >= data, "{largest} of {data}");
        assert_eq!(outcome.summary.ecn_marks, 0);
        if name == "S4" {
            assert_near(largest, 1355.027, 0.01);
        }
    }
}

pub fn assert_near(found: f64, stated: f64, within: f64) {
    let off = found / stated - 1.0;
    assert!(
        off.abs() <= within,
        "{found} of {stated}: {off:+.3}, {within} allowed"
    );
}
