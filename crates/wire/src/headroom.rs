//! PFC headroom: the buffer for frames that arrive at a priority group after its port has sent a pause.
//!
//! IEEE 802.1Q annex N adds up the delays of the loop; so do the buffer calculators of vendors. The delays from the frame that
//! crosses the threshold to the last bit that can arrive:
//!
//! ```text
//! generation │ frame being sent back │ PFC frame │ cable │ response of the peer │ frame the peer has started │ cable
//! ```
//!
//! The peer sends frames back to back until it stops, so the link is fully used during this time. A frame takes whole cells of
//! the buffer, so small frames take more of the buffer than of the link; the frame length with the most cells per time decides.

use crate::bytes::Bytes;
use crate::time::{ByteTime, Picoseconds, SECOND};

/// The control loop of PFC: the properties of a link and its frames on which headroom depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loop {
    /// Bits per second.
    pub rate: u64,
    /// Propagation in one direction.
    pub delay: Picoseconds,
    /// Time from crossing the threshold to the PFC frame being the next to send.
    pub generation: Picoseconds,
    /// Time from receiving the PFC frame to starting no further frame, as configured at the peer.
    pub response: Picoseconds,
    /// Longest frame, header through FCS, bytes.
    pub longest: Bytes<u32>,
    /// Shortest frame, bytes.
    pub shortest: Bytes<u32>,
    /// A PFC frame, bytes.
    pub pfc: Bytes<u32>,
    /// Lossless priorities of the port: at most this many PFC frames are queued.
    pub lossless: u32,
    /// Bytes that a frame occupies on the link in addition to its length: preamble, start delimiter, gap.
    pub gap: Bytes<u32>,
    /// Bytes of a buffer cell.
    pub cell: Bytes<u32>,
}

/// The headroom of one priority group, term by term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Time until the PFC frame is the next to send.
    pub generation: Picoseconds,
    /// Time of the longest frame, which this side has just started to send.
    pub frame_sent_back: Picoseconds,
    /// Time of the PFC frame, and of those of the other lossless priorities before it.
    pub pfc_frames: Picoseconds,
    /// Propagation to the peer and back.
    pub cable: Picoseconds,
    /// Response of the peer.
    pub response: Picoseconds,
    /// Cells of the frame that crosses the threshold. The whole frame is in the headroom.
    pub crossing_cells: u32,
    /// Cells of the frame that the peer has just started when it stops.
    pub last_frame_cells: u32,
    /// The length of the frames between these two.
    pub worst: Worst,
}

/// The frame length with the most cells per time on the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worst {
    /// Header through FCS, bytes.
    pub bytes: Bytes<u32>,
    /// Cells of a frame of this length.
    pub cells: u32,
    /// Time on the link, gap included.
    pub time: Picoseconds,
}

impl Terms {
    /// The terms of a link.
    pub fn compute(link: &Loop) -> Terms {
        let byte = ByteTime::from_rate(link.rate);
        let cells = link.longest.div_ceil(link.cell);
        Terms {
            generation: link.generation,
            frame_sent_back: byte.times(link.longest + link.gap),
            pfc_frames: byte.times(link.pfc + link.gap) * u64::from(link.lossless),
            cable: 2 * link.delay,
            response: link.response,
            crossing_cells: cells,
            last_frame_cells: cells,
            worst: Worst::find(link),
        }
    }

    /// Time for which frames of the peer continue to arrive.
    pub fn window(&self) -> Picoseconds {
        self.generation + self.frame_sent_back + self.pfc_frames + self.cable + self.response
    }

    /// Cells that always suffice. No mix of frames that starts within the window takes more cells than the worst frame
    /// takes on average, so the result is never too small; it is exact where the worst frame takes one cell.
    pub fn cells(&self) -> u64 {
        let filled = u128::from(self.window().0) * u128::from(self.worst.cells)
            / u128::from(self.worst.time.0.max(1));
        filled as u64 + u64::from(self.crossing_cells) + u64::from(self.last_frame_cells)
    }
}

