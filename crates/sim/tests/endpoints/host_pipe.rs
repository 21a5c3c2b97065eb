//! Between memory and NIC: a pipe slower than the wire, or one that takes its time.

use crate::support::{column, connect, flow, link, network, post, run, star};
use crate::{chain, roce, wire, ACK, AETH, BARE, RETH};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::{PortId, Priority};
use wirespeed_sim::model::parameters::{Parameters, Pipe, Reaction};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, NANOSECOND};

const FULL: u64 = 4096 + BARE;
/// The priority that is not lossless.
const LOSSY: u8 = 0;
/// The port of the switch towards host 2 of a star.
const TO_RECEIVER: u32 = 5;

fn pipe(gbps: u32, latency_ns: u64) -> Option<Pipe> {
    Some(Pipe {
        pcie: None,
        gbps: Some(gbps),
        latency_ns: Nanoseconds(latency_ns),
        receive_buffer_bytes: Bytes(512 << 10),
        xoff_bytes: Bytes(128 << 10),
        xon_bytes: Bytes(64 << 10),
    })
}

fn with_pipe(pipe: Option<Pipe>) -> Parameters {
    let mut parameters = roce();
    parameters.nic.pipe = pipe;
    parameters
}

/// A NIC fetches a packet while it sends the previous one: the slower of pipe and wire sets the packet interval.
#[test]
fn a_slow_sender_sends_at_the_rate_of_its_pipe() {
    const PACKETS: u64 = 500;
    let on_wire = wire(FULL, 100);
    let rows = [
        (None, on_wire),
        (pipe(400, 0), on_wire),
        (pipe(99, 0), on_wire), // 4096 bytes at 99 Gb/s take less than 4178 at 100
        (pipe(50, 0), wire(4096, 50)),
        (pipe(8, 0), wire(4096, 8)),
    ];
    for (pipe, gap) in rows {
        for verb in [Verb::Send, Verb::Read] {
            let mut scenario = chain(0, 100, 500, with_pipe(pipe.clone()));
            let queue_pair = connect(&mut scenario, 0, 1);
            post(
                &mut scenario,
                queue_pair,
                verb,
                PACKETS * 4096,
                Picoseconds::ZERO,
            );
            let outcome = run(scenario);
            // The first gap of a read holds its AETH too where the wire decides; the last packet ends on the wire.
            let (extra, last_packet) = match verb {
                Verb::Read if gap == on_wire => (AETH, BARE + RETH + AETH),
                Verb::Read => (0, BARE + RETH + AETH),
                _ => (0, ACK),
            };
            // A read completes when the pipe of the requester's NIC has carried the last packet, too.
            let into_memory = match (verb, &pipe) {
                (Verb::Read, Some(pipe)) => wire(4096, pipe.gbps.map_or(0, u64::from)),
                _ => Picoseconds::ZERO,
            };
            let on_links = wire(extra + FULL + last_packet, 100) + 1_000 * NANOSECOND;
            let expected = (PACKETS - 1) * gap + on_links + into_memory;
            assert_eq!(outcome.summary.completion, [expected], "{verb:?} {pipe:?}");
            assert_eq!(outcome.summary.pfc_frames, 0);
        }
    }
}

