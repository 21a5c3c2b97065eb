//! What the value of each parameter may be. The widest ranges in which every computation of the simulator holds.

use super::host_pipe;
use super::problems::Findings;
use crate::model::parameters::*;
use crate::problem::grouped;
use std::ops::RangeInclusive;

/// Cells and bytes of a buffer are counted in 32 bits.
pub const LARGEST_BUFFER: u64 = 1 << 31;
/// Of each slice of a buffer whose frames wait where they came in: cells of a priority group are counted in 32 bits.
const LARGEST_SLICE: u64 = u32::MAX as u64;
/// Far above what devices have, 256 to 8,192 bytes.
const LARGEST_CREDIT: u32 = 1 << 20;
/// Every other size of a frame or of what surrounds its payload.
const LARGEST_HEADER: u32 = 10_000;
/// With the headers, a frame stays below 64 KiB.
const LARGEST_MTU: u32 = 32_768;
/// One second.
pub const LONGEST_NS: u64 = 1_000_000_000;

/// What an event's key can name (`queue::Event`): ports times priorities, queue pairs, operations.
const ENTITIES: usize = 1 << 28;
/// A link has two ports.
const MOST_LINKS: usize = ENTITIES / PRIORITIES / 2;
/// A connection has two queue pairs.
const MOST_CONNECTIONS: usize = ENTITIES / 2;

/// Notes a scenario that is larger than the simulator can count.
pub fn check_size(links: usize, connections: usize, operations: usize, findings: &mut Findings) {
    let rows = [
        ("links", links, MOST_LINKS),
        ("flows and queue_pairs", connections, MOST_CONNECTIONS),
        ("flows and operations", operations, ENTITIES),
    ];
    for (place, found, most) in rows.into_iter().filter(|(_, found, most)| found > most) {
        let most = format!("at most {}", grouped(most as i128));
        findings.note(place, grouped(found as i128), most, "");
    }
}

/// What a buffer may be, for messages.
pub fn buffer_expected() -> String {
    let largest = grouped(LARGEST_BUFFER.into());
    format!("a whole number, 1 to {largest}")
}

/// Notes every parameter that is out of its range. `root` is where the file has them.
pub fn check(root: &str, parameters: &Parameters, findings: &mut Findings) {
    let mut it = Ranges { root, findings };
    framing(&mut it, &parameters.framing);
    switch(&mut it, &parameters.switch);
    // The shortest hash has 16 bits.
    it.within("ecmp.offset_bits", parameters.ecmp.offset_bits, 0..=15);
    let ecmp = &parameters.ecmp;
    it.within("ecmp.flowlet_gap_ns", ecmp.flowlet_gap_ns, 1..=LONGEST_NS);
    it.within("ecmp.adaptive_gap_ns", ecmp.adaptive_gap_ns, 0..=LONGEST_NS);
    pfc(&mut it, &parameters.pfc);
    marking(&mut it, &parameters.marking);
    for (priority, weight) in parameters.scheduler.weights.iter().enumerate() {
        it.within(
            &format!("scheduler.weights[{priority}]"),
            *weight,
            1..=10_000,
        );
    }
    nic(&mut it, &parameters.nic, parameters.transport.mtu_bytes);
    transport(&mut it, &parameters.transport);
    let sockets = &parameters.sockets;
    // An IPv6 packet that every link takes (RFC 8200, section 5) at least.
    it.within("sockets.mtu_bytes", sockets.mtu_bytes, 1_280..=LARGEST_MTU);
    it.within("sockets.initial_window", sockets.initial_window, 1..=65_535);
    it.within("sockets.least_rto_ns", sockets.least_rto_ns, 1..=LONGEST_NS);
    it.within("sockets.retries", sockets.retries, 0..=u8::MAX);
    let notification = &parameters.notification;
    it.within(
        "notification.interval_ns",
        notification.interval_ns,
        0..=LONGEST_NS,
    );
    it.within(
        "notification.delay_ns",
        notification.delay_ns,
        0..=LONGEST_NS,
    );
    it.within("notification.priority", notification.priority, 0..=7);
}

