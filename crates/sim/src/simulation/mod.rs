//! The run: the state of the network, and the event loop.
//!
//! The handlers of events are in the module of the device: [`crate::simulation::switch`], [`crate::devices::nic`],
//! [`crate::mechanisms::pause`], [`crate::devices::operations`]. Events at equal times are ordered by class, then entity; an
//! entity has one pending event of a class.

mod border;
mod build;
mod capture;
mod class;
mod credits;
mod deadlock;
mod faults;
mod forwarding;
mod host_pipe;
mod network_tables;
mod nic;
mod operations;
mod outcome;
pub(crate) mod parts;
mod pause;
mod pause_row;
mod prefetch;
mod queue_pair;
mod sampling;
mod series;
mod state;
mod switch;
mod telemetry;
mod trimming;
mod voq;
mod watchdog;

use crate::bytes::Bytes;
use crate::devices::port::Delivery;
use crate::ids::{PortId, QueuePairId};
use crate::mechanisms::chance;
use crate::mechanisms::event_queue::Event;
use crate::mechanisms::frame::Kind;
use crate::model::results::Outcome;
use crate::model::scenario::Operation;
use crate::time::{Picoseconds, NEVER};
use capture::file::Capture;
pub use state::Simulation;
use state::{Behind, ENTITY};

/// Progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub now: Picoseconds,
    /// Events processed.
    pub events: u64,
    /// Data and ACK frames started on a link.
    pub hops: u64,
    /// Operations that completed.
    pub completed: u64,
    /// Operations in all.
    pub operations: u64,
    /// Payload that arrived.
    pub delivered_bytes: Bytes,
    /// Payload of all operations.
    pub bytes: Bytes,
}

/// Contents of the network at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Frames queued or on a link, PFC frames included.
    pub frames: u64,
    /// Bytes in the egress queues of all ports.
    pub queued_bytes: Bytes,
    /// Cells in use in guaranteed and shared buffer of all switches.
    pub cells: u64,
    /// Cells in use in headroom.
    pub headroom_cells: u64,
    /// Cells of `cells` from shared pools.
    pub shared_cells: u64,
    /// Size of all shared pools in cells.
    pub pool_cells: u64,
    /// Cells of `headroom_cells` from shared headroom pools.
    pub shared_headroom_cells: u64,
}

impl Simulation {
    /// Processes up to `events` events. Returns whether events are left.
    pub fn advance(&mut self, events: u64) -> bool {
        if self.take_events(events) {
            return true;
        }
        if !self.queue.is_empty() {
            self.now = self.until;
        }
        false
    }

    /// Processes up to `events` events, none after `until`. Returns whether the number was reached.
    pub(crate) fn take_events(&mut self, events: u64) -> bool {
        for _ in 0..events {
            let Some(event) = self.queue.pop_until(self.until) else {
                return false;
            };
            self.totals.events += 1;
            let previous_time = std::mem::replace(&mut self.now, event.time);
            self.key = event.key;
            self.look_ahead();
            self.take(event, previous_time);
        }
        true
    }

    /// The progress of the run.
    pub fn progress(&self) -> Progress {
        Progress {
            now: self.now,
            events: self.totals.events,
            hops: self.totals.hops,
            completed: self.operations.completed_count(),
            operations: self.scenario.operations.len() as u64,
            delivered_bytes: self
                .queue_pairs
                .iter()
                .map(|queue_pair| queue_pair.received.bytes)
                .sum(),
            bytes: sum_bytes(&self.scenario.operations),
        }
    }

    /// The current contents of the network: nothing once it has drained.
    pub fn occupancy(&self) -> Occupancy {
        let groups = || self.groups.iter();
        let pools = |headroom| {
            self.pools
                .iter()
                .filter(move |pool| pool.of_headroom == headroom)
        };
        Occupancy {
            frames: self.frames.live() as u64,
            queued_bytes: self
                .queues
                .iter()
                .map(|queue| queue.bytes.widen::<u64>())
                .sum(),
            cells: groups().map(|group| u64::from(group.used)).sum(),
            headroom_cells: groups().map(|group| u64::from(group.headroom_used)).sum(),
            shared_cells: pools(false).map(|pool| pool.used).sum(),
            pool_cells: pools(false).map(|pool| pool.cells).sum(),
            shared_headroom_cells: pools(true).map(|pool| pool.used).sum(),
        }
    }

    /// The frames captured since the last call at each port, as pcap.
    pub fn take_captures(&mut self) -> Vec<Vec<u8>> {
        self.captures.iter_mut().map(Capture::take).collect()
    }

    /// The tables and totals, also of a run that was stopped early.
    pub fn finish(self) -> Outcome {
        outcome::fill(self)
    }

    #[inline(always)] // called once in the code, and for every event
    fn take(&mut self, event: Event, previous_time: Picoseconds) {
        let entity = event.key & ENTITY;
        match event.key >> 28 {
            class::TRANSMIT => self.transmit_event(PortId(entity)),
            class::ARRIVES => self.arrives(PortId(entity), event.payload),
            class::PFC_ARRIVES => self.pfc_arrives(PortId(entity), event.payload),
            class::PFC_APPLIES => self.pfc_applies(PortId(entity), event.payload),
            class::PAUSE_ENDS => self.pause_ends(entity),
            class::PFC_READY => self.pfc_ready(entity, event.payload & 1 != 0),
            class::REFRESH => self.refresh(entity),
            class::DRAINED => self.resume_peer(PortId(entity)),
            class::POST => self.post(entity),
            class::CNP_READY => self.send_cnp(QueuePairId(entity)),
            class::DEADLINE => self.deadline(QueuePairId(entity)),
            class::WATCHDOG if event.payload == class::OF_FAULT => self.fault(entity),
            class::WATCHDOG => self.watchdog_polls(entity),
            class::ROUTE => self.reroute(PortId(entity), event.payload),
            class::CROSSES => self.crossing_ends(entity),
            class::CREDIT => self.credit_event(entity, event.payload),
            _ => self.sample(previous_time),
        }
    }

