//! The benches on which switches are measured: few hosts, no congestion control, buffers sized to the cell.

use crate::support::{column, preset, run};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion;
use wirespeed_sim::ids::{PortId, QueuePairId};
use wirespeed_sim::mechanisms::buffer_settings;
use wirespeed_sim::model::parameters::{Headroom, Parameters};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{ByteTime, Picoseconds};
use wirespeed_sim::Simulation;

/// Preamble, start delimiter and gap of IEEE 802.3.
pub const GAP: u32 = 20;
/// A PFC frame and the shortest frame, header through FCS.
pub const SHORTEST: u32 = 64;
/// The priority of data in the presets.
pub const DATA: u8 = 3;

/// RoCEv2 without marking, congestion control and timeouts; one acknowledgement at the end of each message.
pub fn plain() -> Parameters {
    let mut parameters = preset("roce");
    parameters.congestion = congestion::Parameters::NONE;
    parameters.marking.enabled = false;
    parameters.transport.ack_timeout = 0;
    parameters.transport.ack_every = 1 << 30;
    parameters.transport.tx_depth = 1 << 20;
    parameters.switch.slices = 1;
    parameters.switch.reserve_bytes = Bytes(0);
    parameters
}

/// As [`plain`], and nothing is lossless: no headroom, no PFC.
pub fn lossy() -> Parameters {
    let mut parameters = plain();
    parameters.pfc.lossless_priorities = 0;
    parameters.switch.headroom = Headroom::Fixed { bytes: Bytes(0) };
    parameters
}

/// Gives every switch the buffer that leaves `cells` to share in each slice, after headroom and reserves.
pub fn share(scenario: &mut Scenario, cells: u64) {
    const PLENTY: u64 = 1 << 40;
    let unit = (scenario.parameters.switch.cell_bytes * scenario.parameters.switch.slices).widen();
    scenario.buffer_bytes.fill(PLENTY * unit);
    let resolved = buffer_settings::resolve(scenario).expect("plenty");
    for (buffer, pools) in scenario.buffer_bytes.iter_mut().zip(resolved.pools) {
        let pools = pools.shared;
        assert!(pools.iter().all(|pool| *pool == pools[0]), "{pools:?}");
        *buffer = (PLENTY - pools[0] + cells) * unit;
    }
}

/// Time of a frame of this number of bytes, header through FCS.
pub fn frame_time(rate: u64, bytes: u32) -> Picoseconds {
    ByteTime::from_rate(rate).times(Bytes(bytes + GAP))
}

/// Header through FCS of a send's packet: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4.
pub fn send_frame(payload: u32) -> u32 {
    (62 + payload.next_multiple_of(4)).max(SHORTEST)
}

/// Posts `count` sends of `bytes` each at time 0.
pub fn post_sends(scenario: &mut Scenario, queue_pair: QueuePairId, count: u64, bytes: u64) {
    for _ in 0..count {
        crate::support::post(scenario, queue_pair, Verb::Send, bytes, Picoseconds::ZERO);
    }
}

/// Runs up to a time.
pub fn run_until(mut scenario: Scenario, until: Picoseconds) -> Outcome {
    scenario.until = until;
    run(scenario)
}

/// The row of a port's priority in the queues table, as a number by column; 0 if nothing happened at that port.
pub fn queue(outcome: &Outcome, port: u32, priority: u8, name: &str) -> u64 {
    let ports = column(outcome, "queues", "port");
    let priorities = column(outcome, "queues", "priority");
    let row = (0..ports.len())
        .find(|row| ports[*row] == u64::from(port) && priorities[*row] == u64::from(priority));
    row.map_or(0, |row| column(outcome, "queues", name)[row])
}

/// Pauses of a port's priority: from, to.
pub fn pauses(outcome: &Outcome, port: u32, priority: u8) -> Vec<(Picoseconds, Picoseconds)> {
    let of = |name| column(outcome, "pauses", name);
    let (ports, priorities) = (of("port"), of("priority"));
    let times = of("start_ps").into_iter().zip(of("end_ps"));
    let keys = ports.into_iter().zip(priorities);
    let priority_queue = (u64::from(port), u64::from(priority));
    let rows = keys.zip(times).filter(|(key, _)| *key == priority_queue);
    rows.map(|(_, (start, end))| (Picoseconds(start), Picoseconds(end)))
        .collect()
}

/// A captured frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CapturedFrame {
    /// When: a start, or an arrival, rounded down.
    pub ns: u64,
    /// Whether the port sent it.
    pub sent: bool,
    pub kind: FrameKind,
    /// IP's ECN field; 0 = not ECN-capable, 3 = congestion experienced.
    pub ecn: u8,
}

/// The kind of a frame, by its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// BTH opcode 17.
    Ack,
    /// BTH opcode 129.
    Cnp,
    /// Any other RoCEv2 packet.
    Data,
    /// Ethertype 0x8808, the quanta of the enabled priority.
    Pfc(u16),
}

/// Runs, and gives what the port sent and received beside the tables.
pub fn capture(mut scenario: Scenario, port: u32) -> (Outcome, Vec<CapturedFrame>) {
    scenario.observe.captures = vec![PortId(port)];
    let mut simulation = Simulation::new(scenario).unwrap_or_else(|refused| panic!("{refused}"));
    while simulation.advance(1 << 16) {}
    let bytes = simulation.take_captures().remove(0);
    let mut frames = Vec::new();
    let mut unread = &bytes[24..]; // the file header
    while !unread.is_empty() {
        let field =
            |n: usize| u32::from_le_bytes(unread[4 * n..4 * n + 4].try_into().expect("four bytes"));
        let (seconds, ns, kept) = (u64::from(field(0)), u64::from(field(1)), field(2) as usize);
        let frame = &unread[16..16 + kept];
        let kind = FrameKind::from_frame(frame);
        let ecn = if let FrameKind::Pfc(_) = kind {
            0
        } else {
            frame[15] & 3
        };
        frames.push(CapturedFrame {
            ns: seconds * 1_000_000_000 + ns,
            sent: frame[6..12] == [2, 0, 0, 0, 0, port as u8],
            kind,
            ecn,
        });
        unread = &unread[16 + kept..];
    }
    (simulation.finish(), frames)
}

impl FrameKind {
    fn from_frame(frame: &[u8]) -> FrameKind {
        const BTH: usize = 14 + 20 + 8;
        if frame[12..14] == [0x88, 0x08] {
            let quanta = 18 + 2 * frame[17].trailing_zeros() as usize;
            return FrameKind::Pfc(u16::from_be_bytes([frame[quanta], frame[quanta + 1]]));
        }
        match frame[BTH] {
            17 => FrameKind::Ack,
            129 => FrameKind::Cnp,
            _ => FrameKind::Data,
        }
    }
}
