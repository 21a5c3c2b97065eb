//! Reading a text from its start, piece by piece.

/// What is left of a text.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    /// The part not yet read.
    pub rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// At the start of `text`.
    pub fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// Reads exactly `word`.
    pub fn word(&mut self, word: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    /// Reads one character of `set`.
    pub fn one_of(&mut self, set: &str) -> Option<char> {
        let first = self
            .rest
            .chars()
            .next()
            .filter(|first| set.contains(*first))?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    /// Reads the characters that `belongs` takes.
    pub fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self
            .rest
            .find(|character| !belongs(character))
            .unwrap_or(self.rest.len());
        let (read, rest) = self.rest.split_at(end);
        self.rest = rest;
        read
    }

    /// Reads `least` to `most` ASCII digits, as many as there are; None where there are fewer or more.
    pub fn digits(&mut self, least: usize, most: usize) -> Option<&'a str> {
        let bytes = self.rest.as_bytes();
        let end = bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (read, rest) = self.rest.split_at(end);
        self.rest = rest;
        (least..=most).contains(&read.len()).then_some(read)
    }

    /// Skips blanks, and says whether there were at most `most`.
    pub fn blanks(&mut self, most: usize) -> Option<()> {
        let read = self.run(is_space);
        (read.chars().count() <= most).then_some(())
    }

    /// Reads one blank, or nothing at the end of the text.
    pub fn blank_or_end(&mut self) -> Option<()> {
        if self.rest.is_empty() {
            return Some(());
        }
        self.word(" ")
    }

    /// Reads one blank where there is one.
    pub fn maybe_blank(&mut self) {
        let _ = self.word(" ");
    }
}

/// White space as a text's `strip` takes it off: Unicode's, and the four ASCII separators.
pub fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

/// A character of a word: a letter, a digit, an underscore.
pub fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
