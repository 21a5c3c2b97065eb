//! One end of a connection, whatever its transport service.

use super::rc::Rc;
use super::selective::SelectiveRepeat;
use super::tcp::Tcp;
use super::unreliable::Unreliable;
use super::{Arrival, Message, Outcome, Outstanding, Reply, Segment, Settings, Timeout, Transport};
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
    /// Of datagrams: the operation of the next packet.
    pub fn operation(&self) -> Option<u32> {
        match self {
            Service::Unreliable(it) => it.operation(),
            _ => None,
        }
    }

    /// Of TCP: bytes of the stream before a segment.
    pub fn stream_offset(&self, psn: u32) -> Bytes {
        match self {
            Service::Tcp(it) => it.stream_offset(psn),
            _ => Bytes(0),
        }
    }

    /// Of TCP: whether a segment is the last of a message.
    pub fn ends_message(&self, psn: u32) -> bool {
        matches!(self, Service::Tcp(it) if it.ends_message(psn))
    }

    /// Complete messages received by a service without receive completions.
    pub fn received(&self) -> u64 {
        match self {
            Service::Unreliable(it) => it.received(),
            _ => 0,
        }
    }
}

impl Transport for Service {
    fn post(&mut self, operation: u32, kind: Kind, bytes: Bytes) {
        match self {
            Service::Rc(it) => it.post(operation, kind, bytes),
            Service::SelectiveRepeat(it) => it.post(operation, kind, bytes),
            Service::Unreliable(it) => it.post(operation, kind, bytes),
            Service::Tcp(it) => it.post(operation, kind, bytes),
        }
    }

    fn messages(&self) -> u32 {
        match self {
            Service::Rc(it) => it.messages(),
            Service::SelectiveRepeat(it) => it.messages(),
            Service::Unreliable(it) => it.messages(),
            Service::Tcp(it) => it.messages(),
        }
    }

    #[inline]
    fn has_work(&self) -> bool {
        match self {
            Service::Rc(it) => it.has_work(),
            Service::SelectiveRepeat(it) => it.has_work(),
            Service::Unreliable(it) => it.has_work(),
            Service::Tcp(it) => it.has_work(),
        }
    }

    #[inline]
    fn begins_message(&self) -> bool {
        match self {
            Service::Rc(it) => it.begins_message(),
            Service::SelectiveRepeat(it) => it.begins_message(),
            Service::Unreliable(it) => it.begins_message(),
            Service::Tcp(it) => it.begins_message(),
        }
    }

    #[inline]
    fn next(&mut self, now: Picoseconds) -> Option<Segment> {
        match self {
            Service::Rc(it) => it.next(now),
            Service::SelectiveRepeat(it) => it.next(now),
            Service::Unreliable(it) => it.next(now),
            Service::Tcp(it) => it.next(now),
        }
    }

    #[inline]
    fn receive(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        match self {
            Service::Rc(it) => it.receive(now, arrival),
            Service::SelectiveRepeat(it) => it.receive(now, arrival),
            Service::Unreliable(it) => it.receive(now, arrival),
            Service::Tcp(it) => it.receive(now, arrival),
        }
    }

    fn trimmed(&self, psn: u32) -> Option<Reply> {
        match self {
            Service::Rc(it) => it.trimmed(psn),
            Service::SelectiveRepeat(it) => it.trimmed(psn),
            Service::Unreliable(it) => it.trimmed(psn),
            Service::Tcp(it) => it.trimmed(psn),
        }
    }

    fn accepts(&self, kind: Kind, psn: u32, first: bool) -> bool {
        match self {
            Service::Rc(it) => it.accepts(kind, psn, first),
            Service::SelectiveRepeat(it) => it.accepts(kind, psn, first),
            Service::Unreliable(it) => it.accepts(kind, psn, first),
            Service::Tcp(it) => it.accepts(kind, psn, first),
        }
    }

    #[inline]
    fn completed(&mut self) -> Option<u32> {
        match self {
            Service::Rc(it) => it.completed(),
            Service::SelectiveRepeat(it) => it.completed(),
            Service::Unreliable(it) => it.completed(),
            Service::Tcp(it) => it.completed(),
        }
    }

    #[inline]
    fn deadline(&self) -> Picoseconds {
        match self {
            Service::Rc(it) => it.deadline(),
            Service::SelectiveRepeat(it) => it.deadline(),
            Service::Unreliable(it) => it.deadline(),
            Service::Tcp(it) => it.deadline(),
        }
    }

    fn timeout(&mut self, now: Picoseconds) -> Timeout {
        match self {
            Service::Rc(it) => it.timeout(now),
            Service::SelectiveRepeat(it) => it.timeout(now),
            Service::Unreliable(it) => it.timeout(now),
            Service::Tcp(it) => it.timeout(now),
        }
    }

    fn abandon(&mut self) -> Vec<u32> {
        match self {
            Service::Rc(it) => it.abandon(),
            Service::SelectiveRepeat(it) => it.abandon(),
            Service::Unreliable(it) => it.abandon(),
            Service::Tcp(it) => it.abandon(),
        }
    }

    #[inline]
    fn outstanding(&self) -> Outstanding {
        match self {
            Service::Rc(it) => it.outstanding(),
            Service::SelectiveRepeat(it) => it.outstanding(),
            Service::Unreliable(it) => it.outstanding(),
            Service::Tcp(it) => it.outstanding(),
        }
    }

    fn postpone(&mut self, now: Picoseconds) {
        match self {
            Service::Rc(it) => it.postpone(now),
            Service::SelectiveRepeat(it) => it.postpone(now),
            Service::Unreliable(it) => it.postpone(now),
            Service::Tcp(it) => it.postpone(now),
        }
    }

    fn backlog(&self) -> (u64, Bytes) {
        match self {
            Service::Rc(it) => it.backlog(),
            Service::SelectiveRepeat(it) => it.backlog(),
            Service::Unreliable(it) => it.backlog(),
            Service::Tcp(it) => it.backlog(),
        }
    }

    #[inline]
    fn answering(&self) -> bool {
        match self {
            Service::Rc(it) => it.answering(),
            Service::SelectiveRepeat(it) => it.answering(),
            Service::Unreliable(it) => it.answering(),
            Service::Tcp(it) => it.answering(),
        }
    }

    fn messages_before(&self, psn: u32) -> u32 {
        match self {
            Service::Rc(it) => it.messages_before(psn),
            Service::SelectiveRepeat(it) => it.messages_before(psn),
            Service::Unreliable(it) => it.messages_before(psn),
            Service::Tcp(it) => it.messages_before(psn),
        }
    }

    fn find_requested_read(&self, psn: u32) -> Option<Message> {
        match self {
            Service::Rc(it) => it.find_requested_read(psn),
            Service::SelectiveRepeat(it) => it.find_requested_read(psn),
            Service::Unreliable(it) => it.find_requested_read(psn),
            Service::Tcp(it) => it.find_requested_read(psn),
        }
    }
}
