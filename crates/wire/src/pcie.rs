//! Data rates of PCI Express links: line code, and the bytes around the data of a transaction layer packet (TLP).

use thiserror::Error;

/// Bytes around a TLP header and its data: start token and sequence number 4, link CRC 4 from 8 GT/s on
/// (PCI Express Base 5.0, section 4.2.2.3.1); start symbol 1, sequence number 2, link CRC 4, end symbol 1
/// below (section 4.2.1 and 3.6.2). Both add up to 8.
pub const TLP_FRAMING: u32 = 8;
/// Header of a memory request with a 64-bit address, four double words (PCI Express Base 5.0, section 2.2.4.1).
pub const MEMORY_HEADER: u32 = 16;
/// Header of a completion, three double words (PCI Express Base 5.0, section 2.2.9).
pub const COMPLETION_HEADER: u32 = 12;

/// A trained link: signalling rate and lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PcieLink {
    megatransfers: u32,
    lanes: u32,
    code: (u64, u64),
}

/// A link or payload that PCI Express up to generation 5 does not define.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum UnknownPcieLink {
    /// Not a signalling rate of PCI Express.
    #[error("PCIe rate {0} MT/s: expected 2500, 5000, 8000, 16000 or 32000")]
    Rate(u32),
    /// Not a supported generation.
    #[error("PCIe generation {0}: expected 1 to 5")]
    Generation(u8),
    /// Not a link width of PCI Express.
    #[error("PCIe width x{0}: expected x1, x2, x4, x8, x12, x16 or x32")]
    Width(u32),
    /// Not a maximum payload size of PCI Express.
    #[error("PCIe payload {0} bytes: expected 64, 128, 256, 512, 1024, 2048 or 4096")]
    Payload(u32),
}

impl PcieLink {
    /// A link of `lanes` lanes at `megatransfers` MT/s each.
    pub fn new(megatransfers: u32, lanes: u32) -> Result<Self, UnknownPcieLink> {
        // 8b/10b up to 5 GT/s, 128b/130b from 8 to 32 GT/s (PCI Express Base 5.0, sections 4.2.1 and 4.2.2).
        let code = match megatransfers {
            2500 | 5000 => (8, 10),
            8000 | 16000 | 32000 => (128, 130),
            other => return Err(UnknownPcieLink::Rate(other)),
        };
        if ![1, 2, 4, 8, 12, 16, 32].contains(&lanes) {
            return Err(UnknownPcieLink::Width(lanes));
        }
        Ok(PcieLink {
            megatransfers,
            lanes,
            code,
        })
    }

    /// A link of a generation, 1 to 5 (PCI Express Base 5.0, section 1.2: 2.5, 5, 8, 16 and 32 GT/s).
    pub fn from_generation(generation: u8, lanes: u32) -> Result<Self, UnknownPcieLink> {
        let rates = [2500, 5000, 8000, 16000, 32000];
        let index = usize::from(generation).wrapping_sub(1);
        let rate = rates
            .get(index)
            .ok_or(UnknownPcieLink::Generation(generation))?;
        PcieLink::new(*rate, lanes)
    }

    /// Bits per second in one direction after line coding, all bytes on the link included, rounded down.
    pub fn bits_per_second(self) -> u64 {
        let raw = u64::from(self.megatransfers) * 1_000_000 * u64::from(self.lanes);
        raw * self.code.0 / self.code.1
    }

    /// Data bits per second of posted memory writes with `payload` bytes each, one direction, rounded down.
    ///
    /// An upper limit: acknowledgements and flow-control updates of the opposite direction are not subtracted.
    pub fn write_bits_per_second(self, payload: u32) -> Result<u64, UnknownPcieLink> {
        self.payload_rate(payload, memory_write_bytes(payload))
    }

    /// Data bits per second of read completions with `payload` bytes each, one direction, rounded down.
    pub fn read_bits_per_second(self, payload: u32) -> Result<u64, UnknownPcieLink> {
        self.payload_rate(payload, completion_bytes(payload))
    }

    fn payload_rate(self, payload: u32, packet: u32) -> Result<u64, UnknownPcieLink> {
        if !(64..=4096).contains(&payload) || !payload.is_power_of_two() {
            return Err(UnknownPcieLink::Payload(payload));
        }
        // At most 32 lanes at 32 GT/s and 4096 bytes: 4.2e15, far below 2^64.
        Ok(self.bits_per_second() * u64::from(payload) / u64::from(packet))
    }
}

