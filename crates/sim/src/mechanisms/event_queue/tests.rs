use super::*;
use proptest::prelude::*;

/// The same order by the standard library's heap.
#[derive(Default)]
struct Reference(BinaryHeap<Reverse<(Picoseconds, u32, u32)>>);

impl Reference {
    fn push(&mut self, event: Event) {
        self.0.push(Reverse((event.time, event.key, event.payload)));
    }

    fn pop(&mut self) -> Option<Event> {
        let Reverse((time, key, payload)) = self.0.pop()?;
        Some(Event { time, key, payload })
    }
}

/// Both queues; every answer is compared.
#[derive(Default)]
struct Pair {
    queue: EventQueue,
    reference: Reference,
}

impl Pair {
    fn starting_at(time: Picoseconds) -> Self {
        let mut pair = Pair::default();
        pair.push(time, 0, 0);
        pair.pop();
        pair
    }

    fn push(&mut self, time: Picoseconds, key: u32, payload: u32) {
        let event = Event { time, key, payload };
        self.queue.push(event);
        self.reference.push(event);
        assert_eq!(self.queue.len(), self.reference.0.len());
    }

    fn pop(&mut self) -> Option<Event> {
        let previous_time = self.queue.now();
        let event = self.queue.pop();
        assert_eq!(event, self.reference.pop());
        assert!(self.queue.now() >= previous_time);
        assert_eq!(
            self.queue.now(),
            event.map_or(previous_time, |event| event.time)
        );
        assert_eq!(self.queue.len(), self.reference.0.len());
        assert_eq!(self.queue.is_empty(), self.reference.0.is_empty());
        event
    }

    /// Pops all events up to `end`.
    fn pop_until(&mut self, end: Picoseconds) {
        loop {
            let first = self.reference.0.peek().map(|top| top.0 .0);
            assert!(self.queue.earliest() <= first.unwrap_or(Picoseconds::MAX));
            if first.is_none_or(|time| time > end) {
                assert_eq!(self.queue.pop_until(end), None);
                return;
            }
            assert_eq!(self.queue.pop_until(end), self.reference.pop());
        }
    }

    fn drain(&mut self) {
        while self.pop().is_some() {}
        assert_eq!(self.queue.pop(), None);
    }
}

/// Beyond the coarse wheel.
const FAR: u64 = (COARSE_SLOTS as u64) << COARSE_BITS;
/// Beyond the fine wheel.
const TIMER: u64 = (FINE_SLOTS as u64) << FINE_BITS;

/// Delays by the part of the queue that holds the event, with the borders between the parts.
fn delta() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => Just(0),
        4 => 0..8u64,
        4 => 0..2u64 << FINE_BITS,
        2 => Just(333_000),
        4 => 0..TIMER,
        2 => TIMER - (2 << FINE_BITS)..TIMER + (2 << FINE_BITS),
        2 => TIMER..FAR,
        2 => FAR - (2 << COARSE_BITS)..FAR + (2 << COARSE_BITS),
        1 => FAR..64 * FAR,
        1 => Just(u64::MAX),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Push { delta: u64, key: u32, payload: u32 },
    Peek,
    Pop(usize),
    PopUntil(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let push = (delta(), 0..4u32, 0..3u32).prop_map(|(delta, key, payload)| Step::Push {
        delta,
        // Both ends of the field, so that a key that leaks into the time is visible.
        key: key.wrapping_sub(2),
        payload: payload.wrapping_sub(1),
    });
    let step = prop_oneof![
        12 => push,
        1 => Just(Step::Peek),
        1 => delta().prop_map(Step::PopUntil),
        3 => (1..4usize).prop_map(Step::Pop),
        1 => (10..100usize).prop_map(Step::Pop),
    ];
    prop::collection::vec(step, 0..1200)
}

fn start() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        0..10 * FAR,
        any::<u64>(),
        (0..3 * FAR).prop_map(|distance| u64::MAX - distance),
    ]
}

