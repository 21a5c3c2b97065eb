//! Interface of every algorithm to its queue pair: calls from the network, and the resulting rate and window.

use crate::bytes::Bytes;
use crate::ids::PortId;
use crate::time::{Picoseconds, SECOND};

/// Telemetry that a switch writes into a packet as the packet leaves (SIGCOMM 2019, "HPCC", section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hop {
    /// The egress port.
    pub port: PortId,
    /// Bytes that wait in it after the packet.
    pub queue_bytes: Bytes<u32>,
    /// When the packet left.
    pub time: Picoseconds,
    /// Bytes on the link that the port sent before it.
    pub sent_bytes: Bytes,
    /// Bits per second of the port.
    pub rate: u64,
}

/// The report of an acknowledgement to a sender. Packets are those of writes and sends; a packet counts as a full one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ack {
    /// Arrival time of the acknowledgement.
    pub now: Picoseconds,
    /// Bytes that were not acknowledged before.
    pub bytes: Bytes<u32>,
    /// Everything before this packet has arrived, and the packet to be sent next.
    pub until: u32,
    /// See `until`.
    pub next: u32,
    /// Packets still outstanding.
    pub outstanding: u32,
    /// From the start of the acknowledged packet to the arrival of the acknowledgement, if the start is known.
    pub rtt: Option<Picoseconds>,
    /// The acknowledged packet, or an earlier one, was marked.
    pub marked: bool,
}

/// The reduction of its senders' windows that a slow receiver requests: the flow control of the destination, Ultra Ethernet
/// Specification 1.0, section 3.6.13.2. Default: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Penalty {
    /// The window is reduced by this many 128ths of the acknowledged bytes (`Rcv_Cwnd_Pend`); 0 = no reduction.
    pub rcv_cwnd_pend: u8,
    /// After the penalty the window of before is restored (`pds.ack_cc_state.rc`).
    pub restore_cwnd: bool,
}

/// A loss as reported to a sender; `next` is the packet to be sent next at that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// A negative acknowledgement: packet `until` is missing.
    Gap {
        /// The packet that is missing.
        until: u32,
        /// The packet that would have been next.
        next: u32,
    },
    /// A switch trimmed a packet: its header alone arrived.
    Trimmed {
        /// The packet.
        psn: u32,
        /// The packet that would have been next.
        next: u32,
        /// Packets still outstanding.
        outstanding: u32,
        /// By the switch that the receiver is cabled to.
        last_hop: bool,
    },
    /// Timeout: no acknowledgement arrived in time.
    Timeout {
        /// The packet that would have been next.
        next: u32,
    },
}

/// The feedback that an algorithm gets from the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feedback {
    /// CNPs, or marks echoed in ACKs if the notification point is set so.
    Notifications,
    /// Every ACK, with the mark it echoes and the time its packet took.
    Acks,
    /// The same, and what switches wrote into the packet, in a header of this many bytes.
    Telemetry {
        /// In every data packet and ACK.
        header_bytes: Bytes<u32>,
    },
}

/// Bits per second that a window of `bytes` corresponds to; at most the line rate, whose bandwidth-delay product is `line` bytes.
pub(super) fn window_rate(bytes: f64, rtt: Picoseconds, line: f64) -> Option<f64> {
    (rtt > Picoseconds::ZERO).then(|| (bytes * 8.0 * SECOND.as_f64() / rtt.as_f64()).min(line))
}

/// The reaction point of one queue pair: what every algorithm has. The traits below are for what only some have.
///
/// Calls come in the order of simulated time, which stays below [`crate::time::NEVER`]. An algorithm keeps no timers in
/// the event queue: each call first brings its state up to date with the elapsed time, so additional calls change
/// nothing. Events due at the time of a call happen before the call.
pub trait CongestionControl {
    /// The rate that paces the frame about to be sent, bits per second; `None` while no limiter is active (line rate).
    #[inline]
    fn rate(&mut self, now: Picoseconds) -> Option<f64> {
        self.peek(now)
    }

    /// The result of `rate`, without a change of the state.
    fn peek(&self, now: Picoseconds) -> Option<f64>;
}

/// An algorithm that reacts to CNPs.
pub trait NotificationDriven {
    /// A data frame of `bytes` starts on the link.
    fn on_sent(&mut self, now: Picoseconds, bytes: Bytes<u32>);

    /// A congestion notification arrived.
    fn on_cnp(&mut self, now: Picoseconds);
}

/// An algorithm with the [`Feedback`] of ACKs that needs no more than every ACK reports.
pub trait AckDriven {
    /// An acknowledgement arrived.
    fn on_ack(&mut self, ack: &Ack);
}

/// An algorithm that needs what switches wrote into the acknowledged packet.
pub trait TelemetryDriven {
    /// An acknowledgement arrived, with the telemetry of each switch on the path of the acknowledged packet.
    fn on_telemetry(&mut self, ack: &Ack, hops: &[Hop]);
}

/// An algorithm whose receivers may request a smaller window.
pub trait PenaltyDriven {
    /// An acknowledgement arrived, with the reduction of the sender's window that the receiver requests.
    fn on_penalty(&mut self, ack: &Ack, penalty: Penalty);
}

/// An algorithm that reacts to losses.
pub trait LossDriven {
    /// A negative acknowledgement, a trimmed packet or a timeout.
    fn on_loss(&mut self, now: Picoseconds, loss: Loss);
}

/// An algorithm that limits the bytes outstanding.
pub trait Windowed {
    /// No more bytes than this may be outstanding, but always one packet; `None` = any number.
    fn window(&self) -> Option<f64>;

    /// The rate that the window allows, bits per second; `None` while no RTT is known: for time series.
    fn throughput(&self, now: Picoseconds) -> Option<f64>;
}

/// An algorithm that estimates congestion.
pub trait CongestionEstimate {
    /// The estimate, 0 to 1; `None` while no limiter is active.
    fn alpha(&self, now: Picoseconds) -> Option<f64>;
}
