//! The scenario file: JSON with nodes, links, traffic, and deviations from the preset.
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
//! Nodes 0 to `hosts` - 1 are hosts, the nodes after them switches. A flow is a connection with one operation, whose data goes
//! from `src` to `dst`. Traffic with dependencies is written as `queue_pairs` and `operations`. All problems are collected
//! and reported in one refusal.

mod addresses;
mod devices;
mod endpoints;
mod error_location;
mod faults;
mod host_pipe;
mod json;
mod limits;
mod names;
mod parameter_check;
mod ports;
mod problems;
mod quantities;
mod routes;
mod services;
mod settings;
mod suggestion;
mod traffic;
mod wiring;

use crate::bytes::Bytes;
use crate::ids::NodeId;
use crate::mechanisms::buffer_settings;
use crate::model::overrides::{Devices, Slot};
use crate::model::parameters::Parameters;
use crate::model::preset;
use crate::model::scenario::{Link, Observe, Scenario};
use crate::model::schema::form::{expected_whole, forms};
use crate::problem::{Problem, Refusal};
use crate::time::{Picoseconds, NEVER};
use addresses::Addresses;
use json::{quote, Json};
use names::PortNames;
use problems::{Object, ObjectPath, Problems};
use quantities::{rate, time};
use suggestion::did_you_mean;
use traffic::Traffic;

/// Reads a scenario. Parameters are those of `preset` where the file has no others.
pub fn read(text: &str, preset: &str, seed: u64) -> Result<Scenario, Refusal> {
    let preset = by_name(preset)?;
    let json: Json = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    let mut problems = Problems::default();
    let draft = read_sections(&json, preset, &mut problems);
    problems.refuse()?;
    let (mut scenario, traffic) = draft.expect("every missing section has a problem");
    scenario.seed = seed;

    traffic.check_size(scenario.links.len(), &mut problems);
    problems.refuse()?;
    // References between sections are checked once each section is valid.
    traffic.connect(&mut scenario, &mut problems);
    faults::miswire(&mut scenario, &mut problems);
    problems.take(buffer_settings::resolve(&scenario));
    check_congestion(&scenario, &mut problems);
    problems.refuse()?;
    Ok(scenario)
}

/// Checks every set of congestion control parameters at the lowest rate of the NIC ports whose queue pairs use it.
fn check_congestion(scenario: &Scenario, problems: &mut Problems) {
    let mut slowest = vec![None; scenario.sets() as usize];
    for connection in &scenario.connections {
        for port in connection.ports() {
            let queue = Slot::PriorityQueue(port, connection.priority);
            let rate = scenario.links[port.index() / 2].rate;
            let least = &mut slowest[scenario.devices.number(queue) as usize];
            *least = Some(least.unwrap_or(rate).min(rate));
        }
    }
    for (number, rate) in (0..).zip(slowest) {
        let Some(rate) = rate else { continue };
        let item = scenario.devices.item(number);
        let of_item = item.map(|item| format!("devices[{item}]."));
        let location = of_item.unwrap_or_default() + "parameters.congestion";
        let congestion = &scenario.set(number).congestion;
        problems.take(congestion.check(&location, rate));
    }
}

fn by_name(name: &str) -> Result<Parameters, Refusal> {
    preset::by_name(name).ok_or_else(|| {
        Refusal(vec![Problem {
            location: "preset".into(),
            found: quote(name),
            expected: preset::NAMES.join(" or "),
            hint: did_you_mean(name, &preset::NAMES),
        }])
    })
}

/// The refusal of a syntax error. The end of serde_json's message is the location.
fn not_json(error: &serde_json::Error) -> Refusal {
    let message = error.to_string();
    let (reason, _) = message.split_once(" at line ").unwrap_or((&message, ""));
    Refusal(vec![Problem {
        location: format!("line {}, column {}", error.line(), error.column()),
        found: format!("no JSON ({reason})"),
        expected: "a scenario in JSON".into(),
        hint: String::new(),
    }])
}

