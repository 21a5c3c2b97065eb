//! Numbers of ports, links, nodes, switches and queue pairs, a type for each. They index the lists of a run. Result
//! tables use plain integers.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::ops::{Index, IndexMut};

/// Gives a number type the schema of a plain integer: a field adds its description and range.
macro_rules! plain_schema {
    ($name:ty, $integer:ty) => {
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                <$integer>::schema_name()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                <$integer>::json_schema(generator)
            }
        }
    };
}

/// Defines a number type that indexes lists.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        #[derive(Serialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        plain_schema!($name, u32);

        impl $name {
            /// Its position in a list.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl<T> Index<$name> for Vec<T> {
            type Output = T;
            #[inline]
            fn index(&self, id: $name) -> &T {
                &self.as_slice()[id.index()]
            }
        }

        impl<T> IndexMut<$name> for Vec<T> {
            #[inline]
            fn index_mut(&mut self, id: $name) -> &mut T {
                &mut self.as_mut_slice()[id.index()]
            }
        }

        impl<T> Index<$name> for [T] {
            type Output = T;
            #[inline]
            fn index(&self, id: $name) -> &T {
                &self[id.index()]
            }
        }

        impl<T> IndexMut<$name> for [T] {
            #[inline]
            fn index_mut(&mut self, id: $name) -> &mut T {
                &mut self[id.index()]
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

id! {
    /// A port: an end of a link.
    PortId
}

id! {
    /// A link. Its ends are ports 2n and 2n + 1.
    LinkId
}

id! {
    /// A node: hosts first, then switches.
    NodeId
}

id! {
    /// A switch, by its number among switches. As nodes, switches follow the hosts.
    SwitchId
}

/// A NIC port of a host, by its number in the order of `links`. The width of `N` is that of the file's key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
#[derive(Serialize)]
#[serde(transparent)]
pub struct NicPort<N>(pub N);

plain_schema!(NicPort<u16>, u16);
plain_schema!(NicPort<u32>, u32);

id! {
    /// A queue pair: an end of a connection. Connection n has queue pairs 2n and 2n + 1.
    QueuePairId
}

impl PortId {
    /// The port at the other end of the link.
    #[inline]
    pub const fn peer(self) -> PortId {
        PortId(self.0 ^ 1)
    }

    /// Whether it is the second end of its link.
    #[inline]
    pub const fn is_second(self) -> bool {
        self.0 % 2 == 1
    }

    /// Its link.
    #[inline]
    pub const fn link(self) -> LinkId {
        LinkId(self.0 / 2)
    }
}

impl LinkId {
    /// Its ends.
    #[inline]
    pub const fn ports(self) -> [PortId; 2] {
        [PortId(2 * self.0), PortId(2 * self.0 + 1)]
    }
}

impl NodeId {
    /// The node of a switch in a network with `hosts` hosts.
    #[inline]
    pub const fn of_switch(hosts: u32, switch: SwitchId) -> NodeId {
        NodeId(hosts + switch.0)
    }

    /// Whether it is a switch in a network with `hosts` hosts.
    #[inline]
    pub const fn is_switch(self, hosts: u32) -> bool {
        self.0 >= hosts
    }

    /// The switch that it is in a network with `hosts` hosts; `None` = it is a host.
    #[inline]
    pub fn switch(self, hosts: u32) -> Option<SwitchId> {
        self.0.checked_sub(hosts).map(SwitchId)
    }
}

impl QueuePairId {
    /// The queue pair of a connection at its first (0) or second (1) port.
    #[inline]
    pub const fn of_connection(connection: usize, side: usize) -> QueuePairId {
        QueuePairId((2 * connection + side) as u32)
    }

    /// The queue pair at the other end of the connection.
    #[inline]
    pub const fn peer(self) -> QueuePairId {
        QueuePairId(self.0 ^ 1)
    }

    /// The index of its connection.
    #[inline]
    pub const fn connection(self) -> usize {
        self.index() / 2
    }

    /// Its end of the connection: 0 or 1.
    #[inline]
    pub const fn side(self) -> usize {
        self.index() % 2
    }
}

/// Number of priorities of IEEE 802.1Q, each with a queue and a priority group.
pub const PRIORITIES: usize = 8;

/// A priority: 0 to 7. It indexes lists with an item for each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct Priority(pub u8);

plain_schema!(Priority, u8);

impl Priority {
    /// All priorities in ascending order.
    pub fn all() -> impl DoubleEndedIterator<Item = Priority> + Clone {
        (0..PRIORITIES as u8).map(Priority)
    }

    /// The lowest of a non-empty set with a bit for each.
    #[inline]
    pub const fn least_of(set: u8) -> Priority {
        Priority(set.trailing_zeros() as u8)
    }

    /// The highest of such a set.
    #[inline]
    pub const fn greatest_of(set: u8) -> Priority {
        Priority((7 - set.leading_zeros()) as u8)
    }

    /// The next priority in turn; 0 after the highest.
    #[inline]
    pub const fn next_in_turn(self) -> Priority {
        Priority((self.0 + 1) % PRIORITIES as u8)
    }

    /// Its position in a list.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its bit in a set of priorities.
    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self.0
    }
}

/// The number of a priority of a port among those of all ports.
#[inline]
pub const fn priority_queue_number(port: PortId, priority: Priority) -> u32 {
    port.0 * PRIORITIES as u32 + priority.0 as u32
}

/// The port and priority of such a number.
#[inline]
pub const fn port_and_priority(number: u32) -> (PortId, Priority) {
    let (port, priority) = (number / PRIORITIES as u32, number % PRIORITIES as u32);
    (PortId(port), Priority(priority as u8))
}

impl<T> Index<Priority> for [T] {
    type Output = T;
    #[inline]
    fn index(&self, priority: Priority) -> &T {
        &self[priority.index()]
    }
}

impl<T> IndexMut<Priority> for [T] {
    #[inline]
    fn index_mut(&mut self, priority: Priority) -> &mut T {
        &mut self[priority.index()]
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The numbers of switches in ascending order.
pub fn switches_of(count: u32) -> impl ExactSizeIterator<Item = SwitchId> + Clone {
    (0..count).map(SwitchId)
}

/// Every priority of the ports of a number of links, port by port.
pub fn priority_queues_of(links: usize) -> impl Iterator<Item = (PortId, Priority)> + Clone {
    ports_of(links).flat_map(|port| Priority::all().map(move |priority| (port, priority)))
}

/// The queue pairs of a number of connections.
pub fn queue_pairs_of(connections: usize) -> impl ExactSizeIterator<Item = QueuePairId> + Clone {
    (0..2 * connections as u32).map(QueuePairId)
}

/// The ports of a number of links.
pub fn ports_of(links: usize) -> impl ExactSizeIterator<Item = PortId> + Clone {
    (0..2 * links as u32).map(PortId)
}
