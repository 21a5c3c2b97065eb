//! A scenario from a list of numbers. Smaller numbers choose simpler values, so that a failure shrinks to a simple one.

use crate::support::{connect, link, network, post, preset};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::Parameters as Congestion;
use wirespeed_sim::congestion::{dcqcn, dcqcn_nvidia, hpcc, rccc, swift};
use wirespeed_sim::ids::{LinkId, NodeId, PortId, Priority, QueuePairId};
use wirespeed_sim::mechanisms::buffer_pools::Division;
use wirespeed_sim::mechanisms::buffer_settings::{self, BufferSettings};
use wirespeed_sim::model::faults::bit_errors::BitErrors;
use wirespeed_sim::model::faults::link_down::{LinkDown, Links};
use wirespeed_sim::model::faults::slow_receiver::SlowReceiver;
use wirespeed_sim::model::faults::stuck_nic::StuckNic;
use wirespeed_sim::model::faults::{cnp, Fault, Kind};
use wirespeed_sim::model::parameters::{
    Architecture, Balance, Headroom, IpVersion, MarkingPoint, Parameters, Pipe, Pools, Reaction,
    Recovery, Reordering, SharedHeadroom, Spray, Switch, Trimming, Watchdog, WatchdogAction,
};
use wirespeed_sim::model::scenario::{Link, Scenario, Service, Verb};
use wirespeed_sim::time::{ByteTime, Nanoseconds, Picoseconds, NANOSECOND, NEVER};
use wirespeed_wire::headroom::response_ceiling;
use wirespeed_wire::link_errors::Fec;

/// Numbers to choose by; 0 for ever after the last.
pub struct Draws {
    numbers: std::vec::IntoIter<u32>,
}

impl Draws {
    pub fn new(numbers: Vec<u32>) -> Self {
        Draws {
            numbers: numbers.into_iter(),
        }
    }

    /// 0 to `end` - 1.
    fn below(&mut self, end: u32) -> u32 {
        let number = u64::from(self.numbers.next().unwrap_or(0));
        ((number * u64::from(end)) >> 32) as u32
    }

    fn one_of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u32) as usize].clone()
    }

    fn percent(&mut self, percent: u32) -> bool {
        self.below(100) >= 100 - percent
    }
}

/// A network, settings and traffic.
pub fn scenario(draws: &mut Draws) -> Scenario {
    let (hosts, switches, mut links) = topology(draws);
    if draws.percent(25) {
        for link in &mut links {
            link.loss = draws.one_of(&[0.0, 0.001, 0.02]);
        }
    }
    let mut scenario = network(hosts, switches, links, parameters(draws));
    scenario.seed = u64::from(draws.below(1 << 16));
    receive_buffers(draws, &mut scenario);
    buffers(draws, &mut scenario);
    traffic(draws, &mut scenario);
    faults(draws, &mut scenario);
    balance(draws, &mut scenario);
    links_down(draws, &mut scenario);
    architecture(draws, &mut scenario);
    trimming(draws, &mut scenario);
    scenario
}

/// Frames that wait where they came in.
fn architecture(draws: &mut Draws, scenario: &mut Scenario) {
    if !draws.percent(20) {
        return;
    }
    let parameters = &mut scenario.parameters;
    parameters.marking.at = MarkingPoint::Enqueue;
    parameters.switch.architecture = Architecture::Voq {
        credit_bytes: draws.one_of(&[Bytes(1_024), Bytes(64), Bytes(8_192)]),
        credit_latency_ns: draws.one_of(&[Nanoseconds(0), Nanoseconds(300), Nanoseconds(5_000)]),
    };
}

