//! `host: ` before most lines, as pdsh and docker compose print it, a name in brackets: `[launcher] `, or the pod and
//! container of stern (github.com/stern/stern, its default template): `worker-0 nccl `.

use std::collections::{HashMap, HashSet};

use crate::cursor::{is_space, is_word, Cursor};

/// Labels that tools print before a colon and that are no host names.
const NO_HOSTS: [&str; 12] = [
    "GID", "Mtu", "Warning", "WARNING", "Event", "ERRNO", "Version", "Usage", "Options", "SUM",
    "CLIENT", "SERVER",
];

/// The host name at the start of a line, and the text after it.
pub fn split_host(text: &str) -> Option<(&str, &str)> {
    split_named(text).or_else(|| split_pod(text))
}

/// The pod and container at the start of a line, and the text after them: names of Kubernetes, the pod's with a dash.
fn split_pod(text: &str) -> Option<(&str, &str)> {
    let is_name = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
    };
    if !text.as_bytes().first()?.is_ascii_lowercase() {
        return None;
    }
    let mut cursor = Cursor::new(text);
    let pod = cursor.read_bytes_while(is_name);
    cursor.read_literal(" ")?;
    let container = cursor.read_bytes_while(is_name);
    let is_pod =
        pod.contains('-') && container.starts_with(|first: char| first.is_ascii_lowercase());
    if !is_pod {
        return None;
    }
    let name = &text[..text.len() - cursor.remaining.len()];
    cursor.read_blank_or_end()?;
    Some((name, cursor.remaining))
}

/// A name that a colon, a bar or a closing bracket follows, and the text after it.
fn split_named(text: &str) -> Option<(&str, &str)> {
    let mut cursor = Cursor::new(text);
    let is_bracketed = cursor.read_literal("[").is_some();
    let start = cursor.remaining;
    if !start.as_bytes().first()?.is_ascii_alphabetic() {
        return None;
    }
    cursor.read_while(|character| is_word(character) || character == '.' || character == '-');
    let name = &start[..start.len() - cursor.remaining.len()];
    if is_bracketed {
        cursor.read_literal("]")?;
    } else if cursor.read_literal(":").is_none() {
        let length = cursor.remaining.len();
        cursor.read_while(is_space);
        if cursor.remaining.len() == length {
            return None;
        }
        cursor.read_literal("|")?;
    }
    cursor.read_blank_or_end()?;
    Some((name, cursor.remaining))
}

/// The hosts with which lines begin, if at least nine in ten of `lines` begin with a host; else none.
pub fn common_hosts<'a>(lines: impl ExactSizeIterator<Item = &'a str> + Clone) -> HashSet<&'a str> {
    let count = lines.len();
    let mut hostless = 0;
    for line in lines.clone() {
        let is_hostless = split_host(line).is_none() && !line.trim_matches(is_space).is_empty();
        hostless += usize::from(is_hostless);
        if hostless * 10 > count {
            return HashSet::new(); // regardless of how many lines are blank
        }
    }
    count_hosts(lines)
}

fn count_hosts<'a>(lines: impl Iterator<Item = &'a str>) -> HashSet<&'a str> {
    let nonblank: Vec<&str> = lines
        .filter(|line| !line.trim_matches(is_space).is_empty())
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut hostless = 0;
    for line in &nonblank {
        if let Some((name, _)) = split_host(line) {
            *counts.entry(name).or_default() += 1;
            continue;
        }
        hostless += 1;
        if hostless * 10 > nonblank.len() {
            return HashSet::new();
        }
    }
    let minimum = nonblank.len().min(3);
    let hosts: HashSet<&str> = counts
        .iter()
        .filter(|(name, count)| minimum > 1 && **count >= minimum && !NO_HOSTS.contains(name))
        .map(|(name, _)| *name)
        .collect();
    let lines_with_host: usize = hosts.iter().map(|name| counts[name]).sum();
    if lines_with_host * 10 < nonblank.len() * 9 {
        return HashSet::new();
    }
    hosts
}
