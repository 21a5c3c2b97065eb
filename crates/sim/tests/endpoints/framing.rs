//! What a frame costs on the wire, measured from completion times.

use crate::support::{column, connect, flow, post, run};
use crate::{chain, roce, wire, ACK, AETH, BARE, GAP, RETH};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::model::parameters::{IpVersion, Parameters};
use wirespeed_sim::model::scenario::Verb;
use wirespeed_sim::time::{Nanoseconds, Picoseconds, NANOSECOND};

/// Completion time of one operation over `switches` switches.
fn completion(
    switches: u32,
    gbps: u64,
    delay_ns: u64,
    parameters: Parameters,
    verb: Verb,
    bytes: u64,
) -> Picoseconds {
    let mut scenario = chain(switches, gbps, delay_ns, parameters);
    let queue_pair = connect(&mut scenario, 0, 1);
    post(&mut scenario, queue_pair, verb, bytes, Picoseconds::ZERO);
    run(scenario).summary.completion[0]
}

/// Bytes on the wire of each packet that carries data: path MTU, padding to 4 (IBTA 9.2.5), shortest frame 64 (802.3).
fn data_packets(verb: Verb, bytes: u64, mtu: u64) -> Vec<u64> {
    let packets = bytes.div_ceil(mtu).max(1);
    let on_wire = |n: u64| {
        let payload = (bytes - n * mtu).min(mtu).next_multiple_of(4);
        let (first, last) = (n == 0, n + 1 == packets);
        let extension = match verb {
            Verb::Write if first => RETH,
            Verb::Read if first || last => AETH,
            _ => 0,
        };
        (BARE + extension + payload).max(64 + GAP)
    };
    (0..packets).map(on_wire).collect()
}

/// Store and forward: each of the equal links passes every frame on only when it has all of it, so packets in a row
/// need the sum of their times plus once more per switch the longest of them.
fn one_way(
    frames: &[u64],
    switches: u64,
    gbps: u64,
    delay: Picoseconds,
    latency: Picoseconds,
) -> Picoseconds {
    let longest = frames.iter().max().unwrap();
    let sum: u64 = frames.iter().sum();
    wire(sum + switches * longest, gbps)
        + Picoseconds(((switches + 1) * delay).0)
        + Picoseconds((switches * latency).0)
}

/// Path MTU and link efficiency: payload / (payload + 62 + 20), headers and gap of IEEE 802.3 and IBTA volume 1.
const EFFICIENCY: [(u64, f64); 5] = [
    (256, 0.75740),
    (512, 0.86195),
    (1024, 0.92586),
    (2048, 0.96150),
    (4096, 0.98037),
];

#[test]
fn link_efficiency_of_a_long_write() {
    for switches in [0, 1] {
        for (mtu, efficiency) in EFFICIENCY {
            let mut parameters = roce();
            parameters.transport.mtu_bytes = Bytes(mtu as u32);
            let time = |packets: u64| {
                let bytes = packets * mtu;
                completion(switches, 100, 500, parameters.clone(), Verb::Write, bytes)
            };
            // The difference of two lengths is free of the ends: RETH, flight, last ACK.
            let steady = time(512) - time(256);
            assert_eq!(steady, 256 * wire(mtu + BARE, 100));
            let measured = wire(256 * mtu, 100).as_f64() / steady.as_f64();
            assert!((measured - efficiency).abs() < 5e-6, "{mtu}: {measured}");
        }
    }
}

