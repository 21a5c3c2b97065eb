//! Builds a network from a scenario, before its first event.

use crate::congestion::{self, Feedback, PreparedParameters};
use crate::devices::credits::Credits;
use crate::devices::nic::NicPort;
use crate::devices::operations::Operations;
use crate::devices::port::{Delivery, Port, Queue, Scheduler, Side};
use crate::devices::queue_pair::QueuePair;
use crate::devices::voq::Voqs;
use crate::ids::{ports_of, NodeId, Priority, QueuePairId, PRIORITIES};

use crate::mechanisms::base_rtt;
use crate::mechanisms::buffer::{Pool, PriorityGroup};
use crate::mechanisms::buffer_pools::Division;
use crate::mechanisms::buffer_settings::{self, BufferSettings};
use crate::mechanisms::event_queue::EventQueue;
use crate::mechanisms::forwarding::Forwarding;
use crate::mechanisms::frame::{Frames, Line};
use crate::mechanisms::link_faults::LinkFaults;
use crate::mechanisms::marking::Marker;
use crate::mechanisms::pause::{self, Pauses};
use crate::mechanisms::port_priority::PortPriorityTable;
use crate::mechanisms::routing::Routes;
use crate::mechanisms::telemetry::{self, Telemetry};
use crate::mechanisms::transport::{self, Service};
use crate::mechanisms::trimming::Trimming;
use crate::model::overrides::Slot;
use crate::model::parameters::{MarkingPoint, Parameters};
use crate::model::results::Summary;
use crate::model::scenario::{self, Scenario};
use crate::problem::Refusal;
use crate::simulation::capture::{self, file::Capture};
use crate::simulation::class;
use crate::simulation::series::Series;
use crate::simulation::state::{Behind, Device, Settings, Simulation};
use crate::time::{ByteTime, Picoseconds, NEVER};
use std::collections::HashMap;
use std::sync::Arc;

impl Simulation {
    /// Builds the network: routes, buffers, queue pairs; everything up to the first event.
    ///
    /// # Errors
    /// `Refusal` when a switch has no shared buffer left, a queue pair has no route to its peer, or the frames to be captured
    /// have no wire format.
    pub fn new(mut scenario: Scenario) -> Result<Simulation, Refusal> {
        telemetry::make_room(&mut scenario);
        base_rtt::fill(&mut scenario);
        capture::check(&scenario)?;
        let resolved = buffer_settings::resolve(&scenario)?;
        let forwarding = Forwarding::from_scenario(&scenario)?;
        let routes = match forwarding {
            None => Routes::compute(&scenario)?,
            Some(_) => Routes::at_run_time(&scenario),
        };
        let settings = Settings::new(&scenario);
        let ports = 2 * scenario.links.len();
        let (markers, marker) = markers(&scenario, &resolved);
        let priorities = scenario.priorities();
        let mut simulation = Simulation {
            now: Picoseconds::ZERO,
            key: 0,
            until: scenario.until,
            queue: EventQueue::new(),
            still_since: Picoseconds::ZERO,
            repeated: 0,
            border: None,
            frames: Frames::new(),
            ports: Vec::new(),
            queues: PortPriorityTable::with_priorities(ports, priorities, |port, priority| {
                Queue::new(marker[(port, priority)])
            }),
            groups: PortPriorityTable::with_priorities(ports, priorities, |port, priority| {
                let lossless = scenario.of_port(port).pfc.lossless_priorities;
                let lossless = lossless & priority.bit() != 0;
                let (pool, headroom) = match scenario.node_of(port).switch(scenario.hosts) {
                    Some(switch) => resolved.pools[switch].pool_offsets(lossless),
                    None => Division::default().pool_offsets(lossless),
                };
                PriorityGroup::new(
                    &resolved.priority_settings[(port, priority)],
                    pool,
                    headroom,
                )
            }),
            kinds: Vec::with_capacity(ports),
            markers,
            slices: Vec::new(),
            sides: Vec::new(),
            voqs: Voqs::from_scenario(&scenario, &resolved)?,
            pools: Vec::new(),
            nics: Vec::new(),
            queue_pairs: Vec::new(),
            telemetry: Telemetry::new(&scenario),
            credits: Credits::new(&scenario),
            operations: Operations::new(&scenario),
            routes,
            forwarding: forwarding.map(Box::new),
            settings,
            totals: Summary::default(),
            pauses: Vec::new(),
            series: Series::new(&scenario.observe),
            captures: Capture::from_scenario(&scenario),
            scenario: Arc::new(scenario),
        };
        simulation.build_pools(&resolved);
        simulation.build_ports(&resolved);
        simulation.build_queue_pairs();
        simulation.put_faults();
        simulation.begin();
        Ok(simulation)
    }

