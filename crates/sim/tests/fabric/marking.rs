//! ECN marking: how often at which length of the queue, by which length, and when.

use crate::bench::{
    capture, frame_time, lossy, queue, run_until, share, CapturedFrame, FrameKind, DATA,
};
use crate::support::{column, connect, link, network, post, run};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::model::parameters::{MarkingPoint, Parameters};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND, NANOSECOND};

const RATE: u64 = 100_000_000_000;
const PAYLOAD: u64 = 1024;
/// Every data frame here is a send's, of 1086 bytes; lengths of the queue are numbers of frames.
const FRAME: u32 = 62 + PAYLOAD as u32;
const DELAY: Picoseconds = NANOSECOND.times(100);

/// Marking from `kmin` to `kmax` frames, on every link the same.
fn marking(kmin: u32, kmax: u32, pmax: f64) -> Parameters {
    let mut parameters = lossy();
    parameters.marking.enabled = true;
    parameters.marking.at = MarkingPoint::Enqueue;
    parameters.marking.kmin_bytes = Bytes(kmin * FRAME);
    parameters.marking.kmax_bytes = Bytes(kmax * FRAME);
    parameters.marking.pmax = pmax;
    parameters.marking.reference_gbps = None;
    parameters.transport.mtu_bytes = Bytes(PAYLOAD as u32);
    parameters
}

/// Hosts: A at 100 Gb/s, B at a hundred times that, X at 100 Gb/s. B's burst is in before A's second frame is.
fn bench(parameters: Parameters) -> Scenario {
    let links = vec![
        link(0, 3, 100, 100),
        link(1, 3, 10_000, 100),
        link(2, 3, 100, 100),
    ];
    let mut scenario = network(3, 1, links, parameters);
    share(&mut scenario, 1 << 20);
    scenario
}

/// The receiving NIC.
const RECEIVER: u32 = 4;

/// A sends `count` frames, and each of them finds `standing` frames waiting: B's burst is in front, and one arrives for
/// each that leaves.
fn steady(parameters: Parameters, standing: u64, count: u64) -> Scenario {
    let mut scenario = bench(parameters);
    let a = connect(&mut scenario, 0, 2);
    post(
        &mut scenario,
        a,
        Verb::Send,
        count * PAYLOAD,
        Picoseconds::ZERO,
    );
    let b = connect(&mut scenario, 1, 2);
    post(
        &mut scenario,
        b,
        Verb::Send,
        (standing + 1) * PAYLOAD,
        Picoseconds::ZERO,
    ); // one leaves at once
    scenario
}

/// Packets that host X received marked on the connection.
fn count_marked(outcome: &Outcome, connection: usize) -> u64 {
    column(outcome, "queue_pairs", "ce_received")[2 * connection + 1]
}

/// P(q) = 0 up to kmin, pmax (q - kmin) / (kmax - kmin) up to kmax, and 1 above: WRED's law.
const LENGTHS: [(u64, f64); 7] = [
    (0, 0.0),
    (10, 0.0),
    (11, 0.005),
    (30, 0.1),
    (49, 0.195),
    (50, 0.2),
    (51, 1.0),
];

#[test]
fn the_law_at_every_length() {
    const COUNT: u64 = 20_000;
    for seed in [1, 2, 3] {
        for (standing, probability) in LENGTHS {
            let mut scenario = steady(marking(10, 50, 0.2), standing, COUNT);
            scenario.seed = seed;
            let found = count_marked(&run(scenario), 0) as f64;
            let mean = COUNT as f64 * probability;
            let deviation = (mean * (1.0 - probability)).sqrt();
            assert!(
                (found - mean).abs() <= 4.0 * deviation,
                "{standing} frames: {found} of {mean}"
            );
        }
    }
}

