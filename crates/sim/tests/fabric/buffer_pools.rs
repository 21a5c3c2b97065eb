//! The buffer of a switch divided into pools: who takes room from whom.

use crate::bench::{plain, post_sends, queue, run_until, DATA};
use crate::support::{connect, draws, link, network, post};
use proptest::prelude::*;
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::ids::Priority;
use wirespeed_sim::model::parameters::{Headroom, Parameters, Pools, SharedHeadroom};
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::{Scenario, Verb};
use wirespeed_sim::time::{Picoseconds, MICROSECOND};

const CELL: u64 = 254;
/// A priority that is not lossless.
const LOSSY: u8 = 0;
/// Long after all have come in, and before a second frame leaves.
const FILLED: Picoseconds = MICROSECOND.times(100);

/// Hosts that all send to the last one, behind a link that takes one frame and then no other. The buffer of the switch has
/// this number of cells beside the headroom of each port.
struct Bench {
    scenario: Scenario,
}

impl Bench {
    fn new(senders: u32, parameters: Parameters, cells: u64) -> Self {
        let links = (0..senders).map(|host| link(host, senders + 1, 100, 0));
        let mut blocked = link(senders, senders + 1, 1, 0);
        blocked.rate = 1_000_000;
        let private = match (
            &parameters.switch.shared_headroom,
            &parameters.switch.headroom,
        ) {
            (None, Headroom::Fixed { bytes }) => u64::from(senders + 1) * u64::from(bytes.0),
            _ => 0,
        };
        let mut scenario = network(senders + 1, 1, links.chain([blocked]).collect(), parameters);
        scenario.buffer_bytes.fill(Bytes(cells * CELL + private));
        Bench { scenario }
    }

    /// A host sends this number of frames of one cell, all at once.
    fn send_cells(&mut self, host: u32, priority: u8, count: u64) {
        let to = self.scenario.hosts - 1;
        let id = connect(&mut self.scenario, host, to);
        self.scenario.connections.last_mut().unwrap().priority = Priority(priority);
        post_sends(&mut self.scenario, id, count, 0);
    }

    /// A host sends more than the buffer has room for, and obeys no pause.
    fn floods(&mut self, host: u32, priority: u8) {
        self.scenario.links[host as usize].pfc_lost_from = Picoseconds::ZERO;
        self.send_cells(host, priority, 3_000);
    }

    fn run_until_filled(self) -> Outcome {
        run_until(self.scenario, FILLED)
    }
}

/// Alpha is 1.
fn with_pools(pools: Option<[u8; 2]>, headroom_cells: u64) -> Parameters {
    let mut parameters = plain();
    let switch = &mut parameters.switch;
    switch.alpha_exponent = 0;
    switch.headroom = Headroom::Fixed {
        bytes: Bytes((headroom_cells * CELL) as u32),
    };
    switch.pools = pools.map(|[lossless_percent, lossy_percent]| Pools {
        lossless_percent,
        lossy_percent,
    });
    parameters
}

/// Cells of a host's priority group, without headroom. Nothing leaves, so the maximum is the present count.
fn cells(outcome: &Outcome, host: u32, priority: u8) -> u64 {
    queue(outcome, 2 * host + 1, priority, "max_ingress_bytes") / CELL
}

fn headroom(outcome: &Outcome, host: u32) -> u64 {
    queue(outcome, 2 * host + 1, DATA, "max_headroom_bytes") / CELL
}

/// A lossless and a lossy flood share one pool, S / (1 + m) each; with two pools each settles in its own, whatever the other
/// does.
#[test]
fn neither_takes_room_from_the_other() {
    const SHARED: u64 = 1_200;
    let run = |pools, lossless: bool, lossy: u32| {
        let mut bench = Bench::new(3, with_pools(pools, 0), SHARED);
        if lossless {
            bench.floods(0, DATA);
        }
        (1..=lossy).for_each(|host| bench.floods(host, LOSSY));
        let outcome = bench.run_until_filled();
        [cells(&outcome, 0, DATA), cells(&outcome, 1, LOSSY)]
    };
    let rows = [
        (None, true, 0, [600, 0]),
        (None, false, 1, [0, 600]),
        (None, true, 1, [400, 400]),
        (None, true, 2, [300, 300]),
        (Some([50, 25]), true, 0, [300, 0]),
        (Some([50, 25]), false, 1, [0, 150]),
        (Some([50, 25]), true, 1, [300, 150]),
        (Some([50, 25]), true, 2, [300, 100]),
    ];
    for (pools, lossless, lossy, expected) in rows {
        let found = run(pools, lossless, lossy);
        let near = |n: usize| found[n].abs_diff(expected[n]) <= 2;
        assert!(
            near(0) && near(1),
            "{pools:?} {lossless} {lossy}: {found:?} of {expected:?}"
        );
    }
}

