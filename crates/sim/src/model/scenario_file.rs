//! The form of a scenario file: its keys with their types, ranges, defaults and meaning.
//!
//! Nothing is read into these types. The JSON Schema is derived from them, and the reader takes keys, ranges, names and
//! defaults from that schema.

use crate::bytes::Bytes;
use crate::ids::{LinkId, NicPort, NodeId, PortId, Priority};
use crate::model::limits::{HIGHEST_GBPS, HIGHEST_PRIORITY, LARGEST_BUFFER};
use crate::model::parameters::Parameters;
use crate::model::scenario::Verb;
use crate::time::Nanoseconds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most hosts, and the most switches.
const MOST_NODES: u32 = 1 << 20;
/// The latest time in a file, and the longest wait of an operation: 1,000,000 s, which is eleven days. Two of them and the run
/// that follows are far from 2^64 ps, the end of time after 213 days.
pub const LATEST_NS: u64 = 1_000_000_000_000_000;
/// The longest span of a fault: 1,000 s. Several may add up.
const LONGEST_SPAN_NS: u64 = 1_000_000_000_000;
/// The longest name of a node or port, in bytes; interfaces of Linux have 15, host names 63 (RFC 1123).
pub const LONGEST_NAME: usize = 63;
/// The longest cable: 1 s.
const LONGEST_CABLE_NS: u64 = 1_000_000_000;

/// A scenario: a network, its traffic and its faults. All numbers start at 0.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null)]
pub struct Scenario {
    /// Name of the scenario in reports.
    #[schemars(extend("x-default" = "the file's name"))]
    pub name: Option<String>,
    /// Description for people. The simulator ignores it.
    pub desc: Option<String>,
    /// Values that were assumed when the scenario was made from a cluster file, for the summary.
    #[schemars(extend("default" = []))]
    pub assumed: Option<Vec<String>>,
    /// Number of hosts. Nodes 0 to `hosts` - 1 are hosts.
    #[schemars(range(min = 1, max = MOST_NODES))]
    pub hosts: u32,
    /// Number of switches. The nodes after the hosts are switches. 0 where hosts are cabled to each other.
    #[schemars(range(max = MOST_NODES))]
    pub switches: u32,
    /// Names of the nodes in tables and reports, hosts first. A scenario made from a cluster file has its names.
    #[schemars(inner(length(min = 1, max = LONGEST_NAME)))]
    #[schemars(extend("x-default" = "`host 0`, `switch 4`"))]
    pub node_names: Option<Vec<String>>,
    /// Rate of every link without a `gbps`. A fraction is allowed.
    #[schemars(range(min = 0.001, max = HIGHEST_GBPS))]
    pub link_gbps: Option<f64>,
    /// Propagation delay of every link without a `delay_ns`. 1 m of fibre takes about 5 ns.
    #[schemars(range(max = LONGEST_CABLE_NS))]
    pub link_delay_ns: Option<Nanoseconds>,
    /// Cables. Link n has port 2n at its first end and port 2n + 1 at its second end.
    #[schemars(extend("default" = []))]
    pub links: Option<Vec<Link>>,
    /// Buffer of every switch: one number for all, or a list with a number for each switch.
    #[schemars(extend("x-unit" = "bytes", "x-default" = "`parameters.switch.buffer_bytes`"))]
    pub buffer_bytes: Option<Buffers>,
    /// Connections with one operation each.
    #[schemars(extend("default" = []))]
    pub flows: Option<Vec<Flow>>,
    /// Connections for `operations`.
    #[schemars(extend("default" = []))]
    pub queue_pairs: Option<Vec<QueuePair>>,
    /// Work requests, which may wait for each other.
    #[schemars(extend("default" = []))]
    pub operations: Option<Vec<Operation>>,
    /// Parameters that differ from the preset.
    #[schemars(extend("default" = {}))]
    pub parameters: Option<Parameters>,
    /// Parameters of single devices, ports or priorities. Items apply in order, each on top of the earlier ones.
    #[schemars(extend("default" = []))]
    pub devices: Option<Vec<Device>>,
    /// Faults, each with its `kind`.
    #[schemars(extend("default" = []))]
    pub faults: Option<Vec<Fault>>,
    /// Routes of single switches that replace the shortest paths.
    #[schemars(extend("default" = []))]
    pub routes: Option<Vec<Route>>,
}

