//! CNPs that are lost, late, or wait behind data: what they are for then comes too late.

use crate::permanent_fault;
use crate::support::{column, flow, run, star};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::{LinkId, PortId, Priority};
use wirespeed_sim::model::faults::stuck_nic::StuckNic;
use wirespeed_sim::model::faults::{cnp, Kind};
use wirespeed_sim::model::preset;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::Scenario;
use wirespeed_sim::time::{Picoseconds, MICROSECOND, MILLISECOND};

/// Eight hosts write 4 MiB each to the ninth.
fn incast(faults: Vec<Kind>) -> Scenario {
    let mut parameters = preset::by_name("roce").unwrap();
    parameters.marking.kmin_bytes = Bytes(400_000);
    parameters.marking.kmax_bytes = Bytes(1_600_000);
    let mut scenario = star(9, 100, 500, parameters);
    for source in 0..8 {
        flow(&mut scenario, source, 8, 4 << 20);
    }
    scenario.faults = faults.into_iter().map(permanent_fault).collect();
    scenario
}

/// Link 8 joins the ninth host.
fn loss(probability: f64) -> Kind {
    Kind::CnpLoss(cnp::Loss {
        link: LinkId(8),
        probability,
    })
}

fn count_cnps(outcome: &Outcome) -> u64 {
    column(outcome, "queue_pairs", "cnps_received").iter().sum()
}

#[test]
fn lost_ones_leave_the_rest_to_pfc() {
    let well = run(incast(Vec::new()));
    let all_lost = run(incast(vec![loss(1.0)]));
    assert_eq!(count_cnps(&all_lost), 0);
    let sent = all_lost.summary.losses;
    assert!(sent > 0, "they are sent, and lost: nothing else is");
    assert_eq!(column(&all_lost, "ports", "lost")[16], sent);
    assert!(
        all_lost.summary.pfc_pauses > 4 * well.summary.pfc_pauses,
        "{} {}",
        all_lost.summary.pfc_pauses,
        well.summary.pfc_pauses
    );
    assert_eq!(all_lost.summary.retransmissions, 0);
}

#[test]
fn one_in_so_many() {
    let outcome = run(incast(vec![loss(0.25)]));
    let (lost, came) = (outcome.summary.losses as f64, count_cnps(&outcome) as f64);
    let share = lost / (lost + came);
    assert!((0.15..0.35).contains(&share), "{share}");
    assert_eq!(run(incast(vec![loss(0.0)])), run(incast(Vec::new())));
}

/// CNPs of the ninth host, late by so much.
fn cnp_delay(delay: Picoseconds) -> Vec<Kind> {
    vec![Kind::CnpDelay(cnp::Delay {
        port: PortId(16),
        delay,
    })]
}

/// In a buffer that takes all of it, 200 us late: until then no sender slows down, and seven of eight links' worth queues. With
/// CNPs at once the rates have halved three times by then.
#[test]
fn late_ones_let_the_queue_grow() {
    let deepest = |faults| {
        let mut scenario = incast(faults);
        scenario.buffer_bytes = vec![Bytes(256 << 20)];
        let outcome = run(scenario);
        assert_eq!(outcome.summary.pfc_pauses, 0, "the buffer takes it");
        column(&outcome, "queues", "max_bytes")
            .into_iter()
            .max()
            .unwrap()
    };
    // Of a frame, 4158 of 4178 bytes on the link are in the queue.
    let grown = 200 * MICROSECOND / 80 * 7 * 4158 / 4178;
    let (well, behind) = (deepest(Vec::new()), deepest(cnp_delay(200 * MICROSECOND)));
    assert!(behind > grown.0, "{behind} of {grown}");
    assert!(well < (grown / 3).0, "{well} of {grown}");
}

/// Where the buffer does not take it, PFC pauses the senders instead.
#[test]
fn late_ones_leave_more_to_pfc() {
    let well = run(incast(Vec::new()));
    let outcome = run(incast(cnp_delay(200 * MICROSECOND)));
    assert!(outcome.summary.pfc_pauses > well.summary.pfc_pauses);
    assert_eq!(outcome.summary.losses, 0);
    assert_eq!(run(incast(cnp_delay(Picoseconds::ZERO))), well);
}

/// Host 8 writes to host 7, which is stuck, so the switch pauses the data of host 8. CNPs in a separate strict class
/// still leave; in the class of the data they wait behind it, and the senders receive no notification.
#[test]
fn in_a_class_of_their_own() {
    let cnps = |priority| {
        let mut scenario = incast(vec![Kind::StuckNic(StuckNic {
            port: PortId(14),
            priorities: 1 << 3,
        })]);
        flow(&mut scenario, 8, 7, 4 << 20);
        scenario.parameters.notification.priority = priority;
        scenario.buffer_bytes = vec![Bytes(4 << 20)];
        scenario.until = MILLISECOND;
        let outcome = run(scenario);
        let paused = column(&outcome, "pauses", "port");
        assert!(paused.contains(&16), "host 8 is paused");
        count_cnps(&outcome)
    };
    let (separate, with_data) = (cnps(Priority(7)), cnps(Priority(3)));
    assert!(separate > 50, "one in 50 us for each of eight: {separate}");
    assert!(with_data * 4 < separate, "{with_data} of {separate}");
}
