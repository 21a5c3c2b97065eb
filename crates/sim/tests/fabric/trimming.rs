//! Packet trimming: instead of dropping a packet, the switch forwards its header, and the receiver requests the packet again.

use crate::bench::{lossy, share, DATA};
use crate::multipath::{frames, leaves};
use crate::support::{column, connect, post, run, star, ultra_ethernet};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::{self, nscc};
use wirespeed_sim::ids::Priority;
use wirespeed_sim::model::parameters::{Balance, Parameters, Recovery, Reordering, Trimming};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds};

const BYTES: u64 = 400_000;
const HEADER: u32 = 64;
const TRIMMED: u8 = 5;
/// 4:1, each at 100 Gb/s.
const SENDERS: u32 = 4;
/// The port of the switch that faces the receiver.
const TO_RECEIVER: u64 = 2 * SENDERS as u64 + 1;

const TRIMMING: Trimming = Trimming {
    priority: Priority(TRIMMED),
    trimmed_bytes: Bytes(HEADER),
    queue_ns: None,
};

/// Nothing lossless, what is out of order kept, lost what is missing for 100 us, and an ACK timeout of 1 ms.
fn parameters() -> Parameters {
    let mut parameters = lossy();
    parameters.transport.ack_every = 1;
    parameters.transport.ack_timeout = 8;
    parameters.transport.recovery = Recovery::SelectiveRepeat;
    parameters.transport.reordering = Reordering::Time {
        ns: Nanoseconds(100_000),
    };
    parameters
}

/// Four hosts write to a fifth, through a switch that shares some 60 packets.
fn incast(parameters: Parameters, verb: Verb) -> Scenario {
    let mut scenario = star(SENDERS + 1, 100, 500, parameters);
    share(&mut scenario, 1_000);
    for sender in 0..SENDERS {
        let mut queue_pair = connect(&mut scenario, sender, SENDERS);
        if verb == Verb::Read {
            queue_pair = queue_pair.peer();
        }
        post(&mut scenario, queue_pair, verb, BYTES, Picoseconds::ZERO);
    }
    scenario
}

fn sum(outcome: &Outcome, table: &str, name: &str) -> u64 {
    column(outcome, table, name).iter().sum()
}

/// Of the queue of a priority at the port to the receiver.
fn of_queue(outcome: &Outcome, priority: u8, name: &str) -> u64 {
    let of = |name: &str| column(outcome, "queues", name);
    let rows = of("port").into_iter().zip(of("priority")).zip(of(name));
    let found = rows
        .filter(|(queue, _)| *queue == (TO_RECEIVER, u64::from(priority)))
        .map(|(_, value)| value);
    found.sum()
}

fn has_table(outcome: &Outcome, name: &str) -> bool {
    outcome.tables.iter().any(|table| table.name == name)
}

#[test]
fn packets_are_trimmed_instead_of_dropped_and_requested_at_once() {
    for verb in [Verb::Write, Verb::Send] {
        let dropped = run(incast(parameters(), verb));
        assert!(dropped.summary.drops > 0 && dropped.summary.trims == 0);
        assert!(!has_table(&dropped, "trims"));
        assert!(sum(&dropped, "queue_pairs", "timeouts") > 0);

        let mut changed = parameters();
        changed.switch.trimming = Some(TRIMMING);
        let trimmed = run(incast(changed, verb));
        let summary = &trimmed.summary;
        assert!(
            summary.trims > 0 && summary.drops == 0 && summary.failed == 0,
            "{summary:?}"
        );
        // Every trimmed packet is requested and sent again, once per trim.
        assert_eq!(sum(&trimmed, "queue_pairs", "naks_sent"), summary.trims);
        assert_eq!(summary.retransmissions, summary.trims);
        assert_eq!(sum(&trimmed, "queue_pairs", "timeouts"), 0);
        assert!(2 * summary.end < dropped.summary.end, "{summary:?}");
        assert_eq!(column(&trimmed, "trims", "port"), [TO_RECEIVER]);
        assert_eq!(column(&trimmed, "trims", "frames"), [summary.trims]);
        for outcome in [dropped, trimmed] {
            let delivered = sum(&outcome, "queue_pairs", "delivered_bytes");
            assert_eq!(delivered, u64::from(SENDERS) * BYTES, "each byte once");
        }
    }
}

#[test]
fn headers_have_a_priority_and_a_length_of_their_own() {
    let mut changed = parameters();
    changed.switch.trimming = Some(Trimming {
        trimmed_bytes: Bytes(100),
        ..TRIMMING
    });
    let outcome = run(incast(changed, Verb::Write));
    let trims = outcome.summary.trims;
    assert!(trims > 0);
    assert_eq!(of_queue(&outcome, TRIMMED, "frames"), trims);
    assert_eq!(of_queue(&outcome, TRIMMED, "bytes"), 100 * trims);
    // Whole packets are those that arrived: what was posted.
    let packets = u64::from(SENDERS) * BYTES.div_ceil(4096);
    assert_eq!(of_queue(&outcome, DATA, "frames"), packets);
}

/// The queue is as long as it may be when a packet comes that is let in, and one packet longer after it.
#[test]
fn a_queue_is_no_longer_than_its_limit() {
    for (ns, bytes) in [(0, 0), (2_000, 25_000), (5_000, 62_500)] {
        let mut changed = parameters();
        changed.switch.trimming = Some(Trimming {
            queue_ns: Some(Nanoseconds(ns)),
            ..TRIMMING
        });
        let mut scenario = incast(changed, Verb::Write);
        share(&mut scenario, 1 << 16);
        let outcome = run(scenario);
        let longest = of_queue(&outcome, DATA, "max_bytes");
        let packet = 4096 + 78;
        assert!((bytes + 1..=bytes + packet).contains(&longest), "{longest}");
        assert!(outcome.summary.trims > 0 && outcome.summary.drops == 0);
        assert_eq!(outcome.summary.failed, 0);
    }
}

