//! Prefixes of a line: quoting, list marks, ranks, time stamps.

use crate::cursor::{is_space, Cursor};

/// Most prefixes that are removed from one line: a time stamp of the scheduler, the rank of the launcher, and so on.
const MAX_PREFIXES: usize = 4;
/// Most blanks before a prefix.
const MAX_INDENT: usize = 16;
/// First bytes of lines with a prefix; most lines are decided by them.
const FIRST_BYTES: &[u8] = b" \t\x0b\x0c>^\\-[0123456789CMTWFS";

/// A line without prefixes, and the process or host that a prefix named.
pub struct StrippedLine<'a> {
    /// The line without prefixes.
    pub text: &'a str,
    /// The first process or host in a prefix.
    pub label: Option<&'a str>,
}

/// Removes the prefixes of `line`.
pub fn strip(line: &str) -> StrippedLine<'_> {
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
        let Some((rest, name)) = strip_one(text) else {
            break;
        };
        label = label.or(name.filter(|name| !name.is_empty()));
        text = rest;
    }
    StrippedLine { text, label }
}

/// The text behind a prefix, and the process or host in the prefix.
type Match<'a> = Option<(&'a str, Option<&'a str>)>;

fn strip_one(text: &str) -> Match<'_> {
    let inner = text.trim_start_matches(is_space);
    let head = inner.as_bytes().first()?;
    match head {
        b'>' => mail_quote(text),
        b'^' => interrupt(text),
        b'\\' => markdown(text),
        b'-' => dash(text),
        b'[' => tag(text)
            .or_else(|| pod(text))
            .or_else(|| rank(text))
            .or_else(|| stamp(text)),
        b'0'..=b'9' => numbered(text)
            .or_else(|| label(text))
            .or_else(|| stamp(text)),
        b'C' => client(text),
        _ => date(text),
    }
}

/// Quoted mail: `> > text`.
fn mail_quote(text: &str) -> Match<'_> {
    let mut at = Cursor::new(text);
    let mut quotes = 0;
    loop {
        let mut next = at;
        next.run(is_space);
        if next.literal(">").is_none() {
            break;
        }
        at = next;
        quotes += 1;
    }
    at.maybe_blank();
    (quotes > 0).then_some((at.rest, None))
}

/// An interrupt as a terminal displays it: `^C`.
fn interrupt(text: &str) -> Match<'_> {
    let mut at = Cursor::new(text);
    at.blanks(MAX_INDENT)?;
    at.literal("^")?;
    at.one_of("CZ")?;
    loop {
        let mut next = at;
        if next.literal("^").and_then(|()| next.one_of("CZ")).is_none() {
            return Some((at.rest, None));
        }
        at = next;
    }
}

/// A Markdown escape: `\#`.
fn markdown(text: &str) -> Match<'_> {
    let mut at = Cursor::new(text);
    at.blanks(MAX_INDENT)?;
    at.literal("\\")?;
    let rest = at.rest;
    at.one_of("-*#_[")?;
    Some((rest, None))
}

/// An item of a list that a paste site made of lines: `- text`.
fn dash(text: &str) -> Match<'_> {
    let mut at = Cursor::new(text);
    at.blanks(MAX_INDENT)?;
    at.literal("- ")?;
    let rest = at.rest;
    let is_no_item =
        rest.is_empty() || rest.starts_with("- ") || rest == "-" || rest.starts_with(is_space);
    (!is_no_item).then_some((rest, None))
}

/// An item of a numbered list: `12. text`.
fn numbered(text: &str) -> Match<'_> {
    let mut at = Cursor::new(text);
    at.blanks(MAX_INDENT)?;
    at.digits(1, 4)?;
    at.literal(". ")?;
    let rest = at.rest;
    (!rest.is_empty() && !rest.starts_with(is_space)).then_some((rest, None))
}

/// `mpirun --tag-output`: `[1,0]<stdout>:text`.
fn tag(text: &str) -> Match<'_> {
    let mut at = Cursor::new(text);
    at.run(is_space);
    at.literal("[")?;
    let start = at.rest;
    let plain = at.digits(1, usize::MAX).is_some()
        && at.literal(",").is_some()
        && at.digits(1, usize::MAX).is_some()
        && at.rest.starts_with(']'); // most are, and need no second look
    let inside = match plain {
        true => &start[..start.len() - at.rest.len()],
        false => {
            at.rest = start;
            at.run(|character| character != ']' && !is_space(character))
        }
    };
    at.literal("]")?;
    let label = match plain {
        true => inside,
        false => job_and_rank(inside)?,
    };
    let mut next = at;
    if next.literal("[").is_some() {
        next.run(|character| character != ']' && !is_space(character));
        next.literal("]")?;
        at = next;
    }
    at.literal("<std")?;
    at.literal("out")
        .or_else(|| at.literal("err"))
        .or_else(|| at.literal("diag"))?;
    at.literal(">")?;
    let _ = at.literal(":");
    at.maybe_blank();
    Some((at.rest, Some(label)))
}

