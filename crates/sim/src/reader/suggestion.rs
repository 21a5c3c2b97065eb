//! "Did you mean".

/// A hint with the most similar of `names`; empty if none is similar.
pub fn did_you_mean(name: &str, names: &[&str]) -> String {
    let letters = name.chars().count();
    if letters > 64 {
        return String::new();
    }
    let begun = |other: &str| letters >= 3 && other.starts_with(name);
    let near = names
        .iter()
        .map(|other| (distance(name, other), *other))
        .filter(|(edits, other)| *edits <= letters.max(other.len()) / 3 || begun(other))
        .min();
    match near {
        Some((_, other)) => format!("did you mean {other:?}?"),
        None => String::new(),
    }
}

/// Edit distance: insertions, deletions and replacements (Levenshtein 1966).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let rows = [
            ("", "", 0),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("bytes", "byte", 1),
        ];
        for (a, b, edits) in rows {
            assert_eq!(distance(a, b), edits);
            assert_eq!(distance(b, a), edits);
        }
    }

    #[test]
    fn hints() {
        let names = ["src", "dst", "bytes", "start_ns"];
        let rows = [
            ("byte", "did you mean \"bytes\"?"),
            ("start", "did you mean \"start_ns\"?"),
            ("scr", ""), // two of three letters
            ("srcs", "did you mean \"src\"?"),
            ("colour", ""),
        ];
        for (name, hint) in rows {
            assert_eq!(did_you_mean(name, &names), hint, "{name}");
        }
    }
}
