//! The effect of faults: rules on ports and links, and events at which a fault starts or ends.

pub(crate) mod link_down;
mod miswiring;
mod slow_receiver;
mod stuck_nic;

use crate::bytes::Bytes;
use crate::devices::port::Delivery;
use crate::ids::{LinkId, PortId};
use crate::mechanisms::link_faults::{Effect, Start};
use crate::model::faults::{Fault, Kind};
use crate::simulation::class;
use crate::simulation::state::Simulation;
use crate::time::{Picoseconds, NEVER};
use wirespeed_wire::link_errors::LinkErrors;

impl Simulation {
    /// Adds every fault to its port or link, and schedules the faults that start and end by events.
    pub(crate) fn put_faults(&mut self) {
        let scenario = self.scenario.clone();
        for (number, fault) in (0..).zip(&scenario.faults) {
            match &fault.kind {
                Kind::LinkDown(link_down) => self.put_link_down(fault, link_down),
                Kind::Miswiring(miswiring) => self.apply_miswiring(miswiring),
                Kind::BitErrors(bit_errors) => {
                    let errors = LinkErrors::new(bit_errors.ber, bit_errors.fec, bit_errors.floor);
                    self.rule_on_link(bit_errors.link, fault, Effect::BitErrors(errors));
                }
                Kind::CnpLoss(cnp_loss) => {
                    self.rule_on_link(cnp_loss.link, fault, Effect::CnpLoss(cnp_loss.probability));
                }
                Kind::CnpDelay(cnp_delay) => {
                    self.rule(cnp_delay.port, fault, Effect::CnpDelay(cnp_delay.delay))
                }
                Kind::StuckNic(_) | Kind::SlowReceiver(_) => self.schedule_fault(number, fault),
            }
        }
        self.put_route_changes();
    }

    /// The port of a fault that starts and ends by an event.
    pub(crate) fn place_of_fault(&self, number: u32) -> Option<PortId> {
        match self.scenario.faults[number as usize].kind {
            Kind::StuckNic(stuck_nic) => Some(stuck_nic.port),
            Kind::SlowReceiver(slow_receiver) => Some(slow_receiver.port),
            _ => None,
        }
    }

    /// Starts or ends a fault.
    pub(crate) fn fault(&mut self, number: u32) {
        let scenario = self.scenario.clone();
        let now = self.now;
        let hold = scenario.faults.iter().filter(|fault| fault.holds(now));
        let hold = hold.map(|fault| &fault.kind);
        match &scenario.faults[number as usize].kind {
            Kind::StuckNic(stuck_nic) => self.stuck_nic(
                stuck_nic.port,
                stuck_nic::paused_priorities(stuck_nic.port, hold),
            ),
            Kind::SlowReceiver(slow_receiver) => self.slow_receiver(
                slow_receiver.port,
                slow_receiver::least(slow_receiver.port, hold),
            ),
            _ => {} // affects frames on its link, or has other events
        }
    }

    fn schedule_fault(&mut self, number: u32, fault: &Fault) {
        for time in [fault.from, fault.until] {
            if time != NEVER {
                self.schedule(time, class::FAULT, number, class::OF_FAULT);
            }
        }
    }

    /// Marks a link so that each frame is checked, in both directions.
    fn rule_on_link(&mut self, link: LinkId, fault: &Fault, effect: Effect) {
        for port in link.ports() {
            self.ports[port].delivery = Delivery::Checked;
            self.rule(port, fault, effect);
        }
    }

    fn rule(&mut self, port: PortId, fault: &Fault, effect: Effect) {
        let faults = &mut self.sides[port].faults;
        faults.add(fault.from, fault.until, effect);
    }

    /// Whether a frame that starts at `port` is lost because of a fault of the link.
    pub(crate) fn is_lost_to_faults(&self, port: PortId, bytes: Bytes<u32>, is_cnp: bool) -> bool {
        let (state, side) = (&self.ports[port], &self.sides[port]);
        let start = Start {
            seed: self.settings.seed,
            port,
            sent: state.sent,
            time: self.now,
        };
        side.faults.corrupts(start, bytes)
            || is_cnp && side.faults.loses_cnp(start)
            || side.faults.cuts(self.now, state.busy_until + side.delay)
    }

    /// Additional delay of a CNP of `port`.
    pub(crate) fn cnp_delay(&self, port: PortId) -> Picoseconds {
        self.sides[port].faults.cnp_delay(self.now)
    }
}
