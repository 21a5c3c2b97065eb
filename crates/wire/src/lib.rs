//! What travels on the wire of a RoCEv2 network, in bytes, and the arithmetic that follows from it.
//!
//! These sizes exist once, here. Python reads them through the binding, so the judge, the checks and the
//! simulator cannot disagree.
//!
//! | size | counts |
//! | --- | --- |
//! | *frame* | Ethernet header through FCS: what a switch buffers and a port counter counts |
//! | *wire* | the frame plus preamble, start delimiter and minimum gap: what occupies the link |

mod frame;
mod pcie;

pub use frame::{
    Encapsulation, Frame, Ip, PathMtu, UnknownPathMtu, AETH, BTH, CNP_PAYLOAD, ETHERNET_HEADER,
    ETHERNET_OVERHEAD, FCS, ICRC, MIN_FRAME, RETH, UDP_HEADER, VLAN_TAG,
};
pub use pcie::{
    completion_bytes, memory_write_bytes, read_request_bytes, PcieLink, UnknownPcieLink,
    COMPLETION_HEADER, MEMORY_HEADER, TLP_FRAMING,
};
