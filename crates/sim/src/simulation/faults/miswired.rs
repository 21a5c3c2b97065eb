//! Frames that arrive over miswired links.

use crate::mechanisms::frame::Frame;
use crate::model::faults::miswired::Miswired;
use crate::simulation::Simulation;

impl Simulation {
    pub(super) fn put_miswired(&mut self, it: &Miswired) {
        for port in it.links.iter().flat_map(|link| [2 * link, 2 * link + 1]) {
            self.watch_arrivals(port);
        }
    }

    /// Whether a frame has come to a NIC port that it does not go to.
    pub(crate) fn is_stray(&self, port: u32, frame: &Frame) -> bool {
        self.queue_pairs[frame.queue_pair as usize].port != port
    }
}
