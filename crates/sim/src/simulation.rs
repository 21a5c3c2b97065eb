//! The run: what stands in the network, and the loop that takes one event after the other.
//!
//! What an event does stands beside the device it happens to: [`crate::switch`], [`crate::nic`], [`crate::pause`],
//! [`crate::post`]. Equal times are ordered by event class, then entity; an entity has one pending event of a class.

use crate::buffer::{Pool, PriorityGroup};
use crate::capture::Capture;
use crate::congestion::{Feedback, Prepared};
use crate::devices::Slot;
use crate::forwarding::Forwarding;
use crate::frame::{Frames, Kind, Line};
use crate::lanes::Lanes;
use crate::marking::Marker;
use crate::nic::NicPort;
use crate::parameters::{MarkAt, Parameters, Pfc, PRIORITIES};
use crate::parts::Border;
use crate::pool::{self, Resolved};
use crate::port::{Pause, Port, Queue, Scheduler, Side};
use crate::post::Operations;
use crate::problem::Refused;
use crate::queue::{Event, EventQueue};
use crate::queue_pair::QueuePair;
use crate::results::{Outcome, Summary};
use crate::routing::Routes;
use crate::scenario::{self, Operation, Scenario};
use crate::series::Series;
use crate::telemetry::Telemetry;
use crate::time::{ByteTime, Picoseconds, NANOSECOND, NEVER};
use crate::transport::{self, Service};
use crate::voq::Voqs;
use crate::{capture, chance, outcome, pause, telemetry};
use std::collections::HashMap;
use std::sync::Arc;

/// Event classes, in the order in which they happen at equal times.
pub(crate) mod class {
    /// A port looks for the next frame. Entity: port.
    pub const TRANSMIT: u32 = 0;
    /// A PFC frame arrives. Entity: port that sent it.
    pub const PFC_ARRIVES: u32 = 1;
    /// A port obeys a PFC frame. Entity: port that was asked.
    pub const PFC_APPLIES: u32 = 2;
    /// A pause runs out. Entity: port and priority.
    pub const PAUSE_ENDS: u32 = 3;
    /// A frame arrives. Entity: port that sent it.
    pub const ARRIVES: u32 = 4;
    /// A PFC frame stands in line. Entity: port and priority; payload: how many came before, and in the last bit XOFF.
    pub const PFC_READY: u32 = 5;
    /// XOFF is sent again. Entity: port and priority.
    pub const REFRESH: u32 = 6;
    /// The receive buffer of a NIC has drained. Entity: port.
    pub const DRAINED: u32 = 7;
    /// An operation is posted. Entity: operation.
    pub const POST: u32 = 8;
    /// A CNP stands in line. Entity: queue pair.
    pub const CNP_READY: u32 = 9;
    /// A transport's deadline. Entity: queue pair.
    pub const DEADLINE: u32 = 10;
    /// A poll of the watchdog at which something may be found. Entity: port and priority; payload 0. Or a fault begins or
    /// ends. Entity: fault; payload [`OF_FAULT`].
    pub const WATCHDOG: u32 = 11;
    /// The same class.
    pub const FAULT: u32 = WATCHDOG;
    /// Tells the second from the first.
    pub const OF_FAULT: u32 = 1;
    /// A port goes down or comes up, or the routes are others. Entity: the port, or none; payload: which of these.
    pub const ROUTE: u32 = 12;
    /// A frame stands at its egress port, which granted it credit. Entity: port and priority; several at one time are one
    /// like the other.
    pub const CROSSES: u32 = 13;
    /// Everything observed is sampled.
    pub const SAMPLE: u32 = 15;

    /// Bit n: class n only keeps pauses going, or watches.
    pub const OF_PAUSES: u32 = 1 << PFC_ARRIVES
        | 1 << PFC_APPLIES
        | 1 << PAUSE_ENDS
        | 1 << PFC_READY
        | 1 << REFRESH
        | 1 << SAMPLE;
}

