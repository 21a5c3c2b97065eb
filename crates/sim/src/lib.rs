//! The simulator of lossless RoCEv2 networks: discrete events over integer picoseconds, packet by packet.
//!
//! It does not depend on Python, files or clocks; the same scenario and seed give the same result on every machine.

pub mod congestion;
mod devices;
pub mod ids;
pub mod mechanisms;
pub mod model;
pub mod problem;
pub mod reader;
pub mod schema;
mod simulation;

use wirespeed_wire::headroom;
pub use wirespeed_wire::{bytes, time};

pub use mechanisms::base_rtt::IdleNetwork;
pub use simulation::parts::{Run, SerialReason, Threads};
pub use simulation::{Occupancy, Progress, Simulation};
