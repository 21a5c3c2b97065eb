//! The frames of a port as a pcap file, with their bytes on a real wire whatever sizes the preset has.

mod credit;
pub(super) mod file;
mod sockets;
mod streams;

use crate::bytes::Bytes;
use crate::ids::{PortId, Priority};
use crate::mechanisms::ecmp;
use crate::mechanisms::frame::{Frame, Kind, ACK_REQUEST, CE, ECHO, ECT, FIRST, LAST, NAK, RNR};
use crate::mechanisms::transport::Transport;
use crate::model::parameters::Framing;
use crate::model::scenario::{Scenario, Service};
use crate::problem::{Problem, Refusal};
use crate::simulation::state::Simulation;
use crate::time::Picoseconds;
use std::net::IpAddr;

use wirespeed_wire::{
    Addresses, Aeth, Bth, Deth, Ecn, NakCode, Network, Packet, PacketKind, Pfc, Reth, Syndrome,
    Tag, MAX_PAYLOAD,
};

/// TTL of Linux, `net.ipv4.ip_default_ttl`.
const TTL: u8 = 64;
/// The remote key in every RETH.
const KEY: u32 = 0x1234;

/// Offset of queue pair numbers: 0 and 1 are reserved for management (IBTA volume 1, section 10.2.3.1).
const FIRST_QUEUE_PAIR: u32 = 0x100;

/// Refuses a capture of packets that RoCEv2 does not define.
pub(crate) fn check(scenario: &Scenario) -> Result<(), Refusal> {
    if scenario.observe.captures.is_empty() {
        return Ok(());
    }
    let mtu = scenario.parameters.transport.mtu_bytes;
    if mtu <= Bytes(MAX_PAYLOAD) {
        return Ok(());
    }
    Err(Refusal(vec![Problem {
        location: "parameters.transport.mtu_bytes".to_owned(),
        found: format!("{mtu} and a port to capture"),
        expected: format!("at most {MAX_PAYLOAD}, the largest path MTU"),
        hint: "leave the capture out, or lower the MTU".to_owned(),
    }]))
}

impl Simulation {
    /// Captures a frame that `port` starts to send, or that has arrived at it.
    pub(crate) fn capture_frame(&mut self, port: PortId, index: u32) {
        let Some(number) = self
            .captures
            .iter()
            .position(|capture| capture.port == port)
        else {
            return;
        };
        let now: Picoseconds = self.now;
        let frame = &{ self.frames[index] };
        if frame.kind == Kind::Pfc {
            let capture = &mut self.captures[number];
            capture
                .file
                .append_pfc(&mut capture.bytes, now.0, &pfc(frame));
            return;
        }
        if matches!(frame.kind, Kind::Credit | Kind::CreditRequest) {
            let packet = self.credit_packet(frame, index);
            let capture = &mut self.captures[number];
            capture
                .file
                .append_credit(&mut capture.bytes, now.0, &packet);
            return;
        }
        if matches!(frame.kind, Kind::Tcp | Kind::TcpAck | Kind::Udp) {
            let mut streams = std::mem::take(&mut self.captures[number].streams);
            let packet = self.socket_packet(frame, &mut streams);
            let capture = &mut self.captures[number];
            capture.streams = streams;
            capture
                .file
                .append_socket(&mut capture.bytes, now.0, &packet);
            return;
        }
        let packet = self.packet(frame);
        let capture = &mut self.captures[number];
        capture
            .file
            .append_packet(&mut capture.bytes, now.0, &packet);
    }

    fn packet(&self, frame: &Frame) -> Packet {
        let to = self.queue_pairs[frame.queue_pair].port;
        let from = self.queue_pairs[frame.queue_pair.peer()].port;
        let connection = &self.scenario.connections[frame.queue_pair.connection()];
        let to_queue_pair = FIRST_QUEUE_PAIR + frame.queue_pair.0;
        let bth = match frame.kind {
            Kind::Cnp => Bth::cnp(to_queue_pair),
            _ => Bth {
                acknowledge_request: frame.has(ACK_REQUEST),
                becn: frame.has(ECHO),
                unreliable: connection.service == Service::Uc,
                ..Bth::new(to_queue_pair, sequence_number(frame))
            },
        };
        Packet {
            network: self.network(from, to, frame),
            udp_source_port: connection.udp_source_port,
            bth,
            kind: self.kind(frame),
        }
    }

    /// Ethernet, IP and UDP headers of a frame between two NIC ports.
    fn network(&self, from: PortId, to: PortId, frame: &Frame) -> Network {
        Network {
            source_mac: mac(from),
            destination_mac: mac(to),
            tag: tag(&self.settings.parameters.framing, frame.priority),
            addresses: self.addresses(from, to, frame.psn),
            dscp: dscp(frame.priority),
            ecn: ecn(frame),
            ttl: TTL,
        }
    }

    /// The flow label stays 0, as Linux leaves it (drivers/infiniband/sw/rxe/rxe_net.c).
    fn addresses(&self, from: PortId, to: PortId, psn: u32) -> Addresses {
        match ecmp::addresses(&self.scenario, [from, to]) {
            [IpAddr::V4(source), IpAddr::V4(destination)] => Addresses::V4 {
                source,
                destination,
                identification: psn as u16,
            },
            ends => {
                let [source, destination] = ends.map(|end| match end {
                    IpAddr::V4(address) => address.to_ipv6_mapped(),
                    IpAddr::V6(address) => address,
                });
                Addresses::V6 {
                    source,
                    destination,
                    flow_label: 0,
                }
            }
        }
    }

