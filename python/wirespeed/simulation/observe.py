"""What to record beside the tables, in the words of a command line, and as the numbers the core counts by.

A port is named by its node and the node at the other end of its cable: ``16-0`` is the port of 16 that faces 0. Where
several cables join the two, ``16-0.1`` is the second, in the order of the scenario. A node with one port needs no more
than its own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wirespeed.errors import Problem, Refused
from wirespeed.units import Duration

if TYPE_CHECKING:
    from wirespeed import _core

_PORT = re.compile(r"(\d+)(?:-(\d+)(?:\.(\d+))?)?", re.ASCII)
_SHOWN = 6
_INTERVAL = Duration(10 * Duration.units["us"])


@dataclass(frozen=True, slots=True)
class Observe:
    """What to record beside the tables.

    ``series`` holds ``port:PORT`` (what each of its queues holds and which priorities are paused) and ``flow:NUMBER``
    (its sending rate), each sampled every ``interval``. The frames that go in and out at ``capture`` are kept whole.
    """

    series: tuple[str, ...] = ()
    interval: Duration = _INTERVAL
    capture: str | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """The same as the core's numbers."""

    interval: int
    ports: tuple[int, ...]
    queue_pairs: tuple[int, ...]
    capture: int | None


def resolve(observe: Observe, scenario: _core.Scenario) -> Observed:
    """Find what is to be recorded in the scenario.

    Raises:
        Refused: there is no such port or flow; every problem is named.
    """
    return _Resolver(scenario).resolve(observe)


class _Resolver:
    """Names to numbers, with the problems met."""

    def __init__(self, scenario: _core.Scenario) -> None:
        self._scenario = scenario
        self._problems: list[Problem] = []
        self._ports: dict[int, dict[int, list[int]]] = {}
        """Node → peer → its ports there."""
        for link, (a, b) in enumerate(scenario.links()):
            self._ports.setdefault(a, {}).setdefault(b, []).append(2 * link)
            self._ports.setdefault(b, {}).setdefault(a, []).append(2 * link + 1)

    def resolve(self, observe: Observe) -> Observed:
        ports: list[int] = []
        queue_pairs: list[int] = []
        for text in observe.series:
            kind, _, place = text.partition(":")
            if kind == "port":
                ports += self._port("--series", place)
            elif kind == "flow":
                queue_pairs += self._flow("--series", place)
            else:
                self._refuse("--series", text, "port:PORT or flow:NUMBER, such as port:16-0 or flow:3")
        capture = None if observe.capture is None else next(self._port("--pcap", observe.capture), None)
        if observe.series and observe.interval == 0:
            self._refuse("--interval", str(observe.interval), "a duration above zero")
        if self._problems:
            raise Refused(self._problems)
        interval = int(observe.interval) if observe.series else 0
        return Observed(interval, tuple(dict.fromkeys(ports)), tuple(dict.fromkeys(queue_pairs)), capture)

    def _port(self, place: str, name: str) -> Iterator[int]:
        """The port of this name, or nothing and a problem."""
        match = _PORT.fullmatch(name)
        if match is None:
            return self._refuse(place, name, "a port: NODE, NODE-PEER or NODE-PEER.NUMBER, such as 16-0")
        node, peer, number = (None if part is None else int(part) for part in match.groups())
        assert node is not None
        peers = self._ports.get(node, {})
        if node >= self._scenario.nodes:
            return self._refuse(place, name, f"a node of the scenario, 0 to {self._scenario.nodes - 1}")
        if peer is None or peer not in peers:
            found = [port for ports in peers.values() for port in ports]
            if peer is None and len(found) == 1:
                return iter(found)
            return self._refuse(place, name, f"a port of node {node}: {_some(self._names(node))}")
        ports = peers[peer]
        if number is None and len(ports) == 1:
            return iter(ports)
        if number is None or number >= len(ports):
            return self._refuse(place, name, f"one of the {len(ports)} ports there: {_some(self._names(node, peer))}")
        return iter(ports[number : number + 1])

    def _names(self, node: int, only: int | None = None) -> list[str]:
        """How each port of a node is called."""
        return [
            f"{node}-{peer}" + (f".{number}" if len(ports) > 1 else "")
            for peer, ports in self._ports.get(node, {}).items()
            for number in range(len(ports))
            if only in (None, peer)
        ]

    def _flow(self, place: str, name: str) -> Iterator[int]:
        """The queue pair that sends this flow, or nothing and a problem."""
        flows = self._scenario.operations
        if not (name.isascii() and name.isdigit() and int(name) < flows):
            return self._refuse(place, f"flow:{name}", f"a flow of the scenario, flow:0 to flow:{flows - 1}")
        return iter([self._scenario.sender(int(name))])

    def _refuse(self, place: str, found: str, expected: str) -> Iterator[int]:
        self._problems.append(Problem(place, repr(found), expected))
        return iter(())


def _some(names: list[str]) -> str:
    """The first of many names, and the last."""
    if not names:
        return "it has none"
    if len(names) <= _SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[: _SHOWN - 1])} … {names[-1]}"