#[test]
fn chance_has_a_seed() {
    let marks = |seed| {
        let mut scenario = steady(marking(10, 50, 0.2), 30, 4000);
        scenario.seed = seed;
        let (_, frames) = capture(scenario, RECEIVER);
        frames
            .iter()
            .map(|frame| frame.ecn == 3)
            .collect::<Vec<_>>()
    };
    assert_eq!(marks(1), marks(1));
    // Independent: they differ where one of two is marked, 2 p (1 - p) = 0.18 of A's 4000.
    let differ = marks(1)
        .iter()
        .zip(marks(2))
        .filter(|(first, other)| **first != *other)
        .count();
    assert!((620..820).contains(&differ), "{differ}");
}

#[test]
fn nothing_is_marked_where_marking_is_off() {
    let mut parameters = marking(10, 50, 0.2);
    parameters.marking.enabled = false;
    let outcome = run(steady(parameters, 51, 1000));
    assert_eq!((outcome.summary.ecn_marks, outcome.summary.cnps), (0, 0));
}

/// Thresholds of a link of 400 Gb/s are a quarter of that at 100 Gb/s: the same marks, to the packet.
#[test]
fn thresholds_follow_the_rate_of_the_link() {
    for (standing, _) in LENGTHS {
        let of = |scale: u32, reference| {
            let mut parameters = marking(10 * scale, 50 * scale, 0.2);
            parameters.marking.reference_gbps = reference;
            count_marked(&run(steady(parameters, standing, 4000)), 0)
        };
        assert_eq!(of(4, Some(400)), of(1, None), "{standing} frames");
        assert_eq!(of(1, Some(100)), of(1, None), "{standing} frames");
        if standing <= 40 {
            assert_eq!(of(4, None), 0, "{standing} frames");
        }
    }
    // 30 frames are the middle of 10 to 50, below 40 to 200, and above 2.5 to 12.5.
    let of = |reference| {
        let mut parameters = marking(10, 50, 0.2);
        parameters.marking.reference_gbps = reference;
        count_marked(&run(steady(parameters, 30, 4000)), 0)
    };
    assert_eq!((of(Some(25)), of(Some(400))), (0, 4000));
}

/// The average after B's burst: frame n of it finds n - 1 waiting, since the first leaves at once.
fn average_after(burst: u64, mut average: f64, gain: f64) -> f64 {
    for n in 0..burst {
        average += gain * (n.saturating_sub(1) as f64 - average);
    }
    average
}

/// The queue contains 40 frames; the average follows as 40 - (40 - a) (1 - 2^-w)^n and crosses the threshold of 30 at the
/// first n with (1 - 2^-w)^n < 10 / (40 - a).
#[test]
fn an_average_follows_a_step() {
    const COUNT: u64 = 4000;
    let mut last = 0;
    for weight in [0, 1, 2, 4, 6, 8, 9] {
        let mut parameters = marking(30, 30, 1.0);
        parameters.marking.weight = weight;
        let found = COUNT - count_marked(&run(steady(parameters, 40, COUNT)), 0);
        let gain = (-f64::from(weight)).exp2();
        let average = average_after(41, 0.0, gain);
        let arrivals = match weight {
            0 => 1.0, // the queue itself
            _ => ((10.0 / (40.0 - average)).ln() / (1.0 - gain).ln()).floor() + 1.0,
        };
        let unmarked = arrivals.max(1.0) as u64 - 1;
        assert_eq!(found, unmarked, "weight {weight}");
        assert!(found >= last);
        last = found;
    }
    // At weight 9 a congested queue goes unseen for 653 packets.
    assert!((600..700).contains(&last), "{last}");
}

