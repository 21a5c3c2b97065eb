//! Operations: when they are posted, on which queue pair they wait, what waits for them.

use crate::mechanisms::frame::Kind;
use crate::mechanisms::transport::Transport;
use crate::model::scenario::{Scenario, Service, Verb};
use crate::simulation::{class, Simulation};
use crate::time::{Picoseconds, NEVER};
use std::collections::VecDeque;

/// What became of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Not posted, or on its way.
    Unfinished,
    /// Acknowledged to its last byte.
    Completed,
    /// Its queue pair failed.
    Failed,
}

/// All operations of a scenario.
#[derive(Debug, Clone)]
pub struct Operations {
    waiting_for: Vec<u32>,
    /// Who waits for operation n: `dependents[first[n]..first[n + 1]]`.
    first: Vec<u32>,
    dependents: Vec<u32>,
    /// When each was allowed to be posted; until that is known, not before which. And when it ended.
    pub started: Vec<Picoseconds>,
    /// `NEVER` until it ends.
    pub ended: Vec<Picoseconds>,
    /// What became of it.
    pub status: Vec<Status>,
    completed: u64,
    ended_count: u64,
    /// When the last operation of each queue pair completed.
    latest: Vec<Picoseconds>,
    /// Posted on a queue pair whose send queue is full, by queue pair.
    overflow: Vec<VecDeque<u32>>,
}

impl Operations {
    /// None posted.
    pub fn new(scenario: &Scenario) -> Self {
        let count = scenario.operations.len();
        let mut first = vec![0u32; count + 1];
        for operation in &scenario.operations {
            for earlier in &operation.after {
                first[*earlier as usize + 1] += 1;
            }
        }
        for index in 0..count {
            first[index + 1] += first[index];
        }
        let mut free = first.clone();
        let mut dependents = vec![0; first[count] as usize];
        for (index, operation) in scenario.operations.iter().enumerate() {
            for earlier in &operation.after {
                let place = &mut free[*earlier as usize];
                dependents[*place as usize] = index as u32;
                *place += 1;
            }
        }
        let waiting_for = scenario.operations.iter();
        Operations {
            waiting_for: waiting_for
                .map(|operation| operation.after.len() as u32)
                .collect(),
            first,
            dependents,
            started: scenario
                .operations
                .iter()
                .map(|operation| operation.at)
                .collect(),
            ended: vec![NEVER; count],
            status: vec![Status::Unfinished; count],
            completed: 0,
            ended_count: 0,
            latest: vec![0; 2 * scenario.connections.len()],
            overflow: vec![VecDeque::new(); 2 * scenario.connections.len()],
        }
    }

    /// How many completed.
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// How many ended, well or not.
    pub fn ended(&self) -> u64 {
        self.ended_count
    }

    /// Whether all ended, well or not.
    pub fn all_ended(&self) -> bool {
        self.ended_count == self.status.len() as u64
    }

    /// Adds what another part of the network knows: the queue pairs that `own` says, and operations posted on them.
    pub fn add(&mut self, other: Operations, own: &[bool], posted_on: &dyn Fn(usize) -> usize) {
        let Operations {
            waiting_for,
            first: _,
            dependents: _,
            started,
            ended,
            status,
            completed,
            ended_count,
            latest,
            mut overflow,
        } = other;
        self.completed += completed;
        self.ended_count += ended_count;
        for number in (0..status.len()).filter(|number| own[posted_on(*number)]) {
            self.waiting_for[number] = waiting_for[number];
            self.started[number] = started[number];
            self.ended[number] = ended[number];
            self.status[number] = status[number];
        }
        for id in (0..own.len()).filter(|id| own[*id]) {
            self.latest[id] = latest[id];
            self.overflow[id] = std::mem::take(&mut overflow[id]);
        }
    }
}

impl Simulation {
    /// Schedules the operations that wait for nothing.
    pub(crate) fn post_first(&mut self) {
        for operation in 0..self.scenario.operations.len() as u32 {
            if self.operations.waiting_for[operation as usize] == 0 {
                self.schedule_post(operation);
            }
        }
    }

    /// The operation may be posted once its delay and the way to the NIC are over.
    fn schedule_post(&mut self, number: u32) {
        let allowed = self.operations.started[number as usize];
        let delay = self.scenario.operations[number as usize].delay;
        self.operations.started[number as usize] = allowed + delay;
        let time = allowed + self.post_delay(number);
        self.schedule(time, class::POST, number, 0);
    }

