//! The inputs that fuzzing kept, once more.

#[path = "congestion/arbitrary_order.rs"]
mod arbitrary_order;
#[path = "congestion/naive.rs"]
mod naive;
#[path = "reader/reader_properties.rs"]
mod reader_properties;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use replay::replay;

#[test]
fn kept_scenarios_hold_every_property() {
    replay(
        include_str!("../../../fuzz/corpus/scenario.txt"),
        reader_properties::check_reader,
    );
}

#[test]
fn kept_calls_hold_every_property() {
    replay(
        include_str!("../../../fuzz/corpus/congestion.txt"),
        arbitrary_order::arbitrary_order,
    );
}
