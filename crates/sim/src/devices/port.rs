//! A port: the transmitter at one end of a link, its queues, and how it chooses between them.

use crate::bytes::Bytes;
use crate::ids::{PortId, Priority, PRIORITIES};
use crate::mechanisms::frame::{Frames, Line};
use crate::mechanisms::link_faults::LinkFaults;
use crate::mechanisms::pause::Pauses;
use crate::mechanisms::port_priority::PortPriorityTable;
use crate::model::parameters;
use crate::time::{ByteTime, Picoseconds, NEVER};

/// One transmitter. What a frame touches first is here; counters are in its queues.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Port {
    /// Until when the frame in transmission takes the link.
    pub busy_until: Picoseconds,
    /// When the port will look for the next frame by itself; `NEVER` = nothing to look for.
    pub wake_at: Picoseconds,
    /// Time of a byte on the link.
    pub byte: ByteTime,
    /// From the last bit sent to the frame standing in the peer: propagation and the peer's forwarding latency.
    pub flight: Picoseconds,
    /// Frames sent so far: counts the draws of chance.
    pub sent: u64,
    /// Index of the own node among switches or NIC ports.
    pub device: u32,
    /// Whether the own node is a switch.
    pub switch: bool,
    /// Bit n: queue n is not empty.
    pub waiting: u8,
    /// Bit n: the peer has paused priority n.
    pub paused: u8,
    /// Bit n: the watchdog drops what comes for priority n.
    pub dropping: u8,
    /// Bit n: what comes for priority n does not join the queue at once: it is dropped, or waits where it came in.
    pub aside: u8,
    /// A PFC frame is waiting.
    pub control: bool,
    /// What becomes of the frames on this link.
    pub delivery: Delivery,
    /// The priority whose turn it is.
    pub turn: Priority,
    /// Number of what the port is set to, among those of all ports.
    pub settings: u32,
}

const _: () = assert!(size_of::<Port>() == 64);

/// What becomes of a frame on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It arrives.
    Direct,
    /// It arrives in another part of the network.
    Border,
    /// It is captured, or may be lost.
    Checked,
}

/// Whether a port is down: busy for ever, so that nothing asks it for a frame.
#[inline]
pub(crate) fn is_down(port: &Port) -> bool {
    port.busy_until == NEVER
}

/// The egress queue of one priority of a port.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Queue {
    /// Who waits.
    pub line: Line,
    /// Bytes waiting.
    pub bytes: Bytes<u32>,
    /// Most bytes ever waiting.
    pub most_bytes: Bytes<u32>,
    /// What the priority may still send in its turn; negative = it sent more.
    pub deficit: i32,
    /// Packets marked CE.
    pub marks: u32,
    /// Averaged bytes, for marking.
    pub average: f64,
    /// When it became empty.
    pub empty_since: Picoseconds,
    /// Frames sent.
    pub frames: u64,
    /// Bytes sent, without preamble and gap.
    pub sent_bytes: Bytes,
    /// How it marks, among the markers of all queues.
    pub marker: u32,
}

const _: () = assert!(size_of::<Queue>() == 64);

/// What of a port is rarely touched.
#[derive(Debug, Clone)]
pub struct Side {
    /// PFC frames waiting.
    pub control: Line,
    /// Propagation alone.
    pub delay: Picoseconds,
    /// Probability that a frame is lost.
    pub loss: f64,
    /// From when on PFC frames are lost.
    pub pfc_lost_from: Picoseconds,
    /// Faults of the link in this direction.
    pub(crate) faults: LinkFaults,
    /// Bit n: a stuck NIC pauses priority n, whatever its receive buffer holds.
    pub storm: u8,
    /// Frames lost on the link.
    pub lost: u64,
    /// Frames of each priority that came in here and found no room in the switch, no route, or a port that is down.
    pub drops: [u64; PRIORITIES],
    /// Packets that found no room in flight to here, and were trimmed.
    pub trims: u64,
    /// PFC frames started.
    pub pfc_frames: u64,
    /// From a PFC frame received to it being obeyed.
    pub reaction: Picoseconds,
    /// Pauses received, by priority.
    pub pauses: Pauses,
}

