//! Bit errors: how many frames they cost, when, and what correction leaves of them.

use crate::support::{column, flow, link, network, run};
use crate::{permanent_fault, roce};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::LinkId;
use wirespeed_sim::model::faults::bit_errors::BitErrors;
use wirespeed_sim::model::faults::{Fault, Kind};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::Scenario;
use wirespeed_sim::time::{Picoseconds, MICROSECOND, NANOSECOND};
use wirespeed_wire::headroom::response_ceiling;
use wirespeed_wire::link_errors::Fec;

fn errors(ber: f64, fec: Fec, floor: f64) -> Kind {
    Kind::BitErrors(BitErrors {
        link: LinkId(1),
        ber,
        fec,
        floor,
    })
}

/// A write of 16 MiB, 4096 packets, over two cables; a timeout after 0.26 ms.
fn write(faults: Vec<Fault>) -> Scenario {
    let mut parameters = roce();
    parameters.transport.ack_timeout = 6;
    let links = (0..2).map(|host| link(host, 2, 100, 500)).collect();
    let mut scenario = network(2, 1, links, parameters);
    flow(&mut scenario, 0, 1, 16 << 20);
    scenario.faults = faults;
    scenario
}

/// Of the data frames on link 1 one in this number was lost; all of the write arrived.
fn loss(outcome: &Outcome) -> f64 {
    assert_eq!(column(outcome, "flows", "status"), [1]);
    assert_eq!(
        column(outcome, "queue_pairs", "delivered_bytes")[1],
        16 << 20
    );
    let lost = column(outcome, "ports", "lost");
    assert_eq!(lost[..2], [0, 0], "the other link is clean");
    lost[3] as f64 / column(outcome, "ports", "frames")[3] as f64
}

/// 4158 bytes and more are 33,264 bits: at 3e-7 one frame in a hundred. ACKs are 66 bytes.
#[test]
fn as_many_as_the_frames_are_long() {
    let outcome = run(write(vec![permanent_fault(errors(3e-7, Fec::None, 0.0))]));
    let expected = 1.0 - (1.0 - 3e-7_f64).powi(33_264);
    let found = loss(&outcome);
    assert!((found / expected - 1.0).abs() < 0.2, "{found} {expected}");
    let acks = column(&outcome, "ports", "lost")[2] as f64;
    assert!(acks < 10.0, "one ACK in 6,000: {acks}");
    assert!(outcome.summary.retransmissions > 0);
    assert_eq!(
        outcome.summary.losses,
        column(&outcome, "ports", "lost").iter().sum::<u64>()
    );
}

/// The same lanes with RS(528,514): seven wrong symbols of 528 are corrected. What is left is the floor.
#[test]
fn correction_takes_them_away() {
    let clean = run(write(Vec::new()));
    let corrected = run(write(vec![permanent_fault(errors(3e-7, Fec::Rs528, 0.0))]));
    assert_eq!(corrected, clean);
    let floor = run(write(vec![permanent_fault(errors(3e-7, Fec::Rs528, 3e-7))]));
    assert!(loss(&floor) > 0.005);
    // At 5e-4 the 528 symbols have 2.6 wrong ones on average: 0.6 % of the codewords more than seven, none more than fifteen.
    let weak = run(write(vec![permanent_fault(errors(5e-4, Fec::Rs528, 0.0))]));
    assert!((0.02..0.08).contains(&loss(&weak)), "{}", loss(&weak));
    let strong = run(write(vec![permanent_fault(errors(5e-4, Fec::Rs544, 0.0))]));
    assert_eq!(strong, clean);
}

#[test]
fn for_a_time() {
    let burst = Fault {
        from: 100 * MICROSECOND,
        until: 200 * MICROSECOND,
        kind: errors(1e-4, Fec::None, 0.0),
    };
    let outcome = run(write(vec![burst.clone()]));
    // 33,264 bits at 1e-4: 96 % of the frames; 100 us hold 298 of them.
    let lost = column(&outcome, "ports", "lost")[3];
    assert!((200..=298).contains(&lost), "{lost}");
    let late = Fault {
        from: 10_000 * MICROSECOND,
        until: 20_000 * MICROSECOND,
        ..burst
    };
    assert_eq!(run(write(vec![late])), run(write(Vec::new())));
}

/// Two writes meet where there is room for the computed headroom. A burst of 0.2 us that takes the first XOFF lets a lossless
/// class drop: the next comes after half of the quanta, 168 us.
#[test]
fn an_xoff_may_be_lost() {
    let incast = |faults| {
        let links = (0..3).map(|host| link(host, 3, 100, 500)).collect();
        let mut scenario = network(3, 1, links, roce());
        scenario.parameters.transport.ack_timeout = 8;
        scenario.parameters.switch.slices = 1;
        scenario.buffer_bytes = vec![Bytes(1_500_000)];
        for source in [0, 1] {
            flow(&mut scenario, source, 2, 8 << 20);
        }
        scenario.faults = faults;
        run(scenario)
    };
    let clean = incast(Vec::new());
    let rows = column(&clean, "pauses", "port")
        .into_iter()
        .zip(column(&clean, "pauses", "start_ps"));
    let first = rows.filter(|(port, _)| *port == 0).map(|(_, start)| start);
    let first = Picoseconds(first.min().expect("host 0 is paused"));
    // Its flight takes 84 byte times and the cable delay; the standard limits the response time after that.
    let answer = Picoseconds(84 * 80) + 500 * NANOSECOND + response_ceiling(100_000_000_000);
    let burst = |errors: BitErrors| Fault {
        from: first - answer - 100 * NANOSECOND,
        until: first - answer + 100 * NANOSECOND,
        kind: Kind::BitErrors(errors),
    };
    let noise = BitErrors {
        link: LinkId(0),
        ber: 0.01,
        fec: Fec::None,
        floor: 0.0,
    };
    let outcome = incast(vec![burst(noise)]);
    let of_link = |outcome: &Outcome, column_name: &str, port: u64| {
        let rows = column(outcome, "queues", "port");
        let values = column(outcome, "queues", column_name);
        let of_port = rows
            .iter()
            .zip(&values)
            .filter(|(row_port, _)| **row_port == port);
        of_port.map(|(_, value)| value).sum::<u64>()
    };
    assert!(of_link(&outcome, "xoff_sent", 1) > of_link(&outcome, "xoff_received", 0));
    assert!(outcome.summary.drops > 0);
    assert_eq!(column(&outcome, "flows", "status"), [1, 1]);
    assert_eq!((clean.summary.drops, clean.summary.losses), (0, 0));
}
