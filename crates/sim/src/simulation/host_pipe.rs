//! Frames that enter the receive buffer of a NIC, and the PFC it sends.

use crate::ids::{PortId, Priority};
use crate::mechanisms::frame::{Frame, FIRST};
use crate::mechanisms::host_pipe::DrainState;
use crate::mechanisms::transport::Transport;
use crate::simulation::class;
use crate::simulation::state::Simulation;
use crate::time::Picoseconds;

impl Simulation {
    /// Adds payload to the receive buffer. Returns the time at which it is in memory; `None` if the buffer is full. Payload that
    /// the transport will not accept is never written to memory.
    pub(crate) fn take_in(&mut self, port: PortId, frame: &Frame) -> Option<Picoseconds> {
        let lossless = self.device(port).pfc.lossless_priorities;
        let nic = &mut self.nics[self.ports[port].device as usize];
        let Some(pipe) = &mut nic.pipe else {
            return Some(self.now);
        };
        let transport = &self.queue_pairs[frame.queue_pair].transport;
        if !transport.accepts(frame.kind, frame.psn, frame.has(FIRST)) {
            return Some(self.now);
        }
        let Some(received) = pipe.receive(self.now, frame, lossless) else {
            self.totals.drops += 1;
            return None;
        };
        if received.pause && self.sides[port].storm & frame.priority.bit() == 0 {
            self.send_xoff(port, frame.priority);
        }
        if let Some(time) = received.check_at {
            self.schedule(time, class::DRAINED, port.0, 0);
        }
        Some(received.in_memory)
    }

    /// Sends XON if the receive buffer has drained far enough.
    pub(crate) fn resume_peer(&mut self, port: PortId) {
        let nic = &mut self.nics[self.ports[port].device as usize];
        let Some(pipe) = &mut nic.pipe else {
            return;
        };
        let pausing = match pipe.check(self.now) {
            DrainState::Before => return,
            DrainState::Later(time) => return self.schedule(time, class::DRAINED, port.0, 0),
            DrainState::Now(pausing) => pausing & !self.sides[port].storm,
        };
        for priority in Priority::all().filter(|priority| pausing & priority.bit() != 0) {
            self.send_xon(port, priority);
        }
    }
}
