//! Compares every field with tshark (Wireshark on the command line), which decodes packets independently of this crate.
//!
//! Without tshark these tests are skipped. If `WIRESPEED_REQUIRE_ALL` is 1, they fail instead.

mod common;

use std::path::Path;
use std::process::Command;

use common::{every_kind, packet, TAG, V4, V6};
use wirespeed_wire::pcap::{Capture, WHOLE_FRAMES};
use wirespeed_wire::{Addresses, Packet, PacketKind, Pfc, Syndrome, Tag};

const ENCAPSULATIONS: [(Addresses, Option<Tag>); 4] =
    [(V4, None), (V6, None), (V4, Some(TAG)), (V6, Some(TAG))];

/// RoCEv2 has no UDP checksum, also over IPv6. tshark reports that as an error unless configured otherwise.
const CHECKSUMS: [&str; 4] = [
    "-o",
    "udp.ignore_ipv6_zero_checksum:TRUE",
    "-o",
    "ip.check_checksum:TRUE",
];

/// tshark 4.0 decodes any SEND of less than 16 bytes as RPC-over-RDMA, and any empty datagram as Ethernet over InfiniBand, and
/// reports them as malformed, also in captures of real NICs.
const NO_GUESSES: [&str; 4] = [
    "--disable-heuristic",
    "rpcrdma_infiniband",
    "--disable-heuristic",
    "mellanox_eoib",
];

/// Fields that tshark prints: its two fields for errors, then one for each value of [`expected_values`].
const FIELDS: &str = "_ws.malformed _ws.expert.message frame.time_epoch frame.len frame.cap_len eth.src eth.dst \
    vlan.priority vlan.id ip.dsfield.dscp ip.dsfield.ecn ip.ttl ip.id ip.checksum.status ip.src ipv6.tclass.dscp \
    ipv6.tclass.ecn ipv6.flow ipv6.hlim ipv6.src udp.srcport udp.dstport udp.checksum infiniband.bth.opcode \
    infiniband.bth.se infiniband.bth.m infiniband.bth.padcnt infiniband.bth.p_key infiniband.bth.destqp \
    infiniband.bth.a infiniband.bth.psn infiniband.reth.va infiniband.reth.r_key infiniband.reth.dmalen \
    infiniband.aeth.syndrome infiniband.aeth.msn infiniband.deth.q_key infiniband.deth.srcqp \
    infiniband.invariant.crc";

#[test]
fn tshark_decodes_every_kind_of_packet() {
    let mut packets = vec![];
    for payload in [16, 1021, 4096] {
        packets.extend(packets_with(payload));
    }
    let Some(rows) = decode_packets("every-kind", WHOLE_FRAMES, &packets, &[]) else {
        return;
    };
    compare_rows(&packets, &rows);
}

#[test]
fn tshark_decodes_small_payloads() {
    let mut packets = vec![];
    for payload in [0, 1, 2, 3, 4, 5, 15] {
        packets.extend(packets_with(payload));
    }
    let Some(rows) = decode_packets("small", WHOLE_FRAMES, &packets, &NO_GUESSES) else {
        return;
    };
    compare_rows(&packets, &rows);
}

/// Packets cut after the longest headers: all fields but the invariant CRC are decoded, and nothing is malformed.
#[test]
fn tshark_decodes_cut_packets() {
    const SNAP_LENGTH: u32 = 96;
    let packets = packets_with(1024);
    let Some(rows) = decode_packets("cut", SNAP_LENGTH, &packets, &[]) else {
        return;
    };
    for (packet, row) in packets.iter().zip(&rows) {
        let mut expected = expected_values(packet);
        let length = encode_packet(packet).len();
        if length > SNAP_LENGTH as usize {
            expected[4] = SNAP_LENGTH.to_string();
            expected.pop();
            assert_eq!(row[..row.len() - 1], expected, "{packet:?}");
        }
    }
}

