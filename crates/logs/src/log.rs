//! A log split into cleaned lines.

use std::ops::Range;

use crate::cursor::is_space;
use crate::debug_output::{self, Head};
use crate::decimal_comma::{find_decimal_comma, replace_decimal_commas};
use crate::ranks::is_rank_line;
use crate::{escape_sequences, host_prefix, last_row, markup, prefix, wrapped_text, Substrings};

/// One cleaned line.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Number in the file, counted from 1.
    pub number: usize,
    /// The line without prefixes and escape sequences.
    pub text: &'a str,
    /// False for a last line without a newline, which may be cut inside a number.
    pub is_complete: bool,
    /// The process or host in the prefix.
    pub label: Option<&'a str>,
    /// Whether the whole line is NCCL's debug output.
    pub is_debug: bool,
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
    /// The file, followed by the lines that differ from the file once escape sequences, markup and JSON are removed.
    text: String,
    lines: Vec<Span>,
    last_is_complete: bool,
    /// Bytes of the file, which begins `text`.
    file_length: usize,
    /// Whether the lines are items of a list in JSON.
    in_list: bool,
}

struct Span {
    number: usize,
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
            last_is_complete: text.is_empty() || text.ends_with('\n'),
            file_length: text.len(),
            in_list: false,
        };
        log.text.push_str(text);
        replace_decimal_commas(&mut log.text);
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', text.as_bytes())
            .chain((!log.last_is_complete).then_some(text.len()));
        for (index, end) in ends.enumerate() {
            log.take(index + 1, start..end);
            start = end + 1;
        }
        log.strip_hosts();
        log.last_is_complete = log.last_is_complete || log.has_complete_last_row();
        for span in &mut log.lines {
            span.debug = debug_output::find_head(&log.text[span.text.clone()]);
        }
        log
    }

    /// The lines in the order of the file.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = Line<'_>> {
        let count = self.lines.len();
        self.lines
            .iter()
            .enumerate()
            .map(move |(index, span)| Line {
                number: span.number,
                text: &self.text[span.text.clone()],
                is_complete: self.last_is_complete || index + 1 < count,
                label: span.label.clone().map(|label| &self.text[label]),
                is_debug: span.debug.is_some(),
                head: span.debug.unwrap_or(Head {
                    kind: 0,
                    message: 0,
                }),
            })
    }

    /// Takes a line of the file: one line, or all lines of a text inside JSON.
    fn take(&mut self, number: usize, raw: Range<usize>) {
        let line = &self.text[raw.clone()];
        let first = line.trim_start_matches(is_space).bytes().next();
        if first != Some(b'{') && first != Some(b'"') && !self.in_list {
            let span = self.clean(number, raw);
            self.lines.push(span);
            return;
        }
        let item = self
            .in_list
            .then(|| wrapped_text::read_item(line))
            .flatten();
        self.in_list = item.is_some() || wrapped_text::opens_list(line.trim_end());
        let Some(text) = item.or_else(|| wrapped_text::unwrap_text(line)) else {
            let span = self.clean(number, raw);
            self.lines.push(span);
            return;
        };
        self.last_is_complete |= raw.end == self.file_length; // the quote at its end closes the text
        for part in text.trim_end_matches('\n').split('\n') {
            let start = self.text.len();
            self.text.push_str(part);
            let span = self.clean(number, start..self.text.len());
            self.lines.push(span);
        }
    }

    fn clean(&mut self, number: usize, raw: Range<usize>) -> Span {
        let mut line = raw;
        if escape_sequences::has_controls(&self.text[line.clone()]) {
            line = self.replace(line, escape_sequences::render_line);
        }
        if markup::has_markup(&self.text[line.clone()]) {
            line = self.replace(line, markup::replace_markup);
        }
        if line.len() > MAX_DIGITS && has_long_number(&self.text[line.clone()]) {
            line = line.end..line.end;
        }
        let stripped = prefix::strip_prefixes(&self.text[line.clone()]);
        let label = stripped.label.map(|label| range_of(&self.text, label));
        let text = line.end - stripped.text.len()..line.end;
        Span {
            number,
            text,
            label,
            debug: None,
        }
    }

    /// Appends the line that `render` makes of a line, and returns its range.
    fn replace(&mut self, line: Range<usize>, render: fn(&str) -> String) -> Range<usize> {
        let rendered = render(&self.text[line]);
        let start = self.text.len();
        self.text.push_str(&rendered);
        start..self.text.len()
    }

    /// Whether the last line, which has no newline, has the form of an earlier line and so lacks no digit.
    fn has_complete_last_row(&self) -> bool {
        let Some((last, earlier)) = self.lines.split_last() else {
            return false;
        };
        let texts = earlier.iter().rev().take(SIMILAR_LINES);
        last_row::is_complete(
            &self.text[last.text.clone()],
            texts.map(|span| &self.text[span.text.clone()]),
        )
    }

    fn strip_hosts(&mut self) {
        let hosts =
            host_prefix::common_hosts(self.lines.iter().map(|span| &self.text[span.text.clone()]));
        if hosts.is_empty() {
            return;
        }
        let prefixes: Vec<Option<(Range<usize>, Range<usize>)>> = self
            .lines
            .iter()
            .map(|span| {
                let (name, message) = host_prefix::split_host(&self.text[span.text.clone()])?;
                let message = prefix::strip_prefixes(message).text;
                hosts.contains(&name).then(|| {
                    (
                        range_of(&self.text, name),
                        span.text.end - message.len()..span.text.end,
                    )
                })
            })
            .collect();
        for (span, prefix) in self.lines.iter_mut().zip(prefixes) {
            if let Some((label, text)) = prefix {
                span.label = Some(label);
                span.text = text;
            }
        }
    }

    /// The lines with a number that has a decimal comma, and the number. Debug output is not searched.
    pub fn decimal_commas(&self) -> Vec<(usize, &str)> {
        let plain = self.lines.iter().filter(|span| span.debug.is_none());
        plain
            .filter_map(|span| {
                let number = find_decimal_comma(&self.text[span.text.clone()])?;
                Some((span.number, number))
            })
            .collect()
    }

    /// For each substring whether a line contains it. Only the kind of debug output (` NCCL INFO `) and the first line of
    /// a list of ranks are searched.
    pub fn contains_each(&self, substrings: &Substrings) -> Vec<bool> {
        let mut search = substrings.start_search();
        let mut in_list = false;
        let mut kind = "";
        for span in &self.lines {
            let text = &self.text[span.text.clone()];
            if let Some(head) = span.debug {
                in_list = false;
                let line_kind = &text[head.kind..head.message];
                if line_kind != kind {
                    search.scan(line_kind);
                    kind = line_kind;
                }
                continue;
            }
            let is_rank = is_rank_line(text);
            if !(is_rank && in_list) {
                search.scan(text);
            }
            in_list = is_rank;
        }
        search.is_found
    }

    /// Whether a line opens a JSON object: a brace, then the end of the line, a key, or a closing brace.
    pub fn may_contain_json(&self) -> bool {
        self.lines().any(|line| {
            line.text
                .trim_start_matches(is_space)
                .strip_prefix('{')
                .is_some_and(|content| {
                    let content = content.trim_start_matches(is_space);
                    content.is_empty() || content.starts_with(['"', '}'])
                })
        })
    }
}

