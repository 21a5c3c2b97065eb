//! Two ends of a connection over a wire that loses what a row says. Numbers of clauses are those of IBTA volume 1.

use super::*;
use proptest::prelude::*;
use std::collections::VecDeque;

/// From one end to the other, in ticks; each end sends one packet per tick, and replies besides.
const FLIGHT: Picoseconds = 2;
const MTU: u32 = 10;
const READ: Kind = Kind::ReadRequest;
const WRITE: Kind = Kind::Write;
const SEND: Kind = Kind::Send;

/// One ACK per packet, one NAK per gap, no timeout, any number of reads.
fn plain() -> Settings {
    Settings {
        mtu: MTU,
        ack_every: 1,
        echo: false,
        ack_timeout: NEVER,
        retry_count: 7,
        nak_interval: NEVER,
        max_outstanding_reads: 16,
    }
}

/// One end, the wire towards it and what happened there.
struct End {
    transport: Rc,
    coming: VecDeque<(Picoseconds, Arrival)>,
    /// What it sent, in the letters of `letter`.
    sent: Vec<String>,
    /// Operations that ended, with the tick.
    ended: Vec<(u32, Picoseconds)>,
    delivered: u64,
    failed: bool,
}

impl End {
    fn new(settings: &Settings) -> Self {
        End {
            transport: Rc::new(Arc::new(settings.clone())),
            coming: VecDeque::new(),
            sent: Vec::new(),
            ended: Vec::new(),
            delivered: 0,
            failed: false,
        }
    }

    fn busy(&self) -> bool {
        !self.coming.is_empty() || self.transport.has_work() || self.transport.deadline() != NEVER
    }
}

fn letter(kind: Kind, flags: u8) -> char {
    match kind {
        Kind::Write => 'W',
        Kind::Send => 'S',
        Kind::ReadRequest => 'Q',
        Kind::ReadResponse => 'R',
        _ if flags & NAK != 0 => 'N',
        _ if flags & ECHO != 0 => 'E',
        _ => 'A',
    }
}

type Chance<'a> = Box<dyn FnMut(usize, &str) -> bool + 'a>;

/// Two ends and the wires between them.
struct Pair<'a> {
    ends: [End; 2],
    now: Picoseconds,
    /// Whether a packet that end `0 or 1` sends as this name is lost.
    loses: Chance<'a>,
    /// Whether it is marked.
    marks: Chance<'a>,
}

impl<'a> Pair<'a> {
    fn new(settings: &Settings) -> Self {
        Pair {
            ends: [End::new(settings), End::new(settings)],
            now: 0,
            loses: Box::new(|_, _| false),
            marks: Box::new(|_, _| false),
        }
    }

    /// Each packet named is lost once per time it is named.
    fn losing(settings: &Settings, lost: &'a str) -> Self {
        let mut lost: Vec<&str> = lost.split_whitespace().collect();
        let mut pair = Pair::new(settings);
        pair.loses = Box::new(move |_, name| {
            let found = lost.iter().position(|lost| *lost == name);
            found.map(|place| lost.remove(place)).is_some()
        });
        pair
    }

    fn post(&mut self, messages: &[(Kind, u64)]) {
        for (number, (kind, bytes)) in (0..).zip(messages) {
            self.ends[0].transport.post(number, *kind, *bytes);
        }
    }

    /// Until nothing moves and nobody waits; the tick limit is there so that a loop ends as a failure.
    fn run(&mut self) {
        while self.ends.iter().any(End::busy) {
            self.tick();
            assert!(self.now < 200_000, "still busy after 200,000 ticks");
        }
    }

    fn tick(&mut self) {
        for side in [1, 0] {
            while let Some((due, arrival)) = self.ends[side].coming.front().copied() {
                if due > self.now {
                    break;
                }
                self.ends[side].coming.pop_front();
                self.arrive(side, arrival);
            }
        }
        for side in [1, 0] {
            self.time_out(side);
            if let Some(segment) = self.ends[side].transport.next(self.now) {
                self.put(
                    side,
                    segment.kind,
                    segment.psn,
                    segment.payload,
                    segment.flags,
                );
            }
        }
        self.now += 1;
    }

