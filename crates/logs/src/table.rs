//! Rows of a table of nccl-tests: size, count, type, then numbers.

use std::collections::HashSet;

use crate::cursor::{is_space, lines};

/// The number in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Digits.
    Whole(u64),
    /// Digits, a point, digits.
    Decimal(f64),
}

/// The number in a cell; None unless it is digits, or digits, a point and digits.
pub fn number(cell: &str) -> Option<Number> {
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

/// Whether a line can be a row: it begins with a digit and contains only characters that cells have.
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

/// Reads lines of `cells` cells each, the first `left` of which are no results; None unless every line is such a row.
pub fn rows(text: &str, cells: usize, left: usize) -> Option<Rows<'_>> {
    if left < 3 || left > cells {
        return None;
    }
    let mut rows = Rows::default();
    let mut kinds = HashSet::new();
    for line in lines(text) {
        let row: Vec<&str> = line.split_ascii_whitespace().collect();
        if row.len() != cells {
            return None;
        }
        let (Some(Number::Whole(size)), Some(Number::Whole(_))) = (number(row[0]), number(row[1]))
        else {
            return None;
        };
        rows.sizes.push(size);
        if !kinds.contains(&row[2..left]) {
            kinds.insert(row[2..left].to_vec());
            rows.kinds.push(row[2..left].to_vec());
        }
        for cell in &row[left..] {
            rows.results.push(number(cell)?);
        }
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_rows_are_read_and_others_refused() {
        let text = "  8  2  float  sum  -1  6.5  0  12 1\n  16  4  float  sum  -1  7.25  0.1  13 2";
        let found = rows(text, 9, 5).expect("plain rows");
        assert_eq!(found.sizes, [8, 16]);
        assert_eq!(found.kinds, [["float", "sum", "-1"]]);
        assert_eq!(found.results[..2], [Number::Decimal(6.5), Number::Whole(0)]);
        assert_eq!(found.results.len(), 8);
        assert_eq!(rows(text, 8, 5), None);
        assert_eq!(rows("8 2 float", 3, 4), None);
        assert_eq!(rows("8", 1, 3), None);
        assert_eq!(rows("8 2 float N/A", 4, 3), None);
        assert_eq!(rows("8 2 float 1e3", 4, 3), None);
        assert_eq!(rows("8 2 float 99999999999999999999", 4, 3), None);
    }

    #[test]
    fn what_a_message_broke_is_no_row() {
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
