//! Parts at work side by side: each takes the events of a window, then they meet and hand over what crosses.
//!
//! No part may be ahead of another by more than the lookahead, so from the earliest event of all, one lookahead on is safe:
//! what leaves a part meanwhile acts later. Every thread computes the same next step from the same reports; there is no
//! leader, and one meeting per window. A thread may have several parts.

use super::alone::Alone;
use super::barrier::Barrier;
use super::border::{Border, Leaving};
use crate::simulation::Simulation;
use crate::time::{Picoseconds, NEVER};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What all parts go by; the same in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Agenda {
    /// What leaves a part acts in another after this or later.
    pub lookahead: Picoseconds,
    /// Nothing later happens.
    pub until: Picoseconds,
    /// When everything observed is sampled next; `NEVER` = not.
    pub sample: Picoseconds,
    /// A standstill of this length may be a deadlock, which only the whole network can tell.
    pub longest_pause: Picoseconds,
    /// Operations in all.
    pub operations: u64,
    /// The end of the last window.
    pub last: Picoseconds,
    /// Windows so far, and events in them.
    pub windows: u64,
    pub events: u64,
    /// A window has at least so many events on average, or the parts are joined: less does not pay for the meeting.
    pub least_events: u64,
}

/// How parts stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// They took as many events as they should.
    Enough,
    /// There is nothing more to do; where something later is pending, at this time.
    Over(Option<Picoseconds>),
    /// From here on the network has to run in one.
    Join(Alone),
}

/// What parts do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Take all events up to this time.
    Window(Picoseconds),
    /// Sample.
    Sample,
    /// Hand over what is under way, and look again.
    Meet,
    Stop(Stop),
}

/// What a part says at a meeting, or what all together say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    /// No event before this, what leaves included.
    earliest: Picoseconds,
    /// Since when no frame has started.
    still_since: Picoseconds,
    /// Events taken since work began.
    taken: u64,
    /// Frames, what leaves included.
    frames: u64,
    /// Pauses being repeated.
    repeated: u64,
    /// Operations that ended.
    ended: u64,
    /// Completions on their way to another part.
    completions: u64,
}

/// A part's state where the others can read it; a cache line of its own, and its neighbour.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Report([AtomicU64; 7]);

/// What parts share. Everything is there twice: for this meeting, and for the next, which the fastest part may have reached
/// while the slowest still reads.
pub(super) struct Shared {
    parts: usize,
    pub threads: usize,
    barrier: Barrier,
    reports: [Vec<Report>; 2],
    /// What leaves part a for part b: place a * parts + b.
    mail: [Vec<Mutex<Vec<Leaving>>>; 2],
}

impl Agenda {
    fn next(&self, all: &State, enough: u64) -> Next {
        if all.taken >= enough {
            return Next::Stop(Stop::Enough);
        }
        let first = all.earliest.min(self.sample);
        if first == NEVER {
            return Next::Stop(Stop::Over(None));
        }
        if first > self.until {
            return Next::Stop(Stop::Over(Some(self.until)));
        }
        if all.earliest > self.sample {
            return match all.completions {
                0 => Next::Sample,
                // Whether one of them causes anything is not known before it has come.
                _ => Next::Meet,
            };
        }
        if all.earliest <= self.last && self.windows > 0 {
            return Next::Window(self.last); // a part stopped before its end
        }
        let last = all.earliest.saturating_add(self.lookahead) - 1;
        let last = last.min(self.until).min(self.sample);
        let still = last.saturating_sub(all.still_since) >= self.longest_pause;
        if still && (all.frames > 0 || all.repeated > 0) {
            return Next::Stop(Stop::Join(Alone::Standstill));
        }
        if self.windows >= WINDOWS && self.events < self.windows * self.least_events {
            return Next::Stop(Stop::Join(Alone::Idle));
        }
        Next::Window(last)
    }

    /// Whether sampling goes on, as `Simulation::sample` has it for a network in one.
    fn goes_on(&self, all: &State) -> bool {
        (all.ended < self.operations || all.frames > 0) && all.earliest != NEVER
    }
}

/// So many windows before their size is judged.
const WINDOWS: u64 = 2_000;

impl Shared {
    /// For so many parts on so many threads.
    pub(super) fn new(parts: usize, threads: usize) -> Self {
        let reports = || (0..parts).map(|_| Report::default()).collect();
        let mail = || (0..parts * parts).map(|_| Mutex::default()).collect();
        Shared {
            parts,
            threads,
            barrier: Barrier::new(threads),
            reports: [reports(), reports()],
            mail: [mail(), mail()],
        }
    }

