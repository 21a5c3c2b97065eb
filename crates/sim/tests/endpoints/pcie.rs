//! The PCIe link of a NIC of 400 Gb/s: what its width, order, reads and both directions leave. Expected rates are worked out
//! from the sizes of packets: 24 bytes around the data of a write, 20 around that of a completion, 24 for a request (PCI
//! Express Base 5.0, sections 2.2 and 4.2); 128b/130b from 8 GT/s on.

use crate::roce;
use crate::support::{column, connect, port, post, run, star};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::PortId;
use wirespeed_sim::model::overrides::{Devices, Slot};
use wirespeed_sim::model::parameters::Pipe;
use wirespeed_sim::model::pcie::{OrderedWrites, Pcie, Reads};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds};

const MESSAGE: u64 = 32 << 20;
/// Generation 5 with 16 lanes, before and after the line code, Gb/s.
const WIDE: f64 = 32.0 * 16.0 * 128.0 / 130.0;

fn slot(generation: u8, width: u32, max_payload_bytes: u32) -> Pcie {
    Pcie {
        generation,
        width,
        max_payload_bytes: Bytes(max_payload_bytes),
        dllp_bytes: None,
        ordered_writes: None,
        reads: None,
    }
}

/// No limit of the slot is reached.
const HEALTHY: Pcie = Pcie {
    generation: 5,
    width: 16,
    max_payload_bytes: Bytes(256),
    dllp_bytes: Some(Bytes(8)),
    ordered_writes: None,
    reads: Some(Reads {
        tags: 256,
        max_read_request_bytes: Bytes(512),
        round_trip_ns: Nanoseconds(547),
        read_completion_boundary_bytes: None,
    }),
};

fn pipe(pcie: Pcie) -> Option<Pipe> {
    Some(Pipe {
        gbps: None,
        pcie: Some(pcie),
        latency_ns: Nanoseconds(0),
        receive_buffer_bytes: Bytes(1 << 20),
        xoff_bytes: Bytes(512 << 10),
        xon_bytes: Bytes(256 << 10), // what the slot takes in the loop of a pause
    })
}

/// Two hosts under a switch, each behind a separate link.
fn hosts(slots: [Option<Pcie>; 2], mtu_bytes: u32) -> Scenario {
    let mut scenario = star(2, 400, 500, roce());
    scenario.parameters.transport.mtu_bytes = Bytes(mtu_bytes);
    scenario.devices = Devices::new(3, 4);
    for (host, slot) in (0..).zip(slots) {
        let mut parameters = scenario.parameters.clone();
        parameters.nic.pipe = slot.and_then(pipe);
        let number = scenario.devices.keep(parameters, 0);
        let nic = port(&scenario, host);
        scenario.devices.set(Slot::Port(PortId(nic)), number);
    }
    scenario
}

/// The data are in the memory of host 0, whichever end posts the operation.
fn post_transfer(scenario: &mut Scenario, source: u32, verb: Verb) {
    let other = 1 - source;
    let (a, b) = match verb {
        Verb::Read => (other, source),
        _ => (source, other),
    };
    let queue_pair = connect(scenario, a, b);
    post(scenario, queue_pair, verb, MESSAGE, Picoseconds::ZERO);
}

/// Gb/s of payload until the last byte is in memory, and pauses that the NICs sent.
fn measure(scenario: Scenario) -> (f64, u64) {
    let outcome = run(scenario);
    assert_eq!((outcome.summary.drops, outcome.summary.failed), (0, 0));
    (rate(&outcome), pauses_of_nics(&outcome))
}

fn rate(outcome: &Outcome) -> f64 {
    let times = column(outcome, "queue_pairs", "delivered_ps");
    MESSAGE as f64 * 8_000.0 / times.into_iter().max().unwrap() as f64
}

fn pauses_of_nics(outcome: &Outcome) -> u64 {
    let ports = column(outcome, "queues", "port");
    let sent = column(outcome, "queues", "xoff_sent");
    let of_nics = ports.iter().zip(sent).filter(|(port, _)| **port % 2 == 0);
    of_nics.map(|(_, sent)| sent).sum()
}

/// One direction, into a slot and out of it.
fn one_way(slots: [Option<Pcie>; 2], verb: Verb) -> (f64, u64) {
    let mut scenario = hosts(slots, 4096);
    post_transfer(&mut scenario, 0, verb);
    measure(scenario)
}

#[track_caller]
fn assert_rate(found: f64, expected: f64) {
    assert!(
        (found / expected - 1.0).abs() < 0.003,
        "{found} Gb/s, not {expected}"
    );
}

/// What the wire leaves of 400 Gb/s (4096 bytes of 4178), less the start.
const ON_THE_WIRE: f64 = 390.0;

/// The NIC receives what the slot takes, and pauses the switch for the rest; it sends what the slot gives. In a healthy slot
/// neither happens, and nothing is a picosecond later but the last packet, in flight to memory.
#[test]
fn a_slot_that_is_too_narrow() {
    let rows = [
        (3, 16, 256, 116.90, 115.23),
        (4, 8, 256, 116.90, 115.23),
        (5, 8, 256, 233.80, 230.46),
        (5, 8, 128, 218.00, 212.26),
    ];
    for (generation, width, payload, from, into) in rows {
        let slot = Some(slot(generation, width, payload));
        let (received, pauses) = one_way([None, slot], Verb::Write);
        assert_rate(received, into);
        assert!(pauses > 0);
        let (sent, pauses) = one_way([slot, None], Verb::Write);
        assert_rate(sent, from);
        assert_eq!(pauses, 0);
    }
    let ends = |slots| {
        let mut scenario = hosts(slots, 4096);
        post_transfer(&mut scenario, 0, Verb::Write);
        let outcome = run(scenario);
        assert_eq!(pauses_of_nics(&outcome), 0);
        outcome.summary.completion
    };
    assert_eq!(ends([Some(HEALTHY); 2]), ends([None, None]));
}

