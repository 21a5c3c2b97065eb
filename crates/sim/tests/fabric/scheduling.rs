//! The scheduler of a port: deficit weighted round robin below strict priority.

use crate::bench::{frame_time, plain, post_sends, queue, run_until, send_frame, share};
use crate::support::{connect, link, network, post};
use wirespeed_sim::ids::Priority;
use wirespeed_sim::model::parameters::Parameters;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Picoseconds, MICROSECOND, MILLISECOND};

const RATE: u64 = 100_000_000_000;

/// Priority, payload of a packet, weight.
type WeightedPriority = (u8, u64, u32);

/// A host per flow, all to the last one; a flow has a priority and a payload per packet.
fn contention(parameters: Parameters, flows: &[(u8, u64)]) -> Scenario {
    let hosts = flows.len() as u32 + 1;
    let links = (0..hosts).map(|host| link(host, hosts, 100, 0));
    let mut scenario = network(hosts, 1, links.collect(), parameters);
    share(&mut scenario, 1 << 22);
    for (host, (priority, payload)) in (0..).zip(flows) {
        let id = connect(&mut scenario, host, hosts - 1);
        scenario.connections[host as usize].priority = Priority(*priority);
        post_sends(&mut scenario, id, 30_000, *payload);
    }
    scenario
}

fn parameters(strict: u8, weights: [u32; 8]) -> Parameters {
    let mut parameters = plain();
    parameters.pfc.lossless_priorities = 0xFF;
    parameters.scheduler.strict_priorities = strict;
    parameters.scheduler.weights = weights;
    parameters
}

/// Bytes of frames, by priority, that the port to the last host has sent.
fn bytes_by_priority(scenario: Scenario, until: Picoseconds) -> [u64; 8] {
    let port = 2 * scenario.hosts - 1;
    let outcome = run_until(scenario, until);
    assert_eq!(outcome.summary.drops, 0);
    std::array::from_fn(|priority| queue(&outcome, port, priority as u8, "bytes"))
}

/// Every backlogged priority gets its weight's share of the bytes, whatever the lengths of its frames, within 1 %.
#[test]
fn weights_share_the_bytes() {
    let rows: [(&[WeightedPriority], &str); 8] = [
        (&[(1, 4096, 1), (2, 4096, 1)], "1:1"),
        (&[(1, 4096, 1), (2, 4096, 3)], "1:3"),
        (&[(1, 4096, 10), (2, 4096, 1)], "10:1"),
        (&[(1, 4096, 1), (2, 1024, 1)], "1:1, long and short frames"),
        (&[(1, 1024, 3), (2, 4096, 1)], "3:1, short and long frames"),
        (&[(0, 4096, 50), (7, 2048, 30), (4, 3000, 20)], "50:30:20"),
        (&[(2, 4096, 2), (3, 4096, 3)], "2:3"),
        (
            &[(1, 4096, 0), (2, 4096, 1)],
            "no weight counts as the least",
        ),
    ];
    for (flows, name) in rows {
        let mut weights = [50; 8];
        for (priority, _, weight) in flows {
            weights[usize::from(*priority)] = *weight;
        }
        let least = |weight: u32| f64::from(weight.max(1));
        let total: f64 = flows.iter().map(|flow| least(flow.2)).sum();
        let ends: Vec<(u8, u64)> = flows.iter().map(|flow| (flow.0, flow.1)).collect();
        let bytes = bytes_by_priority(contention(parameters(0, weights), &ends), 2 * MILLISECOND);
        let all: u64 = bytes.iter().sum();
        for (priority, _, weight) in flows {
            let share = bytes[usize::from(*priority)] as f64 / all as f64;
            let expected = least(*weight) / total;
            assert!(
                (share / expected - 1.0).abs() < 0.01,
                "{name}: {share} of {expected}"
            );
        }
    }
}

/// By frames instead of bytes the long ones would get four times as much; by equal weights instead of 3:1 the half.
#[test]
fn a_share_follows_its_weight() {
    let share = |weights: [u32; 8]| {
        let flows = [(1, 1024), (2, 4096)];
        let bytes = bytes_by_priority(contention(parameters(0, weights), &flows), 2 * MILLISECOND);
        bytes[1] as f64 / (bytes[1] + bytes[2]) as f64
    };
    let of = |weight| {
        let mut weights = [1; 8];
        weights[1] = weight;
        share(weights)
    };
    assert!((of(1) - 0.5).abs() < 0.005);
    assert!((of(3) - 0.75).abs() < 0.005);
}

