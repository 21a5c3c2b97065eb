//! The two hosts of a flow or a queue pair; datagrams of one queue pair may have many.

use super::json::Json;
use super::problems::{format_value, Object, ObjectPath, Problems};
use super::services;
use crate::ids::{NodeId, Priority};
use crate::model::scenario::Service;

/// A connection as in a file.
pub struct Ends {
    pub location: ObjectPath,
    pub keys: [&'static str; 2],
    pub hosts: [NodeId; 2],
    /// NIC port index of each host.
    pub ports: [u32; 2],
    /// `None` = that of the transport.
    pub priority: Option<Priority>,
    /// `None` = a separate one.
    pub udp_source_port: Option<u16>,
    pub service: Service,
}

/// The connections of an entry, the first of which has number `first`: one, or one for each destination.
pub fn read(
    item: &Object,
    keys: [&'static str; 2],
    port_keys: [&str; 2],
    first: u32,
    hosts: u32,
    problems: &mut Problems,
) -> Option<Vec<Ends>> {
    let service = services::read(item, first, problems);
    let from = host(item, keys[0], hosts, problems);
    let to = match (item.get(keys[1]), service) {
        (Some(Json::List(items)), Some(Service::Ud { .. })) if keys[1] == "b" => {
            destinations(item, items, hosts, problems)
        }
        _ => host(item, keys[1], hosts, problems).map(|host| vec![host]),
    };
    let ports = port_keys.map(|key| item.whole(key, problems));
    let priority = item.whole_or_none("priority", problems);
    let udp_source_port = item.whole_or_none("udp_source_port", problems);
    let (from, to, service) = (from?, to?, service?);
    if to.contains(&from) {
        let expected = format!("another host than {}", keys[0]);
        problems.note(item.location(keys[1]), from.to_string(), expected, "");
        return None;
    }
    let ports = [ports[0]? as u32, ports[1]? as u32];
    let priority = priority?.map(|priority| Priority(priority as u8));
    let udp_source_port = udp_source_port?.map(|port| port as u16);
    let ends = to.into_iter().map(|to| Ends {
        location: item.location,
        keys,
        hosts: [from, to],
        ports,
        priority,
        udp_source_port,
        service,
    });
    Some(ends.collect())
}

fn destinations(
    item: &Object,
    items: &[Json],
    hosts: u32,
    problems: &mut Problems,
) -> Option<Vec<NodeId>> {
    let found: Vec<NodeId> = items
        .iter()
        .filter_map(|item| read_host(item, hosts))
        .collect();
    if found.len() == items.len() && !found.is_empty() {
        return Some(found);
    }
    let wrong = items.iter().find(|item| read_host(item, hosts).is_none());
    let found = wrong.map_or("an empty list".into(), Json::format_value);
    problems.note(
        item.location("b"),
        found,
        format!("hosts, 0 to {}", hosts - 1),
        "",
    );
    None
}

fn read_host(json: &Json, hosts: u32) -> Option<NodeId> {
    let host = json.whole().filter(|host| *host < u64::from(hosts));
    host.map(|host| NodeId(host as u32))
}

fn host(item: &Object, key: &str, hosts: u32, problems: &mut Problems) -> Option<NodeId> {
    let json = item.get(key);
    let host = json.and_then(|json| read_host(json, hosts));
    if host.is_none() {
        let expected = format!("a host, 0 to {}", hosts - 1);
        problems.note(item.location(key), format_value(json), expected, "");
    }
    host
}
