//! Frames that grant and request credit. RoCEv2 has no such frames: a capture has the control packets of Ultra Ethernet for
//! them, and RoCEv2 headers for data and acknowledgements. A request in a data packet has no field in RoCEv2 headers.

use crate::ids::QueuePairId;
use crate::mechanisms::frame::{Frame, Kind};
use crate::simulation::state::Simulation;
use wirespeed_wire::{Credit, CreditPacket, Network, CREDIT_UNIT};

impl Simulation {
    /// The packet of a frame that grants or requests credit.
    pub(super) fn credit_packet(&self, frame: &Frame, index: u32) -> CreditPacket {
        let (to, from) = (frame.queue_pair, frame.queue_pair.peer());
        let [from_port, to_port] = [from, to].map(|id| self.queue_pairs[id].port);
        let telemetry = self.telemetry.as_ref();
        let bytes = telemetry.map_or(0, |telemetry| telemetry.record(index).credit.0);
        let credit = match frame.kind {
            Kind::Credit => Credit::Granted((bytes / CREDIT_UNIT) as u32),
            _ => Credit::Requested {
                context: from.0 as u8,
                target: bytes.div_ceil(CREDIT_UNIT) as u32,
            },
        };
        CreditPacket {
            network: Network {
                addresses: self.addresses(from_port, to_port, 0),
                ..self.network(from_port, to_port, frame)
            },
            udp_source_port: self.scenario.connections[frame.queue_pair.connection()]
                .udp_source_port,
            contexts: [from, to].map(delivery_context),
            credit,
        }
    }
}

/// The packet delivery context of a queue pair; 0 is reserved for none (section 3.5.11.5).
fn delivery_context(queue_pair: QueuePairId) -> u16 {
    (queue_pair.0 % u32::from(u16::MAX)) as u16 + 1
}
