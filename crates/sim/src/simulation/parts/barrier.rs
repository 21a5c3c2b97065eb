//! A barrier for threads: a short wait spins, a long one sleeps.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// Spins before the thread yields the processor: estimated as 50 µs, 200 times the barrier of two threads that arrive at the
/// same time.
const SPINS: u32 = 2_000;
/// Yields before the thread sleeps: the wait is then long in any case. Twenty times as many made no measurable difference on
/// S3.
const OFFERS: u32 = 200;

/// A reusable barrier for a number of threads.
pub(super) struct Barrier {
    parties: usize,
    spins: u32,
    arrived: AtomicUsize,
    meetings: AtomicUsize,
    broken: AtomicBool,
    asleep: AtomicUsize,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Barrier {
    /// A barrier for a number of threads.
    pub(super) fn new(parties: usize) -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Barrier {
            parties,
            // With more threads than processors a spinning thread blocks the thread that it waits for.
            spins: if parties > processors { 0 } else { SPINS },
            arrived: AtomicUsize::new(0),
            meetings: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
            asleep: AtomicUsize::new(0),
            lock: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Waits for all other threads. All writes before it are visible to all threads after it. False if a thread has panicked.
    pub(super) fn wait(&self) -> bool {
        let meeting = self.meetings.load(Ordering::Relaxed);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.parties {
            self.arrived.store(0, Ordering::Relaxed);
            self.meetings
                .store(meeting.wrapping_add(1), Ordering::SeqCst);
            self.wake_all();
        } else {
            self.wait_past(meeting);
        }
        !self.broken.load(Ordering::Relaxed)
    }

    /// A guard that breaks the barrier when its thread panics, so that no thread waits for it.
    pub(super) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }

    fn wait_past(&self, meeting: usize) {
        let waits =
            |order| self.meetings.load(order) == meeting && !self.broken.load(Ordering::Relaxed);
        for _ in 0..self.spins {
            if !waits(Ordering::Acquire) {
                return;
            }
            std::hint::spin_loop();
        }
        for _ in 0..OFFERS {
            if !waits(Ordering::Acquire) {
                return;
            }
            thread::yield_now();
        }
        self.asleep.fetch_add(1, Ordering::SeqCst);
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while waits(Ordering::SeqCst) {
            lock = self.wake.wait(lock).unwrap_or_else(PoisonError::into_inner);
        }
        drop(lock);
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }

    /// A thread that goes to sleep after this check observes the end of the wait: both have one total order (SeqCst).
    fn wake_all(&self) {
        if self.asleep.load(Ordering::SeqCst) > 0 {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.wake.notify_all();
        }
    }
}

/// Guard of a thread that waits at the barrier.
pub(super) struct Guard<'a>(&'a Barrier);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.broken.store(true, Ordering::SeqCst);
            drop(self.0.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.0.wake.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In each round a thread increments its number; after the barrier all threads read all numbers, late ones too.
    #[test]
    fn what_each_did_is_seen_by_all() {
        const THREADS: usize = 4;
        let barrier = Barrier::new(THREADS);
        let counts: Vec<AtomicUsize> = (0..THREADS).map(|_| AtomicUsize::new(0)).collect();
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (barrier, counts) = (&barrier, &counts);
                scope.spawn(move || {
                    for round in 1..=400 {
                        if round % 100 == thread {
                            thread::sleep(std::time::Duration::from_millis(5));
                        }
                        counts[thread].store(round, Ordering::Relaxed);
                        assert!(barrier.wait());
                        for count in counts {
                            assert_eq!(count.load(Ordering::Relaxed), round);
                        }
                        assert!(barrier.wait());
                    }
                });
            }
        });
    }

    #[test]
    fn nobody_waits_for_a_thread_that_panicked() {
        let barrier = Barrier::new(3);
        thread::scope(|scope| {
            let waiting: Vec<_> = (0..2).map(|_| scope.spawn(|| barrier.wait())).collect();
            let failed = scope.spawn(|| {
                let _guard = barrier.guard();
                panic!("as a test");
            });
            assert!(failed.join().is_err());
            for thread in waiting {
                assert!(!thread.join().unwrap());
            }
        });
    }
}
