//! The scenario file: JSON that says nodes, links and traffic, and what differs from the preset.
//!
//! ```json
//! {
//!   "name": "pair", "hosts": 2, "switches": 1, "link_gbps": 100, "link_delay_ns": 1000,
//!   "links": [[0, 2], {"a": 1, "b": 2, "gbps": 400}],
//!   "flows": [{"src": 0, "dst": 1, "bytes": 4194304, "start_ns": 0}],
//!   "parameters": {"transport": {"mtu_bytes": 1024}},
//!   "devices": [{"nodes": [2], "parameters": {"marking": {"kmax_bytes": 100000}}}]
//! }
//! ```
//!
//! Nodes 0 to `hosts` - 1 are hosts, those after them switches. A flow is a connection with one operation on it, its data
//! going from `src` to `dst`. Traffic with dependencies is written as `queue_pairs` and `operations`. Everything wrong
//! is collected and refused at once.

mod addresses;
mod devices;
mod endpoints;
mod error_location;
mod faults;
mod host_pipe;
mod json;
mod limits;
mod names;
mod ports;
mod problems;
mod routes;
mod services;
mod settings;
mod spelling;
mod traffic;
mod wiring;

use crate::mechanisms::buffer_settings;
use crate::model::overrides::{Devices, Slot};
use crate::model::parameters::Parameters;
use crate::model::preset;
use crate::model::scenario::{Link, Observe, Scenario};
use crate::problem::{Problem, Refused};
use crate::time::{Picoseconds, NANOSECOND, NEVER};
use addresses::Addresses;
use json::{quoted, Json};
use names::PortNames;
use problems::{Findings, Object, Place};
use spelling::did_you_mean;
use traffic::Traffic;

/// Hosts, and switches, at most.
const MOST_NODES: u64 = 1 << 20;
/// The latest time that a file may name, and the longest that an operation may wait: 1,000,000 s, which is eleven days. Two of
/// them and the run that follows are far from 2^64 ps, the end of time after 213 days.
const LATEST_NS: u64 = 1_000_000_000_000_000;
/// The longest span of a fault: 1,000 s. Several may add up.
const LONGEST_NS: u64 = 1_000_000_000_000;
/// The longest cable: 1 s.
const LONGEST_CABLE_NS: u64 = 1_000_000_000;

/// Reads a scenario. Parameters are those of `preset` where the file has no others.
pub fn read(text: &str, preset: &str, seed: u64) -> Result<Scenario, Refused> {
    let preset = by_name(preset)?;
    let json: Json = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    let mut findings = Findings::default();
    let draft = draft(&json, preset, &mut findings);
    findings.refuse()?;
    let (mut scenario, traffic) = draft.expect("nothing is missing that nothing was noted about");
    scenario.seed = seed;

    traffic.check_size(scenario.links.len(), &mut findings);
    findings.refuse()?;
    // What refers to other parts is looked at once each part is as it should be.
    traffic.connect(&mut scenario, &mut findings);
    faults::miswire(&mut scenario, &mut findings);
    findings.take(buffer_settings::resolve(&scenario));
    check_congestion(&scenario, &mut findings);
    findings.refuse()?;
    Ok(scenario)
}

/// Congestion control of all that send, each way of it at the lowest rate that a NIC port of its queue pairs has.
fn check_congestion(scenario: &Scenario, findings: &mut Findings) {
    let mut slowest = vec![None; scenario.sets() as usize];
    for connection in &scenario.connections {
        for port in [connection.port_a, connection.port_b] {
            let lane = Slot::Lane(port, usize::from(connection.priority));
            let rate = scenario.links[port as usize / 2].rate;
            let least = &mut slowest[scenario.devices.number(lane) as usize];
            *least = Some(least.unwrap_or(rate).min(rate));
        }
    }
    for (number, rate) in (0..).zip(slowest) {
        let Some(rate) = rate else { continue };
        let item = scenario.devices.item(number);
        let of_item = item.map(|item| format!("devices[{item}]."));
        let place = of_item.unwrap_or_default() + "parameters.congestion";
        let congestion = &scenario.set(number).congestion;
        findings.take(congestion.check(&place, rate));
    }
}

fn by_name(name: &str) -> Result<Parameters, Refused> {
    preset::by_name(name).ok_or_else(|| {
        Refused(vec![Problem {
            place: "preset".into(),
            found: quoted(name),
            expected: preset::NAMES.join(" or "),
            hint: did_you_mean(name, &preset::NAMES),
        }])
    })
}

