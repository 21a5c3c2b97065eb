//! Frames forwarded at run time.

use crate::bytes::Bytes;
use crate::devices::port::is_down;
use crate::ids::{NodeId, PortId, SwitchId};
use crate::mechanisms::forwarding::{Packet, MOST_HOPS};
use crate::simulation::state::Simulation;

impl Simulation {
    /// A frame has arrived at the switch behind `ingress`, which forwards it or has no route.
    #[inline(never)]
    pub(crate) fn forward(&mut self, ingress: PortId, index: u32) {
        match self.egress(ingress, index) {
            Some(egress) => self.admit(ingress, index, egress),
            None => self.drop_unroutable(ingress, index),
        }
    }

    /// Drops a frame that has no route, or that is not addressed to the node.
    #[cold]
    pub(crate) fn drop_unroutable(&mut self, port: PortId, index: u32) {
        let priority = self.frames[index].priority;
        self.totals.unroutable += 1;
        self.totals.drops += 1;
        self.sides[port].drops[priority] += 1;
        self.frames.remove(index);
    }

    fn egress(&mut self, ingress: PortId, index: u32) -> Option<PortId> {
        let frame = &mut self.frames[index];
        if frame.hop == MOST_HOPS {
            return None;
        }
        frame.hop += 1;
        let (sender, priority) = (frame.queue_pair.peer(), frame.priority);
        let switch = SwitchId(self.ports[ingress].device);
        let packet = Packet {
            seed: self.settings.seed,
            now: self.now,
            switch,
            node: NodeId::of_switch(self.scenario.hosts, switch),
            sender,
            entropy: self
                .telemetry
                .as_ref()
                .map_or(0, |telemetry| telemetry.entropy(index)),
        };
        let (ports, queues) = (&self.ports, &self.queues);
        let load = |port: PortId| match is_down(&ports[port]) {
            true => Bytes::MAX,
            false => queues[(port, priority)].bytes,
        };
        let ecmp = self.scenario.ecmp(packet.node);
        let egress = self.forwarding.as_mut()?.egress(&packet, ecmp, load)?;
        (!is_down(&self.ports[egress])).then_some(egress)
    }
}
