//! Limits between the parameters of one set.

use super::problems::Problems;
use crate::bytes::Bytes;
use crate::problem::format_thousands;

/// Adds problems of parameters by their path.
pub struct ParameterCheck<'f> {
    pub root: &'f str,
    pub problems: &'f mut Problems,
}

impl ParameterCheck<'_> {
    /// Checks a size that another parameter limits.
    pub fn at_most(&mut self, name: &str, value: Bytes<u32>, most: Bytes<u32>) {
        self.check_range(name, value.widen(), 0, most.0.into());
    }

    /// The same with a lower and an upper limit.
    pub fn check_range(&mut self, name: &str, value: Bytes, least: u64, most: u64) {
        if (least..=most).contains(&value.0) {
            return;
        }
        let number = |format: u64| format_thousands(format.into());
        let expected = format!("{} to {}", number(least), number(most));
        self.note(name, value.to_string(), expected);
    }

    pub fn note(&mut self, name: &str, found: String, expected: String) {
        let location = format!("{}.{name}", self.root);
        self.problems.replace(location, found, expected);
    }
}