/// What stands behind a port, for a frame that arrives: asked for each, so kept apart from the port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    Switch,
    Nic,
    /// A switch that forwards at run time.
    Forwarding,
    /// Any of these, on a link that is captured or in a wrong port.
    Watched,
}

/// The part of an event's key that names the entity; the class stands above it.
pub(crate) const ENTITY: u32 = 0x0FFF_FFFF;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub now: Picoseconds,
    /// Events taken.
    pub events: u64,
    /// Data and ACK frames started on a link.
    pub hops: u64,
    /// Operations that completed.
    pub completed: u64,
    /// Operations in all.
    pub operations: u64,
    /// Payload that arrived.
    pub delivered_bytes: u64,
    /// Payload of all operations.
    pub bytes: u64,
}

/// What stands in the network at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Frames waiting or on a link, PFC frames included.
    pub frames: u64,
    /// Bytes in the egress queues of all ports.
    pub queued_bytes: u64,
    /// Cells that frames hold in guaranteed and shared space of all switches.
    pub cells: u64,
    /// Cells that they hold in headroom.
    pub headroom_cells: u64,
    /// Cells of `cells` that are taken out of shared pools.
    pub shared_cells: u64,
    /// Cells that all shared pools have.
    pub pool_cells: u64,
}

/// What all devices share, and what ports are set to.
#[derive(Clone)]
pub(crate) struct Settings {
    /// The scenario's own: framing and path MTU are those of all devices, the rest may be another at some.
    pub parameters: Parameters,
    pub seed: u64,
    /// By the number that a port has.
    pub devices: Vec<Device>,
    /// The longest frame, on the link.
    pub longest: u32,
    /// Whether any queue marks at enqueue, at dequeue; whether any NIC has a host pipe.
    pub mark_enqueue: bool,
    pub mark_dequeue: bool,
    pub pipes: bool,
    /// No pause takes longer, from being decided on to running out.
    pub longest_pause: Picoseconds,
}

/// What a port is set to, as far as it is asked for during the run.
#[derive(Clone)]
pub(crate) struct Device {
    pub scheduler: Scheduler,
    pub pfc: Pfc,
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
    pub(crate) queues: Lanes<Queue>,
    pub(crate) groups: Lanes<PriorityGroup>,
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
    pub(crate) operations: Operations,
    pub(crate) routes: Routes,
    /// What switches that forward at run time know; none if all ways were chosen before.
    pub(crate) forwarding: Option<Box<Forwarding>>,
    pub(crate) settings: Settings,
    pub(crate) scenario: Arc<Scenario>,
    pub(crate) totals: Summary,
    pub(crate) pauses: Vec<outcome::PauseRow>,
    pub(crate) series: Series,
    pub(crate) captures: Vec<Capture>,
}

impl Simulation {
    /// Builds the network: routes, buffers, queue pairs; everything up to the first event.
    ///
    /// # Errors
    /// `Refused` when a switch has no room left to share, a queue pair no way to its peer, or what is to be captured
    /// has no form on a wire.
    pub fn new(mut scenario: Scenario) -> Result<Simulation, Refused> {
        telemetry::make_room(&mut scenario);
        capture::check(&scenario)?;
        let resolved = pool::resolve(&scenario)?;
        let forwarding = Forwarding::of(&scenario)?;
        let routes = match forwarding {
            None => Routes::compute(&scenario)?,
            Some(_) => Routes::at_run_time(&scenario),
        };
        let settings = Settings::new(&scenario);
        let ports = 2 * scenario.links.len();
        let (markers, marker) = markers(&scenario, &resolved);
        let mut simulation = Simulation {
            now: 0,
            key: 0,
            until: scenario.until,
            queue: EventQueue::new(),
            still_since: 0,
            repeated: 0,
            border: None,
            frames: Frames::new(),
            ports: Vec::new(),
            queues: Lanes::new(ports, |port, priority| Queue::new(marker[(port, priority)])),
            groups: Lanes::new(ports, |port, priority| {
                let lossless = scenario.of_port(port).pfc.lossless_priorities;
                PriorityGroup::new(
                    &resolved.lanes[(port, priority)],
                    lossless & (1 << priority) != 0,
                )
            }),
            kinds: Vec::with_capacity(ports),
            markers,
            slices: Vec::new(),
            sides: Vec::new(),
            voqs: Voqs::of(&scenario, &resolved.pools)?,
            pools: Vec::new(),
            nics: Vec::new(),
            queue_pairs: Vec::new(),
            telemetry: Telemetry::new(&scenario),
            operations: Operations::new(&scenario),
            routes,
            forwarding: forwarding.map(Box::new),
            settings,
            totals: Summary::default(),
            pauses: Vec::new(),
            series: Series::new(&scenario.observe),
            captures: Capture::all(&scenario),
            scenario: Arc::new(scenario),
        };
        simulation.build_pools(&resolved);
        simulation.build_ports(&resolved);
        simulation.build_queue_pairs();
        simulation.put_faults();
        simulation.begin();
        Ok(simulation)
    }

