//! A scenario: nodes, links, queue pairs and operations. The only input of the simulator.

use crate::bytes::Bytes;
use crate::ids::{NodeId, PortId, Priority, QueuePairId};
use crate::model::faults::{Fault, Kind};
use crate::model::names::Names;
use crate::model::overrides::Devices;
use crate::model::parameters::Parameters;
use crate::time::Picoseconds;
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::IpAddr;
use wirespeed_wire::Ip;

/// All inputs of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Name, for reports.
    pub name: String,
    /// Values that were assumed when it was made from a cluster file, for the summary.
    pub assumed: Vec<String>,
    /// Nodes 0 to `hosts` - 1 are hosts.
    pub hosts: u32,
    /// The nodes after the hosts are switches.
    pub switches: u32,
    /// Cables. Link n is port 2n at its `a` end and port 2n + 1 at its `b` end.
    pub links: Vec<Link>,
    /// By port: the address of a NIC port, if any. The list may be shorter than the number of ports.
    pub addresses: Vec<Option<IpAddr>>,
    /// Names of nodes and ports.
    pub names: Names,
    /// Buffer of each switch, bytes.
    pub buffer_bytes: Vec<Bytes>,
    /// Connected queue pairs. Connection n is queue pair 2n at `a` and 2n + 1 at `b`.
    pub connections: Vec<Connection>,
    /// Work requests.
    pub operations: Vec<Operation>,
    /// Parameters of all devices without overrides.
    pub parameters: Parameters,
    /// Overrides of single devices.
    pub devices: Devices,
    /// Configured routes. Without one, switches use the shortest paths.
    pub routes: Vec<Route>,
    /// Faults.
    pub faults: Vec<Fault>,
    /// Seed of all random draws.
    pub seed: u64,
    /// End of the run, even with frames in flight; [`crate::time::NEVER`] = when nothing is left to do.
    pub until: Picoseconds,
    /// Recordings in addition to the tables.
    pub observe: Observe,
}

/// A cable between two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// One end.
    pub a: NodeId,
    /// The other end.
    pub b: NodeId,
    /// Bits per second.
    pub rate: u64,
    /// Propagation in one direction.
    pub delay: Picoseconds,
    /// Probability that a frame other than a PFC frame is lost.
    pub loss: f64,
    /// Time from which PFC frames are lost on it; [`crate::time::NEVER`] = they are not.
    pub pfc_lost_from: Picoseconds,
}

/// A route of one switch other than all shortest paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The switch.
    pub node: NodeId,
    /// The host that it leads to.
    pub destination: NodeId,
    /// Ports of the switch, of equal cost.
    pub ports: Vec<PortId>,
}

/// Two connected queue pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connection {
    /// Port (global number) of the first queue pair.
    pub port_a: PortId,
    /// Port of the second.
    pub port_b: PortId,
    /// Priority of its data and acknowledgements.
    pub priority: Priority,
    /// UDP source port of its packets, the entropy for ECMP.
    pub udp_source_port: u16,
    /// Transport service.
    pub service: Service,
}

impl Connection {
    /// The ports of its first and second queue pair.
    #[inline]
    pub fn ports(&self) -> [PortId; 2] {
        [self.port_a, self.port_b]
    }
}

/// Transport services: those of IBTA (volume 1, chapter 9.1), and sockets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Service {
    /// Reliable connection.
    #[default]
    Rc,
    /// Unreliable connection.
    Uc,
    /// Unreliable datagram, from `port_a` to `port_b`.
    Ud {
        /// The connection whose first queue pair sends them: one queue pair has many destinations, each a connection here.
        queue: u32,
    },
    /// A TCP connection between sockets of the hosts: not RDMA, but on the same ports.
    Tcp,
    /// UDP datagrams between sockets of the hosts.
    Udp,
}

impl Service {
    /// Whether it is a socket service, not RDMA.
    pub fn of_sockets(self) -> bool {
        matches!(self, Service::Tcp | Service::Udp)
    }

    /// Whether packets are not acknowledged.
    pub fn unreliable(self) -> bool {
        matches!(self, Service::Uc | Service::Ud { .. } | Service::Udp)
    }

