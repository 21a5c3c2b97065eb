//! Faults of networks, one at a time: the counters that show it, which show nothing without it.

mod support;

#[path = "faults/bit_errors.rs"]
mod bit_errors;
#[path = "faults/cnp.rs"]
mod cnp;
#[path = "faults/link_down.rs"]
mod link_down;
#[path = "faults/miswiring.rs"]
mod miswiring;
#[path = "faults/slow_receiver.rs"]
mod slow_receiver;
#[path = "faults/stuck_nic.rs"]
mod stuck_nic;
#[path = "faults/watchdog.rs"]
mod watchdog;
#[path = "faults/wrong_setting.rs"]
mod wrong_setting;

use support::preset;
use wirespeed_sim::congestion;
use wirespeed_sim::model::faults::{Fault, Kind};
use wirespeed_sim::model::parameters::Parameters;
use wirespeed_sim::time::{Picoseconds, NEVER};

/// The `roce` preset without congestion control.
fn roce() -> Parameters {
    Parameters {
        congestion: congestion::Parameters::NONE,
        ..preset("roce")
    }
}

/// A fault from the beginning to the end.
fn permanent_fault(kind: Kind) -> Fault {
    Fault {
        from: Picoseconds::ZERO,
        until: NEVER,
        kind,
    }
}
