//! Bytes in flight, checked at each event: a packet leaves only into a window that has room for it.

use crate::mechanisms::transport::Transport;
use crate::reader;
use crate::simulation::Simulation;
use proptest::prelude::*;
use serde_json::json;

/// Algorithms that have a window.
const WINDOWED: [&str; 4] = ["dctcp", "swift", "hpcc", "nscc"];

/// An incast over a switch, with losses, under an algorithm; writes and reads.
fn incast(
    algorithm: &str,
    senders: u32,
    loss: f64,
    selective: bool,
    ack_every: u32,
    bytes: u64,
) -> Simulation {
    let links: Vec<_> = (0..=senders)
        .map(|host| json!({"a": host, "b": senders + 1, "loss": loss}))
        .collect();
    let flows: Vec<_> = (0..senders)
        .map(|host| json!({"src": host, "dst": senders, "bytes": bytes}))
        .collect();
    let recovery = ["go-back-n", "selective-repeat"][usize::from(selective)];
    let scenario = json!({
        "hosts": senders + 1,
        "switches": 1,
        "link_gbps": 100,
        "link_delay_ns": 1000,
        "links": links,
        "flows": flows,
        "parameters": {
            "congestion": {"algorithm": algorithm},
            "marking": {"kmin_bytes": 20_000, "kmax_bytes": 20_000, "pmax": 1.0, "reference_gbps": null},
            "transport": {
                // A window that never opens would stay closed where nothing is lost.
                "ack_timeout": if loss > 0.0 { 6 } else { 0 },
                "recovery": recovery,
                "mtu_bytes": 1024,
                "ack_every": ack_every,
            },
        },
    });
    let scenario = reader::read(&scenario.to_string(), "roce", 1).expect("a scenario");
    Simulation::new(scenario).expect("a network")
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_packet_leaves_into_a_full_window(
        algorithm in prop::sample::select(&WINDOWED[..]),
        senders in 1..6_u32,
        loss in prop_oneof![Just(0.0), Just(0.01)],
        selective in any::<bool>(),
        ack_every in prop_oneof![Just(1), Just(16), Just(u32::MAX)],
        bytes in 1..400_000_u64,
    ) {
        let mut simulation = incast(algorithm, senders, loss, selective, ack_every, bytes);
        let mtu = simulation.settings.parameters.transport.mtu_bytes.as_f64();
        let in_flight = |simulation: &Simulation| -> Vec<u32> {
            let all = simulation.queue_pairs.iter();
            all.map(|queue_pair| queue_pair.transport.progress().in_flight).collect()
        };
        let mut previous = in_flight(&simulation);
        let mut sent = 0;
        while simulation.advance(1) {
            let current = in_flight(&simulation);
            for (id, (packets_before, packets)) in previous.iter().zip(&current).enumerate() {
                if packets <= packets_before {
                    continue;
                }
                sent += 1;
                let window = simulation.queue_pairs[id].congestion.window();
                let window = window.expect("a window");
                let bytes = f64::from(*packets) * mtu;
                prop_assert!(bytes < window + mtu || *packets == 1, "{} of {}", bytes, window);
            }
            previous = current;
        }
        prop_assert!(sent > 0);
        let posted = u64::from(senders) * bytes;
        prop_assert_eq!(simulation.progress().delivered_bytes.0, posted);
    }
}
