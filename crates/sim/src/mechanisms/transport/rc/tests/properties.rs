//! Properties that hold whatever is lost, late or refused.

use super::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Timeouts are often shorter than the round trip: copies of refused or late packets are in flight.
    #[test]
    fn everything_arrives_once(
        posts in posts(),
        disturbances in disturbances(),
        ack_every in 1u32..6,
        ack_timeout in prop_oneof![1u64..8, 1u64..60],
        nak_interval in prop_oneof![Just(NEVER), (1u64..20).prop_map(Picoseconds)],
        max_outstanding_reads in 1u32..4,
        rx_depth in prop_oneof![Just(None), Just(Some(1)), (2u32..4).prop_map(Some)],
        receive in prop_oneof![0u64..8, 0u64..60],
    ) {
        let mut pair = Pair::new(&Settings {
            ack_every,
            ack_timeout: Picoseconds(ack_timeout),
            nak_interval,
            max_outstanding_reads,
            rx_depth,
            receive: Picoseconds(receive),
            retry_count: u8::MAX,
            ..plain()
        });
        pair.disturb(disturbances);
        pair.everything_arrives_once(&posts)?;
    }
}