/// Two cabled hosts, a star, a chain of switches, or leaves and spines: shortest paths over these make no cycle of buffers.
fn topology(draws: &mut Draws) -> (u32, u32, Vec<Link>) {
    let shape = draws.below(4);
    let (switches, hosts) = match shape {
        0 => (0, 2),
        1 => (1, 2 + draws.below(5)),
        2 => (2 + draws.below(3), 2 + draws.below(6)),
        _ => (3 + draws.below(2), 2 + draws.below(6)),
    };
    // Leaves are the first two switches, spines the others.
    let edges = match shape {
        2 => switches,
        3 => 2,
        _ => 1,
    };
    let mut ends: Vec<(u32, u32)> = Vec::new();
    match shape {
        0 => ends.push((0, 1)),
        _ => ends.extend((0..hosts).map(|host| (host, hosts + host % edges))),
    }
    let between = |switch: u32, next: u32| (hosts + switch, hosts + next);
    match shape {
        2 => ends.extend((1..switches).map(|switch| between(switch - 1, switch))),
        3 => ends.extend((2..switches).flat_map(|spine| [between(0, spine), between(1, spine)])),
        _ => {}
    }
    if shape > 0 && draws.percent(20) {
        ends.push((0, hosts)); // a second NIC port
    }
    let same = draws.percent(50);
    let rates = [100, 10, 25, 40, 50, 200, 400, 800];
    let common = draws.one_of(&rates);
    let mut cable = |(a, b)| {
        let gbps = if same { common } else { draws.one_of(&rates) };
        link(a, b, gbps, draws.one_of(&[1_000, 0, 5, 300, 5_000]))
    };
    let links = ends.into_iter().map(&mut cable).collect();
    (hosts, switches, links)
}

