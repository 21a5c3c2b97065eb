//! Permutations drawn at random, the same each time.

use wirespeed_sim::mechanisms::chance::{mix, GOLDEN};

/// splitmix64 (Steele, Lea, Flood, OOPSLA 2014): a stream of 64-bit draws.
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    pub(super) fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }
}

/// Shuffles from the last number to the first (Fisher and Yates); a partner's index is a draw modulo the indices left.
pub(super) fn shuffle(numbers: &mut [u64], random: &mut SplitMix64) {
    for last in (1..numbers.len()).rev() {
        let partner = random.draw() % (last as u64 + 1);
        numbers.swap(last, partner as usize);
    }
}

/// All numbers below `count`, none of them at its own index: shuffled, and then each number at its own index swapped with the
/// next.
pub(super) fn draw_derangement(count: u64, seed: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..count).collect();
    shuffle(&mut numbers, &mut SplitMix64::new(seed));
    for index in 0..numbers.len() {
        if numbers[index] == index as u64 {
            numbers.swap(index, (index + 1) % count as usize);
        }
    }
    numbers
}

/// All numbers below `count` in random order: a cycle in which each is followed by another, the last by the first.
pub(super) fn draw_cycle(count: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..count).collect();
    // Fisher and Yates's shuffle, drawn by xorshift64 (Marsaglia, "Xorshift RNGs", J. Stat. Software 8(14), 2003).
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for last in (1..order.len()).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let partner = (u128::from(random) * (last as u128 + 1)) >> 64;
        order.swap(last, partner as usize);
    }
    order
}

/// Each number of the cycle with the one that follows it.
pub(super) fn pair_with_next(cycle: &[u64]) -> impl Iterator<Item = (u64, u64)> + '_ {
    let next = cycle.iter().cycle().skip(1);
    cycle.iter().copied().zip(next.copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derangement_contains_every_number_at_another_index() {
        for seed in 0..100 {
            for count in [2, 3, 16, 128] {
                let mut numbers = draw_derangement(count, seed);
                let is_moved = |(index, number): (usize, &u64)| index as u64 != *number;
                assert!(numbers.iter().enumerate().all(is_moved), "{seed}, {count}");
                numbers.sort_unstable();
                assert!(numbers.into_iter().eq(0..count));
            }
        }
    }

    #[test]
    fn cycle_contains_every_number() {
        let mut order = draw_cycle(1_000);
        assert_ne!(order[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..1_000));
    }
}
