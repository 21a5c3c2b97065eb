//! Settings of every port and priority after the rules are applied to its link rate, and the cells of every buffer left to share.

use crate::bytes::Bytes;
use crate::headroom::{Loop, Terms};
use crate::ids::{ports_of, switches_of, NodeId, PortId, Priority, PRIORITIES};
use crate::mechanisms::buffer_pools::{self, Division, Slice};
use crate::mechanisms::pause;
use crate::mechanisms::port_priority::PortPriorityTable;
use crate::mechanisms::priority_settings::PrioritySettings;
use crate::model::overrides::Slot;
use crate::model::parameters::{Headroom, Marking, PoolCounts, Switch};
use crate::model::scenario::{Link, Scenario};
use crate::problem::{format_thousands, Problem, Refusal};
use crate::time::{Picoseconds, SECOND};

/// The settings of all ports and the pools of all switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferSettings {
    /// By port and priority.
    pub priority_settings: PortPriorityTable<PrioritySettings>,
    /// By port: slice of the switch's buffer for packets that enter through the port.
    pub slices: Vec<u32>,
    /// By switch (0 = the first node after the hosts).
    pub pools: Vec<Division>,
}

impl BufferSettings {
    /// Index of the first pool of each switch among all pools.
    pub fn first_pools(&self) -> Vec<u32> {
        let counts = self.pools.iter().map(|pool| pool.pools().count() as u32);
        let ends = counts.scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    }
}

/// Computes every port and pool. Refused: a switch whose guarantees use the whole buffer.
pub fn resolve(scenario: &Scenario) -> Result<BufferSettings, Refusal> {
    let rules = Rules::from_scenario(scenario);
    let ports = scenario.links.len() * 2;
    let mut priority_settings = PortPriorityTable::new(ports, |_, _| PrioritySettings::default());
    let mut slices = vec![0; ports];
    let mut pools = Vec::with_capacity(scenario.switches as usize);
    let mut problems = Vec::new();
    for (switch, switch_ports) in switches_of(scenario.switches).zip(&switch_ports(scenario)) {
        let node = NodeId::of_switch(scenario.hosts, switch);
        let cut = scenario.of_node(node).switch.slices;
        for (position, &port) in switch_ports.iter().enumerate() {
            slices[port] = (position as u64 * u64::from(cut) / switch_ports.len() as u64) as u32;
            let settings_by_priority = rules.port(port);
            for (priority, settings) in Priority::all().zip(settings_by_priority) {
                priority_settings[(port, priority)] = settings;
            }
        }
        let pool = (0..cut).map(|slice| {
            let inside = switch_ports.iter().filter(|port| slices[**port] == slice);
            rules.pool(node, inside.copied(), &priority_settings)
        });
        match pool.collect::<Result<Vec<Slice>, String>>() {
            Ok(slices) => pools.push(Division::from_slices(&slices)),
            Err(found) => problems.push(too_small(node, cut, found)),
        }
    }
    match problems.is_empty() {
        true => Ok(BufferSettings {
            priority_settings,
            slices,
            pools,
        }),
        false => Err(Refusal(problems)),
    }
}

/// The ports of every switch in ascending order.
fn switch_ports(scenario: &Scenario) -> Vec<Vec<PortId>> {
    let mut ports = vec![Vec::new(); scenario.switches as usize];
    for port in ports_of(scenario.links.len()) {
        if let Some(switch) = scenario.node_of(port).switch(scenario.hosts) {
            ports[switch].push(port);
        }
    }
    ports
}

/// The rules of a scenario, and the parts of it that they refer to.
struct Rules<'a> {
    scenario: &'a Scenario,
    /// Rate of the slowest host link; none = no host has a link.
    slowest_host: Option<u64>,
    longest: Bytes<u32>,
}

impl<'a> Rules<'a> {
    fn from_scenario(scenario: &'a Scenario) -> Self {
        let of_host = |link: &&Link| {
            [link.a, link.b]
                .iter()
                .any(|node| !node.is_switch(scenario.hosts))
        };
        let rates = scenario.links.iter().filter(of_host).map(|link| link.rate);
        Rules {
            scenario,
            slowest_host: rates.min(),
            longest: scenario.longest_frame(),
        }
    }

