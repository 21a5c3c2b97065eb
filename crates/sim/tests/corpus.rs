//! The inputs that fuzzing kept, once more.

#[path = "reader/any_text.rs"]
mod any_text;
#[path = "congestion/arbitrary_order.rs"]
mod arbitrary_order;
#[path = "congestion/naive.rs"]
mod naive;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use replay::replay;

#[test]
fn kept_scenarios_hold_every_property() {
    replay(
        include_str!("../../../fuzz/corpus/scenario.txt"),
        any_text::any_text,
    );
}

#[test]
fn kept_calls_hold_every_property() {
    replay(
        include_str!("../../../fuzz/corpus/congestion.txt"),
        arbitrary_order::arbitrary_order,
    );
}
