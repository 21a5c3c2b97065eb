//! Event classes, in the order in which they happen at equal times.

/// A port selects the next frame. Entity: port.
pub const TRANSMIT: u32 = 0;
/// A PFC frame arrives. Entity: port that sent it.
pub const PFC_ARRIVES: u32 = 1;
/// A PFC frame takes effect. Entity: port that received it.
pub const PFC_APPLIES: u32 = 2;
/// A pause expires. Entity: port and priority.
pub const PAUSE_ENDS: u32 = 3;
/// A frame arrives. Entity: port that sent it.
pub const ARRIVES: u32 = 4;
/// A PFC frame is ready to be sent. Entity: port and priority; payload: number of earlier ones, and XOFF in the last bit.
pub const PFC_READY: u32 = 5;
/// XOFF is sent again. Entity: port and priority.
pub const REFRESH: u32 = 6;
/// The receive buffer of a NIC has drained. Entity: port.
pub const DRAINED: u32 = 7;
/// An operation is posted. Entity: operation.
pub const POST: u32 = 8;
/// A CNP is ready to be sent. Entity: queue pair.
pub const CNP_READY: u32 = 9;
/// A deadline of the transport. Entity: queue pair.
pub const DEADLINE: u32 = 10;
/// A poll of the watchdog at which its state may change. Entity: port and priority; payload 0. Or a fault starts or
/// ends. Entity: fault; payload [`OF_FAULT`].
pub const WATCHDOG: u32 = 11;
/// The same class.
pub const FAULT: u32 = WATCHDOG;
/// Payload that marks a WATCHDOG event as a fault.
pub const OF_FAULT: u32 = 1;
/// A port goes down or comes up, or the routes change. Entity: the port, or none; payload: which of these.
pub const ROUTE: u32 = 12;
/// A frame with credit arrives at its egress port. Entity: port and priority; several at the same time are equivalent.
pub const CROSSES: u32 = 13;
/// A receiver grants credit. Entity: port; payload 0. Or the timer of a sender expires. Entity: queue pair; payload
/// [`crate::simulation::credits::OF_SENDER`].
pub const CREDIT: u32 = 14;
/// Samples of the time series are taken.
pub const SAMPLE: u32 = 15;

/// Bit n: events of class n only refresh pauses or poll.
pub const OF_PAUSES: u32 = 1 << PFC_ARRIVES
    | 1 << PFC_APPLIES
    | 1 << PAUSE_ENDS
    | 1 << PFC_READY
    | 1 << REFRESH
    | 1 << SAMPLE;