/// Reads each section separately. `None` if a problem affects later sections.
fn read_sections<'j>(
    json: &'j Json<'j>,
    preset: Parameters,
    problems: &mut Problems,
) -> Option<(Scenario, Traffic)> {
    let top = Object::new(ObjectPath::Top, json, &forms().scenario, problems)?;
    let name = text(&top, "name", problems);
    text(&top, "desc", problems);
    let assumed = texts(&top, "assumed", problems);
    let hosts = top.whole("hosts", problems);
    let switches = top.whole("switches", problems);
    let parameters = match top.get("parameters") {
        Some(json) => settings::overlay(preset, json, "parameters", problems),
        None => preset,
    };
    limits::check("parameters", &parameters, problems);
    // Without them every node and link would be refused for the same reason.
    let (hosts, switches) = (hosts? as u32, switches? as u32);
    let mut addresses = Addresses::new(hosts, parameters.framing.ip);
    let mut port_names = PortNames::new();
    let mut of_ports = OfPorts {
        addresses: &mut addresses,
        names: &mut port_names,
    };
    let links = links(&top, hosts + switches, &mut of_ports, problems);
    let mut scenario = Scenario {
        name: name?,
        assumed,
        hosts,
        switches,
        links,
        addresses: addresses.by_port(),
        names: port_names.with_nodes(&top, hosts + switches, problems),
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
    scenario.devices = devices::read(&top, &scenario, problems);
    scenario.buffer_bytes = buffers(&top, &scenario, problems);
    let traffic = Traffic::read(&top, hosts, problems);
    scenario.faults = faults::read(&top, &scenario, problems);
    scenario.routes = routes::read(&top, &scenario, problems);
    Some((scenario, traffic))
}

fn text(top: &Object, key: &str, problems: &mut Problems) -> Option<String> {
    match top.get(key) {
        None => Some(String::new()),
        Some(Json::Text(text)) => Some(text.to_string()),
        Some(other) => {
            problems.note(top.location(key), other.format_value(), "a text", "");
            None
        }
    }
}

/// The texts of a list.
fn texts(top: &Object, key: &'static str, problems: &mut Problems) -> Vec<String> {
    let mut texts = Vec::new();
    for (n, json) in top.list(key, problems).iter().enumerate() {
        match json {
            Json::Text(text) => texts.push(text.to_string()),
            other => problems.note(ObjectPath::Item(key, n), other.format_value(), "a text", ""),
        }
    }
    texts
}

/// All valid links.
fn links(top: &Object, nodes: u32, of_ports: &mut OfPorts, problems: &mut Problems) -> Vec<Link> {
    let common = Common {
        rate: top
            .get("link_gbps")
            .map(|_| rate(top, "link_gbps", problems)),
        delay: top
            .get("link_delay_ns")
            .map(|_| time(top, "link_delay_ns", problems)),
        nodes,
    };
    let items = top.list("links", problems);
    let links = items.iter().enumerate();
    links
        .filter_map(|(n, json)| common.link(ObjectPath::Item("links", n), json, of_ports, problems))
        .collect()
}

/// Defaults of every link, if any; `Some(None)` for an invalid value.
struct Common {
    rate: Option<Option<u64>>,
    delay: Option<Option<Picoseconds>>,
    nodes: u32,
}

/// Properties of ports in the entries of links.
struct OfPorts<'a> {
    addresses: &'a mut Addresses,
    names: &'a mut PortNames,
}

impl Common {
    fn link(
        &self,
        location: ObjectPath,
        json: &Json,
        of_ports: &mut OfPorts,
        problems: &mut Problems,
    ) -> Option<Link> {
        let last = u64::from(self.nodes - 1);
        if let Json::List(ends) = json {
            let [a, b] = ends.as_slice() else {
                problems.note(location, format!("a list of {}", ends.len()), "[a, b]", "");
                return None;
            };
            let node = |json: &Json| json.whole().filter(|node| *node <= last);
            let (Some(a), Some(b)) = (node(a), node(b)) else {
                let found = format!("[{}, {}]", a.format_value(), b.format_value());
                problems.note(location, found, format!("two nodes, 0 to {last}"), "");
                return None;
            };
            return self.build_link(Object::empty(location, &forms().link), a, b, problems);
        }
        let link = Object::new(location, json, &forms().link, problems)?;
        let a = link.whole_up_to("a", last, problems);
        let b = link.whole_up_to("b", last, problems);
        let (Some(a), Some(b)) = (a, b) else {
            return None;
        };
        of_ports.addresses.read(&link, [a, b], problems);
        of_ports.names.read(&link, [a, b], problems);
        self.build_link(link, a, b, problems)
    }

    fn build_link(&self, link: Object, a: u64, b: u64, problems: &mut Problems) -> Option<Link> {
        if a == b {
            problems.note(
                link.location,
                format!("both ends at node {a}"),
                "two nodes",
                "",
            );
            return None;
        }
        let delay = match (link.get("delay_ns"), self.delay) {
            (Some(_), _) => time(&link, "delay_ns", problems),
            (None, Some(common)) => common,
            (None, None) => {
                let expected = "a delay in ns here or as link_delay_ns";
                problems.note(link.location("delay_ns"), "nothing", expected, "");
                None
            }
        };
        let rate = match (link.get("gbps"), self.rate) {
            (Some(_), _) => rate(&link, "gbps", problems),
            (None, Some(common)) => common,
            (None, None) => {
                let expected = "a rate in Gb/s here or as link_gbps";
                problems.note(link.location("gbps"), "nothing", expected, "");
                None
            }
        };
        let loss = link.number("loss", problems);
        let pfc_lost_from = match link.get("pfc_lost_from_ns") {
            None => Some(NEVER),
            Some(_) => time(&link, "pfc_lost_from_ns", problems),
        };
        Some(Link {
            a: NodeId(a as u32),
            b: NodeId(b as u32),
            rate: rate?,
            delay: delay?,
            loss: loss?,
            pfc_lost_from: pfc_lost_from?,
        })
    }
}

/// The buffer of every switch.
fn buffers(top: &Object, scenario: &Scenario, problems: &mut Problems) -> Vec<Bytes> {
    let switches = scenario.switches as usize;
    let items = match top.get("buffer_bytes") {
        Some(Json::List(items)) => items,
        Some(_) => {
            let each = top.whole("buffer_bytes", problems);
            return vec![Bytes(each.unwrap_or(1)); switches];
        }
        None => {
            let nodes = (scenario.hosts..scenario.nodes()).map(NodeId);
            return nodes
                .map(|node| scenario.of_node(node).switch.buffer_bytes)
                .collect();
        }
    };
    if items.len() != switches {
        let found = format!("{} numbers", items.len());
        problems.note(
            "buffer_bytes",
            found,
            format!("one for each of {switches} switches"),
            "",
        );
    }
    let range = &forms().scenario.key("buffer_bytes").items;
    let mut buffers = Vec::with_capacity(items.len());
    for (n, json) in items.iter().enumerate() {
        match json.whole().filter(|number| range.contains(number)) {
            Some(bytes) => buffers.push(Bytes(bytes)),
            None => {
                let location = ObjectPath::Item("buffer_bytes", n);
                problems.note(location, json.format_value(), expected_whole(range), "");
            }
        }
    }
    buffers
}

#[cfg(test)]
mod tests;