#[test]
fn tshark_decodes_a_pause() {
    let pfc = Pfc {
        source_mac: [2, 0, 0, 0, 0, 9],
        enabled: 0b0010_1000,
        quanta: [0, 1, 2, 0xffff, 4, 0, 6, 7],
    };
    let capture = Capture {
        snap_length: WHOLE_FRAMES,
    };
    let mut file = vec![];
    capture.append_header(&mut file);
    capture.append_pfc(&mut file, 2_000_000_003_999, &pfc);
    let fields = "_ws.malformed _ws.expert.message frame.time_epoch frame.len eth.dst eth.src eth.type macc.opcode \
        macc.cbfc.enbv macc.cbfc.pause_time.c0 macc.cbfc.pause_time.c1 macc.cbfc.pause_time.c2 macc.cbfc.pause_time.c3 \
        macc.cbfc.pause_time.c4 macc.cbfc.pause_time.c5 macc.cbfc.pause_time.c6 macc.cbfc.pause_time.c7";
    let Some(rows) = run_tshark("pause", &file, fields, &[]) else {
        return;
    };
    let expected = "||2.000000003|60|01:80:c2:00:00:01|02:00:00:00:00:09|0x8808|0x0101|0x0028|0|1|2|65535|4|0|6|7";
    assert_eq!(rows, [expected.split('|').collect::<Vec<_>>()]);
}

/// Every kind of packet in every encapsulation, the flags of the transport header in turn.
fn packets_with(payload: u32) -> Vec<Packet> {
    let mut packets = vec![];
    for (addresses, tag) in ENCAPSULATIONS {
        for (n, kind) in every_kind(payload).into_iter().enumerate() {
            let mut packet = packet(kind, addresses, tag);
            if kind != PacketKind::Cnp {
                packet.bth.psn += n as u32;
                packet.bth.solicited_event = n % 3 == 1;
                packet.bth.acknowledge_request = n % 2 == 1;
            }
            packets.push(packet);
            if kind.opcode() < 0x0c {
                packet.bth.unreliable = true;
                packets.push(packet);
            }
        }
    }
    packets
}

fn encode_packet(packet: &Packet) -> Vec<u8> {
    let mut bytes = vec![];
    packet.encode(&mut bytes);
    bytes
}

fn decode_packets(
    name: &str,
    snap_length: u32,
    packets: &[Packet],
    options: &[&str],
) -> Option<Vec<Vec<String>>> {
    let capture = Capture { snap_length };
    let mut file = vec![];
    capture.append_header(&mut file);
    for packet in packets {
        capture.append_packet(&mut file, 1_000_000_234_567, packet);
    }
    run_tshark(name, &file, FIELDS, options)
}

fn compare_rows(packets: &[Packet], rows: &[Vec<String>]) {
    assert_eq!(packets.len(), rows.len());
    for (packet, row) in packets.iter().zip(rows) {
        assert_eq!(*row, expected_values(packet), "{packet:?}");
    }
}

/// The values of `FIELDS` that tshark prints for a whole frame.
fn expected_values(packet: &Packet) -> Vec<String> {
    let bytes = encode_packet(packet);
    let length = bytes.len().to_string();
    let mac = |mac: [u8; 6]| mac.map(|byte| format!("{byte:02x}")).join(":");
    let network = packet.network;
    let (dscp, ecn, ttl) = (network.dscp, network.ecn as u8, network.ttl);

    let mut row: Vec<String> = ["", "", "1.000000234", &length, &length]
        .map(str::to_string)
        .into();
    row.extend([mac(network.source_mac), mac(network.destination_mac)]);
    row.extend(format_values(
        network.tag.map(|tag| [tag.priority.into(), tag.vlan]),
    ));
    // The two IP versions, one of them empty; checksum status 1 is "good".
    match network.addresses {
        Addresses::V4 {
            source,
            identification,
            ..
        } => {
            let id = format!("0x{identification:04x}");
            row.extend([
                format_value(dscp),
                format_value(ecn),
                format_value(ttl),
                id,
                format_value(1),
                format_value(source),
            ]);
            row.extend(format_values::<u8, 5>(None));
        }
        Addresses::V6 {
            source, flow_label, ..
        } => {
            row.extend(format_values::<u8, 6>(None));
            let label = format!("0x{flow_label:06x}");
            row.extend([
                format_value(dscp),
                format_value(ecn),
                label,
                format_value(ttl),
                format_value(source),
            ]);
        }
    }
    row.extend([
        format_value(packet.udp_source_port),
        format_value(4791),
        "0x0000".into(),
    ]);

    let bth = &packet.bth;
    row.extend([
        format_value(packet.kind.opcode() + if bth.unreliable { 0x20 } else { 0 }),
        format_value(u8::from(bth.solicited_event)),
        format_value(u8::from(bth.migrated)),
        format_value(pad_bytes(packet)),
        format_value(bth.partition_key),
        format!("0x{:06x}", bth.destination_qp),
        format_value(u8::from(bth.acknowledge_request)),
        format_value(bth.psn),
    ]);
    row.extend(extension_values(packet.kind));
    row.push(invariant_crc(packet, &bytes));
    row
}

