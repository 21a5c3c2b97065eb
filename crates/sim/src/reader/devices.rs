//! The `devices` of a scenario: settings of single nodes, ports and priorities, which override `parameters` item by item.

use super::json::Json;
use super::ports::Ports;
use super::problems::{Object, ObjectPath, Problems};
use super::{limits, settings};
use crate::ids::{NodeId, PortId, Priority};
use crate::model::overrides::{Devices, Slot};
use crate::model::scenario::Scenario;
use crate::model::schema::form::forms;
use std::collections::HashMap;

/// The smallest scope that a setting may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    All,
    Node,
    Port,
    PriorityQueue,
}

/// By section, and by parameter where they differ; parameters that are not listed have the level of their section.
const LEVELS: [(&str, Level); 22] = [
    ("framing", Level::All),
    ("ecmp", Level::Node),
    ("ecmp.first_udp_source_port", Level::All),
    ("ecmp.udp_destination_port", Level::All),
    ("switch", Level::Node),
    ("switch.reserve_bytes", Level::PriorityQueue),
    ("switch.headroom", Level::PriorityQueue),
    ("switch.alpha_exponent", Level::PriorityQueue),
    ("switch.alpha_follows_rate", Level::PriorityQueue),
    ("switch.xon_offset_bytes", Level::PriorityQueue),
    ("pfc", Level::Port),
    ("scheduler", Level::Port),
    ("nic", Level::Port),
    ("marking", Level::PriorityQueue),
    ("transport", Level::PriorityQueue),
    ("transport.mtu_bytes", Level::All),
    ("transport.priority", Level::All),
    ("transport.recovery", Level::All),
    ("transport.tx_depth", Level::Port),
    ("sockets", Level::All),
    ("notification", Level::PriorityQueue),
    ("congestion", Level::PriorityQueue),
];

/// Sections of switches only, and of hosts only.
const OF_SWITCHES: [&str; 3] = ["switch", "ecmp", "marking"];
const OF_HOSTS: [&str; 4] = ["nic", "transport", "notification", "congestion"];

/// Reads the overrides of `scenario.parameters`, by node, port and priority. The links of the scenario are known.
pub fn read(top: &Object, scenario: &Scenario, problems: &mut Problems) -> Devices {
    let items = top.list("devices", problems);
    if items.is_empty() || problems.count() > 0 {
        return Devices::default(); // overrides of invalid parameters would be refused for the same reason
    }
    let ports = Ports::from_scenario(scenario);
    let mut overlay = Overlay {
        scenario,
        ports: &ports,
        devices: Devices::new(scenario.nodes(), 2 * scenario.links.len() as u32),
        buffers_given: top.get("buffer_bytes").is_some(),
    };
    for (n, json) in items.iter().enumerate() {
        overlay.item(n, json, problems);
    }
    overlay.devices
}

struct Overlay<'s> {
    scenario: &'s Scenario,
    ports: &'s Ports,
    devices: Devices,
    /// The file has `buffer_bytes`.
    buffers_given: bool,
}

/// The scope of an item.
struct Target {
    nodes: Vec<NodeId>,
    ports: Vec<PortId>,
    priorities: Option<Vec<Priority>>,
}

