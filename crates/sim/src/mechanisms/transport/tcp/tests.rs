//! TCP against its RFCs, on a wire within the test.

use super::*;
use crate::model::preset;
use crate::time::MICROSECOND;

const PAYLOAD: u32 = 100;
const RTT: Picoseconds = MICROSECOND.times(100);

fn end() -> Tcp {
    let sockets = preset::by_name("roce").unwrap().sockets;
    Tcp::new(&sockets, Bytes(PAYLOAD))
}

fn send_segments(sender: &mut Tcp, now: Picoseconds) -> Vec<u32> {
    std::iter::from_fn(|| sender.next(now))
        .map(|segment| segment.psn)
        .collect()
}

fn arrival(kind: Kind, psn: u32) -> Arrival {
    Arrival {
        kind,
        psn,
        payload: Bytes(PAYLOAD),
        flags: 0,
        span: 0,
        requested_read: None,
    }
}

/// The acknowledgement of each segment that arrives, in this order.
fn answers(receiver: &mut Tcp, segments: &[u32]) -> Vec<u32> {
    let replies = segments.iter().map(|psn| {
        receiver
            .receive(Picoseconds::ZERO, arrival(Kind::Tcp, *psn))
            .reply
    });
    replies.map(|reply| reply.unwrap().psn).collect()
}

fn acknowledge(sender: &mut Tcp, now: Picoseconds, answers: &[u32]) {
    for psn in answers {
        sender.receive(now, arrival(Kind::TcpAck, *psn));
    }
}

/// Slow start doubles the window every round trip; above the threshold it grows by one (RFC 5681, 3.1).
#[test]
fn slow_start_and_congestion_avoidance() {
    let (mut sender, mut receiver) = (end(), end());
    sender.threshold = 40;
    sender.post(0, Kind::Tcp, Bytes(1_000 * u64::from(PAYLOAD)));
    let mut sizes = Vec::new();
    for round in 0..6 {
        let sent = send_segments(&mut sender, round * RTT);
        sizes.push(sent.len());
        let answers = answers(&mut receiver, &sent);
        acknowledge(&mut sender, (round + 1) * RTT, &answers);
    }
    assert_eq!(sizes, [10, 20, 40, 41, 42, 43]);
}

/// Three duplicates retransmit the missing segment and halve the window; the acknowledgement of all that was in flight ends
/// it (RFC 5681, 3.2).
#[test]
fn fast_retransmit() {
    let (mut sender, mut receiver) = (end(), end());
    sender.post(0, Kind::Tcp, Bytes(1_000 * u64::from(PAYLOAD)));
    let sent = send_segments(&mut sender, Picoseconds::ZERO);
    assert_eq!(sent, (0..10).collect::<Vec<_>>());
    let arrived: Vec<u32> = sent.into_iter().filter(|psn| *psn != 2).collect();
    let acknowledgements = answers(&mut receiver, &arrived);
    assert_eq!(acknowledgements, [1, 2, 2, 2, 2, 2, 2, 2, 2]);
    // Two more by two acknowledgements of new data: each increases the window by one.
    acknowledge(&mut sender, RTT, &acknowledgements[..2]);
    assert_eq!(send_segments(&mut sender, RTT), [10, 11, 12, 13]);
    acknowledge(&mut sender, RTT, &acknowledgements[2..4]);
    assert!(!sender.has_work());
    acknowledge(&mut sender, RTT, &acknowledgements[4..5]);
    assert_eq!((sender.threshold, sender.window), (6, 9)); // 12 in flight
    assert_eq!(send_segments(&mut sender, RTT), [2]);
    acknowledge(&mut sender, RTT, &acknowledgements[5..]); // four more have left
    assert_eq!(send_segments(&mut sender, RTT), [14]);
    let replies = answers(&mut receiver, &[10, 11, 12, 13, 2, 14]);
    assert_eq!(replies, [2, 2, 2, 2, 14, 15]);
    acknowledge(&mut sender, 2 * RTT, &replies[4..5]);
    assert_eq!((sender.recovering, sender.window), (false, 2)); // one in flight: no burst (RFC 6582, 3.2)
    acknowledge(&mut sender, 2 * RTT, &replies[5..]);
    assert_eq!(sender.threshold, 6);
}

