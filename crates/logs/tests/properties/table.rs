//! Rows of tables and lists of ranks.

use wirespeed_logs::{is_rank_line, is_row, parse_number, read_ranks, read_rows, Number};

/// The first two bytes choose the columns, the rest is text.
pub fn check(bytes: &[u8]) {
    let Some(([cells, labels], text)) = bytes.split_first_chunk() else {
        return;
    };
    let text = String::from_utf8_lossy(text);
    check_rows(&text, usize::from(*cells % 24), usize::from(*labels % 24));
    check_ranks(&text);
    for cell in text.split_ascii_whitespace() {
        check_number(cell);
    }
}

fn check_number(cell: &str) {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match parse_number(cell) {
        Some(Number::Whole(value)) => assert_eq!(Ok(value), cell.parse()),
        Some(Number::Decimal(value)) => {
            assert!(value.is_finite() && value.is_sign_positive());
            assert!(cell.split('.').all(digits) && cell.split('.').count() == 2);
        }
        // Too large for its type, or no number.
        None => assert!(!digits(cell) || cell.len() >= 20),
    }
}

fn check_rows(text: &str, cells: usize, labels: usize) {
    let Some(table) = read_rows(text, cells, labels) else {
        return;
    };
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!(table.sizes.len(), lines.len());
    assert_eq!(
        table.results.len(),
        lines.len() * (cells - labels.min(cells))
    );
    let kinds: std::collections::BTreeSet<_> = table.kinds.iter().collect();
    assert_eq!(kinds.len(), table.kinds.len());
    for (line, size) in lines.iter().zip(&table.sizes) {
        let cells: Vec<&str> = line.split_ascii_whitespace().collect();
        assert_eq!(parse_number(cells[0]), Some(Number::Whole(*size)));
        assert!(kinds.contains(&cells[2..labels].to_vec()));
    }
}

fn check_ranks(text: &str) {
    let list = read_ranks(text);
    assert!(list.numbers.iter().all(|(first, last)| first <= last));
    let consecutive = |pair: &[(u32, u32)]| pair[0].1.checked_add(1) == Some(pair[1].0);
    assert!(!list.numbers.windows(2).any(consecutive));
    let count: u64 = list
        .numbers
        .iter()
        .map(|(first, last)| u64::from(last - first) + 1)
        .sum();
    assert!(count <= text.split('\n').count() as u64);
    for name in list.groups.iter().chain(&list.hosts).chain(&list.devices) {
        assert!(!name.is_empty() && text.contains(name));
    }
    assert_eq!(list.numbers.is_empty(), list.hosts.is_empty());
    for line in text.split('\n') {
        assert!(!(is_row(line) && is_rank_line(line)));
    }
}
