//! Lines that consist of NCCL's debug output.

use crate::cursor::{is_word, Cursor};

const KINDS: [&str; 5] = ["INFO", "WARN", "TRACE", "ERROR", "VERSION"];

/// Offsets in a line of debug output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Offset of ` NCCL INFO `, leading blank included; the process that printed the line is before it.
    pub kind: usize,
    /// Offset of the message.
    pub message: usize,
}

/// The offsets of a line that begins with `host:pid:thread [device] NCCL INFO `, as `ncclDebugLog` prints it
/// (NCCL, `src/debug.cc`).
pub fn head(text: &str) -> Option<Head> {
    let mut at = Cursor::new(text);
    if !at.rest.as_bytes().first()?.is_ascii_alphabetic() {
        return None;
    }
    at.skip(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    if !at.rest.starts_with(':') {
        at.run(|character| is_word(character) || character == '.' || character == '-');
    }
    at.literal(":")?;
    at.digits(1, usize::MAX)?;
    at.literal(":")?;
    at.digits(1, usize::MAX)?;
    at.literal(" [")?;
    at.digits(1, usize::MAX)?;
    at.literal("]")?;
    let kind = text.len() - at.rest.len();
    at.literal(" NCCL ")?;
    KINDS.iter().find_map(|kind| at.literal(kind))?;
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