    /// Takes up to `events` events. Whether there is more to do.
    pub fn advance(&mut self, events: u64) -> bool {
        if self.take_events(events) {
            return true;
        }
        if !self.queue.is_empty() {
            self.now = self.until;
        }
        false
    }

    /// Takes up to `events` events, none after `until`. Whether it were so many.
    pub(crate) fn take_events(&mut self, events: u64) -> bool {
        for _ in 0..events {
            let Some(event) = self.queue.pop_until(self.until) else {
                return false;
            };
            self.totals.events += 1;
            let before = std::mem::replace(&mut self.now, event.time);
            self.key = event.key;
            self.look_ahead();
            self.take(event, before);
        }
        true
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        Progress {
            now: self.now,
            events: self.totals.events,
            hops: self.totals.hops,
            completed: self.operations.completed(),
            operations: self.scenario.operations.len() as u64,
            delivered_bytes: self.queue_pairs.iter().map(|it| it.received.bytes).sum(),
            bytes: sum_bytes(&self.scenario.operations),
        }
    }

    /// What stands in the network now: nothing once it has drained.
    pub fn occupancy(&self) -> Occupancy {
        let groups = || self.groups.iter();
        Occupancy {
            frames: self.frames.live() as u64,
            queued_bytes: self.queues.iter().map(|it| u64::from(it.bytes)).sum(),
            cells: groups().map(|it| u64::from(it.used)).sum(),
            headroom_cells: groups().map(|it| u64::from(it.headroom_used)).sum(),
            shared_cells: self.pools.iter().map(|it| it.used).sum(),
            pool_cells: self.pools.iter().map(|it| it.cells).sum(),
        }
    }

    /// What was captured since the last call at each port, as pcap.
    pub fn captured(&mut self) -> Vec<Vec<u8>> {
        self.captures.iter_mut().map(Capture::take).collect()
    }

    /// The tables and totals, also of a run that was not carried to its end.
    pub fn finish(self) -> Outcome {
        outcome::fill(self)
    }

    #[inline]
    fn take(&mut self, event: Event, before: Picoseconds) {
        let entity = event.key & ENTITY;
        match event.key >> 28 {
            class::TRANSMIT => self.transmit_event(entity),
            class::ARRIVES => self.arrives(entity, event.payload),
            class::PFC_ARRIVES => self.pfc_arrives(entity, event.payload),
            class::PFC_APPLIES => self.pfc_applies(entity, event.payload),
            class::PAUSE_ENDS => self.pause_ends(entity),
            class::PFC_READY => self.pfc_ready(entity, event.payload & 1 != 0),
            class::REFRESH => self.refresh(entity),
            class::DRAINED => self.drained(entity),
            class::POST => self.post(entity),
            class::CNP_READY => self.send_cnp(entity),
            class::DEADLINE => self.deadline(entity),
            class::WATCHDOG if event.payload == class::OF_FAULT => self.fault(entity),
            class::WATCHDOG => self.watchdog_polls(entity),
            class::ROUTE => self.reroute(entity, event.payload),
            class::CROSSES => self.crossing_ends(entity),
            _ => self.sample(before),
        }
    }

