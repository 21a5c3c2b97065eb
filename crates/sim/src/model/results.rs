//! What a run gives: tables of plain columns, and their totals.

use crate::time::Picoseconds;

/// One table; all columns have the same length.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// `flows`, `ports`, `queues`, `pauses` or `series`.
    pub name: &'static str,
    /// Name (with its unit) and values.
    pub columns: Vec<(&'static str, Column)>,
}

/// The values of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Small numbers: priorities, flags.
    U8(Vec<u8>),
    /// Ids and counts.
    U32(Vec<u32>),
    /// Bytes, picoseconds, large counts.
    U64(Vec<u64>),
    /// Rates, probabilities.
    F64(Vec<f64>),
    /// One of a few words: index into `words`.
    Word {
        /// The words.
        words: &'static [&'static str],
        /// Index of each row's word.
        indices: Vec<u8>,
    },
}

/// Totals of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// Data and ACK frames that started on a link.
    pub hops: u64,
    /// PFC frames that started on a link.
    pub pfc_frames: u64,
    /// Stand-alone CNP frames that started on a link.
    pub cnp_frames: u64,
    /// Events taken from the queue.
    pub events: u64,
    /// Simulated time at the end.
    pub end: Picoseconds,
    /// XOFF sent, per priority and port.
    pub pfc_pauses: u64,
    /// XON sent.
    pub pfc_resumes: u64,
    /// Packets marked CE.
    pub ecn_marks: u64,
    /// Congestion notifications received by senders, as frames or in ACKs.
    pub cnps: u64,
    /// Frames dropped in switches and NICs, losses on links aside: no room, no way, or a port that is down.
    pub drops: u64,
    /// Of these, frames for which a switch had no way, or a NIC no owner.
    pub unroutable: u64,
    /// Frames lost on a link.
    pub losses: u64,
    /// Data packets sent again.
    pub retransmissions: u64,
    /// Completion time of each completed operation in order of posting: first allowed post to last ACK.
    pub completion: Vec<Picoseconds>,
    /// Operations that failed or never ended.
    pub failed: u64,
    /// Queues that the watchdog found stuck.
    pub watchdog_stuck: u64,
    /// Of these, recovered.
    pub watchdog_recovered: u64,
    /// Frames that it dropped.
    pub watchdog_drops: u64,
    /// Packets of which switches let only the header go on.
    pub trims: u64,
    /// Circles of queues that wait for each other.
    pub deadlocks: u64,
}

impl Summary {
    /// Adds the totals of another part of the network.
    pub(crate) fn add(&mut self, other: Summary) {
        let Summary {
            hops,
            pfc_frames,
            cnp_frames,
            events,
            end,
            pfc_pauses,
            pfc_resumes,
            ecn_marks,
            cnps,
            drops,
            losses,
            retransmissions,
            completion,
            failed,
            unroutable,
            watchdog_stuck,
            watchdog_recovered,
            watchdog_drops,
            trims,
            deadlocks,
        } = other;
        self.hops += hops;
        self.pfc_frames += pfc_frames;
        self.cnp_frames += cnp_frames;
        self.events += events;
        self.end = self.end.max(end);
        self.pfc_pauses += pfc_pauses;
        self.pfc_resumes += pfc_resumes;
        self.ecn_marks += ecn_marks;
        self.cnps += cnps;
        self.drops += drops;
        self.losses += losses;
        self.retransmissions += retransmissions;
        self.completion.extend(completion);
        self.failed += failed;
        self.unroutable += unroutable;
        self.watchdog_stuck += watchdog_stuck;
        self.watchdog_recovered += watchdog_recovered;
        self.watchdog_drops += watchdog_drops;
        self.trims += trims;
        self.deadlocks += deadlocks;
    }
}

/// Tables and totals.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The totals.
    pub summary: Summary,
    /// flows, ports, queues, pauses; series when something was sampled.
    pub tables: Vec<Table>,
    /// What follows from the scenario alone: links, paths, limits.
    pub context: Vec<Table>,
}
