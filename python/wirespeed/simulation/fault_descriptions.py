"""Descriptions of a run's faults for its summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wirespeed import _core
from wirespeed.results.simulation_types import Fault
from wirespeed.simulation.port_names import port_names
from wirespeed.simulation.scenario_names import ScenarioNames

_PLACES = 3
"""Maximum number of places of a fault that are listed by name."""


def describe_faults(
    scenario: _core.Scenario, names: ScenarioNames | None, settings: Sequence[Fault] = ()
) -> tuple[Fault, ...]:
    """All faults of a scenario, by its names; ``settings`` are faults that its parameters already contain."""
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
                nodes=tuple(node for place_kind, number in places for node in naming.nodes(place_kind, number)),
                links=tuple(number for place_kind, number in places if place_kind == "link"),
                start_us=start / 1e6,
                until_us=None if end is None else end / 1e6,
            )
            for kind, places, start, end in faults
        ),
    )


class _NodeNames:
    """Names of nodes, ports and cables of a scenario."""

    def __init__(self, links: Sequence[tuple[int, int]], hosts: int, names: ScenarioNames | None) -> None:
        self._links = links
        self._hosts = hosts
        self._named = names
        self._ends = {
            2 * link + side: (ends[side], ends[1 - side]) for link, ends in enumerate(links) for side in (0, 1)
        }
        self._devices = dict(zip(names.nodes, names.devices, strict=True)) if names else {}

    def join_places(self, places: Sequence[tuple[str, int]]) -> str:
        """The first of several places, and the number of others."""
        names = [self._name_place(kind, number) for kind, number in places[:_PLACES]]
        further_places = len(places) - len(names)
        if further_places:
            return f"{', '.join(names)} and {further_places:,} more"
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

    def nodes(self, kind: str, number: int) -> Iterable[int]:
        """The node of a fault; a fault of a link has none."""
        if kind == "link":
            return ()
        return (self._ends[number][0],) if kind == "port" else (number,)

    def _name_place(self, kind: str, number: int) -> str:
        if kind == "node":
            return self._name_node(number)
        return self._name_port(number) if kind == "port" else " – ".join(self._name_cable_ends(number))

    def _name_node(self, number: int) -> str:
        kind = "host" if number < self._hosts else "switch"
        return self._devices.get(number, f"{kind} {number}")

    def _name_cable_ends(self, link: int) -> Iterator[str]:
        """Both ends, if they have names; a port by numbers contains both."""
        yield self._name_port(2 * link)
        if self._named:
            yield self._name_port(2 * link + 1)

    def _name_port(self, port: int) -> str:
        if self._named and self._named.interfaces[port]:
            return f"{self._named.devices[port]}:{self._named.interfaces[port]}"
        name = port_names(self._ends, [port])[port]
        node, _, peer = name.partition(":")
        return f"{self._name_node(int(node))}:{peer}"