/// The values that tshark prints for the fields of RETH, AETH and DETH.
fn extension_values(kind: PacketKind) -> Vec<String> {
    use PacketKind::*;
    let mut row = vec![String::new(); 7];
    match kind {
        WriteFirst { reth, .. } | WriteOnly { reth, .. } | ReadRequest { reth } => {
            row[0] = format!("0x{:016x}", reth.address);
            row[1] = format!("0x{:08x}", reth.key);
            row[2] = format_value(reth.length);
        }
        ReadResponseFirst { aeth, .. }
        | ReadResponseLast { aeth, .. }
        | ReadResponseOnly { aeth, .. }
        | Acknowledge { aeth } => {
            row[3] = format_value(match aeth.syndrome {
                Syndrome::Ack { credits } => credits,
                Syndrome::ReceiverNotReady { timer } => 0x20 + timer,
                Syndrome::Nak(code) => 0x60 + code as u8,
            });
            row[4] = format_value(aeth.msn);
        }
        DatagramSend { deth, .. } => {
            row[5] = format!("0x{:016x}", deth.queue_key);
            row[6] = format!("0x{:08x}", deth.source_qp);
        }
        _ => {}
    }
    row
}

fn pad_bytes(packet: &Packet) -> u32 {
    use PacketKind::*;
    match packet.kind {
        SendFirst { payload }
        | SendMiddle { payload }
        | SendLast { payload }
        | SendOnly { payload }
        | WriteFirst { payload, .. }
        | WriteMiddle { payload }
        | WriteLast { payload }
        | WriteOnly { payload, .. }
        | ReadResponseFirst { payload, .. }
        | ReadResponseMiddle { payload }
        | ReadResponseLast { payload, .. }
        | ReadResponseOnly { payload, .. }
        | DatagramSend { payload, .. } => (4 - payload % 4) % 4,
        ReadRequest { .. } | Acknowledge { .. } | Cnp => 0,
    }
}

/// The last four bytes of the IP packet, in the order of the wire. tshark 4.0 decodes no bytes after the BTH of a CNP.
fn invariant_crc(packet: &Packet, bytes: &[u8]) -> String {
    if packet.kind == PacketKind::Cnp {
        return String::new();
    }
    let ip = if packet.network.tag.is_some() { 18 } else { 14 };
    let end = match packet.network.addresses {
        Addresses::V4 { .. } => ip + read_u16(bytes, ip + 2),
        Addresses::V6 { .. } => ip + 40 + read_u16(bytes, ip + 4),
    };
    format!(
        "0x{:04x}{:04x}",
        read_u16(bytes, end - 4),
        read_u16(bytes, end - 2)
    )
}

fn read_u16(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]))
}

fn format_value(value: impl ToString) -> String {
    value.to_string()
}

/// Formats `N` values; empty texts without values.
fn format_values<T: ToString, const N: usize>(values: Option<[T; N]>) -> Vec<String> {
    match values {
        Some(values) => values.iter().map(T::to_string).collect(),
        None => vec![String::new(); N],
    }
}

/// Runs tshark. Returns the `fields` of every frame in `file`; `None` if tshark is not installed and not required.
fn run_tshark(name: &str, file: &[u8], fields: &str, options: &[&str]) -> Option<Vec<Vec<String>>> {
    if Command::new("tshark").arg("--version").output().is_err() {
        let reason = "needs tshark (package tshark)";
        let required = std::env::var_os("WIRESPEED_REQUIRE_ALL").is_some_and(|value| value == "1");
        assert!(!required, "{reason}");
        eprintln!("skipped: {reason}");
        return None;
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pcap"));
    std::fs::write(&path, file).unwrap();
    let output = Command::new("tshark")
        .args([
            "-n",
            "-T",
            "fields",
            "-E",
            "separator=|",
            "-E",
            "occurrence=a",
        ])
        .args(CHECKSUMS)
        .args(options)
        .args(fields.split_whitespace().flat_map(|field| ["-e", field]))
        .arg("-r")
        .arg(&path)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    Some(
        text.lines()
            .map(|line| line.split('|').map(normalize_flag).collect())
            .collect(),
    )
}

/// Normalizes flags: tshark prints them as digits up to 4.0, and as `True` and `False` in later versions.
fn normalize_flag(value: &str) -> String {
    match value {
        "True" => format_value(1),
        "False" => format_value(0),
        other => format_value(other),
    }
}
