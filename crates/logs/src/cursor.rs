//! A cursor that reads a text from its start.

/// A position in a text.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    /// The part not yet read.
    pub remaining: &'a str,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `text`.
    pub fn new(text: &'a str) -> Self {
        Self { remaining: text }
    }

    /// Reads exactly `text`.
    pub fn read_literal(&mut self, text: &str) -> Option<()> {
        self.remaining = self.remaining.strip_prefix(text)?;
        Some(())
    }

    /// Reads one character of `set`.
    pub fn read_one_of(&mut self, set: &str) -> Option<char> {
        let first = self
            .remaining
            .chars()
            .next()
            .filter(|first| set.contains(*first))?;
        self.remaining = &self.remaining[first.len_utf8()..];
        Some(first)
    }

    /// Reads the characters for which `belongs` is true.
    pub fn read_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let bytes = self.remaining.as_bytes();
        let mut end = 0;
        while let Some(byte) = bytes.get(end) {
            let character = match byte.is_ascii() {
                true => char::from(*byte),
                false => self.remaining[end..].chars().next().unwrap_or_default(),
            };
            if !belongs(character) {
                break;
            }
            end += character.len_utf8();
        }
        let (read, remaining) = self.remaining.split_at(end);
        self.remaining = remaining;
        read
    }

    /// Reads the bytes for which `belongs` is true; it must be false for every byte that is not ASCII.
    #[inline]
    pub fn read_bytes_while(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let mut bytes = self.remaining.bytes();
        let end = bytes
            .position(|byte| !belongs(byte))
            .unwrap_or(self.remaining.len());
        let (read, remaining) = self.remaining.split_at(end);
        self.remaining = remaining;
        read
    }

    /// Reads all ASCII digits up to the next other character; None unless their number is `least` to `most`.
    pub fn read_digits(&mut self, least: usize, most: usize) -> Option<&'a str> {
        let bytes = self.remaining.as_bytes();
        let end = bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (read, remaining) = self.remaining.split_at(end);
        self.remaining = remaining;
        (least..=most).contains(&read.len()).then_some(read)
    }

    /// Skips white space; None if it is longer than `most` characters.
    pub fn skip_blanks(&mut self, most: usize) -> Option<()> {
        let read = self.read_while(is_space);
        (read.chars().count() <= most).then_some(())
    }

    /// Reads one blank, or nothing at the end of the text.
    pub fn read_blank_or_end(&mut self) -> Option<()> {
        if self.remaining.is_empty() {
            return Some(());
        }
        self.read_literal(" ")
    }

    /// Skips one blank, if the next character is a blank.
    pub fn skip_blank(&mut self) {
        let _ = self.read_literal(" ");
    }
}

/// Splits a text into its lines.
pub fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', text.as_bytes())
        .chain(std::iter::once(text.len()))
        .map(move |end| {
            let line = &text[start..end];
            start = end + 1;
            line
        })
}

/// White space as Python's `str.strip` defines it: that of Unicode, and the four ASCII separators.
pub fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

/// Whether a character is a letter, a digit or an underscore.
pub fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
