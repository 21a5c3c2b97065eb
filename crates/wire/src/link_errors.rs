//! Computes the frame loss of a link from its bit error ratio, with and without forward error correction.
//!
//! It uses only additions, multiplications and divisions, so that every machine computes the same digits.

/// A symbol of both Reed-Solomon codes has ten bits (IEEE 802.3 clauses 91.5.2.7 and 119.2.4.6).
const SYMBOL_BITS: u32 = 10;
/// Data of a codeword: 514 symbols hold 20 blocks of 257 bits, each 32 bytes (IEEE 802.3 clauses 91.5.2.5 and 119.2.4.2).
const CODEWORD_BYTES: u32 = 20 * 32;

/// Forward error correction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fec {
    /// None: every bit error loses a frame.
    None,
    /// RS(528,514) of 25 and 100 Gb/s links with lanes of 25 Gb/s (IEEE 802.3 clauses 91 and 108).
    Rs528,
    /// RS(544,514) of 50 and 100 Gb/s links with lanes of 50 Gb/s (IEEE 802.3 clauses 91 and 134).
    Rs544,
    /// RS(544,514) with two codewords interleaved, of 200 and 400 Gb/s links (IEEE 802.3 clause 119).
    Rs544Interleaved,
}

impl Fec {
    /// Symbols of a codeword, and the number of wrong symbols that it corrects: half of the parity symbols.
    fn code(self) -> Option<(u32, u32)> {
        match self {
            Fec::None => None,
            Fec::Rs528 => Some((528, 7)),
            Fec::Rs544 | Fec::Rs544Interleaved => Some((544, 15)),
        }
    }

    /// Codewords that are interleaved, and discarded jointly (IEEE 802.3 clause 119.2.5.3).
    fn interleaved_codewords(self) -> u32 {
        match self {
            Fec::Rs544Interleaved => 2,
            Fec::None | Fec::Rs528 | Fec::Rs544 => 1,
        }
    }
}

/// Frame losses of a link with bit errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkErrors {
    /// Probability that a bit without correction is wrong.
    bit: f64,
    /// Bytes of codewords that are discarded jointly, and the probability of this.
    discard: Option<(u32, f64)>,
}

impl LinkErrors {
    /// A link with independent bit errors of probability `ber` on its lanes. `floor` is the bit error ratio
    /// after correction on lanes without bit errors.
    pub fn new(ber: f64, fec: Fec, floor: f64) -> Self {
        let Some((symbols, corrected)) = fec.code() else {
            return LinkErrors {
                bit: ber + floor - ber * floor,
                discard: None,
            };
        };
        let symbol = at_least_one(ber, SYMBOL_BITS);
        let codeword = binomial_tail(corrected, symbols, symbol);
        let interleaved = fec.interleaved_codewords();
        LinkErrors {
            bit: floor,
            discard: Some((
                interleaved * CODEWORD_BYTES,
                at_least_one(codeword, interleaved),
            )),
        }
    }

    /// The probability that a frame of `bytes`, header through FCS, is lost: one of its bits is wrong, or one of its
    /// codewords cannot be corrected, so that all blocks of the codeword become errors (IEEE 802.3 clauses 91.5.3.3 and
    /// 119.2.5.3). The offset of the frame in a codeword is random.
    pub fn frame_loss(&self, bytes: u32) -> f64 {
        let bits = at_least_one(self.bit, bytes.saturating_mul(8));
        let Some((span, probability)) = self.discard else {
            return bits;
        };
        let reach = bytes.max(1) - 1;
        // The frame spans at least this many codewords, and one more with the probability of an unfavourable offset.
        let extra_codeword = f64::from(reach % span) / f64::from(span);
        let fewest = at_least_one(probability, 1 + reach / span);
        let codewords = fewest + extra_codeword * (1.0 - fewest) * probability;
        bits + codewords - bits * codewords
    }
}

/// The probability that at least one of `trials` independent events of this `probability` occurs.
fn at_least_one(probability: f64, mut trials: u32) -> f64 {
    // 1 - (1 - p)^n would lose the digits of a small p.
    let either = |a: f64, b: f64| a + b - a * b;
    let (mut result, mut power) = (0.0, probability);
    while trials != 0 {
        if trials & 1 != 0 {
            result = either(result, power);
        }
        power = either(power, power);
        trials >>= 1;
    }
    result
}

