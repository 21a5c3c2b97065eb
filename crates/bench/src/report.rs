//! Measurements beside goals, as a table and as JSON.

use crate::goals;
use crate::measure::{Measurement, Rounds};
use serde::Serialize;
use std::fmt;

/// Where and how it was measured.
#[derive(Debug, Clone, Serialize)]
pub struct Setting {
    /// Date, UTC.
    pub date: String,
    /// Processor.
    pub processor: String,
    /// Load of the machine before and after, if the system reports it.
    pub load: [Option<f64>; 2],
    /// The hold model, nanoseconds: before the first scenario and after each.
    pub hold_ns: Vec<f64>,
    /// Preset of the runs.
    pub preset: String,
    /// Their seed.
    pub seed: u64,
    /// Runs of which the best counts.
    pub repeat: u32,
    /// On how many threads each was run besides; 1 = it was not.
    pub threads: usize,
}

impl Setting {
    /// What counts: noise only ever makes the hold model slower, and that would lower the goals.
    fn fastest_hold_ns(&self) -> f64 {
        self.hold_ns.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// All of it.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    setting: Setting,
    /// What a rate is worth here when it is worth 1 on the reference machine.
    scale: f64,
    rows: Vec<Row>,
    /// Of the scenarios in [`goals::KNOWN`], when all were run and right.
    geometric_mean: Option<f64>,
    goals: Vec<Goal>,
}

#[derive(Debug, Clone, Serialize)]
struct Row {
    #[serde(flatten)]
    measurement: Measurement,
    /// None when something was missed.
    hops_per_s: Option<f64>,
    csg_htsim_hops_per_s: Option<f64>,
    ns3_hpcc_hops_per_s: Option<f64>,
    /// Over csg-htsim's rate, scaled to this machine.
    ratio: Option<f64>,
    /// On several threads.
    several: Option<Several>,
    missed: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Several {
    setup_s: f64,
    run_s: f64,
    peak_rss_bytes: Option<u64>,
    /// How many times as fast as on one: set-up and run.
    times: f64,
    /// How many times as much as many runs on one thread do side by side.
    ceiling: f64,
}

#[derive(Debug, Clone, Serialize)]
struct Goal {
    what: String,
    value: f64,
    /// Scaled to this machine.
    bound: f64,
    met: bool,
}

impl Report {
    /// Compares the measurements, each on one thread and if requested on several, with the goals.
    pub fn new(setting: Setting, measurements: Vec<(Measurement, Rounds)>) -> Report {
        let scale = goals::REFERENCE_HOLD_NS / setting.fastest_hold_ns();
        let preset = &setting.preset;
        let rows: Vec<Row> = measurements
            .into_iter()
            .map(|(it, rounds)| Row::new(it, &rounds, preset, scale))
            .collect();
        let geometric_mean = geometric_mean(&rows);
        let goals = goals_of(&rows, geometric_mean, scale);
        Report {
            setting,
            scale,
            rows,
            geometric_mean,
            goals,
        }
    }

    /// Whether every run did what it must.
    pub fn is_right(&self) -> bool {
        self.rows.iter().all(|row| row.missed.is_empty())
    }

