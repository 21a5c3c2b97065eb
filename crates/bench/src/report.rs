//! Compares measurements with goals, as a table and as JSON.

use crate::goals;
use crate::measure::{Measurement, Rounds};
use serde::Serialize;
use std::fmt;

/// Machine, date and options of the measurements.
#[derive(Debug, Clone, Serialize)]
pub struct Conditions {
    /// Date, UTC.
    pub date: String,
    /// Processor.
    pub processor: String,
    /// Load of the machine before and after the measurements, if the system reports it.
    pub load: [Option<f64>; 2],
    /// Times of the hold model before the first scenario and after each, nanoseconds.
    pub hold_ns: Vec<f64>,
    /// Preset of the runs.
    pub preset: String,
    /// Their seed.
    pub seed: u64,
    /// Runs of each scenario; the best counts.
    pub repeat: u32,
    /// Threads of a second series of runs; 1 = no second series.
    pub threads: usize,
}

impl Conditions {
    /// The fastest time counts, because noise makes the hold model slower and so would lower the goals.
    fn fastest_hold_ns(&self) -> f64 {
        self.hold_ns.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// All measurements, compared with the goals.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    conditions: Conditions,
    /// Speed of this machine over that of the reference machine.
    scale: f64,
    rows: Vec<Row>,
    /// Mean speed on the [`goals::REFERENCES`], if all of them ran without errors.
    geometric_mean: Option<f64>,
    goals: Vec<Goal>,
}

#[derive(Debug, Clone, Serialize)]
struct Row {
    #[serde(flatten)]
    measurement: Measurement,
    /// None if the run has errors.
    hops_per_s: Option<f64>,
    csg_htsim_hops_per_s: Option<f64>,
    ns3_hpcc_hops_per_s: Option<f64>,
    /// Speed over that of csg-htsim, scaled to this machine.
    ratio: Option<f64>,
    /// Results on several threads.
    parallel: Option<Parallel>,
    errors: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Parallel {
    setup_s: f64,
    run_s: f64,
    peak_rss_bytes: Option<u64>,
    /// Speedup over one thread, set-up included.
    speedup: f64,
    /// Throughput of as many concurrent runs on one thread, in units of a single run.
    ceiling: f64,
}

#[derive(Debug, Clone, Serialize)]
struct Goal {
    name: String,
    value: f64,
    /// Scaled to this machine.
    limit: f64,
    met: bool,
}

impl Report {
    /// Compares the measurements with the goals: each on one thread, and on several where these were requested.
    pub fn new(conditions: Conditions, measurements: Vec<(Measurement, Rounds)>) -> Report {
        let scale = goals::REFERENCE_HOLD_NS / conditions.fastest_hold_ns();
        let preset = &conditions.preset;
        let rows: Vec<Row> = measurements
            .into_iter()
            .map(|(measurement, rounds)| Row::new(measurement, &rounds, preset, scale))
            .collect();
        let geometric_mean = geometric_mean(&rows);
        let goals = compare_with_goals(&rows, geometric_mean, scale);
        Report {
            conditions,
            scale,
            rows,
            geometric_mean,
            goals,
        }
    }

    /// Whether every run is without errors.
    pub fn is_valid(&self) -> bool {
        self.rows.iter().all(|row| row.errors.is_empty())
    }

