//! Credit of receivers, in whole runs: what an incast does to a queue, who is served, and what happens when credit is lost.

use crate::bench::queue;
use crate::support::{column, connect, fractions, link, network, post, run, star, ultra_ethernet};
use wirespeed_sim::congestion::{rccc, Parameters as Congestion};
use wirespeed_sim::ids::{PortId, QueuePairId};
use wirespeed_sim::model::parameters::Recovery;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Picoseconds, MICROSECOND, MILLISECOND};

const BYTES: u64 = 1 << 20;
/// Of a full packet, on the link.
const PACKET: u64 = 62 + 4096 + 20;
/// Twice two links of 100 Gb/s and 1 us.
const RTT: Picoseconds = Picoseconds(4_683_000);
/// 1.5 times what 100 Gb/s carry in that time.
const INITIAL: u64 = 87_806;

fn with_rccc(parameters: rccc::Parameters) -> Congestion {
    Congestion::Rccc(parameters)
}

/// `senders` hosts write to one more, at 100 Gb/s.
fn incast(senders: u32, bytes: u64, congestion: Congestion) -> Scenario {
    let mut parameters = ultra_ethernet();
    parameters.congestion = congestion;
    let mut scenario = star(senders + 1, 100, 1_000, parameters);
    for sender in 0..senders {
        let queue_pair = connect(&mut scenario, sender, senders);
        post(
            &mut scenario,
            queue_pair,
            Verb::Write,
            bytes,
            Picoseconds::ZERO,
        );
    }
    scenario
}

fn sum(outcome: &Outcome, table: &str, name: &str) -> u64 {
    column(outcome, table, name).iter().sum()
}

/// No sender is without what it was granted, and none sends more, but for what it begins with and a packet.
fn check_conservation(outcome: &Outcome) {
    let of = |name: &str| column(outcome, "credits", name);
    let (requested, granted) = (of("asked_bytes"), of("granted_bytes"));
    let (received, spent) = (of("received_bytes"), of("spent_bytes"));
    let initial = of("initial_bytes");
    for row in 0..spent.len() {
        let packet = PACKET + 16;
        assert!(received[row] <= granted[row], "{row}");
        assert!(spent[row] < received[row] + initial[row] + packet, "{row}");
        let retransmissions = outcome.summary.trims + outcome.summary.retransmissions;
        assert!(
            granted[row] <= requested[row] + retransmissions * packet,
            "{row}"
        );
    }
}

/// Bytes in the queue to the receiver, over time.
fn queue_over_time(mut scenario: Scenario) -> (Vec<(Picoseconds, f64)>, Outcome) {
    let port = 2 * scenario.hosts - 1;
    scenario.observe.interval = MICROSECOND;
    scenario.observe.ports = vec![PortId(port)];
    let outcome = run(scenario);
    let of = |name: &str| column(&outcome, "series", name);
    let value = fractions(&outcome, "series", "value");
    let rows = of("what").into_iter().zip(of("priority"));
    let rows: Vec<_> = rows.zip(of("time_ps").into_iter().zip(value)).collect();
    let of_data = rows.into_iter().filter(|(key, _)| *key == (0, 3));
    (
        of_data
            .map(|(_, (time, value))| (Picoseconds(time), value))
            .collect(),
        outcome,
    )
}

