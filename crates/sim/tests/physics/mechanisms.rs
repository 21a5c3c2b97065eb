//! The incast of S1 with one mechanism at a time: what each is for shows when the others are off.

use crate::scenarios::{completion, largest};
use crate::support::{column, read, run};
use wirespeed_sim::bytes::Bytes;

/// Sixteen times 1024 frames of 4144 bytes at 100 Gb/s, and the path of the first one: two cables of 1 us and one more
/// wire time; the last ACK of 60 bytes returns on the same path.
fn completion_limit_us() -> f64 {
    let byte = 80e-6;
    16.0 * 1024.0 * 4144.0 * byte + 4144.0 * byte + 2.0 * 60.0 * byte + 4.0 * 1.0
}

/// PFC alone keeps the link full: the last flow ends when the link has carried everything.
#[test]
fn pfc_alone() {
    let mut scenario = read("S1", 1);
    scenario.parameters.marking.enabled = false;
    let outcome = run(scenario);
    let summary = &outcome.summary;
    let largest = largest(&completion(&outcome));
    println!(
        "PFC alone: largest {largest:.1} us of {:.1}, {} pauses",
        completion_limit_us(),
        summary.pfc_pauses
    );
    assert!(
        (completion_limit_us() - 0.01..completion_limit_us() + 1.0).contains(&largest),
        "{largest} of {}",
        completion_limit_us()
    );
    assert!(summary.pfc_pauses > 1000, "{}", summary.pfc_pauses);
    assert_eq!((summary.ecn_marks, summary.cnps, summary.drops), (0, 0, 0));
}

/// DCQCN alone, in a buffer of 32 MiB that never fills: hardly a pause, and a link that is left idle for a while.
#[test]
fn dcqcn_alone() {
    let mut scenario = read("S1", 1);
    scenario.parameters.pfc.lossless_priorities = 0;
    scenario.parameters.switch.alpha_exponent = 0;
    let outcome = run(scenario);
    let summary = &outcome.summary;
    let largest = largest(&completion(&outcome));
    println!(
        "DCQCN alone: largest {largest:.1} us, {} marks",
        summary.ecn_marks
    );
    assert!(largest > completion_limit_us() * 1.05, "{largest}");
    assert!(summary.ecn_marks > 1000, "{}", summary.ecn_marks);
    assert_eq!((summary.pfc_frames, summary.drops), (0, 0));
}

/// Neither: a buffer of 1 MiB loses what go-back-N sends again, and every byte arrives once.
#[test]
fn go_back_n_alone() {
    let mut scenario = read("S1", 1);
    scenario.parameters.marking.enabled = false;
    scenario.parameters.pfc.lossless_priorities = 0;
    scenario.buffer_bytes = vec![Bytes(1 << 20)];
    scenario.parameters.transport.ack_timeout = 8; // 4.096 us times 2^8: 1 ms
    let outcome = run(scenario);
    let summary = &outcome.summary;
    println!(
        "neither: {} drops, {} sent again",
        summary.drops, summary.retransmissions
    );
    assert!(
        summary.drops > 0 && summary.retransmissions > 0,
        "{summary:?}"
    );
    assert_eq!(
        (summary.failed, summary.pfc_frames, summary.ecn_marks),
        (0, 0, 0)
    );
    let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
    let received: Vec<u64> = delivered.chunks(2).map(|ends| ends[1]).collect();
    assert_eq!(received, [4 << 20; 16]);
    // Every drop is of a data packet, and go-back-N sends at least each of these again.
    assert!(summary.retransmissions >= summary.drops);
}
