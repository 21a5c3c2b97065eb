//! Lines that are NCCL's debug output as a whole.

use crate::cursor::{is_word, Cursor};

const KINDS: [&str; 5] = ["INFO", "WARN", "TRACE", "ERROR", "VERSION"];

/// How a line that is debug output begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Where ` NCCL INFO ` begins, with its blank: what stands before it says who writes.
    pub kind: usize,
    /// Where the message begins.
    pub message: usize,
}

/// `host:pid:thread [device] NCCL INFO ` where a line begins with it.
///
/// The form is that of `ncclDebugLog` in NCCL's `src/debug.cc`.
pub fn head(text: &str) -> Option<Head> {
    let mut at = Cursor::new(text);
    if !at.rest.as_bytes().first()?.is_ascii_alphabetic() {
        return None;
    }
    at.skip(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    if !at.rest.starts_with(':') {
        at.run(|character| is_word(character) || character == '.' || character == '-');
    }
    at.word(":")?;
    at.digits(1, usize::MAX)?;
    at.word(":")?;
    at.digits(1, usize::MAX)?;
    at.word(" [")?;
    at.digits(1, usize::MAX)?;
    at.word("]")?;
    let kind = text.len() - at.rest.len();
    at.word(" NCCL ")?;
    KINDS.iter().find_map(|kind| at.word(kind))?;
    if at.rest.starts_with(is_word) {
        return None;
    }
    at.maybe_blank();
    Some(Head {
        kind,
        message: text.len() - at.rest.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_are_debug_output() {
        for (line, expected) in [
            ("node-1:12:13 [0] NCCL INFO Using network IB", true),
            ("gpu.site:1:1 [7] NCCL WARN Call to connect failed", true),
            ("node1:12:13 [0] NCCL INFORMAL", false),
            (
                "  1024  256 node1:12:13 [0] NCCL INFO Using network IB",
                false,
            ),
            ("node1:12 [0] NCCL INFO Using network IB", false),
            ("", false),
        ] {
            assert_eq!(head(line).is_some(), expected, "{line}");
        }
    }
}
