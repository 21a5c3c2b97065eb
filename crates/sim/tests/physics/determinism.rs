//! A run is a function of scenario and seed: not of how it is driven, and not of what is observed.

use crate::support::{column, connect, link, network, post, preset, read, run, ultra_ethernet};
use std::fmt::Write as _;
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::Parameters as Congestion;
use wirespeed_sim::ids::{ports_of, LinkId, NodeId, PortId, Priority, QueuePairId};
use wirespeed_sim::model::faults::link_down::{LinkDown, Links};
use wirespeed_sim::model::faults::{Fault, Kind};
use wirespeed_sim::model::parameters::{
    Architecture, Balance, Pipe, Pools, Recovery, Reordering, SharedHeadroom,
};
use wirespeed_sim::model::pcie::{OrderedWrites, Pcie, Reads};
use wirespeed_sim::model::results::{Column, Outcome, Summary, Table};
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND};
use wirespeed_sim::Simulation;

/// Everything at once, small: two leaves and two spines, RoCEv2, loss on a link, all verbs, dependencies, a slow host.
fn all_mechanisms(seed: u64) -> Scenario {
    let mut parameters = preset("roce");
    parameters.switch.buffer_bytes = Bytes(8 << 20);
    parameters.marking.reference_gbps = None;
    parameters.marking.kmin_bytes = Bytes(40_000);
    parameters.marking.kmax_bytes = Bytes(160_000);
    parameters.transport.ack_every = 2;
    parameters.transport.ack_timeout = 6;
    parameters.nic.pipe = Some(Pipe {
        pcie: None,
        gbps: Some(80),
        latency_ns: Nanoseconds(300),
        receive_buffer_bytes: Bytes(1 << 20),
        xoff_bytes: Bytes(200_000),
        xon_bytes: Bytes(100_000),
    });
    let (leaf, spine) = (8, 10);
    let mut links: Vec<_> = (0..8)
        .map(|host| link(host, leaf + host / 4, 100, 500))
        .collect();
    for down in [leaf, leaf + 1] {
        for up in [spine, spine + 1] {
            links.push(link(down, up, 100, 2_000));
        }
    }
    links[2].loss = 0.002;
    let mut scenario = network(8, 4, links, parameters);
    scenario.seed = seed;
    let verbs = [Verb::Write, Verb::Send, Verb::Read];
    for host in 0..7 {
        let queue_pair = connect(&mut scenario, host, if host < 4 { 7 } else { 0 });
        let mut predecessor = None;
        for round in 0..6 {
            let verb = verbs[(host + round) as usize % 3];
            let bytes = 100_000 + 12_345 * u64::from(host);
            let operation = post(&mut scenario, queue_pair, verb, bytes, Picoseconds::ZERO);
            scenario.operations[operation as usize].after = predecessor.into_iter().collect();
            predecessor = (round % 2 == 0).then_some(operation);
        }
    }
    scenario
}

/// The same with selective repeat.
fn selective_repeat(seed: u64) -> Scenario {
    let mut scenario = all_mechanisms(seed);
    scenario.parameters.transport.recovery = Recovery::SelectiveRepeat;
    scenario.parameters.transport.reordering = Reordering::Time {
        ns: Nanoseconds(5_000),
    };
    scenario
}

/// The same under another congestion control.
fn with_congestion(congestion: Congestion, seed: u64) -> Scenario {
    let mut scenario = all_mechanisms(seed);
    scenario.parameters.congestion = congestion;
    scenario
}

/// The same with lossless and lossy pools, in each of two slices, and headroom that is shared.
fn with_pools(seed: u64) -> Scenario {
    let mut scenario = all_mechanisms(seed);
    let switch = &mut scenario.parameters.switch;
    switch.pools = Some(Pools {
        lossless_percent: 6,
        lossy_percent: 2,
    });
    switch.shared_headroom = Some(SharedHeadroom::Share { percent: 4 });
    for connection in scenario.connections.iter_mut().step_by(3) {
        connection.priority = Priority(0);
    }
    scenario
}

/// The same with frames that wait where they came in, in two cores.
fn voq(seed: u64) -> Scenario {
    let mut scenario = all_mechanisms(seed);
    scenario.parameters.switch.architecture = Architecture::Voq {
        credit_bytes: Bytes(1024),
        credit_latency_ns: Nanoseconds(700),
    };
    scenario
}

/// The same with packets sprayed and trimmed.
fn ultra(seed: u64) -> Scenario {
    let mut scenario = all_mechanisms(seed);
    let pipe = scenario.parameters.nic.pipe.take();
    scenario.parameters = ultra_ethernet();
    scenario.parameters.nic.pipe = pipe;
    scenario
}

