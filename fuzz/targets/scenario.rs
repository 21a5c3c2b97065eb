//! Any text as a scenario. The property tests of the crate start from a good one.
#![no_main]

#[path = "../../crates/sim/tests/reader/any_text.rs"]
mod any_text;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| any_text::any_text(bytes));
