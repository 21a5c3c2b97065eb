//! When operations are posted, how many are outstanding, and how fast a port may begin them.

use crate::support::{column, connect, link, network, post, run, star};
use crate::{chain, roce, wire, ACK, AETH, BARE, RETH};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::{PortId, QueuePairId};
use wirespeed_sim::model::parameters::Parameters;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Operation, Scenario, Verb};
use wirespeed_sim::time::{Picoseconds, MICROSECOND, SECOND};

const DELAY_NS: u64 = 1_000;
const DELAY: Picoseconds = Picoseconds(DELAY_NS * 1_000);

/// A write of 8 bytes over a cable of 1 us at 100 Gb/s: the packet, and its ACK.
fn small_write() -> Picoseconds {
    wire(BARE + RETH + 8, 100) + wire(ACK, 100) + 2 * DELAY
}

fn starts(outcome: &Outcome) -> Vec<u64> {
    column(outcome, "flows", "start_ps")
}

fn ends(outcome: &Outcome) -> Vec<u64> {
    column(outcome, "flows", "end_ps")
}

/// Posts a write of 8 bytes that waits for others.
fn post_after(
    scenario: &mut Scenario,
    queue_pair: QueuePairId,
    predecessors: &[u32],
    at: Picoseconds,
    delay: Picoseconds,
) {
    scenario.operations.push(Operation {
        queue_pair,
        verb: Verb::Write,
        bytes: Bytes(8),
        at,
        after: predecessors.to_vec(),
        delay,
    });
}

/// Start = the later of `at` and the last completion waited for, plus `delay`.
#[test]
fn after_at_and_delay() {
    let single = small_write();
    // Operations 0 and 1 complete at `one` and 7 us + `one`.
    let late = 7 * MICROSECOND;
    let rows: [(&[u32], Picoseconds, Picoseconds, Picoseconds); 9] = [
        (&[], Picoseconds::ZERO, Picoseconds::ZERO, Picoseconds::ZERO),
        (&[], Picoseconds(5), Picoseconds::ZERO, Picoseconds(5)),
        (&[], Picoseconds(5), Picoseconds(3), Picoseconds(8)),
        (&[0], Picoseconds::ZERO, Picoseconds::ZERO, single),
        (
            &[0],
            Picoseconds::ZERO,
            Picoseconds(3),
            single + Picoseconds(3),
        ),
        (
            &[0],
            single - Picoseconds(1),
            Picoseconds(3),
            single + Picoseconds(3),
        ),
        (
            &[0],
            single + Picoseconds(9),
            Picoseconds(3),
            single + Picoseconds(12),
        ),
        (
            &[0, 1],
            Picoseconds::ZERO,
            Picoseconds(3),
            late + single + Picoseconds(3),
        ),
        (&[1, 0], late + single, Picoseconds::ZERO, late + single),
    ];
    for (predecessors, at, delay, start) in rows {
        let mut scenario = star(4, 100, DELAY_NS / 2, roce());
        scenario.links = vec![link(0, 1, 100, DELAY_NS), link(2, 3, 100, DELAY_NS)];
        let first = connect(&mut scenario, 0, 1);
        let other = connect(&mut scenario, 2, 3);
        post(&mut scenario, first, Verb::Write, 8, Picoseconds::ZERO);
        post(&mut scenario, first, Verb::Write, 8, late);
        // On another host, so that it meets nothing.
        post_after(&mut scenario, other, predecessors, at, delay);
        let outcome = run(scenario);
        assert_eq!(
            Picoseconds(starts(&outcome)[2]),
            start,
            "after {predecessors:?} at {at} + {delay}"
        );
        assert_eq!(Picoseconds(ends(&outcome)[2]), start + single);
    }
}

