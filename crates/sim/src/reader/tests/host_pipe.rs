//! The host memory behind a NIC, and its PCIe slot.

use super::{read_refusal, set};

/// A NIC in a PCIe slot.
fn slot(generation: u8, width: u32, max_payload: u32) -> String {
    behind(generation, width, max_payload, "")
}

/// The same with more keys of the PCIe link.
fn behind(generation: u8, width: u32, max_payload: u32, more: &str) -> String {
    let pcie = format!(
        r#"{{"generation": {generation}, "width": {width}, "max_payload_bytes": {max_payload}{more}}}"#
    );
    set(&format!(
        r#""nic": {{"pipe": {{"gbps": 400, "pcie": {pcie}, "latency_ns": 0, "receive_buffer_bytes": 100000, "xoff_bytes": 50000, "xon_bytes": 20000}}}}"#
    ))
}

#[test]
fn refusals_of_host_pipes() {
    let rows = [
        (slot(6, 8, 256), "parameters.nic.pipe.pcie.generation: found 6, expected 1 to 5"),
        (slot(5, 3, 256), "parameters.nic.pipe.pcie.width: found 3, expected 1, 2, 4, 8, 12, 16 or 32"),
        (slot(5, 8, 100), "parameters.nic.pipe.pcie.max_payload_bytes: found 100, expected 64, 128, 256, 512, 1,024, 2,048 or 4,096"),
        (behind(5, 8, 256, r#", "dllp_bytes": 65"#), "parameters.nic.pipe.pcie.dllp_bytes: found 65, expected 0 to 64"),
        (
            behind(5, 8, 256, r#", "ordered_writes": {"rule": "outstanding", "writes": 0, "commit_ns": 0}"#),
            "parameters.nic.pipe.pcie.ordered_writes.writes: found 0, expected 1 to 65,535\n\
             parameters.nic.pipe.pcie.ordered_writes.commit_ns: found 0, expected 1 to 1,000,000,000",
        ),
        (
            behind(5, 8, 256, r#", "ordered_writes": {"rule": "outstanding", "writes": 1, "commit_ns": 2049}"#),
            "parameters.nic.pipe.pcie.ordered_writes: found 1 times 256 bytes in 2049 ns, 999511957 bit/s, expected 1 Gb/s or more",
        ),
        (
            behind(5, 8, 256, r#", "ordered_writes": {"rule": "measured", "bps": 5}"#),
            "parameters.nic.pipe.pcie.ordered_writes.bps: found 5, expected 1,000,000,000 to 10,000,000,000,000",
        ),
        (
            behind(5, 8, 256, r#", "ordered_writes": {"rule": "mesured", "bps": 5}"#),
            "parameters.nic.pipe.pcie.ordered_writes.rule: found unknown variant \"mesured\", expected \"outstanding\" or \"measured\"\n  \
             hint: did you mean \"measured\"?",
        ),
        (
            behind(5, 8, 256, r#", "ordered_writes": {"rule": "measured", "bsp": 5}"#),
            "parameters.nic.pipe.pcie.ordered_writes: found the key \"bsp\", expected bps",
        ),
        (
            behind(5, 8, 256, r#", "ordered_writes": {"rule": "outstanding", "writes": 4, "commit_ns": "5"}"#),
            "parameters.nic.pipe.pcie.ordered_writes.commit_ns: found \"5\", expected a whole number from 0 up",
        ),
        (
            behind(5, 8, 256, r#", "widths": 8"#),
            "parameters.nic.pipe.pcie: found the key \"widths\", expected generation, width, max_payload_bytes, dllp_bytes, ordered_writes, reads\n  \
             hint: did you mean \"width\"?",
        ),
        (
            behind(5, 8, 256, r#", "dllp_bytes": "none""#),
            "parameters.nic.pipe.pcie.dllp_bytes: found \"none\", expected a whole number, 0 to 4,294,967,295",
        ),
        (
            behind(5, 8, 256, r#", "reads": {"tags": 4, "max_read_request_bytes": 512}"#),
            "parameters.nic.pipe.pcie.reads: found an object, expected an object with \"round_trip_ns\"",
        ),
        (
            behind(5, 8, 256, r#", "dllp_bytes": 8, "reads": {"tags": 4, "tags": 5}, "width": 4"#),
            "parameters.nic.pipe.pcie.reads.tags: found this key again, expected each key once\n\
             parameters.nic.pipe.pcie.width: found this key again, expected each key once",
        ),
        (
            behind(5, 8, 256, r#", "reads": {"tags": 0, "max_read_request_bytes": 500, "round_trip_ns": 0, "read_completion_boundary_bytes": 32}"#),
            "parameters.nic.pipe.pcie.reads.tags: found 0, expected 1 to 16,384\n\
             parameters.nic.pipe.pcie.reads.max_read_request_bytes: found 500, expected 128, 256, 512, 1,024, 2,048 or 4,096\n\
             parameters.nic.pipe.pcie.reads.round_trip_ns: found 0, expected 1 to 1,000,000,000\n\
             parameters.nic.pipe.pcie.reads.read_completion_boundary_bytes: found 32, expected 64 or 128",
        ),
        (
            behind(5, 8, 256, r#", "reads": {"tags": 1, "max_read_request_bytes": 128, "round_trip_ns": 547, "tag": 5}"#),
            "parameters.nic.pipe.pcie.reads: found the key \"tag\", expected tags, max_read_request_bytes, round_trip_ns, read_completion_boundary_bytes\n  \
             hint: did you mean \"tags\"?",
        ),
        (
            set(r#""nic": {"pipe": {"latency_ns": 0, "receive_buffer_bytes": 100000, "xoff_bytes": 50000, "xon_bytes": 20000}}"#),
            "parameters.nic.pipe: found neither, expected gbps, pcie or both",
        ),
        (
            set(r#""nic": {"pipe": {"gbps": 50, "latency_ns": 0, "receive_buffer_bytes": 4095, "xoff_bytes": 4096, "xon_bytes": 4097}}"#),
            "parameters.nic.pipe.receive_buffer_bytes: found 4095, expected 4,096 to 2,147,483,648\n\
             parameters.nic.pipe.xoff_bytes: found 4096, expected 0 to 4,095\n\
             parameters.nic.pipe.xon_bytes: found 4097, expected 0 to 4,096",
        ),
    ];
    for (text, message) in rows {
        assert_eq!(read_refusal(&text), message, "{text}");
    }
}
