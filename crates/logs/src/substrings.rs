//! Search for many substrings in one pass.

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError};

/// Substrings that are searched for separately.
pub struct Substrings {
    automaton: AhoCorasick,
    count: usize,
}

/// A few substrings. A search states whether a line contains any of them.
pub enum AnySubstring {
    /// Vectorised search, where the processor has one for these substrings; it is prepared in a tenth of the time.
    Packed(Searcher),
    /// Search for any substrings on any processor.
    Automaton(AhoCorasick),
}

impl AnySubstring {
    /// Prepares the search for `substrings`.
    ///
    /// # Errors
    /// The automaton of the substrings is too large.
    pub fn new(substrings: &[String]) -> Result<Self, BuildError> {
        match Searcher::new(substrings) {
            Some(packed) => Ok(Self::Packed(packed)),
            None => AhoCorasick::new(substrings).map(Self::Automaton),
        }
    }

    /// Whether `line` contains one of the substrings.
    #[inline]
    pub fn is_in(&self, line: &str) -> bool {
        match self {
            Self::Packed(packed) => packed.find(line).is_some(),
            Self::Automaton(automaton) => automaton.is_match(line),
        }
    }
}

/// A search in progress.
pub(crate) struct Search<'a> {
    substrings: &'a Substrings,
    /// For each substring whether it was found.
    pub is_found: Vec<bool>,
    missing: usize,
}

impl Substrings {
    /// Prepares the search for `substrings`.
    ///
    /// # Errors
    /// The automaton of the substrings is too large.
    pub fn new(substrings: &[String]) -> Result<Self, BuildError> {
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(substrings)?;
        Ok(Self {
            automaton,
            count: substrings.len(),
        })
    }

    pub(crate) fn start_search(&self) -> Search<'_> {
        Search {
            substrings: self,
            is_found: vec![false; self.count],
            missing: self.count,
        }
    }
}

impl Search<'_> {
    /// Searches one more line.
    pub fn scan(&mut self, line: &str) {
        if self.missing == 0 {
            return;
        }
        for hit in self.substrings.automaton.find_overlapping_iter(line) {
            let is_found = &mut self.is_found[hit.pattern().as_usize()];
            self.missing -= usize::from(!*is_found);
            *is_found = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Log;

    #[test]
    fn messages_of_debug_output_are_not_searched() {
        let substrings = Substrings::new(&[
            "bus".into(),
            "busbw".into(),
            "via".into(),
            "NCCL INFO".into(),
        ])
        .expect("few substrings");
        let contains = |text| Log::new(text).contains_each(&substrings);
        assert_eq!(contains("time busbw\n"), [true, true, false, false]);
        assert_eq!(
            contains("n:1:1 [0] NCCL INFO via\n"),
            [false, false, false, true]
        );
        assert_eq!(contains(""), [false; 4]);
    }
}
