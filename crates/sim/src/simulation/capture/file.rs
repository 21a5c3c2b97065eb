//! The captured bytes of a port.

use super::streams::Streams;
use crate::ids::PortId;
use crate::model::scenario::Scenario;
use wirespeed_wire::pcap::{self, WHOLE_FRAMES};

/// Captured bytes that were not yet taken.
#[derive(Debug)]
pub struct Capture {
    pub(super) port: PortId,
    pub(super) file: pcap::Capture,
    pub(super) bytes: Vec<u8>,
    pub(super) streams: Streams,
}

impl Capture {
    /// The captures that a scenario requests, in its order.
    pub fn from_scenario(scenario: &Scenario) -> Vec<Capture> {
        let ports = &scenario.observe.captures;
        ports.iter().map(|port| Capture::new(*port)).collect()
    }

    fn new(port: PortId) -> Capture {
        let file = pcap::Capture {
            snap_length: WHOLE_FRAMES,
        };
        let mut bytes = Vec::new();
        file.append_header(&mut bytes);
        Capture {
            port,
            file,
            bytes,
            streams: Streams::default(),
        }
    }

    /// The bytes captured since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}