    /// As JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and text have JSON")
    }
}

impl Row {
    fn new(measurement: Measurement, rounds: &Rounds, preset: &str, scale: f64) -> Row {
        let name = &measurement.scenario;
        let known = goals::find_known(name, preset);
        let missed = measurement.find_errors(goals::hops_of(name, preset));
        let several = rounds.best.as_ref().map(|it| Several {
            setup_s: it.setup_s,
            run_s: it.run_s,
            peak_rss_bytes: it.peak_rss_bytes,
            times: rounds.times(),
            ceiling: rounds.ceiling(),
        });
        let right = missed.is_empty();
        let hops_per_s = right.then(|| measurement.hops as f64 / measurement.run_s);
        let htsim = known.map(|known| known.htsim);
        Row {
            measurement,
            hops_per_s,
            csg_htsim_hops_per_s: htsim,
            ns3_hpcc_hops_per_s: known.map(|known| known.hpcc),
            ratio: hops_per_s
                .zip(htsim)
                .map(|(ours, peer)| ours / (peer * scale)),
            several,
            missed,
        }
    }
}

/// None when one is missing.
fn geometric_mean(rows: &[Row]) -> Option<f64> {
    let mut logarithms = 0.0;
    for known in &goals::KNOWN {
        logarithms += rate(rows, known.name)?.ln();
    }
    Some((logarithms / goals::KNOWN.len() as f64).exp())
}

fn rate(rows: &[Row], name: &str) -> Option<f64> {
    let row = rows.iter().find(|row| row.measurement.scenario == name)?;
    row.ratio.and(row.hops_per_s)
}

/// The goals for which there is a figure.
fn goals_of(rows: &[Row], geometric_mean: Option<f64>, scale: f64) -> Vec<Goal> {
    let mut goals = Vec::new();
    let mut at_least = |what: String, value: f64, bound: f64| {
        let met = value >= bound;
        goals.push(Goal {
            what,
            value,
            bound,
            met,
        });
    };
    const MILLION: f64 = 1e6;
    if let Some(value) = geometric_mean {
        let bound = goals::GEOMETRIC_MEAN * scale;
        at_least(
            "geometric mean, M hops/s".into(),
            value / MILLION,
            bound / MILLION,
        );
    }
    for known in &goals::KNOWN {
        let Some(value) = rate(rows, known.name) else {
            continue;
        };
        let bound = match known.name {
            goals::LARGE => goals::LARGE_HOPS_PER_S,
            _ => known.htsim,
        };
        at_least(
            format!("{}, M hops/s", known.name),
            value / MILLION,
            bound * scale / MILLION,
        );
    }
    for name in goals::SHARED {
        let several = right(rows, name).and_then(|row| row.several.as_ref());
        if let Some(several) = several {
            at_least(
                format!("{name} on more threads, times"),
                several.times,
                goals::SHARED_TIMES,
            );
        }
    }
    let mut below = |name: &str, what: &str, value: f64, bound: f64| {
        let what = format!("{name} {what}");
        let met = value < bound;
        goals.push(Goal {
            what,
            value,
            bound,
            met,
        });
    };
    for (name, takes, seconds, bytes) in [
        (
            goals::LARGE,
            "set-up, s",
            goals::LARGE_SETUP_S / scale,
            goals::LARGE_PEAK_BYTES,
        ),
        (
            goals::LARGEST,
            "set-up and run, s",
            goals::LARGEST_S,
            goals::LARGEST_PEAK_BYTES,
        ),
    ] {
        let Some(row) = right(rows, name) else {
            continue;
        };
        let it = &row.measurement;
        let value = if name == goals::LARGE {
            it.setup_s
        } else {
            it.all_s()
        };
        below(name, takes, value, seconds);
        if let Some(peak) = it.peak_rss_bytes {
            below(name, "peak, MB", peak as f64 / MILLION, bytes / MILLION);
        }
    }
    goals
}

/// The row of a scenario that did all that is known of it.
fn right<'a>(rows: &'a [Row], name: &str) -> Option<&'a Row> {
    let mut rows = rows.iter();
    rows.find(|row| row.measurement.scenario == name && row.missed.is_empty())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setting {
            date,
            processor,
            load,
            hold_ns,
            preset,
            seed,
            repeat,
            threads,
        } = &self.setting;
        let [load_before, load_after] = load.map(|load| optional(load, 2));
        writeln!(
            f,
            "{date}, {processor}, load {load_before} before and {load_after} after"
        )?;
        let slowest = hold_ns.iter().copied().fold(0.0, f64::max);
        writeln!(
            f,
            "hold model (Rust BinaryHeap, 65,536 pending): {:.0} ns per pop and push, between scenarios up to {slowest:.0}; \
             {:.0} on the reference machine: goals times {:.2}",
            self.setting.fastest_hold_ns(),
            goals::REFERENCE_HOLD_NS,
            self.scale
        )?;
        writeln!(
            f,
            "one core, preset {preset}, seed {seed}, best of {repeat}\n"
        )?;
        self.write_rows(f)?;
        if *threads > 1 {
            self.write_several(f)?;
        }
        if self.rows.iter().any(|row| row.ratio.is_some()) {
            writeln!(
                f,
                "\ncsg-htsim (RoCE, PFC, no congestion control) and ns-3 HPCC (DCQCN, PFC): M hops/s on the reference \
                 machine.\nratio: to csg-htsim scaled to this machine"
            )?;
        }
        self.write_goals(f)
    }
}

