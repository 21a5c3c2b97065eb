//! Speed of the simulator, with a calibration of the machine.
//!
//! `sim-bench` runs scenarios, kept or made ([`generate`]), one by one ([`measure`]) and sets them beside what is wanted and what others reach ([`goals`],
//! [`report`]); [`hold`] makes figures of different machines comparable. The parts have Criterion benches.

pub mod generate;
pub mod goals;
pub mod hold_model;
pub mod machine;
pub mod measure;
pub mod report;
