//! What wrappers put before a line: quoting, lists, ranks, time stamps.

use crate::cursor::{is_space, Cursor};

/// How many prefixes are taken off one line: a time stamp of the scheduler before the rank of the launcher, and so on.
const MOST: usize = 4;
const BLANKS: usize = 16;
/// What a line with a prefix begins with; most lines are decided by it.
const STARTS: &[u8] = b" \t\x0b\x0c>^\\-[0123456789CMTWFS";

/// What is left of a line, and which process or host a prefix named.
pub struct Stripped<'a> {
    /// The line without prefixes.
    pub text: &'a str,
    /// The first process or host that a prefix names.
    pub label: Option<&'a str>,
}

/// Takes prefixes off `line`.
pub fn strip(line: &str) -> Stripped<'_> {
    let mut text = line;
    let mut label = None;
    for _ in 0..MOST {
        if !text
            .bytes()
            .next()
            .is_some_and(|first| STARTS.contains(&first))
        {
            break;
        }
        let Some((rest, named)) = once(text) else {
            break;
        };
        label = label.or(named.filter(|named| !named.is_empty()));
        text = rest;
    }
    Stripped { text, label }
}

type Found<'a> = Option<(&'a str, Option<&'a str>)>;

fn once(text: &str) -> Found<'_> {
    let inner = text.trim_start_matches(is_space);
    let head = inner.as_bytes().first()?;
    match head {
        b'>' => quoted(text),
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
fn quoted(text: &str) -> Found<'_> {
    let mut at = Cursor::new(text);
    let mut quotes = 0;
    loop {
        let mut next = at;
        next.run(is_space);
        if next.word(">").is_none() {
            break;
        }
        at = next;
        quotes += 1;
    }
    at.maybe_blank();
    (quotes > 0).then_some((at.rest, None))
}

/// What a terminal shows for an interrupt: `^C`.
fn interrupt(text: &str) -> Found<'_> {
    let mut at = Cursor::new(text);
    at.blanks(BLANKS)?;
    at.word("^")?;
    at.one_of("CZ")?;
    loop {
        let mut next = at;
        if next.word("^").and_then(|()| next.one_of("CZ")).is_none() {
            return Some((at.rest, None));
        }
        at = next;
    }
}

/// A Markdown escape: `\#`.
fn markdown(text: &str) -> Found<'_> {
    let mut at = Cursor::new(text);
    at.blanks(BLANKS)?;
    at.word("\\")?;
    let rest = at.rest;
    at.one_of("-*#_[")?;
    Some((rest, None))
}

/// A list that a paste site made of lines: `- text`.
fn dash(text: &str) -> Found<'_> {
    let mut at = Cursor::new(text);
    at.blanks(BLANKS)?;
    at.word("- ")?;
    let rest = at.rest;
    let no_item =
        rest.is_empty() || rest.starts_with("- ") || rest == "-" || rest.starts_with(is_space);
    (!no_item).then_some((rest, None))
}

/// The same with numbers: `12. text`.
fn numbered(text: &str) -> Found<'_> {
    let mut at = Cursor::new(text);
    at.blanks(BLANKS)?;
    at.digits(1, 4)?;
    at.word(". ")?;
    let rest = at.rest;
    (!rest.is_empty() && !rest.starts_with(is_space)).then_some((rest, None))
}

/// `mpirun --tag-output`: `[1,0]<stdout>:text`.
fn tag(text: &str) -> Found<'_> {
    let mut at = Cursor::new(text);
    at.run(is_space);
    at.word("[")?;
    let start = at.rest;
    let plain = at.digits(1, usize::MAX).is_some()
        && at.word(",").is_some()
        && at.digits(1, usize::MAX).is_some()
        && at.rest.starts_with(']'); // most are, and need no second look
    let inside = match plain {
        true => &start[..start.len() - at.rest.len()],
        false => {
            at.rest = start;
            at.run(|character| character != ']' && !is_space(character))
        }
    };
    at.word("]")?;
    let label = match plain {
        true => inside,
        false => job_and_rank(inside)?,
    };
    let mut next = at;
    if next.word("[").is_some() {
        next.run(|character| character != ']' && !is_space(character));
        next.word("]")?;
        at = next;
    }
    at.word("<std")?;
    at.word("out")
        .or_else(|| at.word("err"))
        .or_else(|| at.word("diag"))?;
    at.word(">")?;
    let _ = at.word(":");
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
fn label(text: &str) -> Found<'_> {
    let mut at = Cursor::new(text);
    at.blanks(BLANKS)?;
    let number = at.digits(1, 6)?;
    at.word(":")?;
    at.blank_or_end()?;
    Some((at.rest, Some(number)))
}