/// A burst that fits pauses no sender, until lossy traffic fills the pool that it shares with it.
#[test]
fn a_lossy_flood_makes_no_lossless_sender_pause() {
    let pauses = |pools, lossy: u32| {
        let mut bench = Bench::new(5, with_pools(pools, 200), 1_000);
        bench.send_cells(0, DATA, 200);
        (1..=lossy).for_each(|host| bench.floods(host, LOSSY));
        let outcome = bench.run_until_filled();
        assert_eq!(queue(&outcome, 1, DATA, "drops"), 0);
        outcome.summary.pfc_pauses
    };
    assert_eq!([pauses(None, 0), pauses(None, 4)], [0, 1]); // threshold of S - 200, of S / 6
    assert_eq!(
        [pauses(Some([50, 50]), 0), pauses(Some([50, 50]), 4)],
        [0, 0]
    ); // of S / 2 - 200
       // The same by division alone: a smaller pool pauses sooner.
    assert_eq!(pauses(Some([30, 70]), 0), 1);
}

/// Each group uses at most its limit, and all groups at most the pool.
#[test]
fn headroom_that_is_shared_can_run_out() {
    const EACH: u64 = 100;
    let run = |shared: Option<SharedHeadroom>, cells: u64, floods: u32| {
        let mut parameters = with_pools(None, EACH);
        parameters.switch.shared_headroom = shared;
        let mut bench = Bench::new(3, parameters, cells);
        (0..floods).for_each(|host| bench.floods(host, DATA));
        let outcome = bench.run_until_filled();
        let sum: u64 = (0..floods).map(|host| headroom(&outcome, host)).sum();
        (sum, self::cells(&outcome, 0, DATA))
    };
    let fixed = |cells: u64| {
        Some(SharedHeadroom::Fixed {
            bytes: Bytes(cells * CELL),
        })
    };
    let share = |percent| Some(SharedHeadroom::Share { percent });
    // One group or two at their thresholds, S / 2 and S / 3, and what is in headroom.
    assert_eq!(run(None, 600, 1), (100, 300));
    assert_eq!(run(None, 600, 2), (200, 200));
    assert_eq!(run(fixed(150), 750, 1), (100, 300));
    assert_eq!(run(fixed(150), 750, 2), (150, 200));
    assert_eq!(run(fixed(1_000), 1_600, 2), (200, 200));
    assert_eq!(run(share(20), 750, 2), (150, 200));
}

/// Each slice has its part of every pool.
#[test]
fn slices_are_divided_each() {
    let run = |slices: u32| {
        let mut parameters = with_pools(Some([60, 20]), 100);
        parameters.switch.slices = slices;
        parameters.switch.shared_headroom = Some(SharedHeadroom::Share { percent: 10 });
        let mut bench = Bench::new(3, parameters, 1_200);
        (0..2).for_each(|host| bench.floods(host, DATA));
        bench.floods(2, LOSSY);
        let outcome = bench.run_until_filled();
        let lossless = [0, 1].map(|host| cells(&outcome, host, DATA));
        let room = [0, 1]
            .map(|host| headroom(&outcome, host))
            .iter()
            .sum::<u64>();
        (lossless, cells(&outcome, 2, LOSSY), room)
    };
    // Both lossless ports are in the first slice, the lossy one in the second.
    assert_eq!(run(1), ([240; 2], 120, 120));
    assert_eq!(run(2), ([120; 2], 60, 60));
}

proptest! {
    #![proptest_config(draws(64))]
    /// No pool gives more than it has, whatever arrives.
    #[test]
    fn pools_hold(
        exponent in -3i8..=5,
        shares in (1u8..=60, 1u8..=30, 1u8..=10),
        cells in 400u64..2_000,
        payloads in prop::collection::vec(0u64..4097, 4),
    ) {
        let (lossless, lossy, room) = shares;
        let mut parameters = with_pools(Some([lossless, lossy]), 60);
        parameters.switch.alpha_exponent = exponent;
        parameters.switch.shared_headroom = Some(SharedHeadroom::Share { percent: room });
        let mut bench = Bench::new(5, parameters, cells);
        bench.send_cells(4, LOSSY, 1); // takes the egress
        for (host, bytes) in (0..).zip(&payloads) {
            let id = connect(&mut bench.scenario, host, 5);
            bench.scenario.connections.last_mut().unwrap().priority = if host < 2 { Priority(DATA) } else { Priority(LOSSY) };
            bench.scenario.links[host as usize].pfc_lost_from = Picoseconds::ZERO;
            for _ in 0..40 {
                post(&mut bench.scenario, id, Verb::Send, *bytes, MICROSECOND);
            }
        }
        let outcome = bench.run_until_filled();
        let sum = |hosts: [u32; 2], priority| hosts.map(|host| self::cells(&outcome, host, priority)).iter().sum::<u64>();
        let of = |percent: u8| cells * u64::from(percent) / 100;
        prop_assert!(sum([0, 1], DATA) <= of(lossless));
        prop_assert!(sum([2, 3], LOSSY) <= of(lossy));
        prop_assert!(headroom(&outcome, 0) + headroom(&outcome, 1) <= of(room));
    }
}
