//! The Python binding: converts types and errors, computes nothing.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use wirespeed_wire::{Encapsulation, Frame, Ip, PathMtu};

/// Path MTUs a reliable connection can have, ascending, bytes.
#[pyfunction]
fn path_mtus() -> Vec<u32> {
    PathMtu::ALL.map(PathMtu::bytes).to_vec()
}

/// The largest path MTU that fits an interface MTU, or None.
#[pyfunction]
fn path_mtu_fitting(interface_mtu: u32, ipv6: bool) -> Option<u32> {
    PathMtu::fitting(interface_mtu, ip(ipv6)).map(PathMtu::bytes)
}

/// (frame bytes, bytes on the wire) of a data packet in the middle of a message.
#[pyfunction]
fn data_frame(payload: u32, ipv6: bool, vlan: bool) -> (u32, u32) {
    sizes(encapsulation(ipv6, vlan).data_middle(payload))
}

/// (frame bytes, bytes on the wire) of the first or only packet of an RDMA write.
#[pyfunction]
fn write_first_frame(payload: u32, ipv6: bool, vlan: bool) -> (u32, u32) {
    sizes(encapsulation(ipv6, vlan).data_write_first(payload))
}

/// (frame bytes, bytes on the wire) of an acknowledgement.
#[pyfunction]
fn ack_frame(ipv6: bool, vlan: bool) -> (u32, u32) {
    sizes(encapsulation(ipv6, vlan).ack())
}

/// (frame bytes, bytes on the wire) of a congestion notification packet.
#[pyfunction]
fn cnp_frame(ipv6: bool, vlan: bool) -> (u32, u32) {
    sizes(encapsulation(ipv6, vlan).cnp())
}

/// (frame bytes, bytes on the wire) of a priority flow control frame.
#[pyfunction]
fn pfc_frame() -> (u32, u32) {
    sizes(Frame::pfc())
}

/// Bytes on the wire for one RDMA write, without acknowledgements.
#[pyfunction]
fn write_wire_bytes(size: u64, path_mtu: u32, ipv6: bool, vlan: bool) -> PyResult<u64> {
    let mtu =
        PathMtu::try_from(path_mtu).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(mtu.write_wire_bytes(size, encapsulation(ipv6, vlan)))
}

fn ip(ipv6: bool) -> Ip {
    if ipv6 {
        Ip::V6
    } else {
        Ip::V4
    }
}

fn encapsulation(ipv6: bool, vlan: bool) -> Encapsulation {
    Encapsulation { ip: ip(ipv6), vlan }
}

fn sizes(frame: Frame) -> (u32, u32) {
    (frame.bytes(), frame.wire_bytes())
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(path_mtus, module)?)?;
    module.add_function(wrap_pyfunction!(path_mtu_fitting, module)?)?;
    module.add_function(wrap_pyfunction!(data_frame, module)?)?;
    module.add_function(wrap_pyfunction!(write_first_frame, module)?)?;
    module.add_function(wrap_pyfunction!(ack_frame, module)?)?;
    module.add_function(wrap_pyfunction!(cnp_frame, module)?)?;
    module.add_function(wrap_pyfunction!(pfc_frame, module)?)?;
    module.add_function(wrap_pyfunction!(write_wire_bytes, module)?)?;
    Ok(())
}
