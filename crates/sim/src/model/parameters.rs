//! Every parameter of the devices, as one tree that a preset fills and a scenario may change.
//!
//! Sizes that follow the speed of a link are rules here; [`crate::model::preset`] has the presets and their sources.

use crate::congestion;
use crate::model::limits::*;
use crate::model::pcie;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wirespeed_wire::{Encapsulation, Ip, UnknownPcieLink};

/// Priorities of IEEE 802.1Q, each with its own queue and priority group.
pub const PRIORITIES: usize = 8;

/// What all devices of a scenario are set to, or with [`crate::devices`] some.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Bytes around the payload.
    pub framing: Framing,
    /// Shared buffer of every switch.
    pub switch: Switch,
    /// How every switch chooses among equal-cost ports.
    pub ecmp: Ecmp,
    /// Priority flow control of every port.
    pub pfc: Pfc,
    /// ECN marking at every switch port.
    pub marking: Marking,
    /// How every port, of switch and NIC, chooses between priorities.
    pub scheduler: Scheduler,
    /// Every NIC port.
    pub nic: Nic,
    /// Reliable connections.
    pub transport: Transport,
    /// TCP and UDP of the hosts, the other traffic of a network.
    pub sockets: Sockets,
    /// Congestion notification by the receiver.
    pub notification: Notification,
    /// The reaction point of every queue pair.
    pub congestion: congestion::Parameters,
}

/// Bytes of a frame beside its payload. A frame counts header through FCS as the preset defines it; on the link
/// it takes `gap_bytes` more. Sizes are those over IPv4 without a tag; `ip` and `vlan` add what else there is to all
/// but PFC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Framing {
    /// A data packet with only a base transport header: the middle of a message, every packet of a send.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub data_bytes: u32,
    /// More in the first or only packet of a write: RETH.
    #[schemars(range(min = 0, max = LARGEST_HEADER))]
    pub write_first_bytes: u32,
    /// More in an unreliable datagram: DETH.
    #[schemars(range(min = 0, max = LARGEST_HEADER))]
    pub datagram_bytes: u32,
    /// More in the first and in the last packet of a read response: AETH.
    #[schemars(range(min = 0, max = LARGEST_HEADER))]
    pub read_response_ends_bytes: u32,
    /// A read request.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub read_request_bytes: u32,
    /// An acknowledgement or negative acknowledgement.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub ack_bytes: u32,
    /// A congestion notification packet.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub cnp_bytes: u32,
    /// A priority flow control frame.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub pfc_bytes: u32,
    /// The shortest frame.
    #[schemars(range(min = 0, max = LARGEST_HEADER))]
    pub minimum_bytes: u32,
    /// The payload is padded to a multiple of this.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub pad_bytes: u32,
    /// Preamble, start delimiter and minimum inter-packet gap.
    #[schemars(range(min = 0, max = LARGEST_HEADER))]
    pub gap_bytes: u32,
    /// IP version of all packets, and of the addresses that links name.
    pub ip: IpVersion,
    /// VLAN of the 802.1Q tag, whose PCP is the frame's priority; 0 = a tag for the priority alone; none = no tag.
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
    /// Version 6, whose header is 20 bytes longer.
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
    /// The same with the bytes of tag and IP version in every size.
    pub fn encapsulated(&self) -> Framing {
        let more = self.encapsulation().extra_header_bytes();
        Framing {
            data_bytes: self.data_bytes + more,
            read_request_bytes: self.read_request_bytes + more,
            ack_bytes: self.ack_bytes + more,
            cnp_bytes: self.cnp_bytes + more,
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
    /// Where frames wait.
    pub architecture: Architecture,
    /// Buffer of one switch where the scenario names none, bytes.
    #[schemars(range(min = 1, max = LARGEST_SLICE * MOST_SLICES))]
    pub buffer_bytes: u64,
    /// The buffer is cut into this many equal slices; a port's packets live in the slice of its ingress port.
    #[schemars(range(min = 1, max = MOST_SLICES))]
    pub slices: u32,
    /// A packet occupies whole cells of this many bytes.
    #[schemars(range(min = 1, max = 65535))]
    pub cell_bytes: u32,
    /// Guaranteed to each priority group before the shared pool is used.
    pub reserve_bytes: u32,
    /// Once per port or once per lossless priority: how often `reserve_bytes` and the headroom are taken out of the pool.
    pub pool_counts: PoolCounts,
    /// Room for what arrives after XOFF, of each lossless priority group.
    pub headroom: Headroom,
    /// Separate pools for lossless and lossy priority groups, out of what reserves and headroom leave; none = all share one.
    pub pools: Option<Pools>,
    /// Headroom that the lossless priority groups share, each up to `headroom`, instead of one's own; none = each has its own.
    pub shared_headroom: Option<SharedHeadroom>,
    /// Dynamic threshold = free shared cells times 2^alpha_exponent (SONiC's `dynamic_th`).
    #[schemars(range(min = -16, max = 16))]
    pub alpha_exponent: i8,
    /// Raise the exponent by one for each doubling of the link rate above the slowest host link (at most to 0).
    pub alpha_follows_rate: bool,
    /// XON when shared use is this much below the threshold.
    #[schemars(range(min = 0, max = LARGEST_BUFFER))]
    pub xon_offset_bytes: u32,
    /// From the last bit of a frame in to the earliest first bit out.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub latency_ns: u64,
    /// What becomes of a packet of a lossy priority for which there is no room; none = it is dropped.
    pub trimming: Option<Trimming>,
}

/// Two pools in each slice instead of one; the dynamic threshold of a group goes by what is free in its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pools {
    /// What lossless priority groups share.
    #[schemars(range(min = 0, max = 100))]
    pub lossless_percent: u8,
    /// What lossy ones share.
    #[schemars(range(min = 0, max = 100))]
    pub lossy_percent: u8,
}

