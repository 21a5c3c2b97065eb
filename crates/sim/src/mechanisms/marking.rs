//! ECN marking of a queue: WRED on the instantaneous or the averaged queue (RFC 3168, Floyd and Jacobson 1993).

use crate::bytes::Bytes;
use crate::model::parameters::{self, MarkingPoint};

/// How a queue marks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Marker {
    /// Marking law.
    pub law: Law,
    /// Marking position; none = never.
    pub at: Option<MarkingPoint>,
    /// Averaging of the queue length; none = instantaneous.
    pub average: Option<Average>,
}

impl Marker {
    /// From the parameters, whose thresholds are `kmin` and `kmax` bytes at the port.
    pub fn new(parameters: &parameters::Marking, kmin: Bytes<u32>, kmax: Bytes<u32>) -> Self {
        let pmax = parameters.pmax;
        Marker {
            law: Law { kmin, kmax, pmax },
            at: parameters.enabled.then_some(parameters.at),
            average: (parameters.weight > 0).then(|| Average::new(parameters.weight)),
        }
    }

    /// The input of the marking law for a queue of this many bytes: its length averaged over arrivals, or the instantaneous
    /// length. `idle`: number of packets that could have left while the queue was empty.
    #[inline]
    pub fn length(&self, bytes: f64, average: &mut f64, idle: Option<u64>) -> f64 {
        let Some(law) = self.average else {
            return bytes;
        };
        if let Some(packets) = idle {
            *average = law.idle(*average, packets);
        }
        *average = law.arrival(*average, bytes);
        *average
    }

    /// Whether the law has to be evaluated: not for an instantaneous queue that is short.
    #[inline]
    pub fn may_mark(&self, queue: Bytes<u32>) -> bool {
        queue > self.law.kmin || self.average.is_some()
    }
}

/// The law of one queue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// No marks up to this many bytes.
    pub kmin: Bytes<u32>,
    /// All packets are marked above this many.
    pub kmax: Bytes<u32>,
    /// Probability at kmax.
    pub pmax: f64,
}

impl Law {
    /// The probability of a mark: 0 up to kmin, `pmax (q - kmin) / (kmax - kmin)` up to kmax, 1 above.
    #[inline]
    pub fn probability(&self, queue: f64) -> f64 {
        if queue > self.kmax.as_f64() {
            return 1.0;
        }
        if queue <= self.kmin.as_f64() {
            return 0.0;
        }
        self.pmax * (queue - self.kmin.as_f64()) / (self.kmax - self.kmin).as_f64()
    }
}

/// The average queue of RED: `avg + 2^-w (q - avg)` at each arrival, and for a queue that was empty meanwhile
/// `avg (1 - 2^-w)^m`, m = how many packets could have left while it stood empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Average {
    gain: f64,
}

impl Average {
    /// The average with weight 2^-`weight`.
    pub fn new(weight: u8) -> Self {
        Average {
            gain: 1.0 / (1u64 << weight.min(63)) as f64,
        }
    }

    /// The average after an arrival that finds `queue` bytes.
    #[inline]
    pub fn arrival(self, average: f64, queue: f64) -> f64 {
        average + self.gain * (queue - average)
    }

    /// The average after `packets` could have left an empty queue.
    pub fn idle(self, mut average: f64, mut packets: u64) -> f64 {
        let mut factor = 1.0 - self.gain;
        while packets > 0 {
            if packets & 1 == 1 {
                average *= factor;
            }
            factor *= factor;
            packets >>= 1;
        }
        average
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law() {
        let law = Law {
            kmin: Bytes(100),
            kmax: Bytes(300),
            pmax: 0.2,
        };
        let rows = [(0, 0.0), (100, 0.0), (200, 0.1), (300, 0.2), (301, 1.0)];
        for (queue, probability) in rows {
            assert_eq!(law.probability(f64::from(queue)), probability);
        }
    }

    #[test]
    fn a_step_where_kmin_is_kmax() {
        let law = Law {
            kmin: Bytes(100),
            kmax: Bytes(100),
            pmax: 1.0,
        };
        assert_eq!(law.probability(100.0), 0.0);
        assert_eq!(law.probability(101.0), 1.0);
    }

    #[test]
    fn averages() {
        let average = Average::new(2);
        assert_eq!(average.arrival(0.0, 800.0), 200.0);
        assert_eq!(average.arrival(200.0, 800.0), 350.0);
        assert_eq!(average.idle(1024.0, 0), 1024.0);
        assert_eq!(average.idle(1024.0, 5), 1024.0 * 243.0 / 1024.0);
        assert_eq!(Average::new(0).arrival(5.0, 800.0), 800.0);
    }
}
