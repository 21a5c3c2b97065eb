"""Binding of the ranks of a host to CPU cores.

The policies are those of MVAPICH2 (2.3.7 user guide, sections 6.5, 6.20 and 6.21; its affinity/hwloc_bind.c), in
whole cores:

* bunch: one core each, a socket filled before the next;
* scatter: one core each, consecutive ranks on different sockets;
* numa: one core each, consecutive ranks on different NUMA nodes;
* linear: as many consecutive cores as a rank has threads;
* compact: one core each, a rank's threads on the hardware threads of that core;
* spread: all cores evenly shared out, a rank's cores side by side.

Three details differ from the library's algorithm on purpose. The socket of the NIC comes first, if the catalogue
contains it. Spread keeps every rank within a socket and loses no core when the sockets do not divide the ranks. With a
rank for each GPU, a rank has cores of the NUMA node of its GPU, if these nodes are known and large enough; the policy
distributes the ranks of a node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from wirespeed.catalogue.model import CpuTopology, Numbering
from wirespeed.cluster.launch import BindingPolicy
from wirespeed.settings import Cores


@dataclass(frozen=True, slots=True)
class Topology:
    """The cores of a host by NUMA node, the nodes by socket, the NIC's socket and node first."""

    sockets: tuple[tuple[tuple[int, ...], ...], ...]
    siblings: int  # hardware threads of a core; those of core c are c, c + total, c + 2 total, …
    total: int  # cores of the host

    @property
    def by_socket(self) -> tuple[tuple[int, ...], ...]:
        """The cores of each socket."""
        return tuple(tuple(chain.from_iterable(nodes)) for nodes in self.sockets)

    @property
    def cores(self) -> tuple[int, ...]:
        """All cores."""
        return tuple(chain.from_iterable(self.by_socket))


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ranks of a host; ``gpu_nodes`` is the NUMA node of the GPU of each rank, empty without a GPU for each."""

    count: int
    threads: int = 1
    gpu_nodes: tuple[int, ...] = ()


def build_topology(
    cpus: CpuTopology, near: int | None, nodes_per_socket: int | None = None, *, smt: bool = True
) -> Topology:
    """A server's cores; ``near`` is the NUMA node of its first NIC, None: not known. ``nodes_per_socket`` replaces the
    catalogue's number. Without ``smt`` a core has one hardware thread.

    Linux numbers the first hardware thread of every core before any second one, so the numbers of the cores hold
    whether the BIOS leaves simultaneous multithreading on or not.
    """
    sockets, cores, nodes = cpus.sockets.value, cpus.cores.value, nodes_per_socket or cpus.numa_nodes.value
    nodes_by_socket = []
    for socket in range(sockets):
        if cpus.numbering.value is Numbering.BY_SOCKET:
            socket_cores = range(socket * cores, (socket + 1) * cores)
        else:
            socket_cores = range(socket, sockets * cores, sockets)
        size = cores // nodes
        nodes_by_socket.append([tuple(socket_cores[node * size : (node + 1) * size]) for node in range(nodes)])
    if near is not None and near < sockets * nodes:
        socket = near // nodes
        nodes_by_socket[socket] = _move_first(nodes_by_socket[socket], near % nodes)
        nodes_by_socket = _move_first(nodes_by_socket, socket)
    siblings = cpus.threads.value if smt else 1
    return Topology(tuple(tuple(socket) for socket in nodes_by_socket), siblings, sockets * cores)


def _move_first(members: list, index: int) -> list:  # type: ignore[type-arg]
    return [members[index], *members[:index], *members[index + 1 :]]


def count_cores(policy: BindingPolicy, ranks: int, threads: int) -> int:
    """The least number of cores for this number of ranks."""
    return ranks * threads if policy in (BindingPolicy.LINEAR, BindingPolicy.SPREAD) else ranks


def bind_ranks(policy: BindingPolicy, topology: Topology, nodes: Sequence[Sequence[int]], ranks: Ranks) -> Cores:
    """The cores of each rank: of its GPU's NUMA node, or of the whole host. ``nodes`` are the cores of each node.

    Raises:
        ValueError: there are not enough cores for the ranks.
    """
    counts = Counter(ranks.gpu_nodes)
    if len(ranks.gpu_nodes) != ranks.count or any(
        not 0 <= node < len(nodes) or count_cores(policy, count, ranks.threads) > len(nodes[node])
        for node, count in counts.items()
    ):
        return bind(policy, topology, ranks.count, ranks.threads)
    cores_by_node = {
        node: iter(bind(policy, replace(topology, sockets=((tuple(nodes[node]),),)), count, ranks.threads))
        for node, count in counts.items()
    }
    return tuple(next(cores_by_node[node]) for node in ranks.gpu_nodes)


def bind(policy: BindingPolicy, topology: Topology, ranks: int, threads: int) -> Cores:
    """The cores of each rank, in rank order; no two ranks share one.

    Raises:
        ValueError: there are not enough cores for the ranks.
    """
    if count_cores(policy, ranks, threads) > len(topology.cores):
        raise ValueError(f"{ranks} ranks do not fit {len(topology.cores)} cores")
    match policy:
        case BindingPolicy.BUNCH:
            order: Sequence[int] = topology.cores
        case BindingPolicy.SCATTER:
            order = _take_in_turn(topology.by_socket)
        case BindingPolicy.NUMA:
            order = _take_in_turn(tuple(chain.from_iterable(topology.sockets)))
        case BindingPolicy.LINEAR:
            return tuple(topology.cores[rank * threads : (rank + 1) * threads] for rank in range(ranks))
        case BindingPolicy.COMPACT:
            return tuple(
                tuple(core + topology.total * thread for thread in range(min(threads, topology.siblings)))
                for core in topology.cores[:ranks]
            )
        case BindingPolicy.SPREAD:
            return tuple(_spread_ranks(topology.by_socket, ranks, threads))
    return tuple((core,) for core in order[:ranks])


def _take_in_turn(groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The first of every group, then the second of every group, …"""
    return tuple(core for turn in zip_longest(*groups) for core in turn if core is not None)


def _spread_ranks(sockets: Sequence[Sequence[int]], ranks: int, threads: int) -> Iterator[tuple[int, ...]]:
    """Distribute ranks evenly over sockets. Every rank has as many cores as a rank on the fullest socket."""
    shares = [ranks // len(sockets) + (index < ranks % len(sockets)) for index in range(len(sockets))]
    chunk = min(len(cores) // share for cores, share in zip(sockets, shares, strict=True) if share)
    if chunk < threads:  # whole ranks do not fit the sockets: a rank may straddle two
        whole = tuple(chain.from_iterable(sockets))
        sockets, shares = [whole], [ranks]
        chunk = len(whole) // ranks
    for cores, share in zip(sockets, shares, strict=True):
        for rank in range(share):
            start = rank * len(cores) // share
            yield tuple(cores[start : start + chunk])
