//! Receiver credit: requests, grants and timers.

use crate::bytes::Bytes;
use crate::devices::credits::{RequestTiming, Sender};
use crate::ids::{PortId, QueuePairId};
use crate::mechanisms::frame::{Frame, Kind};
use crate::mechanisms::telemetry::TelemetryRecord;
use crate::mechanisms::transport::{Reply, Transport};
use crate::simulation::class;
use crate::simulation::state::Simulation;
use crate::time::Picoseconds;

/// Payload of an event of [`class::CREDIT`] for the timer of a sender; 0 is a grant of a port.
pub(crate) const OF_SENDER: u32 = 1;

impl Simulation {
    /// Charges a packet of queue pair `id` of `bytes` on the link to its credit. Returns the credit that the packet requests.
    pub(crate) fn spend_credit(&mut self, id: QueuePairId, kind: Kind, bytes: Bytes<u32>) -> Bytes {
        let carries_request = matches!(kind, Kind::Write | Kind::Send | Kind::ReadRequest);
        let Some(sender) = self.sender(id).filter(|_| carries_request) else {
            return Bytes(0);
        };
        sender.spend(bytes);
        let mtu = self.settings.parameters.transport.mtu_bytes;
        let queue_pair = &mut self.queue_pairs[id];
        if let Some(congestion) = queue_pair.congestion.receiver_driven_mut() {
            congestion.spend(bytes);
        }
        queue_pair.follow(self.now, mtu);
        let target = self.credit_target(id);
        self.record_credit_request(id, target);
        target
    }

    /// Total credit that queue pair `id` needs for its backlog.
    fn credit_target(&self, id: QueuePairId) -> Bytes {
        let framing = &self.settings.parameters.framing;
        let (packets, payload) = self.queue_pairs[id].transport.backlog();
        let each = (framing.data_bytes + framing.gap_bytes).widen();
        let congestion = &self.queue_pairs[id].congestion;
        let backlog = payload + packets * each;
        congestion
            .receiver_driven()
            .map_or(Bytes(0), |congestion| congestion.credit_target(backlog))
    }

    /// Records a request of the sender at a queue pair, and sets its timer if sending is blocked until the grant.
    fn record_credit_request(&mut self, id: QueuePairId, target: Bytes) {
        let queue_pair = &self.queue_pairs[id];
        let waits = queue_pair.starves() && queue_pair.transport.has_work();
        let now = self.now;
        let Some(sender) = self.sender(id) else {
            return;
        };
        let timer = sender.record_request(target, waits, now);
        self.set_credit_timer(id, timer);
    }

    fn sender(&mut self, id: QueuePairId) -> Option<&mut Sender> {
        self.credits.as_mut()?.sender(id)
    }

    fn set_credit_timer(&mut self, id: QueuePairId, time: Option<Picoseconds>) {
        if let Some(time) = time {
            self.schedule(time, class::CREDIT, id.0, OF_SENDER);
        }
    }

    /// Whether a queue pair has packets to send, but no credit.
    fn starves(&self, id: QueuePairId) -> bool {
        let queue_pair = &self.queue_pairs[id];
        queue_pair.starves() && !queue_pair.failed && queue_pair.transport.has_work()
    }

    /// Requests credit for a queue pair that cannot send, if it lacks credit and its last request was for less.
    #[cold]
    pub(crate) fn request_credit_if_needed(&mut self, id: QueuePairId) {
        if !self.starves(id) {
            return;
        }
        let (target, now) = (self.credit_target(id), self.now);
        let Some(sender) = self.sender(id) else {
            return;
        };
        match sender.starve(target, now) {
            RequestTiming::Now => self.request_credit(id, target),
            RequestTiming::Later(time) => self.set_credit_timer(id, Some(time)),
            RequestTiming::Wait => {}
        }
    }

    fn request_credit(&mut self, id: QueuePairId, target: Bytes) {
        let now = self.now;
        if let Some(sender) = self.sender(id) {
            sender.request(now);
        }
        self.record_credit_request(id, target);
        let carried = TelemetryRecord::credit(target);
        self.send_control(id, Kind::CreditRequest, Reply::default(), Some(&carried));
    }

