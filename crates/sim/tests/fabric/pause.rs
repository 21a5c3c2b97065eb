//! Priority flow control: when pauses are sent, when they take effect, how they end, and which flows they affect.

use crate::bench::{
    capture, frame_time, pauses, plain, post_sends, queue, run_until, send_frame, share, FrameKind,
    DATA, SHORTEST,
};
use crate::support::{column, connect, flow, link, network, post, run, star};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::{PortId, Priority};
use wirespeed_sim::model::parameters::{Headroom, Parameters, Reaction};
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND, MILLISECOND, NANOSECOND};

const RATE: u64 = 100_000_000_000;
const DELAY: Picoseconds = NANOSECOND.times(500);
/// A short frame, and a PFC frame.
const SHORT: Picoseconds = Picoseconds(84 * 80);
/// The NIC of the sender, and the switch's port to it.
const SENDER: u32 = 0;
const INGRESS: u32 = 1;

/// A sender at 100 Gb/s, a receiver at `egress` bits per second, and `shared` cells of shared buffer between them.
fn bottleneck(parameters: Parameters, egress: u64, shared: u64) -> Scenario {
    let mut slow = link(1, 2, 1, 0);
    slow.rate = egress;
    let mut sender = link(0, 2, 100, 0);
    sender.delay = DELAY;
    let mut scenario = network(2, 1, vec![sender, slow], parameters);
    share(&mut scenario, shared);
    scenario
}

/// Too slow for a second frame within any of these tests.
const BLOCKED: u64 = 1_000_000;

fn parameters(exponent: i8, xon_offset_cells: u32) -> Parameters {
    let mut parameters = plain();
    parameters.switch.alpha_exponent = exponent;
    parameters.switch.xon_offset_bytes = parameters.switch.cell_bytes * xon_offset_cells;
    parameters.pfc.reaction = Reaction::Fixed { ns: Nanoseconds(0) };
    parameters
}

/// The dynamic threshold with `used` of `shared` cells in use, whole cells (SONiC `dynamic_th`).
fn threshold(exponent: i8, shared: u64, used: u64) -> u64 {
    ((shared - used) as f64 * f64::from(exponent).exp2()) as u64
}

/// Shared use at which one priority group alone reaches its threshold.
fn xoff_at(exponent: i8, shared: u64) -> u64 {
    (0..=shared)
        .find(|used| *used >= threshold(exponent, shared, *used))
        .expect("at the latest when nothing is free")
}

const THRESHOLDS: [(i8, u64); 7] = [
    (0, 40),
    (0, 41),
    (-1, 300),
    (-2, 50),
    (-3, 83),
    (1, 30),
    (3, 90),
];

#[test]
fn xoff_at_the_threshold_and_not_a_cell_before() {
    for (exponent, shared) in THRESHOLDS {
        let cells = xoff_at(exponent, shared);
        for (waiting, pauses) in [(cells - 1, 0), (cells, 1)] {
            let mut scenario = bottleneck(parameters(exponent, 0), BLOCKED, shared);
            let id = connect(&mut scenario, 0, 1);
            post_sends(&mut scenario, id, waiting + 1, 0); // one takes the egress
            let outcome = run_until(scenario, 50 * MICROSECOND);
            let row = format!("2^{exponent} of {shared}, {waiting} waiting");
            assert_eq!(queue(&outcome, INGRESS, DATA, "xoff_sent"), pauses, "{row}");
            assert_eq!(outcome.summary.pfc_pauses, pauses, "{row}");
            assert_eq!(
                queue(&outcome, INGRESS, DATA, "max_headroom_bytes"),
                0,
                "{row}"
            );
        }
    }
}