/// A cable: `[a, b]`, or an object where it needs more.
#[derive(JsonSchema)]
#[serde(untagged)]
pub enum Link {
    /// The nodes at its two ends.
    Ends([NodeId; 2]),
    /// A cable with its properties.
    Cable(Cable),
}

/// A cable with its properties.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null)]
pub struct Cable {
    /// Node at the first end.
    pub a: NodeId,
    /// Node at the second end.
    pub b: NodeId,
    /// Rate. A fraction is allowed: 25.78125.
    #[schemars(range(min = 0.001, max = HIGHEST_GBPS))]
    #[schemars(extend("x-default" = "`link_gbps`"))]
    pub gbps: Option<f64>,
    /// Propagation delay in one direction.
    #[schemars(range(max = LONGEST_CABLE_NS))]
    #[schemars(extend("x-default" = "`link_delay_ns`"))]
    pub delay_ns: Option<Nanoseconds>,
    /// Probability that a frame is lost. PFC frames are not lost.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub loss: f64,
    /// PFC frames are lost from this time on.
    #[schemars(range(max = LATEST_NS))]
    #[schemars(extend("x-default" = "never"))]
    pub pfc_lost_from_ns: Option<Nanoseconds>,
    /// IP addresses of the NIC ports at the two ends, null at a switch. ECMP hashes them and captures contain them.
    #[schemars(extend("x-default" = "the numbers of the ports"))]
    pub addresses: Option<[Option<String>; 2]>,
    /// Names of the ports at the two ends. `node_names` is required with them; options then accept `leaf1:Eth1/1`.
    #[schemars(inner(length(min = 1, max = LONGEST_NAME)))]
    pub port_names: Option<[String; 2]>,
}

