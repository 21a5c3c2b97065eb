//! A slow receiver: for a time, what arrives goes to memory at a lower rate.

use crate::simulation::{class, Simulation};
use crate::time::ByteTime;

/// A NIC port with a host pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlowReceiver {
    /// The NIC port.
    pub port: u32,
    /// Bits of payload per second from NIC to memory.
    pub rate: u64,
}

impl Simulation {
    /// The pipe's rate falls, or is what it was.
    pub(super) fn slow_receiver(&mut self, it: &SlowReceiver, begins: bool) {
        let now = self.now;
        let nic = &mut self.nics[self.ports[it.port as usize].device as usize];
        let Some(pipe) = &mut nic.pipe else {
            return;
        };
        pipe.receive_at(now, begins.then(|| ByteTime::of(it.rate)));
        if pipe.pausing() != 0 {
            self.schedule(now, class::DRAINED, it.port, 0); // it looks when that will be
        }
    }
}
