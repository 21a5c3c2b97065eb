//! The totals of a run.

use crate::time::Picoseconds;
use schemars::JsonSchema;
use serde::Serialize;

/// Totals of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
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
    #[serde(skip)]
    pub end: Picoseconds,
    /// XOFF sent, counted per priority and port.
    pub pfc_pauses: u64,
    /// XON sent.
    pub pfc_resumes: u64,
    /// Packets marked CE.
    pub ecn_marks: u64,
    /// Congestion notifications received by senders, as frames or in ACKs.
    pub cnps: u64,
    /// Frames dropped in switches and NICs: no buffer, no route, or a port that is down. Losses on links are not included.
    pub drops: u64,
    /// Of these, frames for which a switch had no route, or that reached a NIC they were not addressed to.
    pub unroutable: u64,
    /// Of the dropped frames, those that waited for a port that was down.
    pub port_down_drops: u64,
    /// Frames lost on a link.
    pub losses: u64,
    /// Data packets retransmitted.
    pub retransmissions: u64,
    /// Completion time of each completed operation in order of posting: earliest post to last ACK.
    #[serde(skip)]
    pub completion: Vec<Picoseconds>,
    /// Operations that failed or did not complete.
    #[serde(skip)]
    pub failed: u64,
    /// Queues that the watchdog found stuck.
    pub watchdog_stuck: u64,
    /// Of these, recovered.
    pub watchdog_recovered: u64,
    /// Frames that the watchdog dropped.
    pub watchdog_drops: u64,
    /// Packets of which switches forwarded only the header.
    pub trims: u64,
    /// Circles of queues that wait for each other.
    #[serde(skip)]
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
            port_down_drops,
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
        self.port_down_drops += port_down_drops;
        self.watchdog_stuck += watchdog_stuck;
        self.watchdog_recovered += watchdog_recovered;
        self.watchdog_drops += watchdog_drops;
        self.trims += trims;
        self.deadlocks += deadlocks;
    }
}
