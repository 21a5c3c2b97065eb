//! A NIC port: it chooses between its queue pairs and its own acknowledgements, and takes in what arrives.
//!
//! Between memory and NIC stands the host pipe. Where it is slower than the link, sending waits for it, and what arrives
//! waits in the receive buffer, for which the NIC sends PFC.

use crate::congestion::{Algorithm, CongestionControl};
use crate::frame::{Frame, Kind, CE, ECHO, ECT, FIRST, NAK, NONE};
use crate::parameters::{self, PRIORITIES};
use crate::port::{dequeue, enqueue};
use crate::rc::Rc;
use crate::simulation::{class, Simulation};
use crate::time::{pacing_gap, ByteTime, Picoseconds, NANOSECOND, NEVER, SECOND};
use crate::transport::{Arrival, Segment, Timeout, Transport};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Where a queue pair stands in its port's arbitration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
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
    next_ready: u32,
    turn: Turn,
    priority: u8,
    /// Congestion control has a limiter.
    limited: bool,
    /// Too many deadlines passed; nothing is sent any more.
    pub failed: bool,
    /// When its rate limiter lets the next packet go.
    next_allowed: Picoseconds,
    /// When a deadline event is pending; `NEVER` = none is.
    timer_at: Picoseconds,
    /// What it counts when it sends.
    pub sent: Sent,
    /// Where replies go, and what it counts when it receives.
    pub received: Received,
    /// The transport.
    pub transport: Rc,
    /// Congestion control.
    pub congestion: Algorithm,
    next_cnp: Picoseconds,
    cnp_waits: bool,
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

/// What a queue pair counts seldom.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Packets received with CE.
    pub marked: u64,
    /// Congestion notifications received.
    pub cnps: u64,
    /// Negative acknowledgements sent.
    pub naks: u64,
    /// Deadlines that passed.
    pub timeouts: u64,
}

/// Queue pairs of one priority that may send, in the order of their turns.
#[derive(Debug, Clone, Copy)]
struct Ring {
    head: u32,
    tail: u32,
    length: u32,
}

/// The arbitration of one NIC port, and the host pipe behind it. What each packet needs stands first, in one cache line.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct NicPort {
    paced: BinaryHeap<Reverse<(Picoseconds, u32)>>,
    /// When the next message may begin, and the time between two.
    gate: Picoseconds,
    message_gap: Picoseconds,
    /// Until when the pipe fetches what is being sent.
    pipe_until: Picoseconds,
    ready: u8,
    piped: bool,
    rings: [Ring; PRIORITIES],
    pipe: Option<Pipe>,
    /// When all that was received will be in memory.
    received_until: Picoseconds,
    pausing: u8,
    /// Frames dropped because the receive buffer was full.
    pub drops: u64,
    /// Most time the receive buffer needed to drain: its fill, in bytes of payload.
    pub most_received: u64,
}

#[derive(Debug, Clone, Copy)]
struct Pipe {
    byte: ByteTime,
    latency: Picoseconds,
    buffer: Picoseconds,
    xoff: Picoseconds,
    xon: Picoseconds,
}

impl QueuePair {
    /// A queue pair on which nothing was posted.
    pub fn new(port: u32, route: u32, priority: u8, transport: Rc, congestion: Algorithm) -> Self {
        QueuePair {
            port,
            route,
            next_ready: NONE,
            turn: Turn::Idle,
            priority,
            limited: congestion.peek(0).is_some(),
            failed: false,
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
            cnp_waits: false,
            counts: Counts::default(),
        }
    }
}

impl NicPort {
    /// An idle port.
    pub fn new(parameters: &parameters::Nic) -> Self {
        let rate = parameters.messages_per_second;
        NicPort {
            paced: BinaryHeap::new(),
            gate: 0,
            message_gap: rate.map_or(0, |rate| SECOND / rate),
            pipe_until: 0,
            ready: 0,
            piped: parameters.pipe.is_some(),
            rings: [Ring::EMPTY; PRIORITIES],
            pipe: parameters.pipe.as_ref().map(Pipe::new),
            received_until: 0,
            pausing: 0,
            drops: 0,
            most_received: 0,
        }
    }

    /// From a post to the NIC having the first byte.
    pub fn latency(&self) -> Picoseconds {
        self.pipe.map_or(0, |pipe| pipe.latency)
    }

