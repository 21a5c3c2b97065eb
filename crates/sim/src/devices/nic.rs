//! A NIC port: it chooses between its queue pairs and its own acknowledgements.

use crate::bytes::Bytes;
use crate::devices::port::Port;
use crate::devices::queue_pair::{QueuePair, Turn};
use crate::ids::{Priority, QueuePairId, PRIORITIES};
use crate::mechanisms::host_pipe::HostPipe;
use crate::mechanisms::transport::Transport;
use crate::model::parameters;
use crate::time::{Picoseconds, NEVER, SECOND};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The arbitration of one NIC port, and the host pipe behind it. What each packet needs stands first, in one cache line.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct NicPort {
    paced: BinaryHeap<Reverse<(Picoseconds, QueuePairId)>>,
    /// When the next message may begin, and the time between two.
    gate: Picoseconds,
    message_gap: Picoseconds,
    /// Until when the pipe fetches what is being sent.
    pipe_until: Picoseconds,
    /// Between memory and this port; none = never the bottleneck.
    pub pipe: Option<Box<HostPipe>>,
    ready: u8,
    /// Its own acknowledgements and CNPs do not obey PFC.
    control_ignores_pause: bool,
    /// Queue pairs that may send, by priority, in the order of their turns.
    rings: [VecDeque<QueuePairId>; PRIORITIES],
}

impl NicPort {
    /// An idle port.
    pub fn new(parameters: &parameters::Nic) -> Self {
        let rate = parameters.messages_per_second;
        NicPort {
            paced: BinaryHeap::new(),
            gate: Picoseconds::ZERO,
            message_gap: rate.map_or(Picoseconds::ZERO, |rate| SECOND / rate),
            pipe_until: Picoseconds::ZERO,
            pipe: parameters.pipe.as_ref().map(|it| HostPipe::new(it).into()),
            ready: 0,
            control_ignores_pause: parameters.control_ignores_pause,
            rings: Default::default(),
        }
    }

    /// From a post to the NIC having the first byte.
    pub fn latency(&self) -> Picoseconds {
        self.pipe
            .as_ref()
            .map_or(Picoseconds::ZERO, |pipe| pipe.latency())
    }

    /// The priorities whose acknowledgements and CNPs have to wait.
    #[inline]
    fn control_paused(&self, state: &Port) -> u8 {
        if self.control_ignores_pause {
            0
        } else {
            state.paused
        }
    }

    /// The pipe fetches `payload` for what starts now.
    #[inline]
    pub fn fetch(&mut self, now: Picoseconds, payload: Bytes<u32>) {
        if let Some(pipe) = &mut self.pipe {
            self.pipe_until = pipe.fetch(now, payload);
        }
    }

    /// A message begins; the next may only after the gap.
    #[inline]
    pub fn begin_message(&mut self, now: Picoseconds) {
        if self.message_gap > Picoseconds::ZERO {
            self.gate = self.gate.max(now) + self.message_gap;
        }
    }

    /// A queue pair that may send gets the last turn of its priority.
    #[inline]
    fn push(&mut self, priority: Priority, id: QueuePairId) {
        self.rings[priority].push_back(id);
        self.ready |= priority.bit();
    }

    /// The next queue pair of a priority that may send; while no message may begin, one in the middle of its message.
    #[inline]
    pub fn take(
        &mut self,
        queue_pairs: &[QueuePair],
        priority: Priority,
        now: Picoseconds,
    ) -> Option<QueuePairId> {
        let ring = &mut self.rings[priority];
        if self.gate > now {
            let may = |id: &QueuePairId| !queue_pairs[*id].transport.begins_message();
            ring.rotate_left(ring.iter().position(may)?);
        }
        let id = ring.pop_front();
        if ring.is_empty() {
            self.ready &= !priority.bit();
        }
        id
    }

    /// Queue pairs that their limiters let go now.
    #[inline]
    pub fn release_paced(&mut self, queue_pairs: &mut [QueuePair], now: Picoseconds) {
        while let Some(Reverse((time, id))) = self.paced.peek().copied() {
            if time > now {
                return;
            }
            self.paced.pop();
            let queue_pair = &mut queue_pairs[id];
            queue_pair.turn = Turn::Ready;
            self.push(queue_pair.priority, id);
        }
    }

    /// The priorities whose acknowledgements and CNPs may be sent, and those of which a queue pair may, a bit each.
    #[inline]
    pub fn eligible(&self, state: &Port, now: Picoseconds) -> [u8; 2] {
        let control = state.waiting & !self.control_paused(state);
        let data = match self.pipe_until > now {
            true => 0,
            false => self.ready & !state.paused,
        };
        [control, data]
    }

    /// A queue pair with something to send takes its place: ready, or held by its limiter. The port is busy until `free`.
    #[inline]
    pub fn line_up(&mut self, queue_pair: &mut QueuePair, id: QueuePairId, free: Picoseconds) {
        if queue_pair.next_allowed <= free {
            queue_pair.turn = Turn::Ready;
            return self.push(queue_pair.priority, id);
        }
        queue_pair.turn = Turn::Paced;
        self.paced.push(Reverse((queue_pair.next_allowed, id)));
    }

    /// When the port has to look for a frame again; `NEVER` = when something comes.
    #[inline]
    pub fn next_wake(&self, state: &Port, now: Picoseconds) -> Picoseconds {
        let free = state.busy_until.max(now);
        if state.control || state.waiting & !self.control_paused(state) != 0 {
            return free;
        }
        let mut at = NEVER;
        if self.ready & !state.paused != 0 {
            let gate = if free == now {
                self.gate
            } else {
                Picoseconds::ZERO
            };
            at = free.max(self.pipe_until).max(gate);
        }
        if let Some(Reverse((time, _))) = self.paced.peek() {
            at = at.min(free.max(*time));
        }
        at
    }
}