/// Size of the headroom that is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SharedHeadroom {
    /// So much in the whole switch, in each slice its part (SONiC: `xoff` of the `ingress_lossless_pool`).
    Fixed {
        /// Bytes.
        #[schemars(range(min = 1, max = LARGEST_SLICE * MOST_SLICES))]
        bytes: u64,
    },
    /// A share of what reserves leave; those of `pools` are shares of the same.
    Share {
        /// Percent.
        #[schemars(range(min = 0, max = 100))]
        percent: u8,
    },
}

/// Packet trimming: the header of a write's or send's packet goes on, and tells the receiver what is missing (Ultra Ethernet
/// Specification 1.0, section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trimming {
    /// Priority of trimmed packets.
    #[schemars(range(min = 0, max = HIGHEST_PRIORITY))]
    pub priority: u8,
    /// A trimmed packet, header through FCS.
    #[schemars(range(min = 1, max = LARGEST_HEADER))]
    pub trimmed_bytes: u32,
    /// A packet is trimmed, too, where the queue of its egress port takes longer than this to send; none = only where the
    /// shared buffer has no room.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub queue_ns: Option<u64>,
}

/// Where the frames of a switch wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Architecture {
    /// In one queue of their egress port for each priority, in the order of their arrival.
    SharedBuffer {},
    /// Where they came in: each slice, a core, has a virtual output queue for each egress port and priority, which gets
    /// credit from the port.
    Voq {
        /// Bytes that a credit is worth; queues of different cores take turns by credits.
        #[schemars(range(min = 1, max = LARGEST_CREDIT))]
        credit_bytes: u32,
        /// From a frame being granted credit to the frame standing at its egress port.
        #[schemars(range(min = 0, max = LONGEST_NS))]
        credit_latency_ns: u64,
    },
}

/// What is taken out of the buffer before the rest is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PoolCounts {
    /// One reserve and one headroom per port.
    Port,
    /// A reserve per priority and port, a headroom per lossless priority and port.
    PriorityGroup,
}

/// Equal-cost multipath: how a switch chooses among the ports that lead equally close to a packet's destination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ecmp {
    /// The hash.
    pub hash: EcmpHash,
    /// Seed of the hash; none = the switch's own number. Where switches of successive tiers have the same, all flows that one
    /// chooses a port for make the same choice at the next (polarisation).
    pub seed: Option<u32>,
    /// The hash is rotated right by so many bits before it chooses (SAI: `SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_OFFSET`).
    // The shortest hash has 16 bits.
    #[schemars(range(max = 15))]
    pub offset_bits: u8,
    /// UDP source port of a connection that names none, and one more for each earlier one between the same ports; none = one
    /// of the dynamic range, another for each.
    pub first_udp_source_port: Option<u16>,
    /// UDP destination port.
    pub udp_destination_port: u16,
    /// What the choice is made for.
    pub balance: Balance,
    /// With `spray`: how a port is chosen for each packet.
    pub spray: Spray,
    /// With `flowlet`: a flow that was silent for longer may take another port.
    #[schemars(range(min = 1, max = LONGEST_NS))]
    pub flowlet_gap_ns: u64,
    /// With `adaptive`: the same, where 0 = each packet may take another port.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub adaptive_gap_ns: u64,
}