/// The cells that remain when XON goes out: offset below the threshold, or none.
#[test]
fn xon_at_the_offset() {
    const EGRESS: u64 = 100_000_000; // all has come in before the second leaves
    for (exponent, shared) in THRESHOLDS {
        for offset in [0, 1, 7, 36] {
            let filled = xoff_at(exponent, shared);
            let left = (0..filled)
                .rev()
                .find(|used| *used == 0 || used + offset <= threshold(exponent, shared, *used))
                .expect("none left");
            let mut scenario = bottleneck(parameters(exponent, offset as u32), EGRESS, shared);
            let id = connect(&mut scenario, 0, 1);
            post_sends(&mut scenario, id, filled + 1, 0);
            let outcome = run(scenario);
            // Frame n of the egress starts n frame times after the first, which leaves when it arrives.
            let departure = SHORT + DELAY + (filled - left) * frame_time(EGRESS, SHORTEST);
            let row = format!("2^{exponent} of {shared}, offset {offset}");
            let pauses = pauses(&outcome, SENDER, DATA);
            assert_eq!(pauses.len(), 1, "{row}");
            assert_eq!(pauses[0].1, departure + SHORT + DELAY, "{row}");
        }
    }
}

/// From the arrival that crosses the threshold: generation, PFC frame, cable, reaction.
#[test]
fn delays_shift_a_pause_by_exactly_themselves() {
    let crossing = (20 + 1) * SHORT + DELAY;
    for (generation, reaction) in [(0, 0), (1, 0), (0, 1), (700, 0), (0, 700), (350, 1234)] {
        let mut parameters = parameters(0, 0);
        parameters.pfc.generation_delay_ns = Nanoseconds(generation);
        parameters.pfc.reaction = Reaction::Fixed {
            ns: Nanoseconds(reaction),
        };
        let mut scenario = bottleneck(parameters, BLOCKED, 40);
        let id = connect(&mut scenario, 0, 1);
        post_sends(&mut scenario, id, 10_000, 0);
        let outcome = run_until(scenario, 30 * MICROSECOND);
        let start = crossing + generation * NANOSECOND + SHORT + DELAY + reaction * NANOSECOND;
        assert_eq!(pauses(&outcome, SENDER, DATA), [(start, 30 * MICROSECOND)]);
        // Frames start one after the other, the last not after the pause.
        assert_eq!(queue(&outcome, SENDER, DATA, "frames"), start / SHORT + 1);
    }
}

#[test]
fn the_frame_in_transmission_is_finished() {
    let long = frame_time(RATE, send_frame(4096));
    let mut scenario = bottleneck(parameters(0, 0), BLOCKED, 4 * 17); // four frames
    let id = connect(&mut scenario, 0, 1);
    post(&mut scenario, id, Verb::Send, 400_000, Picoseconds::ZERO);
    let (outcome, frames) = capture_until(scenario, 30 * MICROSECOND);
    // The first leaves, two more are half of the shared space.
    let start = 3 * long + DELAY + SHORT + DELAY;
    assert_eq!(pauses(&outcome, SENDER, DATA)[0].0, start);
    let sent: Vec<u64> = frames
        .into_iter()
        .filter(|frame| frame.1 == FrameKind::Data)
        .map(|frame| frame.0)
        .collect();
    assert_eq!(sent.len() as u64, start / long + 1);
    let last = (start / long) * long;
    assert!(
        last < start && start < last + long,
        "the pause falls into a frame"
    );
    assert_eq!(sent.last(), Some(&(last / NANOSECOND)));
    let arrived = queue(&outcome, INGRESS, DATA, "max_headroom_bytes") / 254 / 17;
    assert_eq!(arrived, sent.len() as u64 - 3);
}

fn capture_until(
    mut scenario: Scenario,
    until: Picoseconds,
) -> (
    wirespeed_sim::model::results::Outcome,
    Vec<(u64, FrameKind)>,
) {
    scenario.until = until;
    let (outcome, frames) = capture(scenario, SENDER);
    let sent = frames.into_iter().filter(|frame| frame.sent);
    (outcome, sent.map(|frame| (frame.ns, frame.kind)).collect())
}

/// A flood of short frames into a blocked egress. The first XOFF is sent at `CROSSING`.
fn flood(parameters: Parameters) -> Scenario {
    let mut scenario = bottleneck(parameters, BLOCKED, 40);
    let id = connect(&mut scenario, 0, 1);
    post_sends(&mut scenario, id, 10_000, 0);
    scenario
}

const CROSSING: Picoseconds = Picoseconds(21 * SHORT.0 + DELAY.0);
const PAUSED: Picoseconds = Picoseconds(CROSSING.0 + SHORT.0 + DELAY.0);
/// A pause quantum, 512 bit times (IEEE 802.3 annex 31B.2).
const QUANTUM: Picoseconds = Picoseconds(512 * 10);

