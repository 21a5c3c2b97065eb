//! Unreliable connections and datagrams: what arrives without retransmission.

use crate::capture::capture_packets;
use crate::support::{column, connect, port, post, run, star};
use crate::{chain, roce, wire, ACK, BARE, RETH};
use wirespeed_sim::ids::QueuePairId;
use wirespeed_sim::model::parameters::Parameters;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Connection, Scenario, Service, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, NANOSECOND};
use wirespeed_wire::{Ecn, PacketKind};

const GBPS: u64 = 100;
const DELAY_NS: u64 = 1_000;
const MTU: u64 = 4_096;
/// DETH (IBTA volume 1, section 9.3.2).
const DETH: u64 = 8;

/// Writes of `packets` packets each over one cable.
fn writes(service: Service, messages: u64, packets: u64, loss: f64) -> Outcome {
    let mut parameters = roce();
    parameters.transport.tx_depth = u32::MAX;
    let mut scenario = chain(0, GBPS, DELAY_NS, parameters);
    scenario.links[0].loss = loss;
    let queue_pair = connect(&mut scenario, 0, 1);
    scenario.connections[0].service = service;
    for _ in 0..messages {
        post(
            &mut scenario,
            queue_pair,
            Verb::Write,
            packets * MTU,
            Picoseconds::ZERO,
        );
    }
    run(scenario)
}

/// A message arrives whole if none of its k packets is lost, (1 - l)^k; of one that does not, what came before the loss
/// is in memory. The sender's end knows nothing of it: it is done when the last packet has left.
#[test]
fn a_loss_discards_the_rest_of_its_message() {
    const MESSAGES: u64 = 4_000;
    const PACKETS: u64 = 16;
    const LOSS: f64 = 0.01;
    let outcome = writes(Service::Uc, MESSAGES, PACKETS, LOSS);
    let sent = MESSAGES * (PACKETS * wire(MTU + BARE, GBPS) + wire(RETH, GBPS));
    assert_eq!(outcome.summary.end, sent);
    assert_eq!(outcome.summary.failed, 0);
    assert_eq!(outcome.summary.retransmissions, 0);
    assert_eq!(column(&outcome, "ports", "frames")[1], 0, "no ACK");

    let through = (1.0 - LOSS).powi(PACKETS as i32);
    let received = column(&outcome, "queue_pairs", "messages_received");
    let messages = MESSAGES as f64;
    let deviation = (messages * through * (1.0 - through)).sqrt();
    let error = received[1] as f64 - messages * through;
    assert!(error.abs() < 4.0 * deviation, "{received:?} {deviation}");
    // The packets before the first that is lost: (1 - l) + (1 - l)^2 + ... of each message, at most 16.
    let expected_packets: f64 = (1..=PACKETS)
        .map(|count| (1.0 - LOSS).powi(count as i32))
        .sum();
    let delivered = column(&outcome, "queue_pairs", "delivered_bytes")[1] / MTU;
    let error = delivered as f64 - messages * expected_packets;
    assert!(error.abs() < 4.0 * messages.sqrt() * PACKETS as f64 / 4.0);
    assert!(delivered > received[1] * PACKETS);

    let reliable = writes(Service::Rc, MESSAGES, PACKETS, LOSS);
    let delivered = column(&reliable, "queue_pairs", "delivered_bytes")[1];
    assert_eq!(delivered, MESSAGES * PACKETS * MTU);
    assert!(reliable.summary.end > sent);
}

/// Without loss all arrives, as over a reliable connection but for the ACKs.
#[test]
fn without_loss_everything_arrives() {
    let outcome = writes(Service::Uc, 10, 16, 0.0);
    let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
    assert_eq!(delivered, [0, 10 * 16 * MTU]);
    let received = column(&outcome, "queue_pairs", "messages_received");
    assert_eq!(received, [0, 10]);
    let reliable = writes(Service::Rc, 10, 16, 0.0);
    let way_back = 2 * DELAY_NS * NANOSECOND + wire(ACK, GBPS);
    assert_eq!(outcome.summary.end + way_back, reliable.summary.end);
}