    /// The pipe fetches what is being sent.
    fn fetch(&mut self, now: Picoseconds, payload: u32) {
        let time = self.pipe.map_or(0, |pipe| pipe.byte.times(payload));
        self.pipe_until = now + time;
    }

    fn push(&mut self, queue_pairs: &mut [QueuePair], id: u32) {
        let queue_pair = &mut queue_pairs[id as usize];
        queue_pair.turn = Turn::Ready;
        queue_pair.next_ready = NONE;
        let priority = queue_pair.priority;
        let ring = &mut self.rings[usize::from(priority)];
        if ring.length == 0 {
            ring.head = id;
        } else {
            queue_pairs[ring.tail as usize].next_ready = id;
        }
        ring.tail = id;
        ring.length += 1;
        self.ready |= 1 << priority;
    }

    fn pop(&mut self, queue_pairs: &[QueuePair], priority: u8) -> u32 {
        let ring = &mut self.rings[usize::from(priority)];
        let id = ring.head;
        ring.head = queue_pairs[id as usize].next_ready;
        ring.length -= 1;
        if ring.length == 0 {
            self.ready &= !(1 << priority);
        }
        id
    }

    /// The next queue pair of a priority that may send; while no message may begin, one in the middle of its message.
    #[inline]
    fn take(
        &mut self,
        queue_pairs: &mut [QueuePair],
        priority: u8,
        now: Picoseconds,
    ) -> Option<u32> {
        if self.gate <= now {
            return Some(self.pop(queue_pairs, priority));
        }
        for _ in 0..self.rings[usize::from(priority)].length {
            let id = self.pop(queue_pairs, priority);
            if !queue_pairs[id as usize].transport.begins_message() {
                return Some(id);
            }
            self.push(queue_pairs, id);
        }
        None
    }

    /// Queue pairs that their limiters let go now.
    #[inline]
    fn release_paced(&mut self, queue_pairs: &mut [QueuePair], now: Picoseconds) {
        while let Some(Reverse((time, id))) = self.paced.peek().copied() {
            if time > now {
                return;
            }
            self.paced.pop();
            self.push(queue_pairs, id);
        }
    }
}

// The layout that QueuePair's page promises.
const _: () = assert!(
    std::mem::offset_of!(QueuePair, received) == 64
        && std::mem::offset_of!(QueuePair, transport) == 96
);

impl Ring {
    const EMPTY: Ring = Ring {
        head: NONE,
        tail: NONE,
        length: 0,
    };
}

impl Pipe {
    fn new(parameters: &parameters::Pipe) -> Self {
        let byte = ByteTime::of(u64::from(parameters.gbps) * 1_000_000_000);
        Pipe {
            byte,
            latency: parameters.latency_ns * NANOSECOND,
            buffer: byte.times(parameters.receive_buffer_bytes),
            xoff: byte.times(parameters.xoff_bytes),
            xon: byte.times(parameters.xon_bytes),
        }
    }
}

impl Simulation {
    /// A queue pair may have something to send.
    pub(crate) fn activate(&mut self, id: u32) {
        let queue_pair = &self.queue_pairs[id as usize];
        if queue_pair.turn != Turn::Idle || !queue_pair.transport.has_work() {
            return;
        }
        let port = queue_pair.port;
        self.line_up(id);
        self.kick(port);
    }

    /// An idle port sends an acknowledgement, a CNP or a packet of a queue pair.
    #[inline]
    pub(crate) fn nic_transmit(&mut self, port: u32) {
        let now = self.now;
        let device = self.ports[port as usize].device as usize;
        self.nics[device].release_paced(&mut self.queue_pairs, now);
        let mut held = 0;
        loop {
            let obeyed = self.control_paused(port);
            let state = &mut self.ports[port as usize];
            let nic = &mut self.nics[device];
            let control = state.waiting & !obeyed;
            let data = if nic.pipe_until > now {
                0
            } else {
                nic.ready & !state.paused & !held
            };
            let eligible = control | data;
            if eligible == 0 {
                break;
            }
            let scheduler = &self.settings.scheduler;
            let priority = scheduler.choose(port, state, &mut self.queues, eligible);
            let queue = &mut self.queues[(port, usize::from(priority))];
            if control & (1 << priority) != 0 {
                let Some(index) = dequeue(state, queue, &self.frames, priority, now) else {
                    break;
                };
                scheduler.charge(queue, eligible, u32::from(self.frames[index].bytes));
                self.start(port, index);
                break;
            }
            let Some(id) = nic.take(&mut self.queue_pairs, priority, now) else {
                held |= 1 << priority;
                continue;
            };
            self.queue_pairs[id as usize].turn = Turn::Idle;
            if let Some(bytes) = self.send(id) {
                let queue = &mut self.queues[(port, usize::from(priority))];
                self.settings.scheduler.charge(queue, eligible, bytes);
                break;
            }
        }
        self.wake_for_next(port);
    }

