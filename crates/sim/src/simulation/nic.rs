//! Transmission at a NIC port: the arbitration between its queue pairs and its acknowledgements.

use crate::devices::port::dequeue;
use crate::devices::queue_pair::Turn;
use crate::ids::{PortId, QueuePairId};
use crate::simulation::state::Simulation;
use crate::time::NEVER;

impl Simulation {
    /// Activates a queue pair that may have packets to send.
    pub(crate) fn activate(&mut self, id: QueuePairId) {
        let queue_pair = &self.queue_pairs[id];
        if queue_pair.turn != Turn::Idle {
            return;
        }
        if !queue_pair.may_send() {
            if self.credits.is_some() {
                self.request_credit_if_needed(id);
            }
            return;
        }
        let port = queue_pair.port;
        self.line_up(id);
        self.kick(port);
    }

    /// An idle port sends an acknowledgement, a CNP or a packet of a queue pair.
    #[inline]
    pub(crate) fn nic_transmit(&mut self, port: PortId) {
        let now = self.now;
        let device = self.ports[port].device as usize;
        self.nics[device].release_paced(&mut self.queue_pairs, now);
        let mut held = 0;
        loop {
            let state = &mut self.ports[port];
            let nic = &mut self.nics[device];
            let [control, data] = nic.eligible(state, now);
            let data = data & !held;
            let eligible = control | data;
            if eligible == 0 {
                break;
            }
            let scheduler = &self.settings.devices[state.settings as usize].scheduler;
            let priority = scheduler.choose(port, state, &mut self.queues, eligible);
            let queue = &mut self.queues[(port, priority)];
            if control & priority.bit() != 0 {
                let Some(index) = dequeue(state, queue, &self.frames, priority, now) else {
                    break;
                };
                scheduler.charge(queue, eligible, self.frames[index].bytes.widen());
                self.start(port, index);
                break;
            }
            let Some(id) = nic.take(&self.queue_pairs, priority, now) else {
                held |= priority.bit();
                continue;
            };
            self.queue_pairs[id].turn = Turn::Idle;
            if let Some(bytes) = self.send(id) {
                let queue = &mut self.queues[(port, priority)];
                let settings = self.ports[port].settings;
                let scheduler = &self.settings.devices[settings as usize].scheduler;
                scheduler.charge(queue, eligible, bytes);
                break;
            }
        }
        self.wake_for_next(port);
    }

    /// Adds a queue pair with packets to send to the arbitration of its port.
    #[inline]
    pub(crate) fn line_up(&mut self, id: QueuePairId) {
        let queue_pair = &mut self.queue_pairs[id];
        let state = &self.ports[queue_pair.port];
        let free = state.busy_until.max(self.now);
        self.nics[state.device as usize].line_up(queue_pair, id, free);
    }

    /// Schedules the next selection of a frame by the port.
    #[inline]
    pub(crate) fn wake_for_next(&mut self, port: PortId) {
        let state = &self.ports[port];
        let at = self.nics[state.device as usize].next_wake(state, self.now);
        if at != NEVER {
            self.wake(port, at);
        }
    }
}