/// Buffers of the switches.
#[derive(JsonSchema)]
#[serde(untagged)]
pub enum Buffers {
    /// The same for all switches.
    Each(#[schemars(range(min = 1, max = LARGEST_BUFFER))] u64),
    /// One for each switch.
    List(#[schemars(inner(range(min = 1, max = LARGEST_BUFFER)))] Vec<u64>),
}

/// A connection with one operation.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null)]
pub struct Flow {
    /// Host that the data comes from.
    pub src: NodeId,
    /// Host that the data goes to. With `read` this host posts the operation.
    pub dst: NodeId,
    /// Payload.
    pub bytes: Bytes,
    /// Earliest start.
    #[serde(default)]
    #[schemars(range(max = LATEST_NS))]
    pub start_ns: Nanoseconds,
    /// Operation.
    #[schemars(extend("x-default" = "`write`; `send` with `ud`, `tcp` and `udp`"))]
    pub verb: Option<Verb>,
    /// NIC port of `src`, in the order of `links`.
    #[serde(default)]
    pub src_port: NicPort<u16>,
    /// NIC port of `dst`, in the order of `links`.
    #[serde(default)]
    pub dst_port: NicPort<u16>,
    /// Priority of its data and acknowledgements.
    #[schemars(range(max = HIGHEST_PRIORITY))]
    #[schemars(extend("x-default" = "`parameters.transport.priority`"))]
    pub priority: Option<Priority>,
    /// UDP source port, by which ECMP distinguishes flows between the same two ports.
    #[schemars(extend("x-default" = "a separate one for each flow, from 49,152"))]
    pub udp_source_port: Option<u16>,
    /// Transport service.
    #[serde(default)]
    pub service: Service,
}

/// Two connected queue pairs.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null)]
pub struct QueuePair {
    /// Host of the first queue pair.
    pub a: NodeId,
    /// Host of the second queue pair. With `ud` also a list of hosts to which one queue pair sends.
    pub b: Hosts,
    /// NIC port of `a`, in the order of `links`.
    #[serde(default)]
    pub a_port: NicPort<u16>,
    /// NIC port of `b`, in the order of `links`.
    #[serde(default)]
    pub b_port: NicPort<u16>,
    /// Priority of its data and acknowledgements.
    #[schemars(range(max = HIGHEST_PRIORITY))]
    #[schemars(extend("x-default" = "`parameters.transport.priority`"))]
    pub priority: Option<Priority>,
    /// UDP source port, by which ECMP distinguishes flows between the same two ports.
    #[schemars(extend("x-default" = "a separate one for each connection, from 49,152"))]
    pub udp_source_port: Option<u16>,
    /// Transport service.
    #[serde(default)]
    pub service: Service,
}

/// One host or several.
#[derive(JsonSchema)]
#[serde(untagged)]
pub enum Hosts {
    /// One host.
    One(NodeId),
    /// Several hosts.
    Several(#[schemars(length(min = 1))] Vec<NodeId>),
}

/// A work request.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null)]
pub struct Operation {
    /// Index in `queue_pairs`.
    pub queue_pair: u32,
    /// End that posts the operation.
    #[serde(default)]
    pub side: Side,
    /// With `ud`: index of the destination in `b`.
    #[schemars(extend("x-default" = "0; required with several destinations"))]
    pub to: Option<u32>,
    /// Operation.
    #[schemars(extend("x-default" = "`write`; `send` with `ud`, `tcp` and `udp`"))]
    pub verb: Option<Verb>,
    /// Payload.
    pub bytes: Bytes,
    /// Earliest post.
    #[serde(default)]
    #[schemars(range(max = LATEST_NS))]
    pub at_ns: Nanoseconds,
    /// Indices of the operations that must complete first.
    #[serde(default)]
    pub after: Vec<u32>,
    /// Time from the last of those completions, or from `at_ns`, to the post.
    #[serde(default)]
    #[schemars(range(max = LATEST_NS))]
    pub delay_ns: Nanoseconds,
}

/// Parameters of single devices, ports or priorities.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null)]
pub struct Device {
    /// Hosts or switches, with all of their ports.
    #[serde(default)]
    pub nodes: Vec<NodeId>,
    /// Ports: `"16:0"` is the port of node 16 towards node 0, `"16:0.1"` the second where several cables join the two, `"0"`
    /// the only port of node 0. A number is a port number, as in the tables.
    #[schemars(extend("default" = []))]
    pub ports: Option<Vec<Port>>,
    /// Priorities of these ports.
    #[schemars(inner(range(max = HIGHEST_PRIORITY)))]
    #[schemars(extend("x-default" = "all"))]
    pub priorities: Option<Vec<Priority>>,
    /// Parameters that differ.
    pub parameters: Parameters,
}

/// A port by its name or number.
#[derive(JsonSchema)]
#[serde(untagged)]
pub enum Port {
    /// Its number in the tables.
    Number(PortId),
    /// Its name.
    Name(String),
}

/// A route of one switch to one host.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// The switch.
    pub node: NodeId,
    /// The host that the route leads to.
    pub destination: NodeId,
    /// Ports of the switch with equal cost: `7:4` is the port of node 7 towards node 4.
    #[schemars(length(min = 1))]
    pub ports: Vec<Port>,
}

/// A fault.
#[derive(JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(transform = without_null_in_variants)]
pub enum Fault {
    /// Frames on a link, PFC frames included, are lost to bit errors; long frames more often than short ones.
    #[schemars(extend("x-title" = "bit errors"))]
    BitErrors {
        /// Start of the fault.
        #[serde(default)]
        #[schemars(range(max = LATEST_NS))]
        from_ns: Nanoseconds,
        /// End of the fault.
        #[schemars(range(max = LATEST_NS))]
        #[schemars(extend("x-default" = "the end of the run"))]
        until_ns: Option<Nanoseconds>,
        /// Index of the link in `links`. Both directions have the fault.
        link: LinkId,
        /// Bit error ratio of its lanes before correction.
        // More than every second bit wrong would be another signal.
        #[schemars(range(min = 0, max = 0.5))]
        ber: f64,
        /// Forward error correction.
        #[serde(default)]
        fec: Fec,
        /// Bit error ratio that remains after correction.
        #[serde(default)]
        #[schemars(range(min = 0, max = 0.5))]
        floor_ber: f64,
    },
    /// A link is down: its frames are lost. Once its ports detect that, the frames that wait there are dropped; once routing
    /// has converged, other paths are used.
    #[schemars(extend("x-title" = "link down"))]
    LinkDown {
        /// Start of the fault.
        #[serde(default)]
        #[schemars(range(max = LATEST_NS))]
        from_ns: Nanoseconds,
        /// End of the fault. Its ports then send at once.
        #[schemars(range(max = LATEST_NS))]
        #[schemars(extend("x-default" = "the end of the run"))]
        until_ns: Option<Nanoseconds>,
        /// Index of the link in `links`.
        #[schemars(extend("x-default" = "this or `node` is required"))]
        link: Option<LinkId>,
        /// Node whose links all fail.
        #[schemars(extend("x-default" = "this or `link` is required"))]
        node: Option<NodeId>,
        /// Time from the failure to its detection at the ports.
        #[schemars(range(max = LONGEST_SPAN_NS))]
        detection_ns: Nanoseconds,
        /// Time from the detection, or from the link being up again, until all switches have the new routes.
        #[schemars(range(max = LONGEST_SPAN_NS))]
        convergence_ns: Nanoseconds,
    },
    /// Two links have their second ends exchanged. Routing follows the links as written.
    #[schemars(extend("x-title" = "miswired cables"))]
    Miswired {
        /// Indices of the two links in `links`.
        links: [LinkId; 2],
    },
    /// A NIC pauses its switch permanently, whatever its buffer holds (pause storm).
    #[schemars(extend("x-title" = "stuck NIC"))]
    StuckNic {
        /// Start of the fault.
        #[serde(default)]
        #[schemars(range(max = LATEST_NS))]
        from_ns: Nanoseconds,
        /// End of the fault.
        #[schemars(range(max = LATEST_NS))]
        #[schemars(extend("x-default" = "the end of the run"))]
        until_ns: Option<Nanoseconds>,
        /// The host.
        node: NodeId,
        /// NIC port of the host, in the order of `links`.
        #[serde(default)]
        nic_port: NicPort<u32>,
        /// Priority that it pauses.
        #[schemars(range(max = HIGHEST_PRIORITY))]
        #[schemars(extend("x-default" = "every lossless priority"))]
        priority: Option<Priority>,
    },
    /// Received data goes to memory at a lower rate. The host needs a `nic.pipe`.
    #[schemars(extend("x-title" = "slow receiver"))]
    SlowReceiver {
        /// Start of the fault.
        #[serde(default)]
        #[schemars(range(max = LATEST_NS))]
        from_ns: Nanoseconds,
        /// End of the fault.
        #[schemars(range(max = LATEST_NS))]
        #[schemars(extend("x-default" = "the end of the run"))]
        until_ns: Option<Nanoseconds>,
        /// The host.
        node: NodeId,
        /// NIC port of the host, in the order of `links`.
        #[serde(default)]
        nic_port: NicPort<u32>,
        /// Rate of payload into memory.
        #[schemars(range(min = 0.001, max = HIGHEST_GBPS))]
        gbps: f64,
    },
    /// CNPs are lost on a link.
    #[schemars(extend("x-title" = "lost CNPs"))]
    CnpLoss {
        /// Start of the fault.
        #[serde(default)]
        #[schemars(range(max = LATEST_NS))]
        from_ns: Nanoseconds,
        /// End of the fault.
        #[schemars(range(max = LATEST_NS))]
        #[schemars(extend("x-default" = "the end of the run"))]
        until_ns: Option<Nanoseconds>,
        /// Index of the link in `links`. Both directions have the fault.
        link: LinkId,
        /// Probability that a CNP is lost.
        #[schemars(range(min = 0, max = 1))]
        probability: f64,
    },
    /// A NIC sends its CNPs late.
    #[schemars(extend("x-title" = "late CNPs"))]
    CnpDelay {
        /// Start of the fault.
        #[serde(default)]
        #[schemars(range(max = LATEST_NS))]
        from_ns: Nanoseconds,
        /// End of the fault.
        #[schemars(range(max = LATEST_NS))]
        #[schemars(extend("x-default" = "the end of the run"))]
        until_ns: Option<Nanoseconds>,
        /// The host.
        node: NodeId,
        /// NIC port of the host, in the order of `links`.
        #[serde(default)]
        nic_port: NicPort<u32>,
        /// Additional delay, on top of `notification.delay_ns`.
        #[schemars(range(max = LONGEST_SPAN_NS))]
        delay_ns: Nanoseconds,
    },
}

/// Forward error correction of a link.
#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fec {
    /// No correction.
    #[default]
    None,
    /// RS(528,514) of 25 Gb/s lanes.
    #[serde(rename = "rs-528")]
    Rs528,
    /// RS(544,514), one codeword at a time.
    #[serde(rename = "rs-544")]
    Rs544,
    /// RS(544,514), two codewords interleaved, as at 200 and 400 Gb/s.
    #[serde(rename = "rs-544-interleaved")]
    Rs544Interleaved,
}

/// A transport service.
#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// Reliable connection.
    #[default]
    Rc,
    /// Unreliable connection.
    Uc,
    /// Unreliable datagrams: sends of one packet.
    Ud,
    /// TCP connection between sockets of the hosts.
    Tcp,
    /// UDP datagrams between sockets of the hosts.
    Udp,
}