fn parameters(draws: &mut Draws) -> Parameters {
    let mut parameters = preset(draws.one_of(&["roce", "hpcc"]));
    let switch = &mut parameters.switch;
    switch.cell_bytes = draws.one_of(&[
        switch.cell_bytes,
        Bytes(1),
        Bytes(80),
        Bytes(208),
        Bytes(5_000),
    ]);
    switch.slices = draws.one_of(&[1, 2]);
    switch.alpha_exponent = draws.one_of(&[switch.alpha_exponent, 0, -6, 1, 3]);
    switch.xon_offset_bytes = draws.one_of(&[switch.xon_offset_bytes, Bytes(0), Bytes(30_000)]);
    switch.reserve_bytes = draws.one_of(&[switch.reserve_bytes, Bytes(0)]);
    switch.latency_ns = draws.one_of(&[Nanoseconds(0), Nanoseconds(400)]);

    let pfc = &mut parameters.pfc;
    let lossless = pfc.lossless_priorities;
    pfc.lossless_priorities = draws.one_of(&[lossless, lossless, 0b1001_1000, 0]);
    if draws.percent(30) {
        (pfc.quanta, pfc.refresh_quanta) = (Some(2_000), Some(500));
    }
    pfc.generation_delay_ns = draws.one_of(&[Nanoseconds(0), Nanoseconds(150)]);
    if draws.percent(50) {
        pfc.reaction = Reaction::Fixed {
            ns: draws.one_of(&[Nanoseconds(0), Nanoseconds(700)]),
        };
    }

    let marking = &mut parameters.marking;
    marking.enabled = draws.percent(70);
    marking.at = draws.one_of(&[MarkingPoint::Enqueue, MarkingPoint::Dequeue]);
    if draws.percent(70) {
        marking.kmin_bytes = Bytes(1_000 * draws.below(50));
        marking.kmax_bytes = marking.kmin_bytes + Bytes(1_000 * draws.below(100));
        marking.pmax = draws.one_of(&[0.2, 1.0, 0.0]);
        marking.weight = draws.one_of(&[0, 3]);
    }

    parameters.scheduler.strict_priorities =
        draws.one_of(&[parameters.scheduler.strict_priorities, 0, 0b1001_0000]);
    for weight in &mut parameters.scheduler.weights {
        *weight = 1 + draws.below(60);
    }
    parameters.nic.messages_per_second = draws.one_of(&[None, Some(2_000_000)]);
    parameters.nic.control_ignores_pause = draws.percent(50);

    let transport = &mut parameters.transport;
    transport.mtu_bytes = draws.one_of(&[Bytes(4_096), Bytes(1_024), Bytes(256), Bytes(1_000)]);
    transport.ack_every = draws.one_of(&[1, 2, 16, u32::MAX]);
    transport.nak_interval_ns = draws.one_of(&[None, Some(Nanoseconds(100_000))]);
    // Between NAKs a sender fills a lossy queue anew, and what is missing can meet it full each time: the retries end it.
    transport.ack_timeout = match transport.nak_interval_ns {
        None => draws.one_of(&[transport.ack_timeout, 14, 10, 5]),
        Some(_) => draws.one_of(&[0, 9, 5]),
    };
    transport.retry_count = draws.one_of(&[7, 1]);
    if draws.percent(40) {
        transport.recovery = Recovery::SelectiveRepeat;
        transport.reordering = draws.one_of(&[
            Reordering::None {},
            Reordering::Packets { packets: 8 },
            Reordering::Time {
                ns: Nanoseconds(2_000),
            },
        ]);
        transport.window_packets = draws.one_of(&[u16::MAX, 64, 5]);
    } else if draws.percent(30) {
        transport.rx_depth = draws.one_of(&[Some(1), Some(3), None]);
        transport.receive_ns =
            draws.one_of(&[Nanoseconds(30_000), Nanoseconds(0), Nanoseconds(500)]);
        transport.min_rnr_timer = draws.one_of(&[1, 8]);
        transport.rnr_retry = draws.one_of(&[7, 2]);
    }
    transport.tx_depth = draws.one_of(&[128, 1, 2]);
    transport.max_outstanding_reads = draws.one_of(&[16, 1, 2]);

    let notification = &mut parameters.notification;
    notification.in_ack = draws.percent(40);
    notification.interval_ns =
        draws.one_of(&[Nanoseconds(50_000), Nanoseconds(0), Nanoseconds(4_000)]);
    notification.delay_ns = draws.one_of(&[Nanoseconds(0), Nanoseconds(1_000)]);
    notification.priority = draws.one_of(&[Priority(7), Priority(3)]);
    parameters.congestion = match draws.below(10) {
        0 => Congestion::NONE,
        1 => Congestion::Dcqcn(dcqcn::Parameters::default()),
        2 => Congestion::DcqcnNvidia(dcqcn_nvidia::Parameters::default()),
        3 => Congestion::Dctcp(Default::default()),
        4 => Congestion::Timely(Default::default()),
        5 => Congestion::Swift(swift::Parameters {
            base_target_ns: Nanoseconds(draws.one_of(&[20_000, 2_000])),
            ..swift::Parameters::default()
        }),
        6 => Congestion::Hpcc(hpcc::Parameters {
            header_bytes: Bytes(0), // buffers are drawn for frames without it
            base_rtt_ns: Nanoseconds(draws.one_of(&[13_000, 3_000])),
            ..hpcc::Parameters::default()
        }),
        7 => Congestion::Nscc(Default::default()),
        8 => Congestion::Rccc(rccc::Parameters {
            credit_packets: draws.one_of(&[1, 4]),
            nscc: draws.one_of(&[None, Some(Default::default())]),
            ..rccc::Parameters::default()
        }),
        _ => Congestion::Rccc(Default::default()),
    };
    parameters.sockets.mtu_bytes = parameters.transport.mtu_bytes + Bytes(20); // frames no longer than the others, for which buffers are made
    parameters.sockets.least_rto_ns = Nanoseconds(1_000_000);
    parameters.framing.ip = draws.one_of(&[IpVersion::Ipv4, IpVersion::Ipv6]);
    parameters.framing.vlan = draws.one_of(&[None, Some(100)]);
    division(draws, &mut parameters.switch);
    parameters
}

/// A buffer of one pool, of one for lossless and one for lossy traffic, of headroom that is shared.
fn division(draws: &mut Draws, switch: &mut Switch) {
    let pools = [(60, 20), (1, 50), (50, 1)].map(|(lossless_percent, lossy_percent)| {
        let of = Pools {
            lossless_percent,
            lossy_percent,
        };
        Some(of)
    });
    switch.pools = draws.one_of(&[None, None, pools[0], pools[1], pools[2]]);
    let share = |percent| Some(SharedHeadroom::Share { percent });
    let fixed = |bytes| Some(SharedHeadroom::Fixed { bytes });
    let headrooms = [None, None, None, share(20), share(1), fixed(Bytes(20_000))];
    switch.shared_headroom = draws.one_of(&headrooms);
}

