//! The RTT of the longest path in an idle network: `config_base_rtt` of Ultra Ethernet Specification 1.0, section 3.6.13.3, for
//! congestion control that needs it. The author of the scenario sets other values that depend on it, such as thresholds of switch
//! queues, from [`IdleNetwork`].

use crate::bytes::Bytes;
use crate::ids::{PortId, QueuePairId, SwitchId};
use crate::mechanisms::routing::next_hops::{NextHops, Table, HERE, NOWHERE};
use crate::model::scenario::{Scenario, Service};
use crate::time::{ByteTime, Nanoseconds, Picoseconds, NANOSECOND};
use std::collections::HashMap;

/// Properties of the acknowledged connections of an idle network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleNetwork {
    /// The RTT of the longest path.
    pub base_rtt: Picoseconds,
    /// The rate of the slowest NIC port, bits per second.
    pub slowest_rate: u64,
    /// A full packet, header through FCS.
    pub packet_bytes: Bytes<u32>,
}

impl IdleNetwork {
    /// Computes it for a scenario; none without acknowledged connections.
    pub fn measure(scenario: &Scenario) -> Option<IdleNetwork> {
        let connections = scenario.connections.iter();
        let ports = connections
            .filter(|connection| connection.service == Service::Rc)
            .flat_map(|connection| connection.ports());
        let rates = ports.map(|port| scenario.links[port.link()].rate);
        Some(IdleNetwork {
            base_rtt: longest(scenario)?,
            slowest_rate: rates.min()?,
            packet_bytes: full_packet(scenario),
        })
    }
}

/// Sets the parameters of congestion control that are derived from the network.
pub(crate) fn fill(scenario: &mut Scenario) {
    let mut sets = scenario.parameters_mut();
    if !sets.any(|set| !set.congestion.missing_base_rtts().is_empty()) {
        return;
    }
    drop(sets);
    let Some(longest) = longest(scenario) else {
        return;
    };
    let nanoseconds = Nanoseconds(u32::try_from(longest.div_ceil(NANOSECOND)).unwrap_or(u32::MAX));
    for set in scenario.parameters_mut() {
        for rtt in set.congestion.missing_base_rtts() {
            *rtt = Some(nanoseconds);
        }
    }
}

/// Over all acknowledged connections: a full packet and its acknowledgement. `None` without such connections.
fn longest(scenario: &Scenario) -> Option<Picoseconds> {
    let framing = scenario.parameters.framing.add_encapsulation();
    let data = full_packet(scenario);
    let on_link = |bytes: Bytes<u32>| bytes.max(framing.minimum_bytes) + framing.gap_bytes;
    let next_hops = NextHops::from_scenario(scenario);
    let paths = |bytes: Bytes<u32>| LongestPaths {
        scenario,
        next_hops: &next_hops,
        bytes: on_link(bytes),
        known: HashMap::new(),
    };
    let (mut forward, mut back) = (paths(data), paths(framing.ack_bytes));
    let connections = scenario.connections.iter().enumerate();
    let acknowledged = connections.filter(|(_, connection)| connection.service == Service::Rc);
    let ends = acknowledged.flat_map(|(number, connection)| {
        [(0, connection.port_a), (1, connection.port_b)]
            .map(|(side, port)| (QueuePairId::of_connection(number, side), port))
    });
    let rtt = |(id, port): (QueuePairId, PortId)| {
        let peer = scenario.connections[id.connection()].ports()[id.peer().side()];
        Some(forward.time_to_peer(id, port)? + back.time_to_peer(id.peer(), peer)?)
    };
    ends.filter_map(rtt).max()
}

/// Header through FCS.
fn full_packet(scenario: &Scenario) -> Bytes<u32> {
    let framing = scenario.parameters.framing.add_encapsulation();
    let mtu = scenario.parameters.transport.mtu_bytes;
    framing.data_bytes + mtu.next_multiple_of(framing.pad_bytes)
}

/// Longest paths for frames of one length.
struct LongestPaths<'a> {
    scenario: &'a Scenario,
    next_hops: &'a NextHops,
    bytes: Bytes<u32>,
    /// From a switch to a destination.
    known: HashMap<(SwitchId, u32), Picoseconds>,
}