    fn time_out(&mut self, side: usize) {
        let end = &mut self.ends[side];
        if end.transport.deadline() > self.now {
            return;
        }
        match end.transport.timeout(self.now) {
            Timeout::Failed => {
                end.failed = true;
                let lost = end.transport.abandon();
                end.ended
                    .extend(lost.iter().map(|operation| (*operation, self.now)));
            }
            Timeout::Resend(deadline) => assert!(deadline > self.now),
            other => panic!("{other:?} although the deadline has come"),
        }
    }

    fn arrive(&mut self, side: usize, mut arrival: Arrival) {
        if arrival.kind == READ {
            arrival.asked = self.ends[1 - side].transport.asked_for(arrival.psn);
        }
        let outcome = self.ends[side].transport.receive(self.now, arrival);
        let end = &mut self.ends[side];
        end.delivered += u64::from(outcome.delivered);
        while let Some(operation) = end.transport.completed() {
            end.ended.push((operation, self.now));
        }
        if let Some(reply) = outcome.reply {
            self.put(side, Kind::Ack, reply.psn, 0, reply.flags);
        }
    }

    fn put(&mut self, side: usize, kind: Kind, psn: u32, payload: u32, mut flags: u8) {
        let name = format!("{}{psn}", letter(kind, flags));
        let lost = (self.loses)(side, &name);
        if (self.marks)(side, &name) {
            flags |= CE;
        }
        let sent = &mut self.ends[side].sent;
        sent.push(if lost { format!("{name}x") } else { name });
        if lost {
            return;
        }
        let arrival = Arrival {
            kind,
            psn,
            payload,
            flags,
            asked: None,
        };
        self.ends[1 - side]
            .coming
            .push_back((self.now + FLIGHT, arrival));
    }
}

/// What is posted at once, what is lost, and what then passes in each direction.
struct Row {
    what: &'static str,
    settings: Settings,
    post: &'static [(Kind, u64)],
    lost: &'static str,
    forward: &'static str,
    back: &'static str,
    /// When each operation completes.
    ended: &'static [Picoseconds],
}

fn check(rows: Vec<Row>) {
    for row in rows {
        let mut pair = Pair::losing(&row.settings, row.lost);
        pair.post(row.post);
        pair.run();
        let [requester, responder] = &pair.ends;
        assert_eq!(
            requester.sent.join(" "),
            row.forward,
            "{}: forward",
            row.what
        );
        assert_eq!(responder.sent.join(" "), row.back, "{}: back", row.what);
        let ended: Vec<_> = (0..).zip(row.ended.iter().copied()).collect();
        assert_eq!(requester.ended, ended, "{}: ended", row.what);
        let bytes = |read| {
            let of_kind = row.post.iter().filter(|(kind, _)| (*kind == READ) == read);
            of_kind.map(|(_, bytes)| bytes).sum::<u64>()
        };
        assert_eq!(responder.delivered, bytes(false), "{}: written", row.what);
        assert_eq!(requester.delivered, bytes(true), "{}: read", row.what);
        assert!(!requester.failed);
    }
}

/// A packet sent at tick t is acknowledged at t + 4: the round trip.
#[test]
fn acknowledgements() {
    check(vec![
        Row {
            what: "one per packet",
            settings: plain(),
            post: &[(WRITE, 50)],
            lost: "",
            forward: "W0 W1 W2 W3 W4",
            back: "A0 A1 A2 A3 A4",
            ended: &[8],
        },
        Row {
            what: "one per two packets, and for the last",
            settings: Settings {
                ack_every: 2,
                ..plain()
            },
            post: &[(WRITE, 50)],
            lost: "",
            forward: "W0 W1 W2 W3 W4",
            back: "A1 A3 A4",
            ended: &[8],
        },
        Row {
            what: "one per message when ack_every is longer; every message asks for one",
            settings: Settings {
                ack_every: 100,
                ..plain()
            },
            post: &[(SEND, 30), (WRITE, 20)],
            lost: "",
            forward: "S0 S1 S2 W3 W4",
            back: "A2 A4",
            ended: &[6, 8],
        },
        Row {
            what: "the count of coalescing starts anew with every acknowledgement sent",
            settings: Settings {
                ack_every: 2,
                ..plain()
            },
            post: &[(WRITE, 10), (WRITE, 30)],
            lost: "",
            forward: "W0 W1 W2 W3",
            back: "A0 A2 A3",
            ended: &[4, 7],
        },
        Row {
            what: "a lost ACK is made up for by the next (9.7.5.1.1)",
            settings: plain(),
            post: &[(WRITE, 10), (WRITE, 20)],
            lost: "A0 A1",
            forward: "W0 W1 W2",
            back: "A0x A1x A2",
            ended: &[6, 6],
        },
        Row {
            what: "nothing to carry still takes a packet",
            settings: plain(),
            post: &[(WRITE, 0), (SEND, 0), (READ, 0)],
            lost: "",
            forward: "W0 S1 Q2",
            back: "A0 A1 R2",
            ended: &[4, 5, 6],
        },
    ]);
}

