//! A ring of slots, a bitmap of those occupied, and the pool of chunks that all slots draw from.

/// Events in a chunk: one cache line of 64 bytes.
const CHUNK: usize = 4;

/// Chunks of packed events. Each slot is a chain of chunks, newest first; all but the newest are full.
pub(super) struct Pool {
    chunks: Vec<Chunk>,
    /// The chunk after this one in its slot, or in the chain of free ones. 0 is the end: chunk 0 is never used.
    next: Vec<u32>,
    free: u32,
}

#[derive(Clone)]
#[repr(align(64))]
struct Chunk([u128; CHUNK]);

impl Pool {
    pub(super) fn new() -> Self {
        Pool {
            chunks: vec![Chunk([0; CHUNK])],
            next: vec![0],
            free: 0,
        }
    }

    /// Number of events that fit into the allocated memory.
    #[cfg(test)]
    pub(super) fn events(&self) -> usize {
        self.chunks.capacity() * CHUNK
    }

    /// An empty chunk linked to `next`.
    #[inline]
    fn take(&mut self, next: u32) -> u32 {
        let chunk = self.free;
        if chunk == 0 {
            return self.grow(next);
        }
        self.free = std::mem::replace(&mut self.next[chunk as usize], next);
        chunk
    }

    #[cold]
    fn grow(&mut self, next: u32) -> u32 {
        let chunk = self.chunks.len();
        // Positions are 32 bits: 2^32 events of 16 bytes are 64 GiB.
        assert!(
            chunk < u32::MAX as usize / CHUNK,
            "more than 4 billion events are pending"
        );
        self.chunks.push(Chunk([0; CHUNK]));
        self.next.push(next);
        chunk as u32
    }
}

/// A ring of `SLOTS` slots, at most 4,096 and a multiple of 64, that holds slot numbers in a window of that length.
pub(super) struct Wheel<const SLOTS: usize> {
    /// Position of the next event of each slot: chunk times `CHUNK` plus index. A multiple of `CHUNK` means that the chunk
    /// before it is full, and 0 that the slot is empty.
    ends: Box<[u32; SLOTS]>,
    /// Bit s % 64 of word s / 64: slot s is occupied.
    occupied: [u64; 64],
    /// Bit w: word w is not zero.
    words: u64,
}

impl<const SLOTS: usize> Wheel<SLOTS> {
    pub(super) fn new() -> Self {
        const { assert!(SLOTS.is_power_of_two() && SLOTS >= 64 && SLOTS <= 4096) };
        Wheel {
            ends: Box::new([0; SLOTS]),
            occupied: [0; 64],
            words: 0,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, slot: u64, packed: u128, pool: &mut Pool) {
        let index = slot as usize % SLOTS;
        let end = &mut self.ends[index];
        let position = *end as usize % CHUNK;
        if position == 0 {
            if *end == 0 {
                self.occupied[index / 64] |= 1 << (index % 64);
                self.words |= 1 << (index / 64);
            }
            let full = (*end / CHUNK as u32).saturating_sub(1);
            *end = pool.take(full) * CHUNK as u32;
        }
        pool.chunks[*end as usize / CHUNK].0[position] = packed;
        *end += 1;
    }

    /// Moves the events of an occupied slot into `into`.
    #[inline]
    pub(super) fn drain(&mut self, slot: u64, pool: &mut Pool, into: &mut Vec<u128>) {
        let index = slot as usize % SLOTS;
        let last = std::mem::take(&mut self.ends[index]) - 1;
        self.occupied[index / 64] &= !(1 << (index % 64));
        if self.occupied[index / 64] == 0 {
            self.words &= !(1 << (index / 64));
        }
        let mut chunk = last as usize / CHUNK;
        let mut count = last as usize % CHUNK + 1;
        while chunk != 0 {
            // Copies all of the chunk and then truncates: a copy of known length is faster than one of the right length.
            into.extend_from_slice(&pool.chunks[chunk].0);
            into.truncate(into.len() - (CHUNK - count));
            let next = std::mem::replace(&mut pool.next[chunk], pool.free);
            pool.free = chunk as u32;
            chunk = next as usize;
            count = CHUNK;
        }
    }

    /// The first occupied slot after `slot`, of the `SLOTS - 1` that follow it.
    #[inline]
    pub(super) fn next_after(&self, slot: u64) -> Option<u64> {
        let start = (slot + 1) as usize % SLOTS;
        let word = start / 64;
        let slots = self.occupied[word] & (!0 << (start % 64));
        let index = if slots != 0 {
            word * 64 + slots.trailing_zeros() as usize
        } else {
            // The words after this one, else from the first on, which wraps around to the lower bits of this one.
            let behind = self.words & (!1 << word);
            let found = if behind != 0 { behind } else { self.words };
            if found == 0 {
                return None;
            }
            let word = found.trailing_zeros() as usize;
            word * 64 + self.occupied[word].trailing_zeros() as usize
        };
        Some(slot + 1 + (index.wrapping_sub(start) % SLOTS) as u64)
    }
}
