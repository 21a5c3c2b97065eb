//! A run on one thread or on several: the same bytes on any number of them.
//!
//! A network is cut into as many parts as there are threads ([`partition`]); each part is a [`Simulation`] with events and
//! frames of its own, and parts meet once per lookahead to hand over what crosses ([`windows`]). The order of events within
//! a part is that of the whole network, as it depends on time, class and entity alone, and what acts across a border
//! acts later than it leaves: so each device sees exactly what it would see otherwise.
//!
//! What cannot be cut runs in one, and [`Run::alone`] says why: [`alone`] lists all that does that.

mod alone;
mod barrier;
mod border;
mod graph;
mod join;
mod load;
mod partition;
mod windows;

pub use alone::Alone;
pub(crate) use border::Border;

use crate::problem::Refused;
use crate::results::Outcome;
use crate::scenario::Scenario;
use crate::simulation::{Occupancy, Progress, Simulation};
use crate::time::NEVER;
use load::Load;
use partition::Partition;
use std::thread;
use windows::{Agenda, Shared, Stop};

/// Runs of fewer hops are over before more threads have paid for themselves: about 0.1 s at the speeds that README states.
/// Estimated.
const LEAST_HOPS: u64 = 400_000;
/// Events of each part in a window. A meeting by itself is as long as one event (0.25 us: two threads that do nothing else, AMD
/// EPYC, 2026-11-22); what it costs is that the slower part is waited for. Estimated: of so many events one part has a tenth more
/// than the other by chance.
const LEAST_EVENTS: u64 = 300;
/// A busiest part with more than so much of its share, in percent, gains too little: with two, 1.3 times at best. Estimated.
const WORST_BALANCE: u64 = 150;

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
    One(Box<Simulation>, Alone),
    Parts(Box<Parts>),
    /// Between the two.
    Gone,
}

struct Parts {
    parts: Vec<Simulation>,
    partition: Partition,
    agenda: Agenda,
    shared: Shared,
    over: bool,
}

impl Run {
    /// Builds the network, as [`Simulation::new`], and cuts it where that is asked for, possible and of use.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn new(scenario: Scenario, threads: Threads) -> Result<Run, Refused> {
        let whole = Simulation::new(scenario)?;
        Ok(Run(match plan(&whole, threads) {
            Ok((partition, parts)) => State::cut(whole, partition, parts, threads),
            Err(alone) => State::One(Box::new(whole), alone),
        }))
    }

    /// On how many threads the run is now.
    pub fn threads(&self) -> usize {
        match &self.0 {
            State::Parts(parts) => parts.shared.threads,
            _ => 1,
        }
    }

    /// Why the run is on one thread, if it is.
    pub fn alone(&self) -> Option<Alone> {
        match self.0 {
            State::One(_, alone) => Some(alone),
            _ => None,
        }
    }

    /// In how many parts it is now.
    pub fn parts(&self) -> usize {
        self.all().count()
    }

    /// Takes about `events` events. Whether there is more to do.
    pub fn advance(&mut self, events: u64) -> bool {
        let stop = match &mut self.0 {
            State::One(whole, _) => return whole.advance(events),
            State::Parts(parts) => parts.advance(events),
            State::Gone => return false,
        };
        if let Stop::Join(alone) = stop {
            if let State::Parts(parts) = std::mem::replace(&mut self.0, State::Gone) {
                self.0 = State::One(Box::new(parts.join()), alone);
            }
        }
        !matches!(stop, Stop::Over(_))
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        let all: Vec<Progress> = self.all().map(Simulation::progress).collect();
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
        let all: Vec<Occupancy> = self.all().map(Simulation::occupancy).collect();
        let mut occupancy = all[0];
        for other in &all[1..] {
            occupancy.frames += other.frames;
            occupancy.queued_bytes += other.queued_bytes;
            occupancy.cells += other.cells;
            occupancy.headroom_cells += other.headroom_cells;
            occupancy.shared_cells += other.shared_cells;
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

    fn all(&self) -> Box<dyn Iterator<Item = &Simulation> + '_> {
        match &self.0 {
            State::One(whole, _) => Box::new(std::iter::once(&**whole)),
            State::Parts(parts) => Box::new(parts.parts.iter()),
            State::Gone => Box::new(std::iter::empty()),
        }
    }
}

