//! Generated scenarios: every call gives the same text, so none of them is stored as a file.

mod all_to_all;
mod day;
mod fat_tree;
mod permutation;
mod rails;

use std::fmt::Write as _;

/// Payload of a full data packet of the preset `hpcc`, bytes.
const PAYLOAD_BYTES: u64 = 4_096;

/// A scenario that is generated when it is needed.
#[derive(Debug, Clone, Copy)]
pub struct GeneratedScenario {
    /// Its name.
    pub name: &'static str,
    /// Topology and traffic in a sentence.
    pub description: &'static str,
    /// Its hops without retransmissions.
    pub hops: u64,
    /// Whether it runs only on request: `sim-bench --large`.
    pub is_large: bool,
    generate: fn() -> Content,
}

impl GeneratedScenario {
    /// The scenario, JSON.
    pub fn text(&self) -> String {
        (self.generate)().format(self.name, self.description)
    }
}

/// All generated scenarios.
pub const GENERATED: [GeneratedScenario; 6] = [
    GeneratedScenario {
        name: "S3",
        description: "permutation, fat tree of 1,024 hosts, 1 MiB each",
        hops: 3_069_952,
        is_large: false,
        generate: || fat_tree::generate_permutation(16, 16, 1 << 20),
    },
    GeneratedScenario {
        name: "S4",
        description: "all to all, 64 hosts, one switch, 256 KiB per pair, in the order of shifts",
        hops: 1_032_192,
        is_large: false,
        generate: || all_to_all::generate_in_step(64, 256 << 10),
    },
    GeneratedScenario {
        name: "S4R",
        description: "all to all, 64 hosts, one switch, 256 KiB per pair, each host in a shuffled order",
        hops: 1_032_192,
        is_large: false,
        generate: || all_to_all::generate_shuffled(64, 64, 256 << 10),
    },
    GeneratedScenario {
        name: "K32",
        description: "permutation, fat tree of 8,192 hosts, 1 MiB each",
        hops: 24_893_440,
        is_large: true,
        generate: || fat_tree::generate_cycle(32, 1 << 20),
    },
    GeneratedScenario {
        name: "RAIL",
        description: "32,768 GPUs: 4,096 hosts with a NIC port on each of 8 rails of 64 leaves and 64 spines, 64 KiB from each port",
        hops: 4_162_048,
        is_large: true,
        generate: || rails::generate_rails(4_096, 8, 64),
    },
    GeneratedScenario {
        name: "DAY",
        description: "24 hours, two leaves with four hosts each, 1 MiB from each host to the other leaf every minute",
        hops: 23_592_960,
        is_large: true,
        generate: || day::generate_day(24 * 60),
    },
];

/// The generated scenario of this name.
pub fn find_generated(name: &str) -> Option<&'static GeneratedScenario> {
    GENERATED.iter().find(|scenario| scenario.name == name)
}

/// A scenario without its name.
struct Content {
    hosts: u64,
    switches: u64,
    link_gbps: u64,
    link_delay_ns: u64,
    links: Vec<[u64; 2]>,
    /// The keys of the traffic, JSON.
    traffic: String,
    #[cfg_attr(not(test), allow(dead_code))]
    hops: u64,
}

impl Content {
    fn format(&self, name: &str, description: &str) -> String {
        let Content {
            hosts,
            switches,
            link_gbps,
            link_delay_ns,
            links,
            traffic,
            ..
        } = self;
        let mut text = format!(
            r#"{{"name":"{name}","desc":"{description}","hosts":{hosts},"switches":{switches},"link_gbps":{link_gbps},"link_delay_ns":{link_delay_ns},"links":["#
        );
        for (number, [a, b]) in links.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let _ = write!(text, "{comma}[{a},{b}]"); // writing to a String cannot fail
        }
        let _ = write!(text, "],{traffic}}}");
        text
    }
}

/// The traffic of hosts that write `bytes` to each other, all at the start.
fn format_flows(flows: impl Iterator<Item = (u64, u64)>, bytes: u64) -> String {
    let flows: Vec<String> = flows
        .map(|(source, destination)| {
            format!(r#"{{"src":{source},"dst":{destination},"bytes":{bytes}}}"#)
        })
        .collect();
    format!(r#""flows":[{}]"#, flows.join(","))
}

/// The traffic of queue pairs and of the operations posted to them.
fn format_operations(queue_pairs: &[String], operations: &[String]) -> String {
    format!(
        r#""queue_pairs":[{}],"operations":[{}]"#,
        queue_pairs.join(","),
        operations.join(",")
    )
}

/// Hops of a flow: each data packet and its ACK on each link of the path.
fn count_hops(bytes: u64, links: u64) -> u64 {
    2 * links * bytes.div_ceil(PAYLOAD_BYTES)
}

#[cfg(test)]
mod tests;