impl Overlay<'_> {
    fn item(&mut self, n: usize, json: &Json, problems: &mut Problems) {
        let problem_count = problems.count();
        let location = ObjectPath::Item("devices", n);
        let Some(item) = Object::new(location, json, &forms().device, problems) else {
            return;
        };
        let target = Target {
            nodes: self.nodes(&item, problems),
            ports: self.named_ports(&item, problems),
            priorities: priorities(&item, problems),
        };
        if target.nodes.is_empty() && target.ports.is_empty() && problems.count() == problem_count {
            problems.note(location, "neither nodes nor ports", "one of the two", "");
        }
        let Some(parameters) = item.get("parameters") else {
            problems.note(item.location("parameters"), "nothing", "what differs", "");
            return;
        };
        self.check_levels(&item, &target, parameters, problems);
        if problems.count() == problem_count {
            self.apply(n, parameters, &target, problems);
        }
    }

    fn nodes(&self, item: &Object, problems: &mut Problems) -> Vec<NodeId> {
        let last = u64::from(self.scenario.nodes() - 1);
        let mut nodes = Vec::new();
        for (n, json) in item.list("nodes", problems).iter().enumerate() {
            match json.whole().filter(|node| *node <= last) {
                Some(node) => nodes.push(NodeId(node as u32)),
                None => {
                    let location = format!("{}[{n}]", item.location("nodes"));
                    problems.note(
                        location,
                        json.format_value(),
                        format!("a node, 0 to {last}"),
                        "",
                    );
                }
            }
        }
        nodes
    }

    fn named_ports(&self, item: &Object, problems: &mut Problems) -> Vec<PortId> {
        let mut ports = Vec::new();
        for (n, json) in item.list("ports", problems).iter().enumerate() {
            match self.ports.find(json) {
                Ok(port) => ports.push(port),
                Err(expected) => {
                    let location = format!("{}[{n}]", item.location("ports"));
                    problems.note(location, json.format_value(), expected, "");
                }
            }
        }
        ports
    }

    /// Adds a problem for settings with a larger scope than the item, and for those of another kind of node.
    fn check_levels(&self, item: &Object, target: &Target, json: &Json, problems: &mut Problems) {
        let hosts = self.scenario.hosts;
        let of_ports = target.ports.iter().map(|port| self.scenario.node_of(*port));
        let nodes: Vec<NodeId> = target.nodes.iter().copied().chain(of_ports).collect();
        if nodes.is_empty() {
            return;
        }
        let smallest = match (&target.priorities, target.ports.is_empty()) {
            (Some(_), _) => Level::PriorityQueue,
            (None, false) => Level::Port,
            (None, true) => Level::Node,
        };
        let root = item.location("parameters").to_string();
        let Json::Object(sections) = json else { return };
        for (section, settings) in sections {
            let only = |kinds: &[&str]| kinds.contains(&section.as_ref());
            let location = format!("{root}.{section}");
            if only(&OF_SWITCHES) && nodes.iter().all(|node| !node.is_switch(hosts)) {
                problems.note(&location, "settings of a switch", "those of a host", "");
            }
            if only(&OF_HOSTS) && nodes.iter().all(|node| node.is_switch(hosts)) {
                problems.note(&location, "settings of a host", "those of a switch", "");
            }
            let Json::Object(settings) = settings else {
                continue;
            };
            for (key, _) in settings {
                let expected = match find_level(section, key) {
                    Some(level) if level >= smallest => continue,
                    Some(Level::All) => "parameters, where it is set for all devices",
                    Some(Level::Node) => "nodes alone: it is one for a whole switch",
                    Some(_) => "no priorities: it is one for a whole port",
                    None => continue, // no such parameter: refused when the overrides are applied
                };
                problems.note(
                    format!("{location}.{key}"),
                    target.level_name(),
                    expected,
                    "",
                );
            }
            let buffer = settings.iter().any(|(key, _)| key == "buffer_bytes");
            if section == "switch" && buffer && self.buffers_given {
                let location = format!("{location}.buffer_bytes");
                problems.note(location, "a size, and buffer_bytes", "one of the two", "");
            }
        }
    }

    /// Applies the overrides to the parameters of each slot; equal parameters are stored once.
    fn apply(&mut self, n: usize, json: &Json, target: &Target, problems: &mut Problems) {
        let root = format!("devices[{n}].parameters");
        let mut made: HashMap<u32, u32> = HashMap::new();
        for slot in self.slots(target) {
            let base_number = self.devices.number(slot);
            let number = match made.get(&base_number) {
                Some(number) => *number,
                None => {
                    let count = problems.count();
                    let base = match base_number {
                        0 => self.scenario.parameters.clone(),
                        kept => self.devices.parameters(kept).clone(),
                    };
                    let parameters = settings::overlay(base, json, &root, problems);
                    limits::check(&root, &parameters, problems);
                    if problems.count() > count {
                        return;
                    }
                    let number = self.devices.keep(parameters, n);
                    made.insert(base_number, number);
                    number
                }
            };
            self.devices.set(slot, number);
        }
    }

    /// The slots of an item, each once.
    fn slots(&self, target: &Target) -> Vec<Slot> {
        let mut slots = Vec::new();
        let mut ports = target.ports.clone();
        for node in &target.nodes {
            if target.priorities.is_none() {
                slots.push(Slot::Node(*node));
            }
            ports.extend(self.ports.of_node(*node));
        }
        ports.sort_unstable();
        ports.dedup();
        for port in ports {
            match &target.priorities {
                None => {
                    slots.push(Slot::Port(port));
                    slots.extend(
                        Priority::all().map(|priority| Slot::PriorityQueue(port, priority)),
                    );
                }
                Some(ports) => slots.extend(
                    ports
                        .iter()
                        .map(|priority| Slot::PriorityQueue(port, *priority)),
                ),
            }
        }
        let mut kept = HashMap::new();
        slots.retain(|slot| kept.insert(*slot, ()).is_none());
        slots
    }
}

impl Target {
    fn level_name(&self) -> &'static str {
        match (&self.priorities, self.ports.is_empty()) {
            (Some(_), _) => "priorities",
            (None, false) => "ports",
            (None, true) => "nodes",
        }
    }
}

fn find_level(section: &str, key: &str) -> Option<Level> {
    let find = |name: &str| LEVELS.iter().find(|(known, _)| *known == name);
    let of_key = find(&format!("{section}.{key}")).or_else(|| find(section));
    of_key.map(|(_, level)| *level)
}

fn priorities(item: &Object, problems: &mut Problems) -> Option<Vec<Priority>> {
    item.get("priorities")?;
    let range = &forms().device.key("priorities").items;
    let mut priorities = Vec::new();
    for (n, json) in item.list("priorities", problems).iter().enumerate() {
        match json.whole().filter(|priority| range.contains(priority)) {
            Some(priority) => priorities.push(Priority(priority as u8)),
            None => {
                let location = format!("{}[{n}]", item.location("priorities"));
                problems.note(location, json.format_value(), "a priority, 0 to 7", "");
            }
        }
    }
    Some(priorities)
}