/// Bytes on the link for one memory write of `payload` bytes.
pub fn memory_write_bytes(payload: u32) -> u32 {
    TLP_FRAMING + MEMORY_HEADER + payload
}

/// Bytes on the link for one completion with `payload` bytes.
pub fn completion_bytes(payload: u32) -> u32 {
    TLP_FRAMING + COMPLETION_HEADER + payload
}

/// Bytes on the link for one memory read request.
pub fn read_request_bytes() -> u32 {
    TLP_FRAMING + MEMORY_HEADER
}

/// Bits of data per second with at most `count` outstanding packets of `bytes`, each outstanding for `nanoseconds`, which are
/// above zero (Little's law). A write is outstanding until it is in memory, a read until its completion arrives.
pub fn outstanding_rate(count: u32, bytes: u32, nanoseconds: u64) -> u64 {
    let bits = u128::from(count) * u128::from(bytes) * 8 * 1_000_000_000;
    u64::try_from(bits / u128::from(nanoseconds)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// GB/s of x16 links, as the PCI Express table of document 002 prints them.
    #[test]
    fn link_rates_match_five_generations() {
        let rows = [
            (2500, 4_000),
            (5000, 8_000),
            (8000, 15_754),
            (16000, 31_508),
            (32000, 63_015),
        ];
        for (rate, megabytes) in rows {
            let link = PcieLink::new(rate, 16).unwrap();
            assert_eq!((link.bits_per_second() + 4_000_000) / 8_000_000, megabytes);
        }
    }

    #[test]
    fn write_rates_match_published_values() {
        let rows = [
            (8000, 16, 256, 115),
            (16000, 16, 256, 230),
            (32000, 16, 256, 461),
            (32000, 8, 256, 230),
            (32000, 16, 128, 425),
            (32000, 16, 512, 482),
        ];
        for (rate, lanes, payload, gigabits) in rows {
            let writes = PcieLink::new(rate, lanes)
                .unwrap()
                .write_bits_per_second(payload)
                .unwrap();
            assert_eq!((writes + 500_000_000) / 1_000_000_000, gigabits);
        }
    }

    /// 32 writes of 256 bytes in 437 ns are the 150 Gb/s of an EPYC; 32 tags (five bits) of 512 bytes in the 547 ns that
    /// Neugebauer et al., SIGCOMM 2018, measured on a Xeon E5 do not fill a link of 400 Gb/s.
    #[test]
    fn outstanding_packets_limit_the_rate() {
        let rows = [
            (32, 256, 437, 149_967_963_386),
            (32, 512, 547, 239_619_744_058),
            (u32::MAX, u32::MAX, 1, u64::MAX),
        ];
        for (count, bytes, nanoseconds, rate) in rows {
            assert_eq!(outstanding_rate(count, bytes, nanoseconds), rate);
        }
    }

    #[test]
    fn undefined_links_are_refused() {
        let rows = [
            (
                PcieLink::new(64000, 16).unwrap_err(),
                "PCIe rate 64000 MT/s: expected 2500, 5000, 8000, 16000 or 32000",
            ),
            (
                PcieLink::new(32000, 0).unwrap_err(),
                "PCIe width x0: expected x1, x2, x4, x8, x12, x16 or x32",
            ),
            (
                PcieLink::new(32000, 16)
                    .unwrap()
                    .write_bits_per_second(100)
                    .unwrap_err(),
                "PCIe payload 100 bytes: expected 64, 128, 256, 512, 1024, 2048 or 4096",
            ),
            (
                PcieLink::from_generation(6, 16).unwrap_err(),
                "PCIe generation 6: expected 1 to 5",
            ),
        ];
        assert_eq!(PcieLink::from_generation(5, 8), PcieLink::new(32000, 8));
        for (error, text) in rows {
            assert_eq!(error.to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn data_rate_grows_with_payload_up_to_the_link_rate(rate in 0usize..5, lanes in 0usize..7, power in 6u32..12) {
            let link = PcieLink::new([2500, 5000, 8000, 16000, 32000][rate], [1, 2, 4, 8, 12, 16, 32][lanes]).unwrap();
            let small = link.write_bits_per_second(1 << power).unwrap();
            let large = link.write_bits_per_second(1 << (power + 1)).unwrap();
            prop_assert!(small < large && large < link.bits_per_second());
            prop_assert!(small < link.read_bits_per_second(1 << power).unwrap());
        }
    }
}
