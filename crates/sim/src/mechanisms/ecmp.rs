//! How a switch chooses among ports with the same distance to the destination: by a hash of the flow (RFC 2992,
//! section 2), so that the packets of a flow stay in order.
//!
//! The hash input distinguishes the flows of RoCEv2: the addresses of the two NIC ports and the UDP ports (IBTA annex
//! A17.9.2: the UDP source port is the entropy). Where a scenario has no addresses, they are derived from port numbers.

use crate::ids::{NodeId, PortId, QueuePairId, SwitchId};
use crate::mechanisms::chance::{mix, GOLDEN};
use crate::model::parameters::{Ecmp, EcmpHash, IpVersion};
use crate::model::scenario::{Scenario, Service};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// In the protocol field of IPv4 and the next header field of IPv6 (IANA, protocol numbers).
const UDP: u8 = 17;
const TCP: u8 = 6;

/// Listening port of sockets: iperf3's (IANA, service names: targus-getdata1).
const SOCKETS: u16 = 5201;

/// One direction of a connection, as the fields that are hashed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    /// NIC ports at its start and end.
    pub ports: [PortId; 2],
    /// Hosts of these ports.
    pub hosts: [NodeId; 2],
    /// Addresses of these ports: those of the scenario, if it has both; over IPv6 otherwise the derived ones.
    pub addresses: Option<[IpAddr; 2]>,
    /// UDP or TCP ports of its packets: source, destination.
    pub udp_ports: [u16; 2],
    /// UDP or TCP.
    pub protocol: u8,
}

impl Flow {
    /// The flow of the packets that a queue pair sends.
    pub fn from_scenario(scenario: &Scenario, queue_pair: QueuePairId) -> Self {
        let connection = &scenario.connections[queue_pair.connection()];
        let ecmp = &scenario.parameters.ecmp;
        let forward_ports = connection.ports();
        let sockets = connection.service.of_sockets();
        let destination_port = if sockets {
            SOCKETS
        } else {
            ecmp.udp_destination_port
        };
        let forward_udp_ports = [connection.udp_source_port, destination_port];
        let reverse_ports = [forward_ports[1], forward_ports[0]];
        let (ports, udp_ports) = match queue_pair.side() {
            0 => (forward_ports, forward_udp_ports),
            _ if sockets => (reverse_ports, [forward_udp_ports[1], forward_udp_ports[0]]),
            _ => (reverse_ports, ecmp.reply_ports(forward_udp_ports)),
        };
        Flow {
            ports,
            hosts: ports.map(|port| scenario.node_of(port)),
            protocol: if connection.service == Service::Tcp {
                TCP
            } else {
                UDP
            },
            addresses: find_addresses(scenario, ports),
            udp_ports,
        }
    }

    /// The choice of a switch, which is node `node`, among `candidates`; `seed` is the seed of the run.
    #[inline]
    pub fn among(
        &self,
        ecmp: &Ecmp,
        seed: u64,
        switch: SwitchId,
        node: NodeId,
        candidates: usize,
    ) -> usize {
        let offset = u32::from(ecmp.offset_bits);
        match ecmp.hash {
            // The output whose index is the switch's number, of the generator seeded with the flow's key, scaled to the range.
            EcmpHash::Splitmix64 => {
                let number = u64::from(ecmp.seed.unwrap_or(switch.0)) + 1;
                let hash = mix(self.key(seed).wrapping_add(number.wrapping_mul(GOLDEN)));
                ((u128::from(hash.rotate_right(offset)) * candidates as u128) >> 64) as usize
            }
            EcmpHash::Murmur3 => {
                let hash = self.murmur3(ecmp.seed.unwrap_or(node.0));
                hash.rotate_right(offset) as usize % candidates
            }
            EcmpHash::Crc32Lo => {
                let hash = self.crc32(ecmp.seed.unwrap_or(node.0)) as u16;
                usize::from(hash.rotate_right(offset)) % candidates
            }
        }
    }

