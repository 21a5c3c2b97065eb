//! A receiver that is not ready: how many messages it takes per second, and what the sender does meanwhile.

use crate::support::{column, connect, post, run};
use crate::{chain, roce, wire, ACK, BARE};
use wirespeed_sim::ids::LinkId;
use wirespeed_sim::model::faults::link_down::{LinkDown, Links};
use wirespeed_sim::model::faults::{Fault, Kind};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::Verb;
use wirespeed_sim::reader;
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND, MILLISECOND, NANOSECOND};

const GBPS: u64 = 100;
const DELAY_NS: u64 = 1_000;
const BYTES: u64 = 4_096;
const MESSAGES: u64 = 20;
/// RNR timer code 2 (IBTA volume 1, table 45).
const WAIT: Picoseconds = MICROSECOND.times(20);

/// Sends of one packet each, all posted at once, to a receiver with this number of receives.
fn sends(rx_depth: Option<u32>, receive_ns: u64, rnr_retry: u8) -> Outcome {
    let mut parameters = roce();
    let transport = &mut parameters.transport;
    transport.rx_depth = rx_depth;
    transport.receive_ns = Nanoseconds(receive_ns);
    transport.min_rnr_timer = 2;
    transport.rnr_retry = rnr_retry;
    let mut scenario = chain(0, GBPS, DELAY_NS, parameters);
    let queue_pair = connect(&mut scenario, 0, 1);
    for _ in 0..MESSAGES {
        post(
            &mut scenario,
            queue_pair,
            Verb::Send,
            BYTES,
            Picoseconds::ZERO,
        );
    }
    run(scenario)
}

fn packet() -> Picoseconds {
    wire(BYTES + BARE, GBPS)
}

/// From a message's arrival to that of its next try: the RNR NAK, the wait, the packet.
fn try_again() -> Picoseconds {
    wire(ACK, GBPS) + 2 * DELAY_NS * NANOSECOND + WAIT + packet()
}

/// With one receive a message is accepted at the first of its tries at which the message before it has been taken.
#[test]
fn a_slow_application_sets_the_pace() {
    for receive_ns in [0, 10_000, 22_000, 30_000, 100_000] {
        let outcome = sends(Some(1), receive_ns, 7);
        let taken = (receive_ns * NANOSECOND).saturating_sub(packet());
        let tries = taken.div_ceil(try_again());
        let accepted = packet() + (MESSAGES - 1) * (packet() + tries * try_again());
        // The last arrives, and its ACK.
        let end = accepted + 2 * DELAY_NS * NANOSECOND + wire(ACK, GBPS);
        assert_eq!(outcome.summary.end, end, "{receive_ns} ns");
        let naks = column(&outcome, "queue_pairs", "rnr_naks_sent");
        assert_eq!(naks, [0, (MESSAGES - 1) * tries]);
        assert_eq!(column(&outcome, "queue_pairs", "naks_sent"), [0, 0]);
        let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
        assert_eq!(delivered, [0, MESSAGES * BYTES]);
    }
}

/// As many receives as messages, or no limit: the wire sets the pace, and nothing is refused.
#[test]
fn a_deep_receive_queue_hides_it() {
    let wire_bound = MESSAGES * packet() + 2 * DELAY_NS * NANOSECOND + wire(ACK, GBPS);
    let deep = sends(Some(MESSAGES as u32), 100_000, 7);
    assert_eq!(deep.summary.end, wire_bound);
    assert_eq!(column(&deep, "queue_pairs", "rnr_naks_sent"), [0, 0]);
    let off = sends(None, 100_000, 7);
    assert_eq!(off.summary.end, wire_bound);
    let table = off.tables.iter().find(|table| table.name == "queue_pairs");
    let names = table.unwrap().columns.iter().map(|(name, _)| *name);
    assert!(!names.into_iter().any(|name| name == "rnr_naks_sent"));
}

#[test]
fn rnr_retry_runs_out() {
    let outcome = sends(Some(1), 1_000_000, 3);
    assert_eq!(outcome.summary.failed, MESSAGES - 1);
    assert_eq!(column(&outcome, "queue_pairs", "rnr_naks_sent"), [0, 4]);
    assert_eq!(outcome.summary.completion.len(), 1);
}

/// A copy of a refused message is taken, which ends the longest of waits, 655 ms: from then on the ACK timeout of 8.2 us
/// counts again, and brings the next message back that the link loses.
#[test]
fn the_ack_timeout_counts_after_a_wait_that_ended_early() {
    let mut parameters = roce();
    let transport = &mut parameters.transport;
    transport.rx_depth = Some(1);
    transport.receive_ns = Nanoseconds(45_000);
    transport.min_rnr_timer = 0;
    transport.ack_timeout = 1;
    // Copies leave at 40, 48, ... us; the first is refused at 60, its RNR NAK arrives at 80; the second is taken at 68.
    let mut scenario = chain(0, GBPS, 20_000, parameters);
    let queue_pair = connect(&mut scenario, 0, 1);
    for predecessor in [None, Some(0), Some(1)] {
        let operation = post(
            &mut scenario,
            queue_pair,
            Verb::Send,
            BYTES,
            Picoseconds::ZERO,
        ) as usize;
        scenario.operations[operation].after = predecessor.into_iter().collect();
    }
    scenario.operations[2].delay = 20 * MICROSECOND;
    let lost = LinkDown {
        of: Links::One(LinkId(0)),
        detection: MILLISECOND,
        convergence: Picoseconds::ZERO,
    };
    scenario.faults = vec![Fault {
        from: 105 * MICROSECOND,
        until: 112 * MICROSECOND,
        kind: Kind::LinkDown(lost),
    }];
    let outcome = run(scenario);
    assert_eq!(column(&outcome, "queue_pairs", "rnr_naks_sent"), [0, 1]);
    assert_eq!(outcome.summary.completion.len(), 3);
    let retransmission_times = 116 * MICROSECOND..119 * MICROSECOND;
    assert!(retransmission_times.contains(&(outcome.summary.end - 40 * MICROSECOND)));
}

/// Posted receives and the RNR timer code are those of the receiver; the sender's code applies to what it receives.
#[test]
fn the_receiver_sets_the_rnr_delay() {
    let refused = |sender: u8, receiver: u8| {
        let text = format!(
            r#"{{"hosts": 2, "switches": 0, "link_gbps": 100, "link_delay_ns": 1000, "links": [[0, 1]],
                "queue_pairs": [{{"a": 0, "b": 1}}],
                "operations": [{{"queue_pair": 0, "side": "a", "verb": "send", "bytes": 1000}},
                               {{"queue_pair": 0, "side": "a", "verb": "send", "bytes": 1000}}],
                "parameters": {{"transport": {{"min_rnr_timer": {sender}}}}},
                "devices": [{{"nodes": [1], "parameters": {{"transport":
                    {{"rx_depth": 1, "receive_ns": 9000, "min_rnr_timer": {receiver}}}}}}}]}}"#
        );
        let outcome = run(reader::read(&text, "roce", 1).unwrap());
        let naks = column(&outcome, "queue_pairs", "rnr_naks_sent");
        assert_eq!(naks, [0, 1]);
        outcome.summary.end
    };
    // Codes 2 and 22 are 20 us and 20.48 ms.
    assert!(refused(22, 2) < 30 * MICROSECOND);
    let long = 20_480 * MICROSECOND;
    assert!((long..long + 10 * MICROSECOND).contains(&refused(2, 22)));
}
