//! Lists of ranks as nccl-tests and rccl-tests print them, one line for each rank.
//!
//! `#  Rank  0 Group  0 Pid  14840 on node1 device  0 [0x01] NVIDIA H100 80GB HBM3`: nccl-tests `src/common.cu`. Releases
//! before 2.13 print no group, rccl-tests no process.

use std::collections::BTreeSet;

use crate::cursor::{lines, Cursor};

/// The start of most lines of a list.
const RANK_LINE_START: &str = "#  Rank ";

/// Whether a line is one of a list in its most common form.
pub fn is_rank_line(line: &str) -> bool {
    line.starts_with(RANK_LINE_START)
}

/// The distinct values in a list of ranks.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ranks<'a> {
    /// Ranges of consecutive rank numbers, first and last, in the order of the lines.
    pub numbers: Vec<(u32, u32)>,
    /// Groups of the ranks.
    pub groups: BTreeSet<&'a str>,
    /// Hosts of the ranks.
    pub hosts: BTreeSet<&'a str>,
    /// Models of their GPUs.
    pub devices: BTreeSet<&'a str>,
}

/// Reads the lines of `text` that name a rank and skips all others. Some web pages show logs as tables between `|`.
pub fn ranks(text: &str) -> Ranks<'_> {
    let mut ranks = Ranks::default();
    let mut last = None; // neighbours share a host and mostly all
    for line in lines(text) {
        let Some(rank) = rank(line.trim_matches([' ', '\t', '|'])) else {
            continue;
        };
        match ranks.numbers.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(rank.number) => *last = rank.number,
            _ => ranks.numbers.push((rank.number, rank.number)),
        }
        let now = Some((rank.group, rank.host, rank.device));
        if now != last {
            last = now;
            ranks.groups.extend(rank.group);
            ranks.hosts.insert(rank.host);
            ranks
                .devices
                .extend(Some(rank.device).filter(|device| !device.is_empty()));
        }
    }
    ranks
}

struct Rank<'a> {
    number: u32,
    group: Option<&'a str>,
    host: &'a str,
    device: &'a str,
}

fn rank(line: &str) -> Option<Rank<'_>> {
    let mut at = Cursor::new(line);
    let _ = at.literal("#");
    at.skip(is_blank);
    at.literal("Rank")?;
    let number = value(&mut at)?.parse().ok()?;
    let mut group = None;
    let mut next = at;
    if separated_literal(&mut next, "Group").is_some() {
        group = value(&mut next);
        at = group.map(|_| next)?;
    }
    let mut next = at;
    if separated_literal(&mut next, "Pid").is_some() {
        text(&mut next)?;
        at = next;
    }
    separated_literal(&mut at, "on")?;
    let host = text(&mut at)?;
    separated_literal(&mut at, "device")?;
    value(&mut at)?;
    blanks(&mut at)?;
    at.literal("[")?;
    at.rest = &at.rest[memchr::memchr(b']', at.rest.as_bytes())?..];
    at.literal("]")?;
    Some(Rank {
        number,
        group,
        host,
        device: at.rest.trim(),
    })
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn blanks(at: &mut Cursor<'_>) -> Option<()> {
    (!at.skip(is_blank).is_empty()).then_some(())
}

fn separated_literal(at: &mut Cursor<'_>, literal: &str) -> Option<()> {
    blanks(at)?;
    at.literal(literal)?;
    at.rest.bytes().next().is_some_and(is_blank).then_some(())
}

fn value<'a>(at: &mut Cursor<'a>) -> Option<&'a str> {
    blanks(at)?;
    at.digits(1, usize::MAX)
}

fn text<'a>(at: &mut Cursor<'a>) -> Option<&'a str> {
    blanks(at)?;
    Some(at.run(|character| !character.is_whitespace())).filter(|read| !read.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_follow_one_another_are_one() {
        let line = |number: u32| format!("#  Rank {number} Pid 1 on n device 0 [0x01] D\n");
        let text: String = [0, 1, 1, 3, 4, 2, u32::MAX, 0].map(line).concat();
        let expected = [(0, 1), (1, 1), (3, 4), (2, 2), (u32::MAX, u32::MAX), (0, 0)];
        assert_eq!(ranks(&text).numbers, expected);
    }

    #[test]
    fn old_and_new_forms_are_read_and_other_lines_passed_over() {
        let found = ranks(
            "#  Rank  0 Group  1 Pid  14840 on  node1 device  0 [0x01] NVIDIA A100 \n\
             #   Rank  1 Pid  14841 on node2 device  1 [0000:1b:00] NVIDIA A100\n\
             # Rank 2 on node2 device 2 [0xa1]\n\
             #  Rank  3 Group  1 Pid  14840 on  node1 dev\n\
             # nThread 1",
        );
        assert_eq!(found.numbers, [(0, 2)]);
        assert_eq!(found.groups, BTreeSet::from(["1"]));
        assert_eq!(found.hosts, BTreeSet::from(["node1", "node2"]));
        assert_eq!(found.devices, BTreeSet::from(["NVIDIA A100"]));
    }
}
