//! Limits of ranges: within them every computation of the simulator is valid.

/// The highest priority of IEEE 802.1Q.
pub const HIGHEST_PRIORITY: u8 = 7;

/// Cells and bytes of a buffer are counted in 32 bits.
pub const LARGEST_BUFFER: u64 = 1 << 31;
/// The largest buffer slice with virtual output queues: cells of a priority group are counted in 32 bits.
pub const LARGEST_SLICE: u64 = u32::MAX as u64;
/// The most slices of a buffer.
pub const MOST_SLICES: u64 = 64;
/// Far above the credits of devices, 256 to 8,192 bytes.
pub const LARGEST_CREDIT: u32 = 1 << 20;
/// Every other size of a frame or of its headers.
pub const LARGEST_HEADER: u32 = 10_000;
/// With the headers, a frame stays below 64 KiB.
pub const LARGEST_MTU: u32 = 32_768;
/// The fastest link.
pub const HIGHEST_GBPS: u32 = 10_000;
/// One second.
pub const LONGEST_NS: u64 = 1_000_000_000;
/// One hour: far above the latencies of devices, and far from the end of the time range.
pub const LONGEST_WATCHDOG_NS: u64 = 3_600 * LONGEST_NS;