    fn udp(&self) -> u32 {
        u32::from(self.udp_ports[0]) << 16 | u32::from(self.udp_ports[1])
    }

    fn key(&self, seed: u64) -> u64 {
        let pair = |from: u32, to: u32| u64::from(from) << 32 | u64::from(to);
        let ends = match self.addresses {
            None => pair(self.ports[0].0, self.ports[1].0),
            Some([IpAddr::V4(from), IpAddr::V4(to)]) => pair(from.to_bits(), to.to_bits()),
            Some(addresses) => {
                let halves = addresses
                    .map(wide)
                    .map(|address| [(address >> 64) as u64, address as u64]);
                let halves = halves.into_iter().flatten();
                halves.fold(0, |so_far, half| mix(so_far ^ half))
            }
        };
        mix(mix(mix(seed) ^ ends) ^ u64::from(self.udp()))
    }

    fn murmur3(&self, seed: u32) -> u32 {
        let udp = self.udp().rotate_left(16);
        match self.addresses {
            None => {
                let [from, to] = self.hosts.map(address);
                murmur3(&[from, to, udp], seed)
            }
            Some([IpAddr::V4(from), IpAddr::V4(to)]) => {
                murmur3(&[from.to_bits(), to.to_bits(), udp], seed)
            }
            Some(addresses) => {
                let mut words = [udp; 9];
                for (position, word) in words[..8].iter_mut().enumerate() {
                    *word = (wide(addresses[position / 4]) >> (96 - 32 * (position % 4))) as u32;
                }
                murmur3(&words, seed)
            }
        }
    }

    /// CRC-32 of IEEE 802.3 over source, destination, protocol and ports in network order, continued from the seed as in zlib's
    /// `crc32` does.
    fn crc32(&self, seed: u32) -> u32 {
        let mut crc = crc32fast::Hasher::new_with_initial(seed);
        let derive_addresses = || self.ports.map(|port| IpAddr::V4(derive_address(port)));
        for address in self.addresses.unwrap_or_else(derive_addresses) {
            match address {
                IpAddr::V4(address) => crc.update(&address.octets()),
                IpAddr::V6(address) => crc.update(&address.octets()),
            }
        }
        let [source, destination] = self.udp_ports.map(u16::to_be_bytes);
        let [protocol, source, destination] = [&[self.protocol][..], &source, &destination];
        for part in [protocol, source, destination] {
            crc.update(part);
        }
        crc.finalize()
    }
}

/// The addresses in the packets from one NIC port to another.
pub(crate) fn addresses(scenario: &Scenario, ports: [PortId; 2]) -> [IpAddr; 2] {
    find_addresses(scenario, ports).unwrap_or_else(|| ports.map(|port| derive_address(port).into()))
}

fn find_addresses(scenario: &Scenario, ports: [PortId; 2]) -> Option<[IpAddr; 2]> {
    match ports.map(|port| scenario.given_address(port)) {
        [Some(from), Some(to)] => Some([from, to]),
        _ if scenario.parameters.framing.ip == IpVersion::Ipv6 => {
            Some(ports.map(|port| stand_in_v6(port).into()))
        }
        _ => None,
    }
}

/// Derived address of a NIC port without one: unique local (RFC 4193), fd00:: and the number of its IPv4 address.
fn stand_in_v6(port: PortId) -> Ipv6Addr {
    Ipv6Addr::from(0xfd << 120 | u128::from(derive_address(port).to_bits()))
}

/// Derived address of a NIC port without one: in 10.0.0.0/8 (RFC 1918), the port's number plus one.
fn derive_address(port: PortId) -> Ipv4Addr {
    Ipv4Addr::from((10 << 24) + port.0 + 1)
}

