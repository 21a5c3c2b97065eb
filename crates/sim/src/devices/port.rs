//! A port: the transmitter at one end of a link, its queues, and its scheduler.

use crate::bytes::Bytes;
use crate::ids::{PortId, Priority, PRIORITIES};
use crate::mechanisms::frame::{Frames, Line};
use crate::mechanisms::link_faults::LinkFaults;
use crate::mechanisms::pause::Pauses;
use crate::mechanisms::port_priority::PortPriorityTable;
use crate::model::parameters;
use crate::time::{ByteTime, Picoseconds, NEVER};

/// A transmitter. It contains the fields that each frame needs; counters are in its queues.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Port {
    /// End of the current transmission.
    pub busy_until: Picoseconds,
    /// Time at which the port selects the next frame; `NEVER` = none scheduled.
    pub wake_at: Picoseconds,
    /// Time of a byte on the link.
    pub byte: ByteTime,
    /// From the last bit sent to the frame in the peer: propagation and the peer's forwarding latency.
    pub flight: Picoseconds,
    /// Frames sent so far: the index of the next random draw.
    pub sent: u64,
    /// Index of the port's node among switches or NIC ports.
    pub device: u32,
    /// Whether the port's node is a switch.
    pub switch: bool,
    /// Bit n: queue n is not empty.
    pub waiting: u8,
    /// Bit n: the peer has paused priority n.
    pub paused: u8,
    /// Bit n: the watchdog drops arriving frames of priority n.
    pub dropping: u8,
    /// Bit n: arriving frames of priority n do not join the queue at once: they are dropped, or wait at their ingress port.
    pub aside: u8,
    /// A PFC frame is waiting.
    pub control: bool,
    /// Delivery of the frames on this link.
    pub delivery: Delivery,
    /// The next priority in round-robin order.
    pub turn: Priority,
    /// Index of the port's settings.
    pub settings: u32,
}

const _: () = assert!(size_of::<Port>() == 64);

/// Delivery of frames on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Frames arrive.
    Direct,
    /// Frames arrive in another part of the network.
    Border,
    /// Frames are captured, or can be lost.
    Checked,
}

/// Whether a port is down: it is busy until [`NEVER`], so that no event makes it send.
#[inline]
pub(crate) fn is_down(port: &Port) -> bool {
    port.busy_until == NEVER
}

/// The egress queue of one priority of a port.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Queue {
    /// Queued frames.
    pub line: Line,
    /// Queued bytes.
    pub bytes: Bytes<u32>,
    /// Maximum of queued bytes.
    pub most_bytes: Bytes<u32>,
    /// Remaining deficit of the priority in its round; negative = it has sent more.
    pub deficit: Bytes<i32>,
    /// Packets marked CE.
    pub marks: u32,
    /// Moving average of queued bytes, for marking.
    pub average: f64,
    /// Time at which it became empty.
    pub empty_since: Picoseconds,
    /// Frames sent.
    pub frames: u64,
    /// Bytes sent, without preamble and gap.
    pub sent_bytes: Bytes,
    /// Index of its marker.
    pub marker: u32,
}

const _: () = assert!(size_of::<Queue>() == 64);

/// Rarely accessed fields of a port.
#[derive(Debug, Clone)]
pub struct Side {
    /// Queued PFC frames.
    pub control: Line,
    /// Propagation delay.
    pub delay: Picoseconds,
    /// Probability that a frame is lost.
    pub loss: f64,
    /// Time from which PFC frames are lost.
    pub pfc_lost_from: Picoseconds,
    /// Faults of the link in this direction.
    pub(crate) faults: LinkFaults,
    /// Bit n: a stuck NIC pauses priority n, whatever its receive buffer contains.
    pub storm: u8,
    /// Frames lost on the link.
    pub lost: u64,
    /// Received frames of each priority that were dropped: no buffer in the switch, no route, or a port that is down.
    pub drops: [u64; PRIORITIES],
    /// Packets to this port that were trimmed for lack of buffer.
    pub trims: u64,
    /// PFC frames started.
    pub pfc_frames: u64,
    /// From the reception of a PFC frame to its effect.
    pub reaction: Picoseconds,
    /// Pauses received, by priority.
    pub pauses: Pauses,
}

impl Queue {
    /// An empty queue.
    pub fn new(marker: u32) -> Self {
        Queue {
            line: Line::EMPTY,
            bytes: Bytes(0),
            most_bytes: Bytes(0),
            deficit: Bytes(0),
            marks: 0,
            average: 0.0,
            empty_since: Picoseconds::ZERO,
            frames: 0,
            sent_bytes: Bytes(0),
            marker,
        }
    }
}

/// Adds a frame to the queue of its priority.
#[inline]
pub fn enqueue(port: &mut Port, queue: &mut Queue, frames: &mut Frames, index: u32) {
    let frame = &frames[index];
    queue.bytes += frame.bytes.widen();
    queue.most_bytes = queue.most_bytes.max(queue.bytes);
    port.waiting |= frame.priority.bit();
    queue.line.push(frames, index);
}

/// Removes the first frame of a queue; `priority` is that of the queue.
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
    quantum: [Bytes<i32>; PRIORITIES],
}

impl Scheduler {
    /// From the parameters; `largest` is the maximum frame size in bytes.
    pub fn new(parameters: &parameters::Scheduler, largest: Bytes<u32>) -> Self {
        let weights = parameters.weights.map(|weight| weight.max(1));
        let least = weights.iter().copied().min().unwrap_or(1);
        Scheduler {
            strict: parameters.strict_priorities,
            // The smallest weight equals one frame of maximum size, so that every turn sends at least one frame.
            quantum: weights.map(|weight| {
                let quantum = u64::from(weight) * largest.widen() / u64::from(least);
                Bytes(quantum.0.min(1 << 30) as i32)
            }),
        }
    }

    /// The one of the `eligible` priorities (a bit each, at least one) of port `number` that sends next.
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
                if queues[(number, turn)].deficit > Bytes(0) {
                    return turn;
                }
            } else if let Some(queue) = queues.get_mut((number, turn)) {
                queue.deficit = queue.deficit.min(Bytes(0));
            }
            let next = turn.next_in_turn();
            port.turn = next;
            if eligible & next.bit() != 0 {
                queues[(number, next)].deficit += self.quantum[next];
            }
        }
    }

    /// Charges `bytes` to a priority that was selected among `eligible`.
    #[inline]
    pub fn charge(&self, queue: &mut Queue, eligible: u8, bytes: Bytes<u32>) {
        if eligible & !self.strict & ((eligible & !self.strict).wrapping_sub(1)) != 0 {
            // A strict priority is charged too, but receives no quantum.
            queue.deficit = queue.deficit.saturating_sub(Bytes(bytes.0 as i32));
        }
    }
}
