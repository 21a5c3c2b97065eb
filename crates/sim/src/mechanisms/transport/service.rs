//! One end of a connection, whatever its transport service.

use super::rc::Rc;
use super::selective::SelectiveRepeat;
use super::tcp::Tcp;
use super::unreliable::Unreliable;
use super::{
    Arrival, Message, Outcome, Reply, Segment, SendProgress, Settings, Timeout, Transport,
};
use crate::bytes::Bytes;
use crate::mechanisms::frame::Kind;
use crate::model::parameters::{Recovery, Sockets};
use crate::time::Picoseconds;
use std::sync::Arc;

/// The transport of one queue pair. Rare ones are boxed, so that they do not enlarge the common one.
#[derive(Debug, Clone)]
pub enum Service {
    /// A reliable connection with go-back-N.
    Rc(Rc),
    /// A reliable connection with selective repeat.
    SelectiveRepeat(Box<SelectiveRepeat>),
    /// An unreliable connection, or datagrams.
    Unreliable(Box<Unreliable>),
    /// TCP.
    Tcp(Box<Tcp>),
}

impl Service {
    /// A connected queue pair on which nothing was posted.
    pub fn reliable(recovery: Recovery, settings: &Arc<Settings>) -> Self {
        let settings = Arc::clone(settings);
        match recovery {
            Recovery::GoBackN => Service::Rc(Rc::new(settings)),
            Recovery::SelectiveRepeat => {
                Service::SelectiveRepeat(Box::new(SelectiveRepeat::new(settings)))
            }
        }
    }

    /// The same, or one for datagrams, where nothing is acknowledged.
    pub fn unreliable(settings: &Arc<Settings>) -> Self {
        Service::Unreliable(Box::new(Unreliable::new(Arc::clone(settings))))
    }

    /// A UDP socket, whose largest datagram has so much payload. Received datagrams are always accepted.
    pub fn udp(payload: Bytes<u32>, settings: &Settings) -> Self {
        Service::unreliable(&Arc::new(Settings {
            mtu: payload,
            rx_depth: None,
            ..settings.clone()
        }))
    }

    /// A TCP connection, whose full segments have so much payload.
    pub fn tcp(settings: &Sockets, payload: Bytes<u32>) -> Self {
        Service::Tcp(Box::new(Tcp::new(settings, payload)))
    }
}

impl Service {
    /// The operation of the next packet, for datagrams.
    pub fn operation(&self) -> Option<u32> {
        match self {
            Service::Unreliable(transport) => transport.operation(),
            _ => None,
        }
    }

    /// Bytes of a TCP stream before a segment.
    pub fn stream_offset(&self, psn: u32) -> Bytes {
        match self {
            Service::Tcp(transport) => transport.stream_offset(psn),
            _ => Bytes(0),
        }
    }

    /// Whether a TCP segment is the last of a message.
    pub fn ends_message(&self, psn: u32) -> bool {
        matches!(self, Service::Tcp(transport) if transport.ends_message(psn))
    }

    /// Complete messages received by a service without receive completions.
    pub fn message_count(&self) -> u64 {
        match self {
            Service::Unreliable(transport) => transport.message_count(),
            _ => 0,
        }
    }
}

impl Transport for Service {
    fn post(&mut self, operation: u32, kind: Kind, bytes: Bytes) {
        match self {
            Service::Rc(transport) => transport.post(operation, kind, bytes),
            Service::SelectiveRepeat(transport) => transport.post(operation, kind, bytes),
            Service::Unreliable(transport) => transport.post(operation, kind, bytes),
            Service::Tcp(transport) => transport.post(operation, kind, bytes),
        }
    }

    fn messages(&self) -> u32 {
        match self {
            Service::Rc(transport) => transport.messages(),
            Service::SelectiveRepeat(transport) => transport.messages(),
            Service::Unreliable(transport) => transport.messages(),
            Service::Tcp(transport) => transport.messages(),
        }
    }

    #[inline]
    fn has_work(&self) -> bool {
        match self {
            Service::Rc(transport) => transport.has_work(),
            Service::SelectiveRepeat(transport) => transport.has_work(),
            Service::Unreliable(transport) => transport.has_work(),
            Service::Tcp(transport) => transport.has_work(),
        }
    }

    #[inline]
    fn begins_message(&self) -> bool {
        match self {
            Service::Rc(transport) => transport.begins_message(),
            Service::SelectiveRepeat(transport) => transport.begins_message(),
            Service::Unreliable(transport) => transport.begins_message(),
            Service::Tcp(transport) => transport.begins_message(),
        }
    }

