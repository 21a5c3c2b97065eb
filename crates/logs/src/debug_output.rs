//! Lines that consist of NCCL's debug output.

use crate::cursor::{is_word, Cursor};

const KINDS: [&str; 5] = ["INFO", "WARN", "TRACE", "ERROR", "VERSION"];

/// Offsets in a line of debug output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Offset of ` NCCL INFO `, leading blank included. The process that printed the line precedes it.
    pub kind: usize,
    /// Offset of the message.
    pub message: usize,
}

/// The offsets in a line that begins with `host:pid:thread [device] NCCL INFO `, as `ncclDebugLog` prints it
/// (NCCL, `src/debug.cc`).
pub fn find_head(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    if !cursor.remaining.as_bytes().first()?.is_ascii_alphabetic() {
        return None;
    }
    cursor.read_bytes_while(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
    });
    if !cursor.remaining.starts_with(':') {
        cursor.read_while(|character| is_word(character) || character == '.' || character == '-');
    }
    cursor.read_literal(":")?;
    cursor.read_digits(1, usize::MAX)?;
    cursor.read_literal(":")?;
    cursor.read_digits(1, usize::MAX)?;
    cursor.read_literal(" [")?;
    cursor.read_digits(1, usize::MAX)?;
    cursor.read_literal("]")?;
    let kind = text.len() - cursor.remaining.len();
    cursor.read_literal(" NCCL ")?;
    KINDS.iter().find_map(|kind| cursor.read_literal(kind))?;
    if cursor.remaining.starts_with(is_word) {
        return None;
    }
    cursor.skip_blank();
    Some(Head {
        kind,
        message: text.len() - cursor.remaining.len(),
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
            assert_eq!(find_head(line).is_some(), expected, "{line}");
        }
    }
}