/// First, last, only (9.2.1): FIRST and LAST of each packet, its payload, and that the last asks for an ACK.
#[test]
fn segmentation() {
    const LAST_ASKS: u8 = LAST | ACK_REQUEST;
    let rows: [(u64, &[(u32, u8)]); 6] = [
        (0, &[(0, FIRST | LAST_ASKS)]),
        (1, &[(1, FIRST | LAST_ASKS)]),
        (10, &[(10, FIRST | LAST_ASKS)]),
        (11, &[(10, FIRST), (1, LAST_ASKS)]),
        (20, &[(10, FIRST), (10, LAST_ASKS)]),
        (30, &[(10, FIRST), (10, 0), (10, LAST_ASKS)]),
    ];
    for (bytes, packets) in rows {
        let mut transport = Rc::new(Arc::new(plain()));
        transport.post(7, WRITE, bytes);
        for (psn, (payload, flags)) in (0..).zip(packets) {
            assert!(transport.has_work());
            assert_eq!(transport.begins_message(), psn == 0);
            let expected = Segment {
                kind: WRITE,
                psn,
                payload: *payload,
                flags: *flags,
                again: false,
            };
            assert_eq!(transport.next(0), Some(expected), "{bytes} bytes");
        }
        assert_eq!(transport.next(0), None);
    }
}

/// A gap is seen when the packet after it arrives; W = 2 * FLIGHT packets follow the lost one in vain.
#[test]
fn gaps() {
    check(vec![
        Row {
            what: "one NAK, and everything from the missing packet again",
            settings: plain(),
            post: &[(WRITE, 100)],
            lost: "W1",
            forward: "W0 W1x W2 W3 W4 W5 W1 W2 W3 W4 W5 W6 W7 W8 W9",
            back: "A0 N1 A1 A2 A3 A4 A5 A6 A7 A8 A9",
            ended: &[18],
        },
        Row {
            what: "a NAK acknowledges what came before (9.7.5.1.2)",
            settings: Settings {
                ack_every: 100,
                ..plain()
            },
            post: &[(WRITE, 10), (WRITE, 30), (WRITE, 10)],
            lost: "A0 W2",
            forward: "W0 W1 W2x W3 W4 W2 W3 W4",
            back: "A0x N2 A3 A4",
            ended: &[7, 12, 13],
        },
        Row {
            what: "each gap has its own NAK",
            settings: plain(),
            post: &[(WRITE, 60)],
            lost: "W1 W4",
            // W4 is lost the first time it is sent, in vain; only the gap before it counts.
            forward: "W0 W1x W2 W3 W4x W5 W1 W2 W3 W4 W5",
            back: "A0 N1 A1 A2 A3 A4 A5",
            ended: &[14],
        },
        Row {
            what: "a second gap after the first is closed",
            settings: plain(),
            post: &[(WRITE, 40)],
            lost: "W1 W2 W2",
            forward: "W0 W1x W2x W3 W1 W2x W3 W2 W3",
            back: "A0 N1 A1 N2 A2 A3",
            ended: &[18],
        },
        Row {
            what: "across messages of all kinds",
            settings: plain(),
            post: &[(SEND, 10), (WRITE, 20), (READ, 20), (SEND, 10)],
            lost: "W1",
            forward: "S0 W1x W2 Q3 S5 W1 W2 Q3 S5",
            back: "A0 N1 A1 A2 R3 R4 A5",
            ended: &[4, 11, 13, 14],
        },
    ]);
}

