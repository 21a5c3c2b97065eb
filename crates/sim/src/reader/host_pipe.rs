//! Checks of the parameters between memory and a NIC port that limit each other.

use super::parameter_check::ParameterCheck;
use crate::bytes::Bytes;
use crate::model::limits::LARGEST_BUFFER;
use crate::model::parameters::Pipe;
use crate::model::pcie::{OrderedWrites, Pcie, LEAST_BPS};
use crate::time::Nanoseconds;

/// Checks a pipe, whose receive buffer must store packets of `mtu`.
pub fn check(check: &mut ParameterCheck, pipe: &Pipe, mtu: Bytes<u32>) {
    if pipe.gbps.is_none() && pipe.pcie.is_none() {
        check.note("nic.pipe", "neither".into(), "gbps, pcie or both".into());
    }
    // A smaller buffer could not store a full packet.
    let (name, bytes) = ("nic.pipe.receive_buffer_bytes", pipe.receive_buffer_bytes);
    check.check_range(name, bytes.widen(), mtu.0.into(), LARGEST_BUFFER);
    check.at_most(
        "nic.pipe.xoff_bytes",
        pipe.xoff_bytes,
        pipe.receive_buffer_bytes,
    );
    check.at_most("nic.pipe.xon_bytes", pipe.xon_bytes, pipe.xoff_bytes);
    if let Some(pcie) = &pipe.pcie {
        check_rates(check, pcie);
    }
}

/// Checks the rates that result from outstanding writes and reads.
fn check_rates(check: &mut ParameterCheck, pcie: &Pcie) {
    if let Some(OrderedWrites::Outstanding { writes, commit_ns }) = pcie.ordered_writes {
        let held = (writes, pcie.max_payload_bytes);
        check_minimum_rate(check, "nic.pipe.pcie.ordered_writes", held, commit_ns);
    }
    if let Some(reads) = &pcie.reads {
        let held = (reads.tags, reads.max_read_request_bytes);
        check_minimum_rate(check, "nic.pipe.pcie.reads", held, reads.round_trip_ns);
    }
}

/// Checks that the outstanding requests give at least the minimum rate.
fn check_minimum_rate(
    check: &mut ParameterCheck,
    name: &str,
    (count, bytes): (u32, Bytes<u32>),
    time: Nanoseconds,
) {
    if time == Nanoseconds(0) || count == 0 {
        return;
    }
    let rate = wirespeed_wire::outstanding_rate(count, bytes.0, time.0);
    if rate < LEAST_BPS {
        let found = format!("{count} times {bytes} bytes in {time} ns, {rate} bit/s");
        check.note(name, found, "1 Gb/s or more".into());
    }
}
