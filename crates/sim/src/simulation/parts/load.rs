//! What each port of a network has to do, as far as it can be told before the run.

use crate::bytes::Bytes;
use crate::ids::QueuePairId;
use crate::mechanisms::routing::Routes;
use crate::model::scenario::Verb;
use crate::simulation::state::Simulation;

/// By port. A frame that a NIC sends or takes in is as much work as one that a switch takes in and sends on: 570 and 820
/// instructions (callgrind, from what parts of S3 took, 2026-11-22), which were 0.33 us and 0.39 us, both processors busy.
pub(super) struct Load {
    /// Frames on the link out of the port.
    pub frames: Vec<u64>,
    /// Work of the device behind it for them.
    pub work: Vec<u64>,
    /// Of all.
    pub hops: u64,
}

impl Load {
    /// Every packet goes once, and so do its acknowledgements.
    pub(super) fn from_simulation(simulation: &Simulation) -> Self {
        let scenario = &simulation.scenario;
        let ports = simulation.ports.len();
        let transport = &simulation.settings.parameters.transport;
        let mut load = Load {
            frames: vec![0; ports],
            work: vec![0; ports],
            hops: 0,
        };
        // Where switches choose while the run goes on, the paths that hashes would choose are as good a guess as any.
        let guessed = simulation
            .forwarding
            .as_ref()
            .map(|_| Routes::compute(scenario).ok());
        let routes = match &guessed {
            Some(Some(routes)) => routes,
            _ => &simulation.routes,
        };
        for operation in &scenario.operations {
            let packets = operation
                .bytes
                .div_ceil(Bytes(transport.mtu_bytes).widen())
                .max(1);
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

    /// `frames` go from a queue pair to its peer.
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