    /// Sends the next packet of a queue pair whose turn it is; its bytes, or `None` if it has none after all.
    #[inline]
    fn send(&mut self, id: u32) -> Option<u32> {
        let queue_pair = &mut self.queue_pairs[id as usize];
        let segment = queue_pair.transport.next(self.now)?;
        let port = queue_pair.port;
        let frame = self.framed(id, &segment);
        let bytes = u32::from(frame.bytes);
        let on_link = bytes + self.settings.parameters.framing.gap_bytes;

        let queue_pair = &mut self.queue_pairs[id as usize];
        if segment.kind == Kind::Ack {
            queue_pair.counts.naks += u64::from(segment.flags & NAK != 0);
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
        if deadline != NEVER && queue_pair.timer_at == NEVER {
            queue_pair.timer_at = deadline;
            self.schedule(deadline, class::DEADLINE, id, 0);
        }

        let nic = &mut self.nics[self.ports[port as usize].device as usize];
        if segment.flags & FIRST != 0 && nic.message_gap > 0 {
            nic.gate = nic.gate.max(self.now) + nic.message_gap;
        }
        if nic.piped {
            nic.fetch(self.now, segment.payload);
        }
        let index = self.frames.insert(frame);
        self.start(port, index);
        if self.queue_pairs[id as usize].transport.has_work() {
            self.line_up(id);
        }
        Some(bytes)
    }

    /// A queue pair with something to send takes its place: ready, or held by its limiter.
    #[inline]
    fn line_up(&mut self, id: u32) {
        let queue_pair = &mut self.queue_pairs[id as usize];
        let state = &self.ports[queue_pair.port as usize];
        let nic = &mut self.nics[state.device as usize];
        if queue_pair.next_allowed <= state.busy_until.max(self.now) {
            return nic.push(&mut self.queue_pairs, id);
        }
        queue_pair.turn = Turn::Paced;
        nic.paced.push(Reverse((queue_pair.next_allowed, id)));
    }

    /// When the port has to look again.
    #[inline]
    fn wake_for_next(&mut self, port: u32) {
        let state = &self.ports[port as usize];
        let nic = &self.nics[state.device as usize];
        let free = state.busy_until.max(self.now);
        if state.control || state.waiting & !self.control_paused(port) != 0 {
            return self.wake(port, free);
        }
        let mut at = NEVER;
        if nic.ready & !state.paused != 0 {
            let gate = if free == self.now { nic.gate } else { 0 };
            at = free.max(nic.pipe_until).max(gate);
        }
        if let Some(Reverse((time, _))) = nic.paced.peek() {
            at = at.min(free.max(*time));
        }
        if at != NEVER {
            self.wake(port, at);
        }
    }

    #[inline]
    fn control_paused(&self, port: u32) -> u8 {
        if self.settings.parameters.nic.control_ignores_pause {
            0
        } else {
            self.ports[port as usize].paused
        }
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
            Kind::ReadResponse => (framing.read_response(segment.flags) + padded, ECT),
            Kind::ReadRequest => (framing.read_request_bytes, 0),
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
        }
    }

