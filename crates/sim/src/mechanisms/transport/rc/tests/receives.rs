//! Receivers that are not ready (9.7.5.2.8). A tick is a picosecond: timer 1, 10 µs, is ten million of them.

use super::*;
use crate::time::MICROSECOND;

const WAIT: Picoseconds = MICROSECOND.times(10);

fn build_settings(depth: u32, receive: Picoseconds) -> Settings {
    Settings {
        rx_depth: Some(depth),
        receive,
        ..plain()
    }
}

/// `D` is an RNR NAK. A refused send is tried again after the wait, with all that followed it; W and Q need no receive.
#[test]
fn not_ready() {
    type Row<'a> = (&'a str, Settings, &'a [(Kind, u64)], &'a str, &'a str);
    let rows: [Row; 5] = [
        (
            "enough of them",
            build_settings(2, Picoseconds::ZERO),
            &[(SEND, 20), (SEND, 10)],
            "S0 S1 S2",
            "A0 A1 A2",
        ),
        (
            "the second message waits, and what follows it is no gap",
            build_settings(1, WAIT),
            &[(SEND, 20), (SEND, 20), (WRITE, 10)],
            "S0 S1 S2 S3 W4 S2 S3 W4",
            "A0 A1 D2 A2 A3 A4",
        ),
        (
            "twice as long",
            build_settings(1, WAIT + Picoseconds(10)),
            &[(SEND, 10), (SEND, 10)],
            "S0 S1 S1 S1",
            "A0 D1 D1 A1",
        ),
        (
            "writes and reads take none",
            build_settings(1, WAIT),
            &[(WRITE, 10), (SEND, 10), (READ, 20), (WRITE, 10)],
            "W0 S1 Q2 W4",
            "A0 A1 R2 R3 A4",
        ),
        (
            "an RNR NAK waits behind the responses to an earlier read, none of which is requested again",
            build_settings(1, WAIT),
            &[(SEND, 10), (READ, 30), (SEND, 10)],
            "S0 Q1 S4 S4",
            "A0 R1 R2 R3 D4 A4",
        ),
    ];
    for (case, settings, post, forward, back) in rows {
        let mut pair = Pair::new(&settings);
        pair.post(post);
        pair.run();
        assert_eq!(pair.ends[0].sent.join(" "), forward, "{case}");
        assert_eq!(pair.ends[1].sent.join(" "), back, "{case}");
        assert_eq!(pair.ends[0].ended.len(), post.len(), "{case}");
        assert!(!pair.ends[0].failed);
    }
}

/// The wait is that of the code, from the RNR NAK on.
#[test]
fn the_wait() {
    for (code, times) in [(1, 1), (2, 2), (9, 24), (0, 65_536)] {
        let settings = Settings {
            min_rnr_timer: code,
            ..build_settings(1, Picoseconds(100))
        };
        let mut pair = Pair::new(&settings);
        pair.post(&[(SEND, 10), (SEND, 10)]);
        pair.run();
        // S1 leaves at 1, D1 arrives at 5; S1 and A1 take a flight each.
        assert_eq!(
            pair.ends[0].ended,
            [(0, Picoseconds(4)), (1, Picoseconds(5 + 4) + times * WAIT)]
        );
    }
}

#[test]
fn refusals_run_out() {
    for (rnr_retry, refused) in [(0, 1), (1, 2), (6, 7)] {
        let settings = Settings {
            rnr_retry,
            ..build_settings(1, NEVER / 2)
        };
        let mut pair = Pair::new(&settings);
        pair.post(&[(SEND, 10), (SEND, 10), (WRITE, 10)]);
        pair.run();
        assert!(pair.ends[0].failed);
        let back = &pair.ends[1].sent;
        assert_eq!(back.iter().filter(|frame| *frame == "D1").count(), refused);
        assert_eq!(pair.ends[0].ended.len(), 3);
    }
}

#[test]
fn seven_is_without_end() {
    let mut pair = Pair::new(&build_settings(1, 1_000 * WAIT));
    pair.post(&[(SEND, 10), (SEND, 10)]);
    pair.run();
    assert!(!pair.ends[0].failed);
    let refused = pair.ends[1]
        .sent
        .iter()
        .filter(|frame| *frame == "D1")
        .count();
    assert_eq!(refused, 1_000);
}

/// Each message after the first is refused twice: its retries are its own.
#[test]
fn each_message_is_refused_by_itself() {
    let settings = Settings {
        rnr_retry: 2,
        ..build_settings(1, WAIT + WAIT / 2)
    };
    let mut pair = Pair::new(&settings);
    pair.post(&[(SEND, 10); 6]);
    pair.run();
    assert!(!pair.ends[0].failed);
    assert_eq!(pair.ends[0].ended.len(), 6);
}

/// The ACK timeout recovers a lost RNR NAK, and a lost packet after the wait.
#[test]
fn losses_beside() {
    for lost in ["D1", "S1", "S1 S1", "D1 S1 S2", "A1"] {
        let settings = Settings {
            ack_timeout: 2 * WAIT,
            ..build_settings(1, Picoseconds(10))
        };
        let mut pair = Pair::with_losses(&settings, lost);
        pair.post(&[(SEND, 10), (SEND, 20), (WRITE, 10)]);
        pair.run();
        assert!(!pair.ends[0].failed, "{lost}");
        assert_eq!(pair.ends[0].ended.len(), 3, "{lost}");
        assert_eq!(pair.ends[1].delivered, Bytes(40), "{lost}");
    }
}

/// A copy of the refused message may be accepted before the RNR NAK reports the refusal: the wait ends with its ACK.
/// The ACK timeout of 3 is shorter than the round trip of 4, so S1 leaves at 1 and at 4; the receive is back at 5.
#[test]
fn a_copy_is_taken_after_the_refusal() {
    let settings = Settings {
        ack_timeout: Picoseconds(3),
        ..build_settings(1, Picoseconds(3))
    };
    let mut pair = Pair::new(&settings);
    pair.post(&[(SEND, 10), (SEND, 10)]);
    pair.run();
    assert_eq!(pair.ends[0].sent.join(" "), "S0 S1 S0 S1");
    assert_eq!(pair.ends[1].sent.join(" "), "A0 D1 A0 A1");
    assert_eq!(
        pair.ends[0].ended,
        [(0, Picoseconds(4)), (1, Picoseconds(8))]
    );
    // Messages posted later are sent.
    pair.ends[0].transport.post(2, SEND, Bytes(10));
    pair.now = Picoseconds(20);
    pair.run();
    assert_eq!(pair.ends[0].ended[2..], [(2, Picoseconds(24))]);

    // The message queued after it is sent at once.
    let mut pair = Pair::new(&settings);
    pair.post(&[(SEND, 10); 3]);
    pair.run();
    let ended = [(0, 4), (1, 8), (2, 12)].map(|(operation, end)| (operation, Picoseconds(end)));
    assert_eq!(pair.ends[0].ended, ended);
}
