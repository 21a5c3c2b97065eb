//! RoCEv2 packets for Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wirespeed_wire::{Addresses, Packet};

/// The fields of a frame by name, without the fields of absent headers. A frame that is no intact RoCEv2 packet is refused.
#[pyfunction]
pub fn packet<'py>(python: Python<'py>, frame: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let packet = Packet::parse(frame).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let network = packet.network;
    let fields = PyDict::new(python);
    fields.set_item("source_mac", format_mac(network.source_mac))?;
    fields.set_item("destination_mac", format_mac(network.destination_mac))?;
    if let Some(tag) = network.tag {
        fields.set_item("vlan", tag.vlan)?;
        fields.set_item("priority", tag.priority)?;
    }
    let (source, destination) = match network.addresses {
        Addresses::V4 {
            source,
            destination,
            ..
        } => (source.to_string(), destination.to_string()),
        Addresses::V6 {
            source,
            destination,
            ..
        } => (source.to_string(), destination.to_string()),
    };
    fields.set_item("source", source)?;
    fields.set_item("destination", destination)?;
    fields.set_item("dscp", network.dscp)?;
    fields.set_item("ecn", network.ecn as u8)?;
    fields.set_item("ttl", network.ttl)?;
    fields.set_item("udp_source_port", packet.udp_source_port)?;
    let bth = packet.bth;
    fields.set_item("opcode", packet.kind.opcode())?;
    fields.set_item("solicited_event", bth.solicited_event)?;
    fields.set_item("migrated", bth.migrated)?;
    fields.set_item("partition_key", bth.partition_key)?;
    fields.set_item("fecn", bth.fecn)?;
    fields.set_item("becn", bth.becn)?;
    fields.set_item("destination_qp", bth.destination_qp)?;
    fields.set_item("acknowledge_request", bth.acknowledge_request)?;
    fields.set_item("psn", bth.psn)?;
    fields.set_item("payload", packet.kind.payload())?;
    if let Some(reth) = packet.kind.reth() {
        fields.set_item("remote_address", reth.address)?;
        fields.set_item("remote_key", reth.key)?;
        fields.set_item("length", reth.length)?;
    }
    if let Some(aeth) = packet.kind.aeth() {
        fields.set_item("syndrome", aeth.syndrome.byte())?;
        fields.set_item("msn", aeth.msn)?;
    }
    if let Some(deth) = packet.kind.deth() {
        fields.set_item("queue_key", deth.queue_key)?;
        fields.set_item("source_qp", deth.source_qp)?;
    }
    Ok(fields)
}

fn format_mac(bytes: [u8; 6]) -> String {
    bytes.map(|byte| format!("{byte:02x}")).join(":")
}
