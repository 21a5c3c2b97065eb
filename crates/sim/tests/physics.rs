//! Results of whole runs: the common scenarios, DCQCN's fixed point, what each mechanism does to an incast, and that
//! a run is a function of its scenario and seed.

mod support;

#[path = "physics/algorithms.rs"]
mod algorithms;
#[path = "physics/broadcom.rs"]
mod broadcom;
#[path = "physics/context_tables.rs"]
mod context_tables;
#[path = "physics/dcqcn.rs"]
mod dcqcn;
#[path = "physics/determinism.rs"]
mod determinism;
#[path = "physics/mechanisms.rs"]
mod mechanisms;
#[path = "physics/scenarios.rs"]
mod scenarios;
#[path = "physics/time_invariance.rs"]
mod time_invariance;
