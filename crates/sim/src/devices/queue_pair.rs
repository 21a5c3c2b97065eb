//! One end of a connection in its NIC: it sends packets at the rate that congestion control allows, and replies to packets.
//!
//! The transport ([`crate::mechanisms::transport`]) selects packets and replies, congestion control
//! ([`crate::congestion`]) sets rate and window, and the port ([`crate::devices::nic`]) arbitrates between queue pairs.

use crate::bytes::Bytes;
use crate::congestion::{Algorithm, CongestionControl, ReceiverDriven};
use crate::ids::{PortId, Priority};
use crate::mechanisms::frame::{Kind, NAK, RNR};
use crate::mechanisms::transport::{Segment, Service, Transport};
use crate::model::scenario;
use crate::time::{pacing_gap, Picoseconds, NEVER};

/// State of a queue pair in the arbitration of its port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It has nothing to send.
    Idle,
    /// It is ready to send.
    Ready,
    /// It waits for its rate limiter.
    Paced,
}

/// One end of a connection in its NIC.
///
/// The first cache line is for sending, the second (with the transport's responder) for receiving, the third (the transport's
/// requester) for both; the following fields are accessed less often.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct QueuePair {
    /// Its port.
    pub port: PortId,
    /// Index of the first hop to its peer.
    pub route: u32,
    /// Its state in the arbitration of its port.
    pub turn: Turn,
    /// Priority of its data.
    pub priority: Priority,
    /// Congestion control has a limiter.
    limited: bool,
    /// In the error state after too many retries; nothing is sent any more.
    pub failed: bool,
    /// Congestion control has a window.
    windowed: bool,
    /// Packets are not acknowledged: messages complete when they have been sent.
    pub unreliable: bool,
    /// It sends datagrams to many destinations, each with a queue pair here.
    pub(crate) datagrams: bool,
    /// Time at which its rate limiter allows the next packet.
    pub next_allowed: Picoseconds,
    /// Time of the pending deadline event; `NEVER` = none.
    pub(crate) timer_at: Picoseconds,
    /// Counters of sending.
    pub sent: SentTotals,
    /// Path of replies, and counters of receiving.
    pub received: ReceiverState,
    /// The transport.
    pub transport: Service,
    /// Congestion control.
    pub congestion: Algorithm,
    next_cnp: Picoseconds,
    /// Maximum number of outstanding packets.
    window: u32,
    cnp_waits: bool,
    /// ACKs report marks to the peer.
    pub echoes: bool,
    /// Counters of rare events.
    pub counts: Counts,
}

/// Counters of a queue pair for sending.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
pub struct SentTotals {
    /// Data packets and read requests.
    pub packets: u64,
    /// Retransmissions among these.
    pub retransmissions: u64,
}

/// Path of replies, and counters of a queue pair for receiving.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub struct ReceiverState {
    pub(crate) port: PortId,
    pub(crate) route: u32,
    pub(crate) priority: Priority,
    /// Time at which the last payload was in memory.
    pub last: Picoseconds,
    /// Payload accepted.
    pub bytes: Bytes,
}

impl ReceiverState {
    /// Priority of acknowledgements.
    pub fn answer_by(&mut self, priority: Option<Priority>) {
        self.priority = priority.unwrap_or(self.priority);
    }
}

/// Counters of a queue pair for rare events.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Packets received with CE.
    pub marked: u64,
    /// Congestion notifications received.
    pub cnps: u64,
    /// Negative acknowledgements sent: packet sequence error.
    pub naks: u64,
    /// Negative acknowledgements sent: receiver not ready.
    pub rnr_naks: u64,
    /// Expired timeouts.
    pub timeouts: u64,
}

impl Counts {
    /// Counts an acknowledgement with these flags.
    #[inline]
    pub(crate) fn reply(&mut self, flags: u8) {
        if flags & NAK != 0 {
            let not_ready = flags & RNR == RNR;
            self.naks += u64::from(!not_ready);
            self.rnr_naks += u64::from(not_ready);
        }
    }
}