/// Without relaxed ordering, the writes in flight and the latency of a write, or a measured rate, limit a receiver.
#[test]
fn writes_that_keep_their_order() {
    let outstanding = |writes, commit_ns| OrderedWrites::Outstanding { writes, commit_ns };
    let rows = [
        (outstanding(32, Nanoseconds(437)), 150.0),
        (outstanding(64, Nanoseconds(437)), 299.9),
        (
            OrderedWrites::Measured {
                bps: 150_000_000_000,
            },
            150.0,
        ),
    ];
    for (ordered, expected) in rows {
        let slot = Pcie {
            ordered_writes: Some(ordered),
            ..HEALTHY
        };
        for verb in [Verb::Write, Verb::Read] {
            let (received, pauses) = one_way([None, Some(slot)], verb);
            assert_rate(received, expected);
            assert!(pauses > 0, "the NIC pauses its switch");
            let (sent, pauses) = one_way([Some(slot), None], verb);
            assert!(
                sent > ON_THE_WIRE && pauses == 0,
                "reads have no such order"
            );
        }
    }
    let (relaxed, pauses) = one_way([None, Some(HEALTHY)], Verb::Write);
    assert!(relaxed > ON_THE_WIRE && pauses == 0);
}

/// A sender, and the responder of RDMA reads, has this number of requests outstanding, each for the time of a round trip;
/// completions that end at every boundary have more around their data, and the DLLPs of a request are with them. The
/// receiver is not paused for either.
#[test]
fn reads_of_memory() {
    let reads = |tags, max_read_request_bytes, boundary| Reads {
        tags,
        max_read_request_bytes,
        round_trip_ns: Nanoseconds(547),
        read_completion_boundary_bytes: boundary,
    };
    let in_time = |bytes: f64| bytes * 8.0 / 547.0;
    let rows = [
        (reads(32, Bytes(512), None), in_time(32.0 * 512.0)),
        (reads(16, Bytes(1024), None), in_time(16.0 * 1024.0)),
        (reads(32, Bytes(128), None), in_time(32.0 * 128.0)),
        (
            reads(256, Bytes(512), Some(Bytes(64))),
            WIDE * 512.0 / (8.0 * 84.0 + 8.0),
        ),
        (reads(256, Bytes(512), Some(Bytes(128))), ON_THE_WIRE),
        (reads(64, Bytes(512), None), ON_THE_WIRE),
    ];
    for (reads, expected) in rows {
        let slot = Pcie {
            reads: Some(reads),
            ..HEALTHY
        };
        for verb in [Verb::Send, Verb::Read] {
            let (sent, pauses) = one_way([Some(slot), None], verb);
            assert_eq!(pauses, 0);
            match expected == ON_THE_WIRE {
                true => assert!(sent > expected, "{sent}"),
                false => assert_rate(sent, expected),
            }
            let (received, pauses) = one_way([None, Some(slot)], verb);
            assert!(received > ON_THE_WIRE && pauses == 0);
        }
    }
}

/// Both directions at once share the link: towards memory writes, requests and the DLLPs of completions, from memory completions
/// and the DLLPs of the others. Without requests and DLLPs each has it for itself.
#[test]
fn both_directions() {
    let link: f64 = 16.0 * 16.0 * 128.0 / 130.0;
    let rows = [
        (None, None, [280.0 / 256.0, 276.0 / 256.0]),
        (
            None,
            Some(512),
            [280.0 / 256.0 + 24.0 / 512.0, 276.0 / 256.0],
        ),
        (
            None,
            Some(4096),
            [280.0 / 256.0 + 24.0 / 4096.0, 276.0 / 256.0],
        ),
        (
            Some(8),
            None,
            [(280.0 + 8.0) / 256.0, (276.0 + 8.0) / 256.0],
        ),
        (
            Some(16),
            Some(128),
            [296.0 / 256.0 + 24.0 / 128.0, 292.0 / 256.0 + 16.0 / 128.0],
        ),
    ];
    for (dllp_bytes, request, on_link) in rows {
        let slot = Pcie {
            dllp_bytes: dllp_bytes.map(Bytes),
            reads: request.map(|max_read_request_bytes| Reads {
                tags: 256,
                max_read_request_bytes: Bytes(max_read_request_bytes),
                round_trip_ns: Nanoseconds(547),
                read_completion_boundary_bytes: None,
            }),
            ..slot(4, 16, 256)
        };
        let mut scenario = hosts([Some(slot); 2], 4096);
        for source in [0, 1] {
            post_transfer(&mut scenario, source, Verb::Write);
        }
        let (each, _) = measure(scenario);
        assert_rate(each, link / f64::max(on_link[0], on_link[1]));
    }
}

/// The last write of a packet may be short, and has as many bytes around it.
#[test]
fn packets_that_do_not_fill_their_writes() {
    let link: f64 = 16.0 * 16.0 * 128.0 / 130.0;
    for (mtu, writes) in [(1024, 4), (1025, 5), (64, 1)] {
        let mut scenario = hosts([None, Some(slot(4, 16, 256))], mtu);
        scenario.operations.clear();
        post_transfer(&mut scenario, 0, Verb::Send);
        let (received, pauses) = measure(scenario);
        let expected = link * f64::from(mtu) / f64::from(mtu + 24 * writes);
        let wire = 400.0 * f64::from(mtu) / f64::from(mtu.next_multiple_of(4) + 62 + 20);
        assert_rate(received, expected.min(wire));
        assert_eq!(pauses > 0, expected < wire);
    }
}
