//! The parameters of all devices, as one tree. A preset fills it and a scenario may change it.
//!
//! Sizes that depend on the link rate are rules here; [`crate::model::preset`] contains the presets and their sources.

use crate::bytes::Bytes;
use crate::congestion;
use crate::ids::{Priority, PRIORITIES};
use crate::model::limits::*;
use crate::model::pcie;
use crate::time::Nanoseconds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wirespeed_wire::{Encapsulation, Ip, UnknownPcieLink};

/// Parameters of all devices of a scenario, or of single devices ([`crate::devices`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Bytes around the payload.
    pub framing: Framing,
    /// Shared buffer of every switch.
    pub switch: Switch,
    /// Selection among equal-cost ports at every switch.
    pub ecmp: Ecmp,
    /// Priority flow control of every port.
    pub pfc: Pfc,
    /// ECN marking at every switch port.
    pub marking: Marking,
    /// Selection among priorities at every port of switches and NICs.
    pub scheduler: Scheduler,
    /// Every NIC port.
    pub nic: Nic,
    /// Reliable connections.
    pub transport: Transport,
    /// TCP and UDP sockets of the hosts.
    pub sockets: Sockets,
    /// Congestion notification by the receiver.
    pub notification: Notification,
    /// Congestion control of every queue pair: the reaction point.
    pub congestion: congestion::Parameters,
}

/// Bytes of a frame in addition to its payload. A frame is counted from its header to its FCS; on the link it takes
/// `gap_bytes` more. Sizes are for IPv4 without a VLAN tag; `ip` and `vlan` add bytes to all frames except PFC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Framing {
    /// Size of a data packet without its payload and with only a base transport header (BTH), such as a middle packet of a
    /// message.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub data_bytes: Bytes<u32>,
    /// Additional bytes in the first or only packet of a write (RETH).
    #[schemars(range(min = 0, max = LARGEST_HEADER))]
    pub write_first_bytes: Bytes<u32>,
    /// Additional bytes in an unreliable datagram (DETH).
    #[schemars(range(min = 0, max = LARGEST_HEADER))]
    pub datagram_bytes: Bytes<u32>,
    /// Additional bytes in the first and the last packet of a read response (AETH).
    #[schemars(range(min = 0, max = LARGEST_HEADER))]
    pub read_response_ends_bytes: Bytes<u32>,
    /// Size of a read request.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub read_request_bytes: Bytes<u32>,
    /// Size of an acknowledgement (ACK) or negative acknowledgement (NAK).
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub ack_bytes: Bytes<u32>,
    /// Size of a congestion notification packet (CNP).
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub cnp_bytes: Bytes<u32>,
    /// Size of a PFC frame.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub pfc_bytes: Bytes<u32>,
    /// Minimum size of a frame.
    #[schemars(range(min = 0, max = LARGEST_HEADER))]
    pub minimum_bytes: Bytes<u32>,
    /// The payload is padded to a multiple of this size.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub pad_bytes: Bytes<u32>,
    /// Preamble, start-of-frame delimiter and minimum inter-packet gap.
    #[schemars(range(min = 0, max = LARGEST_HEADER))]
    pub gap_bytes: Bytes<u32>,
    /// IP version of all packets and of the `addresses` of links.
    pub ip: IpVersion,
    /// VLAN of the 802.1Q tag. The PCP of the tag is the frame's priority. 0: priority tag without a VLAN; null: no
    /// tag.
    // IEEE 802.1Q table 9-2: 4095 is reserved.
    #[schemars(range(max = 4094))]
    pub vlan: Option<u16>,
}

/// Version of the IP header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IpVersion {
    /// Version 4.
    Ipv4,
    /// Version 6; the header is 20 bytes longer.
    Ipv6,
}

impl From<IpVersion> for Ip {
    fn from(version: IpVersion) -> Ip {
        match version {
            IpVersion::Ipv4 => Ip::V4,
            IpVersion::Ipv6 => Ip::V6,
        }
    }
}