    #[inline]
    fn next(&mut self, now: Picoseconds) -> Option<Segment> {
        match self {
            Service::Rc(transport) => transport.next(now),
            Service::SelectiveRepeat(transport) => transport.next(now),
            Service::Unreliable(transport) => transport.next(now),
            Service::Tcp(transport) => transport.next(now),
        }
    }

    #[inline]
    fn receive(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        match self {
            Service::Rc(transport) => transport.receive(now, arrival),
            Service::SelectiveRepeat(transport) => transport.receive(now, arrival),
            Service::Unreliable(transport) => transport.receive(now, arrival),
            Service::Tcp(transport) => transport.receive(now, arrival),
        }
    }

    fn take_trimmed(&self, psn: u32) -> Option<Reply> {
        match self {
            Service::Rc(transport) => transport.take_trimmed(psn),
            Service::SelectiveRepeat(transport) => transport.take_trimmed(psn),
            Service::Unreliable(transport) => transport.take_trimmed(psn),
            Service::Tcp(transport) => transport.take_trimmed(psn),
        }
    }

    fn accepts(&self, kind: Kind, psn: u32, first: bool) -> bool {
        match self {
            Service::Rc(transport) => transport.accepts(kind, psn, first),
            Service::SelectiveRepeat(transport) => transport.accepts(kind, psn, first),
            Service::Unreliable(transport) => transport.accepts(kind, psn, first),
            Service::Tcp(transport) => transport.accepts(kind, psn, first),
        }
    }

    #[inline]
    fn pop_completed(&mut self) -> Option<u32> {
        match self {
            Service::Rc(transport) => transport.pop_completed(),
            Service::SelectiveRepeat(transport) => transport.pop_completed(),
            Service::Unreliable(transport) => transport.pop_completed(),
            Service::Tcp(transport) => transport.pop_completed(),
        }
    }

    #[inline]
    fn deadline(&self) -> Picoseconds {
        match self {
            Service::Rc(transport) => transport.deadline(),
            Service::SelectiveRepeat(transport) => transport.deadline(),
            Service::Unreliable(transport) => transport.deadline(),
            Service::Tcp(transport) => transport.deadline(),
        }
    }

    fn timeout(&mut self, now: Picoseconds) -> Timeout {
        match self {
            Service::Rc(transport) => transport.timeout(now),
            Service::SelectiveRepeat(transport) => transport.timeout(now),
            Service::Unreliable(transport) => transport.timeout(now),
            Service::Tcp(transport) => transport.timeout(now),
        }
    }

    fn abandon(&mut self) -> Vec<u32> {
        match self {
            Service::Rc(transport) => transport.abandon(),
            Service::SelectiveRepeat(transport) => transport.abandon(),
            Service::Unreliable(transport) => transport.abandon(),
            Service::Tcp(transport) => transport.abandon(),
        }
    }

    #[inline]
    fn progress(&self) -> SendProgress {
        match self {
            Service::Rc(transport) => transport.progress(),
            Service::SelectiveRepeat(transport) => transport.progress(),
            Service::Unreliable(transport) => transport.progress(),
            Service::Tcp(transport) => transport.progress(),
        }
    }

    fn postpone(&mut self, now: Picoseconds) {
        match self {
            Service::Rc(transport) => transport.postpone(now),
            Service::SelectiveRepeat(transport) => transport.postpone(now),
            Service::Unreliable(transport) => transport.postpone(now),
            Service::Tcp(transport) => transport.postpone(now),
        }
    }

    fn backlog(&self) -> (u64, Bytes) {
        match self {
            Service::Rc(transport) => transport.backlog(),
            Service::SelectiveRepeat(transport) => transport.backlog(),
            Service::Unreliable(transport) => transport.backlog(),
            Service::Tcp(transport) => transport.backlog(),
        }
    }

    #[inline]
    fn has_answers(&self) -> bool {
        match self {
            Service::Rc(transport) => transport.has_answers(),
            Service::SelectiveRepeat(transport) => transport.has_answers(),
            Service::Unreliable(transport) => transport.has_answers(),
            Service::Tcp(transport) => transport.has_answers(),
        }
    }

    fn messages_before(&self, psn: u32) -> u32 {
        match self {
            Service::Rc(transport) => transport.messages_before(psn),
            Service::SelectiveRepeat(transport) => transport.messages_before(psn),
            Service::Unreliable(transport) => transport.messages_before(psn),
            Service::Tcp(transport) => transport.messages_before(psn),
        }
    }

    fn find_requested_read(&self, psn: u32) -> Option<Message> {
        match self {
            Service::Rc(transport) => transport.find_requested_read(psn),
            Service::SelectiveRepeat(transport) => transport.find_requested_read(psn),
            Service::Unreliable(transport) => transport.find_requested_read(psn),
            Service::Tcp(transport) => transport.find_requested_read(psn),
        }
    }
}
