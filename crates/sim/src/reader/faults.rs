//! The `faults` of a scenario: each names its kind, what it is put on, and when it is there.

use super::json::Json;
use super::problems::{Findings, Object, Place};
use super::wiring::Wiring;
use super::{rate, time, LONGEST_NS};
use crate::model::faults::bit_errors::BitErrors;
use crate::model::faults::link_down::{LinkDown, Links};
use crate::model::faults::miswired::Miswired;
use crate::model::faults::slow_receiver::SlowReceiver;
use crate::model::faults::stuck_nic::StuckNic;
use crate::model::faults::{cnp, Fault, Kind};
use crate::model::scenario::Scenario;
use crate::time::{Picoseconds, NANOSECOND, NEVER};
use wirespeed_wire::link_errors::Fec;

/// Every kind: its word and its reader, which also says what keys it has.
const KINDS: [(&str, Reader); 7] = [
    ("bit-errors", bit_errors),
    ("link-down", link_down),
    ("miswired", miswired),
    ("stuck-nic", stuck_nic),
    ("slow-receiver", slow_receiver),
    ("cnp-loss", cnp_loss),
    ("cnp-delay", cnp_delay),
];

type Reader = fn(&mut Reading) -> Option<Kind>;

const FEC: [(&str, Fec); 4] = [
    ("none", Fec::None),
    ("rs-528", Fec::Rs528),
    ("rs-544", Fec::Rs544),
    ("rs-544-interleaved", Fec::Rs544Interleaved),
];

/// Each fault of the scenario's network that is as it should be.
pub fn read(top: &Object, scenario: &Scenario, findings: &mut Findings) -> Vec<Fault> {
    let items = top.list("faults", findings).iter().enumerate();
    if matches!(top.get("links"), Some(Json::List(links)) if links.len() != scenario.links.len()) {
        return Vec::new(); // some are refused, and faults would name others
    }
    let wiring = Wiring::of(scenario);
    let read = |(n, json)| {
        let place = Place::Item("faults", n);
        let mut reading = Reading {
            place,
            json,
            scenario,
            wiring: &wiring,
            findings: &mut *findings,
        };
        reading.fault()
    };
    items.filter_map(read).collect()
}

/// A fault being read.
struct Reading<'j, 'f> {
    place: Place,
    json: &'j Json<'j>,
    scenario: &'f Scenario,
    wiring: &'f Wiring,
    findings: &'f mut Findings,
}

impl<'j> Reading<'j, '_> {
    fn fault(&mut self) -> Option<Fault> {
        let item = Object::open(
            self.place,
            self.json,
            "an object with a kind",
            self.findings,
        )?;
        if item.get("kind").is_none() {
            let kinds = KINDS.map(|(word, _)| word).join(", ");
            self.findings.note(item.at("kind"), "nothing", kinds, "");
            return None;
        }
        let reader = item.word("kind", &KINDS, self.findings)?;
        let kind = reader(self);
        let from = time(&item, "from_ns", self.findings);
        let until = match item.get("until_ns") {
            None => Some(NEVER),
            Some(_) => time(&item, "until_ns", self.findings),
        };
        let (from, until) = (from?, until?);
        if from >= until {
            let found = item.shown("until_ns");
            let expected = "a time after from_ns";
            self.findings.note(item.at("until_ns"), found, expected, "");
            return None;
        }
        Some(Fault {
            from,
            until,
            kind: kind?,
        })
    }

    /// The fault, whose keys must be among `known`.
    fn object(&mut self, known: &[&str]) -> Option<Object<'j>> {
        Object::new(self.place, self.json, known, self.findings)
    }

    /// The link that the fault is put on, by its index in `links`.
    fn link(&mut self, item: &Object) -> Option<u32> {
        let Some(last) = self.scenario.links.len().checked_sub(1) else {
            let found = item.shown("link");
            let expected = "a scenario with links";
            self.findings.note(item.at("link"), found, expected, "");
            return None;
        };
        let link = item.whole("link", 0..=last as u64, None, self.findings)?;
        Some(link as u32)
    }

    /// A span that has no usual value, given in ns.
    fn stated(&mut self, item: &Object, key: &str) -> Option<Picoseconds> {
        let ns = item.whole(key, 0..=LONGEST_NS, None, self.findings)?;
        Some(ns * NANOSECOND)
    }

    /// The NIC port that the fault is put on, as its host's number `nic_port` in the order of `links`.
    fn nic_port(&mut self, item: &Object) -> Option<u32> {
        let last = u64::from(self.scenario.hosts) - 1;
        let node = item.whole("node", 0..=last, None, self.findings);
        let number = item.whole("nic_port", 0..=u64::from(u32::MAX), Some(0), self.findings);
        let (node, number) = (node? as u32, number? as u32);
        let there_are = match self.wiring.nic_port((node, number)) {
            Ok(port) => return Some(port),
            Err(there_are) => there_are,
        };
        let found = format!("NIC port {number} of host {node}");
        let expected = match there_are.checked_sub(1) {
            Some(last) => format!("NIC port 0 to {last}"),
            None => "a host with a link".into(),
        };
        self.findings.note(item.at("nic_port"), found, expected, "");
        None
    }

    /// A share, which must be there unless `absent` stands for it.
    fn share(
        &mut self,
        item: &Object,
        key: &str,
        largest: f64,
        absent: Option<f64>,
    ) -> Option<f64> {
        let what = format!("a number, 0 to {largest}");
        if item.get(key).is_none() {
            if absent.is_none() {
                self.findings.note(item.at(key), "nothing", what, "");
            }
            return absent;
        }
        item.number(key, 0.0..=largest, &what, self.findings)
    }
}

