//! The `faults` of a scenario: each has a kind, a location and a time.

use super::json::Json;
use super::problems::{note_choice, Object, ObjectPath, Problems};
use super::quantities::{rate, time};
use super::wiring::Wiring;
use crate::ids::{LinkId, NodeId, PortId, Priority};
use crate::model::faults::bit_errors::BitErrors;
use crate::model::faults::link_down::{LinkDown, Links};
use crate::model::faults::miswiring::Miswiring;
use crate::model::faults::slow_receiver::SlowReceiver;
use crate::model::faults::stuck_nic::StuckNic;
use crate::model::faults::{cnp, Fault, Kind};
use crate::model::scenario::Scenario;
use crate::model::scenario_file as file;
use crate::model::schema::form::forms;
use crate::time::{Picoseconds, NEVER};
use wirespeed_wire::link_errors::Fec;

/// Reads the valid faults of the scenario.
pub fn read(top: &Object, scenario: &Scenario, problems: &mut Problems) -> Vec<Fault> {
    let items = top.list("faults", problems).iter().enumerate();
    if matches!(top.get("links"), Some(Json::List(links)) if links.len() != scenario.links.len()) {
        return Vec::new(); // some links are refused, so the indices of faults would be wrong
    }
    let wiring = Wiring::from_scenario(scenario);
    let read = |(n, json)| {
        let location = ObjectPath::Item("faults", n);
        let mut reading = FaultReader {
            location,
            json,
            scenario,
            wiring: &wiring,
            problems: &mut *problems,
        };
        reading.fault()
    };
    items.filter_map(read).collect()
}

/// A fault being read.
struct FaultReader<'j, 'f> {
    location: ObjectPath,
    json: &'j Json<'j>,
    scenario: &'f Scenario,
    wiring: &'f Wiring,
    problems: &'f mut Problems,
}

impl<'j> FaultReader<'j, '_> {
    fn fault(&mut self) -> Option<Fault> {
        let Json::Object(_) = self.json else {
            let found = self.json.format_value();
            let expected = "an object with a kind";
            self.problems.note(self.location, found, expected, "");
            return None;
        };
        let named = self.json.value_at(&["kind".to_string()]);
        let known = forms().faults.iter().find(|(kind, _)| {
            let text = named.and_then(Json::text);
            text == Some(*kind)
        });
        let Some((kind, form)) = known else {
            let location = format!("{}.kind", self.location);
            note_choice(location, named, &forms().fault_kinds(), self.problems);
            return None;
        };
        let item = Object::new(self.location, self.json, form, self.problems)?;
        let kind = self.kind(kind, &item);
        let has_time = form.names.contains(&"from_ns");
        let (from, until) = match has_time {
            true => self.time(&item)?,
            false => (Picoseconds::ZERO, NEVER),
        };
        Some(Fault {
            from,
            until,
            kind: kind?,
        })
    }

    fn kind(&mut self, kind: &str, item: &Object) -> Option<Kind> {
        match kind {
            "bit-errors" => bit_errors(self, item),
            "link-down" => link_down(self, item),
            "miswired" => miswiring(self, item),
            "stuck-nic" => stuck_nic(self, item),
            "slow-receiver" => slow_receiver(self, item),
            "cnp-loss" => cnp_loss(self, item),
            "cnp-delay" => cnp_delay(self, item),
            other => unreachable!("the schema has no fault {other}"),
        }
    }

    /// Start and end of the fault.
    fn time(&mut self, item: &Object) -> Option<(Picoseconds, Picoseconds)> {
        let from = time(item, "from_ns", self.problems);
        let until = match item.get("until_ns") {
            None => Some(NEVER),
            Some(_) => time(item, "until_ns", self.problems),
        };
        let (from, until) = (from?, until?);
        if from >= until {
            let found = item.format_value("until_ns");
            let expected = "a time after from_ns";
            self.problems
                .note(item.location("until_ns"), found, expected, "");
            return None;
        }
        Some((from, until))
    }

    /// The link of the fault, by its index in `links`.
    fn link(&mut self, item: &Object) -> Option<LinkId> {
        let Some(last) = self.scenario.links.len().checked_sub(1) else {
            let found = item.format_value("link");
            let expected = "a scenario with links";
            self.problems
                .note(item.location("link"), found, expected, "");
            return None;
        };
        let link = item.whole_up_to("link", last as u64, self.problems)?;
        Some(LinkId(link as u32))
    }

    /// The NIC port of the fault: number `nic_port` of its host in the order of `links`.
    fn nic_port(&mut self, item: &Object) -> Option<PortId> {
        let last = u64::from(self.scenario.hosts) - 1;
        let node = item.whole_up_to("node", last, self.problems);
        let number = item.whole("nic_port", self.problems);
        let (node, number) = (NodeId(node? as u32), number? as u32);
        let there_are = match self.wiring.nic_port((node, number)) {
            Ok(port) => return Some(port),
            Err(there_are) => there_are,
        };
        let found = format!("NIC port {number} of host {node}");
        let expected = match there_are.checked_sub(1) {
            Some(last) => format!("NIC port 0 to {last}"),
            None => "a host with a link".into(),
        };
        self.problems
            .note(item.location("nic_port"), found, expected, "");
        None
    }
}