    /// Schedules the selection of a frame at `time`, unless an earlier one is scheduled.
    #[inline]
    pub(crate) fn wake(&mut self, port: PortId, time: Picoseconds) {
        let state = &mut self.ports[port];
        if time < state.wake_at {
            state.wake_at = time;
            self.schedule(time, class::TRANSMIT, port.0, 0);
        }
    }

    #[inline]
    fn transmit_event(&mut self, port: PortId) {
        let state = &mut self.ports[port];
        if state.wake_at != self.now {
            return; // replaced by an earlier event
        }
        state.wake_at = NEVER;
        self.transmit(port);
    }

    /// Wakes a port that may have a frame to send.
    #[inline]
    pub(crate) fn kick(&mut self, port: PortId) {
        let busy_until = self.ports[port].busy_until;
        if busy_until > self.now {
            self.wake(port, busy_until);
            return;
        }
        self.transmit(port);
    }

    /// An idle port sends its next frame.
    #[inline]
    fn transmit(&mut self, port: PortId) {
        let state = &self.ports[port];
        if state.busy_until > self.now {
            let busy_until = state.busy_until;
            return self.wake(port, busy_until);
        }
        if state.control {
            return self.transmit_pfc(port);
        }
        if state.switch {
            self.switch_transmit(port);
        } else {
            self.nic_transmit(port);
        }
    }

    /// Starts a frame on the link and schedules its arrival; counts the frame.
    #[inline]
    pub(crate) fn start(&mut self, port: PortId, index: u32) {
        let frame = &self.frames[index];
        let state = &mut self.ports[port];
        let on_link = frame.bytes.widen::<u32>() + self.settings.parameters.framing.gap_bytes;
        state.busy_until = self.now + state.byte.times(on_link);
        state.sent += 1;
        self.still_since = self.now;
        let arrival = state.busy_until + state.flight;
        let queue = &mut self.queues[(port, frame.priority)];
        queue.frames += 1;
        queue.sent_bytes += frame.bytes.widen();
        if frame.kind == Kind::Cnp {
            self.totals.cnp_frames += 1;
        } else {
            self.totals.hops += 1;
        }
        self.put_on_link(port, index, arrival, class::ARRIVES);
    }

    /// Schedules the arrival of the frame as an event of `class`, unless the frame is lost.
    #[inline]
    pub(crate) fn put_on_link(
        &mut self,
        port: PortId,
        index: u32,
        arrival: Picoseconds,
        class: u32,
    ) {
        match self.ports[port].delivery {
            Delivery::Direct => self.schedule(arrival, class, port.0, index),
            Delivery::Border => self.leave(port, index, arrival, class),
            Delivery::Checked => self.watch(port, index, arrival, class),
        }
    }

    /// The same on a link that is captured or loses frames.
    #[inline(never)]
    fn watch(&mut self, port: PortId, index: u32, arrival: Picoseconds, class: u32) {
        self.write_telemetry(port, index);
        let frame = self.frames[index];
        let side = &mut self.sides[port];
        let lost = match frame.kind {
            Kind::Pfc => self.now >= side.pfc_lost_from,
            _ => {
                let draw = self.ports[port].sent;
                side.loss > 0.0 && chance::uniform(!self.settings.seed, port.0, draw) < side.loss
            }
        };
        let is_cnp = frame.kind == Kind::Cnp;
        let lost = lost || self.is_lost_to_faults(port, frame.bytes.widen(), is_cnp);
        self.capture_frame(port, index);
        if lost {
            self.sides[port].lost += 1;
            self.totals.losses += 1;
            return self.frames.remove(index);
        }
        if self.border.is_some() {
            return self.leave(port, index, arrival, class);
        }
        self.schedule(arrival, class, port.0, index);
    }

    /// Marks a port at which each arriving frame is captured, and dropped at the wrong NIC.
    pub(crate) fn watch_arrivals(&mut self, port: PortId) {
        self.kinds[port] = Behind::Checked;
    }

    #[inline]
    fn arrives(&mut self, sender: PortId, index: u32) {
        let port = sender.peer();
        match self.kinds[port] {
            Behind::Switch => self.switch_receive(port, index),
            Behind::Nic => self.nic_receive(port, index),
            Behind::Forwarding => self.forward(port, index),
            Behind::Checked => {
                let frame = self.frames[index];
                self.capture_frame(port, index);
                let is_switch = self.ports[port].switch;
                match (is_switch, &self.forwarding) {
                    (true, None) => self.switch_receive(port, index),
                    (true, Some(_)) => self.forward(port, index),
                    _ if self.is_stray(port, &frame) => self.drop_unroutable(port, index),
                    _ => self.nic_receive(port, index),
                }
            }
        }
    }
}

/// The sum saturates: a run never delivers that many bytes.
fn sum_bytes(operations: &[Operation]) -> Bytes {
    let sizes = operations.iter().map(|operation| operation.bytes);
    sizes.fold(Bytes(0), |sum, bytes| sum.saturating_add(bytes))
}
