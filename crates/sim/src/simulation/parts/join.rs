//! Splits a network into parts, and joins parts into one network.
//!
//! Every part has all tables of the whole network with the same indices; it owns the entries of its ports. A new field of
//! the simulation does not compile until its handling is added here.

use super::partition::Partition;
use crate::devices::nic::NicPort;
use crate::devices::port::{Delivery, Port, Queue, Side};
use crate::devices::queue_pair::QueuePair;
use crate::ids::{port_and_priority, ports_of, PortId, Priority};
use crate::mechanisms::buffer::PriorityGroup;
use crate::mechanisms::event_queue::{Event, EventQueue};
use crate::simulation::border::Border;
use crate::simulation::class;
use crate::simulation::credits::OF_SENDER;
use crate::simulation::faults::link_down::is_everywhere;
use crate::simulation::state::{Simulation, ENTITY};
use std::mem::swap;
use std::thread;

/// Size in bytes of the tables of a part that grow with the network.
pub(super) fn bytes(whole: &Simulation) -> usize {
    let queue_count = whole.queues.iter().len();
    whole.ports.len() * (size_of::<Port>() + size_of::<Side>())
        + queue_count * (size_of::<Queue>() + size_of::<PriorityGroup>())
        + whole.nics.len() * size_of::<NicPort>()
        + whole.queue_pairs.len() * size_of::<QueuePair>()
}

/// Splits a network without frames in flight for a number of threads. Returns it unchanged if one of its events belongs to no
/// part.
pub(super) fn split(
    mut whole: Simulation,
    partition: &Partition,
    threads: usize,
) -> Result<Vec<Simulation>, Box<Simulation>> {
    let parts = partition.parts();
    let events = all_events(&mut whole.queue);
    let homes: Option<Vec<Home>> = events
        .iter()
        .map(|event| find_home(&whole, event))
        .collect();
    let Some(homes) = homes.filter(|_| whole.frames.live() == 0) else {
        for event in events {
            whole.queue.push(event);
        }
        return Err(Box::new(whole));
    };
    for port in ports_of(whole.scenario.links.len()) {
        let (part, delivery) = (partition.part_of[port], &mut whole.ports[port].delivery);
        if part != partition.part_of[port.peer()] && *delivery == Delivery::Direct {
            *delivery = Delivery::Border;
        }
    }
    let mut all = copies(whole, parts, threads);
    for (number, part) in all.iter_mut().enumerate() {
        let border = Border::new(number as u16, parts, partition.part_of.clone());
        part.border = Some(Box::new(border));
    }
    for (event, home) in events.into_iter().zip(homes) {
        match home {
            Home::Agenda => {}
            Home::At(port) => {
                let part = partition.part_of[port];
                all[usize::from(part)].queue.push(event);
            }
            Home::Everywhere => all.iter_mut().for_each(|part| part.queue.push(event)),
        }
    }
    Ok(all)
}

fn all_events(queue: &mut EventQueue) -> Vec<Event> {
    let mut queue = std::mem::take(queue);
    std::iter::from_fn(|| queue.pop()).collect()
}

/// The parts in which an event is processed.
enum Home {
    /// At the device of a port.
    At(PortId),
    /// In every part, at the same time.
    Everywhere,
    /// In every part, at a common time.
    Agenda,
}

fn find_home(simulation: &Simulation, event: &Event) -> Option<Home> {
    let entity = event.key & ENTITY;
    Some(Home::At(match event.key >> 28 {
        class::TRANSMIT | class::PFC_APPLIES | class::DRAINED => PortId(entity),
        class::ARRIVES | class::PFC_ARRIVES => PortId(entity).peer(),
        class::PAUSE_ENDS | class::PFC_READY | class::REFRESH | class::CROSSES => {
            port_and_priority(entity).0
        }
        class::CREDIT if event.payload != OF_SENDER => PortId(entity),
        class::CNP_READY | class::DEADLINE | class::CREDIT => {
            simulation.queue_pairs[entity as usize].port
        }
        class::POST => simulation.poster(entity),
        class::WATCHDOG if event.payload == class::OF_FAULT => simulation.place_of_fault(entity)?,
        class::WATCHDOG => port_and_priority(entity).0,
        class::ROUTE if is_everywhere(event.payload) => return Some(Home::Everywhere),
        class::ROUTE => PortId(entity),
        class::SAMPLE => return Some(Home::Agenda),
        _ => return None,
    }))
}

/// Copies of a network.
fn copies(whole: Simulation, count: usize, threads: usize) -> Vec<Simulation> {
    let mut parts: Vec<Option<Simulation>> = Vec::new();
    parts.resize_with(count - 1, || None);
    let each = parts.len().div_ceil(threads);
    let fill = |slots: &mut [Option<Simulation>]| slots.fill_with(|| Some(copy(&whole)));
    thread::scope(|scope| {
        let mut chunks = parts.chunks_mut(each);
        let first = chunks.next();
        for chunk in chunks {
            scope.spawn(|| fill(chunk));
        }
        first.map(fill);
    });
    let parts = parts.into_iter().flatten().collect::<Vec<_>>();
    std::iter::once(whole).chain(parts).collect()
}

