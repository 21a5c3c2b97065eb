//! Builds the tables at the end of a run.

use crate::devices::operations::Status;
use crate::devices::port::Queue;
use crate::ids::{ports_of, priority_queues_of, PortId, Priority, QueuePairId};
use crate::mechanisms::buffer::PriorityGroup;
use crate::mechanisms::watchdog::Guard;
use crate::model::results::{Column, Outcome, Table};
use crate::model::scenario::Verb;
use crate::simulation::network_tables;
use crate::simulation::pause_row::PauseRow;
use crate::simulation::state::Simulation;
use crate::time::{Picoseconds, NEVER};

const STATUS: &[&str] = &["unfinished", "completed", "failed"];
const VERBS: &[&str] = &["write", "read", "send"];

impl Simulation {
    /// Records a pause that started at `start` and has ended.
    pub(crate) fn record_pause(&mut self, port: PortId, priority: Priority, start: Picoseconds) {
        self.pauses.push(PauseRow {
            port,
            priority,
            start,
            end: self.now,
            key: self.key,
        });
    }
}

/// Ends a run.
pub(crate) fn fill(mut simulation: Simulation) -> Outcome {
    end_pauses(&mut simulation);
    let mut tables = vec![
        flows(&simulation),
        queue_pairs(&simulation),
        ports(&simulation),
        queues(&simulation),
        pauses(&simulation),
    ];
    tables.extend(watchdog(&simulation));
    tables.extend(simulation.voqs.iter().map(|voqs| voqs.table()));
    tables.extend(trims(&simulation));
    tables.extend(simulation.credits.iter().map(|credits| credits.table()));
    let circles = simulation.deadlocks();
    if !circles.is_empty() {
        tables.push(deadlocks(&simulation, &circles));
    }
    if simulation.scenario.observe.interval > Picoseconds::ZERO {
        tables.push(std::mem::take(&mut simulation.series).table());
    }
    let context = network_tables::tables(&simulation);
    let operations = &simulation.operations;
    let mut summary = std::mem::take(&mut simulation.totals);
    summary.deadlocks = circles.len() as u64;
    if !operations.all_ended() {
        summary.end = simulation.now;
    }

    for (number, status) in operations.status.iter().enumerate() {
        match status {
            Status::Completed => summary
                .completion
                .push(operations.ended[number] - operations.started[number]),
            _ => summary.failed += 1,
        }
    }
    Outcome {
        summary,
        tables,
        context,
    }
}

/// Ends the active pauses at the end of the run.
fn end_pauses(simulation: &mut Simulation) {
    for port in ports_of(simulation.scenario.links.len()) {
        for priority in Priority::all() {
            let since = simulation.sides[port].pauses[priority].since;
            if since != NEVER {
                let pause = &mut simulation.sides[port].pauses[priority];
                pause.total += simulation.now - since;
                simulation.record_pause(port, priority, since);
            }
        }
    }
}

fn flows(simulation: &Simulation) -> Table {
    let operations = &simulation.scenario.operations;
    let node = |id: QueuePairId| {
        let port = simulation.queue_pairs[id].port;
        simulation.scenario.node_of(port)
    };
    let state = &simulation.operations;
    Table::new(
        "flows",
        vec![
            ("flow", u32s(0..operations.len() as u32)),
            (
                "queue_pair",
                u32s(operations.iter().map(|o| o.queue_pair.0)),
            ),
            ("src", u32s(operations.iter().map(|o| node(o.queue_pair).0))),
            (
                "dst",
                u32s(operations.iter().map(|o| node(o.queue_pair.peer()).0)),
            ),
            (
                "verb",
                Column::Name {
                    names: VERBS,
                    indices: operations.iter().map(|o| verb(o.verb)).collect(),
                },
            ),
            ("bytes", u64s(operations.iter().map(|o| o.bytes.0))),
            ("start_ps", u64s(state.started.iter().map(|time| time.0))),
            ("end_ps", u64s(state.ended.iter().map(|time| time.0))),
            (
                "status",
                Column::Name {
                    names: STATUS,
                    indices: state.status.iter().map(|status| *status as u8).collect(),
                },
            ),
        ],
    )
}

fn verb(verb: Verb) -> u8 {
    match verb {
        Verb::Write => 0,
        Verb::Read => 1,
        Verb::Send => 2,
    }
}

