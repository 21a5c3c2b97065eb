//! A log split into cleaned lines.

use std::ops::Range;

use crate::cursor::is_space;
use crate::debug_output::{self, Head};
use crate::ranks::is_rank_line;
use crate::{escape_sequences, host_prefix, prefix, Substrings};

/// One cleaned line.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Number in the file, counted from 1.
    pub number: usize,
    /// The line without prefixes and escape sequences.
    pub text: &'a str,
    /// False for a last line without a newline: it may be cut inside a number.
    pub ended: bool,
    /// The process or host in the prefix.
    pub label: Option<&'a str>,
    /// Whether the whole line is NCCL's debug output.
    pub debug: bool,
    head: Head,
}

impl<'a> Line<'a> {
    /// The message of a line of debug output, without the process that printed it; the whole text of any other line.
    pub fn message(&self) -> &'a str {
        &self.text[self.head.message..]
    }

    /// The message preceded by the kind of debug output: ` NCCL INFO message`.
    pub fn kind_and_message(&self) -> &'a str {
        &self.text[self.head.kind..]
    }
}

/// A cleaned log.
pub struct Log {
    /// The file, followed by the lines that differ from the file once escape sequences are removed.
    text: String,
    lines: Vec<Span>,
    last_ended: bool,
}

struct Span {
    text: Range<usize>,
    label: Option<Range<usize>>,
    /// The head of a line that is debug output as a whole.
    debug: Option<Head>,
}

impl Log {
    /// Cleans `text`.
    pub fn new(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut log = Self {
            text: String::with_capacity(text.len()),
            lines: Vec::with_capacity(text.len() / TYPICAL_LINE),
            last_ended: text.is_empty() || text.ends_with('\n'),
        };
        log.text.push_str(text);
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', text.as_bytes())
            .chain((!log.last_ended).then_some(text.len()));
        for end in ends {
            let span = log.clean(start..end);
            log.lines.push(span);
            start = end + 1;
        }
        log.strip_hosts();
        for at in 0..log.lines.len() {
            log.lines[at].debug = debug_output::head(&log.text[log.lines[at].text.clone()]);
        }
        log
    }

    /// The lines in the order of the file.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = Line<'_>> {
        let count = self.lines.len();
        self.lines.iter().enumerate().map(move |(at, span)| Line {
            number: at + 1,
            text: &self.text[span.text.clone()],
            ended: self.last_ended || at + 1 < count,
            label: span.label.clone().map(|label| &self.text[label]),
            debug: span.debug.is_some(),
            head: span.debug.unwrap_or(Head {
                kind: 0,
                message: 0,
            }),
        })
    }

    fn clean(&mut self, raw: Range<usize>) -> Span {
        let mut line = raw;
        if escape_sequences::has_controls(&self.text[line.clone()]) {
            let displayed = escape_sequences::displayed_text(&self.text[line]);
            let start = self.text.len();
            self.text.push_str(&displayed);
            line = start..self.text.len();
        }
        if line.len() > MAX_DIGITS && has_long_number(&self.text[line.clone()]) {
            line = line.end..line.end;
        }
        let stripped = prefix::strip(&self.text[line.clone()]);
        let label = stripped.label.map(|label| range_of(&self.text, label));
        let text = line.end - stripped.text.len()..line.end;
        Span {
            text,
            label,
            debug: None,
        }
    }

    fn strip_hosts(&mut self) {
        let hosts =
            host_prefix::common_hosts(self.lines.iter().map(|span| &self.text[span.text.clone()]));
        if hosts.is_empty() {
            return;
        }
        let named: Vec<Option<(Range<usize>, Range<usize>)>> = self
            .lines
            .iter()
            .map(|span| {
                let (name, rest) = host_prefix::split_host(&self.text[span.text.clone()])?;
                let rest = prefix::strip(rest).text;
                hosts.contains(&name).then(|| {
                    (
                        range_of(&self.text, name),
                        span.text.end - rest.len()..span.text.end,
                    )
                })
            })
            .collect();
        for (span, name) in self.lines.iter_mut().zip(named) {
            if let Some((label, text)) = name {
                span.label = Some(label);
                span.text = text;
            }
        }
    }

    /// For each substring whether a line contains it. Only the kind of debug output (` NCCL INFO `) and the first line of
    /// a list of ranks are searched.
    pub fn contained(&self, substrings: &Substrings) -> Vec<bool> {
        let mut search = substrings.search();
        let mut in_list = false;
        let mut kind = "";
        for span in &self.lines {
            let text = &self.text[span.text.clone()];
            if let Some(head) = span.debug {
                in_list = false;
                let now = &text[head.kind..head.message];
                if now != kind {
                    search.scan(now);
                    kind = now;
                }
                continue;
            }
            let rank = is_rank_line(text);
            if !(rank && in_list) {
                search.scan(text);
            }
            in_list = rank;
        }
        search.found
    }

    /// Whether a line opens a JSON object: a brace, then the end of the line, a key, or a closing brace.
    pub fn may_hold_json(&self) -> bool {
        self.lines().any(|line| {
            line.text
                .trim_start_matches(is_space)
                .strip_prefix('{')
                .is_some_and(|rest| {
                    let rest = rest.trim_start_matches(is_space);
                    rest.is_empty() || rest.starts_with(['"', '}'])
                })
        })
    }
}

