//! Receivers that become slow and recover.

use crate::ids::PortId;
use crate::model::faults::Kind;
use crate::simulation::class;
use crate::simulation::state::Simulation;
use crate::time::ByteTime;

/// The lowest rate of a NIC port among the active faults.
pub(super) fn least<'a>(port: PortId, hold: impl Iterator<Item = &'a Kind>) -> Option<u64> {
    let rates = hold.filter_map(|kind| match kind {
        Kind::SlowReceiver(slow_receiver) if slow_receiver.port == port => Some(slow_receiver.rate),
        _ => None,
    });
    rates.min()
}

impl Simulation {
    /// Sets the rate of the host pipe according to the active faults.
    pub(super) fn slow_receiver(&mut self, port: PortId, rate: Option<u64>) {
        let now = self.now;
        let nic = &mut self.nics[self.ports[port].device as usize];
        let Some(pipe) = &mut nic.pipe else {
            return;
        };
        pipe.receive_at(now, rate.map(ByteTime::from_rate));
        if pipe.paused_priorities() != 0 {
            self.schedule(now, class::DRAINED, port.0, 0); // the handler computes the time of draining
        }
    }
}
