//! One end of a connection, whatever its transport service.

use super::rc::Rc;
use super::{Arrival, Message, Outcome, Segment, Timeout, Transport};
use crate::frame::Kind;
use crate::time::Picoseconds;

/// The transport of one queue pair. Those that are rare are boxed, so that the common one is as small as it is alone.
#[derive(Debug, Clone)]
pub enum Service {
    /// A reliable connection with go-back-N.
    Rc(Rc),
}

impl Transport for Service {
    fn post(&mut self, operation: u32, kind: Kind, bytes: u64) {
        match self {
            Service::Rc(it) => it.post(operation, kind, bytes),
        }
    }

    fn messages(&self) -> u32 {
        match self {
            Service::Rc(it) => it.messages(),
        }
    }

    #[inline]
    fn has_work(&self) -> bool {
        match self {
            Service::Rc(it) => it.has_work(),
        }
    }

    #[inline]
    fn begins_message(&self) -> bool {
        match self {
            Service::Rc(it) => it.begins_message(),
        }
    }

    #[inline]
    fn next(&mut self, now: Picoseconds) -> Option<Segment> {
        match self {
            Service::Rc(it) => it.next(now),
        }
    }

    #[inline]
    fn receive(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        match self {
            Service::Rc(it) => it.receive(now, arrival),
        }
    }

    fn accepts(&self, kind: Kind, psn: u32) -> bool {
        match self {
            Service::Rc(it) => it.accepts(kind, psn),
        }
    }

    #[inline]
    fn completed(&mut self) -> Option<u32> {
        match self {
            Service::Rc(it) => it.completed(),
        }
    }

    #[inline]
    fn deadline(&self) -> Picoseconds {
        match self {
            Service::Rc(it) => it.deadline(),
        }
    }

    fn timeout(&mut self, now: Picoseconds) -> Timeout {
        match self {
            Service::Rc(it) => it.timeout(now),
        }
    }

    fn abandon(&mut self) -> Vec<u32> {
        match self {
            Service::Rc(it) => it.abandon(),
        }
    }

    fn messages_before(&self, psn: u32) -> u32 {
        match self {
            Service::Rc(it) => it.messages_before(psn),
        }
    }

    fn asked_for(&self, psn: u32) -> Option<Message> {
        match self {
            Service::Rc(it) => it.asked_for(psn),
        }
    }
}
