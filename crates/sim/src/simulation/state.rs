//! What a network is in the middle of a run. What an event does to it is in the files of the handlers.

use crate::bytes::Bytes;
use crate::devices::credits::Credits;
use crate::devices::nic::NicPort;
use crate::devices::operations::Operations;
use crate::devices::port::{Port, Queue, Scheduler, Side};
use crate::devices::queue_pair::QueuePair;
use crate::devices::voq::Voqs;
use crate::ids::PortId;
use crate::mechanisms::buffer::{Pool, PriorityGroup};
use crate::mechanisms::event_queue::{Event, EventQueue};
use crate::mechanisms::forwarding::Forwarding;
use crate::mechanisms::frame::Frames;
use crate::mechanisms::marking::Marker;
use crate::mechanisms::port_priority::PortPriorityTable;
use crate::mechanisms::routing::Routes;
use crate::mechanisms::telemetry::Telemetry;
use crate::mechanisms::trimming::Trimming;
use crate::model::parameters::{Parameters, Pfc};
use crate::model::results::Summary;
use crate::model::scenario::Scenario;
use crate::simulation::border::Border;
use crate::simulation::capture::file::Capture;
use crate::simulation::pause_row::PauseRow;
use crate::simulation::series::Series;
use crate::time::Picoseconds;
use std::sync::Arc;

/// What stands behind a port, for a frame that arrives: asked for each, so kept apart from the port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    Switch,
    Nic,
    /// A switch that forwards at run time.
    Forwarding,
    /// Any of these, on a link that is captured or in a wrong port.
    Checked,
}

/// The part of an event's key that names the entity; the class stands above it.
pub(crate) const ENTITY: u32 = 0x0FFF_FFFF;

/// What all devices share, and what ports are set to.
#[derive(Clone)]
pub(crate) struct Settings {
    /// The scenario's own: framing and path MTU are those of all devices, the rest may be another at some.
    pub parameters: Parameters,
    pub seed: u64,
    /// By the number that a port has.
    pub devices: Vec<Device>,
    /// The longest frame, on the link.
    pub longest: Bytes<u32>,
    /// Whether any queue marks at enqueue, at dequeue; whether any NIC has a host pipe.
    pub mark_enqueue: bool,
    pub mark_dequeue: bool,
    pub pipes: bool,
    /// Whether any switch trims.
    pub trims: bool,
    /// No pause takes longer, from being decided on to running out.
    pub longest_pause: Picoseconds,
}

/// What a port is set to, as far as it is asked for during the run.
#[derive(Clone)]
pub(crate) struct Device {
    pub scheduler: Scheduler,
    pub pfc: Pfc,
    pub trimming: Option<Trimming>,
    pub tx_depth: u32,
}

/// A network in the middle of a run.
pub struct Simulation {
    pub(crate) now: Picoseconds,
    /// The key of the event that happens.
    pub(crate) key: u32,
    /// No event later than this happens: the end of the run, or in a part of a network, of the window.
    pub(crate) until: Picoseconds,
    pub(crate) queue: EventQueue,
    /// Since when no frame has started; or later, when it was last asked whether that is a deadlock.
    pub(crate) still_since: Picoseconds,
    /// Pending events that repeat a pause.
    pub(crate) repeated: u64,
    /// Of a part of a network: what leads to the others.
    pub(crate) border: Option<Box<Border>>,
    pub(crate) frames: Frames,
    pub(crate) ports: Vec<Port>,
    pub(crate) queues: PortPriorityTable<Queue>,
    pub(crate) groups: PortPriorityTable<PriorityGroup>,
    /// What stands behind each port.
    pub(crate) kinds: Vec<Behind>,
    pub(crate) markers: Vec<Marker>,
    pub(crate) slices: Vec<u32>,
    pub(crate) sides: Vec<Side>,
    /// What waits where it came in; none without switches that do that.
    pub(crate) voqs: Option<Box<Voqs>>,
    pub(crate) pools: Vec<Pool>,
    pub(crate) nics: Vec<NicPort>,
    pub(crate) queue_pairs: Vec<QueuePair>,
    pub(crate) telemetry: Option<Box<Telemetry>>,
    /// What receivers grant; none where nobody waits for that.
    pub(crate) credits: Option<Box<Credits>>,
    pub(crate) operations: Operations,
    pub(crate) routes: Routes,
    /// What switches that forward at run time know; none if all paths were chosen before.
    pub(crate) forwarding: Option<Box<Forwarding>>,
    pub(crate) settings: Settings,
    pub(crate) scenario: Arc<Scenario>,
    pub(crate) totals: Summary,
    pub(crate) pauses: Vec<PauseRow>,
    pub(crate) series: Series,
    pub(crate) captures: Vec<Capture>,
}

impl Simulation {
    /// What a port is set to.
    #[inline]
    pub(crate) fn device(&self, port: PortId) -> &Device {
        &self.settings.devices[self.ports[port].settings as usize]
    }

    /// Puts an event of `entity` in the queue.
    #[inline]
    pub(crate) fn schedule(&mut self, time: Picoseconds, class: u32, entity: u32, payload: u32) {
        self.queue.push(Event {
            time,
            key: class << 28 | entity,
            payload,
        });
    }
}
