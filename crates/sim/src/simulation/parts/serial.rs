//! Why a run is on one thread.

use std::fmt;

/// What keeps a run in one, or made it one again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alone {
    /// No more were asked for.
    OneThread,
    /// Less to do than pays for a second thread.
    Small,
    /// A port is captured. What stands in a captured packet (message number, address, length) the sender knows only at that
    /// moment, and it may be in another part.
    Captures,
    /// There is nothing to cut: one switch; or all devices act on each other at once, by links without delay or operations
    /// that wait for each other without any.
    Indivisible,
    /// One part would have nearly all of the work.
    Unequal,
    /// Parts met more often than there was work to do in between.
    Idle,
    /// Nothing moved for as long as a pause may last: only the whole network can tell a deadlock.
    Standstill,
}

impl Alone {
    /// Whether more threads would have made the run shorter.
    pub fn costs(self) -> bool {
        !matches!(self, Alone::OneThread | Alone::Small | Alone::Idle)
    }
}

impl fmt::Display for Alone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Alone::OneThread => "no more were asked for",
            Alone::Small => "less to do than pays for a second",
            Alone::Captures => "a captured packet tells of both ends of its connection",
            Alone::Indivisible => "no cut of the network leaves a delay between its parts",
            Alone::Unequal => "one part of the network would have nearly all of the work",
            Alone::Idle => "parts of the network had too little to do between their meetings",
            Alone::Standstill => {
                "nothing moved, which only the whole network can tell from a deadlock"
            }
        })
    }
}