/// The same with NICs whose PCIe links give and take less than the wire.
fn narrow(seed: u64) -> Scenario {
    let mut scenario = all_mechanisms(seed);
    let pipe = scenario.parameters.nic.pipe.as_mut().unwrap();
    pipe.gbps = None;
    pipe.pcie = Some(Pcie {
        generation: 3,
        width: 8,
        max_payload_bytes: Bytes(256),
        dllp_bytes: Some(Bytes(8)),
        ordered_writes: Some(OrderedWrites::Outstanding {
            writes: 16,
            commit_ns: Nanoseconds(600),
        }),
        reads: Some(Reads {
            tags: 8,
            max_read_request_bytes: Bytes(512),
            round_trip_ns: Nanoseconds(600),
            read_completion_boundary_bytes: Some(Bytes(64)),
        }),
    });
    scenario
}

/// The same with receivers that grant credit.
fn credit(seed: u64) -> Scenario {
    let mut scenario = ultra(seed);
    scenario.parameters.congestion = Congestion::Rccc(Default::default());
    scenario
}

/// The same network with packets sprayed, a spine that fails for a while, and a link that flaps.
fn with_rerouting(seed: u64) -> Scenario {
    let mut scenario = all_mechanisms(seed);
    scenario.parameters.ecmp.balance = Balance::Adaptive;
    scenario.parameters.ecmp.adaptive_gap_ns = Nanoseconds(2_000);
    let down = |of, from, until, detection| Fault {
        from: from * MICROSECOND,
        until: until * MICROSECOND,
        kind: Kind::LinkDown(LinkDown {
            of,
            detection: detection * MICROSECOND,
            convergence: 30 * MICROSECOND,
        }),
    };
    scenario.faults = vec![
        down(Links::OfNode(NodeId(10)), 60, 400, 5),
        down(Links::One(LinkId(1)), 100, 103, 5),
        down(Links::One(LinkId(5)), 150, 170, 5),
    ];
    scenario
}

