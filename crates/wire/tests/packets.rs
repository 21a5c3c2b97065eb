//! Writes and reads packets: compared with real captures and with computed sizes; damaged packets are refused.

mod common;

use common::{aeth, every_kind, packet, TAG, V4, V6};
use proptest::prelude::*;
use wirespeed_wire::{
    pcap::Capture, Addresses, Bth, Deth, Ecn, Encapsulation, Frame, Ip, NakCode, Network, Packet,
    PacketKind, ParseError, Reth, Syndrome, Tag, FCS,
};

fn parse_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits
        .chunks(2)
        .map(|pair| (pair[0] << 4 | pair[1]) as u8)
        .collect()
}

fn encode(packet: &Packet) -> Vec<u8> {
    let mut bytes = vec![];
    packet.encode(&mut bytes);
    bytes
}

/// Captured frames with a payload. Payload is not stored, so the frames are not written back.
#[test]
fn captured_frames_are_read() {
    let rxe = [
        // Soft-RoCE between two virtual machines: a send, a read request, its response.
        (
            "020000000203020000000103080045000030460f400040116d5ac0a80301c0a80302d63212b7001c0000\
             0400ffff0000001180103f3c000010002c1bd0c3",
            0x11,
            0x10_3f3c,
            PacketKind::SendOnly { payload: 4 },
        ),
        (
            "02000000010302000000020308004500003cc8ca40004011ea92c0a80302c0a80301de4812b700280000\
             0c00ffff0000001380934e4e000055a118b3abe00000073b00000040527d5ed0",
            0x13,
            0x93_4e4e,
            PacketKind::ReadRequest {
                reth: Reth {
                    address: 0x55a1_18b3_abe0,
                    key: 0x73b,
                    length: 64,
                },
            },
        ),
        (
            "02000000020302000000010308004500007047df400040116b4ac0a80301c0a80302de4812b7005c0000\
             1000ffff0000001300934e4e1f00000172646d612d70696e672d303a204142434445464748494a4b4c4d\
             4e4f505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f70717200fd59a1a2",
            0x13,
            0x93_4e4e,
            PacketKind::ReadResponseOnly {
                aeth: wirespeed_wire::Aeth {
                    syndrome: Syndrome::UNLIMITED,
                    msn: 1,
                },
                payload: 64,
            },
        ),
        // Soft-RoCE between two user-mode kernels: a write of two bytes, padded.
        (
            "0200000001010200000002010800450000400bc840004011ab91c0a80102c0a80101c16912b7002c0000\
             0a20ffff00000013802c421e00000055000450000000040c000000020001000001a8988e",
            0x13,
            0x2c_421e,
            PacketKind::WriteOnly {
                reth: Reth {
                    address: 0x55_0004_5000,
                    key: 0x40c,
                    length: 2,
                },
                payload: 2,
            },
        ),
    ];
    for (frame, qp, psn, kind) in rxe {
        let packet = Packet::parse(&parse_hex(frame)).unwrap();
        let bth = Bth {
            migrated: false,
            acknowledge_request: kind.opcode() != 0x10,
            ..Bth::new(qp, psn)
        };
        assert_eq!((packet.kind, packet.bth), (kind, bth));
        let network = packet.network;
        assert_eq!(
            (network.ttl, network.dscp, network.ecn),
            (64, 0, Ecn::NotEct)
        );
        assert_eq!(packet.frame().bytes() - FCS, parse_hex(frame).len() as u32);
    }
}

/// Frames without a payload are written back with the same bytes.
#[test]
fn captured_frames_without_payload_are_written_back() {
    let rows = [
        // An acknowledgement of Soft-RoCE.
        "020000000103020000000203080045000030c83840004011eb30c0a80302c0a80301d63212b7001c0000\
         1100ffff0000001100103f3b1f000001603a0c98",
        // A CNP of a ConnectX-4 Lx (scapy, test/contrib/roce.uts).
        "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b700280000\
         8100ffff400001180000000000000000000000000000000000000000 82fd002a",
        // A write's last packet over IPv6, and a CNP with a tag, as scapy 2.8.0 builds them.
        "02000000000202000000000186dd66a123450020113f20010db800000000000000000000000120010db8\
         000000000000000000000002c35012b7002000000870ffff0011223380445566a5a5a5a5a5000000 0e2d7287",
        "02000000000202000000000181006064080045c0003c00074000401125e80a0000010a000002c35012b7\
         002800008100ffff401122330000000000000000000000000000000000000000 0506acbd",
    ];
    for frame in rows {
        let frame = parse_hex(frame);
        assert_eq!(encode(&Packet::parse(&frame).unwrap()), frame);
    }
}