/// A second segment lost from the same window is sent again by the partial acknowledgement, without a timeout (RFC 6582).
#[test]
fn partial_acknowledgements() {
    let (mut sender, mut receiver) = (end(), end());
    sender.post(0, Kind::Tcp, Bytes(10 * u64::from(PAYLOAD)));
    let sent = send_segments(&mut sender, Picoseconds::ZERO);
    let arrived: Vec<u32> = sent
        .into_iter()
        .filter(|psn| ![1, 4].contains(psn))
        .collect();
    let acknowledgements = answers(&mut receiver, &arrived);
    acknowledge(&mut sender, RTT, &acknowledgements);
    assert_eq!(send_segments(&mut sender, RTT), [1]);
    let acknowledgements = answers(&mut receiver, &[1]);
    assert_eq!(acknowledgements, [4]);
    acknowledge(&mut sender, 2 * RTT, &acknowledgements);
    assert_eq!(send_segments(&mut sender, 2 * RTT), [4]);
    let acknowledgements = answers(&mut receiver, &[4]);
    acknowledge(&mut sender, 3 * RTT, &acknowledgements);
    assert_eq!(sender.pop_completed(), Some(0));
    assert_eq!(sender.timeout(SECOND), Timeout::Idle);
}

/// After the timer the oldest segment alone is sent again; the timer doubles, and the last of the retries ends it (RFC 6298, 5.5).
#[test]
fn timeouts() {
    let mut sender = end();
    sender.retries = 3;
    sender.post(7, Kind::Tcp, Bytes(10 * u64::from(PAYLOAD)));
    send_segments(&mut sender, Picoseconds::ZERO);
    assert_eq!(
        sender.timeout(SECOND - Picoseconds(1)),
        Timeout::Later(SECOND)
    );
    let mut now = SECOND;
    for backoff in [2, 4, 8] {
        let retry_time = now + backoff * SECOND;
        assert_eq!(sender.timeout(now), Timeout::Resend(retry_time));
        assert_eq!(
            (send_segments(&mut sender, now), sender.threshold),
            (vec![0], 5)
        );
        now = retry_time;
    }
    assert_eq!(sender.timeout(now), Timeout::Failed);
    assert_eq!(sender.abandon(), [7]);
}

/// The first sample R results in R + 4 R/2, and at least the minimum (RFC 6298, 2.2); a segment sent twice is no sample.
#[test]
fn the_timer_follows_the_round_trip() {
    for (least, rtt, expected) in [
        (Picoseconds::ZERO, 3 * RTT, 9 * RTT),
        (20 * RTT, RTT, 20 * RTT),
    ] {
        let mut sender = end();
        sender.least_rto = least;
        sender.post(0, Kind::Tcp, Bytes(u64::from(PAYLOAD)));
        send_segments(&mut sender, Picoseconds::ZERO);
        acknowledge(&mut sender, rtt, &[1]);
        assert_eq!(sender.rto(), expected);
    }
    let mut sender = end();
    sender.post(0, Kind::Tcp, Bytes(u64::from(PAYLOAD)));
    send_segments(&mut sender, Picoseconds::ZERO);
    sender.timeout(SECOND);
    assert_eq!(send_segments(&mut sender, SECOND), [0]);
    acknowledge(&mut sender, SECOND + RTT, &[1]);
    assert_eq!(sender.round_trip, None);
}

/// An unused window does not grow, and one that was unused for longer than the timer restarts.
#[test]
fn windows_that_are_not_used() {
    let mut sender = end();
    for message in 0..5 {
        sender.post(message, Kind::Tcp, Bytes(2 * u64::from(PAYLOAD)));
        let sent = send_segments(&mut sender, Picoseconds::ZERO);
        assert_eq!(sent.len(), 2);
        acknowledge(&mut sender, RTT, &[sent[1] + 1]);
    }
    assert_eq!(sender.window, 10);
    sender.window = 100;
    sender.post(5, Kind::Tcp, Bytes(1_000 * u64::from(PAYLOAD)));
    assert_eq!(send_segments(&mut sender, SECOND).len(), 10);
}
