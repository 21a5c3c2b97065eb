//! Replays the inputs that fuzzing stored.

mod properties;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use properties::{capture, credit, frame_sizes, packet, pfc, socket};
use replay::replay;

#[test]
fn stored_inputs_hold_every_property() {
    replay(
        include_str!("../../../fuzz/corpus/wire_packet.txt"),
        packet::check,
    );
    replay(
        include_str!("../../../fuzz/corpus/wire_pfc.txt"),
        pfc::check,
    );
    replay(
        include_str!("../../../fuzz/corpus/wire_credit.txt"),
        credit::check,
    );
    replay(
        include_str!("../../../fuzz/corpus/wire_socket.txt"),
        socket::check,
    );
    replay(
        include_str!("../../../fuzz/corpus/wire_capture.txt"),
        capture::check,
    );
    replay(
        include_str!("../../../fuzz/corpus/wire_frame_sizes.txt"),
        frame_sizes::check,
    );
}
