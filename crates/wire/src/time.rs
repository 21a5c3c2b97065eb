//! Simulated time and rates. Time is an integer number of picoseconds: 10, 20, 40, 80 and 320 ps per byte at
//! 800, 400, 200, 100 and 25 Gb/s are exact.

use crate::bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Rem, Sub, SubAssign};

/// A point in simulated time, or a duration: picoseconds. Files and result tables hold plain integers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Picoseconds(pub u64);

/// A duration as parameters state it: nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)] // a field adds its range
pub struct Nanoseconds<N = u64>(pub N);

/// A duration as parameters of devices state it: microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)] // a field adds its range
pub struct Microseconds(pub u32);

impl<N: fmt::Display> fmt::Display for Nanoseconds<N> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Display for Microseconds {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<N: Into<u64>> From<Nanoseconds<N>> for Picoseconds {
    #[inline]
    fn from(time: Nanoseconds<N>) -> Picoseconds {
        Picoseconds::from_nanoseconds(time.0.into())
    }
}

impl From<Microseconds> for Picoseconds {
    #[inline]
    fn from(time: Microseconds) -> Picoseconds {
        u64::from(time.0) * MICROSECOND
    }
}

/// Later than every event.
pub const NEVER: Picoseconds = Picoseconds::MAX;
/// One nanosecond.
pub const NANOSECOND: Picoseconds = Picoseconds(1_000);
/// One microsecond.
pub const MICROSECOND: Picoseconds = Picoseconds(1_000_000);
/// One millisecond.
pub const MILLISECOND: Picoseconds = Picoseconds(1_000_000_000);
/// One second.
pub const SECOND: Picoseconds = Picoseconds(1_000_000_000_000);

/// Picoseconds in a second times bits in a byte: the factor of `bytes / rate`, rate in bits per second.
const BYTE_PICOSECONDS: u64 = 8 * SECOND.0;

impl Picoseconds {
    /// The start of simulated time, and the empty duration.
    pub const ZERO: Picoseconds = Picoseconds(0);
    /// The greatest value.
    pub const MAX: Picoseconds = Picoseconds(u64::MAX);

    /// A duration of this many nanoseconds.
    #[inline]
    pub const fn from_nanoseconds(nanoseconds: u64) -> Picoseconds {
        Picoseconds(nanoseconds * NANOSECOND.0)
    }

    /// `count` times this duration.
    #[inline]
    pub const fn times(self, count: u64) -> Picoseconds {
        Picoseconds(self.0 * count)
    }

    /// The integer number of picoseconds as a float, rounded above 2^53.
    #[inline]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// The integer part of this number of picoseconds; 0 if negative, the greatest value if too large.
    #[inline]
    pub const fn from_f64(picoseconds: f64) -> Picoseconds {
        Picoseconds(picoseconds as u64)
    }

    /// The time from `other` to this; zero if `other` is later.
    #[inline]
    pub const fn saturating_sub(self, other: Picoseconds) -> Picoseconds {
        Picoseconds(self.0.saturating_sub(other.0))
    }

    /// The sum; the greatest value if it overflows.
    #[inline]
    pub const fn saturating_add(self, other: Picoseconds) -> Picoseconds {
        Picoseconds(self.0.saturating_add(other.0))
    }

    /// The product; the greatest value if it overflows.
    #[inline]
    pub const fn saturating_mul(self, factor: u64) -> Picoseconds {
        Picoseconds(self.0.saturating_mul(factor))
    }

    /// The sum; none if it overflows.
    #[inline]
    pub const fn checked_add(self, other: Picoseconds) -> Option<Picoseconds> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Picoseconds(sum)),
            None => None,
        }
    }

    /// The time from `other` to this; none if `other` is later.
    #[inline]
    pub const fn checked_sub(self, other: Picoseconds) -> Option<Picoseconds> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Picoseconds(difference)),
            None => None,
        }
    }

    /// The time between this and `other`.
    #[inline]
    pub const fn abs_diff(self, other: Picoseconds) -> Picoseconds {
        Picoseconds(self.0.abs_diff(other.0))
    }

    /// The number of `unit`s that cover this time.
    #[inline]
    pub const fn div_ceil(self, unit: Picoseconds) -> u64 {
        self.0.div_ceil(unit.0)
    }

    /// The smallest multiple of `unit` that is at least this time.
    #[inline]
    pub const fn next_multiple_of(self, unit: Picoseconds) -> Picoseconds {
        Picoseconds(self.0.next_multiple_of(unit.0))
    }

    /// Whether this time is a whole number of `unit`s.
    #[inline]
    pub const fn is_multiple_of(self, unit: Picoseconds) -> bool {
        self.0.is_multiple_of(unit.0)
    }
}