fn queue_pairs(simulation: &Simulation) -> Table {
    let all = &simulation.queue_pairs;
    let mut columns = vec![
        ("queue_pair", u32s(0..all.len() as u32)),
        ("port", u32s(all.iter().map(|q| q.port.0))),
        ("packets", u64s(all.iter().map(|q| q.sent.packets))),
        (
            "retransmissions",
            u64s(all.iter().map(|q| q.sent.retransmissions)),
        ),
        (
            "delivered_bytes",
            u64s(all.iter().map(|q| q.received.bytes.0)),
        ),
        ("delivered_ps", u64s(all.iter().map(|q| q.received.last.0))),
        ("ce_received", u64s(all.iter().map(|q| q.counts.marked))),
        ("cnps_received", u64s(all.iter().map(|q| q.counts.cnps))),
        ("naks_sent", u64s(all.iter().map(|q| q.counts.naks))),
        ("timeouts", u64s(all.iter().map(|q| q.counts.timeouts))),
    ];
    let scenario = &simulation.scenario;
    let sets = (0..scenario.sets()).map(|number| scenario.set(number));
    if sets.into_iter().any(|set| set.transport.rx_depth.is_some()) {
        let rnr_naks = all.iter().map(|q| q.counts.rnr_naks);
        columns.push(("rnr_naks_sent", u64s(rnr_naks)));
    }
    if all.iter().any(|q| q.unreliable) {
        let received = all.iter().map(|q| q.transport.message_count());
        columns.push(("messages_received", u64s(received)));
    }
    Table::new("queue_pairs", columns)
}

fn ports(simulation: &Simulation) -> Table {
    let scenario = &simulation.scenario;
    let numbers = ports_of(scenario.links.len());
    let sum = |port: PortId, of: &dyn Fn(&crate::devices::port::Queue) -> u64| {
        simulation.queues.of_port(port).map(of).sum::<u64>()
    };
    let drops = |port: PortId| {
        let state = &simulation.ports[port];
        if !state.switch {
            let pipe = &simulation.nics[state.device as usize].pipe;
            let of_pipe = pipe.as_ref().map_or(0, |pipe| pipe.drops);
            return of_pipe + simulation.sides[port].drops.iter().sum::<u64>();
        }
        simulation.sides[port].drops.iter().sum()
    };
    Table::new(
        "ports",
        vec![
            ("port", u32s(numbers.clone().map(|p| p.0))),
            ("node", u32s(numbers.clone().map(|p| scenario.node_of(p).0))),
            (
                "peer",
                u32s(numbers.clone().map(|p| scenario.node_of(p.peer()).0)),
            ),
            (
                "frames",
                u64s(numbers.clone().map(|p| sum(p, &|queue| queue.frames))),
            ),
            (
                "bytes",
                u64s(numbers.clone().map(|p| sum(p, &|queue| queue.sent_bytes.0))),
            ),
            (
                "pfc_frames",
                u64s(simulation.sides.iter().map(|side| side.pfc_frames)),
            ),
            ("drops", u64s(numbers.clone().map(drops))),
            ("lost", u64s(simulation.sides.iter().map(|side| side.lost))),
        ],
    )
}

/// The table of used queues: egress counters of the port, ingress counters of its priority group, PFC in both directions.
fn queues(simulation: &Simulation) -> Table {
    let used: Vec<_> = priority_queues_of(simulation.scenario.links.len())
        .filter(|at| simulation.has_activity(*at))
        .collect();
    // A priority without frames may still have been paused.
    let (no_queue, no_group) = (Queue::new(0), PriorityGroup::default());
    type PriorityQueueId = (PortId, Priority);
    let queue = |at: &PriorityQueueId| simulation.queues.get(*at).unwrap_or(&no_queue);
    let group = |at: &PriorityQueueId| simulation.groups.get(*at).unwrap_or(&no_group);
    let pause = |(port, priority): &PriorityQueueId| &simulation.sides[*port].pauses[*priority];
    let drops = |(port, priority): &PriorityQueueId| simulation.sides[*port].drops[*priority];
    let cell = |(port, _): &PriorityQueueId| {
        let node = simulation.scenario.node_of(*port);
        u64::from(simulation.scenario.of_node(node).switch.cell_bytes.0)
    };
    Table::new(
        "queues",
        vec![
            ("port", u32s(used.iter().map(|(port, _)| port.0))),
            (
                "priority",
                Column::U8(used.iter().map(|(_, priority)| priority.0).collect()),
            ),
            ("frames", u64s(used.iter().map(|at| queue(at).frames))),
            ("bytes", u64s(used.iter().map(|at| queue(at).sent_bytes.0))),
            (
                "max_bytes",
                u32s(used.iter().map(|at| queue(at).most_bytes.0)),
            ),
            ("ecn_marks", u32s(used.iter().map(|at| queue(at).marks))),
            (
                "max_ingress_bytes",
                u64s(
                    used.iter()
                        .map(|at| u64::from(group(at).most_used) * cell(at)),
                ),
            ),
            (
                "max_headroom_bytes",
                u64s(
                    used.iter()
                        .map(|at| u64::from(group(at).most_headroom) * cell(at)),
                ),
            ),
            ("drops", u64s(used.iter().map(drops))),
            ("xoff_sent", u64s(used.iter().map(|at| pause(at).xoff_sent))),
            ("xon_sent", u64s(used.iter().map(|at| pause(at).xon_sent))),
            (
                "xoff_refreshed",
                u64s(used.iter().map(|at| pause(at).refreshed)),
            ),
            (
                "xoff_received",
                u64s(used.iter().map(|at| pause(at).xoff_received)),
            ),
            (
                "xon_received",
                u64s(used.iter().map(|at| pause(at).xon_received)),
            ),
            ("paused_ps", u64s(used.iter().map(|at| pause(at).total.0))),
        ],
    )
}

