//! Data per packet for ACK-driven congestion control: its start time, and what switches wrote into it.
//!
//! Stored beside the frames, at the same indexes, and only in runs whose algorithm requires it.

#[cfg(test)]
mod tests;

use crate::bytes::Bytes;
use crate::congestion::{Feedback, Hop, Penalty};
use crate::ids::{queue_pairs_of, PortId, QueuePairId};
use crate::mechanisms::entropy::EntropyValues;
use crate::mechanisms::frame::Kind;
use crate::model::scenario::Scenario;
use crate::time::{Picoseconds, NEVER};

/// As many hops as a packet has room for: those of the longest path through three tiers.
const MOST_HOPS: usize = 5;

/// Data of one packet, stored beside its frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TelemetryRecord {
    /// Start time of the data packet; `NEVER` = not a data packet, or an ACK of none.
    sent: Picoseconds,
    hops: [Hop; MOST_HOPS],
    count: u8,
    /// Its entropy value, and in its ACK; 0 = none.
    entropy: u16,
    /// The switch that trimmed it is the last one before the receiver.
    pub last_hop: bool,
    /// In an ACK: the window reduction that the receiver requests.
    pub penalty: Penalty,
    /// Total credit that the sender requests, or that the receiver has granted, since the beginning, bytes; 0 = none.
    pub credit: Bytes,
}

impl TelemetryRecord {
    /// A record without data.
    pub const NOTHING: TelemetryRecord = TelemetryRecord {
        sent: NEVER,
        hops: [Hop {
            port: PortId(0),
            queue_bytes: Bytes(0),
            time: Picoseconds::ZERO,
            sent_bytes: Bytes(0),
            rate: 0,
        }; MOST_HOPS],
        count: 0,
        entropy: 0,
        last_hop: false,
        penalty: Penalty {
            rcv_cwnd_pend: 0,
            restore_cwnd: false,
        },
        credit: Bytes(0),
    };

    /// From the start of the data packet to `now`; none if it acknowledges none.
    pub fn rtt(&self, now: Picoseconds) -> Option<Picoseconds> {
        (self.sent != NEVER).then(|| now - self.sent)
    }

    /// The telemetry of the switches on the path.
    pub fn hops(&self) -> &[Hop] {
        &self.hops[..usize::from(self.count)]
    }

    /// A record of credit only.
    pub fn credit(credit: Bytes) -> Self {
        TelemetryRecord {
            credit,
            ..TelemetryRecord::NOTHING
        }
    }
}

/// Telemetry of the frames of a run.
#[derive(Debug, Clone)]
pub(crate) struct Telemetry {
    /// By index of the frame.
    records: Vec<TelemetryRecord>,
    /// By port, bytes on the link; empty = switches write nothing.
    sent_bytes: Vec<Bytes>,
    /// By queue pair: the entropy values of its packets, if it has any.
    entropy: Vec<Option<EntropyValues>>,
}

impl Telemetry {
    /// Built as the algorithms of a scenario require; `None` if none of them processes ACKs.
    pub fn new(scenario: &Scenario) -> Option<Box<Telemetry>> {
        if feedbacks(scenario).all(|feedback| feedback == Feedback::Notifications) {
            return None;
        }
        let written =
            feedbacks(scenario).any(|feedback| matches!(feedback, Feedback::Telemetry { .. }));
        let ports = if written { 2 * scenario.links.len() } else { 0 };
        let sent_bytes = vec![Bytes(0); ports];
        Some(Box::new(Telemetry {
            records: Vec::new(),
            sent_bytes,
            entropy: entropy(scenario),
        }))
    }

    /// Whether switches write telemetry.
    pub fn by_switches(&self) -> bool {
        !self.sent_bytes.is_empty()
    }

    /// The record of the frame at `index`.
    pub fn record(&self, index: u32) -> TelemetryRecord {
        let record = self.records.get(index as usize);
        record.copied().unwrap_or(TelemetryRecord::NOTHING)
    }

    /// Sets the record of the frame at `index`.
    pub fn put(&mut self, index: u32, record: TelemetryRecord) {
        let index = index as usize;
        if index >= self.records.len() {
            self.records.resize(index + 1, TelemetryRecord::NOTHING);
        }
        self.records[index] = record;
    }

