//! Time stamps at the start of a line, and what a logging daemon or library prints after its own time stamp.
//!
//! ISO 8601 with variants of Python's `logging`, log4j, Go's `log` and Airflow; times of day of Jenkins and `ts`;
//! syslog's and `ts`'s month and day; the date of `ctime`, which iperf3 and Open MPI print; seconds of `ts '%.s'`,
//! journalctl's `short-unix` and `short-monotonic`, and `dmesg`; the header of RFC 5424.

use crate::cursor::{is_space, Cursor};
use crate::logger_prefix::strip_origin;
use crate::prefix::Match;

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
/// Maximum number of characters between the time and the bracket after it, such as ` UTC` or ` TP0`.
const MAX_REMARK: usize = 24;

/// Maximum number of digits of the seconds since the start of a host: three years.
const MAX_UPTIME: usize = 8;

/// A time stamp that begins with a digit or a bracket: `[2026-01-31T12:34:56.789Z] text`, `12:34:56  text`.
pub fn strip_time_stamp(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    let is_bracketed = cursor.read_literal("[").is_some();
    let mut lookahead = cursor;
    if read_day(&mut lookahead).is_some() {
        cursor = lookahead;
    }
    read_clock_time(&mut cursor)?;
    read_fraction(&mut cursor);
    let mut lookahead = cursor;
    if lookahead.read_literal("Z").is_some() || read_utc_offset(&mut lookahead).is_some() {
        cursor = lookahead;
    }
    if is_bracketed {
        let (remark, inner) = cursor.remaining.split_once(']')?;
        if remark.len() > MAX_REMARK || remark.contains('[') {
            return None;
        }
        cursor.remaining = inner;
    }
    end_time_stamp(cursor)
}

/// A time stamp that begins with a name: `Sat Jan 31 12:34:56 2026 text`, `Jan 31 12:34:56 text`.
pub fn strip_date(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    let has_weekday = DAYS
        .iter()
        .find_map(|day| cursor.read_literal(day))
        .is_some();
    if has_weekday {
        cursor.read_literal(" ")?;
    }
    MONTHS.iter().find_map(|month| cursor.read_literal(month))?;
    cursor.read_literal(" ")?;
    cursor.read_one_of(" 0123456789")?;
    cursor.read_one_of("0123456789")?;
    cursor.read_literal(" ")?;
    read_clock_time(&mut cursor)?;
    read_fraction(&mut cursor);
    let mut lookahead = cursor;
    let year = lookahead
        .read_literal(" ")
        .and_then(|()| lookahead.read_digits(4, 4));
    match year {
        Some(_) if has_weekday => cursor = lookahead,
        None if has_weekday => return None,
        _ => {}
    }
    end_time_stamp(cursor)
}

/// Seconds since 1970 with six decimals (`ts '%.s'`, journalctl `-o short-unix`): `1700000000.123456 text`.
pub fn strip_unix_time(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.read_digits(10, 10)?;
    cursor.read_literal(".")?;
    cursor.read_digits(6, 6)?;
    let _ = cursor.remaining.strip_prefix(' ')?;
    end_time_stamp(cursor)
}

/// Seconds since the start of the host (journalctl `-o short-monotonic`, `dmesg`): `[  123.456789] text`.
///
/// UCX begins its messages with seconds since 1970, which have more digits than a host is in operation.
pub fn strip_uptime(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.read_literal("[")?;
    cursor.read_while(|character| character == ' ');
    cursor.read_digits(1, MAX_UPTIME)?;
    cursor.read_literal(".")?;
    cursor.read_digits(6, 6)?;
    cursor.read_literal("]")?;
    let _ = cursor.remaining.strip_prefix(' ')?;
    end_time_stamp(cursor)
}

/// The header of RFC 5424, section 6: `<14>1 2026-01-31T12:34:56.7Z node1 job 4242 - - text`.
pub fn strip_syslog_header(text: &str) -> Match<'_> {
    let mut cursor = Cursor::new(text);
    cursor.read_literal("<")?;
    cursor.read_digits(1, 3)?;
    cursor.read_literal(">1 ")?;
    let mut fields = cursor.remaining.splitn(6, ' ');
    let (stamp, host) = (fields.next()?, fields.next()?);
    let is_stamp = stamp == "-" || strip_time_stamp(stamp).is_some();
    let data = fields.nth(3)?; // after the program, the process and the kind of message
    let inner = match data.strip_prefix('-') {
        Some(inner) => inner,
        None => data.strip_prefix('[')?.split_once(']')?.1,
    };
    let inner = match inner.strip_prefix(' ') {
        Some(message) => message,
        None if inner.is_empty() => inner,
        None => return None,
    };
    let inner = inner.strip_prefix('\u{feff}').unwrap_or(inner);
    is_stamp.then_some((inner, Some(host).filter(|host| *host != "-")))
}

/// The text after a time stamp, which a blank, a colon, the end of the line or the tag of `mpirun` follows.
fn end_time_stamp(mut cursor: Cursor<'_>) -> Match<'_> {
    let _ = cursor.read_literal(":");
    let is_end = cursor.remaining.is_empty()
        || cursor.remaining.starts_with(is_space)
        || cursor.remaining.starts_with('[')
        || cursor.remaining.starts_with("<std");
    if !is_end {
        return None;
    }
    cursor.skip_blank();
    Some(strip_origin(cursor.remaining))
}

/// `2026-01-31T`, `2026/01/31 `, `26/01/31 `, `2026-01-31, `, `01-31 `.
fn read_day(cursor: &mut Cursor<'_>) -> Option<()> {
    let year = cursor.read_digits(2, 4).filter(|year| year.len() != 3)?;
    let separator = cursor.read_one_of("-/")?;
    cursor.read_digits(2, 2)?;
    let mut lookahead = *cursor;
    let day = lookahead
        .read_one_of("-/")
        .filter(|second| *second == separator)
        .and_then(|_| lookahead.read_digits(2, 2));
    match day {
        Some(_) => *cursor = lookahead,
        None if year.len() == 2 => {}
        None => return None,
    }
    let _ = cursor.read_literal(",");
    cursor.read_one_of("T _")?;
    Some(())
}

fn read_clock_time(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.read_digits(2, 2)?;
    cursor.read_literal(":")?;
    cursor.read_digits(2, 2)?;
    cursor.read_literal(":")?;
    cursor.read_digits(2, 2)?;
    Some(())
}

fn read_fraction(cursor: &mut Cursor<'_>) {
    let mut lookahead = *cursor;
    if lookahead.read_one_of(".,").is_some() && lookahead.read_digits(1, usize::MAX).is_some() {
        *cursor = lookahead;
    }
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
