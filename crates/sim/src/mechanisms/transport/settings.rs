//! Settings that all connections of a scenario share.

use crate::bytes::Bytes;
use crate::model::parameters::{self, Reordering};
use crate::time::{Picoseconds, NANOSECOND, NEVER};

/// Settings that all connections of a scenario share.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Payload of a full packet.
    pub mtu: Bytes<u32>,
    /// Packets per ACK.
    pub ack_every: u32,
    /// Whether a mark is echoed in the ACK.
    pub echo: bool,
    /// Local ACK timeout; `NEVER` = none.
    pub ack_timeout: Picoseconds,
    /// Timeouts and NAKs in a row before the queue pair fails.
    pub retry_count: u8,
    /// The same gap is reported again after this; `NEVER` = not.
    pub nak_interval: Picoseconds,
    /// Reads outstanding at one time.
    pub max_outstanding_reads: u32,
    /// Receives posted for sends; none = always enough.
    pub rx_depth: Option<u32>,
    /// Processing time of the application per message, until its receive is posted again.
    pub receive: Picoseconds,
    /// Timer code of the RNR NAK of a receiver that is not ready.
    pub min_rnr_timer: u8,
    /// Retries of the same message after RNR NAKs before the queue pair fails; 7 = unlimited.
    pub rnr_retry: u8,
    /// With selective repeat: limit of packets that are not acknowledged in order; no new packets beyond it.
    pub window: u32,
    /// With selective repeat: maximum reordering without loss.
    pub reordering: Reordering,
}

impl Settings {
    /// From the parameters of a scenario.
    pub fn new(transport: &parameters::Transport, echo: bool) -> Self {
        // IBTA 9.7.6.1.3: 4.096 µs times 2^timeout, 0 = disabled.
        let ack_timeout = match transport.ack_timeout {
            0 => NEVER,
            exponent => 4_096 * NANOSECOND * (1 << exponent.min(31)),
        };
        Settings {
            mtu: transport.mtu_bytes,
            ack_every: transport.ack_every,
            echo,
            ack_timeout,
            retry_count: transport.retry_count,
            nak_interval: transport.nak_interval_ns.map_or(NEVER, Picoseconds::from),
            max_outstanding_reads: transport.max_outstanding_reads,
            rx_depth: transport.rx_depth,
            receive: Picoseconds::from(transport.receive_ns),
            min_rnr_timer: transport.min_rnr_timer,
            rnr_retry: transport.rnr_retry,
            window: u32::from(transport.window_packets),
            reordering: transport.reordering.clone(),
        }
    }
}
