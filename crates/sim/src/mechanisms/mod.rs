//! Mechanisms of networks and NICs, each as a plain type.

pub(crate) mod base_rtt;
pub mod buffer;
pub mod buffer_pools;
pub mod buffer_settings;
pub mod chance;
pub(crate) mod ecmp;
pub(crate) mod entropy;
pub mod event_queue;
pub(crate) mod forwarding;
pub mod frame;
pub(crate) mod framing;
pub(crate) mod host_pipe;
pub(crate) mod link_faults;
pub mod marking;
pub(crate) mod pause;
pub(crate) mod port_priority;
pub mod priority_settings;
pub mod routing;
pub mod telemetry;
pub mod transport;
pub(crate) mod trimming;
pub(crate) mod watchdog;
