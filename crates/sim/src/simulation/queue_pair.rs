//! A queue pair sends packets and processes what arrives.

use crate::bytes::Bytes;
use crate::devices::port::{enqueue, is_down};
use crate::ids::{PortId, QueuePairId};
use crate::mechanisms::frame::{Frame, Kind, CE, ECHO, FIRST, NONE, TRIMMED};
use crate::mechanisms::telemetry::TelemetryRecord;
use crate::mechanisms::transport::{Arrival, Reply, Segment, Timeout, Transport};
use crate::model::parameters::Notification;
use crate::simulation::class;
use crate::simulation::state::Simulation;
use crate::time::{Picoseconds, NEVER};

impl Simulation {
    /// Sends the next packet of a queue pair; returns its bytes, or `None` if it has none.
    #[inline]
    pub(crate) fn send(&mut self, id: QueuePairId) -> Option<Bytes<u32>> {
        let queue_pair = &mut self.queue_pairs[id];
        if queue_pair.is_window_full() {
            return None;
        }
        let mut to = id;
        if queue_pair.datagrams {
            let operation = queue_pair.transport.operation()?;
            to = self.scenario.operations[operation as usize].queue_pair;
        }
        let segment = queue_pair.transport.next(self.now)?;
        let port = queue_pair.port;
        let frame = self.build_frame(to, &segment);
        let bytes = frame.bytes.widen::<u32>();
        let on_link = bytes + self.settings.parameters.framing.gap_bytes;

        let queue_pair = &mut self.queue_pairs[id];
        queue_pair.count_sent(&segment, self.now, on_link);
        self.totals.retransmissions += u64::from(segment.again);
        // Earlier than the pending event if that was an RNR wait, which has ended early.
        if let Some(deadline) = queue_pair.take_deadline() {
            self.schedule(deadline, class::DEADLINE, id.0, 0);
        }

        let nic = &mut self.nics[self.ports[port].device as usize];
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
        if self.queue_pairs[id].unreliable {
            self.complete_messages(id);
        }
        if self.queue_pairs[id].may_send() {
            self.line_up(id);
        }
        Some(bytes)
    }

    #[inline]
    fn build_frame(&self, id: QueuePairId, segment: &Segment) -> Frame {
        let framing = &self.settings.parameters.framing;
        let (bytes, ecn) = framing.packet(segment.kind, segment.flags, segment.payload);
        let queue_pair = &self.queue_pairs[id];
        Frame {
            next: NONE,
            queue_pair: id.peer(),
            psn: segment.psn,
            hop: queue_pair.route,
            ingress: PortId(0),
            bytes: Bytes(bytes.0 as u16),
            payload: Bytes(segment.payload.0 as u16),
            cells: 0,
            kind: segment.kind,
            priority: queue_pair.priority,
            flags: segment.flags | ecn,
            span: segment.span,
        }
    }

    /// Adds an acknowledgement or a CNP of queue pair `id` to the queue of its port.
    pub(crate) fn send_control(
        &mut self,
        id: QueuePairId,
        kind: Kind,
        reply: Reply,
        carried: Option<&TelemetryRecord>,
    ) {
        let framing = &self.settings.parameters.framing;
        let to = &self.queue_pairs[id].received;
        let bytes = framing.control(kind);
        let priority = match kind {
            Kind::Cnp => self.notification(id).priority,
            _ => to.priority,
        };
        let port = to.port;
        if is_down(&self.ports[port]) {
            return;
        }
        let index = self.frames.insert(Frame {
            next: NONE,
            queue_pair: id.peer(),
            psn: reply.psn,
            hop: to.route,
            ingress: PortId(0),
            bytes: Bytes(bytes.0 as u16),
            payload: Bytes(0),
            cells: 0,
            kind,
            priority,
            flags: reply.flags,
            span: reply.span,
        });
        if let Some(telemetry) = &mut self.telemetry {
            telemetry.put(index, carried.copied().unwrap_or(TelemetryRecord::NOTHING));
        }
        let queue = &mut self.queues[(port, priority)];
        enqueue(&mut self.ports[port], queue, &mut self.frames, index);
        self.kick(port);
    }

