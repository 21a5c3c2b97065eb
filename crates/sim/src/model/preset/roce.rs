//! The `roce` preset.

use crate::congestion::{self, dcqcn};
use crate::model::parameters::*;
use wirespeed_wire::{
    Encapsulation, Frame, Ip, AETH, DETH, ETHERNET_OVERHEAD, MIN_FRAME, RETH, ROCEV2_PORT,
};

/// RoCE: DSCP 26 is traffic class 3, no-drop (957608-AN210 2.5.1).
const DATA_PRIORITY: u8 = 3;
/// CNP: DSCP 48 is traffic class 7 (957608-AN210 2.5.1), "ETS strict priority" in the NIC (the same, 2.3).
const CNP_PRIORITY: u8 = 7;
/// A packet memory cell of Tomahawk 3: the headrooms of SONiC's pg_profile_lookup.ini for it are multiples of it.
const CELL: u32 = 254;

pub(super) const DESCRIPTION: &str =
    "RoCEv2 with the frames of its standards, over a switch of the Tomahawk 3 class as SONiC and Broadcom's guide 957608-AN210 \
     configure one.";

pub(super) fn parameters() -> Parameters {
    Parameters {
        framing: framing(),
        switch: switch(),
        ecmp: Ecmp {
            hash: EcmpHash::Splitmix64, // vendors do not publish theirs
            seed: None,
            offset_bits: 0,
            first_udp_source_port: None,
            udp_destination_port: ROCEV2_PORT,
            balance: Balance::Flow,
            spray: Spray::RoundRobin,
            flowlet_gap_ns: 256_000, // Juniper Apstra 6.0, default inactivity interval of dynamic load balancing
            adaptive_gap_ns: 0,
        },
        pfc: pfc(),
        marking: marking(),
        scheduler: Scheduler {
            strict_priorities: 1 << CNP_PRIORITY,
            // 957608-AN210 2.5.2 gives every queue that carries data the same DWRR weight, 50.
            weights: [50; PRIORITIES],
        },
        nic: Nic {
            messages_per_second: None,
            // Acknowledgements travel in the class of the data and stop with it.
            control_ignores_pause: false,
            pipe: None,
        },
        transport: transport(),
        sockets: super::sockets::sockets(),
        notification: Notification {
            in_ack: false,
            // "Congestion control for large-scale RDMA deployments", SIGCOMM 2015, section 3.2: one CNP in 50 us.
            interval_ns: 50_000,
            delay_ns: 0, // no source: the least
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
        data_bytes,
        write_first_bytes: RETH,
        datagram_bytes: DETH,
        read_response_ends_bytes: AETH,
        read_request_bytes: data_bytes + RETH, // IBTA volume 1, 9.4.4: BTH and RETH
        ack_bytes: ROCE.ack().bytes(),
        cnp_bytes: ROCE.cnp().bytes(),
        pfc_bytes: Frame::pfc().bytes(),
        minimum_bytes: MIN_FRAME,
        pad_bytes: 4, // IBTA volume 1, 9.2.5
        gap_bytes: ETHERNET_OVERHEAD,
        ip: IpVersion::Ipv4,
        vlan: None,
    }
}

fn switch() -> Switch {
    Switch {
        architecture: Architecture::SharedBuffer {},
        // Tomahawk 3: 64 MB in two halves, each serving half of the ports (SONiC: a pool of 66,394,076 bytes).
        buffer_bytes: 64 << 20,
        slices: 2,
        cell_bytes: CELL,
        reserve_bytes: 10 * CELL, // SONiC, pg_profile_lookup.ini of the Dell Z9332F: size 2540
        pool_counts: PoolCounts::PriorityGroup,
        headroom: Headroom::Computed { percent: 100 },
        alpha_exponent: -2, // SONiC, Tomahawk 3: 1/4
        alpha_follows_rate: false,
        xon_offset_bytes: 36 * CELL, // SONiC, Tomahawk 3: 9144
        latency_ns: 0,               // no source: the least
        pools: None,
        shared_headroom: None,
        trimming: None, // the packet is dropped
    }
}

fn pfc() -> Pfc {
    Pfc {
        lossless_priorities: 1 << DATA_PRIORITY,
        quanta: Some(u16::MAX), // IEEE 802.3 annex 31D: the field's largest; switches send it and XON
        refresh_quanta: Some(u16::MAX / 2), // well before expiry; the interval is the device's own choice
        generation_delay_ns: 0,             // no source: the least
        reaction: Reaction::Ceiling, // the latest that the standard allows, which is what headroom is for
        watchdog: None,              // off unless configured, in SONiC and in EOS
    }
}

/// 957608-AN210 2.5.1 (Arista EOS at 400 Gb/s): minimum 1000 kbytes, maximum 3000 kbytes, 20 %, weight 0.
fn marking() -> Marking {
    Marking {
        enabled: true,
        at: MarkAt::Enqueue, // Broadcom XGS marks on arrival unless told otherwise
        kmin_bytes: 1_000_000,
        kmax_bytes: 3_000_000,
        pmax: 0.2,
        reference_gbps: Some(400),
        weight: 0,
    }
}

fn transport() -> Transport {
    Transport {
        mtu_bytes: 4096, // the largest path MTU (IBTA volume 1, 9.7.1)
        priority: DATA_PRIORITY,
        ack_priority: None,
        // The most acknowledgement traffic there can be: 0.97 per packet were counted with one-packet messages,
        // 0.58 fit the bidirectional bandwidth of 957608-AN210. Other simulators send one per packet, too.
        ack_every: 1,
        ack_timeout: 14,                 // perftest's default: 67 ms
        retry_count: 7, // perftest's default, the largest (IBTA volume 1, 9.9.2.1.1: three bits)
        rx_depth: None, // no RNR
        receive_ns: 0,  // without effect
        min_rnr_timer: 12, // perftest's, 0.64 ms; without effect
        rnr_retry: 7,   // the usual choice of applications; without effect
        recovery: Recovery::GoBackN, // IBTA volume 1, 9.7.5.1.2
        reordering: Reordering::None {}, // without effect
        window_packets: u16::MAX, // without effect
        nak_interval_ns: None, // IBTA volume 1, 9.7.5.1.2: one NAK per gap
        tx_depth: 128,  // perftest's default
        max_outstanding_reads: 16, // max_qp_rd_atom of current NICs, and perftest's choice: what the device offers
    }
}
