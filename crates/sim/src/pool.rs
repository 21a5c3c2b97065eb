//! What every port is set to once the rules have met its link, and what is left of every buffer to share.

use crate::headroom::{Loop, Terms};
use crate::parameters::{Framing, Headroom, Parameters, PoolCounts, PRIORITIES};
use crate::pause;
use crate::problem::{grouped, Problem, Refused};
use crate::scenario::{Link, Scenario};
use crate::time::{NANOSECOND, SECOND};

/// What a switch port is set to. A NIC port has zeros.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PortSettings {
    /// Headroom of each lossless priority group.
    pub headroom_cells: u32,
    /// Guaranteed to each priority group.
    pub reserve_cells: u32,
    /// Dynamic threshold: free shared cells times 2^this.
    pub alpha_exponent: i8,
    /// XON when shared use is this much below the threshold.
    pub xon_offset_cells: u32,
    /// Marking begins above, bytes of an egress queue.
    pub kmin_bytes: u32,
    /// Everything is marked above.
    pub kmax_bytes: u32,
    /// Slice of the switch's buffer for what comes in here.
    pub slice: u32,
}

/// The settings of all ports and the pools of all switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// By global port number.
    pub ports: Vec<PortSettings>,
    /// By switch (0 = the first node after the hosts) and slice: shared cells.
    pub pools: Vec<Vec<u64>>,
}

/// Settles every port and pool. Refused: a switch whose guarantees take the whole buffer.
pub fn resolve(scenario: &Scenario) -> Result<Resolved, Refused> {
    let rules = Rules::of(scenario);
    let mut ports = vec![PortSettings::default(); scenario.links.len() * 2];
    let mut pools = Vec::with_capacity(scenario.switches as usize);
    let mut problems = Vec::new();
    for (switch, own) in switch_ports(scenario).iter().enumerate() {
        for (place, &port) in own.iter().enumerate() {
            let slice = place as u64 * u64::from(rules.slices()) / own.len() as u64;
            let link = &scenario.links[port as usize / 2];
            ports[port as usize] = rules.port(link, slice as u32);
        }
        let slices = (0..rules.slices()).map(|slice| {
            let settings = own.iter().map(|&port| ports[port as usize]);
            let of_slice: Vec<_> = settings.filter(|it| it.slice == slice).collect();
            rules.pool(scenario.buffer_bytes[switch], &of_slice)
        });
        let pool = slices.collect::<Result<Vec<u64>, String>>();
        match pool {
            Ok(pool) => pools.push(pool),
            Err(found) => problems.push(rules.too_small(scenario.hosts as usize + switch, found)),
        }
    }
    match problems.is_empty() {
        true => Ok(Resolved { ports, pools }),
        false => Err(Refused(problems)),
    }
}

impl Framing {
    /// The longest frame of a message, header through FCS, bytes.
    pub fn longest(&self, mtu_bytes: u32) -> u32 {
        let payload = mtu_bytes.div_ceil(self.pad_bytes) * self.pad_bytes;
        let extension = self.write_first_bytes.max(self.read_response_ends_bytes);
        (self.data_bytes + extension + payload).max(self.minimum_bytes)
    }

    /// The shortest frame there can be, PFC aside.
    pub fn shortest(&self) -> u32 {
        let bare = self.data_bytes.min(self.read_request_bytes);
        let answer = self.ack_bytes.min(self.cnp_bytes);
        bare.min(answer).max(self.minimum_bytes)
    }
}

/// The ports of every switch in ascending order.
fn switch_ports(scenario: &Scenario) -> Vec<Vec<u32>> {
    let mut ports = vec![Vec::new(); scenario.switches as usize];
    for port in 0..scenario.links.len() as u32 * 2 {
        if let Some(switch) = scenario.node_of(port).checked_sub(scenario.hosts) {
            ports[switch as usize].push(port);
        }
    }
    ports
}

/// The parameters, and what of the scenario they refer to.
struct Rules<'a> {
    parameters: &'a Parameters,
    /// The slowest link of a host; none = no host has one.
    slowest_host: Option<u64>,
}