    /// The NIC port that an operation is posted at.
    pub(crate) fn poster(&self, number: u32) -> u32 {
        let id = self.scenario.operations[number as usize].queue_pair;
        self.queue_pairs[id as usize].port
    }

    /// From an operation waiting for nothing more to its post at the NIC.
    pub(crate) fn post_delay(&self, number: u32) -> Picoseconds {
        let device = self.ports[self.poster(number) as usize].device;
        let delay = self.scenario.operations[number as usize].delay;
        delay + self.nics[device as usize].latency()
    }

    /// An operation is posted: into the NIC, or behind those that fill the send queue.
    pub(crate) fn post(&mut self, number: u32) {
        let id = self.scenario.operations[number as usize].queue_pair;
        let id = self.scenario.sender(id);
        if self.queue_pairs[id as usize].failed {
            return self.end(number, Status::Failed, self.now);
        }
        let queue_pair = &self.queue_pairs[id as usize];
        if queue_pair.transport.messages() < self.device(queue_pair.port).tx_depth {
            self.hand_over(number);
            return self.activate(id);
        }
        self.operations.overflow[id as usize].push_back(number);
    }

    fn hand_over(&mut self, number: u32) {
        let operation = &self.scenario.operations[number as usize];
        let service = self.scenario.connections[operation.queue_pair as usize / 2].service;
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
        let queue_pair = &mut self.queue_pairs[sender as usize];
        queue_pair.transport.post(number, kind, bytes);
    }

    /// Operations of a queue pair that are acknowledged end, and those behind them move up.
    #[inline]
    pub(crate) fn complete_messages(&mut self, id: u32) {
        while let Some(number) = self.queue_pairs[id as usize].transport.completed() {
            let at = self.completed_at(id, number);
            self.operations.latest[id as usize] = at;
            self.end(number, Status::Completed, at);
            self.operations.completed += 1;
            if let Some(next) = self.operations.overflow[id as usize].pop_front() {
                self.hand_over(next);
            }
        }
    }

    /// A queue pair has failed, and with it all that was posted on it.
    pub(crate) fn fail(&mut self, id: u32) {
        let mut lost = self.queue_pairs[id as usize].transport.abandon();
        lost.extend(self.operations.overflow[id as usize].drain(..));
        self.queue_pairs[id as usize].failed = true;
        for number in lost {
            self.end(number, Status::Failed, self.now);
        }
    }

    /// When an operation completes of which everything is acknowledged, or has left where nothing is: a read, once what was read is in memory; and none
    /// before those posted earlier, as a send queue completes in order (IBTA volume 1, chapter 10).
    fn completed_at(&self, id: u32, number: u32) -> Picoseconds {
        let earliest = self.now.max(self.operations.latest[id as usize]);
        let queue_pair = &self.queue_pairs[id as usize];
        if queue_pair.unreliable {
            return earliest.max(self.ports[queue_pair.port as usize].busy_until);
        }
        match self.scenario.operations[number as usize].verb {
            Verb::Read => earliest.max(self.queue_pairs[id as usize].received.last),
            Verb::Write | Verb::Send => earliest,
        }
    }

    fn end(&mut self, number: u32, status: Status, at: Picoseconds) {
        let operations = &mut self.operations;
        operations.ended[number as usize] = at;
        operations.status[number as usize] = status;
        operations.ended_count += 1;
        self.totals.end = self.totals.end.max(at);
        if status != Status::Completed {
            return;
        }
        let first = operations.first[number as usize] as usize;
        let last = operations.first[number as usize + 1] as usize;
        for place in first..last {
            let dependent = self.operations.dependents[place];
            if !self.completes_elsewhere(dependent, at) {
                self.waits_for_one_less(dependent, at);
            }
        }
    }

    /// One that an operation waits for completed at `at`.
    pub(crate) fn waits_for_one_less(&mut self, dependent: u32, at: Picoseconds) {
        let started = &mut self.operations.started[dependent as usize];
        *started = at.max(*started);
        let waiting = &mut self.operations.waiting_for[dependent as usize];
        *waiting -= 1;
        if *waiting == 0 {
            self.schedule_post(dependent);
        }
    }
}
