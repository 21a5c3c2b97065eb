//! The `hpcc` preset.

use crate::bytes::Bytes;
use crate::congestion::{self, dcqcn_nvidia};
use crate::ids::{Priority, PRIORITIES};
use crate::model::parameters::*;
use crate::time::{Microseconds, Nanoseconds};

/// Data, and acknowledgements in the switches.
const DATA_PRIORITY: Priority = Priority(3);

pub(super) const DESCRIPTION: &str =
    "The devices of the ns-3 simulator published with HPCC (Li et al., SIGCOMM 2019; \
     github.com/alibaba-edu/High-Precision-Congestion-Control), with DCQCN. Runs are comparable with that simulator frame by \
     frame. It is not a model of a product.";

pub(super) const SOURCES: [(&str, &str); 16] = [
    (
        "framing",
        "14 bytes link, 20 IPv4, 8 UDP, 6 sequence number and priority group; neither FCS nor preamble nor gap",
    ),
    ("framing.read_request_bytes", "HPCC's simulator has no reads; as an ACK, a frame without payload"),
    ("switch.pool_counts", "every priority of HPCC's simulator has the reserve, and the pool pays for one"),
    ("switch.trimming", "HPCC's simulator drops packets"),
    ("ecmp.hash", "HPCC's simulator seeds the hash with the switch only: every seed has the same paths"),
    (
        "ecmp.flowlet_gap_ns",
        "Juniper Apstra 6.0, default inactivity interval of dynamic load balancing",
    ),
    ("pfc.quanta", "a pause of HPCC's simulator lasts until resume"),
    ("marking.at", "HPCC's simulator marks by the bytes that remain after the packet"),
    ("scheduler", "only the data priority of HPCC's simulator carries packets"),
    (
        "nic.control_ignores_pause",
        "HPCC's simulator serves the queue of ACKs of a host first and never pauses it",
    ),
    ("transport.mtu_bytes", "the measured runs"),
    ("transport.ack_timeout", "HPCC's simulator has no timeout"),
    ("transport.min_rnr_timer", "perftest's default: 0.64 ms; without effect"),
    ("transport.rnr_retry", "the usual choice of applications; without effect"),
    ("transport.recovery", "the recovery of HPCC's simulator"),
    (
        "congestion",
        "\"Mellanox's version of DCQCN\" of HPCC's simulator (`rdma-hw.cc`), as `run.py --cc dcqcn --bw 100` sets it",
    ),
];

pub(super) fn parameters() -> Parameters {
    Parameters {
        framing: framing(),
        switch: switch(),
        ecmp: Ecmp {
            hash: EcmpHash::Murmur3,
            seed: None,
            offset_bits: 0,
            first_udp_source_port: Some(10_000),
            udp_destination_port: 100,
            balance: Balance::Flow,
            spray: Spray::RoundRobin,
            flowlet_gap_ns: Nanoseconds(256_000),
            adaptive_gap_ns: Nanoseconds(0),
        },
        pfc: Pfc {
            lossless_priorities: DATA_PRIORITY.bit(),
            quanta: None,
            refresh_quanta: None,
            generation_delay_ns: Nanoseconds(0),
            reaction: Reaction::Fixed { ns: Nanoseconds(0) },
            watchdog: None,
        },
        marking: Marking {
            enabled: true,
            at: MarkingPoint::Dequeue,
            kmin_bytes: Bytes(400_000),
            kmax_bytes: Bytes(1_600_000),
            pmax: 0.2,
            reference_gbps: Some(100),
            weight: 0,
        },
        scheduler: Scheduler {
            strict_priorities: 0,
            weights: [1; PRIORITIES],
        },
        nic: Nic {
            messages_per_second: None,
            control_ignores_pause: true,
            pipe: None,
        },
        transport: transport(),
        sockets: super::sockets::sockets(),
        notification: Notification {
            in_ack: true,
            interval_ns: Nanoseconds(0),
            delay_ns: Nanoseconds(0),
            priority: DATA_PRIORITY,
        },
        congestion: congestion::Parameters::DcqcnNvidia(dcqcn()),
    }
}

fn framing() -> Framing {
    Framing {
        data_bytes: Bytes(48),
        write_first_bytes: Bytes(0),
        datagram_bytes: Bytes(0), // no datagrams
        read_response_ends_bytes: Bytes(0),
        read_request_bytes: Bytes(60),
        ack_bytes: Bytes(60),
        cnp_bytes: Bytes(60), // without effect: no CNP frames
        pfc_bytes: Bytes(43),
        minimum_bytes: Bytes(0),
        pad_bytes: Bytes(1),
        gap_bytes: Bytes(0),
        ip: IpVersion::Ipv4,
        vlan: None,
    }
}

fn switch() -> Switch {
    Switch {
        architecture: Architecture::SharedBuffer {},
        buffer_bytes: Bytes(32 << 20),
        slices: 1,
        cell_bytes: Bytes(1),
        reserve_bytes: Bytes(4096),
        pool_counts: PoolCounts::Port,
        headroom: Headroom::RateDelay { times: 3 },
        alpha_exponent: -3,
        alpha_follows_rate: true,
        xon_offset_bytes: Bytes(3072),
        latency_ns: Nanoseconds(0),
        pools: None,
        shared_headroom: None,
        trimming: None,
    }
}

fn transport() -> Transport {
    Transport {
        mtu_bytes: Bytes(4096),
        priority: DATA_PRIORITY,
        ack_priority: None,
        ack_every: 1,
        ack_timeout: 0,
        retry_count: 7,             // without effect
        rx_depth: None,             // no RNR
        receive_ns: Nanoseconds(0), // without effect
        min_rnr_timer: 12,
        rnr_retry: 7,
        recovery: Recovery::GoBackN,
        reordering: Reordering::None {}, // without effect
        window_packets: u16::MAX,        // without effect
        nak_interval_ns: Some(Nanoseconds(500_000)),
        tx_depth: 128, // a flow is one operation: without effect
        max_outstanding_reads: 16,
    }
}

fn dcqcn() -> dcqcn_nvidia::Parameters {
    dcqcn_nvidia::Parameters {
        clamp_tgt_rate: false,
        clamp_tgt_rate_after_time_inc: true, // a time stage above 0 clamps, whatever the value of ClampTargetRate
        dce_tcp_g: 1020,                     // g = 1/256
        dce_tcp_rtt_us: Microseconds(1),
        initial_alpha_value: 1024, // 1
        rate_reduce_monitor_period_us: Microseconds(4),
        rate_to_set_on_first_cnp_mbps: 0, // line rate
        rpg_ai_rate_mbps: 20,
        rpg_byte_reset_bytes: Bytes(0), // no byte counter
        rpg_gd: 11,                     // alpha/2
        rpg_hai_rate_mbps: 200,
        rpg_min_dec_fac_percent: 0, // alpha/2 never takes more than half
        rpg_min_rate_mbps: 1000,
        rpg_threshold: 1,
        rpg_time_reset_us: Microseconds(300),
    }
}
