//! Prefixes of a line: quoting, list marks, ranks, time stamps.

use crate::cursor::{is_space, Cursor};
use crate::logger_prefix::{strip_level, strip_logger_name};
use crate::time_stamp::{
    strip_date, strip_syslog_header, strip_time_stamp, strip_unix_time, strip_uptime,
};

/// Maximum number of prefixes that are removed from one line: a time stamp of the scheduler, the rank of the launcher, and so on.
const MAX_PREFIXES: usize = 6;
/// Maximum number of blanks before a prefix.
const MAX_INDENT: usize = 16;
/// First bytes of lines that may have a prefix. Most lines begin with another byte.
const FIRST_BYTES: &[u8] = b" \t\x0b\x0c<>^\\-#[(0123456789ACDEFIJMNOSTWp";

/// A line without prefixes, and the process or host that a prefix named.
pub struct StrippedLine<'a> {
    /// The line without prefixes.
    pub text: &'a str,
    /// The first process or host in a prefix.
    pub label: Option<&'a str>,
}

/// Removes the prefixes of `line`.
pub fn strip_prefixes(line: &str) -> StrippedLine<'_> {
    let mut text = skip_job_and_step(line);
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
pub type Match<'a> = Option<(&'a str, Option<&'a str>)>;

fn strip_prefix(text: &str) -> Match<'_> {
    let inner = text.trim_start_matches(is_space);
    let head = inner.as_bytes().first()?;
    match head {
        b'>' => strip_mail_quote(text),
        b'^' => strip_interrupt(text),
        b'\\' => strip_markdown_escape(text),
        b'-' => strip_list_mark(text),
        b'#' => strip_build_step(text),
        b'<' => strip_stream(text).or_else(|| strip_syslog_header(text)),
        b'[' => strip_mpi_tag(text)
            .or_else(|| strip_pod(text))
            .or_else(|| strip_rank(text))
            .or_else(|| strip_named_rank(text))
            .or_else(|| strip_time_stamp(text))
            .or_else(|| strip_uptime(text))
            .or_else(|| strip_level(text)),
        b'(' => strip_actor(text),
        b'0'..=b'9' => strip_item_number(text)
            .or_else(|| strip_srun_label(text))
            .or_else(|| strip_time_stamp(text))
            .or_else(|| strip_unix_time(text)),
        b'p' => strip_bare_pod(text),
        b'C' => strip_client(text).or_else(|| strip_logger_name(text)),
        _ => strip_date(text).or_else(|| strip_logger_name(text)),
    }
}

/// The text after the job and step that `gh run view --log` prints before the time stamp of a line, separated by tabs.
fn skip_job_and_step(line: &str) -> &str {
    let Some((_, step)) = line.split_once('\t') else {
        return line;
    };
    let Some((_, text)) = step.split_once('\t') else {
        return line;
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_stamped =
        text.as_bytes().get(4) == Some(&b'-') && text.as_bytes().get(10) == Some(&b'T');
    match is_stamped && strip_time_stamp(text).is_some() {
        true => text,
        false => line,
    }
}

/// `torchrun` and PyTorch's exception hook: `[rank3]: text`, `[default3]:text`.
fn strip_named_rank(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.skip_blanks(MAX_INDENT)?;
    cursor.read_literal("[")?;
    let start = cursor.remaining;
    cursor
        .read_literal("rank")
        .or_else(|| cursor.read_literal("default"))?;
    cursor.read_digits(1, 6)?;
    let name = &start[..start.len() - cursor.remaining.len()];
    cursor.read_literal("]:")?;
    cursor.skip_blank();
    Some((cursor.remaining, Some(name)))
}

/// An actor of Ray: `(RayTrainWorker pid=4242, ip=10.0.0.7) text`.
fn strip_actor(text: &str) -> Match<'_> {
    let (inside, inner) = text
        .trim_start_matches(is_space)
        .strip_prefix('(')?
        .split_once(") ")?;
    let (name, process) = inside.split_once(" pid=")?;
    let is_process = process.starts_with(|first: char| first.is_ascii_digit());
    let is_name = !name.is_empty() && !name.contains(is_space);
    (is_process && is_name).then_some((inner, Some(inside)))
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

/// The step and the seconds since its start that `docker build --progress=plain` prints: `#12 3.456 text`.
fn strip_build_step(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.read_literal("#")?;
    cursor.read_digits(1, 4)?;
    cursor.read_literal(" ")?;
    cursor.read_digits(1, 6)?;
    cursor.read_literal(".")?;
    cursor.read_digits(1, 3)?;
    cursor.read_blank_or_end()?;
    Some((cursor.remaining, None))
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
    let text = skip_stream(cursor)?;
    Some((text, Some(label)))
}

/// `mpirun --timestamp-output` after its time stamp: `<stdout>:text`.
fn strip_stream(text: &str) -> Match<'_> {
    Some((skip_stream(Cursor::new(text))?, None))
}

/// The text after the stream of Open MPI's output: `<stdout>:`, `<stderr>:` or `<stddiag>:`.
fn skip_stream(mut cursor: Cursor<'_>) -> Option<&str> {
    cursor.read_literal("<std")?;
    cursor
        .read_literal("out")
        .or_else(|| cursor.read_literal("err"))
        .or_else(|| cursor.read_literal("diag"))?;
    cursor.read_literal(">")?;
    let _ = cursor.read_literal(":");
    cursor.skip_blank();
    Some(cursor.remaining)
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

/// A pod as `kubectl get -o name` prints it, before a line: `pod/name text`.
fn strip_bare_pod(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.read_literal("pod/")?;
    let name = cursor.read_while(|character| {
        character.is_ascii_lowercase()
            || character.is_ascii_digit()
            || matches!(character, '-' | '.' | '/')
    });
    let _ = cursor.read_literal(":");
    cursor.read_blank_or_end()?;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphanumeric());
    is_name.then_some((cursor.remaining, Some(name)))
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