proptest! {
    #[test]
    fn order_is_that_of_a_heap(start in start(), steps in steps()) {
        let mut pair = Pair::starting_at(Picoseconds(start));
        for step in steps {
            match step {
                Step::Push { delta, key, payload } => {
                    pair.push(pair.queue.now().saturating_add(Picoseconds(delta)), key, payload);
                }
                Step::Peek => {
                    let first = pair.reference.0.peek().map(|top| top.0);
                    let peeked = pair.queue.peek().map(|event| (event.time, event.key, event.payload));
                    assert_eq!(peeked, first);
                }
                Step::PopUntil(delta) => pair.pop_until(pair.queue.now().saturating_add(Picoseconds(delta))),
                Step::Pop(count) => (0..count).for_each(|_| { pair.pop(); }),
            }
        }
        pair.drain();
    }

    /// As in a simulation: each event that happens causes one more, whatever is pending.
    #[test]
    fn order_is_that_of_a_heap_under_load(
        start in start(),
        pending in 1..600u32,
        spread in prop_oneof![Just(1u64), Just(1 << FINE_BITS), Just(TIMER), Just(FAR)],
        deltas in prop::collection::vec(delta(), 1..40),
    ) {
        let mut pair = Pair::starting_at(Picoseconds(start));
        for entity in 0..pending {
            let offset = u64::from(entity).wrapping_mul(0x9e37_79b9_7f4a_7c15) % spread;
            pair.push(Picoseconds(start.saturating_add(offset)), entity, 0);
        }
        for delta in deltas.iter().cycle().take(4000) {
            let event = pair.pop().unwrap();
            pair.push(event.time.saturating_add(Picoseconds(*delta)), event.key.rotate_left(7), event.payload + 1);
        }
        pair.drain();
    }
}

#[test]
fn the_present_takes_a_smaller_key_next() {
    let mut pair = Pair::default();
    pair.push(Picoseconds(700), 8, 0);
    pair.push(Picoseconds(700), 9, 0);
    pair.push(Picoseconds(701), 1, 0);
    assert_eq!(pair.pop().unwrap().key, 8);
    pair.push(Picoseconds(700), 3, 0);
    let popped = [pair.pop(), pair.pop(), pair.pop()].map(|event| event.unwrap().key);
    assert_eq!(popped, [3, 9, 1]);
}

#[test]
fn the_last_event_of_time_is_popped() {
    let mut pair = Pair::default();
    pair.push(Picoseconds::MAX, u32::MAX, u32::MAX);
    pair.push(Picoseconds::MAX, u32::MAX, u32::MAX);
    assert_eq!(pair.pop().unwrap().time, Picoseconds::MAX);
    pair.push(Picoseconds::MAX, 0, 0);
    pair.drain();
}

/// More events at one time than the open slot shifts, each causing another at the same time.
#[test]
fn a_crowd_at_one_time() {
    let mut pair = Pair::default();
    for entity in 0..3000u32 {
        pair.push(Picoseconds(50_000), entity.wrapping_mul(0x9e37_79b9), 0);
    }
    for _ in 0..9000 {
        let event = pair.pop().unwrap();
        pair.push(
            event.time + Picoseconds(u64::from(event.payload % 2)),
            event.key.rotate_left(5),
            event.payload + 1,
        );
    }
    pair.drain();
}

/// A burst into slots that were opened in one step because few events were pending.
#[test]
fn a_burst_after_quiet() {
    let mut pair = Pair::default();
    for key in 0..4 {
        pair.push(Picoseconds(1_000_000 + u64::from(key) * 900_000), key, 0);
    }
    pair.pop();
    for key in 0..2000u32 {
        let offset = u64::from(key.wrapping_mul(0x9e37_79b9)) % 3_000_000;
        pair.push(Picoseconds(1_000_000 + offset), key, 1);
    }
    assert!(pair.queue.heap.len() < 200, "{}", pair.queue.heap.len());
    pair.drain();
}

