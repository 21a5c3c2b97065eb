"""Faults of a run, as its summary lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wirespeed import _core
from wirespeed.results.simulation_types import Fault
from wirespeed.simulation.port_names import port_names
from wirespeed.simulation.scenario_names import ScenarioNames

_PLACES = 3
"""So many places of a fault are names; all are there by number."""


def describe_faults(
    scenario: _core.Scenario, names: ScenarioNames | None, settings: Sequence[Fault] = ()
) -> tuple[Fault, ...]:
    """All faults of a scenario, by the names it has; ``settings`` are those that its parameters hold already."""
    faults = scenario.faults()
    if not faults:
        return tuple(settings)
    naming = _NodeNames(scenario.links(), scenario.hosts, names)
    return (
        *settings,
        *(
            Fault(
                kind=kind,
                place=naming.join_places(places),
                nodes=tuple(node for place, number in places for node in naming.nodes(place, number)),
                links=tuple(number for place, number in places if place == "link"),
                start_us=start / 1e6,
                until_us=None if until is None else until / 1e6,
            )
            for kind, places, start, until in faults
        ),
    )


class _NodeNames:
    """What nodes, ports and cables of a scenario are called."""

    def __init__(self, links: Sequence[tuple[int, int]], hosts: int, names: ScenarioNames | None) -> None:
        self._links = links
        self._hosts = hosts
        self._named = names
        self._ends = {
            2 * link + side: (ends[side], ends[1 - side]) for link, ends in enumerate(links) for side in (0, 1)
        }
        self._devices = dict(zip(names.nodes, names.devices, strict=True)) if names else {}

    def join_places(self, places: Sequence[tuple[str, int]]) -> str:
        """The first of some places, and how many there are beside."""
        names = [self._place(place, number) for place, number in places[:_PLACES]]
        more = len(places) - len(names)
        if more:
            return f"{', '.join(names)} and {more:,} more"
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

    def nodes(self, place: str, number: int) -> Iterable[int]:
        """The node that a fault is in; a link's is in none."""
        if place == "link":
            return ()
        return (self._ends[number][0],) if place == "port" else (number,)

    def _place(self, place: str, number: int) -> str:
        if place == "node":
            return self._node(number)
        return self._port(number) if place == "port" else " – ".join(self._cable(number))

    def _node(self, number: int) -> str:
        kind = "host" if number < self._hosts else "switch"
        return self._devices.get(number, f"{kind} {number}")

    def _cable(self, link: int) -> Iterator[str]:
        """Both ends where they have names; a port by numbers names both."""
        yield self._port(2 * link)
        if self._named:
            yield self._port(2 * link + 1)

    def _port(self, port: int) -> str:
        if self._named and self._named.interfaces[port]:
            return f"{self._named.devices[port]}:{self._named.interfaces[port]}"
        name = port_names(self._ends, [port])[port]
        node, _, peer = name.partition(":")
        return f"{self._node(int(node))}:{peer}"