fn bit_errors(reader: &mut FaultReader, item: &Object) -> Option<Kind> {
    let link = reader.link(item);
    let ber = item.number("ber", reader.problems);
    let floor = item.number("floor_ber", reader.problems);
    let fec = item.choice("fec", reader.problems).map(fec);
    Some(Kind::BitErrors(BitErrors {
        link: link?,
        ber: ber?,
        fec: fec?,
        floor: floor?,
    }))
}

fn link_down(reader: &mut FaultReader, item: &Object) -> Option<Kind> {
    let of = match (item.get("link"), item.get("node")) {
        (Some(_), None) => reader.link(item).map(Links::One),
        (None, Some(_)) => {
            let last = u64::from(reader.scenario.nodes() - 1);
            let node = item.whole_up_to("node", last, reader.problems);
            node.map(|node| Links::OfNode(NodeId(node as u32)))
        }
        (both, _) => {
            let found = if both.is_some() { "both" } else { "neither" };
            reader
                .problems
                .note(reader.location, found, "a link or a node", "");
            None
        }
    };
    let detection = time(item, "detection_ns", reader.problems);
    let convergence = time(item, "convergence_ns", reader.problems);
    Some(Kind::LinkDown(LinkDown {
        of: of?,
        detection: detection?,
        convergence: convergence?,
    }))
}

fn miswiring(reader: &mut FaultReader, item: &Object) -> Option<Kind> {
    let named = item.list("links", reader.problems);
    let links = reader.scenario.links.len() as u64;
    let index = |json: &Json| json.whole().filter(|link| *link < links);
    if let [first, other] = named {
        if let (Some(first), Some(other)) = (index(first), index(other)) {
            if first != other {
                let links = [first, other].map(|link| LinkId(link as u32));
                return Some(Kind::Miswiring(Miswiring { links }));
            }
        }
    }
    let last = links.saturating_sub(1);
    let shown: Vec<String> = named.iter().map(Json::format_value).collect();
    let found = format!("[{}]", shown.join(", "));
    let expected = format!("two different links, 0 to {last}");
    reader
        .problems
        .note(item.location("links"), found, expected, "");
    None
}

