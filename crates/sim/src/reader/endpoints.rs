//! The two hosts of a flow or a queue pair; datagrams of one queue pair may have many.

use super::json::Json;
use super::problems::{shown, Findings, Object, Place};
use super::services;
use crate::model::scenario::Service;

/// One connection as a file has it.
pub struct Ends {
    pub place: Place,
    pub keys: [&'static str; 2],
    pub hosts: [u32; 2],
    /// Which NIC port of each.
    pub ports: [u32; 2],
    /// None = that of the transport.
    pub priority: Option<u8>,
    /// None = one of its own.
    pub udp_source_port: Option<u16>,
    pub service: Service,
}

/// The connections that an entry makes, the first of which has number `first`: one, or one for each destination.
pub fn read(
    it: &Object,
    keys: [&'static str; 2],
    port_keys: [&str; 2],
    first: u32,
    hosts: u32,
    findings: &mut Findings,
) -> Option<Vec<Ends>> {
    let service = services::read(it, first, findings);
    let from = host(it, keys[0], hosts, findings);
    let to = match (it.get(keys[1]), service) {
        (Some(Json::List(items)), Some(Service::Ud { .. })) if keys[1] == "b" => {
            destinations(it, items, hosts, findings)
        }
        _ => host(it, keys[1], hosts, findings).map(|host| vec![host]),
    };
    let ports = port_keys.map(|key| it.whole(key, 0..=65_535, Some(0), findings));
    let priority = it.whole("priority", 0..=7, Some(u64::MAX), findings);
    let udp_source_port = it.whole("udp_source_port", 0..=65_535, Some(u64::MAX), findings);
    let (from, to, service) = (from?, to?, service?);
    if to.contains(&from) {
        let expected = format!("another host than {}", keys[0]);
        findings.note(it.at(keys[1]), from.to_string(), expected, "");
        return None;
    }
    let ports = [ports[0]? as u32, ports[1]? as u32];
    let priority = u8::try_from(priority?).ok();
    let udp_source_port = u16::try_from(udp_source_port?).ok();
    let ends = to.into_iter().map(|to| Ends {
        place: it.place,
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
    it: &Object,
    items: &[Json],
    hosts: u32,
    findings: &mut Findings,
) -> Option<Vec<u32>> {
    let found: Vec<u32> = items.iter().filter_map(|item| known(item, hosts)).collect();
    if found.len() == items.len() && !found.is_empty() {
        return Some(found);
    }
    let wrong = items.iter().find(|item| known(item, hosts).is_none());
    let found = wrong.map_or("an empty list".into(), Json::shown);
    findings.note(it.at("b"), found, format!("hosts, 0 to {}", hosts - 1), "");
    None
}

fn known(json: &Json, hosts: u32) -> Option<u32> {
    let host = json.whole().filter(|host| *host < u64::from(hosts));
    host.map(|host| host as u32)
}

fn host(it: &Object, key: &str, hosts: u32, findings: &mut Findings) -> Option<u32> {
    let json = it.get(key);
    let host = json.and_then(|json| known(json, hosts));
    if host.is_none() {
        let expected = format!("a host, 0 to {}", hosts - 1);
        findings.note(it.at(key), shown(json), expected, "");
    }
    host
}