    fn build_pools(&mut self, resolved: &BufferSettings) {
        for (node, division) in (self.scenario.hosts..).map(NodeId).zip(&resolved.pools) {
            let cell = self.scenario.of_node(node).switch.cell_bytes;
            self.pools
                .extend(division.pools().map(|(cells, of_headroom)| Pool {
                    cells,
                    used: 0,
                    most_used: 0,
                    cell,
                    of_headroom,
                }));
        }
    }

    fn build_ports(&mut self, resolved: &BufferSettings) {
        let pools = resolved.first_pools();
        let written = self
            .telemetry
            .as_ref()
            .is_some_and(|telemetry| telemetry.by_switches());
        for port in ports_of(self.scenario.links.len()) {
            let link = self.scenario.links[port.link()];
            let node = self.scenario.node_of(port);
            let id = node.switch(self.scenario.hosts);
            let switch = id.is_some();
            let settings = self.scenario.of_port(port);
            let device = id.map(|id| id.0).unwrap_or_else(|| {
                self.nics.push(NicPort::new(&settings.nic));
                self.nics.len() as u32 - 1
            });
            let peer = self.scenario.node_of(port.peer());
            let peer_is_switch = peer.is_switch(self.scenario.hosts);
            let latency = Picoseconds::from(self.scenario.of_node(peer).switch.latency_ns);
            let captures = &self.scenario.observe.captures;
            let captured = captures.iter().any(|at| at.link() == port.link());
            self.ports.push(Port {
                busy_until: Picoseconds::ZERO,
                wake_at: NEVER,
                byte: ByteTime::from_rate(link.rate),
                flight: link.delay
                    + if peer_is_switch {
                        latency
                    } else {
                        Picoseconds::ZERO
                    },
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
                delivery: match captured
                    || switch && written
                    || link.loss > 0.0
                    || link.pfc_lost_from != NEVER
                {
                    true => Delivery::Checked,
                    false => Delivery::Direct,
                },
                turn: Priority(0),
                settings: self.scenario.devices.number(Slot::Port(port)),
            });
            self.sides.push(Side {
                control: Line::EMPTY,
                delay: link.delay,
                loss: link.loss,
                pfc_lost_from: link.pfc_lost_from,
                faults: LinkFaults::default(),
                storm: 0,
                lost: 0,
                drops: [0; PRIORITIES],
                trims: 0,
                pfc_frames: 0,
                reaction: pause::reaction(&settings.pfc.reaction, link.rate),
                pauses: Pauses::default(),
            });
            self.slices.push(if switch {
                pools[device as usize] + resolved.slices[port]
            } else {
                0
            });
            self.kinds.push(match (captured, switch) {
                (true, _) => Behind::Checked,
                (_, true) if self.forwarding.is_some() => Behind::Forwarding,
                (_, true) => Behind::Switch,
                _ => Behind::Nic,
            });
        }
    }

