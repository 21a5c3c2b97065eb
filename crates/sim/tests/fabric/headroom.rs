//! The directed scenario that meets every term of the headroom at once: as much arrives after XOFF as ever can.
//!
//! A floods a blocked egress with the frames that pack worst into cells. The frame that crosses the threshold is the longest;
//! at that moment the switch has just started a longest frame back to A, the PFC frame waits behind it, the cable is the one
//! planned for, A obeys as late as the standard allows and has then just started a longest frame.

use crate::bench::{frame_time, plain, post_sends, queue, run_until, share, DATA, SHORTEST};
use crate::support::{connect, link, network, post};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::model::parameters::{Headroom, Reaction};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, NANOSECOND};
use wirespeed_wire::headroom::{response_ceiling, Loop, Terms};

/// 300 m of fibre at 5 ns/m: the longest entry of SONiC's pg_profile_lookup.ini for Tomahawk 3 and 5.
const CABLE_NS: u64 = 1_500;
const GENERATION_NS: u64 = 200;
const LATENCY_NS: u64 = 450;
/// Shared cells.
const SHARED: u64 = 4;
const PAYLOAD: u32 = 4096;
/// The first packet of a write: a send's and a RETH.
const LONGEST: u32 = 62 + 16 + PAYLOAD;

/// Hosts: B sends back, A floods, X is blocked, C takes shared cells. A's port of the switch.
const FLOODED: u32 = 3;

/// Speed in Gb/s, and a cell of a switch of its time: Trident 2 and 3, Tomahawk 3 (SONiC's buffer profiles).
const ROWS: [(u64, u32); 7] = [
    (10, 208),
    (25, 256),
    (40, 208),
    (100, 256),
    (200, 254),
    (400, 254),
    (800, 254),
];

struct Bench {
    rate: u64,
    cell: u32,
    latency_ns: u64,
}

impl Bench {
    /// By IEEE 802.1Q annex N. The peer continues to send while frames are in the switch and not yet counted.
    fn terms(&self) -> Terms {
        Terms::compute(&Loop {
            rate: self.rate,
            delay: CABLE_NS * NANOSECOND,
            generation: (GENERATION_NS + self.latency_ns) * NANOSECOND,
            response: response_ceiling(self.rate),
            longest: Bytes(LONGEST),
            shortest: Bytes(SHORTEST),
            pfc: Bytes(SHORTEST),
            lossless: 1,
            gap: Bytes(20),
            cell: Bytes(self.cell),
        })
    }

    fn time(&self, bytes: u32) -> Picoseconds {
        frame_time(self.rate, bytes)
    }

    /// When the crossing frame is in the switch: two short frames, then itself, then the cable.
    fn count_crossing(&self) -> Picoseconds {
        2 * self.time(SHORTEST) + self.time(LONGEST) + (CABLE_NS + self.latency_ns) * NANOSECOND
    }

    fn scenario(&self, headroom: Headroom) -> Scenario {
        let mut parameters = plain();
        parameters.switch.cell_bytes = Bytes(self.cell);
        parameters.switch.headroom = headroom;
        parameters.switch.alpha_exponent = 0;
        parameters.switch.latency_ns = Nanoseconds(self.latency_ns);
        parameters.pfc.generation_delay_ns = Nanoseconds(GENERATION_NS);
        parameters.pfc.reaction = Reaction::Ceiling;
        let gbps = self.rate / 1_000_000_000;
        let mut blocked = link(2, 4, 1, 0);
        blocked.rate = 1_000_000; // the first frame takes longer than all that matters
        let links = vec![
            link(0, 4, gbps, 0),
            link(1, 4, gbps, CABLE_NS),
            blocked,
            link(3, 4, gbps, CABLE_NS),
        ];
        let mut scenario = network(4, 1, links, parameters);
        share(&mut scenario, SHARED);
        self.flood(&mut scenario);
        self.take_shared(&mut scenario);
        self.send_back(&mut scenario);
        scenario
    }

    /// A has one of four cells, and then C two: A's threshold falls to what A has without A having crossed it, so that the
    /// crossing frame and all after it find no cell but in the headroom.
    fn take_shared(&self, scenario: &mut Scenario) {
        let c = connect(scenario, 3, 2);
        for _ in 0..2 {
            post(scenario, c, Verb::Send, 0, 3 * self.time(SHORTEST));
        }
    }

    /// One short frame that leaves, one that stays, the crossing frame, short ones for the time until A obeys, then a long
    /// one that starts not later than that, and what must no longer start.
    fn flood(&self, scenario: &mut Scenario) {
        let a = connect(scenario, 1, 2);
        post_sends(scenario, a, 2, 0);
        post(
            scenario,
            a,
            Verb::Write,
            u64::from(PAYLOAD),
            Picoseconds::ZERO,
        );
        let filled = self.terms().window() / self.time(SHORTEST);
        post_sends(scenario, a, filled, 0);
        post(
            scenario,
            a,
            Verb::Write,
            u64::from(PAYLOAD),
            Picoseconds::ZERO,
        );
        post_sends(scenario, a, 100, 0);
    }

