//! Any ACKs and losses, in any order, for ACK-driven algorithms: windows and rates stay within their bounds.

use super::{GIGABIT, MTU};
use crate::support::draws;
use proptest::prelude::*;
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::Hop;
use wirespeed_sim::congestion::{dctcp, hpcc, nscc, swift, timely};
use wirespeed_sim::congestion::{Ack, Algorithm, CongestionControl, Loss, Parameters, Penalty};
use wirespeed_sim::ids::PortId;
use wirespeed_sim::time::{Nanoseconds, Picoseconds, NANOSECOND};

/// Between these a window (bytes) and a rate (bits per second) always are.
#[derive(Debug)]
struct Bounds {
    window: Option<(f64, f64)>,
    rate: Option<(f64, f64)>,
}

/// An algorithm, and what it is to keep to, at `line` bits per second.
fn algorithm() -> impl Strategy<Value = (Parameters, u64, Bounds)> {
    let speeds = prop_oneof![Just(10), Just(100), Just(400)].prop_map(|gbps| gbps * GIGABIT);
    (0..5, speeds, any::<[u16; 3]>()).prop_map(|(kind, line, numbers)| {
        let [a, b, c] = numbers.map(|number| f64::from(number) / f64::from(u16::MAX));
        let (parameters, bounds) = match kind {
            0 => any_dctcp(a, b, c),
            1 => any_timely(line, a, b, c),
            2 => any_swift(line, a, b, c),
            3 => any_nscc(line, a, b, c),
            _ => any_hpcc(line, a, b, c),
        };
        (parameters, line, bounds)
    })
}

fn any_dctcp(a: f64, b: f64, c: f64) -> (Parameters, Bounds) {
    let dctcp = dctcp::Parameters {
        g: a.max(1e-3),
        initial_alpha: b,
        initial_window_packets: 1 + (c * 100.0) as u32,
        min_window_packets: 1 + (a * 5.0) as u32,
    };
    let bounds = Bounds {
        // A timeout leaves one packet (RFC 5681); nothing but its use limits a TCP window above.
        window: Some((f64::from(MTU), f64::INFINITY)),
        rate: None,
    };
    (Parameters::Dctcp(dctcp), bounds)
}

fn any_timely(line: u64, a: f64, b: f64, c: f64) -> (Parameters, Bounds) {
    let least = 1 + (a * line as f64 / 2.0) as u64;
    let timely = timely::Parameters {
        alpha: b.max(1e-3),
        beta: c.max(1e-3),
        min_rate_bps: Some(least),
        hyperactive_after: 1 + (a * 8.0) as u32,
        segment_bytes: Bytes(1 + (b * 100_000.0) as u32),
        ..timely::Parameters::default()
    };
    let bounds = Bounds {
        window: None,
        rate: Some((least as f64, line as f64)),
    };
    (Parameters::Timely(timely), bounds)
}

fn any_swift(line: u64, a: f64, b: f64, c: f64) -> (Parameters, Bounds) {
    let least = a.max(1e-4);
    let most = least + 1_000.0 * b;
    let swift = swift::Parameters {
        min_window_packets: least,
        max_window_packets: most,
        initial_window_packets: least + c * (most - least),
        beta: b.max(1e-3),
        max_mdf: c.clamp(1e-3, 0.999),
        ..swift::Parameters::default()
    };
    let packet = f64::from(MTU);
    let bounds = Bounds {
        window: Some((least * packet, most * packet)),
        rate: Some((0.0, line as f64)),
    };
    (Parameters::Swift(swift), bounds)
}

fn any_hpcc(line: u64, a: f64, b: f64, c: f64) -> (Parameters, Bounds) {
    let hpcc = hpcc::Parameters {
        target_percent: 1 + (a * 99.0) as u32,
        max_stage: (b * 10.0) as u32,
        additive_bytes: Bytes(1 + (c * 5_000.0) as u32),
        base_rtt_ns: Nanoseconds(5_000 + (a * 50_000.0) as u32),
        ..hpcc::Parameters::default()
    };
    let in_flight = line as f64 / 8.0 * f64::from(hpcc.base_rtt_ns.0) / 1e9;
    let bounds = Bounds {
        window: Some((f64::from(hpcc.additive_bytes.0), in_flight)),
        rate: Some((0.0, line as f64)),
    };
    (Parameters::Hpcc(hpcc), bounds)
}

fn any_nscc(line: u64, a: f64, b: f64, c: f64) -> (Parameters, Bounds) {
    let nscc = nscc::Parameters {
        config_base_rtt_ns: Some(Nanoseconds(1_000 + (a * 50_000.0) as u32)),
        target_qdelay_ns: (b > 0.5).then_some(Nanoseconds(1 + (b * 50_000.0) as u32)),
        gamma: c.max(1e-3),
        max_md_jump: a.max(1e-3),
        fi_scale: b.max(1e-3),
        qa_gate: (c * 6.0) as u8,
        qa_threshold: (a > 0.5).then_some(b.max(1e-3) * 10.0),
        ..nscc::Parameters::default()
    };
    let packet = f64::from(MTU);
    let in_flight = line as f64 / 8.0 * f64::from(nscc.config_base_rtt_ns.unwrap().0) / 1e9;
    let bounds = Bounds {
        window: Some((packet, (nscc.max_wnd_bdp * in_flight).max(packet))),
        rate: None,
    };
    (Parameters::Nscc(nscc), bounds)
}

