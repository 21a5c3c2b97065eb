//! Measures one run of one scenario.

use crate::machine;
use serde::{Deserialize, Serialize};
use std::time::Instant;
use wirespeed_sim::{reader, Run, Threads};

/// Events between two checks for the end of the run.
const EVENTS: u64 = 1 << 16;

/// Time and memory of a run, and the results that verify it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Name of the scenario.
    pub scenario: String,
    /// Data and ACK frames that started on a link.
    pub hops: u64,
    /// Events taken from the queue.
    pub events: u64,
    /// Time from the parsed scenario to the first event, seconds.
    pub setup_s: f64,
    /// Time from the first event to the complete tables, seconds.
    pub run_s: f64,
    /// Peak resident memory of the process, if the system reports it.
    pub peak_rss_bytes: Option<u64>,
    /// Flows, or operations where the scenario has operations.
    pub flows: u64,
    /// Flows or operations that did not complete.
    pub unfinished: u64,
    /// Frames dropped in switches and NICs, without losses on links: buffer full, no route, or port down.
    pub drops: u64,
    /// Retransmitted data packets.
    pub retransmissions: u64,
}

/// Results of rounds. A round measures a run on one thread, a run on several threads, and as many concurrent runs on one thread
/// as the second has threads. The throughput of the concurrent runs is the most that the machine gives to several threads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rounds {
    /// The shortest times on several threads.
    pub best: Option<Measurement>,
    speedups: Vec<f64>,
    ceilings: Vec<f64>,
}

/// Reads the scenario and runs it to its end, as `wirespeed sim run` does.
///
/// # Errors
/// The reason why the scenario cannot be read or run.
pub fn measure(
    text: String,
    preset: &str,
    seed: u64,
    threads: usize,
) -> Result<Measurement, String> {
    let scenario = reader::read(&text, preset, seed).map_err(|refusal| refusal.to_string())?;
    drop(text);
    let name = scenario.name.clone();
    let flows = scenario.operations.len() as u64;

    let start = Instant::now();
    let mut run =
        Run::new(scenario, Threads::AtMost(threads)).map_err(|refusal| refusal.to_string())?;
    let setup_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    while run.advance(EVENTS) {}
    let outcome = run.finish();
    let run_s = start.elapsed().as_secs_f64();

    let summary = &outcome.summary;
    Ok(Measurement {
        scenario: name,
        hops: summary.hops,
        events: summary.events,
        setup_s,
        run_s,
        peak_rss_bytes: machine::read_peak_rss_bytes(),
        flows,
        unfinished: summary.failed,
        drops: summary.drops,
        retransmissions: summary.retransmissions,
    })
}

impl Measurement {
    /// Combines two runs of a scenario: the shorter times and the larger memory.
    ///
    /// # Errors
    /// The two runs have different results.
    pub fn merge_best(self, other: Measurement) -> Result<Measurement, String> {
        let best = Measurement {
            setup_s: self.setup_s.min(other.setup_s),
            run_s: self.run_s.min(other.run_s),
            peak_rss_bytes: self.peak_rss_bytes.max(other.peak_rss_bytes),
            ..self
        };
        best.check_equal(&other)?;
        Ok(best)
    }

    /// Checks that another run of the scenario has the same results.
    ///
    /// # Errors
    /// The two runs have different results.
    pub fn check_equal(&self, other: &Measurement) -> Result<(), String> {
        let with_equal_costs = Measurement {
            setup_s: self.setup_s,
            run_s: self.run_s,
            peak_rss_bytes: self.peak_rss_bytes,
            ..other.clone()
        };
        if *self == with_equal_costs {
            return Ok(());
        }
        Err(format!(
            "{}: two runs have different results",
            self.scenario
        ))
    }

    /// Time from the parsed scenario to the complete tables, seconds.
    pub fn total_s(&self) -> f64 {
        self.setup_s + self.run_s
    }

