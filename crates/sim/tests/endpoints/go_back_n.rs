//! Goodput under loss against the closed form of go-back-N, (1 - l) / (1 + l W): each loss costs the packet and the W behind it.
//!
//! W are the packets that the sender starts after one that is lost, until the NAK arrives. They arrive for nothing, so a
//! loss costs W + 1 packet times. All loss is independent, for data, ACKs and NAKs.

use crate::support::{column, flow, run};
use crate::{chain, roce, wire, ACK, BARE};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::time::{Nanoseconds, Picoseconds, NANOSECOND};

const GBPS: u64 = 100;
const DELAY_NS: u64 = 20_000;

fn packet() -> Picoseconds {
    wire(4096 + BARE, GBPS)
}

/// The packet after the lost one ends two packet times after the lost one began; its NAK comes a flight, its own length
/// and a flight later.
fn wasted_packets() -> u64 {
    let nak = 2 * packet() + 2 * DELAY_NS * NANOSECOND + wire(ACK, GBPS);
    nak / packet()
}

/// A long write over one cable. `ack_timeout` is the smallest that is above the round trip of 40.5 us (4.096 us 2^4), so
/// that a timeout costs little more than a NAK; it is needed when nothing follows a lost packet or ACK. With
/// `report_again` a gap that stays open is reported after W and a half packet times, when the packet after a lost
/// retransmission comes, and a lost retransmission costs W + 1 packet times as any other.
fn long_write(packets: u64, loss: f64, seed: u64, ack_timeout: u8, report_again: bool) -> Outcome {
    let mut parameters = roce();
    parameters.transport.ack_timeout = ack_timeout;
    parameters.transport.nak_interval_ns =
        report_again.then(|| Nanoseconds((2 * wasted_packets() + 1) * packet() / 2 / NANOSECOND));
    let mut scenario = chain(0, GBPS, DELAY_NS, parameters);
    scenario.seed = seed;
    scenario.links[0].loss = loss;
    flow(&mut scenario, 0, 1, packets * 4096);
    run(scenario)
}

/// Packet times of `seeds` writes, without the flight at their ends.
fn packet_times(packets: u64, loss: f64, seeds: u64, ack_timeout: u8, report_again: bool) -> f64 {
    let times = (0..seeds).map(|seed| {
        let outcome = long_write(packets, loss, seed, ack_timeout, report_again);
        assert_eq!(
            column(&outcome, "queue_pairs", "delivered_bytes")[1],
            packets * 4096
        );
        let ends = 2 * DELAY_NS * NANOSECOND + wire(ACK + 16, GBPS);
        (outcome.summary.completion[0] - ends).as_f64() / packet().as_f64()
    });
    times.sum()
}

#[test]
fn goodput_under_loss() {
    let w = wasted_packets() as f64;
    assert_eq!(
        w, 121.0,
        "two packets, and the 119.9 that 40 us and the NAK hold"
    );
    for (loss, packets) in [(1e-4, 200_000), (1e-3, 50_000), (1e-2, 20_000)] {
        const SEEDS: u64 = 5;
        let sent = (packets * SEEDS) as f64;
        let goodput = sent / packet_times(packets, loss, SEEDS, 4, true);
        let expected = (1.0 - loss) / (1.0 + loss * w);
        // The number of losses has the standard deviation sqrt(n l) (negative binomial; 1 / (1 - l) is left out), each
        // costs (W + 1) of n (1 + l W) packet times: four of them. A NAK is lost with probability l and costs as much
        // again, which is a hundredth of l W at most.
        let deviation = (sent * loss).sqrt() * (w + 1.0) / (sent * (1.0 + loss * w));
        let error = goodput / expected - 1.0;
        assert!(
            error.abs() < 4.0 * deviation + loss * loss * w,
            "loss {loss}: goodput {goodput:.5}, expected {expected:.5}, deviation {deviation:.5}"
        );
        // The bar would see W half as large or twice as large.
        for wrong in [w / 2.0, w * 2.0] {
            let other = (1.0 - loss) / (1.0 + loss * wrong);
            assert!((goodput / other - 1.0).abs() > 4.0 * deviation);
        }
    }
}

#[test]
fn without_loss_nothing_is_sent_again() {
    let outcome = long_write(20_000, 0.0, 1, 4, true);
    let expected = wire(20_000 * (4096 + BARE) + 16 + ACK, GBPS) + 2 * DELAY_NS * NANOSECOND;
    assert_eq!(outcome.summary.completion, [expected]);
    assert_eq!(outcome.summary.retransmissions, 0);
}

/// Every gap sends the missing packet and the W in flight again: exactly, as long as no NAK is lost (1 in 10,000).
#[test]
fn a_loss_is_worth_w_and_one_packets() {
    let outcome = long_write(100_000, 1e-4, 3, 4, true);
    let naks = column(&outcome, "queue_pairs", "naks_sent")[1];
    assert!(naks > 5);
    let retransmissions = column(&outcome, "queue_pairs", "retransmissions")[0];
    assert_eq!(retransmissions, naks * (wasted_packets() + 1));
}

/// With one NAK per gap a lost retransmission or NAK waits for the timeout: of all losses a share of 2 l costs T instead
/// of W + 1 packet times.
#[test]
fn one_nak_per_gap_waits_for_the_timeout() {
    const LOSS: f64 = 1e-2;
    const SENT: f64 = 400_000.0;
    let w = wasted_packets() as f64;
    let timeout = (4_096_000u64 << 8) as f64 / packet().as_f64();
    let often = packet_times(20_000, LOSS, 20, 8, true);
    let once = packet_times(20_000, LOSS, 20, 8, false);
    let waits = SENT * LOSS * 2.0 * LOSS;
    let expected = waits * (timeout - w);
    let error = (once - often) / expected - 1.0;
    // 80 waits, four standard deviations; `often` and `once` have losses at different packets besides.
    let noise = 4.0 * (waits.sqrt() * timeout + (2.0 * SENT * LOSS).sqrt() * w) / expected;
    assert!(noise < 0.7, "{noise}");
    assert!(error.abs() < noise, "{error} {noise}");
}