    /// Adds the records of the frames of another part of the network, whose indexes shift by `base`, the bytes sent by ports for
    /// which `is_own_port` is true, and the entropy state of queue pairs for which `senders` is true.
    pub fn add(
        &mut self,
        other: Telemetry,
        base: u32,
        is_own_port: &dyn Fn(PortId) -> bool,
        senders: &[bool],
    ) {
        for (index, record) in (base..).zip(other.records) {
            self.put(index, record);
        }
        for (port, bytes) in (0..).map(PortId).zip(other.sent_bytes) {
            if is_own_port(port) {
                self.sent_bytes[port] = bytes;
            }
        }
        for (id, entropy) in other.entropy.into_iter().enumerate() {
            if senders[id] {
                self.entropy[id] = entropy;
            }
        }
    }

    /// A frame leaves its sender, which requests so much credit.
    pub fn stamp(
        &mut self,
        index: u32,
        queue_pair: QueuePairId,
        kind: Kind,
        now: Picoseconds,
        wanted: Bytes,
    ) {
        let data = matches!(kind, Kind::Write | Kind::Send);
        let mut record = TelemetryRecord::credit(wanted);
        if data {
            record.sent = now;
            let values = self.entropy.get_mut(queue_pair.index());
            let values = values.and_then(Option::as_mut);
            record.entropy = values.map_or(0, EntropyValues::take);
        }
        self.put(index, record);
    }

    /// The entropy value of the frame at `index`; 0 = none.
    #[inline]
    pub fn entropy(&self, index: u32) -> u16 {
        self.records
            .get(index as usize)
            .map_or(0, |record| record.entropy)
    }

    /// The frame at `index` was trimmed by the last switch before its receiver.
    pub fn trimmed_at_last_hop(&mut self, index: u32) {
        if let Some(record) = self.records.get_mut(index as usize) {
            record.last_hop = true;
        }
    }

    /// A packet of a queue pair with this record was marked or trimmed.
    pub fn avoid(&mut self, queue_pair: QueuePairId, record: &TelemetryRecord) {
        let values = self.entropy.get_mut(queue_pair.index());
        if let Some(values) = values
            .and_then(Option::as_mut)
            .filter(|_| record.entropy > 0)
        {
            values.avoid(record.entropy);
        }
    }

    /// A port sends this many bytes on the link. Returns the bytes sent before, if switches write them.
    pub fn count_sent(&mut self, port: PortId, bytes: Bytes) -> Option<Bytes> {
        let sent = self.sent_bytes.get_mut(port.index())?;
        let previous = *sent;
        *sent += bytes;
        Some(previous)
    }

    /// A switch writes into the frame at `index`, if there is room.
    pub fn write(&mut self, index: u32, hop: Hop) {
        let Some(record) = self.records.get_mut(index as usize) else {
            return;
        };
        if let Some(slot) = record.hops.get_mut(usize::from(record.count)) {
            *slot = hop;
            record.count += 1;
        }
    }
}

/// The telemetry header is part of every data packet, and every ACK returns it.
pub(crate) fn make_room(scenario: &mut Scenario) {
    let bytes = feedbacks(scenario).map(|feedback| match feedback {
        Feedback::Telemetry { header_bytes } => header_bytes,
        _ => Bytes(0),
    });
    let bytes = bytes.max().unwrap_or(Bytes(0));
    for parameters in scenario.parameters_mut() {
        parameters.framing.data_bytes += bytes;
        parameters.framing.ack_bytes += bytes;
    }
}

/// The entropy values of queue pairs whose algorithm has any; empty = none has.
fn entropy(scenario: &Scenario) -> Vec<Option<EntropyValues>> {
    let count = |id: QueuePairId| {
        let connection = &scenario.connections[id.connection()];
        let port = connection.ports()[id.side()];
        let set = scenario.of_priority_queue(port, connection.priority);
        let count = set.congestion.entropy_values();
        (count > 0).then(|| EntropyValues::new(scenario.seed, id, count))
    };
    let all: Vec<_> = queue_pairs_of(scenario.connections.len())
        .map(count)
        .collect();
    match all.iter().any(Option::is_some) {
        true => all,
        false => Vec::new(),
    }
}

/// The feedback that the algorithms of a scenario require.
fn feedbacks(scenario: &Scenario) -> impl Iterator<Item = Feedback> + '_ {
    (0..scenario.sets()).map(|number| scenario.set(number).congestion.feedback())
}
