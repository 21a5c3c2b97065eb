//! `host: ` before most lines, as pdsh and docker compose print it.

use std::collections::{HashMap, HashSet};

use crate::cursor::{is_space, is_word, Cursor};

/// Words that tools print before a colon and that are no host names.
const NO_HOSTS: [&str; 9] = [
    "GID", "Mtu", "Warning", "WARNING", "Event", "ERRNO", "Version", "Usage", "Options",
];

/// The host name at the start of a line, and the text behind it.
pub fn split_host(text: &str) -> Option<(&str, &str)> {
    let mut at = Cursor::new(text);
    if !at.rest.as_bytes().first()?.is_ascii_alphabetic() {
        return None;
    }
    at.run(|character| is_word(character) || character == '.' || character == '-');
    let name = &text[..text.len() - at.rest.len()];
    if at.literal(":").is_none() {
        let before = at.rest.len();
        at.run(is_space);
        if at.rest.len() == before {
            return None;
        }
        at.literal("|")?;
    }
    at.blank_or_end()?;
    Some((name, at.rest))
}

/// The hosts that at least nine in ten of `lines` begin with; none where fewer do.
pub fn common_hosts<'a>(lines: impl ExactSizeIterator<Item = &'a str> + Clone) -> HashSet<&'a str> {
    let count = lines.len();
    let mut without = 0;
    for line in lines.clone() {
        let is_without = split_host(line).is_none() && !line.trim_matches(is_space).is_empty();
        without += usize::from(is_without);
        if without * 10 > count {
            return HashSet::new(); // however many of the others are blank
        }
    }
    count_hosts(lines)
}

fn count_hosts<'a>(lines: impl Iterator<Item = &'a str>) -> HashSet<&'a str> {
    let written: Vec<&str> = lines
        .filter(|line| !line.trim_matches(is_space).is_empty())
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut without = 0;
    for line in &written {
        if let Some((name, _)) = split_host(line) {
            *counts.entry(name).or_default() += 1;
            continue;
        }
        without += 1;
        if without * 10 > written.len() {
            return HashSet::new();
        }
    }
    let least = written.len().min(3);
    let found: HashSet<&str> = counts
        .iter()
        .filter(|(name, count)| least > 1 && **count >= least && !NO_HOSTS.contains(name))
        .map(|(name, _)| *name)
        .collect();
    let covered: usize = found.iter().map(|name| counts[name]).sum();
    if covered * 10 < written.len() * 9 {
        return HashSet::new();
    }
    found
}
