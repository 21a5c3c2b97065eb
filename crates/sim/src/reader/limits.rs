//! Limits of a scenario beyond the range of a single value.

use super::host_pipe;
use super::parameter_check::ParameterCheck;
use super::problems::Problems;
use crate::ids::PRIORITIES;
use crate::model::limits::{LARGEST_BUFFER, LARGEST_SLICE, MOST_SLICES};
use crate::model::parameters::*;
use crate::model::schema::scenario;
use crate::problem::{format_thousands, Refusal};
use crate::schema::ranges;

/// Number of entities that an event's key can contain (`queue::Event`): ports times priorities, queue pairs, operations.
const ENTITIES: usize = 1 << 28;
/// A link has two ports.
const MOST_LINKS: usize = ENTITIES / PRIORITIES / 2;
/// A connection has two queue pairs.
const MOST_CONNECTIONS: usize = ENTITIES / 2;

/// Adds a problem for a scenario that is larger than the simulator can count.
pub fn check_size(links: usize, connections: usize, operations: usize, problems: &mut Problems) {
    let rows = [
        ("links", links, MOST_LINKS),
        ("flows and queue_pairs", connections, MOST_CONNECTIONS),
        ("flows and operations", operations, ENTITIES),
    ];
    for (location, found, most) in rows.into_iter().filter(|(_, found, most)| found > most) {
        let most = format!("at most {}", format_thousands(most as i128));
        problems.note(location, format_thousands(found as i128), most, "");
    }
}

/// Adds a problem for every parameter out of its range, and for parameters that exclude each other. `root` is their path in
/// the file.
pub fn check(root: &str, parameters: &Parameters, problems: &mut Problems) {
    let document = scenario();
    let schema = &document["$defs"]["Parameters"];
    let found = ranges::problems(document, schema, parameters, root);
    problems.take::<()>(Err(Refusal(found)));
    let mut check = ParameterCheck { root, problems };
    buffer(&mut check, &parameters.switch);
    pools(&mut check, &parameters.switch);
    let marking = &parameters.marking;
    check.at_most("marking.kmin_bytes", marking.kmin_bytes, marking.kmax_bytes);
    if let Some(pipe) = &parameters.nic.pipe {
        host_pipe::check(&mut check, pipe, parameters.transport.mtu_bytes);
    }
    recovery(&mut check, &parameters.transport);
}

/// Cells are counted in 32 bits: of the whole buffer, or of each slice where frames wait in slices.
fn buffer(check: &mut ParameterCheck, switch: &Switch) {
    let slices = u64::from(switch.slices.min(MOST_SLICES as u32));
    let largest = match switch.architecture {
        Architecture::SharedBuffer {} => LARGEST_BUFFER,
        Architecture::Voq { .. } => LARGEST_SLICE * slices,
    };
    check.check_range("switch.buffer_bytes", switch.buffer_bytes, 1, largest);
    if let Some(SharedHeadroom::Fixed { bytes }) = switch.shared_headroom {
        let largest = LARGEST_SLICE * slices;
        check.check_range("switch.shared_headroom.bytes", bytes, 1, largest);
    }
}

/// Pools and shared headroom are shares of the same buffer.
fn pools(check: &mut ParameterCheck, switch: &Switch) {
    let mut shares = Vec::new();
    if let Some(pools) = switch.pools {
        shares.push(("switch.pools.lossless_percent", pools.lossless_percent));
        shares.push(("switch.pools.lossy_percent", pools.lossy_percent));
    }
    if let Some(SharedHeadroom::Share { percent }) = switch.shared_headroom {
        shares.push(("switch.shared_headroom.percent", percent));
    }
    let sum: u32 = shares.iter().map(|(_, percent)| u32::from(*percent)).sum();
    if shares.len() > 1 && sum > 100 {
        let names: Vec<&str> = shares.iter().map(|(name, _)| *name).collect();
        check.note(
            names[0],
            format!("{sum} with {}", names[1..].join(" and ")),
            "at most 100".into(),
        );
    }
}

/// Checks the parameters that only one of the two forms of loss recovery has.
fn recovery(check: &mut ParameterCheck, transport: &Transport) {
    match (transport.recovery, transport.rx_depth) {
        (Recovery::SelectiveRepeat, Some(depth)) => {
            let expected = "none, or recovery \"go-back-n\"";
            let found = format!("{depth} and selective-repeat");
            check.note("transport.rx_depth", found, expected.into());
        }
        (Recovery::GoBackN, _) if transport.reordering != (Reordering::None {}) => {
            let expected =
                "recovery \"selective-repeat\": with go-back-N what comes out of order is not kept";
            check.note(
                "transport.reordering",
                "a rule and go-back-n".into(),
                expected.into(),
            );
        }
        _ => {}
    }
}