/// FNV-1a, 64 bits, over the names and values of a table; a wider column of the same values has the same hash.
fn hash(table: &Table) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    let mut feed = |bytes: &[u8]| {
        for byte in bytes {
            state = (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for (name, column) in &table.columns {
        feed(name.as_bytes());
        let mut number = |value: u64| feed(&value.to_le_bytes());
        match column {
            Column::U8(values) => values.iter().for_each(|value| number(u64::from(*value))),
            Column::U32(values) => values.iter().for_each(|value| number(u64::from(*value))),
            Column::U64(values) => values.iter().for_each(|value| number(*value)),
            Column::F64(values) => values.iter().for_each(|value| number(value.to_bits())),
            Column::Name { names, indices } => indices
                .iter()
                .for_each(|index| feed(names[usize::from(*index)].as_bytes())),
        }
    }
    state
}

/// Name and hash of the result tables; the time series is not one of them.
fn results(outcome: &Outcome) -> Vec<(&'static str, u64)> {
    let tables = outcome.tables.iter().filter(|table| table.name != "series");
    tables.map(|table| (table.name, hash(table))).collect()
}

fn run_in_steps(scenario: Scenario, events: u64) -> Outcome {
    let mut simulation = Simulation::new(scenario).unwrap();
    while simulation.advance(events) {}
    simulation.finish()
}

#[test]
fn everything_happens_in_everything() {
    let outcome = run(all_mechanisms(1));
    let summary = &outcome.summary;
    let counted = [
        summary.pfc_pauses,
        summary.ecn_marks,
        summary.cnp_frames,
        summary.losses,
        summary.retransmissions,
        summary.completion.len() as u64,
    ];
    assert!(counted.iter().all(|count| *count > 0), "{summary:?}");
    assert_eq!(summary.failed, 0);
    let paused = column(&outcome, "pauses", "port");
    assert!(
        paused.iter().any(|port| port % 2 == 1),
        "a NIC pauses its switch"
    );
}

#[test]
fn the_same_run_however_it_is_driven() {
    let hpcc = with_congestion(Congestion::Hpcc(Default::default()), 1);
    for scenario in [
        read("S1", 1),
        read("P1", 1),
        all_mechanisms(1),
        with_rerouting(1),
        hpcc,
        voq(1),
        ultra(1),
        with_pools(1),
        narrow(1),
        credit(1),
    ] {
        let once = run(scenario.clone());
        for events in [1, 7, u64::MAX] {
            assert_eq!(run_in_steps(scenario.clone(), events), once);
        }
    }
}

#[test]
fn the_seed_matters_where_chance_does() {
    let differ = |make: &dyn Fn(u64) -> Scenario| results(&run(make(1))) != results(&run(make(2)));
    assert!(differ(&|seed| read("S1", seed)), "marks");
    assert!(differ(&|seed| read("S2", seed)), "paths");
    assert!(differ(&all_mechanisms), "losses");
    assert!(!differ(&|seed| read("S4", seed)), "nothing is marked");
    assert!(
        !differ(&|seed| read("P1", seed)),
        "nothing is marked, one path"
    );
}

#[test]
fn watching_changes_nothing() {
    for scenario in [
        read("S1", 1),
        read("P1", 1),
        all_mechanisms(1),
        with_rerouting(1),
        voq(1),
    ] {
        let mut watched = scenario.clone();
        watched.observe.interval = 3 * MICROSECOND;
        watched.observe.ports = ports_of(scenario.links.len()).collect();
        watched.observe.queue_pairs = vec![QueuePairId(0), QueuePairId(1)];
        watched.observe.captures = vec![PortId(1), PortId(0)];
        let (plain, watched) = (run(scenario), run(watched));
        assert!(watched.tables.iter().any(|table| table.name == "series"));
        assert_eq!(results(&watched), results(&plain));
        let mut summary = watched.summary;
        summary.events = plain.summary.events; // of which sampling has its own
        assert_eq!(summary, plain.summary);
    }
}

/// Tables of recorded runs. A change of results is shown here first; WIRESPEED_ACCEPT=1 records it.
#[test]
fn the_tables_are_those_recorded() {
    let mut found = String::new();
    for name in [
        "S1",
        "S2",
        "P1",
        "S4R",
        "everything",
        "selective",
        "rerouted",
        "dctcp",
        "timely",
        "swift",
        "hpcc",
        "voq",
        "nscc",
        "ultra-ethernet",
        "pcie",
        "credit",
        "divided",
    ] {
        for seed in [1, 2] {
            let scenario = match name {
                "everything" => all_mechanisms(seed),
                "selective" => selective_repeat(seed),
                "voq" => voq(seed),
                "pcie" => narrow(seed),
                "divided" => with_pools(seed),
                "rerouted" => with_rerouting(seed),
                "dctcp" => with_congestion(Congestion::Dctcp(Default::default()), seed),
                "timely" => with_congestion(Congestion::Timely(Default::default()), seed),
                "swift" => with_congestion(Congestion::Swift(Default::default()), seed),
                "hpcc" => with_congestion(Congestion::Hpcc(Default::default()), seed),
                "nscc" => with_congestion(Congestion::Nscc(Default::default()), seed),
                "ultra-ethernet" => ultra(seed),
                "credit" => credit(seed),
                file => read(file, seed),
            };
            let operations = scenario.operations.len();
            let outcome = run(scenario);
            writeln!(found, "{name}, seed {seed}").unwrap();
            found.push_str(&describe_run(&outcome.summary, operations));
            for (table, hash) in results(&outcome) {
                writeln!(found, "  hash of {table:<13} {hash:016x}").unwrap();
            }
            found.push('\n');
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/physics/runs.txt");
    if std::env::var_os("WIRESPEED_ACCEPT").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    let recorded = std::fs::read_to_string(path).unwrap_or_default();
    let changes = changes(&recorded, &found);
    assert!(
        changes.is_empty(),
        "runs differ from {path}; WIRESPEED_ACCEPT=1 records them\n{changes}"
    );
    assert_eq!(found, recorded);
}

/// Summary of a run for people: operations, times, and events.
fn describe_run(summary: &Summary, operations: usize) -> String {
    let us = |time: Picoseconds| time.as_f64() / MICROSECOND.as_f64();
    let mut times = summary.completion.clone();
    times.sort_unstable();
    // Nearest rank.
    let percentile = |percent: usize| {
        let rank = (times.len() * percent).div_ceil(100).max(1);
        us(times.get(rank - 1).copied().unwrap_or_default())
    };
    let mut text = String::new();
    let completed = times.len();
    writeln!(text, "  completed             {completed} of {operations}").unwrap();
    for (label, time) in [
        ("completion time, p50", percentile(50)),
        ("completion time, p99", percentile(99)),
        ("completion time, max", percentile(100)),
        ("end of the run", us(summary.end)),
    ] {
        writeln!(text, "  {label:<21} {time:.3} us").unwrap();
    }
    for (label, count) in [
        ("events", summary.events),
        ("data and ACK hops", summary.hops),
        ("ECN marks", summary.ecn_marks),
        ("notifications", summary.cnps),
        ("CNP frames", summary.cnp_frames),
        ("XOFF sent", summary.pfc_pauses),
        ("XON sent", summary.pfc_resumes),
        ("PFC frames", summary.pfc_frames),
        ("drops", summary.drops),
        ("lost on links", summary.losses),
        ("trimmed", summary.trims),
        ("retransmissions", summary.retransmissions),
    ] {
        writeln!(text, "  {label:<21} {count}").unwrap();
    }
    text
}

/// Lines that differ, with the run that they are of.
fn changes(recorded: &str, found: &str) -> String {
    let runs = |text: &str| -> Vec<String> { text.split("\n\n").map(str::to_owned).collect() };
    let recorded = runs(recorded);
    let mut changes = String::new();
    for run in runs(found).iter().filter(|run| !recorded.contains(run)) {
        let name = run.lines().next().unwrap_or_default();
        writeln!(changes, "{name}").unwrap();
        let recorded_run = recorded.iter().find(|run| run.lines().next() == Some(name));
        let recorded_lines: Vec<&str> =
            recorded_run.map_or(Vec::new(), |run| run.lines().collect());
        for (number, line) in run.lines().enumerate() {
            let expected = recorded_lines.get(number).copied().unwrap_or_default();
            if line != expected {
                writeln!(
                    changes,
                    "  recorded {}\n  found    {}",
                    expected.trim(),
                    line.trim()
                )
                .unwrap();
            }
        }
    }
    changes
}
