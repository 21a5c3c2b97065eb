//! Unreliable connections and datagrams: nothing is acknowledged, nothing is sent again.
//!
//! IBTA architecture volume 1, chapter 9.8. A message completes at its sender when its last packet has left. The receiver of
//! a connection that misses a packet drops the rest of its message, and continues with the next that begins (9.8.2.2); each
//! datagram is a separate message.

use super::receive_queue::ReceiveQueue;
use super::{Arrival, Message, Outcome, Segment, Settings, Timeout, Transport};
use crate::bytes::Bytes;
use crate::mechanisms::frame::{Kind, FIRST, LAST};
use crate::time::{Picoseconds, NEVER};
use std::collections::VecDeque;
use std::sync::Arc;

/// One end of an unreliable connection, or a queue pair for datagrams.
#[derive(Debug, Clone)]
pub struct Unreliable {
    settings: Arc<Settings>,
    messages: VecDeque<Message>,
    /// Index in `messages` of the current one.
    current: usize,
    completed: u32,
    next: u32,
    end: u32,
    /// The next packet of the message that is being received; `None` = only the first packet of a message is accepted.
    expected: Option<u32>,
    receives: Option<ReceiveQueue>,
    /// Complete messages received; of UDP, datagrams.
    received: u64,
}

impl Unreliable {
    /// A queue pair on which nothing was posted.
    pub fn new(settings: Arc<Settings>) -> Self {
        let receives = settings.rx_depth;
        Unreliable {
            receives: receives.map(|depth| ReceiveQueue::new(depth, settings.receive)),
            settings,
            messages: VecDeque::new(),
            current: 0,
            completed: 0,
            next: 0,
            end: 0,
            expected: None,
            received: 0,
        }
    }

    /// Complete messages received.
    pub fn message_count(&self) -> u64 {
        self.received
    }

    /// The operation of the next packet.
    pub fn operation(&self) -> Option<u32> {
        let message = self.messages.get(self.current);
        message.map(|message| message.operation)
    }

    /// Whether the packet is accepted: the first of a message, or the next of the one that is being received.
    fn continues(&self, psn: u32, first: bool) -> bool {
        first || self.expected == Some(psn)
    }

    /// Whether a message that begins is accepted: a send needs a receive, which it uses.
    fn begins(&mut self, now: Picoseconds, kind: Kind) -> bool {
        let Some(receives) = &mut self.receives else {
            return true;
        };
        if kind == Kind::Write {
            return true;
        }
        let is_posted = receives.is_posted(now);
        if is_posted {
            receives.take();
        }
        is_posted
    }
}

impl Transport for Unreliable {
    fn post(&mut self, operation: u32, kind: Kind, bytes: Bytes) {
        let message = Message::new(operation, kind, bytes, self.end, self.settings.mtu);
        self.end = message.end();
        self.messages.push_back(message);
    }

    fn messages(&self) -> u32 {
        self.messages.len() as u32
    }

    fn has_work(&self) -> bool {
        self.next < self.end
    }

    fn begins_message(&self) -> bool {
        let message = self.messages.get(self.current);
        message.is_some_and(|message| message.first == self.next && message.kind != Kind::Udp)
    }

    fn next(&mut self, _now: Picoseconds) -> Option<Segment> {
        let message = *self.messages.get(self.current)?;
        let psn = self.next;
        self.next += 1;
        let mut flags = if psn == message.first { FIRST } else { 0 };
        if self.next == message.end() {
            flags |= LAST;
            self.current += 1;
        }
        Some(Segment {
            kind: message.kind,
            psn,
            payload: message.payload(psn, self.settings.mtu),
            flags,
            again: false,
            span: 0,
        })
    }

    fn receive(&mut self, now: Picoseconds, arrival: Arrival) -> Outcome {
        if arrival.kind == Kind::Udp {
            self.received += 1; // each is a message
            return Outcome {
                delivered: arrival.payload,
                ..Outcome::default()
            };
        }
        let first = arrival.flags & FIRST != 0;
        let is_accepted =
            self.continues(arrival.psn, first) && (!first || self.begins(now, arrival.kind));
        self.expected = None;
        if !is_accepted {
            return Outcome::default();
        }
        if arrival.flags & LAST == 0 {
            self.expected = Some(arrival.psn + 1);
        } else {
            self.received += 1;
            if let Some(receives) = self
                .receives
                .as_mut()
                .filter(|_| arrival.kind != Kind::Write)
            {
                receives.complete_message(now);
            }
        }
        Outcome {
            delivered: arrival.payload,
            ..Outcome::default()
        }
    }

    /// As for a packet in the middle. The first packet of a message without a receive counts as accepted.
    fn accepts(&self, kind: Kind, psn: u32, first: bool) -> bool {
        kind == Kind::Udp || self.continues(psn, first)
    }

