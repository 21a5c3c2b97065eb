//! Goals for the speed of the simulator, and the speed of other simulators on the same scenarios.
//!
//! Figures of other simulators were measured on the reference machine (AMD EPYC, Zen 4, 2 vCPU; 2026-11-21) with optimised builds:
//! csg-htsim (commit 841d9e7, RoCE with PFC and without congestion control, its nearest model) and ns-3 HPCC (commit
//! 9f4be2a, DCQCN and PFC). Both count hops as here and reach the same numbers of them.

use crate::generate;

/// Time of [`crate::hold_model::hold_model_ns`] on the reference machine, nanoseconds. Goals are stated for that machine.
pub const REFERENCE_HOLD_NS: f64 = 78.0;

/// Geometric mean of the speed on the [`REFERENCES`]: at least this many hops per second.
pub const GEOMETRIC_MEAN: f64 = 8e6;
/// The scenario of 1,024 hosts, which has further goals.
pub const LARGE: &str = "S3";
/// Speed on [`LARGE`]: at least this many hops per second.
pub const LARGE_HOPS_PER_S: f64 = 4e6;
/// Set-up of [`LARGE`]: less than this many seconds.
pub const LARGE_SETUP_S: f64 = 0.15;
/// Peak resident memory of [`LARGE`]: less than this many bytes.
pub const LARGE_PEAK_BYTES: f64 = 80e6;

/// Speedup of two threads over one, set-up included: at least this factor.
pub const MIN_SPEEDUP: f64 = 1.5;
/// The scenarios that are large enough for [`MIN_SPEEDUP`].
pub const PARALLEL: [&str; 2] = [LARGE, LARGEST];
/// The largest scenario: 8,192 hosts.
pub const LARGEST: &str = "K32";
/// Set-up and run of [`LARGEST`] on one core of any machine: less than this many seconds.
pub const LARGEST_S: f64 = 300.0;
/// Peak resident memory of [`LARGEST`]: less than this many bytes.
pub const LARGEST_PEAK_BYTES: f64 = (12u64 << 30) as f64;

/// A scenario and the speed of other simulators on it, under the `hpcc` preset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference {
    /// Its name.
    pub name: &'static str,
    /// csg-htsim's hops per second. The simulator must not be slower.
    pub htsim: f64,
    /// ns-3 HPCC's hops per second.
    pub hpcc: f64,
}

/// The scenarios on which the other simulators were measured.
pub const REFERENCES: [Reference; 5] = [
    reference("S1L", 6.28e6, 0.68e6),
    reference("S2", 1.82e6, 0.58e6),
    reference("S3", 0.63e6, 0.19e6),
    reference("S4", 3.22e6, 1.05e6),
    reference("S4R", 1.54e6, 0.89e6),
];

const fn reference(name: &'static str, htsim: f64, hpcc: f64) -> Reference {
    Reference { name, htsim, hpcc }
}

/// Hops of the references that are stored in `examples/simulator`; those of the others are in [`generate::GENERATED`].
const STORED_HOPS: [(&str, u64); 2] = [("S1L", 1_048_576), ("S2", 733_184)];

/// The hops of a reference or generated scenario without retransmissions: packets and their ACKs, times links on the path. None
/// for any other scenario or preset.
pub fn expected_hops(name: &str, preset: &str) -> Option<u64> {
    if preset != "hpcc" {
        return None;
    }
    let stored = STORED_HOPS.iter().find(|(stored, _)| *stored == name);
    let generated = generate::find_generated(name).map(|scenario| scenario.hops);
    stored.map(|(_, hops)| *hops).or(generated)
}

/// The reference of the scenario under this preset, if it has one.
pub fn find_reference(name: &str, preset: &str) -> Option<&'static Reference> {
    REFERENCES
        .iter()
        .find(|reference| preset == "hpcc" && reference.name == name)
}
