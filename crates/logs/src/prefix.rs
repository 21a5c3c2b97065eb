//! Prefixes of a line: quoting, list marks, ranks, time stamps.

use crate::cursor::{is_space, Cursor};

/// Maximum number of prefixes that are removed from one line: a time stamp of the scheduler, the rank of the launcher, and so on.
const MAX_PREFIXES: usize = 4;
/// Maximum number of blanks before a prefix.
const MAX_INDENT: usize = 16;
/// First bytes of lines that may have a prefix. Most lines begin with another byte.
const FIRST_BYTES: &[u8] = b" \t\x0b\x0c>^\\-[0123456789CMTWFS";

/// A line without prefixes, and the process or host that a prefix named.
pub struct StrippedLine<'a> {
    /// The line without prefixes.
    pub text: &'a str,
    /// The first process or host in a prefix.
    pub label: Option<&'a str>,
}

/// Removes the prefixes of `line`.
pub fn strip_prefixes(line: &str) -> StrippedLine<'_> {
    let mut text = line;
    let mut label = None;
    for _ in 0..MAX_PREFIXES {
        if !text
            .bytes()
            .next()
            .is_some_and(|first| FIRST_BYTES.contains(&first))
        {
            break;
        }
        let Some((inner, name)) = strip_prefix(text) else {
            break;
        };
        label = label.or(name.filter(|name| !name.is_empty()));
        text = inner;
    }
    StrippedLine { text, label }
}

/// The text after a prefix, and the process or host in the prefix; None without a prefix.
type Match<'a> = Option<(&'a str, Option<&'a str>)>;

fn strip_prefix(text: &str) -> Match<'_> {
    let inner = text.trim_start_matches(is_space);
    let head = inner.as_bytes().first()?;
    match head {
        b'>' => strip_mail_quote(text),
        b'^' => strip_interrupt(text),
        b'\\' => strip_markdown_escape(text),
        b'-' => strip_list_mark(text),
        b'[' => strip_mpi_tag(text)
            .or_else(|| strip_pod(text))
            .or_else(|| strip_rank(text))
            .or_else(|| strip_time_stamp(text)),
        b'0'..=b'9' => strip_item_number(text)
            .or_else(|| strip_srun_label(text))
            .or_else(|| strip_time_stamp(text)),
        b'C' => strip_client(text),
        _ => strip_date(text),
    }
}

/// Quoted mail: `> > text`.
fn strip_mail_quote(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    let mut quotes = 0;
    loop {
        let mut lookahead = cursor;
        lookahead.read_while(is_space);
        if lookahead.read_literal(">").is_none() {
            break;
        }
        cursor = lookahead;
        quotes += 1;
    }
    cursor.skip_blank();
    (quotes > 0).then_some((cursor.remaining, None))
}

/// An interrupt as a terminal displays it: `^C`.
fn strip_interrupt(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.skip_blanks(MAX_INDENT)?;
    cursor.read_literal("^")?;
    cursor.read_one_of("CZ")?;
    loop {
        let mut lookahead = cursor;
        if lookahead
            .read_literal("^")
            .and_then(|()| lookahead.read_one_of("CZ"))
            .is_none()
        {
            return Some((cursor.remaining, None));
        }
        cursor = lookahead;
    }
}

/// A Markdown escape: `\#`.
fn strip_markdown_escape(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.skip_blanks(MAX_INDENT)?;
    cursor.read_literal("\\")?;
    let item = cursor.remaining;
    cursor.read_one_of("-*#_[")?;
    Some((item, None))
}

/// The mark of a list item, which paste sites add to lines: `- text`.
fn strip_list_mark(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.skip_blanks(MAX_INDENT)?;
    cursor.read_literal("- ")?;
    let item = cursor.remaining;
    let is_text =
        item.is_empty() || item.starts_with("- ") || item == "-" || item.starts_with(is_space);
    (!is_text).then_some((item, None))
}

/// The number of a list item: `12. text`.
fn strip_item_number(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.skip_blanks(MAX_INDENT)?;
    cursor.read_digits(1, 4)?;
    cursor.read_literal(". ")?;
    let item = cursor.remaining;
    (!item.is_empty() && !item.starts_with(is_space)).then_some((item, None))
}

/// `mpirun --tag-output`: `[1,0]<stdout>:text`.
fn strip_mpi_tag(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.read_while(is_space);
    cursor.read_literal("[")?;
    let start = cursor.remaining;
    let plain = cursor.read_digits(1, usize::MAX).is_some()
        && cursor.read_literal(",").is_some()
        && cursor.read_digits(1, usize::MAX).is_some()
        && cursor.remaining.starts_with(']'); // the common case, which needs no second pass
    let inside = match plain {
        true => &start[..start.len() - cursor.remaining.len()],
        false => {
            cursor.remaining = start;
            cursor.read_while(|character| character != ']' && !is_space(character))
        }
    };
    cursor.read_literal("]")?;
    let label = match plain {
        true => inside,
        false => job_and_rank(inside)?,
    };
    let mut lookahead = cursor;
    if lookahead.read_literal("[").is_some() {
        lookahead.read_while(|character| character != ']' && !is_space(character));
        lookahead.read_literal("]")?;
        cursor = lookahead;
    }
    cursor.read_literal("<std")?;
    cursor
        .read_literal("out")
        .or_else(|| cursor.read_literal("err"))
        .or_else(|| cursor.read_literal("diag"))?;
    cursor.read_literal(">")?;
    let _ = cursor.read_literal(":");
    cursor.skip_blank();
    Some((cursor.remaining, Some(label)))
}

