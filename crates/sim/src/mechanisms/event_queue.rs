//! The event queue: pending events in the order of their time.
//!
//! A hierarchical timing wheel (Varghese and Lauck, "Hashed and hierarchical timing wheels", SOSP 1987). Near events are
//! unsorted in fine slots, timers in coarse ones, and a slot is sorted only when its time has come, so the time per event is the
//! same whether 16 or 500,000 are pending. A binary heap holds the few events that fit neither.
//!
//! Widths are measured (`cargo bench -p wirespeed-bench`): fine slots of 1 to 4 ns are equally fast, wider ones up to
//! 50 % slower where a fat tree has events at many times in a nanosecond.

mod wheel;

use crate::time::Picoseconds;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wheel::{Pool, Wheel};

/// A fine slot is 2^12 ps, 4.1 ns, wide.
const FINE_BITS: u32 = 12;
/// The fine wheel reaches 8.4 us ahead: frames, hops and the microsecond timers of congestion control.
const FINE_SLOTS: usize = 2048;
/// A coarse slot is 2^22 ps, 4.2 us, wide: half of the range of the fine wheel, so all of it fits there at once.
const COARSE_BITS: u32 = 22;
/// The coarse wheel reaches 4.3 ms ahead.
const COARSE_SLOTS: usize = 1024;
/// Limit of open slots after the first. Events beyond the fine wheel are in coarse slots that begin later.
const OPEN_SLOTS: u64 = FINE_SLOTS as u64 - (1 << (COARSE_BITS - FINE_BITS));

/// Marks no slot: slot numbers are times shifted right.
const NO_SLOT: u64 = u64::MAX;
/// Slots are opened until this many events are open. With fewer, the search for the next slot would take longer than it saves.
const ENOUGH: usize = 8;
/// An event that would shift more others than this in the open slots goes to a wheel or the heap.
const LONGEST_SHIFT: usize = 64;

/// An event.
///
/// Equal times are ordered by `key`: the event's class in the top 4 bits, the entity's id in the low 28. An entity has at
/// most one pending event of a class at one time, so (time, key) is a total order that does not depend on insertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// When it happens: picoseconds from the start.
    pub time: Picoseconds,
    /// The entity, and the class of event: decides among equal times, smallest first.
    pub key: u32,
    /// Data for the entity; decides among equal times and keys, so that any sequence has one order.
    pub payload: u32,
}

/// Pending events, popped in the order of (time, key, payload).
///
/// Memory follows the largest number of events that were pending at once; a queue that has reached it allocates no more.
pub struct EventQueue {
    /// From `head` on, sorted: every event of the slots up to `horizon` that is not in `heap`.
    open: Vec<u128>,
    head: usize,
    /// The last open slot. Neither wheel holds anything in it or before it.
    horizon: u64,
    /// The first open slot, from which the wheels reach ahead; `horizon` is at most `OPEN_SLOTS` after it.
    base: u64,
    fine: Wheel<FINE_SLOTS>,
    coarse: Wheel<COARSE_SLOTS>,
    /// The fine slot at which the first occupied coarse slot begins, or `NO_SLOT`.
    coarse_begin: u64,
    pool: Pool,
    /// Events beyond the coarse wheel, and those that would have shifted too many others in `open`.
    heap: BinaryHeap<Reverse<u128>>,
    now: Picoseconds,
    len: usize,
}

impl EventQueue {
    /// A queue without events, at time zero.
    pub fn new() -> Self {
        EventQueue {
            open: Vec::new(),
            head: 0,
            horizon: 0,
            base: 0,
            fine: Wheel::new(),
            coarse: Wheel::new(),
            coarse_begin: NO_SLOT,
            pool: Pool::new(),
            heap: BinaryHeap::new(),
            now: Picoseconds::ZERO,
            len: 0,
        }
    }