/// The `1,0` that `inside` ends with.
fn job_and_rank(inside: &str) -> Option<&str> {
    let (before, rank) = inside.rsplit_once(',')?;
    let job = before.len() - before.bytes().rev().take_while(u8::is_ascii_digit).count();
    let is_number = !rank.is_empty() && rank.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && job < before.len()).then(|| &inside[job..])
}

/// `srun --label`: `12: text`.
fn label(text: &str) -> Match<'_> {
    let mut at = Cursor::new(text);
    at.blanks(MAX_INDENT)?;
    let number = at.digits(1, 6)?;
    at.literal(":")?;
    at.blank_or_end()?;
    Some((at.rest, Some(number)))
}

/// `kubectl logs --prefix`: `[pod/name/container] text`.
fn pod(text: &str) -> Match<'_> {
    let mut at = Cursor::new(text);
    at.literal("[pod/")?;
    let name = at.run(|character| character != ']' && !is_space(character));
    at.literal("]")?;
    at.maybe_blank();
    (!name.is_empty()).then_some((at.rest, Some(name)))
}

/// The iperf3 jobs of Kubernetes network tests: `Client on node1:  text`.
fn client(text: &str) -> Match<'_> {
    let mut at = Cursor::new(text);
    at.blanks(MAX_INDENT)?;
    at.literal("Client on ")?;
    let name = at.run(|character| !is_space(character)).strip_suffix(':')?;
    at.literal(" ")?;
    at.blank_or_end()?;
    (!name.is_empty()).then_some((at.rest, Some(name)))
}

/// `mpiexec -prepend-rank`: `[12] text`, unless it is a stream of iperf3.
fn rank(text: &str) -> Match<'_> {
    let mut at = Cursor::new(text);
    at.blanks(MAX_INDENT)?;
    at.literal("[")?;
    let number = at.digits(1, usize::MAX)?;
    at.literal("] ")?;
    (!is_stream(at.rest)).then_some((at.rest, Some(number)))
}

/// Whether the text follows the number of an iperf3 stream: an interval, addresses or `Sent`.
fn is_stream(text: &str) -> bool {
    let inner = text.trim_start_matches(is_space);
    inner.starts_with("Sent ") || has_interval(inner) || has_addresses(inner)
}

fn has_interval(text: &str) -> bool {
    let mut at = Cursor::new(text);
    let seconds = at
        .digits(1, usize::MAX)
        .and_then(|_| at.literal("."))
        .and_then(|()| at.digits(1, usize::MAX));
    at.maybe_blank();
    seconds.is_some() && at.literal("-").is_some()
}

fn has_addresses(text: &str) -> bool {
    let mut at = Cursor::new(text);
    if at.literal("local ").is_none() {
        return false;
    }
    !at.run(|character| !is_space(character)).is_empty() && at.literal(" port").is_some()
}

/// A time stamp of ISO 8601: `[2026-01-31T12:34:56.789Z] text`.
fn stamp(text: &str) -> Match<'_> {
    let mut at = Cursor::new(text);
    let _ = at.literal("[");
    at.digits(4, 4)?;
    at.literal("-")?;
    at.digits(2, 2)?;
    at.literal("-")?;
    at.digits(2, 2)?;
    at.one_of("T ")?;
    clock(&mut at)?;
    let mut next = at;
    if next.one_of(".,").is_some() && next.digits(1, usize::MAX).is_some() {
        at = next;
    }
    let mut next = at;
    if next.literal("Z").is_some() || offset(&mut next).is_some() {
        at = next;
    }
    let _ = at.literal("]");
    at.blank_or_end()?;
    Some((at.rest, None))
}

fn clock(at: &mut Cursor<'_>) -> Option<()> {
    at.digits(2, 2)?;
    at.literal(":")?;
    at.digits(2, 2)?;
    at.literal(":")?;
    at.digits(2, 2)?;
    Some(())
}

fn offset(at: &mut Cursor<'_>) -> Option<()> {
    at.one_of("+-")?;
    let hours = at.run(|character| character.is_ascii_digit());
    match hours.len() {
        4 => Some(()),
        2 => {
            at.literal(":")?;
            at.digits(2, 2).map(|_| ())
        }
        _ => None,
    }
}

/// `iperf3 --timestamps`: `Sat Jan 31 12:34:56 2026 text`.
fn date(text: &str) -> Match<'_> {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let mut at = Cursor::new(text);
    DAYS.iter().find_map(|day| at.literal(day))?;
    at.literal(" ")?;
    let month = at.run(|character| character.is_ascii_alphabetic());
    let is_month = month.len() == 3
        && month.as_bytes()[0].is_ascii_uppercase()
        && month.as_bytes()[1..].iter().all(u8::is_ascii_lowercase);
    if !is_month {
        return None;
    }
    at.literal(" ")?;
    at.one_of(" 0123456789")?;
    at.one_of("0123456789")?;
    at.literal(" ")?;
    clock(&mut at)?;
    at.literal(" ")?;
    at.digits(4, 4)?;
    at.blank_or_end()?;
    Some((at.rest, None))
}
