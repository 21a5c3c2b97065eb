//! Descriptions of the faults of a scenario: kind, place, start and end.

use super::link_down::Links;
use super::Kind;
use crate::ids::{LinkId, NodeId, PortId};
use crate::model::scenario::Scenario;
use crate::time::{Picoseconds, NEVER};
use std::collections::BTreeMap;

/// A fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultDescription {
    /// Its kind, as in scenarios and traffic files.
    pub kind: &'static str,
    /// Where it is: nodes, links or ports.
    pub places: Vec<FaultPlace>,
    /// Start.
    pub from: Picoseconds,
    /// End; [`NEVER`] = the end of the run.
    pub until: Picoseconds,
}

/// Place of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultPlace {
    /// A node and all of its links.
    Node(NodeId),
    /// Both directions of a link, by its index.
    Link(LinkId),
    /// A NIC port.
    Port(PortId),
}

/// All faults of a scenario, those from properties of links first: one entry for all links with the same property.
pub fn describe_faults(scenario: &Scenario) -> Vec<FaultDescription> {
    let mut of_links: BTreeMap<(&'static str, Picoseconds), Vec<FaultPlace>> = BTreeMap::new();
    for (number, link) in (0..).zip(&scenario.links) {
        let mut on_link = |kind, from| {
            let places = of_links.entry((kind, from)).or_default();
            places.push(FaultPlace::Link(LinkId(number)));
        };
        if link.loss > 0.0 {
            on_link("frame-loss", Picoseconds::ZERO);
        }
        if link.pfc_lost_from != NEVER {
            on_link("pfc-loss", link.pfc_lost_from);
        }
    }
    let of_links = of_links
        .into_iter()
        .map(|((kind, from), places)| FaultDescription {
            kind,
            places,
            from,
            until: NEVER,
        });
    let of_faults = scenario.faults.iter().map(|fault| FaultDescription {
        kind: fault.kind.name(),
        places: places(&fault.kind),
        from: fault.from,
        until: fault.until,
    });
    of_links.chain(of_faults).collect()
}

fn places(kind: &Kind) -> Vec<FaultPlace> {
    vec![match kind {
        Kind::LinkDown(link_down) => match link_down.of {
            Links::One(link) => FaultPlace::Link(link),
            Links::OfNode(node) => FaultPlace::Node(node),
        },
        Kind::Miswiring(miswiring) => return miswiring.links.map(FaultPlace::Link).into(),
        Kind::BitErrors(bit_errors) => FaultPlace::Link(bit_errors.link),
        Kind::CnpLoss(cnp_loss) => FaultPlace::Link(cnp_loss.link),
        Kind::StuckNic(stuck_nic) => FaultPlace::Port(stuck_nic.port),
        Kind::SlowReceiver(slow_receiver) => FaultPlace::Port(slow_receiver.port),
        Kind::CnpDelay(cnp_delay) => FaultPlace::Port(cnp_delay.port),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader;
    use crate::time::NANOSECOND;

    #[test]
    fn links_that_lose_alike_are_one_fault() {
        let link = |node, more| format!(r#"{{"a": {node}, "b": 3{more}}}"#);
        let links = [
            link(0, r#", "loss": 0.5, "pfc_lost_from_ns": 7"#),
            link(1, r#", "pfc_lost_from_ns": 8"#),
            link(2, r#", "loss": 0.1, "pfc_lost_from_ns": 7"#),
        ];
        let text = format!(
            r#"{{"hosts": 3, "switches": 1, "link_gbps": 100, "link_delay_ns": 5, "links": [{}],
            "flows": [{{"src": 0, "dst": 1, "bytes": 1}}]}}"#,
            links.join(", ")
        );
        let found = describe_faults(&reader::read(&text, "roce", 1).unwrap());
        let of_links = |kind, numbers: &[u32], from| FaultDescription {
            kind,
            places: numbers
                .iter()
                .copied()
                .map(|number| FaultPlace::Link(LinkId(number)))
                .collect(),
            from: from * NANOSECOND,
            until: NEVER,
        };
        let expected = [
            of_links("frame-loss", &[0, 2], 0),
            of_links("pfc-loss", &[0, 2], 7),
            of_links("pfc-loss", &[1], 8),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn each_kind_has_the_word_that_it_is_read_by_and_its_place() {
        use FaultPlace::{Link, Node, Port};
        let rows: [(&str, &str, Vec<FaultPlace>); 9] = [
            (
                "bit-errors",
                r#""link": 1, "ber": 0"#,
                vec![Link(LinkId(1))],
            ),
            (
                "link-down",
                r#""link": 1, "detection_ns": 0, "convergence_ns": 0"#,
                vec![Link(LinkId(1))],
            ),
            (
                "link-down",
                r#""node": 2, "detection_ns": 0, "convergence_ns": 0"#,
                vec![Node(NodeId(2))],
            ),
            (
                "miswired",
                r#""links": [1, 0]"#,
                vec![Link(LinkId(1)), Link(LinkId(0))],
            ),
            ("stuck-nic", r#""node": 1"#, vec![Port(PortId(2))]),
            (
                "slow-receiver",
                r#""node": 1, "gbps": 10"#,
                vec![Port(PortId(2))],
            ),
            (
                "cnp-loss",
                r#""link": 0, "probability": 1"#,
                vec![Link(LinkId(0))],
            ),
            (
                "cnp-delay",
                r#""node": 0, "delay_ns": 1"#,
                vec![Port(PortId(0))],
            ),
            (
                "cnp-delay",
                r#""node": 1, "nic_port": 1, "delay_ns": 1"#,
                vec![Port(PortId(4))],
            ),
        ];
        for (kind, more, places) in rows {
            let from = if kind == "miswired" { 0 } else { 5 }; // miswiring holds for the whole run
            let times = if from > 0 { r#", "from_ns": 5"# } else { "" };
            let text = format!(
                r#"{{"hosts": 2, "switches": 1, "link_gbps": 100, "link_delay_ns": 5,
                "links": [[0, 2], [1, 2], [1, 2]], "flows": [{{"src": 0, "dst": 1, "bytes": 1}}],
                "parameters": {{"nic": {{"pipe": {{"gbps": 50, "latency_ns": 0, "receive_buffer_bytes": 1000000, "xoff_bytes": 500000, "xon_bytes": 400000}}}}}},
                "faults": [{{"kind": "{kind}", {more}{times}}}]}}"#
            );
            let scenario = reader::read(&text, "roce", 1)
                .unwrap_or_else(|refusal| panic!("{kind}: {refusal}"));
            let expected = FaultDescription {
                kind,
                places,
                from: from * NANOSECOND,
                until: NEVER,
            };
            assert_eq!(describe_faults(&scenario), [expected]);
        }
    }
}
