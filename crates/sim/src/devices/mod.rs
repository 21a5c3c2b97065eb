//! Switches, NICs and what they hold.

pub(crate) mod credits;
pub(crate) mod nic;
pub(crate) mod operations;
pub(crate) mod port;
pub(crate) mod queue_pair;
pub(crate) mod voq;
