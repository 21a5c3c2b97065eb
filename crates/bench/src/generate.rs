//! Generated scenarios: two that are too large to be stored as files, and one that lasts a day. Every call gives the same text.

use std::fmt::Write as _;

/// A scenario that is generated when it is needed.
#[derive(Debug, Clone, Copy)]
pub struct GeneratedScenario {
    /// Its name.
    pub name: &'static str,
    /// Topology and traffic in a sentence.
    pub description: &'static str,
    /// Its hops without retransmissions.
    pub hops: u64,
    generate: fn() -> ScenarioText,
}

impl GeneratedScenario {
    /// The scenario, JSON.
    pub fn text(&self) -> String {
        (self.generate)().text
    }
}

/// All generated scenarios; `sim-bench --large` runs them.
pub const GENERATED: [GeneratedScenario; 3] = [
    GeneratedScenario {
        name: "K32",
        description: "permutation, fat tree of 8,192 hosts, 1 MiB each",
        hops: 24_893_440,
        generate: || generate_fat_tree("K32", 32, 1 << 20),
    },
    GeneratedScenario {
        name: "RAIL",
        description: "32,768 GPUs: 4,096 hosts with a NIC port on each of 8 rails of 64 leaves and 64 spines, 64 KiB from each port",
        hops: 4_162_048,
        generate: || generate_rails("RAIL", 4_096, 8, 64),
    },
    GeneratedScenario {
        name: "DAY",
        description: "24 hours, two leaves with four hosts each, 1 MiB from each host to the other leaf every minute",
        hops: 23_592_960,
        generate: || generate_day("DAY", 24 * 60),
    },
];

/// The generated scenario of this name.
pub fn find_generated(name: &str) -> Option<&'static GeneratedScenario> {
    GENERATED.iter().find(|scenario| scenario.name == name)
}

struct ScenarioText {
    text: String,
    /// A data packet of 4,096 bytes and its ACK on each link of its path.
    #[cfg_attr(not(test), allow(dead_code))]
    hops: u64,
}

