//! A cursor that reads a text from its start.

/// The part of a text that is not yet read.
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

    /// Reads exactly `text`.
    pub fn literal(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
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

    /// Reads the characters for which `belongs` is true.
    pub fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while let Some(byte) = bytes.get(end) {
            let first = match byte.is_ascii() {
                true => char::from(*byte),
                false => self.rest[end..].chars().next().unwrap_or_default(),
            };
            if !belongs(first) {
                break;
            }
            end += first.len_utf8();
        }
        let (read, rest) = self.rest.split_at(end);
        self.rest = rest;
        read
    }

    /// Reads the bytes for which `belongs` is true; it must be false for every byte that is not ASCII.
    #[inline]
    pub fn skip(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let mut bytes = self.rest.bytes();
        let end = bytes
            .position(|byte| !belongs(byte))
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

    /// Skips blanks; None where there are more than `most`.
    pub fn blanks(&mut self, most: usize) -> Option<()> {
        let read = self.run(is_space);
        (read.chars().count() <= most).then_some(())
    }

    /// Reads one blank, or nothing at the end of the text.
    pub fn blank_or_end(&mut self) -> Option<()> {
        if self.rest.is_empty() {
            return Some(());
        }
        self.literal(" ")
    }

    /// Reads one blank where there is one.
    pub fn maybe_blank(&mut self) {
        let _ = self.literal(" ");
    }
}

/// The lines of a text.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', text.as_bytes())
        .chain(std::iter::once(text.len()))
        .map(move |end| {
            let line = &text[start..end];
            start = end + 1;
            line
        })
}

/// White space as a text's `strip` takes it off: Unicode's, and the four ASCII separators.
pub fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

/// A character of a word: a letter, a digit, an underscore.
pub fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