#[test]
fn a_header_that_finds_no_room_is_dropped() {
    let mut changed = parameters();
    changed.switch.trimming = Some(Trimming {
        trimmed_bytes: Bytes(4_000),
        ..TRIMMING
    });
    let outcome = run(incast(changed, Verb::Write));
    let summary = &outcome.summary;
    assert!(
        summary.drops > 0 && summary.trims > summary.drops,
        "{summary:?}"
    );
    assert_eq!(summary.failed, 0);
    let naks = sum(&outcome, "queue_pairs", "naks_sent");
    assert!(
        naks >= summary.trims - summary.drops,
        "{naks} of {summary:?}"
    );
}

#[test]
fn only_writes_and_sends_of_lossy_priorities_are_trimmed() {
    let mut changed = parameters();
    changed.switch.trimming = Some(TRIMMING);
    let reads = run(incast(changed.clone(), Verb::Read));
    assert!(reads.summary.drops > 0 && reads.summary.trims == 0);

    let mut lossless = crate::bench::plain();
    lossless.switch.trimming = Some(Trimming {
        queue_ns: Some(Nanoseconds(1_000)),
        ..TRIMMING
    });
    let mut scenario = incast(lossless, Verb::Write);
    share(&mut scenario, 1_000);
    let outcome = run(scenario);
    let summary = &outcome.summary;
    assert!((summary.trims, summary.drops) == (0, 0) && summary.pfc_pauses > 0);
}

/// A transport that does not know such NAKs finds the gap.
#[test]
fn go_back_n_takes_what_was_trimmed_for_lost() {
    let mut changed = parameters();
    changed.transport.recovery = Recovery::GoBackN;
    changed.transport.reordering = Reordering::None {};
    changed.switch.trimming = Some(TRIMMING);
    let outcome = run(incast(changed, Verb::Write));
    let summary = &outcome.summary;
    assert!(summary.trims > 0 && summary.retransmissions > summary.trims && summary.failed == 0);
    let delivered = sum(&outcome, "queue_pairs", "delivered_bytes");
    assert_eq!(delivered, u64::from(SENDERS) * BYTES);
}

/// Two leaves below four spines, one connection.
#[test]
fn a_sender_sprays_by_entropy_values() {
    let spread = |congestion: congestion::Parameters, balance| {
        let mut scenario = leaves(4);
        let parameters = &mut scenario.parameters;
        parameters.transport.recovery = Recovery::SelectiveRepeat;
        parameters.transport.reordering = Reordering::Time {
            ns: Nanoseconds(100_000),
        };
        parameters.transport.ack_every = 1;
        parameters.congestion = congestion;
        parameters.ecmp.balance = balance;
        let queue_pair = connect(&mut scenario, 0, 1);
        post(
            &mut scenario,
            queue_pair,
            Verb::Write,
            4096 * 6_400,
            Picoseconds::ZERO,
        );
        let outcome = run(scenario);
        assert_eq!(outcome.summary.retransmissions, 0);
        frames(&outcome, 4)
    };
    let nscc = |values| {
        congestion::Parameters::Nscc(nscc::Parameters {
            path_entropy_size: values,
            ..nscc::Parameters::default()
        })
    };
    // Each of 1024 values falls on one of four spines: 256 with a deviation of 14, and each value is used 6 times.
    let found = spread(nscc(1024), Balance::Entropy);
    assert_eq!(found.iter().sum::<u64>(), 6_400);
    assert!(
        found.iter().all(|time| (1_200..2_000).contains(time)),
        "{found:?}"
    );
    for (congestion, balance) in [
        (nscc(1), Balance::Entropy),
        (nscc(1024), Balance::Flow),
        (congestion::Parameters::NONE, Balance::Entropy),
        (
            congestion::Parameters::Dctcp(Default::default()),
            Balance::Entropy,
        ),
    ] {
        let mut found = spread(congestion, balance);
        found.sort_unstable();
        assert_eq!(found, [0, 0, 0, 6_400], "{balance:?}");
    }
}

/// As `wirespeed sim compare` sets NSCC up: an incast that needs no PFC.
#[test]
fn an_incast_completes_without_pfc() {
    for senders in [4, 16, 32] {
        let mut scenario = star(senders + 1, 100, 1_000, ultra_ethernet());
        for sender in 0..senders {
            let queue_pair = connect(&mut scenario, sender, senders);
            post(
                &mut scenario,
                queue_pair,
                Verb::Write,
                1 << 20,
                Picoseconds::ZERO,
            );
        }
        let outcome = run(scenario);
        let summary = &outcome.summary;
        assert_eq!(
            (summary.drops, summary.pfc_pauses, summary.failed),
            (0, 0, 0)
        );
        assert!(summary.trims > 0);
        assert_eq!(sum(&outcome, "queue_pairs", "timeouts"), 0);
        // The link carries 256 frames of 4158 bytes and 20 of preamble and gap for each sender.
        let least = f64::from(senders) * 256.0 * 4178.0 * 80e-6;
        let took = summary.end.as_f64() / 1e6;
        assert!((1.0..1.15).contains(&(took / least)), "{took} of {least}");
    }
}