/// serde_json says where it stopped at the end of its message; here that is the place.
fn not_json(error: &serde_json::Error) -> Refused {
    let message = error.to_string();
    let (reason, _) = message.split_once(" at line ").unwrap_or((&message, ""));
    Refused(vec![Problem {
        place: format!("line {}, column {}", error.line(), error.column()),
        found: format!("no JSON ({reason})"),
        expected: "a scenario in JSON".into(),
        hint: String::new(),
    }])
}

const KEYS: [&str; 16] = [
    "name",
    "desc",
    "hosts",
    "switches",
    "node_names",
    "link_gbps",
    "link_delay_ns",
    "links",
    "buffer_bytes",
    "flows",
    "queue_pairs",
    "operations",
    "parameters",
    "devices",
    "faults",
    "routes",
];

/// Each part by itself. Nothing is given where something was noted that later parts need.
fn draft<'j>(
    json: &'j Json<'j>,
    preset: Parameters,
    findings: &mut Findings,
) -> Option<(Scenario, Traffic)> {
    let top = Object::new(Place::Top, json, &KEYS, findings)?;
    let name = text(&top, "name", findings);
    text(&top, "desc", findings);
    let hosts = top.whole("hosts", 1..=MOST_NODES, None, findings);
    let switches = top.whole("switches", 0..=MOST_NODES, None, findings);
    let parameters = match top.get("parameters") {
        Some(json) => settings::over(preset, json, "parameters", findings),
        None => preset,
    };
    limits::check("parameters", &parameters, findings);
    // Without them every node and link would be wrong for the same reason.
    let (hosts, switches) = (hosts? as u32, switches? as u32);
    let mut addresses = Addresses::new(hosts, parameters.framing.ip);
    let mut port_names = PortNames::new();
    let mut own = OfPorts {
        addresses: &mut addresses,
        names: &mut port_names,
    };
    let links = links(&top, hosts + switches, &mut own, findings);
    let mut scenario = Scenario {
        name: name?,
        hosts,
        switches,
        links,
        addresses: addresses.by_port(),
        names: port_names.with_nodes(&top, hosts + switches, findings),
        buffer_bytes: Vec::new(),
        connections: Vec::new(),
        operations: Vec::new(),
        parameters,
        devices: Devices::default(),
        routes: Vec::new(),
        faults: Vec::new(),
        seed: 0,
        until: NEVER,
        observe: Observe::default(),
    };
    scenario.devices = devices::read(&top, &scenario, findings);
    scenario.buffer_bytes = buffers(&top, &scenario, findings);
    let traffic = Traffic::read(&top, hosts, findings);
    scenario.faults = faults::read(&top, &scenario, findings);
    scenario.routes = routes::read(&top, &scenario, findings);
    Some((scenario, traffic))
}

fn text(top: &Object, key: &str, findings: &mut Findings) -> Option<String> {
    match top.get(key) {
        None => Some(String::new()),
        Some(Json::Text(text)) => Some(text.to_string()),
        Some(other) => {
            findings.note(top.at(key), other.shown(), "a text", "");
            None
        }
    }
}

/// All links that are as they should be.
fn links(top: &Object, nodes: u32, of_ports: &mut OfPorts, findings: &mut Findings) -> Vec<Link> {
    let common = Common {
        rate: top
            .get("link_gbps")
            .map(|_| rate(top, "link_gbps", findings)),
        delay: top
            .get("link_delay_ns")
            .map(|_| cable(top, "link_delay_ns", findings)),
        nodes,
    };
    let items = top.list("links", findings);
    let links = items.iter().enumerate();
    links
        .filter_map(|(n, json)| common.link(Place::Item("links", n), json, of_ports, findings))
        .collect()
}

/// What holds for every link that does not say otherwise, if anything; `Some(None)` where it is not as it should be.
struct Common {
    rate: Option<Option<u64>>,
    delay: Option<Option<Picoseconds>>,
    nodes: u32,
}

/// What links say of the ports at their ends.
struct OfPorts<'a> {
    addresses: &'a mut Addresses,
    names: &'a mut PortNames,
}

