//! A NIC port: arbitration between its queue pairs and its acknowledgements.

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

/// The arbitration of one NIC port, and its host pipe. Fields that each packet needs come first, in one cache line.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct NicPort {
    paced: BinaryHeap<Reverse<(Picoseconds, QueuePairId)>>,
    /// Earliest start of the next message, and minimum interval between messages.
    gate: Picoseconds,
    message_gap: Picoseconds,
    /// Time until which the pipe fetches the current payload.
    pipe_until: Picoseconds,
    /// The path between memory and this port; `None` = never the bottleneck.
    pub pipe: Option<Box<HostPipe>>,
    ready: u8,
    /// Acknowledgements and CNPs ignore PFC.
    control_ignores_pause: bool,
    /// Queue pairs that are ready to send, by priority, in round-robin order.
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
            pipe: parameters
                .pipe
                .as_ref()
                .map(|pipe| HostPipe::new(pipe).into()),
            ready: 0,
            control_ignores_pause: parameters.control_ignores_pause,
            rings: Default::default(),
        }
    }

    /// Latency from a post to the first byte in the NIC.
    pub fn latency(&self) -> Picoseconds {
        self.pipe
            .as_ref()
            .map_or(Picoseconds::ZERO, |pipe| pipe.latency())
    }

    /// The priorities whose acknowledgements and CNPs are paused.
    #[inline]
    fn find_paused_control(&self, state: &Port) -> u8 {
        if self.control_ignores_pause {
            0
        } else {
            state.paused
        }
    }

    /// The pipe fetches `payload` for the packet that starts now.
    #[inline]
    pub fn fetch(&mut self, now: Picoseconds, payload: Bytes<u32>) {
        if let Some(pipe) = &mut self.pipe {
            self.pipe_until = pipe.fetch(now, payload);
        }
    }

    /// Starts a message; the next one starts after the gap at the earliest.
    #[inline]
    pub fn begin_message(&mut self, now: Picoseconds) {
        if self.message_gap > Picoseconds::ZERO {
            self.gate = self.gate.max(now) + self.message_gap;
        }
    }

    /// Adds a ready queue pair at the end of the round of its priority.
    #[inline]
    fn push(&mut self, priority: Priority, id: QueuePairId) {
        self.rings[priority].push_back(id);
        self.ready |= priority.bit();
    }

    /// Removes the next ready queue pair of a priority; while no message may start, one in the middle of a message.
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

    /// Releases the queue pairs whose rate limiters allow a packet now.
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

    /// The priorities of which acknowledgements and CNPs may be sent, and those with a ready queue pair, a bit each.
    #[inline]
    pub fn eligible(&self, state: &Port, now: Picoseconds) -> [u8; 2] {
        let control = state.waiting & !self.find_paused_control(state);
        let data = match self.pipe_until > now {
            true => 0,
            false => self.ready & !state.paused,
        };
        [control, data]
    }

    /// Adds a queue pair with packets to send: ready, or waiting for its rate limiter. The port is busy until `free`.
    #[inline]
    pub fn line_up(&mut self, queue_pair: &mut QueuePair, id: QueuePairId, free: Picoseconds) {
        if queue_pair.next_allowed <= free {
            queue_pair.turn = Turn::Ready;
            return self.push(queue_pair.priority, id);
        }
        queue_pair.turn = Turn::Paced;
        self.paced.push(Reverse((queue_pair.next_allowed, id)));
    }

    /// Time at which the port must select a frame again; `NEVER` = on the next arrival.
    #[inline]
    pub fn next_wake(&self, state: &Port, now: Picoseconds) -> Picoseconds {
        let free = state.busy_until.max(now);
        if state.control || state.waiting & !self.find_paused_control(state) != 0 {
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