/// Number of lines before the last one with which it is compared.
const SIMILAR_LINES: usize = 200;

/// Bytes of a typical line.
const TYPICAL_LINE: usize = 64;

/// Digits of the longest number that is read, of which 2^128 has 39. A line with a longer one is read as empty.
const MAX_DIGITS: usize = 40;

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
        let lines: Vec<_> = log.lines().map(|line| (line.text, line.label)).collect();
        assert_eq!(lines, expected, "{text:?}");
    }

    #[test]
    fn prefixes_are_removed_and_labels_are_stored() {
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

    /// Formats: moreutils `ts`, journalctl (systemd 255), Open MPI `--timestamp-output`, log4j 2 and Spark, Python
    /// `logging`, Airflow 2, loguru, glog, vLLM, GitHub Actions (`gh run view --log`), GitLab, Jenkins' Timestamper,
    /// Kubernetes (CRI), Ray, torchrun.
    #[test]
    fn prefixes_of_loggers_are_removed() {
        for (prefix, label) in [
            ("Jan 31 12:34:56 ", None),
            ("Jan 31 12:34:56 node1 srun[4242]: ", Some("node1")),
            ("Jan  1 12:34:56.123456 node1 kernel: ", Some("node1")),
            (
                "2026-01-31T12:34:56+0100 node1 job.sh[4242]: ",
                Some("node1"),
            ),
            ("Sat Jan 31 12:34:56 2026[1,0]<stdout>:", Some("1,0")),
            ("Sat Jan 31 12:34:56 2026<stdout>:", None),
            ("Sat Jan 31 12:34:56 2026<stderr>: ", None),
            ("12:34:56 ", None),
            ("1700000000.123456 ", None),
            ("#12 3.456 ", None),
            ("1700000000.123456 node1 job[4242]: ", Some("node1")),
            ("[  123.456789] ", None),
            ("[12345678.456789] node1 job[4242]: ", Some("node1")),
            (
                "<14>1 2026-01-31T12:34:56.7Z node1 job 4242 - - ",
                Some("node1"),
            ),
            (
                "<165>1 2026-01-31T12:34:56+01:00 - job - ID47 [a@1 b=\"c\"] ",
                None,
            ),
            ("00:00:07.123456 ", None),
            ("[12:34:56] ", None),
            (
                "2026-01-31 12:34:56,789 INFO  [main] com.example.Job: ",
                None,
            ),
            (
                "2026-01-31 12:34:56,789 [main] INFO  com.example.Job - ",
                None,
            ),
            ("26/01/31 12:34:56 INFO ", None),
            ("2026/01/31 12:34:56 ", None),
            ("2026-01-31 12:34:56,789 - root - INFO - ", None),
            ("2026-01-31 12:34:56,789 - root - WARNING - ", None),
            ("2026-01-31 12:34:56,789 INFO: ", None),
            ("2026-01-31 12:34:56,789 [INFO] ", None),
            (
                "2026-01-31 12:34:56,789 process          L0458 DEBUG| [stdout] ",
                None,
            ),
            ("2026-01-31 12:34:56,789 avocado.test INFO | ", None),
            (
                "[2026-01-31 12:34:56,789] [INFO] [launch.py:123:main] ",
                None,
            ),
            (
                "[2026-01-31, 12:34:56 UTC] {subprocess.py:93} INFO - ",
                None,
            ),
            (
                "[2026-01-31T12:34:56.789+0000] {subprocess.py:93} INFO - ",
                None,
            ),
            (
                "2026-01-31 12:34:56.789 | INFO     | __main__:main:12 - ",
                None,
            ),
            ("I0131 12:34:56.789012  4242 job.cc:12] ", None),
            ("INFO 01-31 12:34:56 [engine.py:12] ", None),
            ("[2026-01-31 12:34:56 TP0] ", None),
            ("INFO:root:", None),
            ("[INFO] ", None),
            ("[STDOUT] ", None),
            ("[OUTPUT] ", None),
            ("pod/launcher-7f ", Some("launcher-7f")),
            ("job\tRun tests\t2026-01-31T12:34:56.7890123Z ", None),
            ("2026-01-31T12:34:56.789012Z 00O ", None),
            ("2026-01-31T12:34:56.789012345Z stdout F ", None),
            ("[2026-01-31T12:34:56.789Z] ", None),
            (
                "(Worker pid=4242, ip=10.0.0.7) ",
                Some("Worker pid=4242, ip=10.0.0.7"),
            ),
            ("[rank3]: ", Some("rank3")),
            ("[default3]:", Some("default3")),
        ] {
            for text in [
                "#  size",
                "65536  5000  196.50",
                "node1:12:13 [0] NCCL INFO Using network IB",
                "[  5] 0.00-1.00 sec",
            ] {
                assert_lines(&format!("{prefix}{text}\n"), &[(text, label)]);
            }
        }
    }

    #[test]
    fn text_that_resembles_a_prefix_stays() {
        for text in [
            "[1700000000.123456] [node1:12:0] ib_mlx5_log.c:171 UCX ERROR text",
            "1700000000.12 text",
            "1048576.123456 text",
            "<14> text",
            "[SUM] 0.00-1.00 sec",
            "[CLIENT] send on:",
            "ERROR: Allocate failed",
            "2026",
            "INFORMATION: text",
            "Summary: Latency is 5.123 usec",
            "Sent 5",
            "Device (0) text",
            "1:23:45 text",
        ] {
            assert_lines(&format!("{text}\n"), &[(text, None)]);
        }
        assert_lines(
            "2026-01-31 12:34:56,789 ERROR: Allocate failed\n",
            &[("ERROR: Allocate failed", None)],
        );
    }

    #[test]
    fn hosts_are_removed_if_nearly_every_line_has_one() {
        assert_lines(
            "w-0 nccl # size\nw-0 nccl 8  2\nw-0 nccl\nw-0 nccl 16  4\n",
            &[
                ("# size", Some("w-0 nccl")),
                ("8  2", Some("w-0 nccl")),
                ("", Some("w-0 nccl")),
                ("16  4", Some("w-0 nccl")),
            ],
        );
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
            "[launcher] a\n[launcher] b\n[launcher] [1,0]<stdout>:c\n",
            &[
                ("a", Some("launcher")),
                ("b", Some("launcher")),
                ("c", Some("launcher")),
            ],
        );
        assert_lines(
            "[SUM] 0.00-1.00 sec\n[SUM] 1.00-2.00 sec\n[SUM] 2.00-3.00 sec\n",
            &[
                ("[SUM] 0.00-1.00 sec", None),
                ("[SUM] 1.00-2.00 sec", None),
                ("[SUM] 2.00-3.00 sec", None),
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
    fn a_line_with_a_very_long_number_is_read_as_empty() {
        let digits = "7".repeat(40);
        assert_lines(
            &format!("{digits} a\n{digits}7 a\n"),
            &[(&format!("{digits} a"), None), ("", None)],
        );
    }

    /// A log with lines of as many hosts as a large job has. Comparing each line with each host would take seconds.
    #[test]
    fn time_to_read_is_proportional_to_lines() {
        let text: String = (0..120_000)
            .map(|line| format!("node{}: line\n", line % 40_000))
            .collect();
        let log = Log::new(&text);
        assert!(log.lines().all(|line| line.text == "line"));
        assert_eq!(log.lines().last().unwrap().label, Some("node39999"));
    }

    #[test]
    fn text_inside_json_has_the_number_of_its_line() {
        let log = Log::new(
            "{\"log\":\"[1,0]<stdout>:#  size\\n\"}\n  \"stdout\": \"a\\n\\nb\",\n  \"stdout_lines\": [\n \"8 2\",\n ],\n \"x\"\n",
        );
        let lines: Vec<_> = log.lines().map(|line| (line.number, line.text)).collect();
        let expected = [
            (1, "#  size"),
            (2, "a"),
            (2, ""),
            (2, "b"),
            (3, "  \"stdout_lines\": ["),
            (4, "8 2"),
            (5, " ],"),
            (6, " \"x\""),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_last_line_without_newline_is_incomplete() {
        let completeness = |text: &str| {
            Log::new(text)
                .lines()
                .map(|line| line.is_complete)
                .collect::<Vec<_>>()
        };
        assert_eq!(completeness("a\nb"), [true, false]);
        assert_eq!(completeness("a\nb\n"), [true, true]);
        assert_eq!(completeness(""), [] as [bool; 0]);
    }

    proptest::proptest! {
        #[test]
        fn number_of_lines_follows_from_newlines(text in "(?s).{0,200}") {
            let text = text.trim_start_matches('\u{feff}');
            let count = text.matches('\n').count() + usize::from(!text.is_empty() && !text.ends_with('\n'));
            proptest::prop_assert_eq!(Log::new(text).lines().len(), count);
        }
    }
}