/// Exchanges the miswired cables. The scenario is valid otherwise.
pub fn miswire(scenario: &mut Scenario, problems: &mut Problems) {
    let faults = std::mem::take(&mut scenario.faults);
    let mut exchanged = Vec::new();
    for (n, fault) in faults.iter().enumerate() {
        let Kind::Miswiring(miswiring) = &fault.kind else {
            continue;
        };
        let location = ObjectPath::Item("faults", n);
        if let Some(link) = miswiring
            .links
            .iter()
            .find(|link| exchanged.contains(*link))
        {
            let found = format!("links[{link}], which an earlier fault exchanges");
            problems.note(location, found, "each link once", "");
            continue;
        }
        exchanged.extend(miswiring.links);
        scenario.exchange_cables(miswiring);
        for link in miswiring.links {
            let cable = &scenario.links[link];
            if cable.a == cable.b {
                let found = format!("both ends of links[{link}] at node {} then", cable.a);
                problems.note(location, found, "two nodes", "");
            }
        }
    }
    scenario.faults = faults;
    rename_ports(&mut scenario.faults);
}

/// Keeps the faults of a NIC port at its NIC: ports are named by their cables.
fn rename_ports(faults: &mut [Fault]) {
    let exchanged: Vec<Miswiring> = faults
        .iter()
        .filter_map(|fault| match fault.kind {
            Kind::Miswiring(miswiring) => Some(miswiring),
            _ => None,
        })
        .collect();
    for fault in faults {
        let port = match &mut fault.kind {
            Kind::StuckNic(fault) => &mut fault.port,
            Kind::SlowReceiver(fault) => &mut fault.port,
            Kind::CnpDelay(fault) => &mut fault.port,
            Kind::BitErrors(_) | Kind::LinkDown(_) | Kind::Miswiring(_) | Kind::CnpLoss(_) => {
                continue;
            }
        };
        *port = exchanged
            .iter()
            .fold(*port, |port, miswiring| miswiring.rename_port(port));
    }
}

fn stuck_nic(reader: &mut FaultReader, item: &Object) -> Option<Kind> {
    let port = reader.nic_port(item);
    let priorities = match item.get("priority") {
        Some(_) => {
            let priority = item.whole("priority", reader.problems)?;
            Priority(priority as u8).bit()
        }
        None => {
            let port = port?;
            reader.scenario.of_port(port).pfc.lossless_priorities
        }
    };
    if priorities == 0 {
        let expected = "a priority, as none is lossless";
        reader
            .problems
            .note(item.location("priority"), "nothing", expected, "");
    }
    Some(Kind::StuckNic(StuckNic {
        port: port?,
        priorities,
    }))
}

fn slow_receiver(reader: &mut FaultReader, item: &Object) -> Option<Kind> {
    let port = reader.nic_port(item);
    let rate = rate(item, "gbps", reader.problems);
    let has_pipe = |port| reader.scenario.of_port(port).nic.pipe.is_some();
    if port.is_some_and(|port| !has_pipe(port)) {
        let hint = "set parameters.nic.pipe: its rate is what falls, its buffer what fills";
        let expected = "a host with a pipe";
        reader
            .problems
            .note(reader.location, "a slow receiver", expected, hint);
    }
    Some(Kind::SlowReceiver(SlowReceiver {
        port: port?,
        rate: rate?,
    }))
}

fn cnp_loss(reader: &mut FaultReader, item: &Object) -> Option<Kind> {
    let link = reader.link(item);
    let probability = item.number("probability", reader.problems);
    Some(Kind::CnpLoss(cnp::Loss {
        link: link?,
        probability: probability?,
    }))
}

fn cnp_delay(reader: &mut FaultReader, item: &Object) -> Option<Kind> {
    let port = reader.nic_port(item);
    let delay = time(item, "delay_ns", reader.problems);
    Some(Kind::CnpDelay(cnp::Delay {
        port: port?,
        delay: delay?,
    }))
}

fn fec(fec: file::Fec) -> Fec {
    match fec {
        file::Fec::None => Fec::None,
        file::Fec::Rs528 => Fec::Rs528,
        file::Fec::Rs544 => Fec::Rs544,
        file::Fec::Rs544Interleaved => Fec::Rs544Interleaved,
    }
}
