//! Timeouts, and queue pairs that fail.

use super::*;

/// 20 ticks of silence are a timeout; retry_count timeouts in a row are answered by sending again, the next fails all.
#[test]
fn timeouts() {
    for (retry_count, times) in [(0, 1), (1, 2), (7, 8)] {
        let settings = Settings {
            ack_timeout: Picoseconds(20),
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
        let failed = Picoseconds(20 * (u64::from(retry_count) + 1));
        assert_eq!(requester.ended, [(0, failed), (1, failed)]);
        assert!(!requester.transport.has_work());
        assert_eq!(requester.transport.messages(), 0);
    }
}

#[test]
fn progress_resets_the_retries() {
    // Each of four packets is lost twice with one retry too few to lose all eight, were they counted together.
    let settings = Settings {
        ack_timeout: Picoseconds(20),
        retry_count: 2,
        ..plain()
    };
    let mut pair = Pair::with_losses(&settings, "W0 W0 W1 W1 W2 W2 W3 W3 N1 N2 N3");
    pair.post(&[(WRITE, 10), (WRITE, 10), (WRITE, 10), (WRITE, 10)]);
    pair.run();
    assert!(!pair.ends[0].failed);
    assert_eq!(pair.ends[0].ended.len(), 4);
}

#[test]
fn a_gap_that_stays_is_no_progress() {
    // The first response never arrives and the last always does, so each retry shows the same gap again.
    let settings = Settings {
        ack_timeout: Picoseconds(20),
        retry_count: 2,
        ..plain()
    };
    let mut pair = Pair::new(&settings);
    pair.loses = Box::new(|_, name| name == "R0");
    pair.post(&[(READ, 30)]);
    pair.run();
    assert!(pair.ends[0].failed);
    // Requested at first, for each gap, and after each of two timeouts; 20 ticks after the last of these it fails.
    assert_eq!(pair.ends[0].sent, ["Q0"; 6]);
    assert_eq!(pair.ends[0].ended, [(0, Picoseconds(60))]);
}

#[test]
fn a_queue_pair_in_error_neither_sends_nor_answers() {
    // The timeout is shorter than the round trip, so ACKs, a NAK and the peer's packets arrive after the failure.
    for lost in ["", "W1"] {
        let settings = Settings {
            ack_timeout: Picoseconds(3),
            retry_count: 0,
            ..plain()
        };
        let mut pair = Pair::with_losses(&settings, lost);
        pair.post(&[(WRITE, 60)]);
        while !pair.ends[0].failed {
            pair.tick();
        }
        let sent = pair.ends[0].sent.len();
        pair.ends[1].transport.post(9, READ, Bytes(10));
        pair.ends[1].transport.post(10, WRITE, Bytes(10));
        pair.run();
        assert_eq!(pair.ends[0].sent.len(), sent, "lost: {lost:?}");
        assert_eq!(pair.ends[0].ended, [(0, Picoseconds(3))]);
        // The peer gets no answer (10.3.1: a queue pair in error drops what arrives), and fails in turn.
        assert!(pair.ends[1].failed);
        assert_eq!(pair.ends[1].ended.len(), 2);
    }
}

/// Each NAK that brings nothing new is a retry (9.9.2.1.1), so a packet that is lost again and again ends the queue pair,
/// also where no timeout would.
#[test]
fn naks_without_progress_run_out() {
    for (retry_count, tries) in [(0, 1), (1, 2), (7, 8)] {
        let settings = Settings {
            nak_interval: Picoseconds(5),
            retry_count,
            ..plain()
        };
        let mut pair = Pair::new(&settings);
        pair.loses = Box::new(|_, name| name == "W1");
        pair.post(&[(WRITE, 1_000)]);
        pair.run();
        let sent = &pair.ends[0].sent;
        assert!(pair.ends[0].failed);
        assert_eq!(sent.iter().filter(|frame| *frame == "W1x").count(), tries);
        assert_eq!(pair.ends[0].ended.len(), 1);
    }
}