/// Frames have the sizes of `frame.rs`.
#[test]
fn written_frames_have_the_computed_sizes() {
    for (addresses, ip) in [(V4, Ip::V4), (V6, Ip::V6)] {
        for tag in [None, Some(TAG)] {
            let encapsulation = Encapsulation {
                ip,
                vlan: tag.is_some(),
            };
            for payload in [0, 1, 2, 3, 4, 5, 255, 1024, 4095, 4096] {
                for kind in every_kind(payload) {
                    let packet = packet(kind, addresses, tag);
                    let length = encode(&packet).len() as u32 + FCS;
                    assert_eq!(packet.network.encapsulation(), encapsulation);
                    assert_eq!(length, packet.frame().bytes(), "{kind:?}");
                    assert_eq!(
                        length,
                        expected_size(encapsulation, kind).bytes(),
                        "{kind:?}"
                    );
                }
            }
        }
    }
}

fn expected_size(encapsulation: Encapsulation, kind: PacketKind) -> Frame {
    use PacketKind::*;
    match kind {
        SendFirst { payload }
        | SendMiddle { payload }
        | SendLast { payload }
        | SendOnly { payload }
        | WriteMiddle { payload }
        | WriteLast { payload }
        | ReadResponseMiddle { payload } => encapsulation.data_middle(payload),
        WriteFirst { payload, .. } | WriteOnly { payload, .. } => {
            encapsulation.data_write_first(payload)
        }
        ReadResponseFirst { payload, .. }
        | ReadResponseLast { payload, .. }
        | ReadResponseOnly { payload, .. } => encapsulation.data_read_response_first(payload),
        ReadRequest { .. } => encapsulation.read_request(),
        Acknowledge { .. } => encapsulation.ack(),
        DatagramSend { payload, .. } => encapsulation.datagram(payload),
        Cnp => encapsulation.cnp(),
    }
}