/// `kubectl logs --prefix`: `[pod/name/container] text`.
fn pod(text: &str) -> Found<'_> {
    let mut at = Cursor::new(text);
    at.word("[pod/")?;
    let name = at.run(|character| character != ']' && !is_space(character));
    at.word("]")?;
    at.maybe_blank();
    (!name.is_empty()).then_some((at.rest, Some(name)))
}

/// The iperf3 jobs that Kubernetes clusters are tested with: `Client on node1:  text`.
fn client(text: &str) -> Found<'_> {
    let mut at = Cursor::new(text);
    at.blanks(BLANKS)?;
    at.word("Client on ")?;
    let name = at.run(|character| !is_space(character)).strip_suffix(':')?;
    at.word(" ")?;
    at.blank_or_end()?;
    (!name.is_empty()).then_some((at.rest, Some(name)))
}

/// `mpiexec -prepend-rank`: `[12] text`, but no stream of iperf3.
fn rank(text: &str) -> Found<'_> {
    let mut at = Cursor::new(text);
    at.blanks(BLANKS)?;
    at.word("[")?;
    let number = at.digits(1, usize::MAX)?;
    at.word("] ")?;
    (!is_stream(at.rest)).then_some((at.rest, Some(number)))
}

/// What iperf3 prints after the number of a stream: an interval, its addresses, what it sent.
fn is_stream(text: &str) -> bool {
    let inner = text.trim_start_matches(is_space);
    inner.starts_with("Sent ") || has_interval(inner) || has_addresses(inner)
}

fn has_interval(text: &str) -> bool {
    let mut at = Cursor::new(text);
    let seconds = at
        .digits(1, usize::MAX)
        .and_then(|_| at.word("."))
        .and_then(|()| at.digits(1, usize::MAX));
    at.maybe_blank();
    seconds.is_some() && at.word("-").is_some()
}

fn has_addresses(text: &str) -> bool {
    let mut at = Cursor::new(text);
    if at.word("local ").is_none() {
        return false;
    }
    !at.run(|character| !is_space(character)).is_empty() && at.word(" port").is_some()
}

/// A time stamp of ISO 8601: `[2026-01-31T12:34:56.789Z] text`.
fn stamp(text: &str) -> Found<'_> {
    let mut at = Cursor::new(text);
    let _ = at.word("[");
    at.digits(4, 4)?;
    at.word("-")?;
    at.digits(2, 2)?;
    at.word("-")?;
    at.digits(2, 2)?;
    at.one_of("T ")?;
    clock(&mut at)?;
    let mut next = at;
    if next.one_of(".,").is_some() && next.digits(1, usize::MAX).is_some() {
        at = next;
    }
    let mut next = at;
    if next.word("Z").is_some() || offset(&mut next).is_some() {
        at = next;
    }
    let _ = at.word("]");
    at.blank_or_end()?;
    Some((at.rest, None))
}

fn clock(at: &mut Cursor<'_>) -> Option<()> {
    at.digits(2, 2)?;
    at.word(":")?;
    at.digits(2, 2)?;
    at.word(":")?;
    at.digits(2, 2)?;
    Some(())
}

fn offset(at: &mut Cursor<'_>) -> Option<()> {
    at.one_of("+-")?;
    let hours = at.run(|character| character.is_ascii_digit());
    match hours.len() {
        4 => Some(()),
        2 => {
            at.word(":")?;
            at.digits(2, 2).map(|_| ())
        }
        _ => None,
    }
}

/// `iperf3 --timestamps`: `Sat Jan 31 12:34:56 2026 text`.
fn date(text: &str) -> Found<'_> {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let mut at = Cursor::new(text);
    DAYS.iter().find_map(|day| at.word(day))?;
    at.word(" ")?;
    let month = at.run(|character| character.is_ascii_alphabetic());
    let is_month = month.len() == 3
        && month.as_bytes()[0].is_ascii_uppercase()
        && month.as_bytes()[1..].iter().all(u8::is_ascii_lowercase);
    if !is_month {
        return None;
    }
    at.word(" ")?;
    at.one_of(" 0123456789")?;
    at.one_of("0123456789")?;
    at.word(" ")?;
    clock(&mut at)?;
    at.word(" ")?;
    at.digits(4, 4)?;
    at.blank_or_end()?;
    Some((at.rest, None))
}
