//! What DCQCN-P and DCQCN-D, each with the marking it expects, do to the queue of an incast.

use crate::support::{column, connect, fractions, post, preset, run, star};
use wirespeed_sim::congestion::dcqcn_broadcom::Parameters as Broadcom;
use wirespeed_sim::congestion::Parameters as Congestion;
use wirespeed_sim::parameters::Marking;
use wirespeed_sim::results::Outcome;
use wirespeed_sim::scenario::{Scenario, Verb};
use wirespeed_sim::time::{MICROSECOND, MILLISECOND};

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
        kmin_bytes: K,
        kmax_bytes: 4 * K,
        pmax: 0.1,
        reference_gbps: None,
        ..parameters.marking
    };
    if matches!(expects, Expects::Step) {
        parameters.marking.kmax_bytes = K;
        parameters.marking.pmax = 1.0;
        parameters.notification.interval_ns = 0;
    }
    parameters.congestion = congestion;
    let mut scenario = star(senders + 1, 100, 1_000, parameters);
    for sender in 0..senders {
        let queue_pair = connect(&mut scenario, sender, senders);
        post(&mut scenario, queue_pair, Verb::Write, 1 << 30, 0);
    }
    scenario.until = 40 * MILLISECOND;
    scenario.observe.interval = 10 * MICROSECOND;
    scenario.observe.ports = vec![2 * senders + 1];
    scenario
}

/// What nine tenths of the samples in the second half of the run are below.
fn queue(outcome: &Outcome) -> f64 {
    let times = column(outcome, "series", "time_ps");
    let what = column(outcome, "series", "what");
    let priority = column(outcome, "series", "priority");
    let value = fractions(outcome, "series", "value");
    let mut depths: Vec<f64> = (0..times.len())
        .filter(|n| times[*n] >= 20 * MILLISECOND && (what[*n], priority[*n]) == (0, 3))
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
        // A CNP for each marked packet, but those on their way at the end.
        let on_their_way = d.summary.ecn_marks - d.summary.cnps;
        assert!(on_their_way < d.summary.cnps / 100, "{senders}");
        assert!(p.summary.cnps < p.summary.ecn_marks / 2, "{senders}");
    }
}
