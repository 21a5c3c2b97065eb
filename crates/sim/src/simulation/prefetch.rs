//! Prefetching: the data of the next events is read while the current event is processed.
//!
//! In a network larger than the processor's caches most of the time is memory latency, one read after the other. These
//! reads overlap with the processing of the current event. They have no effect on results. A small network fits into the
//! caches and is not prefetched.

use crate::ids::PortId;
use crate::simulation::class;
use crate::simulation::state::{Behind, Simulation, ENTITY};
use std::hint::black_box;

/// Minimum number of ports: with their frames, more than a second-level cache of 512 KiB can store.
const LARGE: usize = 512;
/// Distance in events at which the entity of an event is read.
const FIRST: usize = 3;
/// Distance in events at which data that the entity refers to is read.
const SECOND: usize = 1;

impl Simulation {
    /// Reads the data of the next events.
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
        let Some(event) = self.queue.event_ahead(FIRST) else {
            return;
        };
        let port = PortId(event.key & ENTITY);
        let priority = self.settings.parameters.transport.priority;
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
        let Some(event) = self.queue.event_ahead(SECOND) else {
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
        // A frame to a NIC has no further hop; behind a port with checked delivery the device may be either.
        if let Some(egress) = self.routes.hops().get(frame.hop as usize) {
            black_box(self.ports[*egress].waiting);
            black_box(self.queues[(*egress, frame.priority)].bytes);
        }
    }
}