#[test]
fn an_incast_has_no_queue_but_that_of_its_first_round_trip() {
    for senders in [4, 16, 32] {
        let largest_after = |congestion: Congestion| {
            let (samples, outcome) =
                queue_over_time(incast(senders, 32 * BYTES / u64::from(senders), congestion));
            // Packets sent before the first grant, at most 12 us of them, drain into the hundredth of the link that is not
            // granted.
            let samples = samples
                .iter()
                .filter(|(time, _)| *time > 13 * MILLISECOND / 10);
            let end = outcome.summary.end - 20 * MICROSECOND;
            let values = samples
                .filter(|(time, _)| *time < end)
                .map(|(_, value)| *value);
            (values.fold(0.0, f64::max), outcome)
        };
        let (queue, outcome) = largest_after(with_rccc(rccc::Parameters::default()));
        let summary = &outcome.summary;
        assert_eq!(
            (summary.drops, summary.pfc_pauses, summary.failed),
            (0, 0, 0),
            "{senders}"
        );
        assert_eq!(sum(&outcome, "queue_pairs", "timeouts"), 0);
        assert!(queue <= 8.0 * PACKET as f64, "{senders}: {queue}");
        check_conservation(&outcome);
        assert_eq!(
            column(&outcome, "credits", "initial_bytes"),
            vec![INITIAL; senders as usize]
        );
        // The link carries all messages at the rate that credit leaves, after the first round trip.
        let frames = 32 * 256;
        let least = (frames * PACKET + 16 * u64::from(senders)) * 80;
        let most = (least as f64 / 0.98) as u64 + 3 * RTT.0;
        assert!(
            (least..most).contains(&summary.end.0),
            "{senders}: {} of {least}",
            summary.end
        );

        // The same without receivers that grant credit: a queue stands as long as anything is sent.
        let (queue, nscc) = largest_after(Congestion::Nscc(Default::default()));
        assert!(queue > 40_000.0, "{senders}: {queue}");
        assert!(!nscc.tables.iter().any(|table| table.name == "credits"));
    }
}

/// All trimmed packets were sent before the first grant.
#[test]
fn nothing_is_trimmed_after_the_first_round_trip() {
    for senders in [8, 32] {
        let trims = |until| {
            let mut scenario = incast(senders, BYTES, with_rccc(Default::default()));
            scenario.until = until;
            run(scenario).summary.trims
        };
        let first = trims(2 * RTT);
        assert!(first > 0);
        assert_eq!(trims(100 * MILLISECOND), first, "{senders}");
    }
}

#[test]
fn senders_are_served_in_turns() {
    let mut scenario = incast(16, 1 << 32, with_rccc(Default::default()));
    scenario.until = 4 * MILLISECOND;
    let outcome = run(scenario);
    let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
    let rates: Vec<f64> = delivered.chunks(2).map(|ends| ends[1] as f64).collect();
    let (sum, squares) = rates.iter().fold((0.0, 0.0), |(sum, squares), rate| {
        (sum + rate, squares + rate * rate)
    });
    let jain = sum * sum / (squares * rates.len() as f64);
    assert!(jain > 0.999, "{jain}");
    // 99 % of the link, but for the first round trip.
    let used = sum / 4096.0 * PACKET as f64 * 80.0 / (4 * MILLISECOND).as_f64();
    assert!((0.985..1.0).contains(&used), "{used}");
}

/// A receiver grants no credit for the share of its link that it keeps for other traffic.
#[test]
fn credit_is_paced_by_the_receivers_link() {
    for rate in [0.5, 0.9] {
        let congestion = with_rccc(rccc::Parameters {
            credit_rate: rate,
            ..rccc::Parameters::default()
        });
        let outcome = run(incast(4, 4 * BYTES, congestion));
        let bytes = 4 * (1_024 * PACKET + 16);
        // Packets sent before the first grant use initial credit.
        let paced = (bytes - 4 * INITIAL) as f64 * 80.0 / rate;
        let end = outcome.summary.end.as_f64();
        assert!(
            (paced..1.05 * bytes as f64 * 80.0 / rate).contains(&end),
            "{rate}"
        );
    }
    // A receiver's link of 25 Gb/s holds senders of 100 Gb/s to that.
    let mut scenario = incast(4, BYTES, with_rccc(Default::default()));
    scenario.links[4].rate = 25_000_000_000;
    let outcome = run(scenario);
    let least = 4 * 256 * PACKET * 320;
    assert!((least + 1..least * 102 / 100).contains(&outcome.summary.end.0));
    assert_eq!((outcome.summary.drops, outcome.summary.failed), (0, 0));
}