/// The latency of the pipe stands before the first packet of the poster and after the last one of the receiver; it is not
/// part of an acknowledgement, but a read completes when its data is in memory.
#[test]
fn latency_of_the_pipe() {
    let times = |verb, latency_ns| {
        let mut scenario = chain(0, 100, 500, with_pipe(pipe(1_000, latency_ns)));
        let queue_pair = connect(&mut scenario, 0, 1);
        post(&mut scenario, queue_pair, verb, 10_000, Picoseconds::ZERO);
        let outcome = run(scenario);
        let delivered = column(&outcome, "queue_pairs", "delivered_ps");
        let at = delivered.iter().max().copied().unwrap();
        (outcome.summary.completion[0], at)
    };
    for verb in [Verb::Write, Verb::Send, Verb::Read] {
        let (completion, delivered) = times(verb, 0);
        for latency_ns in [1, 300, 5_000] {
            let later = latency_ns * NANOSECOND;
            let completed = if verb == Verb::Read { 2 * later } else { later };
            let expected = (completion + completed, delivered + 2 * later.0);
            assert_eq!(times(verb, latency_ns), expected, "{verb:?}");
        }
    }
    // Without a pipe memory has what the NIC has: the data of the last packet, a flight and an ACK before completion.
    let mut scenario = chain(0, 100, 500, roce());
    flow(&mut scenario, 0, 1, 10_000);
    let outcome = run(scenario);
    let delivered = column(&outcome, "queue_pairs", "delivered_ps")[1];
    let ack = wire(ACK, 100) + 500 * NANOSECOND;
    assert_eq!(Picoseconds(delivered) + ack, outcome.summary.completion[0]);
}

/// Hosts 0 and 1 send to host 2 over one switch, so that the wire into host 2 is full; 60 Gb/s leave its NIC.
fn into_a_slow_host(parameters: Parameters, priority: u8, packets: u64) -> Scenario {
    let mut scenario = star(3, 100, 500, parameters);
    for source in [0, 1] {
        let queue_pair = connect(&mut scenario, source, 2);
        scenario.connections[queue_pair.connection()].priority = Priority(priority);
        post(
            &mut scenario,
            queue_pair,
            Verb::Send,
            packets * 4096,
            Picoseconds::ZERO,
        );
    }
    scenario
}

/// The one row of `queues` for a port and the data priority.
fn queue(outcome: &Outcome, port: u32, name: &str) -> u64 {
    let ports = column(outcome, "queues", "port");
    let priorities = column(outcome, "queues", "priority");
    let values = column(outcome, "queues", name);
    let row = (0..ports.len()).find(|row| ports[*row] == u64::from(port) && priorities[*row] == 3);
    values[row.expect("the queue was used")]
}

#[test]
fn a_slow_receiver_pauses_the_switch() {
    const PACKETS: u64 = 5_000;
    let outcome = run(into_a_slow_host(with_pipe(pipe(60, 0)), 3, PACKETS));
    assert_eq!(outcome.summary.drops, 0);
    assert_eq!(outcome.summary.retransmissions, 0);
    assert_eq!(outcome.summary.completion.len(), 2);

    // All payload at 60 Gb/s, once the first has come: to the last byte in memory.
    let delivered = column(&outcome, "queue_pairs", "delivered_ps");
    let end = Picoseconds(delivered.iter().max().copied().unwrap());
    let pipe_time = 2 * PACKETS * wire(4096, 60);
    let first = 2 * (wire(FULL, 100) + 500 * NANOSECOND);
    let late = end - (pipe_time + first);
    assert!(late < wire(FULL, 100), "the pipe stood still for {late} ps");

    // The NIC sent pauses, the switch stopped: the wire, which can carry 98.04 Gb/s of payload, was idle the rest of the time.
    let xoff = queue(&outcome, TO_RECEIVER, "xoff_received");
    assert_eq!(xoff, queue(&outcome, TO_RECEIVER - 1, "xoff_sent"));
    assert_eq!(
        queue(&outcome, TO_RECEIVER - 1, "xon_sent"),
        queue(&outcome, TO_RECEIVER, "xon_received")
    );
    let paused = queue(&outcome, TO_RECEIVER, "paused_ps") as f64 / end.as_f64();
    let expected = 1.0 - 60.0 / (100.0 * 4096.0 / FULL as f64);
    assert!(
        (paused - expected).abs() < 0.01,
        "{paused} is not {expected}"
    );

    // From XON (64 KiB) the buffer runs down for the loop of the pause, fills at 38 Gb/s to XOFF (128 KiB), continues
    // for the loop, and is emptied at 60 Gb/s. The loop: a PFC frame behind an ACK, flight, reaction, a frame, flight.
    let reaction = 201_728 * 10; // bit times at 100 Gb/s (IEEE 802.1Q 36.1.3.3)
    let frame = wire(FULL, 100);
    let stop =
        (wire(64 + 20, 100) + 1_000 * NANOSECOND + Picoseconds(reaction) + frame / 2).as_f64();
    let (fill, drain) = ((98.04 - 60.0) / 8_000.0, 60.0 / 8_000.0); // bytes per ps
    let swing = f64::from(64 << 10);
    let period = (swing + stop * drain) / fill + stop + (swing + stop * fill) / drain + stop;
    let cycles = end.as_f64() / period;
    assert!(
        (xoff as f64 / cycles - 1.0).abs() < 0.05,
        "{xoff} pauses, expected {cycles:.1}"
    );
}

