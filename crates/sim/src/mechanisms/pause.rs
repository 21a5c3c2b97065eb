//! Priority flow control: state and times of pauses.
//!
//! IEEE 802.1Q clause 36. A PFC frame is sent before all others, is not queued in the peer, and takes effect after the frame
//! in transmission.

use crate::bytes::Bytes;
use crate::headroom;
use crate::ids::{ports_of, Priority, PRIORITIES};
use crate::mechanisms::watchdog::Guard;
use crate::model::parameters::{Pfc, Reaction};
use crate::model::scenario::Scenario;
use crate::time::{ByteTime, Picoseconds, NEVER};
use std::ops::{Index, IndexMut};

/// Bytes that a link sends in one pause quantum of 512 bit times (IEEE 802.3 annex 31B.2).
const QUANTUM: Bytes<u32> = Bytes(64);

/// PFC of every priority. A port that never sent or received XOFF has none of it.
#[derive(Debug, Clone, Default)]
pub struct Pauses(Option<Box<[Pause; PRIORITIES]>>);

/// PFC of one priority: pauses received by the port, and pauses it sends to its peer.
#[derive(Debug, Clone, Copy)]
pub struct Pause {
    /// Since when it is paused; `NEVER` = it is not.
    pub since: Picoseconds,
    /// Until when it is paused if no further PFC frame arrives; `NEVER` = until XON.
    pub until: Picoseconds,
    /// Total pause time.
    pub total: Picoseconds,
    /// XOFF frames received.
    pub xoff_received: u64,
    /// XON frames received.
    pub xon_received: u64,
    /// XOFF frames sent to the peer, refreshes included.
    pub xoff_sent: u64,
    /// XON frames sent.
    pub xon_sent: u64,
    /// XOFF frames that repeated an earlier one.
    pub refreshed: u64,
    /// When XOFF is repeated; `NEVER` = not.
    pub refresh_at: Picoseconds,
    /// XOFF and XON frames decided while generation takes time.
    pub decision_count: u32,
    /// State of the watchdog.
    pub guard: Guard,
}

/// The quanta in a PFC frame: 0 is XON.
pub(crate) fn quanta_in(pfc: &Pfc, xoff: bool) -> u16 {
    match xoff {
        true => pfc.quanta.unwrap_or(u16::MAX),
        false => 0,
    }
}

/// Duration of `quanta` on a link.
pub(crate) fn quanta_time(byte: ByteTime, quanta: u16) -> Picoseconds {
    byte.times(QUANTUM * u32::from(quanta))
}

/// Quanta after which XOFF is repeated, if it is. A stuck NIC never lets a pause expire.
pub(crate) fn refresh_quanta(pfc: &Pfc, is_stuck: bool) -> Option<u16> {
    let before_the_end = pfc.quanta.filter(|_| is_stuck).map(|quanta| quanta / 2 + 1);
    pfc.refresh_quanta.or(before_the_end)
}

/// From a PFC frame received to the port obeying it, from the parameters.
pub(crate) fn reaction(reaction: &Reaction, rate: u64) -> Picoseconds {
    match reaction {
        Reaction::Fixed { ns } => Picoseconds::from(*ns),
        Reaction::Ceiling => headroom::response_ceiling(rate),
    }
}

/// From the decision to pause until its quanta have expired, on the link where that takes longest.
pub(crate) fn longest(scenario: &Scenario) -> Picoseconds {
    let ports = ports_of(scenario.links.len());
    let pauses = ports.map(|port| {
        let link = &scenario.links[port.link()];
        let quanta = quanta_time(ByteTime::from_rate(link.rate), u16::MAX);
        let generation = Picoseconds::from(scenario.of_port(port).pfc.generation_delay_ns);
        let reaction = reaction(&scenario.of_port(port.peer()).pfc.reaction, link.rate);
        generation + link.delay + reaction + quanta
    });
    pauses.max().unwrap_or(Picoseconds::ZERO)
}

impl Index<Priority> for Pauses {
    type Output = Pause;
    fn index(&self, priority: Priority) -> &Pause {
        self.0.as_ref().map_or(&Pause::NONE, |all| &all[priority])
    }
}

impl IndexMut<Priority> for Pauses {
    fn index_mut(&mut self, priority: Priority) -> &mut Pause {
        let all = self
            .0
            .get_or_insert_with(|| Box::new([Pause::NONE; PRIORITIES]));
        &mut all[priority]
    }
}

impl Pause {
    /// Neither paused nor pausing.
    pub const NONE: Pause = Pause {
        since: NEVER,
        until: NEVER,
        total: Picoseconds::ZERO,
        xoff_received: 0,
        xon_received: 0,
        xoff_sent: 0,
        xon_sent: 0,
        refreshed: 0,
        refresh_at: NEVER,
        decision_count: 0,
        guard: Guard::NONE,
    };

    /// XOFF is active until `until`. Returns whether it begins a pause.
    pub fn begin(&mut self, now: Picoseconds, until: Picoseconds) -> bool {
        let begins = self.since == NEVER;
        if begins {
            self.since = now;
        }
        self.until = until;
        begins
    }

    /// The pause ends: since when it was active, `None` if there was none.
    pub fn end(&mut self, now: Picoseconds) -> Option<Picoseconds> {
        if self.since == NEVER {
            return None;
        }
        let since = std::mem::replace(&mut self.since, NEVER);
        self.until = NEVER;
        self.total += now - since;
        Some(since)
    }

    /// A PFC frame was received.
    pub fn count_received(&mut self, xoff: bool) {
        self.xoff_received += u64::from(xoff);
        self.xon_received += u64::from(!xoff);
    }

    /// A PFC frame was sent.
    pub fn count_sent(&mut self, xoff: bool) {
        self.xoff_sent += u64::from(xoff);
        self.xon_sent += u64::from(!xoff);
    }

    /// XOFF or XON is decided: returns a number for it, larger than those before, with XOFF in the last bit.
    pub fn decide(&mut self, xoff: bool) -> u32 {
        self.decision_count = self.decision_count.wrapping_add(1);
        self.decision_count << 1 | u32::from(xoff)
    }
}