/// A packet that arrives twice is acknowledged again, with what has arrived by then (9.7.5.1.4).
#[test]
fn duplicates() {
    check(vec![Row {
        what: "the only ACK is lost",
        settings: Settings {
            ack_timeout: 20,
            ..plain()
        },
        post: &[(WRITE, 20)],
        lost: "A0 A1",
        forward: "W0 W1 W0 W1",
        back: "A0x A1x A1 A1",
        ended: &[24],
    }]);
}

/// The NAK interval: 5 ticks are longer than the W = 4 packets in vain and shorter than the round trip after them, so
/// that only a gap that stays open is reported again; 2 ticks report it although the answer is on its way.
#[test]
fn the_same_gap_again() {
    check(vec![
        Row {
            what: "reported again when the retransmission is lost",
            settings: Settings {
                nak_interval: 5,
                ..plain()
            },
            post: &[(WRITE, 100)],
            lost: "W1 W1",
            forward: "W0 W1x W2 W3 W4 W5 W1x W2 W3 W4 W5 W1 W2 W3 W4 W5 W6 W7 W8 W9",
            back: "A0 N1 N1 A1 A2 A3 A4 A5 A6 A7 A8 A9",
            ended: &[23],
        },
        Row {
            what: "and when the NAK is lost",
            settings: Settings {
                nak_interval: 2,
                ..plain()
            },
            post: &[(WRITE, 60)],
            lost: "W1 N1",
            // W2 is reported at 4 in vain, W4 at 6; that NAK is there at 8.
            forward: "W0 W1x W2 W3 W4 W5 W1 W2 W3 W4 W5",
            back: "A0 N1x N1 A1 A2 A3 A4 A5",
            ended: &[16],
        },
        Row {
            what: "without it a lost retransmission waits for the timeout, 50 after the last progress at 4",
            settings: Settings {
                ack_timeout: 50,
                ..plain()
            },
            post: &[(WRITE, 30)],
            lost: "W1 W1",
            forward: "W0 W1x W2 W1x W2 W1 W2",
            back: "A0 N1 A1 A2",
            ended: &[59],
        },
    ]);
}

#[test]
fn reads() {
    check(vec![
        Row {
            what: "one request, the responses acknowledge",
            settings: plain(),
            post: &[(READ, 25)],
            lost: "",
            forward: "Q0",
            back: "R0 R1 R2",
            ended: &[6],
        },
        Row {
            what: "an ACK waits behind the responses to an earlier read (9.7.5.1.1)",
            settings: plain(),
            post: &[(WRITE, 10), (READ, 30), (WRITE, 20)],
            lost: "",
            forward: "W0 Q1 W4 W5",
            back: "A0 R1 R2 R3 A5",
            ended: &[4, 7, 8],
        },
        Row {
            what: "responses acknowledge the writes before them",
            settings: Settings {
                ack_every: 100,
                ..plain()
            },
            post: &[(WRITE, 10), (READ, 20)],
            lost: "A0",
            forward: "W0 Q1",
            back: "A0x R1 R2",
            ended: &[5, 6],
        },
        Row {
            what: "two reads at one time",
            settings: plain(),
            post: &[(READ, 20), (READ, 20)],
            lost: "",
            forward: "Q0 Q2",
            back: "R0 R1 R2 R3",
            ended: &[5, 7],
        },
        Row {
            what: "one read at a time: the second starts a round trip later, and what follows waits behind it",
            settings: Settings {
                max_outstanding_reads: 1,
                ..plain()
            },
            post: &[(READ, 20), (READ, 20), (WRITE, 10)],
            lost: "",
            forward: "Q0 Q2 W4",
            back: "R0 R1 R2 R3 A4",
            ended: &[5, 10, 11],
        },
        Row {
            what: "a write need not wait for reads",
            settings: Settings {
                max_outstanding_reads: 1,
                ..plain()
            },
            post: &[(READ, 20), (WRITE, 10)],
            lost: "",
            forward: "Q0 W2",
            back: "R0 R1 A2",
            ended: &[5, 6],
        },
    ]);
}

