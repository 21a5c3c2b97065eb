//! Which of many words a log holds, in one pass over it.

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError};

/// Words to look for.
pub struct Signs {
    automaton: AhoCorasick,
    count: usize,
}

/// A few words, of which a line holds one or not.
pub struct Words {
    automaton: AhoCorasick,
    /// Where the processor can look for all of them at once.
    packed: Option<Searcher>,
}

impl Words {
    /// Prepares to look for `words`.
    ///
    /// # Errors
    /// More or longer words than an automaton can hold.
    pub fn new(words: &[String]) -> Result<Self, BuildError> {
        Ok(Self {
            automaton: AhoCorasick::new(words)?,
            packed: Searcher::new(words),
        })
    }

    /// Whether `line` holds one of them.
    #[inline]
    pub fn in_line(&self, line: &str) -> bool {
        match &self.packed {
            Some(packed) => packed.find(line).is_some(),
            None => self.automaton.is_match(line),
        }
    }
}

/// A search going on.
pub(crate) struct Search<'a> {
    signs: &'a Signs,
    /// For each word whether it was seen.
    pub held: Vec<bool>,
    missing: usize,
}

impl Signs {
    /// Prepares to look for `words`.
    ///
    /// # Errors
    /// More or longer words than an automaton can hold.
    pub fn new(words: &[String]) -> Result<Self, BuildError> {
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(words)?;
        Ok(Self {
            automaton,
            count: words.len(),
        })
    }

    pub(crate) fn search(&self) -> Search<'_> {
        Search {
            signs: self,
            held: vec![false; self.count],
            missing: self.count,
        }
    }
}

impl Search<'_> {
    /// Looks at one more line.
    pub fn look(&mut self, line: &str) {
        if self.missing == 0 {
            return;
        }
        for found in self.signs.automaton.find_overlapping_iter(line) {
            let seen = &mut self.held[found.pattern().as_usize()];
            self.missing -= usize::from(!*seen);
            *seen = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Log;

    #[test]
    fn words_within_words_are_found_and_messages_of_debug_output_are_left_out() {
        let signs = Signs::new(&[
            "bus".into(),
            "busbw".into(),
            "via".into(),
            "NCCL INFO".into(),
        ])
        .expect("few words");
        let held = |text| Log::new(text).held(&signs);
        assert_eq!(held("time busbw\n"), [true, true, false, false]);
        assert_eq!(
            held("n:1:1 [0] NCCL INFO via\n"),
            [false, false, false, true]
        );
        assert_eq!(held(""), [false; 4]);
    }
}