    /// Works on the parts of a thread, with the others, until all took about `enough` events. `None`: another one panicked.
    pub(super) fn work(
        &self,
        parts: &mut [Simulation],
        mut agenda: Agenda,
        enough: u64,
    ) -> Option<(Stop, Agenda)> {
        let _guard = self.barrier.guard();
        for part in parts.iter_mut() {
            let events = part.totals.events;
            border(part).begun = events;
        }
        let mut before = 0;
        for turn in [0, 1].into_iter().cycle() {
            for part in parts.iter_mut() {
                self.report(part, turn);
            }
            if !self.barrier.wait() {
                return None;
            }
            for part in parts.iter_mut() {
                self.take_in(part, turn);
            }
            let all = self.together(turn);
            agenda.events += all.taken - before;
            before = all.taken;
            match agenda.next(&all, enough) {
                Next::Stop(stop) => return Some((stop, agenda)),
                Next::Window(last) => {
                    agenda.windows += 1;
                    agenda.last = last;
                    for part in parts.iter_mut() {
                        take_window(part, last, enough - all.taken);
                    }
                }
                Next::Sample => agenda.sample = sample(parts, &agenda, &all),
                Next::Meet => {}
            }
        }
        unreachable!("turns go on for ever")
    }

    /// Says how a part stands, and puts what leaves it where the others find it.
    fn report(&self, part: &mut Simulation, turn: usize) {
        let earliest = part.queue.earliest();
        let events = part.totals.events;
        let frames = part.frames.live() as u64;
        let border = border(part);
        let own = usize::from(border.own);
        let state = State {
            earliest: earliest.min(std::mem::replace(&mut border.earliest, NEVER)),
            taken: events - border.begun,
            frames: frames + std::mem::take(&mut border.frames),
            completions: std::mem::take(&mut border.completions),
            still_since: part.still_since,
            repeated: part.repeated,
            ended: part.operations.ended(),
        };
        self.send(part, own, turn);
        let numbers = [
            state.earliest,
            state.still_since,
            state.taken,
            state.frames,
            state.repeated,
            state.ended,
            state.completions,
        ];
        for (place, number) in self.reports[turn][own].0.iter().zip(numbers) {
            place.store(number, Ordering::Relaxed); // the meeting orders it
        }
    }

    fn send(&self, part: &mut Simulation, own: usize, turn: usize) {
        for (to, leaving) in border(part).leaving.iter_mut().enumerate() {
            if !leaving.is_empty() {
                let place = &self.mail[turn][own * self.parts + to];
                std::mem::swap(
                    &mut *place.lock().unwrap_or_else(PoisonError::into_inner),
                    leaving,
                );
            }
        }
    }

    fn take_in(&self, part: &mut Simulation, turn: usize) {
        let own = usize::from(border(part).own);
        for from in 0..self.parts {
            let place = &self.mail[turn][from * self.parts + own];
            let mut mail = place.lock().unwrap_or_else(PoisonError::into_inner);
            for entering in mail.drain(..) {
                part.enter(entering);
            }
        }
    }

    fn together(&self, turn: usize) -> State {
        let mut all = State {
            earliest: NEVER,
            still_since: 0,
            taken: 0,
            frames: 0,
            repeated: 0,
            ended: 0,
            completions: 0,
        };
        for report in &self.reports[turn] {
            let [earliest, still_since, taken, frames, repeated, ended, completions] = report
                .0
                .each_ref()
                .map(|number| number.load(Ordering::Relaxed));
            all.earliest = all.earliest.min(earliest);
            all.still_since = all.still_since.max(still_since);
            all.taken += taken;
            all.frames += frames;
            all.repeated += repeated;
            all.ended += ended;
            all.completions += completions;
        }
        all
    }
}

fn border(part: &mut Simulation) -> &mut Border {
    part.border.as_mut().expect("a part has a border")
}

/// Samples what is observed in these parts. When to do so again.
fn sample(parts: &mut [Simulation], agenda: &Agenda, all: &State) -> Picoseconds {
    let mut next = NEVER;
    for part in parts {
        part.sample_at(agenda.sample);
        // The whole has one such event.
        part.totals.events += u64::from(border(part).own == 0);
        if agenda.goes_on(all) {
            next = part.series.next(agenda.sample);
        }
    }
    next
}

/// Takes the events of a part up to `last`, no more than `most`: a part that stops earlier only holds up the others.
fn take_window(part: &mut Simulation, last: Picoseconds, most: u64) {
    border(part).horizon = last;
    part.until = last;
    part.take_events(most);
}
