//! Measures the speed of the simulator and calibrates its goals to the machine.
//!
//! `sim-bench` runs stored or generated scenarios ([`generate`]) one after the other ([`measure`]) and compares their speed with
//! goals and with other simulators ([`goals`], [`report`]). [`hold_model`] makes figures of different machines comparable. The
//! Criterion benches in `benches/` measure parts of the simulator.

pub mod generate;
pub mod goals;
pub mod hold_model;
pub mod machine;
pub mod measure;
pub mod report;