    /// B's first frame reaches the idle port to A at the time when the PFC frame is queued at that port, and is sent first.
    fn send_back(&self, scenario: &mut Scenario) {
        let b = connect(scenario, 0, 1);
        let ready = self.count_crossing() + GENERATION_NS * NANOSECOND;
        let at = ready - self.time(LONGEST) - self.latency_ns * NANOSECOND;
        post(scenario, b, Verb::Write, 1000 * u64::from(PAYLOAD), at);
    }

    fn run(&self, headroom: Headroom) -> Outcome {
        let all = self.count_crossing() + self.terms().window() + self.time(LONGEST);
        run_until(self.scenario(headroom), all + Picoseconds(1))
    }

    /// Frames dropped, and the most headroom in use, cells.
    fn measure(&self, headroom: Headroom) -> (u64, u64) {
        let outcome = self.run(headroom);
        let cell = u64::from(self.cell);
        (
            queue(&outcome, FLOODED, DATA, "drops"),
            queue(&outcome, FLOODED, DATA, "max_headroom_bytes") / cell,
        )
    }
}

fn benches(latency_ns: u64) -> impl Iterator<Item = (u64, Bench)> {
    ROWS.into_iter().map(move |(gbps, cell)| {
        let rate = gbps * 1_000_000_000;
        (
            gbps,
            Bench {
                rate,
                cell,
                latency_ns,
            },
        )
    })
}

/// Not one cell too many: the headroom is filled to its last cell.
#[test]
fn the_computed_headroom_is_what_is_needed() {
    for latency_ns in [0, LATENCY_NS] {
        for (gbps, bench) in benches(latency_ns) {
            let (drops, cells) = bench.measure(Headroom::Computed { percent: 100 });
            assert_eq!(drops, 0, "{gbps} Gb/s, {latency_ns} ns");
            assert_eq!(cells, bench.terms().cells(), "{gbps} Gb/s, {latency_ns} ns");
        }
    }
}

#[test]
fn nine_tenths_are_too_little() {
    for (gbps, bench) in benches(0) {
        let (drops, _) = bench.measure(Headroom::Computed { percent: 90 });
        assert!(drops > 0, "{gbps} Gb/s");
    }
}

#[test]
fn one_cell_less_loses_one_frame() {
    for (gbps, bench) in benches(0) {
        let bytes = (bench.terms().cells() as u32 - 1) * bench.cell;
        assert_eq!(
            bench
                .measure(Headroom::Fixed {
                    bytes: Bytes(bytes)
                })
                .0,
            1,
            "{gbps} Gb/s"
        );
    }
}

/// A term left out is a term that is missed, by what it holds.
#[test]
fn without_any_term_it_is_too_little() {
    for (gbps, bench) in benches(LATENCY_NS) {
        let all = bench.terms();
        let omitted_terms = [
            (
                "response",
                Terms {
                    response: Picoseconds::ZERO,
                    ..all
                },
            ),
            (
                "generation",
                Terms {
                    generation: Picoseconds::ZERO,
                    ..all
                },
            ),
            (
                "frame sent back",
                Terms {
                    frame_sent_back: Picoseconds::ZERO,
                    ..all
                },
            ),
            (
                "PFC frame",
                Terms {
                    pfc_frames: Picoseconds::ZERO,
                    ..all
                },
            ),
            (
                "cable",
                Terms {
                    cable: Picoseconds::ZERO,
                    ..all
                },
            ),
            (
                "crossing frame",
                Terms {
                    crossing_cells: 0,
                    ..all
                },
            ),
            (
                "last frame",
                Terms {
                    last_frame_cells: 0,
                    ..all
                },
            ),
        ];
        for (term, terms) in omitted_terms {
            let missing = all.cells() - terms.cells();
            let bytes = terms.cells() as u32 * bench.cell;
            let (drops, _) = bench.measure(Headroom::Fixed {
                bytes: Bytes(bytes),
            });
            // The last frame is lost, and of the short ones before it those that the rest would have held.
            let last = u64::from(all.last_frame_cells);
            assert_eq!(
                drops,
                1 + missing.saturating_sub(last),
                "{gbps} Gb/s, {term}"
            );
        }
    }
}

/// The same flood when the peer obeys at once: the response is what is left over.
#[test]
fn a_prompt_peer_leaves_the_response_unused() {
    for (gbps, bench) in benches(0) {
        let mut scenario = bench.scenario(Headroom::Computed { percent: 100 });
        scenario.parameters.pfc.reaction = Reaction::Fixed { ns: Nanoseconds(0) };
        let cells = bench.terms().cells();
        scenario.parameters.switch.headroom = Headroom::Fixed {
            bytes: Bytes(cells as u32 * bench.cell),
        };
        share(&mut scenario, SHARED);
        let end = bench.count_crossing() + bench.terms().window() + bench.time(LONGEST);
        let outcome = run_until(scenario, end);
        let used = queue(&outcome, FLOODED, DATA, "max_headroom_bytes") / u64::from(bench.cell);
        let prompt = Terms {
            response: Picoseconds::ZERO,
            // The frame that has just started is short: one cell.
            last_frame_cells: 1,
            ..bench.terms()
        };
        assert_eq!(used, prompt.cells(), "{gbps} Gb/s");
    }
}
