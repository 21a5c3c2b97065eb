//! Flows, queue pairs and operations: first as in the file, then connected to the ports of the hosts.

mod order;

use super::endpoints::{self, Ends};
use super::json::Json;
use super::problems::{Object, ObjectPath, Problems};
use super::quantities::time;
use super::wiring::Wiring;
use super::{limits, services};
use crate::bytes::Bytes;
use crate::ids::QueuePairId;
use crate::model::parameters::Parameters;
use crate::model::scenario::{Connection, Operation, Scenario, Service, Verb};
use crate::model::scenario_file as file;
use crate::model::scenario_file::LATEST_NS;
use crate::model::schema::form::forms;
use crate::problem::format_thousands;
use crate::time::Picoseconds;
use std::collections::BTreeMap;

/// The traffic of a file, with each entry read separately.
pub struct Traffic {
    ends: Vec<Ends>,
    operations: Vec<Post>,
    /// `ends` of flows come first, and flow n posts operation n.
    flows: usize,
}

/// An operation and its location.
struct Post {
    location: ObjectPath,
    operation: Operation,
}

/// Maximum number of packets of a queue pair, which are counted in 32 bits.
const TOO_MANY_PACKETS: u64 = 1 << 32;

/// The latest start that results from delays and times.
const LATEST: Picoseconds = Picoseconds::from_nanoseconds(LATEST_NS);

/// UDP source ports of RoCEv2 senders are dynamic ones (RFC 6335, section 6): 0xC000 to 0xFFFF.
const DYNAMIC_PORTS: std::ops::Range<u16> = 0xC000..0xFFFF;

impl Traffic {
    /// Reads all valid entries of `flows`, `queue_pairs` and `operations`.
    pub fn read(top: &Object, hosts: u32, problems: &mut Problems) -> Self {
        let mut traffic = Traffic {
            ends: Vec::new(),
            operations: Vec::new(),
            flows: 0,
        };
        let flows = top.list("flows", problems);
        for (n, json) in flows.iter().enumerate() {
            if let Some((ends, post)) = flow(n, json, hosts, problems) {
                traffic.ends.push(ends);
                traffic.operations.push(post);
            }
        }
        traffic.flows = flows.len();
        let mut pairs = Vec::new();
        for (n, json) in top.list("queue_pairs", problems).iter().enumerate() {
            let first = traffic.ends.len() as u32;
            let ends = queue_pair(n, json, hosts, first, problems);
            let (count, service) = (ends.len() as u32, ends.first().map(|ends| ends.service));
            traffic.ends.extend(ends);
            pairs.push(Pair {
                first,
                count,
                service: service.unwrap_or_default(),
            });
        }
        let operations = top.list("operations", problems);
        let counts = Counts {
            flows: flows.len(),
            pairs,
            operations: operations.len(),
        };
        for (n, json) in operations.iter().enumerate() {
            traffic
                .operations
                .extend(counts.operation(n, json, problems));
        }
        if flows.is_empty() && operations.is_empty() {
            problems.note("flows", "nothing to do", "flows or operations", "");
        }
        traffic
    }

    /// Adds a problem for more entries than can be counted.
    pub fn check_size(&self, links: usize, problems: &mut Problems) {
        limits::check_size(links, self.ends.len(), self.operations.len(), problems);
    }

    /// Adds connections and operations to the scenario, and a problem for each that is not possible.
    pub fn connect(self, scenario: &mut Scenario, problems: &mut Problems) {
        let mut wiring = Wiring::from_scenario(scenario);
        let usual = scenario.parameters.transport.priority;
        let first = scenario.parameters.ecmp.first_udp_source_port;
        let mut joined_before = BTreeMap::new();
        for (n, ends) in self.ends.iter().enumerate() {
            let port = |side: usize| (ends.hosts[side], ends.ports[side]);
            let ports = [0, 1].map(|side| wiring.nic_port(port(side)));
            for side in [0, 1] {
                if let Err(there_are) = ports[side] {
                    missing_port(ends, side, there_are, problems);
                }
            }
            let [Ok(port_a), Ok(port_b)] = ports else {
                continue;
            };
            if !wiring.are_connected(scenario, port_a, port_b) {
                let found = format!(
                    "no route from host {} to host {}",
                    ends.hosts[0], ends.hosts[1]
                );
                let hint = "hosts do not forward";
                problems.note(ends.location, found, "ends joined by switches", hint);
            }
            let default_port = match first {
                None => DYNAMIC_PORTS.start + (n % DYNAMIC_PORTS.len()) as u16,
                Some(first) => {
                    let earlier = joined_before.entry((port_a, port_b)).or_insert(0_u16);
                    let port = first.wrapping_add(*earlier);
                    *earlier = earlier.wrapping_add(1);
                    port
                }
            };
            scenario.connections.push(Connection {
                port_a,
                port_b,
                priority: ends.priority.unwrap_or(usual),
                udp_source_port: ends.udp_source_port.unwrap_or(default_port),
                service: ends.service,
            });
        }
        let mtu = scenario.parameters.transport.mtu_bytes;
        self.count_packets(&scenario.parameters, problems);
        for post in &self.operations {
            let service = self.ends[post.operation.queue_pair.connection()].service;
            services::check(service, &post.operation, post.location, mtu, problems);
        }
        self.order(problems);
        let operations = self.operations.into_iter();
        scenario.operations = operations.map(|post| post.operation).collect();
    }