    fn pop_completed(&mut self) -> Option<u32> {
        if self.current == 0 {
            return None;
        }
        self.current -= 1;
        self.completed = self.completed.wrapping_add(1);
        self.messages.pop_front().map(|message| message.operation)
    }

    fn deadline(&self) -> Picoseconds {
        NEVER
    }

    fn timeout(&mut self, _now: Picoseconds) -> Timeout {
        Timeout::Idle
    }

    fn abandon(&mut self) -> Vec<u32> {
        self.next = self.end;
        self.current = 0;
        let messages = self.messages.drain(..);
        messages.map(|message| message.operation).collect()
    }

    fn messages_before(&self, psn: u32) -> u32 {
        let ended = self
            .messages
            .iter()
            .take_while(|message| message.end() <= psn);
        self.completed + ended.count() as u32
    }

    fn find_requested_read(&self, psn: u32) -> Option<Message> {
        let mut messages = self.messages.iter();
        let found = messages.find(|message| message.first <= psn && psn < message.end());
        found.copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MTU: u32 = 10;

    fn end(rx_depth: Option<u32>) -> Unreliable {
        Unreliable::new(Arc::new(Settings {
            mtu: Bytes(MTU),
            rx_depth,
            receive: Picoseconds(100),
            ..super::super::pair::plain()
        }))
    }

    /// Packets that a receiver accepts of three messages, of three, one and two packets, when some are lost or late.
    #[test]
    fn the_rest_of_a_message_is_dropped() {
        let rows: [(&str, &[usize], u64, u64); 6] = [
            ("all", &[0, 1, 2, 3, 4, 5], 60, 3),
            ("the first is lost", &[1, 2, 3, 4, 5], 30, 2),
            ("the middle", &[0, 2, 3, 4, 5], 40, 2),
            ("the last", &[0, 1, 3, 4, 5], 50, 2),
            ("two are swapped", &[0, 2, 1, 3, 4, 5], 40, 2),
            (
                "the last of one and the first of another",
                &[0, 1, 3, 5],
                30,
                1,
            ),
        ];
        for (case, arrive, bytes, messages) in rows {
            let (mut sender, mut receiver) = (end(None), end(None));
            for (operation, bytes) in [(0, 30), (1, 10), (2, 20)] {
                sender.post(operation, Kind::Write, Bytes(bytes));
            }
            let sent: Vec<Segment> =
                std::iter::from_fn(|| sender.next(Picoseconds::ZERO)).collect();
            let mut delivered = 0;
            for &position in arrive {
                let Segment {
                    kind,
                    psn,
                    payload,
                    flags,
                    ..
                } = sent[position];
                let arrival = Arrival {
                    kind,
                    psn,
                    payload,
                    flags,
                    span: 0,
                    requested_read: None,
                };
                let outcome = receiver.receive(Picoseconds::ZERO, arrival);
                assert_eq!((outcome.reply, outcome.progress), (None, false));
                delivered += u64::from(outcome.delivered.0);
            }
            assert_eq!(
                (delivered, receiver.message_count()),
                (bytes, messages),
                "{case}"
            );
        }
    }

    /// A message completes when its last packet has left, received or not.
    #[test]
    fn completion() {
        let mut sender = end(None);
        sender.post(7, Kind::Send, Bytes(25));
        sender.post(8, Kind::Send, Bytes(0));
        for left in [2, 1] {
            assert_eq!(sender.pop_completed(), None, "{left} packets left");
            assert!(sender.next(Picoseconds::ZERO).is_some());
        }
        assert!(sender.next(Picoseconds::ZERO).is_some());
        assert_eq!(sender.pop_completed(), Some(7));
        assert_eq!(sender.pop_completed(), None);
        assert!(sender.begins_message() && sender.next(Picoseconds::ZERO).is_some());
        assert_eq!(sender.pop_completed(), Some(8));
        assert!(!sender.has_work());
    }

    /// A send without a receive is dropped without a report to the sender; a write needs none.
    #[test]
    fn without_a_receive() {
        let mut receiver = end(Some(1));
        let mut take = |now, kind, psn| {
            let flags = FIRST | LAST;
            let arrival = Arrival {
                kind,
                psn,
                payload: Bytes(MTU),
                flags,
                span: 0,
                requested_read: None,
            };
            receiver.receive(now, arrival).delivered
        };
        assert_eq!(take(Picoseconds::ZERO, Kind::Send, 0), Bytes(MTU));
        assert_eq!(take(Picoseconds(1), Kind::Send, 1), Bytes(0));
        assert_eq!(take(Picoseconds(1), Kind::Write, 2), Bytes(MTU));
        assert_eq!(take(Picoseconds(100), Kind::Send, 3), Bytes(MTU));
    }
}
