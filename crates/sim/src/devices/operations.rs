//! Operations: when they are posted, on which queue pair they wait, what waits for them.

use crate::ids::QueuePairId;
use crate::model::scenario::Scenario;
use crate::time::{Picoseconds, NEVER};
use std::collections::VecDeque;

/// What became of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Not posted, or in flight.
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
            latest: vec![Picoseconds::ZERO; 2 * scenario.connections.len()],
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

    /// Whether an operation waits for no other.
    pub fn is_allowed(&self, number: u32) -> bool {
        self.waiting_for[number as usize] == 0
    }

    /// An operation starts `delay` after it was allowed: when it was allowed.
    pub fn start(&mut self, number: u32, delay: Picoseconds) -> Picoseconds {
        let started = &mut self.started[number as usize];
        let allowed = *started;
        *started = allowed + delay;
        allowed
    }

    /// An operation is posted on a queue pair whose send queue is full.
    pub fn wait_for_room(&mut self, queue_pair: QueuePairId, number: u32) {
        self.overflow[queue_pair].push_back(number);
    }

    /// The next operation that waits for room in a send queue.
    pub fn next_waiting(&mut self, queue_pair: QueuePairId) -> Option<u32> {
        self.overflow[queue_pair].pop_front()
    }

    /// A queue pair completes the operation at its head, at `earliest` or when the one before it completed: operations of a
    /// send queue complete in order (IBTA volume 1, chapter 10). When that is.
    #[inline]
    pub fn complete_in_order(
        &mut self,
        queue_pair: QueuePairId,
        earliest: Picoseconds,
    ) -> Picoseconds {
        let latest = &mut self.latest[queue_pair];
        *latest = earliest.max(*latest);
        *latest
    }

    /// An operation ends: the positions of those that wait for it, for [`Operations::dependent`].
    pub fn end(&mut self, number: u32, status: Status, at: Picoseconds) -> std::ops::Range<usize> {
        let number = number as usize;
        self.ended[number] = at;
        self.status[number] = status;
        self.ended_count += 1;
        if status != Status::Completed {
            return 0..0;
        }
        self.completed += 1;
        self.first[number] as usize..self.first[number + 1] as usize
    }

    /// The operation at a position among those that wait for others.
    pub fn dependent(&self, position: usize) -> u32 {
        self.dependents[position]
    }

    /// One operation that another waits for completed at `at`. Whether it waits for no more.
    pub fn release(&mut self, dependent: u32, at: Picoseconds) -> bool {
        let started = &mut self.started[dependent as usize];
        *started = at.max(*started);
        let waiting = &mut self.waiting_for[dependent as usize];
        *waiting -= 1;
        *waiting == 0
    }
}
