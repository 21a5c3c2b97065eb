//! Selective repeat end to end: the packets in each direction.

use super::super::pair::*;
use super::*;
use crate::bytes::Bytes;
use crate::model::parameters::Recovery;
use crate::time::{Nanoseconds, NEVER};
use proptest::prelude::*;

fn check_selective(rows: Vec<Row>) {
    check_recovery(Recovery::SelectiveRepeat, rows);
}

/// As go-back-N: nothing is lost.
#[test]
fn in_order() {
    check_selective(vec![
        Row {
            case: "one ACK per packet",
            settings: plain(),
            post: &[(WRITE, 30), (SEND, 10)],
            lost: "",
            forward: "W0 W1 W2 S3",
            back: "A0 A1 A2 A3",
            ended: &[6, 7],
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
            case: "a read between writes",
            settings: plain(),
            post: &[(WRITE, 10), (READ, 30), (WRITE, 20)],
            lost: "",
            forward: "W0 Q1 W4 W5",
            back: "A0 R1 R2 R3 A5",
            ended: &[4, 7, 8],
        },
        Row {
            case: "no more than the window, whose last packet requests an ACK",
            settings: Settings {
                window: 2,
                ack_every: 100,
                ..plain()
            },
            post: &[(WRITE, 40)],
            lost: "",
            forward: "W0 W1 W2 W3",
            back: "A1 A3",
            ended: &[10],
        },
    ]);
}

/// W = 4 packets follow the lost one before the NAK arrives. None of them is sent again.
#[test]
fn only_what_is_missing_is_sent_again() {
    check_selective(vec![
        Row {
            case: "one packet",
            settings: plain(),
            post: &[(WRITE, 100)],
            lost: "W1",
            forward: "W0 W1x W2 W3 W4 W5 W1 W6 W7 W8 W9",
            back: "A0 N1+1 N1+2 N1+3 N1+4 A5 A6 A7 A8 A9",
            ended: &[14],
        },
        Row {
            case: "two in a row",
            settings: plain(),
            post: &[(WRITE, 80)],
            lost: "W1 W2",
            forward: "W0 W1x W2x W3 W4 W5 W6 W1 W2 W7",
            back: "A0 N1+2 N1+3 N1+4 N1+5 A1 A6 A7",
            ended: &[13],
        },
        Row {
            case: "the retransmission too: shown by a later packet",
            settings: plain(),
            post: &[(WRITE, 100)],
            lost: "W1 W1",
            forward: "W0 W1x W2 W3 W4 W5 W1x W6 W7 W8 W9 W1",
            back: "A0 N1+1 N1+2 N1+3 N1+4 N1+5 N1+6 N1+7 N1+8 A9",
            ended: &[15],
        },
        Row {
            case: "the last: only the timeout shows it, 20 after the last progress at 5",
            settings: Settings {
                ack_timeout: Picoseconds(20),
                ..plain()
            },
            post: &[(WRITE, 30)],
            lost: "W2",
            forward: "W0 W1 W2x W2",
            back: "A0 A1 A2",
            ended: &[29],
        },
        Row {
            case: "after a timeout what is known to have arrived is not sent again",
            settings: Settings {
                ack_timeout: Picoseconds(20),
                ..plain()
            },
            post: &[(WRITE, 40)],
            lost: "W1 W1 W3",
            forward: "W0 W1x W2 W3x W1x W1 W3",
            back: "A0 N1+1 A2 A3",
            ended: &[29],
        },
    ]);
}