    /// Settings of every priority of a port; priorities with equal rules are computed once.
    fn port(&self, port: PortId) -> [PrioritySettings; PRIORITIES] {
        let numbers: [u32; PRIORITIES] = std::array::from_fn(|priority| {
            let priority = Priority(priority as u8);
            self.scenario
                .devices
                .number(Slot::PriorityQueue(port, priority))
        });
        let mut settings_by_priority = [PrioritySettings::default(); PRIORITIES];
        for priority in Priority::all() {
            let mut previous_priorities = Priority::all().take_while(|other| *other < priority);
            let same = previous_priorities.find(|other| numbers[*other] == numbers[priority]);
            settings_by_priority[priority] = match same {
                Some(other) => settings_by_priority[other],
                None => self.priority_settings(port, priority),
            };
        }
        settings_by_priority
    }

    fn priority_settings(&self, port: PortId, priority: Priority) -> PrioritySettings {
        let cell = self.switch_of(port).cell_bytes;
        let settings = self.scenario.of_priority_queue(port, priority);
        let link = self.link(port);
        PrioritySettings {
            headroom_cells: self.headroom(port, priority),
            reserve_cells: settings.switch.reserve_bytes.div_ceil(cell),
            alpha_exponent: self.alpha_exponent(&settings.switch, link.rate),
            xon_offset_cells: settings.switch.xon_offset_bytes.div_ceil(cell),
            kmin_bytes: at_rate(&settings.marking, settings.marking.kmin_bytes, link.rate),
            kmax_bytes: at_rate(&settings.marking, settings.marking.kmax_bytes, link.rate),
        }
    }

    fn link(&self, port: PortId) -> &Link {
        &self.scenario.links[port.link()]
    }

    fn switch_of(&self, port: PortId) -> &Switch {
        &self.scenario.of_node(self.scenario.node_of(port)).switch
    }

    /// Larger than any buffer: the pool is then negative and refused.
    fn headroom(&self, port: PortId, priority: Priority) -> u32 {
        let cell = u128::from(self.switch_of(port).cell_bytes.0);
        let link = self.link(port);
        let cells = match self
            .scenario
            .of_priority_queue(port, priority)
            .switch
            .headroom
        {
            Headroom::Fixed { bytes } => u128::from(bytes.0).div_ceil(cell),
            Headroom::RateDelay { times } => {
                let bits = u128::from(link.rate) * u128::from(link.delay.0) * u128::from(times);
                bits.div_ceil(8 * u128::from(SECOND.0)).div_ceil(cell)
            }
            Headroom::Computed { percent } => {
                let cells = Terms::compute(&self.control_loop(port)).cells();
                (u128::from(cells) * u128::from(percent)).div_ceil(100)
            }
        };
        u32::try_from(cells).unwrap_or(u32::MAX)
    }

    /// From the decision of this port to pause until its peer stops.
    fn control_loop(&self, port: PortId) -> Loop {
        let framing = self.scenario.parameters.framing.add_encapsulation();
        let link = self.link(port);
        let pfc = &self.scenario.of_port(port).pfc;
        let switch = self.switch_of(port);
        Loop {
            rate: link.rate,
            delay: link.delay,
            // A frame counts once it has arrived in the switch; frames that the peer starts until then arrive as well.
            generation: Picoseconds::from(pfc.generation_delay_ns)
                + Picoseconds::from(switch.latency_ns),
            response: pause::reaction(&self.scenario.of_port(port.peer()).pfc.reaction, link.rate),
            longest: self.longest,
            shortest: framing.shortest(),
            pfc: framing.pfc_bytes,
            lossless: pfc.lossless_priorities.count_ones(),
            gap: framing.gap_bytes,
            cell: switch.cell_bytes,
        }
    }

    fn alpha_exponent(&self, switch: &Switch, rate: u64) -> i8 {
        let mut exponent = switch.alpha_exponent;
        let Some(slowest) = self.slowest_host.filter(|_| switch.alpha_follows_rate) else {
            return exponent;
        };
        let mut rate = rate;
        while exponent < 0 && rate / 2 >= slowest {
            exponent += 1;
            rate /= 2;
        }
        exponent
    }

