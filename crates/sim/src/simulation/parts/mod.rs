//! A run on one thread or on several: the same bytes on any number of them.
//!
//! A network is split into parts, a few for each thread ([`partition`]); each part is a [`Simulation`] with separate events
//! and frames, and parts exchange frames once per lookahead ([`windows`]). The order of events within a part is that of the
//! whole network, because it depends on time, class and entity only, and an effect across a border occurs at least one
//! lookahead later: each device therefore processes the same events as in a serial run.
//!
//! A network that cannot be split runs on one thread; [`Run::serial_reason`] returns the reason, and [`serial`] lists all
//! reasons.

mod barrier;
mod crossing;
mod graph;
mod join;
mod load;
mod partition;
mod serial;
mod windows;
mod worker_pool;

pub use serial::SerialReason;

use crate::model::results::Outcome;
use crate::model::scenario::Scenario;
use crate::problem::Refusal;
use crate::simulation::state::Simulation;
use crate::simulation::{Occupancy, Progress};
use crate::time::{Picoseconds, NEVER};
use load::Load;
use partition::{Devices, Partition};
use windows::{Agenda, Stop};
use worker_pool::Crew;

/// Minimum number of hops for several threads: about 0.1 s at the speeds in the README. Shorter runs do not recover the cost
/// of the split. Estimated.
const LEAST_HOPS: u64 = 400_000;
/// Minimum number of events per thread in a window. A barrier takes as long as one event (0.25 µs: two threads without other
/// work, AMD EPYC, 2026-11-22); its main cost is the wait for the slowest thread. Estimated: with this number of events one
/// thread has a tenth more than the other by chance.
const LEAST_EVENTS: u64 = 300;
/// Minimum predicted speed with parts, in percent of a serial run. Estimated.
const LEAST_GAIN: u64 = 133;
/// Maximum size in bytes of the tables of additional parts beyond one per thread. Estimated: the bytes copied in 0.1 s.
const MOST_COPIED: usize = 256 << 20;

/// Number of threads of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// Up to this number, where it is faster than fewer threads.
    AtMost(usize),
    /// This number, wherever the network can be split.
    Exactly(usize),
    /// A number of parts on a number of threads, wherever the network can be split.
    Parts {
        /// Parts.
        parts: usize,
        /// Threads.
        threads: usize,
    },
}

/// A network during a run, whole or in parts.
pub struct Run(State);

enum State {
    One(Box<Simulation>, SerialReason),
    Parts(Box<Parts>),
    /// During the change from one to the other.
    Gone,
}

struct Parts {
    crew: Crew,
    partition: Partition,
    agenda: Agenda,
    over: bool,
}

impl Run {
    /// Builds the network, as [`Simulation::new`], and splits it where requested, possible and faster.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn new(scenario: Scenario, threads: Threads) -> Result<Run, Refusal> {
        let whole = Simulation::new(scenario)?;
        Ok(Run(match plan(&whole, threads) {
            Ok((partition, on)) => State::cut(whole, partition, on, threads),
            Err(alone) => State::One(Box::new(whole), alone),
        }))
    }

    /// Current number of threads of the run.
    pub fn threads(&self) -> usize {
        match &self.0 {
            State::Parts(parts) => parts.crew.threads(),
            _ => 1,
        }
    }

    /// The reason for which the run is on one thread, if it is.
    pub fn serial_reason(&self) -> Option<SerialReason> {
        match self.0 {
            State::One(_, alone) => Some(alone),
            _ => None,
        }
    }

    /// Current number of parts.
    pub fn parts(&self) -> usize {
        self.map_parts(|_| ()).len()
    }

    /// Processes about `events` events. Returns whether events are left.
    pub fn advance(&mut self, events: u64) -> bool {
        let stop = match &mut self.0 {
            State::One(whole, _) => return whole.advance(events),
            State::Parts(parts) => parts.advance(events),
            State::Gone => return false,
        };
        if let (Stop::Join(SerialReason::Idle), State::Parts(parts)) = (stop, &mut self.0) {
            if parts.take_fewer_threads() {
                return true;
            }
        }
        if let Stop::Join(alone) = stop {
            if let State::Parts(parts) = std::mem::replace(&mut self.0, State::Gone) {
                self.0 = State::One(Box::new(parts.join()), alone);
            }
        }
        !matches!(stop, Stop::Over(_))
    }

    /// The progress of the run.
    pub fn progress(&self) -> Progress {
        let all = self.map_parts(Simulation::progress);
        let mut progress = all[0];
        for other in &all[1..] {
            progress.now = progress.now.max(other.now);
            progress.events += other.events;
            progress.hops += other.hops;
            progress.completed += other.completed;
            progress.delivered_bytes += other.delivered_bytes;
        }
        progress
    }

    /// The current contents of the network: nothing once it has drained.
    pub fn occupancy(&self) -> Occupancy {
        let all = self.map_parts(Simulation::occupancy);
        let mut occupancy = all[0];
        for other in &all[1..] {
            occupancy.frames += other.frames;
            occupancy.queued_bytes += other.queued_bytes;
            occupancy.cells += other.cells;
            occupancy.headroom_cells += other.headroom_cells;
            occupancy.shared_cells += other.shared_cells;
            occupancy.shared_headroom_cells += other.shared_headroom_cells;
        }
        occupancy
    }

    /// The frames captured at each port since the last call, as pcap.
    pub fn take_captures(&mut self) -> Vec<Vec<u8>> {
        match &mut self.0 {
            State::One(whole, _) => whole.take_captures(),
            _ => Vec::new(),
        }
    }

    /// The tables and totals, also of a run that was stopped early.
    pub fn finish(self) -> Outcome {
        match self.0 {
            State::One(whole, _) => whole.finish(),
            State::Parts(parts) => parts.join().finish(),
            State::Gone => unreachable!("a run is in one or in parts"),
        }
    }

    fn map_parts<T>(&self, read: impl Fn(&Simulation) -> T) -> Vec<T> {
        match &self.0 {
            State::One(whole, _) => vec![read(whole)],
            State::Parts(parts) => parts
                .crew
                .parts()
                .iter()
                .map(|part| read(&part.lock()))
                .collect(),
            State::Gone => Vec::new(),
        }
    }
}