/// How a network is cut; or why it is not.
fn plan(whole: &Simulation, threads: Threads) -> Result<(Partition, usize), Alone> {
    let most = match threads {
        Threads::Exactly(parts) | Threads::Parts { parts, .. } | Threads::AtMost(parts) => parts,
    };
    if most < 2 {
        return Err(Alone::OneThread);
    }
    let load = Load::of(whole);
    let offered = matches!(threads, Threads::AtMost(_));
    if offered && load.hops < LEAST_HOPS {
        return Err(Alone::Small);
    }
    if !whole.captures.is_empty() {
        return Err(Alone::Captures);
    }
    if offered {
        let found = Partition::of(whole, &load, most).ok_or(Alone::Indivisible)?;
        return match found.balance <= WORST_BALANCE {
            true => Ok((found, most)),
            false => Err(Alone::Unequal),
        };
    }
    let most = most.min(usize::from(u16::MAX) - 1);
    let mut tried = (2..=most).rev();
    let found = tried.find_map(|parts| Some((Partition::of(whole, &load, parts)?, parts)));
    found.ok_or(Alone::Indivisible)
}

impl State {
    /// A network in `count` parts; in one if something in it has no place in any.
    fn cut(whole: Simulation, partition: Partition, count: usize, threads: Threads) -> State {
        let interval = whole.scenario.observe.interval;
        let agenda = Agenda {
            lookahead: partition.lookahead,
            until: whole.until,
            sample: if interval > 0 { 0 } else { NEVER },
            longest_pause: whole.settings.longest_pause,
            operations: whole.scenario.operations.len() as u64,
            last: 0,
            windows: 0,
            events: 0,
            least_events: match threads {
                Threads::AtMost(_) => LEAST_EVENTS * count as u64,
                _ => 0,
            },
        };
        let shared = match threads {
            // As many as there are chunks of parts.
            Threads::Parts { threads, .. } => {
                let each = count.div_ceil(threads.clamp(1, count));
                Shared::new(count, count.div_ceil(each))
            }
            _ => Shared::new(count, count),
        };
        match join::split(whole, &partition, count) {
            Err(whole) => State::One(whole, Alone::Indivisible),
            Ok(parts) => State::Parts(Box::new(Parts {
                parts,
                partition,
                agenda,
                shared,
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
        let (agenda, shared) = (self.agenda, &self.shared);
        let each = self.parts.len().div_ceil(shared.threads);
        let mut chunks = self.parts.chunks_mut(each);
        let first = chunks.next().expect("a network has a part");
        let done = thread::scope(|scope| {
            let others: Vec<_> = chunks
                .map(|parts| scope.spawn(move || shared.work(parts, agenda, events)))
                .collect();
            let done = shared.work(first, agenda, events);
            for thread in others {
                if let Err(panic) = thread.join() {
                    std::panic::resume_unwind(panic);
                }
            }
            done
        });
        let (stop, agenda) = done.expect("whoever broke the meeting has panicked");
        self.agenda = agenda;
        if let Stop::Over(at) = stop {
            self.over = true;
            let first = &mut self.parts[0];
            first.now = first.now.max(at.unwrap_or(0));
        }
        stop
    }

    fn join(self) -> Simulation {
        let mut whole = join::join(self.parts, &self.partition);
        whole.until = self.agenda.until;
        let sample = self.agenda.sample;
        if sample != NEVER {
            whole.schedule(sample, crate::simulation::class::SAMPLE, 0, 0);
        }
        whole
    }
}