/// Lost responses are asked for again from the first that is missing, as a read of the rest (9.7.5.2.4).
#[test]
fn lost_responses() {
    check(vec![
        Row {
            what: "the first",
            settings: plain(),
            post: &[(READ, 30)],
            lost: "R0",
            forward: "Q0 Q0",
            back: "R0x R1 R2 R0 R1 R2",
            ended: &[11],
        },
        Row {
            what: "the one in the middle",
            settings: plain(),
            post: &[(READ, 30)],
            lost: "R1",
            forward: "Q0 Q1",
            back: "R0 R1x R2 R1 R2",
            ended: &[11],
        },
        Row {
            what: "the last, 20 after the one before it came at 5",
            settings: Settings {
                ack_timeout: 20,
                ..plain()
            },
            post: &[(READ, 30)],
            lost: "R2",
            forward: "Q0 Q2",
            back: "R0 R1 R2x R2",
            ended: &[29],
        },
        Row {
            what: "the last, seen by the ACK behind it",
            settings: plain(),
            post: &[(READ, 30), (WRITE, 10)],
            lost: "R2",
            forward: "Q0 W3 Q2 W3",
            back: "R0 R1 R2x A3 R2 A3",
            ended: &[11, 12],
        },
        Row {
            what: "the last, seen by the response to the next read",
            settings: plain(),
            post: &[(READ, 20), (READ, 20)],
            lost: "R1",
            forward: "Q0 Q2 Q1 Q2",
            back: "R0 R1x R2 R3 R1 R2 R3",
            ended: &[10, 12],
        },
        Row {
            what: "the request, seen by the write behind it",
            settings: plain(),
            post: &[(READ, 20), (WRITE, 10)],
            lost: "Q0",
            forward: "Q0x W2 Q0 W2",
            back: "N0 R0 R1 A2",
            ended: &[10, 11],
        },
        Row {
            what: "a gap behind a read is reported behind its responses: none of them is asked for again",
            settings: plain(),
            post: &[(READ, 40), (WRITE, 20)],
            lost: "W4",
            forward: "Q0 W4x W5 W4 W5",
            back: "R0 R1 R2 R3 N4 A4 A5",
            ended: &[7, 13],
        },
        Row {
            what: "a gap that closed before its report could leave is not reported",
            settings: Settings {
                ack_timeout: 5,
                ..plain()
            },
            post: &[(READ, 80), (WRITE, 20)],
            lost: "W8 R0 R1 R2",
            // Nothing came by 5: everything again. R3 of before comes at 7, ahead of what is missing: again.
            forward: "Q0 W8x W9 Q0 W8 Q0 W8 W9",
            back: "R0x R1x R2x R3 R4 R0 R1 R0 R1 R2 R3 R4 R5 R6 R7 A9",
            ended: &[18, 19],
        },
    ]);
}

/// 20 ticks of silence are a timeout; retry_count timeouts in a row are answered by sending again, the next fails all.
#[test]
fn timeouts() {
    for (retry_count, times) in [(0, 1), (1, 2), (7, 8)] {
        let settings = Settings {
            ack_timeout: 20,
            retry_count,
            ..plain()
        };
        let mut pair = Pair::new(&settings);
        pair.loses = Box::new(|side, _| side == 0);
        pair.post(&[(WRITE, 20), (READ, 5)]);
        pair.run();
        let requester = &pair.ends[0];
        assert!(requester.failed);
        assert_eq!(requester.sent, ["W0x", "W1x", "Q2x"].repeat(times));
        let failed = 20 * (Picoseconds::from(retry_count) + 1);
        assert_eq!(requester.ended, [(0, failed), (1, failed)]);
        assert!(!requester.transport.has_work());
        assert_eq!(requester.transport.messages(), 0);
    }
}

#[test]
fn progress_resets_the_retries() {
    // Each of four packets is lost twice with one retry too few to lose all eight, were they counted together.
    let settings = Settings {
        ack_timeout: 20,
        retry_count: 2,
        ..plain()
    };
    let mut pair = Pair::losing(&settings, "W0 W0 W1 W1 W2 W2 W3 W3 N1 N2 N3");
    pair.post(&[(WRITE, 10), (WRITE, 10), (WRITE, 10), (WRITE, 10)]);
    pair.run();
    assert!(!pair.ends[0].failed);
    assert_eq!(pair.ends[0].ended.len(), 4);
}