/// An end of a connection.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The first.
    #[default]
    A,
    /// The second.
    B,
}

/// A key that may be missing is not null.
fn without_null(schema: &mut schemars::Schema) {
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    let required = fields.get("required").cloned().unwrap_or_default();
    let is_required = |name: &String| {
        let names = required.as_array();
        names.is_some_and(|names| names.iter().any(|key| key == name))
    };
    let properties = fields.get_mut("properties");
    let Some(properties) = properties.and_then(serde_json::Value::as_object_mut) else {
        return;
    };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
        exclude_null(property);
    }
}

fn exclude_null(property: &mut serde_json::Value) {
    let Some(fields) = property.as_object_mut() else {
        return;
    };
    if let Some(serde_json::Value::Array(types)) = fields.get_mut("type") {
        types.retain(|type_name| type_name != "null");
        if let [single] = types.as_slice() {
            let single = single.clone();
            fields.insert("type".into(), single);
        }
    }
    if let Some(serde_json::Value::Array(variants)) = fields.get_mut("anyOf") {
        variants.retain(|variant| variant["type"] != "null");
        if let [single] = variants.as_slice() {
            let reference = single["$ref"].clone();
            fields.shift_remove("anyOf");
            fields.insert("$ref".into(), reference);
        }
    }
}

fn without_null_in_variants(schema: &mut schemars::Schema) {
    let variants = schema
        .get_mut("oneOf")
        .and_then(|schema| schema.as_array_mut());
    for variant in variants.into_iter().flatten() {
        if let Ok(variant) = variant.try_into() {
            without_null(variant);
        }
    }
}