impl QueuePair {
    /// A queue pair without operations.
    pub fn new(
        port: PortId,
        route: u32,
        priority: Priority,
        transport: Service,
        congestion: Algorithm,
        service: scenario::Service,
    ) -> Self {
        QueuePair {
            port,
            route,
            turn: Turn::Idle,
            priority,
            limited: congestion.peek(Picoseconds::ZERO).is_some(),
            failed: false,
            windowed: service == scenario::Service::Rc
                && (congestion.window().is_some() || congestion.receiver_driven().is_some()),
            unreliable: service.unreliable(),
            datagrams: matches!(service, scenario::Service::Ud { .. }),
            next_allowed: Picoseconds::ZERO,
            timer_at: NEVER,
            sent: SentTotals::default(),
            received: ReceiverState {
                port,
                route,
                priority,
                last: Picoseconds::ZERO,
                bytes: Bytes(0),
            },
            transport,
            congestion,
            next_cnp: Picoseconds::ZERO,
            window: 1,
            cnp_waits: false,
            echoes: false,
            counts: Counts::default(),
        }
    }

    /// Applies the rate and window of congestion control, in packets of `mtu` bytes.
    pub(crate) fn follow(&mut self, now: Picoseconds, mtu: Bytes<u32>) {
        self.limited = self.congestion.peek(now).is_some();
        if let Some(bytes) = self.congestion.window() {
            // Outstanding bytes may exceed the window by less than a packet, and one packet is always allowed.
            self.window = ((bytes / mtu.as_f64()).ceil() as u32).max(1);
        }
        match self.credit() {
            Some(credit) if credit <= Bytes(0) => self.window = 0,
            Some(_) if self.congestion.window().is_none() => self.window = u32::MAX,
            _ => {}
        }
    }

    /// Its credit, if congestion control is receiver-driven.
    #[inline]
    pub(crate) fn credit(&self) -> Option<Bytes<i64>> {
        self.congestion
            .receiver_driven()
            .map(ReceiverDriven::credit)
    }

    /// Whether it needs credit and has none.
    pub(crate) fn starves(&self) -> bool {
        self.windowed && self.credit().is_some_and(|credit| credit <= Bytes(0))
    }

    /// Whether it has packets to send that its window allows.
    #[inline]
    pub(crate) fn may_send(&self) -> bool {
        self.transport.has_work() && !self.is_window_full()
    }

    /// Whether its window is full. Replies do not count.
    #[inline]
    pub(crate) fn is_window_full(&self) -> bool {
        self.windowed
            && self.transport.progress().in_flight >= self.window
            && !self.transport.has_answers()
    }

    /// Counts a packet that is sent, with its bytes on the link, and charges it to the rate limiter.
    #[inline]
    pub(crate) fn count_sent(&mut self, segment: &Segment, now: Picoseconds, on_link: Bytes<u32>) {
        if segment.kind == Kind::Ack {
            self.counts.reply(segment.flags);
        } else {
            self.sent.packets += 1;
        }
        self.sent.retransmissions += u64::from(segment.again);
        self.next_allowed = now;
        if self.limited {
            if let Some(rate) = self.congestion.rate(now) {
                self.next_allowed += pacing_gap(on_link, rate);
            }
            self.congestion.on_sent(now, on_link);
        }
    }

    /// The deadline for which an event must be scheduled, unless an earlier one is pending.
    #[inline]
    pub(crate) fn take_deadline(&mut self) -> Option<Picoseconds> {
        let deadline = self.transport.deadline();
        if deadline >= self.timer_at {
            return None;
        }
        self.timer_at = deadline;
        Some(deadline)
    }

    /// Processes a congestion notification.
    pub(crate) fn notify(&mut self, now: Picoseconds) {
        self.counts.cnps += 1;
        self.congestion.on_cnp(now);
        self.limited = self.congestion.peek(now).is_some();
    }

    /// Counts a marked packet. Returns whether a CNP is due: at most one is sent per `interval`.
    pub(crate) fn takes_cnp_turn(&mut self, now: Picoseconds, interval: Picoseconds) -> bool {
        if now < self.next_cnp || self.cnp_waits {
            return false;
        }
        self.next_cnp = now + interval;
        self.cnp_waits = true;
        true
    }

    /// Records that the CNP is sent.
    pub(crate) fn cnp_leaves(&mut self) {
        self.cnp_waits = false;
    }
}

// The layout that the documentation of QueuePair states.
const _: () = assert!(
    std::mem::offset_of!(QueuePair, received) == 64
        && std::mem::offset_of!(QueuePair, transport) == 96
);
