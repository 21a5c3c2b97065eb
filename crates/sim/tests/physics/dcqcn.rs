//! DCQCN in whole runs: its fixed point, and its first cut and recovery to the bit.

use crate::scenarios::assert_near;
use crate::support::{column, connect, fractions, post, preset, run, star};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::dcqcn::Parameters as Published;
use wirespeed_sim::congestion::Parameters as Congestion;
use wirespeed_sim::ids::PortId;
use wirespeed_sim::model::parameters::{Framing, Marking, MarkingPoint, Parameters};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND, MILLISECOND};

const LINE: f64 = 40e9;
const PACKET: f64 = 1000.0;
const KMIN: f64 = 5_000.0;
const KMAX: f64 = 200_000.0;
const PMAX: f64 = 0.01;
const CNP_INTERVAL: f64 = 50e-6;

/// The paper's constants (SIGCOMM 2015, table 14 and section 5), packets of 1000 bytes without anything around them.
fn paper() -> Parameters {
    let mut parameters = preset("roce");
    parameters.framing = Framing {
        data_bytes: Bytes(0),
        write_first_bytes: Bytes(0),
        datagram_bytes: Bytes(0),
        minimum_bytes: Bytes(0),
        gap_bytes: Bytes(0),
        ..parameters.framing
    };
    parameters.transport.mtu_bytes = Bytes(PACKET as u32);
    parameters.transport.ack_every = 64;
    parameters.transport.ack_timeout = 0;
    parameters.switch.slices = 1;
    parameters.marking = Marking {
        enabled: true,
        at: MarkingPoint::Enqueue,
        kmin_bytes: Bytes(KMIN as u32),
        kmax_bytes: Bytes(KMAX as u32),
        pmax: PMAX,
        reference_gbps: None,
        weight: 0,
    };
    parameters.notification.interval_ns = Nanoseconds((CNP_INTERVAL * 1e9) as u64);
    parameters.congestion = Congestion::Dcqcn(Published::default());
    parameters
}

/// `senders` hosts at 40 Gb/s write to one more without end from time 0 on; 1 us of cable, so 4 us of loop delay.
fn incast(senders: u32) -> Scenario {
    let mut scenario = star(senders + 1, 40, 1_000, paper());
    for sender in 0..senders {
        let queue_pair = connect(&mut scenario, sender, senders);
        post(
            &mut scenario,
            queue_pair,
            Verb::Write,
            2_000_000_000,
            Picoseconds::ZERO,
        );
    }
    scenario
}

/// The switch's port towards a host of a star.
fn port_to_host(host: u32) -> u32 {
    2 * host + 1
}

/// Payload delivered over each connection.
fn delivered_bytes(outcome: &Outcome) -> Vec<u64> {
    let all = column(outcome, "queue_pairs", "delivered_bytes");
    all.chunks(2).map(|ends| ends[1]).collect()
}

/// What was sampled of one kind: time and value.
fn series(outcome: &Outcome, quantity: u64, id: u32) -> Vec<(u64, f64)> {
    let times = column(outcome, "series", "time_ps");
    let kinds = column(outcome, "series", "what");
    let ids = column(outcome, "series", "id");
    let priorities = column(outcome, "series", "priority");
    let values = fractions(outcome, "series", "value");
    let priority = if quantity == QUEUE { 3 } else { 0 };
    (0..times.len())
        .filter(|n| (kinds[*n], ids[*n], priorities[*n]) == (quantity, u64::from(id), priority))
        .map(|n| (times[n], values[n]))
        .collect()
}

const QUEUE: u64 = 0;
const RATE: u64 = 2;

/// The queue at the fixed point of the fluid model (SIGCOMM 2015, equations 5 to 9, with the paper's constants): the
/// marking probability p at which cuts and increases of N equal flows balance,
///
/// ```text
/// a² α = τ² R_AI R (b + d)(c + e),  a = 1-(1-p)^(τR),  α = 1-(1-p)^(τ'R),  R = C/N
/// b = p/((1-p)^-B - 1),  c = b (1-p)^(F B),  d = p/((1-p)^(-T R) - 1),  e = d (1-p)^(F T R)
/// ```
///
/// and the queue that marks so: `Kmin + p/Pmax (Kmax - Kmin)`. Rates in packets per second, B in packets.
fn fixed_point(senders: u32) -> f64 {
    let (tau, alpha_timer, timer, threshold) = (CNP_INTERVAL, 55e-6, 55e-6, 5.0);
    let additive = 40e6 / 8.0 / PACKET;
    let rate = LINE / f64::from(senders) / 8.0 / PACKET;
    let counter = 10e6 / PACKET;
    let excess = |p: f64| {
        let a = 1.0 - (1.0 - p).powf(tau * rate);
        let alpha = 1.0 - (1.0 - p).powf(alpha_timer * rate);
        let b = p / ((1.0 - p).powf(-counter) - 1.0);
        let c = b * (1.0 - p).powf(threshold * counter);
        let d = p / ((1.0 - p).powf(-timer * rate) - 1.0);
        let e = d * (1.0 - p).powf(threshold * timer * rate);
        a * a * alpha - tau * tau * additive * rate * (b + d) * (c + e)
    };
    let (mut low, mut high) = (1e-7_f64, PMAX);
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        match excess(middle) > 0.0 {
            true => high = middle,
            false => low = middle,
        }
    }
    KMIN + low / PMAX * (KMAX - KMIN)
}