/// Hosts slower than their links, whose receive buffer takes what arrives after XOFF: all that the link carries until the
/// peer obeys, and the frames that both sides have just started.
fn receive_buffers(draws: &mut Draws, scenario: &mut Scenario) {
    if !draws.percent(40) {
        return;
    }
    let parameters = &scenario.parameters;
    let frame =
        parameters.framing.longest(parameters.transport.mtu_bytes) + parameters.framing.gap_bytes;
    let pfc = parameters.framing.pfc_bytes + parameters.framing.gap_bytes;
    let lossless = parameters.pfc.lossless_priorities.count_ones();
    let room = |link: &Link| {
        let byte = ByteTime::from_rate(link.rate);
        let reaction = match parameters.pfc.reaction {
            Reaction::Fixed { ns } => Picoseconds::from(ns),
            Reaction::Ceiling => response_ceiling(link.rate),
        };
        let window =
            Picoseconds::from(parameters.pfc.generation_delay_ns) + 2 * link.delay + reaction;
        Bytes((window / byte.times(Bytes(1))) as u32) + frame * 3 + pfc * lossless
    };
    let room = scenario.links.iter().map(room).max().unwrap_or_default();
    let xoff = draws.one_of(&[Bytes(20_000), Bytes(5_000)]);
    scenario.parameters.nic.pipe = Some(Pipe {
        pcie: None,
        gbps: Some(draws.one_of(&[64, 8, 4])),
        latency_ns: draws.one_of(&[Nanoseconds(0), Nanoseconds(500)]),
        receive_buffer_bytes: xoff + room * lossless.max(1), // each priority is paused separately
        xoff_bytes: xoff,
        xon_bytes: draws.one_of(&[xoff / 2, Bytes(0), xoff]),
    });
}

/// Cells of every pool but those of headroom.
fn pools(resolved: &BufferSettings) -> impl Iterator<Item = u64> + '_ {
    let all = resolved.pools.iter().flat_map(Division::pools);
    all.filter(|(_, headroom)| !headroom)
        .map(|(cells, _)| cells)
}

/// The smallest buffers that share two of the longest frames even with a priority group at its threshold, or some more.
fn buffers(draws: &mut Draws, scenario: &mut Scenario) {
    let more = draws.one_of(&[4, 1, 0, 0]);
    let parameters = &scenario.parameters;
    let longest = parameters.framing.longest(parameters.transport.mtu_bytes);
    let cells = u64::from(2 * longest.div_ceil(parameters.switch.cell_bytes));
    let shift = parameters.switch.alpha_exponent.min(0).unsigned_abs();
    let suffices = |scenario: &Scenario| {
        let resolved = buffer_settings::resolve(scenario);
        resolved.is_ok_and(|scenario| pools(&scenario).all(|pool| pool >> shift >= cells))
    };
    for buffer in &mut scenario.buffer_bytes {
        *buffer = Bytes(10_000);
    }
    while !suffices(scenario) {
        for buffer in &mut scenario.buffer_bytes {
            *buffer += *buffer / 4;
        }
    }
    for buffer in &mut scenario.buffer_bytes {
        buffer.0 <<= more;
    }
}