    /// Payload of a full packet.
    pub fn payload(self, parameters: &Parameters) -> Bytes<u32> {
        let (ip, mtu) = (
            Ip::from(parameters.framing.ip),
            parameters.sockets.mtu_bytes,
        );
        match self {
            Service::Tcp => Bytes(ip.tcp_payload(mtu.0)),
            Service::Udp => Bytes(ip.udp_payload(mtu.0)),
            Service::Rc | Service::Uc | Service::Ud { .. } => parameters.transport.mtu_bytes,
        }
    }
}

/// A work request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The queue pair it is posted on.
    pub queue_pair: QueuePairId,
    /// Its operation.
    pub verb: Verb,
    /// Payload, bytes.
    pub bytes: Bytes,
    /// Earliest post.
    pub at: Picoseconds,
    /// Dependencies: indices of the operations that must complete first.
    pub after: Vec<u32>,
    /// Time from the last of their completions (or `at`) to the post.
    pub delay: Picoseconds,
}

/// RDMA verbs of a reliable connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// RDMA write.
    Write,
    /// RDMA read: data flows towards the poster.
    Read,
    /// Send.
    Send,
}

impl Verb {
    /// Its name in scenarios and tables.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Write => "write",
            Verb::Read => "read",
            Verb::Send => "send",
        }
    }
}

/// Recordings over time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observe {
    /// Sampling interval; 0 = no series.
    pub interval: Picoseconds,
    /// Maximum number of samples: in a longer run every second one is dropped and the interval is doubled. 0 = no maximum.
    pub samples: u32,
    /// Ports whose queues, counters and pause states are sampled.
    pub ports: Vec<PortId>,
    /// Queue pairs whose rate is sampled.
    pub queue_pairs: Vec<QueuePairId>,
    /// The ports whose frames, in and out, are captured.
    pub captures: Vec<PortId>,
}

impl Scenario {
    /// Whether a queue pair is for datagrams.
    pub fn datagrams(&self, queue_pair: QueuePairId) -> bool {
        let connection = &self.connections[queue_pair.connection()];
        matches!(connection.service, Service::Ud { .. })
    }

    /// The queue pair that sends the operations of `queue_pair`: for datagrams one for all destinations.
    pub fn sender(&self, queue_pair: QueuePairId) -> QueuePairId {
        match self.connections[queue_pair.connection()].service {
            Service::Ud { queue } => QueuePairId::of_connection(queue as usize, 0),
            _ => queue_pair,
        }
    }

    /// Maximum frame size in the scenario.
    pub fn longest_frame(&self) -> Bytes<u32> {
        let framing = self.parameters.framing.add_encapsulation();
        let longest = framing.longest(self.parameters.transport.mtu_bytes);
        let mut connections = self.connections.iter();
        if !connections.any(|connection| connection.service.of_sockets()) {
            return longest;
        }
        let payload = Service::Udp.payload(&self.parameters);
        longest.max(Bytes(framing.encapsulation().udp(payload.0).bytes()))
    }

    /// Bit n: there may be frames of priority n other than PFC frames.
    pub fn priorities(&self) -> u8 {
        let of_connections = self
            .connections
            .iter()
            .map(|connection| connection.priority);
        let sets = (0..self.sets()).map(|number| self.set(number));
        let of_devices = sets.flat_map(|set| {
            let trimmed = set
                .switch
                .trimming
                .as_ref()
                .map(|trimming| trimming.priority);
            let sent = [set.transport.priority, set.notification.priority];
            sent.into_iter()
                .chain(set.transport.ack_priority)
                .chain(trimmed)
        });
        let all = of_connections.chain(of_devices);
        all.fold(0, |bits, priority| bits | priority.bit())
    }

    /// Nodes: hosts, then switches.
    pub fn nodes(&self) -> u32 {
        self.hosts + self.switches
    }

    /// The configured address of a NIC port.
    pub fn given_address(&self, port: PortId) -> Option<IpAddr> {
        self.addresses.get(port.index()).copied().flatten()
    }

    /// The port at the other end of a port's cable according to the plan, as routing uses it.
    pub fn believed_peer(&self, port: PortId) -> PortId {
        let faults = self.faults.iter();
        let mut peer = faults.filter_map(|fault| match &fault.kind {
            Kind::Miswiring(miswiring) => miswiring.believed_peer(port),
            _ => None,
        });
        peer.next().unwrap_or(port.peer())
    }

    /// The node at the port's own end.
    pub fn node_of(&self, port: PortId) -> NodeId {
        let link = &self.links[port.link()];
        match port.is_second() {
            false => link.a,
            true => link.b,
        }
    }
}