#[test]
fn damaged_packets_are_refused() {
    let write = encode(&packet(PacketKind::WriteLast { payload: 5 }, V4, Some(TAG)));
    let plain = encode(&packet(PacketKind::SendOnly { payload: 5 }, V4, None));
    let v6 = encode(&packet(PacketKind::SendOnly { payload: 5 }, V6, None));
    let ack = encode(&packet(
        PacketKind::Acknowledge {
            aeth: aeth(Syndrome::UNLIMITED),
        },
        V4,
        None,
    ));
    // Frame, offset, new bytes at the offset, whether the checksums are recomputed, message.
    let rows: [(_, _, &[u8], _, _); 19] = [
        (
            &plain,
            12,
            &[0x08, 0x06],
            false,
            "EtherType 0x0806: expected IPv4 (0x0800) or IPv6 (0x86dd)",
        ),
        (
            &write,
            16,
            &[0x81, 0x00],
            false,
            "EtherType 0x8100: expected IPv4 (0x0800) or IPv6 (0x86dd)",
        ),
        (
            &plain,
            14,
            &[0x46],
            false,
            "IP header starts with 0x46: expected version 4 without options (0x45), or version 6",
        ),
        (
            &v6,
            14,
            &[0x4a],
            false,
            "IP header starts with 0x4a: expected version 4 without options (0x45), or version 6",
        ),
        (&plain, 22, &[63], false, "IPv4 header checksum is wrong"),
        (&plain, 20, &[0x20], true, "IPv4 packet is a fragment"),
        (&plain, 23, &[6], true, "IP protocol 6: expected 17, UDP"),
        (&v6, 20, &[6], false, "IP protocol 6: expected 17, UDP"),
        (
            &plain,
            16,
            &[0xff],
            true,
            "frame ends within its IPv4 packet",
        ),
        (&v6, 18, &[0xff], false, "frame ends within its IPv6 packet"),
        (
            &plain,
            36,
            &[0, 53],
            false,
            "UDP port 53: expected 4791, RoCEv2",
        ),
        (
            &plain,
            38,
            &[0, 31],
            false,
            "UDP length 31 in an IP payload of 32 bytes",
        ),
        (
            &plain,
            43,
            &[0x71],
            true,
            "transport header version 1: expected 0",
        ),
        (&plain, 42, &[0x40], true, "opcode 0x40 is unknown"),
        (&plain, 42, &[0x23], true, "opcode 0x23 is unknown"),
        (&ack, 42, &[0x31], true, "opcode 0x31 is unknown"),
        (
            &ack,
            54,
            &[0x60 | 9],
            true,
            "AETH syndrome 0x69 is reserved",
        ),
        (
            &plain,
            42,
            &[0x81],
            true,
            "opcode 0x81 with 8 bytes after its headers, 3 of them pad bytes",
        ),
        (
            &ack,
            43,
            &[0x50],
            true,
            "opcode 0x11 with 0 bytes after its headers, 1 of them pad bytes",
        ),
    ];
    for (frame, at, change, repair, text) in rows {
        let mut frame = frame.to_vec();
        frame[at..at + change.len()].copy_from_slice(change);
        if repair {
            repair_checksums(&mut frame);
        }
        let error = Packet::parse(&frame).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
    for length in 0..v6.len() {
        let error = Packet::parse(&v6[..length]).unwrap_err();
        assert!(
            matches!(error, ParseError::Truncated(_)),
            "{length}: {error}"
        );
    }
    let mut damaged = plain.clone();
    damaged[54] ^= 1;
    let error = Packet::parse(&damaged).unwrap_err();
    assert!(error.to_string().starts_with("invariant CRC 0x"), "{error}");
}

/// Recomputes the checksums of an untagged IPv4 frame.
fn repair_checksums(frame: &mut [u8]) {
    frame[24..26].fill(0);
    let mut sum: u32 = frame[14..34]
        .chunks(2)
        .map(|word| u32::from(word[0]) << 8 | u32::from(word[1]))
        .sum();
    sum = (sum & 0xffff) + (sum >> 16);
    frame[24..26].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    if let Err(ParseError::Icrc { expected, .. }) = Packet::parse(frame) {
        let length = usize::from(u16::from_be_bytes([frame[16], frame[17]]));
        frame[14 + length - 4..14 + length].copy_from_slice(&expected.to_le_bytes());
    }
}

#[test]
#[should_panic(expected = "payload of 4097 bytes")]
fn a_payload_above_the_largest_path_mtu_is_refused() {
    encode(&packet(PacketKind::SendOnly { payload: 4097 }, V4, None));
}

/// Every snap length stores the beginning of the frame; the record has the length of the whole frame.
#[test]
fn cut_frame_is_the_start_of_the_frame() {
    for kind in every_kind(100) {
        let packet = packet(kind, V4, None);
        let frame = encode(&packet);
        for snap_length in 0..200u32 {
            let mut record = vec![];
            Capture { snap_length }.append_packet(&mut record, 0, &packet);
            let stored_length = frame.len().min(snap_length as usize);
            let lengths = [
                (stored_length as u32).to_le_bytes(),
                (frame.len() as u32).to_le_bytes(),
            ];
            assert_eq!(record[8..16], lengths.concat());
            assert_eq!(record[16..], frame[..stored_length]);
        }
    }
}

fn any_syndrome() -> impl Strategy<Value = Syndrome> {
    prop_oneof![
        (0u8..32).prop_map(|credits| Syndrome::Ack { credits }),
        (0u8..32).prop_map(|timer| Syndrome::ReceiverNotReady { timer }),
        prop_oneof![
            Just(NakCode::PsnSequenceError),
            Just(NakCode::InvalidRequest),
            Just(NakCode::RemoteAccessError),
            Just(NakCode::RemoteOperationalError),
        ]
        .prop_map(Syndrome::Nak),
    ]
}

fn any_kind() -> impl Strategy<Value = PacketKind> {
    let headers = (any::<(u64, u32, u32)>(), any_syndrome(), 0u32..1 << 24);
    (0..=4096u32, any::<prop::sample::Index>(), headers).prop_map(
        |(payload, index, ((address, key, length), syndrome, word))| {
            let mut kind = *index.get(&every_kind(payload));
            use PacketKind::*;
            match &mut kind {
                WriteFirst { reth, .. } | WriteOnly { reth, .. } | ReadRequest { reth } => {
                    *reth = Reth {
                        address,
                        key,
                        length,
                    }
                }
                ReadResponseFirst { aeth, .. }
                | ReadResponseLast { aeth, .. }
                | ReadResponseOnly { aeth, .. }
                | Acknowledge { aeth } => {
                    aeth.syndrome = syndrome;
                    aeth.msn = word;
                }
                DatagramSend { deth, .. } => {
                    *deth = Deth {
                        queue_key: key,
                        source_qp: word,
                    }
                }
                _ => {}
            }
            kind
        },
    )
}

prop_compose! {
    fn any_packet()(
        kind in any_kind(),
        macs: ([u8; 6], [u8; 6]),
        v4: ([u8; 4], [u8; 4], u16),
        v6: ([u8; 16], [u8; 16]),
        flow_label in 0u32..1 << 20,
        is_v6: bool,
        tag in prop::option::of((0u8..8, any::<bool>(), 0u16..4096)),
        dscp in 0u8..64,
        ecn in prop::sample::select(vec![Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce]),
        ttl: u8,
        udp_source_port: u16,
        flags: [bool; 6],
        partition_key: u16,
        destination_qp in 0u32..1 << 24,
        psn in 0u32..1 << 24,
    ) -> Packet {
        Packet {
            network: Network {
                source_mac: macs.0,
                destination_mac: macs.1,
                tag: tag.map(|(priority, drop_eligible, vlan)| Tag { priority, drop_eligible, vlan }),
                addresses: if is_v6 {
                    Addresses::V6 { source: v6.0.into(), destination: v6.1.into(), flow_label }
                } else {
                    Addresses::V4 { source: v4.0.into(), destination: v4.1.into(), identification: v4.2 }
                },
                dscp,
                ecn,
                ttl,
            },
            udp_source_port,
            bth: Bth {
                unreliable: flags[5] && kind.opcode() < 0x0c,
                solicited_event: flags[0],
                migrated: flags[1],
                partition_key,
                fecn: flags[2],
                becn: flags[3],
                destination_qp,
                acknowledge_request: flags[4],
                psn,
            },
            kind,
        }
    }
}

/// The bytes of an IP packet whose bits the invariant CRC leaves out, with the bits (IBTA annex A17.3.3), beside the
/// UDP checksum and the BTH's fifth byte.
const UNPROTECTED_V4: [(usize, u8); 4] = [(1, 0xff), (8, 0xff), (10, 0xff), (11, 0xff)];
const UNPROTECTED_V6: [(usize, u8); 5] = [(0, 0x0f), (1, 0xff), (2, 0xff), (3, 0xff), (7, 0xff)];

fn is_protected(packet: &Packet, at: usize, bit: u8) -> bool {
    let (header, unprotected): (usize, &[(usize, u8)]) = match packet.network.addresses {
        Addresses::V4 { .. } => (20, &UNPROTECTED_V4),
        Addresses::V6 { .. } => (40, &UNPROTECTED_V6),
    };
    let transport = [(header + 6, 0xff), (header + 7, 0xff), (header + 12, 0xff)];
    !unprotected
        .iter()
        .chain(&transport)
        .any(|(byte, bits)| *byte == at && bits & bit != 0)
}

proptest! {
    #[test]
    fn a_written_packet_is_read_back(packet in any_packet()) {
        let frame = encode(&packet);
        prop_assert_eq!(Packet::parse(&frame), Ok(packet));
    }

    #[test]
    fn flipped_bits_under_the_crc_are_detected(packet in any_packet(), index: prop::sample::Index) {
        let frame = encode(&packet);
        let ip = if packet.network.tag.is_some() { 18 } else { 14 };
        let end = usize::try_from(packet.frame().bytes() - FCS).unwrap();
        // The padding of a short frame follows the IP packet and has no meaning.
        let pad = frame.len() - ip - ip_length(&frame[ip..]);
        let at = ip + index.index(end - pad - ip);
        for bit in (0..8).map(|n| 1 << n) {
            let mut damaged = frame.clone();
            damaged[at] ^= bit;
            let result = Packet::parse(&damaged);
            if is_protected(&packet, at - ip, bit) {
                prop_assert!(result.is_err(), "byte {} bit {:#x}", at - ip, bit);
            } else if let Err(error) = result {
                prop_assert_eq!(error, ParseError::IpChecksum);
            }
        }
    }

    #[test]
    fn parse_never_panics(bytes: Vec<u8>, packet in any_packet(), cut: prop::sample::Index) {
        let _ = Packet::parse(&bytes);
        let frame = encode(&packet);
        let _ = Packet::parse(&frame[..cut.index(frame.len())]);
    }
}

fn ip_length(packet: &[u8]) -> usize {
    match packet[0] >> 4 {
        4 => usize::from(u16::from_be_bytes([packet[2], packet[3]])),
        _ => 40 + usize::from(u16::from_be_bytes([packet[4], packet[5]])),
    }
}