impl Queue {
    /// Empty.
    pub fn new(marker: u32) -> Self {
        Queue {
            line: Line::EMPTY,
            bytes: Bytes(0),
            most_bytes: Bytes(0),
            deficit: 0,
            marks: 0,
            average: 0.0,
            empty_since: Picoseconds::ZERO,
            frames: 0,
            sent_bytes: Bytes(0),
            marker,
        }
    }
}

/// A frame joins the queue of its priority.
#[inline]
pub fn enqueue(port: &mut Port, queue: &mut Queue, frames: &mut Frames, index: u32) {
    let frame = &frames[index];
    queue.bytes += frame.bytes.widen();
    queue.most_bytes = queue.most_bytes.max(queue.bytes);
    port.waiting |= frame.priority.bit();
    queue.line.push(frames, index);
}

/// The first frame of a queue leaves; `priority` is the queue's.
#[inline]
pub fn dequeue(
    port: &mut Port,
    queue: &mut Queue,
    frames: &Frames,
    priority: Priority,
    now: Picoseconds,
) -> Option<u32> {
    let index = queue.line.pop(frames)?;
    queue.bytes -= frames[index].bytes.widen();
    if queue.line.is_empty() {
        port.waiting &= !priority.bit();
        queue.empty_since = now;
    }
    Some(index)
}

/// Strict priority over deficit round robin.
///
/// The round robin is the surplus form of Shreedhar and Varghese's (SIGCOMM 1995): a priority sends while it is not in
/// debt, so the length of the next frame need not be known. A priority that has nothing to send keeps its debt only.
#[derive(Debug, Clone)]
pub struct Scheduler {
    strict: u8,
    quantum: [i32; PRIORITIES],
}

impl Scheduler {
    /// From the parameters; `largest` is the longest frame, bytes.
    pub fn new(parameters: &parameters::Scheduler, largest: Bytes<u32>) -> Self {
        let weights = parameters.weights.map(|weight| weight.max(1));
        let least = weights.iter().copied().min().unwrap_or(1);
        Scheduler {
            strict: parameters.strict_priorities,
            // The least weight is worth one longest frame, so that every turn sends at least one.
            quantum: weights.map(|weight| {
                let quantum = u64::from(weight) * largest.widen() / u64::from(least);
                quantum.0.min(1 << 30) as i32
            }),
        }
    }

    /// Which of the `eligible` priorities (a bit each, at least one) of port `number` sends next.
    #[inline]
    pub fn choose(
        &self,
        number: PortId,
        port: &mut Port,
        queues: &mut PortPriorityTable<Queue>,
        eligible: u8,
    ) -> Priority {
        let strict = eligible & self.strict;
        if strict != 0 {
            return Priority::greatest_of(strict);
        }
        if eligible & (eligible - 1) == 0 {
            return Priority::least_of(eligible);
        }
        self.take_turns(number, port, queues, eligible)
    }

    fn take_turns(
        &self,
        number: PortId,
        port: &mut Port,
        queues: &mut PortPriorityTable<Queue>,
        eligible: u8,
    ) -> Priority {
        loop {
            let turn = port.turn;
            if eligible & turn.bit() != 0 {
                if queues[(number, turn)].deficit > 0 {
                    return turn;
                }
            } else if let Some(queue) = queues.get_mut((number, turn)) {
                queue.deficit = queue.deficit.min(0);
            }
            let next = turn.next_in_turn();
            port.turn = next;
            if eligible & next.bit() != 0 {
                queues[(number, next)].deficit += self.quantum[next];
            }
        }
    }

    /// `bytes` of a priority were sent while `eligible` could have sent.
    #[inline]
    pub fn charge(&self, queue: &mut Queue, eligible: u8, bytes: Bytes<u32>) {
        if eligible & !self.strict & ((eligible & !self.strict).wrapping_sub(1)) != 0 {
            // A strict priority pays as well, and is never given anything.
            queue.deficit = queue.deficit.saturating_sub(bytes.0 as i32);
        }
    }
}
