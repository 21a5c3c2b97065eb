//! How a switch chooses among ports that lead equally close to the destination: by a hash of the flow (RFC 2992,
//! section 2), so that the packets of a flow stay in order.

use crate::chance::{mix, GOLDEN};
use crate::parameters::{Ecmp, EcmpHash};

/// One direction of a connection, as hashes see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    /// NIC ports it leads from and to.
    pub ports: [u32; 2],
    /// The hosts they belong to.
    pub hosts: [u32; 2],
    /// UDP ports of its packets: source, destination.
    pub udp_ports: [u16; 2],
}

/// The choices that switches make for one flow.
pub(crate) enum Choice {
    SplitMix64 { key: u64 },
    Murmur3 { words: [u32; 3] },
}

impl Choice {
    /// Of `flow`, where chance has `seed`.
    pub fn of(ecmp: &Ecmp, flow: &Flow, seed: u64) -> Self {
        let udp = u32::from(flow.udp_ports[0]) << 16 | u32::from(flow.udp_ports[1]);
        match ecmp.hash {
            EcmpHash::Splitmix64 => {
                let ports = u64::from(flow.ports[0]) << 32 | u64::from(flow.ports[1]);
                let key = mix(mix(mix(seed) ^ ports) ^ u64::from(udp));
                Choice::SplitMix64 { key }
            }
            EcmpHash::Murmur3 => {
                let [from, to] = flow.hosts.map(address);
                let words = [from, to, udp.rotate_left(16)];
                Choice::Murmur3 { words }
            }
        }
    }

    /// The choice of switch number `switch` (`node` among all nodes) among so many candidates.
    pub fn among(&self, switch: u32, node: u32, candidates: usize) -> usize {
        match self {
            // Output number `switch` of the generator that starts from the key, scaled to the range.
            Choice::SplitMix64 { key } => {
                let hash = mix(key.wrapping_add((u64::from(switch) + 1).wrapping_mul(GOLDEN)));
                ((u128::from(hash) * candidates as u128) >> 64) as usize
            }
            Choice::Murmur3 { words } => murmur3(words, node) as usize % candidates,
        }
    }
}

/// The address of a host in the ns-3 simulator of HPCC: 11.0.0.1, and the host's number in the second and third byte.
fn address(host: u32) -> u32 {
    0x0b00_0001_u32.wrapping_add(host << 8)
}

/// MurmurHash3_x86_32 (Austin Appleby, 2011, public domain) of whole words.
fn murmur3(words: &[u32; 3], seed: u32) -> u32 {
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
            assert_eq!(address(host), expected, "{host}");
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

    #[test]
    fn the_way_back_swaps_ends_and_ports() {
        let ecmp = Ecmp {
            hash: EcmpHash::Murmur3,
            first_udp_source_port: Some(10_000),
            udp_destination_port: 100,
        };
        let back = Flow {
            ports: [2, 0],
            hosts: [0, 1],
            udp_ports: [10_000, 100],
        };
        let choice = Choice::of(&ecmp, &back, 1);
        assert_eq!(choice.among(0, 17, 1000), 0xc461_67a1_usize % 1000);
    }
}