/// Peeking at a distant event opens its slot; later pushes are earlier, or as far after it as the fine wheel reaches.
#[test]
fn a_crowd_before_what_was_peeked() {
    let mut pair = Pair::default();
    let distant = Picoseconds(1 << 40);
    pair.push(distant, 0, 0);
    assert_eq!(pair.queue.peek().map(|event| event.time), Some(distant));
    for step in 0..FINE_SLOTS as u64 {
        pair.push(distant + Picoseconds(step << FINE_BITS), 1, 0);
    }
    for step in (0..200).rev() {
        pair.push(Picoseconds(step << FINE_BITS), 0, 0);
    }
    for step in 0..FINE_SLOTS as u64 {
        pair.push(Picoseconds((step + 100) << FINE_BITS), 2, 0);
    }
    pair.drain();
}

/// Slots after `end` stay closed: a queue that was popped up to `end` accepts nearer events as a queue that was not.
#[test]
fn what_is_not_due_stays_shut() {
    for distant in [TIMER - 1, FAR - 1, 64 * FAR] {
        let mut pair = Pair::default();
        pair.push(Picoseconds(distant), 0, 0);
        pair.pop_until(Picoseconds(distant / 2));
        assert!(pair.queue.horizon <= slot_of(u128::from(distant / 2) << 64));
        for key in 0..2000 {
            pair.push(Picoseconds(u64::from(key) << FINE_BITS), key, 0);
        }
        assert!(pair.queue.heap.len() <= 1);
        pair.pop_until(Picoseconds(1000 << FINE_BITS));
        pair.drain();
    }
}

/// The earliest is never later than the pending events, and popping up to it advances it.
#[test]
fn the_earliest_leads_to_the_next() {
    for distant in [7, TIMER + 5, FAR - 3, 64 * FAR] {
        let mut queue = EventQueue::new();
        assert_eq!(queue.earliest(), Picoseconds::MAX);
        queue.push(Event {
            time: Picoseconds(distant),
            key: 0,
            payload: 0,
        });
        let steps = (0..4).take_while(|_| queue.pop_until(queue.earliest()).is_none());
        assert!(steps.count() < 4, "{distant}");
    }
}

#[test]
#[should_panic(expected = "an event at 899 ps was pushed at 900 ps")]
fn the_past_is_refused() {
    let mut pair = Pair::starting_at(Picoseconds(900));
    pair.push(Picoseconds(900), 0, 0);
    pair.push(Picoseconds(899), 0, 0);
}

/// Memory follows the peak of pending events, not the sum of every slot's peak.
#[test]
fn memory_follows_the_peak() {
    let mut queue = EventQueue::new();
    let pending = 10_000;
    for round in 0..2000u64 {
        // Each round all events share one slot, of either wheel, that no round before used.
        let time =
            round * 3 * TIMER + (round << FINE_BITS) + if round % 2 == 0 { 0 } else { TIMER };
        for key in 0..pending {
            queue.push(Event {
                time: Picoseconds(time),
                key,
                payload: 0,
            });
        }
        while queue.pop().is_some() {}
    }
    assert!(queue.pool.events() < 2 * pending as usize);
    assert!(queue.open.capacity() < 4 * pending as usize);
    assert!(queue.heap.capacity() < 4 * pending as usize);

    // A slot that refills itself for a long time does not grow either.
    let mut queue = EventQueue::new();
    for key in 0..3 {
        queue.push(Event {
            time: Picoseconds::ZERO,
            key,
            payload: 0,
        });
    }
    for key in 3..100_000 {
        let event = queue.pop().unwrap();
        queue.push(Event { key, ..event });
    }
    assert_eq!(queue.now(), Picoseconds::ZERO);
    assert!(queue.open.capacity() < 1000);
}
