//! Endpoints on the wire: what frames cost, how operations follow each other, effects of a slow host, a lossy link and
//! a marked stream. The `roce` preset unless a test sets another. Expected times are sums of wire times.

mod support;

#[path = "endpoints/capture.rs"]
mod capture;
#[path = "endpoints/errors.rs"]
mod errors;
#[path = "endpoints/framing.rs"]
mod framing;
#[path = "endpoints/go_back_n.rs"]
mod go_back_n;
#[path = "endpoints/host_pipe.rs"]
mod host_pipe;
#[path = "endpoints/notification.rs"]
mod notification;
#[path = "endpoints/operations.rs"]
mod operations;
#[path = "endpoints/pcie.rs"]
mod pcie;
#[path = "endpoints/receives.rs"]
mod receives;
#[path = "endpoints/selective_repeat.rs"]
mod selective_repeat;
#[path = "endpoints/sharing.rs"]
mod sharing;
#[path = "endpoints/sockets.rs"]
mod sockets;
#[path = "endpoints/unreliable.rs"]
mod unreliable;

use support::{link, network, preset};
use wirespeed_sim::congestion;
use wirespeed_sim::model::parameters::Parameters;
use wirespeed_sim::model::scenario::Scenario;
use wirespeed_sim::time::Picoseconds;

/// Preamble, start delimiter and inter-packet gap (IEEE 802.3: 8 and 12 bytes).
const GAP: u64 = 20;
/// An ACK on the wire: Ethernet 14, IPv4 20, UDP 8, BTH 12, AETH 4, ICRC 4, FCS 4.
const ACK: u64 = 66 + GAP;
/// All but the payload of a packet of a send, or of the middle of a message, on the wire.
const BARE: u64 = 62 + GAP;
/// RETH: in the first packet of a write and in a read request.
const RETH: u64 = 16;
/// AETH: in the first and in the last response.
const AETH: u64 = 4;

/// The `roce` preset without congestion control.
fn roce() -> Parameters {
    Parameters {
        congestion: congestion::Parameters::NONE,
        ..preset("roce")
    }
}

/// Two hosts with `switches` switches in a row between them.
fn chain(switches: u32, gbps: u64, delay_ns: u64, parameters: Parameters) -> Scenario {
    let mut nodes = vec![0];
    nodes.extend(2..2 + switches);
    nodes.push(1);
    let links = nodes
        .windows(2)
        .map(|ends| link(ends[0], ends[1], gbps, delay_ns));
    network(2, switches, links.collect(), parameters)
}

/// How long `bytes` take on a link.
fn wire(bytes: u64, gbps: u64) -> Picoseconds {
    Picoseconds(bytes * 8_000 / gbps)
}