impl LongestPaths<'_> {
    /// Time over the longest path from a queue pair's port to its peer; none without a route.
    fn time_to_peer(&mut self, id: QueuePairId, port: PortId) -> Option<Picoseconds> {
        if !self.next_hops.reach(id) {
            return None;
        }
        let first = self.link_time(port);
        let to = self.next_hops.destinations.destination(id);
        if to.direct {
            return Some(first);
        }
        let switch = self.scenario.node_of(port.peer());
        let switch = switch.switch(self.scenario.hosts)?;
        Some(first + self.time_from(switch, to.number) + self.link_time(to.last_hop))
    }

    /// Longest time from a switch to the switch that the destination is cabled to.
    fn time_from(&mut self, switch: SwitchId, destination: u32) -> Picoseconds {
        if let Some(time) = self.known.get(&(switch, destination)) {
            return *time;
        }
        let table: &Table = &self.next_hops.tables[0].1;
        let set = table.set(destination, switch);
        if set == HERE || set == NOWHERE {
            return Picoseconds::ZERO;
        }
        // Configured routes may contain a loop; it is followed once.
        self.known.insert((switch, destination), Picoseconds::ZERO);
        let mut longest = Picoseconds::ZERO;
        for port in self.next_hops.sets.ports(set) {
            let next = self.scenario.node_of(port.peer());
            if let Some(next) = next.switch(self.scenario.hosts) {
                let remaining_time = self.time_from(next, destination);
                longest = longest.max(self.link_time(*port) + remaining_time);
            }
        }
        self.known.insert((switch, destination), longest);
        longest
    }

    /// Over the link of a port, and through the switch behind it.
    fn link_time(&self, port: PortId) -> Picoseconds {
        let link = &self.scenario.links[port.link()];
        let peer = self.scenario.node_of(port.peer());
        let latency = match peer.is_switch(self.scenario.hosts) {
            true => Picoseconds::from(self.scenario.of_node(peer).switch.latency_ns),
            false => Picoseconds::ZERO,
        };
        ByteTime::from_rate(link.rate).times(self.bytes) + link.delay + latency
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader;

    /// 4178 bytes of a packet and 86 of an ACK, on links of 100 Gb/s unless a row states another rate.
    #[test]
    fn the_longest_round_trip() {
        let packet = 4_178 * 80;
        let ack = 86 * 80;
        let rows = [
            // One switch: two links of 1 us in each direction.
            (
                r#""hosts": 2, "switches": 1, "links": [[0, 2], [1, 2]], "flows": [{"src": 0, "dst": 1, "bytes": 1}]"#,
                2 * (packet + ack) + 4_000_000,
            ),
            // No switch.
            (
                r#""hosts": 2, "switches": 0, "links": [[0, 1]], "flows": [{"src": 0, "dst": 1, "bytes": 1}]"#,
                packet + ack + 2_000_000,
            ),
            // Two paths between two leaves, of which one is longer.
            (
                r#""hosts": 2, "switches": 4, "links": [[0, 2], [1, 3], [2, 4], [4, 3], [2, 5],
                    {"a": 5, "b": 3, "delay_ns": 9000}], "flows": [{"src": 0, "dst": 1, "bytes": 1}]"#,
                4 * (packet + ack) + 6_000_000 + 18_000_000,
            ),
            // The farther of two, by a slower cable.
            (
                r#""hosts": 3, "switches": 1, "links": [[0, 3], [1, 3], {"a": 2, "b": 3, "gbps": 10}],
                    "flows": [{"src": 0, "dst": 1, "bytes": 1}, {"src": 0, "dst": 2, "bytes": 1}]"#,
                11 * (packet + ack) + 4_000_000,
            ),
        ];
        for (network, expected) in rows {
            let text = format!(
                r#"{{"name": "x", "link_gbps": 100, "link_delay_ns": 1000, "buffer_bytes": 10000000, {network},
                    "parameters": {{"congestion": {{"algorithm": "nscc"}}}}}}"#
            );
            let mut scenario = reader::read(&text, "roce", 1).unwrap();
            let idle_network = IdleNetwork::measure(&scenario).unwrap();
            assert_eq!(idle_network.base_rtt, Picoseconds(expected), "{network}");
            assert_eq!(idle_network.packet_bytes, Bytes(4_158), "a gap shorter");
            let slow = network.contains("gbps");
            assert_eq!(
                idle_network.slowest_rate,
                if slow { 10 } else { 100 } * 1_000_000_000
            );
            fill(&mut scenario);
            assert!(scenario
                .parameters
                .congestion
                .missing_base_rtts()
                .is_empty());
        }
    }
    #[test]
    fn nobody_is_acknowledged() {
        let text = r#"{"name": "x", "hosts": 2, "switches": 0, "link_gbps": 100, "link_delay_ns": 1, "links": [[0, 1]],
            "buffer_bytes": 10000000, "flows": [{"src": 0, "dst": 1, "bytes": 1, "service": "udp", "priority": 0}]}"#;
        assert_eq!(
            IdleNetwork::measure(&reader::read(text, "roce", 1).unwrap()),
            None
        );
    }
}