/// A k-ary fat tree (Al-Fares et al., SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches, k^2/4 cores, k^3/4 hosts
/// at 100 Gb/s, 1 us of cable. Every host writes `bytes` to another, all in one cycle.
fn generate_fat_tree(name: &str, k: u64, bytes: u64) -> ScenarioText {
    let half = k / 2;
    let hosts = k * half * half;
    let switch = |pod: u64, number: u64| hosts + pod * k + number;
    let core = |number: u64| hosts + k * k + number;
    let mut links: Vec<[u64; 2]> = (0..hosts)
        .map(|host| [host, switch(host / (half * half), host / half % half)])
        .collect();
    for pod in 0..k {
        for low in 0..half {
            for high in 0..half {
                links.push([switch(pod, low), switch(pod, half + high)]);
                links.push([switch(pod, half + high), core(high * half + low)]);
            }
        }
    }
    let mut hops = 0;
    let mut flows = Vec::new();
    let order = draw_cycle(hosts);
    for (position, source) in order.iter().enumerate() {
        let destination = order[(position + 1) % order.len()];
        let links = match (
            source / half == destination / half,
            source / (half * half) == destination / (half * half),
        ) {
            (true, _) => 2,
            (_, true) => 4,
            _ => 6,
        };
        hops += 2 * links * bytes.div_ceil(4_096);
        flows.push(format!(
            r#"{{"src":{source},"dst":{destination},"bytes":{bytes}}}"#
        ));
    }
    let traffic = format!(r#""flows":[{}]"#, flows.join(","));
    let text = format_scenario(
        name,
        hosts,
        k * k + half * half,
        (100, 1_000),
        &links,
        &traffic,
    );
    ScenarioText { text, hops }
}

/// Hosts with one NIC port on each rail at 400 Gb/s, 100 ns of cable; a rail has `radix` leaves and as many spines, each leaf a
/// link to each spine. Every port writes 64 KiB to the same rail's port of another host, all in one cycle.
fn generate_rails(name: &str, hosts: u64, rails: u64, radix: u64) -> ScenarioText {
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
    let order = draw_cycle(hosts);
    for (position, a) in order.iter().enumerate() {
        let b = order[(position + 1) % order.len()];
        let links = if a / per_leaf == b / per_leaf { 2 } else { 4 };
        for rail in 0..rails {
            hops += 2 * links * 16;
            operations.push(format!(r#"{{"queue_pair":{},"bytes":65536}}"#, pairs.len()));
            pairs.push(format!(
                r#"{{"a":{a},"b":{b},"a_port":{rail},"b_port":{rail}}}"#
            ));
        }
    }
    let traffic = format!(
        r#""queue_pairs":[{}],"operations":[{}]"#,
        pairs.join(","),
        operations.join(",")
    );
    let text = format_scenario(name, hosts, 2 * radix * rails, (400, 100), &links, &traffic);
    ScenarioText { text, hops }
}

/// Two leaves with four hosts each and two spines at 100 Gb/s. Every minute each host writes 1 MiB to its peer on the other leaf.
fn generate_day(name: &str, minutes: u64) -> ScenarioText {
    const MINUTE_NS: u64 = 60_000_000_000;
    let mut links: Vec<[u64; 2]> = (0..8).map(|host| [host, 8 + host / 4]).collect();
    links.extend([[8, 10], [8, 11], [9, 10], [9, 11]]);
    let pairs: Vec<String> = (0..8)
        .map(|host| format!(r#"{{"a":{host},"b":{}}}"#, (host + 4) % 8))
        .collect();
    let mut operations = Vec::new();
    for minute in 1..=minutes {
        operations.extend((0..8).map(|pair| {
            format!(
                r#"{{"queue_pair":{pair},"bytes":1048576,"at_ns":{}}}"#,
                minute * MINUTE_NS
            )
        }));
    }
    let traffic = format!(
        r#""queue_pairs":[{}],"operations":[{}]"#,
        pairs.join(","),
        operations.join(",")
    );
    let text = format_scenario(name, 8, 4, (100, 1_000), &links, &traffic);
    ScenarioText {
        text,
        hops: minutes * 8 * 256 * 2 * 4,
    }
}

fn format_scenario(
    name: &str,
    hosts: u64,
    switches: u64,
    (gbps, delay_ns): (u64, u64),
    links: &[[u64; 2]],
    traffic: &str,
) -> String {
    let mut text = format!(
        r#"{{"name":"{name}","hosts":{hosts},"switches":{switches},"link_gbps":{gbps},"link_delay_ns":{delay_ns},"links":["#
    );
    for (number, [a, b]) in links.iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        let _ = write!(text, "{comma}[{a},{b}]"); // writing to a String cannot fail
    }
    let _ = write!(text, "],{traffic}}}");
    text
}

/// All numbers below `count` in random order: a cycle in which each is followed by another, the last by the first.
fn draw_cycle(count: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..count).collect();
    // Fisher and Yates's shuffle, drawn by xorshift64 (Marsaglia, "Xorshift RNGs", J. Stat. Software 8(14), 2003).
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for last in (1..order.len()).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let partner = (u128::from(random) * (last as u128 + 1)) >> 64;
        order.swap(last, partner as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirespeed_sim::model::scenario::Scenario;
    use wirespeed_sim::time::SECOND;
    use wirespeed_sim::{reader, Run, Threads};

    fn read(generated: &ScenarioText) -> Scenario {
        reader::read(&generated.text, "hpcc", 1).unwrap_or_else(|refusal| panic!("{refusal}"))
    }

    /// A small scenario of each kind completes, in the number of hops that its generator states.
    #[test]
    fn small_scenarios_complete() {
        let rows = [
            (generate_fat_tree("K4", 4, 50_000), 16, 20, 48, 16),
            (generate_rails("two rails", 16, 2, 4), 16, 16, 64, 32),
            (generate_day("an hour", 60), 8, 4, 12, 480),
        ];
        for (generated, hosts, switches, links, operations) in rows {
            let scenario = read(&generated);
            assert_eq!((scenario.hosts, scenario.switches), (hosts, switches));
            assert_eq!(scenario.links.len(), links);
            assert_eq!(scenario.operations.len(), operations);
            let mut run = Run::new(scenario, Threads::AtMost(1)).unwrap();
            while run.advance(1 << 16) {}
            let summary = run.finish().summary;
            assert_eq!(summary.hops, generated.hops);
            assert_eq!((summary.failed, summary.drops), (0, 0));
        }
    }

    #[test]
    fn generated_scenarios_have_their_stated_hops() {
        for (expected, hosts, operations) in GENERATED
            .iter()
            .zip([8_192, 4_096, 8])
            .zip([8_192, 32_768, 11_520])
            .map(|((a, b), c)| (a, b, c))
        {
            let generated = (expected.generate)();
            assert_eq!(generated.hops, expected.hops, "{}", expected.name);
            let scenario = read(&generated);
            assert_eq!(scenario.name, expected.name);
            assert_eq!(
                (scenario.hosts, scenario.operations.len()),
                (hosts, operations)
            );
            assert_eq!(
                find_generated(expected.name).unwrap().text(),
                generated.text
            );
        }
        let day = read(&(GENERATED[2].generate)());
        let last_start = day.operations.iter().map(|operation| operation.at).max();
        assert_eq!(last_start, Some(86_400 * SECOND));
    }

    #[test]
    fn cycle_contains_every_number() {
        let mut order = draw_cycle(1_000);
        assert_ne!(order[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..1_000));
    }
}
