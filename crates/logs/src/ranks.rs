//! Lists of ranks as nccl-tests and rccl-tests print them, one line for each rank.
//!
//! `#  Rank  0 Group  0 Pid  14840 on node1 device  0 [0x01] NVIDIA H100 80GB HBM3`: nccl-tests `src/common.cu`. Releases
//! before 2.13 print no group, rccl-tests no process.

use std::collections::BTreeSet;

use crate::cursor::{split_lines, Cursor};

/// The start of most lines of a list.
const RANK_LINE_START: &str = "#  Rank ";

/// Whether a line belongs to a list of ranks in its most common form.
pub fn is_rank_line(line: &str) -> bool {
    line.starts_with(RANK_LINE_START)
}

/// The values in a list of ranks, each once.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ranks<'a> {
    /// Ranges of consecutive rank numbers (first, last) in the order of the lines.
    pub numbers: Vec<(u32, u32)>,
    /// Groups of the ranks.
    pub groups: BTreeSet<&'a str>,
    /// Hosts of the ranks.
    pub hosts: BTreeSet<&'a str>,
    /// Models of their GPUs.
    pub devices: BTreeSet<&'a str>,
    /// The place of each rank.
    pub places: Vec<RankPlace<'a>>,
}

/// Where a rank runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankPlace<'a> {
    /// The number of the rank.
    pub rank: u32,
    /// Its host.
    pub host: &'a str,
    /// The number of its GPU on the host.
    pub gpu: Option<u32>,
    /// The PCIe address of the GPU as printed: `0000:1b:00`, or `0x1b` in releases that print the bus alone.
    pub address: &'a str,
}

/// Reads the lines of `text` that name a rank and skips all others. Some web pages show logs as tables between `|`.
pub fn read_ranks(text: &str) -> Ranks<'_> {
    let mut ranks = Ranks::default();
    let mut previous = None; // consecutive ranks share a host, and usually group and device
    for line in split_lines(text) {
        let Some(rank) = read_rank(line.trim_matches([' ', '\t', '|'])) else {
            continue;
        };
        match ranks.numbers.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(rank.number) => *last = rank.number,
            _ => ranks.numbers.push((rank.number, rank.number)),
        }
        ranks.places.push(RankPlace {
            rank: rank.number,
            host: rank.host,
            gpu: rank.gpu,
            address: rank.address,
        });
        let attributes = Some((rank.group, rank.host, rank.device));
        if attributes != previous {
            previous = attributes;
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
    gpu: Option<u32>,
    address: &'a str,
    device: &'a str,
}

fn read_rank(line: &str) -> Option<Rank<'_>> {
    let mut cursor = Cursor::new(line);
    let _ = cursor.read_literal("#");
    cursor.read_bytes_while(is_blank);
    cursor.read_literal("Rank")?;
    let number = read_number(&mut cursor)?.parse().ok()?;
    let mut group = None;
    let mut lookahead = cursor;
    if read_literal(&mut lookahead, "Group").is_some() {
        group = read_number(&mut lookahead);
        cursor = group.map(|_| lookahead)?;
    }
    let mut lookahead = cursor;
    if read_literal(&mut lookahead, "Pid").is_some() {
        read_text(&mut lookahead)?;
        cursor = lookahead;
    }
    read_literal(&mut cursor, "on")?;
    let host = read_text(&mut cursor)?;
    read_literal(&mut cursor, "device")?;
    let gpu = read_number(&mut cursor)?.parse().ok();
    skip_blanks(&mut cursor)?;
    cursor.read_literal("[")?;
    let (address, remaining) = cursor
        .remaining
        .split_at(memchr::memchr(b']', cursor.remaining.as_bytes())?);
    cursor.remaining = remaining;
    cursor.read_literal("]")?;
    Some(Rank {
        number,
        group,
        host,
        gpu,
        address,
        device: cursor.remaining.trim(),
    })
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn skip_blanks(cursor: &mut Cursor<'_>) -> Option<()> {
    (!cursor.read_bytes_while(is_blank).is_empty()).then_some(())
}

fn read_literal(cursor: &mut Cursor<'_>, literal: &str) -> Option<()> {
    skip_blanks(cursor)?;
    cursor.read_literal(literal)?;
    cursor
        .remaining
        .bytes()
        .next()
        .is_some_and(is_blank)
        .then_some(())
}

fn read_number<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    skip_blanks(cursor)?;
    cursor.read_digits(1, usize::MAX)
}

fn read_text<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    skip_blanks(cursor)?;
    Some(cursor.read_while(|character| !character.is_whitespace())).filter(|read| !read.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_numbers_form_a_range() {
        let line = |number: u32| format!("#  Rank {number} Pid 1 on n device 0 [0x01] D\n");
        let text: String = [0, 1, 1, 3, 4, 2, u32::MAX, 0].map(line).concat();
        let expected = [(0, 1), (1, 1), (3, 4), (2, 2), (u32::MAX, u32::MAX), (0, 0)];
        assert_eq!(read_ranks(&text).numbers, expected);
    }

    #[test]
    fn old_and_new_forms_are_read_and_other_lines_are_skipped() {
        let ranks = read_ranks(
            "#  Rank  0 Group  1 Pid  14840 on  node1 device  0 [0x01] NVIDIA A100 \n\
             #   Rank  1 Pid  14841 on node2 device  1 [0000:1b:00] NVIDIA A100\n\
             # Rank 2 on node2 device 2 [0xa1]\n\
             #  Rank  3 Group  1 Pid  14840 on  node1 dev\n\
             # nThread 1",
        );
        assert_eq!(ranks.numbers, [(0, 2)]);
        assert_eq!(ranks.groups, BTreeSet::from(["1"]));
        assert_eq!(ranks.hosts, BTreeSet::from(["node1", "node2"]));
        assert_eq!(ranks.devices, BTreeSet::from(["NVIDIA A100"]));
        let places: Vec<_> = ranks
            .places
            .iter()
            .map(|place| (place.rank, place.host, place.gpu, place.address))
            .collect();
        let expected = [
            (0, "node1", Some(0), "0x01"),
            (1, "node2", Some(1), "0000:1b:00"),
            (2, "node2", Some(2), "0xa1"),
        ];
        assert_eq!(places, expected);
    }
}