impl Framing {
    /// Returns the sizes with the bytes of VLAN tag and IP version added.
    pub fn add_encapsulation(&self) -> Framing {
        let more = self.encapsulation().extra_header_bytes();
        Framing {
            data_bytes: self.data_bytes + Bytes(more),
            read_request_bytes: self.read_request_bytes + Bytes(more),
            ack_bytes: self.ack_bytes + Bytes(more),
            cnp_bytes: self.cnp_bytes + Bytes(more),
            ..self.clone()
        }
    }

    /// Tag and IP version.
    pub fn encapsulation(&self) -> Encapsulation {
        Encapsulation {
            ip: self.ip.into(),
            vlan: self.vlan.is_some(),
        }
    }
}

/// The buffer of a switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Where frames wait in a switch.
    pub architecture: Architecture,
    /// Buffer of a switch for which the scenario has no `buffer_bytes`.
    #[schemars(range(min = 1, max = LARGEST_SLICE * MOST_SLICES))]
    pub buffer_bytes: Bytes,
    /// Number of equal slices of the buffer. A packet is stored in the slice of its ingress port.
    #[schemars(range(min = 1, max = MOST_SLICES))]
    pub slices: u32,
    /// Size of a buffer cell. A packet occupies whole cells.
    #[schemars(range(min = 1, max = 65535))]
    pub cell_bytes: Bytes<u32>,
    /// Guaranteed buffer of each priority group, used before the shared pool.
    pub reserve_bytes: Bytes<u32>,
    /// How often `reserve_bytes` and the headroom are subtracted from the pool.
    pub pool_counts: PoolCounts,
    /// Headroom of each lossless priority group: buffer for the data that arrives after XOFF.
    pub headroom: Headroom,
    /// Separate pools for lossless and lossy priority groups, as shares of the buffer that remains after guaranteed
    /// buffer and headroom. null: one pool for all.
    pub pools: Option<Pools>,
    /// Headroom pool that the lossless priority groups share. Each uses at most `headroom`. null: each group has
    /// separate headroom.
    pub shared_headroom: Option<SharedHeadroom>,
    /// Exponent of the dynamic threshold: threshold = free shared cells × 2^alpha_exponent (SONiC: `dynamic_th`).
    #[schemars(range(min = -16, max = 16))]
    pub alpha_exponent: i8,
    /// Increase `alpha_exponent` by one for each doubling of the port's link rate above the slowest host link, at most
    /// to 0.
    pub alpha_follows_rate: bool,
    /// Distance from the dynamic threshold to XON: XON is sent when the shared buffer in use is this much below the
    /// threshold.
    #[schemars(range(min = 0, max = LARGEST_BUFFER))]
    pub xon_offset_bytes: Bytes<u32>,
    /// Forwarding latency: from the last bit of a frame received to the first bit sent, without a queue.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub latency_ns: Nanoseconds,
    /// Packet trimming: a packet of a lossy priority without free buffer is cut to its header. null: it is dropped.
    pub trimming: Option<Trimming>,
}

/// Two pools in each slice instead of one. The dynamic threshold of a group depends on the free cells of its pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pools {
    /// Share of the lossless priority groups.
    #[schemars(range(min = 0, max = 100))]
    pub lossless_percent: u8,
    /// Share of the lossy priority groups.
    #[schemars(range(min = 0, max = 100))]
    pub lossy_percent: u8,
}

/// Size of the shared headroom pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SharedHeadroom {
    /// A fixed size for the whole switch, divided equally among the slices (SONiC: `xoff` of the
    /// `ingress_lossless_pool`).
    Fixed {
        /// Size of the pool of the whole switch.
        #[schemars(range(min = 1, max = LARGEST_SLICE * MOST_SLICES))]
        bytes: Bytes,
    },
    /// A share of the buffer that remains after the guaranteed buffer. The shares of `pools` refer to the same size.
    Share {
        /// Share of the remaining buffer that is the pool.
        #[schemars(range(min = 0, max = 100))]
        percent: u8,
    },
}

/// Packet trimming: only the header of a write or send packet is forwarded, which informs the receiver of the missing
/// packet (Ultra Ethernet Specification 1.0, section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trimming {
    /// Priority of trimmed packets.
    #[schemars(range(min = 0, max = HIGHEST_PRIORITY))]
    pub priority: Priority,
    /// Size of a trimmed packet, from its header to its FCS.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub trimmed_bytes: Bytes<u32>,
    /// A packet is also trimmed when the queue of its egress port takes longer than this to drain. null: packets are
    /// trimmed only when the shared buffer has no free cells.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub queue_ns: Option<Nanoseconds>,
}