impl Ecmp {
    /// The UDP ports of what the responder sends, from those of the requester: in RoCEv2 it too sends to the well-known port,
    /// in the model that hashes by Murmur it answers to the port it was asked from.
    pub fn back(&self, [source, destination]: [u16; 2]) -> [u16; 2] {
        match self.hash {
            EcmpHash::Splitmix64 | EcmpHash::Crc32Lo => [source, destination],
            EcmpHash::Murmur3 => [destination, source],
        }
    }
}

/// For what a port is chosen, and by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Balance {
    /// A flow, by the hash: it keeps its port.
    Flow,
    /// A flowlet, the packets between two pauses of a flow, at random (LetFlow: Vanini et al., NSDI 2017).
    Flowlet,
    /// A packet, as `spray` says.
    Spray,
    /// A packet, or a flowlet where there is a gap: of the ports with the fewest bytes of its priority in their queues one at
    /// random (NVIDIA Spectrum's adaptive routing; Broadcom's dynamic load balancing, the queue's part of its port quality).
    Adaptive,
    /// A packet, by the hash over the entropy value that its sender put in the place of the UDP source port (Ultra Ethernet);
    /// a flow, where its sender puts none: with all congestion control but `nscc` and `rccc`.
    Entropy,
}

/// How packets are sprayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spray {
    /// One port after the other.
    RoundRobin,
    /// At random.
    Random,
}

/// A hash over the addresses of the NIC ports, where links name them, and UDP ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcmpHash {
    /// A hash of both ends by SplitMix64, seeded with the scenario's seed and the switch.
    Splitmix64,
    /// A hash of addresses and UDP ports by MurmurHash3, seeded with the switch alone, modulo the candidates.
    Murmur3,
    /// The lower 16 bits of the CRC-32 of addresses, protocol and UDP ports (SAI: `SAI_HASH_ALGORITHM_CRC_32LO`), modulo
    /// the candidates; being linear, it polarises with different seeds too, and only `offset_bits` helps.
    Crc32Lo,
}

/// Headroom of one lossless priority group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Headroom {
    /// The same everywhere.
    Fixed {
        /// Bytes.
        bytes: u32,
    },
    /// Link rate times one-way delay, so many times.
    RateDelay {
        /// How many times.
        times: u32,
    },
    /// From frame sizes, cable and the peer's response: [`crate::headroom`].
    Computed {
        /// Of the computed bytes so many percent are given (100 = enough).
        percent: u32,
    },
}

/// Priority flow control, IEEE 802.1Q clause 36.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pfc {
    /// Bit n: priority n is lossless.
    pub lossless_priorities: u8,
    /// Pause quanta of 512 bit times in an XOFF frame; none = paused until XON.
    // 0 is XON.
    #[schemars(range(min = 1))]
    pub quanta: Option<u16>,
    /// A pauser sends XOFF again after so many quanta; none = never.
    #[schemars(range(min = 1))]
    pub refresh_quanta: Option<u16>,
    /// From crossing the threshold to the PFC frame standing first in line, ns.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub generation_delay_ns: u64,
    /// From the PFC frame received to no further frame of the priority starting.
    pub reaction: Reaction,
    /// What a switch does about a queue that stays paused; none = it waits.
    pub watchdog: Option<Watchdog>,
}

/// The PFC watchdog of a switch: it looks at its queues now and then, and no longer obeys a peer that pauses one for too
/// long (SONiC `pfcwd`, Arista EOS `priority-flow-control pause watchdog`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Watchdog {
    /// A queue paused without a break for this long is stuck.
    #[schemars(range(min = 1, max = LONGEST_WATCHDOG_NS))]
    pub detection_ns: u64,
    /// A stuck queue that nobody has asked to pause for this long has recovered.
    #[schemars(range(min = 1, max = LONGEST_WATCHDOG_NS))]
    pub restoration_ns: u64,
    /// From one look at the queues to the next.
    #[schemars(range(min = 1, max = LONGEST_WATCHDOG_NS))]
    pub poll_ns: u64,
    /// What becomes of the traffic of a stuck queue.
    pub action: WatchdogAction,
}

