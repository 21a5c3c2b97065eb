//! Virtual output queues: where frames wait, who is served, what is marked; each beside the same switch with a shared buffer.

use crate::bench::{frame_time, plain, post_sends, queue, run_until, send_frame, DATA};
use crate::support::{column, connect, flow, link, network, run, star};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::model::parameters::{Architecture, MarkingPoint, Parameters};
use wirespeed_sim::model::results::{Column, Outcome};
use wirespeed_sim::model::scenario::Scenario;
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND, MILLISECOND, NANOSECOND};
use wirespeed_sim::Simulation;

const SHARED: Architecture = Architecture::SharedBuffer {};
const VOQ: Architecture = voq(0);

const fn voq(credit_latency_ns: u64) -> Architecture {
    Architecture::Voq {
        credit_bytes: Bytes(1024),
        credit_latency_ns: Nanoseconds(credit_latency_ns),
    }
}

/// Cores have their own buffers: the first half of the ports belongs to the first.
fn parameters(architecture: Architecture) -> Parameters {
    let mut parameters = plain();
    parameters.switch.architecture = architecture;
    parameters.switch.slices = 2;
    parameters.switch.buffer_bytes = Bytes(64 << 20);
    parameters
}

/// Payload that each of the first hosts has brought to the last one by a time.
fn deliver_payload(architecture: Architecture, credit_latency_ns: u64) -> [u64; 4] {
    let architecture = match architecture {
        SHARED => SHARED,
        _ => voq(credit_latency_ns),
    };
    let mut scenario = star(5, 100, 100, parameters(architecture));
    for host in 0..4 {
        let id = connect(&mut scenario, host, 4);
        post_sends(&mut scenario, id, 1000, 4096);
    }
    let outcome = run_until(scenario, 200 * MICROSECOND);
    assert_eq!(outcome.summary.drops, 0);
    let all = column(&outcome, "queue_pairs", "delivered_bytes");
    std::array::from_fn(|host| all[2 * host + 1])
}

/// Three hosts behind one core, one behind the other: in the order of arrival all are equal; with
/// credits granted in turn, the cores are.
#[test]
fn cores_share_a_port() {
    for latency in [0, 700] {
        let [of_three @ .., alone] = deliver_payload(VOQ, latency);
        let three: u64 = of_three.iter().sum();
        assert!(alone.abs_diff(three) * 50 < three, "{alone} and {three}");
        let least = of_three.iter().min().unwrap();
        assert!(least * 110 > three / 3 * 100 - three, "{of_three:?}");
    }
    let all = deliver_payload(SHARED, 0);
    let sum: u64 = all.iter().sum();
    assert!(
        all.iter()
            .all(|count| count.abs_diff(sum / 4) * 50 < sum / 4),
        "{all:?}"
    );
}

/// A port takes one frame and no other. Two frames fill its queue; all others wait at their ingress ports and take buffer of
/// those ports.
#[test]
fn frames_wait_where_they_came_in() {
    let held = |architecture| {
        let mut blocked = link(1, 2, 1, 0);
        blocked.rate = 1_000_000;
        let links = vec![link(0, 2, 100, 0), blocked];
        let mut scenario = network(2, 1, links, parameters(architecture));
        let id = connect(&mut scenario, 0, 1);
        post_sends(&mut scenario, id, 10, 4096);
        let outcome = run_until(scenario, 100 * MICROSECOND);
        (
            queue(&outcome, 1, DATA, "max_ingress_bytes") / 254,
            queue(&outcome, 3, DATA, "max_bytes"),
            outcome,
        )
    };
    let frame = send_frame(4096);
    let cells = u64::from(frame.div_ceil(254));
    let waiting = u64::from(9 * frame);
    let (ingress, most, _) = held(SHARED);
    assert_eq!((ingress, most), (9 * cells, waiting));
    let (ingress, most, outcome) = held(VOQ);
    assert_eq!((ingress, most), (7 * cells, waiting));
    let voqs = |name| column(&outcome, "voqs", name);
    assert_eq!(
        (voqs("port"), voqs("priority"), voqs("core")),
        (vec![3], vec![3], vec![0])
    );
    assert_eq!(
        (voqs("frames"), voqs("max_bytes")),
        (vec![3], vec![u64::from(7 * frame)])
    );
}

/// Marks of two hosts at two cores that fill a port: a step between what one of the queues holds and what both do.
#[test]
fn marks_by_the_queue_at_ingress() {
    let marked = |architecture, weight| {
        let mut parameters = parameters(architecture);
        let marking = &mut parameters.marking;
        (marking.enabled, marking.at, marking.weight) = (true, MarkingPoint::Enqueue, weight);
        (marking.kmin_bytes, marking.kmax_bytes, marking.pmax) =
            (Bytes(300_000), Bytes(300_000), 1.0);
        marking.reference_gbps = None;
        let mut scenario = star(4, 100, 100, parameters);
        for host in [0, 2] {
            let id = connect(&mut scenario, host, 3);
            post_sends(&mut scenario, id, 120, 4096); // 499 kB each, of which half has left when the last arrives
        }
        let outcome = run(scenario);
        (outcome.summary.ecn_marks, outcome)
    };
    for weight in [0, 2] {
        let (both, shared) = marked(SHARED, weight);
        let (each, marked_run) = marked(VOQ, weight);
        assert!(both > 0 && each == 0, "{both} and {each}");
        assert!(queue(&shared, 7, DATA, "max_bytes") > 450_000);
        let ports = column(&marked_run, "voqs", "port").into_iter();
        let all = ports.zip(column(&marked_run, "voqs", "max_bytes"));
        let deepest: Vec<u64> = all
            .filter(|(port, _)| *port == 7)
            .map(|(_, most)| most)
            .collect();
        assert_eq!(deepest.len(), 2, "one for each core");
        assert!(
            deepest.iter().all(|most| (200_000..300_000).contains(most)),
            "{deepest:?}"
        );
    }
}