#[test]
fn reads() {
    check_selective(vec![
        Row {
            case: "a lost response alone is requested",
            settings: plain(),
            post: &[(READ, 50)],
            lost: "R1",
            forward: "Q0 Q1:1",
            back: "R0 R1x R2 R3 R4 R1",
            ended: &[10],
        },
        Row {
            case: "two in a row at once",
            settings: plain(),
            post: &[(READ, 50)],
            lost: "R1 R2",
            forward: "Q0 Q1:2",
            back: "R0 R1x R2x R3 R4 R1 R2",
            ended: &[12],
        },
        Row {
            case: "the last, seen by the ACK behind it",
            settings: plain(),
            post: &[(READ, 30), (WRITE, 10)],
            lost: "R2",
            forward: "Q0 W3 Q2",
            back: "R0 R1 R2x A3 R2",
            ended: &[11, 11],
        },
        Row {
            case: "the request, seen by the write behind it, which need not be sent again",
            settings: plain(),
            post: &[(READ, 20), (WRITE, 20)],
            lost: "Q0",
            forward: "Q0x W2 W3 Q0",
            back: "N0+2 N0+3 R0 R1",
            ended: &[10, 10],
        },
    ]);
}

/// A packet that a number of others overtake, and the number of retransmissions that this causes.
#[test]
fn a_packet_that_others_overtake_is_sent_again_by_the_rule() {
    let by_packets = |packets| Reordering::Packets { packets };
    let by_time = |ns| Reordering::Time { ns };
    // A tick is a picosecond: no packet is a whole nanosecond late.
    for (reordering, late, retransmissions) in [
        (Reordering::None {}, 1, 1),
        (by_packets(1), 1, 1),
        (by_packets(3), 1, 0),
        (by_packets(3), 2, 0),
        (by_packets(3), 3, 1),
        (by_time(Nanoseconds(1)), 3, 0),
    ] {
        let settings = Settings {
            reordering: reordering.clone(),
            ..plain()
        };
        for kind in [WRITE, READ] {
            let mut pair = Pair::with_recovery(Recovery::SelectiveRepeat, &settings);
            pair.late = Box::new(|_, name| {
                let slow = ["W4", "R4"].contains(&name);
                match slow {
                    true => Picoseconds(late + 1),
                    false => Picoseconds::ZERO,
                }
            });
            pair.post(&[(kind, 200)]);
            while pair.now < Picoseconds(60) {
                pair.tick();
            }
            let data = if kind == READ { 1 } else { 0 };
            let sent = |name: &str| {
                pair.ends[data]
                    .sent
                    .iter()
                    .filter(|frame| *frame == name)
                    .count()
            };
            let name = if kind == READ { "R4" } else { "W4" };
            assert_eq!(
                sent(name),
                1 + retransmissions,
                "{reordering:?} {late} {name}"
            );
            assert_eq!(pair.ends[0].ended.len(), 1, "{reordering:?} {late} {name}");
        }
    }
}

/// With the rule of time the timer reports a loss, here 1 ns = 1000 ticks after the first packet beyond it.
#[test]
fn missing_for_long() {
    for (kind, lost, back) in [(WRITE, "W1", "N1+1"), (READ, "R1", "R1")] {
        let settings = Settings {
            reordering: Reordering::Time { ns: Nanoseconds(1) },
            ..plain()
        };
        let mut pair = Pair::with_recovery(Recovery::SelectiveRepeat, &settings);
        pair.lose(lost);
        pair.post(&[(kind, 50)]);
        pair.run();
        assert_eq!(pair.ends[0].ended.len(), 1);
        assert!((1_000..1_020).contains(&pair.now.0), "{}", pair.now);
        assert_eq!(
            pair.ends[1]
                .sent
                .iter()
                .filter(|frame| *frame == back)
                .count(),
            1
        );
    }
}

/// The oldest packet, lost repeatedly, fails the queue pair after `retry_count` retransmissions, as after timeouts.
#[test]
fn retries_run_out() {
    let settings = Settings {
        retry_count: 3,
        ..plain()
    };
    let mut pair = Pair::with_recovery(Recovery::SelectiveRepeat, &settings);
    pair.loses = Box::new(|_, name| name == "W0");
    pair.post(&[(WRITE, 1_000)]);
    pair.run();
    assert!(pair.ends[0].failed);
    let tries = pair.ends[0]
        .sent
        .iter()
        .filter(|frame| *frame == "W0x")
        .count();
    assert_eq!(tries, 4);
    assert_eq!(pair.ends[0].ended.len(), 1);
}