impl Worst {
    /// Of the lengths that take n cells the shortest is the worst, `(n - 1) cell + 1`. Cells per time are then a ratio of
    /// two lines in n, which has its maximum at an end: the fewest cells (where the shortest frame may be longer than
    /// that length, so the next number is an end, too) or the most.
    fn find(link: &Loop) -> Worst {
        let byte = ByteTime::from_rate(link.rate);
        let shortest = link.shortest.clamp(Bytes(1), link.longest.max(Bytes(1)));
        let shortest_with = |cells: u32| {
            let bytes = (link.cell * (cells - 1) + Bytes(1)).max(shortest);
            Worst {
                bytes,
                cells,
                time: byte.times(bytes + link.gap).max(Picoseconds(1)),
            }
        };
        let (fewest, most) = (
            shortest.div_ceil(link.cell),
            link.longest.max(Bytes(1)).div_ceil(link.cell),
        );
        let density =
            |worst: &Worst, other: &Worst| u128::from(worst.cells) * u128::from(other.time.0);
        [fewest, (fewest + 1).min(most), most]
            .map(shortest_with)
            .into_iter()
            .reduce(|best, candidate| {
                match density(&candidate, &best) > density(&best, &candidate) {
                    true => candidate,
                    false => best,
                }
            })
            .expect("three candidates")
    }
}

/// Maximum bit times from receiving a PFC frame to obeying it (IEEE 802.3 annex 31B.3.7), by rate: 60, 80, 118, 394 and
/// 905 pause quanta of 512 bit times at 10, 25, 40, 100 and 400 Gb/s.
const CEILINGS: [(u64, u64); 5] = [
    (10, 30_720),
    (25, 40_960),
    (40, 60_416),
    (100, 201_728),
    (400, 463_360),
];

