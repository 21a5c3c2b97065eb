//! Estimate of the work of each port of a network before the run.

use crate::ids::QueuePairId;
use crate::mechanisms::routing::Routes;
use crate::model::scenario::Verb;
use crate::simulation::state::Simulation;

/// By port. A frame sent or received by a NIC counts as much work as one received and forwarded by a switch: 570 and 820
/// instructions (callgrind, parts of S3, 2026-11-22), measured as 0.33 µs and 0.39 µs with both processors busy.
pub(super) struct Load {
    /// Frames sent by the port.
    pub frames: Vec<u64>,
    /// Work of its device for them.
    pub work: Vec<u64>,
    /// Total work.
    pub hops: u64,
}

impl Load {
    /// Assumes that every packet and every acknowledgement is sent once.
    pub(super) fn from_simulation(simulation: &Simulation) -> Self {
        let scenario = &simulation.scenario;
        let ports = simulation.ports.len();
        let transport = &simulation.settings.parameters.transport;
        let mut load = Load {
            frames: vec![0; ports],
            work: vec![0; ports],
            hops: 0,
        };
        // Where switches select paths at run time, the paths of the hash are used as an estimate.
        let guessed = simulation
            .forwarding
            .as_ref()
            .map(|_| Routes::compute(scenario).ok());
        let routes = match &guessed {
            Some(Some(routes)) => routes,
            _ => &simulation.routes,
        };
        for operation in &scenario.operations {
            let packets = operation.bytes.div_ceil(transport.mtu_bytes.widen()).max(1);
            let replies = packets.div_ceil(u64::from(transport.ack_every));
            let (out, back) = match operation.verb {
                Verb::Write | Verb::Send => (packets, replies),
                Verb::Read => (1, packets),
            };
            load.carry(simulation, routes, operation.queue_pair, out);
            load.carry(simulation, routes, operation.queue_pair.peer(), back);
        }
        load
    }

    /// Adds `frames` from a queue pair to its peer.
    fn carry(
        &mut self,
        simulation: &Simulation,
        routes: &Routes,
        queue_pair: QueuePairId,
        frames: u64,
    ) {
        let from = simulation.queue_pairs[queue_pair].port;
        let to = simulation.queue_pairs[queue_pair.peer()].port;
        self.work[to] += frames;
        let mut hops = routes.hops()[routes.start(queue_pair) as usize..].iter();
        let mut port = from;
        loop {
            self.frames[port] += frames;
            self.work[port] += frames;
            self.hops += frames;
            if port.peer() == to {
                return;
            }
            match hops.next() {
                Some(next) => port = *next,
                None => return,
            }
        }
    }
}
