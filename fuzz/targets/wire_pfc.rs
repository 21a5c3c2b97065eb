//! Priority flow control frames written and read.
#![no_main]

#[path = "../../crates/wire/tests/properties/mod.rs"]
#[allow(dead_code)]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::pfc::check(bytes));
