//! One run of one scenario with the clock beside it.

use crate::machine;
use serde::{Deserialize, Serialize};
use std::time::Instant;
use wirespeed_sim::{reader, Run, Threads};

/// Events between two looks at whether the run has ended.
const EVENTS: u64 = 1 << 16;

/// Cost of a run, and the results that verify it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Name of the scenario.
    pub scenario: String,
    /// Data and ACK frames that started on a link.
    pub hops: u64,
    /// Events taken from the queue.
    pub events: u64,
    /// From the parsed scenario to the first event, seconds.
    pub setup_s: f64,
    /// From the first event to the filled tables, seconds.
    pub run_s: f64,
    /// Peak resident memory of the process, if the system reports it.
    pub peak_rss_bytes: Option<u64>,
    /// Flows, and operations where the scenario has those.
    pub flows: u64,
    /// Of these, not completed.
    pub unfinished: u64,
    /// Frames dropped in switches and NICs, without losses on links: buffer full, no route, or port down.
    pub drops: u64,
    /// Data packets sent again.
    pub retransmissions: u64,
}

/// What runs on several threads came to, each in turn with one on one thread and with as many such as there are threads, side
/// by side: what these do together is all that the machine gives to several threads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rounds {
    /// The best on several threads.
    pub best: Option<Measurement>,
    times: Vec<f64>,
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
    let scenario = reader::read(&text, preset, seed).map_err(|refused| refused.to_string())?;
    drop(text);
    let name = scenario.name.clone();
    let flows = scenario.operations.len() as u64;

    let start = Instant::now();
    let mut run =
        Run::new(scenario, Threads::AtMost(threads)).map_err(|refused| refused.to_string())?;
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
        peak_rss_bytes: machine::peak_rss_bytes(),
        flows,
        unfinished: summary.failed,
        drops: summary.drops,
        retransmissions: summary.retransmissions,
    })
}

impl Measurement {
    /// The shorter times of two runs of the same, and the larger memory.
    ///
    /// # Errors
    /// The two were not the same.
    pub fn best(self, other: Measurement) -> Result<Measurement, String> {
        let best = Measurement {
            setup_s: self.setup_s.min(other.setup_s),
            run_s: self.run_s.min(other.run_s),
            peak_rss_bytes: self.peak_rss_bytes.max(other.peak_rss_bytes),
            ..self
        };
        best.check_equal(&other)?;
        Ok(best)
    }

    /// # Errors
    /// Another run did something else.
    pub fn check_equal(&self, other: &Measurement) -> Result<(), String> {
        let timed_alike = Measurement {
            setup_s: self.setup_s,
            run_s: self.run_s,
            peak_rss_bytes: self.peak_rss_bytes,
            ..other.clone()
        };
        if *self == timed_alike {
            return Ok(());
        }
        Err(format!(
            "{}: two runs differ in what they did",
            self.scenario
        ))
    }

    /// From the parsed scenario to the filled tables, seconds.
    pub fn all_s(&self) -> f64 {
        self.setup_s + self.run_s
    }

    /// What is wrong with the run; a run with anything wrong has no speed.
    pub fn find_errors(&self, hops: Option<u64>) -> Vec<String> {
        let mut missed = Vec::new();
        if let Some(expected) = hops.filter(|expected| *expected != self.hops) {
            missed.push(format!("{} hops, expected {expected}", self.hops));
        }
        for (count, what) in [
            (self.unfinished, "flows not completed"),
            (self.drops, "drops"),
            (self.retransmissions, "retransmissions"),
        ] {
            if count > 0 {
                missed.push(format!("{count} {what}"));
            }
        }
        if self.hops == 0 {
            missed.push("no hops".to_owned());
        }
        missed
    }
}

impl Rounds {
    /// Adds a round: on one thread, on several, and those side by side.
    ///
    /// # Errors
    /// They were not the same.
    pub fn add(
        &mut self,
        one: &Measurement,
        several: Measurement,
        side_by_side: &[Measurement],
    ) -> Result<(), String> {
        for other in side_by_side.iter().chain([&several]) {
            one.check_equal(other)?;
        }
        let beside = side_by_side.iter().map(|it| one.all_s() / it.all_s());
        self.ceilings.push(beside.sum());
        self.times.push(one.all_s() / several.all_s());
        self.best = Some(match self.best.take() {
            Some(before) => before.best(several)?,
            None => several,
        });
        Ok(())
    }

    /// How many times as fast as one thread several are: the middle of all rounds.
    pub fn times(&self) -> f64 {
        median(&self.times)
    }

    /// How many times as much as one run several do side by side.
    pub fn ceiling(&self) -> f64 {
        median(&self.ceilings)
    }
}

/// The median; of an even number the mean of the two in the middle.
fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
    let count = sorted.len();
    (at(count.saturating_sub(1) / 2) + at(count / 2)) / 2.0
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
    fn the_best_of_two_takes_each_time_and_the_larger_memory() {
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
        assert_eq!(RUN.best(other), Ok(best));
    }

    #[test]
    fn the_middle_round_counts() {
        let taking = |run_s: f64| Measurement {
            run_s: run_s - RUN.setup_s,
            ..RUN
        };
        let mut rounds = Rounds::default();
        // On one thread, on two, and two side by side.
        for (one, two, beside) in [
            (4.0, 2.0, [4.0, 8.0]),
            (4.0, 4.0, [4.0, 4.0]),
            (6.0, 3.75, [8.0, 8.0]),
        ] {
            let beside = beside.map(taking);
            let added = rounds.add(&taking(one), taking(two), &beside);
            assert_eq!(added, Ok(()));
        }
        assert_eq!((rounds.times(), rounds.ceiling()), (1.6, 1.5));
        assert_eq!(rounds.best.as_ref(), Some(&taking(2.0)));
        rounds.add(&taking(4.0), taking(2.0), &[]).unwrap();
        assert_eq!(rounds.times(), 1.8);
        let other = Measurement { drops: 1, ..RUN };
        assert!(rounds.add(&RUN, RUN, &[other]).is_err());
    }

    #[test]
    fn two_runs_that_differ_are_no_two_runs_of_the_same() {
        let other = Measurement { events: 7, ..RUN };
        let error = "S: two runs differ in what they did";
        let named = |it: Measurement| Measurement {
            scenario: "S".to_owned(),
            ..it
        };
        assert_eq!(named(RUN).best(named(other)), Err(error.to_owned()));
    }
}
