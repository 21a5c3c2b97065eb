//! The simulator of lossless RoCEv2 networks: discrete events over integer picoseconds, packet by packet.
//!
//! It has never heard of Python, files or clocks; the same scenario and seed give the same result on every machine.

mod ahead;
mod base_rtt;
pub mod buffer;
mod build;
mod capture;
pub mod chance;
pub mod congestion;
mod context;
mod credits;
mod deadlock;
pub mod devices;
pub mod division;
mod ecmp;
mod entropy;
pub mod faults;
mod forwarding;
pub mod frame;
mod host_pipe;
mod lanes;
pub mod marking;
pub mod names;
mod nic;
mod outcome;
pub mod parameters;
mod parts;
mod pause;
pub mod pcie;
pub mod pool;
mod port;
mod post;
pub mod preset;
pub mod problem;
pub mod queue;
mod queue_pair;
pub mod reader;
pub mod results;
pub mod routing;
pub mod scenario;
mod series;
mod simulation;
mod switch;
pub mod telemetry;
pub mod transport;
mod trimming;
mod voq;
mod watchdog;

use wirespeed_wire::headroom;
pub use wirespeed_wire::time;

pub use base_rtt::Unloaded;
pub use parts::{Alone, Run, Threads};
pub use simulation::{Occupancy, Progress, Simulation};