/// The partition of a network and its number of threads, or the reason for a serial run.
fn plan(whole: &Simulation, threads: Threads) -> Result<(Partition, usize), SerialReason> {
    let most = match threads {
        Threads::Exactly(parts) | Threads::Parts { parts, .. } | Threads::AtMost(parts) => parts,
    };
    if most < 2 {
        return Err(SerialReason::OneThread);
    }
    let load = Load::from_simulation(whole);
    if matches!(threads, Threads::AtMost(_)) && load.hops < LEAST_HOPS {
        return Err(SerialReason::Small);
    }
    if !whole.captures.is_empty() {
        return Err(SerialReason::Captures);
    }
    let devices = Devices::from_simulation(whole, &load);
    let most = most.min(usize::from(u16::MAX) - 1);
    let cut = || (2..=most).rev().find_map(|parts| devices.cut(parts));
    let found = match threads {
        Threads::AtMost(_) => {
            let copied = most + MOST_COPIED / join::bytes(whole).max(1);
            let found = devices.for_threads(most, copied);
            let (partition, on) = found.ok_or(SerialReason::Indivisible)?;
            let (work, busiest) = partition.work(on);
            if work * 100 < busiest * LEAST_GAIN {
                return Err(SerialReason::Unequal);
            }
            Some((on, partition))
        }
        Threads::Exactly(_) => cut().map(|partition| (partition.parts(), partition)),
        Threads::Parts { threads, .. } => {
            cut().map(|partition| (threads.clamp(1, partition.parts()), partition))
        }
    };
    let (on, partition) = found.ok_or(SerialReason::Indivisible)?;
    Ok((partition, on))
}

impl State {
    /// Splits a network for a number of threads; it stays whole if one of its events belongs to no part.
    fn cut(whole: Simulation, partition: Partition, on: usize, threads: Threads) -> State {
        let interval = whole.scenario.observe.interval;
        let agenda = Agenda {
            lookahead: partition.lookahead,
            until: whole.until,
            sample: if interval > Picoseconds::ZERO {
                Picoseconds::ZERO
            } else {
                NEVER
            },
            longest_pause: whole.settings.longest_pause,
            operations: whole.scenario.operations.len() as u64,
            last: None,
            turns: 0,
            windows: 0,
            events: 0,
            least_events: match threads {
                Threads::AtMost(_) => LEAST_EVENTS * on as u64,
                _ => 0,
            },
        };
        match join::split(whole, &partition, on) {
            Err(whole) => State::One(whole, SerialReason::Indivisible),
            Ok(parts) => State::Parts(Box::new(Parts {
                crew: Crew::new(parts, on),
                partition,
                agenda,
                over: false,
            })),
        }
    }
}

impl Parts {
    fn advance(&mut self, events: u64) -> Stop {
        if self.over {
            return Stop::Over(None);
        }
        let (stop, agenda) = self.crew.advance(self.agenda, events);
        self.agenda = agenda;
        if let Stop::Over(at) = stop {
            self.over = true;
            let mut first = self.crew.parts()[0].lock();
            first.now = first.now.max(at.unwrap_or(Picoseconds::ZERO));
        }
        stop
    }

    /// Halves the number of threads if a window has too few events for it. Returns whether two or more threads are left.
    fn take_fewer_threads(&mut self) -> bool {
        let threads = self.crew.threads() / 2;
        if threads < 2 {
            return false;
        }
        self.crew = Crew::new(self.crew.take_parts(), threads);
        self.agenda.least_events = LEAST_EVENTS * threads as u64;
        (self.agenda.windows, self.agenda.events) = (0, 0);
        true
    }

    fn join(mut self) -> Simulation {
        let mut whole = join::join(self.crew.take_parts(), &self.partition);
        whole.until = self.agenda.until;
        let sample = self.agenda.sample;
        if sample != NEVER {
            whole.schedule(sample, crate::simulation::class::SAMPLE, 0, 0);
        }
        whole
    }
}
