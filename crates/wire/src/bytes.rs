//! Counts of bytes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// A count of bytes. The width of `N` depends on the use: 16 bits in a frame, 32 in a queue, 64 in a total, signed for credit,
/// which can be negative.
///
/// Scenario files, result tables, captures and sizes of headers are plain integers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)] // a field adds its range
pub struct Bytes<N = u64>(pub N);

impl<N> Bytes<N> {
    /// The same count in a wider integer.
    #[inline]
    pub fn widen<Wide: From<N>>(self) -> Bytes<Wide> {
        Bytes(self.0.into())
    }
}

impl Bytes<u32> {
    /// The greatest count.
    pub const MAX: Bytes<u32> = Bytes(u32::MAX);

    /// The count as a float, which is exact.
    #[inline]
    pub fn as_f64(self) -> f64 {
        self.0.into()
    }

    /// The sum; the greatest count if it overflows.
    #[inline]
    pub const fn saturating_add(self, other: Bytes<u32>) -> Bytes<u32> {
        Bytes(self.0.saturating_add(other.0))
    }

    /// The sum; none if it overflows.
    #[inline]
    pub fn checked_add(self, other: Bytes<u32>) -> Option<Bytes<u32>> {
        self.0.checked_add(other.0).map(Bytes)
    }

    /// The number of `unit`s that hold this count.
    #[inline]
    pub const fn div_ceil(self, unit: Bytes<u32>) -> u32 {
        self.0.div_ceil(unit.0)
    }

    /// The smallest multiple of `unit` that is at least this count.
    #[inline]
    pub const fn next_multiple_of(self, unit: Bytes<u32>) -> Bytes<u32> {
        Bytes(self.0.next_multiple_of(unit.0))
    }
}

impl Bytes<i32> {
    /// The difference; the least count if it overflows.
    #[inline]
    pub const fn saturating_sub(self, other: Bytes<i32>) -> Bytes<i32> {
        Bytes(self.0.saturating_sub(other.0))
    }
}

impl Bytes {
    /// The count as a float, rounded above 2^53.
    #[inline]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// The number of `unit`s that hold this count.
    #[inline]
    pub const fn div_ceil(self, unit: Bytes) -> u64 {
        self.0.div_ceil(unit.0)
    }

    /// The sum; the greatest count if it overflows.
    #[inline]
    pub const fn saturating_add(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(other.0))
    }

    /// The difference; zero if `other` is more.
    #[inline]
    pub const fn saturating_sub(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_sub(other.0))
    }
}

impl<N: Add<Output = N>> Add for Bytes<N> {
    type Output = Bytes<N>;
    #[inline]
    fn add(self, other: Bytes<N>) -> Bytes<N> {
        Bytes(self.0 + other.0)
    }
}

impl<N: AddAssign> AddAssign for Bytes<N> {
    #[inline]
    fn add_assign(&mut self, other: Bytes<N>) {
        self.0 += other.0;
    }
}

impl<N: Sub<Output = N>> Sub for Bytes<N> {
    type Output = Bytes<N>;
    #[inline]
    fn sub(self, other: Bytes<N>) -> Bytes<N> {
        Bytes(self.0 - other.0)
    }
}

impl<N: SubAssign> SubAssign for Bytes<N> {
    #[inline]
    fn sub_assign(&mut self, other: Bytes<N>) {
        self.0 -= other.0;
    }
}

impl<N: Mul<Output = N>> Mul<N> for Bytes<N> {
    type Output = Bytes<N>;
    #[inline]
    fn mul(self, count: N) -> Bytes<N> {
        Bytes(self.0 * count)
    }
}

impl Mul<Bytes> for u64 {
    type Output = Bytes;
    #[inline]
    fn mul(self, each: Bytes) -> Bytes {
        Bytes(self * each.0)
    }
}

impl<N: Div<Output = N>> Div<N> for Bytes<N> {
    type Output = Bytes<N>;
    #[inline]
    fn div(self, count: N) -> Bytes<N> {
        Bytes(self.0 / count)
    }
}

impl<N: Div<Output = N>> Div for Bytes<N> {
    type Output = N;
    #[inline]
    fn div(self, unit: Bytes<N>) -> N {
        self.0 / unit.0
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(counts: I) -> Bytes {
        counts.fold(Bytes(0), Add::add)
    }
}

impl<N: fmt::Display> fmt::Display for Bytes<N> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