/// A tag is 4 bytes more (IEEE 802.1Q clause 9.3), an IPv6 header 20 more than an IPv4 one (RFC 8200, RFC 791): in each packet
/// of a long write, and in its ACK.
#[test]
fn a_tag_and_ipv6_take_their_bytes() {
    let rows = [
        (IpVersion::Ipv4, None, 0),
        (IpVersion::Ipv4, Some(7), 4),
        (IpVersion::Ipv6, None, 20),
        (IpVersion::Ipv6, Some(0), 24),
    ];
    for (ip, vlan, more) in rows {
        let mut parameters = roce();
        (parameters.framing.ip, parameters.framing.vlan) = (ip, vlan);
        let found = completion(0, 100, 500, parameters, Verb::Write, 512 * 4096);
        let frames = 512 * (BARE + more + 4096) + RETH + ACK + more;
        let expected = wire(frames, 100) + 2 * 500 * NANOSECOND;
        assert_eq!(found, expected, "{ip:?} {vlan:?}");
    }
}

#[test]
fn goodput_of_a_long_write() {
    // Efficiency times line rate, Gb/s.
    for (mtu, gbps, goodput) in [
        (4096, 100, 98.04),
        (4096, 200, 196.07),
        (4096, 400, 392.15),
        (1024, 100, 92.59),
        (1024, 200, 185.17),
        (1024, 400, 370.34),
    ] {
        let mut parameters = roce();
        parameters.transport.mtu_bytes = Bytes(mtu);
        let time = |packets: u64| {
            let bytes = packets * u64::from(mtu);
            completion(0, gbps, 500, parameters.clone(), Verb::Write, bytes)
        };
        let bits = 256 * 8 * u64::from(mtu);
        let measured = (bits * 1_000) as f64 / (time(512) - time(256)).as_f64();
        assert!((measured - goodput).abs() < 0.01, "{gbps}: {measured}");
    }
}

/// G = 2 C M / (W + f 86), f ACKs per data packet (W = 4178, 400 Gb/s). Without ACKs it would be 784.3,
/// which one ACK per message of 5000 packets comes close to.
#[test]
fn both_directions_share_the_wire_with_acknowledgements() {
    const PACKETS: u64 = 5_000;
    for (ack_every, goodput) in [(1, 768.5), (2, 776.3), (4, 780.3), (1_000_000, 784.3)] {
        let mut parameters = roce();
        parameters.transport.ack_every = ack_every;
        let time = |packets: u64| {
            let mut scenario = chain(1, 400, 500, parameters.clone());
            flow(&mut scenario, 0, 1, packets * 4096);
            flow(&mut scenario, 1, 0, packets * 4096);
            let outcome = run(scenario);
            let acks = packets.div_ceil(u64::from(ack_every));
            let frames = column(&outcome, "ports", "frames");
            assert_eq!(frames, [packets + acks; 4]);
            outcome.summary.completion[0].max(outcome.summary.completion[1])
        };
        let bits = 2 * PACKETS * 4096 * 8;
        let measured = (bits * 1_000) as f64 / (time(2 * PACKETS) - time(PACKETS)).as_f64();
        // The formula's figure is rounded to 0.1; a frame more or less in 5000 is another 0.15.
        assert!((measured - goodput).abs() < 0.2, "{ack_every}: {measured}");
    }
}

#[test]
fn completion_times_to_the_picosecond() {
    const DELAY_NS: u64 = 500;
    let delay = DELAY_NS * NANOSECOND;
    let sizes = [
        0,
        1,
        4,
        8,
        64,
        1023,
        4095,
        4096,
        4097 + 64,
        8192,
        9000,
        40_960,
    ];
    for switches in [0, 1, 3] {
        for latency_ns in [0, 600] {
            for gbps in [100, 400] {
                for bytes in sizes {
                    for verb in [Verb::Write, Verb::Send, Verb::Read] {
                        let mut parameters = roce();
                        parameters.switch.latency_ns = Nanoseconds(latency_ns);
                        let hops = u64::from(switches);
                        let wire_bytes = |frames: &[u64]| {
                            one_way(frames, hops, gbps, delay, latency_ns * NANOSECOND)
                        };
                        let data = data_packets(verb, bytes, 4096);
                        // A read is complete with its last response; the others with the ACK of the last packet.
                        let expected = match verb {
                            Verb::Read => wire_bytes(&[BARE + RETH]) + wire_bytes(&data),
                            _ => wire_bytes(&data) + wire_bytes(&[ACK]),
                        };
                        let found = completion(switches, gbps, DELAY_NS, parameters, verb, bytes);
                        assert_eq!(
                            found, expected,
                            "{verb:?} of {bytes} bytes over {switches} switches at {gbps} Gb/s"
                        );
                    }
                }
            }
        }
    }
}