/// Frames with credit, requests, data and acknowledgements: whatever is lost, all arrives.
#[test]
fn lost_credit_is_made_up_for() {
    for recovery in [Recovery::SelectiveRepeat, Recovery::GoBackN] {
        for loss in [0.005, 0.02, 0.1] {
            let mut scenario = incast(4, 300_000, with_rccc(Default::default()));
            scenario.parameters.transport.recovery = recovery;
            scenario.parameters.transport.retry_count = 250;
            for link in &mut scenario.links {
                link.loss = loss;
            }
            let outcome = run(scenario);
            let summary = &outcome.summary;
            assert!(
                summary.losses > 0 && summary.failed == 0,
                "{recovery:?} {loss}: {summary:?}"
            );
            assert_eq!(sum(&outcome, "queue_pairs", "delivered_bytes"), 4 * 300_000);
            check_conservation(&outcome);
        }
    }
}

/// A sender without credit requests more when a new message is posted, not before.
#[test]
fn a_message_after_a_pause_requests_credit_first() {
    let mut scenario = incast(2, BYTES, with_rccc(Default::default()));
    post(
        &mut scenario,
        QueuePairId(0),
        Verb::Write,
        40_960,
        MILLISECOND,
    );
    let outcome = run(scenario);
    let requests = column(&outcome, "credits", "requests");
    let [start, end] = ["start_ps", "end_ps"].map(|name| column(&outcome, "flows", name)[2]);
    assert_eq!(requests[1], 0);
    assert!(requests[0] >= 1, "{requests:?}");
    // Request and credit, then data and acknowledgement: ten packets of 334 ns after two round trips.
    let took = Picoseconds(end - start);
    assert!(
        (2 * RTT - MICROSECOND..2 * RTT + 4 * MICROSECOND).contains(&took),
        "{took}"
    );
}

/// A sender that waits for credit for longer than the transport waits for an acknowledgement has lost no packet.
#[test]
fn waiting_for_credit_is_no_retry() {
    let senders = 600;
    let mut scenario = incast(senders, 8 * 4096, with_rccc(Default::default()));
    scenario.parameters.transport.retry_count = 1;
    scenario.parameters.transport.ack_timeout = 3; // 33 us; a turn of all takes 200
    let outcome = run(scenario);
    assert_eq!(outcome.summary.failed, 0);
    assert!(outcome.summary.trims > 1_000);
    let delivered = sum(&outcome, "queue_pairs", "delivered_bytes");
    assert_eq!(delivered, u64::from(senders) * 8 * 4096);
}

/// Two leaves: the network itself is narrower than the receivers' links, which credit alone does not see.
#[test]
fn a_narrow_network_needs_nscc_as_well() {
    let trims = |nscc| {
        let mut parameters = ultra_ethernet();
        parameters.congestion = with_rccc(rccc::Parameters {
            nscc,
            ..rccc::Parameters::default()
        });
        let mut links: Vec<_> = (0..8)
            .map(|host| link(host, 8 + host / 4, 100, 1_000))
            .collect();
        links.push(link(8, 9, 100, 1_000));
        let mut scenario = network(8, 2, links, parameters);
        for host in 0..4 {
            let queue_pair = connect(&mut scenario, host, host + 4);
            post(
                &mut scenario,
                queue_pair,
                Verb::Write,
                8 * BYTES,
                Picoseconds::ZERO,
            );
        }
        let outcome = run(scenario);
        assert_eq!((outcome.summary.failed, outcome.summary.drops), (0, 0));
        assert_eq!(queue(&outcome, 16, 3, "drops"), 0);
        check_conservation(&outcome);
        outcome.summary.trims
    };
    let (alone, both) = (trims(None), trims(Some(Default::default())));
    assert!(alone > 4 * both, "{alone} {both}");
}

/// A sender stops requesting credit from a receiver that does not reply.
#[test]
fn a_sender_whose_receiver_is_gone_fails() {
    for ack_timeout in [5, 0] {
        let mut scenario = incast(1, BYTES, with_rccc(Default::default()));
        scenario.parameters.transport.ack_timeout = ack_timeout;
        scenario.links[1].loss = 1.0;
        let outcome = run(scenario);
        assert!(outcome.summary.completion.is_empty());
        // As often as the transport tries again, and once more: 8 times.
        assert!((1..=8).contains(&sum(&outcome, "credits", "requests")));
    }
}
