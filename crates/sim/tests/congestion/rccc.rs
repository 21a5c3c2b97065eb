//! RCCC's sender, computed by hand from its rules.

use super::{acknowledge, GIGABIT};
use proptest::prelude::*;
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::rccc::Parameters as Rccc;
use wirespeed_sim::congestion::{
    nscc, Ack, Algorithm, CongestionControl, Loss, Parameters, ReceiverDriven,
};
use wirespeed_sim::time::{Nanoseconds, Picoseconds, MICROSECOND};

const PACKET: u32 = 1_000;
/// 1.5 times 100 Gb/s for 8 us.
const MOST: i64 = 150_000;

fn start_rccc(parameters: Rccc) -> Algorithm {
    let parameters = Parameters::Rccc(Rccc {
        config_base_rtt_ns: Some(Nanoseconds(8_000)),
        ..parameters
    });
    assert_eq!(parameters.check("congestion", 100 * GIGABIT), Ok(()));
    parameters.prepare().start(100 * GIGABIT, Bytes(PACKET))
}

fn sender(algorithm: &mut Algorithm) -> &mut dyn ReceiverDriven {
    algorithm.receiver_driven_mut().unwrap()
}

fn credit(algorithm: &Algorithm) -> i64 {
    algorithm.receiver_driven().unwrap().credit().0
}

fn trim_loss(last_hop: bool) -> Loss {
    Loss::Trimmed {
        psn: 0,
        next: 0,
        outstanding: 6,
        last_hop,
    }
}

#[test]
fn initial_credit_lasts_until_the_first_grant() {
    let mut algorithm = start_rccc(Rccc::default());
    assert_eq!(
        (
            credit(&algorithm),
            algorithm.window(),
            algorithm.peek(Picoseconds::ZERO)
        ),
        (MOST, None, None)
    );
    sender(&mut algorithm).spend(Bytes(PACKET));
    assert_eq!(credit(&algorithm), MOST - 1_000);
    // What is left of it is void with the first credit, or the first packet that is trimmed.
    let mut other = algorithm.clone();
    sender(&mut algorithm).on_credit(Bytes(5_000));
    assert_eq!(credit(&algorithm), 5_000);
    other.on_loss(Picoseconds::ZERO, trim_loss(true));
    assert_eq!(credit(&other), 0);
    sender(&mut other).on_credit(Bytes(5_000));
    assert_eq!(credit(&other), 5_000);
}

/// The credit of a frame is the total since the start: the next frame replaces a lost one, a late one adds nothing.
#[test]
fn credit_counts_from_the_beginning() {
    let mut algorithm = start_rccc(Rccc::default());
    sender(&mut algorithm).on_credit(Bytes(1_000));
    sender(&mut algorithm).on_credit(Bytes(4_000));
    sender(&mut algorithm).on_credit(Bytes(3_000));
    assert_eq!(credit(&algorithm), 4_000);
    sender(&mut algorithm).spend(Bytes(1_500));
    sender(&mut algorithm).spend(Bytes(1_500));
    sender(&mut algorithm).spend(Bytes(1_500));
    assert_eq!(
        credit(&algorithm),
        -500,
        "any credit is enough for a packet"
    );
}

#[test]
fn requests_cover_the_backlog_up_to_a_window() {
    let mut algorithm = start_rccc(Rccc::default());
    // At least one packet until the first grant.
    assert_eq!(
        sender(&mut algorithm).credit_target(Bytes(20_000)),
        Bytes(1_000)
    );
    assert_eq!(sender(&mut algorithm).credit_target(Bytes(300)), Bytes(300));
    assert_eq!(sender(&mut algorithm).credit_target(Bytes(0)), Bytes(0));
    sender(&mut algorithm).on_credit(Bytes(5_000));
    sender(&mut algorithm).spend(Bytes(4_000));
    for (backlog, requested) in [
        (0, 0),
        (1_000, 0),
        (1_200, 200),
        (20_000, 19_000),
        (1 << 40, 149_000),
    ] {
        assert_eq!(
            sender(&mut algorithm).credit_target(Bytes(backlog)),
            Bytes(5_000 + requested),
            "{backlog}"
        );
    }
}

