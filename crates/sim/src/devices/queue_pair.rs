//! One end of a connection in its NIC: it sends packets as fast as congestion control allows, and answers what arrives.
//!
//! What is sent and answered is the transport's business ([`crate::mechanisms::transport`]), how fast congestion control's
//! ([`crate::congestion`]), whose turn it is the port's ([`crate::devices::nic`]).

use crate::congestion::{Algorithm, CongestionControl};
use crate::devices::port::{enqueue, is_down};
use crate::mechanisms::frame::{Frame, Kind, CE, ECHO, ECT, FIRST, NAK, NONE, RNR, TRIMMED};
use crate::mechanisms::telemetry::Carried;
use crate::mechanisms::transport::{Arrival, Reply, Segment, Service, Timeout, Transport};
use crate::model::parameters::Notification;
use crate::model::scenario;
use crate::simulation::{class, Simulation};
use crate::time::{pacing_gap, Picoseconds, NANOSECOND, NEVER};

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
    pub port: u32,
    /// Index of the first hop to its peer.
    pub route: u32,
    /// Where it stands in its port's arbitration.
    pub turn: Turn,
    /// Of its data.
    pub priority: u8,
    /// Congestion control has a limiter.
    limited: bool,
    /// Too many deadlines passed; nothing is sent any more.
    pub failed: bool,
    /// Congestion control has a window.
    windowed: bool,
    /// Nothing is acknowledged: messages complete when they have left.
    pub unreliable: bool,
    /// What it sends has many destinations, each with a queue pair here.
    datagrams: bool,
    /// When its rate limiter lets the next packet go.
    pub next_allowed: Picoseconds,
    /// When a deadline event is pending; `NEVER` = none is.
    timer_at: Picoseconds,
    /// What it counts when it sends.
    pub sent: Sent,
    /// Where replies go, and what it counts when it receives.
    pub received: Received,
    /// The transport.
    pub transport: Service,
    /// Congestion control.
    pub congestion: Algorithm,
    next_cnp: Picoseconds,
    /// Packets that may be outstanding.
    window: u32,
    cnp_waits: bool,
    /// The peer hears of marks in ACKs.
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
pub struct Received {
    port: u32,
    route: u32,
    priority: u8,
    /// When the last payload stood in memory.
    pub last: Picoseconds,
    /// Payload accepted.
    pub bytes: u64,
}

impl Received {
    /// Acknowledgements leave in a priority of their own, if there is one.
    pub fn answer_by(&mut self, priority: Option<u8>) {
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
        port: u32,
        route: u32,
        priority: u8,
        transport: Service,
        congestion: Algorithm,
        service: scenario::Service,
    ) -> Self {
        QueuePair {
            port,
            route,
            turn: Turn::Idle,
            priority,
            limited: congestion.peek(0).is_some(),
            failed: false,
            windowed: service == scenario::Service::Rc
                && (congestion.window().is_some() || congestion.credit().is_some()),
            unreliable: service.unreliable(),
            datagrams: matches!(service, scenario::Service::Ud { .. }),
            next_allowed: 0,
            timer_at: NEVER,
            sent: Sent::default(),
            received: Received {
                port,
                route,
                priority,
                last: 0,
                bytes: 0,
            },
            transport,
            congestion,
            next_cnp: 0,
            window: 1,
            cnp_waits: false,
            echoes: false,
            counts: Counts::default(),
        }
    }

    /// Takes over what congestion control says now, in packets of `mtu` bytes.
    pub(crate) fn follow(&mut self, now: Picoseconds, mtu: u32) {
        self.limited = self.congestion.peek(now).is_some();
        if let Some(bytes) = self.congestion.window() {
            // What is outstanding may pass the window by less than a packet, and one packet always may be.
            self.window = ((bytes / f64::from(mtu)).ceil() as u32).max(1);
        }
        match self.congestion.credit() {
            Some(credit) if credit <= 0 => self.window = 0,
            Some(_) if self.congestion.window().is_none() => self.window = u32::MAX,
            _ => {}
        }
    }

    /// Whether it has no credit, and needs some.
    pub(crate) fn starves(&self) -> bool {
        self.windowed && self.congestion.credit().is_some_and(|it| it <= 0)
    }

