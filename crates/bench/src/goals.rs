//! What is known of the scenarios, and what is wanted of the simulator.
//!
//! Figures of others were measured on the reference machine (AMD EPYC, Zen 4, 2 vCPU; 2026-11-21) with optimised builds:
//! csg-htsim (commit 841d9e7, RoCE with PFC and without congestion control, the nearest it has) and ns-3 HPCC (commit
//! 9f4be2a, DCQCN and PFC). Both count hops as here and reach the same numbers of them.

use crate::generate;

/// The hold model on the reference machine, nanoseconds. Goals are worth this much there; see [`crate::hold_model::hold_model_ns`].
pub const REFERENCE_HOLD_NS: f64 = 78.0;

/// Geometric mean of all that is [`KNOWN`], at least this many hops per second.
pub const GEOMETRIC_MEAN: f64 = 8e6;
/// The scenario with goals of its own: 1,024 hosts.
pub const LARGE: &str = "S3";
/// On it, at least this many hops per second, ...
pub const LARGE_HOPS_PER_S: f64 = 4e6;
/// ... set up in less than this many seconds, ...
pub const LARGE_SETUP_S: f64 = 0.15;
/// ... and less memory than this ever resident, bytes.
pub const LARGE_PEAK_BYTES: f64 = 80e6;

/// On two threads at least so many times as fast as on one, set-up and all, ...
pub const SHARED_TIMES: f64 = 1.5;
/// ... those that are large enough.
pub const SHARED: [&str; 2] = [LARGE, LARGEST];
/// The largest scenario that is run to its end: 8,192 hosts. On one core in less than five minutes, ...
pub const LARGEST: &str = "K32";
/// ... seconds, whatever the machine, ...
pub const LARGEST_S: f64 = 300.0;
/// ... and within 12 GiB.
pub const LARGEST_PEAK_BYTES: f64 = (12u64 << 30) as f64;

/// What is known of a scenario under the `hpcc` preset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// Its name.
    pub name: &'static str,
    /// Its hops without retransmissions: packets and their ACKs, times links on the path.
    pub hops: u64,
    /// csg-htsim's hops per second. The simulator must not be slower.
    pub htsim: f64,
    /// ns-3 HPCC's hops per second.
    pub hpcc: f64,
}

/// The scenarios that all are measured on.
pub const KNOWN: [Known; 5] = [
    known("S1L", 1_048_576, 6.28e6, 0.68e6),
    known("S2", 733_184, 1.82e6, 0.58e6),
    known("S3", 3_069_952, 0.63e6, 0.19e6),
    known("S4", 1_032_192, 3.22e6, 1.05e6),
    known("S4R", 1_032_192, 1.54e6, 0.89e6),
];

const fn known(name: &'static str, hops: u64, htsim: f64, hpcc: f64) -> Known {
    Known {
        name,
        hops,
        htsim,
        hpcc,
    }
}

/// The hops of the scenario when nothing is sent twice, if it is one of those that are measured on.
pub fn hops_of(name: &str, preset: &str) -> Option<u64> {
    let made = generate::by_name(name).filter(|_| preset == "hpcc");
    let known = find_known(name, preset).map(|known| known.hops);
    known.or(made.map(|it| it.hops))
}

/// What is known of the scenario, if anything is.
pub fn find_known(name: &str, preset: &str) -> Option<&'static Known> {
    let under = preset == "hpcc";
    KNOWN.iter().find(|known| under && known.name == name)
}
