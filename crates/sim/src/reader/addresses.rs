//! Addresses of NIC ports, as links name them.

use super::json::Json;
use super::problems::{Object, ObjectPath, Problems};
use crate::model::parameters::IpVersion;
use std::collections::HashMap;
use std::net::IpAddr;

/// Addresses of the links read so far.
pub struct Addresses {
    hosts: u64,
    version: IpVersion,
    by_port: Vec<Option<IpAddr>>,
    /// The link that has an address.
    known: HashMap<IpAddr, usize>,
}

impl Addresses {
    /// No addresses; nodes below `hosts` are hosts, and packets have this IP version.
    pub fn new(hosts: u32, version: IpVersion) -> Self {
        Addresses {
            hosts: hosts.into(),
            version,
            by_port: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// By port; shorter than the number of ports if the last ones have none.
    pub fn by_port(self) -> Vec<Option<IpAddr>> {
        self.by_port
    }

    /// Reads the addresses of a link between two nodes.
    pub fn read(&mut self, link: &Object, nodes: [u64; 2], problems: &mut Problems) {
        let (Some(json), ObjectPath::Item(_, number)) = (link.get("addresses"), link.location)
        else {
            return;
        };
        let location = link.location("addresses");
        let Json::List(ends) = json else {
            return problems.note(
                location,
                json.format_value(),
                "a list of two: one for each end",
                "",
            );
        };
        let [a, b] = ends.as_slice() else {
            let found = format!("a list of {}", ends.len());
            return problems.note(location, found, "two: one for each end", "null for none");
        };
        for (end, json) in [a, b].into_iter().enumerate() {
            let text = match json {
                Json::Null => continue,
                Json::Text(text) => text,
                other => {
                    let expected = "an IPv4 or IPv6 address, or null";
                    problems.note(
                        link.location("addresses"),
                        other.format_value(),
                        expected,
                        "",
                    );
                    continue;
                }
            };
            let Ok(address) = text.parse::<IpAddr>() else {
                let expected = "an IPv4 or IPv6 address, or null";
                problems.note(
                    link.location("addresses"),
                    json.format_value(),
                    expected,
                    "",
                );
                continue;
            };
            if nodes[end] >= self.hosts {
                let found = format!("{} at switch {}", json.format_value(), nodes[end]);
                let expected = "null: only NIC ports have addresses here";
                problems.note(link.location("addresses"), found, expected, "");
                continue;
            }
            if address.is_ipv6() != (self.version == IpVersion::Ipv6) {
                let expected = match self.version {
                    IpVersion::Ipv4 => "an IPv4 address",
                    IpVersion::Ipv6 => "an IPv6 address",
                };
                let hint = "parameters.framing.ip sets the IP version of all packets";
                problems.note(
                    link.location("addresses"),
                    json.format_value(),
                    expected,
                    hint,
                );
                continue;
            }
            if let Some(other) = self.known.insert(address, number) {
                let found = format!("{}, which links[{other}] has", json.format_value());
                problems.note(link.location("addresses"), found, "each address once", "");
            }
            let port = 2 * number + end;
            if self.by_port.len() <= port {
                self.by_port.resize(port + 1, None);
            }
            self.by_port[port] = Some(address);
        }
    }
}