/// An address as one number.
fn wide(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The address of a host in the ns-3 simulator of HPCC: 11.0.0.1, and the host's number in the second and third byte.
fn address(host: NodeId) -> u32 {
    0x0b00_0001_u32.wrapping_add(host.0 << 8)
}

/// MurmurHash3_x86_32 (Austin Appleby, 2011, public domain) of whole words.
fn murmur3(words: &[u32], seed: u32) -> u32 {
    let mut hash = seed;
    for word in words {
        let scrambled = word.wrapping_mul(0xcc9e_2d51).rotate_left(15);
        hash ^= scrambled.wrapping_mul(0x1b87_3593);
        hash = hash.rotate_left(13).wrapping_mul(5);
        hash = hash.wrapping_add(0xe654_6b64);
    }
    hash ^= 4 * words.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::preset;

    #[test]
    fn addresses_of_hosts() {
        let rows = [
            (0, 0x0b00_0001),
            (1, 0x0b00_0101),
            (255, 0x0b00_ff01),
            (256, 0x0b01_0001),
            (1023, 0x0b03_ff01),
        ];
        for (host, expected) in rows {
            assert_eq!(address(NodeId(host)), expected, "{host}");
        }
    }

    /// Rows of the reference implementation.
    #[test]
    fn murmur_hashes() {
        let rows = [
            ([0, 0, 0], 0, 0xd941_144b),
            ([1, 2, 3], 4, 0x94d6_5d44),
            (
                [0x0b00_0001, 0x0b00_0101, 100 << 16 | 10_000],
                17,
                0xc461_67a1,
            ),
        ];
        for (words, seed, expected) in rows {
            assert_eq!(murmur3(&words, seed), expected, "{words:?}");
        }
    }

    /// A flow between hosts 1 and 0 of the ns-3 simulator, the reply to one from UDP port 10,000 to 100.
    fn reverse_flow(addresses: Option<[&str; 2]>) -> Flow {
        Flow {
            ports: [PortId(2), PortId(0)],
            hosts: [NodeId(1), NodeId(0)],
            addresses: addresses.map(|both| both.map(|address| address.parse().unwrap())),
            udp_ports: [100, 10_000],
            protocol: UDP,
        }
    }

    fn ecmp(hash: EcmpHash) -> Ecmp {
        Ecmp {
            hash,
            ..preset::by_name("roce").unwrap().ecmp
        }
    }

    /// The reference implementation of MurmurHash3, zlib's crc32, and SplitMix64 as published, on the same input.
    #[test]
    fn choices() {
        let v4 = Some(["11.0.1.1", "11.0.0.1"]);
        let v6 = Some(["2001:db8::1", "2001:db8::ff00:2"]);
        let rows = [
            (EcmpHash::Splitmix64, None, None, 987),
            (EcmpHash::Splitmix64, v4, None, 663),
            (EcmpHash::Splitmix64, v4, Some(5), 277),
            (EcmpHash::Splitmix64, v6, None, 426),
            (EcmpHash::Murmur3, None, None, 997),
            (EcmpHash::Murmur3, v4, None, 997),
            (EcmpHash::Murmur3, v4, Some(5), 13),
            (EcmpHash::Murmur3, v6, None, 383),
            (EcmpHash::Crc32Lo, None, None, 676),
            (EcmpHash::Crc32Lo, v4, None, 55),
            (EcmpHash::Crc32Lo, v6, None, 984),
        ];
        for (hash, addresses, seed, expected) in rows {
            let ecmp = Ecmp { seed, ..ecmp(hash) };
            let chosen = reverse_flow(addresses).among(&ecmp, 1, SwitchId(0), NodeId(17), 1000);
            assert_eq!(chosen, expected, "{hash:?} {addresses:?} {seed:?}");
        }
        let rotated = Ecmp {
            offset_bits: 4,
            ..ecmp(EcmpHash::Crc32Lo)
        };
        assert_eq!(
            reverse_flow(v4).among(&rotated, 1, SwitchId(0), NodeId(17), 1000),
            675
        );
    }
}