/// The probability that more than `limit` of `trials` independent events of this `probability` occur.
fn binomial_tail(limit: u32, trials: u32, probability: f64) -> f64 {
    if probability >= 1.0 {
        return 1.0;
    }
    let mut term = 1.0; // no event
    for _ in 0..trials {
        term *= 1.0 - probability;
    }
    if term < f64::MIN_POSITIVE {
        return 1.0; // almost every event occurs, and rounding loses the difference
    }
    let odds = probability / (1.0 - probability);
    let mut sum = 0.0;
    for events in 1..=trials {
        term *= f64::from(trials - events + 1) / f64::from(events) * odds;
        if events > limit {
            sum += term;
        }
    }
    f64::min(sum, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_close(actual: f64, expected: f64) {
        let error = (actual / expected - 1.0).abs();
        assert!(error < 1e-9, "{actual:e} instead of {expected:e}");
    }

    #[test]
    fn without_correction_every_bit_error_loses_a_frame() {
        let link = LinkErrors::new(1e-12, Fec::None, 0.0);
        // The omitted terms are about 1e-12 of the result.
        assert_close(link.frame_loss(64), 512e-12);
        assert_close(link.frame_loss(4178), 33_424e-12 * (1.0 - 0.5 * 33_423e-12));
        let bad = LinkErrors::new(1e-3, Fec::None, 0.0);
        assert_close(bad.frame_loss(125), 1.0 - 0.999_f64.powi(1000));
        assert_eq!(LinkErrors::new(1.0, Fec::None, 0.0).frame_loss(64), 1.0);
        assert_eq!(LinkErrors::new(0.0, Fec::None, 0.0).frame_loss(9000), 0.0);
    }

    /// IEEE 802.3 allows lanes these bit error ratios, and states a limit for the loss of 64-byte frames on such links:
    /// clause 95.1.1 (100GBASE-SR4) and clauses 121.1.1 to 124.1.1 (200 and 400 Gb/s).
    #[test]
    fn frame_loss_matches_the_limits_of_the_standard() {
        let rows = [
            (5e-5, Fec::Rs528, 6.2e-10),
            (2.4e-4, Fec::Rs544Interleaved, 1.7e-12),
        ];
        for (ber, fec, allowed) in rows {
            let loss = LinkErrors::new(ber, fec, 0.0).frame_loss(64);
            // The standard states "less than" with two digits.
            assert!(loss < 1.01 * allowed && loss > 0.7 * allowed, "{loss:e}");
        }
    }

    #[test]
    fn floor_remains_after_correction() {
        let clean = LinkErrors::new(1e-8, Fec::Rs544, 0.0);
        assert!(clean.frame_loss(4178) < 1e-60);
        let floor = LinkErrors::new(1e-8, Fec::Rs544, 1e-13);
        assert_close(
            floor.frame_loss(4178),
            33_424e-13 * (1.0 - 0.5 * 33_423e-13),
        );
        let loss = LinkErrors::new(1e-6, Fec::None, 1e-6).frame_loss(1);
        assert_close(loss, at_least_one(1e-6, 16));
    }

    /// The mean over all offsets at which a frame may begin.
    #[test]
    fn longer_frames_span_more_codewords() {
        let link = LinkErrors::new(1e-3, Fec::Rs544, 0.0);
        let codeword = binomial_tail(15, 544, at_least_one(1e-3, 10));
        for bytes in [1, 64, 640, 641, 4178, 9018] {
            let losses =
                (0..640).map(|offset| at_least_one(codeword, 1 + (offset + bytes - 1) / 640));
            assert_close(link.frame_loss(bytes), losses.sum::<f64>() / 640.0);
        }
    }

    #[test]
    fn binomial_tail_matches_exact_values() {
        assert_close(binomial_tail(0, 10, 0.1), at_least_one(0.1, 10));
        assert_close(binomial_tail(1, 3, 0.5), 0.5);
        assert_close(binomial_tail(9, 10, 0.5), 1.0 / 1024.0);
        assert_eq!(binomial_tail(15, 544, 1.0), 1.0);
        assert_eq!(binomial_tail(15, 544, 0.9), 1.0);
        assert_eq!(binomial_tail(15, 544, 0.0), 0.0);
    }

    proptest! {
        #[test]
        fn frame_loss_grows_with_errors_and_length(ber in 0.0f64..0.1, extra in 0.0f64..0.1, bytes in 64u32..9018, fec in 0usize..4) {
            let fec = [Fec::None, Fec::Rs528, Fec::Rs544, Fec::Rs544Interleaved][fec];
            let (good, bad) = (LinkErrors::new(ber, fec, 0.0), LinkErrors::new(ber + extra, fec, 0.0));
            // Rounding affects the last digits.
            prop_assert!(good.frame_loss(bytes) <= bad.frame_loss(bytes) + 1e-12);
            prop_assert!(bad.frame_loss(bytes) <= bad.frame_loss(bytes + 1) + 1e-12);
            prop_assert!((0.0..=1.0).contains(&bad.frame_loss(bytes)));
        }
    }
}
