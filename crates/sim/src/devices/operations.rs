//! Operations: post times, waiting in send queues, and dependencies.

use crate::ids::QueuePairId;
use crate::model::scenario::Scenario;
use crate::time::{Picoseconds, NEVER};
use std::collections::VecDeque;

/// State of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Not posted, or in flight.
    Unfinished,
    /// Completely acknowledged.
    Completed,
    /// Its queue pair failed.
    Failed,
}

/// All operations of a scenario.
#[derive(Debug, Clone)]
pub struct Operations {
    waiting_for: Vec<u32>,
    /// The operations that depend on operation n: `dependents[first[n]..first[n + 1]]`.
    first: Vec<u32>,
    dependents: Vec<u32>,
    /// Time from which each may be posted (a lower bound while dependencies are pending), and time of its end.
    pub started: Vec<Picoseconds>,
    /// `NEVER` until it ends.
    pub ended: Vec<Picoseconds>,
    /// State of each.
    pub status: Vec<Status>,
    completed: u64,
    ended_count: u64,
    /// Completion time of the last operation of each queue pair.
    latest: Vec<Picoseconds>,
    /// Operations that wait for a full send queue, by queue pair.
    overflow: Vec<VecDeque<u32>>,
}

impl Operations {
    /// The operations of a scenario, none posted.
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
                let slot = &mut free[*earlier as usize];
                dependents[*slot as usize] = index as u32;
                *slot += 1;
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

    /// Number of completed operations.
    pub fn completed_count(&self) -> u64 {
        self.completed
    }

    /// Number of completed and failed operations.
    pub fn ended_count(&self) -> u64 {
        self.ended_count
    }

    /// Whether all operations have completed or failed.
    pub fn all_ended(&self) -> bool {
        self.ended_count == self.status.len() as u64
    }

    /// Takes over the state of another part of the network: the queue pairs in `owned_queue_pairs`, and the operations posted on them.
    pub fn add(
        &mut self,
        other: Operations,
        owned_queue_pairs: &[bool],
        posted_on: &dyn Fn(usize) -> usize,
    ) {
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
        for number in (0..status.len()).filter(|number| owned_queue_pairs[posted_on(*number)]) {
            self.waiting_for[number] = waiting_for[number];
            self.started[number] = started[number];
            self.ended[number] = ended[number];
            self.status[number] = status[number];
        }
        for id in (0..owned_queue_pairs.len()).filter(|id| owned_queue_pairs[*id]) {
            self.latest[id] = latest[id];
            self.overflow[id] = std::mem::take(&mut overflow[id]);
        }
    }

    /// Whether all dependencies of an operation have completed.
    pub fn is_allowed(&self, number: u32) -> bool {
        self.waiting_for[number as usize] == 0
    }

    /// Records that an operation starts now, `delay` after its dependencies; returns the time at which they completed.
    pub fn start(&mut self, number: u32, delay: Picoseconds) -> Picoseconds {
        let started = &mut self.started[number as usize];
        let allowed = *started;
        *started = allowed + delay;
        allowed
    }

    /// Adds an operation to those that wait for a full send queue.
    pub fn wait_for_room(&mut self, queue_pair: QueuePairId, number: u32) {
        self.overflow[queue_pair].push_back(number);
    }

    /// Removes the next operation that waits for space in a send queue.
    pub fn take_next_operation(&mut self, queue_pair: QueuePairId) -> Option<u32> {
        self.overflow[queue_pair].pop_front()
    }

    /// Completes the operation at the head of a send queue and returns the time: `earliest`, or the completion of the previous
    /// operation. Operations of a send queue complete in order (IBTA volume 1, chapter 10).
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

    /// Ends an operation; returns the positions of its dependents, for [`Operations::dependent`].
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

    /// The dependent at a position.
    pub fn dependent(&self, position: usize) -> u32 {
        self.dependents[position]
    }

    /// Records that a dependency completed at `at`. Returns whether it was the last one.
    pub fn release(&mut self, dependent: u32, at: Picoseconds) -> bool {
        let started = &mut self.started[dependent as usize];
        *started = at.max(*started);
        let waiting = &mut self.waiting_for[dependent as usize];
        *waiting -= 1;
        *waiting == 0
    }
}
