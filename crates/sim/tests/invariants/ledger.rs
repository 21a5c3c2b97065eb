//! A scenario beside what its run gave: what has to add up.

use crate::scenario_generator::{headroom_suffices, pauses_arrive, ports_come_back, ports_stay_up};
use crate::support::column;
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::{NodeId, PortId, QueuePairId};
use wirespeed_sim::model::parameters::Balance;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Operation, Scenario, Service, Verb};
use wirespeed_sim::time::{ByteTime, Picoseconds};

const UNFINISHED: u64 = 0;
const COMPLETED: u64 = 1;
const FAILED: u64 = 2;

pub struct Ledger<'a> {
    pub scenario: &'a Scenario,
    pub outcome: &'a Outcome,
}

impl Ledger<'_> {
    pub fn totals_are_the_sums_of_tables(&self) {
        let summary = &self.outcome.summary;
        let (frames, bytes) = (self.of_ports("frames"), self.of_ports("bytes"));
        assert_eq!(
            summary.hops + summary.cnp_frames,
            frames.iter().sum::<u64>()
        );
        assert_eq!(summary.pfc_frames, sum(&self.of_ports("pfc_frames")));
        assert_eq!(summary.drops, sum(&self.of_ports("drops")));
        if self.scenario.parameters.switch.trimming.is_some() {
            assert_eq!(summary.trims, sum(&self.column("trims", "frames")));
        } else {
            assert_eq!(summary.trims, 0);
        }
        assert_eq!(summary.losses, sum(&self.of_ports("lost")));
        let (sent, repeated) = (
            self.of_queues("xoff_sent"),
            self.of_queues("xoff_refreshed"),
        );
        if ports_stay_up(self.scenario) {
            assert_eq!(summary.pfc_pauses, sum(&sent) - sum(&repeated));
            assert_eq!(summary.pfc_resumes, sum(&self.of_queues("xon_sent")));
        }
        assert_eq!(summary.ecn_marks, sum(&self.of_queues("ecn_marks")));
        assert_eq!(summary.cnps, sum(&self.of_queue_pairs("cnps_received")));
        assert_eq!(
            summary.retransmissions,
            sum(&self.of_queue_pairs("retransmissions"))
        );

        let (of, by_queue) = (self.of_queues("port"), self.of_queues("frames"));
        let (by_bytes, drops) = (self.of_queues("bytes"), self.of_queues("drops"));
        for port in 0..frames.len() {
            let rows = || (0..of.len()).filter(|row| of[*row] == port as u64);
            assert_eq!(rows().map(|row| by_queue[row]).sum::<u64>(), frames[port]);
            assert_eq!(rows().map(|row| by_bytes[row]).sum::<u64>(), bytes[port]);
            if self.of_switch(port) {
                let dropped: u64 = rows().map(|row| drops[row]).sum();
                assert_eq!(dropped, self.of_ports("drops")[port]);
            }
        }

        let (start, end) = (self.of_flows("start_ps"), self.of_flows("end_ps"));
        let completed = |number: &usize| self.status(*number) == COMPLETED;
        let done: Vec<usize> = (0..end.len()).filter(completed).collect();
        let times: Vec<Picoseconds> = done
            .iter()
            .map(|id| Picoseconds(end[*id] - start[*id]))
            .collect();
        assert_eq!(summary.completion, times);
        assert_eq!(summary.failed, (end.len() - done.len()) as u64);
        if (0..end.len()).all(|number| self.status(number) != UNFINISHED) {
            assert_eq!(Some(&summary.end.0), end.iter().max());
        }
    }

    /// An operation starts after what it waits for, takes at least its payload's time on the slower host's link, and
    /// completes after those posted before it on its queue pair. It ends; where a frame is lost or late, it may fail.
    pub fn operations_end_in_time_and_in_order(&self) {
        let operations = &self.scenario.operations;
        let (start, end) = (self.of_flows("start_ps"), self.of_flows("end_ps"));
        for (number, operation) in operations.iter().enumerate() {
            let status = self.status(number);
            let blocked = || {
                operation
                    .after
                    .iter()
                    .any(|operation| self.status(*operation as usize) != COMPLETED)
            };
            if status == UNFINISHED {
                let ends = self.can_recover() && ports_come_back(self.scenario);
                assert!(blocked() || !ends, "{number} {operation:?}");
                continue;
            }
            assert!(!blocked());
            assert!(
                status == COMPLETED || !self.is_clean(),
                "{number} {operation:?}"
            );
            assert!(start[number] >= (operation.at + operation.delay).0);
            for earlier in &operation.after {
                assert!(start[number] >= end[*earlier as usize] + operation.delay.0);
            }
            assert!(end[number] >= start[number]);
            if status == COMPLETED {
                let least = self
                    .slower_byte_time(operation)
                    .times(Bytes(operation.bytes.0 as u32));
                assert!(
                    end[number] - start[number] >= least.0,
                    "{number} {operation:?}"
                );
            }
            for (other, same) in operations[..number].iter().enumerate() {
                if same.queue_pair != operation.queue_pair || self.status(other) == UNFINISHED {
                    continue;
                }
                let (starts, ends) = (
                    start[other].cmp(&start[number]),
                    end[other].cmp(&end[number]),
                );
                assert!(
                    starts.is_eq() || ends.is_eq() || starts == ends,
                    "{other} {number}"
                );
            }
        }
    }

    /// Payload is accepted once: all of what completed, and never more than was posted.
    pub fn payload_arrives_once(&self) {
        let delivered = self.of_queue_pairs("delivered_bytes");
        for (id, delivered) in delivered.into_iter().enumerate() {
            let towards = |operation: &Operation| match operation.verb {
                Verb::Read => operation.queue_pair,
                Verb::Write | Verb::Send => operation.queue_pair.peer(),
            };
            let operations = || {
                let all = self.scenario.operations.iter().enumerate();
                all.filter(|(_, operation)| towards(operation) == QueuePairId(id as u32))
            };
            let posted: u64 = operations().map(|(_, operation)| operation.bytes.0).sum();
            let reliable =
                |id: QueuePairId| self.scenario.connections[id.connection()].service == Service::Rc;
            let completed = operations().filter(|(number, _)| self.status(*number) == COMPLETED);
            // What is not acknowledged may complete and never arrive, unless all is well and a receive always posted.
            let arrives = self.is_clean() && self.scenario.parameters.transport.rx_depth.is_none();
            let completed =
                completed.filter(|(_, operation)| arrives || reliable(operation.queue_pair));
            let completed: u64 = completed.map(|(_, operation)| operation.bytes.0).sum();
            assert!(
                (completed..=posted).contains(&delivered),
                "{delivered} of {completed} to {posted}"
            );
        }
    }

    /// Frames that enter a switch leave it or are dropped in it. Where nothing is lost, the same holds for bytes.
    pub fn switches_keep_nothing(&self) {
        let (frames, lost) = (self.of_ports("frames"), self.of_ports("lost"));
        let (bytes, drops) = (self.of_ports("bytes"), self.of_ports("drops"));
        // PFC frames are not among the frames, and may be among the lost.
        let lost: Vec<u64> = (0..lost.len())
            .map(|port| lost[port] - self.pauses_lost(port))
            .collect();
        let dropped = self.dropped_by_watchdogs();
        assert_eq!(self.outcome.summary.watchdog_drops, sum(&dropped));
        for switch in self.scenario.hosts..self.scenario.nodes() {
            let ports = || {
                (0..frames.len())
                    .filter(|port| self.scenario.node_of(PortId(*port as u32)) == NodeId(switch))
            };
            let entered: u64 = ports()
                .map(|port| frames[peer(port)] - lost[peer(port)])
                .sum();
            let left: u64 = ports()
                .map(|port| frames[port] + drops[port] + dropped[port])
                .sum();
            assert_eq!(entered, left, "switch {switch}");
            let whole = self.outcome.summary.trims == 0;
            if whole && ports().all(|port| lost[peer(port)] + drops[port] + dropped[port] == 0) {
                let entered: u64 = ports().map(|port| bytes[peer(port)]).sum();
                assert_eq!(
                    entered,
                    ports().map(|port| bytes[port]).sum::<u64>(),
                    "switch {switch}"
                );
            }
        }
    }

    /// Each PFC frame sent on a link is received at its other end, every pause has ended, and the table of pauses matches the
    /// counters.
    pub fn every_pause_is_received(&self) {
        let ports = self.of_ports("frames").len();
        let names = [
            "xoff_sent",
            "xon_sent",
            "xoff_refreshed",
            "xoff_received",
            "xon_received",
            "paused_ps",
        ];
        let mut counted = vec![[[0u64; 6]; 8]; ports];
        let (port, priority) = (self.of_queues("port"), self.of_queues("priority"));
        for (position, name) in names.into_iter().enumerate() {
            for (row, value) in self.of_queues(name).into_iter().enumerate() {
                counted[port[row] as usize][priority[row] as usize][position] = value;
            }
        }
        let mut paused = vec![[0u64; 8]; ports];
        let mut free = vec![[0u64; 8]; ports];
        let times = self
            .column("pauses", "start_ps")
            .into_iter()
            .zip(self.column("pauses", "end_ps"));
        let queues = self
            .column("pauses", "port")
            .into_iter()
            .zip(self.column("pauses", "priority"));
        for ((start, end), (port, priority)) in times.zip(queues) {
            let (port, priority) = (port as usize, priority as usize);
            assert!(
                free[port][priority] <= start && start <= end,
                "pauses overlap"
            );
            free[port][priority] = end;
            paused[port][priority] += end - start;
        }
        let pfc_frames = self.of_ports("pfc_frames");
        for port in 0..ports {
            let mut sent = 0;
            for priority in 0..8 {
                let [xoff, xon, repeated, _, _, time] = counted[port][priority];
                let [.., xoff_received, xon_received, _] = counted[peer(port)][priority];
                if pauses_arrive(self.scenario) {
                    assert_eq!((xoff, xon), (xoff_received, xon_received), "port {port}");
                }
                assert!(xoff_received <= xoff && xon_received <= xon, "port {port}");
                if ports_stay_up(self.scenario) {
                    assert_eq!(xoff - repeated, xon, "port {port} still pauses its peer");
                }
                assert_eq!(paused[port][priority], time, "port {port}");
                sent += xoff + xon;
            }
            // What waits in a port that goes down is not sent.
            assert!(pfc_frames[port] <= sent, "port {port}");
            if ports_stay_up(self.scenario) {
                assert_eq!(pfc_frames[port], sent, "port {port}");
            }
        }
    }

    /// No lossless priority drops where headroom is as computed; nothing is sent again where nothing was lost.
    pub fn nothing_is_dropped_where_nothing_may_be(&self) {
        let parameters = &self.scenario.parameters;
        let lossless = |priority: u64| parameters.pfc.lossless_priorities & (1 << priority) != 0;
        let pauses_arrive = pauses_arrive(self.scenario);
        // A watchdog that forwards sends where there is no room.
        let obeyed = self.outcome.summary.watchdog_stuck == 0;
        if headroom_suffices(parameters) && pauses_arrive && obeyed {
            let (priority, drops) = (self.of_queues("priority"), self.of_queues("drops"));
            for row in 0..drops.len() {
                assert!(
                    !lossless(priority[row]) || drops[row] == 0,
                    "{} drops",
                    drops[row]
                );
            }
        }
        let mut connections = self.scenario.connections.iter();
        if pauses_arrive
            && obeyed
            && connections.all(|connection| lossless(u64::from(connection.priority.0)))
        {
            for (port, drops) in self.of_ports("drops").into_iter().enumerate() {
                assert!(self.of_switch(port) || drops == 0, "{drops} drops in a NIC");
            }
        }
        if self.is_clean() {
            assert_eq!(sum(&self.of_queue_pairs("naks_sent")), 0);
            assert_eq!(self.outcome.summary.retransmissions, 0);
        }
    }

    /// Where all is well: the packets of the messages posted, and every mark reaches its receiver.
    pub fn packets_are_those_posted(&self) {
        let summary = &self.outcome.summary;
        if !self.is_clean() {
            return;
        }
        let mut packets = vec![0; 2 * self.scenario.connections.len()];
        for operation in &self.scenario.operations {
            let id = operation.queue_pair;
            let service = self.scenario.connections[id.connection()].service;
            let payload = service.payload(&self.scenario.parameters);
            let count = operation.bytes.div_ceil(payload.widen()).max(1);
            match operation.verb {
                Verb::Read => {
                    (packets[id], packets[id.peer()]) =
                        (packets[id] + 1, packets[id.peer()] + count)
                }
                Verb::Write | Verb::Send => packets[id] += count,
            }
        }
        assert_eq!(self.of_queue_pairs("packets"), packets);
        assert_eq!(sum(&self.of_queue_pairs("ce_received")), summary.ecn_marks);
        assert!(summary.cnps <= summary.ecn_marks);
    }

    /// No frame was lost, dropped or overtaken, no receiver was not ready, and no deadline passed too early.
    fn is_clean(&self) -> bool {
        let summary = &self.outcome.summary;
        let refused = match self.scenario.parameters.transport.rx_depth {
            // An unreliable send that finds no receive is dropped and not reported.
            Some(_) if !self.is_reliable() => 1,
            Some(_) => sum(&self.of_queue_pairs("rnr_naks_sent")),
            None => 0,
        };
        let lost = summary.losses + summary.drops + summary.watchdog_drops + summary.trims;
        let in_order =
            self.scenario.parameters.ecmp.balance == Balance::Flow && ports_stay_up(self.scenario);
        in_order && lost + refused + sum(&self.of_queue_pairs("timeouts")) == 0
    }

    fn is_reliable(&self) -> bool {
        let mut all = self.scenario.connections.iter();
        all.all(|connection| !connection.service.unreliable())
    }

    /// Whether an operation ends whatever was lost.
    fn can_recover(&self) -> bool {
        self.is_clean() || self.scenario.parameters.transport.ack_timeout > 0
    }

    fn status(&self, operation: usize) -> u64 {
        let status = self.of_flows("status")[operation];
        assert!([UNFINISHED, COMPLETED, FAILED].contains(&status));
        status
    }

    /// Time of a byte on the slower of the two hosts' links.
    fn slower_byte_time(&self, operation: &Operation) -> ByteTime {
        let connection = &self.scenario.connections[operation.queue_pair.connection()];
        let ends = connection.ports();
        let rates = ends.map(|port| self.scenario.links[port.link()].rate);
        if connection.service.unreliable() {
            return ByteTime::from_rate(rates[operation.queue_pair.side()]);
            // done when it has left
        }
        ByteTime::from_rate(rates[0].min(rates[1]))
    }

    /// A sender spends at most its grants, its initial credit and the packet that ends it; grants are at most its requests and
    /// the trimmed bytes.
    pub fn nothing_is_sent_without_credit(&self) {
        if !self
            .outcome
            .tables
            .iter()
            .any(|table| table.name == "credits")
        {
            return;
        }
        let of = |name: &str| self.column("credits", name);
        let (requested, granted) = (of("asked_bytes"), of("granted_bytes"));
        let (received, spent) = (of("received_bytes"), of("spent_bytes"));
        let initial = of("initial_bytes");
        let longest = u64::from(self.scenario.longest_frame().0 + 20);
        for row in 0..spent.len() {
            assert!(received[row] <= granted[row]);
            assert!(spent[row] < received[row] + initial[row] + longest);
            assert!(granted[row] <= requested[row] + self.outcome.summary.trims * longest);
        }
    }

    /// PFC frames that a port sent and its peer did not receive.
    fn pauses_lost(&self, port: usize) -> u64 {
        let of = |name: &str, port: usize| {
            let rows = self.of_queues("port").into_iter().zip(self.of_queues(name));
            let of_port = rows.filter(|row| row.0 == port as u64);
            of_port.map(|row| row.1).sum::<u64>()
        };
        let received = of("xoff_received", peer(port)) + of("xon_received", peer(port));
        self.of_ports("pfc_frames")[port] - received
    }

    /// Frames, by the port whose queue was stuck.
    fn dropped_by_watchdogs(&self) -> Vec<u64> {
        let mut dropped = vec![0; 2 * self.scenario.links.len()];
        if self.scenario.parameters.pfc.watchdog.is_some() {
            let ports = self.column("watchdog", "port");
            for (port, frames) in ports.iter().zip(self.column("watchdog", "dropped_frames")) {
                dropped[*port as usize] += frames;
            }
            let stuck = sum(&self.column("watchdog", "times_stuck"));
            let recovered = sum(&self.column("watchdog", "times_recovered"));
            let summary = &self.outcome.summary;
            assert_eq!(
                (summary.watchdog_stuck, summary.watchdog_recovered),
                (stuck, recovered)
            );
            assert!(recovered <= stuck);
        }
        dropped
    }

    fn of_switch(&self, port: usize) -> bool {
        self.scenario.node_of(PortId(port as u32)) >= NodeId(self.scenario.hosts)
    }

    fn of_flows(&self, name: &str) -> Vec<u64> {
        self.column("flows", name)
    }

    fn of_ports(&self, name: &str) -> Vec<u64> {
        self.column("ports", name)
    }

    fn of_queues(&self, name: &str) -> Vec<u64> {
        self.column("queues", name)
    }

    fn of_queue_pairs(&self, name: &str) -> Vec<u64> {
        self.column("queue_pairs", name)
    }

    fn column(&self, table: &str, name: &str) -> Vec<u64> {
        column(self.outcome, table, name)
    }
}

fn sum(values: &[u64]) -> u64 {
    values.iter().sum()
}

/// The index of the port at the other end of the link.
fn peer(port: usize) -> usize {
    PortId(port as u32).peer().index()
}
