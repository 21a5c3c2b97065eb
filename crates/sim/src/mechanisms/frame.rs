//! A frame is a small record; its payload is a number of bytes. Frames are stored in a slab and queues are chained through them.

use crate::bytes::Bytes;
use crate::ids::{PortId, Priority, QueuePairId};

/// No frame, no queue pair: the end of a chain.
pub const NONE: u32 = u32::MAX;

/// The content of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Part of a write.
    Write,
    /// Part of a send.
    Send,
    /// An unreliable datagram.
    Datagram,
    /// Part of a read response.
    ReadResponse,
    /// A read request.
    ReadRequest,
    /// An acknowledgement; with [`NAK`] a negative one.
    Ack,
    /// A congestion notification packet.
    Cnp,
    /// Credit: bytes that the receiver has granted.
    Credit,
    /// A request for credit.
    CreditRequest,
    /// A TCP segment with payload.
    Tcp,
    /// A TCP segment without payload, which acknowledges all before `psn`.
    TcpAck,
    /// A UDP datagram that is not RoCE.
    Udp,
    /// Priority flow control.
    Pfc,
}

/// First packet of its message.
pub const FIRST: u8 = 1;
/// Last packet of its message.
pub const LAST: u8 = 2;
/// ECN-capable transport.
pub const ECT: u8 = 4;
/// Congestion experienced.
pub const CE: u8 = 8;
/// An ACK that echoes a mark.
pub const ECHO: u8 = 16;
/// A negative acknowledgement: PSN sequence error.
pub const NAK: u8 = 32;
/// A receiver-not-ready negative acknowledgement of the message that begins at the PSN.
pub const RNR: u8 = NAK | LAST;
/// The packet requests an acknowledgement.
pub const ACK_REQUEST: u8 = 64;

/// Only the header is left: a switch had no room for the rest. In an acknowledgement: with [`NAK`], the packet was
/// trimmed.
pub const TRIMMED: u8 = 128;

/// One frame in flight.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// The next frame of its queue.
    pub next: u32,
    /// Destination queue pair; of a PFC frame, the pause quanta.
    pub queue_pair: QueuePairId,
    /// Packet sequence number.
    pub psn: u32,
    /// Index in the routes of its egress port at the next switch.
    pub hop: u32,
    /// Port by which it entered its current switch.
    pub ingress: PortId,
    /// Header through FCS.
    pub bytes: Bytes<u16>,
    /// Payload within this size.
    pub payload: Bytes<u16>,
    /// In an acknowledgement with selective repeat: offset after `psn`, which is missing, of the packet that has
    /// arrived; 0 = an acknowledgement of all up to `psn`. In an RNR NAK: the timer code. In a read request: number of requested
    /// responses; 0 = the rest of its message.
    pub span: u16,
    /// Cells it occupies in its current switch.
    pub cells: u16,
    /// The content of the frame.
    pub kind: Kind,
    /// Its priority; of a PFC frame, the priority it pauses.
    pub priority: Priority,
    /// FIRST, LAST, ECT, CE, ECHO, NAK, ACK_REQUEST, TRIMMED.
    pub flags: u8,
}

impl Frame {
    /// Whether all of `flags` are set.
    #[inline]
    pub fn has(&self, flags: u8) -> bool {
        self.flags & flags == flags
    }

    /// The pause quanta of a PFC frame.
    #[inline]
    pub fn quanta(&self) -> u16 {
        self.queue_pair.0 as u16
    }
}

/// All frames of a simulation. Freed entries are reused first.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    slab: Vec<Frame>,
    free: u32,
    live: usize,
}

impl Frames {
    /// A slab without frames.
    pub fn new() -> Self {
        Frames {
            slab: Vec::new(),
            free: NONE,
            live: 0,
        }
    }

    /// Stores a frame and returns its index.
    #[inline]
    pub fn insert(&mut self, frame: Frame) -> u32 {
        self.live += 1;
        if self.free == NONE {
            self.slab.push(frame);
            return (self.slab.len() - 1) as u32;
        }
        let index = self.free;
        let slot = &mut self.slab[index as usize];
        self.free = slot.next;
        *slot = frame;
        index
    }

    /// Frees a frame.
    #[inline]
    pub fn remove(&mut self, index: u32) {
        self.live -= 1;
        self.slab[index as usize].next = self.free;
        self.free = index;
    }

    /// Adds all frames of another slab; returns the offset of their indexes.
    pub fn append(&mut self, other: Frames) -> u32 {
        if other.live == 0 {
            return 0;
        }
        if self.live == 0 {
            *self = other;
            return 0;
        }
        let base = self.slab.len() as u32;
        let moved = |slot: u32| if slot == NONE { NONE } else { base + slot };
        self.slab.extend(other.slab.into_iter().map(|frame| Frame {
            next: moved(frame.next),
            ..frame
        }));
        let mut last = moved(other.free);
        if last != NONE {
            let first = last;
            while self.slab[last as usize].next != NONE {
                last = self.slab[last as usize].next;
            }
            self.slab[last as usize].next = std::mem::replace(&mut self.free, first);
        }
        self.live += other.live;
        base
    }

    /// Number of frames in flight.
    pub fn live(&self) -> usize {
        self.live
    }
}

impl std::ops::Index<u32> for Frames {
    type Output = Frame;
    #[inline]
    fn index(&self, index: u32) -> &Frame {
        &self.slab[index as usize]
    }
}

impl std::ops::IndexMut<u32> for Frames {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut Frame {
        &mut self.slab[index as usize]
    }
}

/// A queue of frames.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    head: u32,
    tail: u32,
}

impl Line {
    /// An empty queue.
    pub const EMPTY: Line = Line {
        head: NONE,
        tail: NONE,
    };

    /// Whether it is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head == NONE
    }

    /// Shifts the indexes of the frames by `base`.
    pub fn shift(&mut self, base: u32) {
        if self.head != NONE {
            self.head += base;
            self.tail += base;
        }
    }

    /// Appends a frame.
    #[inline]
    pub fn push(&mut self, frames: &mut Frames, index: u32) {
        frames[index].next = NONE;
        if self.head == NONE {
            self.head = index;
        } else {
            frames[self.tail].next = index;
        }
        self.tail = index;
    }

    /// The first frame.
    pub fn first(&self) -> Option<u32> {
        Some(self.head).filter(|index| *index != NONE)
    }

    /// The frames in order.
    pub fn all<'a>(&self, frames: &'a Frames) -> impl Iterator<Item = u32> + 'a {
        std::iter::successors(self.first(), |index| {
            Some(frames[*index].next).filter(|next| *next != NONE)
        })
    }

    /// Removes the first frame.
    #[inline]
    pub fn pop(&mut self, frames: &Frames) -> Option<u32> {
        if self.head == NONE {
            return None;
        }
        let index = self.head;
        self.head = frames[index].next;
        Some(index)
    }
}
