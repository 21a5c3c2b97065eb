//! The tables of a run: a type for each, whose fields are its columns.
//!
//! Nothing is kept in rows. The schema of results is derived from these types, and the tests of a run compare its columns with
//! them ([`super::Outcome::assert_declared`]). A column that is an `Option` of a time is null where that never happened; every other `Option` is a column that
//! some runs lack.

use crate::model::scenario::Verb;
use schemars::JsonSchema;

/// One row for each flow, then one for each operation.
#[derive(JsonSchema)]
pub struct Flows {
    /// Number of the flow, as in `--series flow:NUMBER`.
    pub flow: u32,
    /// Queue pair that it is posted on.
    pub queue_pair: u32,
    /// Node that posts it. With `read`, the data goes to this node.
    pub src: u32,
    /// Node at the other end.
    pub dst: u32,
    /// Operation.
    pub verb: Verb,
    /// Payload.
    pub bytes: u64,
    /// Earliest time at which it could be posted. If the operations of `after` did not all complete: its `at_ns`.
    pub start_ps: u64,
    /// Last acknowledgement; with `read` the last data, with `uc` and `ud` the last packet sent. Null: not completed.
    pub end_ps: Option<u64>,
    /// State at the end of the run. Failed: all retries used.
    pub status: Status,
}

/// State of an operation at the end of a run.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It can still complete.
    Unfinished,
    /// It has completed.
    Completed,
    /// It has failed.
    Failed,
}

/// One row for each end of a connection. Connection n has the queue pairs 2n and 2n + 1.
#[derive(JsonSchema)]
pub struct QueuePairs {
    /// Number of the queue pair.
    pub queue_pair: u32,
    /// NIC port that it sends from.
    pub port: u32,
    /// Data packets and read requests sent.
    pub packets: u64,
    /// Retransmissions among these packets.
    pub retransmissions: u64,
    /// Payload received, each byte counted once.
    pub delivered_bytes: u64,
    /// Time at which the last of this payload was in memory.
    pub delivered_ps: u64,
    /// Packets received with CE.
    pub ce_received: u64,
    /// Congestion notifications received, as frames or in ACKs.
    pub cnps_received: u64,
    /// Negative acknowledgements sent.
    pub naks_sent: u64,
    /// ACK timeouts that expired.
    pub timeouts: u64,
    /// RNR NAKs sent. Only with `parameters.transport.rx_depth`.
    pub rnr_naks_sent: Option<u64>,
    /// Complete messages of `uc` and `ud` received. Only with such connections.
    pub messages_received: Option<u64>,
}

/// One row for each port. Link n has port 2n at its first end and port 2n + 1 at its second end.
#[derive(JsonSchema)]
pub struct Ports {
    /// Number of the port.
    pub port: u32,
    /// Node that it belongs to.
    pub node: u32,
    /// Node at the other end of its cable.
    pub peer: u32,
    /// Frames sent, without PFC frames.
    pub frames: u64,
    /// Bytes of these frames, header through FCS.
    pub bytes: u64,
    /// PFC frames sent.
    pub pfc_frames: u64,
    /// Received frames dropped for lack of buffer.
    pub drops: u64,
    /// Sent frames that the link lost.
    pub lost: u64,
}

/// One row for each priority of a port on which anything happened. The egress queue of the port, its ingress priority group
/// and its PFC share a row.
#[derive(JsonSchema)]
pub struct Queues {
    /// Number of the port.
    pub port: u32,
    /// Priority.
    pub priority: u8,
    /// Frames sent.
    pub frames: u64,
    /// Bytes of these frames.
    pub bytes: u64,
    /// Most bytes that waited for the port at one time, in its queue or in virtual output queues.
    pub max_bytes: u32,
    /// Packets marked in the queue.
    pub ecn_marks: u32,
    /// Most guaranteed and shared buffer in use at one time, in whole cells.
    pub max_ingress_bytes: u64,
    /// Most headroom in use at one time, in whole cells.
    pub max_headroom_bytes: u64,
    /// Received frames dropped for lack of buffer.
    pub drops: u64,
    /// XOFF frames sent, refreshes included.
    pub xoff_sent: u64,
    /// XON frames sent.
    pub xon_sent: u64,
    /// XOFF frames sent to keep a pause from expiring.
    pub xoff_refreshed: u64,
    /// XOFF frames received.
    pub xoff_received: u64,
    /// XON frames received.
    pub xon_received: u64,
    /// Time for which it was paused.
    pub paused_ps: u64,
}

/// One row for each pause of a priority of a port, ordered by the end of the pause.
#[derive(JsonSchema)]
pub struct Pauses {
    /// Paused port.
    pub port: u32,
    /// Priority.
    pub priority: u8,
    /// Start of the pause.
    pub start_ps: u64,
    /// End of the pause; the end of the run for a port that was still paused.
    pub end_ps: u64,
}

