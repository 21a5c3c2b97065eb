//! The state of a network during a run. The handlers of events are in separate files.

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

/// The device behind a port. It is read for each arriving frame, so it is stored separately from the port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    Switch,
    Nic,
    /// A switch that forwards at run time.
    Forwarding,
    /// Any device, on a link that is captured or miswired.
    Checked,
}

/// The bits of an event's key that contain the entity; the class is above them.
pub(crate) const ENTITY: u32 = 0x0FFF_FFFF;

/// The settings of all devices and ports.
#[derive(Clone)]
pub(crate) struct Settings {
    /// The parameters of the scenario. Framing and path MTU hold for all devices; single devices may override the others.
    pub parameters: Parameters,
    pub seed: u64,
    /// By the settings index of a port.
    pub devices: Vec<Device>,
    /// Maximum frame size on the link.
    pub longest: Bytes<u32>,
    /// Whether any queue marks at enqueue, at dequeue; whether any NIC has a host pipe.
    pub mark_enqueue: bool,
    pub mark_dequeue: bool,
    pub pipes: bool,
    /// Whether any switch trims.
    pub trims: bool,
    /// Maximum duration of a pause, from the decision to its expiry.
    pub longest_pause: Picoseconds,
}

/// The settings of a port that are read during the run.
#[derive(Clone)]
pub(crate) struct Device {
    pub scheduler: Scheduler,
    pub pfc: Pfc,
    pub trimming: Option<Trimming>,
    pub tx_depth: u32,
}

/// A network during a run.
pub struct Simulation {
    pub(crate) now: Picoseconds,
    /// The key of the current event.
    pub(crate) key: u32,
    /// Time of the last event: the end of the run, or of the window in a part of a network.
    pub(crate) until: Picoseconds,
    pub(crate) queue: EventQueue,
    /// Time of the last frame start, or of the last check for a deadlock if that is later.
    pub(crate) still_since: Picoseconds,
    /// Pending events that repeat a pause.
    pub(crate) repeated: u64,
    /// In a part of a network: its border to the other parts.
    pub(crate) border: Option<Box<Border>>,
    pub(crate) frames: Frames,
    pub(crate) ports: Vec<Port>,
    pub(crate) queues: PortPriorityTable<Queue>,
    pub(crate) groups: PortPriorityTable<PriorityGroup>,
    /// The device behind each port.
    pub(crate) kinds: Vec<Behind>,
    pub(crate) markers: Vec<Marker>,
    pub(crate) slices: Vec<u32>,
    pub(crate) sides: Vec<Side>,
    /// Virtual output queues; `None` without switches that have them.
    pub(crate) voqs: Option<Box<Voqs>>,
    pub(crate) pools: Vec<Pool>,
    pub(crate) nics: Vec<NicPort>,
    pub(crate) queue_pairs: Vec<QueuePair>,
    pub(crate) telemetry: Option<Box<Telemetry>>,
    /// Credit of receivers; `None` if no sender needs credit.
    pub(crate) credits: Option<Box<Credits>>,
    pub(crate) operations: Operations,
    pub(crate) routes: Routes,
    /// State of switches that forward at run time; `None` if all paths are computed before the run.
    pub(crate) forwarding: Option<Box<Forwarding>>,
    pub(crate) settings: Settings,
    pub(crate) scenario: Arc<Scenario>,
    pub(crate) totals: Summary,
    pub(crate) pauses: Vec<PauseRow>,
    pub(crate) series: Series,
    pub(crate) captures: Vec<Capture>,
}

impl Simulation {
    /// The settings of a port.
    #[inline]
    pub(crate) fn device(&self, port: PortId) -> &Device {
        &self.settings.devices[self.ports[port].settings as usize]
    }

    /// Adds an event of `entity` to the event queue.
    #[inline]
    pub(crate) fn schedule(&mut self, time: Picoseconds, class: u32, entity: u32, payload: u32) {
        self.queue.push(Event {
            time,
            key: class << 28 | entity,
            payload,
        });
    }
}