    /// The errors of the run. The speed of a run with errors is not reported.
    pub fn find_errors(&self, hops: Option<u64>) -> Vec<String> {
        let mut errors = Vec::new();
        if let Some(expected) = hops.filter(|expected| *expected != self.hops) {
            errors.push(format!("{} hops, expected {expected}", self.hops));
        }
        for (count, problem) in [
            (self.unfinished, "flows not completed"),
            (self.drops, "drops"),
            (self.retransmissions, "retransmissions"),
        ] {
            if count > 0 {
                errors.push(format!("{count} {problem}"));
            }
        }
        if self.hops == 0 {
            errors.push("no hops".to_owned());
        }
        errors
    }
}

impl Rounds {
    /// Adds a round: a run on one thread, a run on several, and the concurrent runs on one thread each.
    ///
    /// # Errors
    /// The runs have different results.
    pub fn add(
        &mut self,
        single: &Measurement,
        several: Measurement,
        concurrent: &[Measurement],
    ) -> Result<(), String> {
        for run in concurrent.iter().chain([&several]) {
            single.check_equal(run)?;
        }
        let throughputs = concurrent
            .iter()
            .map(|run| single.total_s() / run.total_s());
        self.ceilings.push(throughputs.sum());
        self.speedups.push(single.total_s() / several.total_s());
        self.best = Some(match self.best.take() {
            Some(best) => best.merge_best(several)?,
            None => several,
        });
        Ok(())
    }

    /// Speedup of several threads over one: the median of all rounds.
    pub fn speedup(&self) -> f64 {
        median(&self.speedups)
    }

    /// Throughput of the concurrent runs in units of a single run: the median of all rounds.
    pub fn ceiling(&self) -> f64 {
        median(&self.ceilings)
    }
}

/// The median; of an even number the mean of the two in the middle.
fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let number = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
    let count = sorted.len();
    (number(count.saturating_sub(1) / 2) + number(count / 2)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Measurement = Measurement {
        scenario: String::new(),
        hops: 4,
        events: 6,
        setup_s: 0.5,
        run_s: 2.0,
        peak_rss_bytes: Some(10),
        flows: 1,
        unfinished: 0,
        drops: 0,
        retransmissions: 0,
    };

    #[test]
    fn merged_runs_have_the_shorter_times_and_the_larger_memory() {
        let other = Measurement {
            setup_s: 0.75,
            run_s: 1.5,
            peak_rss_bytes: Some(12),
            ..RUN
        };
        let best = Measurement {
            setup_s: 0.5,
            ..other.clone()
        };
        assert_eq!(RUN.merge_best(other), Ok(best));
    }

    #[test]
    fn speedup_is_the_median_of_rounds() {
        let run_of = |total_s: f64| Measurement {
            run_s: total_s - RUN.setup_s,
            ..RUN
        };
        let mut rounds = Rounds::default();
        // One run on one thread, one on two threads, two concurrent runs.
        for (single, several, concurrent) in [
            (4.0, 2.0, [4.0, 8.0]),
            (4.0, 4.0, [4.0, 4.0]),
            (6.0, 3.75, [8.0, 8.0]),
        ] {
            let concurrent = concurrent.map(run_of);
            let result = rounds.add(&run_of(single), run_of(several), &concurrent);
            assert_eq!(result, Ok(()));
        }
        assert_eq!((rounds.speedup(), rounds.ceiling()), (1.6, 1.5));
        assert_eq!(rounds.best.as_ref(), Some(&run_of(2.0)));
        rounds.add(&run_of(4.0), run_of(2.0), &[]).unwrap();
        assert_eq!(rounds.speedup(), 1.8);
        let other = Measurement { drops: 1, ..RUN };
        assert!(rounds.add(&RUN, RUN, &[other]).is_err());
    }

    #[test]
    fn runs_with_different_results_are_refused() {
        let other = Measurement { events: 7, ..RUN };
        let error = "S: two runs have different results";
        let with_name = |run: Measurement| Measurement {
            scenario: "S".to_owned(),
            ..run
        };
        assert_eq!(
            with_name(RUN).merge_best(with_name(other)),
            Err(error.to_owned())
        );
    }
}
