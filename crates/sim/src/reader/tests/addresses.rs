//! Addresses of NIC ports, and how packets are framed.

use super::{links, read_refusal, set};
use crate::ids::PortId;
use crate::reader::read;

/// The pair with these addresses of its first link, and its second.
fn addresses(first: &str, second: &str) -> String {
    links(&format!(
        r#"[{{"a": 0, "b": 2, "addresses": {first}}}, {{"a": 2, "b": 1, "addresses": {second}}}]"#
    ))
}

#[test]
fn addresses_belong_to_nic_ports() {
    let text = addresses(r#"["10.1.0.1", null]"#, r#"[null, "10.1.0.5"]"#);
    let scenario = read(&text, "roce", 1).unwrap();
    let given: Vec<_> = (0..4)
        .map(|port| scenario.given_address(PortId(port)))
        .collect();
    let v4 = |text: &str| Some(text.parse().unwrap());
    assert_eq!(given, [v4("10.1.0.1"), None, None, v4("10.1.0.5")]);
}

#[test]
fn refusals_of_addresses() {
    let no_addresses = "[null, null]";
    let rows = [
        (addresses("7", no_addresses), "links[0].addresses: found 7, expected a list of two: one for each end"),
        (addresses("[null]", no_addresses), "links[0].addresses: found a list of 1, expected two: one for each end\n  hint: null for none"),
        (addresses("[3, null]", no_addresses), "links[0].addresses: found 3, expected an IPv4 or IPv6 address, or null"),
        (addresses(r#"["10.1.0.256", null]"#, no_addresses), "links[0].addresses: found \"10.1.0.256\", expected an IPv4 or IPv6 address, or null"),
        (addresses(r#"[null, "fe80::1"]"#, no_addresses), "links[0].addresses: found \"fe80::1\" at switch 2, expected null: only NIC ports have addresses here"),
        (
            addresses(r#"["10.1.0.1", null]"#, r#"[null, "10.1.0.1"]"#),
            "links[1].addresses: found \"10.1.0.1\", which links[0] has, expected each address once",
        ),
        (
            addresses(r#"["10.1.0.1", null]"#, r#"[null, "2001:db8::1"]"#),
            "links[1].addresses: found \"2001:db8::1\", expected an IPv4 address\n  hint: parameters.framing.ip sets the IP version of all packets",
        ),
        (
            addresses(r#"["10.1.0.1", null]"#, no_addresses).replace(r#""flows""#, r#""parameters": {"framing": {"ip": "ipv6"}}, "flows""#),
            "links[0].addresses: found \"10.1.0.1\", expected an IPv6 address\n  hint: parameters.framing.ip sets the IP version of all packets",
        ),
        (set(r#""framing": {"ip": "v6"}"#), "parameters.framing.ip: found unknown variant \"v6\", expected \"ipv4\" or \"ipv6\""),
        (set(r#""framing": {"vlan": 4095}"#), "parameters.framing.vlan: found 4095, expected 0 to 4,094"),
        (set(r#""framing": {"vlan": -1}"#), "parameters.framing.vlan: found -1, expected a whole number, 0 to 65,535"),
        (set(r#""ecmp": {"offset_bits": 16}"#), "parameters.ecmp.offset_bits: found 16, expected 0 to 15"),
        (set(r#""ecmp": {"hash": "crc16"}"#), "parameters.ecmp.hash: found unknown variant \"crc16\", expected one of \"splitmix64\", \"murmur3\", \"crc32-lo\""),
    ];
    for (text, message) in rows {
        assert_eq!(read_refusal(&text), message, "{text}");
    }
}