#[test]
fn a_fast_pipe_or_none_pauses_nobody() {
    let ends = [None, pipe(100, 0), pipe(400, 0)].map(|pipe| {
        let outcome = run(into_a_slow_host(with_pipe(pipe), 3, 1_000));
        assert_eq!(queue(&outcome, TO_RECEIVER, "xoff_received"), 0);
        assert_eq!(queue(&outcome, TO_RECEIVER, "paused_ps"), 0);
        assert_eq!(outcome.summary.drops, 0);
        outcome.summary.completion
    });
    assert_eq!(ends[0], ends[1]);
    assert_eq!(ends[0], ends[2]);
    // The wire into host 2 is what all wait for.
    let last = ends[0].iter().max().copied().unwrap();
    let full = wire(2_000 * FULL + FULL, 100) + 1_000 * NANOSECOND;
    assert_eq!(last, full + 2 * wire(ACK, 100) + 1_000 * NANOSECOND);
}

/// Room above XOFF for what comes in during the loop of the pause, less what leaves meanwhile.
#[test]
fn room_above_xoff() {
    let dropped = |above: u32| {
        let mut parameters = with_pipe(pipe(60, 0));
        parameters.pfc.reaction = Reaction::Fixed {
            ns: Nanoseconds(1_000),
        };
        parameters.transport.ack_timeout = 8; // 1 ms, longer than any pause
        let pipe = parameters.nic.pipe.as_mut().unwrap();
        pipe.receive_buffer_bytes = pipe.xoff_bytes + Bytes(above);
        let outcome = run(into_a_slow_host(parameters, 3, 1_000));
        assert_eq!(
            outcome.summary.completion.len(),
            2,
            "all arrives in the end"
        );
        let nic_drops = column(&outcome, "ports", "drops")[TO_RECEIVER as usize - 1];
        assert_eq!(nic_drops, outcome.summary.drops, "nobody else drops");
        nic_drops
    };
    // The PFC frame, a flight, 1 us of reaction: packets that began until then still come. They are one packet time apart,
    // counted from the one that crosses XOFF, which began one packet time and a flight before the PFC frame.
    let obeyed = wire(84, 100) + 500 * NANOSECOND + 1_000 * NANOSECOND;
    let packets = (obeyed + 500 * NANOSECOND + wire(FULL, 100)) / wire(FULL, 100);
    // Each adds what does not leave until the next; the one that crosses is up to that much above XOFF.
    let each = 4096 - wire(FULL, 100).0 * 60 / 8_000;
    assert_eq!((packets, each), (7, 1_590));
    assert_eq!(dropped((packets + 1) as u32 * each as u32), 0);
    assert!(dropped((packets - 1) as u32 * each as u32) > 0);
}