    /// Cells that the ports of a slice share, by pool; if none are left, the calculation in bytes.
    fn pool(
        &self,
        node: NodeId,
        ports: impl Iterator<Item = PortId>,
        priority_settings: &PortPriorityTable<PrioritySettings>,
    ) -> Result<Slice, String> {
        let switch = &self.scenario.of_node(node).switch;
        let mut headrooms = Vec::new();
        let mut reserves = Vec::new();
        for port in ports {
            let lossless = self.scenario.of_port(port).pfc.lossless_priorities;
            let groups = Priority::all().filter(|priority| lossless & priority.bit() != 0);
            let headroom =
                groups.map(|priority| priority_settings[(port, priority)].headroom_cells);
            let reserve = priority_settings
                .of_port(port)
                .map(|setting| setting.reserve_cells);
            match switch.pool_counts {
                PoolCounts::PriorityGroup => {
                    headrooms.extend(headroom);
                    reserves.extend(reserve);
                }
                PoolCounts::Port => {
                    let all = priority_settings
                        .of_port(port)
                        .map(|setting| setting.headroom_cells);
                    headrooms.extend(headroom.max().or(all.max()));
                    reserves.extend(reserve.max());
                }
            }
        }
        if switch.shared_headroom.is_some() {
            headrooms.clear();
        }
        let (headroom, reserve) = (count_values(headrooms), count_values(reserves));
        let common: Vec<(u64, u64)> = buffer_pools::fixed_headroom(switch)
            .map(|cells| (1, cells))
            .into_iter()
            .collect();
        let switch_id = node.switch(self.scenario.hosts).expect("a switch");
        let buffer = self.scenario.buffer_bytes[switch_id];
        let cells = buffer / u64::from(switch.slices) / switch.cell_bytes.widen();
        let guaranteed_cells: u64 = headroom
            .iter()
            .chain(&reserve)
            .chain(&common)
            .map(|(times, each)| times * each)
            .sum();
        if guaranteed_cells < cells {
            return Slice::from_switch(switch, cells - guaranteed_cells);
        }
        let bytes = |cells: i128| format_thousands(cells * i128::from(switch.cell_bytes.0));
        let terms = |named: &[(u64, u64)], name: &str| -> String {
            let term = |(times, each): &(u64, u64)| {
                format!(" - {times} x {} {name}", bytes(i128::from(*each)))
            };
            named.iter().map(term).collect()
        };
        let left = bytes(i128::from(cells) - i128::from(guaranteed_cells));
        let buffer = bytes(i128::from(cells));
        Err(format!(
            "a shared pool of {left} bytes = {buffer} buffer{}{}{}",
            terms(&headroom, "headroom"),
            terms(&reserve, "reserve"),
            terms(&common, "shared headroom")
        ))
    }
}

/// A marking threshold on a link of this rate.
fn at_rate(marking: &Marking, bytes: Bytes<u32>, rate: u64) -> Bytes<u32> {
    let Some(gbps) = marking.reference_gbps else {
        return bytes;
    };
    let scaled = u128::from(bytes.0) * u128::from(rate) / (u128::from(gbps) * 1_000_000_000);
    Bytes(u32::try_from(scaled).unwrap_or(u32::MAX))
}

fn too_small(node: NodeId, slices: u32, found: String) -> Problem {
    let of_slice = match slices {
        1 => String::new(),
        slices => format!(" (one of {slices} slices)"),
    };
    Problem {
        location: format!("switch {node}"),
        found: found + &of_slice,
        expected: "more than 0".into(),
        hint: "a larger buffer_bytes, shorter cables or fewer ports leave something to share"
            .into(),
    }
}

/// Each value other than 0, ascending, with its count.
fn count_values(mut values: Vec<u32>) -> Vec<(u64, u64)> {
    values.retain(|value| *value > 0);
    values.sort_unstable();
    let runs = values.chunk_by(|a, b| a == b);
    runs.map(|run| (run.len() as u64, u64::from(run[0])))
        .collect()
}

#[cfg(test)]
mod tests;
