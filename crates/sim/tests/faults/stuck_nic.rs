//! A stuck NIC without a watchdog: from its beginning to its end its switch is paused, however pauses are kept up.

use crate::roce;
use crate::support::{column, flow, link, network, run};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::PortId;
use wirespeed_sim::model::faults::slow_receiver::SlowReceiver;
use wirespeed_sim::model::faults::stuck_nic::StuckNic;
use wirespeed_sim::model::faults::{Fault, Kind};
use wirespeed_sim::model::parameters::{Parameters, Pipe};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND};

/// The NIC port of host 1, and the switch port that faces it.
const NIC: u32 = 2;
const FACING: u64 = 3;

fn stuck_nic(from_us: u64, until_us: u64) -> Fault {
    Fault {
        from: from_us * MICROSECOND,
        until: until_us * MICROSECOND,
        kind: Kind::StuckNic(StuckNic {
            port: PortId(NIC),
            priorities: 1 << 3,
        }),
    }
}

/// When the switch was paused, in whole microseconds, while host 0 writes 4 MB to host 1 at 100 Gb/s. Its switch
/// has room for all of it.
fn pause_times(parameters: Parameters, faults: Vec<Fault>) -> Vec<(u64, u64)> {
    let links = (0..2).map(|host| link(host, 2, 100, 100)).collect();
    let mut scenario = network(2, 1, links, parameters);
    flow(&mut scenario, 0, 1, 4_000_000);
    scenario.faults = faults;
    let outcome = run(scenario);
    assert_eq!(column(&outcome, "flows", "status"), [1]);
    assert_eq!(outcome.summary.drops, 0);
    assert_eq!(outcome.summary.pfc_pauses, outcome.summary.pfc_resumes);
    let times = |name| column(&outcome, "pauses", name);
    let whole = |time: Picoseconds| time / MICROSECOND;
    let rows = times("port").into_iter().zip(times("start_ps"));
    let rows = rows.zip(times("end_ps"));
    let facing = rows.filter(|((port, _), _)| *port == FACING);
    facing
        .map(|((_, start), end)| (whole(Picoseconds(start)), whole(Picoseconds(end))))
        .collect()
}

/// Without a watchdog and without timeouts: a pause is only a pause.
fn roce_without_timeout() -> Parameters {
    let mut parameters = roce();
    parameters.transport.ack_timeout = 0;
    parameters
}

#[test]
fn the_last_to_end_ends_it() {
    for (faults, expected) in [
        (vec![stuck_nic(100, 500)], (100, 500)),
        (
            vec![stuck_nic(100, 500), stuck_nic(300, 2_000)],
            (100, 2_000),
        ),
        (
            vec![stuck_nic(300, 2_000), stuck_nic(100, 500)],
            (100, 2_000),
        ),
        (
            vec![stuck_nic(100, 2_000), stuck_nic(300, 500)],
            (100, 2_000),
        ),
        (vec![stuck_nic(100, 300), stuck_nic(300, 500)], (100, 500)),
    ] {
        let shown = format!("{faults:?}");
        let found = pause_times(roce_without_timeout(), faults);
        // An XOFF and an XON wait for the frame in transmission, and take 0.2 us and the reaction.
        let late = |found: u64, expected: u64| (expected..=expected + 2).contains(&found);
        let [(from, until)] = found[..] else {
            panic!("{found:?} of {shown}");
        };
        assert!(late(from, expected.0), "{from} of {shown}");
        assert!(late(until, expected.1), "{until} of {shown}");
    }
}

/// Pauses of 1000 quanta, 5 us at 100 Gb/s. A NIC does not repeat them, except while it is stuck.
#[test]
fn it_never_lets_a_pause_run_out() {
    let mut parameters = roce_without_timeout();
    parameters.pfc.quanta = Some(1_000);
    parameters.pfc.refresh_quanta = None;
    let found = pause_times(parameters.clone(), vec![stuck_nic(100, 2_000)]);
    assert!(
        matches!(found[..], [(100..=102, 2_000..=2_002)]),
        "{found:?}"
    );

    // A host that takes 10 Gb/s has its NIC pause the switch, for 5 us each time. In the midst of one it gets stuck.
    parameters.nic.pipe = Some(Pipe {
        pcie: None,
        gbps: Some(200),
        latency_ns: Nanoseconds(0),
        receive_buffer_bytes: Bytes(4_000_000),
        xoff_bytes: Bytes(400_000),
        xon_bytes: Bytes(200_000),
    });
    let slow = Fault {
        from: Picoseconds::ZERO,
        until: 1_000 * MICROSECOND,
        kind: Kind::SlowReceiver(SlowReceiver {
            port: PortId(NIC),
            rate: 10_000_000_000,
        }),
    };
    let alone = pause_times(parameters.clone(), vec![slow.clone()]);
    let (begin, end) = alone[0];
    assert!(end - begin <= 6, "{alone:?}");
    let found = pause_times(parameters, vec![slow, stuck_nic(begin + 2, 2_000)]);
    assert!(
        found[0].0 == begin && (2_000..=2_002).contains(&found[0].1),
        "{found:?}"
    );
}
