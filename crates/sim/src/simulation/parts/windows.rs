//! Parallel execution of parts: each processes the events of a window, then all meet at a barrier and exchange effects.
//!
//! A part must not be ahead of another by more than the lookahead, so a window of one lookahead from the earliest event of
//! all is safe: effects on other parts are later. Every thread computes the same next step from the same reports; there is no
//! leader, and one barrier per window. A thread has several parts, and takes parts of other threads in a window when it is
//! idle: the thread has no influence on the results of a part.

use super::barrier::Barrier;
use super::serial::SerialReason;
use crate::simulation::border::{Border, BorderMessage};
use crate::simulation::state::Simulation;
use crate::time::{Picoseconds, NEVER};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The state of the schedule; the same in each thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Agenda {
    /// Minimum time from leaving a part to the effect in another.
    pub lookahead: Picoseconds,
    /// End of the run.
    pub until: Picoseconds,
    /// Time of the next sample; `NEVER` = none.
    pub sample: Picoseconds,
    /// Time without a frame start after which the parts are joined: only the whole network can detect a deadlock.
    pub longest_pause: Picoseconds,
    /// Total number of operations.
    pub operations: u64,
    /// The end of the last window, if there was one.
    pub last: Option<Picoseconds>,
    /// Barriers so far.
    pub turns: u64,
    /// Windows with the current number of threads, and events in them.
    pub windows: u64,
    pub events: u64,
    /// Minimum average number of events in a window; below it the parts are joined, because the barrier costs more.
    pub least_events: u64,
}

/// Reason for which the parts stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The requested number of events was processed.
    Enough,
    /// No events are left before the end of the run; the time of the next one after it, if any.
    Over(Option<Picoseconds>),
    /// The network must continue as a whole.
    Join(SerialReason),
}

/// The next step of the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Process all events up to this time.
    Window(Picoseconds),
    /// Take a sample.
    Sample,
    /// Deliver effects in flight, and decide again.
    Meet,
    Stop(Stop),
}

/// The report of a part at a barrier, or the combined report of all parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    /// Time of the earliest event, effects on other parts included.
    earliest: Picoseconds,
    /// Time of the last frame start.
    still_since: Picoseconds,
    /// Events processed since the start of the work.
    taken: u64,
    /// Frames, those to other parts included.
    frames: u64,
    /// Pauses with a pending refresh.
    repeated: u64,
    /// Ended operations.
    ended: u64,
    /// Completions in flight to another part.
    completions: u64,
}

/// The report of a part for the others; aligned to two cache lines, because processors fetch pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Report([AtomicU64; 7]);

/// A part of the network, locked by one thread at a time. Aligned to two cache lines, which parts do not share.
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

/// The effects of one part on another, and whether there are any.
#[derive(Debug, Default)]
struct Mail {
    any: AtomicBool,
    leaving: Mutex<Vec<BorderMessage>>,
}

/// State that threads share. Reports and mail exist twice: for this barrier, and for the next one, which the fastest thread
/// may have reached while the slowest still reads.
pub(super) struct SharedState {
    parts: usize,
    threads: usize,
    barrier: Barrier,
    reports: [Vec<Report>; 2],
    /// Effects of part a on part b, at index b * parts + a.
    mail: [Vec<Mail>; 2],
    /// By part: the last turn in which a thread took it.
    taken: Vec<AtomicU64>,
}

impl Agenda {
    fn next(&self, all: &State, limit: u64) -> Next {
        if all.taken >= limit {
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
                // It is not known before its arrival whether a completion makes further events.
                _ => Next::Meet,
            };
        }
        if let Some(last) = self.last.filter(|last| all.earliest <= *last) {
            return Next::Window(last); // a part stopped before its end
        }
        let last = all.earliest.saturating_add(self.lookahead) - Picoseconds(1);
        let last = last.min(self.until).min(self.sample);
        let is_still = last.saturating_sub(all.still_since) >= self.longest_pause;
        if is_still && (all.frames > 0 || all.repeated > 0) {
            return Next::Stop(Stop::Join(SerialReason::Standstill));
        }
        if self.windows >= WINDOWS && self.events < self.windows * self.least_events {
            return Next::Stop(Stop::Join(SerialReason::Idle));
        }
        Next::Window(last)
    }

    /// Whether sampling continues, as in `Simulation::sample` for a whole network.
    fn goes_on(&self, all: &State) -> bool {
        (all.ended < self.operations || all.frames > 0) && all.earliest != NEVER
    }
}

/// Number of windows before their size is judged.
const WINDOWS: u64 = 2_000;