/// One row for each queue that the PFC watchdog found stuck. Only with a `pfc.watchdog`.
#[derive(JsonSchema)]
pub struct Watchdog {
    /// Paused port.
    pub port: u32,
    /// Priority.
    pub priority: u8,
    /// Number of times it was found stuck.
    pub times_stuck: u64,
    /// Number of times it recovered.
    pub times_recovered: u64,
    /// Time for which it was stuck.
    pub stuck_ps: u64,
    /// Frames dropped by the watchdog.
    pub dropped_frames: u64,
    /// Bytes of these frames.
    pub dropped_bytes: u64,
}

/// One row for each virtual output queue that ever held a frame. Only with a switch that has such queues
/// (`switch.architecture`).
#[derive(JsonSchema)]
pub struct Voqs {
    /// Egress port that it leads to.
    pub port: u32,
    /// Priority.
    pub priority: u8,
    /// Core of the switch chip that holds the queue. Each core has a separate slice of the buffer.
    pub core: u32,
    /// Frames granted credit.
    pub frames: u64,
    /// Most bytes that waited in it at one time.
    pub max_bytes: u64,
}

/// One row for each port whose queue, or the buffer in front of it, had no room for packets that were trimmed. Only with
/// `switch.trimming`.
#[derive(JsonSchema)]
pub struct Trims {
    /// Egress port of the packets.
    pub port: u32,
    /// Packets of which only the header was forwarded.
    pub frames: u64,
}

/// One row for each queue pair that needed credit from its peer, and sent. Amounts are bytes on the link since the start. Only
/// with the congestion control `rccc`.
#[derive(JsonSchema)]
pub struct Credits {
    /// Queue pair of the sender.
    pub queue_pair: u32,
    /// Most credit that it requested.
    pub asked_bytes: u64,
    /// Credit granted by the receiver.
    pub granted_bytes: u64,
    /// Credit that it has before the first grant.
    pub initial_bytes: u64,
    /// Granted credit that has reached the sender.
    pub received_bytes: u64,
    /// Credit used by sent frames.
    pub spent_bytes: u64,
    /// Frames that only request credit.
    pub requests: u64,
}

/// Queues that wait for each other in a circle: each row waits for the next row of its circle, the last row for the first.
/// Only after a deadlock.
#[derive(JsonSchema)]
pub struct Deadlocks {
    /// Number of the circle.
    pub circle: u32,
    /// Position of the queue in the circle.
    pub position: u32,
    /// Port of the queue, which is paused.
    pub port: u32,
    /// Priority.
    pub priority: u8,
    /// Node that the port belongs to.
    pub node: u32,
    /// Node that pauses it.
    pub peer: u32,
    /// Bytes that wait in the queue.
    pub bytes: u32,
}

/// The samples of `--series`, one row each. Only with that option.
#[derive(JsonSchema)]
pub struct Series {
    /// Time of the sample.
    pub time_ps: u64,
    /// Sampled quantity.
    pub what: Quantity,
    /// Number of the port; with `rate_bps` of the queue pair.
    pub id: u32,
    /// Priority; 0 with `rate_bps`.
    pub priority: u8,
    /// The sample, in the unit of the quantity.
    pub value: f64,
}

/// A sampled quantity.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Bytes in the egress queue.
    QueueBytes,
    /// 1 while the priority is paused, otherwise 0.
    Paused,
    /// Rate that congestion control allows the queue pair, bit/s.
    RateBps,
    /// Bytes that the queue has sent since the start.
    SentBytes,
    /// Packets that the queue has marked since the start.
    EcnMarks,
}

/// One row for each cable. Row n has port 2n at `a` and port 2n + 1 at `b`.
#[derive(JsonSchema)]
pub struct Links {
    /// Node at the first end.
    pub a: u32,
    /// Node at the second end.
    pub b: u32,
    /// 1 where `a` is a switch, 0 where it is a host.
    pub a_is_switch: u8,
    /// 1 where `b` is a switch, 0 where it is a host.
    pub b_is_switch: u8,
    /// Rate in each direction.
    pub rate_bps: u64,
    /// Propagation delay.
    pub delay_ps: u64,
}

/// Path of the data of each queue pair, one row for each port that sends it. Empty where switches choose paths during the run.
#[derive(JsonSchema)]
pub struct Paths {
    /// Queue pair that sends.
    pub queue_pair: u32,
    /// Position in the path. 0 is the port of the NIC.
    pub hop: u32,
    /// Number of the port.
    pub port: u32,
}

/// One row for each flow, in the order of `flows`.
#[derive(JsonSchema)]
pub struct Limits {
    /// Least time between start and end: the network idle, hosts as fast as the wire. Null where the path is not known before
    /// the run.
    pub least_ps: Option<u64>,
}

/// One row for each port. Only with `node_names`.
#[derive(JsonSchema)]
pub struct Names {
    /// Number of the port.
    pub port: u32,
    /// Node that it belongs to.
    pub node: u32,
    /// Name of the node.
    pub device: String,
    /// Name of the port; empty where it has none.
    pub interface: String,
}