/// One queue pair of host 0 and datagrams of `bytes` bytes to hosts 1 to 3 in turn.
fn datagrams(parameters: Parameters, rounds: u64, bytes: u64) -> Scenario {
    let mut scenario = star(4, GBPS, DELAY_NS, parameters);
    for host in 1..4 {
        connect(&mut scenario, 0, host);
        let connection: &mut Connection = scenario.connections.last_mut().unwrap();
        connection.service = Service::Ud { queue: 0 };
    }
    for _ in 0..rounds {
        for destination in 0..3 {
            post(
                &mut scenario,
                QueuePairId(2 * destination),
                Verb::Send,
                bytes,
                Picoseconds::ZERO,
            );
        }
    }
    scenario
}

/// They leave in the order in which they were posted, each with a DETH, and complete when they have left.
#[test]
fn one_queue_pair_has_many_destinations() {
    for bytes in [MTU, 100] {
        let outcome = run(datagrams(roce(), 20, bytes));
        let message_time = wire(bytes + BARE + DETH, GBPS);
        let ends: Vec<u64> = (1..=60).map(|sent| (sent * message_time).0).collect();
        assert_eq!(column(&outcome, "flows", "end_ps"), ends);
        let received = column(&outcome, "queue_pairs", "messages_received");
        assert_eq!(received, [0, 20, 0, 20, 0, 20]);
        let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
        assert_eq!(
            delivered,
            [0, 20, 0, 20, 0, 20].map(|messages| messages * bytes)
        );
        let packets = column(&outcome, "queue_pairs", "packets");
        assert_eq!(packets, [60, 0, 0, 0, 0, 0], "of the queue pair that sends");
    }
}

/// A lost datagram is one lost message; no endpoint waits for it.
#[test]
fn a_lost_datagram_is_one_message() {
    let mut scenario = datagrams(roce(), 2_000, MTU);
    scenario.links[0].loss = 0.05;
    let outcome = run(scenario);
    let received = column(&outcome, "queue_pairs", "messages_received");
    let received: u64 = received.iter().sum();
    let lost = column(&outcome, "ports", "lost")[0];
    assert!(lost > 200);
    assert_eq!(received + lost, 6_000);
    assert_eq!(outcome.summary.failed, 0);
}

/// Receives run out: what comes then is dropped and is not reported.
#[test]
fn datagrams_without_a_receive_are_dropped() {
    let mut parameters = roce();
    parameters.transport.rx_depth = Some(5);
    parameters.transport.receive_ns = Nanoseconds(1_000_000);
    let outcome = run(datagrams(parameters, 20, MTU));
    let received = column(&outcome, "queue_pairs", "messages_received");
    assert_eq!(received, [0, 5, 0, 5, 0, 5]);
    assert_eq!(outcome.summary.failed, 0);
    assert_eq!(column(&outcome, "queue_pairs", "rnr_naks_sent"), [0; 6]);
}

/// In a capture: opcodes of UC, of which nothing is acknowledged, and datagrams with the queue pair that sent them.
#[test]
fn captures() {
    let mut scenario = chain(1, GBPS, DELAY_NS, roce());
    let queue_pair = connect(&mut scenario, 0, 1);
    scenario.connections[0].service = Service::Uc;
    post(
        &mut scenario,
        queue_pair,
        Verb::Write,
        3 * MTU,
        Picoseconds::ZERO,
    );
    post(
        &mut scenario,
        queue_pair,
        Verb::Send,
        100,
        Picoseconds::ZERO,
    );
    let packets = capture_packets(scenario);
    assert!(packets
        .iter()
        .all(|packet| packet.bth.unreliable && packet.network.ecn == Ecn::Ect0));
    let kinds: Vec<u8> = packets.iter().map(|packet| packet.kind.opcode()).collect();
    assert_eq!(kinds, [0x06, 0x07, 0x08, 0x04]);

    let scenario = datagrams(roce(), 1, 100);
    assert_eq!(port(&scenario, 0), 0);
    let sent = capture_packets(scenario);
    let queue_pairs = sent.iter().map(|packet| match packet.kind {
        PacketKind::DatagramSend { deth, payload } => {
            (packet.bth.destination_qp, deth.source_qp, payload)
        }
        other => panic!("{other:?}"),
    });
    let expected = [
        (0x101, 0x100, 100),
        (0x103, 0x100, 100),
        (0x105, 0x100, 100),
    ];
    assert!(queue_pairs.eq(expected));
    assert!(sent
        .iter()
        .all(|packet| packet.network.ecn == Ecn::NotEct && !packet.bth.unreliable));
}
