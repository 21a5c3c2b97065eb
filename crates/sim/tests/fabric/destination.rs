//! Flow control of the destination: an overloaded receiver requests smaller windows from its senders.

use crate::support::{connect, post, run, star, ultra_ethernet};
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::{nscc, rccc, Parameters as Congestion};
use wirespeed_sim::model::parameters::Pipe;
use wirespeed_sim::model::results::Outcome;
use wirespeed_sim::model::scenario::Verb;
use wirespeed_sim::time::{Nanoseconds, Picoseconds};

const BYTES: u64 = 8 << 20;
const BUFFER: u64 = 512 << 10;
/// The time in which the receiver's memory takes the bytes of both senders, less one buffer after the last ACK.
const LEAST: Picoseconds = Picoseconds((2 * BYTES - BUFFER) * 8 * 1_000 / 40);

fn with_penalty(rcv_cwnd_pend: u8) -> nscc::Parameters {
    nscc::Parameters {
        rcv_cwnd_pend,
        ..nscc::Parameters::default()
    }
}

/// Two hosts write to a third. The memory of each host gives and takes 40 Gb/s, its link carries 100: no queue in the network,
/// and twice what the receiver can take. PFC is off.
fn slow_memory(congestion: Congestion) -> Outcome {
    let mut parameters = ultra_ethernet();
    parameters.congestion = congestion;
    parameters.nic.pipe = Some(Pipe {
        gbps: Some(40),
        pcie: None,
        latency_ns: Nanoseconds(0),
        receive_buffer_bytes: Bytes(BUFFER as u32),
        xoff_bytes: Bytes(128 << 10),
        xon_bytes: Bytes(64 << 10),
    });
    let mut scenario = star(3, 100, 1_000, parameters);
    for sender in 0..2 {
        let queue_pair = connect(&mut scenario, sender, 2);
        post(
            &mut scenario,
            queue_pair,
            Verb::Write,
            BYTES,
            Picoseconds::ZERO,
        );
    }
    run(scenario)
}

#[test]
fn a_penalty_spares_the_receive_buffer() {
    let silent = slow_memory(Congestion::Nscc(with_penalty(0))).summary;
    assert!(silent.drops > 20, "the buffer overflows: {}", silent.drops);
    assert_eq!(silent.trims, 0, "no queue in the network");
    for penalty in [32, 64, 127] {
        let summary = slow_memory(Congestion::Nscc(with_penalty(penalty))).summary;
        assert_eq!(
            (summary.drops, summary.trims, summary.failed),
            (0, 0, 0),
            "{penalty}"
        );
        assert_eq!(summary.retransmissions, 0, "{penalty}");
        assert!(
            (LEAST..LEAST * 11 / 10).contains(&summary.end),
            "{penalty}: {}",
            summary.end
        );
    }
}

/// Credit is about the link, which carries more than the memory takes; with the window beside it the penalty works.
#[test]
fn beside_credit() {
    let run_with = |nscc| {
        let credit = rccc::Parameters {
            nscc,
            ..rccc::Parameters::default()
        };
        slow_memory(Congestion::Rccc(credit)).summary
    };
    assert!(run_with(None).drops > 100);
    assert!(run_with(Some(with_penalty(0))).drops > 20);
    let penalized = run_with(Some(with_penalty(64)));
    assert_eq!((penalized.drops, penalized.failed), (0, 0));
}

/// A receiver that keeps up requests no smaller window, whatever penalty is configured.
#[test]
fn a_receiver_that_keeps_up_sends_no_penalty() {
    let fast = |penalty| {
        let mut parameters = ultra_ethernet();
        parameters.congestion = Congestion::Nscc(with_penalty(penalty));
        let mut scenario = star(3, 100, 1_000, parameters);
        for sender in 0..2 {
            let queue_pair = connect(&mut scenario, sender, 2);
            post(
                &mut scenario,
                queue_pair,
                Verb::Write,
                BYTES,
                Picoseconds::ZERO,
            );
        }
        run(scenario)
    };
    assert_eq!(fast(127), fast(0));
}