#[test]
fn quanta_run_out() {
    for quanta in [1, 100, 4000] {
        let mut parameters = parameters(0, 0);
        parameters.pfc.quanta = Some(quanta);
        parameters.pfc.refresh_quanta = None;
        let over = PAUSED + u64::from(quanta) * QUANTUM;
        let (outcome, frames) = capture_until(flood(parameters), over + 10 * MICROSECOND);
        assert_eq!(pauses(&outcome, SENDER, DATA), [(PAUSED, over)]);
        let sent: Vec<u64> = frames.into_iter().map(|frame| frame.0).collect();
        let sent_before = sent.iter().filter(|at| **at * NANOSECOND <= PAUSED).count() as u64;
        assert_eq!(sent_before, PAUSED / SHORT + 1);
        // The last frame before it may still be on the link.
        let next = over.max(sent_before * SHORT);
        assert_eq!(sent[sent_before as usize], next / NANOSECOND);
        // The switch, which sent one pause, overflows.
        assert_eq!(queue(&outcome, INGRESS, DATA, "xoff_sent"), 1);
        assert!(outcome.summary.drops > 0);
    }
}

#[test]
fn refreshed_a_pause_lasts() {
    // quanta, and quanta until a refresh; XOFF again and again, or once and until XON
    let rows = [
        (Some(100), Some(50)),
        (Some(100), Some(99)),
        (None, None),
        (Some(u16::MAX), Some(1000)),
    ];
    for (quanta, refresh) in rows {
        let mut parameters = parameters(0, 0);
        parameters.pfc.quanta = quanta;
        parameters.pfc.refresh_quanta = refresh;
        let until = CROSSING + 20 * MICROSECOND;
        let outcome = run_until(flood(parameters), until);
        let refreshed =
            refresh.map_or(0, |quanta| 20 * MICROSECOND / (u64::from(quanta) * QUANTUM));
        let row = format!("{quanta:?} {refresh:?}");
        assert_eq!(pauses(&outcome, SENDER, DATA), [(PAUSED, until)], "{row}");
        assert_eq!(
            queue(&outcome, INGRESS, DATA, "xoff_refreshed"),
            refreshed,
            "{row}"
        );
        assert_eq!(
            queue(&outcome, INGRESS, DATA, "xoff_sent"),
            1 + refreshed,
            "{row}"
        );
        assert_eq!(outcome.summary.drops, 0, "{row}");
    }
}

#[test]
fn a_lost_refresh_lets_the_quanta_run_out() {
    const QUANTA: u16 = 200;
    let mut parameters = parameters(0, 0);
    parameters.pfc.quanta = Some(QUANTA);
    parameters.pfc.refresh_quanta = Some(QUANTA / 2);
    let interval = u64::from(QUANTA / 2) * QUANTUM;
    for arrived in [0, 1, 2, 5] {
        let mut scenario = flood(parameters.clone());
        scenario.links[0].pfc_lost_from = CROSSING + arrived * interval + Picoseconds(1);
        let over = PAUSED + (arrived + 2) * interval;
        let outcome = run_until(scenario, over + 10 * MICROSECOND);
        assert_eq!(pauses(&outcome, SENDER, DATA), [(PAUSED, over)]);
        assert_eq!(queue(&outcome, SENDER, DATA, "xoff_received"), arrived + 1);
        assert!(queue(&outcome, INGRESS, DATA, "xoff_sent") > arrived + 1);
        assert!(outcome.summary.drops > 0);
    }
}

/// A lost XON is as good as none: the pause lasts until its quanta have run out, or for ever without them.
#[test]
fn a_lost_xon() {
    const QUANTA: u16 = 300;
    for quanta in [Some(QUANTA), None] {
        let mut parameters = parameters(0, 0);
        parameters.pfc.quanta = quanta;
        parameters.pfc.refresh_quanta = None;
        let mut scenario = bottleneck(parameters, 10_000_000_000, 40);
        let id = connect(&mut scenario, 0, 1);
        post_sends(&mut scenario, id, 100, 0);
        scenario.links[0].pfc_lost_from = CROSSING + 10 * SHORT;
        let outcome = run(scenario);
        assert_eq!(queue(&outcome, INGRESS, DATA, "xoff_sent"), 1);
        assert_eq!(queue(&outcome, INGRESS, DATA, "xon_sent"), 1);
        assert_eq!(queue(&outcome, SENDER, DATA, "xon_received"), 0);
        let start = pauses(&outcome, SENDER, DATA)[0].0;
        match quanta {
            Some(quanta) => {
                let over = start + u64::from(quanta) * QUANTUM;
                assert_eq!(pauses(&outcome, SENDER, DATA), [(start, over)]);
            }
            None => assert_eq!(outcome.summary.failed, 0),
        }
    }
}