    /// Formats the report as JSON.
    pub fn format_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and text are valid JSON")
    }
}

impl Row {
    fn new(measurement: Measurement, rounds: &Rounds, preset: &str, scale: f64) -> Row {
        let name = &measurement.scenario;
        let reference = goals::find_reference(name, preset);
        let errors = measurement.find_errors(goals::expected_hops(name, preset));
        let parallel = rounds.best.as_ref().map(|best| Parallel {
            setup_s: best.setup_s,
            run_s: best.run_s,
            peak_rss_bytes: best.peak_rss_bytes,
            speedup: rounds.speedup(),
            ceiling: rounds.ceiling(),
        });
        let is_valid = errors.is_empty();
        let hops_per_s = is_valid.then(|| measurement.hops as f64 / measurement.run_s);
        let htsim = reference.map(|reference| reference.htsim);
        Row {
            measurement,
            hops_per_s,
            csg_htsim_hops_per_s: htsim,
            ns3_hpcc_hops_per_s: reference.map(|reference| reference.hpcc),
            ratio: hops_per_s
                .zip(htsim)
                .map(|(rate, htsim)| rate / (htsim * scale)),
            parallel,
            errors,
        }
    }
}

/// The mean speed on the references; none if one of them has no speed.
fn geometric_mean(rows: &[Row]) -> Option<f64> {
    let mut logarithms = 0.0;
    for reference in &goals::REFERENCES {
        logarithms += reference_rate(rows, reference.name)?.ln();
    }
    Some((logarithms / goals::REFERENCES.len() as f64).exp())
}

/// Hops per second on a reference.
fn reference_rate(rows: &[Row], name: &str) -> Option<f64> {
    let row = rows.iter().find(|row| row.measurement.scenario == name)?;
    row.ratio.and(row.hops_per_s)
}

/// Compares the measurements with the goals of their scenarios.
fn compare_with_goals(rows: &[Row], geometric_mean: Option<f64>, scale: f64) -> Vec<Goal> {
    let mut goals = Vec::new();
    let mut add_minimum = |name: String, value: f64, limit: f64| {
        let met = value >= limit;
        goals.push(Goal {
            name,
            value,
            limit,
            met,
        });
    };
    const MILLION: f64 = 1e6;
    if let Some(value) = geometric_mean {
        let limit = goals::GEOMETRIC_MEAN * scale;
        add_minimum(
            "geometric mean, M hops/s".into(),
            value / MILLION,
            limit / MILLION,
        );
    }
    for reference in &goals::REFERENCES {
        let Some(value) = reference_rate(rows, reference.name) else {
            continue;
        };
        let limit = match reference.name {
            goals::LARGE => goals::LARGE_HOPS_PER_S,
            _ => reference.htsim,
        };
        add_minimum(
            format!("{}, M hops/s", reference.name),
            value / MILLION,
            limit * scale / MILLION,
        );
    }
    for name in goals::PARALLEL {
        let parallel = find_valid(rows, name).and_then(|row| row.parallel.as_ref());
        if let Some(parallel) = parallel {
            add_minimum(
                format!("{name} speedup by threads"),
                parallel.speedup,
                goals::MIN_SPEEDUP,
            );
        }
    }
    let mut add_maximum = |scenario: &str, figure: &str, value: f64, limit: f64| {
        let met = value < limit;
        goals.push(Goal {
            name: format!("{scenario} {figure}"),
            value,
            limit,
            met,
        });
    };
    for (name, duration, seconds, bytes) in [
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
        let Some(row) = find_valid(rows, name) else {
            continue;
        };
        let measurement = &row.measurement;
        let value = if name == goals::LARGE {
            measurement.setup_s
        } else {
            measurement.total_s()
        };
        add_maximum(name, duration, value, seconds);
        if let Some(peak) = measurement.peak_rss_bytes {
            add_maximum(name, "peak, MB", peak as f64 / MILLION, bytes / MILLION);
        }
    }
    goals
}

/// The row of a scenario, if its run is without errors.
fn find_valid<'a>(rows: &'a [Row], name: &str) -> Option<&'a Row> {
    let mut rows = rows.iter();
    rows.find(|row| row.measurement.scenario == name && row.errors.is_empty())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Conditions {
            date,
            processor,
            load,
            hold_ns,
            preset,
            seed,
            repeat,
            threads,
        } = &self.conditions;
        let [load_before, load_after] = load.map(|load| format_or_dash(load, 2));
        writeln!(
            f,
            "{date}, {processor}, load {load_before} before and {load_after} after"
        )?;
        let slowest = hold_ns.iter().copied().fold(0.0, f64::max);
        writeln!(
            f,
            "hold model (Rust BinaryHeap, 65,536 pending): {:.0} ns per pop and push, at most {slowest:.0} ns between scenarios, \
             {:.0} ns on the reference machine; goals are multiplied by {:.2}",
            self.conditions.fastest_hold_ns(),
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
                 machine.\nratio: M hops/s over those of csg-htsim scaled to this machine"
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
            let measurement = &row.measurement;
            write!(f, "{:<12}{:>10}", measurement.scenario, measurement.hops)?;
            let Some(rate) = row.hops_per_s else {
                writeln!(f, "  not valid: {}", row.errors.join(", "))?;
                continue;
            };
            writeln!(
                f,
                "{:>10.4}{:>8.3}{:>10.2}{:>12.2}{:>9}{:>11}{:>11}{:>7}",
                measurement.setup_s,
                measurement.run_s,
                rate / 1e6,
                measurement.events as f64 / measurement.hops as f64,
                format_or_dash(
                    measurement.peak_rss_bytes.map(|bytes| bytes as f64 / 1e6),
                    1
                ),
                format_or_dash(row.csg_htsim_hops_per_s.map(|rate| rate / 1e6), 2),
                format_or_dash(row.ns3_hpcc_hops_per_s.map(|rate| rate / 1e6), 2),
                format_or_dash(row.ratio, 1),
            )?;
        }
        Ok(())
    }

    fn write_several(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.conditions.threads;
        writeln!(
            f,
            "\non {threads} threads: speedup over one thread, and throughput of {threads} concurrent runs over one run; medians of rounds"
        )?;
        writeln!(
            f,
            "{:<12}{:>10}{:>8}{:>9}{:>9}{:>12}",
            "scenario", "set-up s", "run s", "peak MB", "speedup", "concurrent"
        )?;
        for row in &self.rows {
            let Some(parallel) = row.parallel.as_ref().filter(|_| row.errors.is_empty()) else {
                continue;
            };
            writeln!(
                f,
                "{:<12}{:>10.4}{:>8.3}{:>9}{:>9.2}{:>12.2}",
                row.measurement.scenario,
                parallel.setup_s,
                parallel.run_s,
                format_or_dash(parallel.peak_rss_bytes.map(|bytes| bytes as f64 / 1e6), 1),
                parallel.speedup,
                parallel.ceiling,
            )?;
        }
        Ok(())
    }

    fn write_goals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.goals.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n{:<26}{:>10}{:>10}", "goal", "measured", "limit")?;
        for goal in &self.goals {
            let verdict = if goal.met { "met" } else { "missed" };
            let decimals = if goal.name.ends_with(", s") { 3 } else { 2 };
            writeln!(
                f,
                "{:<26}{:>10.decimals$}{:>10.decimals$}  {verdict}",
                goal.name, goal.value, goal.limit
            )?;
        }
        Ok(())
    }
}

