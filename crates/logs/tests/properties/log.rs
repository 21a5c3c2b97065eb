//! Properties of logs that are split into cleaned lines.

use std::sync::LazyLock;

use wirespeed_logs::{is_rank_line, AnySubstring, Log, Substrings};

const SUBSTRINGS: [&str; 6] = ["busbw", "bus", "NCCL INFO", " ", "é", "0"];

static EACH: LazyLock<Substrings> =
    LazyLock::new(|| Substrings::new(&SUBSTRINGS.map(String::from)).expect("few substrings"));
static ANY: LazyLock<AnySubstring> = LazyLock::new(|| {
    AnySubstring::new(&SUBSTRINGS.map(String::from)[..3]).expect("few substrings")
});

/// Characters of lines whose text is not a part of the file: escape sequences, character references, JSON.
const REWRITTEN: [char; 8] = [
    '\r', '\x1b', '&', '\u{a0}', '\u{200b}', '\u{202f}', '\u{2060}', '"',
];

/// Every line of the file stays one line, or several if it contains text in JSON; only prefixes, escape sequences and
/// markup are removed.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let log = Log::new(&text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let raw: Vec<&str> = text.split_terminator('\n').collect();
    let count = raw.len();
    let last = log.lines().last().map(|line| line.is_complete);

    for line in log.lines() {
        let raw = raw[line.number - 1];
        let is_rewritten = raw.contains(REWRITTEN);
        assert!(
            is_rewritten || line.text.is_empty() || raw.ends_with(line.text),
            "{raw:?}"
        );
        assert!(line.text.len() <= raw.len());
        assert!(line
            .label
            .is_none_or(|label| is_rewritten || raw.contains(label)));
        assert!(line.text.ends_with(line.message()));
        assert!(line.text.ends_with(line.kind_and_message()));
        assert!(line.is_debug || line.message() == line.text);
        assert!(!line.is_debug || line.kind_and_message().starts_with(" NCCL "));
        assert!(line.is_complete || line.number == count);
    }
    assert!(!text.ends_with('\n') || last != Some(false));
    check_numbers(&log, count);
    check_substrings(&log);
    check_truncation(text, &log);
    let _ = log.may_contain_json();
}

/// Every line of the file is there, in its order.
fn check_numbers(log: &Log, count: usize) {
    let mut numbers: Vec<usize> = log.lines().map(|line| line.number).collect();
    assert!(numbers.is_sorted());
    numbers.dedup();
    assert!(numbers.into_iter().eq(1..=count));
}

/// A substring is found exactly where a line that is searched contains it.
fn check_substrings(log: &Log) {
    let contained = log.contains_each(&EACH);
    let mut expected = [false; SUBSTRINGS.len()];
    let mut was_rank = false;
    for line in log.lines() {
        let is_rank = !line.is_debug && is_rank_line(line.text);
        let searched = match line.is_debug {
            true => {
                let kind = line.kind_and_message();
                &kind[..kind.len() - line.message().len()]
            }
            false if is_rank && was_rank => "",
            false => line.text,
        };
        was_rank = is_rank;
        for (expected, name) in expected.iter_mut().zip(SUBSTRINGS) {
            *expected |= searched.contains(name);
        }
        let has_any = SUBSTRINGS[..3].iter().any(|name| line.text.contains(name));
        assert_eq!(ANY.is_in(line.text), has_any);
    }
    assert_eq!(contained, expected);
}

/// The first half of a log has only lines of the whole log. Exceptions are the last line, and host names, which are
/// removed only where most lines of a log have one.
fn check_truncation(text: &str, log: &Log) {
    let end = text.floor_char_boundary(text.len() / 2);
    let half = Log::new(&text[..end]);
    let cut_line = match text[..end].ends_with('\n') {
        true => usize::MAX,
        false => half.lines().last().map_or(0, |line| line.number),
    };
    for (part, whole) in half.lines().zip(log.lines()) {
        if part.number == cut_line {
            break;
        }
        if part.is_complete {
            let is_same = part.text == whole.text && part.label == whole.label;
            let differs_in_host =
                part.text.ends_with(whole.text) || whole.text.ends_with(part.text);
            assert!(is_same || differs_in_host, "{:?} and {:?}", part, whole);
        }
    }
}