/// Where the frames of a switch wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Architecture {
    /// In the egress port, in one queue per priority, in order of arrival.
    SharedBuffer {},
    /// In virtual output queues at the ingress: each core (slice of the buffer) has one for each egress port and
    /// priority, and the egress port grants credit to it.
    Voq {
        /// Size of a credit. The queues of different cores receive credits in turn.
        #[schemars(range(min = 1, max = LARGEST_CREDIT))]
        credit_bytes: Bytes<u32>,
        /// Time from the credit grant for a frame to its arrival at the egress port.
        #[schemars(range(min = 0, max = LONGEST_NS))]
        credit_latency_ns: Nanoseconds,
    },
}

/// What is subtracted from the buffer before the remaining buffer is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PoolCounts {
    /// once per port.
    Port,
    /// `reserve_bytes` once per priority and port, headroom once per lossless priority and port.
    PriorityGroup,
}

/// Equal-cost multipath: how a switch selects one of the ports with equal cost to a destination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ecmp {
    /// Hash function.
    pub hash: EcmpHash,
    /// Seed of the hash. null: the number of the switch. With the same seed in successive tiers, flows that share a
    /// port at one switch choose the same port at the next switch (hash polarisation).
    pub seed: Option<u32>,
    /// Number of bits by which the hash is rotated right before a port is chosen (SAI:
    /// `SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_OFFSET`).
    // The shortest hash has 16 bits.
    #[schemars(range(max = 15))]
    pub offset_bits: u8,
    /// UDP source port of the first connection without `udp_source_port` between two ports; each further connection
    /// uses the next number. null: a separate port for each connection, from the dynamic range.
    pub first_udp_source_port: Option<u16>,
    /// UDP destination port.
    pub udp_destination_port: u16,
    /// Unit of load balancing, and how its port is chosen.
    pub balance: Balance,
    /// With `spray`: how the port of each packet is chosen.
    pub spray: Spray,
    /// With `flowlet`: a flow may change its port after a pause longer than this.
    #[schemars(range(min = 1, max = LONGEST_NS))]
    pub flowlet_gap_ns: Nanoseconds,
    /// With `adaptive`: a flow may change its port after a pause longer than this. 0: each packet may change it.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub adaptive_gap_ns: Nanoseconds,
}

impl Ecmp {
    /// UDP ports of the responder's packets, from those of the requester. RoCEv2 uses the well-known destination port
    /// in both directions; with MurmurHash3 source and destination are exchanged, as in the ns-3 model.
    pub fn reply_ports(&self, [source, destination]: [u16; 2]) -> [u16; 2] {
        match self.hash {
            EcmpHash::Splitmix64 | EcmpHash::Crc32Lo => [source, destination],
            EcmpHash::Murmur3 => [destination, source],
        }
    }
}

/// Unit of load balancing, and how its port is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Balance {
    /// A flow, by its hash; it does not change its port.
    Flow,
    /// A flowlet (the packets between two pauses of a flow), at random (LetFlow: Vanini et al., NSDI 2017).
    Flowlet,
    /// A packet, by the rule in `spray`.
    Spray,
    /// A packet, or a flowlet with `adaptive_gap_ns`: a random one of the ports with the fewest queued bytes of its
    /// priority (NVIDIA Spectrum adaptive routing; Broadcom dynamic load balancing, with the queue as the only input of
    /// the port quality).
    Adaptive,
    /// A packet, by a hash with the entropy value that its sender writes instead of the UDP source port (Ultra
    /// Ethernet). Only `nscc` and `rccc` write one; with other congestion control a flow keeps its port.
    Entropy,
}

/// How the port of each sprayed packet is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spray {
    /// The ports in turn.
    RoundRobin,
    /// At random.
    Random,
}

