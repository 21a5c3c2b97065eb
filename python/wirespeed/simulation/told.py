"""What goes wrong in a run, as its summary tells it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wirespeed import _core
from wirespeed.results.simulation import Fault
from wirespeed.simulation.named import Named
from wirespeed.simulation.numbered import port_names


def told(scenario: _core.Scenario, named: Named | None, settings: Sequence[Fault] = ()) -> tuple[Fault, ...]:
    """All faults of a scenario, by the names it has; ``settings`` are those that its parameters hold already."""
    links = scenario.links()
    faults = [
        Fault(
            kind=kind,
            place=" and ".join(names),
            nodes=tuple(node for place, number in places for node in _nodes(place, number, links)),
            links=tuple(number for place, number in places if place == "link"),
            start_us=start / 1e6,
            until_us=None if until is None else until / 1e6,
        )
        for kind, places, start, until in scenario.faults()
        for names in [_names(places, links, scenario.hosts, named)]
    ]
    return (*settings, *faults)


def _nodes(place: str, number: int, links: Sequence[tuple[int, int]]) -> Iterable[int]:
    """The node that a fault is in; a link's is in none."""
    if place == "link":
        return ()
    return (links[number // 2][number % 2],) if place == "port" else (number,)


def _names(
    places: Iterable[tuple[str, int]], links: Sequence[tuple[int, int]], hosts: int, named: Named | None
) -> list[str]:
    return [
        _node(number, links, hosts, named) if place == "node" else _cable(place, number, links, named)
        for place, number in places
    ]


def _node(node: int, links: Sequence[tuple[int, int]], hosts: int, named: Named | None) -> str:
    for link, ends in enumerate(links):
        if named and node in ends:
            return named.devices[2 * link + ends.index(node)]
    return f"{'host' if node < hosts else 'switch'} {node}"


def _cable(place: str, number: int, links: Sequence[tuple[int, int]], named: Named | None) -> str:
    """A port by its name; a cable by both ends where they have names."""
    if place == "port":
        return _port(number, links, named)
    near, far = (_port(2 * number + side, links, named) for side in (0, 1))
    return f"{near} – {far}" if named else near


def _port(port: int, links: Sequence[tuple[int, int]], named: Named | None) -> str:
    if named and named.interfaces[port]:
        return f"{named.devices[port]}:{named.interfaces[port]}"
    ends = {2 * link + side: (ends[side], ends[1 - side]) for link, ends in enumerate(links) for side in (0, 1)}
    return port_names(ends, [port])[port]
