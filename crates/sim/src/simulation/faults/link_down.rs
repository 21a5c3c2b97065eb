//! Links going down and coming back during a run.

use crate::devices::port::{is_down, Delivery};
use crate::ids::{LinkId, PortId, Priority};
use crate::model::faults::link_down::LinkDown;
use crate::model::faults::Fault;
use crate::simulation::class;
use crate::simulation::state::Simulation;
use crate::time::{Picoseconds, NEVER};

/// Payload of an event of class ROUTE.
const DOWN: u32 = 0;

const UP: u32 = 1;

const TABLE: u32 = 2;

/// Whether an event of class ROUTE is for all switches; others are for one port.
pub(crate) fn is_everywhere(action: u32) -> bool {
    action == TABLE
}

impl Simulation {
    pub(super) fn put_link_down(&mut self, fault: &Fault, down: &LinkDown) {
        let ends = self.scenario.links.iter().map(|link| [link.a, link.b]);
        let links = down.links(ends).into_iter();
        for port in links.flat_map(LinkId::ports) {
            self.ports[port].delivery = Delivery::Checked;
            let faults = &mut self.sides[port].faults;
            faults.add_outage(fault.from, fault.until);
            if down.is_detected(fault.from, fault.until) {
                self.schedule(fault.from + down.detection, class::ROUTE, port.0, DOWN);
            }
            // Also without detection: the port may be down because of another fault, and this one may be the last to end.
            if fault.until != NEVER {
                self.schedule(fault.until, class::ROUTE, port.0, UP);
            }
        }
    }

    /// Schedules the times at which routes change.
    pub(crate) fn put_route_changes(&mut self) {
        let forwarding = self.forwarding.as_ref();
        let times: Vec<Picoseconds> =
            forwarding.map_or(Vec::new(), |forwarding| forwarding.changes().collect());
        for time in times {
            self.schedule(time, class::ROUTE, 0, TABLE);
        }
    }

    /// A port goes down or comes up, or routes change.
    pub(crate) fn reroute(&mut self, port: PortId, action: u32) {
        match action {
            DOWN => self.take_down(port),
            UP => self.bring_up(port),
            _ => {
                self.count_once();
                if let Some(forwarding) = &mut self.forwarding {
                    forwarding.change();
                }
            }
        }
    }

    /// Takes a port down: its pause state is cleared and its queued frames are dropped.
    fn take_down(&mut self, port: PortId) {
        let state = &mut self.ports[port];
        state.busy_until = NEVER;
        state.wake_at = NEVER;
        state.control = false;
        let is_switch = state.switch;
        while let Some(index) = self.sides[port].control.pop(&self.frames) {
            self.frames.remove(index);
        }
        for priority in Priority::all() {
            self.go_on(port, priority);
            while let Some(index) = self.take_waiting(port, priority) {
                let frame = self.frames[index];
                self.frames.remove(index);
                self.totals.drops += 1;
                self.totals.port_down_drops += 1;
                if is_switch {
                    self.sides[frame.ingress].drops[priority] += 1;
                    self.release(frame.ingress, priority, u32::from(frame.cells));
                } else {
                    self.sides[port].drops[priority] += 1;
                }
            }
        }
    }

    /// Brings a port up, unless another fault affects it. Its peer has cleared its pause state, so XOFF is sent again.
    fn bring_up(&mut self, port: PortId) {
        if !is_down(&self.ports[port]) {
            return;
        }
        if self.sides[port].faults.is_down(self.now) {
            return;
        }
        self.ports[port].busy_until = self.now;
        let state = &self.ports[port];
        let asking = match state.switch {
            true => Priority::all()
                .filter(|priority| {
                    let group = self.groups.get((port, *priority));
                    group.is_some_and(|group| group.xoff)
                })
                .fold(0, |bits, priority| bits | priority.bit()),
            false => {
                let pipe = &self.nics[state.device as usize].pipe;
                let storm = self.sides[port].storm;
                storm | pipe.as_ref().map_or(0, |pipe| pipe.paused_priorities())
            }
        };
        for priority in Priority::all() {
            self.go_on(port, priority);
            if asking & priority.bit() != 0 {
                self.generate(port, priority, true);
            }
        }
        self.kick(port);
    }
}
