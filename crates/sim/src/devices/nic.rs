//! A NIC port: it chooses between its queue pairs and its own acknowledgements.

use crate::devices::port::{dequeue, Port};
use crate::devices::queue_pair::{QueuePair, Turn};
use crate::mechanisms::host_pipe::HostPipe;
use crate::mechanisms::transport::Transport;
use crate::model::parameters::{self, PRIORITIES};
use crate::simulation::Simulation;
use crate::time::{Picoseconds, NEVER, SECOND};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

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
    /// Between memory and this port; none = never the bottleneck.
    pub pipe: Option<Box<HostPipe>>,
    ready: u8,
    /// Its own acknowledgements and CNPs do not obey PFC.
    control_ignores_pause: bool,
    /// Queue pairs that may send, by priority, in the order of their turns.
    rings: [VecDeque<u32>; PRIORITIES],
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
            pipe: parameters.pipe.as_ref().map(|it| HostPipe::new(it).into()),
            ready: 0,
            control_ignores_pause: parameters.control_ignores_pause,
            rings: Default::default(),
        }
    }

    /// From a post to the NIC having the first byte.
    pub fn latency(&self) -> Picoseconds {
        self.pipe.as_ref().map_or(0, |pipe| pipe.latency())
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
    pub fn fetch(&mut self, now: Picoseconds, payload: u32) {
        if let Some(pipe) = &mut self.pipe {
            self.pipe_until = pipe.fetch(now, payload);
        }
    }

    /// A message begins; the next may only after the gap.
    #[inline]
    pub fn begin_message(&mut self, now: Picoseconds) {
        if self.message_gap > 0 {
            self.gate = self.gate.max(now) + self.message_gap;
        }
    }

    /// A queue pair that may send gets the last turn of its priority.
    #[inline]
    fn push(&mut self, priority: u8, id: u32) {
        self.rings[usize::from(priority)].push_back(id);
        self.ready |= 1 << priority;
    }

    /// The next queue pair of a priority that may send; while no message may begin, one in the middle of its message.
    #[inline]
    fn take(&mut self, queue_pairs: &[QueuePair], priority: u8, now: Picoseconds) -> Option<u32> {
        let ring = &mut self.rings[usize::from(priority)];
        if self.gate > now {
            let may = |id: &u32| !queue_pairs[*id as usize].transport.begins_message();
            ring.rotate_left(ring.iter().position(may)?);
        }
        let id = ring.pop_front();
        if ring.is_empty() {
            self.ready &= !(1 << priority);
        }
        id
    }

    /// Queue pairs that their limiters let go now.
    #[inline]
    fn release_paced(&mut self, queue_pairs: &mut [QueuePair], now: Picoseconds) {
        while let Some(Reverse((time, id))) = self.paced.peek().copied() {
            if time > now {
                return;
            }
            self.paced.pop();
            let queue_pair = &mut queue_pairs[id as usize];
            queue_pair.turn = Turn::Ready;
            self.push(queue_pair.priority, id);
        }
    }
}

impl Simulation {
    /// A queue pair may have something to send.
    pub(crate) fn activate(&mut self, id: u32) {
        let queue_pair = &self.queue_pairs[id as usize];
        if queue_pair.turn != Turn::Idle {
            return;
        }
        if !queue_pair.may_send() {
            if self.credits.is_some() {
                self.ask_for_credit(id);
            }
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
            let state = &mut self.ports[port as usize];
            let nic = &mut self.nics[device];
            let obeyed = nic.control_paused(state);
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
            let scheduler = &self.settings.devices[state.settings as usize].scheduler;
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
            let Some(id) = nic.take(&self.queue_pairs, priority, now) else {
                held |= 1 << priority;
                continue;
            };
            self.queue_pairs[id as usize].turn = Turn::Idle;
            if let Some(bytes) = self.send(id) {
                let queue = &mut self.queues[(port, usize::from(priority))];
                let settings = self.ports[port as usize].settings;
                let scheduler = &self.settings.devices[settings as usize].scheduler;
                scheduler.charge(queue, eligible, bytes);
                break;
            }
        }
        self.wake_for_next(port);
    }

    /// A queue pair with something to send takes its place: ready, or held by its limiter.
    #[inline]
    pub(crate) fn line_up(&mut self, id: u32) {
        let queue_pair = &mut self.queue_pairs[id as usize];
        let state = &self.ports[queue_pair.port as usize];
        let nic = &mut self.nics[state.device as usize];
        if queue_pair.next_allowed <= state.busy_until.max(self.now) {
            queue_pair.turn = Turn::Ready;
            return nic.push(queue_pair.priority, id);
        }
        queue_pair.turn = Turn::Paced;
        nic.paced.push(Reverse((queue_pair.next_allowed, id)));
    }

    /// When the port has to look again.
    #[inline]
    pub(crate) fn wake_for_next(&mut self, port: u32) {
        let state = &self.ports[port as usize];
        let nic = &self.nics[state.device as usize];
        let free = state.busy_until.max(self.now);
        if state.control || state.waiting & !nic.control_paused(state) != 0 {
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
}
