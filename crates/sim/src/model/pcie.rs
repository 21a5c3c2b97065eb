//! The PCIe link between a NIC and memory: its parameters, and the bandwidth that its packets use.
//!
//! Towards memory: posted writes of received data, and read requests for the data to send. From memory: completions. Both
//! directions carry the DLLPs for the packets of the other direction.

use crate::bytes::Bytes;
use crate::model::limits::LONGEST_NS;
use crate::time::{ByteTime, Nanoseconds, Picoseconds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wirespeed_wire::{
    completion_bytes, memory_write_bytes, outstanding_rate, read_request_bytes, PcieLink,
    UnknownPcieLink,
};

/// Times of a buffer at a lower rate may not fit 64 bits.
pub(crate) const LEAST_BPS: u64 = 1_000_000_000;
/// Far above the rate of any link.
const MOST_BPS: u64 = 10_000 * LEAST_BPS;

/// A PCIe link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pcie {
    /// Generation, 1 to 5.
    #[schemars(range(min = 1, max = 5))]
    pub generation: u8,
    /// Lanes.
    #[schemars(extend("enum" = [1, 2, 4, 8, 12, 16, 32]))]
    pub width: u32,
    /// MaxPayload: maximum data of one packet, in both directions.
    #[schemars(extend("enum" = [64, 128, 256, 512, 1024, 2048, 4096]))]
    pub max_payload_bytes: Bytes<u32>,
    /// Bytes of DLLPs (acknowledgements and flow-control updates, 8 bytes each) per packet, sent in the opposite
    /// direction. null: DLLPs are not modelled.
    #[schemars(range(min = 0, max = 64))]
    pub dllp_bytes: Option<Bytes<u32>>,
    /// Limit of writes with strict ordering. null: relaxed ordering, no limit.
    pub ordered_writes: Option<OrderedWrites>,
    /// Limit of reads of the data to send. null: reads are not a limit and their requests take no bandwidth.
    pub reads: Option<Reads>,
}

/// Posted writes without relaxed ordering: no write overtakes another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum OrderedWrites {
    /// A number of writes of full size can be outstanding.
    Outstanding {
        /// Number of outstanding writes.
        #[schemars(range(min = 1, max = 65_535))]
        writes: u32,
        /// Time from a write leaving the NIC until it is in memory.
        #[schemars(range(min = 1, max = LONGEST_NS))]
        commit_ns: Nanoseconds,
    },
    /// A measured rate.
    Measured {
        /// Measured rate of data.
        #[schemars(range(min = LEAST_BPS, max = MOST_BPS))]
        bps: u64,
    },
}

/// Reads of memory by the NIC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reads {
    /// Number of outstanding read requests (tags). A request holds its tag until its last completion.
    // 14 bits: PCI Express Base 6.0, section 2.2.6.2.
    #[schemars(range(min = 1, max = 16_384))]
    pub tags: u32,
    /// MaxReadRequest: maximum data of one read request.
    #[schemars(extend("enum" = [128, 256, 512, 1024, 2048, 4096]))]
    pub max_read_request_bytes: Bytes<u32>,
    /// Time from a read request to its last completion on an idle link.
    #[schemars(range(min = 1, max = LONGEST_NS))]
    pub round_trip_ns: Nanoseconds,
    /// Read completion boundary: completions end at every multiple of this. null: completions have the size MaxPayload.
    #[schemars(extend("enum" = [64, 128, null]))]
    pub read_completion_boundary_bytes: Option<Bytes<u32>>,
}

impl Pcie {
    /// The link.
    pub fn link(&self) -> Result<PcieLink, UnknownPcieLink> {
        PcieLink::from_generation(self.generation, self.width)
    }

    /// Data of one completion at most.
    fn completion(&self) -> Bytes<u32> {
        let boundary = self
            .reads
            .and_then(|reads| reads.read_completion_boundary_bytes);
        boundary.map_or(self.max_payload_bytes, |boundary| {
            boundary.min(self.max_payload_bytes)
        })
    }

    /// Bits of data per second at most, where only one direction has any: from memory, into memory.
    pub fn compute_rates(&self) -> Result<[u64; 2], UnknownPcieLink> {
        let link = self.link()?;
        let into = link.write_bits_per_second(self.max_payload_bytes.0)?;
        let from = link.read_bits_per_second(self.completion().0)?;
        let held = self.ordered_writes.map(|ordered| match ordered {
            OrderedWrites::Outstanding { writes, commit_ns } => {
                outstanding_rate(writes, self.max_payload_bytes.0, commit_ns.0)
            }
            OrderedWrites::Measured { bps } => bps,
        });
        let requested = self.reads.map(|reads| {
            outstanding_rate(
                reads.tags,
                reads.max_read_request_bytes.0,
                reads.round_trip_ns.0,
            )
        });
        Ok([
            from.min(requested.unwrap_or(u64::MAX)),
            into.min(held.unwrap_or(u64::MAX)),
        ])
    }
}

/// A link in use: the time until which each direction is occupied.
#[derive(Debug, Clone)]
pub struct Link {
    /// Bit rate of the link, packet overhead included.
    byte: ByteTime,
    /// Maximum data of a write, of a completion and, if requests take bandwidth, of a request.
    write: Bytes<u32>,
    completion: Bytes<u32>,
    request: Option<Bytes<u32>>,
    dllp: Bytes<u32>,
    into_until: Picoseconds,
    from_until: Picoseconds,
}

impl Link {
    /// An idle link.
    pub fn new(parameters: &Pcie) -> Result<Self, UnknownPcieLink> {
        Ok(Link {
            byte: ByteTime::from_rate(parameters.link()?.bits_per_second()),
            write: parameters.max_payload_bytes,
            completion: parameters.completion(),
            request: parameters.reads.map(|reads| reads.max_read_request_bytes),
            dllp: parameters.dllp_bytes.unwrap_or_default(),
            into_until: Picoseconds::ZERO,
            from_until: Picoseconds::ZERO,
        })
    }

    /// Time at which the last write of data received now would have crossed the link.
    pub fn write_end(&self, now: Picoseconds, data: Bytes<u32>) -> Picoseconds {
        let bytes = data + Bytes(memory_write_bytes(0)) * data.div_ceil(self.write);
        self.into_until.max(now) + self.byte.times(bytes)
    }

    /// Writes data received now.
    pub fn write(&mut self, now: Picoseconds, data: Bytes<u32>) {
        self.into_until = self.write_end(now, data);
        let answered = self.dllp * data.div_ceil(self.write);
        self.from_until = self.from_until.max(now) + self.byte.times(answered);
    }

    /// Reads data now. Returns the time at which the last completion has crossed the link, and that of the earlier writes.
    pub fn read(&mut self, now: Picoseconds, data: Bytes<u32>) -> [Picoseconds; 2] {
        let completions = data.div_ceil(self.completion);
        let requests = self.request.map_or(0, |most| data.div_ceil(most));
        let from = data + Bytes(completion_bytes(0)) * completions + self.dllp * requests;
        let into = Bytes(read_request_bytes()) * requests + self.dllp * completions;
        self.from_until = self.from_until.max(now) + self.byte.times(from);
        self.into_until = self.into_until.max(now) + self.byte.times(into);
        [self.from_until, self.into_until]
    }
}