impl<'a> Rules<'a> {
    fn of(scenario: &'a Scenario) -> Self {
        let of_host = |link: &&Link| link.a < scenario.hosts || link.b < scenario.hosts;
        let rates = scenario.links.iter().filter(of_host).map(|link| link.rate);
        Rules {
            parameters: &scenario.parameters,
            slowest_host: rates.min(),
        }
    }

    fn slices(&self) -> u32 {
        self.parameters.switch.slices
    }

    fn cells(&self, bytes: u32) -> u32 {
        bytes.div_ceil(self.parameters.switch.cell_bytes)
    }

    fn port(&self, link: &Link, slice: u32) -> PortSettings {
        let switch = &self.parameters.switch;
        let marking = &self.parameters.marking;
        PortSettings {
            headroom_cells: self.headroom(link),
            reserve_cells: self.cells(switch.reserve_bytes),
            alpha_exponent: self.alpha_exponent(link.rate),
            xon_offset_cells: self.cells(switch.xon_offset_bytes),
            kmin_bytes: self.at_rate(marking.kmin_bytes, link.rate),
            kmax_bytes: self.at_rate(marking.kmax_bytes, link.rate),
            slice,
        }
    }

    /// More than any buffer has is as good as any other too much: the pool then comes out negative.
    fn headroom(&self, link: &Link) -> u32 {
        let cell = u128::from(self.parameters.switch.cell_bytes);
        let cells = match self.parameters.switch.headroom {
            Headroom::Fixed { bytes } => u128::from(self.cells(bytes)),
            Headroom::RateDelay { times } => {
                let bits = u128::from(link.rate) * u128::from(link.delay) * u128::from(times);
                bits.div_ceil(8 * u128::from(SECOND)).div_ceil(cell)
            }
            Headroom::Computed { percent } => {
                let cells = Terms::of(&self.control_loop(link)).cells();
                (u128::from(cells) * u128::from(percent)).div_ceil(100)
            }
        };
        u32::try_from(cells).unwrap_or(u32::MAX)
    }

    fn control_loop(&self, link: &Link) -> Loop {
        let Parameters {
            framing,
            switch,
            pfc,
            transport,
            ..
        } = self.parameters;
        Loop {
            rate: link.rate,
            delay: link.delay,
            // A frame counts once it stands in the switch; what the peer starts until then arrives as well.
            generation: (pfc.generation_delay_ns + switch.latency_ns) * NANOSECOND,
            response: pause::reaction(&pfc.reaction, link.rate),
            longest: framing.longest(transport.mtu_bytes),
            shortest: framing.shortest(),
            pfc: framing.pfc_bytes,
            lossless: pfc.lossless_priorities.count_ones(),
            gap: framing.gap_bytes,
            cell: switch.cell_bytes,
        }
    }