fn traffic(draws: &mut Draws, scenario: &mut Scenario) {
    let hosts = scenario.hosts;
    let incast = draws.percent(50);
    for _ in 0..=draws.below(6) {
        let a = if incast { 0 } else { draws.below(hosts) };
        let b = (a + 1 + draws.below(hosts - 1)) % hosts;
        connect(scenario, a, b);
        let connection = scenario.connections.last_mut().unwrap();
        let usual = connection.priority;
        connection.priority = draws.one_of(&[usual, usual, usual, Priority(4), Priority(0)]);
        connection.udp_source_port = 49_152 + draws.below(1 << 14) as u16;
        connection.service = draws.one_of(&[Service::Rc, Service::Rc, Service::Rc, Service::Uc]);
        let queue = scenario.connections.len() as u32 - 1;
        let rare = match draws.below(100) {
            90.. => Some(Service::Ud { queue }),
            85.. => Some(Service::Tcp),
            80.. => Some(Service::Udp),
            _ => None,
        };
        if let Some(service) = rare {
            scenario.connections.last_mut().unwrap().service = service;
        }
        let second = 2 * (scenario.links.len() as u32 - 1);
        if scenario.node_of(PortId(second)) == NodeId(a) && draws.percent(50) {
            scenario.connections.last_mut().unwrap().port_a = PortId(second);
        }
    }
    let mtu = u64::from(scenario.parameters.transport.mtu_bytes.0);
    for number in 0..=draws.below(16) {
        let mut queue_pair = draws.below(2 * scenario.connections.len() as u32);
        if incast {
            queue_pair |= 1; // the side of many
        }
        let mut verb = draws.one_of(&[Verb::Write, Verb::Send, Verb::Read]);
        let drawn = 1 + u64::from(draws.below(150_000));
        let mut bytes = draws.one_of(&[drawn, 400_000, 0, 1, mtu, mtu + 1, 8 * mtu]);
        match scenario.connections[queue_pair as usize / 2].service {
            Service::Rc => {}
            Service::Uc if verb == Verb::Read => verb = Verb::Write,
            Service::Uc => {}
            Service::Tcp | Service::Udp => verb = Verb::Send,
            Service::Ud { .. } => {
                (verb, bytes) = (Verb::Send, bytes.min(mtu));
                queue_pair &= !1;
            }
        }
        let later = draws.below(20_000);
        let at = u64::from(draws.one_of(&[0, later])) * NANOSECOND;
        post(scenario, QueuePairId(queue_pair), verb, bytes, at);
        if number > 0 && draws.percent(30) {
            let earlier = [draws.below(number), draws.below(number)];
            let operation = scenario.operations.last_mut().unwrap();
            operation.after = earlier[..draws.one_of(&[1, 2])].to_vec();
            operation.after.dedup();
            operation.delay = u64::from(draws.one_of(&[0, 1_500_u32])) * NANOSECOND;
        }
    }
}

/// A stuck NIC, a slow receiver, CNPs lost and late, a watchdog in every switch; and noise.
fn faults(draws: &mut Draws, scenario: &mut Scenario) {
    if draws.percent(50) {
        scenario.parameters.pfc.watchdog = Some(Watchdog {
            detection_ns: draws.one_of(&[Nanoseconds(10_000), Nanoseconds(2_000)]),
            restoration_ns: draws.one_of(&[Nanoseconds(10_000), Nanoseconds(50_000)]),
            poll_ns: draws.one_of(&[Nanoseconds(1_000), Nanoseconds(7_001)]),
            action: draws.one_of(&[
                WatchdogAction::Drop,
                WatchdogAction::Drop,
                WatchdogAction::Forward,
            ]),
        });
    }
    let mut nic_ports = 0..2 * scenario.links.len() as u32;
    let port = nic_ports.find(|port| scenario.node_of(PortId(*port)) == NodeId(0));
    let port = port.expect("every host has a link");
    let pipe = scenario.parameters.nic.pipe.is_some();
    let kinds = [
        Kind::StuckNic(StuckNic {
            port: PortId(port),
            priorities: draws.one_of(&[1 << 3, 0b1001_1000]),
        }),
        Kind::SlowReceiver(SlowReceiver {
            port: PortId(port),
            rate: draws.one_of(&[1_000_000_000, 40_000_000]),
        }),
        Kind::CnpLoss(cnp::Loss {
            link: LinkId(port / 2),
            probability: draws.one_of(&[0.5, 1.0]),
        }),
        Kind::CnpDelay(cnp::Delay {
            port: PortId(port),
            delay: 3_000 * NANOSECOND,
        }),
    ];
    for kind in kinds {
        if draws.percent(20) && (pipe || !matches!(kind, Kind::SlowReceiver(_))) {
            let from = u64::from(draws.below(60_000)) * NANOSECOND;
            scenario.faults.push(Fault {
                from,
                until: from + u64::from(1 + draws.below(100_000)) * NANOSECOND,
                kind,
            });
        }
    }
    noise(draws, scenario);
}

