//! Messages in a capture.

use crate::chain;
use crate::roce;
use crate::support::{column, connect, port, post, run};
use wirespeed_sim::congestion::{rccc, Parameters as Congestion};
use wirespeed_sim::ids::PortId;
use wirespeed_sim::model::parameters::IpVersion;
use wirespeed_sim::model::scenario::{Scenario, Service, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND};
use wirespeed_sim::Simulation;
use wirespeed_wire::{Packet, PacketKind, Syndrome};

/// Length of the pcap file header and of what stands before each frame (libpcap's file format).
const FILE_HEADER: usize = 24;
const FRAME_HEADER: usize = 16;

/// All RoCEv2 packets in and out of the first host's port.
pub fn capture_packets(scenario: Scenario) -> Vec<Packet> {
    let frames = frames(scenario).into_iter();
    frames
        .filter_map(|frame| Packet::parse(&frame).ok())
        .collect()
}

/// All frames in and out of the first host's port.
fn frames(mut scenario: Scenario) -> Vec<Vec<u8>> {
    scenario.observe.captures = vec![PortId(port(&scenario, 0))];
    let mut simulation = Simulation::new(scenario).unwrap_or_else(|refused| panic!("{refused}"));
    while simulation.advance(1 << 16) {}
    let file = simulation.take_captures().remove(0);
    let mut unread = &file[FILE_HEADER..];
    let mut frames = Vec::new();
    while !unread.is_empty() {
        let length = u32::from_le_bytes(unread[8..12].try_into().unwrap()) as usize;
        let (frame, following) = unread[FRAME_HEADER..].split_at(length);
        frames.push(frame.to_vec());
        unread = following;
    }
    frames
}

/// Writes of three and of one packet, a read of two, a send: MSN is how many messages the responder has completed
/// (IBTA volume 1, 9.7.7.1), a read from its first response on.
#[test]
fn message_sequence_numbers() {
    let mut scenario = chain(1, 100, 100, roce());
    let queue_pair = connect(&mut scenario, 0, 1);
    let mtu = u64::from(scenario.parameters.transport.mtu_bytes.0);
    let messages = [
        (Verb::Write, 3),
        (Verb::Write, 1),
        (Verb::Read, 2),
        (Verb::Send, 1),
    ];
    for (verb, packets) in messages {
        post(
            &mut scenario,
            queue_pair,
            verb,
            packets * mtu,
            Picoseconds::ZERO,
        );
    }
    let mut found = Vec::new();
    for packet in capture_packets(scenario) {
        match packet.kind {
            PacketKind::Acknowledge { aeth } => found.push(("ACK", packet.bth.psn, aeth.msn)),
            PacketKind::ReadResponseFirst { aeth, .. }
            | PacketKind::ReadResponseLast { aeth, .. } => {
                found.push(("response", packet.bth.psn, aeth.msn));
            }
            _ => {}
        }
    }
    let expected = [
        ("ACK", 0, 0),
        ("ACK", 1, 0),
        ("ACK", 2, 1),
        ("ACK", 3, 2),
        ("response", 4, 3),
        ("response", 5, 3),
        ("ACK", 6, 4),
    ];
    assert_eq!(found, expected);
}

/// The second response of a read is lost: the requester repeats the read from the missing byte.
#[test]
fn a_repeated_read() {
    let seeds = 1..200;
    let requests = seeds.map(|seed| {
        let mut scenario = chain(1, 100, 100, roce());
        scenario.seed = seed;
        scenario.links[0].loss = 0.1;
        let queue_pair = connect(&mut scenario, 0, 1);
        let mtu = u64::from(scenario.parameters.transport.mtu_bytes.0);
        post(
            &mut scenario,
            queue_pair,
            Verb::Read,
            4 * mtu,
            Picoseconds::ZERO,
        );
        let mut requests = Vec::new();
        for packet in capture_packets(scenario) {
            if let PacketKind::ReadRequest { reth } = packet.kind {
                requests.push((u64::from(packet.bth.psn), reth.address, reth.length));
            }
        }
        for (psn, address, length) in &requests {
            let row = (*psn * mtu, (4 - *psn) * mtu);
            assert_eq!(
                (*address, u64::from(*length)),
                row,
                "seed {seed}, PSN {psn}"
            );
        }
        requests
    });
    // One time in ten or so it is not the first response that is lost first.
    assert!(requests.flatten().filter(|(psn, ..)| *psn > 0).count() > 5);
}

/// The RNR NAK of a receiver carries the delay and the PSN of the message.
#[test]
fn rnr_naks() {
    let mut parameters = roce();
    parameters.transport.rx_depth = Some(1);
    parameters.transport.receive_ns = Nanoseconds(15_000);
    parameters.transport.min_rnr_timer = 2;
    let mut scenario = chain(0, 100, 100, parameters);
    let queue_pair = connect(&mut scenario, 0, 1);
    for _ in 0..2 {
        post(&mut scenario, queue_pair, Verb::Send, 10, Picoseconds::ZERO);
    }
    let answers = capture_packets(scenario).into_iter().filter_map(|packet| {
        let aeth = packet.kind.aeth()?;
        Some((packet.bth.psn, aeth.syndrome, aeth.msn))
    });
    let expected = [
        (0, Syndrome::UNLIMITED, 1),
        (1, Syndrome::ReceiverNotReady { timer: 2 }, 1),
        (1, Syndrome::UNLIMITED, 2),
    ];
    assert!(answers.eq(expected));
}

