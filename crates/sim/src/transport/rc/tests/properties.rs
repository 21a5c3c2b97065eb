//! What holds whatever is lost.

use super::*;
use proptest::prelude::*;

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(WRITE), Just(SEND), Just(READ)]
}

fn messages() -> impl Strategy<Value = Vec<(Kind, u64)>> {
    prop::collection::vec((kinds(), 0u64..80), 0..12)
}

proptest! {
    /// Whatever is lost, each operation completes once, in order, and its bytes arrive once; both ends post and answer.
    #[test]
    fn everything_arrives_once(
        posts in [messages(), messages()],
        losses in prop::collection::vec(any::<bool>(), 0..60),
        ack_every in 1u32..6,
        ack_timeout in 1u64..60,
        nak_interval in prop_oneof![Just(NEVER), 1u64..20],
        max_outstanding_reads in 1u32..4,
    ) {
        let settings = Settings {
            ack_every,
            ack_timeout,
            nak_interval,
            max_outstanding_reads,
            retry_count: u8::MAX,
            ..plain()
        };
        let mut losses = losses.into_iter();
        let mut pair = Pair::new(&settings);
        pair.loses = Box::new(move |_, _| losses.next().unwrap_or(false));
        for (end, posts) in pair.ends.iter_mut().zip(&posts) {
            for (number, (kind, bytes)) in (0..).zip(posts) {
                end.transport.post(number, *kind, *bytes);
            }
        }
        pair.run();
        for side in [0, 1] {
            let bytes = |posts: &[(Kind, u64)], read: bool| -> u64 {
                posts.iter().filter(|(kind, _)| (*kind == READ) == read).map(|(_, bytes)| bytes).sum()
            };
            let end = &pair.ends[side];
            let ended: Vec<u32> = end.ended.iter().map(|(operation, _)| *operation).collect();
            prop_assert_eq!(ended, (0..posts[side].len() as u32).collect::<Vec<_>>());
            prop_assert_eq!(end.delivered, bytes(&posts[side], true) + bytes(&posts[1 - side], false));
            prop_assert_eq!(end.transport.messages(), 0);
        }
    }
}