/// While the queue is empty the average falls by (1 - 2^-w) for each packet of the longest size that could have left.
#[test]
fn an_average_decays_while_nothing_comes() {
    const GAIN: f64 = 1.0 / 16.0;
    const BURST: u64 = 61;
    const THRESHOLD: f64 = 20.0;
    let at_b = frame_time(100 * RATE, FRAME);
    let packet = frame_time(RATE, FRAME + 16); // the first of a write
    let mut by_idle = Vec::new();
    for idle in [2u32, 10, 40, 1000] {
        let mut parameters = marking(THRESHOLD as u32, THRESHOLD as u32, 1.0);
        parameters.marking.weight = 4;
        let mut scenario = bench(parameters);
        let b = connect(&mut scenario, 1, 2);
        post(
            &mut scenario,
            b,
            Verb::Send,
            BURST * PAYLOAD,
            Picoseconds::ZERO,
        );
        // The last of the first burst has left the queue when it starts.
        let emptied = at_b + DELAY + (BURST - 1) * frame_time(RATE, FRAME);
        let second = emptied + u64::from(idle) * packet + packet / 2;
        post(
            &mut scenario,
            b,
            Verb::Send,
            BURST * PAYLOAD,
            second - at_b - DELAY,
        );
        let outcome = run(scenario);

        let marks = |mut average: f64| {
            let mut marks = 0;
            for n in 0..BURST {
                average = average_after_one(average, n.saturating_sub(1) as f64, GAIN);
                marks += u64::from(average > THRESHOLD);
            }
            (average, marks)
        };
        let (average, first) = marks(0.0);
        let decayed = (0..idle).fold(average, |average, _| average * (1.0 - GAIN));
        let (_, second) = marks(decayed);
        assert_eq!(outcome.summary.ecn_marks, first + second, "{idle} packets");
        by_idle.push(second - first);
    }
    // The longer it was idle, the fewer; in the end as the first time.
    assert!(
        by_idle.windows(2).all(|pair| pair[0] >= pair[1]) && by_idle[0] > 0,
        "{by_idle:?}"
    );
    assert_eq!(by_idle.last(), Some(&0));
}

fn average_after_one(average: f64, queue: f64, gain: f64) -> f64 {
    average + gain * (queue - average)
}

/// When A and a second host at A's rate overload X from time 0: the times at which marked packets reach X, ns.
fn overload(at: MarkingPoint, threshold: u32) -> Vec<u64> {
    let mut parameters = marking(threshold, threshold, 1.0);
    parameters.marking.at = at;
    let mut scenario = bench(parameters);
    scenario.links[1].rate = RATE;
    for host in [0, 1] {
        let id = connect(&mut scenario, host, 2);
        post(
            &mut scenario,
            id,
            Verb::Send,
            400 * PAYLOAD,
            Picoseconds::ZERO,
        );
    }
    let (_, frames) = capture(scenario, RECEIVER);
    frames
        .iter()
        .filter(|frame| frame.ecn == 3)
        .map(|frame| frame.ns)
        .collect()
}

/// The queue grows by one frame in a frame time. A mark made on arrival waits behind the threshold K before it is seen, one
/// made on departure does not: the loop is shorter by K / C, and by the frame in transmission.
#[test]
fn marks_at_dequeue_are_seen_earlier() {
    let frame = frame_time(RATE, FRAME);
    for threshold in [10u32, 50, 120] {
        let k = u64::from(threshold);
        // Frame n of both hosts arrives after n + 1 frame times and the cable, when one starts to leave and n - 1 wait; the
        // second host's finds n. In front of it are these and the one that leaves.
        let found_above = (k + 1 + 1) * frame + DELAY;
        let enqueue = found_above + (k + 1 + 1) * frame + frame + DELAY;
        // The frame that starts to leave when frame n arrives leaves n - 1 frames in the queue.
        let left_above = (k + 2 + 1) * frame + DELAY;
        let dequeue = left_above + frame + DELAY;
        let first = |at| overload(at, threshold)[0];
        assert_eq!(
            first(MarkingPoint::Enqueue),
            enqueue / NANOSECOND,
            "{threshold} frames"
        );
        assert_eq!(
            first(MarkingPoint::Dequeue),
            dequeue / NANOSECOND,
            "{threshold} frames"
        );
        assert_eq!(enqueue - dequeue, (k + 1) * frame);
    }
}

