//! What becomes of operations when nothing arrives.

use crate::support::{column, connect, post, run};
use crate::{chain, roce};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::{PortId, QueuePairId};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Operation, Scenario, Verb};
use wirespeed_sim::time::{Picoseconds, MICROSECOND, NANOSECOND, NEVER};

const UNFINISHED: u64 = 0;
const COMPLETED: u64 = 1;
const FAILED: u64 = 2;

/// A link that loses everything; on its queue pair two operations, one that waits for the first, one much later.
fn dead_link(ack_timeout: u8, retry_count: u8, verb: Verb) -> Scenario {
    let mut parameters = roce();
    parameters.transport.ack_timeout = ack_timeout;
    parameters.transport.retry_count = retry_count;
    let mut scenario = chain(0, 100, 500, parameters);
    scenario.links[0].loss = 1.0;
    let queue_pair = connect(&mut scenario, 0, 1);
    for _ in 0..2 {
        post(&mut scenario, queue_pair, verb, 5_000, Picoseconds::ZERO);
    }
    scenario.operations.push(Operation {
        queue_pair,
        verb,
        bytes: Bytes(1),
        at: Picoseconds::ZERO,
        after: vec![0],
        delay: Picoseconds::ZERO,
    });
    post(&mut scenario, queue_pair, verb, 1, LATER);
    scenario
}

const LATER: Picoseconds = MICROSECOND.times(50_000);

fn ends(outcome: &Outcome) -> (Vec<u64>, Vec<u64>) {
    (
        column(outcome, "flows", "status"),
        column(outcome, "flows", "end_ps"),
    )
}

/// Local ACK timeout 4.096 us times 2^t (IBTA 9.7.6.1.3), counted from the first packet; retry_count times sent again.
#[test]
fn retries_run_out() {
    for (ack_timeout, retry_count) in [(1, 0), (1, 1), (1, 7), (5, 7), (9, 3)] {
        for verb in [Verb::Write, Verb::Send, Verb::Read] {
            let outcome = run(dead_link(ack_timeout, retry_count, verb));
            let timeout = 4_096 * NANOSECOND * (1 << ack_timeout);
            let failed = timeout * (u64::from(retry_count) + 1);
            let (status, end) = ends(&outcome);
            assert_eq!(status, [FAILED, FAILED, UNFINISHED, FAILED]);
            assert_eq!(end, [failed, failed, NEVER, LATER].map(|time| time.0));
            assert_eq!(outcome.summary.failed, 4);
            assert!(outcome.summary.completion.is_empty());
            // What was sent: two messages of two packets (a read is one request), and all of it per retry.
            let packets = if verb == Verb::Read { 2 } else { 4 };
            let retries = u64::from(retry_count);
            let sent = column(&outcome, "queue_pairs", "packets");
            assert_eq!(sent, [packets * (1 + retries), 0]);
            assert_eq!(outcome.summary.retransmissions, packets * retries);
            assert_eq!(column(&outcome, "queue_pairs", "timeouts"), [retries, 0]);
        }
    }
}

#[test]
fn without_a_timeout_a_queue_pair_waits_for_ever() {
    let outcome = run(dead_link(0, 7, Verb::Write));
    let (status, end) = ends(&outcome);
    assert_eq!(status, [UNFINISHED; 4]);
    assert_eq!(end, [NEVER.0; 4]);
    assert_eq!(outcome.summary.retransmissions, 0);
}

#[test]
fn another_queue_pair_of_the_port_goes_on() {
    let mut scenario = dead_link(1, 2, Verb::Write);
    scenario.links.push(scenario.links[0]);
    scenario.links[1].loss = 0.0;
    let connection = scenario.connections[0];
    scenario
        .connections
        .push(wirespeed_sim::model::scenario::Connection {
            port_a: PortId(2),
            port_b: PortId(3),
            ..connection
        });
    let last = post(
        &mut scenario,
        QueuePairId(2),
        Verb::Write,
        1 << 20,
        Picoseconds::ZERO,
    );
    let outcome = run(scenario);
    assert_eq!(ends(&outcome).0[last as usize], COMPLETED);
}

#[test]
fn sampling_ends_with_the_run_though_an_operation_never_ends() {
    let mut scenario = dead_link(1, 0, Verb::Write);
    scenario.until = 1_000_000 * MICROSECOND; // so that a run that does not end fails
    let unobserved = run(scenario.clone());
    scenario.observe.interval = 7 * MICROSECOND;
    scenario.observe.queue_pairs = vec![QueuePairId(0)];
    let outcome = run(scenario);
    let times = column(&outcome, "series", "time_ps");
    let last = times.last().copied().unwrap();
    assert!(last <= (LATER + 7 * MICROSECOND).0, "{last}");
    assert!(last > unobserved.summary.end.0, "{last}");
    assert_eq!(outcome.summary.end, unobserved.summary.end);
}
