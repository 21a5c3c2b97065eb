//! Reliable connections end to end. Numbers of clauses are those of IBTA volume 1.

mod errors;
mod properties;
mod reads;
mod receives;

use super::super::pair::*;
use super::*;
use crate::mechanisms::frame::{ACK_REQUEST, FIRST};

/// A packet sent at tick t is acknowledged at t + 4: the round trip.
#[test]
fn acknowledgements() {
    check(vec![
        Row {
            case: "one per packet",
            settings: plain(),
            post: &[(WRITE, 50)],
            lost: "",
            forward: "W0 W1 W2 W3 W4",
            back: "A0 A1 A2 A3 A4",
            ended: &[8],
        },
        Row {
            case: "one per two packets, and for the last",
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
            case: "one per message when ack_every is longer; every message requests one",
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
            case: "the count of coalescing starts anew with every acknowledgement sent",
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
            case: "the next ACK replaces a lost one (9.7.5.1.1)",
            settings: plain(),
            post: &[(WRITE, 10), (WRITE, 20)],
            lost: "A0 A1",
            forward: "W0 W1 W2",
            back: "A0x A1x A2",
            ended: &[6, 6],
        },
        Row {
            case: "nothing to carry still takes a packet",
            settings: plain(),
            post: &[(WRITE, 0), (SEND, 0), (READ, 0)],
            lost: "",
            forward: "W0 S1 Q2",
            back: "A0 A1 R2",
            ended: &[4, 5, 6],
        },
    ]);
}

/// First, last, only (9.2.1): FIRST and LAST of each packet, its payload, and that the last requests an ACK.
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
        transport.post(7, WRITE, Bytes(bytes));
        for (psn, (payload, flags)) in (0..).zip(packets) {
            assert!(transport.has_work());
            assert_eq!(transport.begins_message(), psn == 0);
            let expected = Segment {
                kind: WRITE,
                psn,
                payload: Bytes(*payload),
                flags: *flags,
                again: false,
                span: 0,
            };
            assert_eq!(
                transport.next(Picoseconds::ZERO),
                Some(expected),
                "{bytes} bytes"
            );
        }
        assert_eq!(transport.next(Picoseconds::ZERO), None);
    }
}

/// A gap is detected when the packet after it arrives; W = 2 * FLIGHT packets follow the lost one in vain.
#[test]
fn gaps() {
    check(vec![
        Row {
            case: "one NAK, and everything from the missing packet again",
            settings: plain(),
            post: &[(WRITE, 100)],
            lost: "W1",
            forward: "W0 W1x W2 W3 W4 W5 W1 W2 W3 W4 W5 W6 W7 W8 W9",
            back: "A0 N1 A1 A2 A3 A4 A5 A6 A7 A8 A9",
            ended: &[18],
        },
        Row {
            case: "a NAK acknowledges what came before (9.7.5.1.2)",
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
            case: "each gap has its own NAK",
            settings: plain(),
            post: &[(WRITE, 60)],
            lost: "W1 W4",
            // W4 is lost the first time it is sent, in vain; only the gap before it counts.
            forward: "W0 W1x W2 W3 W4x W5 W1 W2 W3 W4 W5",
            back: "A0 N1 A1 A2 A3 A4 A5",
            ended: &[14],
        },
        Row {
            case: "a second gap after the first is closed",
            settings: plain(),
            post: &[(WRITE, 40)],
            lost: "W1 W2 W2",
            forward: "W0 W1x W2x W3 W1 W2x W3 W2 W3",
            back: "A0 N1 A1 N2 A2 A3",
            ended: &[18],
        },
        Row {
            case: "across messages of all kinds",
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
        case: "the only ACK is lost",
        settings: Settings {
            ack_timeout: Picoseconds(20),
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
/// that only a gap that stays open is reported again; 2 ticks report it although the answer is in flight.
#[test]
fn the_same_gap_again() {
    check(vec![
        Row {
            case: "reported again when the retransmission is lost",
            settings: Settings {
                nak_interval: Picoseconds(5),
                ..plain()
            },
            post: &[(WRITE, 100)],
            lost: "W1 W1",
            forward: "W0 W1x W2 W3 W4 W5 W1x W2 W3 W4 W5 W1 W2 W3 W4 W5 W6 W7 W8 W9",
            back: "A0 N1 N1 A1 A2 A3 A4 A5 A6 A7 A8 A9",
            ended: &[23],
        },
        Row {
            case: "and when the NAK is lost",
            settings: Settings {
                nak_interval: Picoseconds(2),
                ..plain()
            },
            post: &[(WRITE, 60)],
            lost: "W1 N1",
            // W2 is reported at 4 in vain, W4 at 6; that NAK arrives at 8.
            forward: "W0 W1x W2 W3 W4 W5 W1 W2 W3 W4 W5",
            back: "A0 N1x N1 A1 A2 A3 A4 A5",
            ended: &[16],
        },
        Row {
            case: "without it a lost retransmission waits for the timeout, 50 after the last progress at 4",
            settings: Settings {
                ack_timeout: Picoseconds(50),
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

/// With `echo` the ACK of a marked packet echoes the mark, once; without it never.
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
