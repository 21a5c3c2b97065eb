//! The threads of a run: they exist while it is in parts, so that each keeps its processor and caches.

use super::windows::{Agenda, Part, SharedState, Stop};
use crate::simulation::state::Simulation;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Threads that process parts. The calling thread is one of them.
pub(super) struct Crew {
    common: Arc<Common>,
    others: Vec<JoinHandle<()>>,
}

struct Common {
    shared: SharedState,
    parts: Vec<Part>,
    /// The work from the next barrier on; `None`: the threads end.
    order: Mutex<Option<Order>>,
}

#[derive(Clone, Copy)]
struct Order {
    agenda: Agenda,
    /// Events in all.
    enough: u64,
}

impl Crew {
    /// Starts a number of threads for these parts, of which there are at least as many.
    pub fn new(parts: Vec<Simulation>, threads: usize) -> Self {
        let common = Arc::new(Common {
            shared: SharedState::new(parts.len(), threads),
            parts: parts.into_iter().map(Part::new).collect(),
            order: Mutex::new(None),
        });
        let start = |thread| {
            let common = common.clone();
            thread::spawn(move || common.follow(thread))
        };
        Crew {
            others: (1..threads).map(start).collect(),
            common,
        }
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.others.len() + 1
    }

    /// The idle parts.
    pub fn parts(&self) -> &[Part] {
        &self.common.parts
    }

    /// Processes the parts until all have processed about `enough` events.
    ///
    /// # Panics
    /// With the payload of the thread that panicked.
    pub fn advance(&mut self, agenda: Agenda, limit: u64) -> (Stop, Agenda) {
        self.common.give(Some(Order {
            agenda,
            enough: limit,
        }));
        match self.common.meet_and_work(0) {
            Some(done) => done,
            None => {
                self.dismiss();
                unreachable!("the worker that broke the barrier has panicked");
            }
        }
    }

    /// Ends the threads and returns the parts.
    pub fn take_parts(&mut self) -> Vec<Simulation> {
        self.dismiss();
        let common = Arc::get_mut(&mut self.common).expect("no other thread is left");
        let parts = std::mem::take(&mut common.parts);
        parts.into_iter().map(Part::into_inner).collect()
    }

    /// Ends the threads, and panics with the payload of the one that did.
    fn dismiss(&mut self) {
        self.common.give(None);
        self.common.shared.meet();
        for thread in self.others.drain(..) {
            match thread.join() {
                Err(panic) if !thread::panicking() => std::panic::resume_unwind(panic),
                _ => {}
            }
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        if !self.others.is_empty() {
            self.dismiss();
        }
    }
}

impl Common {
    fn give(&self, order: Option<Order>) {
        *self.order.lock().unwrap_or_else(PoisonError::into_inner) = order;
    }

    /// Processes work until there is none or another thread has panicked.
    fn follow(&self, thread: usize) {
        while self.meet_and_work(thread).is_some() {}
    }

    /// Processes work from the barrier that starts it to the barrier after which all parts are idle.
    fn meet_and_work(&self, thread: usize) -> Option<(Stop, Agenda)> {
        if !self.shared.meet() {
            return None;
        }
        let order = *self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let Order {
            agenda,
            enough: limit,
        } = order?;
        let done = self.shared.work(&self.parts, thread, agenda, limit)?;
        self.shared.meet().then_some(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader;
    use crate::simulation::border::Border;
    use crate::time::{Picoseconds, NEVER};

    const AGENDA: Agenda = Agenda {
        lookahead: Picoseconds(1),
        until: Picoseconds::ZERO,
        sample: NEVER,
        longest_pause: NEVER,
        operations: 0,
        last: None,
        turns: 0,
        windows: 0,
        events: 0,
        least_events: 0,
    };

    /// Parts without work; a report of one without a border panics.
    fn crew(with_border: [bool; 2]) -> Crew {
        let text = r#"{"hosts": 2, "switches": 0, "link_delay_ns": 1, "links": [{"a": 0, "b": 1, "gbps": 100}],
            "flows": [{"src": 0, "dst": 1, "bytes": 1, "start_ns": 1}]}"#;
        let part = |number: u16| {
            let mut part = Simulation::new(reader::read(text, "roce", 1).unwrap()).unwrap();
            let border = with_border[usize::from(number)];
            part.border = border.then(|| Box::new(Border::new(number, 2, [0, 0].into())));
            part
        };
        Crew::new(vec![part(0), part(1)], 2)
    }

    #[test]
    fn a_crew_works_again_and_again_and_gives_its_parts_back() {
        let mut crew = crew([true; 2]);
        for _ in 0..1_000 {
            assert_eq!(
                crew.advance(AGENDA, 1).0,
                Stop::Over(Some(Picoseconds::ZERO))
            );
        }
        assert_eq!(crew.take_parts().len(), 2);
    }

    #[test]
    fn a_crew_that_is_dropped_before_its_work_ends_its_threads() {
        let crew = crew([true; 2]);
        let common = Arc::downgrade(&crew.common);
        drop(crew);
        assert!(common.upgrade().is_none());
    }

    #[test]
    #[should_panic(expected = "a part has a border")]
    fn what_another_thread_panics_with_is_the_callers() {
        crew([true, false]).advance(AGENDA, 1);
    }
}
