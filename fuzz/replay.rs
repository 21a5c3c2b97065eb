//! Replays kept inputs in tests: one line of `corpus/<target>.txt` is one input, escaped as a byte string.

/// Runs `check` on every input of a corpus.
pub fn replay(corpus: &str, check: fn(&[u8])) {
    for line in corpus.lines() {
        check(&unescape(line));
    }
}

/// The bytes of a line: `\\`, `\t`, `\n`, `\r` and `\x` with two digits stand for one byte each.
fn unescape(line: &str) -> Vec<u8> {
    let mut bytes = line.bytes();
    let mut input = Vec::with_capacity(line.len());
    while let Some(byte) = bytes.next() {
        input.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'\\') => b'\\',
                Some(b't') => b'\t',
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b'x') => digit(bytes.next()) << 4 | digit(bytes.next()),
                other => panic!("escape {other:?} in a corpus"),
            },
            plain => plain,
        });
    }
    input
}

fn digit(byte: Option<u8>) -> u8 {
    byte.and_then(|byte| char::from(byte).to_digit(16))
        .expect("a hexadecimal digit after \\x") as u8
}
