//! The scenario reader with invalid text.

mod support;

#[path = "reader/reader_properties.rs"]
mod reader_properties;

use proptest::prelude::*;
use proptest::sample::Index;
use reader_properties::check_reader;
use support::draws;

/// Every key of the schema.
const FULL: &str = r#"{"name": "n", "desc": "d", "hosts": 3, "switches": 2, "link_gbps": 100, "link_delay_ns": 10,
 "buffer_bytes": [9000000, 8000000],
 "links": [[0, 3], [1, 4], {"a": 2, "b": 4, "gbps": 25, "delay_ns": 7, "loss": 0.1, "pfc_lost_from_ns": 1, "addresses": ["10.0.0.1", null]}, [3, 4], [0, 4]],
 "flows": [{"src": 0, "dst": 2, "bytes": 99, "start_ns": 1, "verb": "send", "src_port": 1, "dst_port": 0, "priority": 2,
            "udp_source_port": 3}],
 "queue_pairs": [{"a": 1, "b": 0, "a_port": 0, "b_port": 1, "priority": 4, "udp_source_port": 5}],
 "operations": [{"queue_pair": 0, "side": "b", "bytes": 5, "at_ns": 3},
                {"queue_pair": 0, "verb": "read", "bytes": 6, "after": [0], "delay_ns": 2}],
 "faults": [{"kind": "bit-errors", "link": 1, "ber": 0.1, "fec": "rs-528", "floor_ber": 0.2, "from_ns": 5, "until_ns": 6},
            {"kind": "stuck-nic", "node": 0, "nic_port": 1, "priority": 2}, {"kind": "cnp-loss", "link": 2, "probability": 0.5},
            {"kind": "cnp-delay", "node": 1, "delay_ns": 7}],
 "routes": [{"node": 3, "destination": 2, "ports": ["3:4"]}],
 "parameters": {"switch": {"headroom": {"rule": "computed", "percent": 90}, "cell_bytes": 100, "slices": 2},
                "pfc": {"quanta": 5, "reaction": {"rule": "ceiling"}}, "transport": {"mtu_bytes": 1024},
                "congestion": {"algorithm": "dcqcn", "g": 0.1}, "nic": {"pipe": null}}}"#;

const VALUES: [&str; 20] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "8",
    "-1",
    "0.5",
    "1e9",
    "4294967295",
    "4294967296",
    "1e300",
    "null",
    "true",
    "\"b\"",
    "\"read\"",
    "[]",
    "[1, 2]",
    "{}",
    "\"rule\"",
];

#[test]
fn the_text_that_is_changed_is_a_scenario() {
    for preset in wirespeed_sim::model::preset::NAMES {
        wirespeed_sim::reader::read(FULL, preset, 1).unwrap();
    }
}

proptest! {
    #![proptest_config(draws(256))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_reader(&bytes);
    }

    /// Digits exchanged for other values: mostly still JSON.
    #[test]
    fn other_values(changes in prop::collection::vec((any::<Index>(), any::<Index>()), 1..6)) {
        let mut text = FULL.to_string();
        for (position, value) in changes {
            let digits: Vec<usize> = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = digits[position.index(digits.len())];
            text.replace_range(at..at + 1, VALUES[value.index(VALUES.len())]);
        }
        check_reader(text.as_bytes());
    }

    #[test]
    fn other_bytes(changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..8)) {
        let mut bytes = FULL.as_bytes().to_vec();
        for (position, byte) in changes {
            let at = position.index(bytes.len());
            bytes[at] = byte;
        }
        check_reader(&bytes);
    }

    #[test]
    fn a_cut_file_is_read_without_panic(length in 0usize..FULL.len()) {
        check_reader(&FULL.as_bytes()[..length]);
    }
}
