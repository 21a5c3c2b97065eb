//! Operations: posted, completed, failed.

use crate::devices::operations::Status;
use crate::ids::{PortId, QueuePairId};
use crate::mechanisms::frame::Kind;
use crate::mechanisms::transport::Transport;
use crate::model::scenario::{Service, Verb};
use crate::simulation::class;
use crate::simulation::state::Simulation;
use crate::time::Picoseconds;

impl Simulation {
    /// Schedules the operations without dependencies.
    pub(crate) fn post_first(&mut self) {
        for operation in 0..self.scenario.operations.len() as u32 {
            if self.operations.is_allowed(operation) {
                self.schedule_post(operation);
            }
        }
    }

    /// Schedules the post of an operation, after its delay and the latency to the NIC.
    fn schedule_post(&mut self, number: u32) {
        let delay = self.scenario.operations[number as usize].delay;
        let allowed = self.operations.start(number, delay);
        let time = allowed + self.post_delay(number);
        self.schedule(time, class::POST, number, 0);
    }

    /// The NIC port at which an operation is posted.
    pub(crate) fn poster(&self, number: u32) -> PortId {
        let id = self.scenario.operations[number as usize].queue_pair;
        self.queue_pairs[id].port
    }

    /// Time from the last completed dependency of an operation to its post at the NIC.
    pub(crate) fn post_delay(&self, number: u32) -> Picoseconds {
        let device = self.ports[self.poster(number).index()].device;
        let delay = self.scenario.operations[number as usize].delay;
        delay + self.nics[device as usize].latency()
    }

    /// Posts an operation: to the NIC, or behind those that fill the send queue.
    pub(crate) fn post(&mut self, number: u32) {
        let id = self.scenario.operations[number as usize].queue_pair;
        let id = self.scenario.sender(id);
        if self.queue_pairs[id].failed {
            return self.end(number, Status::Failed, self.now);
        }
        let queue_pair = &self.queue_pairs[id];
        if queue_pair.transport.messages() < self.device(queue_pair.port).tx_depth {
            self.hand_over(number);
            return self.activate(id);
        }
        self.operations.wait_for_room(id, number);
    }

    fn hand_over(&mut self, number: u32) {
        let operation = &self.scenario.operations[number as usize];
        let service = self.scenario.connections[operation.queue_pair.connection()].service;
        let kind = match operation.verb {
            _ if service == Service::Tcp => Kind::Tcp,
            _ if service == Service::Udp => Kind::Udp,
            Verb::Write => Kind::Write,
            Verb::Send if self.scenario.datagrams(operation.queue_pair) => Kind::Datagram,
            Verb::Send => Kind::Send,
            Verb::Read => Kind::ReadRequest,
        };
        let bytes = operation.bytes;
        let sender = self.scenario.sender(operation.queue_pair);
        let queue_pair = &mut self.queue_pairs[sender];
        queue_pair.transport.post(number, kind, bytes);
    }

    /// Completes the acknowledged operations of a queue pair, and posts those that wait for space in the send queue.
    #[inline]
    pub(crate) fn complete_messages(&mut self, id: QueuePairId) {
        while let Some(number) = self.queue_pairs[id].transport.pop_completed() {
            let earliest = self.earliest_completion(id, number);
            let at = self.operations.complete_in_order(id, earliest);
            self.end(number, Status::Completed, at);
            if let Some(next) = self.operations.take_next_operation(id) {
                self.hand_over(next);
            }
        }
    }

    /// A queue pair has failed, and with it all operations posted on it.
    pub(crate) fn fail(&mut self, id: QueuePairId) {
        let mut lost = self.queue_pairs[id].transport.abandon();
        lost.extend(std::iter::from_fn(|| {
            self.operations.take_next_operation(id)
        }));
        self.queue_pairs[id].failed = true;
        for number in lost {
            self.end(number, Status::Failed, self.now);
        }
    }

    /// The earliest completion of an operation that is completely acknowledged, or sent on an unreliable service: a read
    /// completes once its data is in memory.
    fn earliest_completion(&self, id: QueuePairId, number: u32) -> Picoseconds {
        let queue_pair = &self.queue_pairs[id];
        if queue_pair.unreliable {
            let busy_until = self.ports[queue_pair.port].busy_until;
            return self.now.max(busy_until);
        }
        match self.scenario.operations[number as usize].verb {
            Verb::Read => self.now.max(queue_pair.received.last),
            Verb::Write | Verb::Send => self.now,
        }
    }

    fn end(&mut self, number: u32, status: Status, at: Picoseconds) {
        self.totals.end = self.totals.end.max(at);
        for position in self.operations.end(number, status, at) {
            let dependent = self.operations.dependent(position);
            if !self.completes_elsewhere(dependent, at) {
                self.waits_for_one_less(dependent, at);
            }
        }
    }

    /// A dependency of an operation completed at `at`.
    pub(crate) fn waits_for_one_less(&mut self, dependent: u32, at: Picoseconds) {
        if self.operations.release(dependent, at) {
            self.schedule_post(dependent);
        }
    }
}
