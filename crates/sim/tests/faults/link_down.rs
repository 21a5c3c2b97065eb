//! Links that go down, and come up again.

use crate::roce;
use crate::support::{column, connect, flow, link, network, port, post, run, star};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::LinkId;
use wirespeed_sim::model::faults::link_down::{LinkDown, Links};
use wirespeed_sim::model::faults::{Fault, Kind};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Picoseconds, MICROSECOND, MILLISECOND, NEVER};

const COMPLETED: u64 = 1;
const FAILED: u64 = 2;
/// A data packet of 4096 bytes on 100 Gb/s, RETH aside: 14 + 20 + 8 + 12 + 4096 + 4 + 4 and the 20 of preamble and gap.
const PACKET: Picoseconds = Picoseconds(4_178 * 80);

fn link_down(
    of: Links,
    from: Picoseconds,
    until: Picoseconds,
    detection: u64,
    convergence: u64,
) -> Fault {
    let kind = Kind::LinkDown(LinkDown {
        of,
        detection: detection * MICROSECOND,
        convergence: convergence * MICROSECOND,
    });
    Fault { from, until, kind }
}

/// Two leaves with a host each and two spines; a write of 8 MiB. Also the link from the leaf to the spine that it takes, and
/// that to the other.
fn two_paths() -> (Scenario, u32, u32) {
    let mut parameters = roce();
    parameters.transport.ack_timeout = 6; // 262 us
    let mut links = vec![link(0, 2, 100, 500), link(1, 3, 100, 500)];
    for spine in [4, 5] {
        links.push(link(2, spine, 100, 500));
        links.push(link(3, spine, 100, 500));
    }
    let mut scenario = network(2, 4, links, parameters);
    flow(&mut scenario, 0, 1, 8 << 20);
    let frames = column(&run(scenario.clone()), "ports", "frames");
    let (taken, other) = if frames[4] > 0 { (2, 4) } else { (4, 2) };
    assert_eq!((frames[2 * taken], frames[2 * other]), (2_048, 0));
    (scenario, taken as u32, other as u32)
}

fn frames(outcome: &Outcome, link: u32) -> u64 {
    column(outcome, "ports", "frames")[2 * link as usize]
}

/// Without the fault one path carries everything. With it, packets on the link are lost, and the other path carries the rest.
#[test]
fn routes_lead_around_a_link_that_is_down() {
    let (mut scenario, taken, other) = two_paths();
    let begin = 200 * MICROSECOND;
    scenario.faults = vec![link_down(Links::One(LinkId(taken)), begin, NEVER, 10, 40)];
    let outcome = run(scenario);
    assert_eq!(column(&outcome, "flows", "status"), [COMPLETED]);
    let delivered = column(&outcome, "queue_pairs", "delivered_bytes");
    assert_eq!(delivered, [0, 8 << 20]);
    // 10 us of frames on a link that is not yet known to be down, and those in flight before.
    let lost = column(&outcome, "ports", "lost")[2 * taken as usize];
    let blind = 10 * MICROSECOND / PACKET;
    assert!((blind..blind + 5).contains(&lost), "{lost} of {blind}");
    // Another 40 us of frames for which the leaf has no other route.
    let drops = outcome.summary.drops;
    let waiting = 40 * MICROSECOND / PACKET;
    assert!(
        (waiting - 2..waiting + 5).contains(&drops),
        "{drops} of {waiting}"
    );
    assert_eq!(outcome.summary.unroutable, drops);
    assert_eq!(outcome.summary.port_down_drops, 0);
    assert!(frames(&outcome, other) > 1_000);
    assert!(frames(&outcome, taken) < 1_000);
}

/// Two senders fill the queue of the port to the receiver: what waits there is dropped with the port, nothing else.
#[test]
fn frames_that_wait_for_a_port_are_dropped_with_it() {
    let mut scenario = star(3, 100, 500, roce());
    flow(&mut scenario, 0, 2, 1 << 20);
    flow(&mut scenario, 1, 2, 1 << 20);
    let begin = 20 * MICROSECOND;
    scenario.faults = vec![link_down(Links::One(LinkId(2)), begin, NEVER, 0, 40)];
    let summary = run(scenario).summary;
    assert!(summary.port_down_drops > 10, "{summary:?}");
    // Without a route, after that.
    assert_eq!(summary.drops, summary.port_down_drops + summary.unroutable);
}

/// Two faults of a link, the second too short to be seen alone: the link is back when both are over.
#[test]
fn a_flap_at_the_end_of_an_outage() {
    let (mut scenario, ..) = two_paths();
    let at = |us: u64| us * MICROSECOND;
    let long = link_down(Links::One(LinkId(0)), at(200), at(300), 10, 40);
    let short = link_down(Links::One(LinkId(0)), at(298), at(302), 10, 40);
    scenario.faults = vec![long, short];
    let outcome = run(scenario);
    assert_eq!(column(&outcome, "flows", "status"), [COMPLETED]);
}

/// Down for less time than its ports take to see it: frames are lost, and nothing else happens.
#[test]
fn a_flap_is_not_noticed() {
    let (mut scenario, taken, other) = two_paths();
    let begin = 200 * MICROSECOND;
    scenario.faults = vec![link_down(
        Links::One(LinkId(taken)),
        begin,
        begin + 5 * MICROSECOND,
        10,
        40,
    )];
    let outcome = run(scenario);
    assert_eq!(column(&outcome, "flows", "status"), [COMPLETED]);
    let lost = column(&outcome, "ports", "lost")[2 * taken as usize];
    let blind = 5 * MICROSECOND / PACKET;
    assert!((blind..blind + 5).contains(&lost), "{lost} of {blind}");
    assert_eq!((frames(&outcome, other), outcome.summary.drops), (0, 0));
}