#[test]
fn the_fluid_model_has_the_stated_fixed_points() {
    for (senders, kilobytes) in [(2, 20.15), (4, 41.81), (8, 93.77)] {
        assert_near(fixed_point(senders) / 1e3, kilobytes, 0.0005);
    }
}

/// Over the second half of 200 ms: the median queue, how much the bottleneck carries, and how equally.
///
/// The model's loop delay is 4 us whatever the queue, which is marking at dequeue. A mark set at enqueue waits in the queue
/// as well, 19 us behind 94 kB, and eight senders then swing between an empty queue and Kmax; two and four do not.
#[test]
fn the_fixed_point_is_reached() {
    let rows = [
        (2, MarkingPoint::Dequeue),
        (4, MarkingPoint::Dequeue),
        (8, MarkingPoint::Dequeue),
        (2, MarkingPoint::Enqueue),
        (4, MarkingPoint::Enqueue),
    ];
    for (senders, at) in rows {
        let stated = fixed_point(senders);
        let half = second_half(senders, at);
        println!(
            "{senders} senders, {at:?}: median queue {:.1} kB of {:.2}, {:.2} Gb/s, Jain {:.4}",
            half.median / 1e3,
            stated / 1e3,
            half.sum / 1e9,
            half.jain
        );
        assert_near(half.median, stated, 0.35);
        assert_near(half.sum, LINE, 0.02);
        assert!(half.jain >= 0.98, "{}", half.jain);
    }
}

struct SecondHalf {
    /// Of the queue, bytes.
    median: f64,
    /// Of the rates, bits per second.
    sum: f64,
    /// Of the rates: Jain's index, (sum)² / (N sum of squares).
    jain: f64,
}

fn second_half(senders: u32, at: MarkingPoint) -> SecondHalf {
    let half = 100 * MILLISECOND;
    let mut first = incast(senders);
    first.parameters.marking.at = at;
    first.until = half;
    let mut whole = first.clone();
    whole.until = 2 * half;
    whole.observe.interval = 10 * MICROSECOND;
    whole.observe.ports = vec![PortId(port_to_host(senders))];
    let (first, whole) = (run(first), run(whole));
    assert_eq!((whole.summary.drops, whole.summary.pfc_pauses), (0, 0));

    let bits = |(end, start): (u64, u64)| (end - start) as f64 * 8.0 / 0.1;
    let pairs = delivered_bytes(&whole)
        .into_iter()
        .zip(delivered_bytes(&first));
    let rates: Vec<f64> = pairs.map(bits).collect();
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    let samples = series(&whole, QUEUE, port_to_host(senders));
    let second = samples.iter().filter(|(time, _)| *time >= half.0);
    let mut queue: Vec<f64> = second.map(|(_, bytes)| *bytes).collect();
    assert_eq!(queue.len(), 10_001);
    queue.sort_by(f64::total_cmp);
    SecondHalf {
        median: queue[queue.len() / 2],
        sum,
        jain: sum * sum / (f64::from(senders) * squares),
    }
}

/// One notification and no more: the first cut halves (alpha is 1), then every 55 us the rate moves half of the
/// distance back to the target, which is line rate; from the sixth step on the target would rise by 40 Mb/s and is line rate already.
#[test]
fn the_first_cut_and_its_recovery() {
    // The second sender's 100 kB queue up at 40 Gb/s against one port; every packet behind more than 50 kB is marked.
    // Once they are through, the queue drains in less than the 50 us between notifications.
    let mut parameters = paper();
    parameters.marking.kmin_bytes = Bytes(50_000);
    parameters.marking.kmax_bytes = Bytes(50_000);
    let mut scenario = star(3, 40, 1_000, parameters);
    let watched = connect(&mut scenario, 0, 2);
    post(
        &mut scenario,
        watched,
        Verb::Write,
        4_000_000,
        Picoseconds::ZERO,
    );
    let burst = connect(&mut scenario, 1, 2);
    post(
        &mut scenario,
        burst,
        Verb::Write,
        100_000,
        Picoseconds::ZERO,
    );
    scenario.observe.interval = MICROSECOND;
    scenario.observe.queue_pairs = vec![watched];
    let outcome = run(scenario);
    assert_eq!(
        column(&outcome, "queue_pairs", "cnps_received")[watched.index()],
        1
    );

    let mut steps: Vec<(u64, f64)> = Vec::new();
    for (time, rate) in series(&outcome, RATE, watched.0) {
        if steps.last().is_none_or(|(_, last)| *last != rate) {
            steps.push((time, rate));
        }
    }
    let rates: Vec<f64> = steps.iter().map(|(_, rate)| *rate).collect();
    let stated = [40e9, 20e9, 30e9, 35e9, 37.5e9, 38.75e9, 39.375e9, 39.6875e9];
    assert_eq!(rates[..8], stated);
    for pair in steps[1..8].windows(2) {
        assert_eq!(pair[1].0 - pair[0].0, 55 * MICROSECOND.0);
    }
}
