//! The moving average that DCQCN calls alpha, and its decay over any number of quiet periods.

/// Up to this many periods are multiplied one by one, with the same bits as a timer per period.
const SHORT: u64 = 8;

/// An exponentially weighted moving average of "a notification arrived in this period": yes is 1, no is 0.
#[derive(Debug, Clone)]
pub(super) struct MovingAverage {
    /// Weight of the newest period.
    gain: f64,
    /// `keep[k]` is the factor of `2^k` quiet periods: `(1 - gain)` to the power of `2^k`.
    keep: [f64; u64::BITS as usize],
}

impl MovingAverage {
    /// An average that gives the newest period the weight `gain`, above 0 and at most 1.
    pub fn new(gain: f64) -> Self {
        let mut keep = [1.0 - gain; u64::BITS as usize];
        for k in 1..keep.len() {
            keep[k] = keep[k - 1] * keep[k - 1];
        }
        MovingAverage { gain, keep }
    }

    /// The average after one more period with a notification.
    #[inline]
    pub fn after_notification(&self, average: f64) -> f64 {
        self.keep[0] * average + self.gain
    }

    /// The average after one more period of which the share `level` was congested.
    #[inline]
    pub fn after_period(&self, average: f64, level: f64) -> f64 {
        self.keep[0] * average + self.gain * level
    }

    /// The average after `periods` more without a notification. At most as many multiplications as `periods` has set bits.
    #[inline]
    pub fn after_quiet_periods(&self, mut average: f64, mut periods: u64) -> f64 {
        if periods <= SHORT {
            for _ in 0..periods {
                average *= self.keep[0];
            }
            return average;
        }
        while periods != 0 {
            average *= self.keep[periods.trailing_zeros() as usize];
            periods &= periods - 1;
        }
        average
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_and_silence() {
        let average = MovingAverage::new(1.0 / 256.0);
        assert_eq!(average.after_notification(1.0), 1.0);
        assert_eq!(average.after_notification(0.0), 1.0 / 256.0);
        assert_eq!(average.after_quiet_periods(1.0, 0), 1.0);
        assert_eq!(average.after_quiet_periods(1.0, 1), 255.0 / 256.0);
        assert_eq!(
            average.after_quiet_periods(0.5, 2),
            0.5 * (255.0 / 256.0) * (255.0 / 256.0)
        );
        // Half is left after 177 periods (models of DCQCN: 9.7 ms at 55 us).
        assert!(average.after_quiet_periods(1.0, 177) > 0.5);
        assert!(average.after_quiet_periods(1.0, 178) < 0.5);
        assert_eq!(average.after_quiet_periods(1.0, u64::MAX), 0.0);
    }

    #[test]
    fn the_newest_period_alone_counts_when_the_gain_is_one() {
        let average = MovingAverage::new(1.0);
        assert_eq!(average.after_notification(0.3), 1.0);
        assert_eq!(average.after_quiet_periods(0.3, 0), 0.3);
        assert_eq!(average.after_quiet_periods(0.3, 1), 0.0);
    }

    #[test]
    fn many_periods_at_once_are_as_many_one_by_one() {
        for gain in [1.0 / 256.0, 5.0 / 1024.0, 1.0 / 16.0] {
            let average = MovingAverage::new(gain);
            let mut one_by_one = 1.0;
            for periods in 0..3000 {
                let at_once = average.after_quiet_periods(1.0, periods);
                assert!(
                    (at_once - one_by_one).abs() <= 1e-12 * one_by_one,
                    "{periods}"
                );
                if periods <= SHORT {
                    assert_eq!(at_once, one_by_one);
                }
                one_by_one *= 1.0 - gain;
            }
        }
    }
}