    fn alpha_exponent(&self, rate: u64) -> i8 {
        let switch = &self.parameters.switch;
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

    /// A marking threshold on a link of this rate.
    fn at_rate(&self, bytes: u32, rate: u64) -> u32 {
        let Some(gbps) = self.parameters.marking.reference_gbps else {
            return bytes;
        };
        let scaled = u128::from(bytes) * u128::from(rate) / (u128::from(gbps) * 1_000_000_000);
        u32::try_from(scaled).unwrap_or(u32::MAX)
    }

    /// Cells that a slice shares between its ports; where nothing is left, the arithmetic in bytes.
    fn pool(&self, buffer_bytes: u64, ports: &[PortSettings]) -> Result<u64, String> {
        let switch = &self.parameters.switch;
        let (headrooms, reserves) = match switch.pool_counts {
            PoolCounts::Port => (1, 1),
            PoolCounts::PriorityGroup => {
                let lossless = self.parameters.pfc.lossless_priorities.count_ones();
                (u64::from(lossless), PRIORITIES as u64)
            }
        };
        let headroom = counted(ports.iter().map(|it| it.headroom_cells), headrooms);
        let reserve = counted(ports.iter().map(|it| it.reserve_cells), reserves);
        let cells = buffer_bytes / u64::from(switch.slices) / u64::from(switch.cell_bytes);
        let taken: u64 = headroom
            .iter()
            .chain(&reserve)
            .map(|(times, each)| times * each)
            .sum();
        if taken < cells {
            return Ok(cells - taken);
        }
        let bytes = |cells: i128| grouped(cells * i128::from(switch.cell_bytes));
        let terms = |named: &[(u64, u64)], name: &str| -> String {
            let term = |(times, each): &(u64, u64)| {
                format!(" - {times} x {} {name}", bytes(i128::from(*each)))
            };
            named.iter().map(term).collect()
        };
        let left = bytes(i128::from(cells) - i128::from(taken));
        let buffer = bytes(i128::from(cells));
        Err(format!(
            "a shared pool of {left} bytes = {buffer} buffer{}{}",
            terms(&headroom, "headroom"),
            terms(&reserve, "reserve")
        ))
    }

    fn too_small(&self, switch: usize, found: String) -> Problem {
        let of_slice = match self.slices() {
            1 => String::new(),
            slices => format!(" (one of {slices} slices)"),
        };
        Problem {
            place: format!("switch {switch}"),
            found: found + &of_slice,
            expected: "more than 0".into(),
            hint: "a larger buffer_bytes, shorter cables or fewer ports leave something to share"
                .into(),
        }
    }
}

/// Each value other than 0, ascending, after how often it occurs, counting every one `times` over.
fn counted(values: impl Iterator<Item = u32>, times: u64) -> Vec<(u64, u64)> {
    let mut values: Vec<u32> = values.filter(|value| *value > 0).collect();
    values.sort_unstable();
    let runs = values.chunk_by(|a, b| a == b);
    runs.map(|run| (times * run.len() as u64, u64::from(run[0])))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset;
    use crate::scenario::Observe;
    use crate::time::NEVER;

    /// One switch with `buffer` bytes: a host at each of these rates (Gb/s), 1 us of cable.
    fn star(preset: &str, buffer: u64, rates: &[u64]) -> Scenario {
        let hosts = rates.len() as u32;
        let link = |(host, rate): (u32, &u64)| Link {
            a: host,
            b: hosts,
            rate: rate * 1_000_000_000,
            delay: 1_000_000,
            loss: 0.0,
            pfc_lost_from: NEVER,
        };
        Scenario {
            name: String::new(),
            hosts,
            switches: 1,
            links: (0..).zip(rates).map(link).collect(),
            addresses: Vec::new(),
            buffer_bytes: vec![buffer],
            connections: Vec::new(),
            operations: Vec::new(),
            parameters: preset::by_name(preset).unwrap(),
            faults: Vec::new(),
            seed: 1,
            until: crate::time::NEVER,
            observe: Observe::default(),
        }
    }

    /// P1 with ns-3 HPCC's rules: a leaf of eight hosts at 100 Gb/s below a spine at 400 Gb/s.
    #[test]
    fn a_leaf_as_hpcc_sets_it() {
        let mut leaf = star("hpcc", 2 << 20, &[100; 8]);
        leaf.switches = 2;
        leaf.buffer_bytes.push(2 << 20);
        leaf.links.push(Link {
            a: 8,
            b: 9,
            rate: 400_000_000_000,
            ..leaf.links[0]
        });
        let resolved = resolve(&leaf).unwrap();
        let down = PortSettings {
            headroom_cells: 37_500,
            reserve_cells: 4096,
            alpha_exponent: -3,
            xon_offset_cells: 3072,
            kmin_bytes: 400_000,
            kmax_bytes: 1_600_000,
            slice: 0,
        };
        let up = PortSettings {
            headroom_cells: 150_000,
            alpha_exponent: -1,
            kmin_bytes: 1_600_000,
            kmax_bytes: 6_400_000,
            ..down
        };
        assert_eq!(resolved.ports[0], PortSettings::default()); // a NIC port
        assert_eq!(resolved.ports[1], down);
        assert_eq!([resolved.ports[16], resolved.ports[17]], [up, up]);
        assert_eq!(
            resolved.pools,
            [
                [2_097_152 - 8 * 37_500 - 150_000 - 9 * 4096],
                [2_097_152 - 150_000 - 4096]
            ]
        );
    }

    #[test]
    fn a_port_lives_in_its_slice() {
        let star = star("roce", 8 << 20, &[100, 100, 100, 100, 400]);
        let resolved = resolve(&star).unwrap();
        let of_switch = |n: usize| resolved.ports[2 * n + 1];
        assert_eq!([0, 1, 2, 3, 4].map(|n| of_switch(n).slice), [0, 0, 0, 1, 1]);
        // Terms of headroom.rs; reserves of eight priorities, 10 cells each; half of the buffer is 16,513 cells.
        let (slow, fast) = (of_switch(0).headroom_cells, of_switch(4).headroom_cells);
        assert_eq!((slow, fast), (682, 1964));
        let pools = [16_513 - 3 * (682 + 80), 16_513 - (682 + 80) - (1964 + 80)];
        assert_eq!(resolved.pools, [pools]);
        // AN210's thresholds are those of 400 Gb/s.
        assert_eq!(of_switch(4).kmin_bytes, 1_000_000);
        assert_eq!(
            (of_switch(0).kmin_bytes, of_switch(0).kmax_bytes),
            (250_000, 750_000)
        );
    }

    #[test]
    fn headroom_and_alpha_by_rule() {
        let base = star("hpcc", 32 << 20, &[100, 200, 400, 800, 3200]);
        let alpha = |follows: bool, exponent: i8| {
            let mut star = base.clone();
            star.parameters.switch.alpha_exponent = exponent;
            star.parameters.switch.alpha_follows_rate = follows;
            let ports = resolve(&star).unwrap().ports;
            [1, 3, 5, 7, 9].map(|port| ports[port].alpha_exponent)
        };
        assert_eq!(alpha(true, -3), [-3, -2, -1, 0, 0]);
        assert_eq!(alpha(false, -3), [-3; 5]);
        assert_eq!(alpha(true, 1), [1; 5]);

        let headroom = |rule: Headroom| {
            let mut star = base.clone();
            star.parameters.switch.headroom = rule;
            star.parameters.switch.cell_bytes = 100;
            let ports = resolve(&star).unwrap().ports;
            [1, 3].map(|port| ports[port].headroom_cells)
        };
        assert_eq!(headroom(Headroom::Fixed { bytes: 5001 }), [51, 51]);
        assert_eq!(headroom(Headroom::RateDelay { times: 1 }), [125, 250]);
        let whole = headroom(Headroom::Computed { percent: 100 });
        let less = headroom(Headroom::Computed { percent: 90 });
        assert_eq!([0, 1].map(|n| (whole[n] * 9).div_ceil(10)), less);
    }

    #[test]
    fn frame_lengths() {
        let lengths = |preset: &str| {
            let it = preset::by_name(preset).unwrap();
            (
                it.framing.shortest(),
                it.framing.longest(it.transport.mtu_bytes),
            )
        };
        assert_eq!(lengths("hpcc"), (48, 4144));
        assert_eq!(lengths("roce"), (64, 4174));
    }

    #[test]
    fn refusals() {
        let rows = [
            (
                star("hpcc", 665_536, &[100; 16]),
                "switch 16: found a shared pool of 0 bytes = 665,536 buffer - 16 x 37,500 headroom - 16 x 4,096 reserve, \
                 expected more than 0\n  \
                 hint: a larger buffer_bytes, shorter cables or fewer ports leave something to share",
            ),
            (
                star("hpcc", 200_000, &[100, 400, 100]),
                "switch 3: found a shared pool of -37,288 bytes = 200,000 buffer - 2 x 37,500 headroom - 1 x 150,000 headroom \
                 - 3 x 4,096 reserve, expected more than 0\n  \
                 hint: a larger buffer_bytes, shorter cables or fewer ports leave something to share",
            ),
            (
                star("roce", 400_000, &[100, 100, 100]),
                "switch 3: found a shared pool of -187,198 bytes = 199,898 buffer - 2 x 173,228 headroom - 16 x 2,540 reserve \
                 (one of 2 slices), expected more than 0\n  \
                 hint: a larger buffer_bytes, shorter cables or fewer ports leave something to share",
            ),
        ];
        for (scenario, message) in rows {
            assert_eq!(resolve(&scenario).unwrap_err().to_string(), message);
        }
        assert!(resolve(&star("hpcc", 665_537, &[100; 16])).is_ok());
    }
}