    /// The timer of a sender has expired, or a port may grant credit.
    pub(crate) fn credit_event(&mut self, entity: u32, payload: u32) {
        match payload {
            OF_SENDER => self.credit_timer(QueuePairId(entity)),
            _ => self.grant_credit(PortId(entity)),
        }
    }

    fn credit_timer(&mut self, id: QueuePairId) {
        let now = self.now;
        let retries = u32::from(self.settings.parameters.transport.retry_count);
        let Some(sender) = self.sender(id) else {
            return;
        };
        match sender.timer(now, retries) {
            RequestTiming::Now if self.starves(id) => {
                let target = self.credit_target(id);
                self.request_credit(id, target);
            }
            RequestTiming::Later(time) => self.set_credit_timer(id, Some(time)),
            _ => {}
        }
    }

    /// The receiver of queue pair `id` records the request of its peer; `more` is added to it.
    pub(crate) fn record_credit_demand(&mut self, id: QueuePairId, target: Bytes, more: Bytes) {
        let port = self.queue_pairs[id].port;
        let Some(credits) = &mut self.credits else {
            return;
        };
        if let Some(time) = credits.request_credit(id, port, target, more, self.now) {
            self.schedule(time, class::CREDIT, port.0, 0);
        }
    }

    /// Processes a request. A sender repeats it when a grant was lost: the reply is the total granted so far.
    fn credit_requested(&mut self, id: QueuePairId, target: Bytes) {
        self.record_credit_demand(id, target, Bytes(0));
        if let Some(credits) = &self.credits {
            let carried = TelemetryRecord::credit(credits.granted_bytes(id));
            self.send_control(id, Kind::Credit, Reply::default(), Some(&carried));
        }
    }

    /// Whether a queue pair waits for credit of a receiver that replies, not for acknowledgements.
    pub(crate) fn waits_for_credit(&mut self, id: QueuePairId) -> bool {
        let starves = self.queue_pairs[id].starves();
        starves && self.sender(id).is_some_and(|sender| sender.is_answered())
    }

    /// Credit that a full packet needs, bytes.
    pub(crate) fn full_packet(&self) -> Bytes {
        let parameters = &self.settings.parameters;
        let mtu = parameters.transport.mtu_bytes;
        parameters.framing.full_packet(mtu).widen()
    }

    fn grant_credit(&mut self, port: PortId) {
        let packet = self.full_packet();
        let Some(credits) = &mut self.credits else {
            return;
        };
        let Some(grant) = credits.grant(&self.scenario, port, packet, self.now) else {
            return;
        };
        if let Some(time) = grant.next {
            self.schedule(time, class::CREDIT, port.0, 0);
        }
        let carried = TelemetryRecord::credit(grant.granted);
        self.send_control(grant.id, Kind::Credit, Reply::default(), Some(&carried));
    }

    /// Credit has arrived at the sender, queue pair `id`.
    fn credit_arrives(&mut self, id: QueuePairId, granted: Bytes) {
        let mtu = self.settings.parameters.transport.mtu_bytes;
        let queue_pair = &mut self.queue_pairs[id];
        if let Some(congestion) = queue_pair.congestion.receiver_driven_mut() {
            congestion.on_credit(granted);
        }
        queue_pair.follow(self.now, mtu);
        let starves = queue_pair.starves();
        let now = self.now;
        if let Some(sender) = self.sender(id) {
            sender.credit(granted, starves, now);
        }
        self.activate(id);
    }

    /// A credit request or grant frame.
    #[cold]
    pub(crate) fn credit_frame(&mut self, frame: &Frame, carried: Option<&TelemetryRecord>) {
        let credit = carried.map_or(Bytes(0), |carried| carried.credit);
        match frame.kind {
            Kind::Credit => self.credit_arrives(frame.queue_pair, credit),
            _ => self.credit_requested(frame.queue_pair, credit),
        }
    }
}
