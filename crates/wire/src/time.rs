//! Simulated time and rates. Time is an integer number of picoseconds: 10, 20, 40, 80 and 320 ps per byte at
//! 800, 400, 200, 100 and 25 Gb/s are exact.

/// A point in simulated time, or a duration: picoseconds.
pub type Picoseconds = u64;

/// Later than every event.
pub const NEVER: Picoseconds = Picoseconds::MAX;
/// One nanosecond.
pub const NANOSECOND: Picoseconds = 1_000;
/// One microsecond.
pub const MICROSECOND: Picoseconds = 1_000_000;
/// One millisecond.
pub const MILLISECOND: Picoseconds = 1_000_000_000;
/// One second.
pub const SECOND: Picoseconds = 1_000_000_000_000;

/// Picoseconds in a second times bits in a byte: the factor of `bytes / rate`, rate in bits per second.
const BYTE_PICOSECONDS: u64 = 8 * SECOND;

/// Time of a byte on a link: picoseconds in fixed point with 16 fractional bits, so that the time of a frame is
/// one multiplication. Exact at every Ethernet rate; at others the error is below one picosecond for 64 KiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteTime(u64);

impl ByteTime {
    /// The byte time of a link of `rate` bits per second, which is above zero.
    pub fn from_rate(rate: u64) -> Self {
        let scaled = (u128::from(BYTE_PICOSECONDS) << 16) + u128::from(rate / 2);
        ByteTime((scaled / u128::from(rate)) as u64)
    }

    /// Time of `bytes` on the link.
    #[inline]
    pub fn times(self, bytes: u32) -> Picoseconds {
        (self.0 * u64::from(bytes)) >> 16
    }

    /// The time at another rate of what takes `time` at this rate.
    pub fn convert(self, time: Picoseconds, other: ByteTime) -> Picoseconds {
        (u128::from(time) * u128::from(other.0) / u128::from(self.0)) as u64
    }
}

/// Time of `bytes` at `rate` bits per second: the pacing gap of a rate limiter.
/// IEEE division and truncation only, so the result is the same on every machine.
#[inline]
pub fn pacing_gap(bytes: u32, rate: f64) -> Picoseconds {
    (f64::from(bytes) * BYTE_PICOSECONDS as f64 / rate) as Picoseconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_at_every_ethernet_rate() {
        let rows = [
            (10, 800),
            (25, 320),
            (40, 200),
            (50, 160),
            (100, 80),
            (200, 40),
            (400, 20),
            (800, 10),
        ];
        for (gigabits, picoseconds) in rows {
            let byte = ByteTime::from_rate(gigabits * 1_000_000_000);
            assert_eq!(byte.times(1), picoseconds);
            assert_eq!(byte.times(9216), 9216 * picoseconds);
            assert_eq!(pacing_gap(4144, gigabits as f64 * 1e9), 4144 * picoseconds);
        }
        assert_eq!(ByteTime::from_rate(56_000_000_000).times(65536), 9_362_286);
    }
}
