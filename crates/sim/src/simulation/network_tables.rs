//! Tables that depend on the scenario only: cables, the path of each flow's data, and the minimum completion time of a flow.

use crate::bytes::Bytes;
use crate::ids::{PortId, QueuePairId};
use crate::mechanisms::frame::{Kind, FIRST, LAST};
use crate::model::results::{Column, Table};
use crate::model::scenario::{Operation, Service, Verb};
use crate::simulation::state::Simulation;
use crate::time::{Picoseconds, NEVER};

/// The tables `links`, `paths` and `limits`.
pub(crate) fn tables(simulation: &Simulation) -> Vec<Table> {
    vec![
        links(simulation),
        paths(simulation),
        Table::new(
            "limits",
            vec![(
                "least_ps",
                Column::U64(
                    operations(simulation)
                        .map(|queue_pair| least(simulation, queue_pair).unwrap_or(NEVER).0)
                        .collect(),
                ),
            )],
        ),
    ]
}

fn links(simulation: &Simulation) -> Table {
    let links = &simulation.scenario.links;
    let switches: Vec<u8> = simulation
        .ports
        .iter()
        .map(|port| u8::from(port.switch))
        .collect();
    Table::new(
        "links",
        vec![
            (
                "a",
                Column::U32(links.iter().map(|link| link.a.0).collect()),
            ),
            (
                "b",
                Column::U32(links.iter().map(|link| link.b.0).collect()),
            ),
            (
                "a_is_switch",
                Column::U8(switches.iter().copied().step_by(2).collect()),
            ),
            (
                "b_is_switch",
                Column::U8(switches.iter().copied().skip(1).step_by(2).collect()),
            ),
            (
                "rate_bps",
                Column::U64(links.iter().map(|link| link.rate).collect()),
            ),
            (
                "delay_ps",
                Column::U64(links.iter().map(|link| link.delay.0).collect()),
            ),
        ],
    )
}

/// The ports that send the data of a queue pair, the NIC port first. `None` where switches select paths at run time.
fn paths(simulation: &Simulation) -> Table {
    let mut senders: Vec<QueuePairId> = operations(simulation).map(sender).collect();
    senders.sort_unstable();
    senders.dedup();
    let (mut ids, mut hops, mut ports) = (Vec::new(), Vec::new(), Vec::new());
    for id in senders {
        for (hop, port) in path(simulation, id).into_iter().flatten().enumerate() {
            ids.push(id.0);
            hops.push(hop as u32);
            ports.push(port.0);
        }
    }
    Table::new(
        "paths",
        vec![
            ("queue_pair", Column::U32(ids)),
            ("hop", Column::U32(hops)),
            ("port", Column::U32(ports)),
        ],
    )
}

fn operations(simulation: &Simulation) -> impl Iterator<Item = &Operation> {
    simulation.scenario.operations.iter()
}

/// The queue pair that sends the data.
fn sender(operation: &Operation) -> QueuePairId {
    match operation.verb {
        Verb::Write | Verb::Send => operation.queue_pair,
        Verb::Read => operation.queue_pair.peer(),
    }
}

fn path(simulation: &Simulation, id: QueuePairId) -> Option<Vec<PortId>> {
    let queue_pair = &simulation.queue_pairs[id];
    let mut hops = simulation.routes.hops()[queue_pair.route as usize..].iter();
    let mut ports = vec![queue_pair.port];
    let mut last = queue_pair.port;
    while simulation.ports[last.peer()].switch {
        last = *hops.next()?;
        ports.push(last);
    }
    Some(ports)
}

/// The minimum time between post and completion: that of the message in an idle network. A write and a send end with the
/// arrival of the acknowledgement, or with the last packet sent on an unreliable service; a read starts with the transfer of
/// the request. Host latency is not included. `None` where the path is not known before the run.
fn least(simulation: &Simulation, operation: &Operation) -> Option<Picoseconds> {
    let parameters = &simulation.settings.parameters;
    let framing = &parameters.framing;
    let on_link = |bytes: Bytes<u32>| bytes.max(framing.minimum_bytes) + framing.gap_bytes;
    let connection = &simulation.scenario.connections[operation.queue_pair.connection()];
    let mtu = connection.service.payload(parameters);
    let packets = operation.bytes.div_ceil(mtu.widen()).max(1);
    let last_packet = operation.bytes - (packets - 1) * mtu.widen();
    let frame = |flags: u8| {
        let payload = if flags & LAST != 0 {
            Bytes(last_packet.0 as u32)
        } else {
            mtu
        };
        let kind = match (connection.service, operation.verb) {
            (Service::Tcp, _) => Kind::Tcp,
            (Service::Udp, _) => Kind::Udp,
            (_, Verb::Write) => Kind::Write,
            (Service::Ud { .. }, _) => Kind::Datagram,
            (_, Verb::Send) => Kind::Send,
            (_, Verb::Read) => Kind::ReadResponse,
        };
        on_link(framing.packet(kind, flags, payload).0)
    };
    let data = if packets == 1 {
        vec![(1, frame(FIRST | LAST))]
    } else {
        vec![(1, frame(FIRST)), (packets - 2, frame(0)), (1, frame(LAST))]
    };
    let back = match operation.verb {
        _ if connection.service == Service::Tcp => Bytes(framing.encapsulation().tcp(0).bytes()),
        Verb::Read => framing.read_request_bytes,
        Verb::Write | Verb::Send => framing.ack_bytes,
    };
    let id = sender(operation);
    let queue_pair = &simulation.queue_pairs[id];
    if queue_pair.unreliable {
        let byte = simulation.ports[queue_pair.port].byte;
        let times = data
            .iter()
            .map(|(count, bytes)| *count * byte.times(*bytes));
        return Some(times.sum());
    }
    let (forward, reverse) = (path(simulation, id)?, path(simulation, id.peer())?);
    let data = crosses(simulation, &forward, &data);
    Some(data + crosses(simulation, &reverse, &[(1, on_link(back))]))
}

/// Time from the first bit of a train of frames at the first port to its last bit at the destination: pairs of a number of
/// frames and their bytes on the link. Switches store and forward frames in order.
fn crosses(simulation: &Simulation, path: &[PortId], train: &[(u64, Bytes<u32>)]) -> Picoseconds {
    let ports: Vec<_> = path
        .iter()
        .map(|port| &simulation.ports[port.index()])
        .collect();
    // Time at which each port has sent all frames so far.
    let mut sent: Vec<Option<Picoseconds>> = vec![None; ports.len()];
    sent[0] = Some(Picoseconds::ZERO);
    for (count, bytes) in train.iter().filter(|(count, _)| *count > 0) {
        let previous = std::mem::replace(&mut sent, vec![None; ports.len()]);
        for (start, since) in previous.iter().enumerate() {
            let Some(since) = since else { continue };
            // The slowest port limits all further frames.
            let (mut time, mut slowest) = (*since, Picoseconds::ZERO);
            for (hop, port) in ports.iter().enumerate().skip(start) {
                let takes = port.byte.times(*bytes);
                slowest = slowest.max(takes);
                time += takes;
                sent[hop] = sent[hop].max(Some(time + (count - 1) * slowest));
                let next = path.get(hop + 1);
                time += port.flight
                    + next.map_or(Picoseconds::ZERO, |next| simulation.credit_latency(*next));
            }
        }
    }
    let last = sent.last().copied().flatten().unwrap_or(Picoseconds::ZERO);
    last + ports.last().map_or(Picoseconds::ZERO, |port| port.flight)
}
