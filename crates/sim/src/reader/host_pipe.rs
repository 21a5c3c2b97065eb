//! Ranges of what stands between memory and a NIC port.

use super::limits::{Ranges, LARGEST_BUFFER, LONGEST_NS};
use crate::model::parameters::Pipe;
use crate::model::pcie::{OrderedWrites, Pcie, Reads};
use wirespeed_wire::UnknownPcieLink;

/// Times of a buffer at a lower rate may not fit 64 bits.
const LEAST_BPS: u64 = 1_000_000_000;
/// Far above what a link carries.
const MOST_BPS: u64 = 10_000 * LEAST_BPS;
/// Tags have 14 bits (PCI Express Base 6.0, section 2.2.6.2).
const MOST_TAGS: u32 = 1 << 14;

/// A pipe, whose receive buffer takes packets of `mtu_bytes`.
pub fn check(it: &mut Ranges, pipe: &Pipe, mtu_bytes: u32) {
    match (pipe.gbps, &pipe.pcie) {
        (None, None) => it.note("nic.pipe", "neither".into(), "gbps, pcie or both".into()),
        (gbps, pcie) => {
            if let Some(gbps) = gbps {
                it.within("nic.pipe.gbps", gbps, 1..=10_000);
            }
            if let Some(pcie) = pcie {
                link(it, pcie);
            }
        }
    }
    it.within("nic.pipe.latency_ns", pipe.latency_ns, 0..=LONGEST_NS);
    let buffer = LARGEST_BUFFER as u32;
    it.within(
        "nic.pipe.receive_buffer_bytes",
        pipe.receive_buffer_bytes,
        mtu_bytes..=buffer, // or no full packet would ever enter
    );
    it.within(
        "nic.pipe.xoff_bytes",
        pipe.xoff_bytes,
        0..=pipe.receive_buffer_bytes,
    );
    it.within("nic.pipe.xon_bytes", pipe.xon_bytes, 0..=pipe.xoff_bytes);
}

fn link(it: &mut Ranges, pcie: &Pcie) {
    let carried = pcie
        .link()
        .and_then(|link| link.write_bits_per_second(pcie.max_payload_bytes));
    match carried {
        Err(UnknownPcieLink::Generation(found)) => {
            it.within("nic.pipe.pcie.generation", found, 1..=5);
        }
        Err(UnknownPcieLink::Width(found)) => it.note(
            "nic.pipe.pcie.width",
            found.to_string(),
            "1, 2, 4, 8, 12, 16 or 32".into(),
        ),
        Err(UnknownPcieLink::Payload(found)) => it.note(
            "nic.pipe.pcie.max_payload_bytes",
            found.to_string(),
            "64, 128, 256, 512, 1024, 2048 or 4096".into(),
        ),
        Ok(_) | Err(UnknownPcieLink::Rate(_)) => {}
    }
    if let Some(bytes) = pcie.dllp_bytes {
        it.within("nic.pipe.pcie.dllp_bytes", bytes, 0..=64);
    }
    if let Some(ordered) = &pcie.ordered_writes {
        writes(it, ordered, pcie.max_payload_bytes);
    }
    if let Some(asked) = &pcie.reads {
        reads(it, asked);
    }
}

fn writes(it: &mut Ranges, ordered: &OrderedWrites, payload: u32) {
    let name = "nic.pipe.pcie.ordered_writes";
    match *ordered {
        OrderedWrites::Outstanding { writes, commit_ns } => {
            it.within(&format!("{name}.writes"), writes, 1..=u32::from(u16::MAX));
            it.within(&format!("{name}.commit_ns"), commit_ns, 1..=LONGEST_NS);
            enough(it, name, [writes, payload], commit_ns);
        }
        OrderedWrites::Measured { bps } => {
            it.within(&format!("{name}.bps"), bps, LEAST_BPS..=MOST_BPS);
        }
    }
}

fn reads(it: &mut Ranges, reads: &Reads) {
    let name = "nic.pipe.pcie.reads";
    let (tags, request, ns) = (
        reads.tags,
        reads.max_read_request_bytes,
        reads.round_trip_ns,
    );
    it.within(&format!("{name}.tags"), tags, 1..=MOST_TAGS);
    it.within(&format!("{name}.round_trip_ns"), ns, 1..=LONGEST_NS);
    // PCI Express Base 5.0, sections 7.5.3.4 and 7.5.3.7.
    if ![128, 256, 512, 1024, 2048, 4096].contains(&request) {
        let expected = "128, 256, 512, 1024, 2048 or 4096".into();
        it.note(
            &format!("{name}.max_read_request_bytes"),
            request.to_string(),
            expected,
        );
    }
    let boundary = reads.read_completion_boundary_bytes;
    if let Some(bytes) = boundary.filter(|bytes| ![64, 128].contains(bytes)) {
        let name = format!("{name}.read_completion_boundary_bytes");
        it.note(&name, bytes.to_string(), "64 or 128".into());
    }
    enough(it, name, [tags, request], ns);
}

/// What is under way at one time must not make a rate of nothing.
fn enough(it: &mut Ranges, name: &str, [count, bytes]: [u32; 2], ns: u64) {
    if ns == 0 || count == 0 {
        return;
    }
    let rate = wirespeed_wire::outstanding_rate(count, bytes, ns);
    if rate < LEAST_BPS {
        let found = format!("{count} times {bytes} bytes in {ns} ns, {rate} bit/s");
        it.note(name, found, "1 Gb/s or more".into());
    }
}