/// Another part of the same network, before its first event.
fn copy(whole: &Simulation) -> Simulation {
    Simulation {
        now: whole.now,
        key: whole.key,
        until: whole.until,
        queue: EventQueue::new(),
        border: None,
        still_since: whole.still_since,
        repeated: 0,
        frames: whole.frames.clone(),
        ports: whole.ports.clone(),
        queues: whole.queues.clone(),
        groups: whole.groups.clone(),
        kinds: whole.kinds.clone(),
        markers: whole.markers.clone(),
        slices: whole.slices.clone(),
        sides: whole.sides.clone(),
        voqs: whole.voqs.clone(),
        pools: whole.pools.clone(),
        nics: whole.nics.clone(),
        queue_pairs: whole.queue_pairs.clone(),
        operations: whole.operations.clone(),
        routes: whole.routes.clone(),
        forwarding: whole.forwarding.clone(),
        settings: whole.settings.clone(),
        scenario: whole.scenario.clone(),
        totals: Default::default(),
        pauses: Vec::new(),
        series: whole.series.clone(),
        captures: Vec::new(), // runs with captures are not split
        telemetry: whole.telemetry.clone(),
        credits: whole.credits.clone(),
    }
}

/// Joins all parts into the same network as in a serial run; `now` is the latest time of all parts.
pub(super) fn join(parts: Vec<Simulation>, partition: &Partition) -> Simulation {
    let mut parts = parts.into_iter();
    let mut whole = parts.next().expect("a network has a part");
    // The event queue starts at the earliest time of all parts, so that it accepts the events of all.
    let mut queue = EventQueue::new();
    for event in all_events(&mut whole.queue) {
        queue.push(event);
    }
    whole.queue = queue;
    for (number, part) in (1..).zip(parts) {
        add(&mut whole, part, partition, number);
    }
    whole.border = None;
    for port in &mut whole.ports {
        if port.delivery == Delivery::Border {
            port.delivery = Delivery::Direct;
        }
    }
    // The order of a serial run: by time, and at equal times by event key.
    whole.pauses.sort_by_key(|row| (row.end, row.key));
    whole.series.sort_rows();
    whole
}

/// Adds to the first part the entries that another one owns.
fn add(whole: &mut Simulation, part: Simulation, partition: &Partition, number: u16) {
    let Simulation {
        now,
        key: _,
        until: _,
        mut queue,
        border: _,
        still_since,
        repeated,
        frames,
        mut ports,
        mut queues,
        groups,
        kinds: _,
        markers: _,
        slices: _,
        mut sides,
        mut voqs,
        pools,
        mut nics,
        queue_pairs,
        operations,
        routes: _,
        forwarding,
        settings: _,
        scenario: _,
        totals,
        pauses,
        series,
        captures: _,
        telemetry,
        credits,
    } = part;
    whole.now = whole.now.max(now);
    whole.still_since = whole.still_since.max(still_since);
    whole.repeated += repeated;
    whole.totals.add(totals);
    whole.pauses.extend(pauses);
    whole.series.add(series);
    let base = whole.frames.append(frames);
    for event in all_events(&mut queue) {
        if matches!(find_home(whole, &event), Some(Home::Everywhere)) {
            continue; // the first part has it
        }
        let of_frame = matches!(
            event.key >> 28,
            class::ARRIVES | class::PFC_ARRIVES | class::PFC_APPLIES
        );
        let payload = event.payload + if of_frame { base } else { 0 };
        whole.queue.push(Event { payload, ..event });
    }
    let is_in_part = |port: PortId| partition.part_of[port] == number;
    let mut switches = vec![false; whole.scenario.switches as usize];
    for port in ports_of(whole.scenario.links.len()).filter(|port| is_in_part(*port)) {
        let index = port.index();
        swap(&mut whole.ports[index], &mut ports[index]);
        swap(&mut whole.sides[index], &mut sides[index]);
        whole.sides[index].control.shift(base);
        for at in Priority::all().map(|priority| (port, priority)) {
            if let Some(queue) = queues.get_mut(at) {
                swap(&mut whole.queues[at], queue);
                whole.queues[at].line.shift(base);
                whole.groups[at] = groups[at];
            }
        }
        if let (Some(all), Some(voqs)) = (&mut whole.voqs, &mut voqs) {
            all.take_over(voqs, port, base);
        }
        let device = whole.ports[index].device as usize;
        if whole.ports[index].switch {
            let first = whole.slices[index] as usize;
            for pool in whole.groups.of_port(port).flat_map(PriorityGroup::pools) {
                whole.pools[first + pool] = pools[first + pool];
            }
            switches[device] = true;
        } else {
            swap(&mut whole.nics[device], &mut nics[device]);
        }
    }
    if let (Some(all), Some(part)) = (&mut whole.forwarding, forwarding) {
        all.add(*part, &is_in_part, &switches);
    }
    let posters: Vec<bool> = queue_pairs
        .iter()
        .map(|queue_pair| is_in_part(queue_pair.port))
        .collect();
    if let (Some(all), Some(part)) = (&mut whole.telemetry, telemetry) {
        all.add(*part, base, &is_in_part, &posters);
    }
    if let (Some(all), Some(part)) = (&mut whole.credits, credits) {
        all.add(*part, &is_in_part, &posters);
    }
    for (id, queue_pair) in queue_pairs.into_iter().enumerate() {
        if posters[id] {
            whole.queue_pairs[id] = queue_pair;
        }
    }
    let scenario = whole.scenario.clone();
    let posted_on = |number: usize| scenario.operations[number].queue_pair.index();
    whole.operations.add(operations, &posters, &posted_on);
}
