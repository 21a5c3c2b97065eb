//! Numbers with a decimal comma, as spreadsheets and some locales write them.
//!
//! Every supported tool prints a decimal point, so that a log whose numbers have commas was converted. A comma before
//! three digits may also separate thousands, as in qperf: `12,345` stays, unless every number of the log has three
//! digits after its comma and one of them (`0,861`, `4943,790`) can have no thousands.

/// Minimum ratio of numbers with a comma to numbers with a point.
const MIN_RATIO: usize = 4;

/// Replaces decimal commas by points if the numbers of `text` have decimal commas.
pub fn replace_decimal_commas(text: &mut String) {
    let numbers: Vec<Number> = find_numbers(text.as_bytes(), b',').collect();
    let cells = numbers.iter().filter(|number| number.is_cell);
    let is_proven = cells.clone().any(|number| !number.may_be_grouped);
    let points = find_numbers(text.as_bytes(), b'.').filter(|number| number.is_cell);
    let count = cells.count();
    if !is_proven || count <= MIN_RATIO * points.take(count).count() {
        return;
    }
    let is_uniform = numbers.iter().all(|number| number.decimals == 3);
    let mut bytes = std::mem::take(text).into_bytes();
    for number in &numbers {
        if is_uniform || !number.may_be_grouped {
            bytes[number.separator] = b'.';
        }
    }
    *text = String::from_utf8(bytes).unwrap_or_default(); // one ASCII character replaced another
}

/// The first number of `line` with a comma that separates no thousands.
pub fn find_decimal_comma(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let number =
        find_numbers(bytes, b',').find(|number| number.is_cell && !number.may_be_grouped)?;
    let is_part = |byte: &u8| byte.is_ascii_digit();
    let whole = bytes[..number.separator]
        .iter()
        .rev()
        .take_while(|byte| is_part(byte))
        .count();
    Some(&line[number.separator - whole..=number.separator + number.decimals])
}

/// Digits, a separator, digits.
struct Number {
    /// Offset of the separator.
    separator: usize,
    /// Number of digits after the separator.
    decimals: usize,
    /// Whether blanks or the like enclose the number; other numbers are parts of a range or of several values.
    is_cell: bool,
    /// Whether the separator may separate thousands.
    may_be_grouped: bool,
}

fn find_numbers(text: &[u8], separator: u8) -> impl Iterator<Item = Number> + '_ {
    memchr::memchr_iter(separator, text).filter_map(move |at| {
        let whole = text[..at]
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let decimals = text[at + 1..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let previous = at.checked_sub(whole + 1).map(|index| text[index]);
        let next = text.get(at + 1 + decimals);
        let ends = next.is_none_or(|byte| {
            byte.is_ascii_whitespace() || matches!(byte, b')' | b';' | b'%' | b'|')
        });
        let starts = starts_cell(text, at - whole, previous);
        let is_number = whole > 0
            && decimals > 0
            && (starts || matches!(previous, Some(b'-' | b'/')))
            && (ends || matches!(next, Some(b'-' | b'/')));
        is_number.then(|| Number {
            separator: at,
            decimals,
            is_cell: starts && ends,
            may_be_grouped: decimals == 3 && whole <= 3 && text[at - whole] != b'0',
        })
    })
}

/// Whether a number starts at `start`, after a blank, a bar, a parenthesis, or the `=` of a result; not after the `=` of
/// a variable.
fn starts_cell(text: &[u8], start: usize, previous: Option<u8>) -> bool {
    match previous {
        None | Some(b'(' | b'|') => true,
        Some(b'=') => {
            let name = start.checked_sub(2).map(|index| text[index]);
            name.is_some_and(|byte| byte.is_ascii_lowercase() || byte == b'=')
        }
        Some(byte) => byte.is_ascii_whitespace(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_logs_with_decimal_commas_are_changed() {
        for (text, expected) in [
            ("latency  =  27,6 us\n", "latency  =  27.6 us\n"),
            (
                "8  27,65\n16  4943,790\n32 12,345\n",
                "8  27.65\n16  4943.790\n32 12,345\n",
            ),
            ("0,00-10,00 sec  1,5\n", "0.00-10.00 sec  1.5\n"),
            (
                "rtt = 0,861/12,345/20,500 ms 0,5 %\n",
                "rtt = 0.861/12,345/20,500 ms 0.5 %\n",
            ),
            ("avg=4943,790 max=12,345\n", "avg=4943.790 max=12.345\n"),
            ("avg=1,5 (std-dev=2,25)\n", "avg=1.5 (std-dev=2.25)\n"),
            ("msg_size  =  65,536 bytes\n", "msg_size  =  65,536 bytes\n"),
            ("8  27.65\n16  43,79\n", "8  27.65\n16  43,79\n"),
            (
                "CUDA_VISIBLE_DEVICES=0,1 [1,0]<stdout>: 0,1,2\n",
                "CUDA_VISIBLE_DEVICES=0,1 [1,0]<stdout>: 0,1,2\n",
            ),
        ] {
            let mut replaced = text.to_owned();
            replace_decimal_commas(&mut replaced);
            assert_eq!(replaced, expected);
        }
    }
}
