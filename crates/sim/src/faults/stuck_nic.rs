//! A stuck NIC: it asks its switch to pause, again and again, whatever its receive buffer holds. A pause storm.

use crate::parameters::PRIORITIES;
use crate::simulation::Simulation;

/// A NIC port that pauses what stands behind its link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StuckNic {
    /// The NIC port.
    pub port: u32,
    /// Bit n: it pauses priority n.
    pub priorities: u8,
}

impl Simulation {
    /// The storm begins, or is over.
    pub(super) fn stuck_nic(&mut self, it: &StuckNic, begins: bool) {
        let device = self.ports[it.port as usize].device as usize;
        let wanted = self.nics[device]
            .pipe
            .as_ref()
            .map_or(0, |pipe| pipe.pausing());
        let side = &mut self.sides[it.port as usize];
        let before = side.storm;
        side.storm = match begins {
            true => before | it.priorities,
            false => before & !it.priorities,
        };
        // What the receive buffer asks for by itself goes on being asked for.
        let changed = (before ^ side.storm) & !wanted;
        for priority in (0..PRIORITIES).filter(|priority| changed & (1 << priority) != 0) {
            if begins {
                self.ask_to_pause(it.port, priority);
            } else {
                self.ask_to_go_on(it.port, priority);
            }
        }
    }
}