/// Hash of UDP ports and of the addresses of the NIC ports, where links have `addresses`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcmpHash {
    /// A hash of both ends by SplitMix64, seeded with the scenario's seed and the switch.
    Splitmix64,
    /// A hash of addresses and UDP ports by MurmurHash3, seeded with the switch, modulo the number of ports.
    Murmur3,
    /// The lower 16 bits of the CRC-32 of addresses, protocol and UDP ports (SAI: `SAI_HASH_ALGORITHM_CRC_32LO`),
    /// modulo the number of ports. It is linear, so different seeds do not prevent polarisation; `offset_bits` does.
    Crc32Lo,
}

/// Headroom of one lossless priority group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Headroom {
    /// The same size at every port.
    Fixed {
        /// Headroom of each lossless priority group.
        bytes: Bytes<u32>,
    },
    /// A multiple of the link rate × the propagation delay in one direction.
    RateDelay {
        /// Number by which link rate × delay is multiplied.
        times: u32,
    },
    /// Computed from frame sizes, cable delay and the response time of the peer (IEEE 802.1Q).
    Computed {
        /// Percentage of the computed size that is allocated. 100 is sufficient for lossless operation.
        percent: u32,
    },
}

/// Priority flow control, IEEE 802.1Q clause 36.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pfc {
    /// Bit mask of the lossless priorities: bit n is priority n, so 8 is priority 3.
    pub lossless_priorities: u8,
    /// Pause quanta in an XOFF frame, of 512 bit times each. null: the pause lasts until XON.
    // 0 is XON.
    #[schemars(range(min = 1))]
    pub quanta: Option<u16>,
    /// XOFF is sent again after this many quanta while the pause is needed. null: never.
    #[schemars(range(min = 1))]
    pub refresh_quanta: Option<u16>,
    /// Time from crossing the threshold until the PFC frame is ready to be sent.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub generation_delay_ns: Nanoseconds,
    /// Response time of a port to PFC: from the reception of the PFC frame until no further frame of the priority
    /// starts.
    pub reaction: Reaction,
    /// PFC watchdog of switches. null: a paused queue waits without limit.
    pub watchdog: Option<Watchdog>,
}

/// The PFC watchdog of a switch. It polls the queues and ignores PFC on a queue that was paused for too long (SONiC
/// `pfcwd`, Arista EOS `priority-flow-control pause watchdog`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Watchdog {
    /// A queue that is paused for this long without interruption is stuck.
    #[schemars(range(min = 1, max = LONGEST_WATCHDOG_NS))]
    pub detection_ns: Nanoseconds,
    /// A stuck queue that has received no XOFF for this long has recovered.
    #[schemars(range(min = 1, max = LONGEST_WATCHDOG_NS))]
    pub restoration_ns: Nanoseconds,
    /// Interval at which the queues are polled.
    #[schemars(range(min = 1, max = LONGEST_WATCHDOG_NS))]
    pub poll_ns: Nanoseconds,
    /// Treatment of the traffic of a stuck queue.
    pub action: WatchdogAction,
}

/// Treatment of the traffic of a stuck queue. PFC is ignored in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WatchdogAction {
    /// Queued and new frames are dropped.
    Drop,
    /// The frames are sent.
    Forward,
}

/// Response time of a port to a PFC frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reaction {
    /// After a fixed time.
    Fixed {
        /// The response time.
        #[schemars(range(min = 0, max = LONGEST_NS))]
        ns: Nanoseconds,
    },
    /// The maximum that the standard allows at the link rate (IEEE 802.1Q 36.1.3.3).
    Ceiling,
}

/// ECN marking (WRED) at the egress queues of a switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Marking {
    /// Mark packets with CE.
    pub enabled: bool,
    /// Where the marking decision is made.
    pub at: MarkingPoint,
    /// Kmin: no packet is marked below this depth of the egress queue.
    pub kmin_bytes: Bytes<u32>,
    /// Kmax: every packet is marked above this depth of the egress queue.
    pub kmax_bytes: Bytes<u32>,
    /// Pmax: marking probability at Kmax. It rises linearly from 0 at Kmin.
    #[schemars(range(min = 0, max = 1))]
    pub pmax: f64,
    /// Link rate for which Kmin and Kmax are stated. They are scaled with the rate of each link. null: the same at
    /// every rate.
    #[schemars(range(min = 1, max = HIGHEST_GBPS))]
    pub reference_gbps: Option<u32>,
    /// Exponent w of the moving average of the queue depth, with weight 2^-w. 0: the instantaneous depth.
    #[schemars(range(min = 0, max = 32))]
    pub weight: u8,
}

