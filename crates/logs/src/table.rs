//! Rows of a table of nccl-tests: size, count, type, then numbers.

use std::collections::HashSet;

use crate::cursor::{is_space, split_lines};

/// The number in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Digits.
    Whole(u64),
    /// Digits, a point, digits.
    Decimal(f64),
}

/// The number in a cell; None unless it is digits, or digits, a point and digits.
pub fn parse_number(cell: &str) -> Option<Number> {
    let all_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match cell.split_once('.') {
        None if all_digits(cell) => cell.parse().ok().map(Number::Whole),
        Some((whole, part)) if all_digits(whole) && all_digits(part) => {
            let value: f64 = cell.parse().ok()?;
            value.is_finite().then_some(Number::Decimal(value))
        }
        _ => None,
    }
}

/// Whether a line can be a row: it begins with a digit and has only characters of cells.
pub fn is_row(text: &str) -> bool {
    let belongs = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'.' | b'-' | b'_' | b'+' | b'*')
    };
    text.trim_start_matches(is_space)
        .starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(belongs)
}

/// Rows with the same columns.
#[derive(Debug, Default, PartialEq)]
pub struct Rows<'a> {
    /// The first cell of each row.
    pub sizes: Vec<u64>,
    /// The distinct combinations of the cells between the second cell and the results.
    pub kinds: Vec<Vec<&'a str>>,
    /// The results of all rows, row by row.
    pub results: Vec<Number>,
}

/// Reads lines of `cells` cells each, of which the first `labels` are no results; None unless every line is such a row.
pub fn read_rows(text: &str, cells: usize, labels: usize) -> Option<Rows<'_>> {
    if labels < 3 || labels > cells {
        return None;
    }
    let mut rows = Rows::default();
    let mut kinds = HashSet::new();
    for line in split_lines(text) {
        let row: Vec<&str> = line.split_ascii_whitespace().collect();
        if row.len() != cells {
            return None;
        }
        let (Some(Number::Whole(size)), Some(Number::Whole(_))) =
            (parse_number(row[0]), parse_number(row[1]))
        else {
            return None;
        };
        rows.sizes.push(size);
        if !kinds.contains(&row[2..labels]) {
            kinds.insert(row[2..labels].to_vec());
            rows.kinds.push(row[2..labels].to_vec());
        }
        for cell in &row[labels..] {
            rows.results.push(parse_number(cell)?);
        }
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_rows_are_read_and_others_are_refused() {
        let text = "  8  2  float  sum  -1  6.5  0  12 1\n  16  4  float  sum  -1  7.25  0.1  13 2";
        let table = read_rows(text, 9, 5).expect("plain rows");
        assert_eq!(table.sizes, [8, 16]);
        assert_eq!(table.kinds, [["float", "sum", "-1"]]);
        assert_eq!(table.results[..2], [Number::Decimal(6.5), Number::Whole(0)]);
        assert_eq!(table.results.len(), 8);
        assert_eq!(read_rows(text, 8, 5), None);
        assert_eq!(read_rows("8 2 float", 3, 4), None);
        assert_eq!(read_rows("8", 1, 3), None);
        assert_eq!(read_rows("8 2 float N/A", 4, 3), None);
        assert_eq!(read_rows("8 2 float 1e3", 4, 3), None);
        assert_eq!(read_rows("8 2 float 99999999999999999999", 4, 3), None);
    }

    #[test]
    fn lines_with_messages_are_no_rows() {
        for (line, expected) in [
            ("   1024  256 float 0.5", true),
            ("1024  256 float node1:1:1 [0] NCCL INFO x", false),
            ("# 1024", false),
            ("", false),
        ] {
            assert_eq!(is_row(line), expected, "{line}");
        }
    }
}
