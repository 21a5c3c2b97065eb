//! A host that takes less for a time: its receive buffer fills, and its NIC pauses the switch.

use crate::support::{column, flow, link, network, run};
use crate::{permanent_fault, roce};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::PortId;
use wirespeed_sim::model::faults::slow_receiver::SlowReceiver;
use wirespeed_sim::model::faults::{Fault, Kind};
use wirespeed_sim::model::parameters::Pipe;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::Scenario;
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND};

/// A write of 8 MiB at 100 Gb/s to a host that takes 200.
fn write(faults: Vec<Fault>) -> Scenario {
    let mut parameters = roce();
    parameters.nic.pipe = Some(Pipe {
        pcie: None,
        gbps: Some(200),
        latency_ns: Nanoseconds(0),
        receive_buffer_bytes: Bytes(1 << 20),
        xoff_bytes: Bytes(400_000),
        xon_bytes: Bytes(200_000),
    });
    let links = (0..2).map(|host| link(host, 2, 100, 500)).collect();
    let mut scenario = network(2, 1, links, parameters);
    flow(&mut scenario, 0, 1, 8 << 20);
    scenario.faults = faults;
    scenario
}

fn slow_receiver(gbps: u64) -> Kind {
    Kind::SlowReceiver(SlowReceiver {
        port: PortId(2),
        rate: gbps * 1_000_000_000,
    })
}

fn time(outcome: &Outcome) -> Picoseconds {
    assert_eq!(column(outcome, "flows", "status"), [1]);
    assert_eq!(outcome.summary.drops, 0);
    Picoseconds(column(outcome, "queue_pairs", "delivered_ps")[1])
}

/// How long 8 MiB take at a rate.
fn write_time(gbps: u64) -> Picoseconds {
    Picoseconds((8 << 20) * 8_000 / gbps)
}

#[test]
fn it_pauses_its_switch() {
    let well = run(write(Vec::new()));
    assert_eq!(well.summary.pfc_pauses, 0);
    let outcome = run(write(vec![permanent_fault(slow_receiver(25))]));
    let paused = column(&outcome, "pauses", "port");
    assert!(
        paused.contains(&3),
        "the switch port that faces it: {paused:?}"
    );
    // 25 Gb/s to memory, but for the beginning.
    let time = time(&outcome);
    assert!(
        (write_time(25)..write_time(25) + 3 * MICROSECOND).contains(&time),
        "{time}"
    );
}

/// From 200 us to 600 us at 25 Gb/s: 300 us of the link are lost, less what it catches up at the 200 Gb/s behind it, which is
/// what the receive buffer holds in the end.
#[test]
fn for_a_time() {
    let fault = Fault {
        from: 200 * MICROSECOND,
        until: 600 * MICROSECOND,
        kind: slow_receiver(25),
    };
    let outcome = run(write(vec![fault.clone()]));
    let later = time(&outcome) - time(&run(write(Vec::new())));
    let caught_up = 1_048_576 * 80; // at most the buffer
    let lost = 300 * MICROSECOND;
    assert!(
        (lost - Picoseconds(caught_up)..=lost + MICROSECOND).contains(&later),
        "{later}"
    );
    // Where it was never slower than the link, nothing happens.
    let harmless = Fault {
        kind: slow_receiver(100),
        ..fault
    };
    let (found, expected) = (run(write(vec![harmless])), run(write(Vec::new())));
    assert_eq!(time(&found), time(&expected));
    assert_eq!(found.summary.pfc_pauses, 0);
}

/// While several hold, the slowest does; the end of one is not the end of another.
#[test]
fn at_the_same_time() {
    let us = MICROSECOND;
    let fault = |from, until, gbps| Fault {
        from,
        until,
        kind: slow_receiver(gbps),
    };
    let slow_to_the_end = time(&run(write(vec![permanent_fault(slow_receiver(25))])));
    for (from, until, gbps) in [
        (0, 100 * us, 25),
        (0, 100 * us, 50),
        ((50 * us).0, 60 * us, 25),
        ((300 * us).0, 600 * us, 100),
    ] {
        let other = fault(Picoseconds(from), until, gbps);
        for faults in [
            vec![permanent_fault(slow_receiver(25)), other.clone()],
            vec![other, permanent_fault(slow_receiver(25))],
        ] {
            let outcome = run(write(faults));
            assert_eq!(time(&outcome), slow_to_the_end, "{from} {until} {gbps}");
        }
    }
    // One after the other without a gap is one that is as long as both.
    let both = vec![
        fault(Picoseconds::ZERO, 50 * us, 10),
        fault(50 * us, 600 * us, 10),
    ];
    let single = vec![fault(Picoseconds::ZERO, 600 * us, 10)];
    assert_eq!(time(&run(write(both))), time(&run(write(single))));
}

/// What waits in the buffer when the rate changes waits on, at the new rate: nothing is lost, nothing comes twice.
#[test]
fn again_and_again() {
    let faults = (0..40).map(|n| Fault {
        from: n * 20 * MICROSECOND,
        until: (n * 20 + 1 + n % 19) * MICROSECOND,
        kind: slow_receiver([1, 10, 50][n as usize % 3]),
    });
    let outcome = run(write(faults.collect()));
    assert!(time(&outcome) > write_time(100));
    assert!(outcome.summary.pfc_pauses > 0);
    assert_eq!(outcome.summary.pfc_pauses, outcome.summary.pfc_resumes);
    assert_eq!(
        column(&outcome, "queue_pairs", "delivered_bytes")[1],
        8 << 20
    );
}