    /// Whether it has something to send that its window allows.
    #[inline]
    pub(crate) fn may_send(&self) -> bool {
        self.transport.has_work() && !self.held()
    }

    /// Whether its window is full. Answers do not count.
    #[inline]
    fn held(&self) -> bool {
        self.windowed
            && self.transport.outstanding().in_flight >= self.window
            && !self.transport.answering()
    }
}

// The layout that QueuePair's page promises.
const _: () = assert!(
    std::mem::offset_of!(QueuePair, received) == 64
        && std::mem::offset_of!(QueuePair, transport) == 96
);

impl Simulation {
    /// Sends the next packet of a queue pair whose turn it is; its bytes, or `None` if it has none after all.
    #[inline]
    pub(crate) fn send(&mut self, id: u32) -> Option<u32> {
        let queue_pair = &mut self.queue_pairs[id as usize];
        if queue_pair.held() {
            return None;
        }
        let mut to = id;
        if queue_pair.datagrams {
            let operation = queue_pair.transport.operation()?;
            to = self.scenario.operations[operation as usize].queue_pair;
        }
        let segment = queue_pair.transport.next(self.now)?;
        let port = queue_pair.port;
        let frame = self.framed(to, &segment);
        let bytes = u32::from(frame.bytes);
        let on_link = bytes + self.settings.parameters.framing.gap_bytes;

        let queue_pair = &mut self.queue_pairs[id as usize];
        if segment.kind == Kind::Ack {
            queue_pair.counts.reply(segment.flags);
        } else {
            queue_pair.sent.packets += 1;
        }
        queue_pair.sent.retransmissions += u64::from(segment.again);
        self.totals.retransmissions += u64::from(segment.again);
        queue_pair.next_allowed = self.now;
        if queue_pair.limited {
            if let Some(rate) = queue_pair.congestion.rate(self.now) {
                queue_pair.next_allowed += pacing_gap(on_link, rate);
            }
            queue_pair.congestion.on_sent(self.now, on_link);
        }
        let deadline = queue_pair.transport.deadline();
        // Earlier than what is pending where that was the wait for a receiver, which ended before its time.
        if deadline < queue_pair.timer_at {
            queue_pair.timer_at = deadline;
            self.schedule(deadline, class::DEADLINE, id, 0);
        }

        let nic = &mut self.nics[self.ports[port as usize].device as usize];
        if segment.flags & FIRST != 0 && segment.kind != Kind::Udp {
            nic.begin_message(self.now);
        }
        nic.fetch(self.now, segment.payload);
        let index = self.frames.insert(frame);
        if self.telemetry.is_some() {
            let wanted = self.spend_credit(id, frame.kind, on_link);
            if let Some(telemetry) = &mut self.telemetry {
                telemetry.stamp(index, id, frame.kind, self.now, wanted);
            }
        }
        self.start(port, index);
        if self.queue_pairs[id as usize].unreliable {
            self.complete_messages(id);
        }
        if self.queue_pairs[id as usize].may_send() {
            self.line_up(id);
        }
        Some(bytes)
    }

    #[inline]
    fn framed(&self, id: u32, segment: &Segment) -> Frame {
        let framing = &self.settings.parameters.framing;
        let padded = segment.payload.next_multiple_of(framing.pad_bytes);
        let (bytes, ecn) = match segment.kind {
            Kind::Write if segment.flags & FIRST != 0 => {
                (framing.data_bytes + framing.write_first_bytes + padded, ECT)
            }
            Kind::Write | Kind::Send => (framing.data_bytes + padded, ECT),
            // Nobody slows datagrams down, so they do not say that they can be marked.
            Kind::Datagram => (framing.data_bytes + framing.datagram_bytes + padded, 0),
            Kind::ReadResponse => (framing.read_response(segment.flags) + padded, ECT),
            Kind::ReadRequest => (framing.read_request_bytes, 0),
            Kind::Tcp => (framing.encapsulation().tcp(segment.payload).bytes(), 0),
            Kind::Udp => (framing.encapsulation().udp(segment.payload).bytes(), 0),
            _ => (framing.ack_bytes, 0),
        };
        let queue_pair = &self.queue_pairs[id as usize];
        Frame {
            next: NONE,
            queue_pair: id ^ 1,
            psn: segment.psn,
            hop: queue_pair.route,
            ingress: 0,
            bytes: bytes.max(framing.minimum_bytes) as u16,
            payload: segment.payload as u16,
            cells: 0,
            kind: segment.kind,
            priority: queue_pair.priority,
            flags: segment.flags | ecn,
            span: segment.span,
        }
    }

