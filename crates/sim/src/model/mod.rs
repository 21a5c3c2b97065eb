//! The data of a run: parameters, scenario, faults, results. Knows no mechanism.

mod cabling;
pub mod faults;
pub mod limits;
pub mod names;
pub mod overrides;
mod parameter_sets;
pub mod parameters;
pub mod pcie;
pub mod preset;
pub mod results;
pub mod scenario;
pub mod scenario_file;
pub mod schema;