/// Longest time that a peer may continue to send after receiving a PFC frame (IEEE 802.1Q 36.1.3.3).
///
/// A rate that is not listed has the bit times of the next higher listed rate, which are never fewer; above 400 Gb/s, the
/// bit times of 400 Gb/s are multiplied by the rate in units of 400 Gb/s, rounded up.
pub fn response_ceiling(rate: u64) -> Picoseconds {
    const GIGABIT: u64 = 1_000_000_000;
    let listed = CEILINGS.iter().find(|(gbps, _)| rate <= gbps * GIGABIT);
    let bits = match listed {
        Some((_, bits)) => *bits,
        None => CEILINGS[4].1 * rate.div_ceil(400 * GIGABIT),
    };
    Picoseconds((u128::from(bits) * u128::from(SECOND.0)).div_ceil(u128::from(rate)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GIGABIT: u64 = 1_000_000_000;

    /// RoCE over 200 m: frames of 64 to 4174 bytes, cells of Tomahawk 3.
    fn roce(gbps: u64) -> Loop {
        Loop {
            rate: gbps * GIGABIT,
            delay: Picoseconds(1_000_000),
            generation: Picoseconds::ZERO,
            response: response_ceiling(gbps * GIGABIT),
            longest: Bytes(4174),
            shortest: Bytes(64),
            pfc: Bytes(64),
            lossless: 1,
            gap: Bytes(20),
            cell: Bytes(254),
        }
    }

    #[test]
    fn terms_at_100_gigabits_match_the_formula() {
        let terms = Terms::compute(&roce(100));
        let expected = Terms {
            generation: Picoseconds::ZERO,
            frame_sent_back: Picoseconds(4194 * 80),
            pfc_frames: Picoseconds(84 * 80),
            cable: Picoseconds(2_000_000),
            response: Picoseconds(2_017_280),
            crossing_cells: 17,
            last_frame_cells: 17,
            worst: Worst {
                bytes: Bytes(64),
                cells: 1,
                time: Picoseconds(84 * 80),
            },
        };
        assert_eq!(terms, expected);
        assert_eq!(terms.window(), Picoseconds(4_359_520)); // 54,494 bytes of link
        assert_eq!(terms.cells(), 648 + 17 + 17);
    }

    #[test]
    fn every_term_adds_cells() {
        let terms = Terms::compute(&Loop {
            generation: Picoseconds(500_000),
            ..roce(100)
        });
        let reductions = [
            (
                "generation",
                Terms {
                    generation: Picoseconds::ZERO,
                    ..terms
                },
                75,
            ),
            (
                "frame sent back",
                Terms {
                    frame_sent_back: Picoseconds::ZERO,
                    ..terms
                },
                50,
            ),
            (
                "PFC frame",
                Terms {
                    pfc_frames: Picoseconds::ZERO,
                    ..terms
                },
                1,
            ),
            (
                "cable",
                Terms {
                    cable: Picoseconds::ZERO,
                    ..terms
                },
                298,
            ),
            (
                "response",
                Terms {
                    response: Picoseconds::ZERO,
                    ..terms
                },
                301,
            ),
            (
                "crossing",
                Terms {
                    crossing_cells: 0,
                    ..terms
                },
                17,
            ),
            (
                "last frame",
                Terms {
                    last_frame_cells: 0,
                    ..terms
                },
                17,
            ),
        ];
        for (name, reduced, cells) in reductions {
            assert_eq!(terms.cells() - reduced.cells(), cells, "{name}");
        }
    }

    #[test]
    fn worst_frame_has_the_most_cells_per_time() {
        let rows = [
            // shortest, longest, gap, cell: length, cells
            ((64, 4174, 20, 254), (64, 1)),
            ((64, 4174, 20, 64), (65, 2)), // 2 cells in 85 bytes of link, against 1 in 84
            ((300, 4174, 20, 254), (300, 2)), // 2 in 320, against 3 in 529
            ((255, 4174, 20, 254), (255, 2)),
            ((250, 4174, 20, 254), (255, 2)), // 2 in 275, against 1 in 270
            ((60, 4144, 0, 1), (60, 60)),     // equal for every length: the shortest
            ((64, 4174, 20, 1), (4174, 4174)), // the least gap
        ];
        for ((shortest, longest, gap, cell), (bytes, cells)) in rows {
            let worst = Worst::find(&Loop {
                shortest: Bytes(shortest),
                longest: Bytes(longest),
                gap: Bytes(gap),
                cell: Bytes(cell),
                ..roce(100)
            });
            assert_eq!(
                (worst.bytes, worst.cells),
                (Bytes(bytes), cells),
                "{shortest} {cell}"
            );
        }
    }

    #[test]
    fn response_ceilings_follow_the_standard() {
        let rows = [
            (1, 30_720_000),
            (10, 3_072_000),
            (25, 1_638_400),
            (40, 1_510_400),
            (50, 4_034_560), // as 100 in bit times
            (100, 2_017_280),
            (200, 2_316_800), // as 400 in bit times
            (400, 1_158_400),
            (800, 1_158_400), // as 400 in time
            (1600, 1_158_400),
        ];
        for (gbps, picoseconds) in rows {
            assert_eq!(
                response_ceiling(gbps * GIGABIT),
                Picoseconds(picoseconds),
                "{gbps}"
            );
        }
    }

    /// The maximum number of cells of frames that start within `window`, found by an exhaustive search.
    fn most_cells(link: &Loop, window: Picoseconds) -> u64 {
        let byte = ByteTime::from_rate(link.rate);
        let frames: Vec<(usize, u64)> = (link.shortest.0..=link.longest.0)
            .map(Bytes)
            .map(|bytes| {
                (
                    byte.times(bytes + link.gap).0 as usize,
                    u64::from(bytes.div_ceil(link.cell)),
                )
            })
            .collect();
        let mut best = vec![0u64; window.0 as usize + 1];
        for now in 1..best.len() {
            best[now] = best[now - 1];
            for &(time, cells) in frames.iter().filter(|(time, _)| *time <= now) {
                best[now] = best[now].max(best[now - time] + cells);
            }
        }
        best[window.0 as usize]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Compared with an exhaustive search: never fewer cells than can arrive, and at most one frame more.
        #[test]
        fn cells_exceed_an_exhaustive_search_by_one_frame_at_most(shortest in 1u32..60, range in 0u32..60, gap in 0u32..20, cell in 1u32..40, window in 1u64..3000) {
            let link = Loop { rate: 8_000 * GIGABIT, longest: Bytes(shortest + range), shortest: Bytes(shortest), gap: Bytes(gap), cell: Bytes(cell), ..roce(100) };
            let terms = Terms { generation: Picoseconds(window), frame_sent_back: Picoseconds::ZERO, pfc_frames: Picoseconds::ZERO, cable: Picoseconds::ZERO, response: Picoseconds::ZERO, ..Terms::compute(&link) };
            let first_and_last = u64::from(terms.crossing_cells + terms.last_frame_cells);
            let (cells, exact) = (terms.cells() - first_and_last, most_cells(&link, Picoseconds(window)));
            prop_assert!(cells >= exact, "{cells} of {exact}");
            prop_assert!(cells <= exact + u64::from(terms.worst.cells), "{cells} of {exact}");
            if terms.worst.cells == 1 {
                prop_assert_eq!(cells, exact);
            }
        }

        /// A faster link or a longer cable never needs less headroom.
        #[test]
        fn headroom_grows_with_rate_and_delay(delay in 0u64..10_000_000, extra in 0u64..10_000_000) {
            for gbps in [10, 25, 40, 50, 100, 200, 400, 800] {
                let near = Loop { delay: Picoseconds(delay), ..roce(gbps) };
                let far = Loop { delay: Picoseconds(delay + extra), ..near };
                prop_assert!(Terms::compute(&far).cells() >= Terms::compute(&near).cells());
                let faster = Loop { rate: near.rate * 2, response: near.response, ..near };
                prop_assert!(Terms::compute(&faster).cells() >= Terms::compute(&near).cells());
            }
        }
    }
}
