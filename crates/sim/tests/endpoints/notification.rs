//! The notification point: when a receiver sends CNPs, how many, and how they travel.

use crate::support::{column, connect, flow, fractions, link, network, post, preset, run};
use crate::{roce, wire, ACK, BARE, GAP};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::{PortId, Priority, QueuePairId};
use wirespeed_sim::model::parameters::Parameters;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND, NANOSECOND};

const FULL: u64 = 4096 + BARE;
const DELAY_NS: u64 = 500;
const CNP: u64 = 78 + GAP;

/// Any queue marks every packet.
fn marking_all(mut parameters: Parameters) -> Parameters {
    parameters.marking.kmin_bytes = Bytes(0);
    parameters.marking.kmax_bytes = Bytes(0);
    parameters.marking.reference_gbps = None;
    parameters
}

/// Host 0 sends at 200 Gb/s through a switch to host 1, whose cable has 100 Gb/s. The first packet leaves at once, the
/// second waits for it alone, the third comes when the second goes; the fourth is the first to find one waiting.
fn bottleneck(parameters: Parameters, packets: u64) -> Scenario {
    let links = vec![link(0, 2, 200, DELAY_NS), link(1, 2, 100, DELAY_NS)];
    let mut scenario = network(2, 1, links, parameters);
    let queue_pair = connect(&mut scenario, 0, 1);
    post(
        &mut scenario,
        queue_pair,
        Verb::Send,
        packets * 4096,
        Picoseconds::ZERO,
    );
    scenario
}

/// A stream of marked packets one packet time apart: the next CNP goes with the first of them at or after the interval.
#[test]
fn cnps_of_a_marked_stream() {
    const PACKETS: u64 = 800;
    let packet = wire(FULL, 100);
    for interval_ns in [0, 1, 335, 1_000, 4_000, 10_000, 50_000, 1_000_000] {
        for delay_ns in [0, 200] {
            let mut parameters = marking_all(roce());
            parameters.notification.interval_ns = Nanoseconds(interval_ns);
            parameters.notification.delay_ns = Nanoseconds(delay_ns);
            let outcome = run(bottleneck(parameters, PACKETS));
            let marked = column(&outcome, "queue_pairs", "ce_received")[1];
            assert_eq!(marked, PACKETS - 3, "all that found a packet waiting");
            // Every k-th marked packet, the first included.
            let k = (interval_ns * NANOSECOND).div_ceil(packet).max(1);
            let cnps = marked.div_ceil(k);
            assert_eq!(
                outcome.summary.cnp_frames,
                2 * cnps,
                "interval {interval_ns}"
            ); // over two links
            assert_eq!(outcome.summary.cnps, cnps);
            assert_eq!(column(&outcome, "queue_pairs", "cnps_received"), [cnps, 0]);
            assert_eq!(outcome.summary.ecn_marks, marked);
        }
    }
}

#[test]
fn pacing_is_per_queue_pair() {
    for pairs in [1, 2, 3] {
        let mut scenario = bottleneck(marking_all(roce()), 400);
        for _ in 1..pairs {
            let queue_pair = connect(&mut scenario, 0, 1);
            post(
                &mut scenario,
                queue_pair,
                Verb::Send,
                400 * 4096,
                Picoseconds::ZERO,
            );
        }
        let outcome = run(scenario);
        let received = column(&outcome, "queue_pairs", "cnps_received");
        for sender in 0..pairs {
            // 50 us between CNPs; the packets of a queue pair come one packet time per queue pair apart.
            let step = (50 * MICROSECOND).div_ceil(pairs as u64 * wire(FULL, 100));
            let marked = column(&outcome, "queue_pairs", "ce_received")[2 * sender + 1];
            assert_eq!(received[2 * sender], marked.div_ceil(step));
        }
    }
}

#[test]
fn without_marking_there_is_no_cnp() {
    let mut parameters = marking_all(roce());
    parameters.marking.enabled = false;
    let outcome = run(bottleneck(parameters, 800));
    assert_eq!(outcome.summary.cnp_frames, 0);
    assert_eq!(outcome.summary.ecn_marks, 0);
}

/// The echo in the ACK: no frames, no pacing; with one ACK for two packets the ACK has the mark of both.
#[test]
fn echo_in_the_acknowledgement() {
    for (ack_every, cnps) in [(1, 797), (2, 399), (800, 1)] {
        let mut parameters = marking_all(roce());
        parameters.notification.in_ack = true;
        parameters.transport.ack_every = ack_every;
        let outcome = run(bottleneck(parameters, 800));
        assert_eq!(column(&outcome, "queue_pairs", "ce_received")[1], 797);
        assert_eq!(outcome.summary.cnp_frames, 0);
        assert_eq!(outcome.summary.cnps, cnps);
    }
}

/// Marks do not slow a queue pair without congestion control, and cut one with it by half at once (DCQCN, alpha = 1).
fn first_cut(outcome: &Outcome, line: f64) -> Picoseconds {
    let times = column(outcome, "series", "time_ps");
    let quantities = column(outcome, "series", "what");
    let values = fractions(outcome, "series", "value");
    let rates = (0..times.len()).filter(|row| quantities[*row] == 2);
    let cut = rates.clone().find(|row| values[*row] < line);
    let cut = cut.expect("a cut");
    assert_eq!(values[cut], line / 2.0);
    Picoseconds(times[cut])
}

