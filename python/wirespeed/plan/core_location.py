"""CPU cores of interrupts and ranks on a host as found, on the NUMA nodes of its NICs and GPUs.

Planned cores are those of the catalogue's NUMA nodes. A card can be in another slot, and the BIOS can make other nodes
(nodes per socket, core enumeration).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from wirespeed.catalogue.model import CpuTopology
from wirespeed.cluster.launch import BindingPolicy
from wirespeed.cluster.ranges import format_names
from wirespeed.errors import Problem
from wirespeed.facts import Facts
from wirespeed.plan.core_binding import Ranks, Topology, bind_ranks
from wirespeed.plan.model import Plan
from wirespeed.plan.tuning_profile import divide_cores
from wirespeed.settings import Cores, Host, Nic, NumaNode, Place


def locate_interrupts(nics: Mapping[str, Nic], observed: Host) -> dict[str, Nic]:
    """NICs whose interrupts are planned near them, with the cores of the NUMA node where they were found.

    Ports of one node divide its cores in the order of the NICs, as the rendered script does at run time.
    """
    ports: dict[int, list[str]] = {}
    for interface, nic in nics.items():
        function = observed.pcie.get(nic.pcie or "")
        if nic.interrupt_cores and function is not None and function.numa_node is not None:
            ports.setdefault(function.numa_node, []).append(interface)
    located = dict(nics)
    for number, interfaces in ports.items():
        node = observed.numa.get(str(number))
        if node is None or not node.cpus:
            continue
        for interface, cores in zip(interfaces, divide_cores(node.cpus, len(interfaces)), strict=True):
            located[interface] = replace(nics[interface], interrupt_cores=cores)
    return located


def locate_ranks(host: Host, observed: Host, cpus: CpuTopology | None) -> Cores | None:
    """The cores of each rank of a planned host, on the NUMA nodes that were observed.

    As planned if these do not show the hardware threads of every core.
    """
    launch = host.launch
    if launch.cores is None or launch.binding is None or cpus is None:
        return launch.cores
    nodes = _read_nodes(observed.numa, cpus)
    if nodes is None:
        return launch.cores
    gpu_nodes = _list_known_nodes(observed, [gpu.pcie for gpu in host.gpus.values()])
    nic_nodes = _list_known_nodes(observed, [nic.pcie for nic in list(host.nics.values())[:1]])
    ranks = Ranks(len(launch.cores), launch.threads or 1, gpu_nodes)
    topology = nodes.build_topology(nic_nodes[0] if nic_nodes else None)
    try:
        return bind_ranks(BindingPolicy(launch.binding), topology, nodes.cores, ranks)
    except ValueError:  # fewer cores than planned, which host.numa-cpus reports
        return launch.cores


def list_rank_problems(plan: Plan, facts: Facts) -> tuple[Problem, ...]:
    """What keeps jobs from cores of the NUMA nodes of their hosts: hosts without such facts, hosts that differ."""
    bound_hosts = {name: host for name, host in plan.hosts.items() if host.launch.cores is not None}
    problems = []
    unread = [name for name in bound_hosts if not facts.complete(Place(name), "host.numa")]
    if unread:
        problems.append(
            Problem(
                "launch.binding",
                f"no NUMA nodes of {format_names(unread)} in the bundle",
                "the output of lscpu of each host",
                "planned cores are rendered for these hosts",
            )
        )
    different = [
        name
        for name, host in bound_hosts.items()
        if host.launch.launcher != "mpirun" and host.launch.cores != next(iter(bound_hosts.values())).launch.cores
    ]
    if different:
        problems.append(
            Problem(
                "launch.binding",
                f"other cores on {format_names(different)} than on {next(iter(bound_hosts))}",
                "the same NUMA nodes on each host: a job over both has one mapping",
                "set nodes per socket and core enumeration in the BIOS of these hosts as on the others",
            )
        )
    return tuple(problems)


@dataclass(frozen=True, slots=True)
class _Nodes:
    """The cores of each NUMA node, by number."""

    cores: tuple[tuple[int, ...], ...]
    sockets: int
    siblings: int

    def build_topology(self, near: int | None) -> Topology:
        """The cores, those of the node ``near`` and of its socket first."""
        size = max(1, len(self.cores) // self.sockets)
        order = list(range(len(self.cores)))
        if near in order:
            order.sort(key=lambda node: (node // size != near // size, node != near))
        sockets = [order[first : first + size] for first in range(0, len(order), size)]
        total = sum(map(len, self.cores))
        return Topology(tuple(tuple(self.cores[node] for node in socket) for socket in sockets), self.siblings, total)


def _read_nodes(numa: Mapping[str, NumaNode], cpus: CpuTopology) -> _Nodes | None:
    """The nodes as found; None if the lists are incomplete, or the kernel does not number the first hardware thread of
    every core before any second one."""
    lists = {int(number): node.cpus for number, node in numa.items() if node.cpus}  # others are memory alone
    known_lists = [lists[number] for number in sorted(lists)]
    total, cores = sum(map(len, known_lists)), cpus.sockets.value * cpus.cores.value
    siblings = total // cores
    if sorted(lists) != list(range(len(lists))) or total % cores or not 0 < siblings <= cpus.threads.value:
        return None
    first_threads = tuple(tuple(sorted(cpu for cpu in node if cpu < cores)) for node in known_lists)
    if any(
        node != {cpu + thread * cores for cpu in firsts for thread in range(siblings)}
        for node, firsts in zip(known_lists, first_threads, strict=True)
    ):
        return None
    return _Nodes(first_threads, cpus.sockets.value, siblings)


def _list_known_nodes(observed: Host, addresses: list[str | None]) -> tuple[int, ...]:
    """The NUMA nodes of functions; empty if one is unknown."""
    nodes = [function.numa_node for address in addresses if (function := observed.pcie.get(address or "")) is not None]
    known_nodes = tuple(node for node in nodes if node is not None)
    return known_nodes if len(known_nodes) == len(addresses) else ()
