//! Presets: complete sets of parameters, each a file here, each number with its source.

mod hpcc;
mod roce;

use crate::parameters::Parameters;

/// The presets there are.
pub const NAMES: [&str; 2] = ["hpcc", "roce"];

/// The preset of that name.
pub fn by_name(name: &str) -> Option<Parameters> {
    match name {
        "hpcc" => Some(hpcc::parameters()),
        "roce" => Some(roce::parameters()),
        _ => None,
    }
}
