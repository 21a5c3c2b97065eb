//! Algorithms whose receivers grant credit: its use by senders and how receivers grant it.

use super::definition::Definition;
use crate::bytes::Bytes;
use crate::time::Picoseconds;

/// The sender of a queue pair that requires credit from its receiver.
pub trait ReceiverDriven {
    /// Bytes on the link that may be sent; may drop below zero by less than a packet. Sending requires a value above zero.
    fn credit(&self) -> Bytes<i64>;

    /// A grant arrived: `granted` bytes since the beginning.
    fn on_credit(&mut self, granted: Bytes);

    /// A packet of `bytes` on the link uses credit.
    fn spend(&mut self, bytes: Bytes<u32>);

    /// Total grant that the sender requests, since the beginning, if `backlog` bytes wait to be sent.
    fn credit_target(&self, backlog: Bytes) -> Bytes;
}

/// The definition of an algorithm whose receivers grant credit.
pub trait Grants: Definition {
    /// How its receivers grant credit.
    fn grant_parameters(parameters: &Self::Parameters) -> GrantParameters;
}

/// How receivers grant credit to the senders of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrantParameters {
    /// Full packets granted to a sender in one round.
    pub packets: u32,
    /// The share of its link rate that a receiver grants, above 0 and at most 1.
    pub rate: f64,
    /// Time after which a sender without credit repeats its request.
    pub timeout: Picoseconds,
    /// The RTT without queueing delay: a sender requests at most once per RTT.
    pub base_rtt: Picoseconds,
}
