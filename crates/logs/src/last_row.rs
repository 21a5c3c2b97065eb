//! Whether a last line without newline is whole, by comparison with earlier lines.
//!
//! Tools print a column with a fixed number of decimals, so that a number with as many decimals as the numbers above it
//! lacks no digit. Nothing is known about a whole number, save a zero, nor about a word that tools do not end rows with.

/// Words that end a row: without a result (nccl-tests), the end of a summary (iperf3), the validation of OSU.
const LAST_WORDS: [&str; 5] = ["N/A", "sender", "receiver", "Pass", "Fail"];

/// Whether `last` has as many cells as a line of `earlier` and its last cell is as long as a whole one.
pub fn is_complete<'a>(last: &str, mut earlier: impl Iterator<Item = &'a str>) -> bool {
    let (count, Some(cell)) = split(last) else {
        return false;
    };
    count > 1
        && earlier.any(|line| {
            let (earlier_count, earlier_cell) = split(line);
            count == earlier_count
                && earlier_cell.is_some_and(|earlier_cell| is_same_form(cell, earlier_cell))
        })
}

/// The number of cells, and the last cell.
fn split(line: &str) -> (usize, Option<&str>) {
    let mut cells = line.split_whitespace();
    let last = cells.next_back();
    (cells.count() + usize::from(last.is_some()), last)
}

fn is_same_form(cell: &str, earlier: &str) -> bool {
    match (count_decimals(cell), count_decimals(earlier)) {
        (Some(decimals), Some(earlier_decimals)) => decimals == earlier_decimals,
        (None, None) => cell == earlier && (cell == "0" || LAST_WORDS.contains(&cell)),
        _ => false,
    }
}

/// The number of decimals of a number with a decimal point.
fn count_decimals(cell: &str) -> Option<usize> {
    let (whole, decimals) = cell.split_once('.')?;
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_digits(whole) && is_digits(decimals)).then_some(decimals.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_the_same_form_is_complete() {
        for (last, expected) in [
            ("4194304  340.12", true),
            ("4194304  340.1", false),
            ("4194304  340", false),
            ("4194304", false),
            ("8 2 float sum -1 6.50 0.00 0.00 0", true),
            ("8 2 float sum -1 6.50 0.00 0.00 1", false),
            ("[  5] 0.00-10.00 sec receiver", true),
            ("[  5] 0.00-10.00 sec receive", false),
            ("", false),
        ] {
            let earlier = [
                "1  2.50",
                "8 2 float sum -1 6.50 0.00 0.00 0",
                "[  5] 0.00-9.00 sec receiver",
            ];
            assert_eq!(is_complete(last, earlier.into_iter()), expected, "{last}");
        }
    }
}
