//! Parts at work side by side: each takes the events of a window, then they meet and hand over what crosses.
//!
//! No part may be ahead of another by more than the lookahead, so from the earliest event of all, one lookahead on is safe:
//! what leaves a part meanwhile acts later. Every thread computes the same next step from the same reports; there is no
//! leader, and one meeting per window. A thread has several parts, and in a window takes those of others when it is done with
//! them: who works on a part changes nothing in what the part does.

use super::barrier::Barrier;
use super::serial::SerialReason;
use crate::simulation::border::{Border, BorderMessage};
use crate::simulation::state::Simulation;
use crate::time::{Picoseconds, NEVER};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    /// The end of the last window, if there was one.
    pub last: Option<Picoseconds>,
    /// Meetings so far.
    pub turns: u64,
    /// Windows on so many threads so far, and events in them.
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
    Join(SerialReason),
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
    /// Completions in flight to another part.
    completions: u64,
}

/// A part's state where the others can read it; a cache line of its own, and its neighbour.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Report([AtomicU64; 7]);

/// A part of the network, of which one thread at a time has hold. Parts share no cache line, nor its neighbour.
#[repr(align(128))]
pub(super) struct Part(Mutex<Simulation>);

impl Part {
    pub fn new(part: Simulation) -> Self {
        Part(Mutex::new(part))
    }

    pub fn lock(&self) -> MutexGuard<'_, Simulation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn into_inner(self) -> Simulation {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What goes from one part to another, and whether there is any.
#[derive(Debug, Default)]
struct Mail {
    any: AtomicBool,
    leaving: Mutex<Vec<BorderMessage>>,
}

/// What threads share. Reports and mail are there twice: for this meeting, and for the next, which the fastest thread may have
/// reached while the slowest still reads.
pub(super) struct Shared {
    parts: usize,
    threads: usize,
    barrier: Barrier,
    reports: [Vec<Report>; 2],
    /// What leaves part a for part b: place b * parts + a.
    mail: [Vec<Mail>; 2],
    /// By part: the last turn in which a thread took it.
    taken: Vec<AtomicU64>,
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
        if let Some(last) = self.last.filter(|last| all.earliest <= *last) {
            return Next::Window(last); // a part stopped before its end
        }
        let last = all.earliest.saturating_add(self.lookahead) - Picoseconds(1);
        let last = last.min(self.until).min(self.sample);
        let still = last.saturating_sub(all.still_since) >= self.longest_pause;
        if still && (all.frames > 0 || all.repeated > 0) {
            return Next::Stop(Stop::Join(SerialReason::Standstill));
        }
        if self.windows >= WINDOWS && self.events < self.windows * self.least_events {
            return Next::Stop(Stop::Join(SerialReason::Idle));
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
        let mail = || (0..parts * parts).map(|_| Mail::default()).collect();
        Shared {
            parts,
            threads,
            barrier: Barrier::new(threads),
            reports: [reports(), reports()],
            mail: [mail(), mail()],
            taken: (0..parts).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Waits for all other threads. False: one of them panicked.
    pub(super) fn meet(&self) -> bool {
        self.barrier.wait()
    }

    /// Works on the parts, as one of the threads, until all took about `enough` events. `None`: another one panicked.
    pub(super) fn work(
        &self,
        parts: &[Part],
        thread: usize,
        mut agenda: Agenda,
        enough: u64,
    ) -> Option<(Stop, Agenda)> {
        let _guard = self.barrier.guard();
        let own = &parts[self.own(thread)];
        for part in own {
            let part = &mut part.lock();
            let events = part.totals.events;
            border(part).begun = events;
            self.report(part, agenda.turns);
        }
        let mut before = 0;
        loop {
            if !self.barrier.wait() {
                return None;
            }
            let turn = agenda.turns;
            agenda.turns += 1;
            let all = self.together(turn);
            agenda.events += all.taken - before;
            before = all.taken;
            match agenda.next(&all, enough) {
                Next::Stop(stop) => {
                    own.iter().for_each(|it| self.take_in(&mut it.lock(), turn));
                    return Some((stop, agenda));
                }
                Next::Window(last) => {
                    agenda.windows += 1;
                    agenda.last = Some(last);
                    for place in self.in_turn(thread) {
                        if self.takes(place, agenda.turns) {
                            let part = &mut parts[place].lock();
                            self.take_in(part, turn);
                            take_window(part, last, enough);
                            self.report(part, agenda.turns);
                        }
                    }
                }
                next => {
                    let sampled = agenda.sample;
                    for part in own {
                        let part = &mut part.lock();
                        self.take_in(part, turn);
                        if next == Next::Sample {
                            sample(part, sampled);
                            agenda.sample = match agenda.goes_on(&all) {
                                true => part.series.next(sampled),
                                false => NEVER,
                            };
                        }
                        self.report(part, agenda.turns);
                    }
                }
            }
        }
    }

    /// The parts of a thread.
    fn own(&self, thread: usize) -> Range<usize> {
        let begin = |thread: usize| thread * self.parts / self.threads;
        begin(thread)..begin(thread + 1)
    }

    /// The order in which a thread looks for parts to work on: its own, then those of others, where those begin with theirs last.
    fn in_turn(&self, thread: usize) -> impl Iterator<Item = usize> + '_ {
        let others = (1..self.threads).map(move |after| (thread + after) % self.threads);
        let theirs = others.flat_map(|other| self.own(other).rev());
        self.own(thread).chain(theirs)
    }

    /// Whether a part is the thread's that asks: in each turn one gets it.
    fn takes(&self, place: usize, turn: u64) -> bool {
        let taken = &self.taken[place];
        // Most that look come too late, and need not write for that.
        taken.load(Ordering::Relaxed) != turn && taken.swap(turn, Ordering::Relaxed) != turn
    }

    /// Says how a part stands, and puts what leaves it where the others find it.
    fn report(&self, part: &mut Simulation, turn: u64) {
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
            state.earliest.0,
            state.still_since.0,
            state.taken,
            state.frames,
            state.repeated,
            state.ended,
            state.completions,
        ];
        for (place, number) in self.reports[turn as usize % 2][own].0.iter().zip(numbers) {
            place.store(number, Ordering::Relaxed); // the meeting orders it
        }
    }

