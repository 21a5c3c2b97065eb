//! The `roce` preset.

use crate::bytes::Bytes;
use crate::congestion::{self, dcqcn};
use crate::ids::{Priority, PRIORITIES};
use crate::model::parameters::*;
use crate::time::Nanoseconds;
use wirespeed_wire::{
    Encapsulation, Frame, Ip, AETH, DETH, ETHERNET_OVERHEAD, MIN_FRAME, RETH, ROCEV2_PORT,
};

/// Priority of RoCE.
const DATA_PRIORITY: Priority = Priority(3);
/// Priority of CNPs.
const CNP_PRIORITY: Priority = Priority(7);
/// A packet memory cell of Tomahawk 3.
const CELL: u32 = 254;

pub(super) const DESCRIPTION: &str =
    "RoCEv2 with standard frames. Switches are of the Tomahawk 3 class, configured as by SONiC and Broadcom's guide 957608-AN210.";

pub(super) const SOURCES: [(&str, &str); 35] = [
    ("framing", "IEEE 802.3; RFC 791; RFC 768; IBTA volume 1, chapter 9"),
    ("framing.read_request_bytes", "IBTA volume 1, 9.4.4: BTH and RETH"),
    ("framing.pad_bytes", "IBTA volume 1, 9.2.5"),
    (
        "switch.buffer_bytes",
        "Tomahawk 3: 64 MB in two halves; SONiC: a pool of 66,394,076 bytes",
    ),
    ("switch.slices", "Tomahawk 3: each half of the buffer serves half of the ports"),
    (
        "switch.cell_bytes",
        "Tomahawk 3: the headrooms of SONiC's pg_profile_lookup.ini are multiples of it",
    ),
    (
        "switch.reserve_bytes",
        "SONiC, pg_profile_lookup.ini of the Dell Z9332F: size 2540",
    ),
    ("switch.alpha_exponent", "SONiC, Tomahawk 3: 1/4"),
    ("switch.xon_offset_bytes", "SONiC, Tomahawk 3: 9144"),
    ("switch.latency_ns", "no source: the lowest value"),
    ("ecmp.hash", "no source: vendors do not publish theirs"),
    (
        "ecmp.flowlet_gap_ns",
        "Juniper Apstra 6.0, default inactivity interval of dynamic load balancing",
    ),
    (
        "pfc.lossless_priorities",
        "957608-AN210 2.5.1: DSCP 26 is traffic class 3, no-drop",
    ),
    ("pfc.quanta", "IEEE 802.3 annex 31D: the largest value of the field"),
    (
        "pfc.refresh_quanta",
        "no source: half of `quanta`; the interval is the choice of the device",
    ),
    ("pfc.generation_delay_ns", "no source: the lowest value"),
    ("pfc.reaction", "the latest that the standard allows, which is what headroom is for"),
    ("pfc.watchdog", "SONiC and EOS: off unless configured"),
    (
        "marking",
        "957608-AN210 2.5.1, Arista EOS at 400 Gb/s: minimum 1000 kbytes, maximum 3000 kbytes, 20 %, weight 0",
    ),
    ("marking.at", "Broadcom XGS: packets are marked on arrival unless configured otherwise"),
    (
        "scheduler.strict_priorities",
        "957608-AN210 2.5.1: DSCP 48, CNP, is traffic class 7; 2.3: \"ETS strict priority\" in the NIC",
    ),
    (
        "scheduler.weights",
        "957608-AN210 2.5.2: every queue that carries data has the same DWRR weight, 50",
    ),
    (
        "nic.control_ignores_pause",
        "acknowledgements have the class of the data and stop with it",
    ),
    ("transport.mtu_bytes", "IBTA volume 1, 9.7.1: the largest path MTU"),
    (
        "transport.ack_every",
        "the most acknowledgements: 0.97 per packet were counted with one-packet messages, 0.58 fit the bidirectional \
         bandwidth of 957608-AN210; other simulators send one per packet, too",
    ),
    ("transport.ack_timeout", "perftest's default: 67 ms"),
    (
        "transport.retry_count",
        "perftest's default, the largest (IBTA volume 1, 9.9.2.1.1: three bits)",
    ),
    ("transport.min_rnr_timer", "perftest's default: 0.64 ms"),
    ("transport.rnr_retry", "the usual choice of applications"),
    ("transport.recovery", "IBTA volume 1, 9.7.5.1.2"),
    ("transport.nak_interval_ns", "IBTA volume 1, 9.7.5.1.2: one NAK per gap"),
    ("transport.tx_depth", "perftest's default"),
    (
        "transport.max_outstanding_reads",
        "perftest's choice, what the device offers: max_qp_rd_atom of current NICs",
    ),
    (
        "notification.interval_ns",
        "Zhu et al., SIGCOMM 2015, section 3.2: one CNP in 50 us",
    ),
    ("notification.delay_ns", "no source: the lowest value"),
];

