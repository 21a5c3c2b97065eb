//! Properties of logs that are split into cleaned lines.

use std::sync::LazyLock;

use wirespeed_logs::{is_rank_line, AnySubstring, Log, Substrings};

const SUBSTRINGS: [&str; 6] = ["busbw", "bus", "NCCL INFO", " ", "é", "0"];

static EACH: LazyLock<Substrings> =
    LazyLock::new(|| Substrings::new(&SUBSTRINGS.map(String::from)).expect("few substrings"));
static ANY: LazyLock<AnySubstring> = LazyLock::new(|| {
    AnySubstring::new(&SUBSTRINGS.map(String::from)[..3]).expect("few substrings")
});

/// Every line of the file stays one line; only prefixes and escape sequences are removed.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let log = Log::new(&text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let raw: Vec<&str> = text.split_terminator('\n').collect();
    let count = raw.len();
    assert_eq!(log.lines().len(), count);

    for (line, raw) in log.lines().zip(&raw) {
        let has_controls = raw.contains(['\r', '\x1b']);
        assert!(
            has_controls || line.text.is_empty() || raw.ends_with(line.text),
            "{raw:?}"
        );
        assert!(line.text.len() <= raw.len());
        assert!(line
            .label
            .is_none_or(|label| has_controls || raw.contains(label)));
        assert!(line.text.ends_with(line.message()));
        assert!(line.text.ends_with(line.kind_and_message()));
        assert!(line.is_debug || line.message() == line.text);
        assert!(!line.is_debug || line.kind_and_message().starts_with(" NCCL "));
        assert_eq!(
            line.is_complete,
            line.number < count || text.ends_with('\n')
        );
    }
    check_numbers(&log);
    check_substrings(&log);
    check_truncation(text, &log);
    let _ = log.may_contain_json();
}

fn check_numbers(log: &Log) {
    assert!(log
        .lines()
        .map(|line| line.number)
        .eq(1..=log.lines().len()));
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
    for (part, whole) in half.lines().zip(log.lines()) {
        if part.is_complete {
            let is_same = part.text == whole.text && part.label == whole.label;
            let differs_in_host =
                part.text.ends_with(whole.text) || whole.text.ends_with(part.text);
            assert!(is_same || differs_in_host, "{:?} and {:?}", part, whole);
        }
    }
}
