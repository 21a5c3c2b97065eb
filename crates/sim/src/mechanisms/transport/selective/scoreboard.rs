//! The packets of a requester that are not acknowledged in order: which are in flight, which arrived, which are lost.

use crate::mechanisms::transport::SendProgress;
use std::collections::VecDeque;

/// The number of a packet that was sent once; greater than any count of packets.
const NEVER_AGAIN: u32 = u32::MAX;

/// State of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    InFlight,
    Arrived,
    Lost,
}

/// A sequence number in use. Those of a read count its responses; the first also counts the request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet {
    pub(super) state: State,
    /// It is a response to a read.
    pub(super) response: bool,
    /// It is a read request whose arrival is not known.
    pub(super) request: bool,
    /// Its last retransmission, as the first packet that was new then; `NEVER_AGAIN` = it was sent once.
    again: u32,
}

/// The packets from the oldest that is not acknowledged in order to the newest that was sent.
#[derive(Debug, Clone, Default)]
pub(super) struct Scoreboard {
    packets: VecDeque<Packet>,
    oldest: u32,
    lost: u32,
    arrived: u32,
    /// Nothing before this is lost.
    lost_from: u32,
    requests: Judgement,
    responses: Judgement,
}

/// Progress of the comparison of sent packets with arrived ones.
#[derive(Debug, Clone, Default)]
struct Judgement {
    /// Packets sent once are judged before this.
    before: u32,
    /// Retransmitted packets, each with the first that was new then: packets sent from there on overtake it.
    again: VecDeque<(u32, u32)>,
}

impl Scoreboard {
    pub(super) fn oldest(&self) -> u32 {
        self.oldest
    }

    /// The first that was never sent.
    pub(super) fn fresh(&self) -> u32 {
        self.oldest + self.packets.len() as u32
    }

    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    pub(super) fn len(&self) -> u32 {
        self.packets.len() as u32
    }

    pub(super) fn progress(&self) -> SendProgress {
        SendProgress {
            oldest: self.oldest,
            fresh: self.fresh(),
            arrived: self.oldest + self.arrived,
            in_flight: self.len() - self.lost - self.arrived,
        }
    }

    pub(super) fn lost_count(&self) -> u32 {
        self.lost
    }

    pub(super) fn any_lost(&self) -> bool {
        self.lost > 0
    }

    /// The packet, unless it is acknowledged in order or was never sent.
    pub(super) fn get(&self, psn: u32) -> Option<Packet> {
        let position = psn.checked_sub(self.oldest)?;
        self.packets.get(position as usize).copied()
    }

    fn packet_mut(&mut self, psn: u32) -> Option<&mut Packet> {
        let position = psn.checked_sub(self.oldest)?;
        self.packets.get_mut(position as usize)
    }

    /// A new packet leaves; of a read, the request for `count` responses.
    pub(super) fn push(&mut self, response: bool, count: u32) {
        for n in 0..count {
            self.packets.push_back(Packet {
                state: State::InFlight,
                response,
                request: response && n == 0,
                again: NEVER_AGAIN,
            });
        }
    }

    /// The first lost packet. The caller knows that a packet is lost.
    pub(super) fn first_lost(&self) -> u32 {
        let mut psn = self.lost_from.max(self.oldest);
        while self
            .get(psn)
            .is_some_and(|packet| packet.state != State::Lost)
        {
            psn += 1;
        }
        psn
    }

    /// The first lost packet leaves again.
    pub(super) fn resend(&mut self, psn: u32) {
        let fresh = self.fresh();
        let Some(packet) = self.packet_mut(psn) else {
            return;
        };
        packet.state = State::InFlight;
        packet.again = fresh;
        let (response, request) = (packet.response, packet.request);
        self.lost -= 1;
        self.lost_from = psn + 1; // it was the first
        if !response || request {
            self.requests.again.push_back((fresh, psn));
        }
        if response {
            self.responses.again.push_back((fresh, psn));
        }
    }

    /// It has arrived. Returns whether that is new.
    pub(super) fn mark_arrived(&mut self, psn: u32) -> bool {
        let Some(packet) = self.packet_mut(psn) else {
            return false;
        };
        let previous = std::mem::replace(&mut packet.state, State::Arrived);
        self.lost -= u32::from(previous == State::Lost);
        self.arrived += u32::from(previous != State::Arrived);
        previous != State::Arrived
    }

    /// The read request has arrived, not necessarily its responses.
    pub(super) fn request_arrived(&mut self, psn: u32) {
        if let Some(packet) = self.packet_mut(psn) {
            packet.request = false;
        }
    }

    /// Packets sent before packet `by` that have not arrived are lost: requests and data, or `responses`.
    pub(super) fn lose(&mut self, by: u32, responses: bool, losses: &mut Vec<u32>) {
        let mut judgement = std::mem::take(self.judgement(responses));
        let from = judgement.before.max(self.oldest);
        for psn in from..by.min(self.fresh()) {
            self.lose_one(psn, responses, NEVER_AGAIN, losses);
        }
        judgement.before = judgement.before.max(by);
        while judgement
            .again
            .front()
            .is_some_and(|(fresh, _)| *fresh <= by)
        {
            if let Some((fresh, psn)) = judgement.again.pop_front() {
                self.lose_one(psn, responses, fresh, losses);
            }
        }
        *self.judgement(responses) = judgement;
    }

    fn judgement(&mut self, responses: bool) -> &mut Judgement {
        match responses {
            true => &mut self.responses,
            false => &mut self.requests,
        }
    }

    fn lose_one(&mut self, psn: u32, responses: bool, attempt: u32, losses: &mut Vec<u32>) {
        let Some(packet) = self.get(psn) else { return };
        let is_judged = match responses {
            true => packet.response,
            false => !packet.response || packet.request,
        };
        if packet.state == State::InFlight && packet.again == attempt && is_judged {
            losses.push(psn);
        }
    }

    /// The packet is treated as lost.
    pub(super) fn mark_lost(&mut self, psn: u32) {
        let Some(packet) = self.packet_mut(psn) else {
            return;
        };
        if packet.state != State::InFlight {
            return;
        }
        packet.state = State::Lost;
        self.lost += 1;
        self.lost_from = self.lost_from.min(psn);
    }

    /// All packets that are not known to have arrived are treated as lost.
    pub(super) fn lose_all(&mut self) {
        for psn in self.oldest..self.fresh() {
            self.mark_lost(psn);
        }
    }

    /// Removes those that arrived in order. Returns whether there were any.
    pub(super) fn advance(&mut self) -> bool {
        let previous_oldest = self.oldest;
        while self
            .packets
            .front()
            .is_some_and(|packet| packet.state == State::Arrived)
        {
            self.packets.pop_front();
            self.arrived -= 1;
            self.oldest += 1;
        }
        self.oldest > previous_oldest
    }
}
