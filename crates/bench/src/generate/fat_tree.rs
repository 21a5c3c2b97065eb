//! Permutations over a fat tree at 100 Gb/s, 1 us of cable.

use super::permutation::{draw_cycle, draw_derangement, pair_with_next};
use super::{count_hops, format_flows, Content};

/// A k-ary fat tree (Al-Fares et al., SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches, k^2/4 cores, k^3/4 hosts.
/// Numbers: hosts, edge switches, aggregation switches, cores.
struct FatTree {
    k: u64,
}

/// Every host writes `bytes` to another; the derangement is drawn with the seed.
pub(super) fn generate_permutation(k: u64, seed: u64, bytes: u64) -> Content {
    let destinations = draw_derangement(FatTree { k }.hosts(), seed);
    let flows = (0..).zip(destinations).collect();
    FatTree { k }.connect(flows, bytes)
}

/// Every host writes `bytes` to another, all in one cycle.
pub(super) fn generate_cycle(k: u64, bytes: u64) -> Content {
    let cycle = draw_cycle(FatTree { k }.hosts());
    FatTree { k }.connect(pair_with_next(&cycle).collect(), bytes)
}

impl FatTree {
    fn connect(&self, flows: Vec<(u64, u64)>, bytes: u64) -> Content {
        let path_lengths = flows.iter().map(|(a, b)| self.path_length(*a, *b));
        Content {
            hosts: self.hosts(),
            switches: 2 * self.layer() + self.half() * self.half(),
            link_gbps: 100,
            link_delay_ns: 1_000,
            links: self.links(),
            hops: path_lengths.map(|links| count_hops(bytes, links)).sum(),
            traffic: format_flows(flows.into_iter(), bytes),
        }
    }

    fn half(&self) -> u64 {
        self.k / 2
    }

    fn hosts(&self) -> u64 {
        self.layer() * self.half()
    }

    /// Number of edge switches, and of aggregation switches.
    fn layer(&self) -> u64 {
        self.k * self.half()
    }

    fn links(&self) -> Vec<[u64; 2]> {
        let half = self.half();
        let edge = |number: u64| self.hosts() + number;
        let aggregation = |number: u64| edge(self.layer()) + number;
        let core = |number: u64| aggregation(self.layer()) + number;
        let mut links: Vec<[u64; 2]> = (0..self.hosts())
            .map(|host| [host, edge(host / half)])
            .collect();
        for low in 0..self.layer() {
            let pod = low / half;
            links.extend((0..half).map(|high| [edge(low), aggregation(pod * half + high)]));
        }
        for low in 0..self.layer() {
            let position = low % half;
            links.extend((0..half).map(|high| [aggregation(low), core(position * half + high)]));
        }
        links
    }

    /// Links between two hosts.
    fn path_length(&self, a: u64, b: u64) -> u64 {
        let hosts_of_edge = self.half();
        let hosts_of_pod = hosts_of_edge * self.half();
        match (
            a / hosts_of_edge == b / hosts_of_edge,
            a / hosts_of_pod == b / hosts_of_pod,
        ) {
            (true, _) => 2,
            (_, true) => 4,
            _ => 6,
        }
    }
}