#[test]
fn a_lossy_priority_drops_and_goes_back() {
    const PACKETS: u64 = 1_000;
    let outcome = run(into_a_slow_host(with_pipe(pipe(60, 0)), LOSSY, PACKETS));
    assert_eq!(outcome.summary.pfc_frames, 0);
    let drops = column(&outcome, "ports", "drops")[TO_RECEIVER as usize - 1];
    assert!(drops > 0);
    assert_eq!(outcome.summary.drops, drops);
    let naks: u64 = column(&outcome, "queue_pairs", "naks_sent").iter().sum();
    assert!(naks > 0 && naks <= drops);
    assert!(outcome.summary.retransmissions > drops);
    let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
    assert_eq!(delivered, [0, PACKETS * 4096, 0, PACKETS * 4096]);
    // The half megabyte of the receive buffer bridges the gaps: the pipe hardly stands still.
    let end = column(&outcome, "queue_pairs", "delivered_ps")
        .into_iter()
        .max()
        .unwrap();
    let ratio = end as f64 / (2 * PACKETS * wire(4096, 60)).as_f64();
    assert!((1.0..1.02).contains(&ratio), "{ratio}");
}

/// Each port has its own pipe.
#[test]
fn pipes_of_two_ports() {
    let alone: Picoseconds = 99 * wire(4096, 50) + wire(FULL + ACK, 100) + 1_000 * NANOSECOND;
    let links = vec![link(0, 1, 100, 500); 2];
    let mut scenario = network(2, 0, links, with_pipe(pipe(50, 0)));
    for _ in 0..2 {
        let queue_pair = connect(&mut scenario, 0, 1);
        post(
            &mut scenario,
            queue_pair,
            Verb::Send,
            100 * 4096,
            Picoseconds::ZERO,
        );
    }
    scenario.connections[1].port_a = PortId(2);
    scenario.connections[1].port_b = PortId(3);
    assert_eq!(run(scenario.clone()).summary.completion, [alone, alone]);
    scenario.connections[1].port_a = PortId(0);
    scenario.connections[1].port_b = PortId(1);
    let last = run(scenario).summary.completion[1];
    assert_eq!(last, alone + 100 * wire(4096, 50));
}

/// What waits for a read finds its data in memory, also where something else that it waits for comes later.
#[test]
fn what_follows_a_read_finds_its_data_in_memory() {
    let mut scenario = chain(0, 100, 500, with_pipe(pipe(1_000, 5_000)));
    let queue_pair = connect(&mut scenario, 0, 1);
    let other = connect(&mut scenario, 0, 1);
    let read = post(
        &mut scenario,
        queue_pair,
        Verb::Read,
        4096,
        Picoseconds::ZERO,
    );
    let write = post(&mut scenario, other, Verb::Write, 1, Picoseconds::ZERO);
    for predecessors in [vec![read], vec![read, write]] {
        let number = post(&mut scenario, queue_pair, Verb::Write, 1, Picoseconds::ZERO);
        scenario.operations[number as usize].after = predecessors;
    }
    let outcome = run(scenario);
    let starts = column(&outcome, "flows", "start_ps");
    let ends = column(&outcome, "flows", "end_ps");
    let in_memory = column(&outcome, "queue_pairs", "delivered_ps")[0];
    assert_eq!(ends[0], in_memory);
    assert!(ends[1] < in_memory, "the write is acknowledged before");
    assert_eq!(starts[2..], [in_memory; 2]);
}

/// A send queue completes in order (IBTA volume 1, chapter 10): a write that is acknowledged while what was read before it is
/// in flight to memory waits for it.
#[test]
fn a_write_completes_after_the_read_before_it() {
    let mut scenario = chain(0, 100, 500, with_pipe(pipe(1_000, 5_000)));
    let queue_pair = connect(&mut scenario, 0, 1);
    post(
        &mut scenario,
        queue_pair,
        Verb::Read,
        4096,
        Picoseconds::ZERO,
    );
    post(&mut scenario, queue_pair, Verb::Write, 1, Picoseconds::ZERO);
    let outcome = run(scenario);
    let in_memory = column(&outcome, "queue_pairs", "delivered_ps")[0];
    assert_eq!(column(&outcome, "flows", "end_ps"), [in_memory; 2]);
}