    /// Adds an event at the present time or later; panics at an earlier one, which is a defect of the model.
    #[inline]
    pub fn push(&mut self, event: Event) {
        assert!(
            event.time >= self.now,
            "an event at {} ps was pushed at {} ps",
            event.time,
            self.now
        );
        self.len += 1;
        let packed = pack(event);
        let slot = event.time.0 >> FINE_BITS;
        if slot <= self.horizon {
            self.insert_open(packed);
        } else if slot - self.base < FINE_SLOTS as u64 {
            self.fine.push(slot, packed, &mut self.pool);
        } else {
            self.push_timer(event.time, packed);
        }
    }

    /// Removes the event with the smallest (time, key, payload); its time becomes the present.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        self.pop_until(Picoseconds::MAX)
    }

    /// Removes the next event if its time is `end` or before.
    #[inline(always)] // into the loop over all events: the compiler would make it a call for each of them
    pub fn pop_until(&mut self, end: Picoseconds) -> Option<Event> {
        if self.head == self.open.len() && !self.advance(end) {
            return None;
        }
        let packed = match self.open.get(self.head) {
            Some(&first) if self.heap.peek().is_none_or(|top| first <= top.0) => {
                if time_of(first) > end {
                    return None;
                }
                self.head += 1;
                first
            }
            _ => {
                if self.heap.peek().is_none_or(|top| time_of(top.0) > end) {
                    return None;
                }
                self.heap.pop()?.0
            }
        };
        self.len -= 1;
        let event = unpack(packed);
        self.now = event.time;
        Some(event)
    }

    /// The event that `pop` would return.
    #[inline]
    pub fn peek(&mut self) -> Option<Event> {
        if self.head == self.open.len() && !self.advance(Picoseconds::MAX) {
            return None;
        }
        let open = self.open.get(self.head).copied();
        let heap = self.heap.peek().map(|top| top.0);
        open.into_iter().chain(heap).min().map(unpack)
    }

    /// The event `ahead` positions after the next, if it is near enough to be sorted already.
    #[inline]
    pub fn event_ahead(&self, ahead: usize) -> Option<Event> {
        self.open.get(self.head + ahead).copied().map(unpack)
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The time of the last event popped.
    pub fn now(&self) -> Picoseconds {
        self.now
    }

    /// Inserts an event into the sorted rest of the open slots: most are later than most of the pending ones.
    #[inline]
    fn insert_open(&mut self, packed: u128) {
        if self.head == self.open.len() {
            self.open.clear();
            self.head = 0;
        }
        let len = self.open.len();
        if len - self.head > LONGEST_SHIFT && self.open[len - 1 - LONGEST_SHIFT] > packed {
            self.insert_crowded(packed);
            return;
        }
        self.open.push(packed);
        let waiting = &mut self.open[self.head..];
        let mut position = waiting.len() - 1;
        while position > 0 && waiting[position - 1] > packed {
            waiting[position] = waiting[position - 1];
            position -= 1;
        }
        waiting[position] = packed;
        // A slot that refills itself must not grow by the events removed from it.
        if self.head > LONGEST_SHIFT && self.head * 2 > self.open.len() {
            self.open.drain(..self.head);
            self.head = 0;
        }
    }

    /// Adds an event that would shift too many others: closes all open slots but the first, or else uses the heap.
    #[cold]
    fn insert_crowded(&mut self, packed: u128) {
        self.base = self.base.max(slot_of(self.open[self.head]));
        self.horizon = self.base;
        let due = self.open[self.head..].partition_point(|&other| slot_of(other) <= self.horizon);
        for later in self.open.drain(self.head + due..) {
            self.fine.push(slot_of(later), later, &mut self.pool);
        }
        if slot_of(packed) > self.horizon {
            self.fine.push(slot_of(packed), packed, &mut self.pool);
        } else {
            self.heap.push(Reverse(packed));
        }
    }

    #[inline(never)]
    fn push_timer(&mut self, time: Picoseconds, packed: u128) {
        let coarse = time.0 >> COARSE_BITS;
        if coarse - (self.base >> (COARSE_BITS - FINE_BITS)) >= COARSE_SLOTS as u64 {
            self.heap.push(Reverse(packed));
            return;
        }
        self.coarse.push(coarse, packed, &mut self.pool);
        let begin = coarse << (COARSE_BITS - FINE_BITS);
        self.coarse_begin = self.coarse_begin.min(begin);
    }

    /// No event is pending before this: the time of the next, or the start of the slot that holds it. None pending: the
    /// end of time.
    pub fn earliest(&self) -> Picoseconds {
        let heap = self
            .heap
            .peek()
            .map_or(Picoseconds::MAX, |top| time_of(top.0));
        if let Some(&first) = self.open.get(self.head) {
            return time_of(first).min(heap);
        }
        let fine = self.fine.next_after(self.horizon).unwrap_or(NO_SLOT);
        match fine.min(self.coarse_begin) {
            NO_SLOT => heap,
            slot => Picoseconds(slot << FINE_BITS).min(heap),
        }
    }

    /// All open events are used up: opens the next slots up to `end`, so that the smallest event is the first of `open`
    /// or the top of `heap`. False if there is none. Slots after `end` stay closed: insertion before them is cheap.
    fn advance(&mut self, end: Picoseconds) -> bool {
        self.open.clear();
        self.head = 0;
        let end = end.0 >> FINE_BITS;
        loop {
            let fine = self.fine.next_after(self.horizon).unwrap_or(NO_SLOT);
            let heap = self.heap.peek().map_or(NO_SLOT, |top| slot_of(top.0));
            if fine.min(heap).min(self.coarse_begin) > end {
                return false;
            }
            // Slots after the heap's top stay closed: its events add to them, and insertion into a closed slot is cheaper.
            if fine < self.coarse_begin && fine <= heap {
                self.open_slots(fine, end);
                return true;
            }
            if heap < self.coarse_begin {
                if heap > self.horizon {
                    self.base = heap;
                    self.horizon = heap;
                }
                return true;
            }
            self.spread_coarse();
        }
    }

    /// Opens the fine slots from `first` on, at most to `end`, until enough events are open.
    fn open_slots(&mut self, first: u64, end: u64) {
        // Up to here no timer of a coarse slot can intervene.
        let last = (first + OPEN_SLOTS).min(self.coarse_begin - 1).min(end);
        self.base = first;
        let mut slot = first;
        loop {
            self.fine.drain(slot, &mut self.pool, &mut self.open);
            if self.open.len() >= ENOUGH {
                self.horizon = slot;
                break;
            }
            let next = self.fine.next_after(slot).unwrap_or(NO_SLOT);
            if next > last {
                self.horizon = last;
                break;
            }
            slot = next;
        }
        if self.open.len() > 1 {
            self.open.sort_unstable();
        }
    }

    /// Spreads the first occupied coarse slot over the fine wheel.
    fn spread_coarse(&mut self) {
        let coarse = self.coarse_begin >> (COARSE_BITS - FINE_BITS);
        self.base = self.coarse_begin - 1;
        self.horizon = self.base;
        self.coarse.drain(coarse, &mut self.pool, &mut self.open);
        for &packed in &self.open {
            self.fine.push(slot_of(packed), packed, &mut self.pool);
        }
        self.open.clear();
        self.coarse_begin = self
            .coarse
            .next_after(coarse)
            .map_or(NO_SLOT, |next| next << (COARSE_BITS - FINE_BITS));
    }
}

impl Default for EventQueue {
    fn default() -> Self {
        Self::new()
    }
}

/// The time of a packed event.
#[inline]
fn time_of(packed: u128) -> Picoseconds {
    Picoseconds((packed >> 64) as u64)
}

/// The fine slot of a packed event.
#[inline]
fn slot_of(packed: u128) -> u64 {
    (packed >> (64 + FINE_BITS)) as u64
}

/// An event as one number whose order is that of (time, key, payload).
#[inline]
fn pack(event: Event) -> u128 {
    u128::from(event.time.0) << 64 | u128::from(event.key) << 32 | u128::from(event.payload)
}

#[inline]
fn unpack(packed: u128) -> Event {
    Event {
        time: Picoseconds((packed >> 64) as u64),
        key: (packed >> 32) as u32,
        payload: packed as u32,
    }
}

#[cfg(test)]
mod tests;