/// A strict priority that fills the link leaves nothing; among strict ones the highest comes first.
#[test]
fn strict_priorities_starve_the_others() {
    let frame = u64::from(send_frame(4096));
    let full = MILLISECOND / frame_time(RATE, send_frame(4096)) * frame;
    let rows: [(u8, [u64; 3]); 4] = [
        (1 << 5, [0, 1, 0]),
        (1 << 5 | 1 << 6, [0, 0, 1]),
        (1 << 2, [1, 0, 0]),
        (1 << 2 | 1 << 5, [0, 1, 0]),
    ];
    for (strict, expected) in rows {
        let flows = [(2, 4096), (5, 4096), (6, 4096)];
        let bytes = bytes_by_priority(contention(parameters(strict, [1; 8]), &flows), MILLISECOND);
        for (priority, expected) in [2, 5, 6].into_iter().zip(expected) {
            let found = bytes[priority];
            // Which of the three that arrive at once comes first is decided before the others arrive.
            assert!(
                found.abs_diff(expected * full) <= 3 * frame,
                "{strict:#b} {priority}: {found}"
            );
        }
    }
    // Not strict, each has its third.
    let flows = [(2, 4096), (5, 4096), (6, 4096)];
    let bytes = bytes_by_priority(contention(parameters(0, [1; 8]), &flows), MILLISECOND);
    for priority in [2, 5, 6] {
        assert!(bytes[priority].abs_diff(full / 3) <= 3 * frame);
    }
}

/// The share that one priority does not use goes to the other, and the link is never idle.
#[test]
fn no_share_is_wasted() {
    for weight in [1, 10] {
        let mut weights = [1; 8];
        weights[2] = weight;
        let mut scenario = contention(parameters(0, weights), &[(1, 4096), (2, 4096)]);
        scenario.links[1].rate = RATE / 5;
        let bytes = bytes_by_priority(scenario, 2 * MILLISECOND);
        let frame = u64::from(send_frame(4096));
        let full = 2 * MILLISECOND / frame_time(RATE, send_frame(4096)) * frame;
        assert!(
            (bytes[1] + bytes[2]).abs_diff(full) <= 2 * frame,
            "{bytes:?} of {full}"
        );
        assert!(
            (bytes[2] as f64 / full as f64 - 0.2).abs() < 0.002,
            "{bytes:?} of {full}"
        );
    }
}

/// A priority that was idle for a while takes its share from then on, and not what it did not use; two others never idle.
#[test]
fn an_idle_priority_saves_nothing() {
    let frame = u64::from(send_frame(4096));
    for (weight, share) in [(1, 1.0 / 3.0), (4, 2.0 / 3.0)] {
        for spared in [1, 200] {
            let mut weights = [1; 8];
            weights[2] = weight;
            let mut scenario =
                contention(parameters(0, weights), &[(1, 4096), (3, 4096), (2, 4096)]);
            // A short packet now and then, which uses little of a turn; then all that the link takes.
            let late = scenario.operations.split_off(2 * 30_000);
            let id = late[0].queue_pair;
            for n in 0..spared {
                post(&mut scenario, id, Verb::Send, 0, n * 5 * MICROSECOND);
            }
            let from = spared * 5 * MICROSECOND;
            for _ in &late {
                post(&mut scenario, id, Verb::Send, 4096, from);
            }
            let shorts = spared * u64::from(send_frame(0));
            for window in [20 * MICROSECOND, 100 * MICROSECOND] {
                let bytes = bytes_by_priority(scenario.clone(), from + window);
                let capacity =
                    window.as_f64() / frame_time(RATE, send_frame(4096)).as_f64() * frame as f64;
                let expected = (share * capacity) as u64 + shorts;
                // A round is two frames and `weight` frames.
                let tolerance = (u64::from(weight) + 4) * frame;
                assert!(
                    bytes[2].abs_diff(expected) <= tolerance,
                    "{weight} {spared}: {} of {expected}",
                    bytes[2]
                );
            }
        }
    }
}

/// A NIC port schedules the priorities of its queue pairs by the same rules.
#[test]
fn a_nic_schedules_as_a_switch_does() {
    for (strict, weight, share) in [(0, 1, 0.5), (0, 3, 0.75), (1 << 5, 1, 1.0)] {
        let mut weights = [1; 8];
        weights[5] = weight;
        let links = (0..3).map(|host| link(host, 3, 100, 0));
        let mut scenario = network(3, 1, links.collect(), parameters(strict, weights));
        two_flows(&mut scenario);
        let outcome = run_until(scenario, MILLISECOND);
        let [low, high] = [1, 5].map(|priority| queue(&outcome, 0, priority, "bytes") as f64);
        assert!(
            (high / (low + high) - share).abs() < 0.005,
            "{strict} {weight}: {low} {high}"
        );
    }
}

fn two_flows(scenario: &mut Scenario) {
    share(scenario, 1 << 22);
    for (to, priority) in [(1, 1), (2, 5)] {
        let id = connect(scenario, 0, to);
        scenario.connections[to as usize - 1].priority = Priority(priority);
        post(scenario, id, Verb::Send, 1 << 30, Picoseconds::ZERO);
    }
}