const SAMPLING: Picoseconds = NANOSECOND.times(2);

fn run_sampled(mut scenario: Scenario, queue_pair: QueuePairId, until: Picoseconds) -> Outcome {
    scenario.observe.interval = SAMPLING;
    scenario.observe.queue_pairs = vec![queue_pair];
    scenario.until = until;
    run(scenario)
}

#[test]
fn the_cut_comes_when_the_cnp_does() {
    // A CNP that is 2 ns late finds the ACK of its packet on the wire.
    let behind_ack = wire(ACK, 100);
    let rows = [
        (0, 0),
        (2, behind_ack.0),
        (1_000, 1_000_000),
        (3_000, 3_000_000),
        (20_000, 20_000_000),
    ];
    for (delay_ns, shift) in rows {
        let mut parameters = marking_all(preset("roce"));
        parameters.notification.delay_ns = Nanoseconds(delay_ns);
        let outcome = run_sampled(
            bottleneck(parameters, 800),
            QueuePairId(0),
            40 * MICROSECOND,
        );
        // The first packet is in the switch after one packet time of its link; the fourth leaves as the fourth.
        let flight = DELAY_NS * NANOSECOND;
        let forward = wire(FULL, 200) + 4 * wire(FULL, 100) + 2 * flight;
        let back = wire(CNP, 100) + wire(CNP, 200) + 2 * flight;
        let cut = forward + Picoseconds(shift) + back;
        let cut_time = first_cut(&outcome, 200e9);
        assert_eq!(cut_time, cut.next_multiple_of(SAMPLING), "delay {delay_ns}");
    }
}

#[test]
fn without_congestion_control_nothing_is_cut() {
    let outcome = run_sampled(
        bottleneck(marking_all(roce()), 800),
        QueuePairId(0),
        40 * MICROSECOND,
    );
    assert!(outcome.summary.cnps > 0);
    assert!(fractions(&outcome, "series", "value")
        .iter()
        .all(|rate| *rate == 200e9));
}

/// Where the CNP has to pass a queue of data: host 0 gets more than its cable takes, from hosts 1 and 3, while its own
/// data to host 1 meets that of host 2. From the post to the cut, and the bytes waiting in the switch in front of host 0
/// when the CNP came by.
fn cut_behind_a_queue(
    priority: u8,
    strict_priorities: u8,
    came_by: Picoseconds,
) -> (Picoseconds, u64) {
    let mut parameters = marking_all(preset("roce"));
    parameters.notification.priority = Priority(priority);
    parameters.scheduler.strict_priorities = strict_priorities;
    let links = (0..4).map(|host| link(host, 4, 100, DELAY_NS)).collect();
    let mut scenario = network(4, 1, links, parameters);
    for source in [1, 3] {
        flow(&mut scenario, source, 0, 40 * 4096);
    }
    let watched = connect(&mut scenario, 0, 1);
    let start = 6 * MICROSECOND;
    post(&mut scenario, watched, Verb::Send, 400 * 4096, start);
    let other = connect(&mut scenario, 2, 1);
    post(&mut scenario, other, Verb::Send, 400 * 4096, start);
    scenario.observe.ports = vec![PortId(1)];
    let outcome = run_sampled(scenario, watched, 60 * MICROSECOND);

    let times = column(&outcome, "series", "time_ps");
    let quantities = column(&outcome, "series", "what");
    let priorities = column(&outcome, "series", "priority");
    let values = fractions(&outcome, "series", "value");
    let mut waiting = (0..times.len())
        .filter(|row| {
            quantities[*row] == 0 && priorities[*row] == 3 && times[*row] <= (start + came_by).0
        })
        .map(|row| values[row] as u64);
    (
        first_cut(&outcome, 100e9) - start,
        waiting.next_back().unwrap(),
    )
}

#[test]
fn a_strict_priority_takes_cnps_past_the_data() {
    let flight = DELAY_NS * NANOSECOND;
    let packet = wire(FULL, 100);
    // Packets of hosts 0 and 2 come in together; the third of host 0, behind the third of host 2 that waits, is marked:
    // three packet times to the switch, three more to leave behind the five before it.
    let to_switch = 6 * packet + 3 * flight + wire(CNP, 100);
    let quickest = to_switch + flight + wire(CNP, 100);

    // At each of two ports one frame in transmission may be before it.
    let (strict, waiting) = cut_behind_a_queue(7, 1 << 7, to_switch);
    assert!(waiting > 5 * 4158, "there is a queue to pass: {waiting}");
    assert!(
        (quickest..quickest + 2 * packet).contains(&strict),
        "{strict} {quickest}"
    );

    // In the priority of the data the CNP waits for all of it.
    let (behind, _) = cut_behind_a_queue(3, 1 << 7, to_switch);
    let extra = behind - strict;
    let expected = wire(waiting, 100);
    assert!(extra.abs_diff(expected) < 2 * packet, "{extra} {expected}");

    // In a separate queue that is not strict it waits for the scheduler: at each of two ports for a frame or two more.
    let (separate, _) = cut_behind_a_queue(7, 0, to_switch);
    assert!(separate >= strict && separate - strict <= 4 * packet);
}