fn bit_errors(it: &mut Reading) -> Option<Kind> {
    const KEYS: [&str; 7] = [
        "kind",
        "from_ns",
        "until_ns",
        "link",
        "ber",
        "fec",
        "floor_ber",
    ];
    let item = it.object(&KEYS)?;
    let link = it.link(&item);
    // More than every second bit wrong would be another signal.
    let ber = it.share(&item, "ber", 0.5, None);
    let floor = it.share(&item, "floor_ber", 0.5, Some(0.0));
    let fec = item.word("fec", &FEC, it.findings);
    Some(Kind::BitErrors(BitErrors {
        link: link?,
        ber: ber?,
        fec: fec?,
        floor: floor?,
    }))
}

fn link_down(it: &mut Reading) -> Option<Kind> {
    const KEYS: [&str; 7] = [
        "kind",
        "from_ns",
        "until_ns",
        "link",
        "node",
        "detection_ns",
        "convergence_ns",
    ];
    let item = it.object(&KEYS)?;
    let of = match (item.get("link"), item.get("node")) {
        (Some(_), None) => it.link(&item).map(Links::One),
        (None, Some(_)) => {
            let last = u64::from(it.scenario.nodes() - 1);
            let node = item.whole("node", 0..=last, None, it.findings);
            node.map(|node| Links::OfNode(node as u32))
        }
        (both, _) => {
            let found = if both.is_some() { "both" } else { "neither" };
            it.findings.note(it.place, found, "a link or a node", "");
            None
        }
    };
    let detection = it.stated(&item, "detection_ns");
    let convergence = it.stated(&item, "convergence_ns");
    Some(Kind::LinkDown(LinkDown {
        of: of?,
        detection: detection?,
        convergence: convergence?,
    }))
}

fn miswired(it: &mut Reading) -> Option<Kind> {
    const KEYS: [&str; 2] = ["kind", "links"];
    let item = it.object(&KEYS)?;
    let named = item.list("links", it.findings);
    let links = it.scenario.links.len() as u64;
    let index = |json: &Json| json.whole().filter(|link| *link < links);
    if let [one, other] = named {
        if let (Some(one), Some(other)) = (index(one), index(other)) {
            if one != other {
                let links = [one as u32, other as u32];
                return Some(Kind::Miswired(Miswired { links }));
            }
        }
    }
    let last = links.saturating_sub(1);
    let shown: Vec<String> = named.iter().map(Json::shown).collect();
    let found = format!("[{}]", shown.join(", "));
    let expected = format!("two different links, 0 to {last}");
    it.findings.note(item.at("links"), found, expected, "");
    None
}