    fn build_queue_pairs(&mut self) {
        let recovery = self.scenario.parameters.transport.recovery;
        let mut ready = vec![None; 2 * self.scenario.sets() as usize];
        let sockets = &self.scenario.parameters.sockets;
        let unlimited = congestion::Parameters::NONE.prepare();
        for (number, connection) in self.scenario.connections.iter().enumerate() {
            let mtu = connection.service.payload(&self.scenario.parameters);
            let ends = connection.ports();
            for (side, port) in ends.into_iter().enumerate() {
                let id = QueuePairId::of_connection(number, side);
                let rate = self.scenario.links[port.link()].rate;
                let slot = Slot::PriorityQueue(port, connection.priority);
                let number = self.scenario.devices.number(slot);
                let peer = Slot::PriorityQueue(ends[1 - side], connection.priority);
                let peer = self.scenario.set(self.scenario.devices.number(peer));
                let echoes = peer.congestion.feedback() != Feedback::Notifications;
                let (transport, congestion) = ready[2 * number as usize + usize::from(echoes)]
                    .get_or_insert_with(|| prepare(self.scenario.set(number), echoes));
                let (transport, congestion) = match connection.service {
                    scenario::Service::Tcp => (Service::tcp(sockets, mtu), &unlimited),
                    scenario::Service::Udp => (Service::udp(mtu, transport), &unlimited),
                    scenario::Service::Rc => (Service::reliable(recovery, transport), &*congestion),
                    _ => (Service::unreliable(transport), &*congestion),
                };
                self.queue_pairs.push(QueuePair::new(
                    port,
                    self.routes.start(id),
                    connection.priority,
                    transport,
                    congestion.start(rate, mtu),
                    connection.service,
                ));
                let queue_pair = &mut self.queue_pairs[id];
                queue_pair.echoes = echoes;
                let acks = self.scenario.set(number).transport.ack_priority;
                queue_pair.received.answer_by(acks);
                queue_pair.follow(Picoseconds::ZERO, mtu);
                let credit = queue_pair.credit();
                if let (Some(credits), Some(credit)) = (&mut self.credits, credit) {
                    credits.begin(id, credit);
                }
            }
        }
    }

    fn begin(&mut self) {
        self.post_first();
        if self.scenario.observe.interval > Picoseconds::ZERO {
            self.schedule(Picoseconds::ZERO, class::SAMPLE, 0, 0);
        }
    }
}

/// Settings that queue pairs with equal parameters share.
fn prepare(
    parameters: &Parameters,
    echoes: bool,
) -> (Arc<transport::Settings>, PreparedParameters) {
    let echo = echoes || parameters.notification.in_ack;
    let mut transport = transport::Settings::new(&parameters.transport, echo);
    if echoes {
        // Every packet is acknowledged: otherwise a window smaller than the interval of ACKs would never open again.
        transport.ack_every = 1;
    }
    (Arc::new(transport), parameters.congestion.prepare())
}

/// every different marking setting, and which one each queue has.
fn markers(
    scenario: &Scenario,
    resolved: &BufferSettings,
) -> (Vec<Marker>, PortPriorityTable<u32>) {
    let ports = 2 * scenario.links.len();
    let mut markers = Vec::new();
    let mut known = HashMap::new();
    let mut of_queues = PortPriorityTable::new(ports, |_, _| 0);
    for port in ports_of(scenario.links.len()) {
        for priority in Priority::all() {
            let settings = &resolved.priority_settings[(port, priority)];
            let number = scenario.devices.number(Slot::PriorityQueue(port, priority));
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

impl Settings {
    fn new(scenario: &Scenario) -> Self {
        let mut parameters = scenario.parameters.clone();
        parameters.framing = parameters.framing.add_encapsulation();
        let framing = &parameters.framing;
        let largest = scenario.longest_frame();
        let sets = || (0..scenario.sets()).map(|number| scenario.set(number));
        let marks = |set: &Parameters, at| set.marking.enabled && set.marking.at == at;
        Settings {
            seed: scenario.seed,
            devices: sets()
                .map(|set| Device {
                    scheduler: Scheduler::new(&set.scheduler, largest),
                    pfc: set.pfc.clone(),
                    trimming: Trimming::from_switch(&set.switch),
                    tx_depth: set.transport.tx_depth,
                })
                .collect(),
            longest: largest + framing.gap_bytes,
            mark_enqueue: sets().any(|set| marks(set, MarkingPoint::Enqueue)),
            mark_dequeue: sets().any(|set| marks(set, MarkingPoint::Dequeue)),
            pipes: sets().any(|set| set.nic.pipe.is_some()),
            trims: sets().any(|set| set.switch.trimming.is_some()),
            longest_pause: pause::longest(scenario),
            parameters,
        }
    }
}
