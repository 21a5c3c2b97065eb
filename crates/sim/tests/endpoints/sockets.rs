//! TCP and UDP of the hosts, measured from outside.

use crate::support::{column, connect, post, run};
use crate::{chain, roce, wire};
use wirespeed_sim::ids::Priority;
use wirespeed_sim::model::parameters::{IpVersion, Parameters};
use wirespeed_sim::model::results::{Column, Outcome};
use wirespeed_sim::model::scenario::{Service, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, NANOSECOND};

/// One message from host 0 to host 1 over one switch, at 100 Gb/s.
fn transfer(
    service: Service,
    delay_ns: u64,
    loss: f64,
    parameters: Parameters,
    bytes: u64,
) -> Outcome {
    let mut scenario = chain(1, 100, delay_ns, parameters);
    scenario.links[0].loss = loss;
    let id = connect(&mut scenario, 0, 1);
    (
        scenario.connections[0].service,
        scenario.connections[0].priority,
    ) = (service, Priority(0));
    post(&mut scenario, id, Verb::Send, bytes, Picoseconds::ZERO);
    run(scenario)
}

fn without_queue_limit() -> Parameters {
    let mut parameters = roce();
    parameters.switch.slices = 1;
    parameters
}

/// On the wire: preamble, gap, Ethernet, IPv4 and FCS, 58 bytes, and TCP's 32 or UDP's 8; over IPv6 20 more, of which the
/// payload has so much less. A window that the wire never empties takes no longer than the bytes; the ACK of 90 comes back.
#[test]
fn bytes_on_the_wire() {
    let rows = [
        (Service::Tcp, IpVersion::Ipv4, 1448, 1538, Some(90)),
        (Service::Tcp, IpVersion::Ipv6, 1428, 1538, Some(110)),
        (Service::Udp, IpVersion::Ipv4, 1472, 1538, None),
        (Service::Udp, IpVersion::Ipv6, 1452, 1538, None),
    ];
    for (service, ip, payload, frame, ack) in rows {
        let mut parameters = without_queue_limit();
        parameters.framing.ip = ip;
        parameters.sockets.initial_window = 65_535;
        let outcome = transfer(service, 500, 0.0, parameters, 1_000 * payload);
        let delay = 2 * 500 * NANOSECOND;
        let expected = match ack {
            Some(ack) => wire(1_001 * frame + 2 * ack, 100) + 2 * delay,
            None => wire(1_000 * frame, 100), // it is over when it has left
        };
        assert_eq!(outcome.summary.completion, [expected], "{service:?} {ip:?}");
        assert_eq!(
            column(&outcome, "queue_pairs", "delivered_bytes"),
            [0, 1_000 * payload]
        );
        let mut context = outcome.context.iter();
        let limits = context.find(|table| table.name == "limits").unwrap();
        let least = Column::U64(vec![expected.0]);
        assert_eq!(limits.columns, [("least_ps", least)]);
    }
}

/// Segments per round trip, times the root of the loss, of a window that grows by one segment in each round trip and is halved
/// by losses that fall at random, where every segment is acknowledged. In segments n the window's square grows by 2 n, and a
/// loss quarters it; the segments between two losses are exponential with mean 1 / p. So X = p / 2 times the square, before a loss,
/// is a sum of independent exponential parts with means 1, 1/4, 1/16 ..., and the throughput is 1 over the mean of 1 / window:
/// root of 2 / p over the mean of 1 / root of X. It is 1.31 (Ott, Kemperman, Mathis, "The stationary behavior of ideal TCP
/// congestion avoidance", 1996).
fn of_random_loss() -> f64 {
    let rate = |k: i32| 4_f64.powi(k);
    let weight = |k: i32| {
        let other_hosts = (0..25).filter(|j| *j != k);
        other_hosts
            .map(|j| rate(j) / (rate(j) - rate(k)))
            .product::<f64>()
    };
    // The mean of 1 / root of an exponential with rate r is the root of pi r.
    let mean: f64 = (0..25)
        .map(|k| weight(k) * (std::f64::consts::PI * rate(k)).sqrt())
        .sum();
    2_f64.sqrt() / mean
}

#[test]
fn loss_lowers_throughput_as_computed() {
    for loss in [0.0005, 0.001, 0.002] {
        let mut parameters = without_queue_limit();
        parameters.sockets.least_rto_ns = Nanoseconds(1_000_000);
        let segments = (300.0 / loss) as u64;
        let bytes = segments * 1448;
        let outcome = transfer(Service::Tcp, 100_000, loss, parameters, bytes);
        let round_trip = 400.0; // us; what the wire takes beside is a thousandth
        let found = segments as f64 / (outcome.summary.completion[0].as_f64() / 1e6);
        let expected = of_random_loss() / (round_trip * loss.sqrt());
        let ratio = found / expected;
        assert!((0.9..1.1).contains(&ratio), "{loss}: {ratio}");
        assert!((of_random_loss() - 1.3098).abs() < 1e-4);
        let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
        assert_eq!(delivered, [0, bytes]);
    }
}

/// Datagrams are not retransmitted; what arrives is accepted, whatever is missing.
#[test]
fn datagrams_are_lost_alone() {
    let outcome = transfer(Service::Udp, 500, 0.1, without_queue_limit(), 1_000 * 1472);
    let losses = outcome.summary.losses;
    assert!((60..140).contains(&losses));
    let delivered = column(&outcome, "queue_pairs", "delivered_bytes")[1];
    assert_eq!(delivered, (1_000 - losses) * 1472);
    assert_eq!(outcome.summary.retransmissions, 0);
}
