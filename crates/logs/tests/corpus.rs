//! Replays the inputs that fuzzing stored.

mod properties;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use properties::{log, table};
use replay::replay;

#[test]
fn stored_inputs_hold_every_property() {
    replay(include_str!("../../../fuzz/corpus/log.txt"), log::check);
    replay(include_str!("../../../fuzz/corpus/table.txt"), table::check);
}
