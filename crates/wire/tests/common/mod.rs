//! Sample packets of every kind.

use std::net::{Ipv4Addr, Ipv6Addr};

use wirespeed_wire::{
    Addresses, Aeth, Bth, Deth, Ecn, NakCode, Network, Packet, PacketKind, Reth, Syndrome, Tag,
};

pub const RETH: Reth = Reth {
    address: 0x7f12_3456_7000,
    key: 0x1a2b_3c4d,
    length: 1 << 20,
};

pub const V4: Addresses = Addresses::V4 {
    source: Ipv4Addr::new(10, 0, 0, 1),
    destination: Ipv4Addr::new(10, 0, 0, 2),
    identification: 7,
};

pub const V6: Addresses = Addresses::V6 {
    source: Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1),
    destination: Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 2),
    flow_label: 0x12345,
};

pub const TAG: Tag = Tag {
    priority: 3,
    drop_eligible: false,
    vlan: 100,
};

/// An acknowledgement with `syndrome`, or a part of a read response.
pub fn aeth(syndrome: Syndrome) -> Aeth {
    Aeth { syndrome, msn: 42 }
}

/// Every kind of packet, with `payload` bytes of payload where it has one, and acknowledgements with each kind of syndrome.
pub fn every_kind(payload: u32) -> Vec<PacketKind> {
    use PacketKind::*;
    let ack = aeth(Syndrome::Ack { credits: 12 });
    vec![
        SendFirst { payload },
        SendMiddle { payload },
        SendLast { payload },
        SendOnly { payload },
        WriteFirst {
            reth: RETH,
            payload,
        },
        WriteMiddle { payload },
        WriteLast { payload },
        WriteOnly {
            reth: RETH,
            payload,
        },
        ReadRequest { reth: RETH },
        ReadResponseFirst { aeth: ack, payload },
        ReadResponseMiddle { payload },
        ReadResponseLast { aeth: ack, payload },
        ReadResponseOnly { aeth: ack, payload },
        Acknowledge { aeth: ack },
        Acknowledge {
            aeth: aeth(Syndrome::UNLIMITED),
        },
        Acknowledge {
            aeth: aeth(Syndrome::Nak(NakCode::PsnSequenceError)),
        },
        Acknowledge {
            aeth: aeth(Syndrome::ReceiverNotReady { timer: 14 }),
        },
        DatagramSend {
            deth: Deth {
                queue_key: 0x1111_1111,
                source_qp: 0x00_0333,
            },
            payload,
        },
        Cnp,
    ]
}

/// A packet of `kind` with the marks of a sender: data with DSCP 26 and ECT(0), CNPs with DSCP 48.
pub fn packet(kind: PacketKind, addresses: Addresses, tag: Option<Tag>) -> Packet {
    let is_cnp = kind == PacketKind::Cnp;
    Packet {
        network: Network {
            source_mac: [2, 0, 0, 0, 0, 1],
            destination_mac: [2, 0, 0, 0, 0, 2],
            tag,
            addresses,
            dscp: if is_cnp { 48 } else { 26 },
            ecn: if is_cnp { Ecn::NotEct } else { Ecn::Ect0 },
            ttl: 64,
        },
        udp_source_port: 50_000,
        bth: if is_cnp {
            Bth::cnp(0x11_2233)
        } else {
            Bth::new(0x11_2233, 0x44_5566)
        },
        kind,
    }
}
