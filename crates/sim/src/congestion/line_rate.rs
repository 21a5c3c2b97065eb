//! No congestion control: every queue pair sends at line rate and ignores notifications. The smallest example.

use super::control::CongestionControl;
use super::definition::Definition;
use crate::bytes::Bytes;
use crate::time::Picoseconds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// No parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "LineRate")]
pub struct Parameters {}

/// A queue pair without a rate limiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRate;

impl Definition for LineRate {
    const DESCRIPTION: &'static str = "No congestion control.";

    type Parameters = Parameters;
    type SharedValues = ();
    type State = Self;

    fn prepare(_: &Parameters) {}

    fn start(_: Arc<()>, _line_rate_bps: u64, _packet_bytes: Bytes<u32>) -> Self {
        LineRate
    }
}

impl CongestionControl for LineRate {
    fn peek(&self, _now: Picoseconds) -> Option<f64> {
        None
    }
}