/// The latency of a credit is added once for each crossing, and costs no bandwidth.
#[test]
fn credit_takes_time_and_no_bandwidth() {
    let took = |architecture, bytes, senders: u32| {
        let mut scenario = star(3, 100, 100, parameters(architecture));
        for host in 0..senders {
            flow(&mut scenario, host, 2, bytes);
        }
        let outcome = run(scenario);
        *column(&outcome, "flows", "end_ps").iter().max().unwrap()
    };
    for bytes in [1, 4096, 4 << 20] {
        let extra = took(voq(700), bytes, 1) - took(SHARED, bytes, 1);
        assert_eq!(
            Picoseconds(extra),
            2 * 700 * NANOSECOND,
            "data and its acknowledgement"
        );
        assert_eq!(took(VOQ, bytes, 1), took(SHARED, bytes, 1));
    }
    for latency in [0, 700, 5_000] {
        let shared = took(SHARED, 4 << 20, 2);
        let late = took(voq(latency), 4 << 20, 2) - shared;
        assert!(
            late <= (2 * latency * NANOSECOND + frame_time(100_000_000_000, 4174)).0,
            "{late}"
        );
    }
}

/// Frames that arrive before the first credits wait in the ingress buffer, even in an idle switch. The minimum time of a
/// message is known before the run.
#[test]
fn what_comes_before_credit_waits_at_ingress() {
    let held = |latency_ns: u64, bytes| {
        let mut scenario = star(2, 100, 100, parameters(voq(latency_ns)));
        flow(&mut scenario, 0, 1, bytes);
        let outcome = run(scenario);
        let limits = outcome.context.iter().find(|table| table.name == "limits");
        let ends = column(&outcome, "flows", "end_ps");
        assert_eq!(limits.unwrap().columns, [("least_ps", Column::U64(ends))]);
        queue(&outcome, 1, DATA, "max_ingress_bytes")
    };
    let (idle, held_short, more) = (
        held(0, 1 << 20),
        held(10_000, 1 << 20),
        held(20_000, 1 << 20),
    );
    let frame = u64::from(send_frame(4096).div_ceil(254) * 254);
    assert_eq!(idle, frame, "a frame leaves before the next is whole");
    let arriving =
        |ns: u64| ns * NANOSECOND / frame_time(100_000_000_000, send_frame(4096)) * frame;
    for (held, ns) in [(held_short, 10_000), (more, 20_000)] {
        assert!(
            held.abs_diff(arriving(ns)) <= 2 * frame,
            "{held} in {ns} ns"
        );
    }
    assert!(
        held(20_000, 64 << 10) < more,
        "a burst that is shorter is held whole"
    );
}

/// A port gets twice its rate for a long time. Nothing is lost: each sender is paused by its queue.
#[test]
fn lossless() {
    let mut parameters = parameters(voq(500));
    parameters.switch.buffer_bytes = Bytes(2 << 20);
    let mut scenario = star(4, 100, 100, parameters);
    for host in 0..3 {
        flow(&mut scenario, host, 3, 4 << 20);
    }
    let outcome = run(scenario);
    assert_eq!((outcome.summary.drops, outcome.summary.failed), (0, 0));
    for host in 0..3 {
        assert!(queue(&outcome, 2 * host + 1, DATA, "xoff_sent") > 0);
    }
    assert_eq!(queue(&outcome, 7, DATA, "xoff_sent"), 0);
}

/// A lossy priority whose buffer is too small drops at ingress, and only at ingress.
#[test]
fn drops_where_it_came_in() {
    let mut parameters = parameters(voq(500));
    parameters.pfc.lossless_priorities = 0;
    parameters.switch.buffer_bytes = Bytes(1 << 20);
    let mut scenario = star(4, 100, 100, parameters);
    for host in 0..3 {
        let id = connect(&mut scenario, host, 3);
        post_sends(&mut scenario, id, 500, 4096);
    }
    let outcome = run_until(scenario, MILLISECOND);
    let drops = |port| queue(&outcome, port, DATA, "drops");
    assert!((0..3).all(|host| drops(2 * host + 1) > 0) && drops(7) == 0);
    let of_ports: u64 = column(&outcome, "ports", "drops").iter().sum();
    assert_eq!(of_ports, outcome.summary.drops);
}

#[test]
fn refusals() {
    let mut parameters = parameters(VOQ);
    parameters.marking.enabled = true;
    parameters.marking.at = MarkingPoint::Dequeue;
    let scenario: Scenario = star(2, 100, 100, parameters);
    let refused = Simulation::new(scenario).err().unwrap();
    assert_eq!(
        refused.to_string(),
        "switch 2: found marking at \"dequeue\" and architecture \"voq\", expected marking at \"enqueue\": frames are \
         marked where they begin to wait"
    );
    let has_no_voqs = |outcome: &Outcome| outcome.tables.iter().all(|table| table.name != "voqs");
    assert!(has_no_voqs(&run(star(2, 100, 100, plain()))));
}