#[test]
fn a_chain_of_operations_takes_the_sum_of_their_times() {
    let mut scenario = chain(0, 100, DELAY_NS, roce());
    let ahead = connect(&mut scenario, 0, 1);
    post(&mut scenario, ahead, Verb::Write, 8, Picoseconds::ZERO);
    for number in 1..1_000 {
        // Ping-pong: the answer is posted at the other end.
        post_after(
            &mut scenario,
            if number % 2 == 0 { ahead } else { ahead.peer() },
            &[number - 1],
            Picoseconds::ZERO,
            MICROSECOND,
        );
    }
    let outcome = run(scenario);
    let last = 999 * (small_write() + MICROSECOND) + small_write();
    assert_eq!(Picoseconds(ends(&outcome)[999]), last);
}

/// Operation i of a queue pair with `depth` outstanding starts on the wire when i - depth completes: with a round trip
/// longer than depth packets its end is `round_trip (i / depth + 1) + packet (i mod depth)`.
fn window_ends(count: u64, depth: u64, round_trip: Picoseconds, packet: Picoseconds) -> Vec<u64> {
    let end = |i| (round_trip * (i / depth + 1) + packet * (i % depth)).0;
    (0..count).map(end).collect()
}

#[test]
fn tx_depth_is_how_many_are_outstanding() {
    let packet = wire(BARE + RETH + 8, 100);
    for depth in [1, 2, 3, 8, 20, 100] {
        let mut parameters = roce();
        parameters.transport.tx_depth = depth;
        let mut scenario = chain(0, 100, DELAY_NS, parameters);
        let queue_pair = connect(&mut scenario, 0, 1);
        for _ in 0..20 {
            post(&mut scenario, queue_pair, Verb::Write, 8, Picoseconds::ZERO);
        }
        let outcome = run(scenario);
        let expected = window_ends(20, u64::from(depth), small_write(), packet);
        assert_eq!(ends(&outcome), expected, "depth {depth}");
        assert_eq!(starts(&outcome), [0; 20], "waiting in line is part of it");
    }
}

#[test]
fn reads_outstanding_are_limited_apart() {
    let request = wire(BARE + RETH, 100);
    let round_trip = request + wire(BARE + AETH + 8, 100) + 2 * DELAY;
    for limit in [1, 4, 16, 200] {
        let mut parameters = roce();
        parameters.transport.max_outstanding_reads = limit;
        let mut scenario = chain(0, 100, DELAY_NS, parameters);
        let queue_pair = connect(&mut scenario, 0, 1);
        for _ in 0..20 {
            post(&mut scenario, queue_pair, Verb::Read, 8, Picoseconds::ZERO);
        }
        let expected = window_ends(20, u64::from(limit), round_trip, request);
        assert_eq!(ends(&run(scenario)), expected, "limit {limit}");
    }
}

#[test]
fn a_thousand_small_messages() {
    let mut scenario = chain(0, 100, DELAY_NS, roce());
    scenario.links[0].delay = DELAY / 10;
    let queue_pair = connect(&mut scenario, 0, 1);
    for _ in 0..1_000 {
        post(&mut scenario, queue_pair, Verb::Write, 8, Picoseconds::ZERO);
    }
    let outcome = run(scenario);
    // Back to back: 128 outstanding are more than the 26 that a round trip of 215 ns holds.
    let packet = wire(BARE + RETH + 8, 100);
    let end = 999 * packet + small_write() - 2 * DELAY + 2 * DELAY / 10;
    assert_eq!(Picoseconds(ends(&outcome)[999]), end);
    assert_eq!(column(&outcome, "ports", "frames"), [1_000, 1_000]);
    let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
    assert_eq!(delivered, [0, 8_000]);
}

fn with_message_rate(messages_per_second: Option<u64>) -> Parameters {
    let mut parameters = roce();
    parameters.nic.messages_per_second = messages_per_second;
    parameters
}

#[test]
fn messages_per_second() {
    let packet = wire(BARE + RETH + 8, 100);
    // Without a limit, and with one above the packet rate of the link (118 million), the link decides.
    for (limit, gap) in [
        (None, packet),
        (Some(200_000_000), packet),
        (Some(20_000_000), SECOND / 20_000_000),
        (Some(8_000_000), SECOND / 8_000_000),
        (Some(1_000_000), MICROSECOND),
        (Some(1_000), 1_000 * MICROSECOND),
    ] {
        let mut scenario = chain(0, 100, DELAY_NS, with_message_rate(limit));
        let queue_pair = connect(&mut scenario, 0, 1);
        for _ in 0..100 {
            post(&mut scenario, queue_pair, Verb::Write, 8, Picoseconds::ZERO);
        }
        let expected: Vec<_> = (0..100).map(|i| (i * gap + small_write()).0).collect();
        assert_eq!(ends(&run(scenario)), expected, "{limit:?}");
    }
}

