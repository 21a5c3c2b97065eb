//! How queue pairs and priorities share a port of a NIC, and that ports do not share.

use crate::support::{column, connect, link, network, post, run};
use crate::{chain, roce, wire, ACK, BARE, RETH};
use wirespeed_sim::ids::{PortId, Priority};
use wirespeed_sim::model::parameters::Parameters;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::Picoseconds;

const DELAY_NS: u64 = 500;
const FULL: u64 = 4096 + BARE;

/// Time from the end of the last packet on the wire to the arrival of its ACK.
fn tail() -> Picoseconds {
    wire(ACK, 100) + Picoseconds(2 * DELAY_NS * 1_000)
}

/// Queue pairs of a priority take turns packet by packet. The first finds the port idle and sends at once; from then on
/// all `n` of them are in line and send one packet each in a round.
#[test]
fn queue_pairs_take_turns() {
    for n in [1, 2, 5, 40] {
        let mut scenario = chain(0, 100, DELAY_NS, roce());
        for _ in 0..n {
            let queue_pair = connect(&mut scenario, 0, 1);
            post(
                &mut scenario,
                queue_pair,
                Verb::Write,
                100 * 4096,
                Picoseconds::ZERO,
            );
        }
        // The first ends at the beginning of round 99, the others one after the other in round 100.
        let last_packet = |k| {
            if k == 0 {
                1 + 98 * n + 1
            } else {
                1 + 99 * n + k
            }
        };
        let expected: Vec<_> = (0..n)
            .map(|k| wire(n * RETH + last_packet(k) * FULL, 100) + tail())
            .collect();
        assert_eq!(run(scenario).summary.completion, expected);
    }
}

/// The turn is a packet, not a message: a long write, ahead by the one packet with which it found the port idle, and a
/// hundred short ones on another queue pair.
#[test]
fn a_turn_is_a_packet() {
    let mut scenario = chain(0, 100, DELAY_NS, roce());
    let long = connect(&mut scenario, 0, 1);
    let short = connect(&mut scenario, 0, 1);
    post(
        &mut scenario,
        long,
        Verb::Write,
        100 * 4096,
        Picoseconds::ZERO,
    );
    for _ in 0..100 {
        post(&mut scenario, short, Verb::Write, 4096, Picoseconds::ZERO);
    }
    let ends = run(scenario).summary.completion;
    assert_eq!(ends[0], wire(198 * FULL + 99 * RETH, 100) + tail());
    assert_eq!(ends[100], wire(200 * FULL + 101 * RETH, 100) + tail());
}

/// A queue pair that comes later gets its share from then on.
#[test]
fn a_latecomer_waits_for_one_packet() {
    let mut scenario = chain(0, 100, DELAY_NS, roce());
    let early = connect(&mut scenario, 0, 1);
    let late = connect(&mut scenario, 0, 1);
    post(
        &mut scenario,
        early,
        Verb::Send,
        100 * 4096,
        Picoseconds::ZERO,
    );
    // Within the 50th packet; the early one sends at the end of it, then the late one.
    post(
        &mut scenario,
        late,
        Verb::Send,
        4096,
        wire(49 * FULL, 100) + Picoseconds(1),
    );
    let outcome = run(scenario);
    let ends = column(&outcome, "flows", "end_ps");
    assert_eq!(Picoseconds(ends[1]), wire(52 * FULL, 100) + tail());
    assert_eq!(Picoseconds(ends[0]), wire(101 * FULL, 100) + tail());
}

/// Two priorities on one cable, each a long send; when that of priority 3 is complete, and that of 4.
fn two_priorities(change: fn(&mut Parameters)) -> [u64; 2] {
    const PACKETS: u64 = 3_000;
    let mut parameters = roce();
    change(&mut parameters);
    let mut scenario = chain(0, 100, DELAY_NS, parameters);
    for priority in [3, 4] {
        let queue_pair = connect(&mut scenario, 0, 1);
        scenario.connections[queue_pair.connection()].priority = Priority(priority);
        post(
            &mut scenario,
            queue_pair,
            Verb::Send,
            PACKETS * 4096,
            Picoseconds::ZERO,
        );
    }
    let ends = run(scenario).summary.completion;
    [ends[0], ends[1]].map(|end| (end - tail()) * 1_000 / wire(PACKETS * FULL, 100))
}

/// Deficit weighted round robin at the NIC: while both send, the bytes are as the weights. In thousandths of the time that
/// one of the two sends takes alone; a round of the scheduler is at most 8 packets of 3000.
#[test]
fn priorities_share_by_weight() {
    type Change = fn(&mut Parameters);
    let rows: [(Change, [u64; 2]); 6] = [
        (|_| (), [2_000, 2_000]),
        (|p| p.scheduler.weights[3] = 150, [1_333, 2_000]),
        (|p| p.scheduler.weights[4] = 150, [2_000, 1_333]),
        (|p| p.scheduler.weights[3] = 350, [1_143, 2_000]),
        (|p| p.scheduler.strict_priorities = 1 << 4, [2_000, 1_000]),
        (
            |p| p.scheduler.strict_priorities = 1 << 3 | 1 << 4,
            [2_000, 1_000],
        ),
    ];
    for (change, expected) in rows {
        let found = two_priorities(change);
        for (found, expected) in found.into_iter().zip(expected) {
            assert!(found.abs_diff(expected) <= 3, "{found} is not {expected}");
        }
    }
}

/// Two sends of 100 packets between two hosts with two cables.
fn two_cables(second: u32) -> Vec<Picoseconds> {
    let links = vec![link(0, 1, 100, DELAY_NS); 2];
    let mut scenario: Scenario = network(2, 0, links, roce());
    for first_port in [0, second] {
        let queue_pair = connect(&mut scenario, 0, 1);
        let connection = &mut scenario.connections[queue_pair.connection()];
        connection.port_a = PortId(first_port);
        connection.port_b = PortId(first_port + 1);
        post(
            &mut scenario,
            queue_pair,
            Verb::Send,
            100 * 4096,
            Picoseconds::ZERO,
        );
    }
    run(scenario).summary.completion
}

#[test]
fn ports_of_a_host_do_not_share() {
    let alone = wire(100 * FULL, 100) + tail();
    assert_eq!(two_cables(2), [alone, alone]);
    let shared_time = wire(200 * FULL, 100) + tail();
    let first = shared_time - 2 * wire(FULL, 100);
    assert_eq!(two_cables(0), [first, shared_time]);
}