/// Where the marking decision is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarkingPoint {
    /// On arrival, by the queued bytes before the packet.
    Enqueue,
    /// On departure, by the queued bytes behind the packet.
    Dequeue,
}

/// Strict priority over deficit weighted round robin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scheduler {
    /// Bit mask of the strict priorities: bit n is priority n, so 128 is priority 7. Strict priorities are served before
    /// all others, the highest first.
    pub strict_priorities: u8,
    /// DWRR weights of the other priorities.
    #[schemars(inner(range(min = 1, max = 10_000)))]
    pub weights: [u32; PRIORITIES],
}

/// A NIC port and the host behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nic {
    /// Message rate: maximum number of messages that a port starts per second. null: no limit.
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64))]
    pub messages_per_second: Option<u64>,
    /// Send acknowledgements and CNPs although their priority is paused.
    pub control_ignores_pause: bool,
    /// The path between the host memory and the NIC (PCIe). null: it is never the bottleneck.
    pub pipe: Option<Pipe>,
}

/// The path between host memory and a NIC port, in each direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pipe {
    /// Rate of payload. null: the rate that `pcie` allows.
    #[schemars(range(min = 1, max = HIGHEST_GBPS))]
    pub gbps: Option<u32>,
    /// The PCIe link of the NIC. null: not modelled.
    pub pcie: Option<pcie::Pcie>,
    /// Latency from the post to the first byte in the NIC, and from the last byte in the NIC to memory.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub latency_ns: Nanoseconds,
    /// Receive buffer of the NIC for payload.
    #[schemars(range(min = 1, max = LARGEST_BUFFER))]
    pub receive_buffer_bytes: Bytes<u32>,
    /// The NIC sends XOFF when the receive buffer contains this much payload.
    #[schemars(range(min = 0, max = LARGEST_BUFFER))]
    pub xoff_bytes: Bytes<u32>,
    /// The NIC sends XON when the receive buffer has drained to this.
    #[schemars(range(min = 0, max = LARGEST_BUFFER))]
    pub xon_bytes: Bytes<u32>,
}

impl Pipe {
    /// Bits of payload per second: from memory, to memory.
    pub fn compute_rates(&self) -> Result<[u64; 2], UnknownPcieLink> {
        let nic_rate = self
            .gbps
            .map_or(u64::MAX, |gbps| u64::from(gbps) * 1_000_000_000);
        let of_link = self
            .pcie
            .map_or(Ok([u64::MAX; 2]), |pcie| pcie.compute_rates())?;
        Ok(of_link.map(|rate| rate.min(nic_rate)))
    }
}

