//! What logging daemons and libraries print between a time stamp and the text.
//!
//! `host program[pid]: ` of syslog and journalctl, `stdout F ` of Kubernetes' log files (CRI), `00O ` of GitLab, and the
//! thread, file, logger and level of log4j, Python's `logging`, Airflow, loguru and glog. A level of an error in
//! brackets, or one that a colon follows, may be the tool's message and stays.

use crate::cursor::{is_space, Cursor};
use crate::prefix::Match;

const LEVELS: [&str; 14] = [
    "TRACE", "DEBUG", "INFO", "NOTICE", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL", "SEVERE",
    "info", "debug", "warning", "error",
];
/// Levels after which a colon belongs to the prefix.
const NO_ERRORS: [&str; 6] = ["TRACE", "DEBUG", "INFO", "NOTICE", "info", "debug"];
/// Names of streams in brackets.
const STREAMS: [&str; 5] = ["STDOUT", "STDERR", "stdout", "stderr", "OUTPUT"];
/// Maximum number of fields before the level.
const MAX_FIELDS: usize = 3;
/// Maximum number of characters of a field.
const MAX_FIELD: usize = 100;

/// The text after what follows a time stamp, and the host that syslog names.
pub fn strip_origin(text: &str) -> (&str, Option<&str>) {
    if let Some((host, inner)) = strip_syslog(text) {
        return (inner, Some(host));
    }
    (
        strip_container_stream(text)
            .or_else(|| strip_gitlab_stream(text))
            .or_else(|| strip_avocado(text))
            .or_else(|| strip_logger(text))
            .unwrap_or(text),
        None,
    )
}

/// The level or stream in brackets before a line without a time stamp: `[INFO] text`, `[STDOUT] text`.
pub fn strip_level(text: &str) -> Match<'_> {
    let (name, inner) = text
        .trim_start_matches(is_space)
        .strip_prefix('[')?
        .split_once("] ")?;
    let is_prefix = STREAMS.contains(&name) || NO_ERRORS.contains(&name);
    is_prefix.then_some((inner, None))
}

/// The level before a line without a time stamp: `INFO:root:text` of Python, `INFO 01-31 12:34:56 [engine.py:7] text`
/// of vLLM, `I0131 12:34:56.789 4242 file.cc:7] text` of glog.
pub fn strip_logger_name(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    if let Some(level) = read_level(&mut cursor) {
        if cursor.read_literal(":").is_some() {
            let (name, inner) = cursor.remaining.split_once(':')?;
            let is_name = !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
            return is_name.then_some((inner, None));
        }
        let stamped = cursor.remaining.trim_start_matches(' ');
        let is_stamped = stamped.as_bytes().first()?.is_ascii_digit() && level != "ERROR";
        let (inner, _) = crate::time_stamp::strip_time_stamp(stamped).filter(|_| is_stamped)?;
        return Some((skip_fields(inner), None));
    }
    cursor.read_one_of("IWEF")?;
    let day = cursor.read_digits(4, 8)?;
    if day.len() != 4 && day.len() != 8 {
        return None;
    }
    cursor.read_literal(" ")?;
    let clock =
        cursor.read_while(|character| character.is_ascii_digit() || matches!(character, ':' | '.'));
    let (origin, inner) = cursor.remaining.split_once("] ")?;
    let (_, line) = origin.rsplit_once(':')?;
    let is_origin = clock.len() >= 8
        && origin.len() <= MAX_FIELD
        && !line.is_empty()
        && line.bytes().all(|byte| byte.is_ascii_digit());
    is_origin.then_some((inner, None))
}

/// `host program[4242]: text` and `host kernel: text`.
fn strip_syslog(text: &str) -> Option<(&str, &str)> {
    let mut cursor = Cursor::new(text);
    let is_name =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/');
    let host = cursor.read_bytes_while(is_name);
    cursor.read_literal(" ")?;
    let program = cursor.read_bytes_while(|byte| is_name(byte) || matches!(byte, b'(' | b')'));
    if host.is_empty() || program.is_empty() {
        return None;
    }
    if program != "kernel" {
        cursor.read_literal("[")?;
        cursor.read_digits(1, 10)?;
        cursor.read_literal("]")?;
    }
    cursor.read_literal(":")?;
    cursor.read_blank_or_end()?;
    Some((host, cursor.remaining))
}

/// `stdout F text`: the stream, and whether the line is full or partial.
fn strip_container_stream(text: &str) -> Option<&str> {
    let mut cursor = Cursor::new(text);
    cursor
        .read_literal("stdout ")
        .or_else(|| cursor.read_literal("stderr "))?;
    cursor.read_one_of("FP")?;
    cursor.read_blank_or_end()?;
    Some(cursor.remaining)
}

/// `00O text`: the section, and whether the stream is standard output or error; `+` continues a line.
fn strip_gitlab_stream(text: &str) -> Option<&str> {
    let mut cursor = Cursor::new(text);
    cursor.read_digits(2, 2)?;
    cursor.read_one_of("OE")?;
    let _ = cursor.read_literal("+");
    cursor.read_blank_or_end()?;
    Some(cursor.remaining)
}

/// `process L0458 DEBUG| [stdout] text` and `avocado.test INFO | text` of avocado, which pads levels to five characters
/// (its docs, guides/writer/chapters/logging.rst).
fn strip_avocado(text: &str) -> Option<&str> {
    let mut cursor = Cursor::new(text.trim_start_matches(is_space));
    let name = cursor.read_while(|character| !is_space(character));
    cursor.read_while(|character| character == ' ');
    if cursor.read_literal("L").is_some() {
        cursor.read_digits(1, 6)?;
        cursor.read_literal(" ")?;
    }
    read_level(&mut cursor)?;
    cursor.read_while(|character| character == ' ');
    cursor.read_literal("| ")?;
    let inner = cursor.remaining;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic());
    (is_name && name.len() <= MAX_FIELD).then(|| strip_level(inner).map_or(inner, |(line, _)| line))
}