impl Add for Picoseconds {
    type Output = Picoseconds;
    #[inline]
    fn add(self, other: Picoseconds) -> Picoseconds {
        Picoseconds(self.0 + other.0)
    }
}

impl AddAssign for Picoseconds {
    #[inline]
    fn add_assign(&mut self, other: Picoseconds) {
        self.0 += other.0;
    }
}

impl Sub for Picoseconds {
    type Output = Picoseconds;
    #[inline]
    fn sub(self, other: Picoseconds) -> Picoseconds {
        Picoseconds(self.0 - other.0)
    }
}

impl SubAssign for Picoseconds {
    #[inline]
    fn sub_assign(&mut self, other: Picoseconds) {
        self.0 -= other.0;
    }
}

impl Mul<u64> for Picoseconds {
    type Output = Picoseconds;
    #[inline]
    fn mul(self, factor: u64) -> Picoseconds {
        Picoseconds(self.0 * factor)
    }
}

impl MulAssign<u64> for Picoseconds {
    #[inline]
    fn mul_assign(&mut self, factor: u64) {
        self.0 *= factor;
    }
}

impl Mul<Picoseconds> for u64 {
    type Output = Picoseconds;
    #[inline]
    fn mul(self, time: Picoseconds) -> Picoseconds {
        Picoseconds(self * time.0)
    }
}

impl Div<u64> for Picoseconds {
    type Output = Picoseconds;
    #[inline]
    fn div(self, divisor: u64) -> Picoseconds {
        Picoseconds(self.0 / divisor)
    }
}

impl Div for Picoseconds {
    type Output = u64;
    #[inline]
    fn div(self, unit: Picoseconds) -> u64 {
        self.0 / unit.0
    }
}

impl Rem for Picoseconds {
    type Output = Picoseconds;
    #[inline]
    fn rem(self, unit: Picoseconds) -> Picoseconds {
        Picoseconds(self.0 % unit.0)
    }
}

impl Sum for Picoseconds {
    fn sum<I: Iterator<Item = Picoseconds>>(times: I) -> Picoseconds {
        times.fold(Picoseconds::ZERO, Add::add)
    }
}

impl fmt::Display for Picoseconds {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

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
    pub fn times(self, bytes: Bytes<u32>) -> Picoseconds {
        Picoseconds((self.0 * u64::from(bytes.0)) >> 16)
    }

    /// The time at another rate of the bytes that take `time` at this rate.
    pub fn convert(self, time: Picoseconds, other: ByteTime) -> Picoseconds {
        Picoseconds((u128::from(time.0) * u128::from(other.0) / u128::from(self.0)) as u64)
    }
}

/// Time of `bytes` at `rate` bits per second: the pacing gap of a rate limiter.
/// IEEE division and truncation only, so the result is the same on every machine.
#[inline]
pub fn pacing_gap(bytes: Bytes<u32>, rate: f64) -> Picoseconds {
    Picoseconds::from_f64(bytes.as_f64() * BYTE_PICOSECONDS as f64 / rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_times_are_exact_at_ethernet_rates() {
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
            assert_eq!(byte.times(Bytes(1)), Picoseconds(picoseconds));
            assert_eq!(byte.times(Bytes(9216)), Picoseconds(9216 * picoseconds));
            assert_eq!(
                pacing_gap(Bytes(4144), gigabits as f64 * 1e9),
                Picoseconds(4144 * picoseconds)
            );
        }
        assert_eq!(
            ByteTime::from_rate(56_000_000_000).times(Bytes(65536)),
            Picoseconds(9_362_286)
        );
    }
}
