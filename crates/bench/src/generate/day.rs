//! A long time with little traffic.

use super::{count_hops, format_operations, Content};

const MINUTE_NS: u64 = 60_000_000_000;
/// Bytes that each host writes every minute.
const BYTES: u64 = 1 << 20;

/// Two leaves with four hosts each and two spines at 100 Gb/s. Every minute each host writes 1 MiB to its peer on the other leaf.
pub(super) fn generate_day(minutes: u64) -> Content {
    let mut links: Vec<[u64; 2]> = (0..8).map(|host| [host, 8 + host / 4]).collect();
    links.extend([[8, 10], [8, 11], [9, 10], [9, 11]]);
    let pairs: Vec<String> = (0..8)
        .map(|host| format!(r#"{{"a":{host},"b":{}}}"#, (host + 4) % 8))
        .collect();
    let mut operations = Vec::new();
    for minute in 1..=minutes {
        operations.extend((0..8).map(|pair| {
            format!(
                r#"{{"queue_pair":{pair},"bytes":{BYTES},"at_ns":{}}}"#,
                minute * MINUTE_NS
            )
        }));
    }
    Content {
        hosts: 8,
        switches: 4,
        link_gbps: 100,
        link_delay_ns: 1_000,
        links,
        traffic: format_operations(&pairs, &operations),
        hops: minutes * 8 * count_hops(BYTES, 4),
    }
}
