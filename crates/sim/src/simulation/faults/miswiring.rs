//! Frames that arrive over miswired links.

use crate::ids::{LinkId, PortId};
use crate::mechanisms::frame::Frame;
use crate::model::faults::miswiring::Miswiring;
use crate::simulation::state::Simulation;

impl Simulation {
    pub(super) fn apply_miswiring(&mut self, miswiring: &Miswiring) {
        for port in miswiring.links.into_iter().flat_map(LinkId::ports) {
            self.watch_arrivals(port);
        }
    }

    /// Whether a frame has arrived at a NIC port that is not its destination.
    pub(crate) fn is_stray(&self, port: PortId, frame: &Frame) -> bool {
        self.queue_pairs[frame.queue_pair].port != port
    }
}
