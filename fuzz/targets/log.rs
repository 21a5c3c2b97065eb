//! Any text as a log.
#![no_main]

#[path = "../../crates/logs/tests/properties/mod.rs"]
#[allow(dead_code)]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::log::check(bytes));
