//! Hosts with a NIC port on each rail.

use super::permutation::{draw_cycle, pair_with_next};
use super::{count_hops, format_operations, Content};

/// Bytes that each port writes.
const BYTES: u64 = 64 << 10;

/// Hosts with one NIC port on each rail at 400 Gb/s, 100 ns of cable; a rail has `radix` leaves and as many spines, each leaf a
/// link to each spine. Every port writes 64 KiB to the same rail's port of another host, all in one cycle.
pub(super) fn generate_rails(hosts: u64, rails: u64, radix: u64) -> Content {
    let per_leaf = hosts / radix;
    let leaf = |rail: u64, number: u64| hosts + 2 * radix * rail + number;
    let spine = |rail: u64, number: u64| leaf(rail, radix + number);
    let mut links = Vec::new();
    for host in 0..hosts {
        links.extend((0..rails).map(|rail| [host, leaf(rail, host / per_leaf)]));
    }
    for rail in 0..rails {
        for low in 0..radix {
            links.extend((0..radix).map(|high| [leaf(rail, low), spine(rail, high)]));
        }
    }
    let mut hops = 0;
    let (mut pairs, mut operations) = (Vec::new(), Vec::new());
    for (a, b) in pair_with_next(&draw_cycle(hosts)) {
        let path_length = if a / per_leaf == b / per_leaf { 2 } else { 4 };
        for rail in 0..rails {
            hops += count_hops(BYTES, path_length);
            operations.push(format!(
                r#"{{"queue_pair":{},"bytes":{BYTES}}}"#,
                pairs.len()
            ));
            pairs.push(format!(
                r#"{{"a":{a},"b":{b},"a_port":{rail},"b_port":{rail}}}"#
            ));
        }
    }
    Content {
        hosts,
        switches: 2 * radix * rails,
        link_gbps: 400,
        link_delay_ns: 100,
        links,
        traffic: format_operations(&pairs, &operations),
        hops,
    }
}
