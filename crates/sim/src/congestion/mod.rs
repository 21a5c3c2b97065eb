//! Congestion control of a queue pair: how fast the next frame may follow. Each algorithm is a file here and a line below.
//!
//! [`Parameters`] are those of a scenario, [`PreparedParameters`] holds values computed from them once, [`Algorithm`] one queue pair.

mod control;
mod definition;
mod increase;
mod moving_average;
mod receiver_driven;
mod registry;

use crate::bytes::Bytes;
use crate::problem::Refusal;
use crate::schema::{self, ranges, variants};
use crate::time::{Nanoseconds, Picoseconds};
pub use control::{
    Ack, AckDriven, CongestionControl, CongestionEstimate, Feedback, Hop, Loss, LossDriven,
    NotificationDriven, Penalty, PenaltyDriven, TelemetryDriven, Windowed,
};
pub use definition::{Checks, Definition, UltraEthernet};
pub use receiver_driven::{GrantParameters, Grants, ReceiverDriven};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

// Each with its traits beside `CongestionControl`.
registry::register! {
    line_rate::LineRate: [];
    dcqcn::Dcqcn: [NotificationDriven CongestionEstimate];
    dcqcn_nvidia::DcqcnNvidia: [NotificationDriven CongestionEstimate];
    dcqcn_broadcom::DcqcnP, DcqcnD: [NotificationDriven CongestionEstimate];
    dctcp::Dctcp: [AckDriven LossDriven Windowed CongestionEstimate];
    timely::Timely: [AckDriven];
    swift::Swift: [AckDriven LossDriven Windowed];
    hpcc::Hpcc: [TelemetryDriven Windowed CongestionEstimate];
    nscc::Nscc: [PenaltyDriven LossDriven Windowed UltraEthernet];
    rccc::Rccc: [PenaltyDriven LossDriven Windowed UltraEthernet ReceiverDriven];
}

// The state of a queue pair stays within two cache lines, with room for its neighbours.
const _: () = assert!(std::mem::size_of::<Algorithm>() <= 96);

/// The names of the algorithms in scenarios.
pub fn names() -> Vec<&'static str> {
    let algorithms = variants(form()).iter();
    algorithms
        .filter_map(|algorithm| algorithm["properties"]["algorithm"]["const"].as_str())
        .collect()
}

impl Parameters {
    /// No congestion control.
    pub const NONE: Parameters = Parameters::LineRate(line_rate::Parameters {});

    /// Refuses parameters that no queue pair can run with. `location` is their location in the scenario, `line_rate_bps`
    /// the rate of the slowest sending port.
    pub fn check(&self, location: &str, line_rate_bps: u64) -> Result<(), Refusal> {
        let mut checks = Checks {
            location,
            problems: ranges::problems(form(), form(), self, location),
        };
        self.check_together(&mut checks, line_rate_bps);
        if checks.problems.is_empty() {
            return Ok(());
        }
        Err(Refusal(checks.problems))
    }
}

/// The schema of the parameters.
fn form() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(schema::read_schema::<Parameters>)
}