/// Marking at enqueue marks the tail of a burst, which finds a long queue; marking at dequeue marks the head, which leaves
/// a long queue.
#[test]
fn of_a_burst_the_tail_or_the_head() {
    const BURST: usize = 80;
    const THRESHOLD: usize = 30;
    let marks = |at| {
        let mut parameters = marking(THRESHOLD as u32, THRESHOLD as u32, 1.0);
        parameters.marking.at = at;
        let mut scenario = bench(parameters);
        let b = connect(&mut scenario, 1, 2);
        post(
            &mut scenario,
            b,
            Verb::Send,
            BURST as u64 * PAYLOAD,
            Picoseconds::ZERO,
        );
        let (outcome, frames) = capture(scenario, RECEIVER);
        assert_eq!(outcome.summary.ecn_marks, count_marked(&outcome, 0));
        let data = frames
            .into_iter()
            .filter(|frame| frame.kind == FrameKind::Data);
        data.map(|frame| frame.ecn == 3).collect::<Vec<_>>()
    };
    // The first leaves at once and leaves nothing behind; frame n finds n - 1, and leaves BURST - 1 - n.
    let tail: Vec<bool> = (0..BURST).map(|n| n > THRESHOLD + 1).collect();
    let head: Vec<bool> = (0..BURST)
        .map(|n| n > 0 && BURST - 1 - n > THRESHOLD)
        .collect();
    assert_eq!(marks(MarkingPoint::Enqueue), tail);
    assert_eq!(marks(MarkingPoint::Dequeue), head);
}

/// Acknowledgements are in the same queue as data and are never marked; every mark is counted and reaches its receiver.
#[test]
fn only_ecn_capable_packets_are_marked() {
    let mut parameters = marking(0, 0, 1.0);
    parameters.transport.ack_every = 1;
    let mut scenario = bench(parameters);
    scenario.links[1].rate = RATE;
    // X sends data to A and the acknowledgements of A's own; B congests the port to A.
    for (from, to) in [(0, 2), (2, 0), (1, 0)] {
        let id = connect(&mut scenario, from, to);
        post(
            &mut scenario,
            id,
            Verb::Send,
            500 * PAYLOAD,
            Picoseconds::ZERO,
        );
    }
    let (outcome, frames) = capture(scenario, 0);
    let arrived = |kind| {
        let of_kind = frames
            .iter()
            .filter(move |frame| !frame.sent && frame.kind == kind);
        of_kind.collect::<Vec<&CapturedFrame>>()
    };
    let (data, acks) = (arrived(FrameKind::Data), arrived(FrameKind::Ack));
    assert_eq!((data.len(), acks.len()), (1000, 500));
    assert!(acks.iter().all(|frame| frame.ecn == 0));
    assert!(
        data.iter().all(|frame| frame.ecn == 3 || frame.ecn == 2),
        "ECT(0), or marked"
    );
    let marked = data.iter().filter(|frame| frame.ecn == 3).count() as u64;
    assert!(marked > 900, "{marked}");
    assert_eq!(queue(&outcome, 1, DATA, "ecn_marks"), marked);
    let received = column(&outcome, "queue_pairs", "ce_received");
    assert_eq!(received[3] + received[5], marked);
    assert_eq!(received.iter().sum::<u64>(), outcome.summary.ecn_marks);
}

/// A queue pair receives one CNP per interval, in a separate class.
#[test]
fn a_receiver_sends_one_cnp_per_interval() {
    const UNTIL: Picoseconds = MICROSECOND.times(150);
    for interval_ns in [0, 4_000, 50_000] {
        let mut parameters = marking(0, 0, 1.0);
        parameters.notification.interval_ns = Nanoseconds(interval_ns);
        let cnp_bytes = parameters.framing.cnp_bytes;
        let outcome = run_until(steady(parameters, 2, 2000), UNTIL);
        let cnps = column(&outcome, "queue_pairs", "cnps_received")[0];
        // A's first frame is the fourth to leave, and marked as all that follow; a CNP takes two links back.
        let frame = frame_time(RATE, FRAME);
        let first_arrival = frame_time(100 * RATE, FRAME) + DELAY + 4 * frame + DELAY;
        let back = 2 * (frame_time(RATE, cnp_bytes.0) + DELAY);
        let spacing = (interval_ns * NANOSECOND)
            .max(frame)
            .next_multiple_of(frame);
        let expected = (UNTIL - back - first_arrival) / spacing + 1;
        assert_eq!(cnps, expected, "{interval_ns} ns");
    }
}
