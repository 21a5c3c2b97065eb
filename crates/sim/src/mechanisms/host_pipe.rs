//! The host pipe: the path between memory and a NIC port, in each direction.
//!
//! Where the pipe is slower than the link, sending waits for the pipe, and received packets wait in the NIC's receive
//! buffer, for which the NIC sends PFC. The buffer drains steadily, so its fill equals the rate times the time until it is
//! empty.

use crate::bytes::Bytes;
use crate::mechanisms::frame::{Frame, Kind};
use crate::model::parameters;
use crate::model::pcie::Link;
use crate::time::{ByteTime, Picoseconds};

/// Header before a datagram in memory: a global route header, or an IP header instead (IBTA volume 1, 10.2.5;
/// annex A17.9.2).
const GRH: Bytes<u32> = Bytes(40);

/// The pipe of one NIC port. Fill levels are times to drain.
#[derive(Debug, Clone)]
pub struct HostPipe {
    /// From memory.
    byte: ByteTime,
    /// From the receive buffer to memory: configured and current.
    usual: ByteTime,
    into: ByteTime,
    /// Capacity that both directions share, if any.
    link: Option<Link>,
    latency: Picoseconds,
    /// Bytes of receive buffer, XOFF and XON.
    sizes: [Bytes<u32>; 3],
    buffer: Picoseconds,
    xoff: Picoseconds,
    xon: Picoseconds,
    /// When all received payload will be in memory.
    received_until: Picoseconds,
    /// Bit n: XOFF for priority n was sent to the peer.
    pausing: u8,
    /// Frames that found the receive buffer full.
    pub drops: u64,
}

impl HostPipe {
    /// A pipe without traffic.
    pub fn new(parameters: &parameters::Pipe) -> Self {
        let rates = parameters.compute_rates().expect("a link that there is");
        let [byte, into] = rates.map(ByteTime::from_rate);
        let link = parameters.pcie.as_ref();
        let sizes = [
            parameters.receive_buffer_bytes,
            parameters.xoff_bytes,
            parameters.xon_bytes,
        ];
        let [buffer, xoff, xon] = sizes.map(|bytes| into.times(bytes));
        HostPipe {
            byte,
            usual: into,
            into,
            link: link.map(|parameters| Link::new(parameters).expect("a link that there is")),
            latency: Picoseconds::from(parameters.latency_ns),
            sizes,
            buffer,
            xoff,
            xon,
            received_until: Picoseconds::ZERO,
            pausing: 0,
            drops: 0,
        }
    }

    /// From a post until the NIC has the first byte, and from the last byte in the NIC to memory.
    pub fn latency(&self) -> Picoseconds {
        self.latency
    }

    /// Bit n: XOFF for priority n was sent to the peer.
    pub fn paused_priorities(&self) -> u8 {
        self.pausing
    }

    /// Whether the receive buffer is at its XOFF threshold.
    pub fn cannot_keep_up(&self, now: Picoseconds) -> bool {
        self.received_until.saturating_sub(now) >= self.xoff
    }

    /// Changes the rate to memory from now on, or restores the configured rate. Fill levels are times at the current rate.
    pub fn receive_at(&mut self, now: Picoseconds, rate: Option<ByteTime>) {
        let (previous, current) = (self.into, rate.unwrap_or(self.usual));
        let left = self.received_until.saturating_sub(now);
        self.received_until = now + previous.convert(left, current);
        [self.buffer, self.xoff, self.xon] = self.sizes.map(|bytes| current.times(bytes));
        self.into = current;
    }

    /// The NIC fetches data; returns when it may fetch more. Requests for data share the direction of received data.
    pub fn fetch(&mut self, now: Picoseconds, data: Bytes<u32>) -> Picoseconds {
        let fetched = now + self.byte.times(data);
        let Some(link) = self.link.as_mut().filter(|_| data > Bytes(0)) else {
            return fetched;
        };
        let [read, written] = link.read(now, data);
        if self.received_until > now {
            self.received_until = self.received_until.max(written);
        }
        fetched.max(read)
    }

    /// When data received now would have left the NIC.
    fn drain_end(&self, now: Picoseconds, data: Bytes<u32>) -> Picoseconds {
        let drained = self.received_until.max(now) + self.into.times(data);
        let link = self.link.as_ref().map(|link| link.write_end(now, data));
        link.map_or(drained, |written| written.max(drained))
    }

    /// Data is received; returns when it has left the NIC.
    fn take(&mut self, now: Picoseconds, data: Bytes<u32>, until: Picoseconds) {
        self.received_until = until;
        if let Some(link) = &mut self.link {
            link.write(now, data);
        }
    }

    /// Payload enters the receive buffer, if there is room; `lossless`: bit n = priority n is.
    pub fn receive(&mut self, now: Picoseconds, frame: &Frame, lossless: u8) -> Option<Reception> {
        let header = if frame.kind == Kind::Datagram {
            GRH
        } else {
            Bytes(0)
        };
        let data = frame.payload.widen() + header;
        let until = self.drain_end(now, data);
        let fill = until - now;
        if fill > self.buffer {
            self.drops += 1;
            return None;
        }
        self.take(now, data, until);
        let mut received = Reception {
            in_memory: until + self.latency,
            pause: false,
            check_at: None,
        };
        let bit = frame.priority.bit();
        if fill >= self.xoff && self.pausing & bit == 0 && lossless & bit != 0 {
            let first = self.pausing == 0;
            received.pause = true;
            received.check_at = first.then(|| until - self.xon.min(fill));
            self.pausing |= bit;
        }
        Some(received)
    }

    /// The receive buffer may have drained to XON.
    pub fn check(&mut self, now: Picoseconds) -> DrainState {
        if self.pausing == 0 {
            return DrainState::Before; // at an earlier rate
        }
        let drained_at = self.received_until.saturating_sub(self.xon);
        if drained_at > now {
            return DrainState::Later(drained_at);
        }
        DrainState::Now(std::mem::take(&mut self.pausing))
    }
}

/// Result of payload in the receive buffer.
#[derive(Debug, Clone, Copy)]
pub struct Reception {
    /// When it will be in memory.
    pub in_memory: Picoseconds,
    /// XOFF is due for its priority.
    pub pause: bool,
    /// When to call [`HostPipe::check`].
    pub check_at: Option<Picoseconds>,
}

/// Whether a receive buffer has drained to XON.
#[derive(Debug, Clone, Copy)]
pub enum DrainState {
    /// No priority is paused any more.
    Before,
    /// Not before this time.
    Later(Picoseconds),
    /// XON is due for these priorities, a bit each.
    Now(u8),
}
