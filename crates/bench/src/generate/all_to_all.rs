//! Every host writes to every other over one switch at 100 Gb/s, 1 us of cable.

use super::permutation::{shuffle, SplitMix64};
use super::{count_hops, format_flows, Content};

/// In step: all hosts write to their next neighbour, then all to the one after it, and so on.
pub(super) fn generate_in_step(hosts: u64, bytes: u64) -> Content {
    connect(hosts, bytes, |step, host| (host + step) % hosts)
}

/// Each host shuffles the other hosts, in the order of their numbers, with one stream of draws for all.
pub(super) fn generate_shuffled(hosts: u64, seed: u64, bytes: u64) -> Content {
    let mut random = SplitMix64::new(seed);
    let draw_order = |host: u64| {
        let mut destinations: Vec<u64> = (0..hosts).filter(|other| *other != host).collect();
        shuffle(&mut destinations, &mut random);
        destinations
    };
    let orders: Vec<Vec<u64>> = (0..hosts).map(draw_order).collect();
    connect(hosts, bytes, |step, host| {
        orders[host as usize][step as usize - 1]
    })
}

/// In each of `hosts - 1` steps every host writes to the destination of (step, host).
fn connect(hosts: u64, bytes: u64, destination: impl Fn(u64, u64) -> u64) -> Content {
    let flows: Vec<(u64, u64)> = (1..hosts)
        .flat_map(|step| (0..hosts).map(move |host| (step, host)))
        .map(|(step, host)| (host, destination(step, host)))
        .collect();
    Content {
        hosts,
        switches: 1,
        link_gbps: 100,
        link_delay_ns: 1_000,
        links: (0..hosts).map(|host| [host, hosts]).collect(),
        hops: flows.len() as u64 * count_hops(bytes, 2),
        traffic: format_flows(flows.into_iter(), bytes),
    }
}