fn rules() -> impl Strategy<Value = Reordering> {
    prop_oneof![
        Just(Reordering::None {}),
        (1u32..8).prop_map(|packets| Reordering::Packets { packets }),
        Just(Reordering::Time { ns: Nanoseconds(1) }),
    ]
}

proptest! {
    /// Whatever is lost or late.
    #[test]
    fn everything_arrives_once(
        posts in posts(),
        disturbances in disturbances(),
        ack_every in 1u32..6,
        ack_timeout in 1u64..60,
        reordering in rules(),
        window in 1u32..20,
        max_outstanding_reads in 1u32..4,
    ) {
        let settings = Settings {
            ack_every,
            ack_timeout: Picoseconds(ack_timeout),
            reordering,
            window,
            max_outstanding_reads,
            retry_count: u8::MAX,
            ..plain()
        };
        let mut pair = Pair::with_recovery(Recovery::SelectiveRepeat, &settings);
        pair.disturb(disturbances);
        pair.everything_arrives_once(&posts)?;
    }
}

#[test]
fn nothing_is_due_when_nothing_is_missing() {
    let idle = SelectiveRepeat::new(Arc::new(plain()));
    assert_eq!(idle.deadline(), NEVER);
}

/// A trimmed packet alone is sent again, at once, however often that happens: it does not count as a retry.
#[test]
fn trimmed_packets_are_sent_again_alone() {
    let settings = Settings {
        retry_count: 0,
        ack_timeout: Picoseconds(100),
        ..plain()
    };
    let mut sender = SelectiveRepeat::new(Arc::new(settings));
    sender.post(0, WRITE, Bytes(30));
    for now in 0..3 {
        assert_eq!(
            sender.next(Picoseconds(now)).map(|segment| segment.psn),
            Some(now as u32)
        );
    }
    let receive = |sender: &mut SelectiveRepeat, now, psn, flags| {
        let arrival = Arrival {
            kind: Kind::Ack,
            psn,
            payload: Bytes(0),
            flags,
            span: 0,
            requested_read: None,
        };
        let outcome = sender.receive(now, arrival);
        assert!(!outcome.failed);
        outcome.progress
    };
    for now in [10, 20, 30] {
        assert!(receive(&mut sender, Picoseconds(now), 1, NAK | TRIMMED));
        assert_eq!(sender.progress().in_flight, 2);
        let resent = sender
            .next(Picoseconds(now))
            .expect("the packet that was trimmed");
        assert_eq!(
            (resent.psn, resent.again, resent.payload),
            (1, true, Bytes(MTU))
        );
        assert!(!sender.has_work());
        assert_eq!(sender.deadline(), Picoseconds(now + 100));
    }
    assert!(receive(&mut sender, Picoseconds(40), 2, 0));
    assert_eq!(sender.pop_completed(), Some(0));
    receive(&mut sender, Picoseconds(50), 1, NAK | TRIMMED);
    assert!(!sender.has_work(), "it has arrived");
}

/// A receiver requests a trimmed packet that it lacks.
#[test]
fn a_header_is_answered_unless_its_packet_came() {
    let mut receiver = SelectiveRepeat::new(Arc::new(plain()));
    let answer = |receiver: &SelectiveRepeat, psn| {
        let reply = receiver.take_trimmed(psn);
        reply.map(|reply| (reply.psn, reply.flags, reply.span))
    };
    assert_eq!(answer(&receiver, 1), Some((1, NAK | TRIMMED, 0)));
    let packet = Arrival {
        kind: WRITE,
        psn: 1,
        payload: Bytes(MTU),
        flags: 0,
        span: 0,
        requested_read: None,
    };
    receiver.receive(Picoseconds::ZERO, packet);
    assert_eq!(answer(&receiver, 1), None);
    assert_eq!(answer(&receiver, 0), Some((0, NAK | TRIMMED, 0)));
    receiver.abandon();
    assert_eq!(answer(&receiver, 0), None);
}