#[test]
fn the_message_rate_is_that_of_a_port() {
    // Ten messages on each of two queue pairs: on one port they take turns, on two they do not meet.
    for (ports, gap) in [(1, 2 * MICROSECOND), (2, MICROSECOND)] {
        let links = vec![link(0, 1, 100, DELAY_NS); 2];
        let mut scenario = network(2, 0, links, with_message_rate(Some(1_000_000)));
        let pairs = [connect(&mut scenario, 0, 1), connect(&mut scenario, 0, 1)];
        if ports == 2 {
            scenario.connections[1].port_a = PortId(2);
            scenario.connections[1].port_b = PortId(3);
        }
        for number in 0..20 {
            post(
                &mut scenario,
                pairs[number % 2],
                Verb::Write,
                8,
                Picoseconds::ZERO,
            );
        }
        let ends = ends(&run(scenario));
        assert_eq!(Picoseconds(ends[18] - ends[16]), gap);
        assert_eq!(Picoseconds(ends[19] - ends[17]), gap);
    }
}

/// A response is a message of the port that gives it: two hosts that read from a third get half of its rate each.
#[test]
fn the_message_rate_holds_for_read_responses() {
    for (limit, apart) in [(Some(1_000_000), MICROSECOND), (None, Picoseconds::ZERO)] {
        let mut scenario = star(3, 100, DELAY_NS, with_message_rate(limit));
        for reader in [0, 1] {
            let queue_pair = connect(&mut scenario, reader, 2);
            for at in 0..50 {
                let at = at * 2 * MICROSECOND;
                post(&mut scenario, queue_pair, Verb::Read, 8, at);
            }
        }
        let outcome = run(scenario);
        let (first, second) = outcome.summary.completion.split_at(50);
        let frames = [BARE + RETH, BARE + AETH + 8];
        let alone = 2 * (wire(frames[0] + frames[1], 100) + 2 * DELAY);
        assert_eq!(first, [alone; 50]);
        // Without the limit the second request waits for the first on the wire, and so does its response.
        let behind = wire(frames[0], 100);
        assert_eq!(second, [alone + apart.max(behind); 50], "{limit:?}");
    }
}

#[test]
fn the_message_rate_holds_up_beginnings_only() {
    // Messages of ten packets take 3.34 us: a limit of one per us never holds.
    let times = [None, Some(1_000_000)].map(|limit| {
        let mut scenario = chain(0, 100, DELAY_NS, with_message_rate(limit));
        let queue_pair = connect(&mut scenario, 0, 1);
        for _ in 0..10 {
            post(
                &mut scenario,
                queue_pair,
                Verb::Write,
                40_960,
                Picoseconds::ZERO,
            );
        }
        ends(&run(scenario))
    });
    assert_eq!(times[0], times[1]);

    // A long message continues while small ones of another queue pair wait to begin.
    let mut scenario = chain(0, 100, DELAY_NS, with_message_rate(Some(1_000_000)));
    let long = connect(&mut scenario, 0, 1);
    let small = connect(&mut scenario, 0, 1);
    post(
        &mut scenario,
        long,
        Verb::Write,
        100 * 4096,
        Picoseconds::ZERO,
    );
    for _ in 0..10 {
        post(&mut scenario, small, Verb::Write, 8, Picoseconds::ZERO);
    }
    let outcome = run(scenario);
    let bytes = 100 * (4096 + BARE) + RETH + 10 * (BARE + RETH + 8) + ACK;
    assert_eq!(Picoseconds(ends(&outcome)[0]), wire(bytes, 100) + 2 * DELAY);
}
