"""Names of a plan's nodes and ports, and their numbers in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wirespeed.plan import End, Plan
from wirespeed.simulation.workload import Endpoint


@dataclass(frozen=True, slots=True)
class NicPort:
    """A NIC port of a flow: its host, and its index among the host's ports in the order of links."""

    node: int
    index: int


@dataclass(frozen=True, slots=True)
class Names:
    """Numbers and names. Hosts come first, in the order of the cluster file; link n has the ports 2n and 2n + 1."""

    nodes: tuple[str, ...]
    ends: tuple[End, ...]
    """The end of each port."""
    _nodes: Mapping[str, int]
    _nics: Mapping[Endpoint, NicPort]

    def node(self, name: str) -> int:
        """The number of a device."""
        return self._nodes[name]

    def nic(self, endpoint: Endpoint) -> NicPort:
        """The NIC port of a flow's endpoint."""
        return self._nics[endpoint]

    def ports(self) -> Iterator[tuple[int, int, End]]:
        """Number, node and name of every port."""
        for port, end in enumerate(self.ends):
            yield port, self._nodes[end.device], end

    def by_name(self) -> dict[str, int]:
        """Ports by ``leaf1:Eth1/1``."""
        return {f"{end.device}:{end.port}": port for port, end in enumerate(self.ends)}


def number_plan(plan: Plan) -> Names:
    """Number the nodes and ports of a plan for a scenario."""
    nodes = (*plan.hosts, *plan.switches)
    numbers = {name: number for number, name in enumerate(nodes)}
    ends = tuple(end for cable in plan.cables for end in (cable.a, cable.b))
    counts: dict[str, int] = {}
    nics: dict[Endpoint, NicPort] = {}
    for end in ends:
        if end.device in plan.hosts:
            index = counts.get(end.device, 0)
            counts[end.device] = index + 1
            nics[Endpoint(end.device, end.port)] = NicPort(numbers[end.device], index)
    return Names(nodes, ends, numbers, nics)