impl Report {
    fn write_rows(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12}{:>10}{:>10}{:>8}{:>10}{:>12}{:>9}{:>11}{:>11}{:>7}",
            "scenario",
            "hops",
            "set-up s",
            "run s",
            "M hops/s",
            "events/hop",
            "peak MB",
            "csg-htsim",
            "ns-3 HPCC",
            "ratio"
        )?;
        for row in &self.rows {
            let it = &row.measurement;
            write!(f, "{:<12}{:>10}", it.scenario, it.hops)?;
            let Some(rate) = row.hops_per_s else {
                writeln!(f, "  no figure: {}", row.missed.join(", "))?;
                continue;
            };
            writeln!(
                f,
                "{:>10.4}{:>8.3}{:>10.2}{:>12.2}{:>9}{:>11}{:>11}{:>7}",
                it.setup_s,
                it.run_s,
                rate / 1e6,
                it.events as f64 / it.hops as f64,
                optional(it.peak_rss_bytes.map(|bytes| bytes as f64 / 1e6), 1),
                optional(row.csg_htsim_hops_per_s.map(|rate| rate / 1e6), 2),
                optional(row.ns3_hpcc_hops_per_s.map(|rate| rate / 1e6), 2),
                optional(row.ratio, 1),
            )?;
        }
        Ok(())
    }

    fn write_several(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.setting.threads;
        writeln!(
            f,
            "\non {threads} threads; times as fast as one, and as many runs on one thread side by side: medians of rounds"
        )?;
        writeln!(
            f,
            "{:<12}{:>10}{:>8}{:>9}{:>15}{:>14}",
            "scenario", "set-up s", "run s", "peak MB", "times as fast", "side by side"
        )?;
        for row in &self.rows {
            let Some(it) = row.several.as_ref().filter(|_| row.missed.is_empty()) else {
                continue;
            };
            writeln!(
                f,
                "{:<12}{:>10.4}{:>8.3}{:>9}{:>15.2}{:>14.2}",
                row.measurement.scenario,
                it.setup_s,
                it.run_s,
                optional(it.peak_rss_bytes.map(|bytes| bytes as f64 / 1e6), 1),
                it.times,
                it.ceiling,
            )?;
        }
        Ok(())
    }

    fn write_goals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.goals.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n{:<26}{:>8}{:>8}", "goal", "here", "bound")?;
        for goal in &self.goals {
            let met = if goal.met { "met" } else { "missed" };
            let places = if goal.what.ends_with(", s") { 3 } else { 2 };
            writeln!(
                f,
                "{:<26}{:>8.places$}{:>8.places$}  {met}",
                goal.what, goal.value, goal.bound
            )?;
        }
        Ok(())
    }
}