    fn send(&self, part: &mut Simulation, own: usize, turn: u64) {
        for (to, leaving) in border(part).leaving.iter_mut().enumerate() {
            if leaving.is_empty() {
                continue;
            }
            let mail = &self.mail[turn as usize % 2][to * self.parts + own];
            mail.any.store(true, Ordering::Relaxed); // the meeting orders it
            let mut place = mail.leaving.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut *place, leaving);
        }
    }

    fn take_in(&self, part: &mut Simulation, turn: u64) {
        let own = usize::from(border(part).own);
        let all = &self.mail[turn as usize % 2][own * self.parts..][..self.parts];
        for mail in all {
            if !mail.any.load(Ordering::Relaxed) {
                continue;
            }
            mail.any.store(false, Ordering::Relaxed);
            let mut leaving = mail.leaving.lock().unwrap_or_else(PoisonError::into_inner);
            leaving.drain(..).for_each(|it| part.enter(it));
        }
    }

    fn together(&self, turn: u64) -> State {
        let mut all = State {
            earliest: NEVER,
            still_since: Picoseconds::ZERO,
            taken: 0,
            frames: 0,
            repeated: 0,
            ended: 0,
            completions: 0,
        };
        for report in &self.reports[turn as usize % 2] {
            let [earliest, still_since, taken, frames, repeated, ended, completions] = report
                .0
                .each_ref()
                .map(|number| number.load(Ordering::Relaxed));
            all.earliest = all.earliest.min(Picoseconds(earliest));
            all.still_since = all.still_since.max(Picoseconds(still_since));
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

/// Samples what is observed in a part.
fn sample(part: &mut Simulation, at: Picoseconds) {
    part.sample_at(at);
    // The whole has one such event.
    part.totals.events += u64::from(border(part).own == 0);
}

/// Takes the events of a part up to `last`, no more than `most`: a part that stops earlier only holds up the others.
fn take_window(part: &mut Simulation, last: Picoseconds, most: u64) {
    border(part).horizon = last;
    part.until = last;
    part.take_events(most);
}
