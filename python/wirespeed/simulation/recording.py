"""Time series and captures to record in addition to the tables: option values, resolved to numbers of the core.

A port is named by its node and the node at the other end of its cable, as in scenario files: ``16:0`` is the port of
node 16 towards node 0. If several cables join the two, ``16:0.1`` is the second, in the order of the
scenario. For a node with one port its number is sufficient. In a scenario made from a plan, ports also have the names
of device and interface: ``leaf1:Eth1/1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wirespeed.errors import Problem, Refusal, did_you_mean
from wirespeed.units import Duration

if TYPE_CHECKING:
    from wirespeed import _core

_PORT = re.compile(r"(\d+)(?::(\d+)(?:\.(\d+))?)?", re.ASCII)
_LISTED_NAMES = 6
_EXPECTED = "all, switches, hosts, flows, port:PORT or flow:NUMBER, such as port:16:0 or flow:3"
_FINEST = Duration(1 * Duration.units["us"])
"""Initial sampling interval if none is given."""
_SAMPLES = 2_000
"""Maximum number of samples if no interval is given: more than a chart has points."""
_ROWS = 10_000_000
"""Maximum number of rows of series: 22 bytes of memory each."""
_OF_A_QUEUE = 4
"""Rows per sample of one queue: its depth, bytes sent and marked, and whether it is paused."""
GROUPS = ("all", "switches", "hosts", "flows")
"""Values of ``--series`` that select several ports or flows."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What to record in addition to the tables.

    ``series`` contains ``port:PORT`` (depth, sent and marked bytes of each of its queues, and paused priorities),
    ``flow:NUMBER`` (the rate of congestion control), ``switches`` and ``hosts`` for all of their ports, ``flows`` for
    all flows, ``all`` for everything; each is sampled every ``interval``. Without one, samples are 1 us apart at first,
    and every second sample is dropped whenever there are more than 2,000. The same happens above 10,000,000 rows. All
    frames that the ports ``captures`` send and receive are captured.
    """

    series: tuple[str, ...] = ()
    interval: Duration | None = None
    captures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResolvedRecording:
    """A recording by numbers of the core."""

    interval: int
    samples: int
    """Maximum number of samples."""
    ports: tuple[int, ...]
    queue_pairs: tuple[int, ...]
    captures: Mapping[str, int]
    """Ports by the name that was given."""


def resolve(observe: Recording, scenario: _core.Scenario, named: Mapping[str, int] | None = None) -> ResolvedRecording:
    """Resolve a recording in a scenario, whose ports may also have names.

    Raises:
        Refusal: ports or flows do not exist; all problems are listed.
    """
    return _Resolver(scenario, named or {}).resolve(observe)


def file_name(port: str) -> str:
    """The file name of a port: ``leaf1_Ethernet1_1`` for ``leaf1:Ethernet1/1``."""
    return re.sub(r"[^A-Za-z0-9.-]", "_", port)


class _Resolver:
    """Resolves names to numbers, and collects problems."""

    def __init__(self, scenario: _core.Scenario, named: Mapping[str, int]) -> None:
        self._scenario = scenario
        self._named = named
        self._problems: list[Problem] = []
        self._ports: dict[int, dict[int, list[int]]] = {}
        """Node → peer → its ports there."""
        self._nodes = [node for link in scenario.links() for node in link]
        """The node of each port."""
        for link, (a, b) in enumerate(scenario.links()):
            self._ports.setdefault(a, {}).setdefault(b, []).append(2 * link)
            self._ports.setdefault(b, {}).setdefault(a, []).append(2 * link + 1)

    def resolve(self, observe: Recording) -> ResolvedRecording:
        ports: list[int] = []
        queue_pairs: list[int] = []
        for text in observe.series:
            kind, _, name = text.partition(":")
            if text in GROUPS:
                ports += self._select_ports(text)
                queue_pairs += self._list_flows() if text in ("all", "flows") else ()
            elif kind == "port":
                ports += self._find_port("--series", name)
            elif kind == "flow":
                queue_pairs += self._find_flow("--series", name)
            else:
                self._add_problem("--series", text, _EXPECTED)
        captures = {name: port for name in observe.captures for port in self._find_port("--pcap", name)}
        if observe.series and observe.interval == 0:
            self._add_problem("--interval", str(observe.interval), "a duration above zero")
        if self._problems:
            raise Refusal(self._problems)
        ports, queue_pairs = list(dict.fromkeys(ports)), list(dict.fromkeys(queue_pairs))
        interval = int(_FINEST if observe.interval is None else observe.interval) if observe.series else 0
        samples = self._limit_samples(observe, len(ports), len(queue_pairs)) if observe.series else 0
        return ResolvedRecording(interval, samples, tuple(ports), tuple(queue_pairs), captures)

    def _limit_samples(self, observe: Recording, ports: int, queue_pairs: int) -> int:
        """The number of samples that stays below the maximum number of rows: at least two."""
        rows = ports * self._scenario.priorities * _OF_A_QUEUE + queue_pairs
        maximum = max(_ROWS // max(rows, 1), 2)
        return maximum if observe.interval is not None else min(maximum, _SAMPLES)

    def _select_ports(self, group: str) -> Iterable[int]:
        """All ports of hosts, of switches, or of both."""
        if group == "flows":
            return ()
        hosts = self._scenario.hosts
        ends = (node for link in self._scenario.links() for node in link)
        return [port for port, node in enumerate(ends) if group in ("all", "hosts" if node < hosts else "switches")]

    def _list_flows(self) -> Iterable[int]:
        return map(self._scenario.sender, range(self._scenario.operations))

    def _find_port(self, location: str, name: str) -> Iterator[int]:
        """Find the port with this name; without one, add a problem."""
        if name in self._named:
            return iter([self._named[name]])
        match = _PORT.fullmatch(name)
        if match is None and self._named:
            device = name.partition(":")[0]
            of_device = [entry for entry in self._named if entry.partition(":")[0] == device]
            near = did_you_mean(name, of_device or list(self._named))
            return self._add_problem(location, name, f"a port: {_shorten_list(of_device or list(self._named))}", near)
        if match is None:
            return self._add_problem(location, name, "a port: NODE, NODE:PEER or NODE:PEER.NUMBER, such as 16:0")
        node, peer, number = (None if part is None else int(part) for part in match.groups())
        assert node is not None
        peers = self._ports.get(node, {})
        if node >= self._scenario.nodes:
            nodes = f"a node of the scenario, 0 to {self._scenario.nodes - 1}"
            return self._add_problem(location, name, nodes, self._hint_name())
        if peer is None or peer not in peers:
            listed_ports = [port for ports in peers.values() for port in ports]
            if peer is None and len(listed_ports) == 1:
                return iter(listed_ports)
            ports_of_node = f"a port of node {node}: {_shorten_list(self._list_port_names(node))}"
            return self._add_problem(location, name, ports_of_node, self._hint_name())
        ports = peers[peer]
        if number is None and len(ports) == 1:
            return iter(ports)
        if number is None or number >= len(ports):
            return self._add_problem(
                location,
                name,
                f"one of the {len(ports)} ports there: {_shorten_list(self._list_port_names(node, peer))}",
            )
        return iter(ports[number : number + 1])

    def _hint_name(self) -> str | None:
        """A hint that ports of a scenario with names can be given by name."""
        of_switches = [name for name, port in self._named.items() if self._nodes[port] >= self._scenario.hosts]
        name = next(iter(of_switches or self._named), None)
        return f"or the name of a port, such as {name}" if name else None

    def _list_port_names(self, node: int, wanted_peer: int | None = None) -> list[str]:
        """The names of a node's ports."""
        return [
            f"{node}:{peer}" + (f".{number}" if len(ports) > 1 else "")
            for peer, ports in self._ports.get(node, {}).items()
            for number in range(len(ports))
            if wanted_peer in (None, peer)
        ]

    def _find_flow(self, location: str, name: str) -> Iterator[int]:
        """Find the queue pair that sends this flow; without one, add a problem."""
        flows = self._scenario.operations
        if not (name.isascii() and name.isdigit() and int(name) < flows):
            return self._add_problem(location, f"flow:{name}", f"a flow of the scenario, flow:0 to flow:{flows - 1}")
        return iter([self._scenario.sender(int(name))])

    def _add_problem(self, location: str, found: str, expected: str, hint: str | None = None) -> Iterator[int]:
        self._problems.append(Problem(location, repr(found), expected, hint))
        return iter(())


def _shorten_list(names: list[str]) -> str:
    """The first of many names, and the last."""
    if not names:
        return "it has none"
    if len(names) <= _LISTED_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[: _LISTED_NAMES - 1])} … {names[-1]}"