#[test]
fn a_gap_that_stays_is_no_progress() {
    // The first response never arrives and the last always does, so each retry shows the same gap again.
    let settings = Settings {
        ack_timeout: 20,
        retry_count: 2,
        ..plain()
    };
    let mut pair = Pair::new(&settings);
    pair.loses = Box::new(|_, name| name == "R0");
    pair.post(&[(READ, 30)]);
    pair.run();
    assert!(pair.ends[0].failed);
    // Asked at first, for each gap, and after each of two timeouts; 20 ticks after the last of these it fails.
    assert_eq!(pair.ends[0].sent, ["Q0"; 6]);
    assert_eq!(pair.ends[0].ended, [(0, 60)]);
}

#[test]
fn a_queue_pair_in_error_neither_sends_nor_answers() {
    // The timeout is shorter than the round trip, so ACKs, a NAK and the peer's packets arrive after the failure.
    for lost in ["", "W1"] {
        let settings = Settings {
            ack_timeout: 3,
            retry_count: 0,
            ..plain()
        };
        let mut pair = Pair::losing(&settings, lost);
        pair.post(&[(WRITE, 60)]);
        while !pair.ends[0].failed {
            pair.tick();
        }
        let sent = pair.ends[0].sent.len();
        pair.ends[1].transport.post(9, READ, 10);
        pair.ends[1].transport.post(10, WRITE, 10);
        pair.run();
        assert_eq!(pair.ends[0].sent.len(), sent, "lost: {lost:?}");
        assert_eq!(pair.ends[0].ended, [(0, 3)]);
        // The peer gets no answer (10.3.1: a queue pair in error drops what arrives), and fails in turn.
        assert!(pair.ends[1].failed);
        assert_eq!(pair.ends[1].ended.len(), 2);
    }
}

#[test]
fn a_response_that_comes_after_the_timeout() {
    let mut transport = Rc::new(Arc::new(Settings {
        ack_timeout: 20,
        ..plain()
    }));
    transport.post(0, READ, 10);
    assert!(transport.next(0).is_some());
    assert_eq!(transport.timeout(20), Timeout::Resend(40));
    let response = Arrival {
        kind: Kind::ReadResponse,
        psn: 0,
        payload: 10,
        flags: FIRST | LAST,
        asked: None,
    };
    assert_eq!(transport.receive(21, response).delivered, 10);
    assert_eq!(transport.completed(), Some(0));
    assert!(!transport.has_work());
    assert_eq!(transport.receive(22, response).delivered, 0);
}

#[test]
fn an_ack_that_comes_after_the_timeout_does_not_complete_a_read() {
    let mut transport = Rc::new(Arc::new(Settings {
        ack_timeout: 20,
        ..plain()
    }));
    transport.post(0, READ, 30);
    transport.post(1, WRITE, 10);
    assert!(transport.next(0).is_some());
    assert!(transport.next(1).is_some());
    // The responses are lost, the write is acknowledged, and nothing was sent between the timeout and that.
    assert_eq!(transport.timeout(20), Timeout::Resend(40));
    let acknowledgement = Arrival {
        kind: Kind::Ack,
        psn: 3,
        payload: 0,
        flags: 0,
        asked: None,
    };
    transport.receive(21, acknowledgement);
    assert_eq!(transport.completed(), None);
    let request = transport
        .next(21)
        .map(|segment| (segment.kind, segment.psn));
    assert_eq!(request, Some((READ, 0)));
}