/// The number with this many decimals, or a dash.
fn format_or_dash(number: Option<f64>, decimals: usize) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::Reference;

    /// A valid run. Its speed is `factor` times the goal on a machine twice as fast as the reference machine.
    fn measurement(reference: &Reference, factor: f64) -> Measurement {
        let rate = match reference.name {
            goals::LARGE => goals::LARGE_HOPS_PER_S,
            _ => reference.htsim,
        };
        let hops = goals::expected_hops(reference.name, "hpcc").unwrap();
        Measurement {
            scenario: reference.name.to_owned(),
            hops,
            events: hops,
            setup_s: 0.05,
            run_s: 0.5 * hops as f64 / rate / factor,
            peak_rss_bytes: Some(80_000_000),
            flows: 16,
            unfinished: 0,
            drops: 0,
            retransmissions: 0,
        }
    }

    fn report(preset: &str, measurements: Vec<Measurement>) -> Report {
        let conditions = Conditions {
            date: "2026-11-21".to_owned(),
            processor: "a processor".to_owned(),
            load: [Some(0.25), None],
            hold_ns: vec![41.0, 39.0, 40.0],
            preset: preset.to_owned(),
            seed: 1,
            repeat: 5,
            threads: 1,
        };
        let serial = measurements
            .into_iter()
            .map(|measurement| (measurement, Rounds::default()));
        Report::new(conditions, serial.collect())
    }

    #[test]
    fn goals_are_scaled_to_the_machine() {
        for (factor, met) in [(1.001, true), (0.999, false)] {
            let measurements = goals::REFERENCES
                .iter()
                .map(|reference| measurement(reference, factor));
            let report = report("hpcc", measurements.collect());
            assert!(report.is_valid());
            assert_eq!(report.scale, 2.0);
            let goals: Vec<_> = report
                .goals
                .iter()
                .map(|goal| (goal.name.as_str(), goal.limit, goal.met))
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
    fn fastest_hold_model_scales_the_goals() {
        assert_eq!(
            report("hpcc", Vec::new()).to_string().lines().nth(1),
            Some(
                "hold model (Rust BinaryHeap, 65,536 pending): 39 ns per pop and push, at most 41 ns between scenarios, \
                 78 ns on the reference machine; goals are multiplied by 2.00"
            )
        );
    }

    #[test]
    fn geometric_mean_needs_every_reference() {
        let measurements = goals::REFERENCES[1..]
            .iter()
            .map(|reference| measurement(reference, 1.0));
        assert_eq!(report("hpcc", measurements.collect()).geometric_mean, None);
    }

    #[test]
    fn run_with_errors_has_no_speed() {
        let valid = measurement(&goals::REFERENCES[0], 1.0);
        for (invalid, line) in [
            (
                Measurement { hops: 1_048_604, ..valid.clone() },
                "S1L            1048604  not valid: 1048604 hops, expected 1048576",
            ),
            (
                Measurement { unfinished: 2, drops: 3, retransmissions: 4, ..valid.clone() },
                "S1L            1048576  not valid: 2 flows not completed, 3 drops, 4 retransmissions",
            ),
            (
                Measurement { scenario: "mine".to_owned(), hops: 0, ..valid.clone() },
                "mine                 0  not valid: no hops",
            ),
        ] {
            let report = report("hpcc", vec![invalid]);
            assert!(!report.is_valid());
            assert!(report.goals.is_empty());
            assert_eq!(report.to_string().lines().nth(5), Some(line));
        }
    }

    #[test]
    fn references_apply_to_the_hpcc_preset() {
        let measurements = || vec![measurement(&goals::REFERENCES[0], 1.0)];
        let line = |preset: &str| {
            report(preset, measurements())
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

    /// Runs on two threads take less time and more memory than on one.
    #[test]
    fn runs_on_two_threads_have_speedup_goals() {
        let conditions = report("hpcc", Vec::new()).conditions;
        let conditions = Conditions {
            threads: 2,
            ..conditions
        };
        let single = |name: &str, hops: u64| Measurement {
            scenario: name.to_owned(),
            hops,
            setup_s: 0.5,
            run_s: 1.5,
            ..measurement(&goals::REFERENCES[0], 1.0)
        };
        let rounds = |single: &Measurement, run_s| {
            let parallel = Measurement {
                run_s,
                peak_rss_bytes: Some(90_000_000),
                ..single.clone()
            };
            let concurrent = Measurement {
                run_s: 2.0,
                ..single.clone()
            };
            let mut rounds = Rounds::default();
            rounds
                .add(single, parallel, &[concurrent.clone(), concurrent])
                .unwrap();
            rounds
        };
        let s3 = single("S3", goals::expected_hops("S3", "hpcc").unwrap());
        let k32 = single("K32", goals::expected_hops("K32", "hpcc").unwrap());
        let rows = vec![
            (s3.clone(), rounds(&s3, 0.5)),
            (k32.clone(), rounds(&k32, 0.9)),
        ];
        let report = Report::new(conditions, rows);
        let goals = report.goals.iter();
        let goals: Vec<_> = goals
            .map(|goal| (goal.name.as_str(), goal.value, goal.limit, goal.met))
            .collect();
        assert_eq!(
            goals[1..],
            [
                ("S3 speedup by threads", 2.0, 1.5, true),
                ("K32 speedup by threads", 2.0 / 1.4, 1.5, false),
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
                "on 2 threads: speedup over one thread, and throughput of 2 concurrent runs over one run; medians of rounds",
                "scenario      set-up s   run s  peak MB  speedup  concurrent",
                "S3              0.5000   0.500     90.0     2.00        1.60",
                "K32             0.5000   0.900     90.0     1.43        1.60",
            ]
        );
    }
}
