//! One end of a connection in its NIC: it sends packets as fast as congestion control allows, and answers what arrives.
//!
//! What is sent and answered is the transport's business ([`crate::mechanisms::transport`]), how fast congestion control's
//! ([`crate::congestion`]), whose turn it is the port's ([`crate::devices::nic`]).

use crate::bytes::Bytes;
use crate::congestion::{Algorithm, CongestionControl, ReceiverDriven};
use crate::ids::{PortId, Priority};
use crate::mechanisms::frame::{Kind, NAK, RNR};
use crate::mechanisms::transport::{Segment, Service, Transport};
use crate::model::scenario;
use crate::time::{pacing_gap, Picoseconds, NEVER};

/// Where a queue pair stands in its port's arbitration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It has nothing to send.
    Idle,
    /// It may send.
    Ready,
    /// Its rate limiter holds it.
    Paced,
}

/// One end of a connection in its NIC.
///
/// The first cache line serves sending, the second (with the transport's responder) receiving, the third (the transport's
/// requester) both; what follows is touched less often.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct QueuePair {
    /// Its port.
    pub port: PortId,
    /// Index of the first hop to its peer.
    pub route: u32,
    /// Where it stands in its port's arbitration.
    pub turn: Turn,
    /// Of its data.
    pub priority: Priority,
    /// Congestion control has a limiter.
    limited: bool,
    /// Too many deadlines passed; nothing is sent any more.
    pub failed: bool,
    /// Congestion control has a window.
    windowed: bool,
    /// Nothing is acknowledged: messages complete when they have left.
    pub unreliable: bool,
    /// What it sends has many destinations, each with a queue pair here.
    pub(crate) datagrams: bool,
    /// When its rate limiter lets the next packet go.
    pub next_allowed: Picoseconds,
    /// When a deadline event is pending; `NEVER` = none is.
    pub(crate) timer_at: Picoseconds,
    /// What it counts when it sends.
    pub sent: Sent,
    /// Where replies go, and what it counts when it receives.
    pub received: ReceiverState,
    /// The transport.
    pub transport: Service,
    /// Congestion control.
    pub congestion: Algorithm,
    next_cnp: Picoseconds,
    /// Packets that may be outstanding.
    window: u32,
    cnp_waits: bool,
    /// ACKs report marks to the peer.
    pub echoes: bool,
    /// What happens seldom.
    pub counts: Counts,
}

/// What a queue pair counts when it sends.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
pub struct Sent {
    /// Data packets and read requests.
    pub packets: u64,
    /// Of these, sent before.
    pub retransmissions: u64,
}

/// What replies need, and what a queue pair counts when it receives.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub struct ReceiverState {
    pub(crate) port: PortId,
    pub(crate) route: u32,
    pub(crate) priority: Priority,
    /// When the last payload stood in memory.
    pub last: Picoseconds,
    /// Payload accepted.
    pub bytes: Bytes,
}

impl ReceiverState {
    /// Acknowledgements leave in a priority of their own, if there is one.
    pub fn answer_by(&mut self, priority: Option<Priority>) {
        self.priority = priority.unwrap_or(self.priority);
    }
}

/// What a queue pair counts seldom.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Packets received with CE.
    pub marked: u64,
    /// Congestion notifications received.
    pub cnps: u64,
    /// Negative acknowledgements sent: something is missing.
    pub naks: u64,
    /// Negative acknowledgements sent: not ready to receive.
    pub rnr_naks: u64,
    /// Deadlines that passed.
    pub timeouts: u64,
}

impl Counts {
    /// An acknowledgement with these flags leaves.
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
    /// A queue pair on which nothing was posted.
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
            sent: Sent::default(),
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

    /// Takes over the rate and window of congestion control, in packets of `mtu` bytes.
    pub(crate) fn follow(&mut self, now: Picoseconds, mtu: Bytes<u32>) {
        self.limited = self.congestion.peek(now).is_some();
        if let Some(bytes) = self.congestion.window() {
            // What is outstanding may pass the window by less than a packet, and one packet always may be.
            self.window = ((bytes / mtu.as_f64()).ceil() as u32).max(1);
        }
        match self.credit() {
            Some(credit) if credit <= Bytes(0) => self.window = 0,
            Some(_) if self.congestion.window().is_none() => self.window = u32::MAX,
            _ => {}
        }
    }

    /// Its credit, if its receiver has to grant it any.
    #[inline]
    pub(crate) fn credit(&self) -> Option<Bytes<i64>> {
        self.congestion
            .receiver_driven()
            .map(ReceiverDriven::credit)
    }

    /// Whether it has no credit, and needs some.
    pub(crate) fn starves(&self) -> bool {
        self.windowed && self.credit().is_some_and(|credit| credit <= Bytes(0))
    }

    /// Whether it has something to send that its window allows.
    #[inline]
    pub(crate) fn may_send(&self) -> bool {
        self.transport.has_work() && !self.held()
    }

    /// Whether its window is full. Answers do not count.
    #[inline]
    pub(crate) fn held(&self) -> bool {
        self.windowed
            && self.transport.outstanding().in_flight >= self.window
            && !self.transport.answering()
    }

    /// Counts a packet that leaves with so many bytes on the link, and charges it to the rate limiter.
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

    /// The deadline that an event has to be scheduled for, if none is pending that comes before it.
    #[inline]
    pub(crate) fn take_deadline(&mut self) -> Option<Picoseconds> {
        let deadline = self.transport.deadline();
        if deadline >= self.timer_at {
            return None;
        }
        self.timer_at = deadline;
        Some(deadline)
    }

    /// A congestion notification has arrived.
    pub(crate) fn notify(&mut self, now: Picoseconds) {
        self.counts.cnps += 1;
        self.congestion.on_cnp(now);
        self.limited = self.congestion.peek(now).is_some();
    }

    /// A marked packet has arrived. Whether a CNP is due: one at most leaves within `interval`.
    pub(crate) fn takes_cnp_turn(&mut self, now: Picoseconds, interval: Picoseconds) -> bool {
        if now < self.next_cnp || self.cnp_waits {
            return false;
        }
        self.next_cnp = now + interval;
        self.cnp_waits = true;
        true
    }

    /// The CNP that was due leaves.
    pub(crate) fn cnp_leaves(&mut self) {
        self.cnp_waits = false;
    }
}

// The layout that QueuePair's page promises.
const _: () = assert!(
    std::mem::offset_of!(QueuePair, received) == 64
        && std::mem::offset_of!(QueuePair, transport) == 96
);
