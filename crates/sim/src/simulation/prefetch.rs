//! Looking ahead: what the next events will touch is read while the present one is taken.
//!
//! In a network larger than the processor's caches most of the time goes into waiting for memory, one read after the
//! other. These reads wait side by side with the work at hand. They change nothing, and nothing depends on them. A small
//! network lies in the caches and is not read ahead.

use crate::ids::{PortId, Priority};
use crate::simulation::class;
use crate::simulation::state::{Behind, Simulation, ENTITY};
use std::hint::black_box;

/// From so many ports on: with the frames between them, more than a second-level cache of 512 KiB holds.
const LARGE: usize = 512;
/// So many events ahead, what an event names itself is read.
const FIRST: usize = 3;
/// So many ahead, what is known only from that.
const SECOND: usize = 1;

impl Simulation {
    /// Reads what the next events need.
    #[inline]
    pub(crate) fn look_ahead(&self) {
        if self.ports.len() < LARGE {
            return;
        }
        self.read_named();
        self.read_derived();
    }

    #[inline]
    fn read_named(&self) {
        let Some(event) = self.queue.upcoming(FIRST) else {
            return;
        };
        let port = PortId(event.key & ENTITY);
        let priority = Priority(self.settings.parameters.transport.priority);
        match event.key >> 28 {
            class::ARRIVES => {
                black_box(self.frames[event.payload].hop);
                black_box(self.groups[(port.peer(), priority)].used);
            }
            class::TRANSMIT => {
                black_box(self.ports[port].waiting);
                black_box(self.queues[(port, priority)].bytes);
            }
            _ => {}
        }
    }

    #[inline]
    fn read_derived(&self) {
        let Some(event) = self.queue.upcoming(SECOND) else {
            return;
        };
        if event.key >> 28 != class::ARRIVES {
            return;
        }
        let frame = &self.frames[event.payload];
        let port = PortId(event.key & ENTITY).peer();
        if self.kinds[port] == Behind::Nic {
            black_box(self.queue_pairs[frame.queue_pair].port);
            return;
        }
        // A frame that goes to a NIC has no further hop, and behind a port with checked delivery may be either.
        if let Some(egress) = self.routes.hops().get(frame.hop as usize) {
            black_box(self.ports[*egress].waiting);
            black_box(self.queues[(*egress, frame.priority)].bytes);
        }
    }
}