/// A link that comes back is used again, after as long as routing takes.
#[test]
fn a_link_that_comes_back_is_used_again() {
    let (mut scenario, taken, other) = two_paths();
    let begin = 100 * MICROSECOND;
    let back = begin + 300 * MICROSECOND;
    let end = |convergence| {
        let mut scenario = scenario.clone();
        scenario.faults = vec![link_down(
            Links::One(LinkId(taken)),
            begin,
            back,
            0,
            convergence,
        )];
        let outcome = run(scenario);
        assert_eq!(column(&outcome, "flows", "status"), [COMPLETED]);
        // The other path is used between the two routing updates: link down and link up.
        let meanwhile = frames(&outcome, other) * PACKET;
        let outage = 300 * MICROSECOND;
        assert!(
            meanwhile.abs_diff(outage) < 4 * PACKET,
            "{meanwhile} of {outage}"
        );
        assert!(frames(&outcome, taken) > 1_000);
        outcome.summary.end
    };
    let (soon, late) = (end(10), end(250));
    let slower = late - soon;
    assert!(
        slower.abs_diff(240 * MICROSECOND) < 5 * MICROSECOND,
        "{slower}"
    );
    // Both ends of all links of the spine: as if the spine had failed.
    let spine = scenario.links[taken as usize].b;
    scenario.faults = vec![link_down(Links::OfNode(spine), begin, back, 0, 10)];
    let outcome = run(scenario);
    assert_eq!(column(&outcome, "flows", "status"), [COMPLETED]);
    assert!(frames(&outcome, other) > 100);
}

/// The only link of a host: the retries are used up, or the link is back before.
#[test]
fn without_another_path_the_retries_decide() {
    for (until, status) in [(NEVER, FAILED), (4 * MILLISECOND, COMPLETED)] {
        let mut parameters = roce();
        parameters.transport.ack_timeout = 8; // 1 ms, eight times
        let mut scenario = star(2, 100, 500, parameters);
        flow(&mut scenario, 0, 1, 4 << 20);
        scenario.faults = vec![link_down(
            Links::One(LinkId(1)),
            100 * MICROSECOND,
            until,
            1,
            1,
        )];
        let outcome = run(scenario);
        assert_eq!(column(&outcome, "flows", "status"), [status], "{until}");
        assert!(outcome.summary.drops > 0);
    }
}

/// The sender's own link: it waits, and continues when the link is up again; nothing is dropped in a switch.
#[test]
fn a_sender_waits_for_its_link() {
    let mut parameters = roce();
    parameters.transport.ack_timeout = 12; // 17 ms
    let mut scenario = star(2, 100, 500, parameters);
    flow(&mut scenario, 0, 1, 4 << 20);
    let undisturbed = run(scenario.clone()).summary.end;
    let outage = 200 * MICROSECOND;
    let begin = 100 * MICROSECOND;
    scenario.faults = vec![link_down(
        Links::One(LinkId(0)),
        begin,
        begin + outage,
        0,
        0,
    )];
    let outcome = run(scenario);
    assert_eq!(column(&outcome, "flows", "status"), [COMPLETED]);
    assert!(outcome.summary.drops < 12, "{:?}", outcome.summary); // acknowledgements to it
    assert!(outcome.summary.end >= undisturbed + outage);
    assert!(
        (1..12).contains(&outcome.summary.losses),
        "{}",
        outcome.summary.losses
    );
}

/// A NIC loses its pause with its link; after link up it receives a new pause, or it would overflow the headroom.
#[test]
fn a_pause_is_sent_again_after_link_up() {
    let mut parameters = roce();
    parameters.pfc.quanta = None;
    parameters.pfc.refresh_quanta = None;
    parameters.transport.ack_timeout = 0;
    let mut scenario = star(4, 100, 500, parameters);
    scenario.buffer_bytes = vec![Bytes(2 << 20)];
    for source in [0, 1, 2] {
        let queue_pair = connect(&mut scenario, source, 3);
        post(
            &mut scenario,
            queue_pair,
            Verb::Write,
            8 << 20,
            Picoseconds::ZERO,
        );
    }
    let nic = port(&scenario, 0);
    let pauses = |outcome: &Outcome| {
        let ports = column(outcome, "pauses", "port");
        let starts = column(outcome, "pauses", "start_ps");
        let ends = column(outcome, "pauses", "end_ps");
        let rows = (0..ports.len()).filter(|row| ports[*row] == u64::from(nic));
        rows.map(|row| (starts[row], ends[row])).collect::<Vec<_>>()
    };
    // In the middle of a long pause.
    let undisturbed = pauses(&run(scenario.clone()));
    let (start, end) = undisturbed
        .into_iter()
        .find(|(start, end)| end - start > (4 * MICROSECOND).0)
        .expect("a long pause");
    let begin = Picoseconds((start + end) / 2);
    let until = begin + MICROSECOND / 2;
    scenario.faults = vec![link_down(Links::One(LinkId(0)), begin, until, 0, 1)];
    let outcome = run(scenario);
    // Dropped is what waited in the downed ports alone: acknowledgements, at most.
    let by_switch = column(&outcome, "ports", "drops");
    let lossless = column(&outcome, "queues", "max_headroom_bytes");
    assert!(lossless.iter().any(|bytes| *bytes > 0));
    assert!(outcome.summary.drops < 4, "{by_switch:?}");
    let pauses_after = pauses(&outcome);
    assert!(
        pauses_after.contains(&(start, begin.0)),
        "the pause ends with the link"
    );
    let next = pauses_after
        .iter()
        .map(|(start, _)| *start)
        .find(|start| *start >= until.0);
    assert!(
        next.is_some_and(|next| next < (until + 4 * MICROSECOND).0),
        "{next:?}"
    );
}
