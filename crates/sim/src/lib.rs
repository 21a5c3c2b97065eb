//! The simulator of lossless RoCEv2 networks: discrete events over integer picoseconds, packet by packet.
//!
//! It has never heard of Python, files or clocks; the same scenario and seed give the same result on every machine.

pub mod congestion;
pub mod headroom;
pub mod parameters;
pub mod pool;
pub mod preset;
pub mod problem;
pub mod queue;
pub mod results;
pub mod routing;
pub mod scenario;
pub mod time;