fn framing(it: &mut Ranges, framing: &Framing) {
    let sizes = [
        ("framing.data_bytes", framing.data_bytes, 1),
        ("framing.datagram_bytes", framing.datagram_bytes, 0),
        ("framing.write_first_bytes", framing.write_first_bytes, 0),
        (
            "framing.read_response_ends_bytes",
            framing.read_response_ends_bytes,
            0,
        ),
        ("framing.read_request_bytes", framing.read_request_bytes, 1),
        ("framing.ack_bytes", framing.ack_bytes, 1),
        ("framing.cnp_bytes", framing.cnp_bytes, 1),
        ("framing.pfc_bytes", framing.pfc_bytes, 1),
        ("framing.minimum_bytes", framing.minimum_bytes, 0),
        ("framing.pad_bytes", framing.pad_bytes, 1),
        ("framing.gap_bytes", framing.gap_bytes, 0),
    ];
    for (name, bytes, least) in sizes {
        it.within(name, bytes, least..=LARGEST_HEADER);
    }
    if let Some(vlan) = framing.vlan {
        it.within("framing.vlan", vlan, 0..=4094); // IEEE 802.1Q table 9-2: 4095 is reserved
    }
}

fn switch(it: &mut Ranges, switch: &Switch) {
    let largest = match switch.architecture {
        Architecture::SharedBuffer {} => LARGEST_BUFFER,
        Architecture::Voq { .. } => LARGEST_SLICE * u64::from(switch.slices.min(64)),
    };
    it.within("switch.buffer_bytes", switch.buffer_bytes, 1..=largest);
    if let Architecture::Voq {
        credit_bytes,
        credit_latency_ns,
    } = switch.architecture
    {
        it.within(
            "switch.architecture.credit_bytes",
            credit_bytes,
            1..=LARGEST_CREDIT,
        );
        it.within(
            "switch.architecture.credit_latency_ns",
            credit_latency_ns,
            0..=LONGEST_NS,
        );
    }
    it.within("switch.slices", switch.slices, 1..=64);
    it.within("switch.cell_bytes", switch.cell_bytes, 1..=65_535);
    it.within("switch.alpha_exponent", switch.alpha_exponent, -16..=16);
    it.within(
        "switch.xon_offset_bytes",
        u64::from(switch.xon_offset_bytes),
        0..=LARGEST_BUFFER,
    );
    it.within("switch.latency_ns", switch.latency_ns, 0..=LONGEST_NS);
    division(it, switch);
    let Some(trimming) = switch.trimming else {
        return;
    };
    it.within("switch.trimming.priority", trimming.priority, 0..=7);
    it.within(
        "switch.trimming.trimmed_bytes",
        trimming.trimmed_bytes,
        1..=LARGEST_HEADER,
    );
    if let Some(ns) = trimming.queue_ns {
        it.within("switch.trimming.queue_ns", ns, 0..=LONGEST_NS);
    }
}

/// The pools of a buffer.
fn division(it: &mut Ranges, switch: &Switch) {
    let mut shares = Vec::new();
    if let Some(pools) = switch.pools {
        shares.push(("switch.pools.lossless_percent", pools.lossless_percent));
        shares.push(("switch.pools.lossy_percent", pools.lossy_percent));
    }
    match switch.shared_headroom {
        Some(SharedHeadroom::Share { percent }) => {
            shares.push(("switch.shared_headroom.percent", percent));
        }
        Some(SharedHeadroom::Fixed { bytes }) => {
            let largest = LARGEST_SLICE * u64::from(switch.slices.min(64));
            it.within("switch.shared_headroom.bytes", bytes, 1..=largest);
        }
        None => {}
    }
    for (name, percent) in &shares {
        it.within(name, *percent, 0..=100);
    }
    let sum: u32 = shares.iter().map(|(_, percent)| u32::from(*percent)).sum();
    if shares.len() > 1 && sum > 100 {
        let names: Vec<&str> = shares.iter().map(|(name, _)| *name).collect();
        it.note(
            names[0],
            format!("{sum} with {}", names[1..].join(" and ")),
            "at most 100".into(),
        );
    }
}

fn pfc(it: &mut Ranges, pfc: &Pfc) {
    if let Some(quanta) = pfc.quanta {
        it.within("pfc.quanta", quanta, 1..=u16::MAX); // 0 is XON
    }
    if let Some(quanta) = pfc.refresh_quanta {
        it.within("pfc.refresh_quanta", quanta, 1..=u16::MAX);
    }
    if let Some(watchdog) = &pfc.watchdog {
        // An hour: far above what devices take, and far from the end of time.
        let spans = [
            ("pfc.watchdog.detection_ns", watchdog.detection_ns),
            ("pfc.watchdog.restoration_ns", watchdog.restoration_ns),
            ("pfc.watchdog.poll_ns", watchdog.poll_ns),
        ];
        for (name, span) in spans {
            it.within(name, span, 1..=3_600 * LONGEST_NS);
        }
    }
    it.within(
        "pfc.generation_delay_ns",
        pfc.generation_delay_ns,
        0..=LONGEST_NS,
    );
    if let Reaction::Fixed { ns } = pfc.reaction {
        it.within("pfc.reaction.ns", ns, 0..=LONGEST_NS);
    }
}