    /// What a port is set to.
    #[inline]
    pub(crate) fn device(&self, port: u32) -> &Device {
        &self.settings.devices[self.ports[port as usize].settings as usize]
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

    /// The port looks for a frame at `time`, unless it does so earlier.
    #[inline]
    pub(crate) fn wake(&mut self, port: u32, time: Picoseconds) {
        let state = &mut self.ports[port as usize];
        if time < state.wake_at {
            state.wake_at = time;
            self.schedule(time, class::TRANSMIT, port, 0);
        }
    }

    #[inline]
    fn transmit_event(&mut self, port: u32) {
        let state = &mut self.ports[port as usize];
        if state.wake_at != self.now {
            return; // it was woken earlier, and this one is out of date
        }
        state.wake_at = NEVER;
        self.transmit(port);
    }

    /// Something may be there to send.
    #[inline]
    pub(crate) fn kick(&mut self, port: u32) {
        let busy_until = self.ports[port as usize].busy_until;
        if busy_until > self.now {
            self.wake(port, busy_until);
            return;
        }
        self.transmit(port);
    }

    /// The port, idle, sends what comes first.
    #[inline]
    fn transmit(&mut self, port: u32) {
        let state = &self.ports[port as usize];
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

    /// The frame takes the link and will arrive; what is counted per frame is counted here.
    #[inline]
    pub(crate) fn start(&mut self, port: u32, index: u32) {
        let frame = &self.frames[index];
        let state = &mut self.ports[port as usize];
        let on_link = u32::from(frame.bytes) + self.settings.parameters.framing.gap_bytes;
        state.busy_until = self.now + state.byte.times(on_link);
        state.sent += 1;
        self.still_since = self.now;
        let arrival = state.busy_until + state.flight;
        let queue = &mut self.queues[(port, usize::from(frame.priority))];
        queue.frames += 1;
        queue.sent_bytes += u64::from(frame.bytes);
        if frame.kind == Kind::Cnp {
            self.totals.cnp_frames += 1;
        } else {
            self.totals.hops += 1;
        }
        if state.watched {
            return self.watch(port, index, arrival, class::ARRIVES);
        }
        self.schedule(arrival, class::ARRIVES, port, index);
    }

    /// A frame on a link that is captured, loses frames or leads to another part of the network: it is lost, or its arrival
    /// will be an event of `class`.
    #[inline(never)]
    pub(crate) fn watch(&mut self, port: u32, index: u32, arrival: Picoseconds, class: u32) {
        self.write_telemetry(port, index);
        let frame = self.frames[index];
        let side = &mut self.sides[port as usize];
        let lost = match frame.kind {
            Kind::Pfc => self.now >= side.pfc_lost_from,
            _ => {
                let draw = self.ports[port as usize].sent;
                side.loss > 0.0 && chance::uniform(!self.settings.seed, port, draw) < side.loss
            }
        };
        let lost = lost
            || self.corrupted(port, u32::from(frame.bytes))
            || frame.kind == Kind::Cnp && self.cnp_lost(port);
        let lost = lost || self.cut_off(port);
        self.capture_frame(port, &frame);
        if lost {
            self.sides[port as usize].lost += 1;
            self.totals.losses += 1;
            return self.frames.remove(index);
        }
        if !self.leaves(port, index, arrival, class) {
            self.schedule(arrival, class, port, index);
        }
    }

    /// What arrives at a port is looked at before it goes on.
    pub(crate) fn watch_arrivals(&mut self, port: u32) {
        self.kinds[port as usize] = Behind::Watched;
    }

    #[inline]
    fn arrives(&mut self, sender: u32, index: u32) {
        let port = sender ^ 1;
        match self.kinds[port as usize] {
            Behind::Switch => self.switch_receive(port, index),
            Behind::Nic => self.nic_receive(port, index),
            Behind::Forwarding => self.forward(port, index),
            Behind::Watched => {
                let frame = self.frames[index];
                self.capture_frame(port, &frame);
                let is_switch = self.ports[port as usize].switch;
                match (is_switch, &self.forwarding) {
                    (true, None) => self.switch_receive(port, index),
                    (true, Some(_)) => self.forward(port, index),
                    _ if self.is_stray(port, &frame) => self.drop_unroutable(port, index),
                    _ => self.nic_receive(port, index),
                }
            }
        }
    }

    fn build_pools(&mut self, resolved: &Resolved) {
        for (node, slices) in (self.scenario.hosts..).zip(&resolved.pools) {
            let cell = self.scenario.of_node(node).switch.cell_bytes;
            self.pools.extend(slices.iter().map(|cells| Pool {
                cells: *cells,
                used: 0,
                most_used: 0,
                cell,
            }));
        }
    }

    fn build_ports(&mut self, resolved: &Resolved) {
        let pools = first_pools(resolved);
        let written = self.telemetry.as_ref().is_some_and(|it| it.by_switches());
        for port in 0..2 * self.scenario.links.len() as u32 {
            let link = self.scenario.links[(port / 2) as usize];
            let node = self.scenario.node_of(port);
            let switch = node >= self.scenario.hosts;
            let settings = self.scenario.of_port(port);
            let device = if switch {
                node - self.scenario.hosts
            } else {
                self.nics.push(NicPort::new(&settings.nic));
                self.nics.len() as u32 - 1
            };
            let peer = self.scenario.node_of(port ^ 1);
            let peer_is_switch = peer >= self.scenario.hosts;
            let latency = self.scenario.of_node(peer).switch.latency_ns * NANOSECOND;
            let captures = &self.scenario.observe.captures;
            let captured = captures.iter().any(|at| at / 2 == port / 2);
            self.ports.push(Port {
                busy_until: 0,
                wake_at: NEVER,
                byte: ByteTime::of(link.rate),
                flight: link.delay + if peer_is_switch { latency } else { 0 },
                sent: 0,
                device,
                switch,
                waiting: 0,
                paused: 0,
                dropping: 0,
                aside: match &self.voqs {
                    Some(voqs) if voqs.has(port) => u8::MAX,
                    _ => 0,
                },
                control: false,
                watched: captured
                    || switch && written
                    || link.loss > 0.0
                    || link.pfc_lost_from != NEVER,
                turn: 0,
                settings: self.scenario.devices.number(Slot::Port(port)),
            });
            self.sides.push(Side {
                control: Line::EMPTY,
                delay: link.delay,
                loss: link.loss,
                pfc_lost_from: link.pfc_lost_from,
                outages: Vec::new(),
                rules: Vec::new(),
                storm: 0,
                lost: 0,
                drops: [0; PRIORITIES],
                pfc_frames: 0,
                reaction: pause::reaction(&settings.pfc.reaction, link.rate),
                pauses: [Pause::NONE; PRIORITIES],
            });
            self.slices.push(if switch {
                pools[device as usize] + resolved.slices[port as usize]
            } else {
                0
            });
            self.kinds.push(match (captured, switch) {
                (true, _) => Behind::Watched,
                (_, true) if self.forwarding.is_some() => Behind::Forwarding,
                (_, true) => Behind::Switch,
                _ => Behind::Nic,
            });
        }
    }

    fn build_queue_pairs(&mut self) {
        let recovery = self.scenario.parameters.transport.recovery;
        let mtu = self.scenario.parameters.transport.mtu_bytes;
        let mut ready = vec![None; 2 * self.scenario.sets() as usize];
        for (number, connection) in self.scenario.connections.iter().enumerate() {
            let ends = [connection.port_a, connection.port_b];
            for (side, port) in ends.into_iter().enumerate() {
                let id = (2 * number + side) as u32;
                let rate = self.scenario.links[(port / 2) as usize].rate;
                let lane = Slot::Lane(port, usize::from(connection.priority));
                let number = self.scenario.devices.number(lane);
                let peer = Slot::Lane(ends[1 - side], usize::from(connection.priority));
                let peer = self.scenario.set(self.scenario.devices.number(peer));
                let echoes = peer.congestion.feedback() != Feedback::Notifications;
                let (transport, congestion) = ready[2 * number as usize + usize::from(echoes)]
                    .get_or_insert_with(|| prepare(self.scenario.set(number), echoes));
                self.queue_pairs.push(QueuePair::new(
                    port,
                    self.routes.start(id),
                    connection.priority,
                    Service::new(
                        connection.service == scenario::Service::Rc,
                        recovery,
                        transport,
                    ),
                    congestion.start(rate, mtu),
                    connection.service,
                ));
                let queue_pair = &mut self.queue_pairs[id as usize];
                queue_pair.echoes = echoes;
                queue_pair.follow(0, mtu);
            }
        }
    }

    fn begin(&mut self) {
        self.post_first();
        if self.scenario.observe.interval > 0 {
            self.schedule(0, class::SAMPLE, 0, 0);
        }
    }
}

/// What the queue pairs share that are set to the same.
fn prepare(parameters: &Parameters, echoes: bool) -> (Arc<transport::Settings>, Prepared) {
    let echo = echoes || parameters.notification.in_ack;
    let transport = transport::Settings::new(&parameters.transport, echo);
    (Arc::new(transport), parameters.congestion.prepare())
}

/// Every different way of marking, and which one each queue has.
fn markers(scenario: &Scenario, resolved: &Resolved) -> (Vec<Marker>, Lanes<u32>) {
    let ports = 2 * scenario.links.len();
    let mut markers = Vec::new();
    let mut known = HashMap::new();
    let mut of_queues = Lanes::new(ports, |_, _| 0);
    for port in 0..ports as u32 {
        for priority in 0..PRIORITIES {
            let settings = &resolved.lanes[(port, priority)];
            let number = scenario.devices.number(Slot::Lane(port, priority));
            let thresholds = (settings.kmin_bytes, settings.kmax_bytes);
            of_queues[(port, priority)] = *known.entry((number, thresholds)).or_insert_with(|| {
                let marking = &scenario.set(number).marking;
                markers.push(Marker::new(marking, thresholds.0, thresholds.1));
                markers.len() as u32 - 1
            });
        }
    }
    (markers, of_queues)
}

/// Where the pools of each switch begin among all pools.
fn first_pools(resolved: &Resolved) -> Vec<u32> {
    let counts = resolved.pools.iter().map(|slices| slices.len() as u32);
    let ends = counts.scan(0, |end, count| {
        *end += count;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Any sum above what a run could ever deliver says the same.
fn sum_bytes(operations: &[Operation]) -> u64 {
    let sizes = operations.iter().map(|it| it.bytes);
    sizes.fold(0, u64::saturating_add)
}

impl Settings {
    fn new(scenario: &Scenario) -> Self {
        let mut parameters = scenario.parameters.clone();
        parameters.framing = parameters.framing.encapsulated();
        let framing = &parameters.framing;
        let largest = framing.longest(parameters.transport.mtu_bytes);
        let sets = || (0..scenario.sets()).map(|number| scenario.set(number));
        let marks = |set: &Parameters, at| set.marking.enabled && set.marking.at == at;
        Settings {
            seed: scenario.seed,
            devices: sets()
                .map(|set| Device {
                    scheduler: Scheduler::new(&set.scheduler, largest),
                    pfc: set.pfc.clone(),
                    tx_depth: set.transport.tx_depth,
                })
                .collect(),
            longest: largest + framing.gap_bytes,
            mark_enqueue: sets().any(|set| marks(set, MarkAt::Enqueue)),
            mark_dequeue: sets().any(|set| marks(set, MarkAt::Dequeue)),
            pipes: sets().any(|set| set.nic.pipe.is_some()),
            longest_pause: pause::longest(scenario),
            parameters,
        }
    }
}
