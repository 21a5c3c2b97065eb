//! What DCQCN-P and DCQCN-D, each with the marking it expects, do to the queue of an incast.

use crate::support::{column, connect, fractions, post, preset, run, star};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::dcqcn_broadcom::Parameters as Broadcom;
use wirespeed_sim::congestion::Parameters as Congestion;
use wirespeed_sim::ids::PortId;
use wirespeed_sim::model::parameters::Marking;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND, MILLISECOND};

/// Where marking begins.
const K: u32 = 150_000;

/// How the switch marks and the receiver notifies.
#[derive(Clone, Copy)]
enum Expects {
    /// A probability that rises from K to 4 K, and at most one CNP in the 50 us of the preset.
    Probability,
    /// Every packet above K, and a CNP for each.
    Step,
}

fn incast(senders: u32, congestion: Congestion, expects: Expects) -> Scenario {
    let mut parameters = preset("roce");
    parameters.marking = Marking {
        kmin_bytes: Bytes(K),
        kmax_bytes: Bytes(4 * K),
        pmax: 0.1,
        reference_gbps: None,
        ..parameters.marking
    };
    if matches!(expects, Expects::Step) {
        parameters.marking.kmax_bytes = Bytes(K);
        parameters.marking.pmax = 1.0;
        parameters.notification.interval_ns = Nanoseconds(0);
    }
    parameters.congestion = congestion;
    let mut scenario = star(senders + 1, 100, 1_000, parameters);
    for sender in 0..senders {
        let queue_pair = connect(&mut scenario, sender, senders);
        post(
            &mut scenario,
            queue_pair,
            Verb::Write,
            1 << 30,
            Picoseconds::ZERO,
        );
    }
    scenario.until = 100 * MILLISECOND;
    scenario.observe.interval = 10 * MICROSECOND;
    scenario.observe.ports = vec![PortId(2 * senders + 1)];
    scenario
}

/// What nine tenths of the samples in the second half of the run are below.
fn queue(outcome: &Outcome) -> f64 {
    queue_from(outcome, 50 * MILLISECOND)
}

/// What nine tenths of the samples from then on are below.
fn queue_from(outcome: &Outcome, start: Picoseconds) -> f64 {
    let times = column(outcome, "series", "time_ps");
    let quantities = column(outcome, "series", "what");
    let priority = column(outcome, "series", "priority");
    let value = fractions(outcome, "series", "value");
    let mut depths: Vec<f64> = (0..times.len())
        .filter(|n| times[*n] >= start.0 && (quantities[*n], priority[*n]) == (0, 3))
        .map(|n| value[n])
        .collect();
    depths.sort_by(f64::total_cmp);
    depths[depths.len() * 9 / 10]
}

/// With many flows P lets the queue stand higher; D costs the NICs more CNPs (957608-AN210).
#[test]
fn d_keeps_the_queue_lower_and_takes_more_cnps() {
    for senders in [8, 16, 32] {
        let broadcom = Broadcom::default;
        let p = incast(
            senders,
            Congestion::DcqcnP(broadcom()),
            Expects::Probability,
        );
        let d = incast(senders, Congestion::DcqcnD(broadcom()), Expects::Step);
        let (p, d) = (run(p), run(d));
        assert!(queue(&p) > 2.0 * queue(&d), "{senders}");
        assert!(d.summary.cnps > 3 * p.summary.cnps, "{senders}");
        // A CNP for each marked packet, but those in flight at the end.
        let on_their_way = d.summary.ecn_marks - d.summary.cnps;
        assert!(on_their_way < d.summary.cnps / 100, "{senders}");
        assert!(p.summary.cnps < p.summary.ecn_marks / 2, "{senders}");
    }
}

/// Under D a sender gets feedback on a packet when it has passed the queue, and meanwhile its rate may have risen by a thousandth of the
/// link in each epoch. So what the first burst leaves stands where that is several times its share: the delay D of that
/// queue, N senders and epochs of R have to have N D below 3 times 1000 R, 120 ms. The first burst of many is as long as PFC
/// lets it be, so that is a bound on buffers, or on `ai_rate_incr`.
#[test]
fn a_long_queue_of_many_senders_drains_late_or_not() {
    // Senders, buffer, rise: what nine tenths of the samples from 40 to 50 ms are below; N D of the first burst.
    let (drains, stands) = (0.0..500e3, 20e6..60e6);
    for (senders, mebibytes, rise, expected) in [
        (16, 64, 0, &drains), // 22 MB: 28 ms
        (64, 24, 0, &drains), // 10 MB: 51 ms
        (64, 64, 0, &stands), // 47 MB: 240 ms
        (64, 64, 1, &drains), // the same, and an eighth of the rise
    ] {
        let parameters = Broadcom {
            ai_rate_incr: rise,
            ..Broadcom::default()
        };
        let mut scenario = incast(senders, Congestion::DcqcnD(parameters), Expects::Step);
        scenario.buffer_bytes = vec![Bytes(mebibytes << 20)];
        scenario.until = 50 * MILLISECOND;
        let found = queue_from(&run(scenario), 40 * MILLISECOND);
        assert!(
            expected.contains(&found),
            "{senders} {mebibytes} {rise}: {found}"
        );
    }
}

/// An incast as the plan of a 400 Gb/s cluster has it: marks from 1,048,000 to 2,097,000 bytes at up to 5 % for P,
/// above 1,048,000 bytes for D.
fn planned_incast(senders: u32, congestion: Congestion, expects: Expects) -> Scenario {
    let mut scenario = incast(senders, congestion, expects);
    let marking = &mut scenario.parameters.marking;
    marking.kmin_bytes = Bytes(1_048_000);
    match expects {
        Expects::Probability => (marking.kmax_bytes, marking.pmax) = (Bytes(2_097_000), 0.05),
        Expects::Step => marking.kmax_bytes = Bytes(1_048_000),
    }
    for link in &mut scenario.links {
        link.rate = 400_000_000_000;
    }
    scenario.until = 10 * MILLISECOND;
    scenario
}

/// The share of a run in which the receiver's port was busy.
fn utilisation(scenario: Scenario) -> f64 {
    let receiver = scenario.links.len() - 1;
    let gap = scenario.parameters.framing.gap_bytes.as_f64();
    let outcome = run(scenario);
    let bytes = column(&outcome, "ports", "bytes")[2 * receiver + 1] as f64;
    let frames = column(&outcome, "ports", "frames")[2 * receiver + 1] as f64;
    (bytes + frames * gap) * 8.0 / (400e9 * 10e-3)
}

/// What the cuts of one congestion are to the link, with the burst at the beginning in it.
#[test]
fn an_incast_keeps_its_link_busy() {
    for senders in [2, 3, 4] {
        let usual = Broadcom::default;
        let p = planned_incast(senders, Congestion::DcqcnP(usual()), Expects::Probability);
        let d = planned_incast(senders, Congestion::DcqcnD(usual()), Expects::Step);
        let (p, d) = (utilisation(p), utilisation(d));
        assert!(p >= 0.9 && d >= 0.9, "{senders}: {p:.3} {d:.3}");
    }
    // As DCQCN was published, the target goes down with every cut, and rises by 40 Mb/s.
    let published = || Broadcom {
        tr_update_cyls: 255,
        ai_rate_incr: 3,
        ..Broadcom::default()
    };
    let p = planned_incast(3, Congestion::DcqcnP(published()), Expects::Probability);
    let d = planned_incast(3, Congestion::DcqcnD(published()), Expects::Step);
    let (p, d) = (utilisation(p), utilisation(d));
    assert!(p < 0.25 && d < 0.25, "{p:.3} {d:.3}");
}
