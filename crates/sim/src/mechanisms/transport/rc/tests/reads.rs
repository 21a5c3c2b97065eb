//! Reads: lost responses, responses that come late, turns of requests and responses.

use super::*;
use crate::bytes::Bytes;

#[test]
fn reads() {
    check(vec![
        Row {
            case: "one request, the responses acknowledge",
            settings: plain(),
            post: &[(READ, 25)],
            lost: "",
            forward: "Q0",
            back: "R0 R1 R2",
            ended: &[6],
        },
        Row {
            case: "an ACK waits behind the responses to an earlier read (9.7.5.1.1)",
            settings: plain(),
            post: &[(WRITE, 10), (READ, 30), (WRITE, 20)],
            lost: "",
            forward: "W0 Q1 W4 W5",
            back: "A0 R1 R2 R3 A5",
            ended: &[4, 7, 8],
        },
        Row {
            case: "responses acknowledge the writes before them",
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
            case: "two reads at one time",
            settings: plain(),
            post: &[(READ, 20), (READ, 20)],
            lost: "",
            forward: "Q0 Q2",
            back: "R0 R1 R2 R3",
            ended: &[5, 7],
        },
        Row {
            case: "one read at a time: the second starts a round trip later, and what follows waits behind it",
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
            case: "a write need not wait for reads",
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

/// Lost responses are requested again from the first that is missing, as a read of the rest (9.7.5.2.4).
#[test]
fn lost_responses() {
    check(vec![
        Row {
            case: "the first",
            settings: plain(),
            post: &[(READ, 30)],
            lost: "R0",
            forward: "Q0 Q0",
            back: "R0x R1 R2 R0 R1 R2",
            ended: &[11],
        },
        Row {
            case: "the one in the middle",
            settings: plain(),
            post: &[(READ, 30)],
            lost: "R1",
            forward: "Q0 Q1",
            back: "R0 R1x R2 R1 R2",
            ended: &[11],
        },
        Row {
            case: "the last, 20 after the one before it came at 5",
            settings: Settings {
                ack_timeout: Picoseconds(20),
                ..plain()
            },
            post: &[(READ, 30)],
            lost: "R2",
            forward: "Q0 Q2",
            back: "R0 R1 R2x R2",
            ended: &[29],
        },
        Row {
            case: "the last, seen by the ACK behind it",
            settings: plain(),
            post: &[(READ, 30), (WRITE, 10)],
            lost: "R2",
            forward: "Q0 W3 Q2 W3",
            back: "R0 R1 R2x A3 R2 A3",
            ended: &[11, 12],
        },
        Row {
            case: "the last, seen by the response to the next read",
            settings: plain(),
            post: &[(READ, 20), (READ, 20)],
            lost: "R1",
            forward: "Q0 Q2 Q1 Q2",
            back: "R0 R1x R2 R3 R1 R2 R3",
            ended: &[10, 12],
        },
        Row {
            case: "the request, seen by the write behind it",
            settings: plain(),
            post: &[(READ, 20), (WRITE, 10)],
            lost: "Q0",
            forward: "Q0x W2 Q0 W2",
            back: "N0 R0 R1 A2",
            ended: &[10, 11],
        },
        Row {
            case: "a gap behind a read is reported behind its responses: none of them is requested again",
            settings: plain(),
            post: &[(READ, 40), (WRITE, 20)],
            lost: "W4",
            forward: "Q0 W4x W5 W4 W5",
            back: "R0 R1 R2 R3 N4 A4 A5",
            ended: &[7, 13],
        },
        Row {
            case: "a gap that closed before its report could leave is not reported",
            settings: Settings {
                ack_timeout: Picoseconds(5),
                ..plain()
            },
            post: &[(READ, 80), (WRITE, 20)],
            lost: "W8 R0 R1 R2",
            // Nothing arrived by 5: everything again. The earlier R3 arrives at 7, before the missing ones: again.
            forward: "Q0 W8x W9 Q0 W8 Q0 W8 W9",
            back: "R0x R1x R2x R3 R4 R0 R1 R0 R1 R2 R3 R4 R5 R6 R7 A9",
            ended: &[18, 19],
        },
    ]);
}

#[test]
fn a_response_that_comes_after_the_timeout() {
    let mut transport = Rc::new(Arc::new(Settings {
        ack_timeout: Picoseconds(20),
        ..plain()
    }));
    transport.post(0, READ, Bytes(10));
    assert!(transport.next(Picoseconds::ZERO).is_some());
    assert_eq!(
        transport.timeout(Picoseconds(20)),
        Timeout::Resend(Picoseconds(40))
    );
    let response = Arrival {
        kind: Kind::ReadResponse,
        psn: 0,
        payload: Bytes(10),
        flags: FIRST | LAST,
        span: 0,
        requested_read: None,
    };
    assert_eq!(
        transport.receive(Picoseconds(21), response).delivered,
        Bytes(10)
    );
    assert_eq!(transport.pop_completed(), Some(0));
    assert!(!transport.has_work());
    assert_eq!(
        transport.receive(Picoseconds(22), response).delivered,
        Bytes(0)
    );
}

#[test]
fn an_ack_that_comes_after_the_timeout_does_not_complete_a_read() {
    let mut transport = Rc::new(Arc::new(Settings {
        ack_timeout: Picoseconds(20),
        ..plain()
    }));
    transport.post(0, READ, Bytes(30));
    transport.post(1, WRITE, Bytes(10));
    assert!(transport.next(Picoseconds::ZERO).is_some());
    assert!(transport.next(Picoseconds(1)).is_some());
    // The responses are lost, the write is acknowledged, and nothing was sent between the timeout and that.
    assert_eq!(
        transport.timeout(Picoseconds(20)),
        Timeout::Resend(Picoseconds(40))
    );
    let acknowledgement = Arrival {
        kind: Kind::Ack,
        psn: 3,
        payload: Bytes(0),
        flags: 0,
        span: 0,
        requested_read: None,
    };
    transport.receive(Picoseconds(21), acknowledgement);
    assert_eq!(transport.pop_completed(), None);
    let request = transport
        .next(Picoseconds(21))
        .map(|segment| (segment.kind, segment.psn));
    assert_eq!(request, Some((READ, 0)));
}

/// The first response to a request carries an AETH, also when the request is for the rest of a read.
#[test]
fn segmentation_of_responses() {
    let message = Message {
        operation: 0,
        kind: READ,
        bytes: Bytes(35),
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
            payload: Bytes(0),
            flags: FIRST | LAST,
            span: 0,
            requested_read: Some(message),
        };
        assert!(transport.receive(Picoseconds::ZERO, request).progress);
        let sent: Vec<_> = std::iter::from_fn(|| transport.next(Picoseconds::ZERO)).collect();
        let sent_packets: Vec<_> = sent
            .iter()
            .map(|segment| (segment.payload.0, segment.flags))
            .collect();
        assert_eq!(sent_packets, packets);
    }
}

/// One end has four answers and two packets to send: neither waits for all of the other.
#[test]
fn requests_and_responses_take_turns() {
    let mut end = Rc::new(Arc::new(plain()));
    let read = Message {
        operation: 0,
        kind: READ,
        bytes: Bytes(4 * u64::from(MTU)),
        first: 0,
        packets: 4,
    };
    let request = Arrival {
        kind: READ,
        psn: 0,
        payload: Bytes(0),
        flags: FIRST | LAST | ACK_REQUEST,
        span: 0,
        requested_read: Some(read),
    };
    end.receive(Picoseconds::ZERO, request);
    end.post(0, WRITE, Bytes(2 * u64::from(MTU)));
    let sent: Vec<(Kind, u32)> = std::iter::from_fn(|| end.next(Picoseconds::ZERO))
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