/// The first response to a request says so (it carries an AETH), also when the request is for the rest of a read.
#[test]
fn segmentation_of_responses() {
    let message = Message {
        operation: 0,
        kind: READ,
        bytes: 35,
        first: 0,
        packets: 4,
    };
    for (from, packets) in [
        (0, vec![(10, FIRST), (10, 0), (10, 0), (5, LAST)]),
        (2, vec![(10, FIRST), (5, LAST)]),
        (3, vec![(5, FIRST | LAST)]),
    ] {
        let mut transport = Rc::new(Arc::new(plain()));
        transport.responder.expected = from;
        let request = Arrival {
            kind: READ,
            psn: from,
            payload: 0,
            flags: FIRST | LAST,
            asked: Some(message),
        };
        assert!(transport.receive(0, request).progress);
        let sent: Vec<_> = std::iter::from_fn(|| transport.next(0)).collect();
        let seen: Vec<_> = sent
            .iter()
            .map(|segment| (segment.payload, segment.flags))
            .collect();
        assert_eq!(seen, packets);
    }
}

/// One end has four packets to answer with and two of its own: neither waits for all of the other.
#[test]
fn requests_and_responses_take_turns() {
    let mut end = Rc::new(Arc::new(plain()));
    let read = Message {
        operation: 0,
        kind: READ,
        bytes: 4 * u64::from(MTU),
        first: 0,
        packets: 4,
    };
    let request = Arrival {
        kind: READ,
        psn: 0,
        payload: 0,
        flags: FIRST | LAST | ACK_REQUEST,
        asked: Some(read),
    };
    end.receive(0, request);
    end.post(0, WRITE, 2 * u64::from(MTU));
    let sent: Vec<(Kind, u32)> = std::iter::from_fn(|| end.next(0))
        .map(|segment| (segment.kind, segment.psn))
        .collect();
    let answer = Kind::ReadResponse;
    let expected = [
        (answer, 0),
        (WRITE, 0),
        (answer, 1),
        (WRITE, 1),
        (answer, 2),
        (answer, 3),
    ];
    assert_eq!(sent, expected);
}

/// With `echo` the ACK of a marked packet says so, once; without it never.
#[test]
fn echo() {
    for (echo, ack_every, back) in [
        (true, 1, "A0 E1 A2 A3"),
        (true, 2, "E1 A3"),
        (true, 100, "E3"),
        (false, 1, "A0 A1 A2 A3"),
    ] {
        let mut pair = Pair::new(&Settings {
            echo,
            ack_every,
            ..plain()
        });
        pair.marks = Box::new(|_, name| name == "W1");
        pair.post(&[(WRITE, 40)]);
        pair.run();
        assert_eq!(pair.ends[1].sent.join(" "), back);
    }
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(WRITE), Just(SEND), Just(READ)]
}

fn messages() -> impl Strategy<Value = Vec<(Kind, u64)>> {
    prop::collection::vec((kinds(), 0u64..80), 0..12)
}

proptest! {
    /// Whatever is lost, each operation completes once, in order, and its bytes arrive once; both ends post and answer.
    #[test]
    fn everything_arrives_once(
        posts in [messages(), messages()],
        losses in prop::collection::vec(any::<bool>(), 0..60),
        ack_every in 1u32..6,
        ack_timeout in 1u64..60,
        nak_interval in prop_oneof![Just(NEVER), 1u64..20],
        max_outstanding_reads in 1u32..4,
    ) {
        let settings = Settings {
            ack_every,
            ack_timeout,
            nak_interval,
            max_outstanding_reads,
            retry_count: u8::MAX,
            ..plain()
        };
        let mut losses = losses.into_iter();
        let mut pair = Pair::new(&settings);
        pair.loses = Box::new(move |_, _| losses.next().unwrap_or(false));
        for (end, posts) in pair.ends.iter_mut().zip(&posts) {
            for (number, (kind, bytes)) in (0..).zip(posts) {
                end.transport.post(number, *kind, *bytes);
            }
        }
        pair.run();
        for side in [0, 1] {
            let bytes = |posts: &[(Kind, u64)], read: bool| -> u64 {
                posts.iter().filter(|(kind, _)| (*kind == READ) == read).map(|(_, bytes)| bytes).sum()
            };
            let end = &pair.ends[side];
            let ended: Vec<u32> = end.ended.iter().map(|(operation, _)| *operation).collect();
            prop_assert_eq!(ended, (0..posts[side].len() as u32).collect::<Vec<_>>());
            prop_assert_eq!(end.delivered, bytes(&posts[side], true) + bytes(&posts[1 - side], false));
            prop_assert_eq!(end.transport.messages(), 0);
        }
    }
}