impl SharedState {
    /// The shared state of a number of parts and threads.
    pub(super) fn new(parts: usize, threads: usize) -> Self {
        let reports = || (0..parts).map(|_| Report::default()).collect();
        let mail = || (0..parts * parts).map(|_| Mail::default()).collect();
        SharedState {
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

    /// Processes the parts, as one of the threads, until all have processed about `enough` events. `None`: another one panicked.
    pub(super) fn work(
        &self,
        parts: &[Part],
        thread: usize,
        mut agenda: Agenda,
        limit: u64,
    ) -> Option<(Stop, Agenda)> {
        let _guard = self.barrier.guard();
        let assigned = &parts[self.assigned_parts(thread)];
        for part in assigned {
            let part = &mut part.lock();
            let events = part.totals.events;
            border(part).events_at_start = events;
            self.report(part, agenda.turns);
        }
        let mut taken_before = 0;
        loop {
            if !self.barrier.wait() {
                return None;
            }
            let turn = agenda.turns;
            agenda.turns += 1;
            let all = self.merge_reports(turn);
            agenda.events += all.taken - taken_before;
            taken_before = all.taken;
            match agenda.next(&all, limit) {
                Next::Stop(stop) => {
                    assigned
                        .iter()
                        .for_each(|part| self.take_in(&mut part.lock(), turn));
                    return Some((stop, agenda));
                }
                Next::Window(last) => {
                    agenda.windows += 1;
                    agenda.last = Some(last);
                    for number in self.part_order(thread) {
                        if self.takes(number, agenda.turns) {
                            let part = &mut parts[number].lock();
                            self.take_in(part, turn);
                            take_window(part, last, limit);
                            self.report(part, agenda.turns);
                        }
                    }
                }
                next => {
                    let sampled = agenda.sample;
                    for part in assigned {
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
    fn assigned_parts(&self, thread: usize) -> Range<usize> {
        let begin = |thread: usize| thread * self.parts / self.threads;
        begin(thread)..begin(thread + 1)
    }

    /// The order in which a thread takes parts: first those assigned to it, then those of others, in reverse of their order.
    fn part_order(&self, thread: usize) -> impl Iterator<Item = usize> + '_ {
        let other_threads = (1..self.threads).map(move |offset| (thread + offset) % self.threads);
        let theirs = other_threads.flat_map(|other| self.assigned_parts(other).rev());
        self.assigned_parts(thread).chain(theirs)
    }

    /// Claims a part for the calling thread: one thread succeeds per turn.
    fn takes(&self, number: usize, turn: u64) -> bool {
        let taken = &self.taken[number];
        // Most claims fail, and a failed one need not write.
        taken.load(Ordering::Relaxed) != turn && taken.swap(turn, Ordering::Relaxed) != turn
    }

    /// Publishes the report of a part and its effects on other parts.
    fn report(&self, part: &mut Simulation, turn: u64) {
        let earliest = part.queue.earliest();
        let events = part.totals.events;
        let frames = part.frames.live() as u64;
        let border = border(part);
        let number = usize::from(border.part);
        let state = State {
            earliest: earliest.min(std::mem::replace(&mut border.earliest, NEVER)),
            taken: events - border.events_at_start,
            frames: frames + std::mem::take(&mut border.frames),
            completions: std::mem::take(&mut border.completions),
            still_since: part.still_since,
            repeated: part.repeated,
            ended: part.operations.ended_count(),
        };
        self.send(part, number, turn);
        let numbers = [
            state.earliest.0,
            state.still_since.0,
            state.taken,
            state.frames,
            state.repeated,
            state.ended,
            state.completions,
        ];
        for (slot, value) in self.reports[turn as usize % 2][number]
            .0
            .iter()
            .zip(numbers)
        {
            slot.store(value, Ordering::Relaxed); // ordered by the barrier
        }
    }

    fn send(&self, part: &mut Simulation, from: usize, turn: u64) {
        for (to, leaving) in border(part).leaving.iter_mut().enumerate() {
            if leaving.is_empty() {
                continue;
            }
            let mail = &self.mail[turn as usize % 2][to * self.parts + from];
            mail.any.store(true, Ordering::Relaxed); // ordered by the barrier
            let mut outbox = mail.leaving.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut *outbox, leaving);
        }
    }

    fn take_in(&self, part: &mut Simulation, turn: u64) {
        let number = usize::from(border(part).part);
        let all = &self.mail[turn as usize % 2][number * self.parts..][..self.parts];
        for mail in all {
            if !mail.any.load(Ordering::Relaxed) {
                continue;
            }
            mail.any.store(false, Ordering::Relaxed);
            let mut leaving = mail.leaving.lock().unwrap_or_else(PoisonError::into_inner);
            leaving.drain(..).for_each(|frame| part.enter(frame));
        }
    }

    fn merge_reports(&self, turn: u64) -> State {
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

/// Takes a sample in a part.
fn sample(part: &mut Simulation, at: Picoseconds) {
    part.sample_at(at);
    // It is one event in a whole network.
    part.totals.events += u64::from(border(part).part == 0);
}

/// Processes the events of a part up to `last`, at most `most`: a part that stops earlier only delays the others.
fn take_window(part: &mut Simulation, last: Picoseconds, most: u64) {
    border(part).horizon = last;
    part.until = last;
    part.take_events(most);
}
