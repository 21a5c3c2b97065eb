//! Telemetry for congestion control in frames: written by switches, evaluated by the sender.

use crate::bytes::Bytes;
use crate::congestion::{Ack, Hop, Loss};
use crate::ids::{PortId, QueuePairId};
use crate::mechanisms::frame::{Frame, Kind, ECHO, NAK, RNR, TRIMMED};
use crate::mechanisms::telemetry::TelemetryRecord;
use crate::mechanisms::transport::{SendProgress, Transport};
use crate::simulation::state::Simulation;

impl Simulation {
    /// A frame starts at `port`: a switch writes telemetry into data frames, and counts its transmitted bytes.
    pub(crate) fn write_telemetry(&mut self, port: PortId, index: u32) {
        let Some(telemetry) = &mut self.telemetry else {
            return;
        };
        let frame = &self.frames[index];
        let gap = self.settings.parameters.framing.gap_bytes;
        let Some(sent_bytes) = telemetry.count_sent(port, (frame.bytes.widen() + gap).widen())
        else {
            return;
        };
        let data = matches!(frame.kind, Kind::Write | Kind::Send);
        if !data || !self.ports[port].switch {
            return;
        }
        let queue = &self.queues[(port, frame.priority)];
        let hop = Hop {
            port,
            queue_bytes: queue.bytes,
            time: self.now,
            sent_bytes,
            rate: self.scenario.links[port.link()].rate,
        };
        telemetry.write(index, hop);
    }

    /// Adds to an ACK the reduction of the sender's window that the receiver behind `port` requests.
    pub(crate) fn ask_for_less(&self, port: PortId, frame: &Frame, carried: &mut TelemetryRecord) {
        let set = self.scenario.of_priority_queue(port, frame.priority);
        let mut penalty = set.congestion.penalty();
        let nic = &self.nics[self.ports[port].device as usize];
        let pipe = nic.pipe.as_ref();
        if !pipe.is_some_and(|pipe| pipe.cannot_keep_up(self.now)) {
            penalty.rcv_cwnd_pend = 0;
        }
        carried.penalty = penalty;
    }

    /// Passes an ACK to congestion control; `before` is the number of packets that had arrived.
    pub(crate) fn take_acknowledgement(
        &mut self,
        id: QueuePairId,
        frame: &Frame,
        carried: &TelemetryRecord,
        arrived_before: u32,
    ) {
        // All paths end with the last hop (section 3.6.12.3, OnNACK).
        if frame.has(ECHO) || frame.has(TRIMMED) && !carried.last_hop {
            if let Some(telemetry) = &mut self.telemetry {
                telemetry.avoid(id, carried);
            }
        }
        let queue_pair = &mut self.queue_pairs[id];
        let SendProgress {
            oldest: until,
            fresh: next,
            arrived,
            in_flight,
        } = queue_pair.transport.progress();
        let mtu = self.settings.parameters.transport.mtu_bytes;
        if frame.has(TRIMMED) {
            let loss = Loss::Trimmed {
                psn: frame.psn,
                next,
                outstanding: in_flight,
                last_hop: carried.last_hop,
            };
            queue_pair.congestion.on_loss(self.now, loss);
            queue_pair.follow(self.now, mtu);
            return self.activate(id);
        }
        if frame.has(NAK) && !frame.has(RNR) {
            let loss = Loss::Gap { until, next };
            queue_pair.congestion.on_loss(self.now, loss);
        }
        let ack = Ack {
            now: self.now,
            bytes: Bytes((arrived - arrived_before).saturating_mul(mtu.0)),
            until,
            next,
            outstanding: in_flight,
            rtt: carried.rtt(self.now),
            marked: frame.has(ECHO),
        };
        let congestion = &mut queue_pair.congestion;
        congestion.on_ack(&ack, carried.hops(), carried.penalty);
        queue_pair.follow(self.now, mtu);
        self.activate(id);
    }

    /// Passes a timeout to congestion control.
    pub(crate) fn take_timeout(&mut self, id: QueuePairId) {
        if self.telemetry.is_none() {
            return;
        }
        let mtu = self.settings.parameters.transport.mtu_bytes;
        let queue_pair = &mut self.queue_pairs[id];
        let next = queue_pair.transport.progress().fresh;
        let loss = Loss::Timeout { next };
        queue_pair.congestion.on_loss(self.now, loss);
        queue_pair.follow(self.now, mtu);
    }
}