/// The number with so many places, or a dash.
fn optional(number: Option<f64>, places: usize) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.places$}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::Known;

    /// A run that was right and so many times as fast as it has to be on a machine twice as fast as the reference machine.
    fn measurement(known: &Known, factor: f64) -> Measurement {
        let rate = match known.name {
            goals::LARGE => goals::LARGE_HOPS_PER_S,
            _ => known.htsim,
        };
        Measurement {
            scenario: known.name.to_owned(),
            hops: known.hops,
            events: known.hops,
            setup_s: 0.05,
            run_s: 0.5 * known.hops as f64 / rate / factor,
            peak_rss_bytes: Some(80_000_000),
            flows: 16,
            unfinished: 0,
            drops: 0,
            retransmissions: 0,
        }
    }

    fn report(preset: &str, measurements: Vec<Measurement>) -> Report {
        let setting = Setting {
            date: "2026-11-21".to_owned(),
            processor: "a processor".to_owned(),
            load: [Some(0.25), None],
            hold_ns: vec![41.0, 39.0, 40.0],
            preset: preset.to_owned(),
            seed: 1,
            repeat: 5,
            threads: 1,
        };
        let alone = measurements.into_iter().map(|it| (it, Rounds::default()));
        Report::new(setting, alone.collect())
    }

    #[test]
    fn goals_are_scaled() {
        for (factor, met) in [(1.001, true), (0.999, false)] {
            let all = goals::KNOWN.iter().map(|known| measurement(known, factor));
            let report = report("hpcc", all.collect());
            assert!(report.is_right());
            assert_eq!(report.scale, 2.0);
            let goals: Vec<_> = report
                .goals
                .iter()
                .map(|goal| (goal.what.as_str(), goal.bound, goal.met))
                .collect();
            assert_eq!(
                goals,
                [
                    ("geometric mean, M hops/s", 16.0, false),
                    ("S1L, M hops/s", 12.56, met),
                    ("S2, M hops/s", 3.64, met),
                    ("S3, M hops/s", 8.0, met),
                    ("S4, M hops/s", 6.44, met),
                    ("S4R, M hops/s", 3.08, met),
                    ("S3 set-up, s", 0.075, true),
                    ("S3 peak, MB", 80.0, false),
                ]
            );
            let product: f64 = 12.56 * 3.64 * 8.0 * 6.44 * 3.08;
            let expected = factor * product.powf(0.2) * 1e6;
            assert!((report.geometric_mean.unwrap() / expected - 1.0).abs() < 1e-9);
            let ratios = report.rows.iter().map(|row| row.ratio.unwrap());
            for (ratio, expected) in ratios.zip([1.0, 1.0, 4.0 / 0.63, 1.0, 1.0]) {
                assert!((ratio / factor / expected - 1.0).abs() < 1e-9, "{ratio}");
            }
        }
    }

    #[test]
    fn the_fastest_hold_model_counts() {
        assert_eq!(
            report("hpcc", Vec::new()).to_string().lines().nth(1),
            Some(
                "hold model (Rust BinaryHeap, 65,536 pending): 39 ns per pop and push, between scenarios up to 41; \
                 78 on the reference machine: goals times 2.00"
            )
        );
    }

    #[test]
    fn a_mean_over_fewer_is_none() {
        let four = goals::KNOWN[1..]
            .iter()
            .map(|known| measurement(known, 1.0));
        assert_eq!(report("hpcc", four.collect()).geometric_mean, None);
    }

    #[test]
    fn a_wrong_run_has_no_figure() {
        let right = measurement(&goals::KNOWN[0], 1.0);
        for (wrong, line) in [
            (
                Measurement { hops: 1_048_604, ..right.clone() },
                "S1L            1048604  no figure: 1048604 hops, expected 1048576",
            ),
            (
                Measurement { unfinished: 2, drops: 3, retransmissions: 4, ..right.clone() },
                "S1L            1048576  no figure: 2 flows not completed, 3 drops, 4 retransmissions",
            ),
            (
                Measurement { scenario: "mine".to_owned(), hops: 0, ..right.clone() },
                "mine                 0  no figure: no hops",
            ),
        ] {
            let report = report("hpcc", vec![wrong]);
            assert!(!report.is_right());
            assert!(report.goals.is_empty());
            assert_eq!(report.to_string().lines().nth(5), Some(line));
        }
    }

    #[test]
    fn figures_of_others_are_for_the_hpcc_preset() {
        let one = || vec![measurement(&goals::KNOWN[0], 1.0)];
        let line = |preset: &str| {
            report(preset, one())
                .to_string()
                .lines()
                .nth(5)
                .map(str::to_owned)
        };
        assert_eq!(
            line("hpcc").unwrap(),
            "S1L            1048576    0.0500   0.083     12.56        1.00     80.0       6.28       0.68    1.0"
        );
        assert_eq!(
            line("roce").unwrap(),
            "S1L            1048576    0.0500   0.083     12.56        1.00     80.0          -          -      -"
        );
    }

    /// On two threads a second instead of two, a part of the memory more.
    #[test]
    fn several_threads_have_goals_of_their_own() {
        let setting = report("hpcc", Vec::new()).setting;
        let setting = Setting {
            threads: 2,
            ..setting
        };
        let one = |name: &str, hops: u64| Measurement {
            scenario: name.to_owned(),
            hops,
            setup_s: 0.5,
            run_s: 1.5,
            ..measurement(&goals::KNOWN[0], 1.0)
        };
        let two = |it: &Measurement, run_s| {
            let two = Measurement {
                run_s,
                peak_rss_bytes: Some(90_000_000),
                ..it.clone()
            };
            let beside = Measurement {
                run_s: 2.0,
                ..it.clone()
            };
            let mut rounds = Rounds::default();
            rounds.add(it, two, &[beside.clone(), beside]).unwrap();
            rounds
        };
        let s3 = one("S3", goals::KNOWN[2].hops);
        let k32 = one("K32", goals::hops_of("K32", "hpcc").unwrap());
        let rows = vec![(s3.clone(), two(&s3, 0.5)), (k32.clone(), two(&k32, 0.9))];
        let report = Report::new(setting, rows);
        let goals = report.goals.iter();
        let goals: Vec<_> = goals
            .map(|it| (it.what.as_str(), it.value, it.bound, it.met))
            .collect();
        assert_eq!(
            goals[1..],
            [
                ("S3 on more threads, times", 2.0, 1.5, true),
                ("K32 on more threads, times", 2.0 / 1.4, 1.5, false),
                ("S3 set-up, s", 0.5, 0.075, false),
                ("S3 peak, MB", 80.0, 80.0, false),
                ("K32 set-up and run, s", 2.0, 300.0, true),
                ("K32 peak, MB", 80.0, 12_884.901888, true),
            ]
        );
        let text = report.to_string();
        let lines: Vec<_> = text
            .lines()
            .skip_while(|line| !line.starts_with("on 2"))
            .collect();
        assert_eq!(
            lines[..4],
            [
                "on 2 threads; times as fast as one, and as many runs on one thread side by side: medians of rounds",
                "scenario      set-up s   run s  peak MB  times as fast  side by side",
                "S3              0.5000   0.500     90.0           2.00          1.60",
                "K32             0.5000   0.900     90.0           1.43          1.60",
            ]
        );
    }
}
