//! Any text as rows of a table and as a list of ranks.
#![no_main]

#[path = "../../crates/logs/tests/properties/mod.rs"]
#[allow(dead_code)]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::table::check(bytes));