/// What becomes of the traffic of a stuck queue. In both cases PFC is not obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WatchdogAction {
    /// What waits and what comes is dropped.
    Drop,
    /// It is sent.
    Forward,
}

/// How soon a port obeys a PFC frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reaction {
    /// After a fixed time.
    Fixed {
        /// Nanoseconds.
        #[schemars(range(min = 0, max = LONGEST_NS))]
        ns: u64,
    },
    /// As late as the standard allows at the link's rate (IEEE 802.1Q 36.1.3.3: bit times by rate).
    Ceiling,
}

/// ECN marking (WRED) at the egress queues of a switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Marking {
    /// Whether queues mark at all.
    pub enabled: bool,
    /// When the decision is made.
    pub at: MarkAt,
    /// Below: never marked. Bytes of the egress queue.
    pub kmin_bytes: u32,
    /// Above: always marked.
    pub kmax_bytes: u32,
    /// Probability at kmax, from 0 at kmin; 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub pmax: f64,
    /// kmin and kmax are those of a link of this rate and follow the link's; none = the same on every link.
    #[schemars(range(min = 1, max = HIGHEST_GBPS))]
    pub reference_gbps: Option<u32>,
    /// 0: the instantaneous queue; w: the average with weight 2^-w.
    #[schemars(range(min = 0, max = 32))]
    pub weight: u8,
}

/// When a packet is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarkAt {
    /// On arrival, by the queue in front of it.
    Enqueue,
    /// On departure, by the queue behind it.
    Dequeue,
}

/// Strict priority over deficit weighted round robin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scheduler {
    /// Bit n: priority n is served strictly before the others, the highest first.
    pub strict_priorities: u8,
    /// Weights of the others.
    #[schemars(inner(range(min = 1, max = 10_000)))]
    pub weights: [u32; PRIORITIES],
}

/// A NIC port and the host behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nic {
    /// Messages a port can start per second; none = no limit.
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64))]
    pub messages_per_second: Option<u64>,
    /// Acknowledgements and CNPs leave although their priority is paused.
    pub control_ignores_pause: bool,
    /// Memory to NIC and NIC to memory; none = never the bottleneck.
    pub pipe: Option<Pipe>,
}

/// What stands between memory and a NIC port, in each direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pipe {
    /// Bits of payload per second; none = what `pcie` leaves.
    #[schemars(range(min = 1, max = HIGHEST_GBPS))]
    pub gbps: Option<u32>,
    /// The PCIe link on the way, where it may be slower than that; none = it never is.
    pub pcie: Option<pcie::Pcie>,
    /// From posting to the first byte in the NIC, and from the last byte in the NIC to memory.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub latency_ns: u64,
    /// The NIC's receive buffer, bytes of payload.
    #[schemars(range(min = 1, max = LARGEST_BUFFER))]
    pub receive_buffer_bytes: u32,
    /// The NIC sends XOFF when the receive buffer holds this much.
    #[schemars(range(min = 0, max = LARGEST_BUFFER))]
    pub xoff_bytes: u32,
    /// The NIC sends XON when it has drained to this.
    #[schemars(range(min = 0, max = LARGEST_BUFFER))]
    pub xon_bytes: u32,
}

impl Pipe {
    /// Bits of payload per second: from memory, into memory.
    pub fn rates(&self) -> Result<[u64; 2], UnknownPcieLink> {
        let own = self
            .gbps
            .map_or(u64::MAX, |gbps| u64::from(gbps) * 1_000_000_000);
        let of_link = self.pcie.map_or(Ok([u64::MAX; 2]), |pcie| pcie.rates())?;
        Ok(of_link.map(|rate| rate.min(own)))
    }
}