/// Bytes of a typical line.
const TYPICAL_LINE: usize = 64;

/// Digits of the longest number that is read: no tool prints a longer one, and a line with one is read as empty.
const MAX_DIGITS: usize = 1000;

fn has_long_number(line: &str) -> bool {
    let mut digits = 0;
    line.bytes().any(|byte| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits > MAX_DIGITS
    })
}

/// The range of `part`, a slice of `whole`.
fn range_of(whole: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - whole.as_ptr() as usize;
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_lines(text: &str, expected: &[(&str, Option<&str>)]) {
        let log = Log::new(text);
        let found: Vec<_> = log.lines().map(|line| (line.text, line.label)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn prefixes_go_and_their_labels_stay() {
        assert_lines("[1,0]<stdout>:#  size\n", &[("#  size", Some("1,0"))]);
        assert_lines("[node1:123,7]<stderr>: text", &[("text", Some("123,7"))]);
        assert_lines("12: text\n12:\n", &[("text", Some("12")), ("", Some("12"))]);
        assert_lines(
            "2026-01-31 10:11:12.5+01:00 0: text\n",
            &[("text", Some("0"))],
        );
        assert_lines("> > quoted\n", &[("quoted", None)]);
        assert_lines(
            "[3] text\n[  5] 0.00-1.00\n[5] 0.00-1.00 sec\n",
            &[
                ("text", Some("3")),
                ("[  5] 0.00-1.00", None),
                ("[5] 0.00-1.00 sec", None),
            ],
        );
        assert_lines("Sat Jan 31 12:34:56 2026 [ ID]\n", &[("[ ID]", None)]);
        assert_lines("\x1b[32mgreen\x1b[0m\r\n", &[("green", None)]);
        assert_lines(
            "\\# size\n- item\n-- rule\n",
            &[("# size", None), ("item", None), ("-- rule", None)],
        );
    }

    #[test]
    fn hosts_go_where_nearly_every_line_has_one() {
        assert_lines(
            "n1: a\nn2: b\nn1: c\nn2: d\n",
            &[
                ("n1: a", None),
                ("n2: b", None),
                ("n1: c", None),
                ("n2: d", None),
            ],
        );
        assert_lines(
            "n1: a\nn1: 0: b\nn1: c\n",
            &[("a", Some("n1")), ("b", Some("n1")), ("c", Some("n1"))],
        );
        assert_lines(
            "Warning: a\nWarning: b\nWarning: c\n",
            &[
                ("Warning: a", None),
                ("Warning: b", None),
                ("Warning: c", None),
            ],
        );
    }

    #[test]
    fn a_line_with_a_number_without_end_is_read_as_an_empty_one() {
        let digits = "7".repeat(1000);
        assert_lines(
            &format!("{digits} a\n{digits}7 a\n"),
            &[(&format!("{digits} a"), None), ("", None)],
        );
    }

    /// As many hosts as a large job has, in a log of every host's lines: seconds if each line were compared with each host.
    #[test]
    fn logs_of_many_hosts_are_read_in_time_proportional_to_their_lines() {
        let text: String = (0..120_000)
            .map(|line| format!("node{}: line\n", line % 40_000))
            .collect();
        let log = Log::new(&text);
        assert!(log.lines().all(|line| line.text == "line"));
        assert_eq!(log.lines().last().unwrap().label, Some("node39999"));
    }

    #[test]
    fn the_last_line_records_the_end() {
        let ended = |text: &str| {
            Log::new(text)
                .lines()
                .map(|line| line.ended)
                .collect::<Vec<_>>()
        };
        assert_eq!(ended("a\nb"), [true, false]);
        assert_eq!(ended("a\nb\n"), [true, true]);
        assert_eq!(ended(""), [] as [bool; 0]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_as_many_lines_as_newlines(text in "(?s).{0,200}") {
            let text = text.trim_start_matches('\u{feff}');
            let count = text.matches('\n').count() + usize::from(!text.is_empty() && !text.ends_with('\n'));
            proptest::prop_assert_eq!(Log::new(text).lines().len(), count);
        }
    }
}
