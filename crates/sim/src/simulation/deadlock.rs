//! Deadlock: egress queues that wait for each other in a circle.
//!
//! A queue is paused until the priority group at the other end of its link has space, which it has once its frames leave
//! their egress queues. If these are paused as well, the first queue waits for them: Dally and Seitz, "Deadlock-free
//! message routing in multiprocessor interconnection networks", IEEE Transactions on Computers 1987.

use crate::ids::{port_and_priority, priority_queue_number, PortId, Priority, PRIORITIES};
use crate::simulation::state::Simulation;
use crate::time::NEVER;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An egress queue: port times priorities plus priority.
type QueueNumber = u32;

impl Simulation {
    /// Circles of queues, each of which waits for the next and the last for the first: those blocked at the end of the run, or
    /// for the maximum duration of a pause.
    pub(crate) fn deadlocks(&self) -> Vec<Vec<(PortId, Priority)>> {
        let waits = self.waits();
        let mut named = BTreeSet::new();
        let mut circles = Vec::new();
        for first in waits.keys() {
            if named.contains(first) {
                continue;
            }
            let Some(circle) = circle(&waits, *first) else {
                continue;
            };
            named.extend(circle.iter().copied());
            circles.push(circle.into_iter().map(port_and_priority).collect());
        }
        circles
    }

    /// For each blocked queue, the queues that it waits for.
    fn waits(&self) -> BTreeMap<QueueNumber, BTreeSet<QueueNumber>> {
        let queues = 0..(self.ports.len() * PRIORITIES) as u32;
        let blocked: BTreeSet<QueueNumber> =
            queues.filter(|queue| self.is_blocked(*queue)).collect();
        let mut waits: BTreeMap<QueueNumber, BTreeSet<QueueNumber>> = BTreeMap::new();
        for queue in &blocked {
            let (port, priority) = port_and_priority(*queue);
            let at_port = self.queues[(port, priority)].line.all(&self.frames);
            let at_ingress = self
                .voqs
                .iter()
                .flat_map(|voqs| voqs.waiting_frames(port, priority, &self.frames));
            for index in at_port.chain(at_ingress) {
                if self.frames[index].cells == 0 {
                    continue; // it has crossed the switch and uses no ingress buffer
                }
                let sender = self.frames[index].ingress.peer();
                let upstream = priority_queue_number(sender, priority);
                if blocked.contains(&upstream) {
                    waits.entry(upstream).or_default().insert(*queue);
                }
            }
        }
        waits
    }

    /// Whether the queue contains frames and is paused permanently.
    fn is_blocked(&self, queue: QueueNumber) -> bool {
        let (port, priority) = port_and_priority(queue);
        let state = &self.ports[port];
        if state.waiting & state.paused & priority.bit() == 0 || !state.switch {
            return false;
        }
        let since = self.sides[port].pauses[priority].since;
        let at_rest = self.queue.is_empty() || self.until != self.scenario.until;
        since != NEVER && (at_rest || self.now - since >= self.quanta(port, u16::MAX))
    }
}

/// The shortest circle through a queue.
fn circle(
    waits: &BTreeMap<QueueNumber, BTreeSet<QueueNumber>>,
    first: QueueNumber,
) -> Option<Vec<QueueNumber>> {
    let mut waits_on: BTreeMap<QueueNumber, QueueNumber> = BTreeMap::new();
    let mut next = VecDeque::from([first]);
    while let Some(queue) = next.pop_front() {
        for other in waits.get(&queue).into_iter().flatten() {
            if *other == first {
                let mut circle = vec![queue];
                while let Some(earlier) = waits_on.get(&circle[circle.len() - 1]) {
                    circle.push(*earlier);
                }
                circle.reverse();
                return Some(circle);
            }
            if !waits_on.contains_key(other) {
                waits_on.insert(*other, queue);
                next.push_back(*other);
            }
        }
    }
    None
}