/// Noise on links, which loses PFC frames too: a pause must expire without XON.
fn noise(draws: &mut Draws, scenario: &mut Scenario) {
    if scenario.parameters.pfc.quanta.is_none() || !draws.percent(40) {
        return;
    }
    for link in 0..scenario.links.len() as u32 {
        let from = u64::from(draws.below(20_000)) * NANOSECOND;
        let (ber, fec) = draws.one_of(&[(0.0, Fec::None), (2e-4, Fec::None), (7e-4, Fec::Rs528)]);
        scenario.faults.push(Fault {
            from,
            until: from + u64::from(1 + draws.below(100_000)) * NANOSECOND,
            kind: Kind::BitErrors(BitErrors {
                link: LinkId(link),
                ber,
                fec,
                floor: 0.0,
            }),
        });
    }
}

/// Paths selected per packet or flowlet.
fn balance(draws: &mut Draws, scenario: &mut Scenario) {
    if !draws.percent(25) {
        return;
    }
    let ecmp = &mut scenario.parameters.ecmp;
    ecmp.balance = draws.one_of(&[
        Balance::Spray,
        Balance::Flowlet,
        Balance::Adaptive,
        Balance::Entropy,
    ]);
    ecmp.spray = draws.one_of(&[Spray::RoundRobin, Spray::Random]);
    ecmp.flowlet_gap_ns = Nanoseconds(1_000);
    ecmp.adaptive_gap_ns = draws.one_of(&[Nanoseconds(0), Nanoseconds(1_000)]);
}

/// Switches that trim, and acknowledgements apart from data.
fn trimming(draws: &mut Draws, scenario: &mut Scenario) {
    if !draws.percent(50) {
        return;
    }
    scenario.parameters.switch.trimming = Some(Trimming {
        priority: draws.one_of(&[Priority(5), Priority(0)]),
        trimmed_bytes: draws.one_of(&[Bytes(64), Bytes(200)]),
        queue_ns: draws.one_of(&[Some(Nanoseconds(1_000)), None, Some(Nanoseconds(20_000))]),
    });
    scenario.parameters.transport.ack_priority = draws.one_of(&[Some(Priority(7)), None]);
}

/// Links and nodes that are down for a while, or from then on.
fn links_down(draws: &mut Draws, scenario: &mut Scenario) {
    if scenario.parameters.pfc.quanta.is_none() || !draws.percent(60) {
        return; // an XON may be lost
    }
    let ns = |ns: u32| u64::from(ns) * NANOSECOND;
    for _ in 0..=draws.below(3) {
        let from = ns(draws.below(60_000));
        let length = draws.one_of(&[30_000, 2_000, 500_000, 0]);
        let of = match draws.percent(30) {
            true => Links::OfNode(NodeId(draws.below(scenario.nodes()))),
            false => Links::One(LinkId(draws.below(scenario.links.len() as u32))),
        };
        scenario.faults.push(Fault {
            from,
            until: if length > 0 { from + ns(length) } else { NEVER },
            kind: Kind::LinkDown(LinkDown {
                of,
                detection: ns(draws.one_of(&[1_000, 0, 10_000])),
                convergence: ns(draws.one_of(&[5_000, 0, 50_000])),
            }),
        });
    }
}

/// Whether no port is ever down.
pub fn ports_stay_up(scenario: &Scenario) -> bool {
    let mut faults = scenario.faults.iter();
    !faults.any(|fault| matches!(fault.kind, Kind::LinkDown(_)))
}

/// Whether every port that is down comes up again.
pub fn ports_come_back(scenario: &Scenario) -> bool {
    let mut faults = scenario.faults.iter();
    faults.all(|fault| !matches!(fault.kind, Kind::LinkDown(_)) || fault.until != NEVER)
}

/// Whether every PFC frame arrives.
pub fn pauses_arrive(scenario: &Scenario) -> bool {
    let noise = |fault: &Fault| matches!(fault.kind, Kind::BitErrors(_) | Kind::LinkDown(_));
    !scenario.faults.iter().any(noise)
}

/// Whether a lossless priority loses nothing: headroom is as computed, and every peer obeys a pause.
pub fn headroom_suffices(parameters: &Parameters) -> bool {
    let computed = parameters.switch.headroom == Headroom::Computed { percent: 100 };
    // Shared headroom may be filled by others.
    let is_private = parameters.switch.shared_headroom.is_none();
    computed && is_private && !parameters.nic.control_ignores_pause
}