/// What a sender has in flight, by packet numbers, and when it is.
#[derive(Default)]
struct Sender {
    now: Picoseconds,
    until: u32,
    next: u32,
    /// Telemetry of the switches for each acknowledged packet.
    telemetry: Vec<[Hop; 2]>,
    /// Number of hops in the last ACK that was not overtaken, and its time.
    newest: (usize, Picoseconds),
    /// The last ACK was overtaken by one on the same path.
    overtaken: bool,
}

impl Sender {
    /// An ACK of any number of packets, late or early, marked or not; or a loss.
    fn process_event(&mut self, algorithm: &mut Algorithm, line: u64, call: [u16; 4]) {
        let [kind, packets, wait, other] = call.map(u32::from);
        self.now += u64::from(wait) * 10 * NANOSECOND;
        self.next += packets % 50;
        let (until, next) = (self.until, self.next);
        self.overtaken = false;
        match kind % 16 {
            0 => algorithm.on_loss(self.now, Loss::Timeout { next }),
            1 | 2 => algorithm.on_loss(self.now, Loss::Gap { until, next }),
            3 => {
                let trimmed = Loss::Trimmed {
                    psn: until,
                    next,
                    outstanding: next - until,
                    last_hop: other % 2 == 0,
                };
                algorithm.on_loss(self.now, trimmed);
            }
            _ => {
                let acknowledged = (next - until).min(other % 64);
                self.until += acknowledged;
                let hops = self.pass_switches(line, other);
                // One in four was overtaken by up to 16 others.
                let ago = if kind / 16 % 4 == 0 {
                    kind as usize / 64 % 16
                } else {
                    0
                };
                let hops = match self.telemetry.len() {
                    0..=16 => hops,
                    count => self.telemetry[count - 1 - ago],
                };
                let hops = &hops[..(kind % 3) as usize];
                if let Some(first) = hops.first() {
                    let (count, time) = self.newest;
                    self.overtaken = hops.len() == count && first.time <= time;
                    if !self.overtaken {
                        self.newest = (hops.len(), first.time);
                    }
                }
                algorithm.on_ack(
                    &Ack {
                        now: self.now,
                        bytes: Bytes(acknowledged * MTU),
                        until: self.until,
                        next,
                        outstanding: next - self.until,
                        rtt: (kind % 5 != 0).then_some(u64::from(other) * 100 * NANOSECOND),
                        marked: kind % 3 == 0,
                    },
                    hops,
                    Penalty {
                        rcv_cwnd_pend: if kind % 7 == 0 { other as u8 % 128 } else { 0 },
                        restore_cwnd: kind % 2 == 0,
                    },
                );
            }
        }
        algorithm.on_sent(self.now, Bytes(MTU));
    }

    /// Telemetry of two switches: they send at most the line rate; queue depths are arbitrary.
    fn pass_switches(&mut self, line: u64, other: u32) -> [Hop; 2] {
        let mut hops = self.telemetry.last().copied().unwrap_or_default();
        for (port, hop) in (1..).zip(&mut hops) {
            let elapsed = self.now - hop.time;
            let could = (elapsed.as_f64() * line as f64 / 8e12) as u64;
            hop.port = PortId(port);
            hop.rate = line;
            hop.time = self.now;
            hop.sent_bytes += Bytes(could * u64::from(other % 101) / 100);
            hop.queue_bytes = Bytes(other * 37);
        }
        self.telemetry.push(hops);
        hops
    }
}

proptest! {
    #![proptest_config(draws(2_000))]

    #[test]
    fn windows_and_rates_stay_in_their_bounds(
        (parameters, line, bounds) in algorithm(),
        calls in prop::collection::vec(any::<[u16; 4]>(), 0..300),
    ) {
        prop_assert_eq!(parameters.check("", line), Ok(()));
        let mut algorithm = parameters.prepare().start(line, Bytes(MTU));
        let mut sender = Sender::default();
        let by_telemetry = matches!(parameters, Parameters::Hpcc(_));
        for call in calls {
            let previous = (algorithm.window(), algorithm.alpha(sender.now));
            sender.process_event(&mut algorithm, line, call);
            if by_telemetry && sender.overtaken {
                prop_assert_eq!((algorithm.window(), algorithm.alpha(sender.now)), previous, "it is of the past");
            }
            let values = (algorithm.window(), algorithm.peek(sender.now), algorithm.alpha(sender.now));
            prop_assert_eq!(algorithm.rate(sender.now), values.1, "looking changes nothing");
            prop_assert_eq!((algorithm.window(), algorithm.peek(sender.now), algorithm.alpha(sender.now)), values);
            // A product of powers of two and bytes may be off by its last bit.
            let within = |value: f64, (least, most): (f64, f64)| {
                value.is_finite() && value >= least * (1.0 - 1e-12) && value <= most * (1.0 + 1e-12)
            };
            prop_assert_eq!(values.0.is_some(), bounds.window.is_some());
            if let Some((window, range)) = values.0.zip(bounds.window) {
                prop_assert!(within(window, range), "window {} of {:?}", window, range);
            }
            if let Some(rate) = values.1 {
                let range = bounds.rate.expect("this algorithm has no rate");
                prop_assert!(rate > 0.0 && within(rate, range), "rate {} of {:?}", rate, range);
            }
            if let Some(alpha) = values.2 {
                prop_assert!((0.0..=1.0).contains(&alpha), "alpha {}", alpha);
            }
        }
    }
}