/// XOFF and XON decided in one instant leave in that order: a frame that does not fit, and an egress that takes it at once.
#[test]
fn decisions_of_one_instant_keep_their_order() {
    for generation in [0, 100] {
        let mut parameters = parameters(0, 0);
        parameters.pfc.quanta = None;
        parameters.pfc.refresh_quanta = None;
        parameters.pfc.generation_delay_ns = Nanoseconds(generation);
        let mut scenario = bottleneck(parameters, RATE, 3);
        let id = connect(&mut scenario, 0, 1);
        post_sends(&mut scenario, id, 20, 4096);
        let outcome = run(scenario);
        assert_eq!(queue(&outcome, INGRESS, DATA, "xoff_sent"), 20);
        assert_eq!(queue(&outcome, INGRESS, DATA, "xon_sent"), 20);
        let lengths = pauses(&outcome, SENDER, DATA)
            .into_iter()
            .map(|(start, end)| end - start);
        assert_eq!(
            lengths.collect::<Vec<_>>(),
            [SHORT; 20],
            "generation {generation}"
        );
    }
}

/// Two priorities of one port: the one into the blocked egress stops, the other takes the whole link.
#[test]
fn only_the_paused_priority_stops() {
    let frames = |other: u8| {
        let mut parameters = parameters(0, 0);
        parameters.pfc.lossless_priorities = 1 << DATA | 1 << 5;
        let mut slow = link(1, 3, 1, 0);
        slow.rate = BLOCKED;
        let links = vec![link(0, 3, 100, 500), slow, link(2, 3, 100, 0)];
        let mut scenario = network(3, 1, links, parameters);
        share(&mut scenario, 2000);
        for to in [1, 2] {
            let id = connect(&mut scenario, 0, to);
            post(
                &mut scenario,
                id,
                Verb::Send,
                100_000_000,
                Picoseconds::ZERO,
            );
        }
        scenario.connections[1].priority = Priority(other);
        let outcome = run_until(scenario, MILLISECOND);
        assert_eq!(outcome.summary.drops, 0);
        let (start, end) = *pauses(&outcome, SENDER, DATA).last().expect("a pause");
        assert_eq!(end, MILLISECOND);
        (
            start,
            queue(&outcome, SENDER, DATA, "frames"),
            queue(&outcome, SENDER, 5, "frames"),
        )
    };
    let full = MILLISECOND / frame_time(RATE, send_frame(4096)); // 2982 at the link's rate
    let (start, data, other) = frames(5);
    let until_pause = start / frame_time(RATE, send_frame(4096));
    assert!(data <= until_pause / 2 + 2, "{data} of {until_pause}");
    assert!(
        (full - 1..=full + 1).contains(&(data + other)),
        "{data} + {other} of {full}"
    );
    // In one priority both stop: the second flow is a victim.
    let (start, data, _) = frames(DATA);
    assert!(data <= start / frame_time(RATE, send_frame(4096)) + 1);
    assert!(data < full / 10, "{data} of {full}");
}