pub(super) fn parameters() -> Parameters {
    Parameters {
        framing: framing(),
        switch: switch(),
        ecmp: Ecmp {
            hash: EcmpHash::Splitmix64,
            seed: None,
            offset_bits: 0,
            first_udp_source_port: None,
            udp_destination_port: ROCEV2_PORT,
            balance: Balance::Flow,
            spray: Spray::RoundRobin,
            flowlet_gap_ns: Nanoseconds(256_000),
            adaptive_gap_ns: Nanoseconds(0),
        },
        pfc: pfc(),
        marking: marking(),
        scheduler: Scheduler {
            strict_priorities: CNP_PRIORITY.bit(),
            weights: [50; PRIORITIES],
        },
        nic: Nic {
            messages_per_second: None,
            control_ignores_pause: false,
            pipe: None,
        },
        transport: transport(),
        sockets: super::sockets::sockets(),
        notification: Notification {
            in_ack: false,
            interval_ns: Nanoseconds(50_000),
            delay_ns: Nanoseconds(0),
            priority: CNP_PRIORITY,
        },
        congestion: congestion::Parameters::Dcqcn(dcqcn::Parameters::default()),
    }
}

/// IPv4 without tag. Sizes and their clauses are in `wirespeed_wire`.
fn framing() -> Framing {
    const ROCE: Encapsulation = Encapsulation {
        ip: Ip::V4,
        vlan: false,
    };
    const PAYLOAD: u32 = 1024; // any that is neither padded nor lifted to the shortest frame
    let data_bytes = ROCE.data_middle(PAYLOAD).bytes() - PAYLOAD;
    Framing {
        data_bytes: Bytes(data_bytes),
        write_first_bytes: Bytes(RETH),
        datagram_bytes: Bytes(DETH),
        read_response_ends_bytes: Bytes(AETH),
        read_request_bytes: Bytes(data_bytes + RETH),
        ack_bytes: Bytes(ROCE.ack().bytes()),
        cnp_bytes: Bytes(ROCE.cnp().bytes()),
        pfc_bytes: Bytes(Frame::pfc().bytes()),
        minimum_bytes: Bytes(MIN_FRAME),
        pad_bytes: Bytes(4),
        gap_bytes: Bytes(ETHERNET_OVERHEAD),
        ip: IpVersion::Ipv4,
        vlan: None,
    }
}

fn switch() -> Switch {
    Switch {
        architecture: Architecture::SharedBuffer {},
        buffer_bytes: Bytes(64 << 20),
        slices: 2,
        cell_bytes: Bytes(CELL),
        reserve_bytes: Bytes(10 * CELL),
        pool_counts: PoolCounts::PriorityGroup,
        headroom: Headroom::Computed { percent: 100 },
        alpha_exponent: -2,
        alpha_follows_rate: false,
        xon_offset_bytes: Bytes(36 * CELL),
        latency_ns: Nanoseconds(0),
        pools: None,
        shared_headroom: None,
        trimming: None, // the packet is dropped
    }
}

fn pfc() -> Pfc {
    Pfc {
        lossless_priorities: DATA_PRIORITY.bit(),
        quanta: Some(u16::MAX),
        refresh_quanta: Some(u16::MAX / 2),
        generation_delay_ns: Nanoseconds(0),
        reaction: Reaction::Ceiling,
        watchdog: None,
    }
}

fn marking() -> Marking {
    Marking {
        enabled: true,
        at: MarkingPoint::Enqueue,
        kmin_bytes: Bytes(1_000_000),
        kmax_bytes: Bytes(3_000_000),
        pmax: 0.2,
        reference_gbps: Some(400),
        weight: 0,
    }
}

fn transport() -> Transport {
    Transport {
        mtu_bytes: Bytes(4096),
        priority: DATA_PRIORITY,
        ack_priority: None,
        ack_every: 1,
        ack_timeout: 14,
        retry_count: 7,
        rx_depth: None,             // no RNR
        receive_ns: Nanoseconds(0), // without effect
        min_rnr_timer: 12,          // without effect
        rnr_retry: 7,               // without effect
        recovery: Recovery::GoBackN,
        reordering: Reordering::None {}, // without effect
        window_packets: u16::MAX,        // without effect
        nak_interval_ns: None,
        tx_depth: 128,
        max_outstanding_reads: 16,
    }
}