/// Every frame is as long on the wire as it is counted, and carries its priority in its tag: with and without one, over both
/// versions of IP. A write and a read of two packets; the FCS is not captured.
#[test]
fn tags_and_ip_versions_to_the_byte() {
    let rows = [
        (IpVersion::Ipv4, None, 0),
        (IpVersion::Ipv4, Some(100), 4),
        (IpVersion::Ipv6, None, 20),
        (IpVersion::Ipv6, Some(0), 24),
    ];
    let mut plain = None;
    for (ip, vlan, more) in rows {
        let mut scenario = chain(1, 100, 100, roce());
        (
            scenario.parameters.framing.ip,
            scenario.parameters.framing.vlan,
        ) = (ip, vlan);
        let queue_pair = connect(&mut scenario, 0, 1);
        let bytes = 2 * u64::from(scenario.parameters.transport.mtu_bytes.0);
        post(
            &mut scenario,
            queue_pair,
            Verb::Write,
            bytes,
            Picoseconds::ZERO,
        );
        post(
            &mut scenario,
            queue_pair,
            Verb::Read,
            bytes,
            Picoseconds::ZERO,
        );
        let outcome = run(scenario.clone());
        let counted = [0, 1].map(|port| column(&outcome, "ports", "bytes")[port]);
        let packets = capture_packets(scenario);
        let lengths = packets.iter().map(|packet| {
            let mut frame = Vec::new();
            packet.encode(&mut frame);
            frame.len() as u64 + 4
        });
        let on_wire: u64 = lengths.sum();
        assert_eq!(counted.iter().sum::<u64>(), on_wire, "{ip:?} {vlan:?}");
        let frames = packets.len() as u64;
        let plain = *plain.get_or_insert(on_wire);
        assert_eq!(on_wire, plain + more * frames, "{ip:?} {vlan:?}");
        for packet in packets {
            let tag = packet.network.tag.map(|tag| (tag.priority, tag.vlan));
            assert_eq!(tag, vlan.map(|vlan| (3, vlan)));
        }
    }
}

/// Frames of TCP and UDP are as long on the wire as they are counted, as all others are.
#[test]
fn sockets_to_the_byte() {
    for (service, ip, vlan) in [
        (Service::Tcp, IpVersion::Ipv4, None),
        (Service::Tcp, IpVersion::Ipv6, Some(7)),
        (Service::Udp, IpVersion::Ipv4, Some(0)),
        (Service::Udp, IpVersion::Ipv6, None),
    ] {
        let mut scenario = chain(1, 100, 100, roce());
        let framing = &mut scenario.parameters.framing;
        (framing.ip, framing.vlan) = (ip, vlan);
        let queue_pair = connect(&mut scenario, 0, 1);
        scenario.connections[0].service = service;
        for bytes in [1, 100_000] {
            post(
                &mut scenario,
                queue_pair,
                Verb::Send,
                bytes,
                Picoseconds::ZERO,
            );
        }
        let outcome = run(scenario.clone());
        let counted = [0, 1].map(|port| column(&outcome, "ports", "bytes")[port]);
        let lengths = frames(scenario)
            .into_iter()
            .map(|frame| frame.len() as u64 + 4);
        let (counted, on_wire): (u64, u64) = (counted.iter().sum(), lengths.sum());
        assert_eq!(on_wire, counted, "{service:?} {ip:?} {vlan:?}");
    }
}

/// Credits and credit requests are datagrams to Ultra Ethernet's port; the last of each carries the total in the table, in
/// units of 256 bytes.
#[test]
fn credit_is_in_the_capture() {
    let mut parameters = roce();
    parameters.congestion = Congestion::Rccc(rccc::Parameters::default());
    let mut scenario = chain(1, 100, 100, parameters);
    let queue_pair = connect(&mut scenario, 0, 1);
    for number in 0..3 {
        post(
            &mut scenario,
            queue_pair,
            Verb::Write,
            1 << 20,
            number * 200 * MICROSECOND,
        );
    }
    let credits = frames(scenario.clone());
    let credits: Vec<_> = credits
        .iter()
        .filter(|packet| packet[36..38] == 4793_u16.to_be_bytes())
        .collect();
    let of = |kind: u16| {
        let kind = (11 << 11 | kind << 7_u16).to_be_bytes();
        let payload = |frame: &&Vec<u8>| u32::from_be_bytes(frame[54..58].try_into().unwrap());
        let of_kind = credits.iter().filter(move |packet| packet[42..44] == kind);
        of_kind.map(payload).collect::<Vec<_>>()
    };
    let (granted, wanted) = (of(7), of(8));
    assert_eq!(granted.len() + wanted.len(), credits.len());
    assert!(granted.is_sorted());
    let outcome = run(scenario);
    let total = |name| column(&outcome, "credits", name)[0];
    assert_eq!(
        u64::from(granted.last().unwrap() >> 8),
        total("granted_bytes") / 256
    );
    assert_eq!(granted.iter().filter(|word| **word & 0xff != 0).count(), 0);
    assert_eq!(wanted.len() as u64, total("requests"));
    assert!(!wanted.is_empty());
    let most = wanted
        .iter()
        .map(|word| u64::from(word & 0xff_ffff))
        .max()
        .unwrap();
    assert!(most <= total("asked_bytes").div_ceil(256));
    assert_eq!(
        wanted.iter().filter(|word| **word >> 24 != 0).count(),
        0,
        "of queue pair 0"
    );
}
