//! The hold model: a load for event queues, and the measure of a machine's speed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Instant;
use wirespeed_sim::mechanisms::event_queue::{Event, EventQueue};
use wirespeed_sim::time::{Picoseconds, MICROSECOND, NANOSECOND};

/// A queue of events in the order of (time, key, payload).
pub trait Queue: Default {
    /// Adds an event, never before the last one popped.
    fn push(&mut self, event: Event);
    /// Takes the first event.
    fn pop(&mut self) -> Option<Event>;
}

impl Queue for EventQueue {
    #[inline]
    fn push(&mut self, event: Event) {
        EventQueue::push(self, event);
    }

    #[inline]
    fn pop(&mut self) -> Option<Event> {
        EventQueue::pop(self)
    }
}

/// The standard library's binary heap over 16 bytes: time, key, payload.
#[derive(Default)]
pub struct Heap(BinaryHeap<Reverse<(u64, u32, u32)>>);

impl Queue for Heap {
    #[inline]
    fn push(&mut self, event: Event) {
        self.0
            .push(Reverse((event.time.0, event.key, event.payload)));
    }

    #[inline]
    fn pop(&mut self) -> Option<Event> {
        let Reverse((time, key, payload)) = self.0.pop()?;
        Some(Event {
            time: Picoseconds(time),
            key,
            payload,
        })
    }
}

/// Distribution of the delay between an event and the event that it causes.
#[derive(Debug, Clone, Copy)]
pub enum Mix {
    /// 45 % 333 ns, 45 % 1.33 us, 10 % timers of 4 to 300 us: frames, hops and congestion control.
    Timers,
    /// A quarter each of 4.96 ns, 80 ns, 331.52 ns (a frame of 4,144 bytes at 100 Gb/s) and 1.3 us. All are whole multiples of
    /// 80 ps, the time of a byte at that rate, so that many events have the same time.
    Fabric,
}

/// The hold model (Jones, "An empirical comparison of priority-queue and event-set implementations", CACM 29(4), 1986): each
/// event popped causes one push, so the number of pending events is constant.
pub struct HoldModel<Q> {
    queue: Q,
    mix: Mix,
    random: u64,
}

impl<Q: Queue> HoldModel<Q> {
    /// A model with `pending` events after a warm-up that is long enough to forget the start: timers, a tenth of the draws,
    /// become the majority of the pending events.
    pub fn new(mix: Mix, pending: u32) -> Self {
        let mut model = HoldModel {
            queue: Q::default(),
            mix,
            random: 0x9e37_79b9_7f4a_7c15,
        };
        for key in 0..pending {
            let time = model.draw_delay();
            let payload = key;
            model.queue.push(Event { time, key, payload });
        }
        model.hold(16 * pending.max(16_384));
        model
    }

    /// Pops and pushes `count` times. Returns a checksum of the popped events, which two queues must agree on.
    #[inline]
    pub fn hold(&mut self, count: u32) -> u64 {
        let mut sum = 0u64;
        for _ in 0..count {
            let Some(event) = self.queue.pop() else {
                return sum;
            };
            sum = sum.wrapping_add(event.time.0).rotate_left(1) ^ u64::from(event.key);
            let time = event.time + self.draw_delay();
            self.queue.push(Event { time, ..event });
        }
        sum
    }

    /// A random delay. No branch depends on the draw, so it takes little time compared with the queue.
    #[inline]
    fn draw_delay(&mut self) -> Picoseconds {
        // xorshift64 (Marsaglia, "Xorshift RNGs", J. Stat. Software 8(14), 2003).
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let draw = (self.random >> 32) % 256;
        match self.mix {
            Mix::Timers => {
                let fraction = self.random & 0xffff_ffff;
                let timer = 4 * MICROSECOND + fraction * 296 * MICROSECOND / (1 << 32);
                [333 * NANOSECOND, 1_330 * NANOSECOND, timer]
                    [usize::from(draw >= 115) + usize::from(draw >= 230)]
            }
            Mix::Fabric => {
                let deltas = [62 * 80, 1_000 * 80, 4_144 * 80, 16_250 * 80];
                Picoseconds(deltas[draw as usize % 4])
            }
        }
    }
}

/// The speed of this machine: nanoseconds for one pop and one push of the standard library's heap with 65,536 events pending
/// under `Mix::Timers`, the fastest of many rounds. It runs no code of the simulator, so a speed in its units is comparable
/// between machines. It takes half a second.
pub fn hold_model_ns() -> f64 {
    const ROUNDS: usize = 16;
    const HOLDS: u32 = 1 << 16;
    let mut model = HoldModel::<Heap>::new(Mix::Timers, 65_536);
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        black_box(model.hold(HOLDS));
        fastest = fastest.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(HOLDS));
    }
    fastest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheel_and_heap_pop_the_same_events() {
        for mix in [Mix::Timers, Mix::Fabric] {
            for pending in [1, 16, 4096, 65_536] {
                let mut wheel = HoldModel::<EventQueue>::new(mix, pending);
                let mut heap = HoldModel::<Heap>::new(mix, pending);
                assert_eq!(wheel.hold(100_000), heap.hold(100_000), "{mix:?} {pending}");
            }
        }
    }

    #[test]
    fn timer_mix_has_its_stated_shares() {
        let mut model = HoldModel::<Heap>::new(Mix::Timers, 1);
        let deltas: Vec<_> = (0..100_000).map(|_| model.draw_delay()).collect();
        let share = |draw_delay: u64| {
            deltas
                .iter()
                .filter(|&&other| other == Picoseconds(draw_delay))
                .count()
        };
        assert!((44_000..46_000).contains(&share(333_000)));
        assert!((44_000..46_000).contains(&share(1_330_000)));
        let timers = deltas
            .iter()
            .filter(|&&draw_delay| draw_delay >= 4 * MICROSECOND);
        assert!((9_500..10_900).contains(&timers.clone().count()));
        let mean = timers.clone().copied().sum::<Picoseconds>() / timers.count() as u64;
        assert!((148 * MICROSECOND..156 * MICROSECOND).contains(&mean));
    }

    #[test]
    fn hold_model_returns_a_plausible_time() {
        let hold_ns = hold_model_ns();
        assert!(hold_ns > 1.0 && hold_ns < 100_000.0, "{hold_ns}");
    }
}
