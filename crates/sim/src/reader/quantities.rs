//! Numbers with a unit as the simulator counts them.

use super::problems::{Object, Problems};
use crate::time::Picoseconds;

/// A rate in bits per second; Gb/s may have a fraction (25.78125).
pub fn rate(object: &Object, key: &str, problems: &mut Problems) -> Option<u64> {
    let gbps = object.number(key, problems)?;
    Some((gbps * 1e9 + 0.5) as u64)
}

/// A time or a duration in picoseconds, given in ns.
pub fn time(object: &Object, key: &str, problems: &mut Problems) -> Option<Picoseconds> {
    let ns = object.whole(key, problems)?;
    Some(Picoseconds::from_nanoseconds(ns))
}
