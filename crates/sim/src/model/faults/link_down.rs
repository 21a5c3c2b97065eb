//! Link down: its frames are lost; then its ports know it, then routing does. When it comes back, the ports send at once and
//! routing uses it later.
//!
//! How long ports and routing take is stated with the fault: it depends on optics, debounce timers and the routing protocol.
//! All switches change their routes at the same time.

use super::{Fault, Kind};
use crate::devices::port::{is_down, Watched};
use crate::model::parameters::PRIORITIES;
use crate::model::scenario::Scenario;
use crate::simulation::{class, Simulation};
use crate::time::{Picoseconds, NEVER};

/// Links that are down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkDown {
    /// Which.
    pub of: Links,
    /// From the link being down to its ports being down: what waits for them is dropped, and what is sent there.
    pub detection: Picoseconds,
    /// From the ports being down or up again to all switches having the routes that follow.
    pub convergence: Picoseconds,
}

/// Which links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// One, by its index.
    One(u32),
    /// All of a node, which is as if it had failed.
    OfNode(u32),
}

/// From when until when a link carries nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outage {
    from: Picoseconds,
    until: Picoseconds,
}

/// What an event of class ROUTE is, its payload.
const DOWN: u32 = 0;
const UP: u32 = 1;
const TABLE: u32 = 2;

/// Whether an event of class ROUTE happens at all switches; others happen at the port that they name.
pub(crate) fn is_everywhere(what: u32) -> bool {
    what == TABLE
}

/// When routing withdraws links and may use them again, in order of time: the time, the link, and whether it is withdrawn.
/// A link is used while it was given back as often as withdrawn.
pub(crate) fn changes(scenario: &Scenario) -> Vec<(Picoseconds, u32, bool)> {
    let mut changes = Vec::new();
    for fault in &scenario.faults {
        let Kind::LinkDown(it) = &fault.kind else {
            continue;
        };
        if !it.is_noticed(fault) {
            continue;
        }
        let withdrawn = (fault.from + it.detection).saturating_add(it.convergence);
        let back = fault.until.saturating_add(it.convergence);
        for link in it.links(scenario) {
            changes.push((withdrawn, link, true));
            if back != NEVER {
                changes.push((back, link, false));
            }
        }
    }
    changes.sort_unstable();
    changes
}

impl LinkDown {
    fn links(&self, scenario: &Scenario) -> Vec<u32> {
        match self.of {
            Links::One(link) => vec![link],
            Links::OfNode(node) => {
                let links = scenario.links.iter().zip(0..);
                let own = links.filter(|(link, _)| link.a == node || link.b == node);
                own.map(|(_, number)| number).collect()
            }
        }
    }

    /// Whether its ports ever know: a link may be back before.
    fn is_noticed(&self, fault: &Fault) -> bool {
        fault.until > fault.from.saturating_add(self.detection)
    }
}

impl Simulation {
    pub(super) fn put_link_down(&mut self, fault: &Fault, it: &LinkDown) {
        let outage = Outage {
            from: fault.from,
            until: fault.until,
        };
        let links = it.links(&self.scenario).into_iter();
        for port in links.flat_map(|link| [2 * link, 2 * link + 1]) {
            self.ports[port as usize].watched = Watched::Yes;
            self.sides[port as usize].outages.push(outage);
            if it.is_noticed(fault) {
                self.schedule(fault.from + it.detection, class::ROUTE, port, DOWN);
            }
            // Also where it is not noticed: the port may be down because of another, and this one the last to end.
            if fault.until != NEVER {
                self.schedule(fault.until, class::ROUTE, port, UP);
            }
        }
    }

    /// Schedules the times at which routes change.
    pub(crate) fn put_route_changes(&mut self) {
        let it = self.forwarding.as_ref();
        let times: Vec<Picoseconds> = it.map_or(Vec::new(), |it| it.changes().collect());
        for time in times {
            self.schedule(time, class::ROUTE, 0, TABLE);
        }
    }

    /// Whether the link is down at some moment while the frame that `port` has just begun to send is on it.
    pub(crate) fn cut_off(&self, port: u32) -> bool {
        let side = &self.sides[port as usize];
        let arrival = self.ports[port as usize].busy_until + side.delay;
        let mut outages = side.outages.iter();
        outages.any(|it| self.now < it.until && it.from < arrival)
    }

    /// A port goes down or comes up, or routes change.
    pub(crate) fn reroute(&mut self, port: u32, what: u32) {
        match what {
            DOWN => self.take_down(port),
            UP => self.bring_up(port),
            _ => {
                self.count_once();
                if let Some(it) = &mut self.forwarding {
                    it.change();
                }
            }
        }
    }

    /// The port sends nothing any more, and forgets that its peer paused it. What waits is dropped.
    fn take_down(&mut self, port: u32) {
        let state = &mut self.ports[port as usize];
        state.busy_until = NEVER;
        state.wake_at = NEVER;
        state.control = false;
        let is_switch = state.switch;
        while let Some(index) = self.sides[port as usize].control.pop(&self.frames) {
            self.frames.remove(index);
        }
        for priority in 0..PRIORITIES {
            self.go_on(port, priority);
            while let Some(index) = self.take_waiting(port, priority) {
                let frame = self.frames[index];
                self.frames.remove(index);
                self.totals.drops += 1;
                if is_switch {
                    self.sides[frame.ingress as usize].drops[priority] += 1;
                    self.release(frame.ingress, priority, u32::from(frame.cells));
                } else {
                    self.sides[port as usize].drops[priority] += 1;
                }
            }
        }
    }

    /// A port that is down sends again, unless another fault has it. Its peer has forgotten what it was asked for, and is asked again.
    fn bring_up(&mut self, port: u32) {
        if !is_down(&self.ports[port as usize]) {
            return;
        }
        let outages = self.sides[port as usize].outages.iter();
        if outages
            .clone()
            .any(|it| (it.from..it.until).contains(&self.now))
        {
            return;
        }
        self.ports[port as usize].busy_until = self.now;
        let state = &self.ports[port as usize];
        let asking = match state.switch {
            true => (0..PRIORITIES)
                .filter(|priority| {
                    let group = self.groups.get((port, *priority));
                    group.is_some_and(|group| group.xoff)
                })
                .fold(0, |bits, priority| bits | 1 << priority),
            false => {
                let pipe = &self.nics[state.device as usize].pipe;
                let storm = self.sides[port as usize].storm;
                storm | pipe.as_ref().map_or(0, |pipe| pipe.pausing())
            }
        };
        for priority in 0..PRIORITIES {
            self.go_on(port, priority);
            if asking & 1 << priority != 0 {
                self.generate(port, priority, true);
            }
        }
        self.kick(port);
    }
}