    fn kind(&self, frame: &Frame) -> PacketKind {
        let payload = frame.payload.0.into();
        let first = frame.has(FIRST);
        let last = frame.has(LAST);
        let aeth = |syndrome| Aeth {
            syndrome,
            msn: self.messages_so_far(frame),
        };
        let accepted = aeth(Syndrome::UNLIMITED);
        match (frame.kind, first, last) {
            (Kind::Write, true, true) => PacketKind::WriteOnly {
                reth: self.reth(frame),
                payload,
            },
            (Kind::Write, true, false) => PacketKind::WriteFirst {
                reth: self.reth(frame),
                payload,
            },
            (Kind::Write, false, false) => PacketKind::WriteMiddle { payload },
            (Kind::Write, false, true) => PacketKind::WriteLast { payload },
            (Kind::Send, true, true) => PacketKind::SendOnly { payload },
            (Kind::Send, true, false) => PacketKind::SendFirst { payload },
            (Kind::Send, false, false) => PacketKind::SendMiddle { payload },
            (Kind::Send, false, true) => PacketKind::SendLast { payload },
            (Kind::Datagram, ..) => PacketKind::DatagramSend {
                deth: Deth {
                    queue_key: KEY,
                    source_qp: FIRST_QUEUE_PAIR + self.scenario.sender(frame.queue_pair.peer()).0,
                },
                payload,
            },
            (Kind::ReadResponse, true, true) => PacketKind::ReadResponseOnly {
                aeth: accepted,
                payload,
            },
            (Kind::ReadResponse, true, false) => PacketKind::ReadResponseFirst {
                aeth: accepted,
                payload,
            },
            (Kind::ReadResponse, false, false) => PacketKind::ReadResponseMiddle { payload },
            (Kind::ReadResponse, false, true) => PacketKind::ReadResponseLast {
                aeth: accepted,
                payload,
            },
            (Kind::ReadRequest, ..) => PacketKind::ReadRequest {
                reth: self.reth(frame),
            },
            (Kind::Cnp, ..) => PacketKind::Cnp,
            (Kind::Ack, ..) if frame.has(RNR) => PacketKind::Acknowledge {
                aeth: aeth(Syndrome::ReceiverNotReady {
                    timer: frame.span as u8,
                }),
            },
            (Kind::Ack, ..) if frame.has(NAK) => PacketKind::Acknowledge {
                aeth: aeth(Syndrome::Nak(NakCode::PsnSequenceError)),
            },
            (Kind::Ack, ..) => PacketKind::Acknowledge { aeth: accepted },
            (
                Kind::Pfc
                | Kind::Tcp
                | Kind::TcpAck
                | Kind::Udp
                | Kind::Credit
                | Kind::CreditRequest,
                ..,
            ) => {
                unreachable!("PFC, sockets and credit have no base transport header")
            }
        }
    }

    /// The MSN: messages that the responder has completed, a read from its first response on (IBTA volume 1, 9.7.7.1).
    fn messages_so_far(&self, frame: &Frame) -> u32 {
        let requester = &self.queue_pairs[frame.queue_pair].transport;
        let end = match frame.kind {
            Kind::ReadResponse => requester
                .find_requested_read(frame.psn)
                .map_or(0, |read| read.end()),
            _ if frame.has(NAK) || frame.span > 0 => frame.psn,
            _ => frame.psn + 1,
        };
        requester.messages_before(end)
    }

    /// Address and length are those of the message, or of the remainder that is read again. All messages start at address 0.
    fn reth(&self, frame: &Frame) -> Reth {
        let sender = &self.queue_pairs[frame.queue_pair.peer()];
        let mtu = u64::from(self.settings.parameters.transport.mtu_bytes.0);
        let message = sender.transport.find_requested_read(frame.psn);
        let (begin, mut length) = message.map_or((0, 0), |message| {
            let begin = u64::from(frame.psn - message.first) * mtu;
            (begin, (message.bytes - Bytes(begin)).0)
        });
        if frame.span > 0 {
            length = length.min(u64::from(frame.span) * mtu);
        }
        Reth {
            address: begin,
            key: KEY,
            length: length.min(u64::from(u32::MAX)) as u32,
        }
    }
}

/// The PSN in the BTH. IBTA headers have no field for the packet that a selective acknowledgement contains in addition: a
/// capture shows a NAK, or an ACK of the packets before the missing one.
fn sequence_number(frame: &Frame) -> u32 {
    match frame.kind == Kind::Ack && frame.span > 0 && !frame.has(NAK) {
        true => frame.psn.wrapping_sub(1),
        false => frame.psn,
    }
}

fn tag(framing: &Framing, priority: Priority) -> Option<Tag> {
    framing.vlan.map(|vlan| Tag {
        priority: priority.0,
        drop_eligible: false,
        vlan,
    })
}

fn ecn(frame: &Frame) -> Ecn {
    match (frame.has(ECT), frame.has(CE)) {
        (_, true) => Ecn::Ce,
        (true, false) => Ecn::Ect0,
        _ => Ecn::NotEct,
    }
}

fn pfc(frame: &Frame) -> Pfc {
    let mut quanta = [0; 8];
    quanta[frame.priority] = frame.quanta();
    Pfc {
        source_mac: mac(frame.ingress),
        enabled: frame.priority.bit(),
        quanta,
    }
}

/// A locally administered address (IEEE 802 clause 8.4) with the port's number.
fn mac(port: PortId) -> [u8; 6] {
    let [a, b, c, d] = port.0.to_be_bytes();
    [2, 0, a, b, c, d]
}

/// The code points of Broadcom's guide 957608-AN210, 2.5.1: priority 3 is DSCP 26 and priority 7 is DSCP 48; the others
/// follow the same scheme.
fn dscp(priority: Priority) -> u8 {
    match priority.0 {
        7 => 48,
        other => other * 8 + 2,
    }
}
