//! Any text as a scenario. The property tests of the crate start from a good one.
#![no_main]

#[path = "../../crates/sim/tests/reader/reader_properties.rs"]
mod reader_properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader_properties::check_reader(bytes));