    /// A frame has arrived at a NIC port.
    #[inline]
    pub(crate) fn nic_receive(&mut self, port: PortId, index: u32) {
        let frame = self.frames[index];
        let mut carried = self
            .telemetry
            .as_ref()
            .map(|telemetry| telemetry.record(index));
        self.frames.remove(index);
        let id = frame.queue_pair;
        match frame.kind {
            Kind::Cnp => return self.take_notification(id),
            Kind::Credit | Kind::CreditRequest => {
                return self.credit_frame(&frame, carried.as_ref());
            }
            _ => {}
        }
        if frame.has(TRIMMED) && frame.kind != Kind::Ack {
            return self.header_arrives(id, &frame, carried.as_ref());
        }
        let wanted = carried.as_ref().map_or(Bytes(0), |record| record.credit);
        if wanted > Bytes(0) && frame.kind != Kind::Ack {
            self.record_credit_demand(id, wanted, Bytes(0));
        }
        let mut in_memory = self.now;
        if frame.payload > Bytes(0) && self.settings.pipes {
            match self.take_in(port, &frame) {
                Some(time) => in_memory = time,
                None => return,
            }
            if let Some(carried) = &mut carried {
                self.ask_for_less(port, &frame, carried);
            }
        }
        let requested_read = match frame.kind {
            Kind::ReadRequest => self.queue_pairs[id.peer()]
                .transport
                .find_requested_read(frame.psn),
            _ => None,
        };
        let queue_pair = &mut self.queue_pairs[id];
        let arrived_before = match carried {
            Some(_) => queue_pair.transport.progress().arrived,
            None => 0,
        };
        let outcome = queue_pair.transport.receive(
            self.now,
            Arrival {
                kind: frame.kind,
                psn: frame.psn,
                payload: frame.payload.widen(),
                flags: frame.flags,
                span: frame.span,
                requested_read,
            },
        );
        if outcome.delivered > Bytes(0) {
            queue_pair.received.bytes += outcome.delivered.widen();
            queue_pair.received.last = in_memory;
        }
        if frame.has(CE) {
            queue_pair.counts.marked += 1;
            self.mark_seen(id);
        }
        if frame.has(ECHO) {
            self.take_notification(id);
        }
        if let Some(reply) = outcome.reply {
            let queue_pair = &mut self.queue_pairs[id];
            queue_pair.counts.reply(reply.flags);
            let kind = match frame.kind {
                Kind::Tcp => Kind::TcpAck,
                _ => Kind::Ack,
            };
            self.send_control(id, kind, reply, carried.as_ref());
        }
        if let (Some(carried), Kind::Ack) = (&carried, frame.kind) {
            self.take_acknowledgement(id, &frame, carried, arrived_before);
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
    fn take_notification(&mut self, id: QueuePairId) {
        self.totals.cnps += 1;
        self.queue_pairs[id].notify(self.now);
    }

    /// A marked packet: a CNP, unless one of this queue pair left within the interval (IBTA annex A17.9.3, DCQCN's NP).
    fn mark_seen(&mut self, id: QueuePairId) {
        let notification = self.notification(id);
        if notification.in_ack || self.queue_pairs[id].echoes {
            return;
        }
        let interval = Picoseconds::from(notification.interval_ns);
        let delay = Picoseconds::from(notification.delay_ns);
        let queue_pair = &mut self.queue_pairs[id];
        if !queue_pair.takes_cnp_turn(self.now, interval) {
            return;
        }
        let port = queue_pair.port;
        let delay = delay + self.cnp_delay(port);
        if delay == Picoseconds::ZERO {
            return self.send_cnp(id);
        }
        let ready = self.now + delay;
        self.schedule(ready, class::CNP_READY, id.0, 0);
    }

    /// The notification settings of a queue pair.
    fn notification(&self, id: QueuePairId) -> &Notification {
        let queue_pair = &self.queue_pairs[id];
        let priority = queue_pair.priority;
        let set = self.scenario.of_priority_queue(queue_pair.port, priority);
        &set.notification
    }

    /// The CNP is ready to be sent.
    pub(crate) fn send_cnp(&mut self, id: QueuePairId) {
        self.queue_pairs[id].cnp_leaves();
        self.send_control(id, Kind::Cnp, Reply::default(), None);
    }

    /// A deadline of a transport has expired.
    pub(crate) fn deadline(&mut self, id: QueuePairId) {
        let queue_pair = &mut self.queue_pairs[id];
        if queue_pair.timer_at != self.now {
            return;
        }
        queue_pair.timer_at = NEVER;
        if self.credits.is_some() && self.waits_for_credit(id) {
            self.queue_pairs[id].transport.postpone(self.now);
        }
        let queue_pair = &mut self.queue_pairs[id];
        match queue_pair.transport.timeout(self.now) {
            Timeout::Idle => {}
            Timeout::Later(time) => self.arm(id, time),
            Timeout::Resend(time) => {
                queue_pair.counts.timeouts += 1;
                self.arm(id, time);
                self.take_timeout(id);
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

    /// The deadline may be earlier than the pending event, which then has no effect.
    fn rearm(&mut self, id: QueuePairId) {
        if let Some(deadline) = self.queue_pairs[id].take_deadline() {
            self.schedule(deadline, class::DEADLINE, id.0, 0);
        }
    }

    fn arm(&mut self, id: QueuePairId, time: Picoseconds) {
        if time == NEVER {
            return;
        }
        self.queue_pairs[id].timer_at = time;
        self.schedule(time, class::DEADLINE, id.0, 0);
    }
}
