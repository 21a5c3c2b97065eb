//! A run on one thread or on several: the same bytes on any number of them.
//!
//! A network is cut into parts, a few for each thread ([`partition`]); each part is a [`Simulation`] with events and frames
//! of its own, and parts meet once per lookahead to hand over what crosses ([`windows`]). The order of events within
//! a part is that of the whole network, as it depends on time, class and entity alone, and what acts across a border
//! acts later than it leaves: so each device sees exactly what it would see otherwise.
//!
//! What cannot be cut runs in one, and [`Run::alone`] says why: [`alone`] lists all that does that.

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

/// Runs of fewer hops are over before more threads have paid for themselves: about 0.1 s at the speeds that README states.
/// Estimated.
const LEAST_HOPS: u64 = 400_000;
/// Events of each thread in a window. A meeting by itself is as long as one event (0.25 us: two threads that do nothing else, AMD
/// EPYC, 2026-11-22); what it costs is that the slowest thread is waited for. Estimated: of so many events one has a tenth more
/// than the other by chance.
const LEAST_EVENTS: u64 = 300;
/// What parts should make of the run's speed at the least, in percent, as far as it can be told before. Estimated.
const LEAST_GAIN: u64 = 133;
/// Tables that parts beyond one for each thread may take up, bytes. Estimated: what 0.1 s of a processor copies.
const MOST_COPIED: usize = 256 << 20;

/// On how many threads a run may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// So many where that is faster, else fewer or one.
    AtMost(usize),
    /// So many wherever the network can be cut at all.
    Exactly(usize),
    /// The network in so many parts, wherever it can be cut at all, on so many threads.
    Parts {
        /// Parts.
        parts: usize,
        /// Threads.
        threads: usize,
    },
}

/// A network in the middle of a run, in one or in parts.
pub struct Run(State);

enum State {
    One(Box<Simulation>, SerialReason),
    Parts(Box<Parts>),
    /// Between the two.
    Gone,
}

struct Parts {
    crew: Crew,
    partition: Partition,
    agenda: Agenda,
    over: bool,
}

impl Run {
    /// Builds the network, as [`Simulation::new`], and cuts it where that is asked for, possible and of use.
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

    /// On how many threads the run is now.
    pub fn threads(&self) -> usize {
        match &self.0 {
            State::Parts(parts) => parts.crew.threads(),
            _ => 1,
        }
    }

    /// Why the run is on one thread, if it is.
    pub fn serial_reason(&self) -> Option<SerialReason> {
        match self.0 {
            State::One(_, alone) => Some(alone),
            _ => None,
        }
    }

    /// In how many parts it is now.
    pub fn parts(&self) -> usize {
        self.of_each(|_| ()).len()
    }

    /// Takes about `events` events. Whether there is more to do.
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

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        let all = self.of_each(Simulation::progress);
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

    /// What stands in the network now: nothing once it has drained.
    pub fn occupancy(&self) -> Occupancy {
        let all = self.of_each(Simulation::occupancy);
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

    /// What was captured at each port since the last call, as pcap.
    pub fn captured(&mut self) -> Vec<Vec<u8>> {
        match &mut self.0 {
            State::One(whole, _) => whole.captured(),
            _ => Vec::new(),
        }
    }

    /// The tables and totals, also of a run that was not carried to its end.
    pub fn finish(self) -> Outcome {
        match self.0 {
            State::One(whole, _) => whole.finish(),
            State::Parts(parts) => parts.join().finish(),
            State::Gone => unreachable!("a run is in one or in parts"),
        }
    }

    fn of_each<T>(&self, ask: impl Fn(&Simulation) -> T) -> Vec<T> {
        match &self.0 {
            State::One(whole, _) => vec![ask(whole)],
            State::Parts(parts) => parts
                .crew
                .parts()
                .iter()
                .map(|it| ask(&it.lock()))
                .collect(),
            State::Gone => Vec::new(),
        }
    }
}

/// How a network is cut, and on how many threads; or why it is not.
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
        Threads::Exactly(_) => cut().map(|it| (it.parts(), it)),
        Threads::Parts { threads, .. } => cut().map(|it| (threads.clamp(1, it.parts()), it)),
    };
    let (on, partition) = found.ok_or(SerialReason::Indivisible)?;
    Ok((partition, on))
}

impl State {
    /// A network in parts, on so many threads; in one if something in it has no place in any.
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

    /// Where a window has too little to do for so many threads it may have enough for half of them. Whether they are two or more.
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