/// With NSCC a window limits it as well: requests are at most the window and one packet.
#[test]
fn both_together() {
    let nscc = nscc::Parameters {
        config_base_rtt_ns: Some(Nanoseconds(8_000)),
        ..nscc::Parameters::default()
    };
    let parameters = Rccc {
        nscc: Some(nscc),
        max_wnd_bdp: 4.0,
        ..Rccc::default()
    };
    let mut algorithm = start_rccc(parameters);
    let window = |algorithm: &Algorithm| algorithm.window().unwrap().round() as i64;
    assert_eq!((credit(&algorithm), window(&algorithm)), (400_000, MOST));
    sender(&mut algorithm).on_credit(Bytes(2_000));
    assert_eq!(
        sender(&mut algorithm).credit_target(Bytes(1 << 40)),
        Bytes(2_000 + 150_000 + 1_000 - 2_000)
    );
    // A packet that the last switch trimmed is the receiver's business; others take their part of the window.
    algorithm.on_loss(MICROSECOND, trim_loss(true));
    assert_eq!(window(&algorithm), MOST);
    algorithm.on_loss(MICROSECOND, trim_loss(false));
    assert_eq!(window(&algorithm), MOST - 1_000);
    algorithm.on_loss(MICROSECOND, Loss::Timeout { next: 0 });
    assert_eq!((credit(&algorithm), window(&algorithm)), (2_000, 1_000));
}

#[test]
fn acknowledgements_bring_no_credit() {
    let mut algorithm = start_rccc(Rccc::default());
    sender(&mut algorithm).spend(Bytes(PACKET));
    let previous_credit = credit(&algorithm);
    acknowledge(
        &mut algorithm,
        &Ack {
            now: MICROSECOND,
            bytes: Bytes(PACKET),
            until: 1,
            next: 1,
            outstanding: 0,
            rtt: Some(MICROSECOND),
            marked: true,
        },
    );
    algorithm.on_cnp(MICROSECOND);
    algorithm.on_sent(MICROSECOND, Bytes(PACKET));
    assert_eq!(credit(&algorithm), previous_credit);
}

#[test]
fn parameters_that_do_not_fit() {
    let wrong = Parameters::Rccc(Rccc {
        config_base_rtt_ns: Some(Nanoseconds(0)),
        max_wnd_bdp: 0.0,
        credit_packets: 0,
        credit_rate: 1.1,
        credit_timeout_ns: Nanoseconds(0),
        path_entropy_size: 0,
        nscc: Some(nscc::Parameters {
            gamma: 0.0,
            ..nscc::Parameters::default()
        }),
    });
    let refused = wrong.check("congestion", GIGABIT).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "congestion.config_base_rtt_ns: found 0, expected at least 1\n\
         congestion.max_wnd_bdp: found 0, expected above 0 and at most 1,000\n\
         congestion.credit_packets: found 0, expected 1 to 1,000\n\
         congestion.credit_rate: found 1.1, expected above 0 and at most 1\n\
         congestion.credit_timeout_ns: found 0, expected at least 1\n\
         congestion.path_entropy_size: found 0, expected 1 to 16,384\n\
         congestion.nscc.gamma: found 0, expected above 0 and at most 1"
    );
}

proptest! {
    #![proptest_config(crate::support::draws(1_000))]

    /// Events in any order: a sender sends no more than its grants, its initial credit and the packet that ends its credit;
    /// requests never exceed that and a window.
    #[test]
    fn credit_is_conserved(calls in prop::collection::vec((0..4_u8, 0..200_000_u64), 0..200)) {
        let mut algorithm = start_rccc(Rccc::default());
        let (mut granted, mut spent) = (0, 0);
        for (call, number) in calls {
            match call {
                0 => {
                    granted = granted.max(number);
                    sender(&mut algorithm).on_credit(Bytes(number));
                }
                1 => algorithm.on_loss(Picoseconds::ZERO, trim_loss(number % 2 == 0)),
                _ => while credit(&algorithm) > 0 && spent < number {
                    sender(&mut algorithm).spend(Bytes(PACKET));
                    spent += u64::from(PACKET);
                },
            }
            prop_assert!(spent < granted + MOST as u64 + u64::from(PACKET));
            prop_assert!(credit(&algorithm) > -i64::from(PACKET));
            let target = sender(&mut algorithm).credit_target(Bytes(number));
            prop_assert!(target >= Bytes(granted) && target < Bytes(granted + MOST as u64 + u64::from(PACKET)));
        }
    }
}