    /// An acknowledgement or a CNP of queue pair `id` joins the queue of its port.
    pub(crate) fn send_control(
        &mut self,
        id: u32,
        kind: Kind,
        reply: Reply,
        carried: Option<&Carried>,
    ) {
        let framing = &self.settings.parameters.framing;
        let to = &self.queue_pairs[id as usize].received;
        let (bytes, priority) = match kind {
            Kind::Cnp => (framing.cnp_bytes, self.notification(id).priority),
            Kind::TcpAck => (framing.encapsulation().tcp(0).bytes(), to.priority),
            _ => (framing.ack_bytes, to.priority),
        };
        let port = to.port;
        if is_down(&self.ports[port as usize]) {
            return;
        }
        let index = self.frames.insert(Frame {
            next: NONE,
            queue_pair: id ^ 1,
            psn: reply.psn,
            hop: to.route,
            ingress: 0,
            bytes: bytes.max(framing.minimum_bytes) as u16,
            payload: 0,
            cells: 0,
            kind,
            priority,
            flags: reply.flags,
            span: reply.span,
        });
        if let Some(telemetry) = &mut self.telemetry {
            telemetry.put(index, carried.copied().unwrap_or(Carried::NOTHING));
        }
        let queue = &mut self.queues[(port, usize::from(priority))];
        enqueue(
            &mut self.ports[port as usize],
            queue,
            &mut self.frames,
            index,
        );
        self.kick(port);
    }

    /// A frame has arrived at a NIC port.
    #[inline]
    pub(crate) fn nic_receive(&mut self, port: u32, index: u32) {
        let frame = self.frames[index];
        let mut carried = self.telemetry.as_ref().map(|it| it.of(index));
        self.frames.remove(index);
        let id = frame.queue_pair;
        match frame.kind {
            Kind::Cnp => return self.notified(id),
            Kind::Credit | Kind::CreditRequest => {
                return self.credit_frame(&frame, carried.as_ref());
            }
            _ => {}
        }
        if frame.has(TRIMMED) && frame.kind != Kind::Ack {
            return self.header_arrives(id, &frame, carried.as_ref());
        }
        let wanted = carried.as_ref().map_or(0, |it| it.credit);
        if wanted > 0 && frame.kind != Kind::Ack {
            self.credit_wanted(id, wanted, 0);
        }
        let mut in_memory = self.now;
        if frame.payload > 0 && self.settings.pipes {
            match self.take_in(port, &frame) {
                Some(time) => in_memory = time,
                None => return,
            }
            if let Some(carried) = &mut carried {
                self.ask_for_less(port, &frame, carried);
            }
        }
        let asked = match frame.kind {
            Kind::ReadRequest => self.queue_pairs[id as usize ^ 1]
                .transport
                .asked_for(frame.psn),
            _ => None,
        };
        let queue_pair = &mut self.queue_pairs[id as usize];
        let before = match carried {
            Some(_) => queue_pair.transport.outstanding().arrived,
            None => 0,
        };
        let outcome = queue_pair.transport.receive(
            self.now,
            Arrival {
                kind: frame.kind,
                psn: frame.psn,
                payload: u32::from(frame.payload),
                flags: frame.flags,
                span: frame.span,
                asked,
            },
        );
        if outcome.delivered > 0 {
            queue_pair.received.bytes += u64::from(outcome.delivered);
            queue_pair.received.last = in_memory;
        }
        if frame.has(CE) {
            queue_pair.counts.marked += 1;
            self.mark_seen(id);
        }
        if frame.has(ECHO) {
            self.notified(id);
        }
        if let Some(reply) = outcome.reply {
            let queue_pair = &mut self.queue_pairs[id as usize];
            queue_pair.counts.reply(reply.flags);
            let kind = match frame.kind {
                Kind::Tcp => Kind::TcpAck,
                _ => Kind::Ack,
            };
            self.send_control(id, kind, reply, carried.as_ref());
        }
        if let (Some(carried), Kind::Ack) = (&carried, frame.kind) {
            self.acknowledged(id, &frame, carried, before);
        }
        if outcome.progress {
            if outcome.failed {
                return self.fail(id);
            }
            if outcome.rearm {
                self.rearm(id);
            }
            self.complete_messages(id);
            self.activate(id);
        }
    }