/// Once the network has drained, every pause sent by one end of a link has arrived at the other, at hosts and between switches.
#[test]
fn pauses_sent_are_pauses_received() {
    let links = (0..8).map(|host| link(host, 8 + host / 4, 100, 300));
    let between = [link(8, 9, 200, 700)];
    let mut parameters = plain();
    parameters.pfc.generation_delay_ns = Nanoseconds(50);
    let mut scenario = network(8, 2, links.chain(between).collect(), parameters);
    share(&mut scenario, 4000);
    for host in 1..8 {
        flow(&mut scenario, host, 0, 1_000_000);
    }
    let count = 2 * scenario.links.len() as u32;
    let outcome = run(scenario);
    assert_eq!((outcome.summary.drops, outcome.summary.failed), (0, 0));
    let mut paused_links = 0;
    for port in 0..count {
        let peer = PortId(port).peer().0;
        let xoff = queue(&outcome, port, DATA, "xoff_sent");
        paused_links += u32::from(xoff > 0);
        assert_eq!(
            xoff,
            queue(&outcome, peer, DATA, "xoff_received"),
            "port {port}"
        );
        assert_eq!(
            queue(&outcome, port, DATA, "xon_sent"),
            queue(&outcome, peer, DATA, "xon_received"),
            "port {port}"
        );
        let first = xoff - queue(&outcome, port, DATA, "xoff_refreshed");
        assert_eq!(
            first,
            queue(&outcome, port, DATA, "xon_sent"),
            "port {port}"
        );
        assert_eq!(
            first,
            pauses(&outcome, peer, DATA).len() as u64,
            "port {port}"
        );
    }
    // The senders at the receiver's switch, the cable between the switches, the senders behind it.
    assert_eq!(paused_links, 3 + 1 + 4);
    assert_eq!(
        column(&outcome, "ports", "pfc_frames").iter().sum::<u64>(),
        outcome.summary.pfc_frames
    );
}

/// A, B, C, D to X, and A to Y. Each of the four gets a quarter of X's link, which is half of what A spends on it
/// while it may send; so A may send half of the time, and Y gets half of its half.
#[test]
fn a_victim_flow_falls_to_the_pause_duty_share() {
    let until = 4 * MILLISECOND;
    let line = RATE as f64 * 4096.0 / f64::from(send_frame(4096) + 20);
    let frame = frame_time(RATE, send_frame(4096)).as_f64() / until.as_f64();
    let run = |senders: u32| {
        let mut scenario = star(6, 100, 300, parameters(0, 36));
        share(&mut scenario, 20_000);
        let victim = connect(&mut scenario, 0, 5);
        post(
            &mut scenario,
            victim,
            Verb::Send,
            1 << 32,
            Picoseconds::ZERO,
        );
        for host in 0..senders {
            let id = connect(&mut scenario, host, 4);
            post(&mut scenario, id, Verb::Send, 1 << 32, Picoseconds::ZERO);
        }
        let outcome = run_until(scenario, until);
        assert_eq!(outcome.summary.drops, 0);
        let paused = queue(&outcome, SENDER, DATA, "paused_ps");
        let duty = 1.0 - paused as f64 / until.as_f64();
        let bytes = column(&outcome, "queue_pairs", "delivered_bytes")[victim.index() + 1];
        let goodput = bytes as f64 * 8e12 / until.as_f64();
        let pauses = pauses(&outcome, SENDER, DATA).len() as f64;
        (duty, goodput / line, pauses * frame)
    };
    let (duty, share, _) = run(1);
    assert_eq!(duty, 1.0); // X's link holds half of A's
    assert!((share - 0.5).abs() < 0.005, "{share}");
    let (duty, share, finished) = run(4);
    // A frame in transmission is finished, so that up to one more leaves in every pause.
    let bounds = duty / 2.0 - 0.001..(duty + finished) / 2.0 + 0.001;
    assert!(bounds.contains(&share), "{share} of {bounds:?}");
    assert!(finished < 0.05, "{finished}");
    assert!((share - 0.25).abs() < 0.02, "{share} {duty}");
}

/// Without PFC the flood is dropped at the threshold, and no port is paused.
#[test]
fn no_priority_is_lossless_unless_configured() {
    let mut parameters = parameters(0, 0);
    parameters.pfc.lossless_priorities = 0;
    parameters.switch.headroom = Headroom::Fixed {
        bytes: Bytes(1 << 20),
    };
    let outcome = run_until(flood(parameters), 30 * MICROSECOND);
    assert_eq!(outcome.summary.pfc_frames, 0);
    assert!(pauses(&outcome, SENDER, DATA).is_empty());
    assert_eq!(queue(&outcome, INGRESS, DATA, "max_headroom_bytes"), 0);
    let arrived = (30 * MICROSECOND - DELAY) / SHORT;
    assert_eq!(outcome.summary.drops, arrived - 1 - 20);
}