/// Reliable connections, IBTA volume 1 chapter 9.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    /// Payload of a full packet.
    #[schemars(range(min = 1, max = LARGEST_MTU))]
    pub mtu_bytes: u32,
    /// Priority of data, read requests and acknowledgements.
    #[schemars(range(min = 0, max = HIGHEST_PRIORITY))]
    pub priority: u8,
    /// Priority of acknowledgements; none = that of the data.
    #[schemars(range(min = 0, max = HIGHEST_PRIORITY))]
    pub ack_priority: Option<u8>,
    /// One ACK per so many packets; the last packet of a message always asks for one. Where the sender's congestion control
    /// hears ACKs, each packet has one.
    #[schemars(range(min = 1))]
    pub ack_every: u32,
    /// Local ACK timeout is 4.096 µs times 2^this; 0 = none (IBTA 9.7.6.1.3).
    // IBTA: five bits.
    #[schemars(range(max = 31))]
    pub ack_timeout: u8,
    /// Timeouts and NAKs in a row, without anything new acknowledged, before the queue pair is in error (IBTA 9.9.2.1.1).
    // IBTA: three bits.
    #[schemars(range(max = 7))]
    pub retry_count: u8,
    /// What is sent again when a packet is lost. A queue pair has the same at both ends.
    pub recovery: Recovery,
    /// Receives posted on a queue pair, of which each send takes one; none = always enough.
    #[schemars(range(min = 1))]
    pub rx_depth: Option<u32>,
    /// The application takes so long for a message that was sent, one after the other, and posts its receive again.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub receive_ns: u64,
    /// Without a receive a send is answered by an RNR NAK with this code: the sender waits 10 µs (1) to 492 ms (31), or
    /// 655 ms (0) (IBTA 9.7.5.2.8, table 45).
    // IBTA: five bits.
    #[schemars(range(max = 31))]
    pub min_rnr_timer: u8,
    /// How often a send is tried again after RNR NAKs before the queue pair is in error; 7 = without end.
    // IBTA: three bits.
    #[schemars(range(max = 7))]
    pub rnr_retry: u8,
    /// With selective repeat: how far out of order packets come where nothing is lost, as with packet spraying.
    pub reordering: Reordering,
    /// With selective repeat: packets that are not acknowledged in order, at most. IRN (SIGCOMM 2018, section 3.2) has the
    /// bandwidth-delay product here.
    #[schemars(range(min = 1))]
    pub window_packets: u16,
    /// The same gap is reported by another NAK only after this; none = once (IBTA 9.7.5.1.2).
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub nak_interval_ns: Option<u64>,
    /// Operations of a queue pair in the NIC at one time.
    #[schemars(range(min = 1))]
    pub tx_depth: u32,
    /// Reads of a queue pair outstanding at one time.
    // IBTA: the initiator depth has eight bits.
    #[schemars(range(min = 1, max = 255))]
    pub max_outstanding_reads: u32,
}

/// What a sender sends again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// The packet that is missing and all that were sent after it (IBTA 9.7.5.1.2).
    GoBackN,
    /// Only what is missing; the receiver keeps what comes out of order.
    SelectiveRepeat,
}

/// When a packet that others overtook is taken for lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reordering {
    /// At once: packets stay in order (IRN, SIGCOMM 2018, section 3.1).
    None {},
    /// When one that was sent so many packets after it has arrived.
    Packets {
        /// 1 is at once.
        #[schemars(range(min = 1, max = 65_535))]
        packets: u32,
    },
    /// When it is missing so long after a later one has arrived; one overtaken meanwhile waits up to twice as long.
    Time {
        /// Nanoseconds.
        #[schemars(range(min = 0, max = LONGEST_NS))]
        ns: u64,
    },
}

/// Sockets of the hosts: a stand-in for TCP ([`crate::mechanisms::transport::tcp`]), and UDP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sockets {
    /// Largest IP packet.
    // RFC 8200, section 5: what every IPv6 link carries.
    #[schemars(range(min = 1_280, max = LARGEST_MTU))]
    pub mtu_bytes: u32,
    /// Segments that a TCP connection begins with (RFC 6928).
    #[schemars(range(min = 1, max = 65_535))]
    pub initial_window: u32,
    /// The retransmission timer is no shorter. Linux has 200 ms (`TCP_RTO_MIN`), RFC 6298 a second.
    #[schemars(range(min = 1, max = LONGEST_NS))]
    pub least_rto_ns: u64,
    /// Timeouts in a row before the connection fails (Linux: `net.ipv4.tcp_retries2`).
    pub retries: u8,
}

/// The notification point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notification {
    /// The echo of a mark is a flag in the ACK of the marked packet, not a frame; interval and delay do not apply.
    pub in_ack: bool,
    /// At least this between two CNPs of a queue pair.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub interval_ns: u64,
    /// From the marked packet to its CNP standing in line.
    #[schemars(range(min = 0, max = LONGEST_NS))]
    pub delay_ns: u64,
    /// Priority of CNPs.
    #[schemars(range(min = 0, max = HIGHEST_PRIORITY))]
    pub priority: u8,
}
