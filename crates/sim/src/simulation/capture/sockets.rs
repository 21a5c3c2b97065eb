//! Frames of TCP and UDP. Connections are established from the start, so a capture shows no handshake; sequence numbers
//! start at 1, as after a handshake.

use super::streams::Streams;
use crate::mechanisms::ecmp::Flow;
use crate::mechanisms::frame::{Frame, Kind};
use crate::simulation::state::Simulation;
use crate::time::{Picoseconds, MILLISECOND};
use wirespeed_wire::{SocketPacket, SocketProtocol};

/// The receive window never limits. Without a handshake there is no window scaling.
const WINDOW: u16 = u16::MAX;

impl Simulation {
    pub(super) fn socket_packet(&self, frame: &Frame, streams: &mut Streams) -> SocketPacket {
        let (to, from) = (frame.queue_pair, frame.queue_pair.peer());
        let [from_port, to_port] = [from, to].map(|id| self.queue_pairs[id].port);
        let protocol = match frame.kind {
            Kind::Udp => SocketProtocol::Udp,
            _ => {
                let [sent, acknowledged] = streams.position(frame);
                let sender = &self.queue_pairs[from].transport;
                let receiver = &self.queue_pairs[to].transport;
                let push = frame.kind == Kind::Tcp && sender.ends_message(frame.psn);
                SocketProtocol::Tcp {
                    sequence: number(sender.stream_offset(sent).0),
                    acknowledgement: number(receiver.stream_offset(acknowledged).0),
                    push,
                    window: WINDOW,
                    timestamps: [clock(self.now); 2],
                }
            }
        };
        SocketPacket {
            network: self.network(from_port, to_port, frame),
            ports: Flow::from_scenario(&self.scenario, from).udp_ports,
            protocol,
            payload: frame.payload.0,
        }
    }
}

/// Sequence numbers count bytes, modulo 2^32; the handshake takes the first (RFC 9293, 3.4).
fn number(offset: u64) -> u32 {
    (offset + 1) as u32
}

/// Milliseconds, as Linux counts; of the moment of the capture, as frames keep no time.
fn clock(now: Picoseconds) -> u32 {
    (now / MILLISECOND) as u32
}