/// The job and rank at the end of `inside`, such as `1,0`.
fn job_and_rank(inside: &str) -> Option<&str> {
    let (job_end, rank) = inside.rsplit_once(',')?;
    let job = job_end.len() - job_end.bytes().rev().take_while(u8::is_ascii_digit).count();
    let is_number = !rank.is_empty() && rank.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && job < job_end.len()).then(|| &inside[job..])
}

/// `srun --label`: `12: text`.
fn strip_srun_label(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.skip_blanks(MAX_INDENT)?;
    let number = cursor.read_digits(1, 6)?;
    cursor.read_literal(":")?;
    cursor.read_blank_or_end()?;
    Some((cursor.remaining, Some(number)))
}

/// `kubectl logs --prefix`: `[pod/name/container] text`.
fn strip_pod(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.read_literal("[pod/")?;
    let name = cursor.read_while(|character| character != ']' && !is_space(character));
    cursor.read_literal("]")?;
    cursor.skip_blank();
    (!name.is_empty()).then_some((cursor.remaining, Some(name)))
}

/// The iperf3 jobs of Kubernetes network tests: `Client on node1:  text`.
fn strip_client(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.skip_blanks(MAX_INDENT)?;
    cursor.read_literal("Client on ")?;
    let name = cursor
        .read_while(|character| !is_space(character))
        .strip_suffix(':')?;
    cursor.read_literal(" ")?;
    cursor.read_blank_or_end()?;
    (!name.is_empty()).then_some((cursor.remaining, Some(name)))
}

/// `mpiexec -prepend-rank`: `[12] text`, unless it is a stream of iperf3.
fn strip_rank(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.skip_blanks(MAX_INDENT)?;
    cursor.read_literal("[")?;
    let number = cursor.read_digits(1, usize::MAX)?;
    cursor.read_literal("] ")?;
    (!is_stream(cursor.remaining)).then_some((cursor.remaining, Some(number)))
}

/// Whether the text follows the number of an iperf3 stream: an interval, addresses or `Sent`.
fn is_stream(text: &str) -> bool {
    let inner = text.trim_start_matches(is_space);
    inner.starts_with("Sent ") || has_interval(inner) || has_addresses(inner)
}

fn has_interval(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    let seconds = cursor
        .read_digits(1, usize::MAX)
        .and_then(|_| cursor.read_literal("."))
        .and_then(|()| cursor.read_digits(1, usize::MAX));
    cursor.skip_blank();
    seconds.is_some() && cursor.read_literal("-").is_some()
}

fn has_addresses(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    if cursor.read_literal("local ").is_none() {
        return false;
    }
    !cursor
        .read_while(|character| !is_space(character))
        .is_empty()
        && cursor.read_literal(" port").is_some()
}

/// A time stamp of ISO 8601: `[2026-01-31T12:34:56.789Z] text`.
fn strip_time_stamp(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    let _ = cursor.read_literal("[");
    cursor.read_digits(4, 4)?;
    cursor.read_literal("-")?;
    cursor.read_digits(2, 2)?;
    cursor.read_literal("-")?;
    cursor.read_digits(2, 2)?;
    cursor.read_one_of("T ")?;
    read_clock_time(&mut cursor)?;
    let mut lookahead = cursor;
    if lookahead.read_one_of(".,").is_some() && lookahead.read_digits(1, usize::MAX).is_some() {
        cursor = lookahead;
    }
    let mut lookahead = cursor;
    if lookahead.read_literal("Z").is_some() || read_utc_offset(&mut lookahead).is_some() {
        cursor = lookahead;
    }
    let _ = cursor.read_literal("]");
    cursor.read_blank_or_end()?;
    Some((cursor.remaining, None))
}

fn read_clock_time(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.read_digits(2, 2)?;
    cursor.read_literal(":")?;
    cursor.read_digits(2, 2)?;
    cursor.read_literal(":")?;
    cursor.read_digits(2, 2)?;
    Some(())
}

fn read_utc_offset(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.read_one_of("+-")?;
    let hours = cursor.read_while(|character| character.is_ascii_digit());
    match hours.len() {
        4 => Some(()),
        2 => {
            cursor.read_literal(":")?;
            cursor.read_digits(2, 2).map(|_| ())
        }
        _ => None,
    }
}

/// `iperf3 --timestamps`: `Sat Jan 31 12:34:56 2026 text`.
fn strip_date(text: &str) -> Match<'_> {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let mut cursor = Cursor::new(text);
    DAYS.iter().find_map(|day| cursor.read_literal(day))?;
    cursor.read_literal(" ")?;
    let month = cursor.read_while(|character| character.is_ascii_alphabetic());
    let is_month = month.len() == 3
        && month.as_bytes()[0].is_ascii_uppercase()
        && month.as_bytes()[1..].iter().all(u8::is_ascii_lowercase);
    if !is_month {
        return None;
    }
    cursor.read_literal(" ")?;
    cursor.read_one_of(" 0123456789")?;
    cursor.read_one_of("0123456789")?;
    cursor.read_literal(" ")?;
    read_clock_time(&mut cursor)?;
    cursor.read_literal(" ")?;
    cursor.read_digits(4, 4)?;
    cursor.read_blank_or_end()?;
    Some((cursor.remaining, None))
}
