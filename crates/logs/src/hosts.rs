//! `host: ` before nearly every line, as pdsh and docker compose print it.

use std::collections::HashMap;

use crate::cursor::{is_space, is_word, Cursor};

/// Words before a colon that are the tools' own, and no host.
const OWN_WORDS: [&str; 9] = [
    "GID", "Mtu", "Warning", "WARNING", "Event", "ERRNO", "Version", "Usage", "Options",
];

/// The host at the start of a line and what follows it.
pub fn host(text: &str) -> Option<(&str, &str)> {
    let mut at = Cursor::new(text);
    if !at.rest.as_bytes().first()?.is_ascii_alphabetic() {
        return None;
    }
    at.run(|character| is_word(character) || character == '.' || character == '-');
    let name = &text[..text.len() - at.rest.len()];
    if at.word(":").is_none() {
        let before = at.rest.len();
        at.run(is_space);
        if at.rest.len() == before {
            return None;
        }
        at.word("|")?;
    }
    at.blank_or_end()?;
    Some((name, at.rest))
}

/// The hosts that nearly every one of `lines` begins with; none where the lines begin otherwise.
pub fn hosts<'a>(lines: impl ExactSizeIterator<Item = &'a str> + Clone) -> Vec<&'a str> {
    let most = lines.len();
    let mut without = 0;
    for line in lines.clone() {
        let is_without = host(line).is_none() && !line.trim_matches(is_space).is_empty();
        without += usize::from(is_without);
        if without * 10 > most {
            return Vec::new(); // however many of the others are blank
        }
    }
    hosts_of(lines)
}

fn hosts_of<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let written: Vec<&str> = lines
        .filter(|line| !line.trim_matches(is_space).is_empty())
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut without = 0;
    for line in &written {
        if let Some((name, _)) = host(line) {
            *counts.entry(name).or_default() += 1;
            continue;
        }
        without += 1;
        if without * 10 > written.len() {
            return Vec::new();
        }
    }
    let least = written.len().min(3);
    let found: Vec<&str> = counts
        .iter()
        .filter(|(name, count)| least > 1 && **count >= least && !OWN_WORDS.contains(name))
        .map(|(name, _)| *name)
        .collect();
    let covered: usize = found.iter().map(|name| counts[name]).sum();
    if covered * 10 < written.len() * 9 {
        return Vec::new();
    }
    found
}