    /// A congestion notification has reached the sender.
    fn notified(&mut self, id: u32) {
        self.totals.cnps += 1;
        let queue_pair = &mut self.queue_pairs[id as usize];
        queue_pair.counts.cnps += 1;
        queue_pair.congestion.on_cnp(self.now);
        queue_pair.limited = queue_pair.congestion.peek(self.now).is_some();
    }

    /// A marked packet: a CNP, unless one of this queue pair left within the interval (IBTA annex A17.9.3, DCQCN's NP).
    fn mark_seen(&mut self, id: u32) {
        let notification = self.notification(id);
        if notification.in_ack || self.queue_pairs[id as usize].echoes {
            return;
        }
        let interval = notification.interval_ns * NANOSECOND;
        let delay = notification.delay_ns * NANOSECOND;
        let queue_pair = &mut self.queue_pairs[id as usize];
        if self.now < queue_pair.next_cnp || queue_pair.cnp_waits {
            return;
        }
        queue_pair.next_cnp = self.now + interval;
        queue_pair.cnp_waits = true;
        let port = queue_pair.port;
        let delay = delay + self.cnp_lateness(port);
        if delay == 0 {
            return self.send_cnp(id);
        }
        let ready = self.now + delay;
        self.schedule(ready, class::CNP_READY, id, 0);
    }

    /// How the notification point of a queue pair is set.
    fn notification(&self, id: u32) -> &Notification {
        let queue_pair = &self.queue_pairs[id as usize];
        let priority = usize::from(queue_pair.priority);
        let set = self.scenario.of_lane(queue_pair.port, priority);
        &set.notification
    }

    /// The CNP stands in line.
    pub(crate) fn send_cnp(&mut self, id: u32) {
        self.queue_pairs[id as usize].cnp_waits = false;
        self.send_control(id, Kind::Cnp, Reply::default(), None);
    }

    /// A deadline of a transport has come.
    pub(crate) fn deadline(&mut self, id: u32) {
        let queue_pair = &mut self.queue_pairs[id as usize];
        if queue_pair.timer_at != self.now {
            return;
        }
        queue_pair.timer_at = NEVER;
        if self.credits.is_some() && self.waits_for_credit(id) {
            self.queue_pairs[id as usize].transport.postpone(self.now);
        }
        let queue_pair = &mut self.queue_pairs[id as usize];
        match queue_pair.transport.timeout(self.now) {
            Timeout::Idle => {}
            Timeout::Later(time) => self.arm(id, time),
            Timeout::Resend(time) => {
                queue_pair.counts.timeouts += 1;
                self.arm(id, time);
                self.timed_out(id);
                self.activate(id);
            }
            Timeout::Ready(time) => {
                self.arm(id, time);
                self.activate(id);
            }
            Timeout::Report(reply, time) => {
                queue_pair.counts.reply(reply.flags);
                self.arm(id, time);
                self.send_control(id, Kind::Ack, reply, None);
            }
            Timeout::Failed => self.fail(id),
        }
    }

    /// The deadline may be earlier than the event that is pending for it, which then comes in vain.
    fn rearm(&mut self, id: u32) {
        let queue_pair = &self.queue_pairs[id as usize];
        let deadline = queue_pair.transport.deadline();
        if deadline < queue_pair.timer_at {
            self.arm(id, deadline);
        }
    }

    fn arm(&mut self, id: u32, time: Picoseconds) {
        if time == NEVER {
            return;
        }
        self.queue_pairs[id as usize].timer_at = time;
        self.schedule(time, class::DEADLINE, id, 0);
    }
}
