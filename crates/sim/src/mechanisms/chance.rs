//! Random numbers without a state: every draw is a function of the seed, the drawing entity and the number of its draws, so that
//! no draw depends on the order of events.

/// A draw in [0, 1): the `count`-th of `entity`.
#[inline]
pub fn uniform(seed: u64, entity: u32, count: u64) -> f64 {
    let stream = mix(seed.wrapping_add(u64::from(entity).wrapping_mul(GOLDEN)));
    let bits = mix(stream.wrapping_add(count.wrapping_mul(GOLDEN)));
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// 2^64 / golden ratio, odd: the increment of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of splitmix64 (same paper, with Stafford's constants "Mix13").
#[inline]
pub fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_outputs_of_splitmix64() {
        // seed 0: the published generator adds the increment, then finalises.
        assert_eq!(mix(GOLDEN), 0xE220_A839_7B1D_CDAF);
        assert_eq!(mix(GOLDEN.wrapping_mul(2)), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn draws_are_uniform_and_independent_of_entity_and_count() {
        for entity in [0, 1, 77] {
            let draws: Vec<f64> = (0..100_000).map(|n| uniform(13, entity, n)).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let below = draws.iter().filter(|draw| **draw < 0.1).count();
            assert!((mean - 0.5).abs() < 0.004, "{mean}");
            assert!((9_700..10_300).contains(&below), "{below}");
        }
        assert_ne!(uniform(1, 0, 5), uniform(1, 1, 5));
        assert_ne!(uniform(1, 0, 5), uniform(2, 0, 5));
    }
}
