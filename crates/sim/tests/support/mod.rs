//! Small networks for tests, and helpers that read the results of a run.
#![allow(dead_code)] // every test file uses its part

use proptest::test_runner::{Config, RngSeed};
use wirespeed_bench::generate::find_generated;
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion;
use wirespeed_sim::ids::{NodeId, PortId, Priority, QueuePairId};
use wirespeed_sim::model::overrides::Devices;
use wirespeed_sim::model::parameters::{Balance, Parameters, Recovery, Reordering, Trimming};
use wirespeed_sim::model::preset;
use wirespeed_sim::model::results::{Column, Outcome};
use wirespeed_sim::model::scenario::{Connection, Link, Observe, Operation, Scenario, Verb};
use wirespeed_sim::reader;
use wirespeed_sim::time::{Nanoseconds, Picoseconds, NANOSECOND, NEVER};
use wirespeed_sim::Simulation;

/// Number of draws, the same each time; WIRESPEED_EXPLORE=1 makes new ones, and many more.
pub fn draws(cases: u32) -> Config {
    let explore = std::env::var_os("WIRESPEED_EXPLORE").is_some();
    Config {
        cases: if explore { 20 * cases } else { cases },
        rng_seed: match explore {
            true => RngSeed::Random,
            false => RngSeed::Fixed(1),
        },
        failure_persistence: None,
        ..Config::default()
    }
}

/// One of the scenarios that other simulators ran, generated or from `examples/simulator`, with the `hpcc` preset.
pub fn read(name: &str, seed: u64) -> Scenario {
    let text = match find_generated(name) {
        Some(generated) => generated.text(),
        None => {
            let root = env!("CARGO_MANIFEST_DIR");
            let path = format!("{root}/../../examples/simulator/{name}.json");
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
        }
    };
    reader::read(&text, "hpcc", seed).unwrap_or_else(|refusal| panic!("{name}: {refusal}"))
}

/// The preset's parameters.
pub fn preset(name: &str) -> Parameters {
    preset::by_name(name).expect("a preset")
}

/// A cable that loses nothing.
pub fn link(a: u32, b: u32, gbps: u64, delay_ns: u64) -> Link {
    Link {
        a: NodeId(a),
        b: NodeId(b),
        rate: gbps * 1_000_000_000,
        delay: delay_ns * NANOSECOND,
        loss: 0.0,
        pfc_lost_from: NEVER,
    }
}

/// Nodes and links, nothing posted.
pub fn network(hosts: u32, switches: u32, links: Vec<Link>, parameters: Parameters) -> Scenario {
    Scenario {
        name: "test".to_owned(),
        hosts,
        switches,
        links,
        addresses: Vec::new(),
        names: Default::default(),
        buffer_bytes: vec![parameters.switch.buffer_bytes; switches as usize],
        connections: Vec::new(),
        operations: Vec::new(),
        parameters,
        devices: Devices::default(),
        routes: Vec::new(),
        faults: Vec::new(),
        seed: 1,
        until: NEVER,
        assumed: Vec::new(),
        observe: Observe::default(),
    }
}

/// `hosts` hosts at one switch.
pub fn star(hosts: u32, gbps: u64, delay_ns: u64, parameters: Parameters) -> Scenario {
    let links = (0..hosts).map(|host| link(host, hosts, gbps, delay_ns));
    network(hosts, 1, links.collect(), parameters)
}

/// The first NIC port of a host.
pub fn port(scenario: &Scenario, host: u32) -> u32 {
    (0..2 * scenario.links.len() as u32)
        .find(|port| scenario.node_of(PortId(*port)) == NodeId(host))
        .expect("the host has a link")
}

/// Connects two hosts; the queue pair at the first.
pub fn connect(scenario: &mut Scenario, a: u32, b: u32) -> QueuePairId {
    scenario.connections.push(Connection {
        port_a: PortId(port(scenario, a)),
        port_b: PortId(port(scenario, b)),
        priority: scenario.parameters.transport.priority,
        udp_source_port: 49_152 + scenario.connections.len() as u16,
        service: Default::default(),
    });
    QueuePairId::of_connection(scenario.connections.len() - 1, 0)
}

/// Posts an operation that waits for nothing; its number.
pub fn post(
    scenario: &mut Scenario,
    queue_pair: QueuePairId,
    verb: Verb,
    bytes: u64,
    at: Picoseconds,
) -> u32 {
    scenario.operations.push(Operation {
        queue_pair,
        verb,
        bytes: Bytes(bytes),
        at,
        after: Vec::new(),
        delay: Picoseconds::ZERO,
    });
    scenario.operations.len() as u32 - 1
}

/// A write over a separate connection, at time 0.
pub fn flow(scenario: &mut Scenario, source: u32, destination: u32, bytes: u64) -> u32 {
    let queue_pair = connect(scenario, source, destination);
    post(scenario, queue_pair, Verb::Write, bytes, Picoseconds::ZERO)
}

/// Runs to the end.
pub fn run(scenario: Scenario) -> Outcome {
    let mut simulation = Simulation::new(scenario).unwrap_or_else(|refused| panic!("{refused}"));
    while simulation.advance(1 << 16) {}
    let outcome = simulation.finish();
    outcome.assert_declared();
    outcome
}

/// A column of a table as numbers.
pub fn column(outcome: &Outcome, table: &str, name: &str) -> Vec<u64> {
    let table = outcome.tables.iter().find(|found| found.name == table);
    let columns = &table.expect("the table").columns;
    let column = columns.iter().find(|(found, _)| *found == name);
    match &column.expect("the column").1 {
        Column::U8(values) => values.iter().map(|value| u64::from(*value)).collect(),
        Column::U32(values) => values.iter().map(|value| u64::from(*value)).collect(),
        Column::U64(values) => values.clone(),
        Column::Name { indices, .. } => indices.iter().map(|index| u64::from(*index)).collect(),
        Column::F64(_) => panic!("{name} holds fractions"),
    }
}

/// A column of fractions.
pub fn fractions(outcome: &Outcome, table: &str, name: &str) -> Vec<f64> {
    let table = outcome.tables.iter().find(|found| found.name == table);
    let columns = &table.expect("the table").columns;
    let column = columns.iter().find(|(found, _)| *found == name);
    match &column.expect("the column").1 {
        Column::F64(values) => values.clone(),
        _ => panic!("{name} holds whole numbers"),
    }
}

/// The `roce` preset with what NSCC expects of switches and transport, as `wirespeed sim compare` sets it: packets sprayed by
/// entropy value and trimmed, nothing lossless.
pub fn ultra_ethernet() -> Parameters {
    let mut parameters = preset("roce");
    parameters.congestion = congestion::Parameters::Nscc(Default::default());
    parameters.pfc.lossless_priorities = 0;
    parameters.switch.trimming = Some(Trimming {
        priority: Priority(5),
        trimmed_bytes: Bytes(64),
        queue_ns: Some(Nanoseconds(12_000)),
    });
    parameters.ecmp.balance = Balance::Entropy;
    (parameters.marking.kmin_bytes, parameters.marking.kmax_bytes) =
        (Bytes(30_000), Bytes(120_000));
    (parameters.marking.pmax, parameters.marking.reference_gbps) = (1.0, Some(100));
    parameters.transport.recovery = Recovery::SelectiveRepeat;
    parameters.transport.reordering = Reordering::Time {
        ns: Nanoseconds(100_000),
    };
    parameters.transport.ack_timeout = 5;
    parameters.transport.ack_priority = Some(Priority(7));
    parameters
}
