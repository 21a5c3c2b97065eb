//! Sizes, rates, headroom and losses.
#![no_main]

#[path = "../../crates/wire/tests/properties/mod.rs"]
#[allow(dead_code)]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::frame_sizes::check(bytes));