impl Common {
    fn link(
        &self,
        place: Place,
        json: &Json,
        of_ports: &mut OfPorts,
        findings: &mut Findings,
    ) -> Option<Link> {
        const KEYS: [&str; 8] = [
            "a",
            "b",
            "gbps",
            "delay_ns",
            "loss",
            "pfc_lost_from_ns",
            "addresses",
            "port_names",
        ];
        let last = u64::from(self.nodes - 1);
        if let Json::List(ends) = json {
            let [a, b] = ends.as_slice() else {
                findings.note(place, format!("a list of {}", ends.len()), "[a, b]", "");
                return None;
            };
            let node = |json: &Json| json.whole().filter(|node| *node <= last);
            let (Some(a), Some(b)) = (node(a), node(b)) else {
                let found = format!("[{}, {}]", a.shown(), b.shown());
                findings.note(place, found, format!("two nodes, 0 to {last}"), "");
                return None;
            };
            return self.joined(Object::empty(place), a, b, findings);
        }
        let link = Object::new(place, json, &KEYS, findings)?;
        let a = link.whole("a", 0..=last, None, findings);
        let b = link.whole("b", 0..=last, None, findings);
        let (Some(a), Some(b)) = (a, b) else {
            return None;
        };
        of_ports.addresses.read(&link, [a, b], findings);
        of_ports.names.read(&link, [a, b], findings);
        self.joined(link, a, b, findings)
    }

    fn joined(&self, link: Object, a: u64, b: u64, findings: &mut Findings) -> Option<Link> {
        if a == b {
            findings.note(
                link.place,
                format!("both ends at node {a}"),
                "two nodes",
                "",
            );
            return None;
        }
        let delay = match (link.get("delay_ns"), self.delay) {
            (Some(_), _) => cable(&link, "delay_ns", findings),
            (None, Some(common)) => common,
            (None, None) => {
                let expected = "a delay in ns here or as link_delay_ns";
                findings.note(link.at("delay_ns"), "nothing", expected, "");
                None
            }
        };
        let rate = match (link.get("gbps"), self.rate) {
            (Some(_), _) => rate(&link, "gbps", findings),
            (None, Some(common)) => common,
            (None, None) => {
                let expected = "a rate in Gb/s here or as link_gbps";
                findings.note(link.at("gbps"), "nothing", expected, "");
                None
            }
        };
        let loss = match link.get("loss") {
            None => Some(0.0),
            Some(_) => link.number("loss", 0.0..=1.0, "a probability, 0 to 1", findings),
        };
        let pfc_lost_from = match link.get("pfc_lost_from_ns") {
            None => Some(NEVER),
            Some(_) => time(&link, "pfc_lost_from_ns", findings),
        };
        Some(Link {
            a: a as u32,
            b: b as u32,
            rate: rate?,
            delay: delay?,
            loss: loss?,
            pfc_lost_from: pfc_lost_from?,
        })
    }
}

/// A rate in bits per second; Gb/s may have a fraction (25.78125).
fn rate(object: &Object, key: &str, findings: &mut Findings) -> Option<u64> {
    let what = "a rate in Gb/s, 0.001 to 10,000";
    let gbps = object.number(key, 0.001..=10_000.0, what, findings)?;
    Some((gbps * 1e9 + 0.5) as u64)
}

/// The propagation of a cable, given in ns.
fn cable(object: &Object, key: &str, findings: &mut Findings) -> Option<Picoseconds> {
    let ns = object.whole(key, 0..=LONGEST_CABLE_NS, None, findings)?;
    Some(ns * NANOSECOND)
}

/// A point in time or the wait of an operation, given in ns; 0 where the key is missing.
fn time(object: &Object, key: &str, findings: &mut Findings) -> Option<Picoseconds> {
    let ns = object.whole(key, 0..=LATEST_NS, Some(0), findings)?;
    Some(ns * NANOSECOND)
}

/// The buffer of every switch.
fn buffers(top: &Object, scenario: &Scenario, findings: &mut Findings) -> Vec<u64> {
    let switches = scenario.switches as usize;
    let items = match top.get("buffer_bytes") {
        Some(Json::List(items)) => items,
        Some(_) => {
            let range = 1..=limits::LARGEST_BUFFER;
            let each = top.whole("buffer_bytes", range, None, findings);
            return vec![each.unwrap_or(1); switches];
        }
        None => {
            let nodes = scenario.hosts..scenario.nodes();
            return nodes
                .map(|node| scenario.of_node(node).switch.buffer_bytes)
                .collect();
        }
    };
    if items.len() != switches {
        let found = format!("{} numbers", items.len());
        findings.note(
            "buffer_bytes",
            found,
            format!("one for each of {switches} switches"),
            "",
        );
    }
    let mut buffers = Vec::with_capacity(items.len());
    for (n, json) in items.iter().enumerate() {
        let fits = |it: &u64| (1..=limits::LARGEST_BUFFER).contains(it);
        match json.whole().filter(fits) {
            Some(bytes) => buffers.push(bytes),
            None => {
                let place = Place::Item("buffer_bytes", n);
                findings.note(place, json.shown(), limits::buffer_expected(), "");
            }
        }
    }
    buffers
}

#[cfg(test)]
mod tests;
