//! NICs that begin and stop a pause storm.

use crate::ids::{PortId, Priority};
use crate::model::faults::Kind;
use crate::simulation::state::Simulation;

/// The priorities that a NIC port pauses because of the active faults.
pub(super) fn paused_priorities<'a>(port: PortId, hold: impl Iterator<Item = &'a Kind>) -> u8 {
    let priorities = hold.map(|kind| match kind {
        Kind::StuckNic(stuck_nic) if stuck_nic.port == port => stuck_nic.priorities,
        _ => 0,
    });
    priorities.fold(0, |all, priorities| all | priorities)
}

impl Simulation {
    /// A pause storm starts or ends: `priorities` are paused from now on.
    pub(super) fn stuck_nic(&mut self, port: PortId, priorities: u8) {
        let device = self.ports[port].device as usize;
        let pipe = self.nics[device].pipe.as_ref();
        let wanted = pipe.map_or(0, |pipe| pipe.paused_priorities());
        let previous = std::mem::replace(&mut self.sides[port].storm, priorities);
        for priority in Priority::all() {
            let bit = priority.bit();
            let [was, is, wanted] = [previous, priorities, wanted].map(|of| of & bit != 0);
            match (was, is) {
                // A pause that the receive buffer requests continues.
                (false, true) if wanted => self.refresh_pause_early(port, priority),
                (false, true) => self.send_xoff(port, priority),
                (true, false) if !wanted => self.send_xon(port, priority),
                _ => {}
            }
        }
    }
}