/// One parameter at a time, one switch, 100 Gb/s: a byte takes 80 ps on each of two links.
#[test]
fn what_each_parameter_of_framing_is_worth() {
    type Change = fn(&mut Parameters);
    const BYTE: i64 = 2 * 80;
    let rows: [(&str, Change, Verb, u64, i64); 13] = [
        (
            "RETH of a write",
            |p| p.framing.write_first_bytes = Bytes(0),
            Verb::Write,
            4096,
            -16 * BYTE,
        ),
        (
            "a send has none",
            |p| p.framing.write_first_bytes = Bytes(0),
            Verb::Send,
            4096,
            0,
        ),
        (
            "AETH of a read",
            |p| p.framing.read_response_ends_bytes = Bytes(0),
            Verb::Read,
            4096,
            -4 * BYTE,
        ),
        // Two packets with an AETH each: both on the first link, the longest once more on the second.
        (
            "AETHs of a long read",
            |p| p.framing.read_response_ends_bytes = Bytes(0),
            Verb::Read,
            8192,
            -4 * 80 - 4 * BYTE,
        ),
        (
            "read request",
            |p| p.framing.read_request_bytes += Bytes(10),
            Verb::Read,
            4096,
            10 * BYTE,
        ),
        (
            "ACK",
            |p| p.framing.ack_bytes += Bytes(10),
            Verb::Write,
            4096,
            10 * BYTE,
        ),
        (
            "a read has none",
            |p| p.framing.ack_bytes += Bytes(10),
            Verb::Read,
            4096,
            0,
        ),
        (
            "headers",
            |p| p.framing.data_bytes += Bytes(10),
            Verb::Send,
            4096,
            10 * BYTE,
        ),
        (
            "gap, of packet and ACK",
            |p| p.framing.gap_bytes = Bytes(0),
            Verb::Send,
            4096,
            -40 * BYTE,
        ),
        (
            "padding",
            |p| p.framing.pad_bytes = Bytes(1),
            Verb::Send,
            4093,
            -3 * BYTE,
        ),
        (
            "shortest frame",
            |p| p.framing.minimum_bytes = Bytes(0),
            Verb::Send,
            0,
            -2 * BYTE,
        ),
        (
            "an ACK that would be shorter",
            |p| p.framing.minimum_bytes = Bytes(100),
            Verb::Send,
            4096,
            (100 - 66) * BYTE,
        ),
        (
            "latency, there and back",
            |p| p.switch.latency_ns = Nanoseconds(1),
            Verb::Send,
            0,
            2 * 1_000,
        ),
    ];
    for (case, change, verb, bytes, expected) in rows {
        let mut changed = roce();
        change(&mut changed);
        let usual_time = completion(1, 100, 500, roce(), verb, bytes);
        let changed_time = completion(1, 100, 500, changed, verb, bytes);
        assert_eq!(
            changed_time.0 as i64 - usual_time.0 as i64,
            expected,
            "{case}"
        );
    }
}

#[test]
fn acknowledgements_per_packet_or_coalesced() {
    for (ack_every, acks) in [(1, 10), (2, 5), (4, 3), (10, 1), (100, 1)] {
        let mut parameters = roce();
        parameters.transport.ack_every = ack_every;
        let mut scenario = chain(0, 100, 500, parameters);
        flow(&mut scenario, 0, 1, 10 * 4096);
        let outcome = run(scenario);
        assert_eq!(column(&outcome, "ports", "frames"), [10, acks]);
        assert_eq!(outcome.summary.hops, 10 + acks);
    }
}