fn marking(it: &mut Ranges, marking: &Marking) {
    it.within(
        "marking.kmin_bytes",
        marking.kmin_bytes,
        0..=marking.kmax_bytes,
    );
    if !(0.0..=1.0).contains(&marking.pmax) {
        it.note("marking.pmax", marking.pmax.to_string(), "0 to 1".into());
    }
    it.within("marking.weight", marking.weight, 0..=32);
    if let Some(gbps) = marking.reference_gbps {
        it.within("marking.reference_gbps", gbps, 1..=10_000);
    }
}

fn nic(it: &mut Ranges, nic: &Nic, mtu_bytes: u32) {
    if let Some(messages) = nic.messages_per_second {
        it.within("nic.messages_per_second", messages, 1..=1_000_000_000_000);
    }
    if let Some(pipe) = &nic.pipe {
        host_pipe::check(it, pipe, mtu_bytes);
    }
}

fn transport(it: &mut Ranges, transport: &Transport) {
    it.within("transport.mtu_bytes", transport.mtu_bytes, 1..=LARGEST_MTU);
    it.within("transport.priority", transport.priority, 0..=7);
    if let Some(priority) = transport.ack_priority {
        it.within("transport.ack_priority", priority, 0..=7);
    }
    it.within("transport.ack_every", transport.ack_every, 1..=u32::MAX);
    it.within("transport.ack_timeout", transport.ack_timeout, 0..=31); // IBTA: five bits
    it.within("transport.retry_count", transport.retry_count, 0..=7); // IBTA: three bits
    if let Some(ns) = transport.nak_interval_ns {
        it.within("transport.nak_interval_ns", ns, 0..=LONGEST_NS);
    }
    if let Some(depth) = transport.rx_depth {
        it.within("transport.rx_depth", depth, 1..=u32::MAX);
        if transport.recovery == Recovery::SelectiveRepeat {
            let expected = "none, or recovery \"go-back-n\"";
            let found = format!("{depth} and selective-repeat");
            it.note("transport.rx_depth", found, expected.into());
        }
    }
    it.within("transport.receive_ns", transport.receive_ns, 0..=LONGEST_NS);
    it.within("transport.min_rnr_timer", transport.min_rnr_timer, 0..=31); // IBTA: five bits
    it.within("transport.rnr_retry", transport.rnr_retry, 0..=7); // IBTA: three bits
    it.within(
        "transport.window_packets",
        transport.window_packets,
        1..=u16::MAX,
    );
    reordering(it, transport);
    it.within("transport.tx_depth", transport.tx_depth, 1..=u32::MAX);
    it.within(
        "transport.max_outstanding_reads",
        transport.max_outstanding_reads,
        1..=255, // IBTA: the initiator depth of a connection has eight bits
    );
}

fn reordering(it: &mut Ranges, transport: &Transport) {
    match transport.reordering {
        Reordering::None {} => return,
        Reordering::Packets { packets } => {
            it.within(
                "transport.reordering.packets",
                packets,
                1..=u32::from(u16::MAX),
            );
        }
        Reordering::Time { ns } => it.within("transport.reordering.ns", ns, 0..=LONGEST_NS),
    }
    if transport.recovery == Recovery::GoBackN {
        let expected =
            "recovery \"selective-repeat\": with go-back-N what comes out of order is not kept";
        it.note(
            "transport.reordering",
            "a rule and go-back-n".into(),
            expected.into(),
        );
    }
}

pub(super) struct Ranges<'f> {
    root: &'f str,
    findings: &'f mut Findings,
}

impl Ranges<'_> {
    pub fn within<T: Copy + PartialOrd + Into<i128>>(
        &mut self,
        name: &str,
        value: T,
        range: RangeInclusive<T>,
    ) {
        if range.contains(&value) {
            return;
        }
        let number = |it: T| grouped(it.into());
        let expected = format!("{} to {}", number(*range.start()), number(*range.end()));
        self.note(name, value.into().to_string(), expected);
    }

    pub fn note(&mut self, name: &str, found: String, expected: String) {
        let place = format!("{}.{name}", self.root);
        self.findings.note(place, found, expected, "");
    }
}