/// Fields up to a level, the level, and fields after it.
fn strip_logger(text: &str) -> Option<&str> {
    let mut cursor = Cursor::new(text);
    for _ in 0..=MAX_FIELDS {
        skip_separator(&mut cursor);
        let mut lookahead = cursor;
        let is_bracketed = lookahead.read_literal("[").is_some();
        if let Some(level) = read_level(&mut lookahead) {
            let is_closed = !is_bracketed || lookahead.read_literal("]").is_some();
            if is_bracketed && !NO_ERRORS.contains(&level) {
                return None;
            }
            if is_closed {
                return strip_after_level(level, lookahead);
            }
        }
        read_field(&mut cursor)?;
    }
    None
}

/// The text after a level and the fields that follow it.
fn strip_after_level<'a>(level: &str, mut cursor: Cursor<'a>) -> Option<&'a str> {
    if cursor.remaining.starts_with(':') {
        if !NO_ERRORS.contains(&level) {
            return None;
        }
        cursor.read_literal(":")?;
    }
    if !cursor.remaining.starts_with(' ') {
        return None;
    }
    Some(skip_fields(cursor.remaining))
}

/// Skips `[thread]`, `{file}`, `package.Class:` and `file:line` fields and separators before a message.
fn skip_fields(text: &str) -> &str {
    let mut cursor = Cursor::new(text);
    for _ in 0..MAX_FIELDS {
        let mut lookahead = cursor;
        lookahead.read_while(|character| character == ' ');
        let _ = lookahead.read_literal("| ");
        if read_origin_field(&mut lookahead).is_none() {
            break;
        }
        let is_last = text[..text.len() - lookahead.remaining.len()].ends_with(':');
        cursor = lookahead;
        if is_last {
            cursor.skip_blank();
            return cursor.remaining;
        }
    }
    let mut lookahead = cursor;
    lookahead.read_while(|character| character == ' ');
    if ["- ", "| ", ": "]
        .iter()
        .any(|separator| lookahead.read_literal(separator).is_some())
    {
        return lookahead.remaining;
    }
    cursor.skip_blank();
    cursor.remaining
}

/// A field after a level that can be no text of a tool: `[main]`, `{job.py:93}`, `a.b.Class:`, `engine.py:7`.
fn read_origin_field(cursor: &mut Cursor<'_>) -> Option<()> {
    let first = *cursor.remaining.as_bytes().first()?;
    if first == b'{' || first == b'[' {
        let mut lookahead = *cursor;
        read_enclosed(&mut lookahead)?;
        let inside = &cursor.remaining[1..cursor.remaining.len() - lookahead.remaining.len() - 1];
        let is_name = inside.starts_with(|first: char| first.is_ascii_alphabetic())
            && !inside.contains(',')
            && !inside.contains(':')
            && inside.contains(|character: char| character.is_ascii_lowercase())
            || is_file_line(inside);
        if !is_name || lookahead.remaining.starts_with('<') {
            return None;
        }
        *cursor = lookahead;
        return Some(());
    }
    let mut lookahead = *cursor;
    let name = lookahead.read_while(|character| !is_space(character));
    let is_separated =
        lookahead.remaining.starts_with(" - ") || lookahead.remaining.starts_with(" | ");
    let is_class = name.strip_suffix(':').is_some_and(|class| {
        class.contains('.')
            && !class.starts_with(|first: char| first.is_ascii_digit())
            && !class.contains('/')
    });
    if is_separated || is_class || is_file_line(name.trim_end_matches(':')) {
        *cursor = lookahead;
        return Some(());
    }
    None
}

/// Whether a text is a source file and a line, possibly with a function: `engine.py:7`, `launch.py:123:main`.
fn is_file_line(text: &str) -> bool {
    let mut parts = text.split(':');
    let is_file = parts.next().is_some_and(|file| {
        file.ends_with(".py") || file.ends_with(".java") || file.ends_with(".go")
    });
    is_file
        && parts
            .next()
            .is_some_and(|line| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A field before a level: a text in brackets or braces, a process number, or a name that a dash or bar follows.
fn read_field(cursor: &mut Cursor<'_>) -> Option<()> {
    let first = *cursor.remaining.as_bytes().first()?;
    if first == b'{' || first == b'[' {
        return read_enclosed(cursor);
    }
    let name = cursor.read_while(|character| !is_space(character));
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let is_separated =
        cursor.remaining.starts_with(" - ") || cursor.remaining.trim_start().starts_with("| ");
    (name.len() <= MAX_FIELD && (is_number || is_separated)).then_some(())
}

fn read_enclosed(cursor: &mut Cursor<'_>) -> Option<()> {
    let close = match cursor.read_one_of("[{")? {
        '[' => ']',
        _ => '}',
    };
    let (inside, remaining) = cursor.remaining.split_once(close)?;
    cursor.remaining = remaining;
    (!inside.is_empty() && inside.len() <= MAX_FIELD).then_some(())
}

fn skip_separator(cursor: &mut Cursor<'_>) {
    cursor.read_while(|character| character == ' ');
    let _ = cursor
        .read_literal("- ")
        .or_else(|| cursor.read_literal("| "));
    cursor.read_while(|character| character == ' ');
}

fn read_level<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let start = cursor.remaining;
    LEVELS
        .iter()
        .find_map(|level| cursor.read_literal(level).map(|()| &start[..level.len()]))
        .filter(|_| {
            !cursor
                .remaining
                .starts_with(|next: char| next.is_alphanumeric() || next == '_')
        })
}
