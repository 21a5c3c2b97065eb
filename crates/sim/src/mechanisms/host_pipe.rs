//! The host pipe: what stands between memory and a NIC port, in each direction.
//!
//! Where it is slower than the link, sending waits for it, and what arrives waits in the NIC's receive buffer, for which
//! the NIC sends PFC. The buffer drains steadily, so its fill is what the time until it is empty carries.

use crate::mechanisms::frame::{Frame, Kind, FIRST};
use crate::mechanisms::transport::Transport;
use crate::model::parameters::{self, PRIORITIES};
use crate::model::pcie::Link;
use crate::simulation::{class, Simulation};
use crate::time::{ByteTime, Picoseconds, NANOSECOND};

/// What stands before a datagram in memory: a global route header, or an IP header in its place (IBTA volume 1, 10.2.5;
/// annex A17.9.2).
const GRH: u32 = 40;

/// The pipe of one NIC port. Fills are times to drain.
#[derive(Debug, Clone)]
pub struct HostPipe {
    /// From memory.
    byte: ByteTime,
    /// From the receive buffer to memory: as it is set, and as it is now.
    usual: ByteTime,
    into: ByteTime,
    /// What both directions share, where there is such.
    link: Option<Link>,
    latency: Picoseconds,
    /// Bytes of receive buffer, XOFF and XON.
    sizes: [u32; 3],
    buffer: Picoseconds,
    xoff: Picoseconds,
    xon: Picoseconds,
    /// When all that was received will be in memory.
    received_until: Picoseconds,
    /// Bit n: the peer has been asked to pause priority n.
    pausing: u8,
    /// Frames that found the receive buffer full.
    pub drops: u64,
}

impl HostPipe {
    /// A pipe that carries nothing.
    pub fn new(parameters: &parameters::Pipe) -> Self {
        let rates = parameters.rates().expect("a link that there is");
        let [byte, into] = rates.map(ByteTime::of);
        let link = parameters.pcie.as_ref();
        HostPipe {
            byte,
            usual: into,
            into,
            link: link.map(|it| Link::new(it).expect("a link that there is")),
            latency: parameters.latency_ns * NANOSECOND,
            sizes: [
                parameters.receive_buffer_bytes,
                parameters.xoff_bytes,
                parameters.xon_bytes,
            ],
            buffer: into.times(parameters.receive_buffer_bytes),
            xoff: into.times(parameters.xoff_bytes),
            xon: into.times(parameters.xon_bytes),
            received_until: 0,
            pausing: 0,
            drops: 0,
        }
    }

    /// From a post to the NIC having the first byte, and from the last byte in the NIC to memory.
    pub fn latency(&self) -> Picoseconds {
        self.latency
    }

    /// Bit n: the peer has been asked to pause priority n.
    pub fn pausing(&self) -> u8 {
        self.pausing
    }

    /// Whether the receive buffer holds so much that the NIC would send PFC.
    pub fn cannot_keep_up(&self, now: Picoseconds) -> bool {
        self.received_until.saturating_sub(now) >= self.xoff
    }

    /// From now on what arrives goes to memory at another rate, or at its own again. Fills are times at the rate that holds.
    pub fn receive_at(&mut self, now: Picoseconds, rate: Option<ByteTime>) {
        let (before, after) = (self.into, rate.unwrap_or(self.usual));
        let left = self.received_until.saturating_sub(now);
        self.received_until = now + before.convert(left, after);
        [self.buffer, self.xoff, self.xon] = self.sizes.map(|bytes| after.times(bytes));
        self.into = after;
    }

    /// The NIC fetches data: when it may fetch more. Requests for data are in the way of what is received.
    pub fn fetch(&mut self, now: Picoseconds, data: u32) -> Picoseconds {
        let own = now + self.byte.times(data);
        let Some(link) = self.link.as_mut().filter(|_| data > 0) else {
            return own;
        };
        let [read, written] = link.read(now, data);
        if self.received_until > now {
            self.received_until = self.received_until.max(written);
        }
        own.max(read)
    }

    /// When data received now would be out of the NIC.
    fn taken(&self, now: Picoseconds, data: u32) -> Picoseconds {
        let own = self.received_until.max(now) + self.into.times(data);
        let link = self.link.as_ref().map(|link| link.written(now, data));
        link.map_or(own, |written| written.max(own))
    }

    /// Data is received, and will be out of the NIC by then.
    fn take(&mut self, now: Picoseconds, data: u32, until: Picoseconds) {
        self.received_until = until;
        if let Some(link) = &mut self.link {
            link.write(now, data);
        }
    }
}

impl Simulation {
    /// Payload enters the receive buffer. When it will be in memory; `None` if the buffer is full. What the transport will
    /// not accept never goes to memory.
    pub(crate) fn take_in(&mut self, port: u32, frame: &Frame) -> Option<Picoseconds> {
        let lossless = self.device(port).pfc.lossless_priorities;
        let nic = &mut self.nics[self.ports[port as usize].device as usize];
        let Some(pipe) = &mut nic.pipe else {
            return Some(self.now);
        };
        let transport = &self.queue_pairs[frame.queue_pair as usize].transport;
        if !transport.accepts(frame.kind, frame.psn, frame.has(FIRST)) {
            return Some(self.now);
        }
        let before = if frame.kind == Kind::Datagram { GRH } else { 0 };
        let data = u32::from(frame.payload) + before;
        let until = pipe.taken(self.now, data);
        let fill = until - self.now;
        if fill > pipe.buffer {
            pipe.drops += 1;
            self.totals.drops += 1;
            return None;
        }
        pipe.take(self.now, data, until);
        let in_memory = until + pipe.latency;
        let bit = 1 << frame.priority;
        if fill >= pipe.xoff && pipe.pausing & bit == 0 && lossless & bit != 0 {
            let first = pipe.pausing == 0;
            let enough = until - pipe.xon.min(fill);
            pipe.pausing |= bit;
            if self.sides[port as usize].storm & bit == 0 {
                self.ask_to_pause(port, usize::from(frame.priority));
            }
            if first {
                self.schedule(enough, class::DRAINED, port, 0);
            }
        }
        Some(in_memory)
    }

    /// The receive buffer may have drained far enough.
    pub(crate) fn drained(&mut self, port: u32) {
        let nic = &mut self.nics[self.ports[port as usize].device as usize];
        let Some(pipe) = &mut nic.pipe else {
            return;
        };
        if pipe.pausing == 0 {
            return; // it had drained before, at another rate
        }
        let enough = pipe.received_until.saturating_sub(pipe.xon);
        if enough > self.now {
            return self.schedule(enough, class::DRAINED, port, 0);
        }
        let pausing = std::mem::take(&mut pipe.pausing) & !self.sides[port as usize].storm;
        for priority in (0..PRIORITIES).filter(|priority| pausing & (1 << priority) != 0) {
            self.ask_to_go_on(port, priority);
        }
    }
}