    /// An acknowledgement or a CNP of queue pair `id` joins the queue of its port.
    fn send_control(&mut self, id: u32, kind: Kind, psn: u32, flags: u8) {
        let framing = &self.settings.parameters.framing;
        let to = &self.queue_pairs[id as usize].received;
        let (bytes, priority) = match kind {
            Kind::Cnp => (
                framing.cnp_bytes,
                self.settings.parameters.notification.priority,
            ),
            _ => (framing.ack_bytes, to.priority),
        };
        let port = to.port;
        let index = self.frames.insert(Frame {
            next: NONE,
            queue_pair: id ^ 1,
            psn,
            hop: to.route,
            ingress: 0,
            bytes: bytes as u16,
            payload: 0,
            cells: 0,
            kind,
            priority,
            flags,
        });
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
        self.frames.remove(index);
        let id = frame.queue_pair;
        if frame.kind == Kind::Cnp {
            return self.notified(id);
        }
        let mut in_memory = self.now;
        if frame.payload > 0 && self.settings.parameters.nic.pipe.is_some() {
            match self.take_in(port, &frame) {
                Some(time) => in_memory = time,
                None => return,
            }
        }
        let asked = match frame.kind {
            Kind::ReadRequest => self.queue_pairs[id as usize ^ 1]
                .transport
                .asked_for(frame.psn),
            _ => None,
        };
        let queue_pair = &mut self.queue_pairs[id as usize];
        let outcome = queue_pair.transport.receive(
            self.now,
            Arrival {
                kind: frame.kind,
                psn: frame.psn,
                payload: u32::from(frame.payload),
                flags: frame.flags,
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
            if reply.flags & NAK != 0 {
                queue_pair.counts.naks += 1;
            }
            self.send_control(id, Kind::Ack, reply.psn, reply.flags);
        }
        if outcome.progress {
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
        if self.settings.parameters.notification.in_ack {
            return;
        }
        let queue_pair = &mut self.queue_pairs[id as usize];
        if self.now < queue_pair.next_cnp || queue_pair.cnp_waits {
            return;
        }
        queue_pair.next_cnp = self.now + self.settings.cnp_interval;
        queue_pair.cnp_waits = true;
        if self.settings.cnp_delay == 0 {
            return self.send_cnp(id);
        }
        let ready = self.now + self.settings.cnp_delay;
        self.schedule(ready, class::CNP_READY, id, 0);
    }

    /// The CNP stands in line.
    pub(crate) fn send_cnp(&mut self, id: u32) {
        self.queue_pairs[id as usize].cnp_waits = false;
        self.send_control(id, Kind::Cnp, 0, 0);
    }

    /// A deadline of a transport has come.
    pub(crate) fn deadline(&mut self, id: u32) {
        let queue_pair = &mut self.queue_pairs[id as usize];
        if queue_pair.timer_at != self.now {
            return;
        }
        queue_pair.timer_at = NEVER;
        match queue_pair.transport.timeout(self.now) {
            Timeout::Idle => {}
            Timeout::Later(time) => self.arm(id, time),
            Timeout::Resend(time) => {
                queue_pair.counts.timeouts += 1;
                self.arm(id, time);
                self.activate(id);
            }
            Timeout::Failed => self.fail(id),
        }
    }

    fn arm(&mut self, id: u32, time: Picoseconds) {
        self.queue_pairs[id as usize].timer_at = time;
        self.schedule(time, class::DEADLINE, id, 0);
    }

    /// Payload enters the receive buffer. When it will be in memory; `None` if the buffer is full.
    #[inline]
    fn take_in(&mut self, port: u32, frame: &Frame) -> Option<Picoseconds> {
        let nic = &mut self.nics[self.ports[port as usize].device as usize];
        let Some(pipe) = nic.pipe else {
            return Some(self.now);
        };
        let until = nic.received_until.max(self.now) + pipe.byte.times(u32::from(frame.payload));
        let fill = until - self.now;
        if fill > pipe.buffer {
            nic.drops += 1;
            self.totals.drops += 1;
            return None;
        }
        nic.received_until = until;
        nic.most_received = nic.most_received.max(fill);
        let bit = 1 << frame.priority;
        let lossless = self.settings.parameters.pfc.lossless_priorities;
        if fill >= pipe.xoff && nic.pausing & bit == 0 && lossless & bit != 0 {
            let first = nic.pausing == 0;
            nic.pausing |= bit;
            self.ask_to_pause(port, usize::from(frame.priority));
            if first {
                self.schedule(until - pipe.xon.min(fill), class::DRAINED, port, 0);
            }
        }
        Some(until + pipe.latency)
    }

    /// The receive buffer may have drained far enough.
    pub(crate) fn drained(&mut self, port: u32) {
        let nic = &mut self.nics[self.ports[port as usize].device as usize];
        let Some(pipe) = nic.pipe else {
            return;
        };
        let enough = nic.received_until.saturating_sub(pipe.xon);
        if enough > self.now {
            return self.schedule(enough, class::DRAINED, port, 0);
        }
        let pausing = std::mem::take(&mut nic.pausing);
        for priority in (0..PRIORITIES).filter(|priority| pausing & (1 << priority) != 0) {
            self.ask_to_go_on(port, priority);
        }
    }
}
