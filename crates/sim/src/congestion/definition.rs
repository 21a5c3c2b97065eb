//! Definition of an algorithm in its file, for the list of algorithms.

use super::control::{Feedback, Penalty};
use crate::bytes::Bytes;
use crate::problem::Problem;
use crate::time::Nanoseconds;
use std::fmt::Display;
use std::sync::Arc;

/// An algorithm as scenarios choose it. Its name there is that of the implementing type in kebab case: `DcqcnP` is `dcqcn-p`.
pub trait Definition {
    /// Its line in the reference.
    const DESCRIPTION: &'static str;

    /// Its parameters in a scenario.
    type Parameters;

    /// Values that all queue pairs with the same parameters share.
    type SharedValues;

    /// The state of one queue pair, which implements [`CongestionControl`](super::CongestionControl); boxed if it is large.
    type State;

    /// Refuses values that do not fit each other or the line rate. Ranges of single values are in the schema.
    fn check(_parameters: &Self::Parameters, _checks: &mut Checks, _line_rate_bps: u64) {}

    /// The feedback that the sender needs.
    fn feedback(_parameters: &Self::Parameters) -> Feedback {
        Feedback::Notifications
    }

    /// Computes what all queue pairs share, from parameters that were checked.
    fn prepare(parameters: &Self::Parameters) -> Self::SharedValues;

    /// The state of a new queue pair. A full packet has a payload of `packet_bytes`.
    fn start(
        shared: Arc<Self::SharedValues>,
        line_rate_bps: u64,
        packet_bytes: Bytes<u32>,
    ) -> Self::State;
}

/// Parameters that Ultra Ethernet adds to an algorithm.
pub trait UltraEthernet: Definition {
    /// Number of entropy values that a queue pair sprays its packets over.
    fn entropy_values(parameters: &Self::Parameters) -> u16;

    /// The reduction of the senders' windows that a slow receiver requests.
    fn penalty(parameters: &Self::Parameters) -> Penalty;

    /// Parameters that are the RTT of the longest path without a queue: computed from the network where they are missing.
    fn base_rtts(parameters: &mut Self::Parameters) -> Vec<&mut Option<Nanoseconds<u32>>>;
}

/// Collects invalid parameters, for the checks of the algorithms.
pub struct Checks<'a> {
    pub(super) location: &'a str,
    pub(super) problems: Vec<Problem>,
}

impl Checks<'_> {
    /// Requires `fits` of a parameter.
    pub(super) fn demand(
        &mut self,
        fits: bool,
        field: &str,
        found: impl Display,
        expected: impl Display,
    ) {
        if fits {
            return;
        }
        let problem = Problem {
            location: format!("{}.{field}", self.location),
            found: found.to_string(),
            expected: expected.to_string(),
            hint: String::new(),
        };
        let mut recorded_problems = self.problems.iter_mut();
        match recorded_problems
            .find(|recorded_problem| recorded_problem.location == problem.location)
        {
            Some(recorded_problem) => *recorded_problem = problem,
            None => self.problems.push(problem),
        }
    }
}