/// Reliable connections, IBTA volume 1 chapter 9.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    /// Path MTU: payload of a full packet.
    #[schemars(range(min = 1, max = LARGEST_MTU))]
    pub mtu_bytes: Bytes<u32>,
    /// Priority of data, read requests and acknowledgements.
    #[schemars(range(min = 0, max = HIGHEST_PRIORITY))]
    pub priority: Priority,
    /// Priority of acknowledgements. null: that of the data.
    #[schemars(range(min = 0, max = HIGHEST_PRIORITY))]
    pub ack_priority: Option<Priority>,
    /// Number of packets per ACK. The last packet of a message always requests an ACK. With congestion control that
    /// uses ACKs, every packet is acknowledged.
    #[schemars(range(min = 1))]
    pub ack_every: u32,
    /// Exponent of the local ACK timeout: 4.096 µs × 2^ack_timeout. 0: no timeout (IBTA 9.7.6.1.3).
    // IBTA: five bits.
    #[schemars(range(max = 31))]
    pub ack_timeout: u8,
    /// Retry limit: number of successive timeouts and NAKs without progress before the queue pair enters the error
    /// state (IBTA 9.9.2.1.1).
    // IBTA: three bits.
    #[schemars(range(max = 7))]
    pub retry_count: u8,
    /// Loss recovery: which packets are retransmitted. Both ends of a connection must use the same.
    pub recovery: Recovery,
    /// Depth of the receive queue. Each send consumes one posted receive. null: there is always a receive.
    #[schemars(range(min = 1))]
    pub rx_depth: Option<u32>,
    /// Time that the application takes to process the message of a send and to post its receive again. It processes one
    /// message at a time.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub receive_ns: Nanoseconds,
    /// Timer code of the RNR NAK that is sent when no receive is posted. The sender waits 10 µs (1) to 492 ms (31), or
    /// 655 ms (0) (IBTA 9.7.5.2.8, table 45).
    // IBTA: five bits.
    #[schemars(range(max = 31))]
    pub min_rnr_timer: u8,
    /// Number of retries after RNR NAKs before the queue pair enters the error state. 7: no limit.
    // IBTA: three bits.
    #[schemars(range(max = 7))]
    pub rnr_retry: u8,
    /// With selective repeat: how much reordering is tolerated before a packet is considered lost. Packet spraying
    /// reorders packets without loss.
    pub reordering: Reordering,
    /// With selective repeat: maximum number of packets that are not yet acknowledged in order. IRN (SIGCOMM 2018,
    /// section 3.2) uses the bandwidth-delay product.
    #[schemars(range(min = 1))]
    pub window_packets: u16,
    /// Minimum interval between two NAKs for the same gap. null: one NAK per gap (IBTA 9.7.5.1.2).
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub nak_interval_ns: Option<Nanoseconds>,
    /// Depth of the send queue: maximum number of operations of a queue pair in the NIC.
    #[schemars(range(min = 1))]
    pub tx_depth: u32,
    /// Maximum number of outstanding reads of a queue pair.
    // IBTA: the initiator depth has eight bits.
    #[schemars(range(min = 1, max = 255))]
    pub max_outstanding_reads: u32,
}

/// Which packets a sender retransmits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// The missing packet and all packets sent after it (IBTA 9.7.5.1.2).
    GoBackN,
    /// Only the missing packets. The receiver keeps packets that arrive out of order.
    SelectiveRepeat,
}

/// When a packet is considered lost because later packets have arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reordering {
    /// At once: no reordering is expected (IRN, SIGCOMM 2018, section 3.1).
    None {},
    /// When a packet that was sent a number of packets later has arrived.
    Packets {
        /// How many packets later that packet was sent. 1: the next packet, no reordering is tolerated.
        #[schemars(range(min = 1, max = 65_535))]
        packets: u32,
    },
    /// When it is still missing some time after a later packet has arrived. A packet overtaken during this time waits
    /// up to twice as long.
    Time {
        /// Time after the arrival of the later packet.
        #[schemars(range(min = 0, max = LONGEST_NS))]
        ns: Nanoseconds,
    },
}

/// Sockets of the hosts: a simple model of TCP ([`crate::mechanisms::transport::tcp`]), and UDP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sockets {
    /// Maximum size of an IP packet (MTU of the interface).
    // RFC 8200, section 5: what every IPv6 link carries.
    #[schemars(range(min = 1_280, max = LARGEST_MTU))]
    pub mtu_bytes: Bytes<u32>,
    /// Initial congestion window of a TCP connection, in segments (RFC 6928).
    #[schemars(range(min = 1, max = 65_535))]
    pub initial_window: u32,
    /// Minimum retransmission timeout. Linux uses 200 ms (`TCP_RTO_MIN`), RFC 6298 states 1 s.
    #[schemars(range(min = 1, max = LONGEST_NS))]
    pub least_rto_ns: Nanoseconds,
    /// Number of successive timeouts before the connection fails (Linux: `net.ipv4.tcp_retries2`).
    pub retries: u8,
}

/// The notification point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notification {
    /// Echo a mark as a flag in the ACK of the marked packet, not as a CNP. `interval_ns` and `delay_ns` then have no
    /// effect.
    pub in_ack: bool,
    /// Minimum interval between two CNPs of a queue pair.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub interval_ns: Nanoseconds,
    /// Time from the reception of a marked packet until its CNP is ready to be sent.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub delay_ns: Nanoseconds,
    /// Priority of CNPs.
    #[schemars(range(min = 0, max = HIGHEST_PRIORITY))]
    pub priority: Priority,
}
