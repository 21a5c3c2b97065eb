use super::*;
use wirespeed_sim::model::scenario::Scenario;
use wirespeed_sim::time::SECOND;
use wirespeed_sim::{reader, Run, Threads};

fn read(text: &str) -> Scenario {
    reader::read(text, "hpcc", 1).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// A small scenario of each kind completes, in the number of hops that its generator states.
#[test]
fn small_scenarios_complete() {
    let rows = [
        (fat_tree::generate_permutation(4, 1, 50_000), 16, 20, 48, 16),
        (fat_tree::generate_cycle(4, 50_000), 16, 20, 48, 16),
        (all_to_all::generate_in_step(5, 50_000), 5, 1, 5, 20),
        (all_to_all::generate_shuffled(5, 1, 50_000), 5, 1, 5, 20),
        (rails::generate_rails(16, 2, 4), 16, 16, 64, 32),
        (day::generate_day(60), 8, 4, 12, 480),
    ];
    for (content, hosts, switches, links, operations) in rows {
        let scenario = read(&content.format("small", ""));
        assert_eq!((scenario.hosts, scenario.switches), (hosts, switches));
        assert_eq!(scenario.links.len(), links);
        assert_eq!(scenario.operations.len(), operations);
        let mut run = Run::new(scenario, Threads::AtMost(1)).unwrap();
        while run.advance(1 << 16) {}
        let summary = run.finish().summary;
        assert_eq!(summary.hops, content.hops);
        assert_eq!((summary.failed, summary.drops), (0, 0));
    }
}

#[test]
fn generated_scenarios_have_their_stated_hops() {
    let sizes = [
        ("S3", 1_024, 1_024),
        ("S4", 64, 4_032),
        ("S4R", 64, 4_032),
        ("K32", 8_192, 8_192),
        ("RAIL", 4_096, 32_768),
        ("DAY", 8, 11_520),
    ];
    assert_eq!(
        GENERATED.map(|scenario| scenario.name),
        sizes.map(|row| row.0)
    );
    for (name, hosts, operations) in sizes {
        let generated = find_generated(name).unwrap();
        assert_eq!((generated.generate)().hops, generated.hops, "{name}");
        let scenario = read(&generated.text());
        assert_eq!(scenario.name, name);
        assert_eq!(
            (scenario.hosts, scenario.operations.len()),
            (hosts, operations)
        );
        if name == "DAY" {
            let last_start = scenario.operations.iter().map(|operation| operation.at);
            assert_eq!(last_start.max(), Some(86_400 * SECOND));
        }
    }
}

/// Parsed scenarios were compared with the files on which other simulators were measured; FNV-1a, 64 bits.
#[test]
fn references_are_the_scenarios_that_other_simulators_ran() {
    for (name, expected) in [
        ("S3", 0x57c6_3a24_27a7_4ee7),
        ("S4", 0xaed2_1434_a398_67a3),
        ("S4R", 0x2793_c1bc_dd15_2705),
    ] {
        let text = find_generated(name).unwrap().text();
        let links_and_flows = text.split_once(r#""links""#).unwrap().1;
        let hash = links_and_flows
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            });
        assert_eq!(hash, expected, "{name}: {hash:#x}");
    }
}

/// S2 is stored for readers and follows from the rule of S3.
#[test]
fn stored_permutation_follows_from_the_rule() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/simulator/S2.json"
    );
    let stored = read(&std::fs::read_to_string(path).unwrap());
    let generated = fat_tree::generate_permutation(8, 8, 2 << 20);
    let generated = read(&generated.format("S2", ""));
    assert!(generated == stored);
}
