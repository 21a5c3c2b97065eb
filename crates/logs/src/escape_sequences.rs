//! Escape sequences of terminals (ECMA-48), and lines that a carriage return overwrites.

/// Whether a line contains an escape or a carriage return.
pub fn has_controls(line: &str) -> bool {
    memchr::memchr2(b'\r', b'\x1b', line.as_bytes()).is_some()
}

/// The text that a terminal finally displays: the line without escape sequences, from the last carriage return on.
pub fn render_line(line: &str) -> String {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut plain = String::with_capacity(line.len());
    let mut remaining = line;
    while let Some(at) = memchr::memchr(b'\x1b', remaining.as_bytes()) {
        plain.push_str(&remaining[..at]);
        let length = sequence_length(&remaining.as_bytes()[at..]);
        let end = at + length.max(1);
        if length == 0 {
            plain.push('\x1b');
        }
        remaining = &remaining[end..];
    }
    plain.push_str(remaining);
    match plain.rfind('\r') {
        Some(at) => plain.split_off(at + 1),
        None => plain,
    }
}

/// The length of the escape sequence at the start of `bytes`; 0 if `bytes` begin with no complete sequence.
fn sequence_length(bytes: &[u8]) -> usize {
    match bytes.get(1) {
        Some(b'[') => {
            let mut at = 2;
            while matches!(bytes.get(at), Some(b'0'..=b'?')) {
                at += 1;
            }
            while matches!(bytes.get(at), Some(b' '..=b'/')) {
                at += 1;
            }
            match bytes.get(at) {
                Some(b'@'..=b'~') => at + 1,
                _ => 0,
            }
        }
        Some(b']') => {
            let mut at = 2;
            while bytes
                .get(at)
                .is_some_and(|byte| !matches!(byte, b'\x07' | b'\x1b'))
            {
                at += 1;
            }
            match (bytes.get(at), bytes.get(at + 1)) {
                (Some(b'\x07'), _) => at + 1,
                (Some(b'\x1b'), Some(b'\\')) => at + 2,
                _ => at,
            }
        }
        Some(b'@'..=b'Z' | b'\\' | b'^' | b'_') => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_overwritten_text_are_removed() {
        for (line, expected) in [
            ("plain", "plain"),
            ("\x1b[1;31mred\x1b[0m end", "red end"),
            ("\x1b]0;title\x07text", "text"),
            ("\x1b]8;;link\x1b\\text", "text"),
            ("10 %\r50 %\r100 %", "100 %"),
            ("windows\r", "windows"),
            ("cut \x1b[3", "cut \x1b[3"),
            ("\x1bM up", " up"),
            ("é\x1b[Kè", "éè"),
        ] {
            assert_eq!(render_line(line), expected);
        }
    }
}
