//! The Python binding: converts types and errors, computes nothing.

mod logs;
mod packet;
mod simulation;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use wirespeed_sim::bytes::Bytes;
use wirespeed_wire::headroom::{response_ceiling, Loop, Terms};
use wirespeed_wire::time::Picoseconds;
use wirespeed_wire::{
    Encapsulation, Frame, Ip, PathMtu, PcieLink, UnknownPcieLink, ETHERNET_HEADER, FCS, MIN_FRAME,
    VLAN_TAG,
};

/// Path MTUs that a reliable connection can have, ascending, bytes.
#[pyfunction]
fn path_mtus() -> Vec<u32> {
    PathMtu::ALL.map(PathMtu::bytes).to_vec()
}

/// The largest path MTU that fits an interface MTU, or None.
#[pyfunction]
fn path_mtu_fitting(interface_mtu: u32, ipv6: bool) -> Option<u32> {
    PathMtu::largest_within(interface_mtu, ip_version(ipv6)).map(PathMtu::bytes)
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
    Ok(parse_path_mtu(path_mtu)?.write_wire_bytes(size, encapsulation(ipv6, vlan)))
}

/// Bytes on the wire for one send, without acknowledgements.
#[pyfunction]
fn send_wire_bytes(size: u64, path_mtu: u32, ipv6: bool, vlan: bool) -> PyResult<u64> {
    Ok(parse_path_mtu(path_mtu)?.send_wire_bytes(size, encapsulation(ipv6, vlan)))
}

/// Bytes on the wire for the response to one RDMA read.
#[pyfunction]
fn read_response_wire_bytes(size: u64, path_mtu: u32, ipv6: bool, vlan: bool) -> PyResult<u64> {
    Ok(parse_path_mtu(path_mtu)?.read_response_wire_bytes(size, encapsulation(ipv6, vlan)))
}

/// Packets of a message.
#[pyfunction]
fn packets(size: u64, path_mtu: u32) -> PyResult<u64> {
    Ok(parse_path_mtu(path_mtu)?.packets(size))
}

fn parse_path_mtu(bytes: u32) -> PyResult<PathMtu> {
    PathMtu::try_from(bytes).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Bits per second of a PCIe link in one direction after line coding.
#[pyfunction]
fn pcie_link(megatransfers: u32, lanes: u32) -> PyResult<u64> {
    let link = PcieLink::new(megatransfers, lanes).map_err(link_error)?;
    Ok(link.bits_per_second())
}

/// Data bits per second of posted writes over a PCIe link.
#[pyfunction]
fn pcie_writes(megatransfers: u32, lanes: u32, payload: u32) -> PyResult<u64> {
    PcieLink::new(megatransfers, lanes)
        .and_then(|link| link.write_bits_per_second(payload))
        .map_err(link_error)
}

/// Data bits per second of read completions over a PCIe link.
#[pyfunction]
fn pcie_reads(megatransfers: u32, lanes: u32, payload: u32) -> PyResult<u64> {
    PcieLink::new(megatransfers, lanes)
        .and_then(|link| link.read_bits_per_second(payload))
        .map_err(link_error)
}

/// Bits per second with `count` packets in flight.
#[pyfunction]
fn outstanding_rate(count: u32, bytes: u32, nanoseconds: u64) -> PyResult<u64> {
    if nanoseconds == 0 {
        return Err(PyValueError::new_err("0 ns: expected more"));
    }
    Ok(wirespeed_wire::outstanding_rate(count, bytes, nanoseconds))
}

/// (bytes of a memory write, bytes of a completion, bytes of a read request) on a PCIe link, data of `payload` bytes.
#[pyfunction]
fn pcie_packets(payload: u32) -> (u32, u32, u32) {
    (
        wirespeed_wire::memory_write_bytes(payload),
        wirespeed_wire::completion_bytes(payload),
        wirespeed_wire::read_request_bytes(),
    )
}

/// (frame sent back, PFC frames, cable, response), picoseconds; bytes of the longest frame; cells of the first and the last
/// frame; cells of the frames between these; (bytes, cells) of the frame with the most cells per time.
type HeadroomTerms = ((u64, u64, u64, u64), u32, u32, u64, (u32, u32));

/// The headroom of a priority group of a switch port that decides on a pause `generation` picoseconds after the last bit of a
/// frame.
#[pyfunction]
fn headroom(
    rate: u64,
    delay: u64,
    generation: u64,
    mtu: u32,
    lossless: u32,
    cell: u32,
) -> PyResult<HeadroomTerms> {
    if rate == 0 || mtu == 0 || lossless == 0 || cell == 0 {
        return Err(PyValueError::new_err(
            "rate, MTU, lossless priorities and cell are above zero",
        ));
    }
    let pfc = Frame::pfc();
    let longest = (mtu + ETHERNET_HEADER + VLAN_TAG + FCS).max(MIN_FRAME);
    let terms = Terms::compute(&Loop {
        rate,
        delay: Picoseconds(delay),
        generation: Picoseconds(generation),
        response: response_ceiling(rate),
        longest: Bytes(longest),
        shortest: Bytes(MIN_FRAME),
        pfc: Bytes(pfc.bytes()),
        lossless,
        gap: Bytes(pfc.wire_bytes() - pfc.bytes()),
        cell: Bytes(cell),
    });
    let first_and_last = terms.crossing_cells + terms.last_frame_cells;
    Ok((
        (
            terms.frame_sent_back.0,
            terms.pfc_frames.0,
            terms.cable.0,
            terms.response.0,
        ),
        longest,
        first_and_last,
        terms.cells() - u64::from(first_and_last),
        (terms.worst.bytes.0, terms.worst.cells),
    ))
}

fn link_error(error: UnknownPcieLink) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn ip_version(ipv6: bool) -> Ip {
    if ipv6 {
        Ip::V6
    } else {
        Ip::V4
    }
}

fn encapsulation(ipv6: bool, vlan: bool) -> Encapsulation {
    Encapsulation {
        ip: ip_version(ipv6),
        vlan,
    }
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
    module.add_function(wrap_pyfunction!(send_wire_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(read_response_wire_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(packets, module)?)?;
    module.add_function(wrap_pyfunction!(pcie_link, module)?)?;
    module.add_function(wrap_pyfunction!(pcie_writes, module)?)?;
    module.add_function(wrap_pyfunction!(pcie_reads, module)?)?;
    module.add_function(wrap_pyfunction!(outstanding_rate, module)?)?;
    module.add_function(wrap_pyfunction!(pcie_packets, module)?)?;
    module.add_function(wrap_pyfunction!(headroom, module)?)?;
    module.add_function(wrap_pyfunction!(packet::packet, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::algorithms, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::presets, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::preset_json, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::schema, module)?)?;
    module.add_function(wrap_pyfunction!(logs::numbers, module)?)?;
    module.add_function(wrap_pyfunction!(logs::plain_number, module)?)?;
    module.add_class::<logs::Line>()?;
    module.add_class::<logs::Log>()?;
    module.add_class::<logs::Substrings>()?;
    module.add_class::<simulation::Scenario>()?;
    module.add_class::<simulation::Simulation>()?;
    Ok(())
}