    /// Adds a problem for a queue pair with more packets than sequence numbers.
    fn count_packets(&self, parameters: &Parameters, problems: &mut Problems) {
        let mut packets = vec![0u64; self.ends.len() * 2];
        for post in &self.operations {
            let sum = &mut packets[post.operation.queue_pair];
            let sum_before = *sum;
            let service = self.ends[post.operation.queue_pair.connection()].service;
            let payload = service.payload(parameters).widen();
            let packets = post.operation.bytes.div_ceil(payload).max(1);
            *sum = sum_before.saturating_add(packets);
            if sum_before < TOO_MANY_PACKETS && *sum >= TOO_MANY_PACKETS {
                let found = format!(
                    "{} packets on its queue pair up to here",
                    format_thousands((*sum).into())
                );
                let expected = format!("fewer than {}", format_thousands(TOO_MANY_PACKETS.into()));
                problems.note(post.location, found, expected, "");
            }
        }
    }
}

fn flow(n: usize, json: &Json, hosts: u32, problems: &mut Problems) -> Option<(Ends, Post)> {
    let location = ObjectPath::Item("flows", n);
    let flow = Object::new(location, json, &forms().flow, problems)?;
    let keys = (["src", "dst"], ["src_port", "dst_port"]);
    let ends = endpoints::read(&flow, keys.0, keys.1, n as u32, hosts, problems);
    let bytes = flow.whole("bytes", problems);
    let at = time(&flow, "start_ns", problems);
    let ends = ends?.pop()?;
    let verb = services::verb(&flow, ends.service, problems)?;
    // The data goes from src to dst, so dst posts the read.
    let poster = usize::from(verb == Verb::Read);
    let operation = Operation {
        queue_pair: QueuePairId::of_connection(n, poster),
        verb,
        bytes: Bytes(bytes?),
        at: at?,
        after: Vec::new(),
        delay: Picoseconds::ZERO,
    };
    Some((
        ends,
        Post {
            location,
            operation,
        },
    ))
}

/// The connections of an entry; `None` if it is invalid.
fn queue_pair(n: usize, json: &Json, hosts: u32, first: u32, problems: &mut Problems) -> Vec<Ends> {
    let location = ObjectPath::Item("queue_pairs", n);
    let pair = Object::new(location, json, &forms().queue_pair, problems);
    let keys = (["a", "b"], ["a_port", "b_port"]);
    let ends = pair.and_then(|pair| endpoints::read(&pair, keys.0, keys.1, first, hosts, problems));
    ends.unwrap_or_default()
}

fn missing_port(ends: &Ends, side: usize, there_are: u32, problems: &mut Problems) {
    let location = format!("{}.{}", ends.location, ends.keys[side]);
    let host = ends.hosts[side];
    match there_are {
        0 => problems.note(
            location,
            format!("host {host} without a link"),
            "a host with one",
            "",
        ),
        _ => {
            let found = format!("NIC port {} of host {host}", ends.ports[side]);
            problems.note(
                location,
                found,
                format!("NIC port 0 to {}", there_are - 1),
                "",
            );
        }
    }
}

/// Entries of the three lists. Connections and operations of flows come before the others.
struct Counts {
    flows: usize,
    pairs: Vec<Pair>,
    operations: usize,
}

/// An entry of `queue_pairs`: its connections.
struct Pair {
    first: u32,
    count: u32,
    service: Service,
}

impl Counts {
    fn operation(&self, n: usize, json: &Json, problems: &mut Problems) -> Option<Post> {
        let location = ObjectPath::Item("operations", n);
        let item = Object::new(location, json, &forms().operation, problems)?;
        let pair = item.get("queue_pair").and_then(Json::whole);
        let pair = pair.and_then(|pair| self.pairs.get(pair as usize));
        if pair.is_none() {
            let found = super::problems::format_value(item.get("queue_pair"));
            let expected = match self.pairs.len() {
                0 => "an index of queue_pairs, of which there are none".into(),
                all => format!("an index of queue_pairs, 0 to {}", all - 1),
            };
            problems.note(item.location("queue_pair"), found, expected, "");
        }
        let side = item.choice::<file::Side>("side", problems);
        let service = pair.map_or(Service::Rc, |pair| pair.service);
        let verb = services::verb(&item, service, problems);
        let last = pair.map_or(0, |pair| u64::from(pair.count.max(1)) - 1);
        let to = match item.get("to") {
            None if last == 0 => Some(0),
            _ => item.whole_up_to("to", last, problems),
        };
        let bytes = item.whole("bytes", problems);
        let at = time(&item, "at_ns", problems);
        let delay = time(&item, "delay_ns", problems);
        let predecessors = self.predecessors(&item, problems);
        let operation = Operation {
            queue_pair: QueuePairId::of_connection(
                (u64::from(pair?.first) + to?) as usize,
                usize::from(side? == file::Side::B),
            ),
            verb: verb?,
            bytes: Bytes(bytes?),
            at: at?,
            after: predecessors?,
            delay: delay?,
        };
        Some(Post {
            location,
            operation,
        })
    }

    fn predecessors(&self, item: &Object, problems: &mut Problems) -> Option<Vec<u32>> {
        let items = item.list("after", problems);
        let mut predecessors = Vec::with_capacity(items.len());
        for json in items {
            match json.whole().filter(|index| *index < self.operations as u64) {
                Some(index) => predecessors.push(self.flows as u32 + index as u32),
                None => {
                    let expected = format!("indices of operations, 0 to {}", self.operations - 1);
                    problems.note(item.location("after"), json.format_value(), expected, "");
                }
            }
        }
        (predecessors.len() == items.len()).then_some(predecessors)
    }
}
