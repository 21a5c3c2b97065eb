//! Entropy values: the sender selects the path of a packet by its UDP source port (Ultra Ethernet Specification 1.0).
//! Switches with [`crate::model::parameters::Balance::Entropy`] hash it.
//!
//! A queue pair uses its values in turn. A value whose packet was marked or trimmed is skipped once:
//! the "bitmap" of the consortium's model (uet-htsim, `htsim/sim/uec_mp.cpp`) with a penalty of one turn.

use crate::ids::QueuePairId;
use crate::mechanisms::chance::mix;

/// First of the dynamic ports (RFC 6335, section 6), and their number.
const FIRST_PORT: u16 = 49_152;
const PORTS: u16 = 16_384;

/// The entropy values of one queue pair.
#[derive(Debug, Clone)]
pub(crate) struct EntropyValues {
    first: u16,
    next: u16,
    /// By value, counted from the first: whether it is skipped at its next turn.
    avoided: Vec<bool>,
}

impl EntropyValues {
    /// `count` values, beginning at one drawn from seed and queue pair.
    pub fn new(seed: u64, queue_pair: QueuePairId, count: u16) -> Self {
        EntropyValues {
            first: (mix(mix(seed) ^ u64::from(queue_pair.0)) % u64::from(PORTS)) as u16,
            next: 0,
            avoided: vec![false; usize::from(count)],
        }
    }

    /// The value of the next packet.
    pub fn take(&mut self) -> u16 {
        // If all are to be avoided, the first is used.
        while std::mem::take(&mut self.avoided[usize::from(self.next)]) {
            self.advance();
        }
        let port = FIRST_PORT + (self.first + self.next) % PORTS;
        self.advance();
        port
    }

    fn advance(&mut self) {
        self.next = (self.next + 1) % self.avoided.len() as u16;
    }

    /// A packet with this value was marked or trimmed.
    pub fn avoid(&mut self, value: u16) {
        let position = (value - FIRST_PORT + PORTS - self.first) % PORTS;
        if let Some(avoided) = self.avoided.get_mut(usize::from(position)) {
            *avoided = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_turns_and_one_that_met_a_queue_sits_one_out() {
        for queue_pair in [0, 1, 77, 12_345] {
            let mut values = EntropyValues::new(1, QueuePairId(queue_pair), 4);
            let round: Vec<u16> = (0..4).map(|_| values.take()).collect();
            assert!(round.iter().all(|port| *port >= FIRST_PORT), "{round:?}");
            assert_eq!(values.take(), round[0]);
            values.avoid(round[2]);
            values.avoid(round[2]);
            let next_values: Vec<u16> = (0..6).map(|_| values.take()).collect();
            let [a, b, c, d] = round[..] else { panic!() };
            assert_eq!(next_values, [b, d, a, b, c, d]);
            for port in round.iter() {
                values.avoid(*port);
            }
            assert_eq!(
                (values.take(), values.take()),
                (a, b),
                "all are avoided, so none is"
            );
        }
    }

    #[test]
    fn one_value_is_always_the_same() {
        let mut values = EntropyValues::new(9, QueuePairId(3), 1);
        let port = values.take();
        values.avoid(port);
        assert_eq!(values.take(), port);
    }
}
