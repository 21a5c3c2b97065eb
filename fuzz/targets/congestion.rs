//! Any parameters and calls of congestion control. What must hold stands beside the property tests of the crate.
#![no_main]

#[path = "../../crates/sim/tests/congestion/arbitrary_order.rs"]
mod arbitrary_order;
#[path = "../../crates/sim/tests/congestion/naive.rs"]
mod naive;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arbitrary_order::arbitrary_order(bytes));