/// Exchanges the cables that are in wrong ports. All else is as it should be.
pub fn miswire(scenario: &mut Scenario, findings: &mut Findings) {
    let faults = std::mem::take(&mut scenario.faults);
    let mut exchanged = Vec::new();
    for (n, fault) in faults.iter().enumerate() {
        let Kind::Miswired(it) = &fault.kind else {
            continue;
        };
        let place = Place::Item("faults", n);
        if let Some(link) = it.links.iter().find(|link| exchanged.contains(*link)) {
            let found = format!("links[{link}], which an earlier fault exchanges");
            findings.note(place, found, "each link once", "");
            continue;
        }
        exchanged.extend(it.links);
        scenario.exchange_cables(it);
        for link in it.links {
            let cable = &scenario.links[link as usize];
            if cable.a == cable.b {
                let found = format!("both ends of links[{link}] at node {} then", cable.a);
                findings.note(place, found, "two nodes", "");
            }
        }
    }
    scenario.faults = faults;
    rename_ports(&mut scenario.faults);
}

/// Faults of a NIC port stay at the NIC: ports are named by their cables.
fn rename_ports(faults: &mut [Fault]) {
    let exchanged: Vec<Miswired> = faults
        .iter()
        .filter_map(|fault| match fault.kind {
            Kind::Miswired(it) => Some(it),
            _ => None,
        })
        .collect();
    for fault in faults {
        let port = match &mut fault.kind {
            Kind::StuckNic(it) => &mut it.port,
            Kind::SlowReceiver(it) => &mut it.port,
            Kind::CnpDelay(it) => &mut it.port,
            Kind::BitErrors(_) | Kind::LinkDown(_) | Kind::Miswired(_) | Kind::CnpLoss(_) => {
                continue;
            }
        };
        *port = exchanged.iter().fold(*port, |port, it| it.renamed(port));
    }
}

fn stuck_nic(it: &mut Reading) -> Option<Kind> {
    const KEYS: [&str; 6] = [
        "kind", "from_ns", "until_ns", "node", "nic_port", "priority",
    ];
    let item = it.object(&KEYS)?;
    let port = it.nic_port(&item);
    let priorities = match item.get("priority") {
        Some(_) => {
            let priority = item.whole("priority", 0..=7, None, it.findings)?;
            1 << priority
        }
        None => {
            let port = port?;
            it.scenario.of_port(port).pfc.lossless_priorities
        }
    };
    if priorities == 0 {
        let expected = "a priority, as none is lossless";
        it.findings
            .note(item.at("priority"), "nothing", expected, "");
    }
    Some(Kind::StuckNic(StuckNic {
        port: port?,
        priorities,
    }))
}

fn slow_receiver(it: &mut Reading) -> Option<Kind> {
    const KEYS: [&str; 6] = ["kind", "from_ns", "until_ns", "node", "nic_port", "gbps"];
    let item = it.object(&KEYS)?;
    let port = it.nic_port(&item);
    let rate = match item.get("gbps") {
        Some(_) => rate(&item, "gbps", it.findings),
        None => {
            let expected = "a rate in Gb/s";
            it.findings.note(item.at("gbps"), "nothing", expected, "");
            None
        }
    };
    let has_pipe = |port| it.scenario.of_port(port).nic.pipe.is_some();
    if port.is_some_and(|port| !has_pipe(port)) {
        let hint = "set parameters.nic.pipe: its rate is what falls, its buffer what fills";
        let expected = "a host with a pipe";
        it.findings
            .note(it.place, "a slow receiver", expected, hint);
    }
    Some(Kind::SlowReceiver(SlowReceiver {
        port: port?,
        rate: rate?,
    }))
}

fn cnp_loss(it: &mut Reading) -> Option<Kind> {
    const KEYS: [&str; 5] = ["kind", "from_ns", "until_ns", "link", "probability"];
    let item = it.object(&KEYS)?;
    let link = it.link(&item);
    let probability = it.share(&item, "probability", 1.0, None);
    Some(Kind::CnpLoss(cnp::Loss {
        link: link?,
        probability: probability?,
    }))
}

fn cnp_delay(it: &mut Reading) -> Option<Kind> {
    const KEYS: [&str; 6] = [
        "kind", "from_ns", "until_ns", "node", "nic_port", "delay_ns",
    ];
    let item = it.object(&KEYS)?;
    let port = it.nic_port(&item);
    let delay = item.whole("delay_ns", 0..=LONGEST_NS, None, it.findings);
    Some(Kind::CnpDelay(cnp::Delay {
        port: port?,
        delay: delay? * NANOSECOND,
    }))
}