fn pauses(simulation: &Simulation) -> Table {
    let rows = &simulation.pauses;
    Table::new(
        "pauses",
        vec![
            ("port", u32s(rows.iter().map(|row| row.port.0))),
            (
                "priority",
                Column::U8(rows.iter().map(|row| row.priority.0).collect()),
            ),
            ("start_ps", u64s(rows.iter().map(|row| row.start.0))),
            ("end_ps", u64s(rows.iter().map(|row| row.end.0))),
        ],
    )
}

/// The table of queues that were stuck, if there is a watchdog.
fn watchdog(simulation: &Simulation) -> Option<Table> {
    let mut sets = (0..simulation.scenario.sets()).map(|number| simulation.scenario.set(number));
    sets.find(|set| set.pfc.watchdog.is_some())?;
    let guard =
        |(port, priority): (PortId, Priority)| &simulation.sides[port].pauses[priority].guard;
    let stuck: Vec<_> = priority_queues_of(simulation.scenario.links.len())
        .filter(|at| guard(*at).times_stuck > 0)
        .collect();
    let of = |value: &dyn Fn(&Guard) -> u64| u64s(stuck.iter().map(|at| value(guard(*at))));
    let queues = stuck.iter().copied();
    Some(Table::new(
        "watchdog",
        vec![
            ("port", u32s(queues.clone().map(|(port, _)| port.0))),
            (
                "priority",
                Column::U8(queues.map(|(_, priority)| priority.0).collect()),
            ),
            (
                "times_stuck",
                of(&|watchdog| u64::from(watchdog.times_stuck)),
            ),
            (
                "times_recovered",
                of(&|watchdog| u64::from(watchdog.times_recovered)),
            ),
            (
                "stuck_ps",
                of(&|watchdog| watchdog.stuck_until(simulation.now).0),
            ),
            ("dropped_frames", of(&|watchdog| watchdog.dropped_frames)),
            ("dropped_bytes", of(&|watchdog| watchdog.dropped_bytes.0)),
        ],
    ))
}

/// The table of ports for whose queues packets were trimmed, if switches trim.
fn trims(simulation: &Simulation) -> Option<Table> {
    let mut sets = (0..simulation.scenario.sets()).map(|number| simulation.scenario.set(number));
    sets.find(|set| set.switch.trimming.is_some())?;
    let of = |port: &PortId| simulation.sides[*port].trims;
    let ports: Vec<PortId> = ports_of(simulation.scenario.links.len())
        .filter(|port| of(port) > 0)
        .collect();
    Some(Table::new(
        "trims",
        vec![
            ("port", u32s(ports.iter().map(|port| port.0))),
            ("frames", u64s(ports.iter().map(of))),
        ],
    ))
}

/// Circles of queues: each row waits for the next of its circle, the last for the first.
fn deadlocks(simulation: &Simulation, circles: &[Vec<(PortId, Priority)>]) -> Table {
    let positions = circles.iter().enumerate().flat_map(|(number, circle)| {
        let queues = circle.iter().enumerate();
        queues.map(move |(position, queue)| (number as u32, position as u32, *queue))
    });
    let rows: Vec<_> = positions.collect();
    let node = |port: PortId| simulation.scenario.node_of(port);
    Table::new(
        "deadlocks",
        vec![
            ("circle", u32s(rows.iter().map(|row| row.0))),
            ("position", u32s(rows.iter().map(|row| row.1))),
            ("port", u32s(rows.iter().map(|row| row.2 .0 .0))),
            (
                "priority",
                Column::U8(rows.iter().map(|row| row.2 .1 .0).collect()),
            ),
            ("node", u32s(rows.iter().map(|row| node(row.2 .0).0))),
            ("peer", u32s(rows.iter().map(|row| node(row.2 .0.peer()).0))),
            (
                "bytes",
                u32s(
                    rows.iter().map(|(_, _, (port, priority))| {
                        simulation.queues[(*port, *priority)].bytes.0
                    }),
                ),
            ),
        ],
    )
}

impl Simulation {
    /// Whether anything happened on a port's priority.
    fn has_activity(&self, at: (PortId, Priority)) -> bool {
        let pause = &self.sides[at.0].pauses[at.1];
        let group = self.groups.get(at);
        // Marks: of frames that were dropped when the port went down.
        let queue = self.queues.get(at);
        queue.is_some_and(|queue| queue.frames > 0 || queue.marks > 0)
            || group.is_some_and(|group| group.most_used > 0)
            || self.sides[at.0].drops[at.1] > 0
            || pause.xoff_sent > 0
            || pause.xoff_received + pause.xon_received > 0 // the XOFF before may have been lost
    }
}

fn u32s(values: impl Iterator<Item = u32>) -> Column {
    Column::U32(values.collect())
}

fn u64s(values: impl Iterator<Item = u64>) -> Column {
    Column::U64(values.collect())
}
